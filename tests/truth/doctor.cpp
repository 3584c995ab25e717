// SPDX-License-Identifier: BSL-1.0
// The doctor's causes against the rules and the symptom table of troubleshooting.json.
#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/symptom.hpp>

#include <string>

namespace sp = shardplan;

namespace {

std::string id_of(sp::cause which) {
  std::string id = sp::name_of(which);
  for (char& letter : id)
    if (letter == '_') letter = '-';
  return id;
}

// The rows of the symptom table in order, as our symptoms.
constexpr sp::symptom rows[] = {sp::symptom::out_of_memory,        sp::symptom::out_of_memory_later,     sp::symptom::hang,
                                sp::symptom::diverges_in_parallel, sp::symptom::low_utilisation,         sp::symptom::step_time_jitter,
                                sp::symptom::slow_after_offload,   sp::symptom::checkpoint_does_not_load};

// "num-*" or "perf-data".
bool matches(const std::string& id, const std::string& pattern) {
  const std::size_t star = pattern.find('*');
  return star == std::string::npos ? id == pattern : id.compare(0, star, pattern, 0, star) == 0;
}

}  // namespace

TEST_CASE("every rule of troubleshooting.json is a cause, and no cause is without one") {
  const auto file = truth::read("troubleshooting.json");
  if (!file) return;
  bool known[sp::cause_count]{};
  int rules = 0;
  for (const auto& element : file->get_child("rules")) {
    const std::string id = element.second.get<std::string>("id");
    INFO(id);
    bool found = false;
    for (int at = 0; at < sp::cause_count; ++at)
      if (id_of(static_cast<sp::cause>(at)) == id) found = known[at] = true;
    CHECK(found);
    ++rules;
  }
  CHECK(rules == 47);
  for (int at = 0; at < sp::cause_count; ++at) {
    const auto which = static_cast<sp::cause>(at);
    INFO(sp::name_of(which));
    // Two are ours: kept activations, and the row of the symptom table that has no rule.
    CHECK(known[at] == (which != sp::cause::mem_activations && which != sp::cause::ckpt_layout));
  }
}

TEST_CASE("the symptom table is ours") {
  const auto file = truth::read("troubleshooting.json");
  if (!file) return;
  std::size_t row = 0;
  for (const auto& element : file->get_child("symptom_table")) {
    REQUIRE(row < sizeof rows / sizeof rows[0]);
    const sp::symptom seen = rows[row++];
    auto cell = element.second.begin();
    ++cell;
    ++cell;
    std::string ids = cell->second.get_value<std::string>();
    INFO(sp::name_of(seen) << ": " << ids);
    if (ids.find('(') == 0) continue;  // prose
    while (!ids.empty()) {
      const std::size_t comma = ids.find(", ");
      const std::string pattern = ids.substr(0, comma);
      ids = comma == std::string::npos ? "" : ids.substr(comma + 2);
      int named = 0;
      for (int at = 0; at < sp::cause_count; ++at) {
        const auto which = static_cast<sp::cause>(at);
        if (!matches(id_of(which), pattern)) continue;
        ++named;
        INFO(sp::name_of(which));
        // "perf-*" of low utilisation: jitter and offload have rows of their own.
        const bool own_row = pattern == "perf-*" && (which == sp::cause::perf_jitter || which == sp::cause::perf_offload);
        CHECK(sp::explains(which, seen) != own_row);
      }
      CHECK(named > 0);
    }
  }
  CHECK(row == 8);
}
