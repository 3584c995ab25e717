// SPDX-License-Identifier: BSL-1.0
// Every table of the handbook chapter "ZeRO and 3D parallelism in depth", its number and the exact one side by side.
// GB is 10^9 bytes and MiB 2^20, as there.
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <cstdio>
#include <initializer_list>

namespace sp = shardplan;
namespace book = shardplan::handbook;

namespace {

double gb(sp::bytes amount) { return static_cast<double>(amount.count) / 1e9; }
double mib(sp::bytes amount) { return static_cast<double>(amount.count) / 1048576.0; }
double percent(sp::fraction share) { return 100 * sp::to_double(share); }

constexpr std::int64_t exact_7b = sp::parameter_count<sp::models::llama2_7b>;

// Llama 2 7B on one device, one sequence of 4K: with Transformer Engine's kernels and flash attention.
using one_device = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 1, 1>, sp::micro_batch<1>,
                            sp::global_batch<1>, sp::sequence<4096>>;

void memory_of_one_device() {
  std::puts("1. Memory of one device: AdamW and BF16, 7B");
  std::printf("   %-42s %10s %22s\n", "", "handbook", "Llama 2 7B, 16 bytes");
  const auto row = [](const char* what, sp::bytes books, std::int64_t bytes_each) {
    std::printf("   %-42s %7.2f GB %19.2f GB\n", what, gb(books), gb(sp::bytes{exact_7b} * bytes_each));
  };
  constexpr book::counting kept = book::zero_paper_counting;
  row("weights, 2P", book::weights(book::seven_billion), kept.weights);
  row("gradients, 2P", book::gradients(book::seven_billion), kept.gradients);
  row("optimizer, 8P (12P with an fp32 master)", book::optimizer(book::seven_billion), kept.optimizer);
  row("states, 12P (16P)", book::states(book::seven_billion), kept.total());
  constexpr sp::bytes activations = one_device::memory[0].activations;
  std::printf("   %-42s %3.0f to %2.0f GB %19.2f GB\n", "activations, sequence 4K, batch 1", gb(book::activations_least),
              gb(book::activations_most), gb(activations));
  std::printf("   %-42s %2.0f to %2.0f GB %19.2f GB\n", "in all", gb(book::total_least), gb(book::total_most),
              gb(sp::bytes{exact_7b} * kept.total() + activations));
  std::printf("   one A100 has %.2f GB\n\n", gb(sp::devices::a100_sxm_80gb::spec.memory));
}

void zero() {
  std::puts("1. ZeRO on 8 devices, 7B: states of one device in GB");
  std::printf("   %-14s %14s %9s %9s %14s %14s %14s\n", "", "bytes each", "handbook", "saved", "Llama 2 7B, 12", "16 bytes", "18 bytes");
  struct named {
    const char* name;
    book::scheme scheme;
  };
  constexpr named schemes[] = {{"none", book::scheme::none},
                               {"ZeRO-1", book::scheme::zero_1},
                               {"ZeRO-2", book::scheme::zero_2},
                               {"ZeRO-3", book::scheme::zero_3},
                               {"ZeRO-Offload", book::scheme::offload}};
  for (const named& row : schemes)
    std::printf("   %-14s %14.2f %9.2f %7.1f %% %14.2f %14.2f %14.2f\n", row.name, sp::to_double(book::bytes_per_parameter(row.scheme, 8)),
                gb(book::per_device_states(book::seven_billion, row.scheme, 8)), percent(book::saved(row.scheme, 8)),
                gb(book::per_device_states(exact_7b, row.scheme, 8)),
                gb(book::per_device_states(exact_7b, row.scheme, 8, book::zero_paper_counting)),
                gb(book::per_device_states(exact_7b, row.scheme, 8, book::megatron_counting)));
  const book::transfer pcie = book::pcie_per_step(book::seven_billion, 8);
  const book::transfer nvme = book::nvme_per_step(book::seven_billion, 8);
  std::printf("   offload puts %.0f GB on the host; a step moves %.2f GB to it and %.2f GB back over each PCIe link\n",
              gb(book::offloaded(book::seven_billion)), gb(pcie.away), gb(pcie.back));
  std::printf("   with the optimizer on NVMe a device also reads %.2f GB and writes %.2f GB a step\n\n", gb(nvme.back), gb(nvme.away));
}

void topology() {
  constexpr book::layout example = book::worked_example;
  std::printf("2. %d nodes x %d devices = %d = TP %d x PP %d x DP %d: nodes of each stage\n", static_cast<int>(example.nodes),
              static_cast<int>(example.devices_per_node), static_cast<int>(example.devices()), static_cast<int>(example.tp),
              static_cast<int>(example.pp), static_cast<int>(example.dp));
  struct named {
    const char* name;
    book::axis_order order;
  };
  constexpr named orders[] = {{"tp-pp-dp, the handbook's text", book::axis_order::tp_pp_dp},
                              {"tp-dp-pp, its drawing and Megatron's default", book::axis_order::tp_dp_pp}};
  for (const named& row : orders) {
    std::printf("   %s\n", row.name);
    for (std::int64_t stage = 0; stage < example.pp; ++stage) {
      std::printf("     stage %d:", static_cast<int>(stage));
      for (const std::int64_t node : book::nodes_of_stage(example, row.order, stage)) std::printf(" %d", static_cast<int>(node));
      std::puts("");
    }
  }
  std::puts("");
}

void communication() {
  constexpr book::activation tensor{.batch = 4, .sequence = 2048, .hidden = 4096};
  std::puts("2. Communication: batch 4, sequence 2048, width 4096, BF16; exact: bytes that one rank sends");
  std::printf("   %-34s %12s   %s\n", "", "handbook", "exact");
  std::printf("   %-34s %8.0f MiB   one all-reduce:", "TP, a layer", mib(book::tp_all_reduce(tensor)));
  for (const int ranks : {2, 4, 8}) std::printf("  t=%d %.0f MiB", ranks, mib(book::true_tp_all_reduce(tensor, ranks)));
  std::printf("\n   %-34s %12s   a layer has four:", "", "");
  for (const int ranks : {2, 4, 8}) std::printf("  t=%d %.0f MiB", ranks, mib(book::true_tp_layer(tensor, ranks)));
  std::printf("\n   %-34s %12s   with sequence parallelism:", "", "");
  for (const int ranks : {2, 4, 8}) std::printf("  t=%d %.0f MiB", ranks, mib(book::true_tp_layer_sequence_parallel(tensor, ranks)));
  std::printf("\n   %-34s %8.0f MiB   %.0f MiB each way; with sequence parallelism:", "PP, a boundary, a micro-batch",
              mib(book::pp_boundary(tensor)), mib(book::true_pp_each_way(tensor)));
  for (const int ranks : {2, 4, 8}) std::printf("  t=%d %.0f MiB", ranks, mib(book::true_pp_each_way_sequence_parallel(tensor, ranks)));
  std::printf("\n   %-34s %9.2f GB  ", "DP, 7B, a step", gb(book::dp_all_reduce(book::seven_billion)));
  for (const int ranks : {8, 64}) std::printf("  n=%d %.2f GB", ranks, gb(book::true_dp_all_reduce(book::seven_billion, ranks)));
  std::printf("\n   %-34s %12s  ", "ZeRO-3 and FSDP, 7B, a micro-step", "(in words)");
  for (const int ranks : {8, 64}) std::printf("  n=%d %.2f GB", ranks, gb(book::true_zero_3(book::seven_billion, ranks)));
  std::puts("\n");
}

void configurations() {
  std::puts("2. Typical configurations");
  std::printf("   %-6s %12s %4s %4s %9s  %s\n", "model", "devices", "TP", "PP", "DP", "sharding");
  for (const book::typical_configuration& row : book::typical_configurations) {
    char devices[32];
    char replicas[32];
    const int least = static_cast<int>(row.devices_least);
    const int most = static_cast<int>(row.devices_most);
    const int first = static_cast<int>(row.dp(least));
    const int last = static_cast<int>(row.dp(most));
    if (least == most) {
      std::snprintf(devices, sizeof devices, "%d", least);
      std::snprintf(replicas, sizeof replicas, "%d", first);
    } else {
      std::snprintf(devices, sizeof devices, "%d to %d", least, most);
      std::snprintf(replicas, sizeof replicas, "%d to %d", first, last);
    }
    std::printf("   %-6s %12s %4d %4d %9s  %s\n", row.model.c_str(), devices, static_cast<int>(row.tp), static_cast<int>(row.pp), replicas,
                row.sharding == sp::literal{} ? "(not said)" : row.sharding.c_str());
  }
  std::puts("");
}

void full_sharding() {
  struct difference {
    const char* what;
    const char* fsdp;
    const char* zero_3;
  };
  constexpr difference rows[] = {
      {"unit of sharding", "FSDP1: flat parameter of a module; FSDP2: each parameter, dim 0",
       "each parameter, prefetched by bucket from a trace"},
      {"full sharding", "FULL_SHARD", "stage 3"},
      {"gradients and optimizer", "SHARD_GRAD_OP", "stage 2"},
      {"inside a group only", "HYBRID_SHARD", "MiCS"},
      {"second copy in the node", "reshard_after_forward = integer", "hpZ"},
      {"offload", "CPU", "CPU, NVMe"},
      {"with TP, PP and CP", "FSDP2 by a device mesh", "the pipeline engine stops at stage 1"},
      {"checkpoint", "sharded tensors", "partition files to be consolidated"},
  };
  std::puts("3. FSDP and ZeRO-3: the same idea, other granularity and other framework");
  std::printf("   %-24s | %-63s | %s\n", "", "FSDP", "DeepSpeed ZeRO-3");
  for (const difference& row : rows) std::printf("   %-24s | %-63s | %s\n", row.what, row.fsdp, row.zero_3);
  std::puts("");
}

void bubble() {
  std::puts("4. Pipeline: efficiency for t_f = t_b");
  std::printf("   %2s %3s %8s %18s %18s   %s\n", "p", "m", "bubble", "handbook", "GPipe and 1F1B", "the handbook's is that of");
  struct point {
    std::int64_t stages;
    std::int64_t micro_batches;
  };
  constexpr point points[] = {{4, 8}, {8, 8}, {8, 32}};
  for (const point& at : points) {
    const sp::fraction books = book::pipeline_efficiency(at.stages, at.micro_batches);
    const sp::fraction exact = book::true_pipeline_efficiency(at.stages, at.micro_batches);
    const int chunks = static_cast<int>(book::chunks_of_pipeline_efficiency(at.stages).numerator);
    std::printf("   %2d %3d %6dt  %4d/%-4d = %4.1f %% %5d/%-4d = %4.1f %%   interleaved, %d chunks: %.1f %%\n", static_cast<int>(at.stages),
                static_cast<int>(at.micro_batches), static_cast<int>(book::pipeline_bubble(at.stages, 1, 1).numerator),
                static_cast<int>(books.numerator), static_cast<int>(books.denominator), percent(books), static_cast<int>(exact.numerator),
                static_cast<int>(exact.denominator), percent(exact), chunks,
                percent(book::interleaved_pipeline_efficiency(at.stages, at.micro_batches, chunks)));
  }
}

}  // namespace

int main() {
  memory_of_one_device();
  zero();
  topology();
  communication();
  configurations();
  full_sharding();
  bubble();
}
