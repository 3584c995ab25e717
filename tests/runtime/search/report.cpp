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
  CHECK(has(lines[6], "does_not_divide " + sp::report::grouped(found.rejected_by(sp::rule::does_not_divide))));
  // All that there are, when more are asked for.
  CHECK(lines_of(sp::report::text_of(found, 1000)).size() == found.top.size() + 2);

  const std::vector<std::string> table = lines_of(sp::report::markdown_of(found, 3));
  REQUIRE(table.size() == 7);
  const auto bars = [](const std::string& line) { return std::count(line.begin(), line.end(), '|'); };
  for (std::size_t at = 1; at < 5; ++at) CHECK(bars(table[at]) == bars(table[0]));
  CHECK(table[1].substr(0, 4) == "|---");
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
  result.rejected_by_rule[static_cast<int>(sp::rule::missing_part)] = 1;
  result.rejected_by_rule[static_cast<int>(sp::rule::micro_batches_fewer_than_stages)] = 2;
  result.rejected_by_rule[static_cast<int>(sp::rule::exceeds)] = 3;
  result.rejected_by_rule[static_cast<int>(sp::rule::host_does_not_fit)] = 4;
  CHECK(has(sp::report::counts_of(result), "refused: missing_part 1, micro_batches_fewer_than_stages 2, exceeds 3, host_does_not_fit 4"));
}
