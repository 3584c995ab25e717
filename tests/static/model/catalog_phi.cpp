// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/phi.hpp>

namespace models = shardplan::models;

// truth/models.json, Phi-4-mini-instruct (published: hub safetensors total)
static_assert(counts_of<models::phi_4_mini>() ==
              counts{.total = 3'836'021'760, .embedding = 614'596'608, .head = 0, .active = 3'836'021'760, .norms = 199'680});

// truth/models.json, phi-2 (published: hub safetensors total)
static_assert(counts_of<models::phi_2>() ==
              counts{.total = 2'779'683'840, .embedding = 131'072'000, .head = 131'123'200, .active = 2'779'683'840, .norms = 168'960});

// truth/models.json, Phi-3.5-MoE-instruct (published: hub safetensors total)
static_assert(counts_of<models::phi_3_5_moe>() == counts{.total = 41'873'153'344,
                                                         .embedding = 131'334'144,
                                                         .head = 131'366'208,
                                                         .routed_experts = 40'265'318'400,
                                                         .active = 6'640'999'744,
                                                         .norms = 532'480});
