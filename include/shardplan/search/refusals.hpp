// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

/// What searches and sweeps refuse by name: types that are declared and never defined, so that a compiler prints them in its one error
/// line.

namespace shardplan {

/// So many candidates of a search, or rows of a sweep.
template <std::int64_t Count>
struct candidates;
/// So many values in one list.
template <std::int64_t Count>
struct values;

/// A search at compile time that has more candidates than `most_candidates`. Say fewer values (`among<tp<1>, tp<8>>`, or a part as it shall
/// be: `tp<8>`), raise the bound, or search at run time with `best_of`.
template <class Candidates, class Most>
struct search_space_too_large;

/// All rows of a sweep that has more than `most_sweep_rows`. Ask for some of them (`row<i>`), or for all at run time (`evaluate`).
template <class Candidates, class Most>
struct sweep_too_large;

/// `list<>` in a sweep, `among<>` or `device_counts<>` in a search: nothing could be tried. Where nothing shall vary, leave it away.
template <class List>
struct list_without_values;

/// `among<...>` with more values of one kind than a `search_space` has room for.
template <class Values, class Most>
struct too_many_values;

/// `among<Part>` with a part that no search varies. What can be searched is tp, pp, cp, ep, etp, micro_batch, zero with fsdp and hsdp,
/// recompute and schedule; anything else is said as it is.
template <class Part>
struct not_searched;

/// `device_counts<12>` on hosts of 8 devices: up to the devices of one host any number, beyond whole hosts.
template <class Devices, class DevicesOfHost>
struct no_whole_hosts;

namespace detail {

template <class List>
struct refused_list {
  enum : unsigned long { explanation = sizeof(list_without_values<List>) };  // the one error line
  static constexpr bool ok = true;                                           // so that nothing fails a second time
};

}  // namespace detail

}  // namespace shardplan
