// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The exhaustive search at run time. `best` (search/best.hpp) is the same for types. Plays schedules, so that it brings the tables of all
/// built-in ones along.
#include <shardplan/core/checked.hpp>
#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/search/best_question.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/best_walk.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What a search is asked for beside its space.
struct search_options {
  objective by = objective::step_time;  ///< what legal plans that fit are ranked by
  /// By step time: so many of the best plans are ranked again with their schedules played op by op; `most_listed` at most.
  std::int64_t simulated = static_cast<std::int64_t>(most_listed);
  /// Forward passes of a table that is played; a plan that needs more keeps its closed form. A long step is timed by a short one where that
  /// is exact (schedule/extended_play.hpp).
  std::int64_t simulated_passes = INT64_MAX;
  /// A space with more candidates is refused: a billion take from a minute to a quarter of an hour.
  std::int64_t most_candidates = 1'000'000'000;
};

/// The best of all plans of a space, and how many were refused by which rule. Every candidate is judged by every rule and by memory, and
/// counted once; what fits is timed by the closed form of its schedule, and the first of the list are ranked again by simulation (a
/// schedule is found among `Own` and the built-in ones; one that is not known keeps its closed form). It is constexpr; in a constant only
/// small spaces stay inside a compiler's limits, and `best` cuts its work into pieces. The same options give the same answer in both.
/// It ends after `space.count()` candidates, each a fraction of a microsecond; a space of more than `options.most_candidates` is not begun.
/// Errors: `argument_out_of_range` for such a space, for devices that are no whole hosts and for an objective that is none; what
/// `timing_of` throws, and what functions of a schedule of one's own do: one that throws or never ends does the same to the search, one
/// that returns nonsense is refused by a rule.
template <class... Own, class Spec = plan_spec>
constexpr search_result best_of(const Spec& fixed, const search_space& space, const search_options& options = {}) {
  if (static_cast<unsigned>(options.by) > static_cast<unsigned>(objective::devices)) argument_out_of_range();
  const detail::search_question asked = detail::question_of(fixed, space, options.by);
  if (asked.grid.count > options.most_candidates) argument_out_of_range();
  detail::search_progress progress{};
  detail::best_walk<Spec> walk{asked, progress};
  walk.run(INT64_MAX);
  search_result result = detail::result_from(fixed, asked.space, options.by, progress);
  const std::int64_t first = detail::played_of(result.top, options.by, options.simulated, options.simulated_passes);
  for (std::int64_t at = 0; at < first; ++at) {
    listed_plan& found = result.top.values[at];
    if (found.pp == 1) continue;
    const plan_spec spec = spec_of_listed(fixed, found);
    const played_timing played =
        detail::played_timing_of<Own...>(spec, default_timing_constants, spec.communication, options.simulated_passes);
    if (played.played) found.simulated_step = played.step;
  }
  result.simulated = detail::count_played(result.top, first);
  detail::rank_again(result.top, first);
  if (result.found) result.plan = spec_of_listed(fixed, result.top.values[0]);
  return result;
}

/// The same over the default space of `fixed` (`default_space_of`).
template <class... Own, class Spec = plan_spec>
constexpr search_result best_of(const Spec& fixed, const search_options& options = {}) {
  return best_of<Own...>(fixed, default_space_of(fixed), options);
}

}  // namespace shardplan
