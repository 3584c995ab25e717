// SPDX-License-Identifier: BSL-1.0
// Candidates that one core searches in a second: 3.2 million plans of a 175B model.
#include "search_questions.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

void search(benchmark::State& state, const sp::search_space& space, sp::objective by, std::int64_t simulated) {
  const sp::plan_spec fixed = run_175b();
  sp::search_options options;
  options.by = by;
  options.simulated = simulated;
  std::int64_t candidates = 0;
  for (auto _ : state) {
    sp::search_result result = sp::best_of(fixed, space, options);
    benchmark::DoNotOptimize(result);
    candidates += result.considered;
    state.counters["fitting"] = static_cast<double>(result.fitting);
    state.counters["timed"] = static_cast<double>(result.timed);
  }
  state.SetItemsProcessed(candidates);
  state.counters["candidates"] = static_cast<double>(space.count());
}

BENCHMARK_CAPTURE(search, by_step_time, large_space(), sp::objective::step_time, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, pipelined, pipelined_space(), sp::objective::step_time, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, pipelined_and_simulated, pipelined_space(), sp::objective::step_time, 32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, by_memory, large_space(), sp::objective::memory, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, legal_by_step_time, legal_space(), sp::objective::step_time, 0)->Unit(benchmark::kMillisecond);

}  // namespace
