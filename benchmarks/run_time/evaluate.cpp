// SPDX-License-Identifier: BSL-1.0
// Plans that one core evaluates in a second, at run time: a grid of models, clusters, degrees and recipes in which most plans are not
// valid, as in a search. Each kind of plan is measured apart as well, because a plan that does not fit pays for the search of a remedy.
#include <shardplan/shardplan.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sp = shardplan;

namespace {

enum class kind { any, valid, invalid, misfit };

bool is_misfit(const sp::evaluation& result) {
  for (const sp::violation& item : result.violations)
    if (item.broken == sp::rule::does_not_fit) return true;
  return false;
}

bool is_of(kind wanted, const sp::plan_spec& spec) {
  if (wanted == kind::any) return true;
  const sp::evaluation result = sp::evaluate(spec, sp::remedy_search::off);
  if (result.violations.empty()) return wanted == kind::valid;
  return wanted == (is_misfit(result) ? kind::misfit : kind::invalid);
}

std::vector<sp::plan_spec> grid(kind wanted) {
  std::vector<sp::plan_spec> specs;
  for (const sp::transformer& model : {sp::models::llama2_7b::shape, sp::models::llama3_70b::shape, sp::models::gpt3_175b::shape,
                                       sp::models::mixtral_8x7b::shape, sp::models::deepseek_v3::shape})
    for (const std::int64_t nodes : {1, 8, 64})
      for (const std::int64_t tp : {1, 2, 8})
        for (const std::int64_t pp : {1, 3, 4, 16})
          for (const std::int64_t ep : {1, 8})
            for (const std::int64_t zero : {0, 1, 3})
              for (const std::int64_t micro : {1, 2, 8})
                for (const sp::recomputes recompute : {sp::recomputes::none, sp::recomputes::full}) {
                  sp::plan_spec spec{};
                  spec.model = model;
                  spec.device = sp::devices::h100_sxm_80gb::spec;
                  spec.devices_per_node = 8;
                  spec.nodes = nodes;
                  spec.sequence = 4096;
                  spec.micro_batch = micro;
                  spec.global_batch = 1024;
                  spec.tp = tp;
                  spec.pp = pp;
                  spec.ep = ep;
                  spec.zero = zero;
                  spec.recompute = recompute;
                  if (is_of(wanted, spec)) specs.push_back(spec);
                }
  return specs;
}

void evaluate_plans(benchmark::State& state, kind wanted, sp::remedy_search search) {
  const std::vector<sp::plan_spec> specs = grid(wanted);
  std::size_t next = 0;
  for (auto _ : state) {
    sp::evaluation result = sp::evaluate(specs[next], search);
    benchmark::DoNotOptimize(result);
    if (++next == specs.size()) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["plans"] = static_cast<double>(specs.size());
}

BENCHMARK_CAPTURE(evaluate_plans, whole_grid_no_remedy, kind::any, sp::remedy_search::off);
BENCHMARK_CAPTURE(evaluate_plans, whole_grid, kind::any, sp::remedy_search::on);
BENCHMARK_CAPTURE(evaluate_plans, valid, kind::valid, sp::remedy_search::on);
BENCHMARK_CAPTURE(evaluate_plans, invalid, kind::invalid, sp::remedy_search::on);
BENCHMARK_CAPTURE(evaluate_plans, does_not_fit_no_remedy, kind::misfit, sp::remedy_search::off);
BENCHMARK_CAPTURE(evaluate_plans, does_not_fit, kind::misfit, sp::remedy_search::on);

}  // namespace

BENCHMARK_MAIN();
