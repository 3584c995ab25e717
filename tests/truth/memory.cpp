// SPDX-License-Identifier: BSL-1.0
// States of Megatron-LM's functional tests: exact against reference_static of memory.jsonl, a bound against what torch measured
// (section 1.1 of the truth README). One general rule maps a run's arguments to a plan; absent arguments have Megatron's defaults.
#include "../runtime/catch.hpp"
#include "megatron.hpp"
#include "shared_files.hpp"

#include <shardplan/plan/evaluate.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

std::vector<truth::json> functional_test_rows() {
  std::vector<truth::json> rows = truth::rows_with("memory.jsonl", "tests/functional_tests");
  rows.erase(
      std::remove_if(rows.begin(), rows.end(), [](const truth::json& row) { return row.get<std::string>("id").rfind("m2_", 0) == 0; }),
      rows.end());
  return rows;
}

constexpr std::int64_t mebibytes_150 = 150 * (std::int64_t{1} << 20);

}  // namespace

TEST_CASE("states of Megatron-LM's functional tests") {
  int with_reference = 0;
  int expressible = 0;
  int inside = 0;
  int unreferenced = 0;
  int peaks = 0;
  std::map<std::string, int> reasons;
  std::vector<std::int64_t> gaps;
  for (const truth::json& row : functional_test_rows()) {
    const std::string id = row.get<std::string>("id");
    INFO(id);
    const truth::json& config = row.get_child("config");
    const bool peak = row.get<std::string>("metric") == "torch_max_memory_allocated";
    const auto found = row.find("reference_static");
    const bool has_reference = found != row.not_found();
    with_reference += has_reference ? 1 : 0;
    shardplan::plan_spec spec{};
    try {
      const truth::config_reader keys{config};
      spec = truth::megatron_run(keys, !peak).spec;
      keys.all_read();
    } catch (const truth::not_expressible& why) {
      if (has_reference) ++reasons[why.what()];
      continue;
    }
    if (const shardplan::violation_list broken = shardplan::violations_in(spec); !broken.empty()) {
      if (has_reference) ++reasons["refused by a rule"];
      continue;
    }
    const shardplan::memory_report report = shardplan::stage_memory(spec, spec.pp - 1).device;
    const std::int64_t ours = report.states().count;
    const std::int64_t measured = row.get<std::int64_t>("value");
    if (peak) {
      CHECK(ours <= measured);
      ++peaks;
      continue;
    }
    if (!has_reference) {
      // Muon under the distributed optimizer keeps whole matrices at one owner.
      std::cout << "no reference: states " << ours << ", measured " << measured << "  " << id << '\n';
      ++unreferenced;
      continue;
    }
    ++expressible;
    const truth::json& reference = found->second;
    const auto wanted = [&](const char* key) { return reference.get<std::int64_t>(key); };
    CHECK(report.weights.count == 2 * wanted("params_on_rank"));
    CHECK(report.gradients.count == 4 * wanted("params_on_rank"));
    CHECK(ours == wanted("bytes"));
    CHECK(report.optimizer == 2 * report.master);
    const shardplan::derived facts = shardplan::derive(spec);
    CHECK(facts.vocabulary == wanted("padded_vocab"));
    CHECK(facts.grid.dense_shards() == wanted("dp_cp"));
    if (wanted("edp") != 0) CHECK(facts.grid.expert_shards() == wanted("edp"));
    // The experts of a rank are as wide together as one dense network is after tensor parallelism; only the router comes to it.
    const std::int64_t routed = wanted("expert_params_on_rank");
    if (routed != 0) {
      shardplan::plan_spec dense = spec;
      dense.model.experts = {};
      dense.model.ffn = spec.model.expert_width() * spec.model.experts.count / spec.ep * spec.tp / spec.etp;
      const std::int64_t router = spec.model.hidden * spec.model.experts.count * (spec.model.layers / spec.pp);
      CHECK(report.weights.count - shardplan::stage_memory(dense, spec.pp - 1).device.weights.count == 2 * router);
      CHECK(routed % (spec.model.layers / spec.pp) == 0);
    }

    CHECK(ours <= measured);
    inside += measured - ours <= mebibytes_150 ? 1 : 0;
    gaps.push_back(measured - ours);
  }
  if (with_reference == 0) return;
  CHECK(with_reference == 171);
  int refused = 0;
  for (const auto& [why, count] : reasons) {
    std::cout << "Megatron-LM: not expressible: " << why << ", " << count << " rows\n";
    refused += count;
  }
  CHECK(expressible + refused == 171);
  CHECK(refused <= 3);
  CHECK(peaks >= 168);
  // 155 of 171 rows are within 150 MiB; the rest have masks of the data loader or scratch of grouped matrix products.
  CHECK(expressible - inside <= 171 - 155);
  std::sort(gaps.begin(), gaps.end());
  std::cout << "Megatron-LM: " << expressible << " of 171 rows exact, " << inside
            << " within 150 MiB of the measured bytes; gap in MiB: least " << (gaps.front() >> 20) << ", median "
            << (gaps[gaps.size() / 2] >> 20) << ", most " << (gaps.back() >> 20) << "; " << peaks << " peaks above the states; "
            << unreferenced << " rows without a reference\n";
}
