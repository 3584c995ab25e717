// SPDX-License-Identifier: BSL-1.0
// Random plans that do not fit: every change that is named makes the plan valid, and the list says what the changed plan is.
#include "../support/hostile_specs.hpp"
#include "catch.hpp"
#include "dice.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/interleaved.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace sp = shardplan;

namespace {

// The same numbers on every machine (Knuth's multiplier).
sp::plan_spec random_spec(dice& roll) {
  static const sp::transformer models[] = {sp::models::gpt2_xl::shape,      sp::models::llama3_2_1b::shape, sp::models::llama3_8b::shape,
                                           sp::models::mixtral_8x7b::shape, sp::models::llama3_70b::shape,  sp::models::qwen2_5_3b::shape,
                                           sp::models::qwen2_5_14b::shape,  sp::models::llama2_13b::shape,  sp::models::gpt3_175b::shape,
                                           sp::models::bloom_7b1::shape,    sp::models::yi_34b::shape};
  static const sp::device_spec devices[] = {sp::devices::a100_sxm_80gb::spec, sp::devices::a100_sxm_40gb::spec,
                                            sp::devices::h100_sxm_80gb::spec, sp::devices::v100_sxm_32gb::spec,
                                            sp::devices::b200_sxm_192gb::spec};
  sp::plan_spec spec{};
  spec.model = roll.of(models);
  spec.device = roll.of(devices);
  spec.devices_per_node = 8;
  spec.nodes = std::int64_t{1} << roll.below(6);
  spec.sequence = 512 << roll.below(7);
  spec.micro_batch = 1 + roll.below(8);
  spec.global_batch = spec.micro_batch * 32 * (1 + roll.below(16));
  spec.tp = std::int64_t{1} << roll.below(4);
  spec.pp = std::int64_t{1} << roll.below(3);
  spec.cp = std::int64_t{1} << roll.below(2);
  spec.zero = roll.below(4);
  spec.vocabulary_multiple = 128 * spec.tp;
  spec.framework = static_cast<sp::frameworks>(roll.below(5));
  if (spec.model.experts.count > 0) spec.ep = std::int64_t{1} << roll.below(4);
  if (roll.below(4) == 0) spec.recompute = sp::recomputes::full;
  if (roll.below(5) == 0) spec.optimizer = sp::optimizers::adamw_8bit::spec;
  if (roll.below(5) == 0) spec.schedule = sp::schedules::gpipe::spec;
  if (roll.below(8) == 0) spec.dp = 8;
  if (roll.below(6) == 0) spec.host_memory_gibibytes = 256 << roll.below(3);
  if (roll.below(4) == 0) {
    spec.zero = 0;
    spec.sharding.layout = roll.below(2) == 0 ? sp::shard_layout::tensors : sp::shard_layout::flat_units;
    spec.sharding.reshard_after_forward = roll.below(3) != 0;
    if (roll.below(2) == 0) spec.sharding.ranks = 8;
    if (!sp::has_fsdp(spec.framework)) spec.framework = sp::frameworks::generic;
  }
  if (!sp::has_zero_stages(spec.framework)) spec.zero = 0;
  if (roll.below(8) == 0) spec.headroom_mebibytes = 4096;
  return spec;
}

bool is_same(double left, double right) { return !(left < right) && !(right < left); }

// What a step of a plan costs by the reports of the plan itself, stage by stage.
bool costs(const sp::plan_spec& spec, const sp::step_cost& cost) {
  sp::bytes network{};
  sp::bytes host{};
  for (std::int64_t stage = 0; stage < spec.pp; ++stage) {
    const sp::traffic_report report = sp::stage_traffic(spec, stage);
    if (report.sent() > network) network = report.sent();
    const sp::bytes both = report.sent(sp::channel::host) + report.received(sp::channel::host);
    if (both > host) host = both;
  }
  const sp::timing_report timing = sp::step_timing(spec);
  return network == cost.network && host == cost.host && is_same(timing.step, cost.seconds) && is_same(timing.bubble, cost.bubble) &&
         is_same(timing.communication(), cost.communication) && is_same(timing.tokens_per_second, cost.tokens_per_second);
}

bool is_valid(const sp::plan_spec& spec) { return sp::evaluate(spec, sp::remedy_search::off).violations.empty(); }

// Every change that is tried and says the same part as that one, up to it. What a framework moves to the host may be there only once
// states are sharded.
std::vector<sp::remedy> up_to(const sp::plan_spec& spec, sp::remedy last) {
  std::vector<sp::remedy> list;
  if (last.kind == sp::remedy_kind::offload_states_to_host) {
    list.push_back(last);
    return list;
  }
  sp::first_remedy(spec, [&](sp::remedy change) {
    if (sp::detail::axis_of(change.kind) == sp::detail::axis_of(last.kind)) list.push_back(change);
    return change == last;
  });
  REQUIRE((!list.empty() && list.back() == last));
  return list;
}

// Whether smaller changes of the same parts are enough: of two all pairs that are no larger in either, of three one smaller at a time.
bool smaller_is_enough(const sp::plan_spec& spec, const sp::remedy_set& changes) {
  const std::vector<sp::remedy> firsts = up_to(spec, changes.first);
  const std::vector<sp::remedy> seconds = up_to(spec, changes.second);
  if (changes.third.kind == sp::remedy_kind::nothing_small_helps) {
    for (const sp::remedy& first : firsts)
      for (const sp::remedy& second : seconds)
        if (!(first == changes.first && second == changes.second) && is_valid(sp::changed_by_set(spec, {first, second, {}}))) return true;
    return false;
  }
  for (const sp::remedy& first : firsts)
    if (!(first == changes.first) && is_valid(sp::changed_by_set(spec, {first, changes.second, changes.third}))) return true;
  for (const sp::remedy& second : seconds)
    if (!(second == changes.second) && is_valid(sp::changed_by_set(spec, {changes.first, second, changes.third}))) return true;
  for (const sp::remedy& third : up_to(spec, changes.third))
    if (!(third == changes.third) && is_valid(sp::changed_by_set(spec, {changes.first, changes.second, third}))) return true;
  return false;
}

// Whether a framework can be told to make a change, by what its sources know. `before` is the plan, `after` the one with all changes.
bool has(sp::remedy change, const sp::plan_spec& before, const sp::plan_spec& after) {
  const sp::frameworks whose = before.framework;
  const bool titan = whose == sp::frameworks::torchtitan;
  const bool torch = titan || whose == sp::frameworks::fsdp2;
  const bool moved = after.offload.states == sp::storage::host;
  switch (change.kind) {
    case sp::remedy_kind::zero: return !torch;
    case sp::remedy_kind::fsdp: return torch;
    // components/optimizer.py of torchtitan; --optimizer of Megatron-LM.
    case sp::remedy_kind::optimizer_adamw_8bit: return !titan && whose != sp::frameworks::megatron;
    case sp::remedy_kind::recompute_pointwise: return titan == (after.recompute == sp::recomputes::every_second_matmul);
    case sp::remedy_kind::recompute_attention:
    case sp::remedy_kind::recompute_experts: return !titan;
    case sp::remedy_kind::prefetch: return !torch;
    case sp::remedy_kind::pp_slots: return whose != sp::frameworks::deepspeed && whose != sp::frameworks::fsdp2;
    // --optimizer-cpu-offload moves moments; CPUOffloadPolicy all that is sharded; offload_optimizer is of ZeRO-1 to 3.
    case sp::remedy_kind::offload_states_to_host:
      if (whose == sp::frameworks::megatron) return !moved && after.offload.moments_percent == 100;
      if (torch)
        return moved && after.sharding.is_fsdp() && after.offload.gradients == sp::storage::host &&
               after.offload.weights == sp::storage::host;
      return moved && after.offload.weights == before.offload.weights && (whose != sp::frameworks::deepspeed || after.zero > 0);
    case sp::remedy_kind::layout: {
      const sp::layout_change says = sp::layout_of(change.value);
      if (says.states == sp::layout_states::fsdp ? !torch : says.states != sp::layout_states::as_said && torch) return false;
      if (says.pp != 0 && !has({says.stages, says.pp}, before, after)) return false;
      return !says.offloads || has({sp::remedy_kind::offload_states_to_host, 0}, before, after);
    }
    default: return true;
  }
}

// Whether some part of a layout can be left out.
bool has_needless_part(const sp::plan_spec& spec, const sp::layout_change& says) {
  const auto helps = [&](auto leave_out) {
    sp::layout_change less = says;
    leave_out(less);
    if (less == says) return false;
    const sp::plan_spec with = sp::changed(spec, sp::remedy_of_layout(less));
    const bool moves = !less.offloads || has({sp::remedy_kind::offload_states_to_host, 0}, spec, with);
    return moves && is_valid(with);
  };
  return helps([](sp::layout_change& less) { less.tp = 0; }) || helps([](sp::layout_change& less) { less.pp = 0; }) ||
         helps([](sp::layout_change& less) { less.cp = 0; }) || helps([](sp::layout_change& less) { less.ep = 0; }) ||
         helps([](sp::layout_change& less) { less.states = sp::layout_states::as_said; }) ||
         helps([](sp::layout_change& less) { less.recompute_full = false; }) ||
         helps([](sp::layout_change& less) { less.micro_batch_one = false; }) ||
         helps([](sp::layout_change& less) { less.one_f_one_b = false; }) || helps([](sp::layout_change& less) { less.offloads = false; });
}
bool has(sp::frameworks framework, const sp::schedule_spec& order) {
  const auto is = [&](const char* name) { return order.name == sp::literal{name}; };
  switch (framework) {
    case sp::frameworks::generic: return true;
    case sp::frameworks::deepspeed: return is("one_f_one_b");
    case sp::frameworks::megatron: return is("one_f_one_b") || is("interleaved");
    case sp::frameworks::torchtitan:
    case sp::frameworks::fsdp2:
      return is("one_f_one_b") || is("interleaved") || is("gpipe") || is("looped_bfs") || is("interleaved_zb") || is("zb_v") ||
             is("dual_pipe_v");
  }
  return false;
}

}  // namespace

