// SPDX-License-Identifier: BSL-1.0
#pragma once

/// "How many devices does this model need?"
#include <shardplan/core/checked.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/hardware/device.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/search/best_asked.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/best_options.hpp>
#include <shardplan/search/best_question.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/candidate.hpp>
#include <shardplan/search/cluster_sizes.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Hosts that are tried at most where nothing else is said.
inline constexpr std::int64_t most_hosts = 128;

/// The least number of devices on which any plan of a space is legal and fits.
struct cluster_answer {
  bool found = false;        ///< whether there is one up to the bound
  std::int64_t devices = 0;  ///< the number; 0 where there is none
  /// The number that the search began with: fewer devices cannot hold the states, however they are divided. Above the bound, and at least
  /// 1, where nothing was searched.
  std::int64_t least = 0;
  std::int64_t searched = 0;  ///< numbers of devices that were searched
  search_result search{};     ///< the search of that number, or of the last one: `search.plan` is the plan
};

namespace detail {

// Every byte of states that stays on a device is shared by all: no plan needs less.
template <class Spec>
constexpr bool states_may_fit(const Spec& fixed, const parameter_totals& totals, std::int64_t devices) {
  Spec spec = fixed;
  set_devices(spec, devices);
  spec.zero = spec.sharding.is_fsdp() ? 0 : 3;
  spec.tp = spec.pp = spec.ep = spec.etp = 1;
  return least_memory(spec, totals, {}) <= spec.device.memory.count;
}

// Where the model, the device or the size of a host says nothing, no number of devices is searched.
template <class Spec>
constexpr bool has_sizes(const Spec& fixed) {
  Spec spec{};  // what `least_memory` reads, and beside it nothing that could break a range
  spec.model = fixed.model;
  spec.device = fixed.device;
  spec.devices_per_node = fixed.devices_per_node;
  spec.optimizer = fixed.optimizer;
  spec.precision = fixed.precision;
  spec.headroom_mebibytes = fixed.headroom_mebibytes;
  spec.nodes = spec.sequence = spec.micro_batch = spec.global_batch = 1;
  return !breaks_a_range(spec) && has_whole_heads(fixed.model);
}

// The first number of devices that may hold the states; more than the bound where none does. More devices never need more of each.
template <class Spec>
constexpr std::int64_t least_devices(const Spec& fixed, std::int64_t most_devices) {
  const std::int64_t node = fixed.devices_per_node;
  if (!has_sizes(fixed)) return most_devices + 1;
  const parameter_totals totals = totals_of(fixed);
  std::int64_t devices = 1;
  for (; devices < node && devices <= most_devices; devices = next_count(devices, node))
    if (states_may_fit(fixed, totals, devices)) return devices;
  if (devices > most_devices) return devices;
  std::int64_t too_few = 0;
  std::int64_t hosts = most_devices / node;
  if (!states_may_fit(fixed, totals, hosts * node)) return (hosts + 1) * node;
  while (hosts - too_few > 1) {
    const std::int64_t middle = too_few + (hosts - too_few) / 2;
    (states_may_fit(fixed, totals, middle * node) ? hosts : too_few) = middle;
  }
  return hosts * node;
}

// A rule of the first tier refuses every candidate: no number of devices changes that.
constexpr bool is_hopeless(const search_result& search) {
  return search.rejected_by(rule::missing_part) + search.rejected_by(rule::repeated_part) + search.rejected_by(rule::out_of_range) +
             search.rejected_by(rule::too_large) + search.rejected_by(rule::malformed_part) ==
         search.considered;
}

// No plan has more devices or hosts than the limits; of none, or fewer, there are none.
constexpr std::int64_t most_devices_on(std::int64_t node, std::int64_t most_nodes) {
  if (node < 1 || most_nodes < 1) return 0;
  const std::int64_t bound = saturating_multiply(node, most_nodes < limits::nodes ? most_nodes : limits::nodes);
  return bound < limits::devices ? bound : limits::devices;
}

template <class Spec, class Search>
constexpr cluster_answer smallest_from(const Spec& fixed, const cluster_sizes& sizes, std::int64_t most_nodes, Search search) {
  cluster_answer answer{};
  const std::int64_t node = fixed.devices_per_node;
  const std::int64_t most = most_devices_on(node, most_nodes);
  answer.least = least_devices(fixed, most);
  for (std::int64_t devices = answer.least; devices != 0 && devices <= most; devices = next_size(sizes, devices, node, most)) {
    Spec spec = fixed;
    set_devices(spec, devices);
    answer.search = search(spec);
    ++answer.searched;
    if (answer.search.found) {
      answer.found = true;
      answer.devices = devices;
      break;
    }
    if (is_hopeless(answer.search)) break;
  }
  return answer;
}

}  // namespace detail

