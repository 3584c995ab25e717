// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

namespace detail {

// One field of a spec that a list of the space is for; outermost first. What is cheap to refuse stands outside.
enum class dimension { devices, cp, ep, etp, tp, pp, sharding, micro_batch, recompute, schedule };
inline constexpr int dimension_count = 10;

// Where the candidate with an index lies in each list: mixed radix, the last dimension runs fastest.
struct candidate_grid {
  std::int64_t lengths[dimension_count]{};
  std::int64_t strides[dimension_count]{};
  std::int64_t count = 1;

  constexpr std::int64_t length(dimension of) const { return lengths[static_cast<int>(of)]; }
  constexpr std::int64_t stride(dimension of) const { return strides[static_cast<int>(of)]; }
  constexpr std::int64_t place(std::int64_t index, dimension of) const { return index / stride(of) % length(of); }
};

constexpr candidate_grid grid_of(const search_space& space) {
  candidate_grid grid{};
  const std::size_t lengths[] = {space.devices.length,   space.cp.length,      space.ep.length,       space.etp.length,
                                 space.tp.length,        space.pp.length,      space.sharding.length, space.micro_batch.length,
                                 space.recompute.length, space.schedule.length};
  for (int at = dimension_count - 1; at >= 0; --at) {
    grid.lengths[at] = lengths[at] == 0 ? 1 : static_cast<std::int64_t>(lengths[at]);
    grid.strides[at] = grid.count;
    grid.count = saturating_multiply(grid.count, grid.lengths[at]);
  }
  return grid;
}

template <class Spec>
constexpr bool are_whole_hosts(const Spec& spec, std::int64_t devices) {
  const std::int64_t node = spec.devices_per_node;
  return devices >= 1 && node >= 1 && (devices <= node || devices % node == 0);
}
// Up to the devices of a host on one host, beyond whole hosts.
template <class Spec>
constexpr void set_devices(Spec& spec, std::int64_t devices) {
  const std::int64_t node = spec.devices_per_node;
  if (!are_whole_hosts(spec, devices)) argument_out_of_range();
  spec.nodes = devices <= node ? 1 : devices / node;
  if (devices < node) spec.devices_per_node = devices;
}
template <class Spec, class List>
constexpr void set_number(Spec& spec, std::int64_t Spec::*field, const List& list, std::int64_t at) {
  if (list.length != 0) spec.*field = list.values[at];
}
template <class Spec>
constexpr void set_sharding(Spec& spec, const search_space& space, std::int64_t at) {
  if (space.sharding.length == 0) return;
  spec.zero = space.sharding.values[at].zero;
  spec.sharding = space.sharding.values[at].sharding;
}

// Of two names the first in the alphabet.
constexpr bool is_before(literal left, literal right) {
  const char* first = left.characters;
  const char* second = right.characters;
  for (; *first != '\0' && *first == *second; ++first) ++second;
  return *first < *second;
}
constexpr bool is_before(std::int64_t left, std::int64_t right) { return left < right; }
constexpr bool is_before(recomputes left, recomputes right) { return static_cast<unsigned>(left) < static_cast<unsigned>(right); }
// What choices are ordered by, the first number first.
struct sharding_order {
  std::int64_t numbers[10];
};
constexpr sharding_order order_of(const sharding_choice& choice) {
  const sharding_spec& one = choice.sharding;
  return {{one.is_fsdp() ? 3 : choice.zero, static_cast<std::int64_t>(one.layout), one.ranks, one.secondary,
           one.reshard_after_forward ? 0 : 1, one.prefetch, static_cast<std::int64_t>(one.unit), one.limits.prefetch_bucket,
           one.limits.max_live, one.limits.reuse_distance}};
}
constexpr bool is_before(const sharding_choice& left, const sharding_choice& right) {
  const sharding_order first = order_of(left);
  const sharding_order second = order_of(right);
  for (std::size_t at = 0; at < sizeof first.numbers / sizeof first.numbers[0]; ++at)
    if (first.numbers[at] != second.numbers[at]) return first.numbers[at] < second.numbers[at];
  return false;
}
// One chunk and one slice first, 1F1B before others of them, then by name.
constexpr bool is_before(const schedule_spec& left, const schedule_spec& right) {
  if (left.chunks != right.chunks) return left.chunks < right.chunks;
  if (left.slices != right.slices) return left.slices < right.slices;
  const literal first = "one_f_one_b";
  if ((left.name == first) != (right.name == first)) return left.name == first;
  return is_before(left.name, right.name);
}

// `list` ascending, each value once: the order of a list must not matter to a search.
template <class List>
constexpr List in_order(const List& list) {
  List sorted{};
  for (const auto& value : list) {
    std::size_t at = sorted.length;
    while (at > 0 && is_before(value, sorted.values[at - 1])) --at;
    bool is_there = false;
    for (const auto& known : sorted) is_there = is_there || known == value;
    if (is_there) continue;
    for (std::size_t behind = sorted.length; behind > at; --behind) sorted.values[behind] = sorted.values[behind - 1];
    sorted.values[at] = value;
    ++sorted.length;
  }
  return sorted;
}

}  // namespace detail

