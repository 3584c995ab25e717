// SPDX-License-Identifier: BSL-1.0
// Searches of specs and spaces that no plan can come from: an answer, never an error.
#include "../catch.hpp"
#include "../dice.hpp"
#include "../training_run.hpp"
#include "brute_force.hpp"

#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/report/decision.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>
#include <shardplan/search/smallest_cluster.hpp>
#include <shardplan/shardplan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sp = shardplan;

namespace {

sp::plan_spec usual() { return training_run(sp::models::llama2_7b::shape, sp::devices::h100_sxm_80gb::spec, 1, 4096, 64); }

// What functions of a schedule of one's own may return.
int nonsense = 0;
std::int64_t alive_somehow(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
  const std::int64_t most = micro_batches * chunks;
  const std::int64_t answers[] = {(ranks * 31 + micro_batches * 17 + chunks * 7 + rank * 13) % (most < 1 ? 1 : most) + 1,
                                  rank % 2 == 0 ? micro_batches : 0,
                                  INT64_MAX,
                                  INT64_MIN,
                                  most,
                                  rank == ranks - 1 ? most + 1 : 1,
                                  1};
  return answers[nonsense % 7];
}
std::int64_t versions_somehow(std::int64_t, std::int64_t rank) {
  const std::int64_t answers[] = {rank + 1, INT64_MAX, 0, INT64_MIN};
  return answers[nonsense % 4];
}
std::int64_t group_somehow(std::int64_t, std::int64_t) {
  const std::int64_t answers[] = {3, INT64_MAX, -1, 0, INT64_MIN};
  return answers[nonsense % 5];
}
bool ends_somehow(std::int64_t, std::int64_t micro_batches, std::int64_t) { return micro_batches % 2 == 0; }

sp::schedule_spec schedule_somehow(dice& roll) {
  static const std::int64_t numbers[] = {0, 1, 1, 1, 2, 2, 3, -1, 64, 65, INT64_MAX, INT64_MIN};
  nonsense = static_cast<int>(roll.below(420));
  sp::schedule_spec order{.name = "somehow", .in_flight = &alive_somehow};
  if (roll.one_in(2)) order.chunks = roll.of(numbers);
  if (roll.one_in(4)) order.slices = roll.of(numbers);
  if (roll.one_in(3)) order.layout = sp::placement::v_shape;
  if (roll.one_in(4)) order.drains = false;
  order.weight_versions = &versions_somehow;
  if (roll.one_in(6)) order.ranks_multiple = roll.of(numbers);
  if (roll.one_in(6)) order.micro_batches_multiple = roll.of(numbers);
  if (roll.one_in(6)) order.least_micro_batches_a_rank = roll.of(numbers);
  if (roll.one_in(6)) order.micro_batches_fill_ranks = true;
  if (roll.one_in(4)) order.group = &group_somehow;
  if (roll.one_in(4)) order.ends = &ends_somehow;
  return order;
}

}  // namespace

TEST_CASE("a schedule of one's own may return anything: the search says what evaluate says") {
  dice roll;
  std::int64_t refused = 0;
  std::int64_t fitting = 0;
  for (int turn = 0; turn < 150; ++turn) {
    const sp::schedule_spec order = schedule_somehow(roll);
    INFO("turn " << turn << ", chunks " << order.chunks << ", slices " << order.slices << ", drains " << order.drains);
    sp::plan_spec fixed = training_run(sp::models::llama3_2_1b::shape, sp::devices::a100_sxm_80gb::spec, 1, 4096, 64);
    fixed.framework = static_cast<sp::frameworks>(roll.below(5));
    brute_force::lists said;
    said.tp = {1, 2};
    said.pp = {1, 2, 4, 8};
    said.micro_batch = {1, 2};
    said.sharding = {{0, {}}, {1, {}}};
    said.schedule = {sp::schedules::one_f_one_b::spec, order};
    const brute_force::brute all = brute_force::all_plans(fixed, said);
    const sp::search_result found = sp::best_of(fixed, brute_force::space_from(said), brute_force::by_formula(sp::objective::step_time));
    CHECK(found.fitting == static_cast<std::int64_t>(all.plans.size()));
    for (std::size_t at = 0; at < sp::rule_slots; ++at) CHECK(found.rejected_by_rule[at] == all.refused[at]);
    const std::vector<brute_force::fitting_plan> best = brute_force::ranked(all, sp::objective::step_time);
    REQUIRE(found.top.size() == std::min(best.size(), sp::most_listed));
    for (std::size_t at = 0; at < found.top.size(); ++at) CHECK(sp::spec_of_listed(fixed, found.top[at]) == best[at].spec);
    CHECK_NOTHROW(sp::best_of(fixed, brute_force::space_from(said)));
    refused += found.rejected();
    fitting += found.fitting;
  }
  CHECK(refused > 1000);
  CHECK(fitting > 1000);
}

