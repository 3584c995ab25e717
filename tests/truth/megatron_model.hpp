// SPDX-License-Identifier: BSL-1.0
// Arguments of Megatron-LM about the model: shape and routed experts.
#pragma once

#include "list_expression.hpp"
#include "row.hpp"

#include <shardplan/model/transformer.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace truth {

namespace detail {

inline void read_megatron_shape(const config_reader& config, shardplan::plan_spec& spec) {
  shardplan::transformer& shape = spec.model;
  const bool biases = !config.flag("disable_bias_linear");
  const bool gated = config.flag("swiglu");
  shape.layers = config.number("num_layers");
  shape.hidden = config.number("hidden_size");
  shape.heads = config.number("num_attention_heads");
  const bool grouped = config.flag("group_query_attention");
  const std::int64_t groups = config.number("num_query_groups", 1);
  shape.kv_heads = grouped ? groups : 0;
  shape.mlp = gated ? shardplan::mlp::gated : shardplan::mlp::plain;
  // arguments.py: 4h, and with SwiGLU two thirds of it, down to a multiple of 64.
  shape.ffn = config.number("ffn_hidden_size", gated ? 8 * shape.hidden / 3 / 64 * 64 : 4 * shape.hidden);
  // One is read from the tokenizer; GPT-2's is the default of the functional tests.
  const std::int64_t used = config.number("vocab_used", 50257);
  shape.vocab = config.number("vocab_size", used);
  const std::string position = config.text("position_embedding_type", "learned_absolute");
  const std::int64_t rows = config.number("max_position_embeddings", config.number("seq_length"));
  if (position != "rope" && position != "learned_absolute" && position != "none" && position != "yarn" && position != "mrope")
    throw not_expressible{"position_embedding_type " + position};
  shape.positions = position == "learned_absolute" ? rows : 0;
  const std::string normalization = config.text("normalization", "LayerNorm");
  if (normalization != "RMSNorm" && normalization != "LayerNorm") throw not_expressible{"normalization " + normalization};
  shape.norm = normalization == "RMSNorm" ? shardplan::norm::rms : shardplan::norm::layer;
  shape.qkv_bias = biases || config.flag("add_qkv_bias");
  shape.attention_output_bias = shape.mlp_bias = biases;
  shape.tied_embeddings = !config.flag("untie_embeddings_and_output_weights");

  const bool normed = config.flag("qk_layernorm");
  if (config.flag("multi_latent_attention")) {
    // A fused norm stands before each second projection only with qk_layernorm.
    if (!normed) throw not_expressible{"latent attention without norms of the latent vectors"};
    shape.latent = {.query_rank = config.number("q_lora_rank", 0),
                    .key_value_rank = config.number("kv_lora_rank", 32),
                    .rope_dim = config.number("qk_pos_emb_head_dim", 64),
                    .nope_dim = config.number("qk_head_dim", 128),
                    .value_dim = config.number("v_head_dim", 128)};
    config.without_effect({"kv_channels"});  // of attention with heads
    shape.kv_heads = 0;
  } else {
    shape.head_dim = config.number("kv_channels", 0);
    if (normed) shape.qk_norm = shardplan::qk_norm::head;
    config.without_effect({"q_lora_rank", "kv_lora_rank", "qk_pos_emb_head_dim", "qk_head_dim", "v_head_dim"});
  }
  shape.next_token_layers = config.number("mtp_num_layers", 0);
}

inline void read_megatron_experts(const config_reader& config, shardplan::plan_spec& spec) {
  shardplan::transformer& shape = spec.model;
  shardplan::experts& routed = shape.experts;
  routed.count = config.number("num_experts", 0);
  // Routing, its balancing and its dispatch: scalars a token, or no bytes.
  config.without_effect({"moe_router_load_balancing_type", "moe_aux_loss_coeff", "moe_z_loss_coeff", "moe_token_dispatcher_type",
                         "moe_router_group_topk", "moe_router_num_groups", "moe_router_topk_scaling_factor", "moe_router_score_function",
                         "moe_router_pre_softmax", "moe_router_bias_update_rate", "moe_router_enable_expert_bias", "moe_grouped_gemm",
                         "moe_permute_fusion", "moe_router_fusion", "moe_router_padding_for_fp8", "moe_per_layer_logging"});
  if (routed.count == 0) {
    config.without_effect({"moe_router_topk", "moe_ffn_hidden_size", "moe_shared_expert_intermediate_size", "moe_layer_freq",
                           "expert_model_parallel_size", "expert_tensor_parallel_size"});
    return;
  }
  routed.top_k = config.number("moe_router_topk", 2);
  routed.ffn = config.number("moe_ffn_hidden_size", 0);
  routed.shared_ffn = config.number("moe_shared_expert_intermediate_size", 0);
  routed.shared_gate = config.flag("moe_shared_expert_gate");
  routed.bias = !config.flag("disable_bias_linear");
  if (!config.has("moe_layer_freq")) return;
  const std::string frequency = config.text("moe_layer_freq");
  if (frequency.find('[') == std::string::npos) {
    routed.layer_step = config.number("moe_layer_freq");  // layer i routes when the step divides i
    return;
  }
  const std::vector<std::int64_t> pattern = list_expression{frequency}.values();
  if (static_cast<std::int64_t>(pattern.size()) != shape.layers) throw not_expressible{"moe_layer_freq of another number of layers"};
  while (routed.leading_dense < shape.layers && pattern[static_cast<std::size_t>(routed.leading_dense)] == 0) ++routed.leading_dense;
  std::int64_t step = 1;
  while (routed.leading_dense + step < shape.layers && pattern[static_cast<std::size_t>(routed.leading_dense + step)] == 0) ++step;
  routed.layer_step = step == 1 ? 0 : step;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer)
    if ((pattern[static_cast<std::size_t>(layer)] != 0) != (shape.dense_layers_in(layer, 1) == 0))
      throw not_expressible{"routed layers that do not come at even steps"};
}

}  // namespace detail

}  // namespace truth
