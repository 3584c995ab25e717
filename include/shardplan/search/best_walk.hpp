// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/rules/divisibility.hpp>
#include <shardplan/plan/rules/sequence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/best_first_rule.hpp>
#include <shardplan/search/best_memory.hpp>
#include <shardplan/search/best_question.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/best_timing.hpp>
#include <shardplan/search/candidate.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>
#include <shardplan/traffic/held.hpp>

#include <cstdint>

namespace shardplan::detail {

// Goes through candidates in order. A block is the candidates of one grid of ranks, a row those of it that differ in the schedule alone.
// What belongs to a block or a row is asked once for all in it. Every rule is asked by the function that `evaluate` calls, and in its
// order. It can stop behind any candidate with a pipeline, and behind any row.
template <class Spec>
struct best_walk {
  const search_question& asked;
  search_progress& progress;
  Spec spec;
  std::int64_t schedules = 1;   // candidates of a row
  std::int64_t block_size = 1;  // candidates of a block
  std::int64_t block = -1;
  first_rule of_block{};                   // broken by all of the block
  first_rule of_stages[most_schedules]{};  // by schedule: layers, sequence
  bool even_stages[most_schedules]{};      // by schedule: `has_even_inner_stages`
  bool all_refused = false;
  std::int64_t replicas = 0;
  std::int64_t work = 0;       // about what a compiler's step counter says
  std::int64_t most_work = 0;  // when it stops
  // By micro-batch and schedule; asked where it is needed.
  bool batch_known[most_numbers][most_schedules]{};
  first_rule of_batch[most_numbers][most_schedules]{};
  std::int64_t sharding_at = -1;
  first_rule of_groups{};
  bool surely_too_large = false;
  bool has_traffic = false;
  traffic_layout traffic{};
  known_ranks last_ranks{};                                       // of the row
  known_step last_step{};                                         // of the row
  static_vector<std::int64_t, most_schedules> listed_memories{};  // of the row, without a pipeline
  std::size_t last_refusal = 0;                                   // its place in the counts

  constexpr best_walk(const search_question& question, search_progress& so_far)
      : asked(question),
        progress(so_far),
        spec(question.fixed),
        schedules(question.grid.length(dimension::schedule)),
        block_size(question.grid.stride(dimension::pp)) {}

  constexpr std::int64_t place(dimension of) const { return asked.grid.place(progress.next, of); }
  constexpr void refuse(std::int64_t key, std::int64_t candidates) {
    progress.refused[part_of_key(key, 0)] += candidates;
    static_vector<counted_key, most_refusals>& known = progress.refusals;
    // Neighbours are mostly refused by the same rule.
    if (last_refusal >= known.length || known.values[last_refusal].key != key) {
      for (last_refusal = 0; last_refusal < known.length; ++last_refusal)
        if (known.values[last_refusal].key == key) break;
      if (last_refusal == most_refusals) return;
      if (last_refusal == known.length) known.values[known.length++].key = key;
    }
    known.values[last_refusal].count += candidates;
  }
  constexpr void set_schedule(std::int64_t at) {
    if (asked.space.schedule.length != 0) spec.schedule = asked.space.schedule.values[at];
  }

  // Until the last candidate, or until so much work was done.
  constexpr void run(std::int64_t until) {
    most_work = until;
    while (progress.next < asked.grid.count && work < most_work) {
      if (!asked.in_range) {
        judge_alone();
        continue;
      }
      const std::int64_t at = progress.next / block_size;
      if (at != block) enter_block(at);
      if (all_refused) {
        leave_block();
      } else {
        judge_row();
      }
    }
  }

  // In the middle of a row: not where its schedules are compared with each other.
  constexpr bool may_stop() const { return work >= most_work && spec.pp != 1; }

  // Where numbers may be out of range nothing is shared.
  constexpr void judge_alone() {
    listed_memories.length = 0;
    for (bool goes_on = true; goes_on; goes_on = progress.next % schedules != 0 && !may_stop()) {
      spec = candidate_of(asked.fixed, asked.space, progress.next);
      has_traffic = false;
      last_ranks.known = false;
      last_step.forget();
      first_rule found = first_of([&](auto& rule_sink) { check_computable(spec, rule_sink); });
      work += 1500;
      if (!found.broken) {
        const memory_layout layout = memory_layout_of(spec);
        work += 2000;
        found = first_of([&](auto& rule_sink) { check_combinations(spec, rule_sink); });
        if (!found.broken) found = judge_memory(progress.next, layout, has_even_inner_stages(spec));
      }
      if (found.broken) refuse(found.key, 1);
      ++progress.next;
    }
  }

