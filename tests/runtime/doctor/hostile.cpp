// SPDX-License-Identifier: BSL-1.0
// Diagnoses of plans with any number in any place, of runs of which anything was observed, and of any message.
#include "../../support/each_number.hpp"
#include "../catch.hpp"
#include "../dice.hpp"
#include "../training_run.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/message.hpp>
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/memory/printed_size.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/report/diagnosis.hpp>
#include <shardplan/report/text.hpp>
#include <shardplan/schedule/catalog.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sp = shardplan;
using sp::standing;

namespace {

const std::int64_t numbers[] = {INT64_MIN,
                                INT64_MIN + 1,
                                -4096,
                                -1,
                                0,
                                1,
                                2,
                                3,
                                7,
                                12,
                                61,
                                1000,
                                4096,
                                1 << 20,
                                INT32_MAX,
                                std::int64_t{1} << 32,
                                std::int64_t{1} << 50,
                                std::int64_t{1} << 60,
                                INT64_MAX / 2,
                                INT64_MAX};

sp::plan_spec random_plan(dice& roll) {
  static const sp::transformer models[] = {sp::models::gpt2_xl::shape, sp::models::llama2_7b::shape, sp::models::llama2_70b::shape,
                                           sp::models::mixtral_8x7b::shape, sp::models::deepseek_v3::shape};
  static const sp::device_spec devices[] = {sp::devices::v100_sxm_32gb::spec, sp::devices::a100_sxm_80gb::spec,
                                            sp::devices::gb200_nvl72::spec};
  static const std::int64_t nodes[] = {1, 1, 2, 3, 7, 12, 125};
  static const std::int64_t batches[] = {1, 7, 64, 96, 512, 1000, 1536};
  static const std::int64_t degrees[] = {1, 1, 1, 2, 3, 4, 7, 8, 16};
  static const sp::schedule_spec orders[] = {sp::schedules::one_f_one_b::spec, sp::schedules::one_f_one_b::spec,
                                             sp::schedules::gpipe::spec,       sp::schedules::zb_h1::spec,
                                             sp::schedules::zb_v::spec,        sp::schedules::interleaved<2>::spec};
  sp::plan_spec spec = training_run(roll.of(models), roll.of(devices), roll.of(nodes), roll.one_in(2) ? 4096 : 1000, roll.of(batches));
  if (roll.one_in(4)) spec.devices_per_node = roll.of(degrees);
  spec.micro_batch = roll.of(degrees);
  spec.tp = roll.of(degrees);
  spec.pp = roll.of(degrees);
  spec.cp = roll.one_in(2) ? 1 : roll.of(degrees);
  if (spec.model.experts.count > 0) spec.ep = roll.of(degrees);
  spec.zero = roll.below(4);
  spec.framework = static_cast<sp::frameworks>(roll.one_in(2) ? 0 : roll.below(5));
  spec.schedule = roll.of(orders);
  if (roll.one_in(4)) spec.sharding.ranks = roll.of(degrees);
  if (roll.one_in(3)) spec.recompute = sp::recomputes::full;
  if (roll.one_in(4)) spec.offload.states = sp::storage::host;
  if (roll.one_in(4)) spec.host_memory_gibibytes = 512;
  if (roll.one_in(6)) spec.dp = roll.of(degrees);
  if (roll.one_in(6)) spec.layer_split.embedding_slot = 1;
  if (roll.one_in(3)) {
    std::vector<std::int64_t*> places;
    every::number(spec, [&](std::int64_t& number) { places.push_back(&number); });
    const std::int64_t changes = roll.one_in(4) ? static_cast<std::int64_t>(places.size()) : 1 + roll.below(3);
    for (std::int64_t at = 0; at < changes; ++at)
      *places[static_cast<std::size_t>(roll.below(static_cast<std::int64_t>(places.size())))] = roll.of(numbers);
  }
  return spec;
}

sp::observations random_observations(dice& roll) {
  sp::observations run{};
  if (roll.one_in(2)) return run;
  for (std::int64_t* field : {&run.preparation_minutes, &run.timeout_minutes, &run.samples, &run.tested_nodes, &run.least_unmasked_tokens,
                              &run.bus_bytes_per_second, &run.slowest_per_mille, &run.loader_tokens_per_second, &run.device_connections})
    if (roll.one_in(2)) *field = roll.one_in(2) ? roll.below(100000) : roll.of(numbers);
  for (sp::toggle* field : {&run.drops_last, &run.experts_are_units, &run.sums_norm_gradients, &run.clips_by_global_norm,
                            &run.sums_tied_embedding, &run.averages_by_token, &run.agrees_in_parity_test})
    *field = static_cast<sp::toggle>(roll.below(3));
  return run;
}

bool has_same_findings(const sp::diagnosis& left, const sp::diagnosis& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t at = 0; at < left.size(); ++at) {
    if (left[at].which != right[at].which || !(left[at].now == right[at].now) || left[at].help != right[at].help) return false;
    for (std::size_t step = 0; step < sp::most_treatment_steps; ++step)
      if (left[at].step(step).kind != right[at].step(step).kind || left[at].step(step).value != right[at].step(step).value) return false;
  }
  return true;
}

