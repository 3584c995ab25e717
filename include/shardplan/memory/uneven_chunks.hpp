// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/activations.hpp>
#include <shardplan/memory/recomputed_layers.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan {

/// Whether the chunks of a rank may differ in layers, so that it matters which of them are alive.
template <class Spec = plan_spec>
constexpr bool has_uneven_chunks(const Spec& spec) {
  return spec.schedule.chunks > 1 && spec.schedule.layout == placement::loop && !has_even_stages(spec);
}

/// Of `alive` chunk activations on a rank those of chunk `chunk`, when forward takes the micro-batches in groups of `stages`, chunk after
/// chunk (Megatron-LM core/pipeline_parallel/schedules.py): exact at the end of the warm-up, where the first chunks have most.
constexpr std::int64_t alive_of_chunk(std::int64_t alive, std::int64_t stages, std::int64_t chunks, std::int64_t chunk) {
  const std::int64_t rounds = alive / (stages * chunks);
  const std::int64_t rest = alive - rounds * stages * chunks - chunk * stages;
  return rounds * stages + (rest < 0 ? 0 : rest > stages ? stages : rest);
}

/// What the blocks of pipeline rank `rank` keep of all chunk activations that are alive, `alive` of them, chunk by chunk.
template <class Spec = plan_spec>
constexpr kept_activations kept_by_chunks(const Spec& spec, const saved_activations& saved, std::int64_t rank, std::int64_t alive) {
  const auto& shape = spec.model;
  const std::int64_t chunks = spec.schedule.chunks;
  kept_activations all{};
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t stage = stage_of_chunk(spec.schedule.layout, spec.pp, chunk, rank);
    const std::int64_t count = layers_of_stage(spec, spec.pp * chunks, stage);
    const std::int64_t first = first_layer_of_stage(spec, spec.pp * chunks, stage);
    std::int64_t layers = count;
    std::int64_t dense = shape.experts.count == 0 ? count : shape.dense_layers_in(first, count);
    if (shape.next_token_layers > 0 && stage == next_token_stage_of(spec.layer_split, spec.pp * chunks)) {
      layers += shape.next_token_layers;
      if (shape.experts.count == 0) dense += shape.next_token_layers;
    }
    recompute_extent recomputed{};
    if (spec.recompute_layers.method != recompute_methods::each) add_recomputed_layers(spec, first, count, recomputed);
    const kept_activations kept = kept_by_blocks(spec, saved, layers, dense, recomputed);
    const std::int64_t times = alive_of_chunk(alive, spec.pp, chunks, chunk);
    all.on_device += times * kept.on_device;
    all.on_host += times * kept.on_host;
  }
  return all;
}

}  // namespace shardplan
