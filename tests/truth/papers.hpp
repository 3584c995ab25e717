// SPDX-License-Identifier: BSL-1.0
// Tables that papers print, computed by the library (section 1.5 of the truth README).
#pragma once

#include "judgement.hpp"
#include "megatron.hpp"
#include "row.hpp"

#include <shardplan/model/catalog/llama.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace truth {

/// A run on `replicas` devices that hold any number of bytes.
inline shardplan::plan_spec run_of(const shardplan::transformer& shape, std::int64_t replicas) {
  shardplan::plan_spec spec{};
  spec.model = shape;
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = replicas;
  spec.sequence = 1;
  spec.micro_batch = 1;
  spec.global_batch = replicas;
  spec.headroom_mebibytes = 0;
  return spec;
}

/// A shape with exactly `parameters` parameters, a multiple of 4,000: the vocabulary takes what eight blocks leave.
inline shardplan::transformer shape_with(std::int64_t parameters) {
  const std::int64_t hidden = 4'000;
  const std::int64_t layers = 8;
  const std::int64_t ffn = 100;
  const std::int64_t of_blocks = layers * (4 * hidden + 2 + 3 * ffn) + 1;
  if (parameters % hidden != 0 || parameters / hidden <= of_blocks) throw not_expressible{"a parameter count that no such shape has"};
  return {.layers = layers, .hidden = hidden, .heads = 32, .ffn = ffn, .vocab = parameters / hidden - of_blocks, .tied_embeddings = true};
}

/// Refuses a run that breaks a rule.
inline void must_be_valid(const shardplan::plan_spec& spec) {
  const shardplan::violation_list broken = shardplan::violations_in(spec);
  if (!broken.empty()) throw not_expressible{std::string{"refused: "} + shardplan::sentence_of(broken).c_str()};
}

inline std::int64_t states_of_device(const shardplan::plan_spec& spec) {
  must_be_valid(spec);
  return shardplan::stage_memory(spec, 0).device.states().count;
}

/// The paper's counting (34, or 10 + 24/t + 5as/(ht)) from ours: two dropout masks of one byte come to it; the fp32 log-sum-exp and the
/// fp32 statistics of the norms are not counted; attention that is not fused keeps 5as of softmax and dropout for each head.
struct korthikanti {
  shardplan::plan_spec spec{};
  std::int64_t blocks_in_flight = 0;

  korthikanti(const config_reader& config, bool sequence_parallel) {
    spec = run_of({.layers = config.number("L"),
                   .hidden = config.number("h"),
                   .heads = config.number("a"),
                   .ffn = 4 * config.number("h"),
                   .vocab = 51200,
                   .mlp = shardplan::mlp::plain,
                   .norm = shardplan::norm::layer},
                  config.number("gpus"));
    spec.tp = config.number("t");
    spec.pp = config.number("p");
    spec.sequence = config.number("s");
    spec.micro_batch = config.number("b");
    spec.global_batch = config.number("gbs");
    spec.sequence_parallel = sequence_parallel ? shardplan::toggle::on : shardplan::toggle::off;
    const std::int64_t chunks = config.number("m");  // interleaved chunks a rank
    if (chunks > 1) spec.schedule = {.name = "interleaved", .chunks = chunks, .in_flight = &interleaved_in_flight};
    must_be_valid(spec);
    const std::int64_t alive = spec.schedule.in_flight(spec.pp, spec.global_batch / spec.micro_batch, chunks, 0);
    blocks_in_flight = alive * (spec.model.layers / (spec.pp * chunks));
  }

  std::int64_t tokens() const { return spec.sequence * spec.micro_batch; }
  std::int64_t ours() const { return shardplan::stage_memory(spec, 0).device.activations.count; }
  std::int64_t counted_as_the_paper(bool fused_attention) const {
    const std::int64_t shards = spec.sequence_parallel == shardplan::toggle::on ? spec.tp : 1;
    const std::int64_t masks = 2 * spec.model.hidden * tokens() / shards;
    const std::int64_t statistics = 2 * 8 * tokens() / shards;
    const std::int64_t log_sum_exp = 4 * spec.model.heads * tokens() / spec.tp;
    const std::int64_t softmax = fused_attention ? 0 : 5 * spec.model.heads * spec.sequence * tokens() / spec.tp;
    return ours() + blocks_in_flight * (masks + softmax - statistics - log_sum_exp);
  }
};

