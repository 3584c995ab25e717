// SPDX-License-Identifier: BSL-1.0
// Laws that every search keeps.
#include "../catch.hpp"
#include "brute_force.hpp"

#include <shardplan/plan/simulated_timing_of.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

namespace sp = shardplan;
using namespace brute_force;

namespace {
template <class List>
void shuffle_list(List& list, std::mt19937& random) {
  std::shuffle(list.begin(), list.end(), random);
}

bool are_equal(const sp::search_result& left, const sp::search_result& right) {
  if (left.considered != right.considered || left.fitting != right.fitting || left.timed != right.timed ||
      left.top.size() != right.top.size() || left.found != right.found || !(left.plan == right.plan))
    return false;
  for (std::size_t at = 0; at < sp::rule_slots; ++at)
    if (left.rejected_by_rule[at] != right.rejected_by_rule[at]) return false;
  for (std::size_t at = 0; at < left.top.size(); ++at)
    if (!(sp::spec_of_listed(left.plan, left.top[at]) == sp::spec_of_listed(left.plan, right.top[at])) ||
        static_cast<std::int64_t>(left.top[at].seconds() * 1e12) != static_cast<std::int64_t>(right.top[at].seconds() * 1e12))
      return false;
  return true;
}

// Whether `left` is at least as good as `right`, which was found in a part of the space.
bool is_no_worse(const sp::search_result& left, const sp::search_result& right) {
  if (!right.found) return true;
  if (!left.found) return false;
  const auto figures = [&](const sp::listed_plan& one) {
    return figures_by(left.by, {{}, one.devices(), one.memory.count, static_cast<std::int64_t>(one.seconds() * 1e9)});
  };
  return figures(left.top[0]) <= figures(right.top[0]);
}
}  // namespace

TEST_CASE("best: neither the order of a list nor a repetition matters") {
  std::mt19937 random(20);
  for (const question& asked : questions())
    for (const sp::objective by : objectives) {
      INFO(asked.name << ", " << sp::name_of(by));
      sp::search_space space = space_from(asked.said);
      const sp::search_result straight = sp::best_of(asked.fixed, space, by_formula(by));
      shuffle_list(space.devices, random);
      shuffle_list(space.cp, random);
      shuffle_list(space.ep, random);
      shuffle_list(space.etp, random);
      shuffle_list(space.tp, random);
      shuffle_list(space.pp, random);
      shuffle_list(space.sharding, random);
      shuffle_list(space.micro_batch, random);
      shuffle_list(space.recompute, random);
      shuffle_list(space.schedule, random);
      space.tp.push_back(space.tp[0]);
      space.schedule.push_back(space.schedule[0]);
      CHECK(are_equal(sp::best_of(asked.fixed, space, by_formula(by)), straight));
    }
}

TEST_CASE("best: more candidates never make it worse, and each is counted once") {
  std::mt19937 random(5);
  for (const question& asked : questions())
    for (int turn = 0; turn < 10; ++turn) {
      INFO(asked.name << ", turn " << turn);
      sp::search_space space = space_from(asked.said);
      const auto drop = [&](auto& list) {
        if (list.length > 1) {
          shuffle_list(list, random);
          list.length = 1 + random() % list.length;
        }
      };
      sp::search_space part = space;
      drop(part.devices);
      drop(part.cp);
      drop(part.ep);
      drop(part.etp);
      drop(part.tp);
      drop(part.pp);
      drop(part.sharding);
      drop(part.micro_batch);
      drop(part.recompute);
      drop(part.schedule);
      for (const sp::objective by : objectives) {
        const sp::search_result small = sp::best_of(asked.fixed, part, by_formula(by));
        CHECK(is_no_worse(sp::best_of(asked.fixed, space, by_formula(by)), small));
        std::int64_t refused = 0;
        for (const std::int64_t count : small.rejected_by_rule) refused += count;
        CHECK(small.considered == part.count());
        CHECK(small.considered == refused + small.fitting);
        CHECK(small.rejected() == refused);
        CHECK(small.timed <= small.fitting);
        CHECK((small.top.size() == 0) == !small.found);
      }
    }
}

