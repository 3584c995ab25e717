// SPDX-License-Identifier: BSL-1.0
// Random plans that do not fit: every change that is named makes the plan valid, and the list says what the changed plan is.
#include "catch.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/interleaved.hpp>

#include <cstdint>
#include <iostream>

namespace sp = shardplan;

namespace {

// The same numbers on every machine (Knuth's multiplier).
struct dice {
  std::uint64_t state = 20261130;
  std::int64_t below(std::int64_t most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(most));
  }
  template <class Value, std::size_t Count>
  Value of(const Value (&values)[Count]) {
    return values[below(Count)];
  }
};

sp::plan_spec random_spec(dice& roll) {
  static const sp::transformer models[] = {sp::models::gpt2_xl::shape,      sp::models::llama3_2_1b::shape, sp::models::llama3_8b::shape,
                                           sp::models::mixtral_8x7b::shape, sp::models::llama3_70b::shape,  sp::models::qwen2_5_3b::shape,
                                           sp::models::qwen2_5_14b::shape,  sp::models::llama2_13b::shape,  sp::models::gpt3_175b::shape};
  static const sp::device_spec devices[] = {sp::devices::a100_sxm_80gb::spec, sp::devices::a100_sxm_40gb::spec,
                                            sp::devices::h100_sxm_80gb::spec, sp::devices::v100_sxm_32gb::spec,
                                            sp::devices::b200_sxm_192gb::spec};
  sp::plan_spec spec{};
  spec.model = roll.of(models);
  spec.device = roll.of(devices);
  spec.devices_per_node = 8;
  spec.nodes = std::int64_t{1} << roll.below(6);
  spec.sequence = 512 << roll.below(5);
  spec.micro_batch = 1 + roll.below(8);
  spec.global_batch = spec.micro_batch * 32 * (1 + roll.below(16));
  spec.tp = std::int64_t{1} << roll.below(4);
  spec.pp = std::int64_t{1} << roll.below(3);
  spec.cp = std::int64_t{1} << roll.below(2);
  spec.zero = roll.below(4);
  spec.vocabulary_multiple = 128 * spec.tp;
  spec.framework = static_cast<sp::frameworks>(roll.below(3));
  if (spec.model.experts.count > 0) spec.ep = std::int64_t{1} << roll.below(4);
  if (roll.below(4) == 0) spec.recompute = sp::recomputes::full;
  if (roll.below(5) == 0) spec.optimizer = sp::optimizers::adamw_8bit::spec;
  if (roll.below(5) == 0) spec.schedule = sp::schedules::gpipe::spec;
  if (roll.below(8) == 0) spec.dp = 8;
  if (roll.below(6) == 0) spec.host_memory_gibibytes = 256 << roll.below(3);
  return spec;
}

}  // namespace

TEST_CASE("every remedy of random plans that do not fit makes them valid") {
  dice roll;
  int misfits = 0;
  int offers = 0;
  int pairs = 0;
  int helpless = 0;
  while (misfits < 10'000) {
    const sp::plan_spec spec = random_spec(roll);
    const sp::violation_list broken = sp::evaluate(spec, sp::remedy_search::off).violations;
    if (broken.size() != 1 || broken[0].broken != sp::rule::does_not_fit) continue;
    ++misfits;
    const sp::remedy_offers list = sp::remedies_in(spec);
    for (const sp::remedy_offer& offer : list) {
      ++offers;
      if (offer.changes.second.kind != sp::remedy_kind::nothing_small_helps) ++pairs;
      const sp::evaluation with = sp::evaluate(sp::changed_by_both(spec, offer.changes), sp::remedy_search::off);
      REQUIRE(with.violations.empty());
      REQUIRE(with.peak_memory == offer.peak);
      REQUIRE(with.world_size == offer.devices);
      REQUIRE(with.micro_batches == offer.micro_batches);
    }
    // The error line names the first, or says that there is none.
    const sp::violation named = sp::violations_in(spec)[0];
    const sp::remedy_pair first = list.empty() ? sp::remedy_pair{} : list[0].changes;
    REQUIRE(named.try_this == first.first);
    REQUIRE(named.and_this == first.second);
    if (list.empty()) ++helpless;
  }
  std::cout << "remedies: " << misfits << " random plans that do not fit, " << offers << " remedies, " << pairs << " of them pairs; "
            << helpless << " plans without\n";
  CHECK(offers > 10'000);
  CHECK(pairs > 100);
  CHECK(helpless < misfits / 4);
}
