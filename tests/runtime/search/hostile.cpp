// SPDX-License-Identifier: BSL-1.0
// Searches of specs and spaces that no plan can come from: an answer, never an error.
#include "../catch.hpp"

#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/report/decision.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>
#include <shardplan/search/smallest_cluster.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {

sp::plan_spec usual() {
  sp::plan_spec spec{};
  spec.model = sp::models::llama2_7b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 1;
  spec.sequence = 4096;
  spec.micro_batch = 1;
  spec.global_batch = 64;
  return spec;
}

}  // namespace

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
