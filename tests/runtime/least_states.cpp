// SPDX-License-Identifier: BSL-1.0
// The bound that leaves hopeless changes out of a search (plan/least_states.hpp) is never above what a plan needs, and close to it where
// states are all there is.
#include "catch.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <vector>

namespace sp = shardplan;

namespace {

std::vector<sp::plan_spec> computable_plans() {
  std::vector<sp::plan_spec> specs;
  for (const sp::transformer& model : {sp::models::gpt2::shape, sp::models::llama3_8b::shape, sp::models::mixtral_8x7b::shape,
                                       sp::models::deepseek_v2_lite::shape, sp::models::gemma_2_2b::shape})
    for (const std::int64_t tp : {1, 2, 4})
      for (const std::int64_t pp : {1, 2, 4})
        for (const std::int64_t ep : {1, 4})
          for (const sp::optimizer_spec& optimizer : {sp::optimizers::adamw::spec, sp::optimizers::muon::spec, sp::optimizers::lomo::spec,
                                                      sp::optimizers::adamw_8bit::spec, sp::optimizers::adafactor::spec})
            for (const sp::precision_spec& precision :
                 {sp::precisions::bf16_fp32_master::spec, sp::precisions::bf16_fp32_accumulator::spec, sp::precisions::ms_amp_o3::spec,
                  sp::precisions::fp8_weights::spec, sp::precisions::fp16_fp32_gradient_copy::spec})
              for (int sharding = 0; sharding < 7; ++sharding) {
                sp::plan_spec spec{};
                spec.model = model;
                spec.device = sp::devices::h100_sxm_80gb::spec;
                spec.devices_per_node = 8;
                spec.nodes = 2;
                spec.sequence = 64;
                spec.micro_batch = 1;
                spec.global_batch = 16;
                spec.tp = tp;
                spec.pp = pp;
                spec.ep = model.experts.count > 0 ? ep : 1;
                spec.optimizer = optimizer;
                spec.precision = precision;
                spec.zero = sharding < 4 ? sharding : 0;
                if (sharding == 4) spec.sharding.layout = sp::shard_layout::tensors;
                if (sharding == 5) spec.sharding.layout = sp::shard_layout::flat_units;
                if (sharding == 6) {
                  spec.zero = 1;
                  spec.offload.states = sp::storage::host;
                }
                if (sp::detail::is_computable(spec)) specs.push_back(spec);
              }
  return specs;
}

}  // namespace

TEST_CASE("the least memory of a plan is a lower bound") {
  const std::vector<sp::plan_spec> specs = computable_plans();
  CHECK(specs.size() > 4000);
  int moved = 0;
  for (const sp::plan_spec& spec : specs) {
    const sp::detail::parameter_totals totals = sp::detail::totals_of(spec);
    CHECK(totals.dense + totals.routed == sp::parameter_count_of(spec.model));
    if (sp::detail::least_memory(spec, totals, {}) > sp::figures_of(spec).peak_memory.count) FAIL("above the plan");
    // And of each changed plan, without changing it; what is moved to the host is the framework's.
    for (const sp::frameworks framework : {sp::frameworks::generic, sp::frameworks::megatron, sp::frameworks::fsdp2}) {
      sp::plan_spec asked = spec;
      asked.framework = framework;
      sp::first_remedy(asked, [&](sp::remedy change) {
        const sp::plan_spec changed = sp::changed(asked, change);
        if (!sp::detail::is_computable(changed)) return false;
        moved += change.kind == sp::remedy_kind::offload_states_to_host && change.value != 0;
        if (sp::detail::least_memory(asked, totals, change) > sp::figures_of(changed).peak_memory.count) FAIL("above the changed plan");
        return false;
      });
    }
  }
  CHECK(moved > 1'000);
}

TEST_CASE("the least memory is the states where tensors divide") {
  sp::plan_spec spec{};
  spec.model = sp::models::llama3_8b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 1;
  spec.sequence = 64;
  spec.micro_batch = 1;
  spec.global_batch = 8;
  spec.headroom_mebibytes = 0;
  for (const std::int64_t zero : {0, 1, 2, 3}) {
    spec.zero = zero;
    const std::int64_t least = sp::detail::least_memory(spec, sp::detail::totals_of(spec), {});
    CHECK(sp::stage_memory(spec, 0).device.states().count == least);
  }
}
