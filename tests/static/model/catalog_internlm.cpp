// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/internlm.hpp>

namespace models = shardplan::models;

// No count is published: by hand, 2 x 103,168 x 4,096 + 32 (4 x 4,096^2 + 4 x 4,096 + 3 x 4,096 x 11,008 + 2 x 4,096) + 4,096.
static_assert(counts_but_norms_of<models::internlm_7b>() ==
              counts{.total = 7'321'948'160, .embedding = 422'576'128, .head = 422'576'128, .active = 7'321'948'160});

// internlm/internlm2-7b: 7,737,708,544 in its files (15,475,417,088 bytes of bf16)
static_assert(counts_but_norms_of<models::internlm2_7b>() ==
              counts{.total = 7'737'708'544, .embedding = 379'060'224, .head = 379'060'224, .active = 7'737'708'544});

// internlm/internlm2-20b: 19,861,149,696
static_assert(counts_but_norms_of<models::internlm2_20b>() ==
              counts{.total = 19'861'149'696, .embedding = 568'590'336, .head = 568'590'336, .active = 19'861'149'696});
