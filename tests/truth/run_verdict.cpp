// SPDX-License-Identifier: BSL-1.0
// Published runs through the judge: what ran is accepted, what cannot have run is refused, and a broken row is found.
#include "run_verdict.hpp"
#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <cstddef>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

namespace {

const truth::json* row_that_states_memory(const truth::json& file) {
  for (const auto& element : file.get_child("runs"))
    if (truth::verdict_on_run(element.second).theirs_text == "accepted" && truth::verdict_on_run(element.second).good)
      return &element.second;
  return nullptr;
}

}  // namespace

TEST_CASE("published runs are accepted on their own hardware, and those that must fail are refused by the rule that is named") {
  const auto file = truth::read("runs.json");
  if (!file) return;
  truth::judgement judged;
  truth::judge_run_verdicts(*file, judged);
  std::size_t refused = 0;
  for (const truth::comparison& line : judged.lines()) {
    INFO(line.id << ": " << line.ours_text << " | " << line.theirs_text << ' ' << line.note);
    if (line.how == truth::strength::exact) {
      CHECK(line.good);
      ++refused;
    } else if (line.expressible() && !line.good) {
      std::cout << line.id << ": " << line.ours_text << ": " << line.note << '\n';
    }
  }
  CHECK(refused == 2);
  CHECK(judged.passed());
  CHECK(judged.summary_of("runs, verdict").expressible > 30);
}

TEST_CASE("the page says which runs are not accepted, as they come out here") {
  std::ifstream page{SHARDPLAN_DOCS_DIR "/traffic_and_timing.md"};
  REQUIRE(page);
  std::set<std::string> said;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("### ", 0) == 0) inside = line == "### Published runs that are not accepted";
    const std::size_t second = line.find(" | ") == std::string::npos ? std::string::npos : line.find(" | ", line.find(" | ") + 3);
    if (inside && line.rfind("| ", 0) == 0 && second != std::string::npos) said.insert(line.substr(2, second - 2));
  }
  CHECK(said.erase("run | `truth_check`") == 1);
  std::set<std::string> found;
  const auto shared = truth::read("runs.json");
  if (!shared) return;
  truth::json typed_in;
  boost::property_tree::read_json(SHARDPLAN_DOCS_DIR "/../tests/truth/rows/runs.json", typed_in);
  for (const truth::json* file : {&*shared, static_cast<const truth::json*>(&typed_in)}) {
    truth::judgement judged;
    truth::judge_run_verdicts(*file, judged);
    for (const truth::comparison& line : judged.lines())
      if (!line.expressible() || !line.good) found.insert(line.id + " | " + (line.expressible() ? line.ours_text : line.reason));
  }
  CHECK(said == found);
}

TEST_CASE("runs that no plan can say are no success") {
  auto file = truth::read("runs.json");
  if (!file) return;
  for (auto& element : file->get_child("runs"))
    if (element.second.get<std::string>("recompute", "null") != "null") element.second.put("recompute", "by_the_moon");
  truth::judgement judged;
  truth::judge_run_verdicts(*file, judged);
  CHECK(judged.summary_of("runs, verdict").missed == "not expressible");
  CHECK(!judged.passed());
}

TEST_CASE("a run with a degree, a batch or a model that cannot have run is refused") {
  const auto file = truth::read("runs.json");
  if (!file) return;
  const truth::json* good = row_that_states_memory(*file);
  REQUIRE(good != nullptr);
  truth::json row = *good;
  row.put("tp", 3);
  CHECK(truth::verdict_on_run(row).ours_text.find("world_not_divisible") != std::string::npos);
  row = *good;
  row.put("micro_batch", 24);
  CHECK(truth::verdict_on_run(row).ours_text.find("global_batch_not_divisible") != std::string::npos);
  row = *good;
  row.put("shape.layers", 480);
  const truth::comparison large = truth::verdict_on_run(row);
  CHECK(large.ours_text == "legal");  // memory, and nothing else
  CHECK(!large.good);
}
