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

// truth/models.json, DeepSeek-V2-Lite (published: hub safetensors total)
static_assert(counts_of<models::deepseek_v2_lite>() == counts{.total = 15'706'484'224,
                                                              .embedding = 209'715'200,
                                                              .head = 209'715'200,
                                                              .routed_experts = 14'394'851'328,
                                                              .active = 2'661'150'208,
                                                              .norms = 126'464});

// truth/models.json, DeepSeek-V2 (published: hub safetensors total)
static_assert(counts_of<models::deepseek_v2>() == counts{.total = 235'741'434'880,
                                                         .embedding = 524'288'000,
                                                         .head = 524'288'000,
                                                         .routed_experts = 222'717'542'400,
                                                         .active = 21'375'800'320,
                                                         .norms = 742'400});

// truth/models.json, DeepSeek-V3 (published: hub safetensors total = 671026419200 main (router bias included) + 13463426304 MTP (repeated
// embedding and head included) + 41540496 FP8 block scales)
static_assert(counts_of<models::deepseek_v3>() == counts{.total = 671'026'404'352,
                                                         .embedding = 926'679'040,
                                                         .head = 926'679'040,
                                                         .routed_experts = 653'908'770'816,
                                                         .active = 37'552'282'624,
                                                         .norms = 1'006'592});