/// The same space with every list ascending and without repeated values: what a search goes through, so that neither the order of a list
/// nor a repetition changes its answer. Schedules are ordered by chunks, slices, 1F1B first, then by name. (Two of one name that differ
/// otherwise stay in the order in which they were said.)
constexpr search_space in_order(const search_space& space) {
  search_space sorted{};
  sorted.devices = detail::in_order(space.devices);
  sorted.cp = detail::in_order(space.cp);
  sorted.ep = detail::in_order(space.ep);
  sorted.etp = detail::in_order(space.etp);
  sorted.tp = detail::in_order(space.tp);
  sorted.pp = detail::in_order(space.pp);
  sorted.micro_batch = detail::in_order(space.micro_batch);
  sorted.sharding = detail::in_order(space.sharding);
  sorted.recompute = detail::in_order(space.recompute);
  sorted.schedule = detail::in_order(space.schedule);
  return sorted;
}

/// The candidate with that index, 0 to `space.count() - 1`: `fixed` with one value of each list. The last list, of schedules, runs fastest;
/// before it recompute, micro_batch, sharding, pp, tp, etp, ep, cp, and devices slowest. Error: `argument_out_of_range` for an index
/// beyond, and for devices that are no whole hosts.
template <class Spec = plan_spec>
constexpr Spec candidate_of(const Spec& fixed, const search_space& space, std::int64_t index) {
  const detail::candidate_grid grid = detail::grid_of(space);
  if (index < 0 || index >= grid.count) argument_out_of_range();
  Spec spec = fixed;
  const auto place = [&](detail::dimension of) { return grid.place(index, of); };
  if (space.devices.length != 0) detail::set_devices(spec, space.devices.values[place(detail::dimension::devices)]);
  detail::set_number(spec, &Spec::cp, space.cp, place(detail::dimension::cp));
  detail::set_number(spec, &Spec::ep, space.ep, place(detail::dimension::ep));
  detail::set_number(spec, &Spec::etp, space.etp, place(detail::dimension::etp));
  detail::set_number(spec, &Spec::tp, space.tp, place(detail::dimension::tp));
  detail::set_number(spec, &Spec::pp, space.pp, place(detail::dimension::pp));
  detail::set_sharding(spec, space, place(detail::dimension::sharding));
  detail::set_number(spec, &Spec::micro_batch, space.micro_batch, place(detail::dimension::micro_batch));
  if (space.recompute.length != 0) spec.recompute = space.recompute.values[place(detail::dimension::recompute)];
  if (space.schedule.length != 0) spec.schedule = space.schedule.values[place(detail::dimension::schedule)];
  return spec;
}

}  // namespace shardplan
