// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/limits.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/rules/size_bounds.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Every rule as a type: `about()` describes it (plan/rules/listed_rule.hpp), `check` tells a sink when it is broken, and
/// `keeps<rules::tp_divides_heads>(spec)` (plan/rules/keeps.hpp) asks it alone. Those of the first tier are asked together, by
/// `check_ranges`.
namespace rules {

/// The parts that every plan needs are said.
struct parts_are_said {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::plain_rule<Listed>(1, rule::missing_part, "`model`, `cluster`, `sequence`, `micro_batch`, `global_batch` are said",
                                      "nothing can be computed without them");
  }
};

/// No part is said twice.
struct parts_are_said_once {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::plain_rule<Listed>(1, rule::repeated_part,
                                      "no part is said twice, and nothing inside `offload<...>` or `pipeline_slots<...>`",
                                      "two values cannot both hold");
  }
};

/// What a part says is a value of its kind.
struct parts_are_well_formed {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::plain_rule<Listed>(1, rule::malformed_part,
                                      "a `rank_order` names each axis once; a schedule has its functions (`in_flight`, `weight_versions`, "
                                      "`group`, `ends`); framework and "
                                      "layout of shards are enumerators",
                                      "another number is no order, and a null pointer cannot be asked");
  }
};

/// Every number is in its range.
struct numbers_are_in_range {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::plain_rule<Listed>(1, rule::out_of_range, "every number is in its range", "[below](#ranges)");
  }
};

}  // namespace rules

namespace detail {

template <class Sink>
constexpr void check_range(Sink& sink, quantity what, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) sink.add_range({what, value}, least, most);
}

// Several numbers with one range in one expression: in a constant evaluation the calls are what costs.
template <quantity... What, class Sink, class... Value>
constexpr void check_ranges_of(Sink& sink, std::int64_t least, std::int64_t most, Value... value) {
  if (((value < least || value > most) || ...)) (check_range(sink, What, value, least, most), ...);
}

// The same from 0 on: one comparison for all, whose bits together are no more than the last number's where all are.
template <quantity... What, class Sink, class... Value>
constexpr void check_up_to(Sink& sink, std::int64_t most, Value... value) {
  if (static_cast<std::uint64_t>((value | ...)) > static_cast<std::uint64_t>(most)) (check_range(sink, What, value, 0, most), ...);
}

template <class Sink>
constexpr void check_needed(Sink& sink, part_kind part, quantity what, std::int64_t value, std::int64_t most) {
  if (value == unset) {
    sink.add_part(rule::missing_part, part);
  } else if (value < 1 || value > most) {
    sink.add_range({what, value}, 1, most);
  }
}

// Whether a number is said that few families have: the others pay for one question.
constexpr bool has_rare_numbers(const transformer& shape) {
  const auto& latent = shape.latent;
  return (shape.embedding_dim | latent.query_rank | latent.key_value_rank | latent.rope_dim | latent.nope_dim | latent.value_dim |
          shape.position_offset | shape.next_token_layers | shape.experts.layer_step) != 0;
}

template <class Sink>
constexpr void check_rare_ranges(const transformer& shape, Sink& sink) {
  const auto& latent = shape.latent;
  check_up_to<quantity::key_value_rank>(sink, limits::width, latent.key_value_rank);
  if (latent.key_value_rank == 0) {
    check_up_to<quantity::query_rank, quantity::rope_dim, quantity::nope_dim, quantity::value_dim>(
        sink, 0, latent.query_rank, latent.rope_dim, latent.nope_dim, latent.value_dim);
  } else {
    if ((shape.kv_heads | shape.head_dim) > 0) check_up_to<quantity::kv_heads, quantity::head_dim>(sink, 0, shape.kv_heads, shape.head_dim);
    check_up_to<quantity::query_rank>(sink, limits::width, latent.query_rank);
    check_up_to<quantity::rope_dim>(sink, limits::heads, latent.rope_dim);
    check_ranges_of<quantity::nope_dim, quantity::value_dim>(sink, 1, limits::heads, latent.nope_dim, latent.value_dim);
  }
  check_up_to<quantity::position_offset>(sink, shape.positions > 0 ? shape.positions - 1 : 0, shape.position_offset);
  check_up_to<quantity::embedding_dim>(sink, limits::width, shape.embedding_dim);
  check_up_to<quantity::next_token_layers>(sink, limits::next_token_layers, shape.next_token_layers);
  check_up_to<quantity::layer_step>(sink, shape.experts.count == 0 ? 0 : limits::layers, shape.experts.layer_step);
}

