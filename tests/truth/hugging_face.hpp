// SPDX-License-Identifier: BSL-1.0
// A Hugging Face config.json as a shape. The file leaves out what its class takes for granted, so `model_type` selects the class, whose
// defaults stand here (huggingface/transformers models/*/configuration_*.py and modeling_*.py).
#pragma once

#include "row.hpp"

#include <shardplan/model/transformer.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace truth {

namespace detail {

inline bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  for (const char* known : words)
    if (word == known) return true;
  return false;
}

inline void read_routed_experts(const config_reader& config, const std::string& type, shardplan::transformer& shape) {
  shardplan::experts& routed = shape.experts;
  routed.count = first_of(config, {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}, 0);
  if (routed.count == 0) return;
  routed.top_k = needed_of(config, {"num_experts_per_tok", "experts_per_token", "moe_top_k", "moe_k"});
  routed.ffn = first_of(config, {"moe_intermediate_size"}, 0);
  if (config.has("n_shared_experts")) routed.shared_ffn = config.number("n_shared_experts") * routed.ffn;
  if (config.has("shared_expert_intermediate_size")) {
    routed.shared_ffn = config.number("shared_expert_intermediate_size");
    routed.shared_gate = true;
  }
  if (config.has("shared_intermediate_size")) routed.shared_ffn = config.number("shared_intermediate_size");
  routed.leading_dense = config.number("first_k_dense_replace", 0);
  std::int64_t step = first_of(config, {"moe_layer_freq", "decoder_sparse_step"}, 1);
  if (type == "llama4_text") step = config.number("interleave_moe_layer_step", 1);
  if (step < 1) throw not_expressible{"a step of routed layers below 1"};
  if (step > 1) {
    if (routed.leading_dense != 0) throw not_expressible{"leading dense layers and a step of routed ones"};
    routed.leading_dense = step - 1;
    routed.layer_step = step;
  }
  if (!config.list("mlp_only_layers").empty()) throw not_expressible{"mlp_only_layers"};
  if (type == "llama4_text") {
    routed.ffn = shape.ffn;
    routed.shared_ffn = shape.ffn;
    shape.ffn = config.number("intermediate_size_mlp", shape.ffn);
  }
  if (type == "gpt_oss") routed.bias = routed.router_bias = true;
}

inline void read_latent_attention(const config_reader& config, shardplan::transformer& shape) {
  shape.latent = {.query_rank = config.number("q_lora_rank", 0),
                  .key_value_rank = config.number("kv_lora_rank"),
                  .rope_dim = config.number("qk_rope_head_dim"),
                  .nope_dim = config.number("qk_nope_head_dim"),
                  .value_dim = config.number("v_head_dim")};
  shape.kv_heads = shape.head_dim = 0;
}

}  // namespace detail

