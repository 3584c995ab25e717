// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The space that leaves nothing out, for searches at run time. Apart from space.hpp because it brings all built-in schedules along.
#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/recipe/attention.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/candidate.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <initializer_list>

namespace shardplan {

namespace detail {

template <class Spec>
constexpr void add_whole_degrees(search_space& space, const Spec& spec, const number_list& worlds) {
  const transformer& shape = spec.model;
  const auto divides_a_world = [&](std::int64_t degree) {
    for (const std::int64_t world : worlds)
      if (world % degree == 0) return true;
    return false;
  };
  const auto any = [](std::int64_t) { return true; };
  space.tp = divisors_of(shape.heads, limits::degree, divides_a_world);
  list_pipelines(space.pp, spec, divides_a_world);
  space.cp = divisors_of(spec.sequence, limits::degree, divides_a_world);
  space.ep = divisors_of(shape.experts.count > 0 ? shape.experts.count : 1, limits::expert_degree, divides_a_world);
  space.etp = divisors_of(shape.experts.count > 0 ? shape.expert_width() : 1, limits::degree, divides_a_world);
  space.micro_batch = divisors_of(spec.global_batch, limits::micro_batch, any);
}

template <class Spec>
constexpr void add_whole_sharding(search_space& space, const Spec& spec) {
  const bool is_torch = !has_zero_stages(spec.framework);
  for (std::int64_t stage = 0; stage <= (is_torch ? 0 : 3); ++stage) space.sharding.push_back({stage, {}});
  if (!has_fsdp(spec.framework)) return;
  sharding_choice sharded{0, {shard_layout::tensors}};
  space.sharding.push_back(sharded);
  sharded.sharding.ranks = spec.devices_per_node;
  if (spec.devices_per_node > 1) space.sharding.push_back(sharded);
}

template <class Spec>
constexpr void add_whole_recompute(search_space& space, const Spec& spec) {
  const auto add = [&](recomputes what) {
    for (const recomputes known : space.recompute)
      if (known == what) return;
    space.recompute.push_back(what);
  };
  add(recomputes::none);
  add(recomputes::full);
  add(selective_recompute(spec));
  for (const recomputes what : {recomputes::core_attn, recomputes::mlp, recomputes::mlp_act, recomputes::layernorm}) add(what);
  add(recomputes::every_second_matmul);
  if (spec.model.experts.count > 0) {
    add(recomputes::moe);
    add(recomputes::moe_act);
  }
  if (spec.model.is_latent()) add(recomputes::mla_up_proj);
}

// One schedule in every number of chunks that the layers allow with a pipeline of the space, as many as find room.
template <class Spec>
constexpr void add_in_chunks(search_space& space, const Spec& spec, schedule_spec order) {
  for (std::int64_t chunks = 2; chunks <= limits::chunks; ++chunks) {
    bool divides = false;
    for (const std::int64_t degree : space.pp)
      divides = divides || (degree > 1 && may_have_stages(spec, saturating_multiply(degree, chunks)));
    if (!divides || space.schedule.length == most_schedules) continue;
    order.chunks = chunks;
    space.schedule.push_back(order);
  }
}

template <class Spec>
constexpr void add_whole_schedules(search_space& space, const Spec& spec) {
  space.schedule.push_back(schedules::one_f_one_b::spec);
  if (space.pp.length == 1 && space.pp.values[0] == 1) return;
  for (const schedule_spec& order :
       {schedules::gpipe::spec, schedules::eager_1f1b::spec, schedules::zb_h1::spec, schedules::zb_h2::spec, schedules::zb_v::spec,
        schedules::v_half::spec, schedules::v_min::spec, schedules::one_f_one_b_v::spec, schedules::dual_pipe::spec,
        schedules::dual_pipe_v::spec, schedules::chimera::spec, schedules::seq_1f1b<2>::spec, schedules::seq_1f1b<4>::spec,
        schedules::hanayo<1>::spec, schedules::hanayo<2>::spec})
    if (has_schedule(spec.framework, order)) space.schedule.push_back(order);
  const bool torch_groups = spec.framework >= frameworks::torchtitan;
  for (const schedule_spec& order : {torch_groups ? schedules::interleaved<2, groups::torch>::spec : schedules::interleaved<2>::spec,
                                     schedules::interleaved_zb<2>::spec, schedules::looped_bfs<2>::spec})
    if (has_schedule(spec.framework, order)) add_in_chunks(space, spec, order);
}

}  // namespace detail

/// The space of all plans that can be legal for the model, cluster and batch of `spec`:
/// - tp, pp, cp, ep and etp: every number that divides what it must and the devices, beyond a host too;
/// - every micro-batch that divides the batch;
/// - ZeRO 0 to 3, FSDP2, and FSDP2 inside each host (HSDP), as far as the framework has them;
/// - recompute none, full, `default_space_of`'s selection, and every module alone;
/// - every built-in schedule whose steps are synchronous, those in chunks with every number of chunks that the layers allow; under a
///   framework those that it has (plan/framework_has.hpp).
/// A list has room for 32 numbers (the smallest stay) and 64 schedules. Millions of candidates: for a compiler `among<...>` says those that
/// are meant. `said` and `devices` as in `default_space_of`. A spec that breaks a range has a space of what it says itself.
template <class Spec = plan_spec>
constexpr search_space whole_space_of(const Spec& spec, std::uint64_t said = 0, const number_list& devices = {}) {
  search_space space{};
  if (!detail::has_searchable_ranges(spec)) return space;
  detail::add_whole_degrees(space, spec, detail::worlds_of(spec, devices));
  detail::add_whole_sharding(space, spec);
  detail::add_whole_recompute(space, spec);
  if ((said & bit_of(part_kind::pp)) != 0) {
    space.pp.length = 0;
    space.pp.push_back(spec.pp);
  }
  detail::add_whole_schedules(space, spec);
  detail::leave_as_said(space, said);
  return in_order(space);
}

}  // namespace shardplan
