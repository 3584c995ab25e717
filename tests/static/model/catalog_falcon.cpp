// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/falcon.hpp>

namespace models = shardplan::models;

// tiiuae/falcon-7b: 7,217,189,760 numbers in its files, in which the head (65,024 x 4,544) stands beside the embedding it is tied to.
static_assert(shardplan::parameter_count<models::falcon_7b> + 65'024 * 4'544 == 7'217'189'760);
static_assert(counts_but_norms_of<models::falcon_7b>() ==
              counts{.total = 6'921'720'704, .embedding = 295'469'056, .head = 0, .active = 6'921'720'704});

// huggingface/transformers issue 25107: 41,303,293,952
static_assert(counts_but_norms_of<models::falcon_40b>() ==
              counts{.total = 41'303'293'952, .embedding = 532'676'608, .head = 0, .active = 41'303'293'952});

// tiiuae/falcon-180B: 178,557,088,768, and 179,522,565,120 with the head's copy
static_assert(shardplan::parameter_count<models::falcon_180b> + 65'024LL * 14'848 == 179'522'565'120);
static_assert(counts_but_norms_of<models::falcon_180b>() ==
              counts{.total = 178'557'088'768, .embedding = 965'476'352, .head = 0, .active = 178'557'088'768});
