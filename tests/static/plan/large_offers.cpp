// SPDX-License-Identifier: BSL-1.0
// Remedies, offers against idling and diagnoses of the largest plans, within what compilers evaluate without a flag.
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/presets/presets.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

namespace {

using deepseek = sp::plan<sp::model<sp::models::deepseek_v3>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 256>, sp::pp<16>, sp::ep<64>,
                          sp::zero<1>, sp::sequence<8192>, sp::micro_batch<8>, sp::global_batch<15360>,
                          sp::layer_split<3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2>>;
using llama =
    sp::plan<sp::model<sp::models::llama3_1_405b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 128>, sp::pp<16>, sp::tp<8>, sp::zero<1>,
             sp::sequence<8192>, sp::micro_batch<8>, sp::global_batch<2048>, sp::pipeline_slots<sp::embedding_slot, sp::loss_slot>>;
static_assert(!sp::valid<deepseek> && !sp::valid<llama>);
static_assert(!sp::remedies_of<deepseek>.empty() && !sp::remedies_of<llama>.empty());

template <class Plan>
constexpr bool diagnosed = sp::diagnose<Plan, sp::symptoms::out_of_memory>[0].now.says ==
                           sp::standing::supported&& sp::diagnose<Plan, sp::symptoms::low_utilisation>.size() > 1;
static_assert(diagnosed<deepseek> && diagnosed<llama>);

template <class Plan>
constexpr bool offered =
    !sp::less_idle_of<Plan>.empty() && sp::room_for_micro_batches_of<Plan>.most > 1 && !sp::room_for_micro_batches_of<Plan>.ends;
static_assert(offered<sp::presets::deepseek_v3_pp_16_ep_64> && offered<sp::presets::llama3_405b_tp_8_pp_16>);

}  // namespace
