// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// The numbers that a violation can be about. Each has a fact type of the same name in plan/facts.hpp, which is what error lines print.
enum class quantity {
  layers,
  hidden,
  heads,
  kv_heads,
  head_dim,
  ffn,
  vocabulary,
  positions,
  expert_count,
  top_k,
  expert_ffn,
  shared_ffn,
  leading_dense,
  layer_step,
  position_offset,
  next_token_layers,
  query_rank,
  key_value_rank,
  rope_dim,
  nope_dim,
  value_dim,
  device_memory_bytes,
  devices_per_node,
  nodes,
  device_count,
  sequence,
  micro_batch,
  global_batch,
  tp,
  pp,
  dp,
  cp,
  ep,
  etp,
  zero,
  layer_split_entry,
  layer_split_entries,
  layer_split_sum,
  vocabulary_multiple,
  headroom_mebibytes,
  chunks,
  in_flight,
  weight_bytes,
  gradient_bytes,
  accumulator_bytes,
  master_bytes,
  moment_bytes,
  compute_bytes,
  moments,
  hidden_matrix_moments,
  block,
  least_elements,
  table_bytes,
  // products that rules compare with
  pp_x_chunks,
  tp_x_pp_x_cp,
  tp_x_pp_x_cp_x_dp,
  etp_x_ep_x_pp,
  cp_x_tp,
  micro_batch_x_dp,
  // figures that must stay below 63 bits
  parameters_bound,
  activation_bytes_bound,
};

/// The quantity's name as error lines and reports print it.
constexpr const char* name_of(quantity what) {
  constexpr const char* names[] = {"layers",
                                   "hidden",
                                   "heads",
                                   "kv_heads",
                                   "head_dim",
                                   "ffn",
                                   "vocabulary",
                                   "positions",
                                   "expert_count",
                                   "top_k",
                                   "expert_ffn",
                                   "shared_ffn",
                                   "leading_dense",
                                   "layer_step",
                                   "position_offset",
                                   "next_token_layers",
                                   "query_rank",
                                   "key_value_rank",
                                   "rope_dim",
                                   "nope_dim",
                                   "value_dim",
                                   "device_memory_bytes",
                                   "devices_per_node",
                                   "nodes",
                                   "device_count",
                                   "sequence",
                                   "micro_batch",
                                   "global_batch",
                                   "tp",
                                   "pp",
                                   "dp",
                                   "cp",
                                   "ep",
                                   "etp",
                                   "zero",
                                   "layer_split_entry",
                                   "layer_split_entries",
                                   "layer_split_sum",
                                   "vocabulary_multiple",
                                   "headroom_mebibytes",
                                   "chunks",
                                   "in_flight",
                                   "weight_bytes",
                                   "gradient_bytes",
                                   "accumulator_bytes",
                                   "master_bytes",
                                   "moment_bytes",
                                   "compute_bytes",
                                   "moments",
                                   "hidden_matrix_moments",
                                   "block",
                                   "least_elements",
                                   "table_bytes",
                                   "pp_x_chunks",
                                   "tp_x_pp_x_cp",
                                   "tp_x_pp_x_cp_x_dp",
                                   "etp_x_ep_x_pp",
                                   "cp_x_tp",
                                   "micro_batch_x_dp",
                                   "parameters_bound",
                                   "activation_bytes_bound"};
  return names[static_cast<int>(what)];
}

/// A number with its name.
struct measured {
  quantity what{};
  std::int64_t value = 0;

  friend constexpr bool operator==(const measured&, const measured&) = default;
};

}  // namespace shardplan
