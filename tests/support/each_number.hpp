// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>

/// Every number of a plan_spec, in the order of its fields. Each struct is taken apart by a structured binding: a new field does not
/// compile until it is named here, and then has to have its range.
namespace every {

// What is no number: names, switches, kinds, functions of a schedule, and bits that only a plan type sets.
template <class Field, class Visit>
constexpr void visit_field(Field&, Visit&) {
  static_assert(!__is_class(Field) || __is_same(Field, shardplan::literal), "a struct that is not taken apart here");
}
template <class Visit>
constexpr void visit_field(std::int64_t& number, Visit& visit) {
  visit(number);
}
template <class Visit>
constexpr void visit_field(shardplan::bytes& amount, Visit& visit) {
  visit(amount.count);
}

template <class Visit, class... Fields>
constexpr void visit_fields(Visit& visit, Fields&... fields);

#define EVERY_FIELD_OF(type, ...)                                 \
  template <class Visit>                                          \
  constexpr void visit_field(shardplan::type& of, Visit& visit) { \
    auto& [__VA_ARGS__] = of;                                     \
    visit_fields(visit, __VA_ARGS__);                             \
  }

EVERY_FIELD_OF(link, name, bytes_per_second)
EVERY_FIELD_OF(device_spec, name, memory, source, bf16, fp8, bandwidth, fabric, domain, spans, pair, host, network, matmul, sustained)
EVERY_FIELD_OF(experts, count, top_k, ffn, shared, leading_dense, step, shared_gate, router_bias, bias)
EVERY_FIELD_OF(latent_attention, query_rank, key_value_rank, rope, nope, value)
EVERY_FIELD_OF(transformer, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, positions, mlp, norm, qkv_bias, tied, routed,
               output_bias, mlp_bias, norms, qk_norm, embedding_norm, final_norm, head_bias, sinks, offset, next_token_layers, latent,
               embedding_dim)
EVERY_FIELD_OF(zero_3_limits, bucket, live, reuse)
EVERY_FIELD_OF(sharding_spec, layout, reshard, ranks, secondary, prefetch, unit, limits)
EVERY_FIELD_OF(offload_spec, states, gradients, inputs, moments_percent, weights)
EVERY_FIELD_OF(overlap_spec, tp, cp, ep, pp, dp)
EVERY_FIELD_OF(link_efficiency_spec, fabric, network, host)
EVERY_FIELD_OF(collective_spec, tp, dp)
EVERY_FIELD_OF(communication_spec, inner, keep, dispatch_bits, scale_block, scatter, late, each_micro_step, weight_bits, gradient_bits,
               ranks)
EVERY_FIELD_OF(bubble_formula, value, chunks, known)
EVERY_FIELD_OF(schedule_spec, name, chunks, layout, in_flight, slices, versions, drains, ranks_multiple, micro_batches_multiple, least,
               fill, bubble, group, ends, torch_least, repeats)
EVERY_FIELD_OF(optimizer_spec, name, moments, matrix_moments, matrices, hidden_only, whole_blocks, fused, size, moment, bits, block, least,
               tables, tensor_tables)
EVERY_FIELD_OF(precision_spec, name, weight, gradient, accumulator, gradient_copy, master, moment, second_moment, scale, compute, bits,
               copy_bits, block, square)
EVERY_FIELD_OF(recompute_layers_spec, method, count)
EVERY_FIELD_OF(kernel_spec, name, attention, dropout, norm, qkv, softmax, activation, scale, repeats, branches, unweighted, preallocates,
               apart, log_probabilities, fp8_inputs)
EVERY_FIELD_OF(expert_load_spec, percent, capacity, pads)
EVERY_FIELD_OF(loss_spec, name, kept_copies, kept_bytes, copies, more_bytes, chunks, head_gradient, hidden)
EVERY_FIELD_OF(overhead_spec, name, workspace, boundary, mask, scratch, widens, step, flattens)
EVERY_FIELD_OF(bucket_spec, elements, buffers, sub_group)

// Of a list its entries: its length belongs to the container.
template <class Visit>
constexpr void visit_field(shardplan::layer_counts& of, Visit& visit) {
  auto& [counts, left_out, embedding, loss, next_token_stage] = of;
  for (std::size_t at = 0; at < counts.length; ++at) visit(counts.values[at]);
  visit_fields(visit, left_out, embedding, loss, next_token_stage);
}

EVERY_FIELD_OF(plan_spec, model, device, devices_per_node, nodes, host_memory, framework, sequence, micro_batch, global_batch, accumulation,
               tp, pp, dp, cp, ep, etp, sequence_parallel, zero, sharding, offload, layer_split, vocabulary, overlap, links, collectives,
               routed_nodes, communication, order, schedule, optimizer, precision, recompute, recompute_layers, kernels, attention, dropout,
               exchange, expert_load, loss, overheads, buckets, headroom, said, repeated)
#undef EVERY_FIELD_OF

template <class Visit, class... Fields>
constexpr void visit_fields(Visit& visit, Fields&... fields) {
  (visit_field(fields, visit), ...);
}

/// Calls `visit(std::int64_t&)` for every number of a spec.
template <class Visit>
constexpr void number(shardplan::plan_spec& spec, Visit visit) {
  visit_field(spec, visit);
}

}  // namespace every
