// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/gemma.hpp>

namespace models = shardplan::models;

// truth/models.json, gemma-7b (published: keras-team/keras-hub: gemma_7b_en)
static_assert(counts_of<models::gemma_7b>() ==
              counts{.total = 8'537'680'896, .embedding = 786'432'000, .head = 0, .active = 8'537'680'896, .norms = 175'104});
