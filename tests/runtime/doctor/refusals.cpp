// SPDX-License-Identifier: BSL-1.0
// Causes of a refusal at start are the plan's own broken rules, under every framework.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/refusal.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/rules/catalog.hpp>
#include <shardplan/report/diagnosis.hpp>
#include <shardplan/schedule/catalog.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace sp = shardplan;
using doctor::each_plan;
using doctor::plain;
using sp::cause;
using sp::frameworks;
using sp::standing;

namespace {

constexpr frameworks all_frameworks[] = {frameworks::generic, frameworks::megatron, frameworks::deepspeed, frameworks::torchtitan,
                                         frameworks::fsdp2};

struct tally {
  int valid = 0;
  int refused = 0;
  int open = 0;
  int by_cause[sp::cause_count]{};
};

// A plan breaks a rule, those of memory aside, exactly when a cause of the symptom is supported.
void check_plan(const sp::plan_spec& spec, tally& sum) {
  const sp::violation_list broken = sp::violations_in(spec);
  int of_memory = 0;
  for (const sp::violation& item : broken.items)
    of_memory += item.broken == sp::rule::does_not_fit || item.broken == sp::rule::host_does_not_fit;
  const bool is_refused = broken.items.length > static_cast<std::size_t>(of_memory);
  int supported = 0;
  for (int at = 0; at < sp::cause_count; ++at) {
    const auto which = static_cast<cause>(at);
    if (!sp::explains(which, sp::symptom::refused_at_start)) continue;
    const sp::evidence says = sp::evidence_of(spec, which);
    supported += says.says == standing::supported;
    sum.by_cause[at] += says.says == standing::supported;
    // What some framework refuses is open only where the plan says none.
    const bool is_open = says.says == standing::not_in_plan;
    sum.open += is_open;
    if (is_open && which != cause::cfg_vpp) CHECK(spec.framework == frameworks::generic);
  }
  INFO("framework " << static_cast<int>(spec.framework) << " tp " << spec.tp << " pp " << spec.pp << " cp " << spec.cp << " ep " << spec.ep
                    << " zero " << spec.zero << " micro " << spec.micro_batch << " sequence " << spec.sequence << " batch "
                    << spec.global_batch << " chunks " << spec.schedule.chunks << ": " << sp::sentence_of(broken).c_str());
  CHECK((supported > 0) == is_refused);
  // Each broken rule has its cause.
  for (const sp::violation& item : broken.items)
    if (item.broken != sp::rule::does_not_fit && item.broken != sp::rule::host_does_not_fit)
      CHECK(sp::evidence_of(spec, sp::cause_of_violation(item)).says == standing::supported);
  ++(is_refused ? sum.refused : sum.valid);
}

template <class Change>
sp::evidence asked(cause which, Change change) {
  sp::plan_spec spec = plain();
  change(spec);
  return sp::evidence_of(spec, which);
}

}  // namespace

