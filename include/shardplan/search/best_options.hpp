// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/search/best_result.hpp>
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
};

template <class... Parts>
struct part_list {};

// A part that a list of `search_space` is for.
constexpr bool is_searched(part_kind kind) {
  constexpr std::uint64_t searched = bit_of(part_kind::tp) | bit_of(part_kind::pp) | bit_of(part_kind::cp) | bit_of(part_kind::ep) |
                                     bit_of(part_kind::etp) | bit_of(part_kind::micro_batch) | bit_of(part_kind::zero) |
                                     bit_of(part_kind::fsdp) | bit_of(part_kind::recompute) | bit_of(part_kind::schedule);
  return (searched & bit_of(kind)) != 0;
}

// Adds what `Part` says to the list that is for it.
template <class Part>
constexpr void add_to_space(search_space& space) {
  plan_spec spec{};
  Part::apply(spec);
  switch (Part::kind) {
    case part_kind::tp: space.tp.push_back(spec.tp); break;
    case part_kind::pp: space.pp.push_back(spec.pp); break;
    case part_kind::cp: space.cp.push_back(spec.cp); break;
    case part_kind::ep: space.ep.push_back(spec.ep); break;
    case part_kind::etp: space.etp.push_back(spec.etp); break;
    case part_kind::micro_batch: space.micro_batch.push_back(spec.micro_batch); break;
    case part_kind::zero:
    case part_kind::fsdp: space.sharding.push_back({spec.zero, spec.sharding}); break;
    case part_kind::recompute: space.recompute.push_back(spec.recompute); break;
    case part_kind::schedule: space.schedule.push_back(spec.schedule); break;
    default: break;
  }
}

template <class Type>
concept searched_part = part<Type> && is_searched(Type::kind);

}  // namespace detail

/// What can stand between the parts of `best` and `smallest_cluster` and is no part of a plan.
template <class Type>
concept search_option = requires(detail::search_setup& setup) {
  Type::set(setup);
};

/// Option of a search: the values that are tried, in the place of the default ones: `among<tp<1>, tp<2>, tp<3>>`, `among<zero<1>, fsdp<>>`,
/// `among<schedule<schedules::zb_v>, schedule<schedules::interleaved<8>>>`. Parts of several kinds may stand in one. What can be searched
/// is tp, pp, cp, ep, etp, micro_batch, zero with fsdp and hsdp, recompute and schedule. A space with a name is a type that derives from
/// it: `struct my_space : among<tp<1>, tp<8>> {};`.
template <detail::searched_part... Parts>
struct among {
  using listed_parts = detail::part_list<Parts...>;  ///< so that a plan can be put together from them
  template <class Setup>
  static constexpr void set(Setup& setup) {
    ((setup.bounded |= bit_of(Parts::kind)), ...);
    (detail::add_to_space<Parts>(setup.space), ...);
  }
};

/// Option of a search (default: those of the cluster): the numbers of devices that are tried. Up to those of one host they lie on one host;
/// beyond they must be whole hosts.
template <std::int64_t... Devices>
struct device_counts {
  template <class Setup>
  static constexpr void set(Setup& setup) {
    (setup.space.devices.push_back(Devices), ...);
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

}  // namespace shardplan
