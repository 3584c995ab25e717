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

// truth/models.json, Qwen1.5-MoE-A2.7B (published: keras-team/keras-hub: qwen1.5_moe_2.7b_en)
static_assert(counts_of<models::qwen1_5_moe_a2_7b>() == counts{.total = 14'315'784'192,
                                                               .embedding = 311'164'928,
                                                               .head = 311'164'928,
                                                               .routed_experts = 12'457'082'880,
                                                               .active = 2'689'173'504,
                                                               .norms = 100'352});

// truth/models.json, Qwen3-0.6B (published: keras-team/keras-hub: qwen3_0.6b_en)
static_assert(counts_of<models::qwen3_0_6b>() ==
              counts{.total = 596'049'920, .embedding = 155'582'464, .head = 0, .active = 596'049'920, .norms = 65'536});

// truth/models.json, Qwen3-1.7B (published: keras-team/keras-hub: qwen3_1.7b_en)
static_assert(counts_of<models::qwen3_1_7b>() ==
              counts{.total = 1'720'574'976, .embedding = 311'164'928, .head = 0, .active = 1'720'574'976, .norms = 123'904});

// truth/models.json, Qwen3-4B (published: keras-team/keras-hub: qwen3_4b_en)
static_assert(counts_of<models::qwen3_4b>() ==
              counts{.total = 4'022'468'096, .embedding = 388'956'160, .head = 0, .active = 4'022'468'096, .norms = 196'096});

// truth/models.json, Qwen3-8B (published: keras-team/keras-hub: qwen3_8b_en)
static_assert(counts_of<models::qwen3_8b>() ==
              counts{.total = 8'190'735'360, .embedding = 622'329'856, .head = 622'329'856, .active = 8'190'735'360, .norms = 308'224});

// truth/models.json, Qwen3-32B (published: keras-team/keras-hub: qwen3_32b_en)
static_assert(counts_of<models::qwen3_32b>() ==
              counts{.total = 32'762'123'264, .embedding = 777'912'320, .head = 777'912'320, .active = 32'762'123'264, .norms = 676'864});

// truth/models.json, Qwen3-30B-A3B (published: keras-team/keras-hub: qwen3_moe_30b_a3b_en)
static_assert(counts_of<models::qwen3_30b_a3b>() == counts{.total = 30'532'122'624,
                                                           .embedding = 311'164'928,
                                                           .head = 311'164'928,
                                                           .routed_experts = 28'991'029'248,
                                                           .active = 3'353'032'704,
                                                           .norms = 210'944});

// truth/models.json, Qwen3-235B-A22B (published: keras-team/keras-hub: qwen3_moe_235b_a22b_en; index total_size 470187269120 bytes)
static_assert(counts_of<models::qwen3_235b_a22b>() == counts{.total = 235'093'634'560,
                                                             .embedding = 622'329'856,
                                                             .head = 622'329'856,
                                                             .routed_experts = 227'096'395'776,
                                                             .active = 22'190'763'520,
                                                             .norms = 798'208});

// truth/models.json, Qwen3-Coder-480B-A35B-Instruct (published: hub safetensors total)
static_assert(counts_of<models::qwen3_coder_480b_a35b>() == counts{.total = 480'154'875'392,
                                                                   .embedding = 933'494'784,
                                                                   .head = 933'494'784,
                                                                   .routed_experts = 468'084'326'400,
                                                                   .active = 35'474'765'312,
                                                                   .norms = 783'872});
