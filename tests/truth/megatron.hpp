// SPDX-License-Identifier: BSL-1.0
// Megatron-LM's arguments (megatron/training/arguments.py) as a plan: underscores for dashes, absent arguments have Megatron's defaults.
#pragma once

#include "row.hpp"

#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace truth {

/// A plan and the pipeline rank that a figure is of.
struct run {
  shardplan::plan_spec spec{};
  std::int64_t stage = 0;
};

/// Chunks that rank `rank` of an interleaved schedule holds alive at once, groups of as many micro-batches as ranks (Megatron-LM
/// core/pipeline_parallel/schedules.py: warm-up forwards and the one that follows).
inline std::int64_t interleaved_in_flight(std::int64_t p, std::int64_t m, std::int64_t v, std::int64_t rank) {
  const std::int64_t alive = p * (v - 1) + 2 * (p - rank) - 1;
  return alive < m * v ? alive : m * v;
}

/// The list that a Python expression such as "([0]*3+[1]*11)" says: terms `[a, b]`, `[a, b]*n` and `n*[a, b]`, sums and parentheses of
/// them.
class list_expression {
public:
  explicit list_expression(const std::string& text) : text_{text} {
    values_ = sum();
    if (at_ != text_.size()) fail();
  }
  const std::vector<std::int64_t>& values() const { return values_; }

private:
  [[noreturn]] void fail() const { throw not_expressible{"not a list expression: " + text_}; }
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  std::int64_t integer() {
    next();
    std::size_t used = at_;
    while (used < text_.size() && std::isdigit(static_cast<unsigned char>(text_[used])) != 0) ++used;
    if (used == at_ || used - at_ > 9) fail();
    const std::int64_t value = std::stoll(text_.substr(at_, used - at_));
    at_ = used;
    next();
    return value;
  }
  std::vector<std::int64_t> sum() {
    std::vector<std::int64_t> all = product();
    while (take('+')) {
      const std::vector<std::int64_t> more = product();
      all.insert(all.end(), more.begin(), more.end());
    }
    next();
    return all;
  }
  std::vector<std::int64_t> product() {
    std::int64_t times = 1;
    while (std::isdigit(static_cast<unsigned char>(next())) != 0) {
      times *= integer();
      if (!take('*')) fail();
    }
    std::vector<std::int64_t> list;
    if (take('(')) {
      list = sum();
      if (!take(')')) fail();
    } else if (take('[')) {
      if (!take(']')) {
        do list.push_back(integer());
        while (take(','));
        if (!take(']')) fail();
      }
    } else {
      fail();
    }
    while (take('*')) times *= integer();
    if (times * static_cast<std::int64_t>(list.size()) > 100'000) fail();
    std::vector<std::int64_t> all;
    for (std::int64_t turn = 0; turn < times; ++turn) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> values_;
};

/// `pipeline_model_parallel_layout`: E embedding, t layer, m next-token layer, L loss, `|` ends a chunk, `*n` repeats what stands before
/// it, a letter or (..). One entry a chunk, in stage order.
class pipeline_layout {
public:
  struct chunk {
    std::int64_t layers = 0;
    std::int64_t next_token_layers = 0;
    bool embedding = false;
    bool loss = false;
  };
  explicit pipeline_layout(const std::string& text) : text_{text} {
    const std::string flat = expanded(0);
    if (at_ != text_.size()) fail();
    chunks_.push_back({});
    for (const char letter : flat) {
      chunk& last = chunks_.back();
      if (letter == '|') {
        chunks_.push_back({});
      } else if (letter == 'E') {
        last.embedding = true;
      } else if (letter == 't') {
        ++last.layers;
      } else if (letter == 'm') {
        ++last.next_token_layers;
      } else if (letter == 'L') {
        last.loss = true;
      } else {
        fail();
      }
    }
  }
  const std::vector<chunk>& chunks() const { return chunks_; }

private:
  [[noreturn]] void fail() const { throw not_expressible{"not a pipeline layout: " + text_}; }
  std::string expanded(int depth) {
    if (depth > 8) fail();
    std::string all;
    while (at_ < text_.size() && text_[at_] != ')') {
      std::string unit;
      if (text_[at_] == '(') {
        ++at_;
        unit = expanded(depth + 1);
        if (at_ == text_.size()) fail();
        ++at_;
      } else if (text_[at_] == ',' || text_[at_] == ' ') {
        ++at_;
        continue;
      } else {
        unit = text_[at_++];
      }
      if (at_ < text_.size() && text_[at_] == '*') {
        ++at_;
        std::size_t used = at_;
        while (used < text_.size() && std::isdigit(static_cast<unsigned char>(text_[used])) != 0) ++used;
        if (used == at_ || used - at_ > 4) fail();
        const int times = std::stoi(text_.substr(at_, used - at_));
        at_ = used;
        std::string repeated;
        for (int turn = 0; turn < times; ++turn) repeated += unit;
        unit = repeated;
      }
      all += unit;
      if (all.size() > 100'000) fail();
    }
    return all;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<chunk> chunks_;
};

namespace detail {

inline void read_megatron_shape(const config_reader& config, shardplan::plan_spec& spec) {
  shardplan::transformer& shape = spec.model;
  const bool biases = !config.flag("disable_bias_linear");
  const bool gated = config.flag("swiglu");
  shape.layers = config.number("num_layers");
  shape.hidden = config.number("hidden_size");
  shape.heads = config.number("num_attention_heads");
  const bool grouped = config.flag("group_query_attention");
  const std::int64_t groups = config.number("num_query_groups", 1);
  shape.kv_heads = grouped ? groups : 0;
  shape.mlp = gated ? shardplan::mlp::gated : shardplan::mlp::plain;
  // arguments.py: 4h, and with SwiGLU two thirds of it, down to a multiple of 64.
  shape.ffn = config.number("ffn_hidden_size", gated ? 8 * shape.hidden / 3 / 64 * 64 : 4 * shape.hidden);
  // One is read from the tokenizer; GPT-2's is the default of the functional tests.
  const std::int64_t used = config.number("vocab_used", 50257);
  shape.vocab = config.number("vocab_size", used);
  const std::string position = config.text("position_embedding_type", "learned_absolute");
  const std::int64_t rows = config.number("max_position_embeddings", config.number("seq_length"));
  if (position != "rope" && position != "learned_absolute" && position != "none" && position != "yarn" && position != "mrope")
    throw not_expressible{"position_embedding_type " + position};
  shape.positions = position == "learned_absolute" ? rows : 0;
  const std::string normalization = config.text("normalization", "LayerNorm");
  if (normalization != "RMSNorm" && normalization != "LayerNorm") throw not_expressible{"normalization " + normalization};
  shape.norm = normalization == "RMSNorm" ? shardplan::norm::rms : shardplan::norm::layer;
  shape.qkv_bias = biases || config.flag("add_qkv_bias");
  shape.attention_output_bias = shape.mlp_bias = biases;
  shape.tied_embeddings = !config.flag("untie_embeddings_and_output_weights");

  const bool normed = config.flag("qk_layernorm");
  if (config.flag("multi_latent_attention")) {
    // A fused norm stands before each second projection only with qk_layernorm.
    if (!normed) throw not_expressible{"latent attention without norms of the latent vectors"};
    shape.latent = {.query_rank = config.number("q_lora_rank", 0),
                    .key_value_rank = config.number("kv_lora_rank", 32),
                    .rope_dim = config.number("qk_pos_emb_head_dim", 64),
                    .nope_dim = config.number("qk_head_dim", 128),
                    .value_dim = config.number("v_head_dim", 128)};
    config.without_effect({"kv_channels"});  // of attention with heads
    shape.kv_heads = 0;
  } else {
    shape.head_dim = config.number("kv_channels", 0);
    if (normed) shape.qk_norm = shardplan::qk_norm::head;
    config.without_effect({"q_lora_rank", "kv_lora_rank", "qk_pos_emb_head_dim", "qk_head_dim", "v_head_dim"});
  }
  shape.next_token_layers = config.number("mtp_num_layers", 0);
}

inline void read_megatron_experts(const config_reader& config, shardplan::plan_spec& spec) {
  shardplan::transformer& shape = spec.model;
  shardplan::experts& routed = shape.experts;
  routed.count = config.number("num_experts", 0);
  // Routing, its balancing and its dispatch: scalars a token, or no bytes.
  config.without_effect({"moe_router_load_balancing_type", "moe_aux_loss_coeff", "moe_z_loss_coeff", "moe_token_dispatcher_type",
                         "moe_router_group_topk", "moe_router_num_groups", "moe_router_topk_scaling_factor", "moe_router_score_function",
                         "moe_router_pre_softmax", "moe_router_bias_update_rate", "moe_router_enable_expert_bias", "moe_grouped_gemm",
                         "moe_permute_fusion", "moe_router_fusion", "moe_router_padding_for_fp8", "moe_per_layer_logging"});
  if (routed.count == 0) {
    config.without_effect({"moe_router_topk", "moe_ffn_hidden_size", "moe_shared_expert_intermediate_size", "moe_layer_freq",
                           "expert_model_parallel_size", "expert_tensor_parallel_size"});
    return;
  }
  routed.top_k = config.number("moe_router_topk", 2);
  routed.ffn = config.number("moe_ffn_hidden_size", 0);
  routed.shared_ffn = config.number("moe_shared_expert_intermediate_size", 0);
  routed.shared_gate = config.flag("moe_shared_expert_gate");
  routed.bias = !config.flag("disable_bias_linear");
  if (!config.has("moe_layer_freq")) return;
  const std::string frequency = config.text("moe_layer_freq");
  if (frequency.find('[') == std::string::npos) {
    routed.layer_step = config.number("moe_layer_freq");  // layer i routes when the step divides i
    return;
  }
  const std::vector<std::int64_t> pattern = list_expression{frequency}.values();
  if (static_cast<std::int64_t>(pattern.size()) != shape.layers) throw not_expressible{"moe_layer_freq of another number of layers"};
  while (routed.leading_dense < shape.layers && pattern[static_cast<std::size_t>(routed.leading_dense)] == 0) ++routed.leading_dense;
  std::int64_t step = 1;
  while (routed.leading_dense + step < shape.layers && pattern[static_cast<std::size_t>(routed.leading_dense + step)] == 0) ++step;
  routed.layer_step = step == 1 ? 0 : step;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer)
    if ((pattern[static_cast<std::size_t>(layer)] != 0) != (shape.dense_layers_in(layer, 1) == 0))
      throw not_expressible{"routed layers that do not come at even steps"};
}

inline void read_megatron_layout(const config_reader& config, shardplan::plan_spec& spec) {
  const shardplan::transformer& shape = spec.model;
  const std::int64_t world = config.number("world_size");
  spec.tp = config.number("tensor_model_parallel_size", 1);
  spec.pp = config.number("pipeline_model_parallel_size", 1);
  spec.cp = config.number("context_parallel_size", 1);
  if (shape.experts.count > 0) {
    spec.ep = config.number("expert_model_parallel_size", 1);
    spec.etp = config.number("expert_tensor_parallel_size", spec.tp);
  }
  if (spec.tp < 1 || spec.pp < 1 || spec.cp < 1 || world % (spec.tp * spec.pp * spec.cp) != 0)
    throw not_expressible{"a world that the degrees do not divide"};
  spec.dp = world / (spec.tp * spec.pp * spec.cp);
  spec.devices_per_node = world % 8 == 0 ? 8 : world;
  spec.nodes = world / spec.devices_per_node;
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.headroom_mebibytes = 0;
  spec.sequence_parallel = config.flag("sequence_parallel") ? shardplan::toggle::on : shardplan::toggle::off;

  // Chunks: layers of one, chunks of a rank, or a layout.
  std::int64_t chunks = config.number("num_virtual_stages_per_pipeline_rank", 1);
  if (const std::int64_t of_chunk = config.number("num_layers_per_virtual_pipeline_stage", 0); of_chunk != 0) {
    if (shape.layers % (spec.pp * of_chunk) != 0) throw not_expressible{"layers that chunks do not divide"};
    chunks = shape.layers / spec.pp / of_chunk;
  }
  const bool embedding_counts = config.flag("account_for_embedding_in_pipeline_split");
  const bool loss_counts = config.flag("account_for_loss_in_pipeline_split");
  const std::int64_t first = config.number("decoder_first_pipeline_num_layers", config.number("num_layers_in_first_pipeline_stage", 0));
  const std::int64_t last = config.number("decoder_last_pipeline_num_layers", config.number("num_layers_in_last_pipeline_stage", 0));
  if (config.has("pipeline_model_parallel_layout")) {
    const std::vector<pipeline_layout::chunk> all = pipeline_layout{config.text("pipeline_model_parallel_layout")}.chunks();
    const std::int64_t stages = static_cast<std::int64_t>(all.size());
    if (stages % spec.pp != 0) throw not_expressible{"a layout of another number of stages"};
    chunks = stages / spec.pp;
    std::int64_t layers = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const bool is_last = at + 1 == all.size();
      if (all[at].embedding != (at == 0) || all[at].loss != is_last) throw not_expressible{"embedding or loss inside the pipeline"};
      if (all[at].next_token_layers != (is_last ? shape.next_token_layers : 0))
        throw not_expressible{"next-token layers before the last stage"};
      spec.layer_split.push_back(all[at].layers);
      layers += all[at].layers;
    }
    if (layers != shape.layers) throw not_expressible{"a layout of another number of layers"};
  } else if (embedding_counts || loss_counts) {
    // The embedding and the loss each take the place of one layer.
    const std::int64_t places = shape.layers + (embedding_counts ? 1 : 0) + (loss_counts ? 1 : 0);
    if (places % (spec.pp * chunks) != 0) throw not_expressible{"layers that stages do not divide"};
    for (std::int64_t stage = 0; stage < spec.pp * chunks; ++stage)
      spec.layer_split.push_back(places / (spec.pp * chunks) - (embedding_counts && stage == 0 ? 1 : 0) -
                                 (loss_counts && stage == spec.pp * chunks - 1 ? 1 : 0));
  } else if (first != 0 || last != 0) {
    if (chunks != 1) throw not_expressible{"an uneven first or last stage with several chunks"};
    const std::int64_t uneven = (first != 0 ? 1 : 0) + (last != 0 ? 1 : 0);
    const std::int64_t rest = shape.layers - first - last;
    if (spec.pp <= uneven ? rest != 0 : rest % (spec.pp - uneven) != 0) throw not_expressible{"layers that stages do not divide"};
    for (std::int64_t stage = 0; stage < spec.pp; ++stage)
      spec.layer_split.push_back(stage == 0 && first != 0 ? first : stage == spec.pp - 1 && last != 0 ? last : rest / (spec.pp - uneven));
  }
  if (chunks > 1) spec.schedule = {.name = "interleaved", .chunks = chunks, .in_flight = &interleaved_in_flight};
}

}  // namespace detail

/// The run of these arguments. Throws `not_expressible`.
inline run megatron_run(const config_reader& config) {
  run result{};
  shardplan::plan_spec& spec = result.spec;
  detail::read_megatron_shape(config, spec);
  detail::read_megatron_experts(config, spec);
  detail::read_megatron_layout(config, spec);

  spec.sequence = config.number("seq_length");
  spec.micro_batch = config.number("micro_batch_size", 1);
  spec.global_batch = config.number("global_batch_size", spec.micro_batch * spec.dp);
  spec.vocabulary_multiple = config.number("make_vocab_size_divisible_by", 128) * spec.tp;
  spec.zero = config.flag("use_distributed_optimizer") ? 1 : 0;

  // Both keep fp32 gradients and masters. (fp8_param_gather: a row-wise and a column-wise copy of one byte each are two bytes as bf16.)
  const bool half = config.flag("bf16");
  if (!config.flag("fp16") && !half) throw not_expressible{"fp32 training"};
  spec.precision = shardplan::precisions::bf16_fp32_master_and_gradients::spec;
  const std::string optimizer = config.text("optimizer", "adam");
  if (optimizer == "muon") {
    spec.optimizer = shardplan::optimizers::muon::spec;
  } else if (optimizer == "sgd") {
    spec.optimizer = shardplan::optimizers::momentum::spec;
  } else if (optimizer != "adam") {
    throw not_expressible{"optimizer " + optimizer};
  }
  if (const std::int64_t instances = config.number("num_distributed_optimizer_instances", 1); instances != 1)
    throw not_expressible{"several instances of the distributed optimizer"};
  if (config.flag("use_megatron_fsdp")) throw not_expressible{"Megatron FSDP"};
  config.without_effect({"data_parallel_sharding_strategy"});

  const std::string granularity = config.text("recompute_granularity", "none");
  if (granularity == "full") {
    if (config.text("recompute_method", "uniform") != "uniform" || config.number("recompute_num_layers", 1) != 1)
      throw not_expressible{"full recompute of several layers at once, or of some layers"};
    spec.recompute = shardplan::recomputes::full;
  }

  // What changes no byte, or only bytes outside the states and the tensors of the model.
  config.without_effect({"transformer_impl", "world_size_note", "gpu", "tokenizer_model", "overlap_grad_reduce", "overlap_param_gather"});
  // Not mapped yet.
  config.without_effect({"attention_backend", "attention_dropout", "hidden_dropout", "cross_entropy_loss_fusion", "recompute_modules",
                         "fp8_format", "fp8_recipe", "fp8_param_gather", "no_create_attention_mask_in_dataloader"});

  // The figures are of one rank, whose place in the pipeline follows from Megatron's order of ranks: pipeline outermost.
  const std::string rank = config.text("rank", "last rank");
  if (starts_with(rank, "last rank")) {
    result.stage = spec.pp - 1;
  } else {
    result.stage = config.number("rank") / (spec.tp * spec.cp * spec.dp);
  }
  return result;
}

}  // namespace truth
