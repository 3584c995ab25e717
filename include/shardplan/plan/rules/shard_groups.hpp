// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/unset.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// Ranks that share the same dense states.
template <class Spec>
constexpr std::int64_t dense_sharers(const Spec& spec, const rule_facts& facts) {
  return facts.replicas * spec.cp;
}
// Ranks that share the states of the same routed experts; 0 without experts.
template <class Spec>
constexpr std::int64_t expert_sharers(const Spec& spec) {
  return spec.model.experts.count > 0 ? spec.devices_per_node * spec.nodes / (spec.etp * spec.ep * spec.pp) : 0;
}

}  // namespace detail

namespace rules {

/// Shard groups tile the ranks that can share dense states.
struct shard_ranks_divide_sharers {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::shard_ranks}, {quantity::dp_x_cp},
                                     "`shard_ranks` divides dp x cp", "a two-dimensional mesh: torch `init_device_mesh`; DeepSpeed MiCS");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (spec.sharding.ranks != unset)
      detail::must_divide(sink, quantity::shard_ranks, spec.sharding.ranks, quantity::dp_x_cp, detail::dense_sharers(spec, facts));
  }
};

/// The shard groups divide the ranks that share routed experts.
struct shard_groups_divide_experts {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::shard_groups}, {quantity::expert_shards},
                                     "the shard groups divide the ranks that share routed experts", "the same");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    const std::int64_t ranks = detail::dense_sharers(spec, facts);
    if (spec.sharding.ranks != unset && ranks % spec.sharding.ranks == 0)
      detail::must_divide(sink, quantity::shard_groups, ranks / spec.sharding.ranks, quantity::expert_shards, detail::expert_sharers(spec));
  }
};

/// The ranks of a second copy of the weights divide those that can share states, of experts too.
struct hpz_divides_sharers {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::hpz}, {quantity::dp_x_cp, quantity::expert_shards},
                                     "`hpz` divides dp x cp, and the ranks that share routed experts",
                                     "DeepSpeed `zero_hpz_partition_size`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    const std::int64_t ranks = spec.sharding.secondary;
    if (ranks == unset) return;
    detail::must_divide(sink, quantity::hpz, ranks, quantity::dp_x_cp, detail::dense_sharers(spec, facts));
    detail::must_divide(sink, quantity::hpz, ranks, quantity::expert_shards, detail::expert_sharers(spec));
  }
};

/// Quantised gradients are reduced among the ranks of a node first: where more ranks share them, nodes tile these.
struct nodes_divide_sharers {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(
        2, rule::does_not_divide, {quantity::node_ranks}, {quantity::dp_x_cp, quantity::shard_ranks, quantity::expert_shards},
        "the node's ranks of `quantized_gradients` divide the ranks that share gradients, where these are more",
        "ZeRO++, arXiv 2306.10209");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (spec.communication.gradient_bits == 0 || !shards_optimizer(spec)) return;
    const bool grouped = spec.sharding.ranks != unset;
    const std::int64_t inside = spec.communication.node_ranks;
    const std::int64_t ranks = detail::dense_sharers(spec, facts);
    const std::int64_t sharers = grouped ? spec.sharding.ranks : ranks;
    if (sharers > inside)
      detail::must_divide(sink, quantity::node_ranks, inside, grouped ? quantity::shard_ranks : quantity::dp_x_cp, sharers);
    // Experts are replicated as often as dense parameters.
    const std::int64_t of_experts = ranks % sharers == 0 ? detail::expert_sharers(spec) / (ranks / sharers) : 0;
    if (of_experts > inside) detail::must_divide(sink, quantity::node_ranks, inside, quantity::expert_shards, of_experts);
  }
};

}  // namespace rules

namespace detail {

// The rules about shard groups smaller than all replicas, for routed experts too.
template <class Sink, class Spec>
constexpr void check_shard_groups(const Spec& spec, std::int64_t replicas, Sink& sink) {
  if (replicas == 0 || (spec.sharding.ranks == unset && spec.sharding.secondary == unset && spec.communication.gradient_bits == 0)) return;
  const rule_facts facts{.replicas = replicas};
  rules::shard_ranks_divide_sharers::check(spec, facts, sink);
  rules::shard_groups_divide_experts::check(spec, facts, sink);
  rules::hpz_divides_sharers::check(spec, facts, sink);
  rules::nodes_divide_sharers::check(spec, facts, sink);
}

}  // namespace detail

}  // namespace shardplan
