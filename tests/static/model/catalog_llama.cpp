// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/llama.hpp>

namespace models = shardplan::models;

// truth/models.json, llama-7b (published: hub safetensors total)
static_assert(counts_of<models::llama_7b>() ==
              counts{.total = 6'738'415'616, .embedding = 131'072'000, .head = 131'072'000, .active = 6'738'415'616, .norms = 266'240});

// truth/models.json, llama-13b (published: hub safetensors total)
static_assert(counts_of<models::llama_13b>() ==
              counts{.total = 13'015'864'320, .embedding = 163'840'000, .head = 163'840'000, .active = 13'015'864'320, .norms = 414'720});

// 18 bytes a parameter are the 585,520,985,088 bytes of truth/report_cases.json, case R106
static_assert(counts_of<models::llama_30b>() ==
              counts{.total = 32'528'943'616, .embedding = 212'992'000, .head = 212'992'000, .active = 32'528'943'616, .norms = 805'376});

// truth/models.json, llama-65b (published: hub safetensors total)
static_assert(counts_of<models::llama_65b>() ==
              counts{.total = 65'285'660'672, .embedding = 262'144'000, .head = 262'144'000, .active = 65'285'660'672, .norms = 1'318'912});

// truth/models.json, Llama-2-7b-hf (published: keras-team/keras-hub: llama2_7b_en)
static_assert(counts_of<models::llama2_7b>() ==
              counts{.total = 6'738'415'616, .embedding = 131'072'000, .head = 131'072'000, .active = 6'738'415'616, .norms = 266'240});

// truth/models.json, Llama-2-13b-hf (published: hub safetensors total (revision 5c31dfb6))
static_assert(counts_of<models::llama2_13b>() ==
              counts{.total = 13'015'864'320, .embedding = 163'840'000, .head = 163'840'000, .active = 13'015'864'320, .norms = 414'720});

// truth/models.json, Llama-2-70b-hf (published: hub safetensors total (revision 3aba440b))
static_assert(counts_of<models::llama2_70b>() ==
              counts{.total = 68'976'648'192, .embedding = 262'144'000, .head = 262'144'000, .active = 68'976'648'192, .norms = 1'318'912});

// truth/models.json, Meta-Llama-3-8B (published: keras-team/keras-hub: llama3_8b_en)
static_assert(counts_of<models::llama3_8b>() ==
              counts{.total = 8'030'261'248, .embedding = 525'336'576, .head = 525'336'576, .active = 8'030'261'248, .norms = 266'240});

// truth/models.json, Meta-Llama-3-70B (published: hub safetensors total)
static_assert(
    counts_of<models::llama3_70b>() ==
    counts{.total = 70'553'706'496, .embedding = 1'050'673'152, .head = 1'050'673'152, .active = 70'553'706'496, .norms = 1'318'912});

// truth/models.json, Llama-3.1-8B (published: hub safetensors total (revision d04e592b))
static_assert(counts_of<models::llama3_1_8b>() ==
              counts{.total = 8'030'261'248, .embedding = 525'336'576, .head = 525'336'576, .active = 8'030'261'248, .norms = 266'240});

// the same shape as Llama 3 70B
static_assert(
    counts_of<models::llama3_1_70b>() ==
    counts{.total = 70'553'706'496, .embedding = 1'050'673'152, .head = 1'050'673'152, .active = 70'553'706'496, .norms = 1'318'912});

// truth/models.json, Llama-3.1-405B (published: hub safetensors total (revision b906e4dc))
static_assert(
    counts_of<models::llama3_1_405b>() ==
    counts{.total = 405'853'388'800, .embedding = 2'101'346'304, .head = 2'101'346'304, .active = 405'853'388'800, .norms = 4'145'152});

// truth/hf_configs/expected.json, Llama-3.2-1B
static_assert(counts_of<models::llama3_2_1b>() ==
              counts{.total = 1'235'814'400, .embedding = 262'668'288, .head = 0, .active = 1'235'814'400, .norms = 67'584});

// truth/models.json, Llama-3.2-3B (published: hub safetensors total)
static_assert(counts_of<models::llama3_2_3b>() ==
              counts{.total = 3'212'749'824, .embedding = 394'002'432, .head = 0, .active = 3'212'749'824, .norms = 175'104});

// truth/models.json, TinyLlama-1.1B (published: hub safetensors total)
static_assert(counts_of<models::tinyllama_1_1b>() ==
              counts{.total = 1'100'048'384, .embedding = 65'536'000, .head = 65'536'000, .active = 1'100'048'384, .norms = 92'160});

// truth/models.json, SmolLM2-360M (published: hub safetensors total)
static_assert(counts_of<models::smollm2_360m>() ==
              counts{.total = 361'821'120, .embedding = 47'185'920, .head = 0, .active = 361'821'120, .norms = 62'400});

// truth/models.json, Llama-4-Scout-17B-16E (published: hub safetensors total, vision tower included)
static_assert(counts_of<models::llama4_scout_17b_16e>() == counts{.total = 107'769'861'120,
                                                                  .embedding = 1'034'485'760,
                                                                  .head = 1'034'485'760,
                                                                  .routed_experts = 96'636'764'160,
                                                                  .active = 17'172'894'720,
                                                                  .norms = 496'640});