TEST_CASE("best: a walk may stop in between") {
  for (const question& asked : questions()) {
    INFO(asked.name);
    const sp::search_space space = space_from(asked.said);
    const sp::detail::search_question prepared = sp::detail::question_of(asked.fixed, space, sp::objective::step_time);
    sp::detail::search_progress progress{};
    for (std::int64_t pieces = 0; progress.next < prepared.grid.count; ++pieces) {
      const std::int64_t before = progress.next;
      sp::detail::best_walk<sp::plan_spec> walk{prepared, progress};
      walk.run(1 + pieces % 7 * 3000);
      REQUIRE(progress.next > before);
    }
    const sp::search_result whole = sp::best_of(asked.fixed, space, by_formula(sp::objective::step_time));
    CHECK(progress.fitting == whole.fitting);
    CHECK(progress.top.size() == whole.top.size());
    for (std::size_t at = 0; at < whole.top.size(); ++at) CHECK(progress.top[at].index == whole.top[at].index);
    for (std::size_t at = 0; at < sp::rule_slots; ++at) CHECK(progress.refused[at] == whole.rejected_by_rule[at]);
  }
}

TEST_CASE("best: a sample of a large space is judged as evaluate judges it") {
  sp::plan_spec fixed = training_run(sp::models::gpt3_175b::shape, sp::devices::a100_sxm_80gb::spec, 128, 2048, 1536);
  sp::search_space space = sp::default_space_of(fixed);
  space.tp = {};
  space.pp = {};
  space.micro_batch = {};
  for (const std::int64_t degree : {1, 2, 3, 4, 5, 6, 8, 12, 16}) {
    space.tp.push_back(degree);
    space.pp.push_back(2 * degree);
    space.micro_batch.push_back(degree);
  }
  std::mt19937_64 random(1);
  std::int64_t fitting = 0;
  for (int turn = 0; turn < 10000; ++turn) {
    const auto index = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(space.count()));
    const sp::plan_spec spec = sp::candidate_of(fixed, space, index);
    const sp::evaluation verdict = sp::evaluate(spec, sp::remedy_search::off);
    const sp::search_result one = sp::best_of(spec, sp::search_space{}, by_formula(sp::objective::memory));
    REQUIRE(one.considered == 1);
    REQUIRE(one.found == verdict.violations.empty());
    if (one.found) {
      ++fitting;
      CHECK(one.top[0].memory == verdict.peak_memory);
    } else {
      CHECK(one.rejected_by(verdict.violations[0].broken) == 1);
    }
  }
  CHECK(fitting > 50);
}

TEST_CASE("best: devices must be whole hosts") {
  const sp::plan_spec fixed = training_run(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 2, 4096, 64);
  sp::search_space space{};
  space.devices.push_back(12);
  CHECK_THROWS_AS(sp::best_of(fixed, space), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::candidate_of(fixed, space, 0), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::candidate_of(fixed, sp::search_space{}, 1), sp::arithmetic_error);
}

TEST_CASE("best: a step with FP8 dispatch is a shorter one, over other plans") {
  for (const question& asked : questions()) {
    if (asked.fixed.communication.dispatch_bits == 0) continue;
    sp::plan_spec plain = asked.fixed;
    plain.communication.dispatch_bits = plain.communication.dispatch_scale_block = 0;
    const sp::search_space space = space_from(asked.said);
    const sp::search_result said = sp::best_of(asked.fixed, space);
    const sp::search_result silent = sp::best_of(plain, space);
    REQUIRE((said.found && silent.found));
    CHECK(said.plan.communication == asked.fixed.communication);
    CHECK(said.top[0].seconds() < silent.top[0].seconds());
    CHECK(said.fitting == silent.fitting);
    CHECK(said.top[0].seconds() == sp::simulated_timing_of(said.plan).step);
  }
}
