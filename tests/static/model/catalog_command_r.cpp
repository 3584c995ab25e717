// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/command_r.hpp>

namespace models = shardplan::models;

// truth/models.json, c4ai-command-r7b-12-2024 (published: hub safetensors total)
static_assert(counts_of<models::command_r7b>() ==
              counts{.total = 8'028'033'024, .embedding = 1'048'576'000, .head = 0, .active = 8'028'033'024, .norms = 135'168});

// truth/hf_configs, c4ai-command-r-plus (norms are not stated there)
static_assert(counts_but_norms_of<models::command_r_plus>() ==
              counts{.total = 103'810'674'688, .embedding = 3'145'728'000, .head = 0, .active = 103'810'674'688});
