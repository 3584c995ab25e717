// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// Parts of a host are tried in powers of two, then whole hosts.
constexpr std::int64_t next_count(std::int64_t devices, std::int64_t node) {
  if (devices >= node) return devices + node;
  return 2 * devices < node ? 2 * devices : node;
}

// Numbers of devices that any plan can have. World = tp x pp x cp x dp, and dp divides the batch (or is said): no rule needs to be asked
// about any other number. A superset: what else a rule says of a plan is for the search.
struct cluster_sizes {
  static_vector<std::int64_t, 320> tp{};  // a number up to 4,096 has no more divisors, one of a sequence neither
  static_vector<std::int64_t, limits::stages> pp{};
  static_vector<std::int64_t, 320> cp{};
  static_vector<std::int64_t, 1536> dp{};  // ascending; a batch up to 2^32 has no more divisors

  // The ranks of a replica: the product of a degree of each list.
  template <class Visit>
  constexpr void each_replica(Visit visit) const {
    for (const std::int64_t tensor : tp)
      for (const std::int64_t pipeline : pp)
        for (const std::int64_t context : cp) visit(saturating_multiply(saturating_multiply(tensor, pipeline), context));
  }
  constexpr bool has_replicas(std::int64_t replicas) const {
    std::size_t from = 0;
    for (std::size_t to = dp.length; from < to;) {
      const std::size_t middle = from + (to - from) / 2;
      if (dp.values[middle] < replicas)
        from = middle + 1;
      else
        to = middle;
    }
    return from < dp.length && dp.values[from] == replicas;
  }
  constexpr bool has(std::int64_t devices) const {
    bool found = false;
    each_replica([&](std::int64_t ranks) { found = found || (devices % ranks == 0 && has_replicas(devices / ranks)); });
    return found;
  }
  // The least number of whole hosts of `node` devices, at least `hosts`, that is one of them; 0 where there is none up to `most`.
  constexpr std::int64_t whole_hosts(std::int64_t hosts, std::int64_t most, std::int64_t node) const {
    std::int64_t least = 0;
    each_replica([&](std::int64_t ranks) {
      for (const std::int64_t replicas : dp) {
        const std::int64_t devices = saturating_multiply(ranks, replicas);
        const std::int64_t on = devices / node;
        if (on > most || (least != 0 && on >= least)) return;
        if (on >= hosts && devices % node == 0) least = on;
      }
    });
    return least;
  }
};

template <class List>
constexpr void list_divisors(List& list, std::int64_t number, std::int64_t most) {
  std::int64_t small = 1;
  for (; small <= most && small * small <= number; ++small)
    if (number % small == 0) list.push_back(small);
  for (std::int64_t at = static_cast<std::int64_t>(list.length) - 1; at >= 0; --at) {
    const std::int64_t large = number / list.values[at];
    if (large != list.values[at] && large <= most) list.push_back(large);
  }
}
template <class List>
constexpr void list_degrees(List& list, const number_list& said, std::int64_t otherwise) {
  for (const std::int64_t degree : said)
    if (degree >= 1) list.push_back(degree);
  if (said.empty() && otherwise >= 1) list.push_back(otherwise);
}

template <class Spec>
constexpr void list_replicas(cluster_sizes& sizes, const Spec& spec) {
  const std::int64_t batch = spec.global_batch;
  if (batch < 1 || batch > limits::batch) return;
  if (spec.dp == unset) return list_divisors(sizes.dp, batch, batch);
  if (spec.dp >= 1 && batch % spec.dp == 0) sizes.dp.push_back(spec.dp);
}

// Of a space of one's own.
template <class Spec>
constexpr cluster_sizes sizes_of(const Spec& spec, const search_space& space) {
  cluster_sizes sizes{};
  list_degrees(sizes.tp, space.tp, spec.tp);
  list_degrees(sizes.pp, space.pp, spec.pp);
  list_degrees(sizes.cp, space.cp, spec.cp);
  list_replicas(sizes, spec);
  return sizes;
}
// Of the default space of every number of devices, the parts said staying as they are.
template <class Spec>
constexpr cluster_sizes default_sizes_of(const Spec& spec, std::uint64_t said) {
  cluster_sizes sizes{};
  if (!has_searchable_ranges(spec)) return sizes;
  const auto is_said = [&](part_kind slot) { return (said & bit_of(slot)) != 0; };
  const std::int64_t joined = topology_of(spec.device, spec.devices_per_node, spec.nodes).ranks_in(domain::fabric);
  const std::int64_t close = joined > spec.devices_per_node ? joined : spec.devices_per_node;
  if (is_said(part_kind::tp))
    list_degrees(sizes.tp, {}, spec.tp);
  else
    list_divisors(sizes.tp, spec.model.heads, clamped(close, 1, limits::degree));
  if (is_said(part_kind::pp))
    list_degrees(sizes.pp, {}, spec.pp);
  else
    list_pipelines(sizes.pp, spec, [](std::int64_t) { return true; });
  if (is_said(part_kind::cp))
    list_degrees(sizes.cp, {}, spec.cp);
  else
    list_divisors(sizes.cp, spec.sequence, clamped(spec.sequence / least_context_tokens, 1, limits::degree));
  list_replicas(sizes, spec);
  return sizes;
}

// The next number of devices behind `devices` that any plan can have; 0 where there is none up to `most`.
constexpr std::int64_t next_size(const cluster_sizes& sizes, std::int64_t devices, std::int64_t node, std::int64_t most) {
  std::int64_t next = next_count(devices, node);
  for (; next < node && next <= most; next = next_count(next, node))
    if (sizes.has(next)) return next;
  return next > most ? 0 : node * sizes.whole_hosts(next / node, most / node, node);
}

}  // namespace shardplan::detail
