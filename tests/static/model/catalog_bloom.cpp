// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/bloom.hpp>

namespace models = shardplan::models;

// truth/models.json, bloom-1b1 (published: keras-team/keras-hub: bloom_1.1b_multi)
static_assert(counts_of<models::bloom_1b1>() ==
              counts{.total = 1'065'314'304, .embedding = 385'351'680, .head = 0, .active = 1'065'314'304, .norms = 153'600});

// truth/models.json, bloom-7b1 (published: model card)
static_assert(counts_of<models::bloom_7b1>() ==
              counts{.total = 7'069'016'064, .embedding = 1'027'604'480, .head = 0, .active = 7'069'016'064, .norms = 507'904});
