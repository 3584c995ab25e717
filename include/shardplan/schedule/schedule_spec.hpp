// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// How the chunks of a model lie on the pipeline ranks.
enum class placement {
  loop,           ///< stage = chunk * p + rank
  v_shape,        ///< odd chunks run backwards: stage = chunk * p + (p - 1 - rank)
  bidirectional,  ///< two pipelines of p stages in opposite directions: chunk 0 is stage rank, chunk 1 is stage p - 1 - rank of the other;
                  ///< every parameter is there twice, and each pipeline takes half of the micro-batches
};

/// The stage (position in the model, 0 to p * v - 1) that chunk `chunk` of rank `rank` is; 0 to p - 1 where the placement is bidirectional.
constexpr std::int64_t stage_of_chunk(placement layout, std::int64_t ranks, std::int64_t chunk, std::int64_t rank) {
  if (layout == placement::bidirectional) return chunk == 0 ? rank : ranks - 1 - rank;
  return chunk * ranks + (layout == placement::v_shape && chunk % 2 == 1 ? ranks - 1 - rank : rank);
}

namespace detail {
// The default of a schedule that does not say how many micro-batches are alive: refused, since 1 is the least. (A null pointer could not be
// asked for in a constant expression under GCC 12's UBSan.)
constexpr std::int64_t in_flight_not_said(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 0; }
constexpr std::int64_t one_weight_version(std::int64_t, std::int64_t) { return 1; }
constexpr std::int64_t no_groups(std::int64_t, std::int64_t) { return 0; }
constexpr std::int64_t never_repeats(std::int64_t) { return 0; }
constexpr bool always_ends(std::int64_t, std::int64_t, std::int64_t) { return true; }
}  // namespace detail

struct closed_form;  ///< closed_form.hpp
struct stage_times;  ///< times.hpp

/// The makespan bubble of a schedule by its formula (closed_form.hpp), where it has one.
struct bubble_formula {
  /// p, m, the times of one p-th of the model on one micro-batch. (`known`, and no null pointer: GCC 12's UBSan could not ask for it.)
  closed_form (*value)(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) = nullptr;
  std::int64_t chunks = 1;  ///< v that it is for; a copy of the spec with another v has this part of it
  bool known = false;       ///< whether there is one

  constexpr bubble_formula() = default;
  /// A formula, for so many chunks a rank.
  constexpr bubble_formula(closed_form (*formula)(std::int64_t, std::int64_t, const stage_times&), std::int64_t chunks_of_it = 1)
      : value(formula), chunks(chunks_of_it), known(true) {}
  friend constexpr bool operator==(const bubble_formula&, const bubble_formula&) = default;
};

/// What the accounts need to know of a pipeline schedule, so that they never ask which one it is. A user's own schedule is a type with
/// `static constexpr schedule_spec spec`.
struct schedule_spec {
  literal name{};                      ///< for reports and for `schedules::named`
  std::int64_t chunks = 1;             ///< model chunks on each rank (v)
  placement layout = placement::loop;  ///< how the chunks lie on the ranks

  /// Most chunk activations alive at once on `rank`, in units of one chunk of one micro-batch; 1 to m * v.
  /// p: pipeline ranks, m: micro-batches a step, v: chunks a rank.
  std::int64_t (*in_flight)(std::int64_t stages, std::int64_t micro_batches, std::int64_t chunks,
                            std::int64_t rank) = &detail::in_flight_not_said;
  std::int64_t slices = 1;  ///< parts that a sequence is cut into (s); then `in_flight` counts slices, 1 to m * v * s
  /// Versions of its weights that `rank` of `stages` keeps at once; more than 1 where a backward runs with older weights than the newest.
  std::int64_t (*weight_versions)(std::int64_t stages, std::int64_t rank) = &detail::one_weight_version;
  bool drains = true;  ///< the pipeline runs empty at the end of each step; false: steps run into each other and weights are stale
  /// What the order is made for; a table outside of it may deadlock or be refused. p must be a multiple of `ranks_multiple`, m of
  /// `micro_batches_multiple` (and of p where `micro_batches_fill_ranks`), and m >= p * `least_micro_batches_a_rank`.
  std::int64_t ranks_multiple = 1;
  std::int64_t micro_batches_multiple = 1;      ///< see `ranks_multiple`
  std::int64_t least_micro_batches_a_rank = 0;  ///< see `ranks_multiple`
  bool micro_batches_fill_ranks = false;        ///< see `ranks_multiple`
  bubble_formula bubble{};                      ///< of `timing`; none: that of 1F1B over the chunks
  /// How many of `micro_batches` go through a chunk before the next chunk of `ranks` ranks, where the order is interleaved; 0: it has no
  /// such groups.
  std::int64_t (*group)(std::int64_t ranks, std::int64_t micro_batches) = &detail::no_groups;
  /// Whether no rank waits for ever: of an order in groups, where small groups, or a small rest of micro-batches behind full groups, can
  /// make ranks wait for each other.
  bool (*ends)(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks) = &detail::always_ends;
  /// What PyTorch's schedule of this name asks for beside: m >= stages * this.
  std::int64_t torch_least_micro_batches_a_stage = 0;
  /// After how many micro-batches c the order repeats itself, with p ranks: that of m + c micro-batches is that of m with one period more
  /// anywhere in its middle, each op of it c micro-batches later than the op it repeats. 0: not known. A long step is then timed by a short
  /// one, exactly (schedule/extended_play.hpp).
  std::int64_t (*repeats_after)(std::int64_t ranks) = &detail::never_repeats;

  /// Stages of the model: p * v, or p of either direction.
  constexpr std::int64_t stages(std::int64_t ranks) const { return layout == placement::bidirectional ? ranks : ranks * chunks; }

  friend constexpr bool operator==(const schedule_spec&, const schedule_spec&) = default;
};

/// A type that says a schedule: it has `static constexpr shardplan::schedule_spec spec`.
template <class Schedule>
concept pipeline_schedule = requires {
  requires detail::same<decltype(&Schedule::spec), const schedule_spec*>;
}
&&requires { typename detail::needs_constant<static_cast<bool>(Schedule::spec.in_flight(1, 1, 1, 0))>; };

/// Part of a plan (default `schedules::one_f_one_b`): the order of forward and backward passes in the pipeline.
template <pipeline_schedule Schedule>
struct schedule {
  static constexpr part_kind kind = part_kind::schedule;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::schedule>(spec);
    spec.schedule = Schedule::spec;
  }
};

}  // namespace shardplan
