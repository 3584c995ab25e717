// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// What decides bytes and no part of a plan says: how implementations differ. The defaults are those of Megatron-LM and of PyTorch, and
/// those that `run::traffic` and `run::timing` have; `stage_traffic`, `stage_messages` and `step_timing` take others.
struct traffic_options {
  std::int64_t context_inner = 1;   ///< ranks of an all-to-all, over whose groups the ring or the all-gather of `context_exchange<>` goes
                                    ///< (Megatron-LM `a2a+p2p`, `hierarchical_context_parallel_sizes`); a divisor of cp
  bool keep_gathered_keys = false;  ///< `context_exchanges::all_gather`: backward reads what forward gathered
  std::int64_t dispatch_bits = 0;   ///< bits of a number that is sent to experts; 0: those of an activation. DeepSeek-V3: 8
  std::int64_t dispatch_scale_block = 0;  ///< numbers that share a 4-byte scale on that way; 0: no scales. DeepSeek-V3: 128
  bool scatter_gather = false;  ///< without sequence parallelism each tp rank sends its part over a stage boundary (arXiv 2104.04473)
  bool late_sync = false;       ///< FSDP: gradients are reduced in the last micro-step only; until then they are kept whole
  bool replicas_each_micro_step = false;  ///< HSDP: shards are summed over replicas in every micro-step and not once a step
  std::int64_t weight_bits = 0;           ///< bits of a gathered weight; 0: those of the precision. ZeRO++ qwZ: 8
  std::int64_t gradient_bits = 0;         ///< bits of a reduced gradient; 0: those of the precision. ZeRO++ qgZ: 4, and then all-to-all
  std::int64_t node_ranks = 1;            ///< with `gradient_bits`: ranks of a node, among which gradients are reduced first (qgZ)
};

/// The defaults, so that no call makes them anew.
inline constexpr traffic_options default_traffic_options{};

}  // namespace shardplan
