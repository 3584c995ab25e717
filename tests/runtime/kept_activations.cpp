// SPDX-License-Identifier: BSL-1.0
// Laws of kept activations over grids: kernel sets, modules and layers that are recomputed.
#include "catch.hpp"

#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {

sp::plan_spec run_of(const sp::transformer& shape, std::int64_t tp, std::int64_t pp, std::int64_t cp) {
  sp::plan_spec spec{};
  spec.model = shape;
  spec.device.memory = sp::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = tp * pp * cp;
  spec.nodes = 2;
  spec.sequence = 1024;
  spec.micro_batch = 1;
  spec.global_batch = 64;
  spec.tp = tp;
  spec.pp = pp;
  spec.cp = cp;
  spec.etp = tp;
  spec.vocabulary_multiple = 128 * tp;
  return spec;
}

}  // namespace

// One account with everything that any stage has is a bound, for every kernel set and choice of recomputed layers.
TEST_CASE("the bound of one account holds for kept activations of every kind") {
  int judged = 0;
  for (const sp::transformer& shape : {sp::models::gpt2_xl::shape, sp::models::mixtral_8x7b::shape})
    for (const sp::kernel_spec& kernels :
         {sp::kernel_sets::transformer_engine::spec, sp::kernel_sets::torch_eager::spec, sp::kernel_sets::korthikanti::spec})
      for (const std::int64_t pp : {2, 4, 8})
        for (const int what : {0, 1, 2, 16, 84, 256})
          for (const int method : {0, 1, 2, 3}) {
            sp::plan_spec spec{};
            spec.model = shape;
            spec.model.layers = 24;
            spec.devices_per_node = 16;
            spec.nodes = 1;
            spec.sequence = 512;
            spec.micro_batch = 2;
            spec.global_batch = 64;
            spec.pp = pp;
            spec.kernels = kernels;
            spec.recompute = static_cast<sp::recomputes>(what);
            spec.recompute_layers = {static_cast<sp::recompute_methods>(method), 2};
            spec.device.memory = sp::bytes{std::int64_t{1} << 50};
            const sp::bytes peak = sp::figures_of(spec).peak_memory;
            for (int tenths = 9; tenths <= 30; tenths += 3) {
              spec.device.memory = peak * tenths / 10;
              if (!sp::detail::surely_fits(spec, sp::memory_layout_of(spec))) continue;
              ++judged;
              CHECK(peak <= spec.device.memory);
              CHECK(sp::violations_in(spec).empty());
            }
          }
  CHECK(judged > 500);
}

// Whatever is recomputed, no more is kept than without, and full recomputation keeps least.
TEST_CASE("recomputation never keeps more") {
  int plans = 0;
  for (const sp::transformer& shape :
       {sp::models::gpt2_xl::shape, sp::models::llama3_8b::shape, sp::models::mixtral_8x7b::shape, sp::models::deepseek_v2_lite::shape})
    for (const std::int64_t tp : {1, 2})
      for (const std::int64_t pp : {1, 3})
        for (const std::int64_t cp : {1, 2}) {
          const sp::plan_spec spec = run_of(shape, tp, pp, cp);
          if (!sp::violations_in(spec).empty()) continue;
          ++plans;
          for (const sp::kernel_spec& kernels : {sp::kernel_sets::transformer_engine::spec, sp::kernel_sets::torch_fused::spec,
                                                 sp::kernel_sets::torch_eager::spec, sp::kernel_sets::korthikanti::spec}) {
            sp::plan_spec changed = spec;
            changed.kernels = kernels;
            const auto kept = [&](int what) {
              changed.recompute = static_cast<sp::recomputes>(what);
              return sp::stage_memory(changed, 0).device.activations;
            };
            const sp::bytes none = kept(0), full = kept(1);
            for (const int what : {2, 4, 8, 16, 32, 64, 128, 84, 254, 256}) {
              const sp::bytes some = kept(what);
              CHECK(some <= none);
              CHECK(some >= full);
            }
            changed.recompute = sp::recomputes::full;
            for (const int method : {1, 2, 3}) {
              changed.recompute_layers = {static_cast<sp::recompute_methods>(method), 2};
              const sp::bytes some = sp::stage_memory(changed, 0).device.activations;
              CHECK(some <= none);
              CHECK((method == 1 ? some <= full : some >= full));
            }
            changed.recompute_layers = {};
          }
        }
  CHECK(plans > 10);
}