template <class Sink>
constexpr void check_model_ranges(const transformer& shape, Sink& sink) {
  check_ranges_of<quantity::layers>(sink, 1, limits::layers, shape.layers);
  check_ranges_of<quantity::hidden>(sink, 1, limits::width, shape.hidden);
  check_ranges_of<quantity::heads>(sink, 1, limits::heads, shape.heads);
  check_up_to<quantity::kv_heads, quantity::head_dim>(sink, limits::heads, shape.kv_heads, shape.head_dim);
  check_ranges_of<quantity::vocabulary>(sink, 1, limits::rows, shape.vocab);
  check_up_to<quantity::positions>(sink, limits::rows, shape.positions);
  if (has_rare_numbers(shape)) check_rare_ranges(shape, sink);
  check_up_to<quantity::expert_count>(sink, limits::expert_count, shape.experts.count);
  if (shape.experts.count == 0) {
    check_ranges_of<quantity::ffn>(sink, 1, limits::width, shape.ffn);
    // Widths of experts that are not there would be dropped without a word.
    check_up_to<quantity::top_k, quantity::expert_ffn, quantity::shared_ffn, quantity::leading_dense>(
        sink, 0, shape.experts.top_k, shape.experts.ffn, shape.experts.shared_ffn, shape.experts.leading_dense);
    return;
  }
  // A model whose every block routes may leave the dense width away.
  check_ranges_of<quantity::ffn>(sink, shape.experts.ffn != 0 && shape.experts.leading_dense == 0 && shape.experts.layer_step <= 1 ? 0 : 1,
                                 limits::width, shape.ffn);
  check_ranges_of<quantity::top_k>(sink, 1, limits::expert_count, shape.experts.top_k);
  check_up_to<quantity::expert_ffn, quantity::shared_ffn>(sink, limits::width, shape.experts.ffn, shape.experts.shared_ffn);
  check_up_to<quantity::leading_dense>(sink, shape.layers, shape.experts.leading_dense);
}

// Rates are read by `timing` alone, and 0 is one that nobody knows.
template <class Sink, class Device>
constexpr void check_device_ranges(const Device& device, Sink& sink) {
  check_range(sink, quantity::device_memory_bytes, device.memory.count, 1, limits::device_memory);
  check_range(sink, quantity::fabric_domain, device.fabric_domain, 1, limits::devices);
  check_up_to<quantity::operations_per_second, quantity::operations_per_second, quantity::operations_per_second,
              quantity::operations_per_second, quantity::bytes_per_second, quantity::bytes_per_second, quantity::bytes_per_second,
              quantity::bytes_per_second, quantity::bytes_per_second>(
      sink, limits::rate, device.bf16_flops, device.fp8_flops, device.matmul_flops, device.sustained_flops, device.memory_bandwidth,
      device.fabric.bytes_per_second, device.fabric_pair, device.host.bytes_per_second, device.network.bytes_per_second);
}

// What a user's schedule says of itself in numbers, but for what its functions return.
template <class Sink, class Order>
constexpr void check_schedule_ranges(const Order& order, Sink& sink) {
  if (((order.chunks ^ 1) | (order.slices ^ 1) | (order.ranks_multiple ^ 1) | (order.micro_batches_multiple ^ 1) |
       (order.bubble.chunks ^ 1) | order.least_micro_batches_a_rank | order.torch_least_micro_batches_a_stage) != 0) {
    check_ranges_of<quantity::chunks, quantity::bubble_chunks>(sink, 1, limits::chunks, order.chunks, order.bubble.chunks);
    check_range(sink, quantity::slices, order.slices, 1, limits::rows);
    check_range(sink, quantity::ranks_multiple, order.ranks_multiple, 1, limits::stages);
    check_range(sink, quantity::micro_batches_multiple, order.micro_batches_multiple, 1, limits::batch);
    check_up_to<quantity::least_micro_batches, quantity::least_micro_batches>(sink, limits::batch, order.least_micro_batches_a_rank,
                                                                              order.torch_least_micro_batches_a_stage);
  }
  if (order.layout == placement::bidirectional) check_range(sink, quantity::chunks, order.chunks, 2, 2);  // one of either direction
  // A constant expression calls no null pointer without an error of its own. That of `in_flight` is refused with what it returns.
  if (!__builtin_is_constant_evaluated() && (order.weight_versions == nullptr || order.group == nullptr || order.ends == nullptr))
    sink.add_part(rule::malformed_part, part_kind::schedule);
}

// What `timing` alone reads, in percent, and the nodes of a token's experts.
template <class Sink, class Spec>
constexpr void check_timing_ranges(const Spec& spec, Sink& sink) {
  const auto& hidden = spec.overlap;
  const auto& reached = spec.link_efficiency;
  check_up_to<quantity::hidden_tp, quantity::hidden_ep, quantity::hidden_pp, quantity::hidden_dp>(sink, 100, hidden.tp, hidden.ep,
                                                                                                  hidden.pp, hidden.dp);
  if (hidden.cp != unset) check_range(sink, quantity::hidden_cp, hidden.cp, 0, 100);
  if (reached.fabric != unset) check_range(sink, quantity::of_fabric, reached.fabric, 1, 100);
  if (reached.network != unset) check_range(sink, quantity::of_network, reached.network, 1, 100);
  if (reached.host != unset) check_range(sink, quantity::of_host, reached.host, 1, 100);
  check_range(sink, quantity::routed_nodes, spec.routed_nodes, 0, limits::nodes);
}