TEST_CASE("every remedy of random plans that do not fit makes them valid") {
  dice roll;
  int misfits = 0;
  int offers = 0;
  int pairs = 0;
  int triples = 0;
  int layouts = 0;
  int helpless = 0;
  int by_kind[static_cast<int>(sp::remedy_kind::chunks) + 1]{};
  while (misfits < 10'000) {
    const sp::plan_spec spec = random_spec(roll);
    const sp::violation_list broken = sp::evaluate(spec, sp::remedy_search::off).violations;
    if (broken.size() != 1 || broken[0].broken != sp::rule::does_not_fit) continue;
    ++misfits;
    const sp::remedy_offers list = sp::remedies_in(spec);
    for (const sp::remedy_offer& offer : list) {
      ++offers;
      const sp::remedy steps[] = {offer.changes.first, offer.changes.second, offer.changes.third};
      INFO("layers " << spec.model.layers << " nodes " << spec.nodes << " tp " << spec.tp << " pp " << spec.pp << " zero " << spec.zero
                     << " micro " << spec.micro_batch << " sequence " << spec.sequence << " framework " << static_cast<int>(spec.framework)
                     << ": " << static_cast<int>(steps[0].kind) << ' ' << steps[0].value << ", " << static_cast<int>(steps[1].kind) << ' '
                     << steps[1].value << ", " << static_cast<int>(steps[2].kind) << ' ' << steps[2].value);
      for (const sp::remedy& step : steps) {
        INFO("kind " << static_cast<int>(step.kind) << " value " << step.value);
        REQUIRE(has(step, spec, sp::changed_by_set(spec, offer.changes)));
      }
      if (steps[2].kind != sp::remedy_kind::nothing_small_helps) {
        ++triples;
      } else if (steps[1].kind != sp::remedy_kind::nothing_small_helps) {
        ++pairs;
      }
      if (steps[1].kind != sp::remedy_kind::nothing_small_helps) REQUIRE(!smaller_is_enough(spec, offer.changes));
      if (steps[0].kind == sp::remedy_kind::layout) {
        ++layouts;
        REQUIRE(!has_needless_part(spec, sp::layout_of(steps[0].value)));
        REQUIRE(sp::changed_by_set(spec, offer.changes).devices_per_node * sp::changed_by_set(spec, offer.changes).nodes ==
                spec.devices_per_node * spec.nodes);
      }
      const sp::evaluation with = sp::evaluate(sp::changed_by_set(spec, offer.changes), sp::remedy_search::off);
      INFO(sp::sentence_of(with.violations).c_str());
      REQUIRE(with.violations.empty());
      REQUIRE(with.peak_memory == offer.peak);
      REQUIRE(with.world_size == offer.devices);
      REQUIRE(with.micro_batches == offer.micro_batches);
      REQUIRE(costs(sp::changed_by_set(spec, offer.changes), offer.cost));
      REQUIRE(costs(spec, offer.cost_before));
      if (spec.sharding.is_fsdp()) {
        REQUIRE(offer.changes.first.kind != sp::remedy_kind::zero);
        REQUIRE(offer.changes.second.kind != sp::remedy_kind::zero);
      }
      ++by_kind[static_cast<int>(offer.changes.first.kind)];
    }
    // The error line names the first, or says that there is none.
    const sp::violation named = sp::violations_in(spec)[0];
    const sp::remedy_set first = list.empty() ? sp::remedy_set{} : list[0].changes;
    REQUIRE(named.try_this == first.first);
    REQUIRE(named.and_this == first.second);
    REQUIRE(named.further == first.third);
    if (list.empty()) ++helpless;
  }
  std::cout << "remedies: " << misfits << " random plans that do not fit, " << offers << " remedies, " << pairs << " of them pairs, "
            << triples << " of three, " << layouts << " other layouts; " << helpless << " plans without; by kind";
  for (const int kind : by_kind) std::cout << ' ' << kind;
  std::cout << '\n';
  // Every kind that is tried has helped some plan (scores of attention are not kept here).
  for (int kind = 1; kind <= static_cast<int>(sp::remedy_kind::layout); ++kind) {
    INFO(kind);
    CHECK((by_kind[kind] > 0) == (kind != static_cast<int>(sp::remedy_kind::recompute_attention)));
  }
  CHECK(by_kind[static_cast<int>(sp::remedy_kind::chunks)] > 0);
  CHECK(offers > 10'000);
  CHECK(pairs > 100);
  CHECK(triples > 30);
  // Another layout on the same devices helps half of those that few changes do not help.
  CHECK(layouts > 250);
  CHECK(helpless < misfits / 30);
}

// Of plans that break other rules as well: the legal values and the changes of one error line, all made at once.
TEST_CASE("what an error line names was tried together") {
  dice roll;
  int lines = 0;
  int named = 0;
  int waiting = 0;
  int by_values = 0;
  int beside = 0;
  while (lines < 2'000) {
    sp::plan_spec spec = random_spec(roll);
    switch (roll.below(7)) {
      case 0: spec.ep = 2 * (spec.model.experts.count > 0 ? spec.model.experts.count : 1); break;
      case 1: spec.model.positions = spec.sequence / 2; break;
      case 2:
        spec.framework = sp::frameworks::deepspeed;
        spec.zero = 2 + roll.below(2);
        break;
      case 3: spec.offload.gradients = sp::storage::nvme; break;
      case 4:
        spec.framework = sp::frameworks::torchtitan;
        spec.model = sp::models::mixtral_8x7b::shape;
        spec.ep = 2;
        spec.zero = 0;
        break;
      case 5: spec.sequence_parallel = sp::toggle::off; break;
      default:
        spec.model = sp::models::mixtral_8x7b::shape;
        spec.model.experts.top_k = spec.model.experts.count + 1;  // nothing puts that right
        break;
    }
    const sp::violation_list list = sp::violations_in(spec);
    sp::violation memory{};
    int others = 0;
    for (const sp::violation& item : list) {
      const bool is_memory = item.broken == sp::rule::does_not_fit || item.broken == sp::rule::host_does_not_fit;
      if (is_memory) memory = item;
      others += !is_memory;
    }
    if (others == 0 || memory.needs.count == 0) continue;
    ++lines;
    INFO(sp::sentence_of(list).c_str());
    const sp::remedy_offers offers = sp::remedies_in(spec);
    REQUIRE(sp::remedy_set{memory.try_this, memory.and_this, memory.further} == (offers.empty() ? sp::remedy_set{} : offers[0].changes));
    REQUIRE(memory.waits == (offers.why == sp::no_offer::other_rules));
    REQUIRE((offers.why == sp::no_offer::none) == !offers.empty());
    waiting += memory.waits;
    if (offers.empty()) continue;
    ++named;
    // One value of each number, since no other was tried.
    sp::plan_spec with = spec;
    int values = 0;
    for (const sp::violation& item : list) {
      REQUIRE(item.legal[1] == sp::remedy{});
      values += item.legal[0].kind != sp::remedy_kind::nothing_small_helps;
      with = sp::changed(with, item.legal[0]);
    }
    by_values += values > 0;
    REQUIRE(is_valid(sp::changed_by_set(with, {memory.try_this, memory.and_this, memory.further})));
    sp::plan_spec changed = spec;
    for (const sp::remedy& change : offers.beside) changed = sp::changed(changed, change);
    beside += !offers.beside.empty();
    for (const sp::remedy_offer& offer : offers) {
      const sp::plan_spec other = sp::changed_by_set(changed, offer.changes);
      REQUIRE(is_valid(other));
      REQUIRE(costs(other, offer.cost));
      REQUIRE(costs(spec, offer.cost_before));
    }
  }
  std::cout << "lines with other rules: " << lines << ", " << named << " with a remedy, " << by_values << " of these with legal values, "
            << beside << " with offers beside them, " << waiting << " wait for other rules\n";
  CHECK(named > 1'000);
  CHECK(by_values > 1'000);
  CHECK(beside > 1'000);
  CHECK(waiting > 100);
}

TEST_CASE("what makes a plan fit whose host has too little memory") {
  dice roll;
  int misfits = 0;
  int offers = 0;
  int to_nvme = 0;
  int nodes = 0;
  while (misfits < 300) {
    sp::plan_spec spec = random_spec(roll);
    spec.offload.states = sp::storage::host;
    spec.host_memory_gibibytes = 64 << roll.below(4);
    const sp::violation_list broken = sp::evaluate(spec, sp::remedy_search::off).violations;
    if (broken.size() != 1 || broken[0].broken != sp::rule::host_does_not_fit) continue;
    ++misfits;
    // The error line names the first here as well.
    const sp::remedy_offers list = sp::remedies_in(spec);
    const sp::violation named = sp::violations_in(spec)[0];
    REQUIRE(sp::remedy_set{named.try_this, named.and_this, named.further} == (list.empty() ? sp::remedy_set{} : list[0].changes));
    for (const sp::remedy_offer& offer : list) {
      ++offers;
      to_nvme += offer.changes.first.kind == sp::remedy_kind::states_to_nvme;
      nodes += offer.changes.first.kind == sp::remedy_kind::nodes;
      const sp::plan_spec other = sp::changed_by_set(spec, offer.changes);
      REQUIRE(sp::evaluate(other, sp::remedy_search::off).violations.empty());
      REQUIRE(costs(other, offer.cost));
    }
  }
  CHECK(offers > 300);
  CHECK(to_nvme > 10);
  CHECK(nodes > 30);
}

TEST_CASE("every offer against idling of random plans is valid and waits less") {
  dice roll;
  int plans = 0;
  int offers = 0;
  int ended = 0;
  int by_kind[static_cast<int>(sp::remedy_kind::hidden_dp) + 1]{};
  while (plans < 2'000) {
    sp::plan_spec spec = random_spec(roll);
    if (roll.below(3) == 0) spec.overlap.dp = 0;
    const sp::idle_offers list = sp::less_idle(spec);
    const bool valid = sp::evaluate(spec, sp::remedy_search::off).violations.empty();
    if (!valid) REQUIRE(list.empty());
    if (!valid) continue;
    ++plans;
    if (spec.pp > 1) {
      const sp::micro_batch_room room = sp::room_for_micro_batches(spec);
      REQUIRE((list.room.most == room.most && list.room.ends == room.ends));
      ended += room.ends;
    } else {
      REQUIRE(list.room.most == 0);
    }
    const sp::closed_form idle = sp::idle_share_of(spec);
    for (std::size_t at = 0; at < list.size(); ++at) {
      const sp::idle_offer& offer = list[at];
      ++offers;
      ++by_kind[static_cast<int>(offer.change.kind)];
      INFO("kind " << static_cast<int>(offer.change.kind) << " value " << offer.change.value << " schedule "
                   << offer.schedule.name.c_str());
      sp::plan_spec other = sp::changed(spec, offer.change);
      if (offer.change.kind == sp::remedy_kind::schedule) REQUIRE(has(spec.framework, offer.schedule));
      if (offer.change.kind == sp::remedy_kind::schedule) other.schedule = offer.schedule;
      REQUIRE(other == sp::changed_by_offer(spec, offer));
      const sp::evaluation with = sp::evaluate(other, sp::remedy_search::off);
      REQUIRE(with.violations.empty());
      REQUIRE(with.peak_memory == offer.peak);
      REQUIRE(costs(other, offer.cost));
      REQUIRE(costs(spec, offer.cost_before));
      // A V100 has no rate of BF16: nothing is known of its time.
      if (spec.device.bf16_flops > 0) REQUIRE(offer.cost.tokens_per_second > offer.cost_before.tokens_per_second);
      if (at > 0) REQUIRE(offer.cost.tokens_per_second <= list[at - 1].cost.tokens_per_second);
      REQUIRE(sp::idle_share_of(other).value == offer.idle);
      REQUIRE(idle.value == offer.idle_before);
      const bool overlaps = offer.change.kind >= sp::remedy_kind::hidden_tp;
      REQUIRE((overlaps ? offer.idle == offer.idle_before : offer.idle < offer.idle_before));
      if (overlaps) REQUIRE(offer.cost.communication < offer.cost_before.communication);
    }
  }
  std::cout << "idling: " << plans << " random plans that fit, " << offers << " offers; by kind";
  for (const int kind : by_kind)
    if (kind != 0) std::cout << ' ' << kind;
  std::cout << '\n';
  CHECK(ended > 10);
  for (const sp::remedy_kind kind :
       {sp::remedy_kind::micro_batch, sp::remedy_kind::global_batch, sp::remedy_kind::schedule, sp::remedy_kind::hidden_tp,
        sp::remedy_kind::hidden_cp, sp::remedy_kind::hidden_ep, sp::remedy_kind::hidden_pp, sp::remedy_kind::hidden_dp}) {
    INFO(static_cast<int>(kind));
    CHECK(by_kind[static_cast<int>(kind)] > 0);
  }
}

TEST_CASE("more micro-batches: GPipe's memory ends them where one more does not fit, 1F1B's never") {
  dice roll;
  int ended = 0;
  int plans = 0;
  for (int count = 0; count < 300; ++count) {
    sp::plan_spec spec = random_spec(roll);
    spec.pp = std::int64_t{2} << roll.below(3);
    spec.schedule = sp::schedules::gpipe::spec;
    const sp::plan_figures figures = sp::figures_of(spec);
    if (figures.world_size == 0) continue;
    const auto peak_with = [&](std::int64_t micro_batches) {
      sp::plan_spec with = spec;
      with.global_batch = spec.micro_batch * figures.data_parallel * micro_batches;
      return sp::figures_of(with).peak_memory;
    };
    const sp::micro_batch_room room = sp::room_for_micro_batches(spec);
    ++plans;
    if (room.most > 0) CHECK(peak_with(room.most) <= spec.device.memory);
    if (room.ends) CHECK(peak_with(room.most + 1) > spec.device.memory);
    CHECK(peak_with(2 * figures.micro_batches) > peak_with(figures.micro_batches));
    ended += room.ends && room.most > 0;
    // 1F1B holds as many as there are stages, however many come.
    spec.schedule = sp::schedules::one_f_one_b::spec;
    if (peak_with(1024 * spec.pp).count != 0) CHECK(peak_with(4 * spec.pp) == peak_with(1024 * spec.pp));
    const sp::micro_batch_room steady = sp::room_for_micro_batches(spec);
    CHECK((!steady.ends || steady.most < spec.pp));
  }
  CHECK(plans > 100);
  CHECK(ended > 30);
}

TEST_CASE("the largest batch that GPipe's memory takes is offered") {
  sp::plan_spec spec{};
  spec.model = sp::models::llama2_7b::shape;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 1;
  spec.sequence = 4096;
  spec.micro_batch = 1;
  spec.global_batch = 16;
  spec.pp = 4;
  spec.zero = 1;
  spec.schedule = sp::schedules::gpipe::spec;
  // Eight micro-batches now, fourteen fit, sixteen do not.
  const sp::micro_batch_room room = sp::room_for_micro_batches(spec);
  CHECK((room.ends && room.most == 14));
  const auto batches = [](const sp::plan_spec& plan) {
    std::vector<std::int64_t> found;
    for (const sp::idle_offer& offer : sp::less_idle(plan))
      if (offer.change.kind == sp::remedy_kind::global_batch) found.push_back(offer.change.value);
    return found;
  };
  CHECK(batches(spec) == std::vector<std::int64_t>{28});
  // Where there is room for twice and four times as many, those are offered as well, the largest first.
  spec.global_batch = 6;
  CHECK(batches(spec) == std::vector<std::int64_t>{28, 24, 12});
  // 1F1B's memory does not end them.
  spec.schedule = sp::schedules::one_f_one_b::spec;
  CHECK(batches(spec) == std::vector<std::int64_t>{24, 12});
}

TEST_CASE("no spec is an error to ask for remedies or against idling") {
  dice roll;
  int asked = 0;
  for (int count = 0; count < 40; ++count)
    hostile::each_spec(random_spec(roll), [&](sp::plan_spec spec) {
      if (count % 2 == 1) spec.global_batch = std::int64_t{1} << 32;
      if (count % 4 == 3) spec.sequence = std::int64_t{1} << 31;
      static_cast<void>(sp::remedies_in(spec));
      static_cast<void>(sp::less_idle(spec));
      static_cast<void>(sp::room_for_micro_batches(spec));
      static_cast<void>(sp::step_cost_of(spec));
      ++asked;
    });
  CHECK(asked > 0);
}