TEST_CASE("doctor: a plan is refused exactly when a cause of it is supported") {
  tally sum{};
  const sp::transformer models[] = {sp::models::llama3_8b::shape, sp::models::mixtral_8x7b::shape, sp::models::gpt2::shape};
  const sp::schedule_spec schedules[] = {sp::schedules::one_f_one_b::spec, sp::schedules::interleaved<2>::spec,
                                         sp::schedules::dual_pipe_v::spec};
  for (const frameworks whose : all_frameworks)
    for (const sp::transformer& model : models)
      for (const sp::schedule_spec& schedule : schedules)
        for (const std::int64_t tp : {1, 2, 3, 16})
          for (const std::int64_t pp : {1, 4})
            for (const std::int64_t cp : {1, 2})
              for (const std::int64_t ep : {1, 8})
                for (const std::int64_t zero : {1, 3})
                  for (const std::int64_t sequence : {1024, 1026})
                    for (const std::int64_t batch : {4, 48, 512}) {
                      sp::plan_spec spec = plain();
                      spec.framework = whose;
                      spec.model = model;
                      spec.schedule = schedule;
                      spec.nodes = 16;
                      spec.tp = tp;
                      spec.pp = pp;
                      spec.cp = cp;
                      spec.ep = ep;
                      spec.zero = zero;
                      spec.sequence = sequence;
                      spec.global_batch = batch;
                      if (tp == 2) spec.sequence_parallel = sp::toggle::off;
                      check_plan(spec, sum);
                    }
  each_plan([&](sp::plan_spec spec) {
    for (const frameworks whose : all_frameworks) {
      spec.framework = whose;
      check_plan(spec, sum);
    }
  });
  INFO(sum.valid << " legal, " << sum.refused << " refused, " << sum.open << " open");
  CHECK(sum.valid > 1000);
  CHECK(sum.refused > 1000);
  CHECK(sum.open > 100);
  for (const cause which : {cause::cfg_m_lt_p, cause::cfg_vpp, cause::cfg_layers, cause::cfg_batch, cause::cfg_seq, cause::cfg_heads,
                            cause::cfg_zero_pp, cause::cfg_ep, cause::cfg_grid, cause::cfg_other}) {
    INFO(sp::name_of(which));
    CHECK(sum.by_cause[static_cast<int>(which)] > 0);
  }
}

// The same of plans that say much more, right and wrong.
TEST_CASE("doctor: random plans are refused exactly when a cause of it is supported") {
  std::uint64_t state = 1;
  // Mostly the first, with which a plan is legal.
  const auto pick = [&](std::initializer_list<std::int64_t> list) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t number = state >> 33;
    return number % 3 != 0 ? *list.begin() : *(list.begin() + number / 3 % list.size());
  };
  const sp::transformer models[] = {sp::models::llama3_8b::shape, sp::models::mixtral_8x7b::shape, sp::models::deepseek_v3::shape,
                                    sp::models::gpt2::shape};
  const sp::schedule_spec schedules[] = {sp::schedules::one_f_one_b::spec,    sp::schedules::gpipe::spec,
                                         sp::schedules::interleaved<2>::spec, sp::schedules::interleaved<4>::spec,
                                         sp::schedules::dual_pipe::spec,      sp::schedules::zb_v::spec,
                                         sp::schedules::chimera::spec,        sp::schedules::seq_1f1b<3>::spec};
  tally sum{};
  for (int count = 0; count < 20000; ++count) {
    sp::plan_spec spec = plain();
    spec.model = models[pick({0, 1, 2, 3})];
    spec.framework = all_frameworks[pick({0, 1, 2, 3, 4})];
    spec.schedule = schedules[pick({0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7})];
    spec.nodes = pick({16, 1, 2, 4});
    spec.sequence = pick({1024, 1024, 1024, 4096, 1026, 1040, 4098});
    spec.micro_batch = pick({1, 1, 1, 2, 3});
    spec.global_batch = pick({768, 64, 256, 12});
    spec.tp = pick({1, 1, 2, 4, 8, 3, 16});
    spec.pp = pick({1, 1, 2, 4, 3, 0});
    spec.cp = pick({1, 1, 1, 1, 2, 4});
    spec.ep = pick({1, 1, 1, 2, 8, 3});
    spec.etp = pick({1, 1, 1, 1, 2});
    spec.zero = pick({0, 1, 1, 2, 3, 4});
    spec.dp = pick({sp::unset, sp::unset, sp::unset, sp::unset, 4, 16});
    spec.accumulation = pick({sp::unset, sp::unset, sp::unset, 4});
    spec.sequence_parallel = pick({0, 0, 1}) == 0 ? sp::toggle::by_default : sp::toggle::off;
    if (pick({0, 0, 0, 1}) == 1) spec.sharding.layout = sp::shard_layout::tensors;
    spec.sharding.ranks = pick({sp::unset, sp::unset, sp::unset, 2, 3});
    spec.sharding.secondary = pick({sp::unset, sp::unset, sp::unset, sp::unset, 8, 3});
    if (pick({0, 0, 0, 1}) == 1) spec.layer_split.embedding_slot = spec.layer_split.loss_slot = true;
    if (pick({0, 0, 0, 0, 1}) == 1)
      for (const std::int64_t layers : {8, 8, 7, 9}) spec.layer_split.push_back(layers);
    if (pick({0, 0, 0, 0, 1}) == 1) spec.precision = sp::precisions::deepseek_fp8::spec;
    if (pick({0, 0, 0, 0, 1}) == 1) spec.offload.weights = sp::storage::host;
    if (pick({0, 0, 0, 0, 1}) == 1) spec.offload.gradients = sp::storage::nvme;
    check_plan(spec, sum);
  }
  INFO(sum.valid << " legal, " << sum.refused << " refused, " << sum.open << " open");
  CHECK(sum.valid > 500);
  CHECK(sum.refused > 5000);
}

