// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// The change of one of the parts at fault after which a feature is supported.
template <class Spec>
constexpr remedy change_against(const Spec& spec, feature unsupported) {
  const auto stage = [&spec](std::int64_t value) { return has_zero_stages(spec.framework) ? remedy{remedy_kind::zero, value} : remedy{}; };
  switch (unsupported) {
    case feature::gradients_to_nvme: return {remedy_kind::gradients_to_host, static_cast<std::int64_t>(spec.offload.states)};
    case feature::weights_off_without_zero_3:
      return has_zero_stages(spec.framework) ? remedy{remedy_kind::zero, 3} : remedy{remedy_kind::fsdp, 0};
    case feature::fsdp_with_zero: return has_fsdp(spec.framework) ? remedy{remedy_kind::zero, 0} : remedy{};
    case feature::groups_of_whole_states: return stage(1);
    case feature::hpz_without_zero_3: return stage(3);
    case feature::megatron_buckets_without_zero_1: return stage(1);
    case feature::gathering_of_whole_weights:
      return has_zero_stages(spec.framework) ? remedy{remedy_kind::zero, 3} : remedy{remedy_kind::fsdp, 0};
    case feature::gather_unit_without_zero_3: return stage(3);
    case feature::inputs_to_nvme: return {};  // what `offload<>` then says is the plan's own
    case feature::sharded_gradients_in_pipeline: return {remedy_kind::zero, 1};
    case feature::expert_parallel_with_zero_3: return {remedy_kind::zero, spec.pp > 1 ? 1 : 2};  // a pipeline takes less
    case feature::experts_in_tp_without_sequence_parallel: return {remedy_kind::sequence_parallel, 0};
    case feature::interleaving_without_pipeline: return {remedy_kind::chunks, 1};
    case feature::fp8_weights_of_whole_states: return {remedy_kind::zero, 1};
    case feature::states_to_nvme_without_zero_3: return {remedy_kind::zero, 3};
    case feature::tied_embeddings_in_pipeline:
    case feature::next_token_layers_in_pipeline: return {remedy_kind::pp, 1};
    case feature::etp_apart_from_tp: return {remedy_kind::etp, 1};
  }
  return {};
}

// Which features are not supported, beside the count of all that is broken.
struct feature_sink : counting_sink {
  unsigned features = 0;  // a bit each

  constexpr void add_feature(feature unsupported) {
    ++count;
    features |= 1u << static_cast<int>(unsupported);
  }
};

// Writes the change that puts right what is not supported, where there is one after which that rule is kept, no other is newly broken and
// every number is legal. As with legal numbers, memory is not asked: a plan may then be told what it takes to fit.
template <class Spec, class Item>
constexpr void find_supported(const Spec& spec, Item& item) {
  const remedy change = change_against(spec, item.unsupported);
  feature_sink before{};
  check_combinations(spec, before);
  const Spec with = changed(spec, change);
  feature_sink after{};
  check_computable(with, after);
  if (after.count != 0) return;
  check_combinations(with, after);
  const unsigned left = before.features & ~(1u << static_cast<int>(item.unsupported));
  if ((after.features & ~left) == 0 && after.count < before.count) item.legal[0] = change;
}

template <class List>
constexpr bool has_features(const List& list) {
  for (const auto& item : list.items)
    if (item.broken == rule::not_supported) return true;
  return false;
}
template <class Spec, class List>
constexpr void find_all_supported(const Spec& spec, List& list) {
  for (auto& item : list.items)
    if (item.broken == rule::not_supported) find_supported(spec, item);
}

}  // namespace shardplan::detail
