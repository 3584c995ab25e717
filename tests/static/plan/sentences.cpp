// SPDX-License-Identifier: BSL-1.0
// Each rule in words, made at compile time.
#include <shardplan/plan/sentence.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

namespace {

template <class... More>
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::micro_batch<1>,
                     sp::sequence<4096>, sp::precision<sp::precisions::handbook_bf16>, More...>;

template <class Plan>
constexpr bool says(const char* words) {
  const auto sentence = sp::sentence_of(Plan::found);
  return !sentence.truncated && sp::literal{sentence.c_str()} == sp::literal{words};
}

static_assert(says<run<sp::global_batch<64>, sp::zero<3>>>("the plan is valid"));
static_assert(says<run<>>("the plan lacks the part global_batch (more rules are asked once these are kept)"));
static_assert(says<run<sp::global_batch<64>, sp::tp<1>, sp::tp<1>>>(
    "the plan says the part tp more than once (more rules are asked once these are kept)"));
static_assert(says<run<sp::global_batch<64>, sp::zero<4>>>("zero 4 is not between 0 and 3 (more rules are asked once these are kept)"));
// A range of one number has no between.
struct odd_shape {
  static constexpr sp::transformer shape = [] {
    sp::transformer dense = sp::models::llama2_7b::shape;
    dense.experts.top_k = 2;
    return dense;
  }();
};
static_assert(says<sp::plan<sp::model<odd_shape>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::micro_batch<1>, sp::sequence<4096>,
                            sp::global_batch<64>>>("top_k 2 is not 0 (more rules are asked once these are kept)"));
// More parameters, by an upper bound that saturates, than can be counted.
struct colossal {
  static constexpr sp::transformer shape{.layers = 16384, .hidden = 16777216, .heads = 65536, .ffn = 16777216, .vocab = 32000};
};
constexpr sp::violation too_large = sp::plan<sp::model<colossal>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::micro_batch<1>,
                                             sp::sequence<4096>, sp::global_batch<64>>::found[0];
static_assert(sp::literal{sp::sentence_of(too_large).c_str()} ==
              sp::literal{"parameters_bound 9223372036854775807 exceeds 4503599627370496, the most that is computed exactly"});
static_assert(says<run<sp::global_batch<8>, sp::pp<8>, sp::schedule<sp::schedules::dual_pipe>>>(
    "micro_batches 8 is less than what the schedule starts with, pp_x_chunks 16 (legal: global_batch<16>) (more rules are asked once these "
    "are kept)"));
static_assert(says<run<sp::global_batch<64>, sp::dp<3>>>(
    "tp_x_pp_x_cp_x_dp 3 does not match device_count 8 (legal: dp<8>); and micro_batch_x_dp 3 does not divide "
    "global_batch 64 (more rules are asked once these are kept)"));
static_assert(
    says<run<sp::global_batch<63>, sp::zero<1>>>("micro_batch_x_dp 8 does not divide global_batch 63 (legal: global_batch<56>, "
                                                 "global_batch<64>) (more rules are asked once these are kept)"));
static_assert(
    says<run<sp::global_batch<64>, sp::pp<2>, sp::layer_split<32, 0>>>("stage 1 owns no layer (more rules are asked once these are kept)"));
static_assert(says<run<sp::global_batch<64>, sp::zero<3>, sp::offload<sp::gradients_to<sp::storage::nvme>>>>(
    "gradients cannot be offloaded to NVMe (try gradients_to<storage::host> in offload<>)"));
static_assert(says<run<sp::global_batch<64>, sp::zero<3>, sp::ep<2>>>("ep 2 exceeds expert_count 0 (legal: ep<1>)"));
// 80,860,987,392 bytes of states, 17,264,803,840 of activations and what lives beside them, as tests/static/plan/plans.cpp adds them up.
static_assert(
    says<run<sp::global_batch<64>>>("stage 0 needs 93.9 GiB in phase loss and has 80.0 GiB; largest: optimizer 50.3 GiB; try zero<1>"));
static_assert(says<run<sp::global_batch<63>, sp::pp<3>>>(
    "pp 3 does not divide device_count 8 (legal: pp<8>); and pp 3 does not divide layers 32 (more rules are asked once these are kept)"));

}  // namespace
