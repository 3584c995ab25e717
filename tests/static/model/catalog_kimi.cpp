// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/kimi.hpp>

namespace models = shardplan::models;

// truth/models.json, Kimi-K2-Instruct (published: hub safetensors total (Instruct); the Base repo shows 1026470731056 = + 62495192 FP8
// block scales)
static_assert(counts_of<models::kimi_k2>() == counts{.total = 1'026'408'209'408,
                                                     .embedding = 1'174'405'120,
                                                     .head = 1'174'405'120,
                                                     .routed_experts = 1'014'686'023'680,
                                                     .active = 32'861'477'888,
                                                     .norms = 1'006'592});

// truth/models.json, Moonlight-16B-A3B (published: hub safetensors total)
static_assert(counts_of<models::moonlight_16b_a3b>() == counts{.total = 15'960'108'544,
                                                               .embedding = 335'544'320,
                                                               .head = 335'544'320,
                                                               .routed_experts = 14'394'851'328,
                                                               .active = 2'914'774'528,
                                                               .norms = 126'464});
