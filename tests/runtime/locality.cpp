// SPDX-License-Identifier: BSL-1.0
// Groups over domains of consecutive ranks, against a count of every rank of every group: all layouts of four axes with a world up to 64,
// all domains, all sets of those axes.
#include "catch.hpp"

#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>

#include <cstdint>
#include <map>

namespace {

shardplan::domain_spread counted(const shardplan::process_groups& groups, std::int64_t domain) {
  shardplan::domain_spread result{};
  result.groups = groups.count;
  result.size = groups.size;
  for (std::int64_t group = 0; group < groups.count; ++group) {
    std::map<std::int64_t, std::int64_t> members;
    for (std::int64_t member = 0; member < groups.size; ++member) ++members[groups.rank(group, member) / domain];
    const auto touched = static_cast<std::int64_t>(members.size());
    if (touched == 1) ++result.inside;
    if (touched > result.most_domains) result.most_domains = touched;
    for (const auto& [where, count] : members) {
      if (result.fewest_members == 0 || count < result.fewest_members) result.fewest_members = count;
      if (count > result.most_members) result.most_members = count;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("the locality rule and the spread of groups are what a count of all ranks says") {
  using shardplan::axis;
  std::int64_t compared = 0;
  std::int64_t wrong = 0;
  for (std::int64_t tp = 1; tp <= 64; ++tp)
    for (std::int64_t cp = 1; tp * cp <= 64; ++cp)
      for (std::int64_t dp = 1; tp * cp * dp <= 64; ++dp)
        for (std::int64_t pp = 1; tp * cp * dp * pp <= 64; ++pp) {
          const std::int64_t world = tp * cp * dp * pp;
          const shardplan::mesh ranks = shardplan::mesh_of({.world = world, .tp = tp, .pp = pp, .dp = dp, .cp = cp});
          for (const axis set : {axis::tp, axis::cp, axis::dp, axis::pp, axis::model_parallel, axis::dp_cp, axis::tp | axis::dp,
                                 axis::cp | axis::pp, axis::tp | axis::cp | axis::pp}) {
            const shardplan::process_groups groups = shardplan::groups_of(ranks, set);
            for (std::int64_t domain = 1; domain <= world + 1; ++domain) {
              const shardplan::domain_spread truth = counted(groups, domain);
              ++compared;
              if (!(shardplan::spread_over(groups, domain) == truth)) ++wrong;
              if (shardplan::stay_inside(groups, domain) != (truth.inside == groups.count)) ++wrong;
            }
          }
        }
  CHECK(compared > 500'000);
  CHECK(wrong == 0);
}

TEST_CASE("the spread of a large world is that of a count of its ranks") {
  using shardplan::axis;
  for (const std::int64_t domain : {3, 8, 18, 72, 100}) {
    const shardplan::mesh ranks =
        shardplan::mesh_of({.world = 16 * 7 * 18 * 3, .tp = 3, .pp = 7, .dp = 18, .cp = 16}, shardplan::rank_orders::llama3, 2);
    for (const axis set : {axis::tp, axis::cp, axis::dp, axis::pp, axis::dp_cp, axis::dp_replicate, axis::model_parallel}) {
      const shardplan::process_groups groups = shardplan::groups_of(ranks, set);
      CHECK(shardplan::spread_over(groups, domain) == counted(groups, domain));
    }
  }
}
