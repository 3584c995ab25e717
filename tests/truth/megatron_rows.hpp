// SPDX-License-Identifier: BSL-1.0
// Rows of memory.jsonl about Megatron-LM: its functional tests, and SimuMax's measurements on B200.
#pragma once

#include "common_keys.hpp"
#include "frameworks.hpp"
#include "interleaved_schedule.hpp"
#include "judgement.hpp"
#include "megatron.hpp"
#include "memory_figures.hpp"
#include "rank_run.hpp"
#include "row.hpp"

#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>

namespace truth {

namespace detail {

/// Tests whose name says an argument that the configuration of the row lacks: the run had it, the row does not say how.
inline bool lacks_an_argument(const std::string& source, const config_reader& config) {
  const struct {
    const char* name;
    const char* key;
  } arguments[] = {{"tunable_overlap", "microbatch_group_size_per_virtual_pipeline_stage"},
                   {"defer_embedding_wgrad_compute", "defer_embedding_wgrad_compute"},
                   {"fine_grained_offloading", "fine_grained_activation_offloading"}};
  for (const auto& item : arguments)
    if (contains(source, item.name) && !config.has(item.key)) return true;
  return false;
}

inline void judge_functional_test(const row& item, judgement& result) {
  comparison line{.id = item.id, .group = "Megatron-LM functional tests, ", .theirs = bytes_of(item), .how = strength::bound};
  const config_reader config{item.config};
  const counted metric = counted_by(item.metric);
  const bool stated = config.has("world_size") && !starts_with(config.text("world_size_note"), "inferred");
  const bool routed = config.number("num_experts", 0) > 0;
  const std::string recompute = config.text("recompute_granularity");
  if (metric == counted::states) {
    line.group += stated ? "allocated" : "allocated, world size not stated";
  } else {
    const bool lacks = lacks_an_argument(item.source, config);
    line.group += lacks                 ? "peak, an argument of the test's name is not in the configuration"
                  : !stated             ? "peak, world size not stated"
                  : recompute == "full" ? "peak, full recompute"
                  : routed              ? "peak, routed experts"
                                        : "peak, dense";
    if (lacks) line.how = strength::print;
  }
  if (!stated) line.how = strength::print;
  try {
    const run what = megatron_run(config, metric == counted::states);
    config.all_read();
    line.ours = ours_of(what, metric);
  } catch (const not_expressible& why) {
    line.reason = why.what();
  }
  result.add(line);
}

/// The run of a row of SimuMax's measurements on B200 (docs/b200). Throws `not_expressible`.
inline run b200_run(const config_reader& config) {
  run what{};
  shardplan::plan_spec& spec = what.spec;
  spec.model = common_shape(config);
  // SimuMax's model files: one leading dense layer.
  if (spec.model.experts.count > 0) spec.model.experts.leading_dense = config.number("dense_layers", 1);
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.tp = config.number("tp", 1);
  spec.pp = config.number("pp", 1);
  spec.cp = config.number("cp", 1);
  spec.ep = config.number("ep", 1);
  spec.dp = config.number("dp", 1);
  spec.devices_per_node = spec.tp * spec.pp * spec.cp * spec.dp;
  spec.nodes = 1;
  spec.sequence = config.number("seq");
  spec.micro_batch = config.number("micro_batch");
  spec.global_batch = config.number("microbatches") * spec.micro_batch * spec.dp;
  spec.zero = config.flag("distributed_optimizer") ? 1 : 0;
  spec.sequence_parallel = config.flag("sequence_parallel") ? shardplan::toggle::by_default : shardplan::toggle::off;
  spec.precision = shardplan::precisions::bf16_fp32_master_and_gradients::spec;
  spec.headroom_mebibytes = 0;
  const auto is = [&](const char* key, const char* wanted) {
    if (config.has(key) && config.text(key) != wanted) throw not_expressible{std::string{key} + " " + config.text(key)};
  };
  is("dtype", "bf16");
  is("grad_dtype", "fp32");
  is("dropout", "0");
  read_attention(config, spec);
  if (config.has("cross_entropy")) spec.loss = named_loss(config.text("cross_entropy"));
  const std::string exchange = config.text("cp_comm", "a2a");
  if (exchange == "p2p") {
    spec.context_exchange = shardplan::context_exchanges::ring;
  } else if (exchange == "all_gather") {
    spec.context_exchange = shardplan::context_exchanges::all_gather;
  } else if (exchange != "a2a") {
    throw not_expressible{"cp_comm " + exchange};
  }
  read_recompute(config, spec);
  if (const std::int64_t chunks = config.number("vpp", 1); chunks > 1) spec.schedule = interleaved_schedule(chunks);
  const std::string stage = config.text("stage", "first_stage");
  if (stage != "first_stage" && stage != "last_stage") throw not_expressible{"stage " + stage};
  what.stage = stage == "last_stage" ? spec.pp - 1 : 0;
  config.without_effect({"gpu", "framework", "note", "rank"});
  config.all_read();
  return what;
}

inline void judge_b200(const row& item, judgement& result) {
  comparison line{.id = item.id, .group = "Megatron-LM on B200 (SimuMax), peak, ", .theirs = bytes_of(item), .how = strength::bound};
  const config_reader config{item.config};
  line.group += config.has("ffn") && !config.has("experts") ? "dense" : "routed experts";
  try {
    line.ours = ours_of(b200_run(config), counted_by(item.metric));
  } catch (const not_expressible& why) {
    line.reason = why.what();
  }
  result.add(line);
}

}  // namespace detail

}  // namespace truth
