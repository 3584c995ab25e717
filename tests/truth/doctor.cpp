// SPDX-License-Identifier: BSL-1.0
// The doctor's causes against the rules, thresholds, issues and the symptom table of troubleshooting.json.
#include "../runtime/catch.hpp"
#include "../runtime/doctor/issue_cases.hpp"
#include "shared_files.hpp"

#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/symptom.hpp>

#include <cstdint>
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

constexpr sp::cause ours[] = {sp::cause::mem_activations, sp::cause::mem_last_stage, sp::cause::mem_in_flight, sp::cause::mem_embedding,
                              sp::cause::mem_head,        sp::cause::cfg_grid,       sp::cause::cfg_other,     sp::cause::ckpt_layout};

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
    // Ours: kept activations, the ends of a pipeline one by one, what is left of our rules, and the row of the symptom table that has no
    // rule.
    bool is_ours = false;
    for (const sp::cause own : ours) is_ours = is_ours || which == own;
    CHECK(known[at] != is_ours);
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
        CHECK(sp::explains(which, seen));
      }
      CHECK(named > 0);
    }
  }
  CHECK(row == 8);
}

namespace {

// What a threshold of the file is in the evidence of 7B on one A100 node. -1: no number of its own, or one that hangs on the plan.
struct threshold {
  const char* id;
  const char* text;
  std::int64_t limit;
  std::int64_t grave;
};
constexpr std::int64_t capacity = sp::devices::a100_sxm_80gb::spec.memory.count;
constexpr threshold thresholds[] = {
    {"mem-states", ">= 100% fails, > 90% warn", capacity / 10 * 9, capacity},
    {"mem-first-step", "any", -1, -1},
    {"mem-logits", ">10% warn", capacity / 10, -1},
    {"mem-first-stage", ">1.15 warn", 1150, 1150},
    {"mem-moe-skew", "headroom < 2x balanced expert activations: warn", capacity, capacity},  // of the peak with twice the load
    {"mem-fragment", ">90% warn", 900, 900},
    {"mem-resume", "any", capacity, capacity},
    {"mem-nosync", "any", -1, -1},                                                   // beyond what is free: less ends no run
    {"mem-comms", "> 2 GiB warn", std::int64_t{1536} << 20, std::int64_t{2} << 30},  // the headroom of the plan's check
    {"mem-host", "any", -1, -1},
    {"mem-unit", "unit > 10% of the model: warn", -1, -1},
    {"cfg-m-lt-p", "m < p error; m < 4p warn (at m = 4p and v = 1 the bubble is 11% for p=2, 18% for p=8)", 8, 8},  // 4p is perf-bubble's
    {"cfg-vpp", "any", 0, 0},
    {"cfg-layers", "any mismatch is an error", 0, 0},
    {"cfg-batch", "any", 0, 0},
    {"cfg-seq", "any", 0, 0},
    {"cfg-heads", "any", 0, 0},
    {"cfg-zero-pp", "any", 1, 1},  // of the ZeRO stage
    {"cfg-ep", "any", 0, 0},
    {"hang-preproc", "any", 1, 1},  // rank that waits for nobody
    {"hang-uneven", "any", 0, 0},
    {"hang-zero3-moe", "any", 0, 0},
    {"hang-fabric", "info", 1, 1},
    {"hang-eval", "info", 1, 1},
    {"num-vocab", "any", 0, 0},
    {"num-cp-mask", "any", 1, 1},
    {"num-sp-grad", "any", 1, 1},
    {"num-clip", "any", 0, 0},
    {"num-tied", "any", 1, 1},
    {"num-ga", "any", 1, 1},
    {"num-bf16-reduce", "dp>=128 warn", 127, 127},
    {"num-compose", "warn", 1, 1},
    {"perf-tp-node", "any is an error by default", 0, 0},
    {"perf-bubble", ">0.10 warn, >0.25 bad", 100, 250},
    {"perf-zero3-net", ">1 bad, >0.5 warn", 500, -1},
    {"perf-zero23-ga", "comm share > 20%", 200, 200},
    {"perf-fabric-cfg", "<0.6", 0, 0},
    {"perf-latency", "alpha share > 50%", 500, 500},
    {"perf-offload", ">20% of step warn", 200, 200},
    {"perf-jitter", "world >= 64: info", 63, 63},
    {"perf-slow-gpu", "<0.97", 1, 1},
    {"perf-tile", "warn", 0, 0},
    {"perf-uneven", ">5% warn", 50, 50},
    {"perf-ep-node", ">1 bad", 1000, 1000},
    {"perf-overlap", "info", 0, 0},
    {"perf-data", "info", 0, 0},
    {"perf-recompute", "free memory after selective > 5%", 50, 50},
};

}  // namespace

