// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/refusals.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// What the options of a search say.
struct search_setup {
  search_space space{};
  std::uint64_t bounded = 0;  // kinds of parts that `among` lists
  objective by = objective::step_time;
  std::int64_t simulated = static_cast<std::int64_t>(most_listed);
  std::int64_t simulated_passes = 2048;
  std::int64_t most_candidates = 20'000;
  // Of the first list that has no room for all its values: how many were said.
  part_kind crowded{};
  std::int64_t crowd = 0;  // 0: there is none
  std::int64_t room = 0;
};

template <class List, class Value>
constexpr void add_value(search_setup& setup, part_kind kind, List& list, const Value& value) {
  if (list.length < List::capacity()) {
    list.push_back(value);
  } else if (setup.crowd == 0) {
    setup.crowded = kind;
    setup.room = static_cast<std::int64_t>(List::capacity());
    setup.crowd = setup.room + 1;
  } else if (setup.crowded == kind) {
    ++setup.crowd;
  }
}

template <class... Parts>
struct part_list {};

// A part that a list of `search_space` is for.
constexpr bool is_searched(part_kind kind) {
  constexpr std::uint64_t searched = bit_of(part_kind::tp) | bit_of(part_kind::pp) | bit_of(part_kind::cp) | bit_of(part_kind::ep) |
                                     bit_of(part_kind::etp) | bit_of(part_kind::micro_batch) | bit_of(part_kind::zero) |
                                     bit_of(part_kind::fsdp) | bit_of(part_kind::recompute) | bit_of(part_kind::schedule);
  return (searched & bit_of(kind)) != 0;
}

template <class Type>
concept variable_part = applicable_part<Type> && is_searched(Type::kind);

// Adds what `Part` says to the list that is for it.
template <class Part>
constexpr void add_to_space(search_setup&) {}  // refused by name
template <variable_part Part>
constexpr void add_to_space(search_setup& setup) {
  search_space& space = setup.space;
  plan_spec spec{};
  Part::apply(spec);
  const auto add = [&](auto& list, const auto& value) { add_value(setup, Part::kind, list, value); };
  switch (Part::kind) {
    case part_kind::tp: add(space.tp, spec.tp); break;
    case part_kind::pp: add(space.pp, spec.pp); break;
    case part_kind::cp: add(space.cp, spec.cp); break;
    case part_kind::ep: add(space.ep, spec.ep); break;
    case part_kind::etp: add(space.etp, spec.etp); break;
    case part_kind::micro_batch: add(space.micro_batch, spec.micro_batch); break;
    case part_kind::zero: add_value(setup, part_kind::fsdp, space.sharding, sharding_choice{spec.zero, spec.sharding}); break;
    case part_kind::fsdp: add(space.sharding, sharding_choice{spec.zero, spec.sharding}); break;
    case part_kind::recompute: add(space.recompute, spec.recompute); break;
    case part_kind::schedule: add(space.schedule, spec.schedule); break;
    default: break;
  }
}

template <class Part>
constexpr void note_kind(search_setup& setup) {
  if constexpr (variable_part<Part>) setup.bounded |= bit_of(Part::kind);
}

// As in plan.hpp: what is refused is named, and the concept holds after it.
template <class Type>
struct refused_to_search : refused<Type> {};
template <applicable_part Type>
struct refused_to_search<Type> {
  enum : unsigned long { explanation = sizeof(not_searched<Type>) };
  static constexpr bool ok = true;
};
template <class Type>
concept searched_part = variable_part<Type> || refused_to_search<Type>::ok;

}  // namespace detail

/// What can stand between the parts of `best` and `smallest_cluster` and is no part of a plan.
template <class Type>
concept search_option = requires(detail::search_setup& setup) {
  Type::set(setup);
};

/// Option of a search: the values that are tried, in the place of the default ones: `among<tp<1>, tp<2>, tp<3>>`, `among<zero<1>, fsdp<>>`,
/// `among<schedule<schedules::zb_v>, schedule<schedules::interleaved<8>>>`. Parts of several kinds may stand in one. What can be searched
/// is tp, pp, cp, ep, etp, micro_batch, zero with fsdp and hsdp, recompute and schedule. A space with a name is a type that derives from
/// it: `struct my_space : among<tp<1>, tp<8>> {};`. Errors, each one line: `not_searched<sequence<4096>>`; one without values
/// (`list_without_values<among<>>`) and one with more than a `search_space` has room for (`too_many_values`) as soon as it is searched.
template <detail::searched_part... Parts>
struct among {
  using listed_parts = detail::part_list<Parts...>;  ///< so that a plan can be put together from them
  template <class Setup>
  static constexpr void set(Setup& setup) {
    (detail::note_kind<Parts>(setup), ...);
    (detail::add_to_space<Parts>(setup), ...);
  }
};

/// Option of a search (default: those of the cluster): the numbers of devices that are tried. Up to those of one host they lie on one host;
/// beyond they must be whole hosts (one error line, `no_whole_hosts`, if not).
template <std::int64_t... Devices>
struct device_counts {
  template <class Setup>
  static constexpr void set(Setup& setup) {
    (detail::add_value(setup, part_kind::cluster, setup.space.devices, Devices), ...);
  }
};

/// Option of a search (default `objective::step_time`): what plans are ranked by.
template <objective By>
struct rank_by {
  template <class Setup>
  static constexpr void set(Setup& setup) {
    setup.by = By;
  }
};

/// Option of a search by step time: so many of the best plans (32 at most) are ranked again with their schedules played, as long as their
/// tables have no more than `Passes` forward passes in all: `simulate_best<0>` plays none. Default: 32 and 2,048, a fraction of a second of
/// a compiler (docs/benchmarks.md); `simulate_best<32>` is what `best_of` does.
template <std::int64_t Plans, std::int64_t Passes = INT64_MAX>
struct simulate_best {
  template <class Setup>
  static constexpr void set(Setup& setup) {
    setup.simulated = Plans;
    setup.simulated_passes = Passes;
  }
};

/// Option of a search (default 20,000): candidates that a compiler may be asked to judge; more are one error line that names
/// `search_space_too_large`.
template <std::int64_t Candidates>
struct most_candidates {
  template <class Setup>
  static constexpr void set(Setup& setup) {
    setup.most_candidates = Candidates;
  }
};

namespace detail {

// Whether an option that is a list has a value.
template <class Option>
inline constexpr bool says_values = true;
template <class Option>
requires detail::same<typename Option::listed_parts, part_list<>>
inline constexpr bool says_values<Option> = refused_list<Option>::ok;
template <std::int64_t... Devices>
requires(sizeof...(Devices) ==
         0) inline constexpr bool says_values<device_counts<Devices...>> = refused_list<device_counts<Devices...>>::ok;

}  // namespace detail

}  // namespace shardplan