/// The least number of devices on which a plan of `fixed` is legal and fits, over the default space of each number (`default_space_of`
/// with `said`), and the best plan there. `fixed.devices_per_node` is the size of a host; its `nodes` is not read. Looked at are parts of a
/// host in powers of two, then whole hosts one by one, up to `most_nodes`: a larger cluster is no proof that a smaller one does, as degrees
/// must divide. Searched is the first number that could hold the states, then only those that are tp x pp x cp x dp of degrees in the space
/// and a dp that divides the batch: no other has a plan. So the work has a bound that `most_nodes` is no part of: no more searches than
/// there are such products. Errors: those of `best_of`.
template <class... Own, class Spec = plan_spec>
constexpr cluster_answer smallest_cluster_of(const Spec& fixed, std::int64_t most_nodes = most_hosts, const search_options& options = {},
                                             std::uint64_t said = 0) {
  Spec alone = fixed;
  alone.nodes = 1;
  return detail::smallest_from(fixed, detail::default_sizes_of(alone, said), most_nodes,
                               [&](const Spec& sized) { return best_of<Own...>(sized, default_space_of(sized, said), options); });
}

/// The same with a space of one's own for every number of devices; its list of devices is not read.
template <class... Own, class Spec = plan_spec>
constexpr cluster_answer smallest_cluster_of(const Spec& fixed, const search_space& space, std::int64_t most_nodes = most_hosts,
                                             const search_options& options = {}) {
  search_space degrees_alone = space;
  degrees_alone.devices.length = 0;
  return detail::smallest_from(fixed, detail::sizes_of(fixed, degrees_alone), most_nodes,
                               [&](const Spec& sized) { return best_of<Own...>(sized, degrees_alone, options); });
}

/// Option of `smallest_cluster` (default 8 and 128): devices of a host, and most hosts. (Each number that is searched nests templates one
/// deeper: compilers go through about 800. Numbers that no plan can have are passed over.)
template <std::int64_t DevicesPerNode, std::int64_t MostNodes = most_hosts>
struct hosts_of {
  static constexpr std::int64_t node = DevicesPerNode;
  static constexpr std::int64_t most_nodes = MostNodes;
  template <class Setup>
  static constexpr void set(Setup&) {}
};

