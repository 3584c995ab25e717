// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/prove.hpp>
#include <shardplan/schedule/transfers.hpp>

/// The proofs of schedule/prove.hpp and the transfers of schedule/transfers.hpp for tables made at run time.

namespace shardplan {

/// What is broken in a table; empty when everything holds. `spec` says what its ranks may keep, `bubble` the closed form of its makespan
/// bubble at F = I = W = 1 where there is one (`closed_bubble<S>(p, m, stage_times{})`), `peaks` what is exact of its live activations
/// (`peak_form_of<S>()`).
inline broken_invariants prove(const op_table& table, const schedule_spec& spec, const closed_form& bubble = {},
                               const peak_form& peaks = {}) {
  broken_invariants found{};
  if (!table.complete) {
    detail::find_on_ranks(table, found);
  } else if (!table.ends) {
    detail::find_circle(table, table.slices[0].next, found);
  } else {
    detail::find_across_ranks(table, spec, peaks, found);
    if (found.empty()) detail::find_in_time(table, bubble, found);
  }
  return found;
}

/// What is broken in a table of `Schedule`, with all that it says of itself.
template <class Schedule>
broken_invariants prove(const op_table& table) {
  return prove(table, Schedule::spec, closed_bubble<Schedule>(table.shape.ranks, table.shape.micro_batches, stage_times{}),
               peak_form_of<Schedule>());
}

/// The transfers of a table. Error: `schedule_never_ends`.
inline transfer_facts transfers_of(const op_table& table) { return detail::facts_of_transfers(table); }

}  // namespace shardplan
