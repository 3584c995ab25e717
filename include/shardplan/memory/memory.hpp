// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/activations.hpp>
#include <shardplan/memory/buffers.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/phases.hpp>
#include <shardplan/memory/recomputed_layers.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/memory/shares.hpp>
#include <shardplan/memory/states.hpp>
#include <shardplan/memory/uneven_chunks.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/memory/working_set.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan {

/// What all stages of a plan have in common: computed once, read for each stage. Only for a spec that broke no rule of the first two tiers.
struct memory_layout {
  derived facts{};               ///< degrees, micro-batches, tokens, vocabulary
  model_units units{};           ///< elements of input, block and output on a rank
  saved_activations saved{};     ///< bytes that a block keeps of one micro-batch
  buffer_lengths first_chunk{};  ///< of the first rank, only with Megatron-LM's buckets
  phase_sizes phases{};          ///< bytes that live in one phase
};

/// The layout of a spec that broke no rule of the first two tiers.
template <class Spec = plan_spec>
constexpr memory_layout memory_layout_of(const Spec& spec) {
  memory_layout layout{};
  layout.facts = derive(spec);
  layout.units = units_of(spec, layout.facts);
  if (spec.sharding.layout == shard_layout::megatron_buckets) layout.first_chunk = first_chunk_lengths(spec, layout.facts);
  const activation_shard shard =
      activation_shard_of(spec.model, layout.facts.grid, layout.facts.tokens, layout.facts.vocabulary, spec.expert_load.computed());
  layout.saved = saved_by_block(spec, shard);
  layout.phases = phases_of(spec, shard, layout.saved);
  return layout;
}

/// Memory of one pipeline rank ("stage" in messages).
struct stage_account {
  memory_report device{};              ///< on the device
  offload_report offloaded{};          ///< what `offload<>` moved away
  phase peak = phase::block_backward;  ///< the phase that `device` is of
};

/// What a pipeline rank holds: its chunks summed.
struct stage_extent {
  std::int64_t layers = 0;        ///< blocks
  std::int64_t dense_layers = 0;  ///< of these, blocks with a dense feed-forward network
  std::int64_t in_flight = 0;     ///< chunk activations alive at once
  bool is_first = false;          ///< has the embedding
  bool is_last = false;           ///< has the head
  bool has_next_token = false;    ///< has the next-token layers
  bool copies_head = false;       ///< has a copy of the embedding: for a tied head, or to look up further tokens
  std::int64_t rank = 0;          ///< pipeline rank
  recompute_extent recomputed{};  ///< of its layers, those that are recomputed
};

/// The next-token layers of a model lie on one stage, the last unless said: blocks beyond `layers`, of the kind that the last block is.
constexpr void add_next_token_layers(const transformer& shape, stage_extent& extent) {
  extent.has_next_token = true;
  extent.layers += shape.next_token_layers;
  if (shape.experts.count == 0) extent.dense_layers += shape.next_token_layers;
}

/// The extent of pipeline rank `rank`. For a spec that passed the first two tiers of rules.
template <class Spec = plan_spec>
constexpr stage_extent extent_of_stage(const Spec& spec, const derived& facts, std::int64_t rank) {
  const std::int64_t pp = spec.pp;
  const std::int64_t chunks = spec.schedule.chunks;
  const std::int64_t stages = spec.schedule.stages(pp);
  const auto& shape = spec.model;
  stage_extent extent{};
  extent.rank = rank;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t stage = chunks == 1 ? rank : stage_of_chunk(spec.schedule.layout, pp, chunk, rank);
    const std::int64_t count = layers_of_stage(spec, stages, stage);
    extent.layers += count;
    if (shape.experts.count == 0) {
      extent.dense_layers += count;
    } else if (shape.experts.leading_dense > 0 || shape.experts.layer_step > 1) {
      extent.dense_layers += shape.dense_layers_in(first_layer_of_stage(spec, stages, stage), count);
    }
    if (spec.recompute_layers.method != recompute_methods::each)
      add_recomputed_layers(spec, first_layer_of_stage(spec, stages, stage), count, extent.recomputed);
    extent.is_first = extent.is_first || stage == 0;
    extent.is_last = extent.is_last || stage == stages - 1;
    if (shape.next_token_layers > 0 && stage == next_token_stage_of(spec.layer_split, stages)) add_next_token_layers(shape, extent);
  }
  // Without a pipeline no order runs: one micro-batch comes after the other.
  extent.in_flight = pp == 1 ? chunks * spec.schedule.slices : spec.schedule.in_flight(pp, facts.micro_batches, chunks, rank);
  // A tied head and the embedding of further tokens are the same tensor on a rank that holds the embedding; elsewhere a copy with all its
  // states.
  extent.copies_head = !extent.is_first && ((extent.is_last && shape.tied_embeddings) || extent.has_next_token);
  return extent;
}

