// SPDX-License-Identifier: BSL-1.0
// The time of a step, at run time: by closed form, and with the schedule played, as a search ranks its best by. docs/benchmarks.md
#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/shardplan.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace sp = shardplan;

namespace {

// 70B over 16 stages with 128 micro-batches.
sp::plan_spec deep(const sp::schedule_spec& schedule) {
  sp::plan_spec spec{};
  spec.model = sp::models::llama3_70b::shape;
  spec.model.layers = 128;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 16;
  spec.sequence = 8192;
  spec.micro_batch = 1;
  spec.global_batch = 128;
  spec.tp = 8;
  spec.pp = 16;
  spec.zero = 1;
  spec.schedule = schedule;
  return spec;
}

template <class Schedule>
void closed_form(benchmark::State& state) {
  const sp::plan_spec spec = deep(Schedule::spec);
  for (auto _ : state) benchmark::DoNotOptimize(sp::step_timing(spec));
}
template <class Schedule>
void played(benchmark::State& state) {
  const sp::plan_spec spec = deep(Schedule::spec);
  if (!sp::simulated_timing_of(spec).played) state.SkipWithError("not played");
  for (auto _ : state) benchmark::DoNotOptimize(sp::simulated_timing_of(spec));
}

}  // namespace

BENCHMARK_TEMPLATE(closed_form, sp::schedules::one_f_one_b);
BENCHMARK_TEMPLATE(played, sp::schedules::one_f_one_b);
BENCHMARK_TEMPLATE(played, sp::schedules::interleaved<4>);
BENCHMARK_TEMPLATE(played, sp::schedules::zb_v);
BENCHMARK_TEMPLATE(played, sp::schedules::v_half);
BENCHMARK_TEMPLATE(played, sp::schedules::dual_pipe_v);
