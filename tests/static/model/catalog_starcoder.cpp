// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/starcoder.hpp>

namespace models = shardplan::models;

// truth/models.json, starcoder2-3b (published: hub safetensors total)
static_assert(counts_of<models::starcoder2_3b>() ==
              counts{.total = 3'030'371'328, .embedding = 150'994'944, .head = 0, .active = 3'030'371'328, .norms = 374'784});
