// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/gpt_oss.hpp>

namespace models = shardplan::models;

// truth/hf_configs, gpt-oss-20b (norms are not stated there)
static_assert(counts_but_norms_of<models::gpt_oss_20b>() == counts{.total = 20'914'757'184,
                                                                   .embedding = 579'133'440,
                                                                   .head = 579'133'440,
                                                                   .routed_experts = 19'116'933'120,
                                                                   .active = 4'187'440'704});

// truth/models.json, gpt-oss-120b (published: keras-team/keras-hub: gpt_oss_120b_en)
static_assert(counts_of<models::gpt_oss_120b>() == counts{.total = 116'829'156'672,
                                                          .embedding = 579'133'440,
                                                          .head = 579'133'440,
                                                          .routed_experts = 114'701'598'720,
                                                          .active = 5'711'982'912,
                                                          .norms = 210'240});
