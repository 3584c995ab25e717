// SPDX-License-Identifier: BSL-1.0
// Operations are exact: the formulas of Megatron-LM and BigScience, and twice the weights of matrix products for every catalog model tried.
#include <shardplan/model/catalog/deepseek.hpp>
#include <shardplan/model/catalog/gpt.hpp>
#include <shardplan/model/catalog/llama.hpp>
#include <shardplan/model/catalog/mistral.hpp>
#include <shardplan/model/catalog/qwen.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/timing/flops.hpp>

namespace sp = shardplan;

namespace {

constexpr sp::transformer gpt{
    .layers = 48, .hidden = 8192, .heads = 64, .ffn = 4 * 8192, .vocab = 51200, .mlp = sp::mlp::plain, .norm = sp::norm::layer};
constexpr sp::plan_spec plan_of(const sp::transformer& shape, sp::recomputes recompute) {
  sp::plan_spec spec{};
  spec.model = shape;
  spec.devices_per_node = 8;
  spec.nodes = 64;
  spec.sequence = 2048;
  spec.micro_batch = 1;
  spec.global_batch = 1536;
  spec.tp = 8;
  spec.pp = 2;
  spec.recompute = recompute;
  return spec;
}
constexpr sp::step_flops flops(const sp::transformer& shape, sp::recomputes recompute) {
  const sp::plan_spec spec = plan_of(shape, recompute);
  return sp::flops_of(spec);
}

// 96 B s L h^2 (1 + s / 6h + V / 16 L h) with full recomputation, 72 in place of 96 (and V / 12 L h) without (arXiv 2104.04473, appendix).
constexpr std::int64_t layers = 48, hidden = 8192, sequence = 2048, vocab = 51200;
constexpr sp::step_flops recomputed = flops(gpt, sp::recomputes::full);
constexpr sp::step_flops plain = flops(gpt, sp::recomputes::none);
static_assert(recomputed.model_per_token + recomputed.recompute_per_token ==
              96 * layers * hidden * hidden + 16 * layers * sequence * hidden + 6 * hidden * vocab);
static_assert(plain.model_per_token == 72 * layers * hidden * hidden + 12 * layers * sequence * hidden + 6 * hidden * vocab);
static_assert(plain.model_per_token == recomputed.model_per_token && plain.recompute_per_token == 0);
static_assert(plain.tokens == 1536 * 2048);
#if defined(__SIZEOF_INT128__)
static_assert(recomputed.hardware() == static_cast<sp::wide_integer>(96) * 1536 * sequence * layers * hidden * hidden +
                                           static_cast<sp::wide_integer>(16) * 1536 * sequence * layers * sequence * hidden +
                                           static_cast<sp::wide_integer>(6) * 1536 * sequence * hidden * vocab);
static_assert(recomputed.hardware() > recomputed.model());
#endif

// Megatron-LM training.py, num_floating_point_operations, for grouped queries and gated MLPs, per token:
// 12 L h^2 ((1 + kv / a + s / h) + 3/2 ffn / h) + 6 h V.
constexpr std::int64_t megatron(const sp::transformer& shape, std::int64_t tokens) {
  return 12 * shape.layers *
             (shape.hidden * shape.hidden + shape.hidden * shape.hidden / shape.heads * shape.kv_heads + tokens * shape.hidden +
              shape.hidden * shape.ffn * 3 / 2) +
         6 * shape.hidden * shape.vocab;
}
static_assert(flops(sp::models::llama3_8b::shape, sp::recomputes::none).model_per_token == megatron(sp::models::llama3_8b::shape, 2048));
static_assert(flops(sp::models::llama3_70b::shape, sp::recomputes::none).model_per_token == megatron(sp::models::llama3_70b::shape, 2048));

// Twice the weights that a token meets, the head once, the embedding never.
template <class Model>
constexpr bool is_twice_the_weights() {
  const sp::transformer& shape = Model::shape;
  std::int64_t weights = 0;
  for (const sp::tensor& item : sp::tensors_of(shape)) {
    const bool counts = sp::is_linear(item.purpose) || item.purpose == sp::role::router;
    if (!counts || item.columns == 1) continue;
    const std::int64_t used = item.purpose == sp::role::routed_expert ? shape.experts.top_k : item.copies;
    weights += item.rows * item.columns * (item.multiplicity / item.copies) * used;
  }
  if (shape.tied_embeddings) weights += shape.vocab * shape.hidden;
  const sp::forward_flops count = sp::forward_flops_of(shape, 0, shape.vocab);
  return count.scores == 0 && 2 * weights == shape.layers * count.attention + shape.dense_layers() * count.dense +
                                                 (shape.layers - shape.dense_layers()) * count.routed + count.head;
}
static_assert(is_twice_the_weights<sp::models::llama3_8b>() && is_twice_the_weights<sp::models::gpt2_xl>());
static_assert(is_twice_the_weights<sp::models::mixtral_8x7b>() && is_twice_the_weights<sp::models::qwen3_30b_a3b>());
static_assert(is_twice_the_weights<sp::models::deepseek_v2_lite>() && is_twice_the_weights<sp::models::deepseek_v2>());
static_assert(is_twice_the_weights<sp::models::qwen1_5_moe_a2_7b>() && is_twice_the_weights<sp::models::qwen2_5_7b>());

}  // namespace
