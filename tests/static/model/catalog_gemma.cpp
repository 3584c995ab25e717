// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/gemma.hpp>

namespace models = shardplan::models;

// truth/models.json, gemma-7b (published: keras-team/keras-hub: gemma_7b_en)
static_assert(counts_of<models::gemma_7b>() ==
              counts{.total = 8'537'680'896, .embedding = 786'432'000, .head = 0, .active = 8'537'680'896, .norms = 175'104});

// truth/models.json, gemma-2-2b (published: keras-team/keras-hub: gemma2_2b_en)
static_assert(counts_of<models::gemma_2_2b>() ==
              counts{.total = 2'614'341'888, .embedding = 589'824'000, .head = 0, .active = 2'614'341'888, .norms = 241'920});

// truth/models.json, gemma-2-9b (published: keras-team/keras-hub: gemma2_9b_en)
static_assert(counts_of<models::gemma_2_9b>() ==
              counts{.total = 9'241'705'984, .embedding = 917'504'000, .head = 0, .active = 9'241'705'984, .norms = 605'696});

// truth/models.json, gemma-2-27b (published: keras-team/keras-hub: gemma2_27b_en)
static_assert(counts_of<models::gemma_2_27b>() ==
              counts{.total = 27'227'128'320, .embedding = 1'179'648'000, .head = 0, .active = 27'227'128'320, .norms = 852'480});

// truth/models.json, gemma-3-1b-pt (published: keras-team/keras-hub: gemma3_1b)
static_assert(counts_of<models::gemma_3_1b>() ==
              counts{.total = 999'885'952, .embedding = 301'989'888, .head = 0, .active = 999'885'952, .norms = 134'272});

// truth/hf_configs, gemma-3-4b-pt (norms are not stated there)
static_assert(counts_but_norms_of<models::gemma_3_4b>() ==
              counts{.total = 3'880'263'168, .embedding = 671'252'480, .head = 0, .active = 3'880'263'168});

// truth/models.json, gemma-3-12b-pt (published: keras-team/keras-hub: gemma3_12b_text)
static_assert(counts_of<models::gemma_3_12b>() ==
              counts{.total = 11'766'034'176, .embedding = 1'006'878'720, .head = 0, .active = 11'766'034'176, .norms = 765'696});

// truth/models.json, gemma-3-27b-pt (published: keras-team/keras-hub: gemma3_27b_text)
static_assert(counts_of<models::gemma_3_27b>() ==
              counts{.total = 27'009'346'304, .embedding = 1'409'630'208, .head = 0, .active = 27'009'346'304, .norms = 1'354'496});
