// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>

namespace shardplan {

/// One rule as pages list it: which violations are its own, in words, and where it comes from. The checks are in the other headers of this
/// folder; a test holds them against this list, in both directions.
struct listed_rule {
  int tier = 0;                   ///< 1: ranges, 2: divisions, 3: all the rest
  rule broken{};                  ///< the violation that reports it
  quantity first[6]{};            ///< what its first number can be, `first_count` of them; none: anything
  int first_count = 0;            ///< how many
  quantity second[4]{};           ///< what its second number can be
  int second_count = 0;           ///< how many; none: anything
  feature unsupported{};          ///< of `not_supported`: what
  unsigned frameworks_asked = 0;  ///< bit `frameworks` of those that ask it; 0: all
  const char* words = "";         ///< what must hold
  const char* source = "";        ///< where it comes from

  /// Whether a violation under that framework is this rule's.
  constexpr bool reports(const violation& item, frameworks whose) const {
    if (item.broken != broken) return false;
    if (frameworks_asked != 0 && (frameworks_asked >> static_cast<int>(whose) & 1u) == 0) return false;
    if (broken == rule::not_supported && item.unsupported != unsupported) return false;
    bool good = first_count == 0;
    for (int at = 0; at < first_count; ++at) good = good || item.first.what == first[at];
    if (!good) return false;
    good = second_count == 0;
    for (int at = 0; at < second_count; ++at) good = good || item.second.what == second[at];
    return good;
  }
};

namespace detail {
inline constexpr unsigned under_megatron = 1u << static_cast<int>(frameworks::megatron);
inline constexpr unsigned under_deepspeed = 1u << static_cast<int>(frameworks::deepspeed);
inline constexpr unsigned under_torchtitan = 1u << static_cast<int>(frameworks::torchtitan);
inline constexpr unsigned all_but_torchtitan = 31u ^ under_torchtitan;
inline constexpr unsigned under_torch = under_torchtitan | 1u << static_cast<int>(frameworks::fsdp2);
inline constexpr unsigned under_others = 1u << static_cast<int>(frameworks::generic) | under_megatron | under_deepspeed;

constexpr listed_rule plain_rule(int tier, rule broken, const char* words, const char* source) {
  listed_rule item{};
  item.tier = tier;
  item.broken = broken;
  item.words = words;
  item.source = source;
  return item;
}
template <int Firsts, int Seconds>
constexpr listed_rule pair_rule(int tier, rule broken, const quantity (&first)[Firsts], const quantity (&second)[Seconds], unsigned whose,
                                const char* words, const char* source) {
  listed_rule item = plain_rule(tier, broken, words, source);
  for (int at = 0; at < Firsts; ++at) item.first[at] = first[at];
  item.first_count = Firsts;
  for (int at = 0; at < Seconds; ++at) item.second[at] = second[at];
  item.second_count = Seconds;
  item.frameworks_asked = whose;
  return item;
}
template <int Firsts>
constexpr listed_rule number_rule(int tier, rule broken, const quantity (&first)[Firsts], const char* words, const char* source) {
  listed_rule item = plain_rule(tier, broken, words, source);
  for (int at = 0; at < Firsts; ++at) item.first[at] = first[at];
  item.first_count = Firsts;
  return item;
}
constexpr listed_rule feature_rule(feature what, unsigned whose, const char* words, const char* source) {
  listed_rule item = plain_rule(3, rule::not_supported, words, source);
  item.unsupported = what;
  item.frameworks_asked = whose;
  return item;
}

}  // namespace detail

/// All rules, in the order in which they are asked.
inline constexpr listed_rule rule_catalog[] = {
    detail::plain_rule(1, rule::missing_part, "`model`, `cluster`, `sequence`, `micro_batch`, `global_batch` are said",
                       "nothing can be computed without them"),
    detail::plain_rule(1, rule::repeated_part, "no part is said twice, and none of the targets inside `offload<...>`",
                       "two values cannot both hold"),
    detail::number_rule(
        1, rule::too_large, {quantity::parameters_bound, quantity::activation_bytes_bound, quantity::state_bytes_bound},
        "at most 2^52 parameters, 2^61 bytes of activations and 2^60 bytes of matrix rules, scales and tensor tables, by upper "
        "bounds",
        "with these no figure leaves 63 bits"),

    detail::pair_rule(2, rule::does_not_divide, {quantity::etp_x_ep_x_pp}, {quantity::device_count}, 0,
                      "with experts: etp x ep x pp divides the devices", "Megatron-LM `core/parallel_state.py`, expert grid"),
    detail::pair_rule(2, rule::does_not_match, {quantity::tp_x_pp_x_cp_x_dp}, {quantity::device_count}, 0,
                      "tp x pp x cp x dp is the devices (dp said)", "Megatron-LM `core/parallel_state.py`"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::tp, quantity::pp, quantity::tp_x_pp_x_cp}, {quantity::device_count}, 0,
                      "tp x pp x cp divides the devices (dp not said)", "the same"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::heads}, {quantity::hidden}, 0,
                      "`heads` divide `hidden`, when `head_dim` is not said and attention is not latent", "definition of the head width"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::kv_heads}, {quantity::heads}, 0, "`kv_heads` divide `heads`",
                      "grouped-query attention, arXiv 2305.13245"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::tp}, {quantity::heads}, 0, "tp divides `heads`",
                      "Megatron-LM, torchtitan, transformers, vLLM"),
    detail::pair_rule(2, rule::neither_multiple_nor_divisor, {quantity::kv_heads}, {quantity::tp}, detail::under_others,
                      "`kv_heads` (fewer than `heads`) are a multiple or a divisor of tp", "Megatron-LM (a divisor: heads are replicated)"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::tp}, {quantity::kv_heads}, detail::under_torch,
                      "tp divides `kv_heads` (fewer than `heads`)", "pytorch/torchtitan issue 2574; transformers issue 48307"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::cp, quantity::cp_x_tp}, {quantity::heads}, detail::under_deepspeed,
                      "with cp > 1: cp x tp divides `heads`", "Ulysses, arXiv 2309.14509"),
    detail::pair_rule(2, rule::neither_multiple_nor_divisor, {quantity::kv_heads}, {quantity::cp, quantity::cp_x_tp},
                      detail::under_deepspeed, "with cp > 1: `kv_heads` are a multiple or a divisor of cp x tp",
                      "the same; key/value heads are replicated"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::tp}, {quantity::hidden, quantity::ffn, quantity::shared_ffn}, 0,
                      "tp divides `hidden`, `ffn` of dense blocks, `shared_ffn`", "column and row parallel matrices, arXiv 1909.08053"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::tp}, {quantity::vocabulary}, 0, "tp divides the padded vocabulary",
                      "vocabulary parallel embedding, Megatron-LM"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::ep}, {quantity::expert_count}, 0, "ep divides `expert_count`",
                      "Megatron-LM, expert layers"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::etp}, {quantity::expert_ffn}, 0, "etp divides `expert_ffn`", "the same"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers}, detail::all_but_torchtitan,
                      "pp x chunks divides `layers` (no `layer_split`)",
                      "never a floor: Megatron-LM issues 468, 326, 1303, 1304 trained fewer layers"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers_and_slots},
                      detail::all_but_torchtitan, "pp x chunks divides the layers and the slots of `pipeline_slots` (no `layer_split`)",
                      "Megatron-LM `core/transformer/transformer_config.py`"),
    detail::pair_rule(2, rule::exceeds, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers, quantity::layers_and_slots},
                      detail::under_torchtitan,
                      "pp x chunks is at most the layers, the embedding and the head, which are dealt out (no `layer_split`)",
                      "its `distributed/pipeline_parallel.py`, generate_llm_fqn_per_model_part"),
    detail::pair_rule(2, rule::exceeds, {quantity::first_stage_less, quantity::last_stage_less}, {quantity::layers_a_stage}, 0,
                      "what embedding and head count as is at most a stage's share of the layers (no `layer_split`)",
                      "torchtitan, the same; else a stage would have fewer layers than none"),
    detail::pair_rule(2, rule::does_not_match, {quantity::pp_x_chunks}, {quantity::virtual_stages}, detail::under_torchtitan,
                      "more than two chunks a rank: some number of layers a stage makes pp x chunks stages (no `layer_split`)",
                      "the same, pipeline_llm: pipeline_parallel_layers_per_stage"),
    detail::pair_rule(2, rule::does_not_match, {quantity::layer_split_entries}, {quantity::pp, quantity::pp_x_chunks}, 0,
                      "a `layer_split` has one count a stage (a chunk)", "by definition"),
    detail::pair_rule(2, rule::does_not_match, {quantity::layer_split_sum}, {quantity::layers}, 0,
                      "a `layer_split` has the sum of the layers", "by definition"),
    detail::plain_rule(2, rule::empty_stage, "no stage is empty where nothing stands in a block's place", "by definition"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::cp_x_lcm_2_tp}, {quantity::sequence},
                      detail::under_megatron | 1u << static_cast<int>(frameworks::fsdp2),
                      "with cp > 1: cp x lcm(2, tp) divides `sequence`, tp with sequence parallelism only",
                      "NVIDIA-NeMo/RL issue 3563; Megatron-LM deals each rank two pieces"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::cp_x_2_tp}, {quantity::sequence}, detail::under_torchtitan,
                      "2 x cp x tp divides `sequence`", "its `parallel_dims.py`, seq_len_divisor"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::tp, quantity::cp, quantity::cp_x_tp}, {quantity::sequence}, 0,
                      "with sequence parallelism cp x tp divides `sequence`, else cp does", "arXiv 2205.05198; Megatron-LM"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::cp_x_16}, {quantity::sequence}, 0,
                      "with FP8 products: 16 x cp divides `sequence`", "FP8 kernels, Transformer Engine"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::shard_ranks}, {quantity::dp_x_cp}, 0, "`shard_ranks` divides dp x cp",
                      "a two-dimensional mesh: torch `init_device_mesh`; DeepSpeed MiCS"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::shard_groups}, {quantity::expert_shards}, 0,
                      "the shard groups divide the ranks that share routed experts", "the same"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::hpz}, {quantity::dp_x_cp, quantity::expert_shards}, 0,
                      "`hpz` divides dp x cp, and the ranks that share routed experts", "DeepSpeed `zero_hpz_partition_size`"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::inner_all_to_all}, {quantity::cp}, 0,
                      "with cp > 1: the ranks of an inner all-to-all divide cp", "Megatron-LM `hierarchical_context_parallel_sizes`"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::node_ranks}, {quantity::dp_x_cp, quantity::shard_ranks, quantity::expert_shards},
                      0, "the node's ranks of `quantized_gradients` divide the ranks that share gradients, where these are more",
                      "ZeRO++, arXiv 2306.10209"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::micro_batch_x_dp}, {quantity::global_batch}, 0,
                      "micro-batch x dp divides `global_batch`", "every framework"),
    detail::pair_rule(2, rule::does_not_match, {quantity::micro_batch_x_accumulation_x_dp}, {quantity::global_batch}, 0,
                      "with `accumulation<>`: micro-batch x accumulation x dp is `global_batch`",
                      "DeepSpeed `runtime/config.py`, which asserts it"),
    detail::number_rule(
        2, rule::out_of_range, {quantity::in_flight, quantity::weight_versions, quantity::next_token_stage},
        "what a schedule says of itself is within its range on every rank: `in_flight` 1 to micro-batches x chunks, versions of the "
        "weights 1 to 64; `next_token_stage` is a stage",
        "it is multiplied with activations and weights; arXiv 1806.03377"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::slices}, {quantity::sequence}, 0, "slices of a sequence divide it",
                      "zero-bubble `seq1f1b.py`"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::ranks_multiple}, {quantity::pp}, 0,
                      "the ranks that a schedule is made for divide pp", "deepseek-ai/DualPipe `dualpipe.py`, Shigangli/Chimera"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::micro_batches_multiple, quantity::pp}, {quantity::micro_batches}, 0,
                      "the micro-batches that a schedule is made for (and pp, for chimera) divide the micro-batches", "the same"),
    detail::pair_rule(
        2, rule::micro_batches_fewer_than_stages, {quantity::micro_batches}, {quantity::pp, quantity::pp_x_chunks}, 0,
        "at least as many micro-batches as the schedule starts with: 2 pp for dual_pipe and dual_pipe_v; under torchtitan 1F1B one "
        "a stage",
        "the same; torch `distributed/pipelining/schedules.py`"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::interleave_group}, {quantity::micro_batches}, 0,
                      "interleaved groups: the last, smaller one ends (`schedule_spec::ends`); under Megatron-LM it has at least pp",
                      "Megatron-LM `core/pipeline_parallel/schedules.py`; other orders never end"),
    detail::pair_rule(2, rule::exceeds, {quantity::pp}, {quantity::interleave_group}, 0,
                      "interleaved groups: full ones end (`schedule_spec::ends`); under Megatron-LM they are no smaller than pp",
                      "the same; Megatron-LM `training/arguments.py`"),
    detail::pair_rule(2, rule::exceeds, {quantity::interleave_group}, {quantity::micro_batches}, detail::under_megatron,
                      "an interleaved group is no larger than the micro-batches", "Megatron-LM `training/arguments.py`"),
    detail::pair_rule(2, rule::does_not_divide, {quantity::interleave_rounds}, {quantity::micro_batches}, detail::under_torch,
                      "interleaved: max(1, m / pp) rounds divide the micro-batches", "torch `distributed/pipelining/schedules.py`"),

    detail::pair_rule(3, rule::exceeds, {quantity::top_k}, {quantity::expert_count}, 0, "`top_k` is at most `expert_count`",
                      "by definition"),
    detail::pair_rule(3, rule::exceeds, {quantity::ep}, {quantity::expert_count}, 0,
                      "`ep` > 1 is at most `expert_count` (0 for a dense model)", "no expert would be left for a rank"),
    detail::pair_rule(3, rule::exceeds, {quantity::etp}, {quantity::expert_count}, 0,
                      "`etp` > 1 only with experts: on a dense model `exceeds<etp<8>, expert_count<0>>`", "there is no expert to divide"),
    detail::pair_rule(3, rule::exceeds, {quantity::sequence}, {quantity::positions}, 0,
                      "`sequence` is at most `positions` less `position_offset`, when they are learned",
                      "there is no row for a later token"),
    detail::feature_rule(feature::gradients_to_nvme, 0, "gradients are not offloaded to NVMe",
                         "ZeRO-Infinity, arXiv 2104.07857; DeepSpeed has no such option"),
    detail::feature_rule(feature::inputs_to_nvme, 0, "inputs of blocks are not offloaded to NVMe",
                         "DeepSpeed's `cpu_checkpointing` knows the host only"),
    detail::feature_rule(feature::weights_off_without_zero_3, 0, "weights are offloaded under ZeRO-3 only", "DeepSpeed's `offload_param`"),
    detail::feature_rule(feature::fsdp_with_zero, 0, "`fsdp` and `hsdp` stand without a `zero` above 0",
                         "they are two names of one thing: PyTorch, DeepSpeed"),
    detail::feature_rule(feature::groups_of_whole_states, 0, "`mics` and `shard_group` stand where states are sharded",
                         "DeepSpeed `runtime/zero/config.py`"),
    detail::feature_rule(feature::hpz_without_zero_3, 0, "`hpz` stands in `zero<3>`", "the same"),
    detail::feature_rule(feature::megatron_buckets_without_zero_1, 0, "`megatron_buckets` stands in `zero<1>`",
                         "Megatron-LM `core/optimizer`"),
    detail::feature_rule(feature::gathering_of_whole_weights, 0, "`reshard_after_forward` and `prefetch` stand where weights are sharded",
                         "nothing else is gathered"),
    detail::feature_rule(feature::gather_unit_without_zero_3, 0, "`gather_modules` and `gather_blocks` stand in `zero<3>`",
                         "DeepSpeed `runtime/zero/config.py`; FSDP gathers by block"),
    detail::feature_rule(feature::experts_in_tp_without_sequence_parallel, detail::under_megatron,
                         "experts with tp > 1: sequence parallelism", "its `training/arguments.py`"),
    detail::feature_rule(feature::sharded_gradients_in_pipeline, detail::under_deepspeed, "with pp > 1: ZeRO-1 at most",
                         "its `runtime/pipe/engine.py`"),
    detail::feature_rule(feature::expert_parallel_with_zero_3, detail::under_deepspeed, "with ep > 1: ZeRO-2 at most",
                         "its `runtime/engine.py`, \"MoE not supported with Stage 3\""),
    detail::pair_rule(3, rule::exceeds, {quantity::tp}, {quantity::ep}, detail::under_torchtitan,
                      "with ep > 1 and etp 1: ep is at least tp", "its `parallel_dims.py` since 2026"),
    detail::plain_rule(
        3, rule::host_does_not_fit,
        "with `host_memory<>`: what is offloaded by all devices of a node, its page-locked buffers and processes are at most the "
        "host's memory",
        "[host.hpp](memory.md)"),
    detail::plain_rule(3, rule::does_not_fit, "`total()` of the worst stage is at most the device's memory",
                       "[exact_and_estimates.md](../exact_and_estimates.md)"),
};

}  // namespace shardplan
