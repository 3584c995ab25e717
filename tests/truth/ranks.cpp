// SPDX-License-Identifier: BSL-1.0
// Every list of rank_groups.json, numbering included.
#include "ranks.hpp"
#include "../runtime/catch.hpp"

#include <cstddef>
#include <iostream>

TEST_CASE("process groups are those of Megatron-LM, torchtitan, DeepSpeed, nanotron and calculon") {
  const auto file = truth::read("rank_groups.json");
  if (!file) return;
  const std::vector<truth::rank_line> lines = truth::judge_ranks(*file);
  std::size_t equal = 0;
  for (const truth::rank_line& line : lines) {
    INFO(line.id << ": " << line.ours << " | " << line.theirs << " | " << line.difference);
    CHECK(line.equal());
    if (line.equal()) ++equal;
  }
  CHECK(lines.size() > 150);
  std::cout << "rank groups: " << equal << " of " << lines.size() << " lists equal\n";
}

TEST_CASE("a wrong list of ranks is found") {
  auto file = truth::read("rank_groups.json");
  if (!file) return;
  truth::json& groups = file->get_child("megatron").begin()->second.get_child("groups.tp");
  groups.begin()->second.begin()->second.put_value("7");
  const std::vector<truth::rank_line> lines = truth::judge_ranks(*file);
  REQUIRE(!lines.empty());
  CHECK(lines.front().difference == "group 0, member 0: 0 against 7");
}
