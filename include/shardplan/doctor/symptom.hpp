// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>

#include <cstdint>

namespace shardplan {

/// What goes wrong with a run, as one sees it.
enum class symptom {
  out_of_memory,               ///< out of memory on the first steps
  out_of_memory_on_end_stage,  ///< out of memory on the first or the last pipeline stage only
  out_of_memory_later,         ///< out of memory, or slow near the limit, after many steps
  out_of_memory_on_resume,     ///< a fresh start fits, resuming from a checkpoint does not
  host_out_of_memory,          ///< the process is killed, without an error of the device
  refused_at_start,            ///< an assertion, a shape error or lost layers at start
  hang,                        ///< a collective times out, or nothing happens
  diverges_in_parallel,        ///< the loss is NaN, spikes or drifts only in parallel
  low_utilisation,             ///< model FLOPs utilisation is low
  step_time_jitter,            ///< some steps are slower, at random
  slow_after_offload,          ///< steps are slow since states were offloaded
  checkpoint_does_not_load,    ///< a checkpoint does not load after the layout was changed
};
/// Symptoms there are.
inline constexpr int symptom_count = static_cast<int>(symptom::checkpoint_does_not_load) + 1;

/// The symptom as one writes it.
constexpr const char* name_of(symptom which) {
  constexpr const char* names[] = {"out_of_memory",
                                   "out_of_memory_on_end_stage",
                                   "out_of_memory_later",
                                   "out_of_memory_on_resume",
                                   "host_out_of_memory",
                                   "refused_at_start",
                                   "hang",
                                   "diverges_in_parallel",
                                   "low_utilisation",
                                   "step_time_jitter",
                                   "slow_after_offload",
                                   "checkpoint_does_not_load"};
  static_assert(sizeof names / sizeof names[0] == symptom_count);
  return detail::nth_of(names, static_cast<int>(which));
}

/// The symptom in words.
constexpr const char* words_of(symptom which) {
  constexpr const char* words[] = {"out of memory on the first steps",
                                   "out of memory on the first or the last pipeline stage only",
                                   "out of memory, or slow near the limit, after many steps",
                                   "a fresh start fits, resuming does not",
                                   "the process is killed, without an error of the device",
                                   "an assertion, a shape error or lost layers at start",
                                   "a collective times out, or nothing happens",
                                   "the loss is NaN, spikes or drifts only in parallel",
                                   "low model FLOPs utilisation",
                                   "some steps are slower, at random",
                                   "slow since states were offloaded",
                                   "a checkpoint does not load after the layout was changed"};
  static_assert(sizeof words / sizeof words[0] == symptom_count);
  return detail::nth_of(words, static_cast<int>(which));
}

namespace detail {
constexpr bool is_known(symptom which) { return static_cast<unsigned>(which) < static_cast<unsigned>(symptom_count); }
}  // namespace detail

/// A type that names a symptom: one of `symptoms`, or any with a `static constexpr symptom value`.
template <class Type>
concept symptom_type = requires {
  requires detail::is_known(Type::value);
};

/// The symptoms as types, for `diagnose<Plan, Symptom>`.
namespace symptoms {
/// `symptom::out_of_memory`
struct out_of_memory {
  static constexpr symptom value = symptom::out_of_memory;
};
/// `symptom::out_of_memory_on_end_stage`
struct out_of_memory_on_end_stage {
  static constexpr symptom value = symptom::out_of_memory_on_end_stage;
};
/// `symptom::out_of_memory_later`
struct out_of_memory_later {
  static constexpr symptom value = symptom::out_of_memory_later;
};
/// `symptom::out_of_memory_on_resume`
struct out_of_memory_on_resume {
  static constexpr symptom value = symptom::out_of_memory_on_resume;
};
/// `symptom::host_out_of_memory`
struct host_out_of_memory {
  static constexpr symptom value = symptom::host_out_of_memory;
};
/// `symptom::refused_at_start`
struct refused_at_start {
  static constexpr symptom value = symptom::refused_at_start;
};
/// `symptom::hang`
struct hang {
  static constexpr symptom value = symptom::hang;
};
/// `symptom::diverges_in_parallel`
struct diverges_in_parallel {
  static constexpr symptom value = symptom::diverges_in_parallel;
};
/// `symptom::low_utilisation`
struct low_utilisation {
  static constexpr symptom value = symptom::low_utilisation;
};
/// `symptom::step_time_jitter`
struct step_time_jitter {
  static constexpr symptom value = symptom::step_time_jitter;
};
/// `symptom::slow_after_offload`
struct slow_after_offload {
  static constexpr symptom value = symptom::slow_after_offload;
};
/// `symptom::checkpoint_does_not_load`
struct checkpoint_does_not_load {
  static constexpr symptom value = symptom::checkpoint_does_not_load;
};
}  // namespace symptoms

}  // namespace shardplan
