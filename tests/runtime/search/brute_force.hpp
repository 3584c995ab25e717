// SPDX-License-Identifier: BSL-1.0
#pragma once

// Searches as a program would write them down: questions with their lists, and nested loops over `evaluate` and `step_timing` that know
// nothing of the library's search.
#include "../training_run.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/search/best_of.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace brute_force {

// The space of a test, as a program would write it down.
struct lists {
  std::vector<std::int64_t> devices, cp{1}, ep{1}, etp{1}, tp{1}, pp{1};
  std::vector<shardplan::sharding_choice> sharding{{0, {}}};
  std::vector<std::int64_t> micro_batch{1};
  std::vector<shardplan::recomputes> recompute{shardplan::recomputes::none};
  std::vector<shardplan::schedule_spec> schedule{shardplan::schedules::one_f_one_b::spec};
};

template <class Search, class Values>
void copy_into(Search& list, const Values& values) {
  for (const auto& value : values) list.push_back(value);
}
inline shardplan::search_space space_from(const lists& said) {
  shardplan::search_space space{};
  copy_into(space.devices, said.devices);
  copy_into(space.cp, said.cp);
  copy_into(space.ep, said.ep);
  copy_into(space.etp, said.etp);
  copy_into(space.tp, said.tp);
  copy_into(space.pp, said.pp);
  copy_into(space.sharding, said.sharding);
  copy_into(space.micro_batch, said.micro_batch);
  copy_into(space.recompute, said.recompute);
  copy_into(space.schedule, said.schedule);
  return space;
}

struct fitting_plan {
  shardplan::plan_spec spec{};
  std::int64_t devices = 0;
  std::int64_t memory = 0;
  std::int64_t nanoseconds = 0;
};
// A rule, and what it is about: both numbers, the feature, the part.
using refused_key = std::tuple<int, int, int, int, int>;
struct brute {
  std::vector<fitting_plan> plans;  // in the order of the loops
  std::map<refused_key, std::int64_t> refusals;
  std::int64_t considered = 0;
  std::int64_t refused[shardplan::rule_slots]{};
};

// Every plan, one after the other. The lists of a test are ascending, so that the loops run in the order that breaks ties.
inline brute all_plans(const shardplan::plan_spec& fixed, const lists& said) {
  brute all;
  const auto judge = [&](const shardplan::plan_spec& spec) {
    ++all.considered;
    const shardplan::evaluation verdict = shardplan::evaluate(spec, shardplan::remedy_search::off);
    if (!verdict.violations.empty()) {
      const shardplan::violation& first = verdict.violations[0];
      ++all.refused[static_cast<int>(first.broken)];
      ++all.refusals[{int(first.broken), int(first.first.what), int(first.second.what), int(first.unsupported), int(first.part)}];
      return;
    }
    all.plans.push_back(
        {spec, verdict.world_size, verdict.peak_memory.count, static_cast<std::int64_t>(shardplan::step_timing(spec).step * 1e9)});
  };
  const std::int64_t node = fixed.devices_per_node;
  const std::vector<std::int64_t> devices = said.devices.empty() ? std::vector<std::int64_t>{node * fixed.nodes} : said.devices;
  for (const std::int64_t used : devices)
    for (const std::int64_t cp : said.cp)
      for (const std::int64_t ep : said.ep)
        for (const std::int64_t etp : said.etp)
          for (const std::int64_t tp : said.tp)
            for (const std::int64_t pp : said.pp)
              for (const shardplan::sharding_choice& sharding : said.sharding)
                for (const std::int64_t micro : said.micro_batch)
                  for (const shardplan::recomputes recompute : said.recompute)
                    for (const shardplan::schedule_spec& schedule : said.schedule) {
                      shardplan::plan_spec spec = fixed;
                      if (!said.devices.empty()) {
                        spec.devices_per_node = used < node ? used : node;
                        spec.nodes = used < node ? 1 : used / node;
                      }
                      spec.cp = cp;
                      spec.ep = ep;
                      spec.etp = etp;
                      spec.tp = tp;
                      spec.pp = pp;
                      spec.zero = sharding.zero;
                      spec.sharding = sharding.sharding;
                      spec.micro_batch = micro;
                      spec.recompute = recompute;
                      spec.schedule = schedule;
                      judge(spec);
                    }
  return all;
}

