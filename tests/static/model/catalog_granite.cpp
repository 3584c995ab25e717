// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/granite.hpp>

namespace models = shardplan::models;

// truth/models.json, granite-3.1-2b-base (published: hub safetensors total)
static_assert(counts_of<models::granite_3_1_2b>() ==
              counts{.total = 2'533'531'648, .embedding = 100'669'440, .head = 0, .active = 2'533'531'648, .norms = 165'888});

// truth/models.json, granite-3.3-2b-instruct (published: hub safetensors total)
static_assert(counts_of<models::granite_3_3_2b>() ==
              counts{.total = 2'533'539'840, .embedding = 100'677'632, .head = 0, .active = 2'533'539'840, .norms = 165'888});

// truth/models.json, granite-3.3-8b-instruct (published: hub safetensors total)
static_assert(counts_of<models::granite_3_3_8b>() ==
              counts{.total = 8'170'864'640, .embedding = 201'355'264, .head = 0, .active = 8'170'864'640, .norms = 331'776});

// truth/models.json, granite-3.1-1b-a400m-base (published: hub safetensors total)
static_assert(counts_of<models::granite_3_1_1b_a400m>() == counts{.total = 1'334'628'352,
                                                                  .embedding = 50'334'720,
                                                                  .head = 0,
                                                                  .routed_experts = 1'207'959'552,
                                                                  .active = 428'658'688,
                                                                  .norms = 50'176});

// truth/hf_configs/expected.json, granite-3.1-3b-a800m-base
static_assert(counts_of<models::granite_3_1_3b_a800m>() == counts{.total = 3'298'793'472,
                                                                  .embedding = 75'502'080,
                                                                  .head = 0,
                                                                  .routed_experts = 3'019'898'880,
                                                                  .active = 882'874'368,
                                                                  .norms = 99'840});
