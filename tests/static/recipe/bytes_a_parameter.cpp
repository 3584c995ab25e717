// SPDX-License-Identifier: BSL-1.0
// The layouts and optimizers of recipe/ as their sources state them (facts/memory.md, section 2).
#include <shardplan/core/bytes.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/headroom.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>

#include <cstdint>

using namespace shardplan;
using namespace shardplan::literals;

// weight + gradient + accumulator + master + two moments
template <class Layout>
constexpr bool layout(std::int64_t weight, std::int64_t gradient, std::int64_t accumulator, std::int64_t master, std::int64_t moment,
                      std::int64_t sum, std::int64_t compute) {
  constexpr precision_spec spec = Layout::spec;
  return spec.weight == weight && spec.gradient == gradient && spec.accumulator == accumulator && spec.master == master &&
         spec.moment == moment && spec.compute == compute &&
         spec.weight + spec.gradient + spec.accumulator + spec.master + 2 * spec.moment == sum;
}
static_assert(layout<precisions::handbook_bf16>(2, 2, 0, 0, 4, 12, 2));                   // the handbook
static_assert(layout<precisions::bf16_fp32_master>(2, 2, 0, 4, 4, 16, 2));                // ZeRO, K = 12
static_assert(layout<precisions::bf16_fp32_master_and_gradients>(2, 4, 0, 4, 4, 18, 2));  // Megatron-LM issue 654
static_assert(layout<precisions::bf16_fp32_accumulator>(2, 2, 4, 4, 4, 20, 2));           // Ultra-Scale Playbook
static_assert(layout<precisions::pure_bf16>(2, 2, 0, 0, 2, 8, 2));                        // torchtune
static_assert(layout<precisions::fp32>(4, 4, 0, 0, 4, 16, 4));
static_assert(layout<precisions::torch_amp>(4, 4, 0, 0, 4, 16, 2));

template <class Algorithm>
constexpr bool algorithm(literal name, std::int64_t moments, std::int64_t hidden_matrix_moments, bool factored, bool eight_bit,
                         std::int64_t table_bytes) {
  constexpr optimizer_spec spec = Algorithm::spec;
  return spec.name == name && spec.moments == moments && spec.hidden_matrix_moments == hidden_matrix_moments && spec.factored == factored &&
         spec.eight_bit == eight_bit && spec.table_bytes == table_bytes && spec.block == 256 && spec.least_elements == 4096;
}
static_assert(algorithm<optimizers::sgd>("sgd", 0, -1, false, false, 0));
static_assert(algorithm<optimizers::momentum>("momentum", 1, -1, false, false, 0));
static_assert(algorithm<optimizers::adam>("adam", 2, -1, false, false, 0));
static_assert(algorithm<optimizers::adamw>("adamw", 2, -1, false, false, 0));
static_assert(algorithm<optimizers::lion>("lion", 1, -1, false, false, 0));
static_assert(algorithm<optimizers::adamw_8bit>("adamw_8bit", 2, -1, false, true, 2'048));  // two tables of 256 fp32 numbers
static_assert(algorithm<optimizers::lion_8bit>("lion_8bit", 1, -1, false, true, 1'024));
static_assert(algorithm<optimizers::adafactor>("adafactor", 1, -1, true, false, 0));
static_assert(algorithm<optimizers::muon>("muon", 2, 1, false, false, 0));

static_assert(default_headroom::total == 1'536_MiB);

// a part writes its own fields and notes its slot; said twice, it notes that too
struct sheet {
  std::int64_t sequence = 0, micro_batch = 0, global_batch = 0, headroom_mebibytes = 0;
  optimizer_spec optimizer{};
  precision_spec precision{};
  recomputes recompute = recomputes::none;
  offload_spec offload{};
  std::uint32_t said_parts = 0, repeated_parts = 0;
};
constexpr std::uint32_t bit(part_kind kind) { return std::uint32_t{1} << static_cast<int>(kind); }
template <class... Parts>
constexpr sheet applied() {
  sheet written{};
  (Parts::apply(written), ...);
  return written;
}
constexpr sheet all =
    applied<sequence<7>, micro_batch<2>, global_batch<8>, headroom<3>, optimizer<optimizers::lion>, precision<precisions::fp32>,
            recompute<recomputes::full>, offload<states_to<storage::nvme>, gradients_to<storage::host>>>();
static_assert(all.sequence == 7 && all.micro_batch == 2 && all.global_batch == 8 && all.headroom_mebibytes == 3);
static_assert(all.optimizer == optimizers::lion::spec && all.precision == precisions::fp32::spec && all.recompute == recomputes::full);
static_assert(all.offload == offload_spec{storage::nvme, storage::host} && all.repeated_parts == 0);
static_assert(all.said_parts ==
              (bit(part_kind::sequence) | bit(part_kind::micro_batch) | bit(part_kind::global_batch) | bit(part_kind::headroom) |
               bit(part_kind::optimizer) | bit(part_kind::precision) | bit(part_kind::recompute) | bit(part_kind::offload)));
static_assert(applied<sequence<7>, micro_batch<2>, sequence<9>, sequence<8>>().repeated_parts == bit(part_kind::sequence));
static_assert(applied<offload<>>().offload == offload_spec{});

struct other {
  static constexpr int spec = 1;
};
static_assert(optimizer_algorithm<optimizers::muon> && !optimizer_algorithm<other> && !optimizer_algorithm<precisions::fp32>);
static_assert(precision_layout<precisions::fp32> && !precision_layout<other> && !precision_layout<optimizers::muon>);
static_assert(part<sequence<1>> && part<offload<>> && !part<int> && !part<optimizers::muon>);
