// SPDX-License-Identifier: BSL-1.0
// The models of the catalog, with the names that models.json gives them, where it has them.
#pragma once

#include <shardplan/model/catalog.hpp>
#include <shardplan/model/transformer.hpp>

#include <vector>

namespace truth {

struct catalog_entry {
  const char* name;  ///< as published
  const char* type;  ///< of the catalog
  shardplan::transformer shape;
};

inline const std::vector<catalog_entry>& catalog() {
  namespace models = shardplan::models;
  static const std::vector<catalog_entry> all = {
      {"gpt2-large", "gpt2_large", models::gpt2_large::shape},
      {"gpt2-xl", "gpt2_xl", models::gpt2_xl::shape},
      {"pythia-70m", "pythia_70m", models::pythia_70m::shape},
      {"pythia-410m", "pythia_410m", models::pythia_410m::shape},
      {"pythia-1b", "pythia_1b", models::pythia_1b::shape},
      {"pythia-2.8b", "pythia_2_8b", models::pythia_2_8b::shape},
      {"pythia-6.9b", "pythia_6_9b", models::pythia_6_9b::shape},
      {"opt-125m", "opt_125m", models::opt_125m::shape},
      {"opt-2.7b", "opt_2_7b", models::opt_2_7b::shape},
      {"opt-13b", "opt_13b", models::opt_13b::shape},
      {"opt-30b", "opt_30b", models::opt_30b::shape},
      {"bloom-1b1", "bloom_1b1", models::bloom_1b1::shape},
      {"bloom-7b1", "bloom_7b1", models::bloom_7b1::shape},
      {"llama-7b", "llama_7b", models::llama_7b::shape},
      {"llama-13b", "llama_13b", models::llama_13b::shape},
      {"llama-65b", "llama_65b", models::llama_65b::shape},
      {"Llama-2-7b-hf", "llama2_7b", models::llama2_7b::shape},
      {"Llama-2-13b-hf", "llama2_13b", models::llama2_13b::shape},
      {"Llama-2-70b-hf", "llama2_70b", models::llama2_70b::shape},
      {"Meta-Llama-3-8B", "llama3_8b", models::llama3_8b::shape},
      {"Meta-Llama-3-70B", "llama3_70b", models::llama3_70b::shape},
      {"Llama-3.1-8B", "llama3_1_8b", models::llama3_1_8b::shape},
      {"Llama-3.1-405B", "llama3_1_405b", models::llama3_1_405b::shape},
      {"Llama-3.2-3B", "llama3_2_3b", models::llama3_2_3b::shape},
      {"Llama-4-Scout-17B-16E", "llama4_scout_17b_16e", models::llama4_scout_17b_16e::shape},
      {"TinyLlama-1.1B", "tinyllama_1_1b", models::tinyllama_1_1b::shape},
      {"SmolLM2-360M", "smollm2_360m", models::smollm2_360m::shape},
      {"Mistral-7B-v0.1", "mistral_7b", models::mistral_7b::shape},
      {"Mistral-7B-v0.3", "mistral_7b_v0_3", models::mistral_7b_v0_3::shape},
      {"Mistral-Small-24B-Base-2501", "mistral_small_24b", models::mistral_small_24b::shape},
      {"Mistral-Large-Instruct-2407", "mistral_large_2407", models::mistral_large_2407::shape},
      {"Mixtral-8x7B-v0.1", "mixtral_8x7b", models::mixtral_8x7b::shape},
      {"Mixtral-8x22B-v0.1", "mixtral_8x22b", models::mixtral_8x22b::shape},
      {"Qwen1.5-7B", "qwen1_5_7b", models::qwen1_5_7b::shape},
      {"Qwen1.5-110B", "qwen1_5_110b", models::qwen1_5_110b::shape},
      {"Qwen2-0.5B", "qwen2_0_5b", models::qwen2_0_5b::shape},
      {"Qwen2.5-3B", "qwen2_5_3b", models::qwen2_5_3b::shape},
      {"Qwen2.5-14B", "qwen2_5_14b", models::qwen2_5_14b::shape},
      {"Qwen2.5-72B", "qwen2_5_72b", models::qwen2_5_72b::shape},
      {"Qwen1.5-MoE-A2.7B", "qwen1_5_moe_a2_7b", models::qwen1_5_moe_a2_7b::shape},
      {"Qwen3-0.6B", "qwen3_0_6b", models::qwen3_0_6b::shape},
      {"Qwen3-1.7B", "qwen3_1_7b", models::qwen3_1_7b::shape},
      {"Qwen3-4B", "qwen3_4b", models::qwen3_4b::shape},
      {"Qwen3-8B", "qwen3_8b", models::qwen3_8b::shape},
      {"Qwen3-32B", "qwen3_32b", models::qwen3_32b::shape},
      {"Qwen3-30B-A3B", "qwen3_30b_a3b", models::qwen3_30b_a3b::shape},
      {"Qwen3-235B-A22B", "qwen3_235b_a22b", models::qwen3_235b_a22b::shape},
      {"Qwen3-Coder-480B-A35B-Instruct", "qwen3_coder_480b_a35b", models::qwen3_coder_480b_a35b::shape},
      {"gemma-7b", "gemma_7b", models::gemma_7b::shape},
      {"gemma-2-2b", "gemma_2_2b", models::gemma_2_2b::shape},
      {"gemma-2-9b", "gemma_2_9b", models::gemma_2_9b::shape},
      {"gemma-2-27b", "gemma_2_27b", models::gemma_2_27b::shape},
      {"gemma-3-1b-pt", "gemma_3_1b", models::gemma_3_1b::shape},
      {"gemma-3-12b-pt", "gemma_3_12b", models::gemma_3_12b::shape},
      {"gemma-3-27b-pt", "gemma_3_27b", models::gemma_3_27b::shape},
      {"phi-2", "phi_2", models::phi_2::shape},
      {"Phi-4-mini-instruct", "phi_4_mini", models::phi_4_mini::shape},
      {"Phi-3.5-MoE-instruct", "phi_3_5_moe", models::phi_3_5_moe::shape},
      {"DeepSeek-V2-Lite", "deepseek_v2_lite", models::deepseek_v2_lite::shape},
      {"DeepSeek-V2", "deepseek_v2", models::deepseek_v2::shape},
      {"DeepSeek-V3", "deepseek_v3", models::deepseek_v3::shape},
      {"Kimi-K2-Instruct", "kimi_k2", models::kimi_k2::shape},
      {"deepseek-llm-7b-base", "deepseek_llm_7b", models::deepseek_llm_7b::shape},
      {"OLMo-1B-hf", "olmo_1b", models::olmo_1b::shape},
      {"OLMo-2-0425-1B", "olmo_2_1b", models::olmo_2_1b::shape},
      {"OLMo-2-1124-7B", "olmo_2_7b", models::olmo_2_7b::shape},
      {"OLMo-2-1124-13B", "olmo_2_13b", models::olmo_2_13b::shape},
      {"OLMo-2-0325-32B", "olmo_2_32b", models::olmo_2_32b::shape},
      {"granite-3.1-2b-base", "granite_3_1_2b", models::granite_3_1_2b::shape},
      {"granite-3.1-1b-a400m-base", "granite_3_1_1b_a400m", models::granite_3_1_1b_a400m::shape},
      {"Minitron-4B-Base", "minitron_4b", models::minitron_4b::shape},
      {"Nemotron-4-340B-Base", "nemotron_4_340b", models::nemotron_4_340b::shape},
      {"glm-4-9b-chat-hf", "glm_4_9b", models::glm_4_9b::shape},
      {"GLM-4.5-Air", "glm_4_5_air", models::glm_4_5_air::shape},
      {"gpt-oss-120b", "gpt_oss_120b", models::gpt_oss_120b::shape},
      {"c4ai-command-r7b-12-2024", "command_r7b", models::command_r7b::shape},
      {"Yi-6B", "yi_6b", models::yi_6b::shape},
      {"Yi-34B", "yi_34b", models::yi_34b::shape},
      {"starcoder2-3b", "starcoder2_3b", models::starcoder2_3b::shape},
      {"Ministral-8B-Instruct-2410", "ministral_8b", models::ministral_8b::shape},
      {"deepseek-moe-16b-base", "deepseek_moe_16b", models::deepseek_moe_16b::shape},
      {"Moonlight-16B-A3B", "moonlight_16b_a3b", models::moonlight_16b_a3b::shape},
      {"granite-3.3-2b-instruct", "granite_3_3_2b", models::granite_3_3_2b::shape},
      {"granite-3.3-8b-instruct", "granite_3_3_8b", models::granite_3_3_8b::shape},
      {"", "command_r_plus", models::command_r_plus::shape},
      {"", "dbrx", models::dbrx::shape},
      {"", "gemma_3_4b", models::gemma_3_4b::shape},
      {"", "gpt2", models::gpt2::shape},
      {"", "gpt2_medium", models::gpt2_medium::shape},
      {"", "gpt3_175b", models::gpt3_175b::shape},
      {"", "gpt_neox_20b", models::gpt_neox_20b::shape},
      {"", "gpt_oss_20b", models::gpt_oss_20b::shape},
      {"", "granite_3_1_3b_a800m", models::granite_3_1_3b_a800m::shape},
      {"", "llama3_2_1b", models::llama3_2_1b::shape},
      {"", "llama_30b", models::llama_30b::shape},
      {"", "mpt_7b", models::mpt_7b::shape},
      {"", "qwen2_5_32b", models::qwen2_5_32b::shape},
      {"", "qwen2_5_7b", models::qwen2_5_7b::shape},
  };
  return all;
}

}  // namespace truth
