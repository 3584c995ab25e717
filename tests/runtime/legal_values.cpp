// SPDX-License-Identifier: BSL-1.0
// Legal values against a brute force over all values of the part: what is named is legal, and nothing nearer is.
#include "catch.hpp"
#include "dice.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/legal_values.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/schedule/chimera.hpp>
#include <shardplan/schedule/dual_pipe.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/seq_1f1b.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace sp = shardplan;

namespace {

// The same numbers on every machine (Knuth's multiplier).
// Mostly broken, each in a few numbers.
sp::plan_spec broken_spec(dice& roll) {
  static const sp::transformer models[] = {
      sp::models::gpt2_xl::shape,     sp::models::llama3_8b::shape,        sp::models::mixtral_8x7b::shape,
      sp::models::qwen2_5_7b::shape,  sp::models::llama3_1_405b::shape,    sp::models::gpt2::shape,
      sp::models::qwen2_5_14b::shape, sp::models::deepseek_v2_lite::shape, sp::models::opt_125m::shape};
  static const sp::schedule_spec orders[] = {sp::schedules::one_f_one_b::spec, sp::schedules::one_f_one_b::spec,
                                             sp::schedules::one_f_one_b::spec, sp::schedules::interleaved<2>::spec,
                                             sp::schedules::dual_pipe::spec,   sp::schedules::chimera::spec,
                                             sp::schedules::seq_1f1b<2>::spec};
  static const std::int64_t degrees[] = {1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32};
  sp::plan_spec spec{};
  spec.model = roll.of(models);
  spec.model.next_token_layers = 0;
  spec.device.memory = sp::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 8;
  spec.nodes = 1 + roll.below(24);
  spec.framework = static_cast<sp::frameworks>(roll.below(5));
  spec.tp = roll.of(degrees);
  spec.pp = roll.of(degrees);
  spec.cp = 1 + roll.below(3);
  spec.sequence = roll.below(2) == 0 ? 512 << roll.below(3) : 200 + roll.below(1500);
  spec.micro_batch = 1 + roll.below(3);
  spec.global_batch = roll.below(2) == 0 ? 64 << roll.below(4) : 1 + roll.below(900);
  spec.schedule = roll.of(orders);
  if (spec.model.experts.count > 0) {
    spec.ep = roll.of(degrees);
    spec.etp = 1 + roll.below(2);
  }
  if (roll.below(6) == 0) spec.dp = 1 + roll.below(16);
  if (roll.below(6) == 0) spec.accumulation = 1 + roll.below(16);
  if (roll.below(6) == 0) spec.precision = sp::precisions::fp8_compute::spec;
  if (roll.below(8) == 0) spec.sequence_parallel = sp::toggle::off;
  if (roll.below(8) == 0) spec.zero = 3;
  if (roll.below(6) == 0) spec.sharding.ranks = 1 + roll.below(16);
  if (roll.below(6) == 0) spec.sharding.secondary = 1 + roll.below(16);
  if (roll.below(6) == 0) spec.communication.context_inner = 1 + roll.below(4);
  if (roll.below(3) == 0 && spec.zero == 3) {
    spec.communication.gradient_bits = 4;
    spec.communication.node_ranks = 1 + roll.below(16);
  }
  return spec;
}

// A product is named after its only factor above 1.
std::string name_of_product(sp::quantity factor, sp::quantity whole) {
  const std::string name = sp::name_of(factor);
  if (whole == sp::quantity::device_count && (name == "tp" || name == "pp")) return "tp_x_pp_x_cp";
  if (whole == sp::quantity::sequence && (name == "tp" || name == "cp")) return "cp_x_tp";
  if (whole == sp::quantity::heads && name == "cp") return "cp_x_tp";
  if (whole == sp::quantity::kv_heads && name == "cp") return "cp_x_tp";
  return name;
}
bool same_rule(const sp::violation& left, const sp::violation& right) {
  return left.broken == right.broken &&
         name_of_product(left.first.what, left.second.what) == name_of_product(right.first.what, right.second.what) &&
         name_of_product(left.second.what, left.first.what) == name_of_product(right.second.what, right.first.what);
}

bool about_micro_batches(const sp::violation& item) {
  return item.first.what == sp::quantity::micro_batches || item.second.what == sp::quantity::micro_batches;
}
bool about_the_batch(const sp::violation& item) { return about_micro_batches(item) || item.second.what == sp::quantity::global_batch; }
bool is_of_tier_three(const sp::violation& item) {
  for (const sp::quantity what : {sp::quantity::expert_count, sp::quantity::positions, sp::quantity::ep})
    if (item.broken == sp::rule::exceeds && item.second.what == what) return true;
  return false;
}

// Rules that are asked of whole replicas, or of whole micro-batches, alone.
bool is_asked_only_now(const sp::violation& left, const sp::violation_list& before) {
  using sp::quantity;
  bool world = false;
  bool batch = false;
  for (const sp::violation& item : before) {
    world = world || item.second.what == quantity::device_count;
    batch = batch || item.second.what == quantity::global_batch;
  }
  const bool of_order = about_micro_batches(left) || left.first.what == quantity::slices || left.first.what == quantity::ranks_multiple ||
                        left.first.what == quantity::in_flight || left.second.what == quantity::interleave_group;
  const bool of_replicas = left.second.what == quantity::global_batch || left.second.what == quantity::dp_x_cp ||
                           left.second.what == quantity::expert_shards || left.first.what == quantity::node_ranks;
  return (of_order && (world || batch)) || (of_replicas && world);
}

// Broken rules that another part can put right.
bool is_left_to_others(const sp::violation& left, sp::remedy_kind axis, int level) {
  const bool has_a_part = left.second.what == sp::quantity::sequence || left.second.what == sp::quantity::vocabulary;
  return level == 2 && has_a_part && axis != sp::remedy_kind::sequence && axis != sp::remedy_kind::vocabulary_multiple;
}

// "The rule is kept, no rule of that part's number is broken, and none that was kept is broken now": docs/reference/rules.md. What no
// engine does and memory are another matter. "Of the rule": what is broken beside it may stay broken.
bool is_legal(const sp::plan_spec& spec, const sp::violation_list& before, const sp::violation& item, sp::remedy change, int level) {
  const bool of_the_rule = level == 3;
  const sp::quantity number = sp::detail::quantity_of(change.kind);
  if (change.kind == sp::remedy_kind::sequence) {
    // Rules about a sequence that are not asked while the batch or another tier is broken.
    if (spec.model.positions != 0 && change.value > spec.model.positions - spec.model.position_offset) return false;
    if (change.value % spec.schedule.slices != 0) return false;
  }
  if (change.kind == sp::remedy_kind::global_batch && !of_the_rule && item.first.what == sp::quantity::micro_batch_x_dp) {
    // Nor are all rules of an order while one of its own numbers is wrong.
    const std::int64_t micro_batches = change.value / item.first.value;
    const sp::schedule_spec& order = spec.schedule;
    if (micro_batches % order.micro_batches_multiple != 0 || (order.micro_batches_fill_ranks && micro_batches % spec.pp != 0)) return false;
    if (change.value > item.second.value && micro_batches < order.least_micro_batches_a_rank * spec.pp) return false;
  }
  if (change.kind == sp::remedy_kind::ep && change.value > spec.model.experts.count) return false;
  if (change.kind == sp::remedy_kind::pp && change.value > sp::layer_places_of(spec)) return false;
  for (const sp::violation& left : sp::evaluate(sp::changed(spec, change), sp::remedy_search::off).violations) {
    if (left.broken >= sp::rule::not_supported || left.broken == sp::rule::empty_stage) continue;
    if (same_rule(left, item)) return false;
    if (of_the_rule) {
      // Of these the rule was not asked.
      if (left.broken < sp::rule::does_not_divide && left.first.what != sp::quantity::in_flight) return false;
      bool known = false;
      for (const sp::violation& other : before) known = known || same_rule(left, other);
      if (!known && left.second.what == sp::quantity::device_count && about_the_batch(item)) return false;
      if (!known && left.second.what == sp::quantity::global_batch && about_micro_batches(item)) return false;
      if (is_of_tier_three(item) && left.broken < sp::rule::exceeds) return false;
      if (item.first.what == sp::quantity::shard_groups && left.first.what == sp::quantity::shard_ranks) return false;
      continue;
    }
    // Of a plan that breaks a rule of tier two, the rest was not asked before.
    if (is_of_tier_three(left) && !is_of_tier_three(item) && !is_of_tier_three(before[0])) {
      if (level == 0) return false;
      continue;
    }
    bool known = false;
    for (const sp::violation& other : before) known = known || same_rule(left, other);
    const bool own = left.first.what == number || left.second.what == number || sp::detail::is_factor_of(left.first.what, change.kind) ||
                     sp::detail::is_factor_of(left.second.what, change.kind) ||
                     (change.kind == sp::remedy_kind::global_batch && about_micro_batches(left));
    if (known && own && !is_left_to_others(left, change.kind, level)) return false;
    if (!known && (level == 0 || (own && (level == 1 || change.kind == sp::remedy_kind::global_batch)) || !is_asked_only_now(left, before)))
      return false;
  }
  return true;
}

std::int64_t value_of(const sp::plan_spec& spec, sp::remedy_kind axis) {
  switch (axis) {
    case sp::remedy_kind::tp: return spec.tp;
    case sp::remedy_kind::pp: return spec.pp;
    case sp::remedy_kind::cp: return spec.cp;
    case sp::remedy_kind::dp: return spec.dp;
    case sp::remedy_kind::ep: return spec.ep;
    case sp::remedy_kind::etp: return spec.etp;
    case sp::remedy_kind::shard_ranks: return spec.sharding.ranks;
    case sp::remedy_kind::hpz: return spec.sharding.secondary;
    case sp::remedy_kind::inner_all_to_all: return spec.communication.context_inner;
    case sp::remedy_kind::node_ranks: return spec.communication.node_ranks;
    case sp::remedy_kind::sequence: return spec.sequence;
    case sp::remedy_kind::global_batch: return spec.global_batch;
    case sp::remedy_kind::accumulation: return spec.accumulation;
    default: return sp::vocabulary_multiple_of(spec);
  }
}

// How far up is looked: beyond the devices no degree is legal, and two whole multiples of what must divide are enough for the rest.
std::int64_t highest(const sp::plan_spec& spec, sp::remedy_kind axis) {
  const std::int64_t devices = spec.devices_per_node * spec.nodes;
  switch (axis) {
    case sp::remedy_kind::sequence: return spec.sequence + 2 * sp::sequence_multiple_of(spec) * spec.schedule.slices;
    case sp::remedy_kind::global_batch:
      return spec.global_batch + 2 * spec.micro_batch * std::max(devices, spec.dp) * std::max<std::int64_t>(8, 2 * spec.pp);
    case sp::remedy_kind::accumulation: return spec.global_batch;
    default: return devices;
  }
}

struct nearest {
  std::int64_t below = 0;  // 0: none
  std::int64_t above = 0;
};

nearest by_brute_force(const sp::plan_spec& spec, const sp::violation_list& before, const sp::violation& item, sp::remedy_kind axis,
                       int level) {
  nearest found;
  const std::int64_t from = value_of(spec, axis);
  for (std::int64_t value = from - 1; value >= 1 && found.below == 0; --value)
    if (is_legal(spec, before, item, {axis, value}, level)) found.below = value;
  const std::int64_t to = highest(spec, axis);
  for (std::int64_t value = from + 1; value <= to && found.above == 0; ++value)
    if (is_legal(spec, before, item, {axis, value}, level)) found.above = value;
  return found;
}

// The answer of the brute force: the first part that helps and its values. Of the vocabulary it is the least multiple that the ranks
// divide, not whatever rounds to one by accident.
struct answer {
  sp::remedy_kind axis = sp::remedy_kind::nothing_small_helps;
  nearest values{};
  bool none() const { return axis == sp::remedy_kind::nothing_small_helps; }
};
answer answer_of(const sp::plan_spec& spec, const sp::violation_list& before, const sp::violation& item, int level, int choices = 3) {
  for (int choice = 0; choice < choices; ++choice) {
    const sp::remedy_kind axis = sp::detail::axis_of(item, choice);
    if (axis == sp::remedy_kind::nothing_small_helps) break;
    if (axis == sp::remedy_kind::vocabulary_multiple) {
      const std::int64_t value = std::lcm(sp::vocabulary_multiple_of(spec), spec.tp);
      if (is_legal(spec, before, item, {axis, value}, level)) return {axis, {0, value}};
      continue;
    }
    const nearest values = by_brute_force(spec, before, item, axis, level);
    if (values.below != 0 || values.above != 0) return {axis, values};
  }
  return {};
}

// Whether the number was put right at an earlier violation: the first one that is about it.
bool is_answered_before(const sp::plan_spec& spec, const sp::violation_list& list, std::size_t index) {
  for (std::size_t at = 0; at < index; ++at) {
    const sp::remedy_kind before = sp::detail::axis_of(list[at], 0);
    if (before == sp::remedy_kind::nothing_small_helps) continue;
    if (before == sp::detail::axis_of(list[index], 0) || before == sp::detail::factor_of(list[index].first.what, 0))
      return !answer_of(spec, list, list[at], 0, 1).none();
  }
  return false;
}

// Whether all violations of a list are about one part, and no product that others could put right as well.
bool is_about_one_part(const sp::violation_list& list) {
  for (const sp::violation& item : list)
    if (sp::detail::axis_of(item, 0) != sp::detail::axis_of(list[0], 0) ||
        (list.size() > 1 && item.second.what == sp::quantity::device_count))
      return false;
  return true;
}

bool is_none(sp::remedy value) { return value.kind == sp::remedy_kind::nothing_small_helps; }

}  // namespace