/// That many percent of an amount, rounded down, for up to 100 percent of any amount.
constexpr std::int64_t percent_of(std::int64_t amount, std::int64_t percent) {
  return amount / 100 * percent + amount % 100 * percent / 100;
}

namespace detail {
// What all phases of a rank with that extent have in common, written into `account`, and what they differ by.
template <class Spec>
constexpr phase_inputs basis_of_extent(const Spec& spec, const memory_layout& layout, const stage_extent& extent, stage_account& account) {
  const auto& shape = spec.model;
  const std::int64_t parts = spec.schedule.chunks * spec.schedule.slices;  // of what a micro-batch keeps on a rank
  const std::int64_t layers = extent.layers;
  const std::int64_t dense_layers = extent.dense_layers;
  const bool is_first = extent.is_first;
  const bool is_last = extent.is_last;
  const bool copies_head = extent.copies_head;
  const std::int64_t expert_layers = layers - dense_layers;

  const unit& every_block = layout.units[place::every_block];
  const unit& dense_block = layout.units[place::dense_block];
  const unit& expert_block = layout.units[place::expert_block];
  const unit& input = layout.units[place::input];
  const unit& output = layout.units[place::output];
  const unit& next_token = layout.units[place::next_token];
  const unit& head_copy = layout.units.tied_head;
  const bool has_next_token = extent.has_next_token;
  const std::int64_t dense = layers * every_block.dense + dense_layers * dense_block.dense + expert_layers * expert_block.dense +
                             (is_first ? input.dense : 0) + (is_last ? output.dense : 0) + (has_next_token ? next_token.dense : 0) +
                             (copies_head ? head_copy.dense : 0);
  const auto sum = [&](std::int64_t unit::*summand) {
    return layers * every_block.*summand + dense_layers * dense_block.*summand + expert_layers * expert_block.*summand +
           (is_first ? input.*summand : 0) + (is_last ? output.*summand : 0) + (has_next_token ? next_token.*summand : 0) +
           (copies_head ? head_copy.*summand : 0);
  };
  // Only what some account of this plan reads is added up.
  unit held{};
  held.dense = dense;
  if (expert_layers > 0) held.routed = sum(&unit::routed);
  if (layout.units.by_tensor) {
    held.dense_ruled = sum(&unit::dense_ruled);
    held.routed_ruled = sum(&unit::routed_ruled);
    held.dense_state_bytes = sum(&unit::dense_state_bytes);
    held.routed_state_bytes = sum(&unit::routed_state_bytes);
    held.dense_weight_bytes = sum(&unit::dense_weight_bytes);
    held.routed_weight_bytes = sum(&unit::routed_weight_bytes);
    const auto compare = [&](bool is_held, const unit& of_place) {
      if (is_held && of_place.largest > held.largest) held.largest = of_place.largest;
    };
    compare(true, every_block);
    compare(dense_layers > 0, dense_block);
    compare(expert_layers > 0, expert_block);
    compare(is_first, input);
    compare(is_last, output);
    compare(has_next_token, next_token);
    compare(copies_head, head_copy);
  }
  std::int64_t padding = 0;
  if (spec.sharding.layout == shard_layout::tensors) {
    held.dense_share = sum(&unit::dense_share);
    held.routed_share = sum(&unit::routed_share);
  } else if (spec.sharding.layout != shard_layout::flat) {
    padding = share_out(spec, layout.facts, layout.units, layout.first_chunk, extent.rank, held);
  }
  const std::int64_t linear_shapes = every_block.linear_shapes + (dense_layers > 0 ? dense_block.linear_shapes : 0) +
                                     (expert_layers > 0 ? expert_block.linear_shapes : 0) + (is_last ? output.linear_shapes : 0) +
                                     (has_next_token ? next_token.linear_shapes : 0);

  memory_report& report = account.device;
  rank_states states = states_of(spec, layout.facts, held, layout.units.by_tensor, padding);
  // Where steps run into each other a backward reads the weights that its forward read: each version is there.
  if (!spec.schedule.drains) states.weights *= spec.schedule.weight_versions(spec.pp, extent.rank);
  (spec.offload.weights == storage::device ? report.weights
   : spec.offload.weights == storage::host ? account.offloaded.host
                                           : account.offloaded.nvme)
      .count = states.weights;
  (spec.offload.gradients == storage::device ? report.gradients : account.offloaded.host).count += states.gradients;
  if (spec.offload.states == storage::device) {
    report.master.count = states.master;
    const std::int64_t moved = spec.offload.moments_percent == 0 ? 0 : percent_of(states.optimizer, spec.offload.moments_percent);
    report.optimizer.count = states.optimizer - moved;
    account.offloaded.host.count += moved;
  } else {
    (spec.offload.states == storage::host ? account.offloaded.host : account.offloaded.nvme).count += states.master + states.optimizer;
  }

  const saved_activations& saved = layout.saved;
  const std::int64_t alive = extent.in_flight;
  std::int64_t around = is_first ? saved.embedding : 0;  // of one micro-batch, outside the blocks
  // Around a next-token layer's block: the inputs of its three norms, what the last gives to the head, and the projection's input.
  if (has_next_token) around += 6 * saved.block_input * shape.next_token_layers;
  kept_activations kept{};  // of all micro-batches that are alive
  if (has_uneven_chunks(spec)) {
    kept = kept_by_chunks(spec, saved, extent.rank, alive);
    kept.on_device += ceil_divide(around * alive, parts);
  } else {
    kept = kept_by_blocks(spec, saved, layers, dense_layers, extent.recomputed);
    kept.on_device = parts == 1 ? (kept.on_device + around) * alive : ceil_divide((kept.on_device + around) * alive, parts);
    if (kept.on_host > 0) kept.on_host = ceil_divide(kept.on_host * alive, parts);
  }
  account.offloaded.host.count += kept.on_host;

  const phase_sizes& phases = layout.phases;
  const std::int64_t elements = held.elements();
  phase_inputs rank{};
  rank.gradients = report.gradients.count;
  rank.activations = kept.on_device;
  rank.backward = expert_layers > 0 ? phases.expert_backward : phases.dense_backward;
  if (dense_layers > 0 && phases.dense_backward > rank.backward) rank.backward = phases.dense_backward;
  rank.is_last = is_last;
  rank.live_losses = parts == 1 ? alive : 1;
  // Only what a phase of this plan reads.
  if (is_last) rank.head = output.linear_shapes;
  if (!spec.overheads.gradient_scratch) {
    rank.largest_linear = every_block.largest_linear;
    if (dense_layers > 0 && dense_block.largest_linear > rank.largest_linear) rank.largest_linear = dense_block.largest_linear;
    if (expert_layers > 0 && expert_block.largest_linear > rank.largest_linear) rank.largest_linear = expert_block.largest_linear;
  }
  if (layout.facts.stage >= 3) {
    rank.elements = elements;
    rank.gathered = gathered_by(layout.units, dense_layers > 0, expert_layers > 0, is_first, is_last, has_next_token, copies_head);
    rank.block_activations = dense_layers > 0 ? saved.dense_kept : 0;
    if (expert_layers > 0 && saved.expert_kept > rank.block_activations) rank.block_activations = saved.expert_kept;
  } else if (spec.precision.weight > spec.precision.compute) {
    rank.copies = spec.precision.compute * sum(&unit::linear);  // autocast's copies, which the graph keeps until the end of backward
  }
  if (has_step_temporaries(spec)) rank.owned = states.owned;
  report.buffers.count = stage_buffers(spec, linear_shapes, elements) + overhead_buffers(spec, saved.block_input);
  if (spec.sharding.secondary != unset) report.buffers.count += secondary_copy(spec, held);
  report.reserve.count = spec.headroom_mebibytes << 20;
  return rank;
}

constexpr void write_needs(const phase_needs& needs, memory_report& report) {
  report.gradients.count = needs.gradients;
  report.activations.count = needs.activations;
  report.logits.count = needs.logits;
  report.working.count = needs.working;
}
}  // namespace detail

