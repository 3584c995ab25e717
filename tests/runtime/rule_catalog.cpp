// SPDX-License-Identifier: BSL-1.0
// The list of rules against the checks: every violation of random broken plans is a listed rule's of that framework and tier, and every
// listed rule is broken by one of them.
#include "catch.hpp"
#include "dice.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/rules/catalog.hpp>
#include <shardplan/plan/rules/keeps.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/schedule/catalog.hpp>

#include <cstddef>
#include <cstdint>

namespace sp = shardplan;

namespace {

// The same numbers on every machine (Knuth's multiplier).
sp::transformer random_model(dice& roll) {
  static const sp::transformer models[] = {sp::models::gpt2_xl::shape,     sp::models::llama3_8b::shape,  sp::models::mixtral_8x7b::shape,
                                           sp::models::qwen2_5_7b::shape,  sp::models::gpt3_175b::shape,  sp::models::opt_125m::shape,
                                           sp::models::deepseek_v3::shape, sp::models::llama3_2_1b::shape};
  sp::transformer shape = roll.of(models);
  if (roll.one_in(8)) shape.kv_heads = 5;
  if (roll.one_in(8)) shape.heads = 24;
  if (roll.one_in(8)) shape.experts.ffn = shape.experts.count > 0 ? 1001 : 0;
  if (roll.one_in(8)) shape.next_token_layers = 1;
  if (roll.one_in(8) && shape.experts.count > 0) shape.experts.top_k = shape.experts.count + 1;
  return shape;
}

void random_degrees(dice& roll, sp::plan_spec& spec) {
  static const std::int64_t degrees[] = {1, 1, 1, 1, 2, 2, 3, 4, 8};
  spec.tp = roll.of(degrees);
  spec.pp = roll.of(degrees);
  spec.cp = roll.of(degrees);
  if (roll.one_in(4) || spec.model.experts.count > 0) spec.ep = roll.of(degrees) * (roll.one_in(20) ? 32 : 1);
  if (roll.one_in(8)) spec.etp = roll.of(degrees);
  if (roll.one_in(6)) spec.dp = 1 + roll.below(16);
  if (roll.one_in(6)) spec.accumulation = 1 + roll.below(16);
  if (roll.one_in(8)) spec.sequence_parallel = sp::toggle::off;
}

void random_sharding(dice& roll, sp::plan_spec& spec) {
  spec.zero = roll.below(4);
  if (roll.one_in(4)) spec.sharding.layout = static_cast<sp::shard_layout>(roll.below(4));
  if (roll.one_in(2) && spec.sharding.is_fsdp()) spec.zero = 0;
  if (roll.one_in(8)) spec.sharding.ranks = std::int64_t{1} << roll.below(6);
  if (roll.one_in(8)) spec.sharding.secondary = std::int64_t{1} << roll.below(6);
  if (roll.one_in(8)) spec.communication.context_inner = 1 + roll.below(3);
  if (roll.one_in(8)) spec.communication.gradient_bits = 4;
  if (roll.one_in(4)) spec.communication.node_ranks = 1 + roll.below(8);
  if (roll.one_in(8)) spec.sharding.reshard_after_forward = false;
  if (roll.one_in(8)) spec.sharding.unit = static_cast<sp::gather_unit>(roll.below(4));
  if (roll.one_in(6)) spec.offload.inputs = static_cast<sp::storage>(roll.below(3));
  if (roll.one_in(6)) spec.offload.states = static_cast<sp::storage>(roll.below(3));
  if (roll.one_in(6)) spec.offload.gradients = static_cast<sp::storage>(roll.below(3));
  if (roll.one_in(6)) spec.offload.weights = static_cast<sp::storage>(roll.below(2));
  if (roll.one_in(6)) spec.host_memory_gibibytes = 64;
}

void random_stages(dice& roll, sp::plan_spec& spec) {
  static const sp::schedule_spec orders[] = {
      sp::schedules::one_f_one_b::spec, sp::schedules::interleaved<2>::spec, sp::schedules::grouped_interleaved<2, 3>::spec,
      sp::schedules::dual_pipe::spec,   sp::schedules::chimera::spec,        sp::schedules::interleaved<2, sp::groups::torch>::spec,
      sp::schedules::seq_1f1b<3>::spec};
  if (roll.one_in(2)) spec.schedule = roll.of(orders);
  if (roll.one_in(8)) spec.schedule.in_flight = [](std::int64_t, std::int64_t, std::int64_t, std::int64_t) -> std::int64_t { return 0; };
  if (roll.one_in(8)) spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;
  if (roll.one_in(8)) spec.layer_split.embedding_slot = roll.below(20);
  if (roll.one_in(8)) spec.layer_split.loss_slot = roll.below(20);
  if (roll.one_in(8)) spec.schedule.chunks = 1 + roll.below(6);
  if (roll.one_in(32)) spec.layer_split.next_token_stage = roll.below(40);
  if (roll.one_in(8))
    for (std::int64_t stage = 0; stage < spec.pp + roll.below(2); ++stage) spec.layer_split.push_back(roll.below(12));
}

sp::plan_spec random_plan(dice& roll) {
  sp::plan_spec spec{};
  spec.model = random_model(roll);
  spec.device = roll.one_in(2) ? sp::devices::a100_sxm_40gb::spec : sp::device_spec{.name = "large", .memory = {std::int64_t{1} << 50}};
  spec.devices_per_node = 8;
  static const std::int64_t nodes[] = {1, 2, 4, 8, 12, 3};
  spec.nodes = roll.of(nodes);
  spec.framework = static_cast<sp::frameworks>(roll.below(5));
  spec.sequence = roll.one_in(6) ? 1000 + roll.below(64) : 1024 << roll.below(2);
  spec.micro_batch = 1;
  static const std::int64_t batches[] = {8, 64, 96, 192, 384, 960};
  spec.global_batch = roll.one_in(6) ? 1 + roll.below(300) : roll.of(batches);
  random_degrees(roll, spec);
  random_sharding(roll, spec);
  random_stages(roll, spec);
  static const sp::precision_spec eight_bits[] = {sp::precisions::fp8_compute::spec, sp::precisions::fp8_weights::spec,
                                                  sp::precisions::mxfp8_weights::spec};
  if (roll.one_in(8)) spec.precision = roll.of(eight_bits);
  if (roll.one_in(16)) spec.repeated_parts = 8;
  if (roll.one_in(32)) spec.rank_order = sp::rank_orders{0x111111};
  if (roll.one_in(16)) spec.sequence = sp::unset;
  if (roll.one_in(16)) spec.model.hidden = std::int64_t{1} << 24;
  if (roll.one_in(16)) spec.model.layers = std::int64_t{1} << 14;
  return spec;
}

constexpr std::size_t rules = sizeof sp::rule_catalog / sizeof sp::rule_catalog[0];

// Each rule asked alone, in the order of the list.
template <class... Rules>
bool kept(sp::rule_list<Rules...>, std::size_t which, const sp::plan_spec& spec) {
  using question = bool (*)(const sp::plan_spec&);
  static constexpr question each[] = {&sp::keeps<Rules, sp::plan_spec>...};
  return each[which](spec);
}

}  // namespace

