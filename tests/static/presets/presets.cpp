// SPDX-License-Identifier: BSL-1.0
// Each preset is valid, and its degrees are those of the source that its comment names (typed here from the source).
#include <shardplan/handbook/parallelism.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/presets/presets.hpp>

namespace sp = shardplan;
namespace presets = shardplan::presets;

template <class Plan>
constexpr bool lies(std::int64_t devices, std::int64_t tp, std::int64_t pp, std::int64_t cp, std::int64_t dp) {
  return sp::checked<Plan> && Plan::world_size == devices && Plan::spec.tp == tp && Plan::spec.pp == pp && Plan::spec.cp == cp &&
         Plan::data_parallel == dp;
}

static_assert(lies<presets::llama2_7b_zero_1>(8, 1, 1, 1, 8) && presets::llama2_7b_zero_1::spec.zero == 1);
static_assert(lies<presets::llama2_7b_zero_2>(8, 1, 1, 1, 8) && presets::llama2_7b_zero_2::spec.zero == 2);
static_assert(lies<presets::llama2_7b_fsdp>(8, 1, 1, 1, 8) && presets::llama2_7b_fsdp::spec.sharding.is_fsdp());
static_assert(lies<presets::llama2_13b_fsdp>(8, 1, 1, 1, 8));
static_assert(lies<presets::llama2_13b_fsdp_16>(16, 1, 1, 1, 16));
static_assert(lies<presets::llama2_13b_tp_2>(8, 2, 1, 1, 4));
static_assert(lies<presets::llama2_13b_tp_2_16>(16, 2, 1, 1, 8));
static_assert(lies<presets::llama2_70b_tp_8_pp_2>(64, 8, 2, 1, 4));
static_assert(lies<presets::llama2_70b_tp_4_pp_4>(64, 4, 4, 1, 4));
static_assert(lies<presets::gpt3_175b_tp_8_pp_8>(1024, 8, 8, 1, 16));
static_assert(lies<presets::gpt3_175b_tp_8_pp_8_recompute>(1024, 8, 8, 1, 16));
static_assert(lies<presets::llama3_405b_tp_8_pp_16>(8192, 8, 16, 1, 64));
static_assert(lies<presets::llama3_405b_long>(16384, 8, 16, 16, 8));
static_assert(lies<presets::llama3_405b_one_replica>(128, 8, 16, 1, 1));
static_assert(lies<presets::mixtral_8x7b_ep_8>(64, 1, 4, 1, 16) && presets::mixtral_8x7b_ep_8::spec.ep == 8);
static_assert(lies<presets::deepseek_v3_pp_16_ep_64>(2048, 1, 16, 1, 128) && presets::deepseek_v3_pp_16_ep_64::spec.ep == 64);

// 16,777,216 tokens a step in both rows of Meta's table.
static_assert(presets::llama3_405b_tp_8_pp_16::spec.global_batch * presets::llama3_405b_tp_8_pp_16::spec.sequence == 16'777'216);
static_assert(presets::llama3_405b_long::spec.global_batch * presets::llama3_405b_long::spec.sequence == 16'777'216);
