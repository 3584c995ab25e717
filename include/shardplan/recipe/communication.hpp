// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// What implementations decide about the bytes that ranks exchange. The defaults are those of Megatron-LM and of PyTorch.
struct communication_spec {
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

  /// Whether a number differs from its default.
  constexpr bool says_numbers() const {
    return ((context_inner ^ 1) | (node_ranks ^ 1) | dispatch_bits | dispatch_scale_block | weight_bits | gradient_bits) != 0;
  }
  // A template: who does not compare does not pay for it.
  template <class Same>
  requires detail::same<Same, communication_spec>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.context_inner == right.context_inner && left.keep_gathered_keys == right.keep_gathered_keys &&
           left.dispatch_bits == right.dispatch_bits && left.dispatch_scale_block == right.dispatch_scale_block &&
           left.scatter_gather == right.scatter_gather && left.late_sync == right.late_sync &&
           left.replicas_each_micro_step == right.replicas_each_micro_step && left.weight_bits == right.weight_bits &&
           left.gradient_bits == right.gradient_bits && left.node_ranks == right.node_ranks;
  }
};

/// In `communication<...>`: all-to-alls among so many context parallel ranks, inside the ring or the all-gather of `context_exchange<>`
/// (Megatron-LM `a2a+p2p`). They divide cp.
template <std::int64_t Ranks>
struct inner_all_to_all {
  static constexpr void set(communication_spec& spec) { spec.context_inner = Ranks; }
};
/// In `communication<...>`: backward reads the keys and values that forward gathered, and gathers them no second time. That they stay in
/// memory is not in the account of activations.
template <bool Keep>
struct keep_gathered_keys {
  static constexpr void set(communication_spec& spec) { spec.keep_gathered_keys = Keep; }
};
/// In `communication<...>`: bits of a number on its way to experts, and numbers that share a 4-byte scale there (0: no scales). DeepSeek-V3
/// sends `dispatch_bits<8, 128>` and combines in BF16 (arXiv 2412.19437 section 3.3.3). Memory does not follow: experts compute in the
/// plan's precision.
template <std::int64_t Bits, std::int64_t ScaleBlock = 0>
struct dispatch_bits {
  static constexpr void set(communication_spec& spec) {
    spec.dispatch_bits = Bits;
    spec.dispatch_scale_block = ScaleBlock;
  }
};
/// In `communication<...>`: without sequence parallelism each tp rank sends its part over a stage boundary, behind which the parts are
/// gathered (Megatron-LM's scatter-gather, arXiv 2104.04473 section 4.1).
template <bool On>
struct scatter_gather {
  static constexpr void set(communication_spec& spec) { spec.scatter_gather = On; }
};
/// In `communication<...>`: where weights are sharded, gradients are reduced in the last micro-step only (PyTorch's `no_sync` and
/// `set_requires_gradient_sync`) and kept whole until then: `gradients` of a memory report are those of all parameters of the rank.
template <bool On>
struct late_sync {
  static constexpr void set(communication_spec& spec) { spec.late_sync = On; }
};
/// In `communication<...>`: HSDP sums shards over replicas in every micro-step (FSDP2 unless `set_requires_all_reduce`).
template <bool On>
struct replicas_each_micro_step {
  static constexpr void set(communication_spec& spec) { spec.replicas_each_micro_step = On; }
};
/// In `communication<...>`: bits of a gathered weight (ZeRO++ qwZ, DeepSpeed `zero_quantized_weights`: 8; arXiv 2306.10209).
template <std::int64_t Bits>
struct quantized_weights {
  static constexpr void set(communication_spec& spec) { spec.weight_bits = Bits; }
};
/// In `communication<...>`: bits of a reduced gradient, and ranks of a node, among which it is reduced first by an all-to-all (ZeRO++ qgZ,
/// DeepSpeed `zero_quantized_gradients`: 4; arXiv 2306.10209). The ranks divide those that share gradients, where they are fewer.
template <std::int64_t Bits, std::int64_t NodeRanks = 1>
struct quantized_gradients {
  static constexpr void set(communication_spec& spec) {
    spec.gradient_bits = Bits;
    spec.node_ranks = NodeRanks;
  }
};

/// What can stand in `communication<...>`.
template <class Type>
concept communication_option = requires(communication_spec& spec) {
  Type::set(spec);
};

/// Part of a plan (default: Megatron-LM and PyTorch): what an implementation decides about bytes: `communication<dispatch_bits<8, 128>>`,
/// `communication<quantized_weights<8>, quantized_gradients<4, 8>>`. Traffic and timing follow; of memory only `late_sync<true>`.
template <communication_option... Options>
struct communication {
  static constexpr part_kind kind = part_kind::communication;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::communication>(spec);
    (Options::set(spec.communication), ...);
  }
};

}  // namespace shardplan
