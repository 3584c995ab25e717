// SPDX-License-Identifier: BSL-1.0
// What the host of a node holds, against public reports and by hand.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;
using namespace sp::literals;

namespace {

struct card {
  static constexpr sp::device_spec spec{.name = "1 TiB", .memory = 1_TiB};
};
using everything = sp::offload<sp::states_to<sp::storage::host>, sp::gradients_to<sp::storage::host>, sp::weights_to<sp::storage::host>>;
template <class Model, int Devices, int Nodes, class... Parts>
using run = sp::plan<sp::model<Model>, sp::cluster<card, Devices, Nodes>, sp::micro_batch<1>, Parts...>;

// deepspeedai/DeepSpeed#3448: LLaMA-33B, ZeRO-3 with everything on the host: 18 bytes a parameter, 585,520,985,088; 600 GB do not hold it
// with what transfers and processes need, 750 to 800 GB are seen.
using llama_33b = run<sp::models::llama_30b, 8, 1, sp::zero<3>, everything, sp::precision<sp::precisions::bf16_fp32_master_and_gradients>,
                      sp::global_batch<8>, sp::sequence<2048>>;
constexpr sp::host_report of_33b = sp::host_memory_of(llama_33b::spec);
static_assert(of_33b.states == sp::bytes{585'520'985'088});
static_assert(of_33b.total() > sp::bytes{600'000'000'000} && of_33b.total() < sp::bytes{800'000'000'000});
static_assert(of_33b.processes == sp::bytes{8 * 2'056'600LL * 1024} && of_33b.total() == of_33b.states + of_33b.pinned + of_33b.processes);
static_assert(llama_33b::offloaded[0].host * 8 == of_33b.states && llama_33b::memory[0].states() == 0_GiB);

// axolotl#1439: 70B, 18 P = 1,183 GiB, on a host of 1 TiB.
using llama_70b = run<sp::models::llama3_70b, 8, 1, sp::zero<3>, everything, sp::precision<sp::precisions::bf16_fp32_master_and_gradients>,
                      sp::global_batch<8>, sp::sequence<1024>>;
static_assert(sp::host_memory_of(llama_70b::spec).states == sp::bytes{1'269'966'716'928});

// DeepSpeed#6666: the moments and the master copy of 8B, 12 bytes a parameter; the moments alone are 59.8 GiB.
using llama_8b = run<sp::models::llama3_1_8b, 1, 1, sp::offload<sp::states_to<sp::storage::host>>, sp::global_batch<1>, sp::sequence<64>>;
constexpr std::int64_t of_8b = 8'030'261'248;
constexpr sp::host_report host_8b = sp::host_memory_of(llama_8b::spec);
static_assert(host_8b.states == sp::bytes{12 * of_8b} && host_8b.nvme == 0_GiB);
// ZeRO-Offload: 2 bytes a parameter each way, whatever the number of micro-batches.
static_assert(host_8b.to_device == sp::bytes{2 * of_8b} && host_8b.to_host == sp::bytes{2 * of_8b});
static_assert(host_8b.pinned == sp::bytes{2 * of_8b} && host_8b.nvme_read == 0_GiB && host_8b.nvme_written == 0_GiB);

// Loading on every rank: DeepSpeed#2841, BLOOMZ-7B1 on 8, and modelscope/ms-swift#9982 (4 bytes a parameter and rank).
using bloomz = run<sp::models::bloom_7b1, 8, 1, sp::global_batch<8>, sp::sequence<64>>;
static_assert(sp::host_memory_of(bloomz::spec).loading == sp::bytes{8 * 4 * 7'069'016'064});
static_assert(sp::host_memory_of(bloomz::spec).total() == 0_GiB && sp::host_memory_of(bloomz::spec).to_device == 0_GiB);

// States on NVMe: a step reads and writes them; 4 buffers of a sub-group in fp32 a rank pass them through.
using on_nvme =
    run<sp::models::llama3_1_8b, 4, 2, sp::zero<3>, sp::offload<sp::states_to<sp::storage::nvme>, sp::weights_to<sp::storage::nvme>>,
        sp::global_batch<32>, sp::sequence<64>>;
constexpr sp::host_report infinity = sp::host_memory_of(on_nvme::spec);
constexpr std::int64_t share = of_8b / 8;
static_assert(infinity.nvme == sp::bytes{4 * 14 * share} && infinity.states == 0_GiB);
static_assert(infinity.nvme_read == sp::bytes{4 * (12 + 2 * 4 * 2) * share} && infinity.nvme_written == sp::bytes{4 * 14 * share});
static_assert(infinity.pinned == sp::bytes{4 * 4 * 4 * 1'000'000'000LL});
static_assert(infinity.to_device == sp::bytes{4 * 2 * 4 * 2 * share} && infinity.to_host == sp::bytes{4 * 2 * share});

// Pipeline ranks on one node, on nodes of their own, and across nodes: the worst node.
struct uneven {
  static constexpr sp::transformer shape{.layers = 6, .hidden = 64, .heads = 4, .ffn = 256, .vocab = 1000};
};
template <int Devices, int Nodes, int Pipeline, class Split>
using piped = run<uneven, Devices, Nodes, sp::pp<Pipeline>, Split, sp::offload<sp::states_to<sp::storage::host>>, sp::global_batch<24>,
                  sp::sequence<64>>;
template <class Run>
constexpr std::int64_t states_of_host = sp::host_memory_of(Run::spec).states.count;
template <class Run>
constexpr std::int64_t off(int stage) {
  return Run::offloaded[stage].host.count;
}
using one_node = piped<6, 1, 3, sp::layer_split<1, 2, 3>>;
static_assert(states_of_host<one_node> == 2 * (off<one_node>(0) + off<one_node>(1) + off<one_node>(2)));
using own_nodes = piped<2, 3, 3, sp::layer_split<1, 4, 1>>;
static_assert(off<own_nodes>(1) > off<own_nodes>(0) && states_of_host<own_nodes> == 2 * off<own_nodes>(1));
// Nodes of four, pipeline ranks of three devices: 0001 1122 2333.
using across = piped<4, 3, 4, sp::layer_split<1, 1, 1, 3>>;
static_assert(states_of_host<across> == off<across>(2) + 3 * off<across>(3));
using across_first = piped<4, 3, 4, sp::layer_split<3, 1, 1, 1>>;
static_assert(states_of_host<across_first> == 3 * off<across_first>(0) + off<across_first>(1));

// FSDP with everything on the host, tensor by tensor: what the ranks of the node moved away, and a share there and back.
using fully_sharded = run<sp::models::llama3_1_8b, 8, 1, sp::fsdp<>, everything, sp::global_batch<8>, sp::sequence<64>>;
static_assert(sp::host_memory_of(fully_sharded::spec).states == 8 * fully_sharded::offloaded[0].host);
static_assert(sp::host_memory_of(fully_sharded::spec).states >= sp::bytes{16 * of_8b});
static_assert(sp::host_memory_of(fully_sharded::spec).to_host * 8 == sp::host_memory_of(fully_sharded::spec).states &&
              sp::host_memory_of(fully_sharded::spec).to_device == 2 * sp::host_memory_of(fully_sharded::spec).to_host);

// Half of the moments on the host: 4 bytes a parameter; for that half gradients go and weights come.
using half_away = run<sp::models::llama3_1_8b, 1, 1, sp::offload<sp::moments_to_host<50>>, sp::global_batch<1>, sp::sequence<64>>;
static_assert(sp::host_memory_of(half_away::spec).states == sp::bytes{4 * of_8b} &&
              sp::host_memory_of(half_away::spec).to_host == sp::bytes{of_8b} &&
              sp::host_memory_of(half_away::spec).to_device == sp::bytes{of_8b});

// Kept inputs of blocks on the host: 32 x 2 x 64 tokens x 4,096 of each micro-batch, there and back four times a step.
using inputs_away = run<sp::models::llama3_1_8b, 1, 1, sp::recompute<sp::recomputes::full>, sp::offload<sp::inputs_to_host>,
                        sp::global_batch<4>, sp::sequence<64>>;
constexpr sp::host_report of_inputs = sp::host_memory_of(inputs_away::spec);
static_assert(of_inputs.states == sp::bytes{32 * 2 * 64 * 4096} && of_inputs.pinned == 0_GiB);
static_assert(of_inputs.to_host == 4 * of_inputs.states && of_inputs.to_device == of_inputs.to_host);

// A next-token layer is shared out as the rest is: 2 bytes of the share in `pinned`, 12 in `states`.
struct predicts_two {
  static constexpr sp::transformer shape{.layers = 6, .hidden = 64, .heads = 4, .ffn = 256, .vocab = 1000, .next_token_layers = 1};
};
using two_tokens =
    run<predicts_two, 2, 1, sp::zero<1>, sp::offload<sp::states_to<sp::storage::host>>, sp::global_batch<2>, sp::sequence<64>>;
static_assert(sp::host_memory_of(two_tokens::spec).states == sp::bytes{12 * sp::parameter_count<predicts_two>} &&
              sp::host_memory_of(two_tokens::spec).pinned == sp::bytes{2 * sp::parameter_count<predicts_two>});

// The rule: only where the host is said.
template <int Gibibytes>
using judged = run<sp::models::llama_30b, 8, 1, sp::zero<3>, everything, sp::precision<sp::precisions::bf16_fp32_master_and_gradients>,
                   sp::global_batch<8>, sp::sequence<2048>, sp::host_memory<Gibibytes>>;
static_assert(sp::valid<llama_33b> && sp::valid<judged<800>> && !sp::valid<judged<500>> && sp::fits<judged<500>>);
template <class>
inline constexpr bool is_host_misfit = false;
template <class Needs, class Has, class Remedy>
inline constexpr bool is_host_misfit<sp::violations<sp::host_does_not_fit<Needs, Has, Remedy>>> = true;
static_assert(is_host_misfit<sp::violations_of<judged<500>>>);
static_assert(judged<500>::found[0].needs == sp::host_memory_of(judged<500>::spec).total());

// Weights leave the device as shards only.
static_assert(
    !sp::valid<run<uneven, 2, 1, sp::zero<2>, sp::offload<sp::weights_to<sp::storage::host>>, sp::global_batch<2>, sp::sequence<64>>>);

// Nothing is computed for a spec that cannot be.
static_assert(sp::host_memory_of(sp::plan<sp::tp<3>>::spec).loading == 0_GiB);

}  // namespace
