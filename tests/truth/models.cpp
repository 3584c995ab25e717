// SPDX-License-Identifier: BSL-1.0
// The model catalog against the exact counts of models.json and hf_configs/expected.json.
#include "../runtime/catch.hpp"
#include "json.hpp"

#include <shardplan/model/catalog.hpp>
#include <shardplan/model/parameters.hpp>

#include <cstdint>
#include <string>

namespace models = shardplan::models;

namespace {

struct entry {
  const char* name;
  shardplan::transformer shape;
};

const entry catalog[] = {
    {"gpt2-large", models::gpt2_large::shape},
    {"gpt2-xl", models::gpt2_xl::shape},
    {"pythia-70m", models::pythia_70m::shape},
    {"pythia-410m", models::pythia_410m::shape},
    {"pythia-1b", models::pythia_1b::shape},
    {"pythia-2.8b", models::pythia_2_8b::shape},
    {"pythia-6.9b", models::pythia_6_9b::shape},
    {"llama-7b", models::llama_7b::shape},
    {"llama-13b", models::llama_13b::shape},
    {"llama-65b", models::llama_65b::shape},
    {"Llama-2-7b-hf", models::llama2_7b::shape},
    {"Llama-2-13b-hf", models::llama2_13b::shape},
    {"Llama-2-70b-hf", models::llama2_70b::shape},
    {"Meta-Llama-3-8B", models::llama3_8b::shape},
    {"Meta-Llama-3-70B", models::llama3_70b::shape},
    {"Llama-3.1-8B", models::llama3_1_8b::shape},
    {"Llama-3.1-405B", models::llama3_1_405b::shape},
    {"Llama-3.2-3B", models::llama3_2_3b::shape},
    {"TinyLlama-1.1B", models::tinyllama_1_1b::shape},
    {"SmolLM2-360M", models::smollm2_360m::shape},
    {"Mistral-7B-v0.1", models::mistral_7b::shape},
    {"Mistral-7B-v0.3", models::mistral_7b_v0_3::shape},
    {"Mistral-Small-24B-Base-2501", models::mistral_small_24b::shape},
    {"Mistral-Large-Instruct-2407", models::mistral_large_2407::shape},
    {"Mixtral-8x7B-v0.1", models::mixtral_8x7b::shape},
    {"Mixtral-8x22B-v0.1", models::mixtral_8x22b::shape},
    {"Qwen1.5-7B", models::qwen1_5_7b::shape},
    {"Qwen1.5-110B", models::qwen1_5_110b::shape},
    {"Qwen2-0.5B", models::qwen2_0_5b::shape},
    {"Qwen2.5-3B", models::qwen2_5_3b::shape},
    {"Qwen2.5-14B", models::qwen2_5_14b::shape},
    {"Qwen2.5-72B", models::qwen2_5_72b::shape},
    {"gemma-7b", models::gemma_7b::shape},
    {"Phi-4-mini-instruct", models::phi_4_mini::shape},
    {"deepseek-llm-7b-base", models::deepseek_llm_7b::shape},
    {"granite-3.1-2b-base", models::granite_3_1_2b::shape},
    {"granite-3.1-1b-a400m-base", models::granite_3_1_1b_a400m::shape},
    {"Minitron-4B-Base", models::minitron_4b::shape},
    {"Nemotron-4-340B-Base", models::nemotron_4_340b::shape},
    {"glm-4-9b-chat-hf", models::glm_4_9b::shape},
    {"GLM-4.5-Air", models::glm_4_5_air::shape},
    {"Yi-6B", models::yi_6b::shape},
    {"Yi-34B", models::yi_34b::shape},
    {"starcoder2-3b", models::starcoder2_3b::shape},
    {"Ministral-8B-Instruct-2410", models::ministral_8b::shape},
    {"deepseek-moe-16b-base", models::deepseek_moe_16b::shape},
    {"granite-3.3-2b-instruct", models::granite_3_3_2b::shape},
    {"granite-3.3-8b-instruct", models::granite_3_3_8b::shape},
};

const entry configs[] = {
    {"pythia-6.9b", models::pythia_6_9b::shape},
    {"Llama-3.1-405B", models::llama3_1_405b::shape},
    {"Llama-3.2-1B", models::llama3_2_1b::shape},
    {"Mixtral-8x7B-v0.1", models::mixtral_8x7b::shape},
    {"Qwen2.5-7B", models::qwen2_5_7b::shape},
    {"granite-3.1-3b-a800m-base", models::granite_3_1_3b_a800m::shape},
    {"Yi-34B", models::yi_34b::shape},
    {"Nemotron-4-340B-Base", models::nemotron_4_340b::shape},
};

std::int64_t parameters_of(const shardplan::transformer& shape, shardplan::role purpose) {
  std::int64_t sum = 0;
  for (const shardplan::tensor& item : shardplan::tensors_of(shape))
    if (item.purpose == purpose) sum += item.elements() * item.multiplicity;
  return sum;
}

// The figures that both files have.
void compare(const shardplan::transformer& shape, const truth::json& facts) {
  CHECK(shardplan::parameter_count_of(shape) == facts.get<std::int64_t>("trainable"));
  CHECK(parameters_of(shape, shardplan::role::embedding) == facts.get<std::int64_t>("embedding"));
  CHECK(parameters_of(shape, shardplan::role::head) == facts.get<std::int64_t>("head"));
  CHECK(parameters_of(shape, shardplan::role::routed_expert) == facts.get<std::int64_t>("routed_experts"));
  CHECK(shardplan::active_parameter_count_of(shape) == facts.get<std::int64_t>("active_per_token"));
}

}  // namespace

