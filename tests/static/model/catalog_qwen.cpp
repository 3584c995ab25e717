// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/qwen.hpp>

namespace models = shardplan::models;

// truth/models.json, Qwen1.5-7B (published: hub safetensors total)
static_assert(counts_of<models::qwen1_5_7b>() ==
              counts{.total = 7'721'324'544, .embedding = 622'329'856, .head = 622'329'856, .active = 7'721'324'544, .norms = 266'240});

// truth/models.json, Qwen1.5-110B (published: hub safetensors total)
static_assert(
    counts_of<models::qwen1_5_110b>() ==
    counts{.total = 111'209'914'368, .embedding = 1'245'708'288, .head = 1'245'708'288, .active = 111'209'914'368, .norms = 1'318'912});

// truth/models.json, Qwen2-0.5B (published: keras-team/keras-hub: qwen2.5_0.5b_en (same shape))
static_assert(counts_of<models::qwen2_0_5b>() ==
              counts{.total = 494'032'768, .embedding = 136'134'656, .head = 0, .active = 494'032'768, .norms = 43'904});

// truth/models.json, Qwen2.5-3B (published: keras-team/keras-hub: qwen2.5_3b_en)
static_assert(counts_of<models::qwen2_5_3b>() ==
              counts{.total = 3'085'938'688, .embedding = 311'164'928, .head = 0, .active = 3'085'938'688, .norms = 149'504});

// truth/hf_configs/expected.json, Qwen2.5-7B
static_assert(counts_of<models::qwen2_5_7b>() ==
              counts{.total = 7'615'616'512, .embedding = 544'997'376, .head = 544'997'376, .active = 7'615'616'512, .norms = 204'288});

// truth/models.json, Qwen2.5-14B (published: hub total via a provider catalogue (R1-Distill-Qwen-14B, same shape))
static_assert(counts_of<models::qwen2_5_14b>() ==
              counts{.total = 14'770'033'664, .embedding = 778'567'680, .head = 778'567'680, .active = 14'770'033'664, .norms = 496'640});

// no truth row; computed from the config by a second program
static_assert(counts_of<models::qwen2_5_32b>() ==
              counts{.total = 32'763'876'352, .embedding = 778'567'680, .head = 778'567'680, .active = 32'763'876'352, .norms = 660'480});

// truth/models.json, Qwen2.5-72B (published: keras-team/keras-hub: qwen2.5_instruct_72b_en)
static_assert(
    counts_of<models::qwen2_5_72b>() ==
    counts{.total = 72'706'203'648, .embedding = 1'245'708'288, .head = 1'245'708'288, .active = 72'706'203'648, .norms = 1'318'912});
