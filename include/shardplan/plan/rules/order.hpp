// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

template <class Sink>
constexpr void must_divide(Sink& sink, measured first, measured second) {
  if (first.value > 0 && second.value % first.value != 0) sink.add_pair(rule::does_not_divide, first, second);
}

// Interleaving in groups: that the order runs to its end, and what a framework asks for beside.
template <class Sink, class Spec>
constexpr void check_group(const Spec& spec, std::int64_t group, measured micro_batches, Sink& sink) {
  const auto& order = spec.schedule;
  const measured size{quantity::interleave_group, group};
  const std::int64_t rest = group < micro_batches.value ? micro_batches.value % group : 0;
  // p <= group <= m, and m mod group is 0 or at least p: NVIDIA/Megatron-LM core/pipeline_parallel/schedules.py and training/arguments.py.
  const bool megatron = spec.framework == frameworks::megatron;
  const bool waits = !order.ends(spec.pp, micro_batches.value, order.chunks);
  // Full groups wait for each other whatever their number, from three on at the latest.
  const bool too_small =
      waits && !order.ends(spec.pp, group < micro_batches.value / 3 ? 3 * group : micro_batches.value - rest, order.chunks);
  if (too_small || (megatron && group < spec.pp)) sink.add_pair(rule::exceeds, {quantity::pp, spec.pp}, size);
  if (megatron && group > micro_batches.value) sink.add_pair(rule::exceeds, size, micro_batches);
  if ((waits && !too_small) || (megatron && rest != 0 && rest < spec.pp)) sink.add_pair(rule::does_not_divide, size, micro_batches);
  // torch.distributed.pipelining schedules.py, ScheduleInterleaved1F1B: rounds of as many micro-batches as there are ranks, or more.
  const std::int64_t rounds = micro_batches.value < spec.pp ? 1 : micro_batches.value / spec.pp;
  if (spec.framework >= frameworks::torchtitan) must_divide(sink, {quantity::interleave_rounds, rounds}, micro_batches);
}

// A schedule may say any number.
constexpr std::int64_t least_of_ranks(std::int64_t ranks, std::int64_t of_one) { return of_one > 0 ? saturating_multiply(ranks, of_one) : 0; }

// Micro-batches that the order of a schedule, or the framework's, cannot begin with fewer than.
template <class Spec>
constexpr std::int64_t least_micro_batches_of(const Spec& spec) {
  const schedule_spec& order = spec.schedule;
  const std::int64_t of_torch =
      spec.framework == frameworks::torchtitan ? least_of_ranks(spec.pp * order.chunks, order.torch_least_micro_batches_a_stage) : 0;
  const std::int64_t of_order = least_of_ranks(spec.pp, order.least_micro_batches_a_rank);
  return of_torch > of_order ? of_torch : of_order;
}

// The sizes that the order of a schedule is made for. The default schedule asks for nothing but what PyTorch adds.
template <class Sink, class Spec>
constexpr void check_order(const Spec& spec, std::int64_t micro_batch_count, Sink& sink) {
  const auto& order = spec.schedule;
  const measured micro_batches{quantity::micro_batches, micro_batch_count};
  if (order.slices > 1) must_divide(sink, {quantity::slices, order.slices}, {quantity::sequence, spec.sequence});
  must_divide(sink, {quantity::ranks_multiple, order.ranks_multiple}, {quantity::pp, spec.pp});
  must_divide(sink, {quantity::micro_batches_multiple, order.micro_batches_multiple}, micro_batches);
  if (order.micro_batches_fill_ranks) must_divide(sink, {quantity::pp, spec.pp}, micro_batches);
  const std::int64_t least = least_micro_batches_of(spec);
  if (micro_batch_count < least)
    sink.add_pair(rule::micro_batches_fewer_than_stages, micro_batches, {least == spec.pp ? quantity::pp : quantity::pp_x_chunks, least});
  const std::int64_t group = order.group(spec.pp, micro_batch_count);
  if (group > 0 && spec.pp > 1) check_group(spec, group, micro_batches, sink);
}

}  // namespace shardplan::detail
