// SPDX-License-Identifier: BSL-1.0
// Plans that the doctor's tests share.
#pragma once

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace doctor {

namespace sp = shardplan;

// 7B on one node, data parallel only.
inline sp::plan_spec plain() {
  sp::plan_spec spec{};
  spec.model = sp::models::llama2_7b::shape;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 1;
  spec.sequence = 4096;
  spec.micro_batch = 1;
  spec.global_batch = 64;
  return spec;
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
