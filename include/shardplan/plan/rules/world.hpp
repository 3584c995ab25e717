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

namespace rules {

/// With experts etp x ep x pp divides the devices.
struct expert_grid_divides_devices {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::etp_x_ep_x_pp}, {quantity::device_count},
                                     "with experts: etp x ep x pp divides the devices",
                                     "Megatron-LM `core/parallel_state.py`, expert grid");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.experts.count > 0)
      detail::must_divide(sink, quantity::etp_x_ep_x_pp, spec.etp * spec.ep * spec.pp, quantity::device_count,
                          spec.devices_per_node * spec.nodes);
  }
};

/// tp x pp x cp x dp is the number of devices, where dp is said.
struct ranks_are_devices {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_match, {quantity::tp_x_pp_x_cp_x_dp}, {quantity::device_count},
                                     "tp x pp x cp x dp is the devices (dp said)", "Megatron-LM `core/parallel_state.py`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.dp == unset) return;
    const std::int64_t devices = spec.devices_per_node * spec.nodes;
    const std::int64_t ranks = spec.tp * spec.pp * spec.cp * spec.dp;
    if (ranks != devices) sink.add_pair(rule::does_not_match, {quantity::tp_x_pp_x_cp_x_dp, ranks}, {quantity::device_count, devices});
  }
};

/// tp x pp x cp divides the devices, where dp is not said.
struct ranks_divide_devices {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp, quantity::pp, quantity::tp_x_pp_x_cp},
                                     {quantity::device_count}, "tp x pp x cp divides the devices (dp not said)", "the same");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t devices = spec.devices_per_node * spec.nodes;
    const std::int64_t ranks = spec.tp * spec.pp * spec.cp;
    if (spec.dp != unset || devices % ranks == 0) return;
    const quantity what = spec.tp == ranks ? quantity::tp : spec.pp == ranks ? quantity::pp : quantity::tp_x_pp_x_cp;
    sink.add_pair(rule::does_not_divide, {what, ranks}, {quantity::device_count, devices});
  }
};

}  // namespace rules

namespace detail {

// Replicas, or 0 when the cluster does not hold a whole number of them.
template <class Spec>
constexpr std::int64_t replicas_of(const Spec& spec) {
  if (spec.dp != unset) return spec.dp;
  const std::int64_t devices = spec.devices_per_node * spec.nodes;
  const std::int64_t ranks = spec.tp * spec.pp * spec.cp;
  return devices % ranks == 0 ? devices / ranks : 0;
}

// The rules about the devices; returns the replicas.
template <class Sink, class Spec>
constexpr std::int64_t check_world(const Spec& spec, Sink& sink) {
  if (spec.model.experts.count > 0) rules::expert_grid_divides_devices::check(spec, sink);
  if (spec.dp != unset) rules::ranks_are_devices::check(spec, sink);
  const std::int64_t replicas = replicas_of(spec);
  if (replicas == 0) rules::ranks_divide_devices::check(spec, sink);
  return replicas;
}

}  // namespace detail

}  // namespace shardplan
