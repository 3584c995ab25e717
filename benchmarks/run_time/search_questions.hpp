// SPDX-License-Identifier: BSL-1.0
#pragma once

// What the run-time search is measured with: 3.2 million plans of a 175B model, and parts of them.
#include <shardplan/schedule/eager_1f1b.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/looped_bfs.hpp>
#include <shardplan/schedule/zb_h2.hpp>
#include <shardplan/schedule/zb_v.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <initializer_list>

namespace sp = shardplan;

template <class List, class Value>
void add(List& list, std::initializer_list<Value> values) {
  for (const auto& value : values) list.push_back(value);
}

inline sp::plan_spec run_175b() {
  sp::plan_spec spec{};
  spec.model = sp::models::gpt3_175b::shape;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 128;
  spec.sequence = 2048;
  spec.global_batch = 1536;
  spec.framework = sp::frameworks::megatron;  // which pads the vocabulary to what tp divides
  return spec;
}

inline sp::search_space large_space() {
  using namespace sp::schedules;
  using sp::recomputes;
  sp::search_space space{};
  add<sp::number_list, std::int64_t>(space.devices, {192, 384, 768, 1024, 1536});
  add<sp::number_list, std::int64_t>(space.tp, {1, 2, 3, 4, 6, 8, 12, 16});
  add<sp::number_list, std::int64_t>(space.pp, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96});
  add<sp::number_list, std::int64_t>(space.cp, {1, 2, 4});
  add<sp::number_list, std::int64_t>(space.micro_batch, {1, 2, 3, 4, 6, 8, 16});
  for (std::int64_t stage = 0; stage <= 3; ++stage) space.sharding.push_back({stage, {}});
  add(space.recompute,
      {recomputes::none, recomputes::layernorm, recomputes::mlp_act, recomputes::layernorm | recomputes::mlp_act, recomputes::full});
  add(space.schedule, {one_f_one_b::spec, gpipe::spec, eager_1f1b::spec, zb_h1::spec, zb_h2::spec, zb_v::spec, interleaved<2>::spec,
                       interleaved<3>::spec, interleaved<4>::spec, interleaved<6>::spec, interleaved<8>::spec, interleaved_zb<2>::spec,
                       interleaved_zb<4>::spec, looped_bfs<2>::spec, looped_bfs<4>::spec, looped_bfs<8>::spec});
  return space;
}

// Without sharded gradients and weights, so that the best plans have pipelines to play.
inline sp::search_space pipelined_space() {
  sp::search_space space = large_space();
  space.sharding.length = 2;
  return space;
}

// Where nearly all numbers divide what they must: most candidates are judged by their memory.
inline sp::search_space legal_space() {
  sp::search_space space = large_space();
  space.devices.length = space.tp.length = space.pp.length = space.micro_batch.length = 0;
  add<sp::number_list, std::int64_t>(space.tp, {4, 8});
  add<sp::number_list, std::int64_t>(space.pp, {1, 2, 4, 8, 16, 32});
  add<sp::number_list, std::int64_t>(space.micro_batch, {1, 2, 4});
  return space;
}