TEST_CASE("every violation is a listed rule's, and every listed rule can be broken") {
  dice roll{20261202};
  int broken[rules]{};
  int violations = 0;
  for (int count = 0; count < 60'000; ++count) {
    const sp::plan_spec spec = random_plan(roll);
    const sp::violation_list list = sp::evaluate(spec, sp::remedy_search::off).violations;
    for (const sp::violation& item : list) {
      ++violations;
      int tier = 0;
      for (std::size_t at = 0; at < rules; ++at)
        if (sp::reports(sp::rule_catalog[at], item, spec.framework)) {
          ++broken[at];
          tier = sp::rule_catalog[at].tier;
        }
      INFO(sp::sentence_of(item).c_str());
      CHECK(tier != 0);
      // A list is of one tier.
      CHECK((tier == 1) == (item.broken < sp::rule::does_not_divide && !sp::detail::is_range_of_tier_two(item.first.what)));
    }
  }
  CHECK(violations > 100'000);
  for (std::size_t at = 0; at < rules; ++at) {
    INFO(sp::rule_catalog[at].words);
    CHECK(broken[at] > 0);
  }
}

TEST_CASE("a rule that is asked alone is kept when no violation is its own") {
  dice roll{20261203};
  int asked = 0;
  for (int count = 0; count < 4'000; ++count) {
    const sp::plan_spec spec = random_plan(roll);
    const sp::violation_list list = sp::evaluate(spec, sp::remedy_search::off).violations;
    int tier = 4;  // of the rules that are broken; 4: none is
    bool whole = true;
    for (const sp::violation& item : list) {
      for (std::size_t at = 0; at < rules; ++at)
        if (sp::reports(sp::rule_catalog[at], item, spec.framework)) tier = sp::rule_catalog[at].tier;
      // Then there are no replicas, or no micro-batches, to ask about.
      if (item.second.what == sp::quantity::device_count || item.second.what == sp::quantity::global_batch ||
          item.first.what == sp::quantity::in_flight)
        whole = false;
    }
    for (std::size_t at = 0; at < rules; ++at) {
      const bool broken = sp::rule_catalog[at].tier > tier;
      bool reported = false;
      for (const sp::violation& item : list) reported = reported || sp::reports(sp::rule_catalog[at], item, spec.framework);
      INFO(sp::rule_catalog[at].words);
      if (reported || broken) {
        CHECK(!kept(sp::all_rules{}, at, spec));
      } else if (whole) {
        ++asked;
        CHECK(kept(sp::all_rules{}, at, spec));
      }
    }
  }
  CHECK(asked > 20'000);
}
