// SPDX-License-Identifier: BSL-1.0
// States of a rank of a network: by hand, and those of a plan where the network is a model of the catalog.
#include <shardplan/memory/network_states.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;
using sp::role;
using sp::split;

namespace {

constexpr bool holds(const sp::rank_states& states, std::int64_t weights, std::int64_t gradients, std::int64_t master,
                     std::int64_t optimizer) {
  return states.weights == weights && states.gradients == gradients && states.master == master && states.optimizer == optimizer &&
         states.total() == weights + gradients + master + optimizer;
}
template <int Devices, class... Parts>
using on = sp::plan<sp::cluster<sp::devices::h100_sxm_80gb, Devices, 1>, Parts...>;

// Three layers of 64 x 32 (column), 32 x 64 (row), keys of 2 heads of 16 x 32, a norm of 32; an embedding of 100 x 32.
struct block {
  static constexpr std::int64_t repeats = 3;
  static constexpr std::int64_t head_width = 16;
  static constexpr sp::tensor tensors[] = {
      {.name = "norm", .rows = 32},
      {.name = "in", .rows = 64, .columns = 32, .how = split::column, .purpose = role::attention},
      {.name = "key", .rows = 32, .columns = 32, .how = split::key_value, .purpose = role::attention},
      {.name = "out", .rows = 32, .columns = 64, .how = split::row, .purpose = role::attention},
  };
};
struct words {
  static constexpr std::int64_t repeats = 1;
  static constexpr sp::tensor tensors[] = {
      {.name = "words", .rows = 100, .columns = 32, .how = split::vocabulary, .purpose = role::embedding}};
};
// Eight experts of 48 x 32, two a token.
struct experts {
  static constexpr std::int64_t repeats = 2;
  static constexpr std::int64_t top_k = 2;
  static constexpr sp::tensor tensors[] = {
      {.name = "router", .rows = 8, .columns = 32, .purpose = role::router},
      {.name = "expert", .rows = 48, .columns = 32, .how = split::column, .purpose = role::routed_expert, .copies = 8},
  };
};
using dense = sp::network<words, block>;
using routed = sp::network<words, block, experts>;

// 3,200 + 3 (32 + 2,048 + 1,024 + 2,048) = 18,656 elements.
static_assert(holds(sp::network_states<dense, on<4>>, 2 * 18'656, 2 * 18'656, 4 * 18'656, 8 * 18'656));
// tp 4: keys never below one head: 25 x 32 + 3 (32 + 512 + 512 + 512) = 5,504.
static_assert(holds(sp::network_states<dense, on<4, sp::tp<4>>>, 2 * 5'504, 2 * 5'504, 4 * 5'504, 8 * 5'504));
// ZeRO 1 to 3 on 3 ranks: 6,219 of 18,656, rounded up.
static_assert(holds(sp::network_states<dense, on<3, sp::zero<1>>>, 2 * 18'656, 2 * 18'656, 4 * 6'219, 8 * 6'219));
static_assert(holds(sp::network_states<dense, on<3, sp::zero<2>>>, 2 * 18'656, 2 * 6'219, 4 * 6'219, 8 * 6'219));
static_assert(holds(sp::network_states<dense, on<3, sp::zero<3>>>, 2 * 6'219, 2 * 6'219, 4 * 6'219, 8 * 6'219));
// FSDP2 on 3, rows up: 34 x 32 + 3 (11 + 22 x 32 + 11 x 32 + 11 x 64) = 6,401.
static_assert(holds(sp::network_states<dense, on<3, sp::fsdp<>>>, 2 * 6'401, 2 * 6'401, 4 * 6'401, 8 * 6'401));
// Reduced late, gradients are whole where the batch has several micro-batches of 4 ranks.
using late = sp::communication<sp::late_sync<true>>;
static_assert(holds(sp::network_states<dense, on<4, sp::zero<3>, late, sp::micro_batch<1>, sp::global_batch<8>>>, 2 * 4'664, 2 * 18'656,
                    4 * 4'664, 8 * 4'664));
static_assert(holds(sp::network_states<dense, on<4, sp::zero<3>, late, sp::micro_batch<2>, sp::global_batch<8>>>, 2 * 4'664, 2 * 4'664,
                    4 * 4'664, 8 * 4'664));
static_assert(holds(sp::network_states<dense, on<4, sp::zero<3>, late>>, 2 * 4'664, 2 * 4'664, 4 * 4'664, 8 * 4'664));
// Context parallel ranks share states too; groups of two of four.
static_assert(holds(sp::network_states<dense, on<4, sp::cp<2>, sp::zero<3>>>, 2 * 4'664, 2 * 4'664, 4 * 4'664, 8 * 4'664));
static_assert(holds(sp::network_states<dense, on<4, sp::zero<3, sp::mics<2>>>>, 2 * 9'328, 2 * 9'328, 4 * 9'328, 8 * 9'328));
// Padding is the framework's: 128 rows for 100.
static_assert(sp::network_states<dense, on<1, sp::vocabulary_multiple<128>>>.weights == 2 * (18'656 + 28 * 32));
// Muon: one moment on the matrices of blocks, two elsewhere. ZeRO shares each kind by itself.
static_assert(sp::network_states<dense, on<1, sp::optimizer<sp::optimizers::muon>>>.optimizer == 8 * 18'656 - 4 * 3 * 5'120);
static_assert(sp::network_states<dense, on<2, sp::zero<1>, sp::optimizer<sp::optimizers::muon>>>.optimizer == 4 * 18'656 - 2 * 3 * 5'120);

// Experts: 8 x 48 x 32 twice, 24,576, and routers of 256 twice; ep 2 and etp 2 on eight ranks: 6,144 shared by 2.
static_assert(holds(sp::network_states<routed, on<8, sp::zero<1>, sp::ep<2>, sp::etp<2>>>, 2 * (19'168 + 6'144), 2 * (19'168 + 6'144),
                    4 * (19'168 / 8 + 3'072), 8 * (19'168 / 8 + 3'072)));

// A model of the catalog, alone or in a network, has the states of its plan.
template <class Model, int Devices, class... Parts>
constexpr bool is_as_planned() {
  using batch = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, Devices, 1>, sp::sequence<64>, sp::micro_batch<1>,
                         sp::global_batch<16>, Parts...>;
  const sp::memory_report report = sp::stage_memory(batch::spec, 0).device;
  for (const sp::rank_states& states :
       {sp::network_states<Model, on<Devices, Parts...>>, sp::network_states<sp::network<Model>, on<Devices, Parts...>>})
    if (!holds(states, report.weights.count, report.gradients.count, report.master.count, report.optimizer.count)) return false;
  return report.states().count > 0;
}
static_assert(is_as_planned<sp::models::llama3_2_1b, 8, sp::tp<2>, sp::zero<1>>());
static_assert(is_as_planned<sp::models::qwen2_5_7b, 8, sp::tp<4>, sp::framework<sp::frameworks::megatron>>());
static_assert(is_as_planned<sp::models::mixtral_8x7b, 8, sp::tp<2>, sp::ep<4>, sp::zero<2>, sp::optimizer<sp::optimizers::soap<>>>());
static_assert(is_as_planned<sp::models::mixtral_8x7b, 8, sp::ep<2>, sp::fsdp<>, sp::optimizer<sp::optimizers::adafactor>>());
static_assert(is_as_planned<sp::models::deepseek_v3, 8, sp::ep<8>, sp::zero<1>, sp::precision<sp::precisions::deepseek_fp8>>());
static_assert(is_as_planned<sp::models::gpt2, 8, sp::hsdp<4>, sp::optimizer<sp::optimizers::adamw_8bit>>());
static_assert(is_as_planned<sp::models::falcon_7b, 4, sp::zero<0>, sp::optimizer<sp::optimizers::adam_mini>>());
static_assert(is_as_planned<sp::models::llama3_2_1b, 4, sp::zero<3>, sp::optimizer<sp::optimizers::lomo>>());

}  // namespace
