// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/mpt.hpp>

namespace models = shardplan::models;

// truth/hf_configs, mpt-7b (norms are not stated there)
static_assert(counts_but_norms_of<models::mpt_7b>() ==
              counts{.total = 6'649'286'656, .embedding = 206'569'472, .head = 0, .active = 6'649'286'656});
