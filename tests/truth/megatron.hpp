// SPDX-License-Identifier: BSL-1.0
// Megatron-LM's arguments (megatron/training/arguments.py) as a plan: underscores for dashes, absent arguments have Megatron's defaults.
#pragma once

#include "row.hpp"

#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace truth {

/// A plan and the pipeline rank that a figure is of.
struct run {
  shardplan::plan_spec spec{};
  std::int64_t stage = 0;
  bool whole_tensors = false;    ///< each parameter's master copy and optimizer state are at one owner (Muon under Megatron-LM)
  std::int64_t dense_rank = 0;   ///< then: which of the owners of dense parameters the rank is
  std::int64_t expert_rank = 0;  ///< and of those of routed experts
};

/// Megatron-LM's interleaved schedule for `chunks` chunks a rank, with one more warm-up forward (`extra`) under its overlap of the expert
/// all-to-all, and micro-batches in groups of `group` (0: as many as ranks). A group is part of the schedule's function: one is taken from
/// the list of all up to 64. The name stays empty when the group is larger.
template <int... Group>
shardplan::schedule_spec interleaved_of(std::int64_t chunks, std::int64_t group, bool extra, std::integer_sequence<int, Group...>) {
  namespace schedules = shardplan::schedules;
  shardplan::schedule_spec found{};
  ((group == Group ? void(found = extra ? schedules::interleaved<2, Group, 1>::spec : schedules::interleaved<2, Group, 0>::spec) : void()),
   ...);
  found.chunks = chunks;
  return found;
}
inline shardplan::schedule_spec interleaved_schedule(std::int64_t chunks, std::int64_t group = 0, bool extra = false) {
  const shardplan::schedule_spec found = interleaved_of(chunks, group, extra, std::make_integer_sequence<int, 65>{});
  if (found.name == shardplan::schedule_spec{}.name) throw not_expressible{"groups of so many micro-batches"};
  return found;
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
      if (all[at].embedding != (at == 0) || all[at].loss != (at + 1 == all.size()))
        throw not_expressible{"embedding or loss inside the pipeline"};
      if (all[at].next_token_layers != 0) {
        if (all[at].next_token_layers != shape.next_token_layers) throw not_expressible{"next-token layers on several stages"};
        if (at + 1 != all.size()) spec.layer_split.next_token_stage = static_cast<std::int64_t>(at);
      }
      spec.layer_split.push_back(all[at].layers);
      layers += all[at].layers;
    }
    if (layers != shape.layers) throw not_expressible{"a layout of another number of layers"};
    spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;  // stages without a layer
  } else if (embedding_counts || loss_counts) {
    spec.layer_split.embedding_slot = embedding_counts;
    spec.layer_split.loss_slot = loss_counts;
  } else if (first != 0 || last != 0) {
    const std::int64_t uneven = (first != 0 ? 1 : 0) + (last != 0 ? 1 : 0);
    const std::int64_t rest = shape.layers - first - last;
    if (spec.pp <= uneven ? rest != 0 : rest % (spec.pp - uneven) != 0) throw not_expressible{"layers that stages do not divide"};
    // Each rank deals its layers evenly over its chunks.
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
      for (std::int64_t rank = 0; rank < spec.pp; ++rank) {
        const std::int64_t of_rank = rank == 0 && first != 0 ? first : rank == spec.pp - 1 && last != 0 ? last : rest / (spec.pp - uneven);
        if (of_rank % chunks != 0) throw not_expressible{"layers that chunks do not divide"};
        spec.layer_split.push_back(of_rank / chunks);
      }
  }
  const std::int64_t group = config.number("microbatch_group_size_per_virtual_pipeline_stage", 0);
  const bool extra = config.flag("overlap_moe_expert_parallel_comm");
  if (chunks > 1) spec.schedule = interleaved_schedule(chunks, group, extra);
}

}  // namespace detail

