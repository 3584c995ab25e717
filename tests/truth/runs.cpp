// SPDX-License-Identifier: BSL-1.0
// Published runs: layouts multiply out, estimated MFU within the bound of the truth README.
#include "runs.hpp"
#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <shardplan/model/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

TEST_CASE("published layouts multiply out, and the two that must not do not") {
  const auto file = truth::read("runs.json");
  if (!file) return;
  std::size_t exact = 0;
  for (const truth::run_line& line : truth::judge_runs(*file)) {
    if (line.what == "mfu" || !line.judged) continue;
    INFO(line.id << " " << line.what << ": " << line.ours << " | " << line.theirs);
    CHECK(line.reason.empty());
    CHECK(line.good);
    ++exact;
  }
  CHECK(exact > 100);
}

TEST_CASE("estimated MFU of dense runs: median error under 10 %, 80 % within 15 %") {
  const auto file = truth::read("runs.json");
  if (!file) return;
  const std::vector<truth::run_line> lines = truth::judge_runs(*file);
  for (const truth::run_line& line : lines) {
    if (!truth::is_estimate(line)) continue;
    char text[200];
    std::snprintf(text, sizeof text, "%-34s %-9s %10.4g %10.4g %+7.1f %% %s", line.id.c_str(), line.what.c_str(), line.ours, line.theirs,
                  line.theirs == 0 ? 0 : 100 * (line.ours - line.theirs) / line.theirs, line.reason.c_str());
    std::cout << text << '\n';
  }
  const truth::run_summary summary = truth::summary_of_runs(lines);
  std::cout << "MFU of dense runs: " << summary.within << " of " << summary.rows << " within 15 %, median error " << 100 * summary.median
            << " %\n";
  CHECK(summary.passed());
}

TEST_CASE("a run that does not multiply out is found, and so is a wrong estimate") {
  auto file = truth::read("runs.json");
  if (!file) return;
  truth::json& first = file->get_child("runs").begin()->second;
  first.put("dp", 31);
  const std::vector<truth::run_line> lines = truth::judge_runs(*file);
  REQUIRE(!lines.empty());
  CHECK(!lines.front().good);

  std::vector<truth::run_line> wrong{{"a", "mfu", 0.5, 0.4, true, true, ""}, {"b", "mfu", 0.4, 0.4, true, true, ""}};
  CHECK(!truth::summary_of_runs(wrong).passed());
}

TEST_CASE("PaLM's shape has the parameters that its paper prints") {
  const auto shape = truth::detail::shape_named("palm-540b");
  REQUIRE(shape);
  // arXiv 2204.02311 table 1: 540.35 B, which is what the matrices have; all norms have 0.002 B.
  const std::int64_t norms = (shape->layers + 1) * shape->hidden;
  const std::int64_t matrices = shardplan::parameter_count_of(*shape) - norms;
  INFO(matrices);
  CHECK(matrices / 10'000'000 == 54'035);
}

TEST_CASE("the FLOPs of BigScience's sweep are the library's") {
  // 96 B s L h^2 (1 + s / 6h + V / 16 L h) over devices and seconds, against the TFLOPS that its BLOOM row prints (150 in 105 s is
  // rounded).
  const auto file = truth::read("runs.json");
  if (!file) return;
  for (const auto& element : file->get_child("runs")) {
    const truth::json& row = element.second;
    if (row.get_child_optional("shape") == boost::none || row.get<std::string>("recompute") != "full") continue;
    const truth::run_plan plan = truth::plan_of_run(row);
    if (!plan.spec || plan.spec->model.ffn != 4 * plan.spec->model.hidden) continue;
    const shardplan::step_flops flops = shardplan::flops_of(*plan.spec);
    const shardplan::transformer& shape = plan.spec->model;
    INFO(row.get<std::string>("id"));
    CHECK(flops.model_per_token + flops.recompute_per_token == 96 * shape.layers * shape.hidden * shape.hidden +
                                                                   16 * shape.layers * plan.spec->sequence * shape.hidden +
                                                                   6 * shape.hidden * shape.vocab);
  }
}
