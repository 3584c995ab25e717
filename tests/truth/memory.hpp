// SPDX-License-Identifier: BSL-1.0
// Judging memory.jsonl: which rule reads a row (by its source), what of our figures it is compared with (by its metric), and the bounds.
#pragma once

#include "common_keys.hpp"
#include "frameworks.hpp"
#include "judgement.hpp"
#include "llm_c.hpp"
#include "megatron.hpp"
#include "operators.hpp"
#include "papers.hpp"
#include "row.hpp"

#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/whole_tensors.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace truth {

/// What a metric counts.
enum class counted {
  states,    ///< tensors alive between two steps
  peak,      ///< the most bytes of tensors alive
  reserved,  ///< what the allocator holds: peak and fragmentation
  device,    ///< all that the driver counts
  host,      ///< memory of the host
  part,      ///< one named buffer or a part of a peak
  unstated   ///< the source does not say
};

inline counted counted_by(const std::string& metric) {
  if (metric == "torch_memory_allocated_after_step" || metric == "allocated") return counted::states;
  if (metric == "torch_max_memory_allocated" || metric == "max_allocated" || metric == "peak_allocated" || metric == "peak_active")
    return counted::peak;
  if (metric == "torch_max_memory_reserved") return counted::reserved;
  if (metric == "nvidia_smi_gpu_memory" || metric == "device_memory_used") return counted::device;
  if (starts_with(metric, "host_")) return counted::host;
  if (metric == "activation_buffer" || metric == "buffer" || metric == "optimizer_step_peak" || metric == "peak_overhead" ||
      metric == "communication_buffers")
    return counted::part;
  return counted::unstated;
}

