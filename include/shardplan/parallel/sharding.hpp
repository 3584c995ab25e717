// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// What lies in one piece before it is divided over the ranks of a shard group: that decides where padding goes.
enum class shard_layout : unsigned char {
  flat,              ///< all dense and all routed parameters of a rank, one buffer each, rounded up once: the reference; DeepSpeed
  megatron_buckets,  ///< the same buffers with each parameter's start aligned and ends of buckets padded: Megatron's distributed optimizer
  flat_units,        ///< one buffer for each block and one for the rest, each rounded up: FSDP1
  tensors            ///< each tensor by itself along its first dimension, rows rounded up: FSDP2
};

/// What is gathered at once when weights are sharded.
enum class gather_unit : unsigned char {
  by_framework,  ///< under `frameworks::deepspeed` ZeRO-3 gathers by module, all else by block (`gather_unit_of`, spec/derived.hpp)
  model,         ///< everything: FSDP around the model alone
  /// `block`: a transformer block, embedding and head by themselves: FSDP as torchtitan wraps it. `module`: each linear as it is reached,
  /// and a bucket ahead: DeepSpeed ZeRO-3, which follows a trace of the first step. (To nvcc a line that begins with `module` is a
  /// directive.)
  // clang-format off
  block, module
  // clang-format on
};

/// What DeepSpeed's ZeRO-3 keeps gathered (deepspeedai/DeepSpeed runtime/zero/config.py), elements.
struct zero_3_limits {
  static constexpr std::int64_t default_bucket = 50'000'000;    ///< of `prefetch_bucket`
  static constexpr std::int64_t default_limit = 1'000'000'000;  ///< of the two others
  std::int64_t prefetch_bucket = default_bucket;                ///< stage3_prefetch_bucket_size
  std::int64_t max_live = default_limit;                        ///< stage3_max_live_parameters: nothing is gathered ahead beyond that
  std::int64_t reuse_distance = default_limit;                  ///< stage3_max_reuse_distance: what is used again sooner stays

  /// Whether they are DeepSpeed's defaults.
  constexpr bool is_plain() const {
    return ((prefetch_bucket ^ default_bucket) | (max_live ^ default_limit) | (reuse_distance ^ default_limit)) == 0;
  }

  // By hand: a defaulted one costs a compiler ten times as much.
  friend constexpr bool operator==(const zero_3_limits& left, const zero_3_limits& right) {
    return left.prefetch_bucket == right.prefetch_bucket && left.max_live == right.max_live && left.reuse_distance == right.reuse_distance;
  }
};

/// How states are divided over replicas, beside the ZeRO stage. Filled in by `zero`, `fsdp` and `hsdp`.
struct sharding_spec {
  shard_layout layout = shard_layout::flat;      ///< `flat_units` and `tensors`: FSDP, which shards everything; `plan_spec::zero` is 0 then
  bool reshard_after_forward = true;             ///< false: gathered weights stay until backward has used them
  std::int64_t ranks = unset;                    ///< ranks of a shard group (HSDP, MiCS); unset: all of dp x cp
  std::int64_t secondary = unset;                ///< ranks that share a second copy of the weights (hpZ); unset: there is none
  std::int64_t prefetch = 1;                     ///< units that are gathered ahead of the one that is computed; not by module
  gather_unit unit = gather_unit::by_framework;  ///< what ZeRO-3 gathers at once
  zero_3_limits limits{};                        ///< what it keeps gathered, by module

  /// Whether weights, gradients and optimizer state are all sharded by `fsdp` or `hsdp`.
  constexpr bool is_fsdp() const { return layout >= shard_layout::flat_units; }

  /// Whether something was said of what ZeRO-3 gathers at once.
  constexpr bool says_unit() const { return int(unit) != 0 || !limits.is_plain(); }

  /// Whether nothing was said: what nearly every plan is.
  constexpr bool is_plain() const {
    return layout == shard_layout::flat && prefetch == 1 && ranks == unset && secondary == unset && reshard_after_forward && !says_unit();
  }

  // By hand: a defaulted one costs a compiler ten times as much.
  friend constexpr bool operator==(const sharding_spec& left, const sharding_spec& right) {
    return int(left.layout) == int(right.layout) && left.reshard_after_forward == right.reshard_after_forward &&
           left.ranks == right.ranks && left.secondary == right.secondary && left.prefetch == right.prefetch &&
           int(left.unit) == int(right.unit) && left.limits == right.limits;
  }
};

/// In `zero<3, ...>`: MiCS (arXiv 2205.00119; DeepSpeed `mics_shard_size`): states are sharded over groups of `Ranks` ranks and replicated
/// over the groups, so that gathering stays inside a group.
template <std::int64_t Ranks>
struct mics {
  static constexpr void set(sharding_spec& spec) { spec.ranks = Ranks; }
};

/// In `zero<1 to 3, ...>`: the same for any stage. Megatron-LM's distributed optimizer with several instances (dp x cp / `Ranks` of them)
/// shards its state over groups of `Ranks` ranks.
template <std::int64_t Ranks>
struct shard_group {
  static constexpr void set(sharding_spec& spec) { spec.ranks = Ranks; }
};

/// In `zero<3, ...>`: hpZ of ZeRO++ (arXiv 2306.10209; DeepSpeed `zero_hpz_partition_size`): a second copy of the weights, in the compute
/// precision, is sharded over groups of `Ranks` ranks, commonly a node, and gathered in backward.
template <std::int64_t Ranks>
struct hpz {
  static constexpr void set(sharding_spec& spec) { spec.secondary = Ranks; }
};