/// The account of a rank with that extent in the phase that needs most (the first of equals). Errors: none for a spec that passed the first
/// two tiers of rules.
template <class Spec = plan_spec>
constexpr stage_account account_of_extent(const Spec& spec, const memory_layout& layout, const stage_extent& extent) {
  stage_account account{};
  const phase_inputs rank = detail::basis_of_extent(spec, layout, extent, account);
  phase_needs most{};
  const auto compare = [&](phase in_phase) {
    const phase_needs needs_of = needs_of_phase(spec, layout.phases, in_phase, rank, layout.facts.micro_batches);
    if (needs_of.total() > most.total()) {
      most = needs_of;
      account.peak = in_phase;
    }
  };
  // Phases that no other is larger than: the others are not asked.
  if (spec.sharding.is_fsdp()) {
    compare(phase::first_block_backward);
    compare(phase::last_block_backward);
  } else {
    compare(phase::block_backward);
  }
  if (rank.is_last) {
    compare(phase::loss);
    if (layout.phases.logit_gradients > (spec.overheads.gradient_scratch ? layout.phases.logits : 0)) compare(phase::head_backward);
  }
  if (has_step_temporaries(spec)) compare(phase::optimizer_step);
  detail::write_needs(most, account.device);
  return account;
}

/// All phases of a rank with that extent.
template <class Spec = plan_spec>
constexpr phase_reports phases_of_extent(const Spec& spec, const memory_layout& layout, const stage_extent& extent) {
  stage_account account{};
  const phase_inputs rank = detail::basis_of_extent(spec, layout, extent, account);
  phase_reports reports{};
  memory_report& first = reports.at[static_cast<int>(phase::first_step)];
  for (int at = 0; at < static_cast<int>(phase::first_step); ++at) {
    const auto which = static_cast<phase>(at);
    if (!has_phase(spec, layout.phases, which, rank.is_last)) continue;
    memory_report& report = reports.at[at];
    report = account.device;
    detail::write_needs(needs_of_phase(spec, layout.phases, which, rank, layout.facts.micro_batches), report);
    if (which != phase::optimizer_step && report.total() > first.total()) first = report;
  }
  first.optimizer.count = 0;
  reports.peak = account_of_extent(spec, layout, extent).peak;
  return reports;
}

/// The account of pipeline rank `rank`.
template <class Spec = plan_spec>
constexpr stage_account account_of_stage(const Spec& spec, const memory_layout& layout, std::int64_t rank) {
  return account_of_extent(spec, layout, extent_of_stage(spec, layout.facts, rank));
}

/// All phases of pipeline rank `rank`.
template <class Spec = plan_spec>
constexpr phase_reports phases_of_stage(const Spec& spec, const memory_layout& layout, std::int64_t rank) {
  return phases_of_extent(spec, layout, extent_of_stage(spec, layout.facts, rank));
}

/// `total()` of a rank's report, summed without the checks that the bounds of the first tier of rules make needless.
constexpr std::int64_t unchecked_total(const memory_report& report) {
  return report.weights.count + report.gradients.count + report.master.count + report.optimizer.count + report.activations.count +
         report.logits.count + report.working.count + report.buffers.count + report.reserve.count;
}

}  // namespace shardplan