  constexpr void enter_block(std::int64_t at) {
    const search_space& space = asked.space;
    block = at;
    sharding_at = -1;
    has_traffic = false;
    if (space.devices.length != 0) {
      spec.devices_per_node = asked.fixed.devices_per_node;
      set_devices(spec, space.devices.values[place(dimension::devices)]);
    }
    set_number(spec, &Spec::cp, space.cp, place(dimension::cp));
    set_number(spec, &Spec::ep, space.ep, place(dimension::ep));
    set_number(spec, &Spec::etp, space.etp, place(dimension::etp));
    set_number(spec, &Spec::tp, space.tp, place(dimension::tp));
    set_number(spec, &Spec::pp, space.pp, place(dimension::pp));
    work += 300;
    of_block = first_of([&](auto& rule_sink) {
      replicas = check_world(spec, rule_sink);
      if (rule_sink.count == 0) check_widths(spec, rule_sink);
    });
    all_refused = of_block.broken;
    if (all_refused) return;
    const first_rule of_sequence = first_of([&](auto& rule_sink) { check_sequence(spec, rule_sink); });
    all_refused = true;
    for (std::int64_t order = 0; order < schedules; ++order) {
      set_schedule(order);
      of_stages[order] = first_of([&](auto& rule_sink) { check_stages(spec, rule_sink); });
      if (!of_stages[order].broken) of_stages[order] = of_sequence;
      even_stages[order] = !of_stages[order].broken && has_even_inner_stages(spec);
      all_refused = all_refused && of_stages[order].broken;
      for (std::int64_t micro = 0; micro < asked.grid.length(dimension::micro_batch); ++micro) batch_known[micro][order] = false;
    }
    work += schedules * 150;
  }

  constexpr void leave_block() {
    const std::int64_t end = (block + 1) * block_size;
    const std::int64_t left = end - progress.next;
    progress.next = end;
    if (of_block.broken) return refuse(of_block.key, left);
    for (std::int64_t order = 0; order < schedules; ++order) refuse(of_stages[order].key, left / schedules);
  }

  constexpr void enter_sharding(std::int64_t at) {
    sharding_at = at;
    set_sharding(spec, asked.space, at);
    of_groups = first_of([&](auto& rule_sink) { check_shard_groups(spec, replicas, rule_sink); });
    surely_too_large = spec.host_memory_gibibytes == unset && least_memory(spec, asked.totals, {}) > spec.device.memory.count;
    if (spec.sharding.layout == shard_layout::tensors) has_traffic = false;
    work += 200;
  }

  constexpr const first_rule& rule_of_batch(std::int64_t micro, std::int64_t order) {
    first_rule& found = of_batch[micro][order];
    if (!batch_known[micro][order]) {
      batch_known[micro][order] = true;
      found = first_of([&](auto& rule_sink) { check_schedule(spec, check_batch(spec, replicas, rule_sink), rule_sink); });
      work += 150 + 40 * spec.pp;
    }
    return found;
  }

  constexpr void judge_row() {
    const search_space& space = asked.space;
    const std::int64_t sharded = place(dimension::sharding);
    const std::int64_t micro = place(dimension::micro_batch);
    if (sharded != sharding_at) enter_sharding(sharded);
    set_number(spec, &Spec::micro_batch, space.micro_batch, micro);
    if (space.recompute.length != 0) spec.recompute = space.recompute.values[place(dimension::recompute)];
    const bool depends_on_schedule =
        spec.sharding.layout == shard_layout::megatron_buckets || spec.recompute_layers.method == recompute_methods::uniform;
    memory_layout layout{};
    bool has_layout = false;
    last_ranks.known = false;
    last_step.forget();
    listed_memories.length = 0;
    for (std::int64_t order = place(dimension::schedule); order < schedules; ++order) {
      set_schedule(order);
      first_rule found = of_stages[order];
      if (!found.broken) found = of_groups;
      if (!found.broken) found = rule_of_batch(micro, order);
      work += 100;
      if (!found.broken) {
        found = first_of([&](auto& rule_sink) { check_combinations(spec, rule_sink); });
        if (!found.broken && surely_too_large) found = {true, key_of(rule::does_not_fit)};
      }
      if (!found.broken) {
        if (!has_layout || depends_on_schedule) {
          layout = memory_layout_of(spec);
          has_layout = true;
          last_ranks.known = false;
          work += 2000;
        }
        found = judge_memory(progress.next, layout, even_stages[order]);
      }
      if (found.broken) refuse(found.key, 1);
      ++progress.next;
      if (may_stop()) return;
    }
  }

