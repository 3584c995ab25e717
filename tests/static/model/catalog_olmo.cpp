// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/olmo.hpp>

namespace models = shardplan::models;

// truth/models.json, OLMo-1B-hf (published: hub safetensors total)
static_assert(counts_of<models::olmo_1b>() == counts{.total = 1'176'764'416, .embedding = 103'022'592, .head = 0, .active = 1'176'764'416});

// truth/models.json, OLMo-2-0425-1B (published: hub safetensors total)
static_assert(counts_of<models::olmo_2_1b>() ==
              counts{.total = 1'484'916'736, .embedding = 205'520'896, .head = 205'520'896, .active = 1'484'916'736, .norms = 133'120});

// truth/models.json, OLMo-2-1124-7B (published: hub safetensors total (revision 7df9a825))
static_assert(counts_of<models::olmo_2_7b>() ==
              counts{.total = 7'298'617'344, .embedding = 411'041'792, .head = 411'041'792, .active = 7'298'617'344, .norms = 528'384});

// truth/models.json, OLMo-2-1124-13B (published: hub safetensors total (revision 3fefddc1))
static_assert(counts_of<models::olmo_2_13b>() ==
              counts{.total = 13'716'198'400, .embedding = 513'802'240, .head = 513'802'240, .active = 13'716'198'400, .norms = 824'320});

// truth/models.json, OLMo-2-0325-32B (published: hub safetensors total)
static_assert(counts_of<models::olmo_2_32b>() ==
              counts{.total = 32'234'279'936, .embedding = 513'802'240, .head = 513'802'240, .active = 32'234'279'936, .norms = 1'053'696});
