// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>

#include <cstdint>

// Models, devices and hosts that questions about plans are asked for.
namespace grid {

/// The models of the presets, and others: small, tied, with biases, narrow key/value heads, many experts.
inline constexpr shardplan::transformer models[] = {
    shardplan::models::llama2_7b::shape,   shardplan::models::llama2_13b::shape,    shardplan::models::llama2_70b::shape,
    shardplan::models::gpt3_175b::shape,   shardplan::models::llama3_1_405b::shape, shardplan::models::mixtral_8x7b::shape,
    shardplan::models::deepseek_v3::shape, shardplan::models::gpt2_xl::shape,       shardplan::models::llama3_2_1b::shape,
    shardplan::models::qwen2_5_3b::shape,  shardplan::models::qwen2_5_14b::shape,   shardplan::models::deepseek_v2_lite::shape};
inline constexpr shardplan::device_spec devices[] = {shardplan::devices::a100_sxm_80gb::spec, shardplan::devices::h100_sxm_80gb::spec,
                                                     shardplan::devices::mi300x::spec};
/// Hosts of 8 devices.
inline constexpr std::int64_t hosts[] = {1, 2, 8, 32, 128};

}  // namespace grid
