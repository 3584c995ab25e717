// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Every model of the catalog: `shardplan::models::llama2_7b` and so on, types with `static constexpr transformer shape`. A family alone is
/// one header of catalog/. Counts are Hugging Face's `sum(p.numel() for p in model.parameters())`.
#include <shardplan/model/catalog/bloom.hpp>
#include <shardplan/model/catalog/command_r.hpp>
#include <shardplan/model/catalog/dbrx.hpp>
#include <shardplan/model/catalog/deepseek.hpp>
#include <shardplan/model/catalog/falcon.hpp>
#include <shardplan/model/catalog/gemma.hpp>
#include <shardplan/model/catalog/glm.hpp>
#include <shardplan/model/catalog/gpt.hpp>
#include <shardplan/model/catalog/gpt_neox.hpp>
#include <shardplan/model/catalog/gpt_oss.hpp>
#include <shardplan/model/catalog/granite.hpp>
#include <shardplan/model/catalog/internlm.hpp>
#include <shardplan/model/catalog/kimi.hpp>
#include <shardplan/model/catalog/llama.hpp>
#include <shardplan/model/catalog/mistral.hpp>
#include <shardplan/model/catalog/mpt.hpp>
#include <shardplan/model/catalog/nemotron.hpp>
#include <shardplan/model/catalog/olmo.hpp>
#include <shardplan/model/catalog/opt.hpp>
#include <shardplan/model/catalog/phi.hpp>
#include <shardplan/model/catalog/qwen.hpp>
#include <shardplan/model/catalog/starcoder.hpp>
#include <shardplan/model/catalog/yi.hpp>
