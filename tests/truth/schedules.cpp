// SPDX-License-Identifier: BSL-1.0
// The tables of real generators, op for op, their transfer programs, and every figure of summary.json.
#include "schedules.hpp"
#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

namespace {

std::filesystem::path folder() { return std::filesystem::path{SHARDPLAN_SHARED_DIR} / "truth/schedules"; }

// A copy of the folder in which one file has another text, judged.
truth::judgement judged_with(const std::string& name, const std::string& before, const std::string& after) {
  const std::filesystem::path copy = std::filesystem::temp_directory_path() / "shardplan_schedules";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(folder(), copy);
  std::string text = truth::detail::contents_of(folder() / name);
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  text.replace(at, before.size(), after);
  std::filesystem::permissions(copy / name, std::filesystem::perms::owner_all);
  std::ofstream{copy / name} << text;
  const truth::judgement result = truth::judge_schedules(copy);
  std::filesystem::remove_all(copy);
  return result;
}

}  // namespace

TEST_CASE("schedules and their figures are those of the real generators") {
  if (!std::filesystem::exists(folder())) return;
  const truth::judgement result = truth::judge_schedules(folder());
  std::map<std::string, int> lines;
  for (const truth::comparison& line : result.lines()) {
    INFO(line.id << ": " << line.note << line.reason);
    CHECK((line.expressible() && line.good));
    ++lines[line.group];
  }
  CHECK(lines["tables of a defined order"] == 46);
  CHECK(lines["tables of a search"] == 14);
  CHECK(lines["transfer programs"] == 4);
  CHECK(result.passed());
}

TEST_CASE("a wrong file of the schedules is found") {
  if (!std::filesystem::exists(folder())) return;
  const auto note_of = [](const truth::judgement& result, const std::string& id) {
    CHECK(!result.passed());
    for (const truth::comparison& line : result.lines())
      if (line.id == id) return line.note;
    return std::string{};
  };
  // Two ops of a table in the other order.
  CHECK(note_of(judged_with("1f1b_p4_m8_v1.txt", "B0.0 F4.0", "F4.0 B0.0"), "1f1b_p4_m8_v1") == "rank 0, op 4: B0.0 against F4.0");
  // A figure of summary.json.
  CHECK(note_of(judged_with("summary.json", "\"warmup_forwards\": [\n   2,\n   1", "\"warmup_forwards\": [\n   2,\n   2"),
                "1f1b_p2_m4_v1") == "1 of 99 figures differ, warmup_forwards[1]: 1 against 2");
  // A receive that is missing in one batch and stands in the next.
  CHECK(note_of(judged_with("dualpipev_p2_m4_v2.comm", "{<0:F0.0} F0.0", "F0.0 {<0:F0.0}"), "dualpipev_p2_m4_v2.comm") ==
        "a message is used before it is received");
  CHECK(note_of(judged_with("dualpipev_p2_m4_v2.comm", "{<0:F0.0} F0.0 {<0:F1.0}", "{<0:F0.0} F0.0"), "dualpipev_p2_m4_v2.comm") ==
        "messages are not paired");
  CHECK(note_of(judged_with("dualpipev_p2_m4_v2.comm", "{<0:F0.0} F0.0 {<0:F1.0} F0.1", "{<0:F1.0 <0:F0.0} F0.0 F0.1"),
                "dualpipev_p2_m4_v2.comm") == "out of order on a pair of ranks");
  CHECK(note_of(judged_with("dualpipev_p2_m4_v2.comm", "F0.0 {>1:F0.0} F1.0 {>1:F1.0}", "F0.0 F1.0 {>1:F1.0} {>1:F0.0}"),
                "dualpipev_p2_m4_v2.comm") == "out of order on a pair of ranks, deadlock");
}
