// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/doctor/allocator_message.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/memory/printed_size.hpp>
#include <shardplan/plan/size_match.hpp>
#include <shardplan/plan/tensors_of_size.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan {

/// What an out-of-memory message says about a plan.
struct size_diagnosis {
  size_matches tensors{};    ///< what of the plan has the size that could not be allocated
  diagnosis causes{};        ///< of `symptom::out_of_memory`: first those that such a tensor points at, then the others, each ranked
  std::size_t named = 0;     ///< how many causes stand in front because a tensor, or the message itself, points at them
  allocator_message said{};  ///< the sizes of the message; of a size alone `requested`
  bytes planned{};           ///< what the plan says the allocator of the worst rank holds: the peak without `reserve`
};

/// The cause that a tensor of that kind points at.
template <class Spec = plan_spec>
constexpr cause cause_of(const Spec& spec, const size_match& match) {
  switch (match.extent) {
    case size_extent::loss: return cause::mem_logits;
    case size_extent::activation:
    case size_extent::kept: return cause::mem_activations;
    case size_extent::account:
      if (match.what == literal{"activations"}) return cause::mem_activations;
      return match.what == literal{"optimizer"} ? cause::mem_first_step : cause::mem_states;
    case size_extent::bucket: return cause::mem_unit;
    default: return shards_weights(spec) && match.shared_by == 1 ? cause::mem_unit : cause::mem_states;
  }
}

namespace detail {
template <class Spec>
constexpr bytes planned_allocations(const Spec& spec) {
  const patient who = examined(spec);
  return who.computable ? who.worst[who.worst.peak].allocated() : bytes{};
}
}  // namespace detail

/// The diagnosis of an out-of-memory message by the sizes that it printed. Every tensor that has the size that was asked for is a possible
/// explanation; without one the causes are those of `symptom::out_of_memory`. A message that says that the allocator held enough, in
/// pieces, points at `cause::mem_fragment`, which is in front of all then.
template <class Spec = plan_spec>
constexpr size_diagnosis diagnosis_of(const Spec& spec, const allocator_message& said) {
  size_diagnosis result{};
  result.said = said;
  result.planned = detail::planned_allocations(spec);
  result.tensors = tensors_of_size(spec, said.requested);
  if (said.was_in_pieces())
    for (const finding& item : diagnosis_of(spec, symptom::out_of_memory_later))
      if (item.which == cause::mem_fragment) result.causes.push_back(item);
  const diagnosis all = diagnosis_of(spec, symptom::out_of_memory);
  const auto is_named = [&](cause pointed) {
    for (const size_match& match : result.tensors)
      if (cause_of(spec, match) == pointed) return true;
    return false;
  };
  for (const finding& item : all)
    if (is_named(item.which)) result.causes.push_back(item);
  result.named = result.causes.length;
  for (const finding& item : all)
    if (!is_named(item.which)) result.causes.push_back(item);
  return result;
}

/// The same for a size alone: `diagnosis_of(run::spec, printed_as(2644, 100, 1_GiB))`.
template <class Spec = plan_spec>
constexpr size_diagnosis diagnosis_of(const Spec& spec, const printed_size& size) {
  allocator_message said{};
  said.requested = size;
  return diagnosis_of(spec, said);
}

/// The same for the text of a message, as it was printed: `diagnosis_of(run::spec, "CUDA out of memory. Tried to allocate 26.44 GiB (GPU 0;
/// 79.15 GiB total capacity; ...")`. No error for any text; a null pointer is an empty one.
template <class Spec = plan_spec>
constexpr size_diagnosis diagnosis_of(const Spec& spec, const char* message) {
  return diagnosis_of(spec, read_allocator_message(message));
}

}  // namespace shardplan
