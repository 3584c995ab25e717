// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/glm.hpp>

namespace models = shardplan::models;

// truth/models.json, glm-4-9b-chat-hf (published: hub safetensors total)
static_assert(counts_of<models::glm_4_9b>() ==
              counts{.total = 9'399'951'360, .embedding = 620'756'992, .head = 620'756'992, .active = 9'399'951'360, .norms = 331'776});

// truth/models.json, GLM-4.5-Air (published: hub safetensors total, MTP layer included)
static_assert(counts_of<models::glm_4_5_air>() == counts{.total = 106'852'245'504,
                                                         .embedding = 620'756'992,
                                                         .head = 620'756'992,
                                                         .routed_experts = 99'656'663'040,
                                                         .active = 13'424'123'904,
                                                         .norms = 380'928});
