// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/memory/printed_size.hpp>
#include <shardplan/plan/size_match.hpp>
#include <shardplan/plan/tensors_of_size.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan {

/// What an out-of-memory message says about a plan.
struct size_diagnosis {
  size_matches tensors{};  ///< what of the plan has the size that could not be allocated
  diagnosis causes{};      ///< of `symptom::out_of_memory`: first those that such a tensor points at, then the others, each ranked
  std::size_t named = 0;   ///< how many causes stand in front because a tensor points at them
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

/// The diagnosis of an out-of-memory message: `diagnosis_of(run::spec, printed_in("Tried to allocate 26.44 GiB ..."))`. Every tensor that
/// has that size is a possible explanation; without one the causes are those of `symptom::out_of_memory`.
template <class Spec = plan_spec>
constexpr size_diagnosis diagnosis_of(const Spec& spec, const printed_size& size) {
  size_diagnosis result{};
  result.tensors = tensors_of_size(spec, size);
  const diagnosis all = diagnosis_of(spec, symptom::out_of_memory);
  const auto is_named = [&](cause which) {
    for (const size_match& match : result.tensors)
      if (cause_of(spec, match) == which) return true;
    return false;
  };
  for (const finding& item : all)
    if (is_named(item.which)) result.causes.push_back(item);
  result.named = result.causes.length;
  for (const finding& item : all)
    if (!is_named(item.which)) result.causes.push_back(item);
  return result;
}

}  // namespace shardplan
