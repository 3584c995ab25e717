// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>

#include <cstdint>

namespace shardplan {

/// How context parallel ranks exchange what attention needs.
enum class context_exchange : unsigned char {
  ring,         ///< keys and values travel from rank to rank while attention computes (Megatron-LM `p2p`)
  all_gather,   ///< keys and values are gathered, their gradients reduced and scattered (Llama 3, arXiv 2407.21783 section 3.3.2)
  all_to_all,   ///< tokens are exchanged for heads and back (DeepSpeed-Ulysses, arXiv 2309.14509)
  hierarchical  ///< all-to-all among `context_inner` neighbours, a ring over those groups (Megatron-LM `a2a+p2p`)
};

/// What decides bytes and no field of a plan says: how implementations differ. The defaults are those of Megatron-LM and of PyTorch.
struct traffic_options {
  context_exchange context = context_exchange::ring;  ///< how context parallel ranks exchange
  std::int64_t context_inner = 1;                     ///< `hierarchical`: ranks of an all-to-all, a divisor of cp
  bool keep_gathered_keys = false;                    ///< `all_gather`: backward reads what forward gathered
  fraction capacity{};                    ///< of experts, for each token copy on average; 0: what is routed is sent, nothing padded
  std::int64_t dispatch_bits = 0;         ///< bits of a number that is sent to experts; 0: those of an activation. DeepSeek-V3: 8
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
