// SPDX-License-Identifier: BSL-1.0
// States of Megatron-LM's functional tests: exact against reference_static of memory.jsonl, a bound against what torch measured
// (section 1.1 of the truth README). One general rule maps a run's arguments to a plan; absent arguments have Megatron's defaults.
#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

std::vector<truth::json> functional_test_rows() {
  std::vector<truth::json> rows = truth::rows_with("memory.jsonl", "tests/functional_tests");
  rows.erase(
      std::remove_if(rows.begin(), rows.end(), [](const truth::json& row) { return row.get<std::string>("id").rfind("m2_", 0) == 0; }),
      rows.end());
  return rows;
}

// Arguments that do not change a state. (fp8_param_gather keeps a row-wise and a column-wise copy of one byte each: two bytes as bf16.)
const std::set<std::string> without_effect = {
    "transformer_impl",
    "world_size_note",
    "gpu",
    "rank",
    "overlap_grad_reduce",
    "attention_backend",
    "attention_dropout",
    "hidden_dropout",
    "cross_entropy_loss_fusion",
    "recompute_granularity",
    "recompute_method",
    "recompute_num_layers",
    "moe_grouped_gemm",
    "tokenizer_model",
    "no_create_attention_mask_in_dataloader",
    "bf16",
    "fp16",
    "fp8_format",
    "fp8_recipe",
    "fp8_param_gather",
};
const std::set<std::string> understood = {
    "num_layers",
    "hidden_size",
    "num_attention_heads",
    "group_query_attention",
    "num_query_groups",
    "ffn_hidden_size",
    "swiglu",
    "squared_relu",
    "normalization",
    "disable_bias_linear",
    "untie_embeddings_and_output_weights",
    "position_embedding_type",
    "max_position_embeddings",
    "seq_length",
    "micro_batch_size",
    "global_batch_size",
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "context_parallel_size",
    "sequence_parallel",
    "expert_model_parallel_size",
    "expert_tensor_parallel_size",
    "num_layers_per_virtual_pipeline_stage",
    "decoder_first_pipeline_num_layers",
    "decoder_last_pipeline_num_layers",
    "use_distributed_optimizer",
    "num_experts",
    "qk_layernorm",
    "moe_router_topk",
    "moe_ffn_hidden_size",
    "vocab_size",
    "vocab_used",
    "make_vocab_size_divisible_by",
    "world_size",
    "optimizer",
};

// The first argument that no field of a plan holds; empty when there is none.
std::string not_expressible(const truth::json& config) {
  for (const auto& [key, value] : config)
    if (without_effect.count(key) == 0 && understood.count(key) == 0) return key;
  if (config.count("num_experts") != 0 && config.count("disable_bias_linear") == 0) return "experts with biases";
  if (truth::is_null(config, "world_size")) return "world_size null";
  return "";
}

std::int64_t one_in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }

shardplan::plan_spec spec_of(const truth::json& config) {
  const auto number = [&](const char* key, std::int64_t absent) { return config.get<std::int64_t>(key, absent); };
  const auto needed = [&](const char* key) { return config.get<std::int64_t>(key); };
  const auto flag = [&](const char* key) { return config.get<bool>(key, false); };

  shardplan::plan_spec spec{};
  shardplan::transformer& shape = spec.model;
  const bool biases = !flag("disable_bias_linear");
  shape.layers = needed("num_layers");
  shape.hidden = needed("hidden_size");
  shape.heads = needed("num_attention_heads");
  shape.kv_heads = flag("group_query_attention") ? needed("num_query_groups") : 0;
  shape.mlp = flag("swiglu") ? shardplan::mlp::gated : shardplan::mlp::plain;
  // megatron/training/arguments.py: 4h, and with SwiGLU two thirds of it, down to a multiple of 64.
  shape.ffn = number("ffn_hidden_size", flag("swiglu") ? 8 * shape.hidden / 3 / 64 * 64 : 4 * shape.hidden);
  shape.vocab = number("vocab_size", number("vocab_used", 50257));
  shape.positions = config.get<std::string>("position_embedding_type", "") == "rope" ? 0 : needed("max_position_embeddings");
  shape.norm = config.get<std::string>("normalization", "") == "RMSNorm" ? shardplan::norm::rms : shardplan::norm::layer;
  if (flag("qk_layernorm")) shape.qk_norm = shardplan::qk_norm::head;
  shape.qkv_bias = shape.attention_output_bias = shape.mlp_bias = biases;
  shape.tied_embeddings = !flag("untie_embeddings_and_output_weights");
  shape.experts.count = number("num_experts", 0);
  shape.experts.top_k = number("moe_router_topk", 0);
  shape.experts.ffn = number("moe_ffn_hidden_size", 0);

  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 8;
  spec.nodes = needed("world_size") / 8;
  spec.tp = number("tensor_model_parallel_size", 1);
  spec.pp = number("pipeline_model_parallel_size", 1);
  spec.cp = number("context_parallel_size", 1);
  spec.ep = number("expert_model_parallel_size", 1);
  if (spec.model.experts.count > 0) spec.etp = number("expert_tensor_parallel_size", spec.tp);  // says nothing of a dense model
  spec.sequence_parallel = flag("sequence_parallel") ? shardplan::toggle::on : shardplan::toggle::off;
  spec.dp = needed("world_size") / (spec.tp * spec.pp * spec.cp);
  spec.sequence = needed("seq_length");
  spec.micro_batch = needed("micro_batch_size");
  spec.global_batch = number("global_batch_size", spec.micro_batch * spec.dp);
  spec.vocabulary_multiple = number("make_vocab_size_divisible_by", 128) * spec.tp;
  spec.zero = flag("use_distributed_optimizer") ? 1 : 0;
  spec.precision = shardplan::precisions::bf16_fp32_master_and_gradients::spec;
  if (config.get<std::string>("optimizer", "adam") == "muon") spec.optimizer = shardplan::optimizers::muon::spec;
  spec.headroom_mebibytes = 0;

  if (const std::int64_t layers_of_chunk = number("num_layers_per_virtual_pipeline_stage", 0); layers_of_chunk != 0)
    spec.schedule = {.name = "interleaved", .chunks = shape.layers / spec.pp / layers_of_chunk, .in_flight = &one_in_flight};
  if (const std::int64_t first = number("decoder_first_pipeline_num_layers", 0); first != 0) {
    const std::int64_t last = needed("decoder_last_pipeline_num_layers");
    for (std::int64_t stage = 0; stage < spec.pp; ++stage)
      spec.layer_split.push_back(stage == 0 ? first : stage == spec.pp - 1 ? last : (shape.layers - first - last) / (spec.pp - 2));
  }
  return spec;
}

