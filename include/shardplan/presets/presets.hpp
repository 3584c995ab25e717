// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/catalog/nvidia.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/model/catalog/deepseek.hpp>
#include <shardplan/model/catalog/gpt.hpp>
#include <shardplan/model/catalog/llama.hpp>
#include <shardplan/model/catalog/mistral.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/recompute.hpp>

#include <cstdint>

/// Typical plans that are valid, for a start and for comparison. Each is a plan type on named devices; layouts are those of the sources
/// that are named, the batch and the recipe are ours unless a source says them.
namespace shardplan::presets {

/// What the presets of a model have in common: the batch of a step is `Batch` sequences, micro-batches of one.
template <class Model, class Device, std::int64_t Nodes, std::int64_t Tokens, std::int64_t Batch, class... Parts>
using of = plan<model<Model>, cluster<Device, 8, Nodes>, sequence<Tokens>, micro_batch<1>, global_batch<Batch>, Parts...>;

/// 7B on 8 A100 with ZeRO-1 (the handbook's typical configurations, section 2: "7B on 8 GPUs ZeRO-1/2 or FSDP").
using llama2_7b_zero_1 = of<models::llama2_7b, devices::a100_sxm_80gb, 1, 4096, 64, zero<1>>;
/// 7B on 8 A100 with ZeRO-2 (the same row).
using llama2_7b_zero_2 = of<models::llama2_7b, devices::a100_sxm_80gb, 1, 4096, 64, zero<2>>;
/// 7B on 8 A100 with FSDP2 (the same row).
using llama2_7b_fsdp = of<models::llama2_7b, devices::a100_sxm_80gb, 1, 4096, 64, fsdp<>>;

/// 13B on 8 A100 with FSDP2 (the handbook: "13B on 8 to 16, FSDP or TP 2").
using llama2_13b_fsdp = of<models::llama2_13b, devices::a100_sxm_80gb, 1, 4096, 64, fsdp<>>;
/// 13B on 16 A100 with FSDP2 (the same row, its other end).
using llama2_13b_fsdp_16 = of<models::llama2_13b, devices::a100_sxm_80gb, 2, 4096, 64, fsdp<>>;
/// 13B on 8 A100 with tp 2 (the same row); the optimizer state is sharded, without which it would not fit.
using llama2_13b_tp_2 = of<models::llama2_13b, devices::a100_sxm_80gb, 1, 4096, 64, tp<2>, zero<1>>;
/// 13B on 16 A100 with tp 2 (the same row, its other end).
using llama2_13b_tp_2_16 = of<models::llama2_13b, devices::a100_sxm_80gb, 2, 4096, 64, tp<2>, zero<1>>;

/// 70B on 64 A100, TP 8 PP 2 DP 4 (the handbook's row); the optimizer state is sharded.
using llama2_70b_tp_8_pp_2 = of<models::llama2_70b, devices::a100_sxm_80gb, 8, 4096, 256, tp<8>, pp<2>, zero<1>>;
/// 70B on 64 A100, TP 4 PP 4 DP 4 (the handbook's row); the optimizer state is sharded.
using llama2_70b_tp_4_pp_4 = of<models::llama2_70b, devices::a100_sxm_80gb, 8, 4096, 256, tp<4>, pp<4>, zero<1>>;

/// GPT-3 175B on 1,024 A100, TP 8 PP 8 DP 16 (the handbook's row), its sequence of 2,048 and batch of 1,536 (arXiv 2104.04473
/// table 1), and Megatron-LM's padding of its vocabulary of 50,257.
using gpt3_175b_tp_8_pp_8 =
    of<models::gpt3_175b, devices::a100_sxm_80gb, 128, 2048, 1536, tp<8>, pp<8>, zero<1>, framework<frameworks::megatron>>;
/// The same without ZeRO, as the handbook's row has none, with full recomputation.
using gpt3_175b_tp_8_pp_8_recompute = of<models::gpt3_175b, devices::a100_sxm_80gb, 128, 2048, 1536, tp<8>, pp<8>,
                                         recompute<recomputes::full>, framework<frameworks::megatron>>;

/// Llama 3.1 405B on 8,192 H100, TP 8 PP 16 DP 64, batch 2,048 at 8K (arXiv 2407.21783 table 4). Its 126 layers with embedding and loss as
/// slots make 128, which 16 stages divide. With ZeRO-1: Meta's FSDP keeps weights between forward and backward.
using llama3_405b_tp_8_pp_16 =
    of<models::llama3_1_405b, devices::h100_sxm_80gb, 1024, 8192, 2048, tp<8>, pp<16>, zero<1>, pipeline_slots<embedding_slot, loss_slot>>;
/// Llama 3.1 405B on 16,384 H100 at 128K, TP 8 CP 16 PP 16 DP 8, batch 128 (the same table, row 3).
using llama3_405b_long = of<models::llama3_1_405b, devices::h100_sxm_80gb, 2048, 131072, 128, tp<8>, cp<16>, pp<16>, zero<1>,
                            pipeline_slots<embedding_slot, loss_slot>>;
/// Llama 3.1 405B on 128 H200, TP 8 PP 16 and one replica: the handbook's row, which names no number of devices. Full recomputation.
using llama3_405b_one_replica = of<models::llama3_1_405b, devices::h200_sxm_141gb, 16, 8192, 256, tp<8>, pp<16>,
                                   pipeline_slots<embedding_slot, loss_slot>, recompute<recomputes::full>>;

/// Mixtral 8x7B on 64 H100, an expert of each layer on each device of a node (ep 8), PP 4 and ZeRO-1; the layout is ours.
using mixtral_8x7b_ep_8 = of<models::mixtral_8x7b, devices::h100_sxm_80gb, 8, 4096, 256, pp<4>, ep<8>, zero<1>>;
/// DeepSeek-V3 on 2,048 H800, PP 16, EP 64, ZeRO-1, no TP, sequence 4K, batch 15,360 (arXiv 2412.19437 sections 3.2 and 4.2). Its report
/// recomputes norms and the projections up of latent attention (section 3.2.3) and keeps activations in FP8; with bf16 the experts have to
/// be recomputed too. Its schedule is DualPipe; 1F1B stands here.
using deepseek_v3_pp_16_ep_64 = of<models::deepseek_v3, devices::h800_sxm_80gb, 256, 4096, 15360, pp<16>, ep<64>, zero<1>,
                                   layer_split<4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3>,
                                   recompute<recomputes::layernorm, recomputes::mla_up_proj, recomputes::moe>>;

}  // namespace shardplan::presets
