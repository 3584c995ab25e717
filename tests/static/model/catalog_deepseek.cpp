// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/deepseek.hpp>

namespace models = shardplan::models;

// truth/models.json, deepseek-llm-7b-base (published: hub safetensors total)
static_assert(counts_of<models::deepseek_llm_7b>() ==
              counts{.total = 6'910'365'696, .embedding = 419'430'400, .head = 419'430'400, .active = 6'910'365'696, .norms = 249'856});

// truth/models.json, deepseek-moe-16b-base (published: hub safetensors total)
static_assert(counts_of<models::deepseek_moe_16b>() == counts{.total = 16'375'728'128,
                                                              .embedding = 209'715'200,
                                                              .head = 209'715'200,
                                                              .routed_experts = 14'948'499'456,
                                                              .active = 2'828'650'496,
                                                              .norms = 116'736});