namespace detail {

template <class... Parts>
struct hosts_among {
  using type = hosts_of<8>;
};
template <class First, class... Rest>
struct hosts_among<First, Rest...> : hosts_among<Rest...> {};
template <std::int64_t DevicesPerNode, std::int64_t MostNodes, class... Rest>
struct hosts_among<hosts_of<DevicesPerNode, MostNodes>, Rest...> {
  using type = hosts_of<DevicesPerNode, MostNodes>;
};

template <class Device, std::int64_t Node, std::int64_t Devices>
using cluster_of_count = cluster<Device, (Devices < Node ? Devices : Node), (Devices < Node ? 1 : Devices / Node)>;

// What `among` lists stands in the place of the default degrees.
template <class Asked>
constexpr cluster_sizes sizes_of_asked() {
  cluster_sizes sizes = default_sizes_of(Asked::fixed, Asked::said);
  const auto replace = [](auto& list, const number_list& said) {
    if (said.empty()) return;
    list.length = 0;
    list_degrees(list, said, 1);
  };
  replace(sizes.tp, Asked::setup.space.tp);
  replace(sizes.pp, Asked::setup.space.pp);
  replace(sizes.cp, Asked::setup.space.cp);
  return sizes;
}
template <class Asked>
inline constexpr cluster_sizes asked_sizes = sizes_of_asked<Asked>();

// The search of a number of devices, and of the next one where nothing fits.
template <class Model, class Device, class Hosts, class First, std::int64_t Devices, int Searched, bool Ends, class... Parts>
struct count_search {
  using next = asked_search<Model, cluster_of_count<Device, Hosts::node, Devices>, Parts...>;
  static constexpr std::int64_t most = most_devices_on(Hosts::node, Hosts::most_nodes);
  static constexpr bool stays = ranked_by_formula<next>.found || is_hopeless(ranked_by_formula<next>);
  static constexpr std::int64_t further = stays ? 0 : next_size(asked_sizes<First>, Devices, Hosts::node, most);
  static constexpr bool ends = further == 0;
  using last = typename count_search<Model, Device, Hosts, First, ends ? Devices : further, Searched + !ends, ends, Parts...>::last;
};
template <class Model, class Device, class Hosts, class First, std::int64_t Devices, int Searched, class... Parts>
struct count_search<Model, Device, Hosts, First, Devices, Searched, true, Parts...> {
  using last = count_search;
  using search = best<Model, cluster_of_count<Device, Hosts::node, Devices>, Parts...>;
  static constexpr std::int64_t devices = Devices;
  static constexpr int searched = Searched;
};

template <class Model, class Device, class Hosts, class... Parts>
struct smallest_of_types {
  using first = asked_search<Model, cluster<Device, Hosts::node, 1>, Parts...>;
  static constexpr std::int64_t most = most_devices_on(Hosts::node, Hosts::most_nodes);
  static constexpr std::int64_t least = least_devices(first::fixed, most);
  using last = typename count_search<Model, Device, Hosts, first, (least > most ? most : least), 1, (least > most), Parts...>::last;
};

template <class Part>
inline constexpr bool counts_devices = false;
template <std::int64_t... Devices>
inline constexpr bool counts_devices<device_counts<Devices...>> = true;

}  // namespace detail

/// "How many devices?": the least number of devices on which any plan is legal and fits, as a type. `Parts` are those of `best`, and
/// `hosts_of<8, 64>`: `smallest_cluster<models::llama2_70b, devices::h100_sxm_80gb, sequence<4096>, global_batch<512>>::devices`.
/// `device_counts<...>` is refused by the constraint: the number is what is asked for.
template <transformer_model Model, device Device, detail::search_part... Parts>
requires(!detail::counts_devices<Parts> && ...) struct smallest_cluster {
  /// The search of that number of devices, a `best<...>`.
  using search = typename detail::smallest_of_types<Model, Device, typename detail::hosts_among<Parts...>::type, Parts...>::last::search;
  static constexpr bool found = search::found;  ///< whether any plan fits up to the bound on hosts
  /// The number that the search began with: fewer devices cannot hold the states, however they are divided.
  static constexpr std::int64_t least =
      detail::smallest_of_types<Model, Device, typename detail::hosts_among<Parts...>::type, Parts...>::least;
  /// The number of devices; 0 where there is none.
  static constexpr std::int64_t devices =
      found ? detail::smallest_of_types<Model, Device, typename detail::hosts_among<Parts...>::type, Parts...>::last::devices : 0;
  /// The best plan on so many devices, a plan type.
  using plan = typename search::plan;
};

}  // namespace shardplan