template <class Sink>
constexpr void check_sharding_ranges(const sharding_spec& sharding, Sink& sink) {
  if (sharding.layout > shard_layout::tensors) sink.add_part(rule::malformed_part, part_kind::fsdp);
  if (sharding.ranks != unset) check_range(sink, quantity::shard_ranks, sharding.ranks, 1, limits::devices);
  if (sharding.secondary != unset) check_range(sink, quantity::hpz, sharding.secondary, 1, limits::devices);
  check_range(sink, quantity::prefetch, sharding.prefetch, 0, limits::layers);
  check_up_to<quantity::live_parameters, quantity::live_parameters, quantity::live_parameters>(
      sink, limits::parameters, sharding.limits.prefetch_bucket, sharding.limits.max_live, sharding.limits.reuse_distance);
}

template <class Sink, class Spec>
constexpr void check_recipe_ranges(const Spec& spec, Sink& sink) {
  const auto& precision = spec.precision;
  const auto& loss = spec.loss;
  check_ranges_of<quantity::weight_bytes, quantity::compute_bytes>(sink, 1, limits::element_bytes, precision.weight, precision.compute);
  check_up_to<quantity::gradient_bytes, quantity::accumulator_bytes, quantity::gradient_copy_bytes, quantity::master_bytes,
              quantity::moment_bytes, quantity::second_moment_bytes, quantity::moment_scale_bytes, quantity::own_moment_bytes,
              quantity::moments, quantity::logit_copies, quantity::logit_copies, quantity::logit_bytes, quantity::logit_bytes,
              quantity::logit_bytes, quantity::logit_bytes, quantity::boundary_tensors, quantity::step_bytes, quantity::bucket_buffers>(
      sink, limits::element_bytes, precision.gradient, precision.accumulator, precision.gradient_copy, precision.master, precision.moment,
      precision.second_moment, precision.moment_scale, spec.optimizer.moment, spec.optimizer.moments, loss.kept_copies,
      loss.temporary_copies, loss.kept_bytes, loss.temporary_bytes, loss.head_gradient_bytes, loss.hidden_bytes,
      spec.overheads.boundary_tensors, spec.overheads.step_bytes, spec.buckets.reduce_buffers);
  const auto& optimizer = spec.optimizer;
  check_ranges_of<quantity::matrix_moments>(sink, -1, limits::moments, optimizer.matrix_moments);
  check_up_to<quantity::moment_bits, quantity::linear_bits, quantity::linear_copy_bits>(sink, limits::bits, optimizer.bits,
                                                                                        precision.linear_bits, precision.linear_copy_bits);
  check_ranges_of<quantity::block, quantity::loss_chunks>(sink, 1, limits::block, optimizer.block, loss.chunks);
  check_up_to<quantity::least_elements, quantity::table_bytes, quantity::headroom_mebibytes, quantity::matrix_size,
              quantity::tensor_table_bytes, quantity::scale_block, quantity::scale_square, quantity::workspace_kibibytes>(
      sink, limits::block, optimizer.least_elements, optimizer.table_bytes, spec.headroom_mebibytes, optimizer.matrix_size,
      optimizer.tensor_table_bytes, precision.scale_block, precision.scale_square, spec.overheads.workspace_kibibytes);
  check_up_to<quantity::bucket_elements, quantity::bucket_elements>(sink, limits::parameters, spec.buckets.reduce_elements,
                                                                    spec.buckets.sub_group_elements);
  const auto& load = spec.expert_load;
  if (load.percent != 100 || load.capacity != 0 || spec.recompute_layers.count != 1) {
    check_range(sink, quantity::recompute_count, spec.recompute_layers.count, 1, limits::layers);
    check_range(sink, quantity::load_percent, load.percent, 100, limits::load);
    check_range(sink, quantity::capacity_percent, load.capacity, 0, limits::load);
  }
  if (spec.communication.says_numbers()) {
    const auto& sent = spec.communication;
    check_range(sink, quantity::inner_all_to_all, sent.context_inner, 1, limits::degree);
    check_range(sink, quantity::sent_bits, sent.dispatch_bits, 0, limits::sent_bits);
    check_range(sink, quantity::sent_bits, sent.weight_bits, 0, limits::sent_bits);
    check_range(sink, quantity::sent_bits, sent.gradient_bits, 0, limits::sent_bits);
    check_range(sink, quantity::sent_scale_block, sent.dispatch_scale_block, 0, limits::block);
    check_range(sink, quantity::node_ranks, sent.node_ranks, 1, limits::devices_per_node);
  }
  if (spec.offload.moments_percent != 0) check_up_to<quantity::offload_percent>(sink, 100, spec.offload.moments_percent);
}

