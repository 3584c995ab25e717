// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/activations.hpp>
#include <shardplan/memory/buffers.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/memory/states.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/memory/working_set.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What all stages of a plan have in common: computed once, read for each stage. Only for a spec that broke no rule of the first two tiers.
struct memory_layout {
  derived facts{};            ///< degrees, micro-batches, tokens, vocabulary
  model_units units{};        ///< elements of input, block and output on a rank
  saved_activations saved{};  ///< bytes that a block keeps of one micro-batch
  phase_sizes phases{};       ///< bytes that live in one phase
};

/// The layout of a spec that broke no rule of the first two tiers.
template <class Spec = plan_spec>
constexpr memory_layout memory_layout_of(const Spec& spec) {
  memory_layout layout{};
  layout.facts = derive(spec);
  layout.units = units_of(spec, layout.facts);
  const activation_shard shard = activation_shard_of(spec.model, layout.facts.grid, layout.facts.tokens, layout.facts.vocabulary);
  layout.saved = saved_by_block(spec, shard);
  layout.phases = phases_of(spec, shard, layout.saved);
  return layout;
}

/// Memory of one pipeline rank ("stage" in messages).
struct stage_account {
  memory_report device{};      ///< on the device
  offload_report offloaded{};  ///< what `offload<>` moved away
};

/// What a pipeline rank holds: its chunks summed.
struct stage_extent {
  std::int64_t layers = 0;        ///< blocks
  std::int64_t dense_layers = 0;  ///< of these, blocks with a dense feed-forward network
  std::int64_t in_flight = 0;     ///< chunk activations alive at once
  bool is_first = false;          ///< has the embedding
  bool is_last = false;           ///< has the head
  bool copies_head = false;       ///< with tied embeddings: has a copy of the table for its head
};

/// The next-token layers of a model lie on its last stage: blocks beyond `layers`, of the kind that the last block is.
constexpr void add_next_token_layers(const transformer& shape, stage_extent& extent) {
  extent.layers += shape.next_token_layers;
  if (shape.experts.count == 0) extent.dense_layers += shape.next_token_layers;
}

/// The extent of pipeline rank `rank`. For a spec that passed the first two tiers of rules.
constexpr stage_extent extent_of_stage(const plan_spec& spec, const derived& facts, std::int64_t rank) {
  const std::int64_t pp = spec.pp;
  const std::int64_t chunks = spec.schedule.chunks;
  const std::int64_t stages = spec.schedule.stages(pp);
  const transformer& shape = spec.model;
  stage_extent extent{};
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t stage = chunks == 1 ? rank : stage_of_chunk(spec.schedule.layout, pp, chunk, rank);
    const std::int64_t count = layers_of_stage(spec.layer_split, shape.layers, stages, stage);
    extent.layers += count;
    if (shape.experts.count == 0) {
      extent.dense_layers += count;
    } else if (shape.experts.leading_dense > 0 || shape.experts.layer_step > 1) {
      extent.dense_layers += shape.dense_layers_in(first_layer_of_stage(spec.layer_split, shape.layers, stages, stage), count);
    }
    extent.is_first = extent.is_first || stage == 0;
    extent.is_last = extent.is_last || stage == stages - 1;
  }
  extent.in_flight = spec.schedule.in_flight(pp, facts.micro_batches, chunks, rank);
  // A tied head and the embedding of further tokens are the same tensor on a rank that holds the embedding; elsewhere a copy with all its
  // states.
  extent.copies_head = extent.is_last && !extent.is_first;
  if (extent.is_last) add_next_token_layers(shape, extent);
  return extent;
}

