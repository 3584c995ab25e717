// SPDX-License-Identifier: BSL-1.0
// Bytes that PyTorch 1.13 held on a CPU after three steps, typed in from the rows of
//   benchmarks/gpu/measure_peak.py --grid tiny --device cpu
// Nothing here is computed from the shapes.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {

struct llama_tiny {
  static constexpr sp::transformer shape{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 320};
};
struct gpt_tiny {
  static constexpr sp::transformer shape{.layers = 2,
                                         .hidden = 64,
                                         .heads = 4,
                                         .ffn = 256,
                                         .vocab = 320,
                                         .positions = 64,
                                         .mlp = sp::mlp::plain,
                                         .norm = sp::norm::layer,
                                         .qkv_bias = true,
                                         .tied_embeddings = true,
                                         .attention_output_bias = true,
                                         .mlp_bias = true};
};
static_assert(sp::parameter_count<llama_tiny> == 102'720 && sp::parameter_count<gpt_tiny> == 124'672);

template <class Model, class Precision>
constexpr bool holds(std::int64_t weights, std::int64_t gradients, std::int64_t master, std::int64_t optimizer) {
  using run = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 1, 1>, sp::precision<Precision>, sp::micro_batch<1>,
                       sp::global_batch<1>, sp::sequence<16>>;
  return run::memory[0].weights.count == weights && run::memory[0].gradients.count == gradients && run::memory[0].master.count == master &&
         run::memory[0].optimizer.count == optimizer;
}
namespace layouts = sp::precisions;
static_assert(holds<llama_tiny, layouts::fp32>(410'880, 410'880, 0, 821'760));
static_assert(holds<llama_tiny, layouts::torch_amp>(410'880, 410'880, 0, 821'760));
static_assert(holds<llama_tiny, layouts::pure_bf16>(205'440, 205'440, 0, 410'880));
static_assert(holds<llama_tiny, layouts::handbook_bf16>(205'440, 205'440, 0, 821'760));
static_assert(holds<llama_tiny, layouts::bf16_fp32_master>(205'440, 205'440, 410'880, 821'760));
static_assert(holds<llama_tiny, layouts::bf16_fp32_accumulator>(205'440, 616'320, 410'880, 821'760));
static_assert(holds<llama_tiny, layouts::bf16_fp32_master_and_gradients>(205'440, 410'880, 410'880, 821'760));
static_assert(holds<gpt_tiny, layouts::fp32>(498'688, 498'688, 0, 997'376));
static_assert(holds<gpt_tiny, layouts::torch_amp>(498'688, 498'688, 0, 997'376));
static_assert(holds<gpt_tiny, layouts::pure_bf16>(249'344, 249'344, 0, 498'688));
static_assert(holds<gpt_tiny, layouts::handbook_bf16>(249'344, 249'344, 0, 997'376));
static_assert(holds<gpt_tiny, layouts::bf16_fp32_master>(249'344, 249'344, 498'688, 997'376));
static_assert(holds<gpt_tiny, layouts::bf16_fp32_accumulator>(249'344, 748'032, 498'688, 997'376));
static_assert(holds<gpt_tiny, layouts::bf16_fp32_master_and_gradients>(249'344, 498'688, 498'688, 997'376));

}  // namespace
