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
static_assert(says<run<sp::global_batch<64>, sp::dp<3>>>(
    "tp_x_pp_x_cp_x_dp 3 is not device_count 8 (legal: dp<8>); and micro_batch_x_dp 3 does not divide "
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
