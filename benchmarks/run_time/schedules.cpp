// SPDX-License-Identifier: BSL-1.0
// How fast tables are made, proven and simulated at run time; the functions are those of the constants. docs/benchmarks.md
#include <shardplan/schedule/prove_table.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/shardplan.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace sp = shardplan;

namespace {

constexpr sp::stage_times times{2, 3, 1};

// p and m
void sizes(benchmark::internal::Benchmark* each) { each->Args({8, 32})->Args({16, 128})->Args({64, 512}); }

template <class Schedule>
void make_table(benchmark::State& state) {
  std::int64_t ops = 0;
  for (auto _ : state) {
    const sp::op_table table = sp::op_table::of<Schedule>(state.range(0), state.range(1));
    benchmark::DoNotOptimize(table.ends);
    ops += table.total_ops;
  }
  state.counters["ops"] = benchmark::Counter(static_cast<double>(ops), benchmark::Counter::kIsRate);
}

template <class Schedule>
void simulate_table(benchmark::State& state) {
  const sp::op_table table = sp::op_table::of<Schedule>(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(sp::simulate(table, times));
  state.counters["ops"] = benchmark::Counter(static_cast<double>(table.total_ops * state.iterations()), benchmark::Counter::kIsRate);
}

template <class Schedule>
void prove_table(benchmark::State& state) {
  const sp::op_table table = sp::op_table::of<Schedule>(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(sp::prove(table, Schedule::spec));
  state.counters["ops"] = benchmark::Counter(static_cast<double>(table.total_ops * state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK_TEMPLATE(make_table, sp::schedules::interleaved<2>)->Apply(sizes);
BENCHMARK_TEMPLATE(simulate_table, sp::schedules::one_f_one_b)->Apply(sizes);
BENCHMARK_TEMPLATE(simulate_table, sp::schedules::interleaved<2>)->Apply(sizes);
BENCHMARK_TEMPLATE(simulate_table, sp::schedules::zb_v)->Apply(sizes);
BENCHMARK_TEMPLATE(simulate_table, sp::schedules::dual_pipe_v)->Apply(sizes);
BENCHMARK_TEMPLATE(prove_table, sp::schedules::interleaved<2>)->Apply(sizes);

}  // namespace
