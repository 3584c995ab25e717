// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/divisor.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
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
  // pytorch/torchtitan distributed/parallel_dims.py, seq_len_divisor: tp * (cp * 2), whether or not the plan shares a sequence in its
  // group.
  if (spec.framework == frameworks::torchtitan) return {quantity::cp_x_2_tp, 2 * spec.cp * spec.tp};
  if (sharers > 1) return {spec.cp > 1 ? quantity::cp_x_tp : quantity::tp, spec.cp * sharers};
  return {quantity::cp, spec.cp};
}

// What FP8 kernels deal a sequence out to; only where products run in FP8.
template <class Spec>
constexpr std::int64_t fp8_unit(const Spec& spec) {
  const std::int64_t sharers = is_sequence_parallel(spec) ? spec.tp : 1;
  if (spec.precision.scale_block != 0) return spec.precision.scale_block * spec.cp * sharers;
  const bool quantises_parts = spec.framework != frameworks::torchtitan && spec.framework != frameworks::fsdp2;
  return 8 * spec.cp * (quantises_parts && sharers % 2 == 0 ? sharers : quantises_parts ? 2 * sharers : 2);
}

template <class Sink, class Spec>
constexpr void must_divide_sequence(const Spec& spec, const measured& pieces, Sink& sink) {
  must_divide(sink, pieces.what, pieces.value, quantity::sequence, spec.sequence);
}

}  // namespace detail

namespace rules {

/// With context parallelism each rank has two pieces of a sequence, one from each end: cp x lcm(2, tp) divides it.
struct cp_deals_out_both_ends {
  static constexpr unsigned frameworks_asked = detail::under_megatron | detail::under_fsdp2;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::cp_x_lcm_2_tp}, {quantity::sequence},
                                     "with cp > 1: cp x lcm(2, tp) divides `sequence`, tp with sequence parallelism only",
                                     "NVIDIA-NeMo/RL issue 3563; Megatron-LM deals each rank two pieces", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto pieces = detail::sequence_pieces(spec);
    if (pieces.what == quantity::cp_x_lcm_2_tp) detail::must_divide_sequence(spec, pieces, sink);
  }
};

/// torchtitan deals a sequence out to 2 x cp x tp, with sequence parallelism or without.
struct torchtitan_pieces_divide_sequence {
  static constexpr unsigned frameworks_asked = detail::under_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::cp_x_2_tp}, {quantity::sequence},
                                     "2 x cp x tp divides `sequence`", "its `parallel_dims.py`, seq_len_divisor", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto pieces = detail::sequence_pieces(spec);
    if (pieces.what == quantity::cp_x_2_tp) detail::must_divide_sequence(spec, pieces, sink);
  }
};

/// The ranks that share a sequence divide it.
struct sharers_divide_sequence {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp, quantity::cp, quantity::cp_x_tp}, {quantity::sequence},
                                     "with sequence parallelism cp x tp divides `sequence`, else cp does", "arXiv 2205.05198; Megatron-LM");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto pieces = detail::sequence_pieces(spec);
    if (pieces.what != quantity::cp_x_lcm_2_tp && pieces.what != quantity::cp_x_2_tp) detail::must_divide_sequence(spec, pieces, sink);
  }
};

/// With FP8 products each cp rank has a multiple of 16 tokens.
struct fp8_tokens_divide_sequence {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::cp_x_16}, {quantity::sequence},
                                     "with FP8 products: 16 x cp divides `sequence`", "FP8 kernels, Transformer Engine");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (computes_in_fp8(spec.precision) && spec.precision.scale_block == 0)
      detail::must_divide(sink, quantity::cp_x_16, 16 * spec.cp, quantity::sequence, spec.sequence);
  }
};

/// With FP8 products each rank of a shared sequence has a multiple of 8 tokens: it quantises its own part before they are gathered.
/// torchao's linears take the whole.
struct fp8_shards_divide_sequence {
  static constexpr unsigned frameworks_asked = detail::under_others;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::cp_x_tp_x_8}, {quantity::sequence},
                                     "with FP8 products and sequence parallelism: 8 x cp x tp divides `sequence`",
                                     "Transformer Engine `pytorch/utils.py`, assert_dim_for_fp8_exec; NVIDIA-NeMo/RL issue 1551",
                                     frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    // On fewer ranks the rule of 16 tokens says it.
    if (computes_in_fp8(spec.precision) && spec.precision.scale_block == 0 && spec.tp > 2 && is_sequence_parallel(spec) &&
        detail::is_asked(frameworks_asked, spec.framework))
      detail::must_divide(sink, quantity::cp_x_tp_x_8, 8 * spec.cp * spec.tp, quantity::sequence, spec.sequence);
  }
};

/// With numbers that share a scale in blocks each rank has whole blocks of tokens, for the copy by columns: MXFP8.
struct fp8_blocks_divide_sequence {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::cp_x_tp_x_block}, {quantity::sequence},
                                     "with MXFP8: 32 x cp divides `sequence`, with sequence parallelism 32 x cp x tp",
                                     "Transformer Engine `csrc/quantizer.cpp`; modelscope/ms-swift issue 9723");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (computes_in_fp8(spec.precision) && spec.precision.scale_block != 0)
      detail::must_divide(sink, quantity::cp_x_tp_x_block, detail::fp8_unit(spec), quantity::sequence, spec.sequence);
  }
};

/// The ranks of an inner all-to-all divide cp.
struct inner_all_to_all_divides_cp {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::inner_all_to_all}, {quantity::cp},
                                     "with cp > 1: the ranks of an inner all-to-all divide cp",
                                     "Megatron-LM `hierarchical_context_parallel_sizes`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.cp > 1) detail::must_divide(sink, quantity::inner_all_to_all, spec.communication.context_inner, quantity::cp, spec.cp);
  }
};

}  // namespace rules

namespace detail {

// The rules about the sequence.
template <class Sink, class Spec>
constexpr void check_sequence(const Spec& spec, Sink& sink) {
  if (spec.sequence % sequence_pieces(spec).value != 0) {
    rules::cp_deals_out_both_ends::check(spec, sink);
    rules::torchtitan_pieces_divide_sequence::check(spec, sink);
    rules::sharers_divide_sequence::check(spec, sink);
  }
  if (computes_in_fp8(spec.precision) && spec.sequence % fp8_unit(spec) != 0) {
    rules::fp8_tokens_divide_sequence::check(spec, sink);
    rules::fp8_shards_divide_sequence::check(spec, sink);
    rules::fp8_blocks_divide_sequence::check(spec, sink);
  }
  if (spec.cp > 1) rules::inner_all_to_all_divides_cp::check(spec, sink);
}

}  // namespace detail

/// The smallest sequence, tokens, that the plan's parallelism, its framework and FP8 kernels can deal out evenly: every legal one is a
/// multiple of it. Only for a spec whose ranges are right.
template <class Spec = plan_spec>
constexpr std::int64_t sequence_multiple_of(const Spec& spec) {
  const std::int64_t pieces = detail::sequence_pieces(spec).value;
  if (!computes_in_fp8(spec.precision)) return pieces;
  const std::int64_t unit = detail::fp8_unit(spec);
  return pieces / detail::greatest_divisor(pieces, unit) * unit;
}

}  // namespace shardplan
