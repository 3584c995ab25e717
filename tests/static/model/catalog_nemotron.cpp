// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/nemotron.hpp>

namespace models = shardplan::models;

// truth/models.json, Minitron-4B-Base (published: no exact figure read)
static_assert(counts_of<models::minitron_4b>() ==
              counts{.total = 4'190'509'056, .embedding = 786'432'000, .head = 786'432'000, .active = 4'190'509'056, .norms = 399'360});

// truth/models.json, Nemotron-4-340B-Base (published: no exact figure read)
static_assert(
    counts_of<models::nemotron_4_340b>() ==
    counts{.total = 341'029'195'776, .embedding = 4'718'592'000, .head = 4'718'592'000, .active = 341'029'195'776, .norms = 7'114'752});