TEST_CASE("catalog models have the counts of models.json") {
  const auto file = truth::read("models.json");
  if (!file) return;
  std::size_t compared = 0;
  std::size_t rows = 0;
  for (const auto& [index, row] : *file) {
    ++rows;
    const std::string name = row.get<std::string>("name");
    for (const entry& item : catalog) {
      if (name != item.name) continue;
      INFO(name);
      ++compared;
      const truth::json& facts = row.get_child("params");
      compare(item.shape, facts);
      CHECK(parameters_of(item.shape, shardplan::role::norm) == facts.get<std::int64_t>("norms"));
      CHECK(parameters_of(item.shape, shardplan::role::position) == facts.get<std::int64_t>("extra"));
      CHECK(item.shape.tied_embeddings == facts.get<bool>("tied"));
      CHECK(item.shape.head_width() == facts.get<std::int64_t>("head_dim"));
      CHECK(item.shape.query_width() == facts.get<std::int64_t>("q_dim"));
      CHECK(item.shape.key_value_width() == facts.get<std::int64_t>("kv_dim"));

      // Equal sums do not prove an equal shape: the keys of the configuration, where it has them.
      const truth::json& config = row.get_child("config");
      const bool gpt = config.count("n_layer") != 0;
      CHECK(item.shape.layers == config.get<std::int64_t>(gpt ? "n_layer" : "num_hidden_layers"));
      CHECK(item.shape.hidden == config.get<std::int64_t>(gpt ? "n_embd" : "hidden_size"));
      CHECK(item.shape.heads == config.get<std::int64_t>(gpt ? "n_head" : "num_attention_heads"));
      CHECK(item.shape.vocab == config.get<std::int64_t>("vocab_size"));
      CHECK(item.shape.positions == (gpt ? config.get<std::int64_t>("n_positions") : 0));
      CHECK(item.shape.ffn == config.get<std::int64_t>("intermediate_size", 4 * item.shape.hidden));
      CHECK(item.shape.key_value_heads() == config.get<std::int64_t>("num_key_value_heads", item.shape.heads));
      CHECK(item.shape.experts.top_k == config.get<std::int64_t>("num_experts_per_tok", 0));
    }
  }
  // No entry of the catalog was looked for in vain.
  CHECK(compared == sizeof catalog / sizeof catalog[0]);
  std::cout << "models.json: " << compared << " of " << rows << " rows are in the catalog\n";
}

TEST_CASE("catalog models have the counts of hf_configs") {
  const auto file = truth::read("hf_configs/expected.json");
  if (!file) return;
  for (const entry& item : configs) {
    INFO(item.name);
    // A name has dots, which are a path to get_child.
    const auto found = file->find(item.name);
    REQUIRE(found != file->not_found());
    compare(item.shape, found->second);
  }
}

TEST_CASE("catalog models without a row have the counts of their sources") {
  STATIC_REQUIRE(models::llama3_1_70b::shape == models::llama3_70b::shape);
  // facts/memory.md section 1, and the 18 bytes a parameter of report_cases.json, case R106
  CHECK(shardplan::parameter_count<models::gpt3_175b> == 174'604'259'328);
  CHECK(shardplan::parameter_count<models::gpt_neox_20b> == 20'554'567'680);
  CHECK(shardplan::parameter_count<models::llama_30b> * 18 == 585'520'985'088);
}
