// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/rules/sink.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/candidate.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

template <class Spec>
constexpr bool breaks_a_range(const Spec& spec) {
  counting_sink sink{};
  check_ranges(spec, sink);
  return sink.count != 0;
}

// Whether no candidate breaks a rule of the first tier: each value of each list by itself, and the largest of all those that stand in a
// product together, since the bounds on products grow with each factor.
template <class Spec>
constexpr bool all_in_range(const Spec& fixed, const search_space& space) {
  const Spec first = candidate_of(fixed, space, 0);
  if (breaks_a_range(first)) return false;
  Spec largest = first;
  const auto each = [&](const number_list& listed_numbers, std::int64_t Spec::*field) {
    Spec changed_spec = first;
    for (const std::int64_t one_of_them : listed_numbers) {
      changed_spec.*field = one_of_them;
      if (breaks_a_range(changed_spec)) return false;
      if (one_of_them > largest.*field) largest.*field = one_of_them;
    }
    return true;
  };
  const bool numbers = each(space.cp, &Spec::cp) && each(space.ep, &Spec::ep) && each(space.etp, &Spec::etp) && each(space.tp, &Spec::tp) &&
                       each(space.pp, &Spec::pp) && each(space.micro_batch, &Spec::micro_batch);
  if (!numbers) return false;
  Spec with = first;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(space.sharding.length); ++at) {
    set_sharding(with, space, at);
    if (breaks_a_range(with)) return false;
  }
  with = first;
  for (const schedule_spec& order : space.schedule) {
    with.schedule = order;
    if (breaks_a_range(with)) return false;
    if (order.chunks > largest.schedule.chunks) largest.schedule.chunks = order.chunks;
    if (order.slices > largest.schedule.slices) largest.schedule.slices = order.slices;
  }
  for (const std::int64_t devices : space.devices) {
    with = fixed;
    set_devices(with, devices);
    if (with.devices_per_node > limits::devices_per_node || with.nodes > limits::nodes) return false;
  }
  return !breaks_a_range(largest);
}

// Whether a model whose numbers are in range has parameters to count: the width of a head is whole. (A rule of the second tier says if
// not.)
constexpr bool has_whole_heads(const transformer& shape) {
  return shape.head_dim != 0 || shape.is_latent() || shape.hidden % shape.heads == 0;
}

// What a search needs to know before its first candidate.
struct search_question {
  plan_spec fixed{};
  search_space space{};  // in order
  objective by = objective::step_time;
  candidate_grid grid{};
  parameter_totals totals{};
  bool in_range = false;  // no candidate breaks a rule of the first tier
};

template <class Spec>
constexpr search_question question_of(const Spec& fixed, const search_space& space, objective by) {
  search_question asked{};
  asked.fixed = fixed;
  asked.space = in_order(space);
  asked.by = by;
  asked.grid = grid_of(asked.space);
  asked.in_range = all_in_range(fixed, asked.space);
  if (asked.in_range && has_whole_heads(fixed.model)) asked.totals = totals_of(fixed);
  return asked;
}

}  // namespace shardplan::detail