TEST_CASE("legal values are the nearest there are, by brute force") {
  dice roll{20261201};
  int numbers = 0;
  int answered = 0;
  int of_the_number = 0;
  int of_the_rule = 0;
  int without = 0;
  for (int count = 0; count < 30'000; ++count) {
    const sp::plan_spec spec = broken_spec(roll);
    const sp::violation_list list = sp::violations_in(spec);
    if (list.empty() || !is_about_one_part(list)) continue;
    REQUIRE((list[0].broken >= sp::rule::does_not_divide || list[0].first.what == sp::quantity::in_flight));
    for (std::size_t index = 0; index < list.size(); ++index) {
      const sp::violation& item = list[index];
      if (sp::detail::axis_of(item, 0) == sp::remedy_kind::nothing_small_helps) continue;
      ++numbers;
      INFO(sp::sentence_of(list).c_str());
      INFO(sp::sentence_of(item).c_str());
      if (is_answered_before(spec, list, index)) {
        ++answered;
        CHECK((is_none(item.legal[0]) && is_none(item.legal[1])));
        continue;
      }
      answer wanted = answer_of(spec, list, item, 0);
      for (int level = 1; level < 3 && wanted.none(); ++level) wanted = answer_of(spec, list, item, level);
      if (!wanted.none()) {
        ++of_the_number;
      } else {
        wanted = answer_of(spec, list, item, 3);
        (wanted.none() ? without : of_the_rule) += 1;
      }
      INFO(sp::name_of(sp::detail::quantity_of(wanted.axis)) << ": " << wanted.values.below << ", " << wanted.values.above);
      CHECK(item.legal[0] == (wanted.values.below == 0 ? sp::remedy{} : sp::remedy{wanted.axis, wanted.values.below}));
      const bool beyond = !is_none(item.legal[1]) && item.legal[1].value > highest(spec, item.legal[1].kind);
      if (!beyond) CHECK(item.legal[1] == (wanted.values.above == 0 ? sp::remedy{} : sp::remedy{wanted.axis, wanted.values.above}));
    }
  }
  std::cout << "legal values: " << numbers << " numbers at fault, " << answered << " answered before, " << of_the_number
            << " with values that put the number right, " << of_the_rule << " with values that keep the rule, " << without
            << " without any\n";
  CHECK(numbers > 2'000);
}

namespace {

sp::remedy first_of(const sp::violation& item) { return is_none(item.legal[0]) ? item.legal[1] : item.legal[0]; }

// The rules of `before` that are broken by `after` as well, by their numbers' names or what these are called with another factor.
bool breaks(const sp::violation_list& after, const sp::violation& item) {
  for (const sp::violation& left : after)
    if (sp::detail::is_same_rule(left, item)) return true;
  return false;
}

}  // namespace

TEST_CASE("legal values of several parts work together") {
  dice roll{20261203};
  int several = 0;
  int together = 0;
  int alone = 0;
  int whole = 0;
  int dealt_out = 0;
  for (int count = 0; count < 30'000; ++count) {
    const sp::plan_spec spec = broken_spec(roll);
    const sp::violation_list list = sp::violations_in(spec);
    std::vector<sp::remedy> firsts;
    bool conflict = false;
    for (const sp::violation& item : list) {
      const sp::remedy first = first_of(item);
      if (is_none(first)) continue;
      bool known = false;
      for (const sp::remedy& other : firsts) {
        known = known || other.kind == first.kind;
        conflict = conflict || (other.kind == first.kind && other.value != first.value);
      }
      if (!known) firsts.push_back(first);
    }
    if (firsts.empty()) continue;
    sp::plan_spec repaired = spec;
    for (const sp::remedy& value : firsts) repaired = sp::changed(repaired, value);
    const sp::violation_list left = sp::violations_in(repaired);
    several += firsts.size() > 1;
    // What deals layers out to the stages that there are works in the place of another pp, and breaks nothing.
    for (const sp::violation& item : list) {
      if (is_none(item.try_this) || item.broken == sp::rule::does_not_fit) continue;
      ++dealt_out;
      sp::plan_spec with = repaired;
      with.pp = spec.pp;
      with = sp::changed(with, item.try_this);
      const sp::violation_list after = sp::violations_in(with);
      INFO(sp::sentence_of(list).c_str());
      INFO(sp::sentence_of(after).c_str());
      CHECK(!breaks(after, item));
      for (const sp::violation& other : after)
        if (other.broken < sp::rule::exceeds) {
          CHECK(breaks(list, other));
          // With a product wrong that has the stages in it, keeping them cannot work.
          CHECK(!sp::detail::is_factor_of(other.first.what, sp::remedy_kind::pp));
        }
    }
    bool kept = !conflict;
    for (const sp::violation& item : list) kept = kept && (is_none(first_of(item)) || !breaks(left, item));
    if (kept) {
      together += firsts.size() > 1;
      whole += firsts.size() > 1 && sp::detail::is_computable(repaired);
      continue;
    }
    // Then nothing works together: each stands for its own rule.
    ++alone;
    INFO(sp::sentence_of(list).c_str());
    for (const sp::violation& item : list) {
      if (is_none(first_of(item))) continue;
      CHECK(is_legal(spec, list, item, first_of(item), 3));
    }
  }
  std::cout << "legal values: " << several << " plans with values of several parts, " << together << " that work together, of which "
            << whole << " keep both tiers, " << alone << " that stand alone\n";
  CHECK(dealt_out > 100);
  CHECK(several > 15'000);
  CHECK(together > several * 999 / 1000);
}

// One value that puts two rules right stands at the first of them, whether or not the batch, which is asked later, is right.
TEST_CASE("a degree at fault twice is answered at the first violation") {
  sp::plan_spec spec{};
  spec.model = sp::models::llama3_8b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = spec.tp = 8;
  spec.nodes = 2;
  spec.pp = 3;
  spec.sequence = 8192;
  spec.global_batch = 64;
  spec.framework = sp::frameworks::megatron;
  for (const std::int64_t micro : {1, 3}) {
    spec.micro_batch = micro;
    const sp::violation_list list = sp::violations_in(spec);
    INFO(sp::sentence_of(list).c_str());
    REQUIRE((list.size() == 2 && list[0].second.what == sp::quantity::device_count && list[1].second.what == sp::quantity::layers));
    CHECK(list[0].legal[0] == sp::remedy{sp::remedy_kind::pp, 2});
    CHECK((is_none(list[1].legal[0]) && is_none(list[1].legal[1]) && is_none(list[1].try_this)));
  }
}

// torchtitan's seq_len_divisor is tp x 2 x cp whether or not norms are divided.
TEST_CASE("torchtitan's pieces of a sequence count tp without sequence parallelism too") {
  sp::plan_spec spec{};
  spec.model = sp::models::llama3_8b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = spec.tp = 8;
  spec.nodes = spec.micro_batch = 1;
  spec.global_batch = 8;
  spec.framework = sp::frameworks::torchtitan;
  for (const sp::toggle shares : {sp::toggle::on, sp::toggle::off}) {
    spec.sequence_parallel = shares;
    CHECK(sp::sequence_multiple_of(spec) == 16);
    spec.sequence = 1024 + 8;
    const sp::violation_list list = sp::violations_in(spec);
    INFO(sp::sentence_of(list).c_str());
    REQUIRE(!list.empty());
    CHECK((list[0].first.what == sp::quantity::cp_x_2_tp && list[0].first.value == 16));
    CHECK((list[0].legal[0].value == 1024 && list[0].legal[1].value == 1040));
  }
  spec.framework = sp::frameworks::generic;
  CHECK(sp::sequence_multiple_of(spec) == 1);
}

TEST_CASE("the nearest divisor, without a walk over all numbers") {
  for (std::int64_t whole = 1; whole <= 240; ++whole)
    for (std::int64_t value = 1; value <= 250; ++value) {
      INFO(value << " of " << whole);
      std::int64_t below = value, above = value;
      while (whole % below != 0) --below;
      while (above <= whole && whole % above != 0) ++above;
      CHECK(sp::detail::divisor_from(whole, value, false) == below);
      CHECK(sp::detail::divisor_from(whole, value, true) == (above <= whole ? above : 0));
    }
  const std::int64_t groups = (std::int64_t{1} << 32) - 5;  // a prime: 2^32 steps would be seconds
  CHECK(sp::detail::divisor_from(groups, groups - 1, false) == 1);
  CHECK(sp::detail::divisor_from(groups, 2, true) == groups);
}
