// SPDX-License-Identifier: BSL-1.0
// Plans that the doctor's tests share.
#pragma once

#include "../training_run.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace doctor {

namespace sp = shardplan;

// 7B on one node, data parallel only.
inline sp::plan_spec plain() { return training_run(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 1, 4096, 64); }

// Three groups, on devices that hold no more than the plan says: a plan that fits, with nothing free but its reserve.
inline void fill_up(sp::plan_spec& spec) {
  spec.tp = 2, spec.pp = 2, spec.cp = 2;
  spec.device.memory = sp::figures_of(spec).peak_memory;
}

// Many plans, legal and not.
template <class Visit>
void each_plan(Visit visit) {
  const sp::transformer models[] = {sp::models::llama3_2_1b::shape, sp::models::llama2_7b::shape, sp::models::llama2_70b::shape,
                                    sp::models::mixtral_8x7b::shape};
  for (const sp::transformer& model : models)
    for (const std::int64_t nodes : {1, 8})
      for (const std::int64_t tp : {1, 3, 8, 16})
        for (const std::int64_t pp : {1, 4})
          for (const std::int64_t zero : {0, 2, 3})
            for (const std::int64_t micro : {1, 4})
              for (const bool lean : {false, true}) {
                sp::plan_spec spec = plain();
                spec.model = model;
                spec.nodes = nodes;
                spec.tp = tp;
                spec.pp = pp;
                spec.zero = zero;
                spec.micro_batch = micro;
                if (lean) {
                  spec.recompute = sp::recomputes::full;
                  spec.offload.states = sp::storage::host;
                  spec.host_memory_gibibytes = 512;
                  spec.global_batch = 512;
                }
                visit(spec);
              }
  // Experts over many nodes.
  for (const sp::transformer& model : {sp::models::mixtral_8x7b::shape, sp::models::deepseek_v3::shape})
    for (const std::int64_t ep : {1, 8, 16, 64})
      for (const std::int64_t tp : {1, 2, 4})
        for (const std::int64_t pp : {1, 4})
          for (const std::int64_t zero : {1, 3})
            for (const std::int64_t batch : {256, 2048}) {
              if (ep > model.experts.count) continue;
              sp::plan_spec spec = plain();
              spec.model = model;
              spec.nodes = 32;
              spec.tp = tp;
              spec.pp = pp;
              spec.zero = zero;
              spec.ep = ep;
              spec.global_batch = batch;
              visit(spec);
            }
}

}  // namespace doctor
