// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/options.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// How replicas share weights and gradients, apart from how many there are.
enum class replication : unsigned char {
  all_reduced,           ///< every rank has all: gradients are all-reduced once a step (DDP, Megatron-LM)
  optimizer_sharded,     ///< ZeRO-1, Megatron-LM's distributed optimizer: reduce-scatter and all-gather once a step
  gradients_sharded,     ///< ZeRO-2 (DeepSpeed): a reduce-scatter in every micro-step, the all-gather once a step
  weights_sharded,       ///< ZeRO-3, FSDP: every micro-step gathers for forward and for backward and reduces
  weights_kept_gathered  ///< FSDP without resharding after forward: every micro-step gathers once and reduces
};

/// The parameters of one kind (dense, or of routed experts) on a rank of the model-parallel grid, and who shares them.
struct data_parallel_work {
  channel between = channel::dp;                ///< `dp` or `edp`
  replication kind = replication::all_reduced;  ///< how
  std::int64_t ranks = 1;                       ///< ranks of a sharding group; all replicas where nothing is sharded
  std::int64_t replicas = 1;                    ///< sharding groups that hold the same shards (HSDP, MiCS)
  std::int64_t secondary = 1;                   ///< ranks that share a second copy of the weights (hpZ); 1: there is none
  std::int64_t parameters = 0;                  ///< elements
  std::int64_t padded = 0;                      ///< elements as they are sharded, a multiple of `ranks`
  std::int64_t weight_bits = 16;                ///< of a gathered weight
  std::int64_t gradient_bits = 32;              ///< of a reduced gradient
  std::int64_t micro_batches = 1;               ///< of a step, the gradient accumulation steps
};

namespace detail {
// A quantised gradient is not summed on the way: all-to-all inside the node, then between nodes (ZeRO++, arXiv 2306.10209 section 3.3).
template <class Sink, class Work = data_parallel_work>
constexpr void add_reduction(Sink& sink, const Work& work, const traffic_options& options, std::int64_t times) {
  if (options.gradient_bits == 0) {
    add_message(sink, {work.between, cargo::gradients, collective::reduce_scatter, work.ranks, work.padded, work.parameters,
                       work.gradient_bits, times, times});
    return;
  }
  const std::int64_t inside = options.node_ranks < work.ranks ? options.node_ranks : work.ranks;
  const std::int64_t nodes = exact_divide(work.ranks, inside);
  const std::int64_t rest = ceil_divide(work.padded, inside);
  const std::int64_t useful_rest = ceil_divide(work.parameters, inside);
  if (inside > 1)
    add_message(sink, {nodes > 1 ? channel::node : work.between, cargo::gradients, collective::all_to_all, inside, work.padded,
                       work.parameters, options.gradient_bits, times, times});
  if (nodes > 1)
    add_message(sink,
                {work.between, cargo::gradients, collective::all_to_all, nodes, rest, useful_rest, options.gradient_bits, times, times});
}
}  // namespace detail

/// Adds what replicas exchange in one step of g micro-steps; n ranks share P parameters, f = (n - 1) / n:
///
///     all_reduced             2f P gradients
///     optimizer_sharded       f P gradients + f P weights
///     gradients_sharded       g f P gradients + f P weights         (DeepSpeed refuses no_sync under ZeRO-2 and 3: runtime/engine.py)
///     weights_sharded         g (2f P weights + f P gradients)      late_sync: one f P gradients
///     weights_kept_gathered   g (f P weights + f P gradients)       late_sync: one f P gradients
///
/// Several sharding groups sum their shards once a step (MiCS; FSDP2 with `set_requires_all_reduce`), or in every micro-step when
/// `replicas_each_micro_step`. A secondary copy (hpZ) is gathered in backward inside its node. Recomputation adds no gather where its unit
/// is the unit of sharding. `padded` pieces go around the ring, `parameters` are the ideal ones.
template <class Sink, class Work = data_parallel_work>
constexpr void add_data_parallel(Sink& sink, const Work& work, const traffic_options& options) {
  const std::int64_t steps = work.micro_batches;
  const std::int64_t weight_bits = options.weight_bits != 0 ? options.weight_bits : work.weight_bits;
  if (work.kind == replication::all_reduced) {
    add_message(sink, {work.between, cargo::gradients, collective::all_reduce, work.ranks, work.parameters, work.parameters,
                       work.gradient_bits, 1, 1});
    return;
  }
  const auto gather = [&](channel between, cargo what, std::int64_t ranks, std::int64_t times) {
    add_message(sink, {between, what, collective::all_gather, ranks, work.padded, work.parameters, weight_bits, times, times});
  };
  const bool gathers_weights = work.kind >= replication::weights_sharded;
  const bool each_step = work.kind == replication::gradients_sharded || (gathers_weights && !options.late_sync);
  detail::add_reduction(sink, work, options, each_step ? steps : 1);
  gather(work.between, cargo::weights_forward, work.ranks, gathers_weights ? steps : 1);
  if (work.kind == replication::weights_sharded) {
    if (work.secondary > 1) {
      gather(channel::node, cargo::weights_backward, work.secondary, steps);
    } else {
      gather(work.between, cargo::weights_backward, work.ranks, steps);
    }
  }
  if (work.replicas > 1) {
    const std::int64_t times = options.replicas_each_micro_step && each_step ? steps : 1;
    const std::int64_t shard = ceil_divide(work.padded, work.ranks);
    add_message(
        sink, {channel::replicas, cargo::gradients, collective::all_reduce, work.replicas, shard, shard, work.gradient_bits, times, times});
  }
}

}  // namespace shardplan
