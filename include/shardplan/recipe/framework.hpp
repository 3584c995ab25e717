// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// Whose rules a plan keeps beside those that hold everywhere.
enum class frameworks : unsigned char {
  generic,     ///< none in particular: only what cannot be right anywhere is refused
  megatron,    ///< NVIDIA/Megatron-LM
  deepspeed,   ///< deepspeedai/DeepSpeed
  torchtitan,  ///< pytorch/torchtitan
  fsdp2,       ///< PyTorch's `fully_shard` without torchtitan
};

/// Part of a plan (default `frameworks::generic`): the framework that runs it. Its own rules are then asked as well, and its defaults hold
/// where nothing is said: under `frameworks::megatron` the vocabulary is padded to 128 x tp, and with context parallelism the sequence is
/// a multiple of cp x lcm(2, tp).
template <frameworks Framework>
struct framework {
  static constexpr part_kind kind = part_kind::framework;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::framework>(spec);
    spec.framework = Framework;
  }
};

}  // namespace shardplan
