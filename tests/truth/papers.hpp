// SPDX-License-Identifier: BSL-1.0
// Tables that papers print, computed by the library (section 1.5 of the truth README).
#pragma once

#include "common_keys.hpp"
#include "frameworks.hpp"
#include "judgement.hpp"
#include "megatron.hpp"
#include "row.hpp"

#include <shardplan/model/catalog/llama.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

namespace truth {

/// A run on `replicas` devices that hold any number of bytes.
inline shardplan::plan_spec run_of(const shardplan::transformer& shape, std::int64_t replicas) {
  shardplan::plan_spec spec{};
  spec.model = shape;
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = replicas;
  spec.sequence = 32;  // MXFP8 kernels take no fewer
  spec.micro_batch = 1;
  spec.global_batch = replicas;
  spec.headroom_mebibytes = 0;
  return spec;
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

/// A run of Korthikanti et al. with the kernel set of their count; figures are of the blocks of the first stage.
struct korthikanti {
  shardplan::plan_spec spec{};
  std::int64_t beside_blocks = 0;

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
    if (chunks > 1) spec.schedule = interleaved_schedule(chunks);
    must_be_valid(spec);
    const std::int64_t alive = spec.schedule.in_flight(spec.pp, spec.global_batch / spec.micro_batch, chunks, 0);
    // The figures count blocks only; the first stage also keeps the mask of the dropout after the embedding.
    const std::int64_t mask = spec.model.hidden * spec.sequence * spec.micro_batch / (sequence_parallel ? spec.tp : 1);
    beside_blocks = (mask * alive + chunks - 1) / chunks;
    spec.kernels = shardplan::kernel_sets::korthikanti::spec;
  }

  std::int64_t kept_by_blocks(shardplan::recomputes what) const {
    shardplan::plan_spec changed = spec;
    changed.recompute = what;
    return shardplan::stage_memory(changed, 0).device.activations.count - beside_blocks;
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
    line.ours = static_cast<double>(korthikanti{config, false}.kept_by_blocks(shardplan::recomputes::none));
  } else if (item.metric == "activation_first_stage_SP_plus_selective") {
    line.ours = static_cast<double>(korthikanti{config, true}.kept_by_blocks(shardplan::recomputes::core_attn));
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
    const std::int64_t baseline = korthikanti{config, false}.kept_by_blocks(shardplan::recomputes::none);
    const shardplan::recomputes what = mode == "full"  ? shardplan::recomputes::full
                                       : mode != "seq" ? shardplan::recomputes::core_attn
                                                       : shardplan::recomputes::none;
    const std::int64_t ours = korthikanti{config, mode == "seq" || mode == "seqsel"}.kept_by_blocks(what);
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

/// Optimizer states of one model in fp32. A printed figure is met to 0.02 GB: papers leave small tensors out.
inline void judge_optimizer_states(const row&, const config_reader& config, comparison& line) {
  const catalog_entry* known = named_model(config.text("model"));
  if (known == nullptr) throw not_expressible{"the shape is not stated: " + config.text("model")};
  shardplan::plan_spec spec = run_of(known->shape, 1);
  spec.precision = shardplan::precisions::fp32::spec;
  spec.optimizer = named_optimizer(config.text("optimizer"));
  if (config.has("params") && config.number("params") != shardplan::parameter_count_of(spec.model))
    throw not_expressible{"another parameter count than that model's"};
  config.all_read();
  must_be_valid(spec);
  line.how = strength::bound;
  line.ours = static_cast<double>(shardplan::stage_memory(spec, 0).device.optimizer.count);
  line.good = std::abs(line.difference()) <= 20'000'000;
}

/// The last number of a text such as "fp16 2", the first of "2 or 4"; -1 when there is none.
inline double number_in(const std::string& text) {
  std::vector<double> found;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = std::isdigit(static_cast<unsigned char>(text[at])) != 0 &&
                        (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '.'));
    if (!begins) {
      ++at;
      continue;
    }
    std::size_t used = 0;
    found.push_back(std::stod(text.substr(at), &used));
    at += used;
  }
  if (found.empty()) return -1;
  return contains(text, " or ") ? found.front() : found.back();
}

/// Bytes of a number of a type that a text names.
inline std::int64_t bytes_of_word(const std::string& word) {
  if (contains(word, "fp32")) return 4;
  if (contains(word, "fp16") || contains(word, "bf16")) return 2;
  if (contains(word, "fp8") || contains(word, "int8")) return 1;
  return 0;
}

/// "n*(a+4/b)" or "a+4/b": n moments of a bytes and an fp32 scale for b numbers. False when it is no such formula.
inline bool read_block_formula(const std::string& text, std::int64_t& moments, std::int64_t& bits, std::int64_t& block) {
  double count = 1;
  double bytes = 0;
  double scale = 0;
  double size = 0;
  int used = 0;
  const bool times = std::sscanf(text.c_str(), "%lf*(%lf+%lf/%lf)%n", &count, &bytes, &scale, &size, &used) == 4;
  if (!times) {
    count = 1;
    if (std::sscanf(text.c_str(), "%lf+%lf/%lf%n", &bytes, &scale, &size, &used) != 3) return false;
  }
  if (used != static_cast<int>(text.size()) || scale != 4 || size < 1) return false;
  moments = static_cast<std::int64_t>(count);
  bits = static_cast<std::int64_t>(8 * bytes);
  block = static_cast<std::int64_t>(size);
  return true;
}

/// Bytes a parameter of the parts that a row names, as the library counts them: what further matrices of a block add.
inline void judge_bytes_per_parameter(const row& item, const config_reader& config, comparison& line) {
  enum class of { total, state, weight } what = of::state;
  shardplan::precision_spec bytes = shardplan::precisions::fp32::spec;
  shardplan::optimizer_spec optimizer = shardplan::optimizers::sgd::spec;
  bool layers_differ = true;
  const auto part = [&](std::initializer_list<const char*> keys, std::int64_t& field) {
    for (const char* key : keys) {
      if (!config.has(key)) continue;
      const std::string text = config.text(key);
      const double number = number_in(text);
      if (number < 0 || number != std::floor(number)) throw not_expressible{std::string{key} + " " + text};
      field = static_cast<std::int64_t>(number);
    }
  };
  if (config.has("params") || config.has("weight")) {
    what = of::total;
    bytes.gradient = bytes.moment = 0;
    part({"params", "weight"}, bytes.weight);
    if (contains(config.text("grads"), "largest tensor only")) {
      optimizer = shardplan::optimizers::lomo::spec;
      bytes.gradient = bytes.weight;
    } else {
      part({"grads", "grad", "main_grads"}, bytes.gradient);
    }
    part({"grad_acc"}, bytes.accumulator);
    part({"master", "master_remainder"}, bytes.master);
    if (config.has("m")) ++optimizer.moments;
    if (config.has("v")) ++optimizer.moments;
    part({"m"}, bytes.moment);
    part({"v"}, bytes.second_moment);
    if (config.has("states")) {
      // "fp8+fp16 3": a moment of each type, the sum behind them.
      const std::string text = config.text("states");
      const std::size_t plus = text.find('+');
      if (plus == std::string::npos) throw not_expressible{"states " + text};
      bytes.moment = bytes_of_word(text.substr(0, plus));
      bytes.second_moment = bytes_of_word(text.substr(plus));
      optimizer.moments = 2;
    }
    if (config.has("state") && config.number("state") != 0) throw not_expressible{"a state that is not divided into moments"};
    config.without_effect({"sharded"});
  } else if (config.has("state")) {
    const std::string text = config.text("state");
    layers_differ = false;
    std::int64_t block = 0;
    double buffers = 0;
    if (read_block_formula(text, optimizer.moments, optimizer.bits, block)) {
      optimizer.block = block;
      optimizer.moment = 4;
    } else if (std::sscanf(text.c_str(), "%lf fp32 buffers", &buffers) == 1 && contains(text, "fp32 buffers")) {
      optimizer.moments = static_cast<std::int64_t>(buffers);
    } else if (contains(text, "momentum only on 2-D hidden matrices")) {
      optimizer = shardplan::optimizers::muon::spec;
    } else {
      const std::int64_t number = config.number("state");
      if (number % bytes.moment != 0) throw not_expressible{"a state of no whole fp32 moments"};
      optimizer.moments = number / bytes.moment;
    }
  } else if (contains(item.source, "mxfp8") && contains(config.text("note"), "per 32 elements")) {
    what = of::weight;
    layers_differ = false;
    bytes = shardplan::precisions::mxfp8_weights::spec;
    optimizer = shardplan::optimizers::adam::spec;
  } else if (const std::string note = config.text("note"); note.find('(') != std::string::npos && note.rfind(')') != std::string::npos) {
    // "(2 params+2 grads + fp32 grad copy+master+m+v)"
    what = of::total;
    bytes.weight = bytes.gradient = bytes.moment = 0;
    std::istringstream terms{note.substr(note.find('(') + 1, note.rfind(')') - note.find('(') - 1)};
    for (std::string term; std::getline(terms, term, '+');) {
      const double number = number_in(term);
      const std::int64_t size = number > 0 ? static_cast<std::int64_t>(number) : bytes_of_word(term) != 0 ? bytes_of_word(term) : 4;
      const std::string word = term.substr(term.find_first_not_of(" 0123456789"));
      if (starts_with(word, "params")) {
        bytes.weight = size;
      } else if (starts_with(word, "grads")) {
        bytes.gradient = size;
      } else if (contains(word, "grad copy")) {
        bytes.gradient_copy = size;
      } else if (starts_with(word, "master")) {
        bytes.master = size;
      } else if (word == "m" || word == "v") {
        ++optimizer.moments;
        bytes.moment = size;
      } else {
        throw not_expressible{"a part called " + word};
      }
    }
  } else {
    throw not_expressible{"the parts are not stated"};
  }
  config.without_effect({"note"});
  config.all_read();
  // A total: a second block. A state or a weight alone: wider matrices, so that no vector is among what is added.
  shardplan::plan_spec spec = run_of({.layers = 1, .hidden = 4096, .heads = 32, .ffn = 16384, .vocab = 32000}, 1);
  spec.precision = bytes;
  spec.optimizer = optimizer;
  shardplan::plan_spec more = spec;
  (layers_differ ? more.model.layers : more.model.ffn) *= 2;
  must_be_valid(more);
  const auto counted_in = [&](const shardplan::plan_spec& run) {
    const shardplan::memory_report report = shardplan::stage_memory(run, 0).device;
    return (what == of::state ? report.optimizer : what == of::weight ? report.weights : report.states()).count;
  };
  const std::int64_t parameters = shardplan::parameter_count_of(more.model) - shardplan::parameter_count_of(spec.model);
  line.how = strength::exact;
  line.ours = static_cast<double>(counted_in(more) - counted_in(spec)) / static_cast<double>(parameters);
  line.good = std::abs(line.difference()) < 1e-9;
}

/// Chunks of activations that a schedule holds, in stages of one micro-batch.
inline void judge_schedule(const row& item, const config_reader& config, comparison& line) {
  const std::string name = config.text("schedule");
  config.without_effect({"parameters_per_device"});
  config.all_read();
  const shardplan::schedule_spec schedule = named_schedule(name, 1);
  // At 8 ranks and many micro-batches, on the fullest rank, in chunks. "PP" counts the parts that the model is cut into.
  const bool folded = schedule.layout == shardplan::placement::v_shape;
  const std::int64_t ranks = 8;
  std::int64_t most = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t alive = schedule.in_flight(ranks, 4 * ranks, schedule.chunks, rank);
    most = alive > most ? alive : most;
  }
  line.ours = static_cast<double>(most);
  if (item.metric == "activation_in_flight") {
    int plus = 0;
    if (!starts_with(item.value, "PP")) throw not_expressible{"value " + item.value};
    if (std::sscanf(item.value.c_str(), "PP+%d", &plus) != 1) plus = 0;
    line.theirs = static_cast<double>((folded ? schedule.chunks : 1) * ranks + plus);
    line.note = "at 8 ranks";
  } else {
    line.ours /= static_cast<double>(ranks * (folded ? schedule.chunks : 1));
    line.note = "at 8 ranks; theirs is an asymptote";
  }
}

}  // namespace detail

}  // namespace truth