namespace detail {

/// Bytes of one number of that type of Megatron's optimizer arguments.
inline std::int64_t bytes_of_type(const std::string& type) {
  if (type == "fp32") return 4;
  if (type == "bf16" || type == "fp16") return 2;
  if (type == "fp8") return 1;
  throw not_expressible{"type " + type};
}

inline bool is_hopper_or_later(const std::string& device) { return !starts_with(device, "A100") && !starts_with(device, "V100"); }

inline void read_megatron_precision(const config_reader& config, shardplan::plan_spec& spec) {
  const bool brain = config.flag("bf16");
  const bool half = config.flag("fp16");
  // fp16 runs keep fp32 gradients and masters as bf16 runs do.
  spec.precision = brain || half ? shardplan::precisions::bf16_fp32_master_and_gradients::spec : shardplan::precisions::fp32::spec;
  shardplan::precision_spec& bytes = spec.precision;
  if (config.flag("grad_reduce_in_bf16")) bytes.gradient = 2;
  config.without_effect({"accumulate_allreduce_grads_in_fp32"});
  const bool aware = config.flag("use_precision_aware_optimizer");
  const std::string main_gradients = config.text("main_grads_dtype", "fp32");
  const std::string main_weights = config.text("main_params_dtype", "fp32");
  const std::string first = config.text("exp_avg_dtype", "fp32");
  const std::string second = config.text("exp_avg_sq_dtype", "fp32");
  if (aware) {
    bytes.gradient = bytes_of_type(main_gradients);
    // Of an fp32 master the 16 bits that the bf16 weight lacks (store_param_remainders, on by default).
    const bool remainders = brain && main_weights == "fp32" && config.flag("store_param_remainders", true);
    bytes.master = remainders ? 2 : bytes_of_type(main_weights);
    bytes.moment = bytes_of_type(first);
    bytes.second_moment = bytes_of_type(second);
    if (bytes.moment == 1) bytes.moment_scale = 4;
  }
  const std::string format = config.text("fp8_format", config.text("fp8"));
  const std::string recipe = config.text("fp8_recipe", "delayed");
  if (!format.empty() && !config.flag("fp8_param_gather")) {
    // A cast of each linear weight stays, on Hopper and in blocks a second one by columns (Transformer Engine pytorch/module).
    if (config.flag("first_last_layers_bf16")) throw not_expressible{"layers of different precision"};
    bytes.linear_copy_bits = starts_with(config.text("gpu"), "H") || recipe == "blockwise" || recipe == "mxfp8" ? 16 : 8;
  }
  // Parameters gathered in 8 bits: by rows and by columns one byte each, two bytes as bf16.
  config.without_effect({"first_last_layers_bf16", "num_layers_at_start_in_bf16", "num_layers_at_end_in_bf16", "fp8_amax_history_len",
                         "fp8_amax_compute_algo", "fp8_margin"});

  const std::string optimizer = config.text("optimizer", "adam");
  if (optimizer == "muon" || optimizer == "dist_muon") {
    spec.optimizer = shardplan::optimizers::muon::spec;
  } else if (optimizer == "sgd") {
    spec.optimizer = shardplan::optimizers::momentum::spec;
  } else if (optimizer == "lion") {
    spec.optimizer = shardplan::optimizers::lion::spec;
  } else if (optimizer != "adam") {
    throw not_expressible{"optimizer " + optimizer};
  }
  if (config.flag("optimizer_cpu_offload") && config.real("optimizer_offload_fraction", 1) != 0)
    throw not_expressible{"a part of the optimizer on the host"};
  config.without_effect({"optimizer_offload_fraction"});
}

inline void read_megatron_sharding(const config_reader& config, shardplan::plan_spec& spec) {
  spec.zero = config.flag("use_distributed_optimizer") ? 1 : 0;
  const std::int64_t instances = config.number("num_distributed_optimizer_instances", 1);
  const std::int64_t sharers = spec.dp * spec.cp;
  if (instances < 1 || sharers % instances != 0) throw not_expressible{"instances that do not divide the replicas"};
  const std::string strategy = config.text("data_parallel_sharding_strategy", "no_shard");
  if (config.flag("use_megatron_fsdp")) {
    if (strategy == "optim_grads_params") {
      spec.zero = 0;
      spec.sharding.layout = shardplan::shard_layout::flat_units;
    } else {
      spec.zero = strategy == "optim_grads" ? 2 : strategy == "optim" ? 1 : 0;
    }
  }
  if (config.flag("use_torch_fsdp2")) {
    spec.zero = 0;
    spec.sharding.layout = shardplan::shard_layout::tensors;
  }
  if (instances == 1) return;
  if (spec.sharding.is_fsdp()) {
    spec.sharding.ranks = sharers / instances;
  } else if (spec.zero != 0) {
    if (spec.model.experts.count > 0) throw not_expressible{"instances of the distributed optimizer with routed experts"};
    // Each instance shards its states over its own ranks: to one rank it is the whole run, with its part of the batch.
    const std::int64_t world = spec.devices_per_node * spec.nodes;
    if (spec.dp % instances != 0 || spec.global_batch % instances != 0) throw not_expressible{"instances that do not divide the replicas"};
    spec.dp /= instances;
    spec.global_batch /= instances;
    spec.nodes = 1;
    spec.devices_per_node = world / instances;
  }
}

inline void read_megatron_kernels(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string device = config.text("gpu", "H100");
  const bool engine = config.text("transformer_impl", "transformer_engine") == "transformer_engine";
  spec.overheads =
      is_hopper_or_later(device) ? shardplan::overhead_sets::megatron_tests::spec : shardplan::overhead_sets::megatron_tests_ampere::spec;
  if (!engine)
    spec.overheads.workspace_kibibytes -=
        is_hopper_or_later(device) ? shardplan::workspaces::transformer_engine_large : shardplan::workspaces::transformer_engine_small;
  // Deterministic mode, in which the tests run, refuses flash attention and the fused loss (arguments.py): without it cuBLAS has its
  // default.
  const bool deterministic = config.text("attention_backend", "auto") != "flash" && !config.flag("cross_entropy_loss_fusion");
  if (!deterministic && !is_hopper_or_later(device))
    spec.overheads.workspace_kibibytes -=
        shardplan::workspaces::threads * (shardplan::workspaces::cublas_large - shardplan::workspaces::cublas_small);
  spec.overheads.mask = !config.flag("no_create_attention_mask_in_dataloader");
  spec.overheads.gradient_scratch = config.flag("gradient_accumulation_fusion");

  // Without Transformer Engine attention is Megatron's own, which keeps the scores; with it "auto" takes a fused kernel.
  const std::string backend = config.text("attention_backend", "auto");
  if (backend != "auto" && backend != "flash" && backend != "fused" && backend != "unfused" && backend != "local")
    throw not_expressible{"attention_backend " + backend};
  const bool fused = engine && backend != "unfused" && backend != "local";
  // "auto" is cuDNN on Hopper and later and the flash-attn package before. The package reads batch-first tensors, so that its output is
  // copied into Megatron's sequence-first layout (Transformer Engine attention/dot_product_attention/backends.py, utils.py
  // get_attention_backend).
  const bool package = backend == "flash" || (backend == "auto" && !is_hopper_or_later(device));
  spec.attention = !fused    ? shardplan::attentions::materialised
                   : package ? shardplan::attentions::flash_head_major
                             : shardplan::attentions::flash;
  const bool scores = config.real("attention_dropout", 0.1) > 0;
  const bool hidden = config.real("hidden_dropout", 0.1) > 0;
  spec.dropout = scores && hidden ? shardplan::dropouts::both
                 : hidden         ? shardplan::dropouts::hidden
                 : scores         ? shardplan::dropouts::attention
                                  : shardplan::dropouts::none;

  if (!config.flag("cross_entropy_loss_fusion")) {
    spec.loss = shardplan::losses::megatron_unfused::spec;
    config.without_effect({"cross_entropy_fusion_impl"});
  } else {
    const std::string kernel = config.text("cross_entropy_fusion_impl", "native");
    if (kernel != "native" && kernel != "te") throw not_expressible{"cross_entropy_fusion_impl " + kernel};
    spec.loss = kernel == "te" ? shardplan::losses::in_place::spec : shardplan::losses::megatron_native_fused::spec;
  }

  const std::string exchange = config.text("cp_comm_type", "p2p");
  if (exchange == "p2p") {
    spec.context_exchange = shardplan::context_exchanges::ring;
  } else if (exchange == "all_gather") {
    spec.context_exchange = shardplan::context_exchanges::all_gather;
  } else if (exchange != "a2a" && spec.cp > 1) {
    throw not_expressible{"cp_comm_type " + exchange};
  }

  if (config.has("moe_expert_capacity_factor")) {
    const double factor = config.real("moe_expert_capacity_factor", 0);
    if (factor > 0) spec.expert_load.capacity = static_cast<std::int64_t>(100 * factor + 0.5);
    spec.expert_load.pads_to_capacity = config.flag("moe_pad_expert_input_to_capacity");
  }
  config.without_effect({"moe_pad_expert_input_to_capacity"});
}

inline shardplan::recomputes recomputed_module(const std::string& name) {
  using shardplan::recomputes;
  if (name == "core_attn") return recomputes::core_attn;
  if (name == "mlp") return recomputes::mlp;
  if (name == "layernorm") return recomputes::layernorm;
  if (name == "moe") return recomputes::moe;
  if (name == "moe_act") return recomputes::moe_act;
  if (name == "mla_up_proj") return recomputes::mla_up_proj;
  throw not_expressible{"recompute_modules " + name};
}

inline void read_megatron_recompute(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string granularity = config.text("recompute_granularity", "none");
  const std::vector<std::string> modules = config.list("recompute_modules");
  const std::string method = config.text("recompute_method", "uniform");
  const std::int64_t count = config.number("recompute_num_layers", 1);
  if (granularity == "none") return;
  if (granularity == "selective") {
    if (modules.empty()) spec.recompute = shardplan::recomputes::core_attn;
    for (const std::string& name : modules) spec.recompute = spec.recompute | recomputed_module(name);
    return;
  }
  if (granularity != "full" || (method != "uniform" && method != "block")) throw not_expressible{"recompute " + granularity + " " + method};
  spec.recompute = shardplan::recomputes::full;
  spec.recompute_layers = {method == "uniform" ? shardplan::recompute_methods::uniform : shardplan::recompute_methods::block, count};
}

}  // namespace detail

