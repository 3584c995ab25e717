// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// The slots that a plan has, one for each kind of part. A plan may fill each once; the first five must be filled. A part type says its
/// slot as `static constexpr part_kind kind` and writes its fields in `template <class Spec> static constexpr void apply(Spec&)`, which
/// begins with `note_part<kind>(spec)`. The list stands here, left of everything, because parts live in many folders and none of them may
/// know the spec.
enum class part_kind {
  model,                 ///< `model<>`, needed
  cluster,               ///< `cluster<>`, needed
  host_memory,           ///< `host_memory<>`: GiB of the host's memory
  framework,             ///< `framework<>`: whose rules hold
  sequence,              ///< `sequence<>`, needed; tokens
  micro_batch,           ///< `micro_batch<>`, needed; sequences
  global_batch,          ///< `global_batch<>`, needed; sequences
  accumulation,          ///< `accumulation<>`: micro-batches of a step
  tp,                    ///< `tp<>`: tensor parallel degree
  pp,                    ///< `pp<>`: pipeline parallel degree
  dp,                    ///< `dp<>`: data parallel degree
  cp,                    ///< `cp<>`: context parallel degree
  ep,                    ///< `ep<>`: expert parallel degree
  etp,                   ///< `etp<>`: tensor parallel degree of routed experts
  sequence_parallel,     ///< `sequence_parallel<>`: a switch
  zero,                  ///< `zero<>`: ZeRO stage, 0 to 3
  fsdp,                  ///< `fsdp<>` or `hsdp<>`: everything is sharded
  offload,               ///< `offload<>`: what leaves the device
  layer_split,           ///< `layer_split<>`: layers of each stage
  pipeline_slots,        ///< `pipeline_slots<>`: what counts as a layer when layers are laid out
  vocabulary_multiple,   ///< `vocabulary_multiple<>`: rows that the vocabulary is padded to a multiple of
  schedule,              ///< `schedule<>`: the order in the pipeline
  optimizer,             ///< `optimizer<>`: what is kept for each parameter
  precision,             ///< `precision<>`: bytes of each form of a parameter
  recompute,             ///< `recompute<>`: what backward computes again
  recompute_layers,      ///< `recompute_layers<>`: in which layers
  kernels,               ///< `kernels<>`: which tensors the implementation keeps for backward
  attention,             ///< `attention<>`: the attention kernel
  dropout,               ///< `dropout<>`: where dropout is on
  context_exchange,      ///< `context_exchange<>`: how context parallel ranks come by keys and values
  expert_load,           ///< `expert_load<>`: tokens of the fullest rank's experts
  cross_entropy,         ///< `cross_entropy<>`: the loss kernel
  overheads,             ///< `overheads<>`: what a framework allocates beside the tensors of the model
  buckets,               ///< `buckets<>`: buffers that gradients pass through
  headroom,              ///< `headroom<>`: MiB that stay free
  overlap,               ///< `overlap<>`: how much of what travels hides behind computation
  rank_order,            ///< `rank_order<>`: how ranks are numbered
  link_efficiency,       ///< `link_efficiency<>`: what links reach of their nominal rates
  collectives,           ///< `collectives<>`: rings, trees, levels or switches
  node_limited_routing,  ///< `node_limited_routing<>`: nodes that a token's experts lie on
  communication,         ///< `communication<>`: what an implementation decides about bytes
};

namespace detail {
template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;
template <class Type>
struct plain {
  using type = Type;
};
template <class Type>
struct plain<const Type> {
  using type = Type;
};
}  // namespace detail

/// The first thing that a part's `apply` does: notes its slot in the spec, and that it was said before if so.
template <part_kind Kind, class Spec>
constexpr void note_part(Spec& spec) {
  constexpr std::uint64_t slot = std::uint64_t{1} << static_cast<int>(Kind);
  spec.repeated_parts |= spec.said_parts & slot;
  spec.said_parts |= slot;
}

namespace detail {
// Only a constant can be its argument: a member that is not constexpr, or not static, fails the concept that asks for it.
template <bool>
struct needs_constant;
}  // namespace detail

/// A type that can stand in a plan: it names its slot.
template <class Type>
concept part = requires {
  requires detail::same<typename detail::plain<decltype(Type::kind)>::type, part_kind>;
};

/// Declared and never defined: `plan<..., int>` is one error line that names `no_part_of_a_plan<int>`.
template <class Type>
struct no_part_of_a_plan;

}  // namespace shardplan
