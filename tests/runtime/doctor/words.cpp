// SPDX-License-Identifier: BSL-1.0
// Diagnoses in words.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/report/diagnosis.hpp>

#include <string>

namespace sp = shardplan;
using doctor::plain;
using sp::cause;
using sp::standing;

TEST_CASE("doctor: in words") {
  const sp::diagnosis list = sp::diagnosis_of(plain(), sp::symptom::out_of_memory);
  const std::string text = sp::report::text_of(list);
  CHECK(text.find("1. mem_states (supported): 101.92 GiB, above 72.00 GiB and 80.00 GiB") == 0);
  CHECK(text.find("remedy: zero<1>: 101.92 GiB -> 36.02 GiB; peak 118.98 -> 53.09 GiB; step ") != std::string::npos);
  sp::plan_spec deep = plain();
  deep.pp = 4;
  deep.global_batch = 16;
  const std::string slow = sp::report::text_of(sp::diagnosis_of(deep, sp::symptom::low_utilisation));
  INFO(slow);
  CHECK(slow.find("a step takes ") == 0);
  CHECK(slow.find(" s (estimate), of which waiting in the pipeline is 26.9 % and transfers that nothing hides ") != std::string::npos);
  CHECK(slow.find("\n1. perf_bubble (supported): 27.2 %, above 10.0 % and 25.0 %\n") != std::string::npos);
  CHECK(sp::report::markdown_of(list).find("| `mem_states` | supported | 101.92 GiB, above 72.00 GiB and 80.00 GiB | zero<1>: ") !=
        std::string::npos);
}

// A device of which no rate is known: nothing is said of time, everything else is.
TEST_CASE("doctor: without a rate") {
  sp::plan_spec spec = plain();
  spec.device.bf16_flops = spec.device.matmul_flops = spec.device.sustained_flops = 0;
  spec.pp = 4;
  spec.global_batch = 16;
  const sp::diagnosis list = sp::diagnosis_of(spec, sp::symptom::low_utilisation);
  for (const sp::finding& item : list) {
    INFO(sp::name_of(item.which));
    if (item.which == cause::perf_bubble || item.which == cause::perf_latency)
      CHECK(item.now == sp::evidence{standing::not_in_plan, 0, 0, 0});
    CHECK_FALSE(item.cost.seconds > 0);
  }
  CHECK(sp::report::text_of(list).find("has no rate") != std::string::npos);
}