namespace detail {

/// The account of a run's rank; throws `not_expressible` with the broken rules when the plan is refused.
inline shardplan::stage_account account_of(const run& what) {
  must_be_valid(what.spec);
  shardplan::stage_account account = shardplan::stage_memory(what.spec, what.stage);
  if (what.whole_tensors) {
    const shardplan::whole_tensor_states states =
        shardplan::whole_tensor_states_of(what.spec, what.stage, what.dense_rank, what.expert_rank);
    account.device.master.count = states.master;
    account.device.optimizer.count = states.optimizer;
  }
  return account;
}

inline double ours_of(const run& what, counted metric) {
  const shardplan::stage_account account = account_of(what);
  switch (metric) {
    case counted::states: return static_cast<double>(account.device.states().count);
    case counted::peak:
    case counted::reserved:
    case counted::unstated: return static_cast<double>(account.device.allocated().count);
    case counted::device: return static_cast<double>(account.device.total().count);
    case counted::host: break;
    case counted::part: break;
  }
  throw not_expressible{"a part of a peak"};
}

/// Bytes of the value of a row; throws when it is no figure of bytes.
inline double bytes_of(const row& item) {
  const std::int64_t unit = bytes_of_unit(item.unit);
  if (unit == 0) throw not_expressible{"unit " + item.unit};
  try {
    return std::round(std::stod(item.value) * static_cast<double>(unit));
  } catch (const std::exception&) {
    throw not_expressible{"value " + item.value};
  }
}

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

/// Paper tables; false when the row is none that is known.
inline bool judge_paper(const row& item, judgement& result) {
  comparison line{.id = item.id, .group = item.source.substr(0, item.source.find(" (numeric")) + ", " + item.metric};
  const config_reader config{item.config};
  try {
    if (item.metric == "activation_in_flight") {
      judge_schedule(item, config, line);
      result.add(line);
      return true;
    }
    line.theirs = bytes_of_unit(item.unit) != 0 && item.metric != "bytes_per_param" ? bytes_of(item) : std::stod(item.value);
    if (item.metric == "bytes_per_param") {
      line.group = "bytes a parameter";
      judge_bytes_per_parameter(item, config, line);
    } else if (item.metric == "optimizer_states") {
      judge_optimizer_states(item, config, line);
    } else if (item.metric == "activation_relative_to_1F1B") {
      judge_schedule(item, config, line);
    } else if (starts_with(item.source, "ZeRO paper")) {
      judge_zero_paper(item, config, line);
    } else if (starts_with(item.source, "Korthikanti")) {
      judge_korthikanti(item, config, line);
    } else if (item.metric == "model_states_total") {
      judge_total_states(item, config, line);
    } else {
      return false;
    }
  } catch (const not_expressible& why) {
    line.reason = why.what();
  } catch (const std::invalid_argument&) {
    return false;
  }
  result.add(line);
  return true;
}

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

/// A plan's figure of that metric; of a first step without the state that the optimizer has not made yet.
/// `with_slack`: of a reserved figure, what the allocator is expected to hold; else the tensors alone, which must not be more.
inline double ours_of_framework(const framework_run& what, counted metric, bool with_slack) {
  double largest = 0;
  for (std::int64_t stage = what.worst_stage ? 0 : what.stage; stage < what.spec.pp; ++stage) {
    run here{what.spec, stage};
    double ours = with_slack ? static_cast<double>(account_of(here).device.reserved().count) : ours_of(here, metric);
    if (what.first_step && metric != counted::host) ours -= static_cast<double>(account_of(here).device.optimizer.count);
    largest = ours > largest ? ours : largest;
    if (!what.worst_stage) break;
  }
  return largest;
}

inline void judge_llm_c(const row& item, judgement& result) {
  comparison line{.id = item.id, .group = "karpathy/llm.c, "};
  const config_reader config{item.config};
  try {
    line.theirs = bytes_of(item);
    const run what = llm_c_run(config, item.source);
    const bool is_buffer = item.metric == "buffer" || item.metric == "activation_buffer";
    line.group += is_buffer ? "buffers" : item.metric;
    const std::string name = config.text("buffer", "acts");
    config.without_effect({"framework", "gpu"});
    config.all_read();
    must_be_valid(what.spec);
    line.ours = static_cast<double>(is_buffer ? llm_c_buffer(what.spec, name) : llm_c_total(what.spec));
    if (is_buffer) line.how = strength::exact;
    // Printed in whole units, cut off.
    const double unit = static_cast<double>(bytes_of_unit(item.unit));
    if (is_buffer)
      line.good = contains(item.unit, "truncated") ? std::floor(line.ours / unit) * unit == line.theirs : line.ours == line.theirs;
  } catch (const not_expressible& why) {
    line.reason = why.what();
  }
  result.add(line);
}

inline void judge_operator(const row& item, judgement& result) {
  comparison line{.id = item.id, .group = "operator benchmarks, head and loss"};
  const config_reader config{item.config};
  try {
    line.theirs = bytes_of(item);
    // SkyRL prints GB and means GiB.
    if (contains(item.source, "SkyRL") && starts_with(item.unit, "GB as printed")) line.theirs *= 1.073741824;
    line.ours = static_cast<double>(loss_benchmark(config));
    config.all_read();
    // A chunk of a size that the user chose: what each kernel keeps of it comes from one source.
    if (counted_by(item.metric) == counted::peak && !starts_with(config.text("provider"), "chunk ")) line.how = strength::bound;
    line.good = line.how == strength::print || std::abs(line.percent()) <= 3;
  } catch (const not_expressible& why) {
    line.group = "operator benchmarks, others";
    line.reason = why.what();
  }
  result.add(line);
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

/// Memory of the host: what one rank loads, or what a node holds while it trains or loads.
inline double host_of(const shardplan::plan_spec& spec, const config_reader& config, const std::string& metric) {
  must_be_valid(spec);
  const shardplan::host_report host = shardplan::host_memory_of(spec);
  const double ranks = static_cast<double>(spec.devices_per_node);
  const double loading = static_cast<double>(host.loading.count);
  const double training = static_cast<double>(host.total().count);
  if (config.text("phase") == "loading") return contains(metric, "per_rank") ? loading / ranks : loading;
  if (contains(metric, "per_rank")) return training / ranks;
  return metric == "host_rss_peak" && loading > training ? loading : training;
}

inline void judge_framework(const row& item, judgement& result) {
  comparison line{.id = item.id, .group = item.source.substr(0, item.source.find(" @")) + ", " + item.metric};
  const config_reader config{item.config};
  try {
    line.theirs = bytes_of(item);
    const counted metric = counted_by(item.metric);
    if (metric == counted::unstated || metric == counted::device) line.note = "counter not comparable";
    const std::string technique = config.text("technique");
    const bool plain = technique.empty() ? !config.flag("compile") && !config.has("float8") : technique == "FSDP";
    const bool benchmarks = contains(item.source, "torchtitan benchmarks/");
    if (benchmarks) {
      line.group = std::string{"torchtitan benchmarks, reserved, "} + (plain ? "plain FSDP" : "compiled or float8");
      if (plain) line.how = strength::bound;
    }
    if (config.has("numel")) {
      // One sharded fp32 tensor that is its own master copy, with its gradient.
      config.without_effect({"note"});
      config.all_read();
      const shardplan::precision_spec& bytes = shardplan::precisions::torchtitan::spec;
      line.ours = static_cast<double>(config.number("numel") * (bytes.weight + bytes.gradient));
      line.how = strength::exact;
      line.good = line.difference() == 0;
      result.add(line);
      return;
    }
    const framework_run what = common_run(config, item.source, metric == counted::states || metric == counted::host);
    config.all_read();
    const bool sharded = what.spec.sharding.is_fsdp() || what.spec.zero == 3;
    if (sharded && metric == counted::peak && !config.has("backend")) {
      line.group = "FSDP and ZeRO-3, peak allocated";
      line.how = strength::bound;
    } else if (sharded && metric == counted::reserved && !benchmarks) {
      line.group = std::string{"FSDP and ZeRO-3, reserved, "} + (plain ? "plain" : "compiled");
      if (plain) line.how = strength::bound;
    }
    line.ours = metric == counted::host ? host_of(what.spec, config, item.metric)
                                        : ours_of_framework(what, metric, benchmarks && metric == counted::reserved);
  } catch (const not_expressible& why) {
    line.reason = why.what();
  }
  result.add(line);
}

/// Rows without a rule of their own are shown, never hidden.
inline void refuse(const row& item, judgement& result, const char* why) {
  comparison line{.id = item.id, .group = item.source + ", " + item.metric, .reason = why};
  try {
    line.theirs = bytes_of(item);
  } catch (const std::exception&) {
    line.theirs = 0;
  }
  result.add(line);
}

/// The rule of a row, by its source.
inline void judge_row(const row& item, judgement& result) {
  const config_reader config{item.config};
  if (contains(item.source, "tests/functional_tests")) {
    judge_functional_test(item, result);
  } else if (contains(item.source, "docs/b200")) {
    judge_b200(item, result);
  } else if (judge_paper(item, result)) {
    return;
  } else if (config.has("operator")) {
    judge_operator(item, result);
  } else if (framework_of(config, item.source) == framework::llm_c) {
    judge_llm_c(item, result);
  } else {
    judge_framework(item, result);
  }
}

}  // namespace detail

/// Judges all rows of a file like memory.jsonl.
inline judgement judge_memory(const std::vector<row>& rows) {
  judgement result;
  for (const row& item : rows) {
    // A row that cannot be read at all is shown too.
    try {
      detail::judge_row(item, result);
    } catch (const std::exception& why) {
      detail::refuse(item, result, why.what());
    }
  }
  detail::judge_bucket_differences(rows, result);
  detail::judge_cast_differences(rows, result);
  result.set_bound("FP8 weight copies, differences of rows", {.words = "each 1 %", .each_percent = 1});
  constexpr double mebibyte = 1048576;
  result.set_bound("DeepSpeed, gradient buckets, differences of rows", {.words = "each 1 %", .each_percent = 1});
  result.set_bound("torchtitan benchmarks, reserved, plain FSDP", {.words = "each 8 %", .each_percent = 8});
  result.set_bound("FSDP and ZeRO-3, peak allocated", {.words = "each 12 %", .each_percent = 12});
  result.set_bound("FSDP and ZeRO-3, reserved, plain", {.words = "never above", .never_above = true});
  result.set_bound("operator benchmarks, head and loss", {.words = "allocated figures within 3 %"});
  result.set_bound("Megatron-LM functional tests, allocated", {.words = "never above; 90 % within 150 MiB; under 10 % not expressible",
                                                               .never_above = true,
                                                               .ninety_below = 150 * mebibyte,
                                                               .most_refused_percent = 10});
  result.set_bound("Megatron-LM functional tests, peak, dense",
                   {.words = "median 1 %, 90 % within 5 %", .median_percent = 1, .ninety_percent = 5});
  result.set_bound("Megatron-LM functional tests, peak, full recompute", {.words = "each 2 %", .each_percent = 2});
  result.set_bound("Megatron-LM functional tests, peak, routed experts",
                   {.words = "median 3 %, 90 % within 10 %", .median_percent = 3, .ninety_percent = 10});
  result.set_bound("Megatron-LM on B200 (SimuMax), peak, dense", {.words = "each 0.5 %", .each_percent = 0.5});
  result.set_bound("Megatron-LM on B200 (SimuMax), peak, routed experts", {.words = "each 5 %", .each_percent = 5});
  return result;
}

}  // namespace truth
