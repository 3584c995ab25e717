// SPDX-License-Identifier: BSL-1.0
// The search of values in a constant, and the default space.
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best_of.hpp>

#include <cstdint>

namespace sp = shardplan;

constexpr sp::plan_spec asked(const sp::transformer& model, std::int64_t nodes) {
  sp::plan_spec spec{};
  spec.model = model;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = nodes;
  spec.sequence = 4096;
  spec.global_batch = 64;
  spec.micro_batch = 1;
  return spec;
}

// Two degrees, two stages of ZeRO, on one host.
constexpr sp::search_space small_space() {
  sp::search_space space{};
  for (std::int64_t degree = 4; degree >= 2; degree -= 2) space.pp.push_back(degree);
  space.sharding.push_back({1, {}});
  space.sharding.push_back({0, {}});
  return space;
}
constexpr sp::search_result found = sp::best_of(asked(sp::models::llama2_7b::shape, 1), small_space());
static_assert(small_space().count() == 4 && found.considered == 4 && found.fitting >= 2 && found.simulated == found.fitting);
static_assert(found.top[0].simulated_step > 0 && found.top[0].seconds() <= found.top[1].seconds());
static_assert(found.plan == sp::spec_of_listed(asked(sp::models::llama2_7b::shape, 1), found.top[0]));

// An empty list leaves the field as it is said, and a space of empty lists has one candidate.
static_assert(sp::search_space{}.count() == 1);
static_assert(sp::candidate_of(found.plan, sp::search_space{}, 0) == found.plan);

// The last list runs fastest; in order, lists ascend and values stand once.
constexpr sp::search_space ordered = sp::in_order(small_space());
static_assert(ordered.pp[0] == 2 && ordered.pp[1] == 4 && ordered.sharding[0].zero == 0);
static_assert(sp::candidate_of(found.plan, ordered, 0).zero == 0 && sp::candidate_of(found.plan, ordered, 1).zero == 1 &&
              sp::candidate_of(found.plan, ordered, 2).pp == 4);

// The default space of 70B on 64 devices: 64 heads, 80 layers.
constexpr sp::search_space large = sp::default_space_of(asked(sp::models::llama2_70b::shape, 8));
static_assert(large.tp.size() == 4 && large.tp[3] == 8 && large.pp.size() == 5 && large.pp[4] == 16 && large.ep.size() == 1);
static_assert(large.cp.size() == 1 && large.micro_batch.size() == 4 && large.sharding.size() == 4 && large.recompute.size() == 3);
static_assert(large.schedule.size() == 4);  // 80 layers are no multiple of 3 chunks
static_assert(sp::default_space_of(asked(sp::models::llama2_70b::shape, 8), sp::bit_of(sp::part_kind::tp)).tp.empty());
static_assert(sp::default_space_of(asked(sp::models::mixtral_8x7b::shape, 8)).ep.size() == 4);
// What breaks a range has a space of itself.
static_assert(sp::default_space_of(sp::plan_spec{}).count() == 1);
