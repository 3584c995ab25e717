// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/plan/facts.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/search/best_options.hpp>
#include <shardplan/search/best_question.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/best_walk.hpp>
#include <shardplan/search/refusals.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

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

// The first number of devices that is no whole hosts.
constexpr std::int64_t broken_hosts(const plan_spec& fixed, const search_space& space) {
  for (const std::int64_t counted : space.devices)
    if (!are_whole_hosts(fixed, counted)) return counted;
  return unset;
}

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

// Why a search of types is refused by name, and nothing of it is searched.
enum class search_refusal { none, crowded, hosts, large };

template <class Asked, search_refusal Why>
inline constexpr bool can_be_asked = true;
template <class Why>
struct refused_search {
  enum : unsigned long { explanation = sizeof(Why) };  // the one error line
  static constexpr bool ok = true;                     // so that nothing fails a second time
};
template <class Asked>
inline constexpr bool can_be_asked<Asked, search_refusal::crowded> =
    refused_search<too_many_values<values<Asked::setup.crowd>, at_most<Asked::setup.room>>>::ok;
template <class Asked>
inline constexpr bool can_be_asked<Asked, search_refusal::hosts> = refused_search<
    no_whole_hosts<device_count<broken_hosts(Asked::fixed, Asked::space)>, devices_per_node<Asked::fixed.devices_per_node>>>::ok;
template <class Asked>
inline constexpr bool can_be_asked<Asked, search_refusal::large> =
    refused_search<search_space_too_large<candidates<Asked::count>, at_most<Asked::setup.most_candidates>>>::ok;

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
  static constexpr search_space space = space_of(default_space_of(fixed, said, setup.space.devices), setup.space);
  static constexpr std::int64_t count = in_order(space).count();
  static constexpr search_refusal refusal = setup.crowd != 0                      ? search_refusal::crowded
                                            : broken_hosts(fixed, space) != unset ? search_refusal::hosts
                                            : count > setup.most_candidates       ? search_refusal::large
                                                                                  : search_refusal::none;
  static constexpr search_question question = question_of(fixed, refusal == search_refusal::none ? space : search_space{}, setup.by);
};

// A part says one thing: as it is, or as a list.
template <class Model, class Cluster, class... Parts>
concept says_each_once = (asked_search<Model, Cluster, Parts...>::said & asked_search<Model, Cluster, Parts...>::setup.bounded) == 0;

// What stands behind model and cluster.
template <class Type>
concept search_part = search_option<Type> || needed_part<Type>;

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

}  // namespace detail

}  // namespace shardplan