/// The run of these arguments; `steady` when only what is alive between two steps counts, which attention, dropout, loss and recomputation
/// do not touch. Throws `not_expressible`.
inline run megatron_run(const config_reader& config, bool steady) {
  run result{};
  shardplan::plan_spec& spec = result.spec;
  detail::read_megatron_shape(config, spec);
  detail::read_megatron_experts(config, spec);
  detail::read_megatron_layout(config, spec);

  spec.sequence = config.number("seq_length");
  spec.micro_batch = config.number("micro_batch_size", 1);
  spec.global_batch = config.number("global_batch_size", spec.micro_batch * spec.dp);
  spec.vocabulary_multiple = config.number("make_vocab_size_divisible_by", 128) * spec.tp;
  detail::read_megatron_precision(config, spec);
  detail::read_megatron_sharding(config, spec);
  if (steady) {
    config.without_effect({"transformer_impl",
                           "no_create_attention_mask_in_dataloader",
                           "attention_backend",
                           "attention_dropout",
                           "hidden_dropout",
                           "cross_entropy_loss_fusion",
                           "cross_entropy_fusion_impl",
                           "cp_comm_type",
                           "moe_expert_capacity_factor",
                           "moe_pad_expert_input_to_capacity",
                           "recompute_granularity",
                           "recompute_modules",
                           "recompute_method",
                           "recompute_num_layers",
                           "distribute_saved_activations",
                           "fine_grained_activation_offloading",
                           "offload_modules",
                           "defer_embedding_wgrad_compute",
                           "wgrad_deferral_limit",
                           "tp_comm_overlap"});
  } else {
    // Its linears keep their inputs in 8 bits, in forms that differ from recipe to recipe.
    if (config.has("fp8_format") || config.has("fp8")) throw not_expressible{"kept activations of FP8 linears"};
    detail::read_megatron_kernels(config, spec);
    detail::read_megatron_recompute(config, spec);
  }

  // What changes no byte, or only bytes outside the states and the tensors of the model.
  config.without_effect({"world_size_note",
                         "gpu",
                         "tokenizer_model",
                         "overlap_grad_reduce",
                         "overlap_param_gather",
                         "squared_relu",
                         "openai_gelu",
                         "mtp_loss_scaling_factor",
                         "rotary_percent",
                         "rotary_base",
                         "rotary_interleaved",
                         "no_rope_fusion",
                         "async_tensor_model_parallel_allreduce",
                         "distributed_backend",
                         "distributed_timeout_minutes",
                         "seed",
                         "init_method_std",
                         "clip_grad",
                         "weight_decay",
                         "lr",
                         "min_lr",
                         "train_iters",
                         "deterministic_mode",
                         "apply_query_key_layer_scaling",
                         "norm_epsilon",
                         "no_bias_gelu_fusion",
                         "loss_scale",
                         "initial_loss_scale",
                         "calculate_per_token_loss",
                         "no_gradient_accumulation_fusion",
                         "overlap_param_gather_with_optimizer_step",
                         "apply_layernorm_1p",
                         "window_size",
                         "ddp_bucket_size",
                         "align_param_gather",
                         "tokenizer_type"});

  // The figures are of one rank, whose place in the pipeline follows from Megatron's order of ranks: pipeline outermost.
  const std::string rank = config.text("rank", "last rank");
  const std::int64_t ranks = spec.tp * spec.cp * spec.dp;  // of one pipeline rank
  const std::int64_t place = starts_with(rank, "last rank") ? ranks * spec.pp - 1 : config.number("rank");
  result.stage = place / ranks;
  // Muon's step takes whole matrices, so that each parameter has one owner (core/optimizer/layer_wise_optimizer.py).
  result.whole_tensors = spec.optimizer.matrix_moments >= 0 && spec.zero == 1;
  result.dense_rank = place % ranks / spec.tp;
  result.expert_rank = place % ranks / (spec.etp * spec.ep);
  return result;
}

}  // namespace truth
