// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/report/text.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>
#include <string>

namespace shardplan::report {

namespace detail {

inline std::string number_or_rest(std::int64_t number) { return number == unset ? "-" : std::to_string(number); }

template <std::size_t Count>
std::string nth_name(const char* const (&names)[Count], unsigned at) {
  return at < Count ? names[at] : std::to_string(at);
}

inline void add_words(std::string& out, const char* what) { out.append(out.empty() ? "" : ", ").append(what); }

inline std::string words_of_offload(const offload_spec& moved) {
  const char* const places[] = {"device", "host", "nvme"};
  std::string words;
  const auto add = [&](const char* what, storage where) {
    if (where == storage::device) return;
    add_words(words, what);
    words.append(" to ").append(nth_name(places, static_cast<unsigned>(where)));
  };
  add("states", moved.states);
  add("gradients", moved.gradients);
  add("inputs", moved.inputs);
  add("weights", moved.weights);
  if (moved.moments_percent != 0) {
    add_words(words, std::to_string(moved.moments_percent).c_str());
    words.append(" % of moments to host");
  }
  return words.empty() ? "none" : words;
}

inline std::string words_of_split(const plan_spec& spec) {
  std::string words;
  for (const std::int64_t count : spec.layer_split.counts) words.append(words.empty() ? "" : "+").append(std::to_string(count));
  return !words.empty() ? words : balances_layers(spec) ? "balanced" : "even";
}

inline std::string words_of_order(rank_orders order) {
  if (order == rank_orders::megatron) return "megatron";
  if (order == rank_orders::llama3) return "llama3";
  if (order == rank_orders::nanotron) return "nanotron";
  return std::to_string(static_cast<std::uint32_t>(order));
}

inline std::string words_of_slots(const layer_counts& split) {
  std::string words;
  const auto add = [&](const char* what, std::int64_t layers) {
    if (layers == unset) return;
    add_words(words, what);
    if (layers != 1) words.append(" x ").append(std::to_string(layers));
  };
  add("embedding", split.embedding_slot);
  add("loss", split.loss_slot);
  if (split.next_token_stage != unset) {
    add_words(words, "next tokens on ");
    words.append(std::to_string(split.next_token_stage));
  }
  return words.empty() ? "none" : words;
}

inline std::string words_of_overlap(const overlap_spec& hidden) {
  std::string words;
  const auto add = [&](const char* what, std::int64_t percent) {
    add_words(words, what);
    words.append(percent == unset ? "-" : std::to_string(percent));
  };
  add("tp ", hidden.tp);
  add("cp ", hidden.cp);
  add("ep ", hidden.ep);
  add("pp ", hidden.pp);
  add("dp ", hidden.dp);
  return words.append(" %");
}

inline std::string words_of_links(const link_efficiency_spec& reached) {
  std::string words;
  const auto add = [&](const char* what, std::int64_t percent) {
    if (percent == unset) return;
    add_words(words, what);
    words.append(std::to_string(percent));
  };
  add("fabric ", reached.fabric);
  add("network ", reached.network);
  add("host ", reached.host);
  return words.empty() ? "by default" : words.append(" %");
}

inline std::string words_of_collectives(const collective_spec& chosen) {
  const char* const names[] = {"ring", "tree", "hierarchical", "in_switch"};
  return std::string("tp ")
      .append(nth_name(names, static_cast<unsigned>(chosen.tp)))
      .append(", dp ")
      .append(nth_name(names, static_cast<unsigned>(chosen.dp)));
}

inline std::string words_of_communication(const communication_spec& chosen) {
  std::string words;
  const auto add = [&](const char* what, std::int64_t number, std::int64_t silent) {
    if (number == silent) return;
    add_words(words, what);
    words.append(std::to_string(number));
  };
  const auto mark = [&](const char* what, bool on) {
    if (on) add_words(words, what);
  };
  add("inner all-to-all ", chosen.context_inner, 1);
  mark("keys kept", chosen.keep_gathered_keys);
  add("dispatch bits ", chosen.dispatch_bits, 0);
  add("scale block ", chosen.dispatch_scale_block, 0);
  mark("scatter-gather", chosen.scatter_gather);
  mark("late sync", chosen.late_sync);
  mark("replicas each micro-step", chosen.replicas_each_micro_step);
  add("weight bits ", chosen.weight_bits, 0);
  add("gradient bits ", chosen.gradient_bits, 0);
  add("node ranks ", chosen.node_ranks, 1);
  return words.empty() ? "by default" : words;
}

inline std::string words_of_cluster(const plan_spec& spec) {
  return number_or_rest(spec.nodes).append(" x ").append(number_or_rest(spec.devices_per_node)).append(" ").append(named(spec.device.name));
}

inline std::string words_of_schedule(const schedule_spec& order) {
  std::string words = named(order.name);
  if (order.chunks > 1) words.append(" x ").append(std::to_string(order.chunks));
  return words;
}

}  // namespace detail

/// What `spec` has in the slot of a part, in a word or two for the cell of a table: "8" for tp, "zb_h1" for a schedule, "full" for
/// recompute.
inline std::string words_of(const plan_spec& spec, part_kind part) {
  const char* const attentions[] = {"by kernels", "flash", "flash_head_major", "materialised"};
  const char* const dropouts[] = {"none", "hidden", "attention", "both", "by kernels"};
  const char* const exchanges[] = {"all_to_all", "ring", "all_gather"};
  switch (part) {
    case part_kind::model: return std::to_string(spec.model.layers).append(" layers x ").append(std::to_string(spec.model.hidden));
    case part_kind::cluster: return detail::words_of_cluster(spec);
    case part_kind::host_memory: return detail::number_or_rest(spec.host_memory_gibibytes).append(" GiB");
    case part_kind::framework: return name_of(spec.framework);
    case part_kind::sequence: return std::to_string(spec.sequence);
    case part_kind::micro_batch: return std::to_string(spec.micro_batch);
    case part_kind::global_batch: return std::to_string(spec.global_batch);
    case part_kind::accumulation: return detail::number_or_rest(spec.accumulation);
    case part_kind::tp: return std::to_string(spec.tp);
    case part_kind::pp: return std::to_string(spec.pp);
    case part_kind::dp: return detail::number_or_rest(spec.dp);
    case part_kind::cp: return std::to_string(spec.cp);
    case part_kind::ep: return std::to_string(spec.ep);
    case part_kind::etp: return std::to_string(spec.etp);
    case part_kind::sequence_parallel: return is_sequence_parallel(spec) ? "on" : "off";
    case part_kind::zero: return std::to_string(spec.zero);
    case part_kind::fsdp: return spec.sharding.is_fsdp() ? detail::sharding_text(spec).substr(2) : "none";
    case part_kind::offload: return detail::words_of_offload(spec.offload);
    case part_kind::layer_split: return detail::words_of_split(spec);
    case part_kind::pipeline_slots: return detail::words_of_slots(spec.layer_split);
    case part_kind::vocabulary_multiple: return std::to_string(vocabulary_multiple_of(spec));
    case part_kind::schedule: return detail::words_of_schedule(spec.schedule);
    case part_kind::optimizer: return detail::named(spec.optimizer.name);
    case part_kind::precision: return detail::named(spec.precision.name);
    case part_kind::recompute:
    case part_kind::recompute_layers: return detail::words_of_recompute(spec);
    case part_kind::kernels: return detail::named(spec.kernels.name);
    case part_kind::attention: return detail::nth_name(attentions, static_cast<unsigned>(attention_of(spec)));
    case part_kind::dropout: return detail::nth_name(dropouts, static_cast<unsigned>(dropout_of(spec)));
    case part_kind::context_exchange: return detail::nth_name(exchanges, static_cast<unsigned>(spec.context_exchange));
    case part_kind::expert_load: return std::to_string(spec.expert_load.percent).append(" %");
    case part_kind::cross_entropy: return detail::named(spec.loss.name);
    case part_kind::overheads: return detail::named(spec.overheads.name);
    case part_kind::buckets: return grouped(spec.buckets.reduce_elements).append(" x ").append(std::to_string(spec.buckets.reduce_buffers));
    case part_kind::headroom: return std::to_string(spec.headroom_mebibytes).append(" MiB");
    case part_kind::overlap: return detail::words_of_overlap(spec.overlap);
    case part_kind::link_efficiency: return detail::words_of_links(spec.link_efficiency);
    case part_kind::collectives: return detail::words_of_collectives(spec.collectives);
    case part_kind::node_limited_routing: return spec.routed_nodes == 0 ? "any" : std::to_string(spec.routed_nodes);
    case part_kind::communication: return detail::words_of_communication(spec.communication);
    case part_kind::rank_order: return detail::words_of_order(spec.rank_order);
  }
  return "";
}

}  // namespace shardplan::report
