// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/mistral.hpp>

namespace models = shardplan::models;

// truth/models.json, Mistral-7B-v0.1 (published: keras-team/keras-hub: mistral_7b_en)
static_assert(counts_of<models::mistral_7b>() ==
              counts{.total = 7'241'732'096, .embedding = 131'072'000, .head = 131'072'000, .active = 7'241'732'096, .norms = 266'240});

// truth/models.json, Mistral-7B-v0.3 (published: keras-team/keras-hub: mistral_0.3_7b_en)
static_assert(counts_of<models::mistral_7b_v0_3>() ==
              counts{.total = 7'248'023'552, .embedding = 134'217'728, .head = 134'217'728, .active = 7'248'023'552, .norms = 266'240});

// truth/models.json, Ministral-8B-Instruct-2410 (published: hub safetensors total)
static_assert(counts_of<models::ministral_8b>() ==
              counts{.total = 8'019'808'256, .embedding = 536'870'912, .head = 536'870'912, .active = 8'019'808'256, .norms = 299'008});

// truth/models.json, Mistral-Small-24B-Base-2501 (published: hub safetensors total)
static_assert(counts_of<models::mistral_small_24b>() ==
              counts{.total = 23'572'403'200, .embedding = 671'088'640, .head = 671'088'640, .active = 23'572'403'200, .norms = 414'720});

// truth/models.json, Mistral-Large-Instruct-2407 (published: hub safetensors total)
static_assert(counts_of<models::mistral_large_2407>() ==
              counts{
                  .total = 122'610'069'504, .embedding = 402'653'184, .head = 402'653'184, .active = 122'610'069'504, .norms = 2'174'976});

// truth/models.json, Mixtral-8x7B-v0.1 (published: keras-team/keras-hub: mixtral_8_7b_en)
static_assert(counts_of<models::mixtral_8x7b>() == counts{.total = 46'702'792'704,
                                                          .embedding = 131'072'000,
                                                          .head = 131'072'000,
                                                          .routed_experts = 45'097'156'608,
                                                          .active = 12'879'925'248,
                                                          .norms = 266'240});

// truth/models.json, Mixtral-8x22B-v0.1 (published: hub safetensors total)
static_assert(counts_of<models::mixtral_8x22b>() == counts{.total = 140'620'634'112,
                                                           .embedding = 196'608'000,
                                                           .head = 196'608'000,
                                                           .routed_experts = 135'291'469'824,
                                                           .active = 39'152'031'744,
                                                           .norms = 694'272});