  constexpr first_rule judge_memory(std::int64_t index, const memory_layout& layout, bool has_even_stages) {
    const bool are_alike = inner_ranks_are_alike(spec, has_even_stages);
    work += 1500 + (are_alike ? 60 : 1500) * spec.pp * spec.schedule.chunks;
    if (spec.host_memory_gibibytes != unset) {
      const first_rule found = first_of([&](auto& rule_sink) { rules::host_fits::check(spec, layout, rule_sink); });
      if (found.broken) return found;
    }
    const std::int64_t memory = fullest_rank(spec, layout, are_alike, last_ranks);
    if (memory > spec.device.memory.count) return {true, key_of(rule::does_not_fit)};
    accept(index, memory, layout, has_even_stages);
    return {};
  }

  // Without a pipeline there is nothing to order: schedules that need the same memory are one plan, and the first of them stands for it.
  constexpr bool is_same_plan(std::int64_t memory) {
    if (spec.pp != 1 || spec.schedule.layout == placement::bidirectional) return false;
    for (const std::int64_t known : listed_memories)
      if (known == memory) return true;
    listed_memories.push_back(memory);
    return false;
  }

  // Sharding over one rank shards nothing: where a plan that differs in it alone (without a pipeline, in the order as well, of which there
  // is none) needs no more memory and no more time, that one stands for both. If it is not in the list, this one, which is no better, does
  // not enter it.
  constexpr bool only_shards_alone(const ranked_candidate& candidate, const memory_layout& layout) const {
    const degrees& ranks = layout.facts.grid;
    if (ranks.dense_shards() != 1 || (spec.model.experts.count > 0 && ranks.expert_shards() != 1)) return false;
    const std::int64_t own = place(dimension::sharding);
    if (own == 0) return false;
    const std::int64_t orders = spec.pp == 1 && spec.schedule.layout != placement::bidirectional ? schedules : 1;
    const std::int64_t stride = asked.grid.stride(dimension::sharding) / orders;
    for (const ranked_candidate& known : progress.top) {
      const std::int64_t before = candidate.index / orders - known.index / orders;
      if (before > 0 && before % stride == 0 && before / stride <= own && known.memory <= candidate.memory &&
          known.nanoseconds <= candidate.nanoseconds)
        return true;
    }
    return false;
  }

  // A legal plan that fits.
  constexpr void accept(std::int64_t index, std::int64_t memory, const memory_layout& layout, bool has_even_stages) {
    ++progress.fitting;
    if (is_same_plan(memory)) return;
    ranked_candidate candidate{index, layout.facts.grid.world, memory, 0, 0};
    // With no time at all, and with no more than it computes, it is better than it is: where that is not enough nobody needs its time.
    const auto is_behind = [&] {
      return progress.top.length == most_listed && !is_better(asked.by, candidate, progress.top.values[most_listed - 1]);
    };
    if (is_behind()) return;
    traffic.facts = layout.facts;
    candidate.nanoseconds = nanoseconds_of(last_step.least_seconds(spec, traffic));
    work += has_even_stages ? 1500 : 1500 + 100 * spec.pp * spec.schedule.chunks;
    if (is_behind()) return;
    if (!has_traffic) {
      traffic = traffic_layout_of(spec);
      has_traffic = true;
      work += 2000;
    }
    candidate.step = last_step.seconds(spec, traffic);
    work += 3000;
    candidate.nanoseconds = nanoseconds_of(candidate.step);
    ++progress.timed;
    if (!only_shards_alone(candidate, layout)) insert_ranked(progress.top, asked.by, candidate);
  }
};

}  // namespace shardplan::detail
