// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/hardware/device.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/rank_order.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/recipe/attention.hpp>
#include <shardplan/recipe/collectives.hpp>
#include <shardplan/recipe/communication.hpp>
#include <shardplan/recipe/context_exchange.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/recipe/dropout.hpp>
#include <shardplan/recipe/expert_load.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/headroom.hpp>
#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/recipe/link_efficiency.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/overheads.hpp>
#include <shardplan/recipe/overlap.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Everything that is decided about a run, as one plain value. A `plan` type folds its parts into one; a program may also fill one in at
/// run time and pass it to `evaluate`. Every figure of the library is a constexpr function of it. Nothing in it is checked: a value that
/// cannot be right is a violation, found by `evaluate` and by `violations_of`, and never changed on the way. Fields that must be said start
/// as `unset`.
struct plan_spec {
  transformer model{};                                                    ///< all zero: not said
  device_spec device{};                                                   ///< `memory` 0: not said
  std::int64_t devices_per_node = unset;                                  ///< devices of one host
  std::int64_t nodes = unset;                                             ///< hosts
  std::int64_t host_memory_gibibytes = unset;                             ///< memory of one host; unset: not judged
  frameworks framework = frameworks::generic;                             ///< whose rules hold
  std::int64_t sequence = unset;                                          ///< tokens of a sequence
  std::int64_t micro_batch = unset;                                       ///< sequences
  std::int64_t global_batch = unset;                                      ///< sequences
  std::int64_t accumulation = unset;                                      ///< unset: what the batch leaves
  std::int64_t tp = 1;                                                    ///< tensor parallel degree
  std::int64_t pp = 1;                                                    ///< pipeline parallel degree
  std::int64_t dp = unset;                                                ///< unset: what the cluster leaves
  std::int64_t cp = 1;                                                    ///< context parallel degree
  std::int64_t ep = 1;                                                    ///< expert parallel degree
  std::int64_t etp = 1;                                                   ///< tensor parallel degree of routed experts
  toggle sequence_parallel = toggle::by_default;                          ///< by default: on exactly when tp > 1
  std::int64_t zero = 0;                                                  ///< ZeRO stage; 0 under FSDP, which `sharding` says
  sharding_spec sharding{};                                               ///< how states are divided, beside the stage
  offload_spec offload{};                                                 ///< what leaves the device
  layer_counts layer_split{};                                             ///< layers of each stage (chunk); empty: equal
  std::int64_t vocabulary_multiple = unset;                               ///< unset: as the framework pads (derived.hpp)
  overlap_spec overlap{};                                                 ///< what hides behind computation, for `timing`
  link_efficiency_spec link_efficiency{};                                 ///< what links reach, for `timing`
  collective_spec collectives{};                                          ///< rings or other algorithms, for `traffic` and `timing`
  std::int64_t routed_nodes = 0;                                          ///< nodes that a token's experts lie on; 0: any
  communication_spec communication{};                                     ///< what an implementation decides about bytes
  rank_orders rank_order = rank_orders::megatron;                         ///< how ranks are numbered
  schedule_spec schedule = schedules::one_f_one_b::spec;                  ///< the order in the pipeline
  optimizer_spec optimizer = optimizers::adamw::spec;                     ///< what is kept for each parameter
  precision_spec precision = precisions::bf16_fp32_master::spec;          ///< bytes of each form of a parameter
  recomputes recompute = recomputes::none;                                ///< what backward computes again
  recompute_layers_spec recompute_layers{};                               ///< in which layers
  kernel_spec kernels = kernel_sets::transformer_engine::spec;            ///< which tensors are kept for backward
  attentions attention = attentions::by_kernels;                          ///< the attention kernel
  dropouts dropout = dropouts::by_kernels;                                ///< where dropout is on
  context_exchanges context_exchange = context_exchanges::all_to_all;     ///< how context parallel ranks come by keys and values
  expert_load_spec expert_load{};                                         ///< tokens of the fullest rank's experts
  loss_spec loss = losses::in_place::spec;                                ///< what head and loss hold of a logit
  overhead_spec overheads = overhead_sets::transformer_engine::spec;      ///< what a framework allocates beside tensors
  bucket_spec buckets{};                                                  ///< buffers that gradients pass through
  std::int64_t headroom_mebibytes = default_headroom::total.count >> 20;  ///< MiB of each device that stay free
  std::uint64_t said_parts = 0;      ///< while parts are folded: bit `part_kind` of each; 0 in a finished spec
  std::uint64_t repeated_parts = 0;  ///< bit `part_kind`: a plan type said this part more than once

  // By hand and a template, as those of its larger parts: who does not compare does not pay for it. A defaulted one costs Clang 2 % of the
  // umbrella (tests/static/spec asks it of every field).
  template <class Same>
  requires detail::same<Same, plan_spec>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.model == right.model && left.device == right.device && left.devices_per_node == right.devices_per_node &&
           left.nodes == right.nodes && left.host_memory_gibibytes == right.host_memory_gibibytes &&
           int(left.framework) == int(right.framework) && left.sequence == right.sequence && left.micro_batch == right.micro_batch &&
           left.global_batch == right.global_batch && left.accumulation == right.accumulation && left.tp == right.tp &&
           left.pp == right.pp && left.dp == right.dp && left.cp == right.cp && left.ep == right.ep && left.etp == right.etp &&
           int(left.sequence_parallel) == int(right.sequence_parallel) && left.zero == right.zero && left.sharding == right.sharding &&
           left.offload == right.offload && left.layer_split == right.layer_split &&
           left.vocabulary_multiple == right.vocabulary_multiple && left.overlap == right.overlap &&
           left.link_efficiency == right.link_efficiency && left.collectives == right.collectives &&
           left.routed_nodes == right.routed_nodes && left.communication == right.communication &&
           int(left.rank_order) == int(right.rank_order) && left.schedule == right.schedule && left.optimizer == right.optimizer &&
           left.precision == right.precision && int(left.recompute) == int(right.recompute) &&
           left.recompute_layers == right.recompute_layers && left.kernels == right.kernels &&
           int(left.attention) == int(right.attention) && int(left.dropout) == int(right.dropout) &&
           int(left.context_exchange) == int(right.context_exchange) && left.expert_load == right.expert_load && left.loss == right.loss &&
           left.overheads == right.overheads && left.buckets == right.buckets && left.headroom_mebibytes == right.headroom_mebibytes &&
           left.said_parts == right.said_parts && left.repeated_parts == right.repeated_parts;
  }
};

}  // namespace shardplan
