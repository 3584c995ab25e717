// SPDX-License-Identifier: BSL-1.0
// Reads and judges saved_tensors.jsonl (section 3 of the truth README): what PyTorch's saved-tensor hooks saw one block or a small model
// keep, against `saved_tensors_of`.
#pragma once

#include "json.hpp"

#include <shardplan/memory/saved_tensors.hpp>
#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace truth {

/// One row, judged.
struct saved_tensors_line {
  std::string id;             ///< line number and what the row is about
  std::int64_t ours = 0;      ///< bytes
  std::int64_t theirs = 0;    ///< bytes
  bool same_tensors = false;  ///< the entries of `detail` agree one by one, in bytes and in width of an element
  std::string reason;         ///< why the row cannot be expressed; empty when it can

  std::int64_t difference() const { return ours - theirs; }
  bool is_equal() const { return reason.empty() && ours == theirs && same_tensors; }
};

namespace detail {

// Bytes of an element and of the tensor, sorted: what two lists of tensors are compared by. Shapes may be views of the same bytes.
using tensor_sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

inline void add_sizes(tensor_sizes& sizes, const shardplan::saved_list& list) {
  for (const shardplan::saved_tensor& item : list) sizes.emplace_back(item.element_bytes, item.bytes().count);
}

inline std::int64_t width_of(const std::string& type) {
  if (type == "bfloat16" || type == "float16") return 2;
  return type == "float32" ? 4 : 8;
}

inline std::optional<shardplan::kernel_spec> kernels_of(const std::string& name) {
  namespace sets = shardplan::kernel_sets;
  if (name == "eager") return sets::torch_eager::spec;
  if (name == "fused") return sets::torch_fused::spec;
  if (name == "fused_copied") return sets::torch_fused_copied::spec;
  if (name == "gpt") return sets::torch_gpt::spec;
  return std::nullopt;
}

inline std::optional<shardplan::attentions> attention_of(const std::string& name) {
  using shardplan::attentions;
  if (name == "flash") return attentions::flash_head_major;
  if (name == "flash_token_major") return attentions::flash;
  if (name == "materialised") return attentions::materialised;
  return std::nullopt;
}

inline std::string unknown_key(const json& row) {
  const char* known[] = {"case",     "attention", "layers", "vocab", "micro_batch", "sequence",        "hidden",  "heads",
                         "kv_heads", "head_dim",  "ffn",    "dtype", "bytes",       "bytes_per_token", "tensors", "detail"};
  for (const auto& entry : row)
    if (std::find(std::begin(known), std::end(known), entry.first) == std::end(known)) return entry.first;
  return {};
}

}  // namespace detail

/// The plan of one row, or the reason why there is none. `case` names the kernel set and, with `model_` before it, a whole model.
inline std::optional<shardplan::plan_spec> saved_tensors_plan(const json& row, std::string& reason) {
  const std::string kind = row.get<std::string>("case");
  const std::string name = kind.rfind("model_", 0) == 0 ? kind.substr(6) : kind;
  const auto number = [&](const char* key) { return row.get<std::int64_t>(key); };
  const std::optional<shardplan::kernel_spec> kernels = detail::kernels_of(name);
  const std::optional<shardplan::attentions> attention = detail::attention_of(row.get<std::string>("attention"));
  const std::string key = detail::unknown_key(row);
  if (!kernels) reason = "case " + kind;
  if (!attention) reason = "attention " + row.get<std::string>("attention");
  if (!key.empty()) reason = "key " + key;
  if (row.get<std::string>("dtype") != "bfloat16") reason = "dtype " + row.get<std::string>("dtype");
  if (!reason.empty()) return std::nullopt;
  shardplan::plan_spec spec{};
  spec.model = {.layers = row.get<std::int64_t>("layers", 1),
                .hidden = number("hidden"),
                .heads = number("heads"),
                .kv_heads = number("kv_heads"),
                .head_dim = number("head_dim"),
                .ffn = number("ffn"),
                .vocab = row.get<std::int64_t>("vocab", 1)};
  if (name == "gpt") {
    spec.model.mlp = shardplan::mlp::plain;
    spec.model.norm = shardplan::norm::layer;
  }
  spec.sequence = number("sequence");
  spec.micro_batch = number("micro_batch");
  spec.kernels = *kernels;
  spec.attention = *attention;
  return spec;
}

/// Judges one row.
inline saved_tensors_line judge_saved_tensors(const json& row, int number) {
  saved_tensors_line line;
  line.id = std::to_string(number) + ' ' + row.get<std::string>("case") + ' ' + row.get<std::string>("attention") + " b" +
            row.get<std::string>("micro_batch") + " s" + row.get<std::string>("sequence") + " h" + row.get<std::string>("hidden");
  line.theirs = row.get<std::int64_t>("bytes");
  const std::optional<shardplan::plan_spec> spec = saved_tensors_plan(row, line.reason);
  if (!spec) return line;
  detail::tensor_sizes ours;
  for (std::int64_t layer = 0; layer < spec->model.layers; ++layer)
    detail::add_sizes(ours, shardplan::saved_tensors_of(*spec, shardplan::place::every_block));
  if (row.get<std::string>("case").rfind("model_", 0) == 0) {
    detail::add_sizes(ours, shardplan::saved_tensors_of(*spec, shardplan::place::input));
    detail::add_sizes(ours, shardplan::saved_tensors_of(*spec, shardplan::place::output));
  }
  for (const auto& size : ours) line.ours += size.second;
  detail::tensor_sizes theirs;
  for (const auto& entry : row.get_child("detail")) {
    auto part = entry.second.begin();
    ++part;  // the shape, which may be that of a view
    const std::int64_t width = detail::width_of(part->second.get_value<std::string>());
    ++part;
    theirs.emplace_back(width, part->second.get_value<std::int64_t>());
  }
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  line.same_tensors = ours == theirs;
  return line;
}

/// Judges every row of a file in the format of saved_tensors.jsonl.
inline std::vector<saved_tensors_line> judge_saved_tensors_file(const std::string& path) {
  std::vector<saved_tensors_line> lines;
  std::ifstream file{path};
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream stream{text};
    json row;
    boost::property_tree::read_json(stream, row);
    lines.push_back(judge_saved_tensors(row, number));
  }
  return lines;
}

}  // namespace truth
