// SPDX-License-Identifier: BSL-1.0
// Arguments of Megatron-LM about the devices: degrees, stages and their layers, the order in the pipeline.
#pragma once

#include "interleaved_schedule.hpp"
#include "pipeline_layout.hpp"
#include "row.hpp"

#include <shardplan/core/bytes.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace truth {

namespace detail {

inline void read_megatron_layout(const config_reader& config, shardplan::plan_spec& spec) {
  const shardplan::transformer& shape = spec.model;
  const std::int64_t world = config.number("world_size");
  spec.tp = config.number("tensor_model_parallel_size", 1);
  spec.pp = config.number("pipeline_model_parallel_size", 1);
  spec.cp = config.number("context_parallel_size", 1);
  if (shape.experts.count > 0) {
    spec.ep = config.number("expert_model_parallel_size", 1);
    spec.etp = config.number("expert_tensor_parallel_size", spec.tp);
  }
  if (spec.tp < 1 || spec.pp < 1 || spec.cp < 1 || world % (spec.tp * spec.pp * spec.cp) != 0)
    throw not_expressible{"a world that the degrees do not divide"};
  spec.dp = world / (spec.tp * spec.pp * spec.cp);
  spec.devices_per_node = world % 8 == 0 ? 8 : world;
  spec.nodes = world / spec.devices_per_node;
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.headroom_mebibytes = 0;
  spec.sequence_parallel = config.flag("sequence_parallel") ? shardplan::toggle::on : shardplan::toggle::off;

  // Chunks: layers of one, chunks of a rank, or a layout.
  std::int64_t chunks = config.number("num_virtual_stages_per_pipeline_rank", 1);
  if (const std::int64_t of_chunk = config.number("num_layers_per_virtual_pipeline_stage", 0); of_chunk != 0) {
    if (shape.layers % (spec.pp * of_chunk) != 0) throw not_expressible{"layers that chunks do not divide"};
    chunks = shape.layers / spec.pp / of_chunk;
  }
  const bool embedding_counts = config.flag("account_for_embedding_in_pipeline_split");
  const bool loss_counts = config.flag("account_for_loss_in_pipeline_split");
  const std::int64_t first = config.number("decoder_first_pipeline_num_layers", config.number("num_layers_in_first_pipeline_stage", 0));
  const std::int64_t last = config.number("decoder_last_pipeline_num_layers", config.number("num_layers_in_last_pipeline_stage", 0));
  if (config.has("pipeline_model_parallel_layout")) {
    const std::vector<pipeline_layout::chunk> all = pipeline_layout{config.text("pipeline_model_parallel_layout")}.chunks();
    const std::int64_t stages = static_cast<std::int64_t>(all.size());
    if (stages % spec.pp != 0) throw not_expressible{"a layout of another number of stages"};
    chunks = stages / spec.pp;
    std::int64_t layers = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (all[at].embedding != (at == 0) || all[at].loss != (at + 1 == all.size()))
        throw not_expressible{"embedding or loss inside the pipeline"};
      if (all[at].next_token_layers != 0) {
        if (all[at].next_token_layers != shape.next_token_layers) throw not_expressible{"next-token layers on several stages"};
        if (at + 1 != all.size()) spec.layer_split.next_token_stage = static_cast<std::int64_t>(at);
      }
      spec.layer_split.push_back(all[at].layers);
      layers += all[at].layers;
    }
    if (layers != shape.layers) throw not_expressible{"a layout of another number of layers"};
    spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;  // stages without a layer
  } else if (embedding_counts || loss_counts) {
    spec.layer_split.embedding_slot = embedding_counts;
    spec.layer_split.loss_slot = loss_counts;
  } else if (first != 0 || last != 0) {
    const std::int64_t uneven = (first != 0 ? 1 : 0) + (last != 0 ? 1 : 0);
    const std::int64_t rest = shape.layers - first - last;
    if (spec.pp <= uneven ? rest != 0 : rest % (spec.pp - uneven) != 0) throw not_expressible{"layers that stages do not divide"};
    // Each rank deals its layers evenly over its chunks.
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
      for (std::int64_t rank = 0; rank < spec.pp; ++rank) {
        const std::int64_t of_rank = rank == 0 && first != 0 ? first : rank == spec.pp - 1 && last != 0 ? last : rest / (spec.pp - uneven);
        if (of_rank % chunks != 0) throw not_expressible{"layers that chunks do not divide"};
        spec.layer_split.push_back(of_rank / chunks);
      }
  }
  const std::int64_t group = config.number("microbatch_group_size_per_virtual_pipeline_stage", 0);
  const bool extra = config.flag("overlap_moe_expert_parallel_comm");
  if (chunks > 1) spec.schedule = interleaved_schedule(chunks, group, extra);
}

}  // namespace detail

}  // namespace truth
