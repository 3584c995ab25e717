// SPDX-License-Identifier: BSL-1.0
// The model catalog against the exact counts of models.json and hf_configs/expected.json.
#include "models.hpp"
#include "../runtime/catch.hpp"
#include "named_shapes.hpp"
#include "shared_files.hpp"

#include <shardplan/model/catalog.hpp>
#include <shardplan/model/parameters.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace models = shardplan::models;

namespace {

struct entry {
  const char* name;
  shardplan::transformer shape;
};

const entry configs[] = {
    {"pythia-6.9b", models::pythia_6_9b::shape},
    {"mpt-7b", models::mpt_7b::shape},
    {"Llama-3.1-405B", models::llama3_1_405b::shape},
    {"Llama-3.2-1B", models::llama3_2_1b::shape},
    {"Llama-4-Scout-17B-16E", models::llama4_scout_17b_16e::shape},
    {"Mixtral-8x7B-v0.1", models::mixtral_8x7b::shape},
    {"Qwen2.5-7B", models::qwen2_5_7b::shape},
    {"Qwen1.5-MoE-A2.7B", models::qwen1_5_moe_a2_7b::shape},
    {"Qwen3-30B-A3B", models::qwen3_30b_a3b::shape},
    {"gemma-2-27b", models::gemma_2_27b::shape},
    {"gemma-3-4b-pt", models::gemma_3_4b::shape},
    {"phi-2", models::phi_2::shape},
    {"DeepSeek-V3", models::deepseek_v3::shape},
    {"OLMo-2-1124-13B", models::olmo_2_13b::shape},
    {"granite-3.1-3b-a800m-base", models::granite_3_1_3b_a800m::shape},
    {"gpt-oss-20b", models::gpt_oss_20b::shape},
    {"c4ai-command-r-plus", models::command_r_plus::shape},
    {"Yi-34B", models::yi_34b::shape},
    {"Nemotron-4-340B-Base", models::nemotron_4_340b::shape},
    {"dbrx-base", models::dbrx::shape},
    {"Qwen3-30B-A3B_v5_keys", models::qwen3_30b_a3b::shape},
    {"gemma-3-4b_explicit", models::gemma_3_4b::shape},
};

// The number under the first of the keys that the configuration has, else `otherwise`.
std::int64_t number_of(const truth::json& config, std::initializer_list<const char*> keys, std::int64_t otherwise) {
  for (const char* key : keys)
    if (config.count(key) != 0 && config.get<std::string>(key) != "null") return config.get<std::int64_t>(key);
  return otherwise;
}

// The figures that both files have.
void compare(const shardplan::transformer& shape, const truth::json& facts) {
  CHECK(shardplan::parameter_count_of(shape) == facts.get<std::int64_t>("trainable"));
  CHECK(truth::parameters_of(shape, shardplan::role::embedding) == facts.get<std::int64_t>("embedding"));
  CHECK(truth::head_parameters_of(shape) == facts.get<std::int64_t>("head"));
  CHECK(truth::routed_parameters_of(shape) == facts.get<std::int64_t>("routed_experts"));
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
    for (const truth::catalog_entry& item : truth::catalog()) {
      if (name != item.name) continue;
      INFO(name);
      ++compared;
      const truth::json& facts = row.get_child("params");
      compare(item.shape, facts);
      CHECK(truth::parameters_of(item.shape, shardplan::role::norm) == facts.get<std::int64_t>("norms"));
      CHECK(truth::parameters_of(item.shape, shardplan::role::position) == facts.get<std::int64_t>("extra"));
      CHECK(item.shape.tied_embeddings == facts.get<bool>("tied"));
      // Equal sums do not prove an equal shape: the keys of the configuration, where it has them.
      const truth::json& whole = row.get_child("config");
      const truth::json& config = whole.count("text_config") != 0 ? whole.get_child("text_config") : whole;
      const shardplan::transformer& shape = item.shape;
      CHECK(shape.layers == number_of(config, {"num_hidden_layers", "n_layer"}, 0));
      CHECK(shape.hidden == number_of(config, {"hidden_size", "n_embd", "n_embed"}, 0));
      CHECK(shape.heads == number_of(config, {"num_attention_heads", "n_head"}, 0));
      CHECK(shape.vocab == number_of(config, {"vocab_size"}, 262208));  // the default of Gemma 3's class
      CHECK(shape.positions - shape.position_offset ==
            number_of(config, {"n_positions"}, shape.position_offset != 0 ? number_of(config, {"max_position_embeddings"}, 0) : 0));
      CHECK(shape.ffn == number_of(config, {"intermediate_size_mlp", "intermediate_size", "ffn_dim"}, 4 * shape.hidden));
      CHECK(shape.key_value_heads() == number_of(config, {"num_key_value_heads"}, shape.heads));
      CHECK(shape.experts.top_k == number_of(config, {"num_experts_per_tok"}, 0));
      CHECK(shape.experts.leading_dense == number_of(config, {"first_k_dense_replace"}, 0));
      CHECK(shape.latent.query_rank == number_of(config, {"q_lora_rank"}, 0));
      CHECK(shape.latent.key_value_rank == number_of(config, {"kv_lora_rank"}, 0));
      CHECK(shape.latent.rope_dim == number_of(config, {"qk_rope_head_dim"}, 0));
      CHECK(shape.latent.nope_dim == number_of(config, {"qk_nope_head_dim"}, 0));
      CHECK(shape.latent.value_dim == number_of(config, {"v_head_dim"}, 0));
      if (!shape.is_latent()) {  // where the file's widths of heads mean something
        CHECK(shape.head_width() == facts.get<std::int64_t>("head_dim"));
        CHECK(shape.query_width() == facts.get<std::int64_t>("q_dim"));
        CHECK(shape.key_value_width() == facts.get<std::int64_t>("kv_dim"));
      }
      CHECK(truth::parameters_of_layer(shape, 0) == facts.get<std::int64_t>("per_layer_first"));
      CHECK(truth::parameters_of_layer(shape, shape.layers - 1) == facts.get<std::int64_t>("per_layer_last"));
    }
  }
  // No entry of the catalog was looked for in vain, and no row is left out.
  std::size_t named = 0;
  for (const truth::catalog_entry& item : truth::catalog()) named += *item.name != '\0' ? 1 : 0;
  CHECK(compared == named);
  CHECK(compared == rows);
  std::cout << "models.json: " << compared << " of " << rows << " rows are in the catalog\n";
}

