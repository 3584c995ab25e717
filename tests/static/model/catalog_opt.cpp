// SPDX-License-Identifier: BSL-1.0
// Exact counts of the catalog, typed in from where they are published; nothing here is computed from the shapes.
#include "counts.hpp"

#include <shardplan/model/catalog/opt.hpp>

namespace models = shardplan::models;

// truth/models.json, opt-125m (published: recalled)
static_assert(counts_of<models::opt_125m>() ==
              counts{.total = 125'239'296, .embedding = 38'608'896, .head = 0, .active = 125'239'296, .norms = 38'400});

// truth/models.json, opt-2.7b (published: recalled)
static_assert(counts_of<models::opt_2_7b>() ==
              counts{.total = 2'651'596'800, .embedding = 128'696'320, .head = 0, .active = 2'651'596'800, .norms = 332'800});

// truth/models.json, opt-13b (published: recalled)
static_assert(counts_of<models::opt_13b>() ==
              counts{.total = 12'853'473'280, .embedding = 257'392'640, .head = 0, .active = 12'853'473'280, .norms = 829'440});

// truth/models.json, opt-30b (published: recalled)
static_assert(counts_of<models::opt_30b>() ==
              counts{.total = 29'974'540'288, .embedding = 360'349'696, .head = 0, .active = 29'974'540'288, .norms = 1'390'592});

// facebook/opt-350m: 331,196,416 (388 tensors in its file); no final norm, embedding and head 512 wide
static_assert(counts_of<models::opt_350m>() ==
              counts{.total = 331'196'416, .embedding = 25'739'264, .head = 0, .active = 331'196'416, .norms = 98'304});
constexpr std::int64_t tensors_in_file() {
  std::int64_t count = 0;
  for (const shardplan::tensor& item : shardplan::tensors<models::opt_350m>) count += item.multiplicity;
  return count;
}
static_assert(tensors_in_file() == 388);
