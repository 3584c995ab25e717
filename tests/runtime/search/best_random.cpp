// SPDX-License-Identifier: BSL-1.0
// Random questions against nested loops: frameworks, experts, offload, odd numbers of devices and layers, every ranking.
#include "../catch.hpp"
#include "../dice.hpp"
#include "brute_force.hpp"

#include <shardplan/schedule/catalog.hpp>
#include <shardplan/search/candidate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sp = shardplan;
using namespace brute_force;

namespace {

template <class Value, std::size_t Count>
std::vector<Value> some_of(dice& roll, const Value (&values)[Count], std::int64_t most) {
  std::vector<Value> chosen;
  for (std::int64_t at = roll.below(most); at >= 0; --at) chosen.push_back(roll.of(values));
  return chosen;
}

struct cluster_size {
  std::int64_t node;
  std::int64_t nodes;
};

// 7, 12, 24, 96 and 1,000 devices, and others.
sp::plan_spec random_question(dice& roll) {
  static const sp::transformer models[] = {sp::models::gpt2_xl::shape,   sp::models::llama3_2_1b::shape,  sp::models::llama2_7b::shape,
                                           sp::models::llama3_8b::shape, sp::models::mixtral_8x7b::shape, sp::models::deepseek_v3::shape};
  static const sp::device_spec devices[] = {sp::devices::v100_sxm_32gb::spec, sp::devices::a100_sxm_80gb::spec,
                                            sp::devices::h200_sxm_141gb::spec, sp::devices::gb200_nvl72::spec};
  static const cluster_size clusters[] = {{7, 1}, {1, 7}, {12, 1}, {6, 2}, {8, 3}, {12, 2}, {8, 12}, {8, 125}, {8, 1}, {4, 5}, {72, 1}};
  static const std::int64_t layers[] = {1, 2, 3, 7, 13, 31, 61, 24, 28, 96};
  static const std::int64_t batches[] = {7, 12, 24, 56, 84, 96, 168, 1000, 1344, 2000};
  static const std::int64_t sequences[] = {768, 1000, 1024, 2048};
  const cluster_size cluster = roll.of(clusters);
  sp::plan_spec spec = training_run(roll.of(models), roll.of(devices), cluster.nodes, roll.of(sequences), roll.of(batches));
  spec.devices_per_node = cluster.node;
  if (roll.one_in(2)) spec.model.layers = roll.of(layers);
  if (spec.model.experts.leading_dense > spec.model.layers) spec.model.experts.leading_dense = spec.model.layers;
  spec.framework = static_cast<sp::frameworks>(roll.below(5));
  if (roll.one_in(4)) {
    spec.offload.states = roll.one_in(3) ? sp::storage::nvme : sp::storage::host;
    spec.host_memory_gibibytes = 64 << roll.below(6);
  }
  if (roll.one_in(6)) spec.offload.gradients = sp::storage::host;
  if (roll.one_in(6)) spec.precision = sp::precisions::handbook_bf16::spec;
  if (roll.one_in(6)) spec.optimizer = sp::optimizers::adamw_8bit::spec;
  if (roll.one_in(6)) spec.attention = sp::attentions::materialised;
  if (roll.one_in(6)) spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;
  if (roll.one_in(8)) spec.context_exchange = sp::context_exchanges::ring;
  if (roll.one_in(8)) spec.dp = roll.one_in(2) ? 3 : 4;
  if (roll.one_in(8)) spec.vocabulary_multiple = 128;
  if (roll.one_in(8)) spec.sequence_parallel = roll.one_in(2) ? sp::toggle::on : sp::toggle::off;
  if (roll.one_in(8)) spec.expert_load = {150, roll.one_in(2) ? 125 : 0, roll.one_in(2)};
  if (roll.one_in(8)) spec.communication.gradient_bits = 4;
  return spec;
}

sp::search_space random_space(dice& roll, const sp::plan_spec& spec) {
  static const std::int64_t degrees[] = {1, 1, 2, 3, 4, 6, 7, 8, 12, 24};
  static const std::int64_t stages[] = {1, 1, 2, 3, 4, 6, 7, 8, 12, 31, 61};
  static const std::int64_t batches[] = {1, 1, 2, 3, 4, 7};
  static const sp::schedule_spec orders[] = {
      sp::schedules::one_f_one_b::spec,    sp::schedules::one_f_one_b::spec,    sp::schedules::gpipe::spec,
      sp::schedules::zb_h1::spec,          sp::schedules::zb_v::spec,           sp::schedules::v_half::spec,
      sp::schedules::interleaved<2>::spec, sp::schedules::interleaved<3>::spec, sp::schedules::interleaved<2, sp::groups::torch>::spec,
      sp::schedules::dual_pipe::spec,      sp::schedules::seq_1f1b<2>::spec,    sp::schedules::interleaved_zb<2>::spec,
      sp::schedules::looped_bfs<2>::spec,  sp::schedules::hanayo<1>::spec,      sp::schedules::chimera::spec};
  static const sp::recomputes kinds[] = {sp::recomputes::none,      sp::recomputes::full,   sp::recomputes::core_attn,
                                         sp::recomputes::layernorm, sp::recomputes::mlp,    sp::recomputes::every_second_matmul,
                                         sp::recomputes::moe,       sp::recomputes::moe_act};
  lists said;
  said.tp = some_of(roll, degrees, 4);
  said.pp = some_of(roll, stages, 4);
  said.cp = some_of(roll, degrees, 2);
  if (spec.model.experts.count > 0) {
    said.ep = some_of(roll, degrees, 3);
    said.etp = some_of(roll, degrees, 2);
  }
  said.micro_batch = some_of(roll, batches, 3);
  if (roll.one_in(2)) said.tp.push_back(1), said.pp.push_back(1), said.cp.push_back(1), said.micro_batch.push_back(1);
  said.recompute = some_of(roll, kinds, 3);
  said.schedule = some_of(roll, orders, 4);
  said.sharding.clear();
  for (std::int64_t at = roll.below(4); at >= 0; --at) {
    sp::sharding_choice choice = roll.one_in(3) ? fsdp_choice : group_choice(roll.below(4), sp::unset);
    if (roll.one_in(5)) choice.sharding.ranks = roll.of(degrees);
    if (roll.one_in(6)) choice.sharding.reshard_after_forward = false;
    if (roll.one_in(8) && choice.zero == 1) choice = buckets_choice;
    said.sharding.push_back(choice);
  }
  if (roll.one_in(3)) {
    const std::int64_t node = spec.devices_per_node;
    for (const std::int64_t devices : {node, node * spec.nodes, std::int64_t{1}, (node + 1) / 2, 2 * node})
      if (roll.one_in(2)) said.devices.push_back(devices);
  }
  return sp::in_order(space_from(said));  // the loops break ties in the order of the library
}

template <class Values, class List>
void copy_list(Values& values, const List& list) {
  values.assign(list.begin(), list.end());
}
lists lists_from(const sp::search_space& space) {
  lists said;
  copy_list(said.devices, space.devices);
  copy_list(said.cp, space.cp);
  copy_list(said.ep, space.ep);
  copy_list(said.etp, space.etp);
  copy_list(said.tp, space.tp);
  copy_list(said.pp, space.pp);
  copy_list(said.sharding, space.sharding);
  copy_list(said.micro_batch, space.micro_batch);
  copy_list(said.recompute, space.recompute);
  copy_list(said.schedule, space.schedule);
  return said;
}

// Counts, refusals by rule, and the list in its order.
void compare(const sp::plan_spec& fixed, const sp::search_space& space, const brute& all) {
  for (const sp::objective by : objectives) {
    INFO(sp::name_of(by));
    const sp::search_result found = sp::best_of(fixed, space, by_formula(by));
    CHECK(found.considered == all.considered);
    CHECK(found.fitting == static_cast<std::int64_t>(all.plans.size()));
    for (std::size_t at = 0; at < sp::rule_slots; ++at) CHECK(found.rejected_by_rule[at] == all.refused[at]);
    const std::vector<fitting_plan> best = ranked(all, by);
    REQUIRE(found.top.size() == std::min(best.size(), sp::most_listed));
    for (std::size_t at = 0; at < found.top.size(); ++at) {
      INFO("place " << at);
      CHECK(sp::spec_of_listed(fixed, found.top[at]) == best[at].spec);
      CHECK(found.top[at].memory.count == best[at].memory);
      CHECK(found.top[at].devices() == best[at].devices);
    }
  }
}

}  // namespace

TEST_CASE("best: random questions, the same as nested loops") {
  dice roll;
  std::int64_t fitting = 0;
  int with_plan = 0;
  for (int turn = 0; turn < 6000; ++turn) {
    const sp::plan_spec fixed = random_question(roll);
    const sp::search_space space = random_space(roll, fixed);
    INFO("turn " << turn << ", " << fixed.nodes << " x " << fixed.devices_per_node << ", " << fixed.model.layers << " layers, framework "
                 << static_cast<int>(fixed.framework));
    const brute all = all_plans(fixed, lists_from(space));
    compare(fixed, space, all);
    fitting += static_cast<std::int64_t>(all.plans.size());
    with_plan += !all.plans.empty();
  }
  CHECK(fitting > 4000);
  CHECK(with_plan > 100);
}