// What is offered against a cause is what the changed plan says.
void check_change(const sp::plan_spec& spec, const sp::finding& item) {
  const sp::plan_spec other = sp::changed_by_finding(spec, item);
  const sp::evaluation after = sp::evaluate(other, sp::remedy_search::off);
  CHECK(after.violations.empty());
  CHECK(after.peak_memory == item.peak_after);
  // Whether a plan is refused is asked of the framework that refused it, and of no other.
  if (sp::detail::is_of_configuration(item.which)) {
    sp::plan_spec asked = other;
    asked.framework = item.refused.whose;
    CHECK(sp::detail::refusal_under(asked, item.which).count == 0);
  } else {
    CHECK(sp::evidence_of(other, item.which) == item.after);
  }
  CHECK(item.after.says != standing::supported);
  CHECK(item.cost_after == sp::step_cost_of(other));
}

}  // namespace

TEST_CASE("doctor: laws of a diagnosis of anything") {
  dice roll;
  int supported = 0;
  int changes = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const sp::plan_spec spec = random_plan(roll);
    const sp::observations run = random_observations(roll);
    const auto seen = static_cast<sp::symptom>(roll.below(sp::symptom_count));
    const sp::diagnosis list = sp::diagnosis_of(spec, seen, run);
    INFO("turn " << turn << ", " << sp::name_of(seen));
    const sp::bytes peak = sp::figures_of(spec).peak_memory;
    for (std::size_t at = 0; at < list.size(); ++at) {
      const sp::finding& item = list[at];
      INFO(sp::name_of(item.which));
      CHECK(sp::explains(item.which, seen));
      if (at > 0) CHECK(list[at - 1].now.says <= item.now.says);
      if (item.now.says != standing::not_in_plan) CHECK((item.now.figure > item.now.limit) == (item.now.says == standing::supported));
      CHECK(item.peak == peak);
      CHECK(item.peak_after.count >= 0);
      CHECK((item.help == sp::help_kind::nothing) == (item.now.says == standing::excluded));
      CHECK((item.help == sp::help_kind::change) == (item.try_this.kind != sp::remedy_kind::nothing_small_helps));
      supported += item.now.says == standing::supported;
      if (item.help != sp::help_kind::change) continue;
      ++changes;
      check_change(spec, item);
    }
    if (turn % 8 == 0) CHECK(has_same_findings(list, sp::diagnosis_of(spec, seen, run)));
    if (turn % 8 == 1) CHECK(!sp::report::text_of(list).empty());
    if (turn % 8 == 2) CHECK(!sp::report::text_of(spec).empty());
  }
  CHECK(supported > 6000);
  CHECK(changes > 2000);
}

namespace {
constexpr sp::evidence vocabulary_evidence(std::int64_t rows, std::int64_t tp) {
  sp::plan_spec spec = training_run(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 1, 4096, 64);
  spec.framework = sp::frameworks::megatron;
  spec.model.vocab = rows;
  spec.tp = tp;
  return sp::evidence_of(spec, sp::cause::num_vocab);
}
}  // namespace

