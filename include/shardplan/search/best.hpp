// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The exhaustive search for types, cut into constants that stay inside a compiler's default limits. At run time: search/best_of.hpp.
#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/plan/facts.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/simulated_timing.hpp>
#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/best_options.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/best_walk.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// Declared and never defined: the one error of a search at compile time that has more candidates than `most_candidates`. Say fewer values
/// (`among<tp<1>, tp<8>>`, or a part as it shall be: `tp<8>`), raise the bound, or search at run time with `best_of`.
template <class Candidates, class Most>
struct search_space_too_large;
/// So many candidates.
template <std::int64_t Count>
struct candidates;
/// Declared and never defined: the plan of a search in which no candidate is legal and fits, with the rule that refused most of them.
template <class Candidates, class Reason>
struct no_plan_fits;
/// The rule that refused most candidates.
template <rule Broken>
struct mostly;

namespace detail {

template <class Done, class... Rest>
struct plan_parts {
  using type = Done;
};
template <class List, class Part, bool Skip>
struct with_part {
  using type = List;
};
template <class... Parts, class Part>
struct with_part<part_list<Parts...>, Part, false> {
  using type = part_list<Parts..., Part>;
};
template <class Done, class First, class... Rest>
struct plan_parts<Done, First, Rest...> : plan_parts<typename with_part<Done, First, search_option<First>>::type, Rest...> {};

// All parts that `among` lists, one after the other, and the default ones behind them.
template <class... Lists>
struct joined;
template <class... Parts>
struct joined<part_list<Parts...>> {
  using type = part_list<Parts...>;
};
template <class... Left, class... Right, class... Rest>
struct joined<part_list<Left...>, part_list<Right...>, Rest...> : joined<part_list<Left..., Right...>, Rest...> {};
template <class Option>
struct listed_in {
  using type = part_list<>;
};
template <class Option>
requires requires { typename Option::listed_parts; }
struct listed_in<Option> {
  using type = typename Option::listed_parts;
};
using default_parts =
    part_list<zero<0>, zero<1>, zero<2>, zero<3>, fsdp<>, schedule<schedules::one_f_one_b>, schedule<schedules::interleaved<2>>,
              schedule<schedules::interleaved<3>>, schedule<schedules::interleaved<4>>, schedule<schedules::zb_h1>>;

template <class Part>
constexpr void read_option(search_setup& setup) {
  if constexpr (search_option<Part>) Part::set(setup);
}
template <class... Parts>
constexpr search_setup setup_of() {
  search_setup setup{};
  (read_option<Parts>(setup), ...);
  return setup;
}
template <class... Parts>
constexpr std::uint64_t said_by(part_list<Parts...>) {
  plan_spec spec = unsaid;
  if constexpr ((applicable_part<Parts> && ...)) (Parts::apply(spec), ...);
  return spec.said_parts;
}

// The lists that were said stand in the place of the default ones.
constexpr search_space space_of(search_space space, const search_space& said) {
  const auto take = [](auto& list, const auto& other) {
    if (other.length != 0) list = other;
  };
  take(space.devices, said.devices);
  take(space.cp, said.cp);
  take(space.ep, said.ep);
  take(space.etp, said.etp);
  take(space.tp, said.tp);
  take(space.pp, said.pp);
  take(space.micro_batch, said.micro_batch);
  take(space.sharding, said.sharding);
  take(space.recompute, said.recompute);
  take(space.schedule, said.schedule);
  return space;
}

template <std::int64_t Count, std::int64_t Most>
struct refused_space {
  enum : unsigned long { explanation = sizeof(search_space_too_large<candidates<Count>, at_most<Most>>) };  // the one error line
  static constexpr bool ok = true;  // so that nothing fails a second time
};

// What a search of types is about.
template <class Model, class Cluster, class... Parts>
struct asked_search {
  using parts = typename plan_parts<part_list<>, Parts...>::type;
  using listed = typename joined<typename listed_in<Parts>::type..., default_parts>::type;
  template <class... Fixed>
  static constexpr plan_core<model<Model>, Cluster, Fixed...> core_of(part_list<Fixed...>);
  static constexpr plan_spec fixed = decltype(core_of(parts{}))::spec;
  static constexpr search_setup setup = setup_of<Parts...>();
  static constexpr std::uint64_t said = said_by(parts{});
  static constexpr search_space space = space_of(default_space_of(fixed, said), setup.space);
  static constexpr std::int64_t count = in_order(space).count();
  // A space that is too large is refused by name: nothing of it is searched.
  static constexpr bool searches = count <= setup.most_candidates;
  static constexpr search_question question = question_of(fixed, searches ? space : search_space{}, setup.by);
};

// A part says one thing: as it is, or as a list.
template <class Model, class Cluster, class... Parts>
concept says_each_once = (asked_search<Model, Cluster, Parts...>::said & asked_search<Model, Cluster, Parts...>::setup.bounded) == 0;

template <class Asked, bool Searches = Asked::searches>
inline constexpr bool is_small_enough = true;
template <class Asked>
inline constexpr bool is_small_enough<Asked, false> = refused_space<Asked::count, Asked::setup.most_candidates>::ok;

// About what GCC and Clang let one constant cost, less a reserve: Clang counts 1,048,576 steps.
inline constexpr std::int64_t work_of_a_piece = 500'000;
template <class Asked>
constexpr search_progress walk_on(search_progress progress) {
  best_walk<plan_spec> walk{Asked::question, progress};
  walk.run(work_of_a_piece);
  return progress;
}
template <class Asked, int Pieces>
inline constexpr search_progress walked = walk_on<Asked>(walked<Asked, Pieces - 1>);
template <class Asked>
inline constexpr search_progress walked<Asked, 0> = search_progress{};
template <class Asked, int Pieces, bool Ends>
struct walk_end : walk_end<Asked, Pieces + 1, walked<Asked, Pieces + 1>.next == Asked::question.grid.count> {};
template <class Asked, int Pieces>
struct walk_end<Asked, Pieces, true> {
  static constexpr int pieces = Pieces;
  static constexpr const search_progress& progress = walked<Asked, Pieces>;
};
template <class Asked>
inline constexpr search_result ranked_by_formula = result_from(Asked::fixed, Asked::question.space, Asked::setup.by,
                                                               walk_end<Asked, 0, false>::progress);

// A plan of the list as the closed forms rank it.
template <class Asked, int At>
inline constexpr listed_plan listed_at = ranked_by_formula<Asked>.top[At];

// The first part of a list that says what the plan has.
template <class Part, class Asked, int At>
constexpr bool says_sharding() {
  if constexpr (Part::kind != part_kind::zero && Part::kind != part_kind::fsdp) return false;
  plan_spec spec = unsaid;
  Part::apply(spec);
  return sharding_choice{spec.zero, spec.sharding} == listed_at<Asked, At>.sharding;
}
template <class Part, class Asked, int At>
constexpr bool says_schedule() {
  if constexpr (Part::kind != part_kind::schedule) return false;
  plan_spec spec = unsaid;
  Part::apply(spec);
  return spec.schedule == listed_at<Asked, At>.schedule;
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

template <class Asked>
inline constexpr int simulated_plans = static_cast<int>(played_of(ranked_by_formula<Asked>.top, Asked::setup.by, Asked::setup.simulated,
                                                                  Asked::setup.simulated_passes));

template <class Model, class Cluster, class Asked, int At>
constexpr double simulated_step_of() {
  constexpr listed_plan found = listed_at<Asked, At>;
  if constexpr (found.pp != 1 && found.step > 0 && can_be_played(found.schedule, found.pp, found.micro_batches))
    return simulated_timing<typename plan_of_listed<Model, Cluster, Asked, At>::type>.step;
  return 0;
}

template <class Model, class Cluster, class Asked, int... At>
constexpr search_result played_again(index_pack<int, At...>) {
  search_result result = ranked_by_formula<Asked>;
  result.simulated = sizeof...(At);
  ((result.top.values[At].simulated_step = simulated_step_of<Model, Cluster, Asked, At>()), ...);
  rank_again(result.top, result.simulated);
  if (result.found) result.plan = plan_of(Asked::fixed, result.top.values[0]);
  return result;
}

// Where a plan of the final list stands in that of the closed forms.
constexpr int place_of(const search_result& formula, std::int64_t index) {
  int at = 0;
  for (const listed_plan& found : formula.top) {
    if (found.index == index) break;
    ++at;
  }
  return at;
}
constexpr rule most_frequent(const search_result& result) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < rule_slots; ++at)
    if (result.rejected_by_rule[at] > result.rejected_by_rule[most]) most = at;
  return static_cast<rule>(most);
}