namespace {
std::int64_t never_said(std::int64_t ranks, std::int64_t, std::int64_t, std::int64_t) {
  if (ranks > 1) throw 7;
  return 1;
}
}  // namespace

TEST_CASE("what a schedule of one's own throws goes through the search") {
  sp::plan_spec spec = usual();
  spec.schedule = {.name = "throws", .in_flight = &never_said};
  sp::search_space space{};
  space.pp.push_back(1);
  space.sharding.push_back({1, {}});
  CHECK(sp::best_of(spec, space).found);
  space.pp.push_back(2);
  CHECK_THROWS_AS(sp::best_of(spec, space), int);
}

TEST_CASE("a space that nobody could go through is refused, and its count does not overflow") {
  const sp::plan_spec spec = usual();
  sp::search_space space{};
  for (sp::number_list* list : {&space.cp, &space.ep, &space.etp, &space.tp, &space.pp, &space.micro_batch})
    for (std::int64_t number = 1; number <= static_cast<std::int64_t>(sp::most_numbers); ++number) list->push_back(number);
  CHECK(space.count() == std::int64_t{1} << 30);
  CHECK_THROWS_AS(sp::best_of(spec, space), sp::arithmetic_error);
  for (std::int64_t stage = 0; stage < static_cast<std::int64_t>(sp::most_ways); ++stage) {
    space.sharding.push_back({stage, {}});
    space.recompute.push_back(static_cast<sp::recomputes>(2 * stage));
  }
  for (std::int64_t chunks = 1; chunks <= static_cast<std::int64_t>(sp::most_schedules); ++chunks) {
    space.schedule.push_back(sp::schedules::interleaved<2>::spec);
    space.schedule[space.schedule.length - 1].chunks = chunks;
    if (chunks <= static_cast<std::int64_t>(sp::most_numbers)) space.devices.push_back(chunks <= 8 ? chunks : 8 * chunks);
  }
  CHECK(space.count() == std::int64_t{1} << (35 + 8 + 6));
  CHECK_THROWS_AS(sp::best_of(spec, space), sp::arithmetic_error);
  CHECK_NOTHROW(sp::candidate_of(spec, space, space.count() - 1));
  // As many as are allowed are searched: the bound is on all of them, repeated values are counted once.
  sp::search_options few;
  few.most_candidates = 2;
  sp::search_space small{};
  for (const std::int64_t degree : {1, 2, 2, 1}) small.tp.push_back(degree);
  CHECK(sp::best_of(spec, small, few).considered == 2);
  small.tp.push_back(4);
  CHECK_THROWS_AS(sp::best_of(spec, small, few), sp::arithmetic_error);
}

TEST_CASE("a number that is no order of ranks is refused") {
  sp::plan_spec spec = usual();
  spec.nodes = 4;
  spec.tp = 2;
  spec.zero = 1;
  CHECK(sp::evaluate(spec, sp::remedy_search::off).world_size == 32);
  for (const std::uint32_t code : {0x0u, 0x9u, 0x99u, 0x1u, 0x111111u, 0xffffffu, 0xffffffffu}) {
    INFO(code);
    spec.rank_order = static_cast<sp::rank_orders>(code);
    const sp::evaluation answer = sp::evaluate(spec);
    REQUIRE(answer.violations.size() == 1);
    CHECK(answer.violations[0].broken == sp::rule::malformed_part);
    CHECK(answer.violations[0].part == sp::part_kind::rank_order);
    CHECK(answer.world_size == 0);
    CHECK(sp::step_timing(spec).step == 0);
    CHECK(sp::simulated_timing_of(spec).step == 0);
  }
}

TEST_CASE("a schedule without one of its functions is refused") {
  sp::plan_spec spec = usual();
  spec.pp = 2;
  for (int which = 0; which < 3; ++which) {
    spec.schedule = sp::schedules::one_f_one_b::spec;
    if (which == 0) spec.schedule.weight_versions = nullptr;
    if (which == 1) spec.schedule.group = nullptr;
    if (which == 2) spec.schedule.ends = nullptr;
    const sp::violation_list list = sp::violations_in(spec);
    REQUIRE(list.size() == 1);
    CHECK(list[0].broken == sp::rule::malformed_part);
    CHECK(list[0].part == sp::part_kind::schedule);
  }
}

TEST_CASE("a head whose width is not whole is refused by a rule") {
  sp::plan_spec spec = usual();
  spec.model.heads = 24;  // 4096 / 24
  const sp::search_result found = sp::best_of(spec);
  CHECK(!found.found);
  CHECK(found.considered > 0);
  CHECK(found.rejected() == found.considered);
  CHECK(!sp::smallest_cluster_of(spec, 2).found);
}

TEST_CASE("a plan that plays nothing is asked for by a bound below zero") {
  sp::plan_spec spec = usual();
  for (const std::int64_t least : {std::int64_t{-1}, INT64_MIN}) {
    CHECK(sp::best_of(spec, sp::search_options{sp::objective::step_time, least, INT64_MAX}).simulated == 0);
    CHECK(sp::best_of(spec, sp::search_options{sp::objective::step_time, 32, least}).simulated == 0);
  }
}