/// The shape that a configuration describes. Throws `not_expressible` for a class that is not known here, and for keys that are not
/// understood.
inline shardplan::transformer hugging_face_shape(const json& whole) {
  using detail::is_one_of;
  const config_reader outer{whole};
  if (outer.has("text_config")) return hugging_face_shape(outer.child("text_config"));
  const config_reader& config = outer;
  std::string type = config.text("model_type");
  if (type == "RefinedWebModel" || type == "RefinedWeb") type = "falcon";
  const bool gemma_3 = type == "gemma3_text" || type == "gemma3";

  shardplan::transformer shape{};
  // Sizes, under the names that the classes have for them.
  if (gemma_3) {
    shape.vocab = config.number("vocab_size", 262'208);
    shape.heads = config.number("num_attention_heads", 8);
    shape.kv_heads = config.number("num_key_value_heads", 4);
  } else {
    shape.vocab = config.number("vocab_size");
    shape.heads = detail::needed_of(config, {"num_attention_heads", "n_head", "n_heads"});
    shape.kv_heads = detail::first_of(config, {"num_key_value_heads"}, 0);
  }
  shape.layers = detail::needed_of(config, {"num_hidden_layers", "n_layer", "n_layers"});
  shape.hidden = detail::needed_of(config, {"hidden_size", "n_embd", "n_embed", "d_model"});
  shape.ffn = detail::first_of(config, {"intermediate_size", "ffn_dim", "n_inner"}, 4 * shape.hidden);
  const bool wide_heads = is_one_of(type, {"gemma", "gemma2", "gemma3", "gemma3_text"});
  shape.head_dim = config.number("head_dim", wide_heads ? 256 : type == "gpt_oss" ? 64 : is_one_of(type, {"qwen3"}) ? 128 : 0);
  if (shape.kv_heads == shape.heads) shape.kv_heads = 0;
  shape.tied_embeddings =
      config.flag("tie_word_embeddings", is_one_of(type, {"gpt2", "gpt_bigcode", "opt", "bloom", "falcon", "mpt", "gemma", "gemma2",
                                                          "gemma3", "gemma3_text", "cohere", "cohere2", "starcoder2", "smollm3"}));
  const bool attention_bias = config.flag("attention_bias", is_one_of(type, {"gpt_neox", "gpt_oss"}));

  if (is_one_of(type, {"llama", "mistral", "mixtral", "granite", "granitemoe", "granitemoeshared", "internlm", "internlm2", "baichuan",
                       "phi3", "olmoe", "smollm3"})) {
    const bool biases = attention_bias || config.flag("bias");
    shape.qkv_bias = shape.attention_output_bias = biases;
    shape.mlp_bias = config.flag("mlp_bias");
    if (type == "olmoe") shape.qk_norm = shardplan::qk_norm::projection;
  } else if (type == "gpt2" || type == "gpt_bigcode") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = true;
    shape.positions = config.number("n_positions", 1024);
    config.without_effect({"n_ctx"});
    if (type == "gpt_bigcode" && config.flag("multi_query", true)) shape.kv_heads = 1;
  } else if (type == "gpt_neox") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    shape.mlp_bias = true;
    config.without_effect({"use_parallel_residual"});  // both forms have two norms
  } else if (type == "opt") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = config.flag("layer_norm_elementwise_affine", true) ? shardplan::norm::layer : shardplan::norm::layer_without_weights;
    shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = config.flag("enable_bias", true);
    shape.position_offset = 2;
    shape.positions = config.number("max_position_embeddings", 2048) + shape.position_offset;
    shape.final_norm = config.flag("do_layer_norm_before", true) && !config.flag("_remove_final_layer_norm");
    if (const std::int64_t width = config.number("word_embed_proj_dim", shape.hidden); width != shape.hidden) shape.embedding_dim = width;
  } else if (type == "bloom") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = true;
    shape.embedding_norm = true;
    config.without_effect({"apply_residual_connection_post_layernorm"});
  } else if (type == "falcon") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = config.flag("bias");
    const bool new_form = config.flag("new_decoder_architecture");
    const bool one_key = config.flag("multi_query", true);
    const std::int64_t stated = detail::first_of(config, {"num_kv_heads", "n_head_kv"}, 0);
    shape.kv_heads = new_form ? stated : one_key ? 1 : 0;
    if (shape.kv_heads == shape.heads) shape.kv_heads = 0;
    const bool parallel = config.flag("parallel_attn", true);
    const std::int64_t norms = config.number("num_ln_in_parallel_attn", new_form ? 2 : 1);
    shape.block_norms = parallel && norms == 1 ? shardplan::block_norms::one : shardplan::block_norms::two;
    if (config.flag("alibi")) config.without_effect({"alibi"});
    config.without_effect({"ffn_hidden_size"});
  } else if (type == "mpt") {
    shape.mlp = shardplan::mlp::plain;
    const bool biases = !config.flag("no_bias", true);
    shape.norm = biases ? shardplan::norm::layer : shardplan::norm::layer_without_bias;
    shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = biases;
    shape.ffn = config.number("expansion_ratio", 4) * shape.hidden;
    if (config.has("attn_config")) {
      const config_reader attention{config.child("attn_config")};
      shape.kv_heads = attention.number("kv_n_heads", 0);
      if (attention.text("attn_type") == "multiquery_attention") shape.kv_heads = 1;
      if (!attention.flag("alibi") && config.flag("learned_pos_emb", true)) shape.positions = config.number("max_seq_len");
    } else if (config.flag("learned_pos_emb", true)) {
      shape.positions = config.number("max_seq_len");
    }
    config.without_effect({"max_seq_len", "norm_type", "init_device", "logit_scale", "resid_pdrop", "emb_pdrop"});
  } else if (is_one_of(type, {"qwen2", "qwen2_moe"})) {
    shape.qkv_bias = config.flag("qkv_bias", true);
  } else if (is_one_of(type, {"qwen3", "qwen3_moe"})) {
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    shape.qk_norm = shardplan::qk_norm::head;
  } else if (is_one_of(type, {"gemma", "gemma2", "gemma3", "gemma3_text"})) {
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    if (type != "gemma") shape.block_norms = shardplan::block_norms::four;
    if (gemma_3) shape.qk_norm = shardplan::qk_norm::head;
  } else if (type == "phi") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = shardplan::norm::layer;
    shape.block_norms = shardplan::block_norms::one;
    shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = shape.head_bias = true;
    if (config.flag("qk_layernorm")) shape.qk_norm = shardplan::qk_norm::head;
  } else if (type == "phimoe") {
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    shape.head_bias = config.flag("lm_head_bias");
  } else if (is_one_of(type, {"deepseek_v2", "deepseek_v3", "kimi_k2"})) {
    detail::read_latent_attention(config, shape);
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
  } else if (type == "deepseek") {
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
  } else if (type == "olmo") {
    shape.norm = shardplan::norm::layer_without_weights;
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
  } else if (type == "olmo2") {
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    shape.qk_norm = shardplan::qk_norm::projection;
  } else if (type == "nemotron") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    shape.mlp_bias = config.flag("mlp_bias");
  } else if (is_one_of(type, {"glm", "glm4", "glm4_moe"})) {
    shape.qkv_bias = attention_bias;  // not of the output
    if (type == "glm4") shape.block_norms = shardplan::block_norms::four;
    if (config.flag("use_qk_norm")) shape.qk_norm = shardplan::qk_norm::head;
  } else if (type == "gpt_oss") {
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    shape.attention_sinks = true;
  } else if (is_one_of(type, {"cohere", "cohere2"})) {
    shape.norm = shardplan::norm::layer_without_bias;
    shape.block_norms = shardplan::block_norms::one;
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    if (config.flag("use_qk_norm")) shape.qk_norm = shardplan::qk_norm::projection;
  } else if (type == "starcoder2") {
    shape.mlp = shardplan::mlp::plain;
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = config.flag("use_bias", true);
  } else if (type == "llama4_text") {
    shape.qkv_bias = shape.attention_output_bias = attention_bias;
    if (config.flag("use_qk_norm", true)) shape.qk_norm = shardplan::qk_norm::without_weights;
  } else if (type == "stablelm") {
    shape.norm = shardplan::norm::layer;
    shape.qkv_bias = config.flag("use_qkv_bias");
    if (config.flag("use_parallel_residual")) shape.block_norms = shardplan::block_norms::one;
    if (config.flag("qk_layernorm")) throw not_expressible{"a norm of its own for each head"};
  } else if (type == "dbrx") {
    shape.norm = shardplan::norm::layer_without_bias;
    const config_reader attention{config.child("attn_config")};
    shape.kv_heads = attention.number("kv_n_heads", 1);
    const config_reader network{config.child("ffn_config")};
    shape.ffn = network.number("ffn_hidden_size", 3584);
    shape.experts = {.count = network.number("moe_num_experts", 4), .top_k = network.number("moe_top_k", 1)};
    config.without_effect({"max_seq_len", "emb_pdrop", "resid_pdrop"});
  } else {
    throw not_expressible{"model_type " + type};
  }
  if (type != "dbrx") detail::read_routed_experts(config, type, shape);

  // What has no parameters. (num_nextn_predict_layers: the trained model leaves that layer out.)
  config.without_effect({"architectures",
                         "torch_dtype",
                         "dtype",
                         "max_position_embeddings",
                         "rms_norm_eps",
                         "layer_norm_eps",
                         "layer_norm_epsilon",
                         "norm_eps",
                         "hidden_act",
                         "hidden_activation",
                         "activation_function",
                         "sliding_window",
                         "use_sliding_window",
                         "max_window_layers",
                         "sliding_window_pattern",
                         "_sliding_window_pattern",
                         "layer_types",
                         "rope_theta",
                         "rope_scaling",
                         "rope_parameters",
                         "rotary_pct",
                         "partial_rotary_factor",
                         "norm_topk_prob",
                         "router_aux_loss_coef",
                         "output_router_logits",
                         "n_group",
                         "topk_group",
                         "topk_method",
                         "scoring_func",
                         "routed_scaling_factor",
                         "num_nextn_predict_layers",
                         "quantization_config",
                         "attn_logit_softcapping",
                         "final_logit_softcapping",
                         "query_pre_attn_scalar",
                         "clip_qkv",
                         "initializer_range",
                         "use_cache",
                         "bos_token_id",
                         "eos_token_id",
                         "pad_token_id",
                         "attention_dropout",
                         "hidden_dropout",
                         "transformers_version",
                         "pretraining_tp",
                         "ep_size",
                         "model_max_length",
                         "logit_scale",
                         "swiglu_limit",
                         "initial_context_length",
                         "auto_map",
                         "_name_or_path",
                         "attention_multiplier",
                         "embedding_multiplier",
                         "residual_multiplier",
                         "logits_scaling",
                         "seq_aux",
                         "aux_loss_alpha",
                         "resid_pdrop",
                         "embd_pdrop",
                         "attn_pdrop",
                         "head_dim"});
  config.all_read();
  return shape;
}

}  // namespace truth
