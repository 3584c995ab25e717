// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/parallel/locality.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// What a sequence is dealt out to by the parallelism of a framework, with the name under which a violation says it.
template <class Spec>
constexpr measured sequence_pieces(const Spec& spec) {
  const std::int64_t sharers = is_sequence_parallel(spec) ? spec.tp : 1;
  // Context parallelism with a causal mask deals each rank two pieces of a sequence, one from each end: Megatron-LM (NVIDIA-NeMo/RL issue
  // 3563) and torch's context_parallel.
  if (spec.cp > 1 && (spec.framework == frameworks::megatron || spec.framework == frameworks::fsdp2))
    return {quantity::cp_x_lcm_2_tp, spec.cp * (sharers % 2 == 0 ? sharers : 2 * sharers)};
  // pytorch/torchtitan distributed/parallel_dims.py, seq_len_divisor.
  if (spec.framework == frameworks::torchtitan) return {quantity::cp_x_2_tp, 2 * spec.cp * sharers};
  if (sharers > 1) return {spec.cp > 1 ? quantity::cp_x_tp : quantity::tp, spec.cp * sharers};
  return {quantity::cp, spec.cp};
}

template <class Sink, class Spec>
constexpr void check_sequence(const Spec& spec, Sink& sink) {
  const auto pieces = sequence_pieces(spec);
  if (spec.sequence % pieces.value != 0) sink.add_pair(rule::does_not_divide, pieces, {quantity::sequence, spec.sequence});
  if (computes_in_fp8(spec.precision) && spec.sequence % (16 * spec.cp) != 0)
    sink.add_pair(rule::does_not_divide, {quantity::cp_x_16, 16 * spec.cp}, {quantity::sequence, spec.sequence});
  if (spec.cp > 1 && spec.cp % spec.communication.context_inner != 0)
    sink.add_pair(rule::does_not_divide, {quantity::inner_all_to_all, spec.communication.context_inner}, {quantity::cp, spec.cp});
}

}  // namespace detail

/// The smallest sequence, tokens, that the plan's parallelism, its framework and FP8 kernels can deal out evenly: every legal one is a
/// multiple of it. Only for a spec whose ranges are right.
template <class Spec = plan_spec>
constexpr std::int64_t sequence_multiple_of(const Spec& spec) {
  const std::int64_t pieces = detail::sequence_pieces(spec).value;
  if (!computes_in_fp8(spec.precision)) return pieces;
  return pieces / detail::greatest_divisor(pieces, 16 * spec.cp) * (16 * spec.cp);
}

}  // namespace shardplan
