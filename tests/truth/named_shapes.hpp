// SPDX-License-Identifier: BSL-1.0
// The shape of a model that a row only names: the catalog's, and further published shapes that differ from one of the catalog in a few
// numbers. A name may have its owner before it ("meta-llama/..."), and words that change no shape ("hf", "Instruct", a date) anywhere.
#pragma once

#include "catalog.hpp"
#include "common_keys.hpp"

#include <shardplan/model/catalog.hpp>
#include <shardplan/model/transformer.hpp>

#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

namespace truth {

/// A published model that is not in the catalog.
struct further_model {
  const char* name;
  shardplan::transformer shape;
  std::int64_t published;  ///< trained parameters, as its config.json and its safetensors index give them; 0: not compared
};

namespace detail {

// `shape` with other sizes; the feed-forward network and the heads of keys and values as stated.
inline shardplan::transformer resized(shardplan::transformer shape, std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                                      std::int64_t kv_heads, std::int64_t ffn, std::int64_t vocab) {
  shape.layers = layers;
  shape.hidden = hidden;
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  shape.ffn = ffn;
  shape.vocab = vocab;
  return shape;
}

// One of the families whose network is four times as wide as the model.
inline shardplan::transformer resized(const shardplan::transformer& shape, std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  return resized(shape, layers, hidden, heads, 0, 4 * hidden, shape.vocab);
}

inline shardplan::transformer tied(shardplan::transformer shape, bool is_tied = true) {
  shape.tied_embeddings = is_tied;
  return shape;
}

inline shardplan::transformer with_head_dim(shardplan::transformer shape, std::int64_t width) {
  shape.head_dim = width;
  return shape;
}

}  // namespace detail

/// Published shapes beside the catalog's, each from the model's `config.json` or its paper.
inline const std::vector<further_model>& further_models() {
  using detail::resized;
  using detail::tied;
  using detail::with_head_dim;
  namespace models = shardplan::models;
  static const std::vector<further_model> all = [] {
    const shardplan::transformer llama = models::llama_7b::shape;
    const shardplan::transformer qwen = models::qwen2_5_7b::shape;  // biases of query, key and value
    shardplan::transformer sparse_qwen = resized(qwen, 28, 3584, 28, 4, 18944, 151936);
    sparse_qwen.experts = {.count = 64, .top_k = 8, .ffn = 2560, .shared_ffn = 20480, .shared_gate = true};
    shardplan::transformer olmoe = resized(llama, 16, 2048, 16, 0, 1024, 50304);
    olmoe.qk_norm = shardplan::qk_norm::projection;
    olmoe.experts = {.count = 64, .top_k = 8, .ffn = 1024};
    shardplan::transformer olmo = resized(llama, 32, 4096, 32, 0, 11008, 50304);
    olmo.norm = shardplan::norm::layer_without_weights;
    shardplan::transformer gpt_j = resized(models::phi_2::shape, 28, 4096, 16, 0, 16384, 50400);
    gpt_j.qkv_bias = gpt_j.attention_output_bias = false;
    shardplan::transformer gpt_neo = resized(models::gpt2::shape, 32, 2560, 20);
    gpt_neo.positions = 2048;
    gpt_neo.qkv_bias = false;
    shardplan::transformer starcoder = resized(models::gpt2::shape, 40, 6144, 48, 1, 24576, 49152);
    starcoder.positions = 8192;
    shardplan::transformer glm = models::glm_4_5_air::shape;
    glm = resized(glm, 92, 5120, 96, 8, 12288, 151552);
    glm.qk_norm = shardplan::qk_norm::head;
    glm.experts.count = 160;
    glm.experts.ffn = glm.experts.shared_ffn = 1536;
    glm.experts.leading_dense = 3;
    glm.next_token_layers = 0;
    return std::vector<further_model>{
        {"Qwen1.5-0.5B", tied(resized(qwen, 24, 1024, 16, 0, 2816, 151936)), 463'987'712},
        {"Qwen1.5-1.8B", resized(qwen, 24, 2048, 16, 0, 5504, 151936), 1'836'828'672},
        {"Qwen1.5-4B", resized(qwen, 40, 2560, 20, 0, 6912, 151936), 3'950'369'280},
        {"Qwen1.5-14B", resized(qwen, 40, 5120, 40, 0, 13696, 152064), 14'167'290'880},
        {"Qwen1.5-32B", resized(qwen, 64, 5120, 40, 8, 27392, 152064), 32'512'218'112},
        {"Qwen1.5-72B", resized(qwen, 80, 8192, 64, 0, 24576, 152064), 72'287'920'128},
        {"Qwen2-1.5B", tied(resized(qwen, 28, 1536, 12, 2, 8960, 151936)), 1'543'714'304},
        {"Qwen2.5-1.5B", tied(resized(qwen, 28, 1536, 12, 2, 8960, 151936)), 1'543'714'304},
        {"Qwen2.5-0.5B", models::qwen2_0_5b::shape, 494'032'768},
        {"Qwen2-7B", qwen, 7'615'616'512},
        {"Qwen2-72B", models::qwen2_5_72b::shape, 72'706'203'648},
        {"Qwen2-57B-A14B", sparse_qwen, 0},
        {"Qwen2.5-Coder-7B", qwen, 7'615'616'512},
        {"Qwen2.5-Coder-32B", models::qwen2_5_32b::shape, 32'763'876'352},
        {"QwQ-32B", models::qwen2_5_32b::shape, 32'763'876'352},
        {"Qwen3-14B", resized(models::qwen3_8b::shape, 40, 5120, 40, 8, 17408, 151936), 14'768'307'200},
        {"Qwen3-Coder-30B-A3B", models::qwen3_30b_a3b::shape, 30'532'122'624},
        {"Llama-3.1-70B", models::llama3_1_70b::shape, 70'553'706'496},
        {"Llama-3.3-70B", models::llama3_1_70b::shape, 70'553'706'496},
        {"Llama-3-8B", models::llama3_8b::shape, 8'030'261'248},
        {"Llama-3-70B", models::llama3_70b::shape, 70'553'706'496},
        {"llama-33b", models::llama_30b::shape, 32'528'943'616},
        {"vicuna-7b", llama, 6'738'415'616},
        {"vicuna-13b", models::llama_13b::shape, 13'015'864'320},
        {"CodeLlama-7b", resized(llama, 32, 4096, 32, 0, 11008, 32016), 6'738'546'688},
        {"CodeLlama-13b", resized(llama, 40, 5120, 40, 0, 13824, 32016), 13'016'028'160},
        {"CodeLlama-34b", resized(llama, 48, 8192, 64, 8, 22016, 32000), 33'743'970'304},
        {"Baichuan-7B", resized(llama, 32, 4096, 32, 0, 11008, 64000), 7'000'559'616},
        {"Baichuan2-7B", resized(llama, 32, 4096, 32, 0, 11008, 125696), 7'505'973'248},
        {"Baichuan-13B", resized(llama, 40, 5120, 40, 0, 13696, 64000), 13'264'901'120},
        {"Baichuan2-13B", resized(llama, 40, 5120, 40, 0, 13696, 125696), 13'896'668'160},
        {"Yi-9B", resized(llama, 48, 4096, 32, 4, 11008, 64000), 8'829'407'232},
        {"SmolLM2-135M", tied(resized(llama, 30, 576, 9, 3, 1536, 49152)), 134'515'008},
        {"SmolLM2-1.7B", tied(resized(llama, 24, 2048, 32, 0, 8192, 49152)), 1'711'376'384},
        {"deepseek-llm-67b", resized(llama, 95, 8192, 64, 8, 22016, 102400), 67'425'001'472},
        {"DeepSeek-R1", models::deepseek_v3::shape, 671'026'404'352},
        {"DeepSeek-V3.1", models::deepseek_v3::shape, 671'026'404'352},
        {"DeepSeek-V2.5", models::deepseek_v2::shape, 0},
        {"DeepSeek-R1-Distill-Qwen-7B", qwen, 7'615'616'512},
        {"DeepSeek-R1-Distill-Qwen-14B", models::qwen2_5_14b::shape, 14'770'033'664},
        {"DeepSeek-R1-Distill-Qwen-32B", models::qwen2_5_32b::shape, 32'763'876'352},
        {"DeepSeek-R1-Distill-Llama-8B", models::llama3_1_8b::shape, 8'030'261'248},
        {"DeepSeek-R1-Distill-Llama-70B", models::llama3_1_70b::shape, 70'553'706'496},
        {"Mistral-7B-v0.2", models::mistral_7b::shape, 7'241'732'096},
        {"Mistral-Nemo", with_head_dim(resized(llama, 40, 5120, 32, 8, 14336, 131072), 128), 12'247'782'400},
        {"gemma-2b", resized(models::gemma_7b::shape, 18, 2048, 8, 1, 16384, 256000), 2'506'172'416},
        {"phi-4", resized(llama, 40, 5120, 40, 10, 17920, 100352), 14'659'507'200},
        {"Phi-3-mini-4k", resized(llama, 32, 3072, 32, 0, 8192, 32064), 3'821'079'552},
        {"Phi-3.5-mini", resized(llama, 32, 3072, 32, 0, 8192, 32064), 3'821'079'552},
        {"Phi-3-medium-4k", resized(llama, 40, 5120, 40, 10, 17920, 32064), 13'960'238'080},
        {"phi-1.5", resized(models::phi_2::shape, 24, 2048, 32), 1'418'270'720},
        {"pythia-160m", resized(models::pythia_410m::shape, 12, 768, 12), 162'322'944},
        {"pythia-1.4b", resized(models::pythia_410m::shape, 24, 2048, 16), 1'414'647'808},
        {"pythia-12b", resized(models::pythia_410m::shape, 36, 5120, 40, 0, 20480, 50688), 11'846'072'320},
        {"opt-1.3b", resized(models::opt_13b::shape, 24, 2048, 32), 1'315'758'080},
        {"opt-6.7b", resized(models::opt_13b::shape, 32, 4096, 32), 6'658'473'984},
        {"opt-66b", resized(models::opt_13b::shape, 64, 9216, 72), 0},
        {"opt-175b", resized(models::opt_13b::shape, 96, 12288, 96), 0},
        {"bloom-560m", resized(models::bloom_7b1::shape, 24, 1024, 16), 559'214'592},
        {"bloom-1b7", resized(models::bloom_7b1::shape, 24, 2048, 16), 1'722'408'960},
        {"bloom-3b", resized(models::bloom_7b1::shape, 30, 2560, 32), 3'002'557'440},
        {"bloom", resized(models::bloom_7b1::shape, 70, 14336, 112), 176'247'271'424},
        {"bloom-176b", resized(models::bloom_7b1::shape, 70, 14336, 112), 176'247'271'424},
        {"bloomz-7b1", models::bloom_7b1::shape, 7'069'016'064},
        {"gpt-j-6b", gpt_j, 6'050'882'784},
        {"gpt-neo-2.7B", gpt_neo, 2'651'307'520},
        {"gpt-neo-1.3B", resized(gpt_neo, 24, 2048, 16), 1'315'575'808},
        {"starcoder", starcoder, 15'517'456'384},
        {"starcoder2-7b", resized(models::starcoder2_3b::shape, 32, 4608, 36, 4, 18432, 49152), 7'173'923'840},
        {"starcoder2-15b", tied(resized(models::starcoder2_3b::shape, 40, 6144, 48, 4, 24576, 49152), false), 15'957'889'024},
        {"OLMo-7B", olmo, 6'888'095'744},
        {"OLMoE-1B-7B", olmoe, 6'919'161'856},
        {"GLM-4.5", glm, 0},
        {"GLM-4.6", glm, 0},
        {"chatglm3-6b", resized(qwen, 28, 4096, 32, 2, 13696, 65024), 6'243'584'000},
        {"chatglm2-6b", resized(qwen, 28, 4096, 32, 2, 13696, 65024), 6'243'584'000},
        {"nemotron4-15b", resized(models::nemotron_4_340b::shape, 32, 6144, 48, 8, 24576, 256000), 0},
        {"Llama-4-Scout", models::llama4_scout_17b_16e::shape, 0},
        {"nemotron-15b", resized(models::nemotron_4_340b::shape, 32, 6144, 48, 8, 24576, 256000), 0},
    };
  }();
  return all;
}

namespace detail {

// Words of a name that say nothing about its shape.
inline bool is_filler(const std::string& word) {
  for (const char* known : {"hf", "base", "instruct", "chat", "it", "pt", "meta", "c4ai", "preview", "v1.0", "thinking"})
    if (word == known) return true;
  return false;
}

// A version, a date, or half of one: "v0.1", "2407", "12" of "12-2024".
inline bool is_date(const std::string& word) {
  const std::size_t from = !word.empty() && word.front() == 'v' ? 1 : 0;
  if (word.size() == from) return false;
  for (const char letter : word.substr(from))
    if (letter != '.' && std::isdigit(static_cast<unsigned char>(letter)) == 0) return false;
  return from == 1 || word.size() == 4 || word.size() == 2;
}

/// A name without its owner and without the words that `leaves_out` names, letters and digits only.
template <class Predicate>
std::string bare_name(const std::string& name, Predicate leaves_out) {
  const std::size_t owner = name.rfind('/');
  std::string bare;
  std::string word;
  for (const char letter : (owner == std::string::npos ? name : name.substr(owner + 1)) + '-') {
    if (letter != '-' && letter != '_' && letter != ' ') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      continue;
    }
    if (!leaves_out(word)) bare += plain_name(word);
    word.clear();
  }
  return bare;
}

template <class Predicate>
const shardplan::transformer* find_shape(const std::string& name, Predicate leaves_out) {
  const std::string wanted = bare_name(name, leaves_out);
  if (wanted.empty()) return nullptr;
  for (const catalog_entry& item : catalog())
    if (wanted == bare_name(item.name, leaves_out) || wanted == bare_name(item.type, leaves_out)) return &item.shape;
  for (const further_model& item : further_models())
    if (wanted == bare_name(item.name, leaves_out)) return &item.shape;
  return nullptr;
}

}  // namespace detail

/// The shape of the model of that name: as it stands, else without words that change no shape, else without its date as well; nullptr when
/// there is none.
inline const shardplan::transformer* shape_of_name(const std::string& name) {
  if (const auto* found = detail::find_shape(name, [](const std::string&) { return false; })) return found;
  if (const auto* found = detail::find_shape(name, detail::is_filler)) return found;
  return detail::find_shape(name, [](const std::string& word) { return detail::is_filler(word) || detail::is_date(word); });
}

}  // namespace truth
