// SPDX-License-Identifier: BSL-1.0
// What a search found, written down.
#include "../catch.hpp"
#include "../training_run.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/report/search.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/search/best_of.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace sp = shardplan;

namespace {

sp::search_result found_for(const sp::transformer& model, std::int64_t nodes) {
  sp::plan_spec spec = training_run(model, sp::devices::h100_sxm_80gb::spec, nodes, 4096, 256);
  spec.micro_batch = sp::unset;
  return sp::best_of(spec);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("report of a search: the table and what was refused") {
  const sp::search_result found = found_for(sp::models::llama2_70b::shape, 8);
  const std::vector<std::string> lines = lines_of(sp::report::text_of(found, 5));
  REQUIRE(lines.size() == 7);
  CHECK(has(lines[0], "micro-batch"));
  CHECK(!has(lines[0], "  ep  "));
  for (std::size_t at = 1; at <= 5; ++at) {
    CHECK(lines[at].size() == lines[0].size());
    CHECK(has(lines[at], sp::report::gib(found.top[at - 1].memory)));
    CHECK(has(lines[at], "zero " + std::to_string(found.top[at - 1].sharding.zero)));
  }
  CHECK(has(lines[6], sp::report::grouped(found.considered) + " candidates: " + sp::report::grouped(found.fitting) + " fit"));
  CHECK(has(lines[6], "does_not_fit " + sp::report::grouped(found.rejected_by(sp::rule::does_not_fit))));
  // By what each rule is about, most refused first.
  REQUIRE(found.refusals.size() > 2);
  std::size_t place = 0;
  for (const sp::refused_rule& one : found.refusals) {
    const std::size_t here = lines[6].find(" " + sp::report::grouped(one.count), place);
    REQUIRE(here != std::string::npos);
    place = here;
  }
  const std::int64_t of_layers = found.rejected_by(sp::rule::does_not_divide, sp::quantity::pp_x_chunks, sp::quantity::layers);
  CHECK(of_layers > 0);
  CHECK(has(lines[6], "does_not_divide(pp_x_chunks, layers) " + sp::report::grouped(of_layers)));
  // All that there are, when more are asked for.
  CHECK(lines_of(sp::report::text_of(found, 1000)).size() == found.top.size() + 2);

  const std::vector<std::string> table = lines_of(sp::report::markdown_of(found, 3));
  REQUIRE(table.size() == 7);
  const auto bars = [](const std::string& line) { return std::count(line.begin(), line.end(), '|'); };
  for (std::size_t at = 1; at < 5; ++at) CHECK(bars(table[at]) == bars(table[0]));
  CHECK(table[1].substr(0, 4) == "|---");
}

TEST_CASE("report of a search: what was not played is marked") {
  sp::plan_spec spec = training_run(sp::models::llama2_70b::shape, sp::devices::h100_sxm_80gb::spec, 8, 4096, 256);
  spec.micro_batch = sp::unset;
  const auto marked = [](const std::string& text) {
    std::size_t rows = 0;
    for (const std::string& line : lines_of(text))
      rows += has(line, "* ") || has(line, "*|") || (!line.empty() && line.back() == '*') ? 1 : 0;
    return rows;
  };
  const auto pipelines = [](const sp::search_result& found, bool played) {
    std::size_t count = 0;
    for (const sp::listed_plan& one : found.top) count += one.pp > 1 && (one.simulated_step > 0) == played ? 1 : 0;
    return count;
  };
  const char* const legend = "* by the closed form: the schedule was not played\n";

  const sp::search_result all = sp::best_of(spec);
  REQUIRE(pipelines(all, true) > 0);
  CHECK(pipelines(all, false) == 0);
  CHECK(!has(sp::report::text_of(all, 32), "*"));
  CHECK(!has(sp::report::markdown_of(all, 32), "*"));

  // Some of the list, and tables of no pass at all.
  sp::search_options few{};
  few.simulated = 3;
  sp::search_options none{};
  none.simulated_passes = 1;
  for (const sp::search_options& options : {few, none}) {
    const sp::search_result found = sp::best_of(spec, options);
    const std::size_t unplayed = pipelines(found, false);
    REQUIRE(unplayed > 0);
    const std::string text = sp::report::text_of(found, 32);
    INFO(text);
    CHECK(has(text, std::string("\n") + legend));
    CHECK(marked(text) == unplayed + 1);
    const std::string table = sp::report::markdown_of(found, 32);
    CHECK(has(table, std::string("\n\n\\") + legend));
    CHECK(marked(table) == unplayed + 1);
    for (const std::string& line : lines_of(text))
      if (has(line, "interleaved") && found.simulated == 0) CHECK(line.back() == '*');
  }
  // Without a device's rate there is no time to mark.
  sp::plan_spec unrated = spec;
  unrated.device.bf16_flops = 0;
  unrated.device.matmul_flops = 0;
  unrated.device.sustained_flops = 0;
  CHECK(!has(sp::report::text_of(sp::best_of(unrated, none), 32), "*"));
}

TEST_CASE("report of a search: degrees that no plan has need no column") {
  const std::string experts = sp::report::text_of(found_for(sp::models::mixtral_8x7b::shape, 4), 32);
  CHECK(has(lines_of(experts)[0], "  ep  "));
  CHECK(!has(lines_of(experts)[0], "  cp  "));
}

TEST_CASE("report of a search: every degree and every schedule that differ are told apart") {
  const sp::plan_spec spec = training_run(sp::models::mixtral_8x7b::shape, sp::devices::h100_sxm_80gb::spec, 4, 4096, 256);
  sp::search_space space{};
  space.ep.push_back(8);
  for (const std::int64_t degree : {1, 2}) space.etp.push_back(degree);
  space.pp.push_back(2);
  space.sharding.push_back({1, {}});
  space.recompute.push_back(sp::recomputes::full);
  for (const sp::schedule_spec& order : {sp::schedules::seq_1f1b<2>::spec, sp::schedules::seq_1f1b<4>::spec, sp::schedules::hanayo<1>::spec,
                                         sp::schedules::hanayo<2>::spec, sp::schedules::zb_v::spec, sp::schedules::interleaved<4>::spec})
    space.schedule.push_back(order);
  const sp::search_result found = sp::best_of(spec, space);
  const std::string text = sp::report::text_of(found, 32);
  INFO(text);
  REQUIRE(found.fitting == 12);
  CHECK(has(lines_of(text)[0], "  ep  etp  micro-batch"));
  for (const char* words : {"seq_1f1b, 2 slices ", "seq_1f1b, 4 slices ", "hanayo  ", "hanayo, 4 chunks ", "zb_v  ", "interleaved<4> "})
    CHECK(has(text, words));
}

TEST_CASE("report of a search: nothing fits") {
  const sp::search_result none = found_for(sp::models::llama3_1_405b::shape, 1);
  CHECK(!none.found);
  CHECK(has(sp::report::text_of(none), "no plan fits\n"));
  CHECK(has(sp::report::markdown_of(none), "does_not_fit"));
}

TEST_CASE("report of a search: rules have their names") {
  sp::search_result result{};
  const auto refuse = [&](sp::refused_rule one, std::int64_t count) {
    one.count = count;
    result.considered += count;
    result.refusals.push_back(one);
  };
  refuse({sp::rule::host_does_not_fit}, 2000);
  refuse({sp::rule::exceeds, sp::quantity::cp, sp::quantity::positions}, 9);
  refuse({sp::rule::micro_batches_fewer_than_stages, sp::quantity::micro_batches, sp::quantity::pp}, 8);
  sp::refused_rule item{sp::rule::not_supported};
  item.unsupported = sp::feature::hpz_without_zero_3;
  refuse(item, 7);
  item = {sp::rule::missing_part};
  item.part = sp::part_kind::global_batch;
  refuse(item, 6);
  refuse({sp::rule::out_of_range, sp::quantity::tp}, 5);
  result.considered += 4;
  CHECK(has(sp::report::counts_of(result),
            "refused: host_does_not_fit 2,000, exceeds(cp, positions) 9, micro_batches_fewer_than_stages(micro_batches, pp) 8, "
            "not_supported(hpz needs zero<3>) 7, missing_part(global_batch) 6, out_of_range(tp) 5, others 4"));
}
