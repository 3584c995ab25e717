// SPDX-License-Identifier: BSL-1.0
// A kernel over a plan type: every form here works without a flag. A run-time index into memory[], a reference to one of its entries
// and a copy of the whole spec do not.
#include <shardplan/shardplan.hpp>

#include <cstdio>

namespace sp = shardplan;

using run = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::tp<2>, sp::pp<2>, sp::zero<1>,
                     sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

constexpr int figures = 14;

template <class Plan>
__global__ void read_plan(long long* out) {
  static_assert(sp::checked<Plan>);
  __shared__ float tile[Plan::spec.tp * 16];
  tile[0] = 1.0F;

  constexpr sp::bytes peak = Plan::peak_memory;
  constexpr sp::memory_report last = Plan::memory[1];
  constexpr bool smaller = Plan::memory[1].optimizer <= Plan::peak_memory;
  auto copy = Plan::peak_memory;

  out[0] = Plan::world_size;
  out[1] = Plan::peak_memory.count;
  out[2] = Plan::spec.model.hidden;
  out[3] = Plan::memory[1].optimizer.count;
  out[4] = sp::parameter_count<sp::models::llama3_8b>;
  out[5] = sp::valid<Plan> ? 1 : 0;
  if constexpr (sp::fits<Plan>) out[6] = static_cast<long long>(tile[0]);
  out[7] = peak.count - copy.count;
  out[8] = last.weights.count;
  out[9] = last.total().count + (smaller ? 1 : 0);

  constexpr sp::traffic_report sends = Plan::template traffic_at<1>::report;
  out[10] = Plan::template traffic_at<1>::report.sent_over[static_cast<int>(sp::channel::pp)];
  out[11] = sends.sent(sp::channel::tp).count;
  out[12] = sends.received_over[static_cast<int>(sp::channel::dp)];
  out[13] = static_cast<long long>(1e6 * Plan::timing.step);
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIPPED: no GPU here, the kernel was compiled only");
    return 77;
  }
  long long* seen = nullptr;
  if (cudaMallocManaged(&seen, figures * sizeof *seen) != cudaSuccess) return 1;
  read_plan<run><<<1, 1>>>(seen);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;

  long long const expected[figures] = {run::world_size,
                                       run::peak_memory.count,
                                       run::spec.model.hidden,
                                       run::memory[1].optimizer.count,
                                       sp::parameter_count<sp::models::llama3_8b>,
                                       1,
                                       1,
                                       0,
                                       run::memory[1].weights.count,
                                       run::memory[1].total().count + 1,
                                       run::traffic[1].sent(sp::channel::pp).count,
                                       run::traffic[1].sent(sp::channel::tp).count,
                                       run::traffic[1].received(sp::channel::dp).count,
                                       static_cast<long long>(1e6 * run::timing.step)};
  int wrong = 0;
  for (int i = 0; i < figures; ++i) wrong += seen[i] != expected[i];
  cudaFree(seen);
  return wrong == 0 ? 0 : 1;
}