// Reports of a reviewer: what a rule refuses has a cause, what is legal has none that is supported.
TEST_CASE("doctor: refusals one by one") {
  using spec_of = sp::plan_spec;
  constexpr auto yes = standing::supported;
  constexpr auto no = standing::excluded;
  constexpr auto open = standing::not_in_plan;
  const sp::transformer mixtral = sp::models::mixtral_8x7b::shape;
  const auto groups = [](spec_of& spec) { spec.sharding.layout = sp::shard_layout::tensors, spec.sharding.ranks = 3; };
  CHECK(asked(cause::cfg_grid, groups).says == yes);
  const auto kv_heads = [](frameworks whose) {
    return [whose](spec_of& spec) { spec.model = sp::models::llama3_8b::shape, spec.nodes = 2, spec.tp = 16, spec.framework = whose; };
  };
  CHECK(asked(cause::cfg_heads, kv_heads(frameworks::torchtitan)).says == yes);
  CHECK(asked(cause::cfg_heads, kv_heads(frameworks::megatron)).says == no);
  CHECK(asked(cause::cfg_heads, kv_heads(frameworks::generic)).says == open);
  CHECK(asked(cause::cfg_seq, [](spec_of& spec) { spec.tp = 2, spec.sequence = 4098, spec.framework = frameworks::torchtitan; }).says ==
        yes);
  const auto experts = [&](spec_of& spec) { spec.model = mixtral, spec.zero = 3, spec.ep = 8, spec.framework = frameworks::deepspeed; };
  CHECK(asked(cause::cfg_ep, experts).says == yes);
  CHECK(asked(cause::cfg_batch, [](spec_of& spec) { spec.accumulation = 4; }).says == yes);
  CHECK(asked(cause::cfg_grid, [](spec_of& spec) { spec.dp = 4; }).says == yes);
  CHECK(asked(cause::cfg_seq, [](spec_of& spec) { spec.model = sp::models::gpt2::shape; }).says == yes);
  const auto groups_of_four = [](frameworks whose) {
    return [whose](spec_of& spec) {
      spec.nodes = 4, spec.pp = 4, spec.global_batch = 48, spec.schedule = sp::schedules::interleaved<2>::spec, spec.framework = whose;
    };
  };
  CHECK(asked(cause::cfg_vpp, groups_of_four(frameworks::generic)).says == open);
  CHECK(asked(cause::cfg_vpp, groups_of_four(frameworks::torchtitan)).says == no);
  CHECK(asked(cause::cfg_vpp, groups_of_four(frameworks::megatron)).says == yes);
  CHECK(asked(cause::cfg_seq, [](spec_of& spec) { spec.cp = 2, spec.sequence = 4098; }).says == open);
  CHECK(asked(cause::cfg_ep, [&](spec_of& spec) { spec.model = mixtral, spec.tp = 2, spec.sequence_parallel = sp::toggle::off; }).says ==
        open);
  CHECK(asked(cause::cfg_m_lt_p, [](spec_of& spec) { spec.pp = 8, spec.global_batch = 4; }).says == open);
}