template <class Model, class Cluster, class Asked>
struct best_of_types {
  static constexpr search_result result = played_again<Model, Cluster, Asked>(make_index_pack<simulated_plans<Asked>>{});
  template <int At>
  static constexpr auto plan_at() {
    if constexpr (At < static_cast<int>(result.top.length)) {
      constexpr int place = place_of(ranked_by_formula<Asked>, result.top.values[At].index);
      return static_cast<typename plan_of_listed<Model, Cluster, Asked, place>::type*>(nullptr);
    } else {
      return static_cast<no_plan_fits<candidates<result.considered>, mostly<most_frequent(result)>>*>(nullptr);
    }
  }
};
template <class Pointer>
struct pointed;
template <class Type>
struct pointed<Type*> {
  using type = Type;
};

}  // namespace detail

/// The best of all legal plans that fit, for a model type, a `cluster<...>` and further parts. What a part says is fixed (sequence and
/// global batch must be said, `tp<8>` may be); what no part says is searched: tp, pp, cp, ep, the micro-batch, ZeRO, recompute and the
/// schedule with its chunks, dp being what the devices leave. The values are those of `default_space_of` or those of `among<...>`; further
/// options are `rank_by`, `device_counts`, `simulate_best` and `most_candidates`:
/// `best<models::llama2_70b, cluster<devices::h100_sxm_80gb, 8, 8>, sequence<4096>, global_batch<512>>::plan`.
/// The answer is that of `best_of` with the same options. Errors: one line that names `search_space_too_large`; a part that is said and
/// searched as well is refused by the constraint.
template <class Model, class Cluster, class... Parts>
requires(detail::says_each_once<Model, Cluster, Parts...>) struct best {
  /// True: there is no other. Asking for it is what insists on a space that a compiler can search.
  enum : bool { is_searched = detail::is_small_enough<detail::asked_search<Model, Cluster, Parts...>> };
  /// What was found, as `best_of` returns it.
  static constexpr search_result result = detail::best_of_types<Model, Cluster, detail::asked_search<Model, Cluster, Parts...>>::result;
  /// One of the best plans as a plan type, 0 for the best; `no_plan_fits<...>`, which is never defined, where the list ends before.
  template <int At>
  using plan_at = typename detail::pointed<
      decltype(detail::best_of_types<Model, Cluster, detail::asked_search<Model, Cluster, Parts...>>::template plan_at<At>())>::type;
  /// The best plan, a plan type.
  using plan = plan_at<0>;
  static constexpr bool found = result.found;                    ///< whether any legal plan fits
  static constexpr std::int64_t considered = result.considered;  ///< candidates
  static constexpr std::int64_t fitting = result.fitting;        ///< of these legal and within memory
  static constexpr std::int64_t timed = result.timed;            ///< of these timed
  static constexpr std::int64_t simulated = result.simulated;    ///< first plans of the list that were ranked again by simulation
  /// The best plans as values, in order.
  static constexpr const static_vector<listed_plan, most_listed>& top = result.top;
  /// Refused candidates, by `rule`: each is counted once, under the first rule that it breaks.
  static constexpr const std::int64_t (&rejected_by_rule)[rule_slots] = result.rejected_by_rule;
};

}  // namespace shardplan
