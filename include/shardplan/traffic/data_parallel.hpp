// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// How replicas keep their weights equal.
struct data_parallel_scheme {
  std::int64_t zero = 0;              ///< ZeRO stage; 3 is FSDP too
  bool reshard_after_forward = true;  ///< stage 3: the gathered weights are dropped after forward and gathered again backward
  bool sync_last_only = false;        ///< gradients are reduced in the last micro-step only (FSDP2; stages 0 and 1 always do so)
};

/// How often in one optimizer step gradients are reduced and weights are gathered.
struct data_parallel_counts {
  std::int64_t gradient_all_reduces = 0;      ///< of all gradients of the rank
  std::int64_t gradient_reduce_scatters = 0;  ///< of all gradients of the rank
  std::int64_t weight_all_gathers = 0;        ///< of all weights of the rank

  friend constexpr bool operator==(const data_parallel_counts& left, const data_parallel_counts& right) {
    return left.gradient_all_reduces == right.gradient_all_reduces && left.gradient_reduce_scatters == right.gradient_reduce_scatters &&
           left.weight_all_gathers == right.weight_all_gathers;
  }
};

/// What `scheme` does in a step of `micro_steps` micro-batches. Stage 0 sums gradients once; stage 1 scatters the sum and gathers the new
/// weights; stage 2 scatters in every micro-step (DeepSpeed refuses to wait there); stage 3 gathers the weights in every micro-step, twice
/// with resharding, and scatters in every one unless told to wait. (arXiv 1910.02054 section 7; torchtitan docs/fsdp.md.)
/// Errors: `argument_out_of_range` for a stage outside 0 to 3 or no micro-step; stage 2 cannot wait.
constexpr data_parallel_counts data_parallel_collectives(const data_parallel_scheme& scheme, std::int64_t micro_steps) {
  if (micro_steps < 1 || (scheme.zero == 2 && scheme.sync_last_only)) argument_out_of_range();
  switch (scheme.zero) {
    case 0: return {1, 0, 0};
    case 1: return {0, 1, 1};
    case 2: return {0, micro_steps, 1};
    case 3:
      return {0, scheme.sync_last_only ? 1 : micro_steps, scheme.reshard_after_forward ? checked_multiply(2, micro_steps) : micro_steps};
    default: argument_out_of_range();
  }
}

/// Bytes that one rank sends in a step over `ranks` replicas, the ideal: `weights` and `gradients` are those of all parameters of the rank
/// before sharding, each in the precision that it travels in. Error: `argument_out_of_range`.
constexpr fraction data_parallel_sent(const data_parallel_counts& counts, bytes weights, bytes gradients, std::int64_t ranks) {
  const std::int64_t gradient_passes = checked_add(checked_multiply(2, counts.gradient_all_reduces), counts.gradient_reduce_scatters);
  return ring_passes(gradient_passes, gradients, ranks) + ring_passes(counts.weight_all_gathers, weights, ranks);
}

/// The same exactly, for a flat buffer of `parameters` that is padded to a multiple of `multiple` elements a rank (1: only so that the
/// shards are equal), as ZeRO's and Megatron-LM's buffers are: every rank sends and receives the same. Bytes are of one element. Error:
/// `argument_out_of_range`.
constexpr std::int64_t data_parallel_sent_exactly(const data_parallel_counts& counts, std::int64_t parameters, std::int64_t weight_bytes,
                                                  std::int64_t gradient_bytes, std::int64_t ranks, std::int64_t multiple = 1) {
  if (parameters < 0 || ranks < 1 || multiple < 1) argument_out_of_range();
  const std::int64_t shard = checked_multiply(ceil_divide(parameters, checked_multiply(ranks, multiple)), multiple);
  const std::int64_t gradient_passes = checked_add(checked_multiply(2, counts.gradient_all_reduces), counts.gradient_reduce_scatters);
  const std::int64_t a_pass =
      checked_add(checked_multiply(gradient_passes, gradient_bytes), checked_multiply(counts.weight_all_gathers, weight_bytes));
  return checked_multiply(checked_multiply(ranks - 1, shard), a_pass);
}

/// HSDP, the ideal: the scheme over the `shard_ranks` of a group, and after each reduce-scatter an all-reduce of the shard over
/// `replica_groups`: 2(n2 - 1)/n2 of gradients / n1. Error: `argument_out_of_range`.
constexpr fraction hybrid_sent(const data_parallel_counts& counts, bytes weights, bytes gradients, std::int64_t shard_ranks,
                               std::int64_t replica_groups) {
  const fraction inside = data_parallel_sent(counts, weights, gradients, shard_ranks);
  const fraction across = ring_passes(checked_multiply(2, counts.gradient_reduce_scatters), gradients, replica_groups);
  return inside + across * fraction{1, shard_ranks};
}

/// What ZeRO++ changes in stage 3 (arXiv 2306.10209).
struct zero_plus_plus {
  bool quantized_weights = false;    ///< qwZ: weights travel in 8 bits
  bool secondary_shard = false;      ///< hpZ: each node keeps all weights, so that backward gathers stay inside it
  bool quantized_gradients = false;  ///< qgZ: gradients travel in 4 bits
};

/// What crosses nodes in one micro-step of stage 3, in units of the 16-bit tensor of all parameters, without the factor of the group's
/// size: 3 without any of them, 3/4 with all. Block scales are left out, as in the paper.
constexpr fraction across_nodes(const zero_plus_plus& options) {
  const fraction weights = options.quantized_weights ? fraction{1, 2} : fraction{1};
  const fraction backward = options.secondary_shard ? fraction{} : weights;
  return weights + backward + (options.quantized_gradients ? fraction{1, 4} : fraction{1});
}

}  // namespace shardplan