TEST_CASE("no bytes of an optimizer overflow while the least devices are looked for") {
  sp::plan_spec spec = usual();
  spec.precision.moment = INT64_MAX / 2;
  CHECK(!sp::smallest_cluster_of(spec, 2).found);
  spec = usual();
  spec.headroom_mebibytes = INT64_MAX;
  CHECK(!sp::smallest_cluster_of(spec, 2).found);
}

TEST_CASE("guidance for experts that are not there") {
  sp::plan_spec spec = usual();
  spec.nodes = 64;
  spec.model.experts = {.count = 8, .top_k = 9};
  CHECK(!sp::evaluate(spec).violations.empty());
  for (const sp::guidance whose : {sp::guidance::megatron, sp::guidance::ultra_scale, sp::guidance::hugging_face})
    CHECK(!sp::report::text_of(sp::practice_of(spec, whose)).empty());
}

TEST_CASE("the path of a spec out of range is written") {
  sp::plan_spec spec = usual();
  spec.devices_per_node = INT64_MAX;
  spec.nodes = INT64_MAX;
  CHECK(!sp::report::text_of(sp::decision_of(spec)).empty());
}

TEST_CASE("levels between nodes for a dense model that says ranks of experts") {
  sp::plan_spec spec = usual();
  spec.nodes = 2;
  spec.zero = 1;
  spec.collectives.dp = sp::algorithm::hierarchical;
  const double step = sp::step_timing(spec).step;
  CHECK(step > 0);
  spec.etp = 3;  // a dense model has no grid of experts
  CHECK(sp::step_timing(spec).step == step);
}

TEST_CASE("a schedule that asks for a number of micro-batches that cannot be is refused") {
  sp::plan_spec spec = usual();
  spec.pp = 4;
  for (const std::int64_t wanted : {INT64_MAX, INT64_MIN}) {
    spec.schedule.least_micro_batches_a_rank = wanted;
    const sp::violation_list list = sp::violations_in(spec);
    REQUIRE(list.size() == 1);
    CHECK(list[0].first == sp::measured{sp::quantity::least_micro_batches, wanted});
  }
}

TEST_CASE("a step without end, of a device that may say any rate, is not played") {
  sp::plan_spec spec = usual();
  spec.pp = 4;
  CHECK(sp::simulated_timing_of(spec).played);
  for (const std::int64_t rate : {std::int64_t{1}, std::int64_t{-1}, INT64_MIN}) {
    spec.device.matmul_flops = spec.device.sustained_flops = spec.device.bf16_flops = rate;
    CHECK_NOTHROW(sp::simulated_timing_of(spec));
    spec.device = sp::devices::h100_sxm_80gb::spec;
    spec.device.memory_bandwidth = rate;
    CHECK_NOTHROW(sp::simulated_timing_of(spec));
    spec.device = sp::devices::h100_sxm_80gb::spec;
    spec.device.network.bytes_per_second = spec.device.fabric.bytes_per_second = rate;
    CHECK_NOTHROW(sp::simulated_timing_of(spec));
    spec.device = sp::devices::h100_sxm_80gb::spec;
  }
}

TEST_CASE("the least devices up to any bound") {
  sp::plan_spec spec = usual();
  CHECK(sp::smallest_cluster_of(spec, INT64_MAX).devices == sp::smallest_cluster_of(spec, 2).devices);
  spec.devices_per_node = INT64_MAX;
  CHECK(!sp::smallest_cluster_of(spec, 2).found);
  spec = usual();
  spec.pp = INT64_MAX;
  CHECK(!sp::best_of(spec, sp::default_space_of(spec, sp::bit_of(sp::part_kind::pp))).found);
}

TEST_CASE("what no type can say is refused by name") {
  sp::plan_spec spec = training_run(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 2, 4096, 64);
  spec.micro_batch = 1;
  spec.zero = 1;
  REQUIRE(sp::violations_in(spec).empty());
  const auto breaks = [](const sp::plan_spec& with, sp::rule broken) {
    for (const sp::violation& item : sp::violations_in(with))
      if (item.broken == broken) return true;
    return false;
  };
  sp::plan_spec other = spec;
  other.framework = static_cast<sp::frameworks>(207);
  CHECK(breaks(other, sp::rule::malformed_part));
  CHECK(sp::advice_in(other).empty());
  other = spec;
  other.sharding.layout = static_cast<sp::shard_layout>(208);
  CHECK(breaks(other, sp::rule::malformed_part));
  // Two directions are two chunks: with another number a step would have half of its work, or more.
  other = spec;
  other.pp = 2;
  other.schedule = sp::schedules::dual_pipe::spec;
  CHECK(!breaks(other, sp::rule::out_of_range));
  for (const std::int64_t chunks : {1, 4}) {
    other.schedule.chunks = chunks;
    CHECK(breaks(other, sp::rule::out_of_range));
  }
}
