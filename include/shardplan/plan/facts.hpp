// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/report.hpp>

#include <cstdint>

namespace shardplan {

// The words that error lines are made of: types that are declared and never defined. A number of a plan is named by its part (`tp<8>`)
// where there is one, else by a fact type with the name of the quantity.

/// Transformer blocks.
template <std::int64_t Value>
struct layers;
/// Width of the residual stream, elements.
template <std::int64_t Value>
struct hidden;
/// Query heads.
template <std::int64_t Value>
struct heads;
/// Key/value heads.
template <std::int64_t Value>
struct kv_heads;
/// Width of one head, elements.
template <std::int64_t Value>
struct head_dim;
/// Width of one branch of a dense feed-forward network, elements.
template <std::int64_t Value>
struct ffn;
/// Rows of the vocabulary; padded where a rule divides it.
template <std::int64_t Value>
struct vocabulary;
/// Rows of a learned position embedding, tokens.
template <std::int64_t Value>
struct positions;
/// Routed experts a layer.
template <std::int64_t Value>
struct expert_count;
/// Routed experts that one token visits.
template <std::int64_t Value>
struct top_k;
/// Width of one branch of a routed expert, elements.
template <std::int64_t Value>
struct expert_ffn;
/// Width of the shared experts, elements.
template <std::int64_t Value>
struct shared_ffn;
/// First layers that stay dense.
template <std::int64_t Value>
struct leading_dense;
/// Of the layers after `leading_dense` one in that many routes.
template <std::int64_t Value>
struct layer_step;
/// First rows of the positions that no token has.
template <std::int64_t Value>
struct position_offset;
/// Width of embedding and head, elements.
template <std::int64_t Value>
struct embedding_dim;
/// Layers that predict further tokens.
template <std::int64_t Value>
struct next_token_layers;
/// Width of the latent query, elements.
template <std::int64_t Value>
struct query_rank;
/// Width of the latent key and value, elements.
template <std::int64_t Value>
struct key_value_rank;
/// Width of the rotary part of a head with latent attention, elements.
template <std::int64_t Value>
struct rope_dim;
/// Width of the rest of a head's query and key, elements.
template <std::int64_t Value>
struct nope_dim;
/// Width of a head's value with latent attention, elements.
template <std::int64_t Value>
struct value_dim;
/// Capacity of one device, bytes.
template <std::int64_t Value>
struct device_memory_bytes;
/// Devices of one host.
template <std::int64_t Value>
struct devices_per_node;
/// Consecutive devices that a fabric joins.
template <std::int64_t Value>
struct fabric_domain;
/// Hosts.
template <std::int64_t Value>
struct nodes;
/// Devices of the cluster.
template <std::int64_t Value>
struct device_count;
/// Layers of one stage (chunk) in a `layer_split`.
template <std::int64_t Value>
struct layer_split_entry;
/// Stages (chunks) that a `layer_split` has a count for.
template <std::int64_t Value>
struct layer_split_entries;
/// Layers in a `layer_split` in all.
template <std::int64_t Value>
struct layer_split_sum;
/// Model chunks of one pipeline rank.
template <std::int64_t Value>
struct chunks;
/// Chunk activations alive at once on a rank, as a schedule says.
template <std::int64_t Value>
struct in_flight;
/// Micro-batches of a replica in a step.
template <std::int64_t Value>
struct micro_batches;
/// Parts of a sequence in the pipeline.
template <std::int64_t Value>
struct slices;
/// Micro-batches that go through a chunk before the next.
template <std::int64_t Value>
struct interleave_group;
/// Groups of micro-batches, by PyTorch's rule.
template <std::int64_t Value>
struct interleave_rounds;
/// What a schedule wants pp to be a multiple of.
template <std::int64_t Value>
struct ranks_multiple;
/// What a schedule wants the micro-batches to be a multiple of.
template <std::int64_t Value>
struct micro_batches_multiple;
/// Versions of its weights that a rank keeps, as a schedule says.
template <std::int64_t Value>
struct weight_versions;
/// Bits of one number on its way, in `communication<>`.
template <std::int64_t Value>
struct sent_bits;
/// Numbers that share a 4-byte scale on their way to experts.
template <std::int64_t Value>
struct sent_scale_block;
/// Ranks among which quantised gradients are reduced first.
template <std::int64_t Value>
struct node_ranks;
/// Matrix operations a second of a device.
template <std::int64_t Value>
struct operations_per_second;
/// Bytes a second of a device's memory, or of one of its links.
template <std::int64_t Value>
struct bytes_per_second;
/// Micro-batches for each rank or stage that a schedule starts with.
template <std::int64_t Value>
struct least_micro_batches;
/// Chunks of a rank that a schedule's formula of its bubble is for.
template <std::int64_t Value>
struct bubble_chunks;
/// Bytes of one weight.
template <std::int64_t Value>
struct weight_bytes;
/// Bytes of one gradient.
template <std::int64_t Value>
struct gradient_bytes;
/// Bytes of one accumulated gradient.
template <std::int64_t Value>
struct accumulator_bytes;
/// Bytes of one weight in the optimizer's own copy.
template <std::int64_t Value>
struct master_bytes;
/// Bytes of one optimizer moment.
template <std::int64_t Value>
struct moment_bytes;
/// Bytes of one activation.
template <std::int64_t Value>
struct compute_bytes;
/// Bytes of one gradient in the optimizer's own copy.
template <std::int64_t Value>
struct gradient_copy_bytes;
/// Bytes of the second and further moments of a parameter.
template <std::int64_t Value>
struct second_moment_bytes;
/// Scale of one moment of a tensor, bytes.
template <std::int64_t Value>
struct moment_scale_bytes;
/// Bits of one linear weight of a block.
template <std::int64_t Value>
struct linear_bits;
/// Bits of one linear weight in its further copies.
template <std::int64_t Value>
struct linear_copy_bits;
/// Numbers that share a one-byte scale in a linear weight.
template <std::int64_t Value>
struct scale_block;
/// Side of a square of numbers that share an fp32 scale in a linear weight.
template <std::int64_t Value>
struct scale_square;
/// Moments that `moments_to_host` moves, percent.
template <std::int64_t Value>
struct offload_percent;
/// Optimizer moments of a parameter.
template <std::int64_t Value>
struct moments;
/// Moments of a matrix; -1: as elsewhere.
template <std::int64_t Value>
struct matrix_moments;
/// Elements that share a scale in a quantised optimizer.
template <std::int64_t Value>
struct block;
/// Elements below which a tensor's moments are not quantised.
template <std::int64_t Value>
struct least_elements;
/// Code tables of an optimizer, bytes a process.
template <std::int64_t Value>
struct table_bytes;
/// The number that a rule for matrices needs: pairs, side of a block or rank.
template <std::int64_t Value>
struct matrix_size;
/// Bytes of one number of a moment, fixed by the optimizer.
template <std::int64_t Value>
struct own_moment_bytes;
/// Bits of one number of a quantised moment.
template <std::int64_t Value>
struct moment_bits;
/// Code table of one quantised moment of a tensor, bytes.
template <std::int64_t Value>
struct tensor_table_bytes;
/// Layers that a method of recomputation is about.
template <std::int64_t Value>
struct recompute_count;
/// Tokens of the fullest rank's routed experts, percent of the even share.
template <std::int64_t Value>
struct load_percent;
/// Tokens that a routed expert takes at most, percent of the even share.
template <std::int64_t Value>
struct capacity_percent;
/// Product: pipeline ranks x chunks, the stages.
template <std::int64_t Value>
struct pp_x_chunks;
/// Product: the ranks of one replica.
template <std::int64_t Value>
struct tp_x_pp_x_cp;
/// Product: the ranks of all replicas.
template <std::int64_t Value>
struct tp_x_pp_x_cp_x_dp;
/// Product: the ranks of one set of all experts.
template <std::int64_t Value>
struct etp_x_ep_x_pp;
/// Product: the ranks that share one sequence.
template <std::int64_t Value>
struct cp_x_tp;
/// Ranks of a shard group: `hsdp<>`, `mics<>`.
template <std::int64_t Value>
struct shard_ranks;
/// Product: the ranks that can share dense states.
template <std::int64_t Value>
struct dp_x_cp;
/// Groups that states are replicated over: dp x cp / shard_ranks.
template <std::int64_t Value>
struct shard_groups;
/// The ranks that can share the states of the same routed experts: world / (etp x ep x pp).
template <std::int64_t Value>
struct expert_shards;
/// Layers, and what counts as one in `pipeline_slots`.
template <std::int64_t Value>
struct layers_and_slots;
/// Layers and slots / stages, rounded down: the share that a stage has at least.
template <std::int64_t Value>
struct layers_a_stage;
/// Stages that torchtitan's layers_per_stage can make, the number nearest to pp x chunks from below.
template <std::int64_t Value>
struct virtual_stages;
/// cp x lcm(2, tp), tp with sequence parallelism only: what a sequence is dealt out to by Megatron-LM's context parallelism.
template <std::int64_t Value>
struct cp_x_lcm_2_tp;
/// 2 x cp x tp: what torchtitan deals a sequence out to.
template <std::int64_t Value>
struct cp_x_2_tp;
/// 16 x cp: what FP8 kernels deal a sequence out to.
template <std::int64_t Value>
struct cp_x_16;
/// 8 x cp x tp: what FP8 kernels deal a shared sequence out to.
template <std::int64_t Value>
struct cp_x_tp_x_8;
/// 32 x cp, x tp where the sequence is shared: what MXFP8 kernels deal a sequence out to.
template <std::int64_t Value>
struct cp_x_tp_x_block;
/// Product: sequences of one step.
template <std::int64_t Value>
struct micro_batch_x_accumulation_x_dp;
/// Product: sequences of one micro-batch on all replicas.
template <std::int64_t Value>
struct micro_batch_x_dp;
/// A share, percent.
template <std::int64_t Value>
struct percent;
/// An upper bound on the parameters.
template <std::int64_t Value>
struct parameters_bound;
/// An upper bound on the activations, bytes.
template <std::int64_t Value>
struct activation_bytes_bound;
/// An upper bound on what rules for matrices and scales add to the states, bytes.
template <std::int64_t Value>
struct state_bytes_bound;
/// Copies of the logits that a loss kernel holds.
template <std::int64_t Value>
struct logit_copies;
/// Bytes of a loss kernel for one logit, one weight of the head or one number of its input.
template <std::int64_t Value>
struct logit_bytes;
/// Pieces of the tokens that go through head and loss one after the other.
template <std::int64_t Value>
struct loss_chunks;
/// Workspaces of libraries, KiB.
template <std::int64_t Value>
struct workspace_kibibytes;
/// Hidden states in buffers between pipeline stages.
template <std::int64_t Value>
struct boundary_tensors;
/// Temporaries of the optimizer step for a parameter, bytes.
template <std::int64_t Value>
struct step_bytes;
/// Elements of one gradient bucket, or of what is stepped at a time.
template <std::int64_t Value>
struct bucket_elements;
/// Gradient buckets.
template <std::int64_t Value>
struct bucket_buffers;
/// Elements that `gather_modules<>` gathers ahead, keeps at most, or looks ahead for.
template <std::int64_t Value>
struct live_parameters;
/// Memory that stays free, MiB.
template <std::int64_t Value>
struct headroom_mebibytes;

/// Pipeline rank that a violation is about.
template <std::int64_t Rank>
struct stage;
/// An amount of memory with one decimal: `GiB<79, 5>` is 79.5 GiB. What is needed is rounded up, what is there down.
template <std::int64_t Whole, std::int64_t Tenths>
struct GiB;
/// The smallest legal value of a number.
template <std::int64_t Value>
struct at_least;
/// The largest legal value of a number.
template <std::int64_t Value>
struct at_most;
/// What the plan needs.
template <class Fact>
struct needs;
/// What there is.
template <class Fact>
struct has;
/// The largest component of a stage and its bytes.
template <component Which, class Amount>
struct largest;
/// Changes that were checked to make the plan valid together, with the first legal value of each other violation. In a violation about a
/// number: a legal value of that part.
template <class... Parts>
struct try_;
/// No change that shardplan tries makes the plan valid.
struct nothing_small_helps;
/// Another rule is broken that no change which shardplan tries puts right: what makes the plan fit is looked for once it is kept.
struct other_rules_first;

}  // namespace shardplan
