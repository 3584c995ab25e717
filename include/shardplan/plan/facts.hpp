// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/host_memory.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/communication.hpp>
#include <shardplan/recipe/link_efficiency.hpp>
#include <shardplan/recipe/node_limited_routing.hpp>
#include <shardplan/recipe/overlap.hpp>

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
/// cp x lcm(2, tp), tp with sequence parallelism only: what a sequence is dealt out to by Megatron-LM's context parallelism.
template <std::int64_t Value>
struct cp_x_lcm_2_tp;
/// 2 x cp x tp: what torchtitan deals a sequence out to.
template <std::int64_t Value>
struct cp_x_2_tp;
/// 16 x cp: what FP8 kernels deal a sequence out to.
template <std::int64_t Value>
struct cp_x_16;
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
/// A change of one part that was checked to make the plan valid, or of two that do it together. In a violation about a number: a legal
/// value of that part.
template <class... Parts>
struct try_;
/// No single change that shardplan tries makes the plan valid.
struct nothing_small_helps;

namespace detail {

// Functions that are declared and never defined, and whose argument says which fact is meant: nvcc's front end prints a type that was
// deduced as it is, but one that came out of a nested `::type` with all of our internals around it.
template <quantity What, std::int64_t Value>
struct fact_key {};
template <std::int64_t Value>
layers<Value>* fact_of(fact_key<quantity::layers, Value>);
template <std::int64_t Value>
hidden<Value>* fact_of(fact_key<quantity::hidden, Value>);
template <std::int64_t Value>
heads<Value>* fact_of(fact_key<quantity::heads, Value>);
template <std::int64_t Value>
kv_heads<Value>* fact_of(fact_key<quantity::kv_heads, Value>);
template <std::int64_t Value>
head_dim<Value>* fact_of(fact_key<quantity::head_dim, Value>);
template <std::int64_t Value>
ffn<Value>* fact_of(fact_key<quantity::ffn, Value>);
template <std::int64_t Value>
vocabulary<Value>* fact_of(fact_key<quantity::vocabulary, Value>);
template <std::int64_t Value>
positions<Value>* fact_of(fact_key<quantity::positions, Value>);
template <std::int64_t Value>
expert_count<Value>* fact_of(fact_key<quantity::expert_count, Value>);
template <std::int64_t Value>
top_k<Value>* fact_of(fact_key<quantity::top_k, Value>);
template <std::int64_t Value>
expert_ffn<Value>* fact_of(fact_key<quantity::expert_ffn, Value>);
template <std::int64_t Value>
shared_ffn<Value>* fact_of(fact_key<quantity::shared_ffn, Value>);
template <std::int64_t Value>
leading_dense<Value>* fact_of(fact_key<quantity::leading_dense, Value>);
template <std::int64_t Value>
layer_step<Value>* fact_of(fact_key<quantity::layer_step, Value>);
template <std::int64_t Value>
position_offset<Value>* fact_of(fact_key<quantity::position_offset, Value>);
template <std::int64_t Value>
embedding_dim<Value>* fact_of(fact_key<quantity::embedding_dim, Value>);
template <std::int64_t Value>
next_token_layers<Value>* fact_of(fact_key<quantity::next_token_layers, Value>);
template <std::int64_t Value>
query_rank<Value>* fact_of(fact_key<quantity::query_rank, Value>);
template <std::int64_t Value>
key_value_rank<Value>* fact_of(fact_key<quantity::key_value_rank, Value>);
template <std::int64_t Value>
rope_dim<Value>* fact_of(fact_key<quantity::rope_dim, Value>);
template <std::int64_t Value>
nope_dim<Value>* fact_of(fact_key<quantity::nope_dim, Value>);
template <std::int64_t Value>
value_dim<Value>* fact_of(fact_key<quantity::value_dim, Value>);
template <std::int64_t Value>
device_memory_bytes<Value>* fact_of(fact_key<quantity::device_memory_bytes, Value>);
template <std::int64_t Value>
devices_per_node<Value>* fact_of(fact_key<quantity::devices_per_node, Value>);
template <std::int64_t Value>
fabric_domain<Value>* fact_of(fact_key<quantity::fabric_domain, Value>);
template <std::int64_t Value>
nodes<Value>* fact_of(fact_key<quantity::nodes, Value>);
template <std::int64_t Value>
device_count<Value>* fact_of(fact_key<quantity::device_count, Value>);
template <std::int64_t Value>
layer_split_entry<Value>* fact_of(fact_key<quantity::layer_split_entry, Value>);
template <std::int64_t Value>
layer_split_entries<Value>* fact_of(fact_key<quantity::layer_split_entries, Value>);
template <std::int64_t Value>
layer_split_sum<Value>* fact_of(fact_key<quantity::layer_split_sum, Value>);
template <std::int64_t Value>
chunks<Value>* fact_of(fact_key<quantity::chunks, Value>);
template <std::int64_t Value>
in_flight<Value>* fact_of(fact_key<quantity::in_flight, Value>);
template <std::int64_t Value>
micro_batches<Value>* fact_of(fact_key<quantity::micro_batches, Value>);
template <std::int64_t Value>
slices<Value>* fact_of(fact_key<quantity::slices, Value>);
template <std::int64_t Value>
interleave_group<Value>* fact_of(fact_key<quantity::interleave_group, Value>);
template <std::int64_t Value>
interleave_rounds<Value>* fact_of(fact_key<quantity::interleave_rounds, Value>);
template <std::int64_t Value>
ranks_multiple<Value>* fact_of(fact_key<quantity::ranks_multiple, Value>);
template <std::int64_t Value>
micro_batches_multiple<Value>* fact_of(fact_key<quantity::micro_batches_multiple, Value>);
template <std::int64_t Value>
weight_versions<Value>* fact_of(fact_key<quantity::weight_versions, Value>);
template <std::int64_t Value>
inner_all_to_all<Value>* fact_of(fact_key<quantity::inner_all_to_all, Value>);
template <std::int64_t Value>
sent_bits<Value>* fact_of(fact_key<quantity::sent_bits, Value>);
template <std::int64_t Value>
sent_scale_block<Value>* fact_of(fact_key<quantity::sent_scale_block, Value>);
template <std::int64_t Value>
node_ranks<Value>* fact_of(fact_key<quantity::node_ranks, Value>);
template <std::int64_t Value>
operations_per_second<Value>* fact_of(fact_key<quantity::operations_per_second, Value>);
template <std::int64_t Value>
bytes_per_second<Value>* fact_of(fact_key<quantity::bytes_per_second, Value>);
template <std::int64_t Value>
hidden_tp<Value>* fact_of(fact_key<quantity::hidden_tp, Value>);
template <std::int64_t Value>
hidden_cp<Value>* fact_of(fact_key<quantity::hidden_cp, Value>);
template <std::int64_t Value>
hidden_ep<Value>* fact_of(fact_key<quantity::hidden_ep, Value>);
template <std::int64_t Value>
hidden_pp<Value>* fact_of(fact_key<quantity::hidden_pp, Value>);
template <std::int64_t Value>
hidden_dp<Value>* fact_of(fact_key<quantity::hidden_dp, Value>);
template <std::int64_t Value>
of_fabric<Value>* fact_of(fact_key<quantity::of_fabric, Value>);
template <std::int64_t Value>
of_network<Value>* fact_of(fact_key<quantity::of_network, Value>);
template <std::int64_t Value>
of_host<Value>* fact_of(fact_key<quantity::of_host, Value>);
template <std::int64_t Value>
node_limited_routing<Value>* fact_of(fact_key<quantity::routed_nodes, Value>);
template <std::int64_t Value>
least_micro_batches<Value>* fact_of(fact_key<quantity::least_micro_batches, Value>);
template <std::int64_t Value>
bubble_chunks<Value>* fact_of(fact_key<quantity::bubble_chunks, Value>);
template <std::int64_t Value>
weight_bytes<Value>* fact_of(fact_key<quantity::weight_bytes, Value>);
template <std::int64_t Value>
gradient_bytes<Value>* fact_of(fact_key<quantity::gradient_bytes, Value>);
template <std::int64_t Value>
accumulator_bytes<Value>* fact_of(fact_key<quantity::accumulator_bytes, Value>);
template <std::int64_t Value>
master_bytes<Value>* fact_of(fact_key<quantity::master_bytes, Value>);
template <std::int64_t Value>
moment_bytes<Value>* fact_of(fact_key<quantity::moment_bytes, Value>);
template <std::int64_t Value>
compute_bytes<Value>* fact_of(fact_key<quantity::compute_bytes, Value>);
template <std::int64_t Value>
gradient_copy_bytes<Value>* fact_of(fact_key<quantity::gradient_copy_bytes, Value>);
template <std::int64_t Value>
second_moment_bytes<Value>* fact_of(fact_key<quantity::second_moment_bytes, Value>);
template <std::int64_t Value>
moment_scale_bytes<Value>* fact_of(fact_key<quantity::moment_scale_bytes, Value>);
template <std::int64_t Value>
linear_bits<Value>* fact_of(fact_key<quantity::linear_bits, Value>);
template <std::int64_t Value>
linear_copy_bits<Value>* fact_of(fact_key<quantity::linear_copy_bits, Value>);
template <std::int64_t Value>
scale_square<Value>* fact_of(fact_key<quantity::scale_square, Value>);
template <std::int64_t Value>
offload_percent<Value>* fact_of(fact_key<quantity::offload_percent, Value>);
template <std::int64_t Value>
scale_block<Value>* fact_of(fact_key<quantity::scale_block, Value>);
template <std::int64_t Value>
moments<Value>* fact_of(fact_key<quantity::moments, Value>);
template <std::int64_t Value>
matrix_moments<Value>* fact_of(fact_key<quantity::matrix_moments, Value>);
template <std::int64_t Value>
block<Value>* fact_of(fact_key<quantity::block, Value>);
template <std::int64_t Value>
least_elements<Value>* fact_of(fact_key<quantity::least_elements, Value>);
template <std::int64_t Value>
table_bytes<Value>* fact_of(fact_key<quantity::table_bytes, Value>);
template <std::int64_t Value>
matrix_size<Value>* fact_of(fact_key<quantity::matrix_size, Value>);
template <std::int64_t Value>
own_moment_bytes<Value>* fact_of(fact_key<quantity::own_moment_bytes, Value>);
template <std::int64_t Value>
moment_bits<Value>* fact_of(fact_key<quantity::moment_bits, Value>);
template <std::int64_t Value>
tensor_table_bytes<Value>* fact_of(fact_key<quantity::tensor_table_bytes, Value>);
template <std::int64_t Value>
recompute_count<Value>* fact_of(fact_key<quantity::recompute_count, Value>);
template <std::int64_t Value>
load_percent<Value>* fact_of(fact_key<quantity::load_percent, Value>);
template <std::int64_t Value>
capacity_percent<Value>* fact_of(fact_key<quantity::capacity_percent, Value>);
template <std::int64_t Value>
pp_x_chunks<Value>* fact_of(fact_key<quantity::pp_x_chunks, Value>);
template <std::int64_t Value>
tp_x_pp_x_cp<Value>* fact_of(fact_key<quantity::tp_x_pp_x_cp, Value>);
template <std::int64_t Value>
tp_x_pp_x_cp_x_dp<Value>* fact_of(fact_key<quantity::tp_x_pp_x_cp_x_dp, Value>);
template <std::int64_t Value>
etp_x_ep_x_pp<Value>* fact_of(fact_key<quantity::etp_x_ep_x_pp, Value>);
template <std::int64_t Value>
cp_x_lcm_2_tp<Value>* fact_of(fact_key<quantity::cp_x_lcm_2_tp, Value>);
template <std::int64_t Value>
percent<Value>* fact_of(fact_key<quantity::percent, Value>);
template <std::int64_t Value>
cp_x_2_tp<Value>* fact_of(fact_key<quantity::cp_x_2_tp, Value>);
template <std::int64_t Value>
cp_x_16<Value>* fact_of(fact_key<quantity::cp_x_16, Value>);
template <std::int64_t Value>
micro_batch_x_accumulation_x_dp<Value>* fact_of(fact_key<quantity::micro_batch_x_accumulation_x_dp, Value>);
template <std::int64_t Value>
accumulation<Value>* fact_of(fact_key<quantity::accumulation, Value>);
template <std::int64_t Value>
host_memory<Value>* fact_of(fact_key<quantity::host_memory, Value>);
template <std::int64_t Value>
cp_x_tp<Value>* fact_of(fact_key<quantity::cp_x_tp, Value>);
template <std::int64_t Value>
micro_batch_x_dp<Value>* fact_of(fact_key<quantity::micro_batch_x_dp, Value>);
template <std::int64_t Value>
parameters_bound<Value>* fact_of(fact_key<quantity::parameters_bound, Value>);
template <std::int64_t Value>
activation_bytes_bound<Value>* fact_of(fact_key<quantity::activation_bytes_bound, Value>);
template <std::int64_t Value>
state_bytes_bound<Value>* fact_of(fact_key<quantity::state_bytes_bound, Value>);
template <std::int64_t Value>
logit_copies<Value>* fact_of(fact_key<quantity::logit_copies, Value>);
template <std::int64_t Value>
logit_bytes<Value>* fact_of(fact_key<quantity::logit_bytes, Value>);
template <std::int64_t Value>
loss_chunks<Value>* fact_of(fact_key<quantity::loss_chunks, Value>);
template <std::int64_t Value>
workspace_kibibytes<Value>* fact_of(fact_key<quantity::workspace_kibibytes, Value>);
template <std::int64_t Value>
boundary_tensors<Value>* fact_of(fact_key<quantity::boundary_tensors, Value>);
template <std::int64_t Value>
step_bytes<Value>* fact_of(fact_key<quantity::step_bytes, Value>);
template <std::int64_t Value>
bucket_elements<Value>* fact_of(fact_key<quantity::bucket_elements, Value>);
template <std::int64_t Value>
bucket_buffers<Value>* fact_of(fact_key<quantity::bucket_buffers, Value>);
template <std::int64_t Value>
headroom_mebibytes<Value>* fact_of(fact_key<quantity::headroom_mebibytes, Value>);
template <std::int64_t Value>
sequence<Value>* fact_of(fact_key<quantity::sequence, Value>);
template <std::int64_t Value>
micro_batch<Value>* fact_of(fact_key<quantity::micro_batch, Value>);
template <std::int64_t Value>
global_batch<Value>* fact_of(fact_key<quantity::global_batch, Value>);
template <std::int64_t Value>
tp<Value>* fact_of(fact_key<quantity::tp, Value>);
template <std::int64_t Value>
pp<Value>* fact_of(fact_key<quantity::pp, Value>);
template <std::int64_t Value>
dp<Value>* fact_of(fact_key<quantity::dp, Value>);
template <std::int64_t Value>
cp<Value>* fact_of(fact_key<quantity::cp, Value>);
template <std::int64_t Value>
ep<Value>* fact_of(fact_key<quantity::ep, Value>);
template <std::int64_t Value>
etp<Value>* fact_of(fact_key<quantity::etp, Value>);
template <std::int64_t Value>
zero<Value>* fact_of(fact_key<quantity::zero, Value>);
template <std::int64_t Value>
shard_ranks<Value>* fact_of(fact_key<quantity::shard_ranks, Value>);
template <std::int64_t Value>
hpz<Value>* fact_of(fact_key<quantity::hpz, Value>);
template <std::int64_t Value>
prefetch<Value>* fact_of(fact_key<quantity::prefetch, Value>);
template <std::int64_t Value>
next_token_stage<Value>* fact_of(fact_key<quantity::next_token_stage, Value>);
template <std::int64_t Value>
dp_x_cp<Value>* fact_of(fact_key<quantity::dp_x_cp, Value>);
template <std::int64_t Value>
shard_groups<Value>* fact_of(fact_key<quantity::shard_groups, Value>);
template <std::int64_t Value>
expert_shards<Value>* fact_of(fact_key<quantity::expert_shards, Value>);
template <std::int64_t Value>
layers_and_slots<Value>* fact_of(fact_key<quantity::layers_and_slots, Value>);
template <std::int64_t Value>
vocabulary_multiple<Value>* fact_of(fact_key<quantity::vocabulary_multiple, Value>);

}  // namespace detail

}  // namespace shardplan
