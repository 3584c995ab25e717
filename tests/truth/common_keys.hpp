// SPDX-License-Identifier: BSL-1.0
// The short keys (layers, hidden, heads, tp, seq, ...) that rows of most sources have in common, as a shape and as degrees.
#pragma once

#include "catalog.hpp"
#include "row.hpp"

#include <shardplan/model/transformer.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>

namespace truth {

namespace detail {

/// Letters and digits of a model's name in lower case; what stands in brackets is left out.
inline std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char letter : name) {
    if (letter == '(') break;
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return plain;
}

/// The catalog's model of that name, as it is published or as its type is called; a row's name may have words behind it ("cut to 14
/// layers"), and the longest match counts. nullptr when there is none.
inline const catalog_entry* named_model(const std::string& name) {
  const std::string wanted = plain_name(name);
  const catalog_entry* found = nullptr;
  std::size_t longest = 0;
  for (const catalog_entry& item : catalog())
    for (const std::string& known : {plain_name(item.name), plain_name(item.type)}) {
      if (known.empty() || known.size() <= longest || !starts_with(wanted, known.c_str())) continue;
      if (wanted.size() > known.size() && std::isdigit(static_cast<unsigned char>(wanted[known.size()])) != 0) continue;
      found = &item;
      longest = known.size();
    }
  return found;
}

}  // namespace detail

/// A shape with exactly `parameters` parameters, a multiple of 4,000: the vocabulary takes what eight blocks leave.
inline shardplan::transformer shape_with(std::int64_t parameters) {
  const std::int64_t hidden = 4'000;
  const std::int64_t layers = 8;
  const std::int64_t ffn = 100;
  const std::int64_t of_blocks = layers * (4 * hidden + 2 + 3 * ffn) + 1;
  if (parameters % hidden != 0 || parameters / hidden <= of_blocks) throw not_expressible{"a parameter count that no such shape has"};
  return {.layers = layers, .hidden = hidden, .heads = 32, .ffn = ffn, .vocab = parameters / hidden - of_blocks, .tied_embeddings = true};
}

/// The shape of a row: its own keys, and what they leave open from the catalog's model of that name; where only the number of parameters
/// counts (`sizes_only`), any shape that has it. Throws `not_expressible` when the row does not say it all.
inline shardplan::transformer common_shape(const config_reader& config, bool sizes_only = false) {
  shardplan::transformer shape{};
  const std::string name = config.text("model");
  const catalog_entry* known = name.empty() ? nullptr : detail::named_model(name);
  const bool stated = config.has("layers") && config.has("hidden") && config.has("heads") && config.has("vocab") &&
                      (config.has("ffn") || config.has("moe_ffn"));
  if (known != nullptr) {
    shape = known->shape;
    shape.next_token_layers = 0;  // a row says them
  } else if (!stated && sizes_only && config.has("params")) {
    return shape_with(config.number("params"));
  } else if (!stated) {
    throw not_expressible{"the shape is not stated: " + name};
  }
  const auto take = [&](std::int64_t& field, const char* key) {
    if (config.has(key)) field = config.number(key);
  };
  take(shape.layers, "layers");
  take(shape.hidden, "hidden");
  take(shape.heads, "heads");
  take(shape.kv_heads, "kv_heads");
  take(shape.head_dim, "head_dim");
  take(shape.ffn, "ffn");
  take(shape.vocab, "vocab");
  take(shape.experts.count, "experts");
  take(shape.experts.top_k, "topk");
  take(shape.experts.ffn, "moe_ffn");
  take(shape.experts.shared_ffn, "shared_ffn");
  take(shape.experts.leading_dense, "dense_layers");
  take(shape.next_token_layers, "mtp");
  // A model that was cut down to fewer experts than a token visits: all of them.
  if (!config.has("topk") && shape.experts.top_k > shape.experts.count) shape.experts.top_k = shape.experts.count;
  if (shape.ffn == 0) shape.ffn = shape.experts.ffn;
  if (config.has("tied")) shape.tied_embeddings = config.flag("tied");
  // GPT's plain network is four times as wide as the model, a gated one is narrower.
  if (known == nullptr && shape.experts.count == 0 && shape.ffn == 4 * shape.hidden) shape.mlp = shardplan::mlp::plain;
  if (config.has("swiglu")) shape.mlp = config.flag("swiglu") ? shardplan::mlp::gated : shardplan::mlp::plain;
  if (config.has("norm")) {
    const std::string norm = config.text("norm");
    if (norm != "RMSNorm" && norm != "LayerNorm") throw not_expressible{"norm " + norm};
    shape.norm = norm == "RMSNorm" ? shardplan::norm::rms : shardplan::norm::layer;
    if (!config.has("swiglu") && known == nullptr) shape.mlp = norm == "RMSNorm" ? shardplan::mlp::gated : shardplan::mlp::plain;
  }
  if (config.has("qk_norm")) shape.qk_norm = config.flag("qk_norm") ? shardplan::qk_norm::head : shardplan::qk_norm::none;
  if (config.has("mla")) {
    const config_reader latent{config.child("mla")};
    shape.latent = {.query_rank = latent.number("q_lora", 0),
                    .key_value_rank = latent.number("kv_lora"),
                    .rope_dim = latent.number("rope"),
                    .nope_dim = latent.number("qk"),
                    .value_dim = latent.number("v")};
    latent.all_read();
    shape.kv_heads = shape.head_dim = 0;
  }
  return shape;
}

}  // namespace truth