/// The account of a rank with that extent. Errors: none for a spec that passed the first two tiers of rules.
constexpr stage_account account_of_extent(const plan_spec& spec, const memory_layout& layout, const stage_extent& extent) {
  const transformer& shape = spec.model;
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
  const unit& head_copy = layout.units.tied_head;
  const std::int64_t dense = layers * every_block.dense + dense_layers * dense_block.dense + expert_layers * expert_block.dense +
                             (is_first ? input.dense : 0) + (is_last ? output.dense : 0) + (copies_head ? head_copy.dense : 0);
  const auto sum = [&](std::int64_t unit::*field) {
    return layers * every_block.*field + dense_layers * dense_block.*field + expert_layers * expert_block.*field +
           (is_first ? input.*field : 0) + (is_last ? output.*field : 0) + (copies_head ? head_copy.*field : 0);
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
    const auto compare = [&](bool has, const unit& part) {
      if (has && part.largest > held.largest) held.largest = part.largest;
    };
    compare(true, every_block);
    compare(dense_layers > 0, dense_block);
    compare(expert_layers > 0, expert_block);
    compare(is_first, input);
    compare(is_last, output);
    compare(copies_head, head_copy);
  }
  const std::int64_t linear_shapes = every_block.linear_shapes + (dense_layers > 0 ? dense_block.linear_shapes : 0) +
                                     (expert_layers > 0 ? expert_block.linear_shapes : 0) + (is_last ? output.linear_shapes : 0);

  stage_account account{};
  memory_report& report = account.device;
  const rank_states states = states_of(spec, layout.facts, held, layout.units.by_tensor);
  report.weights.count = states.weights;
  (spec.offload.gradients == storage::device ? report.gradients : account.offloaded.host).count = states.gradients;
  if (spec.offload.states == storage::device) {
    report.master.count = states.master;
    report.optimizer.count = states.optimizer;
  } else {
    (spec.offload.states == storage::host ? account.offloaded.host : account.offloaded.nvme).count += states.master + states.optimizer;
  }

  const saved_activations& saved = layout.saved;
  std::int64_t kept = spec.recompute == recomputes::full ? saved.block_input * layers
                                                         : saved.dense_block * dense_layers + saved.expert_block * expert_layers;
  if (is_first && shape.embedding_norm) kept += saved.block_input;
  // Around a next-token layer's block: the inputs of its three norms, what the last gives to the head, and the projection's input.
  if (is_last && shape.next_token_layers > 0) kept += 6 * saved.block_input * shape.next_token_layers;
  report.activations.count = parts == 1 ? kept * extent.in_flight : ceil_divide(kept * extent.in_flight, parts);

  const phase_sizes& phases = layout.phases;
  std::int64_t working = expert_layers > 0 ? phases.expert_backward : phases.dense_backward;
  if (dense_layers > 0 && phases.dense_backward > working) working = phases.dense_backward;
  if (is_last && phases.logits + phases.around_loss > working) {
    report.logits.count = phases.logits;
    working = phases.around_loss;
  }
  if (spec.zero >= 3) {
    working += gathered_units(spec.precision, layout.units, dense_layers > 0, expert_layers > 0, is_first, is_last, copies_head);
  } else if (spec.precision.weight > spec.precision.compute) {
    working += spec.precision.compute * sum(&unit::linear);  // autocast's copies, which the graph keeps until the end of backward
  }
  report.working.count = working;
  report.buffers.count = stage_buffers(spec, linear_shapes, held.elements());
  report.reserve.count = spec.headroom_mebibytes << 20;
  return account;
}

/// The account of pipeline rank `rank`.
constexpr stage_account account_of_stage(const plan_spec& spec, const memory_layout& layout, std::int64_t rank) {
  return account_of_extent(spec, layout, extent_of_stage(spec, layout.facts, rank));
}

/// `total()` of a rank, summed without the checks that the bounds of the first tier of rules make needless.
constexpr std::int64_t total_of_extent(const plan_spec& spec, const memory_layout& layout, const stage_extent& extent) {
  const stage_account account = account_of_extent(spec, layout, extent);
  const memory_report& report = account.device;
  return report.weights.count + report.gradients.count + report.master.count + report.optimizer.count + report.activations.count +
         report.logits.count + report.working.count + report.buffers.count + report.reserve.count;
}

}  // namespace shardplan
