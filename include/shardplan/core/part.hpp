// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// The slots that a plan has, one for each kind of part. A plan may fill each once; the first five must be filled. A part type says its
/// slot as `static constexpr part_kind kind` and writes its fields in `template <class Spec> static constexpr void apply(Spec&)`, which
/// begins with `note_part<kind>(spec)`. The list stands here, left of everything, because parts live in many folders and none of them may
/// know the spec.
enum class part_kind {
  model,
  cluster,
  sequence,
  micro_batch,
  global_batch,
  tp,
  pp,
  dp,
  cp,
  ep,
  etp,
  sequence_parallel,
  zero,
  offload,
  layer_split,
  vocabulary_multiple,
  schedule,
  optimizer,
  precision,
  recompute,
  headroom,
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
  constexpr std::uint32_t slot = std::uint32_t{1} << static_cast<int>(Kind);
  spec.repeated_parts |= spec.said_parts & slot;
  spec.said_parts |= slot;
}

/// A type that can stand in a plan: it names its slot.
template <class Type>
concept part = requires {
  requires detail::same<typename detail::plain<decltype(Type::kind)>::type, part_kind>;
};

/// Declared and never defined: `plan<..., int>` is one error line that names `no_part_of_a_plan<int>`.
template <class Type>
struct no_part_of_a_plan;

namespace detail {
// GCC does not print the type that a concept refused, so the refusal is an error of its own, and the concept holds after it: nothing fails
// twice.
template <class Type>
struct refused {
  enum : unsigned long { explanation = sizeof(no_part_of_a_plan<Type>) };
  static constexpr bool ok = true;
};
template <class Type>
concept needed_part = part<Type> || refused<Type>::ok;
}  // namespace detail

}  // namespace shardplan
