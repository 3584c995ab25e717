// SPDX-License-Identifier: BSL-1.0
// Rows of memory.jsonl in pairs: what differs between two runs that differ in one thing.
#pragma once

#include "common_keys.hpp"
#include "frameworks.hpp"
#include "judged_plan.hpp"
#include "judgement.hpp"
#include "memory_figures.hpp"
#include "row.hpp"

#include <shardplan/memory/memory.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace truth {

namespace detail {

/// Two runs of one source, of which one keeps 8-bit casts of all linear weights and the other not in the first and last layer: what differs
/// at rest is the casts of two layers. The model's text says its layers and the parameters of its blocks ("4-layer GPT, ... (1.55B in
/// blocks, ...)").
inline void judge_cast_differences(const std::vector<row>& rows, judgement& result) {
  for (const row& all : rows) {
    const config_reader config{all.config};
    if (counted_by(all.metric) != counted::states || !contains(config.text("precision"), "FP8 compute, bf16 weights kept")) continue;
    const std::string model = config.text("model");
    const std::size_t before = model.find("B in blocks");
    const std::size_t layer_word = model.find("-layer");
    if (before == std::string::npos || layer_word == std::string::npos) continue;
    const std::size_t bracket = model.rfind('(', before);
    for (const row& partly : rows) {
      const config_reader other{partly.config};
      if (&partly == &all || partly.source != all.source || partly.metric != all.metric ||
          !contains(other.text("fp8"), "first/last layer bf16"))
        continue;
      comparison line{.id = all.id + " - " + partly.id, .group = "FP8 weight copies, differences of rows", .how = strength::bound};
      try {
        const std::int64_t layers = scaled(model.substr(0, layer_word), 0);
        const std::int64_t blocks = scaled(model.substr(bracket + 1, before - bracket - 1), 9);
        // A block of that many parameters: 4h^2 of attention, the rest in the network.
        const std::int64_t hidden = 5'000;
        const std::int64_t of_network = blocks / layers - 4 * hidden * hidden;
        if (of_network <= 0 || of_network % (2 * hidden) != 0) throw not_expressible{"no block of that many parameters"};
        shardplan::plan_spec spec = run_of({.layers = layers,
                                            .hidden = hidden,
                                            .heads = 50,
                                            .ffn = of_network / (2 * hidden),
                                            .vocab = 1'000,
                                            .mlp = shardplan::mlp::plain},
                                           1);
        spec.precision = shardplan::precisions::fp8_compute::spec;
        const auto weights_of = [&](std::int64_t count) {
          spec.model.layers = count;
          must_be_valid(spec);
          return shardplan::stage_memory(spec, 0).device.weights.count;
        };
        const std::int64_t with_casts = weights_of(layers) - weights_of(layers - 2);
        spec.precision = shardplan::precisions::bf16_fp32_master_and_gradients::spec;
        const std::int64_t without = weights_of(layers) - weights_of(layers - 2);
        line.ours = static_cast<double>((with_casts - without) / config.number("tp", 1));
        line.theirs = bytes_of(all) - bytes_of(partly);
      } catch (const not_expressible& why) {
        line.reason = why.what();
      }
      result.add(line);
    }
  }
}

/// Rows of one run with other gradient buckets: what differs is the buckets, whatever the model is. Each row against the one with the
/// smallest buckets.
inline void judge_bucket_differences(const std::vector<row>& rows, judgement& result) {
  struct bucket_row {
    const row* item;
    double theirs;
    std::int64_t ours;
  };
  const char* keys[] = {"contiguous_gradients", "overlap_comm", "reduce_bucket_size", "reduce_scatter"};
  std::map<std::string, std::vector<bucket_row>> runs;
  for (const row& item : rows) {
    const config_reader config{item.config};
    if (framework_of(config, item.source) != framework::deepspeed || !config.has("reduce_bucket_size") ||
        !config.has("contiguous_gradients"))
      continue;
    json rest = item.config;
    for (const char* key : keys) rest.erase(key);
    std::ostringstream text;
    boost::property_tree::write_json(text, rest, false);
    try {
      // Any model larger than the buckets.
      shardplan::plan_spec spec = run_of(shape_with(16'000'000'000), 2);
      read_deepspeed(config, spec);
      must_be_valid(spec);
      runs[item.source + item.metric + text.str()].push_back(
          {&item, bytes_of(item), shardplan::stage_memory(spec, 0).device.buffers.count});
    } catch (const not_expressible&) {
      continue;
    }
  }
  for (const auto& [name, same] : runs) {
    const auto least =
        std::min_element(same.begin(), same.end(), [](const bucket_row& left, const bucket_row& right) { return left.ours < right.ours; });
    for (const bucket_row& other : same) {
      if (other.ours == least->ours) continue;
      result.add({.id = other.item->id + " - " + least->item->id,
                  .group = "DeepSpeed, gradient buckets, differences of rows",
                  .ours = static_cast<double>(other.ours - least->ours),
                  .theirs = other.theirs - least->theirs,
                  .how = strength::bound});
    }
  }
}

}  // namespace detail

}  // namespace truth
