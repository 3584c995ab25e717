// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/gpt_neox.hpp>

namespace models = shardplan::models;

// facts/memory.md section 1: V = 50432, untied
static_assert(counts_of<models::gpt_neox_20b>() ==
              counts{.total = 20'554'567'680, .embedding = 309'854'208, .head = 309'854'208, .active = 20'554'567'680, .norms = 1'093'632});

// truth/models.json, pythia-70m (published: model card table)
static_assert(counts_of<models::pythia_70m>() ==
              counts{.total = 70'426'624, .embedding = 25'755'648, .head = 25'755'648, .active = 70'426'624, .norms = 13'312});

// truth/models.json, pythia-410m (published: model card table)
static_assert(counts_of<models::pythia_410m>() ==
              counts{.total = 405'334'016, .embedding = 51'511'296, .head = 51'511'296, .active = 405'334'016, .norms = 100'352});

// truth/models.json, pythia-1b (published: model card table)
static_assert(counts_of<models::pythia_1b>() ==
              counts{.total = 1'011'781'632, .embedding = 103'022'592, .head = 103'022'592, .active = 1'011'781'632, .norms = 135'168});

// truth/models.json, pythia-2.8b (published: model card table)
static_assert(counts_of<models::pythia_2_8b>() ==
              counts{.total = 2'775'208'960, .embedding = 128'778'240, .head = 128'778'240, .active = 2'775'208'960, .norms = 332'800});

// truth/models.json, pythia-6.9b (published: model card table)
static_assert(counts_of<models::pythia_6_9b>() ==
              counts{.total = 6'857'302'016, .embedding = 206'569'472, .head = 206'569'472, .active = 6'857'302'016, .norms = 532'480});
