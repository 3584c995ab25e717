// SPDX-License-Identifier: BSL-1.0
// FSDP against ZeRO-3 as numbers: what is gathered at once decides the memory peak, the bytes of a step and what communication stays
// visible.
#include <shardplan/shardplan.hpp>
#include <shardplan/timing/gathering.hpp>

#include <cstdio>

namespace sp = shardplan;

template <class Model, int Nodes, class... More>
using run = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, Nodes>, sp::sequence<4096>, sp::micro_batch<1>,
                     sp::global_batch<8 * Nodes>, sp::recompute<sp::recomputes::full>, More...>;

void print(const char* name, const sp::gathering& row) {
  const auto gigabytes = [](sp::bytes amount) { return static_cast<double>(amount.count) / 1e9; };
  std::printf("  %-36s %5lld %9.2f %9.2f %9.2f %9.2f %8.2f %8.2f %9.1f\n", name, static_cast<long long>(row.units),
              gigabytes(row.largest_unit), gigabytes(row.peak), gigabytes(row.gathered), gigabytes(row.needless), 1e3 * row.gather_seconds,
              1e3 * row.forward_seconds, 1e3 * row.exposed_step);
}

template <class Model, int Nodes>
void compare(const char* title) {
  using sharded = run<Model, Nodes, sp::fsdp<>>;
  using kept = run<Model, Nodes, sp::fsdp<sp::reshard_after_forward<false>>>;
  using staged = run<Model, Nodes, sp::zero<3>>;
  std::printf("%s, %lld GPUs, one micro-step; GB and, estimated, ms\n", title, static_cast<long long>(sharded::world_size));
  std::printf("  %-36s %5s %9s %9s %9s %9s %8s %8s %9s\n", "", "units", "largest", "peak", "gathered", "needless", "gather", "forward",
              "exposed");
  print("FSDP, the model as one unit", sp::gathering_of(sharded::spec, sp::gather_unit::model));
  print("FSDP by block", sp::gathering_of(sharded::spec, sp::gather_unit::block));
  print("FSDP by block, no resharding", sp::gathering_of(kept::spec, sp::gather_unit::block));
  print("ZeRO-3, traced and prefetched", sp::gathering_of(staged::spec, sp::gather_unit::module));
}

int main() {
  compare<sp::models::llama2_7b, 1>("7B");
  compare<sp::models::llama2_70b, 8>("70B");
}
