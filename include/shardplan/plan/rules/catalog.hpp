// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/rules/divisibility.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/violation.hpp>

namespace shardplan {

/// A list of types of `shardplan::rules`.
template <class... Rules>
struct rule_list {
  /// What each says of itself.
  static constexpr listed_rule items[] = {Rules::about()...};
};

/// All rules, in the order in which they are asked.
using all_rules = rule_list<
    // tier one
    rules::parts_are_said, rules::parts_are_said_once, rules::parts_are_well_formed, rules::numbers_are_in_range, rules::products_are_exact,
    // tier two
    rules::expert_grid_divides_devices, rules::ranks_are_devices, rules::ranks_divide_devices, rules::heads_divide_hidden,
    rules::kv_heads_divide_heads, rules::tp_divides_heads, rules::kv_heads_fit_tp, rules::tp_divides_kv_heads, rules::ulysses_divides_heads,
    rules::kv_heads_fit_ulysses, rules::tp_divides_hidden, rules::tp_divides_ffn, rules::tp_divides_vocabulary, rules::ep_divides_experts,
    rules::etp_divides_expert_ffn, rules::tp_divides_shared_ffn, rules::next_token_stage_is_a_stage, rules::stages_divide_layers,
    rules::stages_divide_layers_and_slots, rules::stages_within_places, rules::ends_within_a_stage, rules::layers_a_stage_make_stages,
    rules::no_stage_is_empty, rules::split_has_every_stage, rules::split_has_every_layer, rules::cp_deals_out_both_ends,
    rules::torchtitan_pieces_divide_sequence, rules::sharers_divide_sequence, rules::fp8_tokens_divide_sequence,
    rules::fp8_shards_divide_sequence, rules::fp8_blocks_divide_sequence, rules::inner_all_to_all_divides_cp,
    rules::shard_ranks_divide_sharers, rules::shard_groups_divide_experts, rules::hpz_divides_sharers, rules::nodes_divide_sharers,
    rules::micro_batches_divide_batch, rules::accumulation_makes_the_batch, rules::schedule_stays_in_range, rules::slices_divide_sequence,
    rules::schedule_ranks_divide_pp, rules::schedule_divides_micro_batches, rules::enough_micro_batches, rules::interleaved_groups_end,
    rules::interleaved_group_is_filled, rules::interleaved_rest_ends, rules::interleaved_rounds_divide,
    // tier three
    rules::top_k_within_experts, rules::ep_within_experts, rules::etp_has_experts, rules::sequence_within_positions,
    rules::gradients_stay_off_nvme, rules::inputs_stay_off_nvme, rules::offloaded_weights_are_sharded, rules::fsdp_without_zero,
    rules::shard_groups_have_shards, rules::hpz_under_zero_3, rules::megatron_buckets_under_zero_1, rules::gathered_weights_are_sharded,
    rules::gather_unit_under_zero_3, rules::experts_in_tp_share_the_sequence, rules::chunks_need_a_pipeline,
    rules::pipeline_keeps_gradients, rules::expert_parallel_keeps_weights, rules::fp8_weights_have_shards,
    rules::states_on_nvme_are_sharded, rules::tied_embeddings_on_one_stage, rules::next_token_layers_on_one_stage, rules::etp_is_tp_or_one,
    rules::tp_within_ep, rules::host_fits, rules::stages_fit>;

/// What all rules say of themselves, in that order.
inline constexpr const auto& rule_catalog = all_rules::items;

/// Whether a violation under a framework is that rule's.
constexpr bool reports(const listed_rule& which, const violation& item, frameworks whose) {
  if (item.broken != which.broken) return false;
  if (which.frameworks_asked != 0 && (which.frameworks_asked >> static_cast<int>(whose) & 1u) == 0) return false;
  if (item.broken == rule::not_supported && item.unsupported != which.unsupported) return false;
  // Ranges that are asked with the divisions have rules of their own.
  if (which.tier == 1 && item.broken == rule::out_of_range) return !detail::is_range_of_tier_two(item.first.what);
  bool good = which.first_count == 0;
  for (int at = 0; at < which.first_count; ++at) good = good || item.first.what == which.first[at];
  if (!good) return false;
  good = which.second_count == 0;
  for (int at = 0; at < which.second_count; ++at) good = good || item.second.what == which.second[at];
  return good;
}

}  // namespace shardplan
