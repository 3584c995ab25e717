// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// The numbers that a violation can be about. Each has a fact type of the same name in plan/facts.hpp, which is what error lines print.
enum class quantity {
  layers,                  ///< transformer blocks
  hidden,                  ///< width of the residual stream, elements
  heads,                   ///< query heads
  kv_heads,                ///< key/value heads
  head_dim,                ///< width of one head, elements
  ffn,                     ///< width of one branch of a dense feed-forward network, elements
  vocabulary,              ///< rows of the vocabulary; padded where a rule divides it
  positions,               ///< rows of a learned position embedding, tokens
  expert_count,            ///< routed experts a layer
  top_k,                   ///< routed experts that one token visits
  expert_ffn,              ///< width of one branch of a routed expert, elements
  shared_ffn,              ///< width of the shared experts, elements
  leading_dense,           ///< first layers that stay dense
  layer_step,              ///< of the layers after `leading_dense` one in that many routes
  position_offset,         ///< first rows of the positions that no token has
  embedding_dim,           ///< width of embedding and head, elements
  next_token_layers,       ///< layers that predict further tokens
  query_rank,              ///< width of the latent query, elements
  key_value_rank,          ///< width of the latent key and value, elements
  rope_dim,                ///< width of the rotary part of a head with latent attention, elements
  nope_dim,                ///< width of the rest of a head's query and key, elements
  value_dim,               ///< width of a head's value with latent attention, elements
  device_memory_bytes,     ///< capacity of one device, bytes
  devices_per_node,        ///< devices of one host
  fabric_domain,           ///< consecutive devices that a fabric joins
  nodes,                   ///< hosts
  device_count,            ///< devices of the cluster
  sequence,                ///< tokens of one sequence
  micro_batch,             ///< sequences of one forward pass of a replica
  global_batch,            ///< sequences of one optimizer step
  accumulation,            ///< micro-batches of one replica in a step
  tp,                      ///< tensor parallel degree
  pp,                      ///< pipeline parallel degree
  dp,                      ///< data parallel degree, without cp
  cp,                      ///< context parallel degree
  ep,                      ///< expert parallel degree
  etp,                     ///< tensor parallel degree of routed experts
  zero,                    ///< ZeRO stage
  shard_ranks,             ///< ranks of a shard group: `hsdp<>`, `mics<>`
  hpz,                     ///< ranks that share a second copy of the weights
  prefetch,                ///< units that are gathered ahead
  live_parameters,         ///< limits of `gather_modules<>`, elements
  next_token_stage,        ///< stage (chunk) of the next-token layers
  first_stage_less,        ///< layers that the embedding counts as
  last_stage_less,         ///< layers that head and loss count as
  layer_split_entry,       ///< layers of one stage (chunk) in a `layer_split`
  layer_split_entries,     ///< stages (chunks) that a `layer_split` has a count for
  layer_split_sum,         ///< layers in a `layer_split` in all
  vocabulary_multiple,     ///< rows that the vocabulary is padded to a multiple of
  host_memory,             ///< memory of one host, GiB
  headroom_mebibytes,      ///< memory that stays free, MiB
  offload_percent,         ///< moments that `moments_to_host` moves, percent
  chunks,                  ///< model chunks of one pipeline rank
  in_flight,               ///< chunk activations alive at once on a rank, as a schedule says
  weight_bytes,            ///< bytes of one weight
  gradient_bytes,          ///< bytes of one gradient
  accumulator_bytes,       ///< bytes of one accumulated gradient
  master_bytes,            ///< bytes of one weight in the optimizer's own copy
  moment_bytes,            ///< bytes of one optimizer moment
  compute_bytes,           ///< bytes of one activation
  gradient_copy_bytes,     ///< bytes of one gradient in the optimizer's own copy
  second_moment_bytes,     ///< bytes of the second and further moments of a parameter
  moment_scale_bytes,      ///< scale of one moment of a tensor, bytes
  linear_bits,             ///< bits of one linear weight of a block
  linear_copy_bits,        ///< bits of one linear weight in its further copies
  scale_block,             ///< numbers that share a one-byte scale in a linear weight
  scale_square,            ///< side of a square of numbers that share an fp32 scale in a linear weight
  moments,                 ///< optimizer moments of a parameter
  matrix_moments,          ///< moments of a matrix; -1: as elsewhere
  block,                   ///< elements that share a scale in a quantised optimizer
  least_elements,          ///< elements below which a tensor's moments are not quantised
  table_bytes,             ///< code tables of an optimizer, bytes a process
  matrix_size,             ///< the number that a rule for matrices needs: pairs, side of a block or rank
  own_moment_bytes,        ///< bytes of one number of a moment, fixed by the optimizer
  moment_bits,             ///< bits of one number of a quantised moment
  tensor_table_bytes,      ///< code table of one quantised moment of a tensor, bytes
  recompute_count,         ///< layers that a method of recomputation is about
  load_percent,            ///< tokens of the fullest rank's routed experts, percent of the even share
  capacity_percent,        ///< tokens that a routed expert takes at most, percent of the even share
  logit_copies,            ///< copies of the logits that a loss kernel holds
  logit_bytes,             ///< bytes of a loss kernel for one logit, one weight of the head or one number of its input
  loss_chunks,             ///< pieces of the tokens that go through head and loss one after the other
  workspace_kibibytes,     ///< workspaces of libraries, KiB
  boundary_tensors,        ///< hidden states in buffers between pipeline stages
  step_bytes,              ///< temporaries of the optimizer step for a parameter, bytes
  bucket_elements,         ///< elements of one gradient bucket, or of what is stepped at a time
  bucket_buffers,          ///< gradient buckets
  micro_batches,           ///< micro-batches of a replica in a step
  slices,                  ///< parts of a sequence in the pipeline
  interleave_group,        ///< micro-batches that go through a chunk before the next
  interleave_rounds,       ///< groups of micro-batches, by PyTorch's rule
  ranks_multiple,          ///< what a schedule wants pp to be a multiple of
  micro_batches_multiple,  ///< what a schedule wants the micro-batches to be a multiple of
  weight_versions,         ///< versions of its weights that a rank keeps, as a schedule says
  inner_all_to_all,        ///< context parallel ranks of an all-to-all inside a ring or an all-gather
  sent_bits,               ///< bits of one number on its way, in `communication<>`
  sent_scale_block,        ///< numbers that share a 4-byte scale on their way to experts
  node_ranks,              ///< ranks among which quantised gradients are reduced first
  operations_per_second,   ///< matrix operations a second of a device
  bytes_per_second,        ///< bytes a second of a device's memory, or of one of its links
  hidden_tp,               ///< tensor parallel transfers that can hide, percent
  hidden_cp,               ///< context parallel transfers that can hide, percent
  hidden_ep,               ///< expert parallel transfers that can hide, percent
  hidden_pp,               ///< transfers between stages that can hide, percent
  hidden_dp,               ///< data parallel transfers that can hide, percent
  of_fabric,               ///< what a large ring reaches of the fabric's rate, percent
  of_network,              ///< what is reached of the network's rate, percent
  of_host,                 ///< what is reached of the rate between a device and its host, percent
  routed_nodes,            ///< nodes that a token's experts lie on: `node_limited_routing<>`
  least_micro_batches,     ///< micro-batches for each rank or stage that a schedule starts with
  bubble_chunks,           ///< chunks of a rank that a schedule's formula of its bubble is for
  // products that rules compare with
  pp_x_chunks,                      ///< product: pipeline ranks x chunks, the stages
  tp_x_pp_x_cp,                     ///< product: the ranks of one replica
  tp_x_pp_x_cp_x_dp,                ///< product: the ranks of all replicas
  etp_x_ep_x_pp,                    ///< product: the ranks of one set of all experts
  cp_x_lcm_2_tp,                    ///< product: the pieces of a sequence in Megatron-LM's context parallelism
  cp_x_2_tp,                        ///< product: 2 x cp x tp, the pieces of a sequence in torchtitan
  cp_x_16,                          ///< product: what FP8 kernels deal a sequence out to, 16 tokens and more on each cp rank
  cp_x_tp_x_8,                      ///< product: what FP8 kernels deal a shared sequence out to, 8 tokens and more on each rank
  cp_x_tp_x_block,                  ///< product: the same of MXFP8, whole blocks of 32 tokens on each rank
  cp_x_tp,                          ///< product: the ranks that share one sequence
  dp_x_cp,                          ///< product: the ranks that can share dense states
  shard_groups,                     ///< product: dp x cp / shard_ranks, the groups that states are replicated over
  expert_shards,                    ///< product: world / (etp x ep x pp), the ranks that can share the states of the same routed experts
  layers_and_slots,                 ///< sum: layers, and what counts as one in `pipeline_slots`
  layers_a_stage,                   ///< quotient: layers and slots / stages, rounded down
  virtual_stages,                   ///< stages that torchtitan's layers_per_stage can make, the number nearest to pp x chunks from below
  micro_batch_x_dp,                 ///< product: sequences of one micro-batch on all replicas
  micro_batch_x_accumulation_x_dp,  ///< product: sequences of one step
  percent,                          ///< a share, percent
  // figures that must stay below 63 bits
  parameters_bound,        ///< an upper bound on the parameters
  activation_bytes_bound,  ///< an upper bound on the activations, bytes
  state_bytes_bound,       ///< an upper bound on what rules for matrices and scales add to the states, bytes
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
                                   "embedding_dim",
                                   "next_token_layers",
                                   "query_rank",
                                   "key_value_rank",
                                   "rope_dim",
                                   "nope_dim",
                                   "value_dim",
                                   "device_memory_bytes",
                                   "devices_per_node",
                                   "fabric_domain",
                                   "nodes",
                                   "device_count",
                                   "sequence",
                                   "micro_batch",
                                   "global_batch",
                                   "accumulation",
                                   "tp",
                                   "pp",
                                   "dp",
                                   "cp",
                                   "ep",
                                   "etp",
                                   "zero",
                                   "shard_ranks",
                                   "hpz",
                                   "prefetch",
                                   "live_parameters",
                                   "next_token_stage",
                                   "first_stage_less",
                                   "last_stage_less",
                                   "layer_split_entry",
                                   "layer_split_entries",
                                   "layer_split_sum",
                                   "vocabulary_multiple",
                                   "host_memory",
                                   "headroom_mebibytes",
                                   "offload_percent",
                                   "chunks",
                                   "in_flight",
                                   "weight_bytes",
                                   "gradient_bytes",
                                   "accumulator_bytes",
                                   "master_bytes",
                                   "moment_bytes",
                                   "compute_bytes",
                                   "gradient_copy_bytes",
                                   "second_moment_bytes",
                                   "moment_scale_bytes",
                                   "linear_bits",
                                   "linear_copy_bits",
                                   "scale_block",
                                   "scale_square",
                                   "moments",
                                   "matrix_moments",
                                   "block",
                                   "least_elements",
                                   "table_bytes",
                                   "matrix_size",
                                   "own_moment_bytes",
                                   "moment_bits",
                                   "tensor_table_bytes",
                                   "recompute_count",
                                   "load_percent",
                                   "capacity_percent",
                                   "logit_copies",
                                   "logit_bytes",
                                   "loss_chunks",
                                   "workspace_kibibytes",
                                   "boundary_tensors",
                                   "step_bytes",
                                   "bucket_elements",
                                   "bucket_buffers",
                                   "micro_batches",
                                   "slices",
                                   "interleave_group",
                                   "interleave_rounds",
                                   "ranks_multiple",
                                   "micro_batches_multiple",
                                   "weight_versions",
                                   "inner_all_to_all",
                                   "sent_bits",
                                   "sent_scale_block",
                                   "node_ranks",
                                   "operations_per_second",
                                   "bytes_per_second",
                                   "hidden_tp",
                                   "hidden_cp",
                                   "hidden_ep",
                                   "hidden_pp",
                                   "hidden_dp",
                                   "of_fabric",
                                   "of_network",
                                   "of_host",
                                   "routed_nodes",
                                   "least_micro_batches",
                                   "bubble_chunks",
                                   "pp_x_chunks",
                                   "tp_x_pp_x_cp",
                                   "tp_x_pp_x_cp_x_dp",
                                   "etp_x_ep_x_pp",
                                   "cp_x_lcm_2_tp",
                                   "cp_x_2_tp",
                                   "cp_x_16",
                                   "cp_x_tp_x_8",
                                   "cp_x_tp_x_block",
                                   "cp_x_tp",
                                   "dp_x_cp",
                                   "shard_groups",
                                   "expert_shards",
                                   "layers_and_slots",
                                   "layers_a_stage",
                                   "virtual_stages",
                                   "micro_batch_x_dp",
                                   "micro_batch_x_accumulation_x_dp",
                                   "percent",
                                   "parameters_bound",
                                   "activation_bytes_bound",
                                   "state_bytes_bound"};
  static_assert(sizeof names / sizeof names[0] == static_cast<unsigned>(quantity::state_bytes_bound) + 1);
  return detail::nth_of(names, static_cast<int>(what));
}

/// A number with its name.
struct measured {
  quantity what{};         ///< its name
  std::int64_t value = 0;  ///< in the unit of the name

  friend constexpr bool operator==(const measured& left, const measured& right) {
    return int(left.what) == int(right.what) && left.value == right.value;
  }
};

}  // namespace shardplan
