// SPDX-License-Identifier: BSL-1.0
// Questions that nobody has in mind: one device, seven, a million; one sequence, a prime number of them; one layer; experts.
#include "../catch.hpp"
#include "../training_run.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/report/decision.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>
#include <shardplan/search/whole_space.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {

sp::transformer of_one_layer() {
  sp::transformer model = sp::models::llama2_70b::shape;
  model.layers = 1;
  return model;
}

struct size_of_cluster {
  std::int64_t node;
  std::int64_t nodes;
};

template <class Visit>
void each_odd_question(Visit visit) {
  const sp::transformer models[] = {sp::models::gpt2_xl::shape,      sp::models::llama3_2_1b::shape, sp::models::llama2_7b::shape,
                                    sp::models::mixtral_8x7b::shape, sp::models::deepseek_v3::shape, of_one_layer()};
  const size_of_cluster clusters[] = {{1, 1}, {7, 1}, {1, 7}, {8, 1}, {6, 5}, {8, 125000}, {1, 1000000}, {4096, 244}};
  for (const sp::transformer& model : models)
    for (const size_of_cluster& cluster : clusters)
      for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{7}, std::int64_t{64}, std::int64_t{1000003}, std::int64_t{4000000}})
        for (const std::int64_t micro : {1, 5}) {
          sp::plan_spec spec = training_run(model, sp::devices::h100_sxm_80gb::spec, cluster.nodes, 1000, batch);
          spec.devices_per_node = cluster.node;
          spec.micro_batch = micro;
          visit(spec);
        }
}

// The batch that a question about memory is asked with.
sp::plan_spec with_whole_batch(sp::plan_spec spec) {
  const std::int64_t replicas = spec.devices_per_node * spec.nodes / (spec.tp * spec.pp * spec.cp);
  const std::int64_t at_once = replicas * spec.micro_batch;
  spec.global_batch = spec.global_batch < at_once ? at_once : spec.global_batch / at_once * at_once;
  return spec;
}

}  // namespace

TEST_CASE("odd questions: decide and practice answer with figures of the plan that they name") {
  int asked = 0;
  int fits = 0;
  each_odd_question([&](const sp::plan_spec& spec) {
    ++asked;
    INFO(spec.model.layers << " layers of " << spec.model.hidden << ", " << spec.nodes << " x " << spec.devices_per_node << ", batch "
                           << spec.global_batch << ", micro-batch " << spec.micro_batch);
    const auto check = [&](const sp::plan_spec& plan, sp::bytes needs, bool path_fits) {
      const std::int64_t world = plan.devices_per_node * plan.nodes;
      CHECK(plan.global_batch == spec.global_batch);
      CHECK(world % (plan.tp * plan.pp * plan.cp) == 0);
      CHECK(plan.tp <= plan.devices_per_node);
      CHECK(sp::figures_of(with_whole_batch(plan)).peak_memory == needs);
      CHECK(path_fits == (needs <= plan.device.memory));
      fits += path_fits;
    };
    const sp::decision path = sp::decision_of(spec);
    check(path.plan, path.needs, path.fits);
    CHECK(path.steps[3].chosen == spec.devices_per_node * spec.nodes / (path.plan.tp * path.plan.pp));
    CHECK(!sp::report::text_of(path).empty());
    for (int whose = 0; whose < sp::guidance_count; ++whose) {
      const sp::practice_path guided = sp::practice_of(spec, static_cast<sp::guidance>(whose));
      INFO(sp::name_of(guided.whose));
      check(guided.plan, guided.needs, guided.fits);
      CHECK(!sp::report::text_of(guided).empty());
    }
  });
  CHECK(asked == 6 * 8 * 5 * 2);
  CHECK(fits > 1000);
}

TEST_CASE("odd questions: best is never worse, by any objective, and its whole space never worse than the default one") {
  int found = 0;
  each_odd_question([&](const sp::plan_spec& spec) {
    if (spec.micro_batch != 1) return;
    INFO(spec.model.layers << " layers of " << spec.model.hidden << ", " << spec.nodes << " x " << spec.devices_per_node << ", batch "
                           << spec.global_batch);
    const sp::plan_spec decided = sp::decision_of(spec).plan;
    const sp::evaluation verdict = sp::evaluate(decided, sp::remedy_search::off);
    for (const sp::objective by : {sp::objective::step_time, sp::objective::memory, sp::objective::devices}) {
      INFO(sp::name_of(by));
      sp::search_options options;
      options.by = by;
      options.simulated = 0;
      const sp::search_result best = sp::best_of(spec, options);
      found += best.found;
      if (verdict.violations.empty()) {
        REQUIRE(best.found);
        if (by == sp::objective::step_time) CHECK(best.top[0].step <= sp::step_timing(decided).step);
        if (by == sp::objective::memory) CHECK(best.top[0].memory <= verdict.peak_memory);
        CHECK(best.top[0].devices() <= verdict.world_size);
      }
      if (best.found) CHECK(sp::evaluate(best.plan, sp::remedy_search::off).violations.empty());
      if (by == sp::objective::devices || spec.nodes > 7 || spec.model.layers > 16) continue;
      const sp::search_space whole = sp::whole_space_of(spec, sp::bit_of(sp::part_kind::etp) | sp::bit_of(sp::part_kind::recompute));
      const sp::search_result all = sp::best_of(spec, whole, options);
      if (!best.found || best.plan.recompute != spec.recompute) continue;
      REQUIRE(all.found);
      if (by == sp::objective::step_time) CHECK(all.top[0].step <= best.top[0].step);
      if (by == sp::objective::memory) CHECK(all.top[0].memory <= best.top[0].memory);
    }
  });
  CHECK(found > 150);
}

TEST_CASE("odd questions: the fewest of several numbers of devices") {
  sp::plan_spec spec = training_run(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 1, 4096, 96);
  sp::search_space space = sp::default_space_of(spec);
  for (const std::int64_t devices : {24, 8, 1, 3, 2, 6}) space.devices.push_back(devices);
  const sp::search_space by_counts = sp::default_space_of(spec, 0, space.devices);
  CHECK(by_counts.pp.size() == 4);  // divisors of 32 layers and of 24, 8, 6, 3, 2 or 1 device
  sp::search_options options;
  options.by = sp::objective::devices;
  const sp::search_result fewest = sp::best_of(spec, space, options);
  REQUIRE(fewest.found);
  for (const std::int64_t devices : {1, 2, 3, 6, 8, 24}) {
    sp::plan_spec of_these = spec;
    of_these.devices_per_node = devices <= 8 ? devices : 8;
    of_these.nodes = devices <= 8 ? 1 : devices / 8;
    sp::search_space alone = space;
    alone.devices.length = 0;
    if (devices < fewest.top[0].devices()) CHECK(!sp::best_of(of_these, alone).found);
    if (devices == fewest.top[0].devices()) CHECK(sp::best_of(of_these, alone).found);
  }
}
