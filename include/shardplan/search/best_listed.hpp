// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/best_asked.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// A plan of the list as the closed forms rank it.
template <class Asked, int At>
inline constexpr listed_plan listed_at = ranked_by_formula<Asked>.top[At];

template <class Part, part_kind Kind>
inline constexpr bool says_kind = false;  // what is no part was refused by name
template <applicable_part Part, part_kind Kind>
inline constexpr bool says_kind<Part, Kind> = Part::kind == Kind;

// The first part of a list that says what the plan has.
template <class Part, class Asked, int At>
constexpr bool says_sharding() {
  if constexpr (says_kind<Part, part_kind::zero> || says_kind<Part, part_kind::fsdp>) {
    plan_spec spec = unsaid;
    Part::apply(spec);
    return sharding_choice{spec.zero, spec.sharding} == listed_at<Asked, At>.sharding;
  }
  return false;
}
template <class Part, class Asked, int At>
constexpr bool says_schedule() {
  if constexpr (says_kind<Part, part_kind::schedule>) {
    plan_spec spec = unsaid;
    Part::apply(spec);
    return spec.schedule == listed_at<Asked, At>.schedule;
  }
  return false;
}
template <bool Found, class First, class Next>
struct first_found {
  using type = First;
};
template <class First, class Next>
struct first_found<false, First, Next> : Next {};
template <class List, class Asked, int At>
struct sharding_part;
template <class First, class... Rest, class Asked, int At>
struct sharding_part<part_list<First, Rest...>, Asked, At>
    : first_found<says_sharding<First, Asked, At>(), First, sharding_part<part_list<Rest...>, Asked, At>> {};
template <class List, class Asked, int At>
struct schedule_part;
template <class First, class... Rest, class Asked, int At>
struct schedule_part<part_list<First, Rest...>, Asked, At>
    : first_found<says_schedule<First, Asked, At>(), First, schedule_part<part_list<Rest...>, Asked, At>> {};

// A list with one part, or none.
template <bool Is, class Part>
using only_if = typename with_part<part_list<>, Part, !Is>::type;
template <class List>
struct only_type;
template <class Type>
struct only_type<part_list<Type>> {
  using type = part_list<typename Type::type>;
};
template <>
struct only_type<part_list<>> {
  using type = part_list<>;
};

template <class Cluster, std::int64_t DevicesPerNode, std::int64_t Nodes>
struct resized {
  using type = Cluster;
};
template <class Device, std::int64_t Before, std::int64_t NodesBefore, std::int64_t DevicesPerNode, std::int64_t Nodes>
struct resized<cluster<Device, Before, NodesBefore>, DevicesPerNode, Nodes> {
  using type = cluster<Device, DevicesPerNode, Nodes>;
};

template <class List>
struct plan_from;
template <class... Parts>
struct plan_from<part_list<Parts...>> {
  using type = plan<Parts...>;
};

// A plan of the list as a type: what was said, and a part for all that was searched. What is as it is without a part stays unsaid.
template <class Model, class Cluster, class Asked, int At>
struct plan_of_listed {
  static constexpr listed_plan found = listed_at<Asked, At>;
  static constexpr bool is_open(part_kind kind) { return (Asked::said & bit_of(kind)) == 0; }
  static constexpr bool shards =
      is_open(part_kind::zero) && is_open(part_kind::fsdp) && !(found.sharding == sharding_choice{0, sharding_spec{}});
  static constexpr bool orders = is_open(part_kind::schedule) && !(found.schedule == schedules::one_f_one_b::spec);
  using type = typename plan_from<typename joined<
      part_list<model<Model>, typename resized<Cluster, found.devices_per_node, found.nodes>::type>, typename Asked::parts,
      only_if<is_open(part_kind::tp), tp<found.tp>>, only_if<is_open(part_kind::pp), pp<found.pp>>,
      only_if<is_open(part_kind::cp) && found.cp != 1, cp<found.cp>>, only_if<is_open(part_kind::ep) && found.ep != 1, ep<found.ep>>,
      only_if<is_open(part_kind::etp) && found.etp != 1, etp<found.etp>>,
      only_if<is_open(part_kind::micro_batch), micro_batch<found.micro_batch>>,
      typename only_type<only_if<shards, sharding_part<typename Asked::listed, Asked, At>>>::type,
      only_if<is_open(part_kind::recompute) && found.recompute != recomputes::none, recompute<found.recompute>>,
      typename only_type<only_if<orders, schedule_part<typename Asked::listed, Asked, At>>>::type>::type>::type;
};

}  // namespace shardplan::detail