/// Reports everything of tier one that `spec` breaks.
template <class Sink, class Spec>
constexpr void check_ranges(const Spec& spec, Sink& sink) {
  if (spec.repeated_parts != 0)
    for (int at = 0; at <= static_cast<int>(part_kind::communication); ++at)
      if ((spec.repeated_parts >> at & 1u) != 0) sink.add_part(rule::repeated_part, static_cast<part_kind>(at));

  if (spec.model.layers == 0 && spec.model.hidden == 0 && spec.model.heads == 0 && spec.model.vocab == 0) {
    sink.add_part(rule::missing_part, part_kind::model);
  } else {
    check_model_ranges(spec.model, sink);
  }
  if (spec.device.memory.count == 0 && spec.nodes == unset && spec.devices_per_node == unset) {
    sink.add_part(rule::missing_part, part_kind::cluster);
  } else {
    check_device_ranges(spec.device, sink);
    check_range(sink, quantity::devices_per_node, spec.devices_per_node, 1, limits::devices_per_node);
    check_range(sink, quantity::nodes, spec.nodes, 1, limits::nodes);
  }
  check_needed(sink, part_kind::sequence, quantity::sequence, spec.sequence, limits::rows);
  check_needed(sink, part_kind::micro_batch, quantity::micro_batch, spec.micro_batch, limits::micro_batch);
  check_needed(sink, part_kind::global_batch, quantity::global_batch, spec.global_batch, limits::batch);
  check_ranges_of<quantity::tp, quantity::cp, quantity::etp>(sink, 1, limits::degree, spec.tp, spec.cp, spec.etp);
  check_ranges_of<quantity::pp>(sink, 1, limits::stages, spec.pp);
  if (spec.dp != unset) check_range(sink, quantity::dp, spec.dp, 1, limits::replicas);
  check_ranges_of<quantity::ep>(sink, 1, limits::expert_degree, spec.ep);
  check_up_to<quantity::zero>(sink, 3, spec.zero);
  if (!spec.sharding.is_plain()) check_sharding_ranges(spec.sharding, sink);
  const std::size_t entries = spec.layer_split.counts.length;
  if (spec.layer_split.left_out != 0 || entries > most_layer_split_entries) {
    sink.add_range({quantity::layer_split_entries, spec.layer_split.entries()}, 1, static_cast<std::int64_t>(most_layer_split_entries));
  } else {
    for (std::size_t at = 0; at < entries; ++at)
      check_range(sink, quantity::layer_split_entry, spec.layer_split.counts.values[at], 0, limits::layers);
  }
  if (spec.layer_split.embedding_slot != unset)
    check_range(sink, quantity::first_stage_less, spec.layer_split.embedding_slot, 0, limits::layers);
  if (spec.layer_split.loss_slot != unset) check_range(sink, quantity::last_stage_less, spec.layer_split.loss_slot, 0, limits::layers);
  if (spec.accumulation != unset) check_range(sink, quantity::accumulation, spec.accumulation, 1, limits::batch);
  if (spec.vocabulary_multiple != unset) check_range(sink, quantity::vocabulary_multiple, spec.vocabulary_multiple, 1, limits::rows);
  if (spec.host_memory_gibibytes != unset)
    check_range(sink, quantity::host_memory, spec.host_memory_gibibytes, 1, limits::device_memory >> 30);
  check_schedule_ranges(spec.schedule, sink);
  check_recipe_ranges(spec, sink);
  // Their defaults, which nearly every plan has.
  const auto& hidden = spec.overlap;
  const auto& reached = spec.link_efficiency;
  if (((hidden.tp ^ 40) | hidden.ep | hidden.pp | (hidden.dp ^ 100) | (hidden.cp ^ unset) | (reached.fabric ^ unset) |
       (reached.network ^ unset) | (reached.host ^ unset) | spec.routed_nodes) != 0)
    check_timing_ranges(spec, sink);
  if (spec.rank_order != rank_orders::megatron && !names_all_axes(spec.rank_order))
    sink.add_part(rule::malformed_part, part_kind::rank_order);
  if (spec.framework > frameworks::fsdp2) sink.add_part(rule::malformed_part, part_kind::framework);
  // Products mean nothing while a factor is out of its range.
  if (sink.count == 0 && !is_ordinary(spec)) check_size(spec, sink);
}

}  // namespace detail

}  // namespace shardplan