TEST_CASE("thresholds of troubleshooting.json are limits of the evidence") {
  const auto file = truth::read("troubleshooting.json");
  if (!file) return;
  const sp::plan_spec plain = doctor::plain();
  int compared = 0;
  for (const auto& element : file->get_child("rules")) {
    const std::string id = element.second.get<std::string>("id");
    INFO(id);
    bool found = false;
    for (const threshold& one : thresholds) {
      if (id != one.id) continue;
      found = true;
      CHECK(element.second.get<std::string>("threshold") == one.text);  // where it is another, so is the limit
      for (int at = 0; at < sp::cause_count; ++at) {
        const auto which = static_cast<sp::cause>(at);
        if (id_of(which) != id) continue;
        const sp::evidence says = sp::evidence_of(plain, which);
        if (one.limit >= 0) CHECK(says.limit == one.limit);
        if (one.grave >= 0) CHECK(says.grave == one.grave);
        ++compared;
      }
    }
    CHECK(found);
  }
  CHECK(compared == 47);
  sp::plan_spec sharded = plain;
  sharded.zero = 3;
  CHECK(sp::evidence_of(sharded, sp::cause::perf_zero3_net).grave == 1000);
  // Six tenths of the promised rate, 97 hundredths of the mean.
  sp::observations run{};
  const std::int64_t promised = sp::evidence_of(plain, sp::cause::perf_fabric_cfg).figure;
  for (const std::int64_t share : {599, 600}) {
    run.bus_bytes_per_second = promised / 1000 * share;
    CHECK((sp::evidence_of(plain, sp::cause::perf_fabric_cfg, run).says == sp::standing::supported) == (share < 600));
  }
  for (const std::int64_t share : {969, 970}) {
    run.slowest_per_mille = share;
    CHECK((sp::evidence_of(plain, sp::cause::perf_slow_gpu, run).says == sp::standing::supported) == (share < 970));
  }
}

TEST_CASE("every issue of troubleshooting.json is a case, and has the cause of a rule that names it") {
  const auto file = truth::read("troubleshooting.json");
  if (!file) return;
  const std::vector<doctor::issue_case> cases = doctor::issue_cases();
  int expressed = 0;
  int unsaid = 0;
  for (const auto& element : file->get_child("issues")) {
    const std::string ref = element.second.get<std::string>("ref");
    INFO(ref);
    std::string cause_id;
    for (const doctor::issue_case& item : cases)
      if (ref == item.ref) cause_id = id_of(item.which);
    expressed += !cause_id.empty();
    bool is_unsaid = false;
    for (const doctor::unsaid_issue& item : doctor::unsaid_issues) is_unsaid = is_unsaid || ref == item.ref;
    unsaid += is_unsaid;
    CHECK(is_unsaid == cause_id.empty());
    if (is_unsaid) continue;
    bool named = false;
    bool matches_one = false;
    for (const auto& one : file->get_child("rules"))
      for (const auto& evidence : one.second.get_child("evidence")) {
        if (evidence.second.get_value<std::string>() != ref) continue;
        named = true;
        matches_one = matches_one || one.second.get<std::string>("id") == cause_id;
      }
    CHECK((!named || matches_one));
  }
  CHECK(expressed == 57);
  CHECK(unsaid == 2);
}
