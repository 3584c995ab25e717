// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/gpt.hpp>

namespace models = shardplan::models;

// the Hub's own count for openai-community/gpt2
static_assert(counts_of<models::gpt2>() ==
              counts{.total = 124'439'808, .embedding = 38'597'376, .head = 0, .active = 124'439'808, .norms = 38'400});

// the Hub's own count for openai-community/gpt2-medium
static_assert(counts_of<models::gpt2_medium>() ==
              counts{.total = 354'823'168, .embedding = 51'463'168, .head = 0, .active = 354'823'168, .norms = 100'352});

// truth/models.json, gpt2-large (published: keras-team/keras-hub: gpt2_large_en)
static_assert(counts_of<models::gpt2_large>() ==
              counts{.total = 774'030'080, .embedding = 64'328'960, .head = 0, .active = 774'030'080, .norms = 186'880});

// truth/models.json, gpt2-xl (published: keras-team/keras-hub: gpt2_extra_large_en)
static_assert(counts_of<models::gpt2_xl>() ==
              counts{.total = 1'557'611'200, .embedding = 80'411'200, .head = 0, .active = 1'557'611'200, .norms = 310'400});

// facts/memory.md section 1: V = 50257, 2048 positions, biases, tied
static_assert(counts_of<models::gpt3_175b>() ==
              counts{.total = 174'604'259'328, .embedding = 617'558'016, .head = 0, .active = 174'604'259'328, .norms = 4'743'168});