namespace detail {

inline void judge_zero_paper(const row& item, const config_reader& config, comparison& line) {
  line.how = strength::exact;
  const std::int64_t parameters = scaled(config.text("params_billion"), 9);
  shardplan::plan_spec spec = run_of(shape_with(parameters), config.number("dp"));
  spec.zero = config.number("zero_stage");
  if (spec.zero < 0 || spec.zero > 3) throw not_expressible{"zero_stage"};
  // K of the paper: bytes of master and moments.
  if (config.number("K", 12) != 12) throw not_expressible{"K other than 12"};
  config.without_effect({"label", "optimizer"});
  config.all_read();
  line.ours = static_cast<double>(states_of_device(spec));
  // As printed, rounded or cut off.
  line.good = std::abs(line.difference()) < last_digit(item.value) * static_cast<double>(bytes_of_unit(item.unit));
}

inline void judge_korthikanti(const row& item, const config_reader& config, comparison& line) {
  line.how = strength::exact;
  config.without_effect({"model", "formula", "recompute", "sequence_parallel"});
  if (item.metric == "activation_first_stage_TP_baseline") {
    line.ours = static_cast<double>(korthikanti{config, false}.counted_as_the_paper(false));
  } else if (item.metric == "activation_first_stage_SP_plus_selective") {
    line.ours = static_cast<double>(korthikanti{config, true}.counted_as_the_paper(true));
  } else if (item.metric == "param_grad_optimizer_18B_per_param_blocks_only") {
    // 18 bytes a parameter of the matrices of the blocks of one rank: of an inner stage, without its norms.
    shardplan::plan_spec spec = korthikanti{config, true}.spec;
    spec.precision = shardplan::precisions::bf16_fp32_master_and_gradients::spec;
    if (spec.pp < 3) throw not_expressible{"no inner stage"};
    const std::int64_t norms = 4 * spec.model.hidden * (spec.model.layers / spec.pp);
    line.ours = static_cast<double>(shardplan::stage_memory(spec, 1).device.states().count - 18 * norms);
  } else if (item.metric == "activation_percent_of_TP_baseline") {
    const std::string mode = config.text("mode");
    if (mode != "seq" && mode != "sel" && mode != "seqsel" && mode != "full") throw not_expressible{"mode " + mode};
    const std::int64_t baseline = korthikanti{config, false}.counted_as_the_paper(false);
    korthikanti kept{config, mode == "seq" || mode == "seqsel"};
    kept.spec.recompute = mode == "full" ? shardplan::recomputes::full : shardplan::recomputes::none;
    const std::int64_t ours = mode == "full" ? kept.ours() : kept.counted_as_the_paper(mode != "seq");
    line.ours = 100.0 * static_cast<double>(ours) / static_cast<double>(baseline);
    line.how = strength::bound;  // read from the data of a plot: 0.2 points
    config.all_read();
    line.good = std::abs(line.difference()) <= 0.2;
    return;
  } else {
    throw not_expressible{"metric " + item.metric};
  }
  config.all_read();
  line.good = line.difference() == 0;
}

inline void judge_total_states(const row&, const config_reader& config, comparison& line) {
  line.how = strength::exact;
  const std::string billions = config.text("params");
  if (billions.empty() || billions.back() != 'B') throw not_expressible{"params " + billions};
  shardplan::plan_spec spec = run_of(shape_with(scaled(billions.substr(0, billions.size() - 1), 9)), 1);
  const std::int64_t each = config.number("bytes_per_param");
  if (each == 20) {
    spec.precision = shardplan::precisions::bf16_fp32_accumulator::spec;
  } else if (each != 16) {
    throw not_expressible{"bytes_per_param other than 16 or 20"};
  }
  config.without_effect({"precision"});
  config.all_read();
  line.ours = static_cast<double>(states_of_device(spec));
  line.good = line.difference() == 0;
}

}  // namespace detail

}  // namespace truth
