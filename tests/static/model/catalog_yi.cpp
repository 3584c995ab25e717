// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/yi.hpp>

namespace models = shardplan::models;

// truth/models.json, Yi-6B (published: hub safetensors total)
static_assert(counts_of<models::yi_6b>() ==
              counts{.total = 6'061'035'520, .embedding = 262'144'000, .head = 262'144'000, .active = 6'061'035'520, .norms = 266'240});

// truth/models.json, Yi-34B (published: hub safetensors total)
static_assert(counts_of<models::yi_34b>() ==
              counts{.total = 34'388'917'248, .embedding = 458'752'000, .head = 458'752'000, .active = 34'388'917'248, .norms = 867'328});