inline std::tuple<std::int64_t, std::int64_t, std::int64_t> figures_by(shardplan::objective by, const fitting_plan& one) {
  if (by == shardplan::objective::step_time) return {one.nanoseconds, one.devices, one.memory};
  if (by == shardplan::objective::memory) return {one.memory, one.devices, one.nanoseconds};
  return {one.devices, one.nanoseconds, one.memory};
}

// Whether the first of two plans stands for both: they need the same and differ in nothing but the schedule, without a pipeline, or it
// needs no more and they differ in nothing but how a single rank shards (without a pipeline, in the order as well).
inline bool stands_for(const fitting_plan& left, const fitting_plan& right) {
  if (left.devices != right.devices || left.memory > right.memory || left.nanoseconds > right.nanoseconds) return false;
  const shardplan::plan_spec& spec = left.spec;
  shardplan::plan_spec other = right.spec;
  if (spec.pp == 1 && left.memory == right.memory) {
    other.schedule = spec.schedule;
    if (other == spec) return true;
    other.schedule = right.spec.schedule;
  }
  if (spec.pp == 1 && right.spec.schedule.layout != shardplan::placement::bidirectional) other.schedule = spec.schedule;
  if (left.devices != spec.tp * spec.pp || (spec.model.experts.count > 0 && left.devices != spec.etp * spec.ep * spec.pp)) return false;
  other.zero = spec.zero;
  other.sharding = spec.sharding;
  return other == spec;
}

inline std::vector<fitting_plan> ranked(const brute& all, shardplan::objective by) {
  std::vector<fitting_plan> plans;
  for (std::size_t at = 0; at < all.plans.size(); ++at) {
    const fitting_plan& one = all.plans[at];
    const auto end = all.plans.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::none_of(all.plans.begin(), end, [&](const fitting_plan& known) { return stands_for(known, one); })) plans.push_back(one);
  }
  // What is equal stays as it came. (std::stable_sort of libstdc++ 12 is deprecated code to Clang 19.)
  std::vector<std::pair<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t>> places;
  for (std::size_t at = 0; at < plans.size(); ++at) places.emplace_back(figures_by(by, plans[at]), at);
  std::sort(places.begin(), places.end());
  std::vector<fitting_plan> in_order;
  for (const auto& place : places) in_order.push_back(plans[place.second]);
  return in_order;
}

inline constexpr shardplan::sharding_choice fsdp_choice{0, {shardplan::shard_layout::tensors}};
inline constexpr shardplan::sharding_choice buckets_choice{1, {shardplan::shard_layout::megatron_buckets}};
inline shardplan::sharding_choice group_choice(std::int64_t stage, std::int64_t ranks) {
  shardplan::sharding_choice choice{stage, {}};
  choice.sharding.ranks = ranks;
  return choice;
}

// A schedule of one's own that keeps most on a rank in the middle.
constexpr std::int64_t most_in_the_middle(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
  const std::int64_t alive = rank == ranks / 2 ? 2 * ranks : 1;
  return alive < micro_batches ? alive : micro_batches;
}
inline constexpr shardplan::schedule_spec hump{.name = "hump", .in_flight = &most_in_the_middle};

struct question {
  const char* name;
  shardplan::plan_spec fixed;
  lists said;
};