constexpr std::int64_t mebibytes_150 = 150 * (std::int64_t{1} << 20);

}  // namespace

TEST_CASE("states of Megatron-LM's functional tests") {
  int with_reference = 0;
  int expressible = 0;
  int inside = 0;
  int unreferenced = 0;
  int peaks = 0;
  std::map<std::string, int> reasons;
  std::vector<std::int64_t> gaps;
  for (const truth::json& row : functional_test_rows()) {
    const std::string id = row.get<std::string>("id");
    INFO(id);
    const truth::json& config = row.get_child("config");
    const bool peak = row.get<std::string>("metric") == "torch_max_memory_allocated";
    const auto found = row.find("reference_static");
    const bool has_reference = found != row.not_found();
    with_reference += has_reference ? 1 : 0;
    if (const std::string why = not_expressible(config); !why.empty()) {
      if (has_reference) ++reasons[why];
      continue;
    }
    const shardplan::plan_spec spec = spec_of(config);
    REQUIRE(shardplan::violations_in(spec).empty());
    const shardplan::memory_report report = shardplan::stage_memory(spec, spec.pp - 1).device;
    const std::int64_t ours = report.states().count;
    const std::int64_t measured = row.get<std::int64_t>("value");
    if (peak) {
      CHECK(ours <= measured);
      ++peaks;
      continue;
    }
    if (!has_reference) {
      // Muon under the distributed optimizer keeps whole matrices at one owner.
      std::cout << "no reference: states " << ours << ", measured " << measured << "  " << id << '\n';
      ++unreferenced;
      continue;
    }
    ++expressible;
    const truth::json& reference = found->second;
    const auto wanted = [&](const char* key) { return reference.get<std::int64_t>(key); };
    CHECK(report.weights.count == 2 * wanted("params_on_rank"));
    CHECK(report.gradients.count == 4 * wanted("params_on_rank"));
    CHECK(ours == wanted("bytes"));
    CHECK(report.optimizer == 2 * report.master);
    const shardplan::derived facts = shardplan::derive(spec);
    CHECK(facts.vocabulary == wanted("padded_vocab"));
    CHECK(facts.grid.dense_shards() == wanted("dp_cp"));
    if (wanted("edp") != 0) CHECK(facts.grid.expert_shards() == wanted("edp"));
    // The experts of a rank are as wide together as one dense network is after tensor parallelism; only the router comes to it.
    const std::int64_t routed = wanted("expert_params_on_rank");
    if (routed != 0) {
      shardplan::plan_spec dense = spec;
      dense.model.experts = {};
      dense.model.ffn = spec.model.expert_width() * spec.model.experts.count / spec.ep * spec.tp / spec.etp;
      const std::int64_t router = spec.model.hidden * spec.model.experts.count * (spec.model.layers / spec.pp);
      CHECK(report.weights.count - shardplan::stage_memory(dense, spec.pp - 1).device.weights.count == 2 * router);
      CHECK(routed % (spec.model.layers / spec.pp) == 0);
    }

    CHECK(ours <= measured);
    inside += measured - ours <= mebibytes_150 ? 1 : 0;
    gaps.push_back(measured - ours);
  }
  if (with_reference == 0) return;
  CHECK(with_reference == 171);
  int refused = 0;
  for (const auto& [why, count] : reasons) {
    std::cout << "Megatron-LM: not expressible: " << why << ", " << count << " rows\n";
    refused += count;
  }
  CHECK(expressible + refused == 171);
  CHECK(refused <= 3);
  CHECK(peaks >= 168);
  // 155 of 171 rows are within 150 MiB; the rest have masks of the data loader or scratch of grouped matrix products.
  CHECK(expressible - inside <= 171 - 155);
  std::sort(gaps.begin(), gaps.end());
  std::cout << "Megatron-LM: " << expressible << " of 171 rows exact, " << inside
            << " within 150 MiB of the measured bytes; gap in MiB: least " << (gaps.front() >> 20) << ", median "
            << (gaps[gaps.size() / 2] >> 20) << ", most " << (gaps.back() >> 20) << "; " << peaks << " peaks above the states; "
            << unreferenced << " rows without a reference\n";
}