/// In `zero<1, ...>`: the buffers of Megatron-LM's distributed optimizer: each parameter starts at a multiple of 64 elements, buckets end
/// at a multiple of the ranks and of 128 (parallel/buckets.hpp).
struct megatron_buckets {
  static constexpr void set(sharding_spec& spec) { spec.layout = shard_layout::megatron_buckets; }
};

/// In `fsdp<...>` and `hsdp<...>`: FSDP1 (torch FullyShardedDataParallel): each block is one flat buffer.
struct flat_units {
  static constexpr void set(sharding_spec& spec) { spec.layout = shard_layout::flat_units; }
};

/// In `fsdp<...>`, `hsdp<...>` and `zero<3, ...>` (default true): whether gathered weights are freed after forward. False keeps the whole
/// model gathered from forward to backward (FSDP1: SHARD_GRAD_OP).
template <bool On>
struct reshard_after_forward {
  static constexpr void set(sharding_spec& spec) { spec.reshard_after_forward = On; }
};

/// In `fsdp<...>`, `hsdp<...>` and `zero<3, ...>` (default 1): units that are gathered ahead of the one that is computed.
template <std::int64_t Units>
struct prefetch {
  static constexpr void set(sharding_spec& spec) { spec.prefetch = Units; }
};

/// In `zero<3, ...>` (default under `frameworks::deepspeed`): weights are gathered module by module, as DeepSpeed does, with its
/// `stage3_prefetch_bucket_size`, `stage3_max_live_parameters` and `stage3_max_reuse_distance`, elements.
template <std::int64_t PrefetchBucket = zero_3_limits{}.prefetch_bucket, std::int64_t MaxLive = zero_3_limits{}.max_live,
          std::int64_t ReuseDistance = zero_3_limits{}.reuse_distance>
struct gather_modules {
  static constexpr void set(sharding_spec& spec) {
    spec.unit = gather_unit::module;
    spec.limits = {PrefetchBucket, MaxLive, ReuseDistance};
  }
};

/// In `zero<3, ...>` (default without a framework): weights are gathered block by block, `prefetch` blocks ahead.
struct gather_blocks {
  static constexpr void set(sharding_spec& spec) { spec.unit = gather_unit::block; }
};

/// What can stand behind the number in `zero<...>` and `hsdp<...>`, and in `fsdp<...>`.
template <class Type>
concept sharding_option = requires(sharding_spec& spec) {
  Type::set(spec);
};

/// Part of a plan (default 0): ZeRO stage (arXiv 1910.02054). 0: every replica holds all states. 1: master weights and optimizer state are
/// sharded over dp x cp. 2: gradients too. 3: weights too. Routed experts are sharded over world / (etp x ep x pp).
/// A shard is the flat buffer of a rank divided by the number of sharers, rounded up once for dense and once for expert parameters.
/// `zero<1, megatron_buckets>`, `zero<3, mics<8>>` and `zero<3, hpz<8>>` divide differently.
template <std::int64_t Stage, sharding_option... Options>
struct zero {
  static constexpr part_kind kind = part_kind::zero;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::zero>(spec);
    spec.zero = Stage;
    (Options::set(spec.sharding), ...);
  }
};

/// Part of a plan: fully sharded data parallelism: weights, gradients and optimizer state are sharded over dp x cp (routed experts over
/// world / (etp x ep x pp)), gradients are freed between steps. FSDP2 (torch `fully_shard`), each tensor by itself, unless `flat_units` is
/// said. Stands in the place of `zero`.
template <sharding_option... Options>
struct fsdp {
  static constexpr part_kind kind = part_kind::fsdp;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::fsdp>(spec);
    spec.sharding.layout = shard_layout::tensors;
    (Options::set(spec.sharding), ...);
  }
};

/// Part of a plan: hybrid sharding (torch HYBRID_SHARD, a two-dimensional mesh): `fsdp` over groups of `ShardRanks` of the dp x cp ranks,
/// replicated over the groups. Routed experts are replicated as often.
template <std::int64_t ShardRanks, sharding_option... Options>
struct hsdp {
  static constexpr part_kind kind = part_kind::fsdp;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    fsdp<Options...>::apply(spec);
    spec.sharding.ranks = ShardRanks;
  }
};

/// Estimate: elements that are gathered at once at most when they are gathered module by module, of `all` that a rank computes with;
/// `largest` is the largest module. What comes again within `reuse_distance` is not freed: around the turn from forward to backward, and
/// between a block's recomputation and its backward, half of that distance lies before the turn. A needed module is gathered whatever else
/// is there; beside them a bucket is gathered ahead as long as no more than `max_live` are there (deepspeedai/DeepSpeed
/// runtime/zero/partitioned_param_coordinator.py, `fetch_sub_module` and `__params_to_release`). Not counted: tensors below
/// `stage3_param_persistence_threshold`, which always stay, and what the last prefetched parameter is longer than the bucket.
constexpr std::int64_t gathered_at_once(const zero_3_limits& limits, std::int64_t largest, std::int64_t all) {
  const std::int64_t kept = limits.reuse_distance / 2 > largest ? limits.reuse_distance / 2 : largest;
  if (kept >= all) return all;
  const std::int64_t room = limits.max_live > kept ? limits.max_live - kept : 0;
  const std::int64_t ahead = room < limits.prefetch_bucket ? room : limits.prefetch_bucket;
  return all - kept < ahead ? all : kept + ahead;
}

/// Elements of the fullest shard of a flat buffer that `sharers` ranks divide: rounded up, so the last shard may end in padding.
constexpr std::int64_t flat_shard(std::int64_t elements, std::int64_t sharers) { return ceil_divide(elements, sharers); }

}  // namespace shardplan
