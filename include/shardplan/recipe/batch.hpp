// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// Part of a plan (needed): tokens of one training sequence, before context parallelism divides it.
template <std::int64_t Tokens>
struct sequence {
  static constexpr part_kind kind = part_kind::sequence;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::sequence>(spec);
    spec.sequence = Tokens == unset ? unset + 1 : Tokens;
  }
};

/// Part of a plan (needed): sequences that one model replica takes through one forward pass.
template <std::int64_t Sequences>
struct micro_batch {
  static constexpr part_kind kind = part_kind::micro_batch;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::micro_batch>(spec);
    spec.micro_batch = Sequences == unset ? unset + 1 : Sequences;
  }
};

/// Part of a plan (needed): sequences of one optimizer step over all replicas. It must be a multiple of micro-batch x data_parallel; the
/// quotient is the number of micro-batches (gradient accumulation steps).
template <std::int64_t Sequences>
struct global_batch {
  static constexpr part_kind kind = part_kind::global_batch;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::global_batch>(spec);
    spec.global_batch = Sequences == unset ? unset + 1 : Sequences;
  }
};

/// Part of a plan (default: what the batch leaves): micro-batches of one replica in a step, gradient accumulation steps. When it is said,
/// micro_batch x accumulation x data_parallel must be the global batch, as in a DeepSpeed file with all three numbers.
template <std::int64_t MicroBatches>
struct accumulation {
  static constexpr part_kind kind = part_kind::accumulation;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::accumulation>(spec);
    spec.accumulation = MicroBatches == unset ? unset + 1 : MicroBatches;
  }
};

}  // namespace shardplan