inline std::vector<question> questions() {
  using namespace shardplan::schedules;
  using shardplan::recomputes;
  const shardplan::device_spec a100 = shardplan::devices::a100_sxm_80gb::spec;
  const shardplan::device_spec h100 = shardplan::devices::h100_sxm_80gb::spec;
  std::vector<question> asked;

  lists dense;
  dense.tp = {1, 2, 3, 4, 8};
  dense.pp = {1, 2, 3, 4, 8};
  dense.sharding = {{0, {}}, {1, {}}, {2, {}}, {3, {}}};
  dense.micro_batch = {1, 2, 3, 4};
  dense.recompute = {recomputes::none, recomputes::full, recomputes::layernorm | recomputes::mlp_act};
  dense.schedule = {one_f_one_b::spec, gpipe::spec, zb_h1::spec, interleaved<2>::spec, zb_v::spec, interleaved<4>::spec};
  asked.push_back({"7B on 8", training_run(shardplan::models::llama2_7b::shape, a100, 1, 4096, 64), dense});
  asked.push_back({"70B on 64", training_run(shardplan::models::llama2_70b::shape, h100, 8, 4096, 256), dense});
  asked.push_back({"1B, tied", training_run(shardplan::models::llama3_2_1b::shape, a100, 1, 8192, 96), dense});

  question half = asked[1];
  half.name = "70B under Megatron-LM, cp, several sizes";
  half.fixed.framework = shardplan::frameworks::megatron;
  half.said.cp = {1, 2, 4};
  half.said.devices = {2, 8, 32, 64};
  half.said.sharding = {{0, {}}, group_choice(1, 4), buckets_choice, {2, {}}};
  asked.push_back(half);

  question pipe = asked[0];
  pipe.name = "7B under DeepSpeed";
  pipe.fixed.framework = shardplan::frameworks::deepspeed;
  pipe.said.cp = {1, 2};
  pipe.said.sharding.push_back(group_choice(3, 2));
  asked.push_back(pipe);

  question torch = asked[1];
  torch.name = "70B under torchtitan";
  torch.fixed.framework = shardplan::frameworks::torchtitan;
  torch.said.cp = {1, 2};
  torch.said.sharding = {{0, {}}, fsdp_choice, group_choice(0, 8)};
  torch.said.schedule = {one_f_one_b::spec, interleaved<2, shardplan::groups::torch>::spec, seq_1f1b<2>::spec};
  asked.push_back(torch);

  lists sparse = dense;
  sparse.ep = {1, 2, 3, 8, 16};
  sparse.etp = {1, 2};
  sparse.tp = {1, 2, 8};
  sparse.pp = {1, 2, 4};
  sparse.micro_batch = {1, 2};
  sparse.schedule = {one_f_one_b::spec, interleaved<2>::spec, dual_pipe::spec};
  asked.push_back({"8 x 7B on 64", training_run(shardplan::models::mixtral_8x7b::shape, h100, 8, 4096, 256), sparse});

  question latent{"DeepSeek-V3 on 2,048", training_run(shardplan::models::deepseek_v3::shape, h100, 256, 4096, 4096), sparse};
  latent.said.ep = {8, 64};
  latent.said.tp = {1, 8};
  latent.said.pp = {1, 4, 16, 61};
  latent.said.etp = {1};
  latent.said.sharding = {{1, {}}, {2, {}}, {3, {}}, fsdp_choice};
  asked.push_back(latent);

  question split{"70B, layers laid out by hand, groups", training_run(shardplan::models::llama2_70b::shape, h100, 8, 4096, 256), dense};
  for (const std::int64_t layers : {19, 21, 21, 19}) split.fixed.layer_split.push_back(layers);
  split.said.sharding = {{0, {}}, group_choice(1, 3), group_choice(1, 4), {3, {}}};
  split.said.schedule = {one_f_one_b::spec, gpipe::spec, hump, interleaved<2>::spec, zb_v::spec};
  asked.push_back(split);

  question uneven{"70B, most in the middle", training_run(shardplan::models::llama2_70b::shape, h100, 8, 4096, 256), dense};
  uneven.said.tp = {2, 4, 8};
  uneven.said.pp = {2, 4, 5, 8, 16};
  uneven.said.schedule = {one_f_one_b::spec, hump};
  asked.push_back(uneven);

  question slots{"405B with slots, dp said", training_run(shardplan::models::llama3_1_405b::shape, h100, 128, 8192, 512), dense};
  slots.fixed.layer_split.embedding_slot = slots.fixed.layer_split.loss_slot = 1;
  slots.fixed.dp = 8;
  slots.said.tp = {4, 8};
  slots.said.pp = {8, 16, 32};
  asked.push_back(slots);

  question hosts = asked[1];
  hosts.name = "70B, states on hosts of 600 GiB";
  hosts.fixed.offload.states = shardplan::storage::host;
  hosts.fixed.host_memory_gibibytes = 600;
  hosts.said.schedule = {one_f_one_b::spec};
  asked.push_back(hosts);

  question groups = asked[0];
  groups.name = "7B, groups of layers recomputed, batch in three numbers";
  groups.fixed.recompute_layers = {shardplan::recompute_methods::uniform, 4};
  groups.fixed.accumulation = 8;
  asked.push_back(groups);

  question quantised = asked[1];
  quantised.name = "70B with ZeRO++, gradients late or in two levels";
  quantised.fixed.context_exchange = shardplan::context_exchanges::ring;
  quantised.fixed.communication = {.context_inner = 2, .late_sync = true, .weight_bits = 8, .gradient_bits = 4, .node_ranks = 6};
  quantised.said.cp = {1, 2, 3, 4};
  quantised.said.devices = {24, 48, 64};
  quantised.said.sharding = {{0, {}}, {1, {}}, {3, {}}, fsdp_choice, group_choice(0, 4), group_choice(3, 12)};
  quantised.said.schedule = {one_f_one_b::spec, interleaved<2>::spec};
  asked.push_back(quantised);

  question dispatched = asked[6];
  dispatched.name = "8 x 7B with FP8 dispatch";
  dispatched.fixed.communication = {.dispatch_bits = 8, .dispatch_scale_block = 128, .gradient_bits = 4, .node_ranks = 3};
  asked.push_back(dispatched);

  question dealt{"8B under torchtitan, layers dealt out", training_run(shardplan::models::llama3_8b::shape, h100, 3, 4096, 192), dense};
  dealt.fixed.framework = shardplan::frameworks::torchtitan;
  dealt.said.tp = {1, 2, 8};
  dealt.said.pp = {1, 2, 3, 4, 6, 12};
  dealt.said.sharding = {{0, {}}, fsdp_choice};
  dealt.said.schedule = {one_f_one_b::spec, interleaved<2, shardplan::groups::torch>::spec, interleaved<3, shardplan::groups::torch>::spec,
                         zb_v::spec};
  asked.push_back(dealt);

  // Several of these put the same stages on the same ranks, and differ in the waiting and in what is alive.
  question orders = asked[1];
  orders.name = "70B, many orders, states on the host, links as said";
  orders.fixed.offload.states = shardplan::storage::host;
  orders.fixed.host_memory_gibibytes = 1500;
  orders.fixed.link_efficiency = {.fabric = 70, .network = 60};
  orders.said.sharding = {{1, {}}, buckets_choice, {3, {}}};
  orders.said.recompute = {recomputes::none, recomputes::full};
  orders.said.schedule = {
      one_f_one_b::spec,    gpipe::spec,         eager_1f1b::spec, zb_h1::spec,  zb_h2::spec,         pipedream::spec, seq_1f1b<2>::spec,
      interleaved<2>::spec, looped_bfs<2>::spec, zb_v::spec,       v_half::spec, one_f_one_b_v::spec, dual_pipe::spec, hump};
  asked.push_back(orders);

  question wrong = asked[0];
  wrong.name = "numbers out of range";
  wrong.said.tp = {0, 1, 2, 8192};
  wrong.said.pp = {-1, 1, 2, 2000};
  wrong.said.micro_batch = {0, 1, 2, std::int64_t{1} << 30};
  wrong.said.sharding = {{0, {}}, {3, {}}, {4, {}}};
  wrong.said.schedule = {one_f_one_b::spec, interleaved<2>::spec};
  asked.push_back(wrong);

  question large = asked[0];
  large.name = "products out of range";
  large.fixed.sequence = std::int64_t{1} << 30;
  large.fixed.global_batch = std::int64_t{1} << 31;
  large.said.micro_batch = {1, 1 << 10, 1 << 20};
  large.said.schedule = {one_f_one_b::spec, interleaved<4>::spec};
  asked.push_back(large);

  question missing = asked[0];
  missing.name = "no batch, no model";
  missing.fixed.global_batch = shardplan::unset;
  missing.fixed.model = {};
  asked.push_back(missing);
  return asked;
}

inline constexpr shardplan::objective objectives[] = {shardplan::objective::step_time, shardplan::objective::memory,
                                                      shardplan::objective::devices};

inline shardplan::search_options by_formula(shardplan::objective by) {
  shardplan::search_options options;
  options.by = by;
  options.simulated = 0;
  return options;
}

}  // namespace brute_force
