// SPDX-License-Identifier: BSL-1.0
// What a search goes through.
#include "../catch.hpp"
#include "../dice.hpp"
#include "../training_run.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/search/whole_space.hpp>

#include <algorithm>
#include <cstdint>

namespace sp = shardplan;

namespace {

bool is_legal(const sp::plan_spec& plan) {
  for (const sp::violation& one : sp::evaluate(plan, sp::remedy_search::off).violations)
    if (one.broken != sp::rule::does_not_fit) return false;
  return true;
}
template <class List, class Value>
bool has(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

TEST_CASE("best: no legal pp or ep is left out of the default space") {
  const sp::transformer models[] = {sp::models::llama2_7b::shape, sp::models::llama2_70b::shape, sp::models::mixtral_8x7b::shape,
                                    sp::models::llama3_1_405b::shape};
  int left_out = 0;
  for (const sp::transformer& model : models)
    for (const std::int64_t nodes : {1, 3, 8})
      for (const int slots : {0, 1, 2}) {
        sp::plan_spec spec = training_run(model, sp::devices::h100_sxm_80gb::spec, nodes, 4096, 24 * 64);
        spec.micro_batch = 1;
        spec.layer_split.embedding_slot = spec.layer_split.loss_slot = slots;
        if (slots == 2) {  // which counts them as layers unless other numbers are said
          spec.framework = sp::frameworks::torchtitan;
          spec.layer_split = {};
        }
        const sp::search_space space = sp::default_space_of(spec);
        for (std::int64_t degree = 1; degree <= 130; ++degree) {
          INFO("layers " << model.layers << ", nodes " << nodes << ", degree " << degree);
          sp::plan_spec piped = spec;
          piped.pp = degree;
          if (!has(space.pp, degree)) {
            ++left_out;
            CHECK(!is_legal(piped));
          }
          sp::plan_spec spread = spec;
          spread.ep = degree;
          if (!has(space.ep, degree)) CHECK(!is_legal(spread));
        }
      }
  CHECK(left_out > 1000);
}

TEST_CASE("the whole space: no plan that is legal is left out") {
  static const sp::transformer models[] = {sp::models::llama2_13b::shape, sp::models::llama3_1_405b::shape, sp::models::mixtral_8x7b::shape,
                                           sp::models::deepseek_v2_lite::shape, sp::models::qwen2_5_14b::shape};
  static const std::int64_t numbers[] = {1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 24, 32, 36, 40, 48, 64};
  static const std::int64_t hosts[] = {1, 3, 5, 8, 9};
  static const std::int64_t tokens[] = {1920, 4096, 6000, 131072};
  static const std::int64_t batches[] = {60, 63, 64, 720};
  static const sp::schedule_spec orders[] = {sp::schedules::one_f_one_b::spec,    sp::schedules::gpipe::spec,
                                             sp::schedules::zb_h1::spec,          sp::schedules::zb_v::spec,
                                             sp::schedules::dual_pipe::spec,      sp::schedules::chimera::spec,
                                             sp::schedules::hanayo<1>::spec,      sp::schedules::seq_1f1b<2>::spec,
                                             sp::schedules::interleaved<2>::spec, sp::schedules::interleaved_zb<2>::spec,
                                             sp::schedules::looped_bfs<2>::spec};
  dice roll;
  int legal = 0;
  int without_pipeline = 0;
  for (int turn = 0; turn < 40000; ++turn) {
    sp::plan_spec spec = training_run(roll.of(models), sp::devices::h100_sxm_80gb::spec, roll.of(hosts), roll.of(tokens), roll.of(batches));
    spec.layer_split.embedding_slot = spec.layer_split.loss_slot = roll.one_in(2);
    sp::plan_spec plan = spec;
    for (std::int64_t sp::plan_spec::*field :
         {&sp::plan_spec::tp, &sp::plan_spec::pp, &sp::plan_spec::cp, &sp::plan_spec::ep, &sp::plan_spec::etp, &sp::plan_spec::micro_batch})
      if (roll.one_in(3)) plan.*field = roll.of(numbers);
    plan.schedule = roll.of(orders);
    if (plan.schedule.chunks == 2 && plan.schedule.group(2, 4) + plan.schedule.slices > 0 && plan.schedule.layout == sp::placement::loop)
      plan.schedule.chunks = 2 + roll.below(15);
    plan.zero = roll.below(4);
    if (!is_legal(plan)) continue;
    ++legal;
    const sp::search_space space = sp::whole_space_of(spec);
    INFO(spec.model.layers << " layers, " << spec.nodes << " hosts, tp " << plan.tp << " pp " << plan.pp << " cp " << plan.cp << " ep "
                           << plan.ep << " etp " << plan.etp << " micro-batch " << plan.micro_batch << " " << plan.schedule.name.c_str()
                           << " v " << plan.schedule.chunks);
    CHECK(has(space.tp, plan.tp));
    CHECK(has(space.pp, plan.pp));
    CHECK(has(space.cp, plan.cp));
    CHECK(has(space.ep, plan.ep));
    CHECK(has(space.etp, plan.etp));
    CHECK(has(space.micro_batch, plan.micro_batch));
    CHECK(has(space.sharding, sp::sharding_choice{plan.zero, plan.sharding}));
    // Without a pipeline its order is no question.
    if (plan.pp > 1) CHECK(has(space.schedule, plan.schedule));
    without_pipeline += plan.pp == 1;
  }
  CHECK(legal > 1000);
  CHECK(legal - without_pipeline > 100);
}

TEST_CASE("tp beyond a host lies in the default space where a fabric reaches beyond it") {
  sp::plan_spec spec = training_run(sp::models::gpt3_175b::shape, sp::devices::gb200_nvl72::spec, 18, 4096, 1536);
  spec.devices_per_node = 4;
  const sp::number_list close = sp::default_space_of(spec).tp;
  CHECK(has(close, 24));  // 96 heads on 72 devices
  CHECK(has(close, 3));
  spec.nodes = 36;  // two racks: groups of 16 would lie astride, 144 / 16 or not
  CHECK(has(sp::default_space_of(spec).tp, 24));
  CHECK(!has(sp::default_space_of(spec).tp, 16));
  spec.nodes = 16;  // 64 devices of the rack
  CHECK(has(sp::default_space_of(spec).tp, 16));
  spec.device = sp::devices::h100_sxm_80gb::spec;
  CHECK(!has(sp::default_space_of(spec).tp, 8));
  // cp by the divisors of the sequence that leave 4,096 tokens, not powers of two alone.
  spec = training_run(sp::models::llama2_7b::shape, sp::devices::h100_sxm_80gb::spec, 3, 24576, 96);
  const sp::number_list context = sp::default_space_of(spec).cp;
  for (const std::int64_t degree : {1, 2, 3, 4, 6}) CHECK(has(context, degree));
  CHECK(context.size() == 5);
}
