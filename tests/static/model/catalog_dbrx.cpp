// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/dbrx.hpp>

namespace models = shardplan::models;

// truth/hf_configs, dbrx-base (norms are not stated there)
static_assert(counts_but_norms_of<models::dbrx>() == counts{.total = 131'596'523'520,
                                                            .embedding = 616'562'688,
                                                            .head = 616'562'688,
                                                            .routed_experts = 126'835'752'960,
                                                            .active = 36'469'708'800});
