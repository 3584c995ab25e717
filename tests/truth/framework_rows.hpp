// SPDX-License-Identifier: BSL-1.0
// Rows of memory.jsonl about other frameworks: llm.c, operator benchmarks, DeepSpeed, torchtitan and whatever says common keys.
#pragma once

#include "common_keys.hpp"
#include "frameworks.hpp"
#include "judged_plan.hpp"
#include "judgement.hpp"
#include "llm_c.hpp"
#include "memory_figures.hpp"
#include "operators.hpp"
#include "rank_run.hpp"
#include "row.hpp"

#include <shardplan/memory/host.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace truth {

namespace detail {

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

}  // namespace detail

}  // namespace truth
