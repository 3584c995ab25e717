// SPDX-License-Identifier: BSL-1.0
// The same options give the same answer at compile time and at run time.
#include "../catch.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/smallest_cluster.hpp>

#include <cstddef>
#include <cstdint>

namespace sp = shardplan;

namespace {

void check_equal(const sp::search_result& left, const sp::search_result& right) {
  CHECK(left.by == right.by);
  CHECK(left.found == right.found);
  CHECK(left.plan == right.plan);
  CHECK(left.considered == right.considered);
  CHECK(left.fitting == right.fitting);
  CHECK(left.timed == right.timed);
  CHECK(left.simulated == right.simulated);
  for (std::size_t at = 0; at < sp::rule_slots; ++at) CHECK(left.rejected_by_rule[at] == right.rejected_by_rule[at]);
  REQUIRE(left.refusals.size() == right.refusals.size());
  for (std::size_t at = 0; at < left.refusals.size(); ++at) CHECK(left.refusals[at].count == right.refusals[at].count);
  REQUIRE(left.top.size() == right.top.size());
  const auto picoseconds = [](double seconds) { return static_cast<std::int64_t>(seconds * 1e12 + 0.5); };
  for (std::size_t at = 0; at < left.top.size(); ++at) {
    INFO("place " << at);
    CHECK(sp::spec_of_listed(left.plan, left.top[at]) == sp::spec_of_listed(right.plan, right.top[at]));
    CHECK(left.top[at].memory == right.top[at].memory);
    CHECK(picoseconds(left.top[at].step) == picoseconds(right.top[at].step));
    CHECK(picoseconds(left.top[at].simulated_step) == picoseconds(right.top[at].simulated_step));
  }
}

using two_hosts = sp::cluster<sp::devices::a100_sxm_80gb, 8, 2>;
template <class... Parts>
using small = sp::best<sp::models::llama2_7b, two_hosts, sp::sequence<4096>, sp::global_batch<64>, sp::micro_batch<1>, Parts...>;
using whole = small<sp::simulate_best<32, 6000>>;
using some = small<sp::among<sp::tp<1>, sp::tp<4>, sp::pp<2>, sp::pp<4>, sp::zero<1>, sp::fsdp<>>,
                   sp::among<sp::schedule<sp::schedules::gpipe>, sp::schedule<sp::schedules::zb_h1>>, sp::simulate_best<32>>;
using by_memory = small<sp::rank_by<sp::objective::memory>, sp::device_counts<4, 8, 16>, sp::tp<2>>;

// A schedule that the library does not know: 1F1B under another name.
struct own_schedule {
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    sp::schedules::one_f_one_b::fill(out, ranks, micro_batches, rank);
  }
  static constexpr sp::schedule_spec spec{.name = "own", .in_flight = &sp::schedules::one_f_one_b::in_flight};
};
using own = small<sp::among<sp::pp<2>, sp::pp<4>, sp::tp<1>, sp::zero<1>>, sp::schedule<own_schedule>, sp::simulate_best<32>>;

sp::plan_spec asked() {
  sp::plan_spec spec{};
  spec.model = sp::models::llama2_7b::shape;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 2;
  spec.sequence = 4096;
  spec.global_batch = 64;
  spec.micro_batch = 1;
  return spec;
}

}  // namespace

TEST_CASE("best: types and values agree") {
  SECTION("the default space") {
    sp::search_options options;
    options.simulated_passes = 6000;
    check_equal(whole::result, sp::best_of(asked(), sp::default_space_of(asked(), sp::bit_of(sp::part_kind::micro_batch)), options));
    CHECK(whole::simulated > 1);
    CHECK(whole::plan::spec == whole::result.plan);
  }
  SECTION("lists") {
    sp::search_space space = sp::default_space_of(asked(), sp::bit_of(sp::part_kind::micro_batch));
    space.tp.length = space.pp.length = space.sharding.length = space.schedule.length = 0;
    for (const std::int64_t degree : {4, 1}) space.tp.push_back(degree);
    for (const std::int64_t degree : {4, 2}) space.pp.push_back(degree);
    space.sharding.push_back({0, {sp::shard_layout::tensors}});
    space.sharding.push_back({1, {}});
    space.schedule.push_back(sp::schedules::zb_h1::spec);
    space.schedule.push_back(sp::schedules::gpipe::spec);
    check_equal(some::result, sp::best_of(asked(), space));
    CHECK(some::simulated == static_cast<std::int64_t>(some::top.size()));
  }
  SECTION("a schedule of one's own") {
    sp::plan_spec fixed = asked();
    fixed.schedule = own_schedule::spec;
    sp::search_space space = sp::default_space_of(fixed, sp::bit_of(sp::part_kind::micro_batch) | sp::bit_of(sp::part_kind::schedule));
    space.tp.length = space.pp.length = space.sharding.length = 0;
    space.tp.push_back(1);
    for (const std::int64_t degree : {2, 4}) space.pp.push_back(degree);
    space.sharding.push_back({1, {}});
    check_equal(own::result, sp::best_of<own_schedule>(fixed, space));
    CHECK(own::top[0].simulated_step > 0);
    // Who does not know it cannot play it.
    const sp::search_result unknown = sp::best_of(fixed, space);
    CHECK(unknown.top.size() == own::top.size());
    for (const sp::listed_plan& one : unknown.top) CHECK(one.simulated_step == 0);
  }
  SECTION("by memory, on so many devices") {
    sp::plan_spec fixed = asked();
    fixed.tp = 2;
    sp::search_space space = sp::default_space_of(fixed, sp::bit_of(sp::part_kind::micro_batch) | sp::bit_of(sp::part_kind::tp));
    for (const std::int64_t devices : {16, 4, 8}) space.devices.push_back(devices);
    sp::search_options options;
    options.by = sp::objective::memory;
    check_equal(by_memory::result, sp::best_of(fixed, space, options));
    CHECK(by_memory::plan::spec == by_memory::result.plan);
  }
}

namespace {
using answer = sp::smallest_cluster<sp::models::llama2_70b, sp::devices::h100_sxm_80gb, sp::sequence<4096>, sp::global_batch<96>,
                                    sp::micro_batch<1>, sp::zero<0>, sp::simulate_best<0>>;
}

TEST_CASE("smallest_cluster: types and values agree") {
  sp::plan_spec fixed = asked();
  fixed.model = sp::models::llama2_70b::shape;
  fixed.device = sp::devices::h100_sxm_80gb::spec;
  fixed.global_batch = 96;
  sp::search_options options;
  options.simulated = 0;
  const sp::cluster_answer found =
      sp::smallest_cluster_of(fixed, sp::most_hosts, options, sp::bit_of(sp::part_kind::micro_batch) | sp::bit_of(sp::part_kind::zero));
  REQUIRE(found.found);
  CHECK(answer::devices == found.devices);
  CHECK(answer::least == found.least);
  check_equal(answer::search::result, found.search);
}
