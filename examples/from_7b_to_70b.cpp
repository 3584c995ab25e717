// SPDX-License-Identifier: BSL-1.0
// "From 7B to 70B, how does your strategy change?" The question of the handbook's chapter, answered with the figures that decide it: the
// same ladder of plans for Llama 2 7B on 8 A100 80 GB and for Llama 2 70B on 64, mixed-precision AdamW (16 bytes a parameter), sequences of
// 4096.
#include <shardplan/report/text.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

namespace sp = shardplan;

namespace {

using sp::report::gib;

template <class Model, std::int64_t Nodes, class... Parts>
using run = sp::plan<sp::model<Model>, sp::cluster<sp::devices::a100_sxm_80gb, 8, Nodes>, sp::micro_batch<1>, sp::global_batch<256>,
                     sp::sequence<4096>, Parts...>;

// One rung: the worst stage's states, activations and total, and the verdict.
template <class Plan>
void rung(const char* name) {
  const sp::evaluation result = sp::evaluate(Plan::spec);
  if (result.world_size == 0) {
    std::printf("  %-34s %s\n", name, sp::sentence_of(result.violations).c_str());
    return;
  }
  const sp::memory_report worst = sp::stage_memory(Plan::spec, result.peak_stage).device;
  std::printf("  %-34s %9s %9s %9s  %s\n", name, gib(worst.states()).c_str(), gib(worst.activations).c_str(), gib(worst.total()).c_str(),
              result.violations.empty() ? "fits" : sp::sentence_of(result.violations[0]).c_str());
}

template <class Model, std::int64_t Nodes>
void ladder(const char* name) {
  const std::int64_t count = sp::parameter_count<Model>;
  std::printf("%s: %s parameters, %d devices of %s GiB\n", name, sp::report::grouped(count).c_str(), static_cast<int>(8 * Nodes),
              gib(sp::devices::a100_sxm_80gb::spec.memory, false).c_str());
  std::printf("  states of the whole model, 16 bytes a parameter: %s GiB; of one device's share if all is sharded: %s GiB\n",
              gib({16 * count}).c_str(), gib({16 * count / (8 * Nodes)}).c_str());
  std::printf("  %-34s %9s %9s %9s\n", "GiB, worst stage", "states", "activ.", "total");
  rung<run<Model, Nodes>>("data parallel only");
  rung<run<Model, Nodes, sp::zero<1>>>("zero 1");
  rung<run<Model, Nodes, sp::zero<2>>>("zero 2");
  rung<run<Model, Nodes, sp::zero<3>>>("zero 3");
  rung<run<Model, Nodes, sp::zero<3>, sp::recompute<sp::recomputes::full>>>("zero 3, full recompute");
  rung<run<Model, Nodes, sp::tp<8>>>("tp 8");
  rung<run<Model, Nodes, sp::tp<8>, sp::zero<1>>>("tp 8, zero 1");
  rung<run<Model, Nodes, sp::tp<8>, sp::pp<2>>>("tp 8, pp 2");
  rung<run<Model, Nodes, sp::tp<8>, sp::pp<2>, sp::zero<1>>>("tp 8, pp 2, zero 1");
  rung<run<Model, Nodes, sp::tp<4>, sp::pp<4>, sp::zero<1>>>("tp 4, pp 4, zero 1");
  std::printf("\n");
}

// What the ladders lead to, insisted on when this file is compiled.
using small = run<sp::models::llama2_7b, 1, sp::zero<1>>;
using large = run<sp::models::llama2_70b, 8, sp::tp<8>, sp::pp<2>, sp::zero<1>>;
static_assert(sp::checked<small> && sp::checked<large>);
static_assert(!sp::fits<run<sp::models::llama2_7b, 1>> && !sp::fits<run<sp::models::llama2_70b, 8, sp::zero<1>>> &&
              !sp::fits<run<sp::models::llama2_70b, 8, sp::zero<2>>>);

}  // namespace

int main() {
  ladder<sp::models::llama2_7b, 1>("Llama 2 7B");
  ladder<sp::models::llama2_70b, 8>("Llama 2 70B");

  std::printf("How the strategy changes\n");
  std::printf(
      "  7B:  one device cannot hold the states (%s of %s GiB), but eight can share them. Sharding the optimizer state is enough and "
      "sends\n"
      "       nothing extra: zero 1, tp 1, pp 1, dp 8; the worst device needs %s GiB.\n",
      gib({16 * sp::parameter_count<sp::models::llama2_7b>}).c_str(), gib(sp::devices::a100_sxm_80gb::spec.memory, false).c_str(),
      gib(small::peak_memory).c_str());
  std::printf(
      "  70B: weights and gradients alone (4 bytes a parameter, %s GiB) fill more than three devices, so the model itself must be divided: "
      "tp 8 inside\n"
      "       the node, where the links are fast, then pp %lld across nodes, dp %lld, and zero 1 for what is left; stage %lld needs %s "
      "GiB.\n"
      "       zero 3 alone divides the states as well, but gathers all weights for every micro-batch, and activations of a whole model\n"
      "       (%s GiB of one 4096-token sequence) stay on each device.\n",
      gib({4 * sp::parameter_count<sp::models::llama2_70b>}).c_str(), static_cast<long long>(large::spec.pp),
      static_cast<long long>(large::data_parallel), static_cast<long long>(large::peak_stage), gib(large::peak_memory).c_str(),
      gib(run<sp::models::llama2_70b, 8, sp::zero<3>>::memory[0].activations).c_str());
  const sp::plan_figures deep = run<sp::models::llama2_70b, 8, sp::tp<4>, sp::pp<4>, sp::zero<1>>::figures;
  std::printf("  Pipeline: with pp 4 and %lld micro-batches the handbook counts %.1f %% efficiency; GPipe and 1F1B really reach %.1f %%.\n",
              static_cast<long long>(deep.micro_batches), 100 * sp::to_double(sp::handbook::pipeline_efficiency(4, deep.micro_batches)),
              100 * sp::to_double(sp::handbook::true_pipeline_efficiency(4, deep.micro_batches)));
}