TEST_CASE("doctor: a vocabulary that cannot be padded is not multiplied") {
  // In a constant, where a product that leaves 63 bits does not compile.
  STATIC_REQUIRE(vocabulary_evidence(std::int64_t{1} << 60, 3).says == standing::supported);
  STATIC_REQUIRE(vocabulary_evidence(32000, INT64_MAX).says == standing::supported);
  STATIC_REQUIRE(vocabulary_evidence(32000, 8).says == standing::excluded);
  sp::plan_spec spec = training_run(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 1, 4096, 64);
  for (const std::int64_t number : numbers) {
    sp::plan_spec other = spec;
    other.model.vocab = number;
    CHECK(sp::diagnosis_of(other, sp::symptom::diverges_in_parallel).size() > 0);
    other.vocabulary_multiple = number;
    CHECK(sp::diagnosis_of(other, sp::symptom::diverges_in_parallel).size() > 0);
    other = spec;
    other.framework = sp::frameworks::megatron;
    other.tp = number;
    CHECK(sp::diagnosis_of(other, sp::symptom::diverges_in_parallel).size() > 0);
  }
}

TEST_CASE("doctor: of a printed size something is printed so") {
  // 118.0587 bytes would be 0.115292 KiB, 118 are 0.115234 and 119 are 0.116211.
  CHECK(!sp::printed_as(115292, 1000000, sp::bytes{1024}).is_known());
  CHECK(!sp::printed_in("Tried to allocate 0.1152921504606846976 KiB").is_known());
  CHECK(sp::printed_in("Tried to allocate 0.115234 KiB").least.count == 118);
  CHECK_THROWS_AS(sp::printed_as(1, INT64_MAX, sp::bytes{1024}), sp::arithmetic_error);
  static const char* const pieces[] = {"CUDA out of memory. ",
                                       "Tried to allocate ",
                                       "26.44 GiB",
                                       "16.384KiB ",
                                       "5,16384KiB ",
                                       "9223372036854775807 GiB",
                                       "99999999999999999999999 B",
                                       "-5 MiB",
                                       "0.00 GiB",
                                       "1e400 GiB",
                                       ".",
                                       ",",
                                       "1.2.3 MiB",
                                       "other allocations: ",
                                       "7.99 EiB",
                                       "18446744073709551616 bytes",
                                       " reserved in total by PyTorch",
                                       " already allocated; ",
                                       " is free. ",
                                       " total capacity; ",
                                       "0.0000000000000000000000000000000000001 TiB",
                                       "\n",
                                       "\xff\xfe"};
  dice roll;
  const sp::plan_spec spec = training_run(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 1, 4096, 64);
  for (int turn = 0; turn < 20000; ++turn) {
    std::string words;
    for (std::int64_t count = roll.below(12); count > 0; --count) {
      if (roll.one_in(5)) words.append(std::to_string(roll.of(numbers)));
      words.append(roll.of(pieces));
    }
    INFO(words);
    const sp::allocator_message said = sp::read_allocator_message(words.c_str());
    for (const sp::printed_size& size :
         {said.requested, said.capacity, said.allocated, said.reserved, said.unallocated, said.free, said.in_use, said.others}) {
      if (!size.is_known()) continue;
      CHECK((0 <= size.least.count && size.least <= size.most));
    }
    if (turn % 200 == 0) CHECK(sp::diagnosis_of(spec, words.c_str()).planned.count > 0);
  }
}

TEST_CASE("report: a plan that says more experts than there are is written") {
  sp::plan_spec spec = training_run(sp::models::mixtral_8x7b::shape, sp::devices::a100_sxm_80gb::spec, 8, 4096, 64);
  spec.model.experts.top_k = 12;
  const std::string words = sp::report::text_of(spec);
  CHECK(words.find("46,702,792,704 parameters\n") != std::string::npos);  // as with 2 of 8
  CHECK(words.find("top 12") != std::string::npos);
}
