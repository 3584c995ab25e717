// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/phi.hpp>

namespace models = shardplan::models;

// truth/models.json, Phi-4-mini-instruct (published: hub safetensors total)
static_assert(counts_of<models::phi_4_mini>() ==
              counts{.total = 3'836'021'760, .embedding = 614'596'608, .head = 0, .active = 3'836'021'760, .norms = 199'680});
