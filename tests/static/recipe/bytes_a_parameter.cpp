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

// what the table of facts/memory.md section 2 says of each: gradient copy, further moments, scales, linear weights
template <class Layout>
constexpr bool beside(std::int64_t gradient_copy, std::int64_t second_moment, std::int64_t moment_scale, std::int64_t linear_bits,
                      std::int64_t linear_copy_bits, std::int64_t scale_block) {
  constexpr precision_spec spec = Layout::spec;
  return spec.gradient_copy == gradient_copy && spec.second_moment == second_moment && spec.moment_scale == moment_scale &&
         spec.linear_bits == linear_bits && spec.linear_copy_bits == linear_copy_bits && spec.scale_block == scale_block;
}
static_assert(layout<precisions::torchtitan>(4, 4, 0, 0, 4, 16, 2) && beside<precisions::torchtitan>(0, 0, 0, 0, 0, 0));
static_assert(layout<precisions::torchtitan_bf16_states>(4, 4, 0, 0, 2, 12, 2));
static_assert(layout<precisions::fp16_fp32_gradient_copy>(2, 2, 0, 4, 4, 16, 2) &&
              beside<precisions::fp16_fp32_gradient_copy>(4, 0, 0, 0, 0, 0));
static_assert(layout<precisions::precision_aware>(2, 2, 0, 2, 2, 10, 2));
static_assert(layout<precisions::precision_aware_fp32_gradients>(2, 4, 0, 2, 2, 12, 2));
static_assert(layout<precisions::precision_aware_fp32_moments>(2, 4, 0, 2, 4, 16, 2));
static_assert(layout<precisions::precision_aware_fp8_moments>(2, 4, 0, 2, 1, 10, 2) &&
              beside<precisions::precision_aware_fp8_moments>(0, 0, 4, 0, 0, 0));
static_assert(layout<precisions::ms_amp_o1>(2, 1, 0, 0, 4, 11, 2) && beside<precisions::ms_amp_o1>(0, 0, 0, 0, 0, 0));
static_assert(layout<precisions::ms_amp_o2>(2, 1, 0, 0, 1, 5, 2) && beside<precisions::ms_amp_o2>(0, 2, 0, 0, 0, 0));  // 1 + 2: 6
static_assert(layout<precisions::ms_amp_o3>(1, 1, 0, 2, 1, 6, 2) && beside<precisions::ms_amp_o3>(0, 2, 0, 0, 0, 0));  // 1 + 2: 7
static_assert(layout<precisions::fp8_compute>(2, 4, 0, 4, 4, 18, 2) && beside<precisions::fp8_compute>(0, 0, 0, 0, 8, 0));
static_assert(layout<precisions::fp8_compute_transposed>(2, 4, 0, 4, 4, 18, 2) &&
              beside<precisions::fp8_compute_transposed>(0, 0, 0, 0, 16, 0));
static_assert(layout<precisions::fp8_weights>(2, 4, 0, 4, 4, 18, 2) && beside<precisions::fp8_weights>(0, 0, 0, 8, 0, 0));
static_assert(layout<precisions::fp8_weights_transposed>(2, 4, 0, 4, 4, 18, 2) &&
              beside<precisions::fp8_weights_transposed>(0, 0, 0, 8, 8, 0));
static_assert(layout<precisions::deepseek_fp8>(2, 4, 0, 4, 2, 14, 2) && beside<precisions::deepseek_fp8>(0, 0, 0, 8, 0, 0) &&
              precisions::deepseek_fp8::spec.scale_square == 128);
static_assert(layout<precisions::mxfp8_weights>(2, 4, 0, 4, 4, 18, 2) && beside<precisions::mxfp8_weights>(0, 0, 0, 8, 8, 32));

