// SPDX-License-Identifier: BSL-1.0
// A number that is no enumerator, cast to one: an error that says so, never a read beside a table.
#include "catch.hpp"
#include "training_run.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/plan/advice.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/size_match.hpp>
#include <shardplan/report/part_words.hpp>
#include <shardplan/report/text.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>

#include <cstdint>
#include <string>

namespace sp = shardplan;

namespace {

sp::plan_spec usual() { return training_run(sp::models::llama2_7b::shape, sp::devices::h100_sxm_80gb::spec, 1, 4096, 64); }

// Asks for one number below the enumerators and for some above them.
template <class Enumeration, class Ask>
void check_thrown(Ask ask) {
  for (const int number : {-1, 200, INT32_MAX, INT32_MIN}) {
    INFO(number);
    const char* reason = "";
    try {
      ask(static_cast<Enumeration>(number));
    } catch (const sp::arithmetic_error& error) {
      reason = error.reason;
    }
    CHECK(std::string{reason} == "argument_out_of_range");
  }
}
template <class Enumeration>
void check_name() {
  check_thrown<Enumeration>([](Enumeration none) { return sp::name_of(none); });
}

}  // namespace

TEST_CASE("no enumerator: names and words") {
  check_name<sp::symptom>();
  check_name<sp::cause>();
  check_name<sp::standing>();
  check_name<sp::guidance>();
  check_name<sp::rung_kind>();
  check_name<sp::objective>();
  check_name<sp::advice>();
  check_name<sp::quantity>();
  check_name<sp::part_kind>();
  check_name<sp::component>();
  check_name<sp::phase>();
  check_name<sp::link_kind>();
  check_name<sp::size_extent>();
  check_thrown<sp::symptom>([](sp::symptom none) { return sp::words_of(none); });
  check_thrown<sp::question>([](sp::question none) { return sp::words_of(none); });
  check_thrown<sp::question>([](sp::question none) { return sp::words_of(sp::guidance::megatron, none); });
  check_thrown<sp::guidance>([](sp::guidance none) { return sp::words_of(none, sp::question::one_layer); });
  check_thrown<sp::advice>([](sp::advice none) { return sp::condition_of(none); });
  check_thrown<sp::phase>([](sp::phase none) { return sp::phase_reports{}[none].total(); });
}

TEST_CASE("no enumerator: what is asked for") {
  const sp::plan_spec spec = usual();
  check_thrown<sp::guidance>([&](sp::guidance none) { return sp::practice_of(spec, none).fits; });
  check_thrown<sp::symptom>([&](sp::symptom none) { return sp::diagnosis_of(spec, none).size(); });
  check_thrown<sp::symptom>([&](sp::symptom none) { return sp::explains(sp::cause::mem_states, none); });
  check_thrown<sp::objective>([&](sp::objective none) {
    sp::search_options options;
    options.by = none;
    return sp::best_of(spec, options).found;
  });
  // Of a spec that nothing can be asked about too.
  check_thrown<sp::guidance>([&](sp::guidance none) { return sp::practice_of(sp::plan_spec{}, none).fits; });
}

TEST_CASE("no enumerator: a report says the number") {
  sp::plan_spec spec = usual();
  spec.offload.states = static_cast<sp::storage>(77);
  CHECK(sp::report::words_of(spec, sp::part_kind::offload) == "states to 77");
  CHECK(!sp::report::text_of(spec).empty());
}