// What must be added to the trained parameters to meet a published figure, where it is a next-token layer saved with its own embedding and
// head: the layer itself, those two, and the correction bias of each router.
TEST_CASE("a next-token layer has the parameters that published files count") {
  const auto file = truth::read("models.json");
  if (!file) return;
  int compared = 0;
  for (const auto& [index, row] : *file) {
    const std::string name = row.get<std::string>("name");
    if (name != "GLM-4.5-Air" && name != "DeepSeek-V3") continue;
    INFO(name);
    ++compared;
    shardplan::transformer shape = name == "DeepSeek-V3" ? models::deepseek_v3::shape : models::glm_4_5_air::shape;
    const std::int64_t routing_layers = shape.layers - shape.dense_layers();
    shape.next_token_layers = 1;
    std::int64_t saved = shardplan::parameter_count_of(shape) + 2 * shape.vocab * shape.hidden + (routing_layers + 1) * shape.experts.count;
    if (name == "DeepSeek-V3") saved += 41'540'496;  // FP8 block scales, facts/files_and_rules.md section 2
    CHECK(saved == row.get<std::int64_t>("comparison.value"));
  }
  CHECK(compared == 2);
}

TEST_CASE("catalog models have the counts of hf_configs") {
  const auto file = truth::read("hf_configs/expected.json");
  if (!file) return;
  std::size_t good = 0;
  for (const auto& [name, facts] : *file)
    if (facts.count("error") == 0) ++good;
  CHECK(good == sizeof configs / sizeof configs[0]);
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

TEST_CASE("further named shapes have their published counts") {
  std::size_t compared = 0;
  for (const truth::further_model& item : truth::further_models()) {
    if (item.published == 0) continue;
    INFO(item.name);
    CHECK(shardplan::parameter_count_of(item.shape) == item.published);
    ++compared;
  }
  CHECK(compared > 60);
  // GLM-4.5 as it is saved: a next-token layer with an embedding and a head of its own, and the correction bias of each router
  // (facts/files_and_rules.md section 2).
  shardplan::transformer glm = *truth::shape_of_name("GLM-4.5");
  glm.next_token_layers = 1;
  CHECK(shardplan::parameter_count_of(glm) + 2 * glm.vocab * glm.hidden + (glm.layers - glm.dense_layers() + 1) * glm.experts.count ==
        358'337'791'296);
}

TEST_CASE("a model is found by its name with or without words that change no shape, and by no other") {
  const auto count = [](const char* name) {
    const shardplan::transformer* shape = truth::shape_of_name(name);
    return shape == nullptr ? 0 : shardplan::parameter_count_of(*shape);
  };
  CHECK(count("meta-llama/Llama-2-7b-hf") == 6'738'415'616);
  CHECK(count("Llama-2-70b-chat-hf") == 68'976'648'192);
  CHECK(count("llama3.1-405b") == count("Llama-3.1-405B"));
  CHECK(count("Qwen2.5-7B-Instruct") == 7'615'616'512);
  CHECK(count("dbrx-base") == 131'596'523'520);
  CHECK(count("OLMoE-1B-7B-0924") == 6'919'161'856);
  // A version that changes the vocabulary is no filler.
  CHECK(count("Mistral-7B-v0.1") == 7'241'732'096);
  CHECK(count("Mistral-7B-Instruct-v0.3") == 7'248'023'552);
  CHECK(count("") == 0);
  CHECK(count("instruct") == 0);
  CHECK(count("Llama-2-8b") == 0);
  CHECK(count("gpt2-large-x") == 0);
}