// Name, moments, and for matrices: moments, rule, its number, whether hidden ones only. What is quantised has blocks of 256 unless said.
template <class Algorithm>
constexpr bool algorithm(literal name, std::int64_t moments, std::int64_t matrix_moments = -1, matrix_rule matrices = matrix_rule::none,
                         std::int64_t matrix_size = 0, bool hidden_only = false, std::int64_t moment = 0) {
  constexpr optimizer_spec spec = Algorithm::spec;
  return spec.name == name && spec.moments == moments && spec.matrix_moments == matrix_moments && spec.matrices == matrices &&
         spec.matrix_size == matrix_size && spec.hidden_only == hidden_only && spec.moment == moment && spec.least_elements == 4096 &&
         !(spec.fused_step && spec.moments != 0);
}
template <class Algorithm>
constexpr bool quantised(std::int64_t bits, std::int64_t block, bool whole_blocks, std::int64_t table_bytes,
                         std::int64_t tensor_table_bytes) {
  constexpr optimizer_spec spec = Algorithm::spec;
  return spec.bits == bits && spec.block == block && spec.whole_blocks == whole_blocks && spec.table_bytes == table_bytes &&
         spec.tensor_table_bytes == tensor_table_bytes;
}
static_assert(algorithm<optimizers::sgd>("sgd", 0) && quantised<optimizers::sgd>(0, 256, false, 0, 0));
static_assert(algorithm<optimizers::momentum>("momentum", 1));
static_assert(algorithm<optimizers::adam>("adam", 2));
static_assert(algorithm<optimizers::adamw>("adamw", 2) && quantised<optimizers::adamw>(0, 256, false, 0, 0));
static_assert(algorithm<optimizers::lion>("lion", 1));
static_assert(algorithm<optimizers::ademamix>("ademamix", 3));
static_assert(algorithm<optimizers::sophia>("sophia", 2));
static_assert(algorithm<optimizers::lomo>("lomo", 0) && optimizers::lomo::spec.fused_step && !optimizers::sgd::spec.fused_step);
constexpr matrix_rule none = matrix_rule::none;
static_assert(algorithm<optimizers::adamw_8bit>("adamw_8bit", 2, -1, none, 0, false, 4) &&
              quantised<optimizers::adamw_8bit>(8, 256, false, 2'048, 0));  // two tables of 256 fp32 numbers
static_assert(algorithm<optimizers::lion_8bit>("lion_8bit", 1, -1, none, 0, false, 4) &&
              quantised<optimizers::lion_8bit>(8, 256, false, 1'024, 0));
static_assert(algorithm<optimizers::ademamix_8bit>("ademamix_8bit", 3, -1, none, 0, false, 4) &&
              quantised<optimizers::ademamix_8bit>(8, 256, false, 2'048, 0));
static_assert(algorithm<optimizers::ao_adamw_8bit>("ao_adamw_8bit", 2) && quantised<optimizers::ao_adamw_8bit>(8, 256, true, 0, 1'024));
static_assert(algorithm<optimizers::ao_adamw_4bit>("ao_adamw_4bit", 2) && quantised<optimizers::ao_adamw_4bit>(4, 128, true, 0, 64));
static_assert(algorithm<optimizers::ao_adamw_fp8>("ao_adamw_fp8", 2) && quantised<optimizers::ao_adamw_fp8>(8, 256, true, 0, 0));
static_assert(algorithm<optimizers::adafactor>("adafactor", 1, 0, matrix_rule::factored, 1, false, 4));
static_assert(algorithm<optimizers::adafactor_momentum>("adafactor_momentum", 2, 1, matrix_rule::factored, 1, false, 4));
static_assert(algorithm<optimizers::came>("came", 2, 1, matrix_rule::factored, 2));
static_assert(algorithm<optimizers::muon>("muon", 2, 1, none, 0, true));
static_assert(algorithm<optimizers::adamuon>("adamuon", 2, 2, none, 0, true));
static_assert(algorithm<optimizers::shampoo<>>("shampoo", 2, -1, matrix_rule::preconditioned, 128));
static_assert(algorithm<optimizers::shampoo<1024, 1>>("shampoo", 1, -1, matrix_rule::preconditioned, 1024));
static_assert(algorithm<optimizers::soap<>>("soap", 2, -1, matrix_rule::rotated, 10'000, false, 4));
static_assert(algorithm<optimizers::galore<128>>("galore", 2, -1, matrix_rule::low_rank, 128, true));
static_assert(algorithm<optimizers::adam_mini>("adam_mini", 1, -1, matrix_rule::block_means, 0, false, 4));

// Two specs are equal when every field is.
template <class Spec, class Member>
constexpr bool differs_in(Member Spec::*field, Member other) {
  Spec spec{};
  spec.*field = other;
  return spec == spec && !(spec == Spec{}) && spec != Spec{};
}
constexpr std::int64_t seven = 7;
static_assert(differs_in(&optimizer_spec::name, literal{"other"}) && differs_in(&optimizer_spec::moments, seven) &&
              differs_in(&optimizer_spec::matrix_moments, seven) && differs_in(&optimizer_spec::matrices, matrix_rule::rotated) &&
              differs_in(&optimizer_spec::hidden_only, true) && differs_in(&optimizer_spec::whole_blocks, true) &&
              differs_in(&optimizer_spec::fused_step, true) && differs_in(&optimizer_spec::matrix_size, seven) &&
              differs_in(&optimizer_spec::moment, seven) && differs_in(&optimizer_spec::bits, seven) &&
              differs_in(&optimizer_spec::block, seven) && differs_in(&optimizer_spec::least_elements, seven) &&
              differs_in(&optimizer_spec::table_bytes, seven) && differs_in(&optimizer_spec::tensor_table_bytes, seven));
static_assert(differs_in(&precision_spec::name, literal{"other"}) && differs_in(&precision_spec::weight, seven) &&
              differs_in(&precision_spec::gradient, seven) && differs_in(&precision_spec::accumulator, seven) &&
              differs_in(&precision_spec::gradient_copy, seven) && differs_in(&precision_spec::master, seven) &&
              differs_in(&precision_spec::moment, seven) && differs_in(&precision_spec::second_moment, seven) &&
              differs_in(&precision_spec::moment_scale, seven) && differs_in(&precision_spec::compute, seven) &&
              differs_in(&precision_spec::linear_bits, seven) && differs_in(&precision_spec::linear_copy_bits, seven) &&
              differs_in(&precision_spec::scale_block, seven) && differs_in(&precision_spec::scale_square, seven));

static_assert(default_headroom::total == 1'536_MiB);

// a part writes its own fields and notes its slot; said twice, it notes that too
struct sheet {
  std::int64_t sequence = 0, micro_batch = 0, global_batch = 0, headroom_mebibytes = 0;
  optimizer_spec optimizer{};
  precision_spec precision{};
  recomputes recompute = recomputes::none;
  offload_spec offload{};
  std::uint64_t said_parts = 0, repeated_parts = 0;
};
constexpr std::uint64_t bit(part_kind kind) { return std::uint64_t{1} << static_cast<int>(kind); }
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
