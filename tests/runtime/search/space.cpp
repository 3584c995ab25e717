// SPDX-License-Identifier: BSL-1.0
// What a search goes through.
#include "../catch.hpp"
#include "../training_run.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/search/space.hpp>

#include <algorithm>
#include <cstdint>

namespace sp = shardplan;

TEST_CASE("best: no legal pp or ep is left out of the default space") {
  const sp::transformer models[] = {sp::models::llama2_7b::shape, sp::models::llama2_70b::shape, sp::models::mixtral_8x7b::shape,
                                    sp::models::llama3_1_405b::shape};
  int left_out = 0;
  for (const sp::transformer& model : models)
    for (const std::int64_t nodes : {1, 3, 8})
      for (const bool slots : {false, true}) {
        sp::plan_spec spec = training_run(model, sp::devices::h100_sxm_80gb::spec, nodes, 4096, 24 * 64);
        spec.micro_batch = 1;
        spec.layer_split.embedding_slot = spec.layer_split.loss_slot = slots;
        const sp::search_space space = sp::default_space_of(spec);
        const auto is_legal = [](const sp::plan_spec& plan) {
          for (const sp::violation& one : sp::evaluate(plan, sp::remedy_search::off).violations)
            if (one.broken != sp::rule::does_not_fit) return false;
          return true;
        };
        const auto has = [](const sp::number_list& list, std::int64_t number) {
          return std::find(list.begin(), list.end(), number) != list.end();
        };
        for (std::int64_t degree = 1; degree <= 130; ++degree) {
          INFO("layers " << model.layers << ", nodes " << nodes << ", degree " << degree);
          sp::plan_spec piped = spec;
          piped.pp = degree;
          if (!has(space.pp, degree)) {
            ++left_out;
            CHECK(!is_legal(piped));
          }
          sp::plan_spec spread = spec;
          spread.ep = degree;
          if (!has(space.ep, degree)) CHECK(!is_legal(spread));
        }
      }
  CHECK(left_out > 1000);
}
