// SPDX-License-Identifier: BSL-1.0
// Laws of every diagnosis, over many plans.
#include "../../support/hostile_specs.hpp"
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/step_cost.hpp>

#include <iostream>

namespace sp = shardplan;
using doctor::each_plan;
using doctor::plain;
using sp::cause;
using sp::standing;

namespace {

// A cause of two symptoms is counted once.
bool is_first_symptom(cause which, int seen) {
  for (int before = 0; before < seen; ++before)
    if (sp::explains(which, static_cast<sp::symptom>(before))) return false;
  return true;
}

// What supported causes were offered.
struct tally {
  int supported = 0;
  int changes = 0;
  int actions = 0;
};

}  // namespace

TEST_CASE("doctor: laws of a diagnosis") {
  tally by_cause[sp::cause_count]{};
  int faster = 0;
  int by_steps[sp::most_treatment_steps + 1]{};
  int reasons[5]{};
  int schedules = 0;
  int plans = 0;
  each_plan([&](const sp::plan_spec& spec) {
    ++plans;
    for (int seen = 0; seen < sp::symptom_count; ++seen) {
      const sp::diagnosis list = sp::diagnosis_of(spec, static_cast<sp::symptom>(seen));
      std::size_t wanted = 0;
      for (int at = 0; at < sp::cause_count; ++at) wanted += sp::explains(static_cast<cause>(at), static_cast<sp::symptom>(seen));
      CHECK(list.size() == wanted);
      for (std::size_t at = 0; at < list.size(); ++at) {
        const sp::finding& item = list[at];
        INFO(sp::name_of(item.which) << " tp " << spec.tp << " pp " << spec.pp << " zero " << spec.zero << " micro " << spec.micro_batch
                                     << " nodes " << spec.nodes << " layers " << spec.model.layers << " change "
                                     << sp::sentence_of(item.try_this).c_str());
        // Supported ones first, the heaviest first.
        if (at > 0) {
          CHECK(list[at - 1].now.says <= item.now.says);
          if (list[at - 1].now.says == item.now.says) CHECK(list[at - 1].now.weight >= item.now.weight);
        }
        if (item.now.says != standing::not_in_plan) CHECK((item.now.figure > item.now.limit) == (item.now.says == standing::supported));
        tally unused{};
        const bool counts = is_first_symptom(item.which, seen);
        tally& sum = counts ? by_cause[static_cast<int>(item.which)] : unused;
        sum.supported += item.now.says == standing::supported;
        CHECK(item.peak == sp::figures_of(spec).peak_memory);
        CHECK(item.cost == sp::step_cost_of(spec));
        // A change is there exactly when help says so; a plan changes neither the collection of garbage nor files that are written.
        CHECK((item.try_this.kind != sp::remedy_kind::nothing_small_helps) == (item.help == sp::help_kind::change));
        if (item.now.says == standing::excluded) CHECK(item.help == sp::help_kind::nothing);
        if (item.now.says == standing::not_in_plan) CHECK(item.help == sp::help_kind::action);
        if (item.help == sp::help_kind::action && item.now.says == standing::supported) {
          ++sum.actions;
          // It says what to do, and why no change of the plan is offered.
          CHECK(sp::action_of(item) != sp::literal{});
          CHECK(*sp::words_of(item.why) != '\0');
          reasons[static_cast<int>(item.why)] += counts;
          const bool of_no_plan = item.which == cause::perf_jitter || item.which == cause::ckpt_layout;
          CHECK(of_no_plan == (item.why == sp::no_change::of_no_plan));
        }
        CHECK((item.help == sp::help_kind::action) == (item.why != sp::no_change::none));
        if (item.help != sp::help_kind::change) continue;
        // A remedy was recomputed: the plan is valid after it, and the cause is gone.
        ++sum.changes;
        int steps = 0;
        for (std::size_t index = 0; index < sp::most_treatment_steps; ++index) {
          steps += item.step(index).kind != sp::remedy_kind::nothing_small_helps;
          schedules += item.step(index).kind == sp::remedy_kind::schedule;
        }
        by_steps[steps] += counts;
        CHECK(item.now.says == standing::supported);
        const sp::plan_spec other = sp::changed_by_finding(spec, item);
        const sp::evaluation after = sp::evaluate(other, sp::remedy_search::off);
        CHECK(after.violations.empty());
        CHECK(after.peak_memory == item.peak_after);
        // A changed plan is asked by the framework that refused it, not by the first that would: of one without a framework no rule is
        // left.
        const bool of_rules = sp::explains(item.which, sp::symptom::refused_at_start);
        if (of_rules) CHECK((item.after.says == standing::excluded && item.after.figure <= item.after.limit));
        if (of_rules && item.which == cause::cfg_other) CHECK(item.after.figure == 0);
        if (!of_rules || sp::refusal_of(other, item.which).is_said) CHECK(sp::evidence_of(other, item.which) == item.after);
        CHECK(item.after.says != standing::supported);
        // What it costs is that of the changed plan, and against slowness it is faster.
        CHECK(item.cost_after == sp::step_cost_of(other));
        CHECK(item.cost_after.seconds > 0);
        if (seen == static_cast<int>(sp::symptom::low_utilisation) || seen == static_cast<int>(sp::symptom::slow_after_offload)) {
          CHECK(item.cost_after.tokens_per_second > item.cost.tokens_per_second);
          ++faster;
        }
      }
    }
  });
  tally all{};
  std::cout << "doctor: cause, supported, of these with a recomputed change, with an action outside the plan, with neither\n";
  for (int at = 0; at < sp::cause_count; ++at) {
    const tally& one = by_cause[at];
    if (one.supported == 0) continue;
    std::cout << "  " << sp::name_of(static_cast<cause>(at)) << ' ' << one.supported << ' ' << one.changes << ' ' << one.actions << ' '
              << one.supported - one.changes - one.actions << '\n';
    all.supported += one.supported;
    all.changes += one.changes;
    all.actions += one.actions;
  }
  std::cout << "  all " << all.supported << ' ' << all.changes << ' ' << all.actions << ' ' << all.supported - all.changes - all.actions
            << "; changes together";
  for (const int count : by_steps) std::cout << ' ' << count;
  std::cout << "; another schedule " << schedules << "; no change: of no plan " << reasons[2] << ", none found " << reasons[3]
            << ", none faster " << reasons[4] << '\n';
  // The figures of docs/how_to/diagnose_a_run.md: where they are others, write them there too.
  CHECK(plans == 912);
  CHECK(all.supported == 4159);
  CHECK(all.changes == 2868);
  CHECK(by_steps[1] == 1773);
  CHECK(by_steps[2] == 808);
  CHECK(by_steps[3] == 250);
  CHECK(by_steps[4] + by_steps[5] + by_steps[6] == 37);
  CHECK(reasons[static_cast<int>(sp::no_change::of_no_plan)] == 1252);
  CHECK(reasons[static_cast<int>(sp::no_change::nothing_found)] == 2);
  CHECK(reasons[static_cast<int>(sp::no_change::nothing_faster)] == 37);
  // Nothing is left without help.
  CHECK(all.changes + all.actions == all.supported);
  const int outside = by_cause[static_cast<int>(cause::perf_jitter)].supported + by_cause[static_cast<int>(cause::ckpt_layout)].supported;
  CHECK(100 * all.changes >= 98 * (all.supported - outside));
  CHECK(faster > 400);
  CHECK(by_steps[3] > 0);
  CHECK(by_steps[0] == 0);
  for (const auto why : {sp::no_change::of_no_plan, sp::no_change::nothing_found, sp::no_change::nothing_faster})
    CHECK(reasons[static_cast<int>(why)] > 0);
  CHECK(schedules > 0);
}

TEST_CASE("doctor: no spec is an error") {
  const auto ask = [](const sp::plan_spec& spec) {
    for (int seen = 0; seen < sp::symptom_count; ++seen) CHECK(sp::diagnosis_of(spec, static_cast<sp::symptom>(seen)).size() > 0);
  };
  ask(sp::plan_spec{});
  hostile::each_spec(plain(), ask);
}