TEST_CASE("doctor: every listed rule has a cause, and memory has others") {
  for (const sp::listed_rule& one : sp::rule_catalog) {
    INFO(one.words);
    sp::violation item{};
    item.broken = one.broken;
    item.unsupported = one.unsupported;
    if (item.broken == sp::rule::does_not_fit || item.broken == sp::rule::host_does_not_fit) continue;
    // All pairs of numbers that it can be about belong to one cause.
    for (int first = 0; first == 0 || first < one.first_count; ++first)
      for (int second = 0; second == 0 || second < one.second_count; ++second) {
        item.first.what = one.first[first];
        item.second.what = one.second[second];
        const cause which = sp::cause_of_violation(item);
        INFO(sp::name_of(which));
        CHECK(sp::explains(which, sp::symptom::refused_at_start));
        // Of rules about two numbers the rest are widths, and what an order of micro-batches is made for.
        if (which != cause::cfg_other || one.second_count == 0) continue;
        bool is_rest = false;
        for (const sp::quantity left : {sp::quantity::hidden, sp::quantity::ffn, sp::quantity::shared_ffn, sp::quantity::vocabulary,
                                        sp::quantity::micro_batches, sp::quantity::pp})
          is_rest = is_rest || item.second.what == left;
        CHECK(is_rest);
      }
  }
}

TEST_CASE("doctor: a refusal in words") {
  sp::plan_spec spec = plain();
  spec.sharding.layout = sp::shard_layout::tensors;
  spec.sharding.ranks = 3;
  const std::string text = sp::report::text_of(sp::diagnosis_of(spec, sp::symptom::refused_at_start));
  INFO(text);
  CHECK(text.find("1. cfg_grid (supported): 2 ranks\n") == 0);
  CHECK(text.find("\n   broken: shard_ranks 3 does not divide dp_x_cp 8\n   remedy: shard groups of 8 ranks: 2 ranks -> 0; peak ") !=
        std::string::npos);
  spec = plain();
  spec.cp = 2;
  spec.sequence = 4098;
  const std::string open = sp::report::text_of(sp::diagnosis_of(spec, sp::symptom::refused_at_start));
  INFO(open);
  CHECK(open.find("1. cfg_seq (not in the plan): 2 tokens\n") == 0);
  CHECK(open.find("\n   broken under Megatron-LM (the plan says no framework): cp_x_lcm_2_tp 4 does not divide sequence 4098\n") !=
        std::string::npos);
}

// The rules that are left after a remedy are counted as those before it: not another framework's, where the plan says none.
TEST_CASE("doctor: a remedy leaves no broken rule of the plan's own") {
  sp::plan_spec spec = plain();
  spec.model = sp::models::mixtral_8x7b::shape;
  spec.device = sp::devices::b200_sxm_192gb::spec;
  spec.nodes = 4;
  spec.zero = 3;
  spec.tp = 2;
  spec.sequence_parallel = sp::toggle::off;  // Megatron-LM wants it on with experts
  spec.ep = 16;                              // of 8 experts
  spec.recompute = sp::recomputes::full;
  for (const sp::finding& item : sp::diagnosis_of(spec, sp::symptom::refused_at_start)) {
    if (item.which != cause::cfg_ep) continue;
    REQUIRE(item.help == sp::help_kind::change);
    CHECK((item.now.figure > 0 && item.after.figure == 0 && item.after.says == standing::excluded));
    const sp::refusal left = sp::refusal_of(sp::changed_by_finding(spec, item), item.which);
    CHECK((left.count > 0 && !left.is_said && left.whose == frameworks::megatron));
    return;
  }
  FAIL("no such cause");
}

TEST_CASE("doctor: rules that undo each other end a repair") {
  sp::plan_spec spec = plain();
  spec.model = sp::models::deepseek_v3::shape;  // 61 layers: no pp divides them but 1, and two directions ask for 2
  spec.device = sp::devices::b200_sxm_192gb::spec;
  spec.nodes = 4;
  spec.ep = 4;
  spec.micro_batch = 3;
  spec.global_batch = 192;
  spec.sequence = 8192;
  spec.zero = 2;
  spec.framework = frameworks::megatron;
  spec.schedule = sp::schedules::dual_pipe::spec;
  CHECK(sp::diagnosis_of(spec, sp::symptom::refused_at_start).length > 0);
}
