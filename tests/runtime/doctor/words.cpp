// SPDX-License-Identifier: BSL-1.0
// Diagnoses in words.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/report/diagnosis.hpp>

#include <cstdint>
#include <string>

namespace sp = shardplan;
using doctor::plain;
using sp::cause;
using sp::standing;

TEST_CASE("doctor: in words") {
  const sp::diagnosis list = sp::diagnosis_of(plain(), sp::symptom::out_of_memory);
  const std::string text = sp::report::text_of(list);
  CHECK(text.find(
            "the plan needs 118.98 of 80.00 GiB on stage 0\n1. mem_states (supported): 101.92 GiB, above 72.00 GiB and 80.00 GiB\n") == 0);
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

TEST_CASE("doctor: memory symptoms say first what the plan needs") {
  const auto said = [](const sp::plan_spec& spec, sp::symptom seen) {
    const std::string text = sp::report::text_of(sp::diagnosis_of(spec, seen));
    return text.substr(0, text.find('\n'));
  };
  // It fits, and nothing in it is near a limit.
  sp::plan_spec spec = plain();
  spec.zero = 3;
  CHECK(said(spec, sp::symptom::out_of_memory) ==
        "the plan needs 33.19 of 80.00 GiB on stage 0: it fits, so the run was not of this plan, or memory is held elsewhere");
  // It fits, and a cause is supported.
  spec = plain();
  doctor::fill_up(spec);
  CHECK(said(spec, sp::symptom::out_of_memory).find(" GiB on stage 0: it fits, so the run held more: see what is supported") !=
        std::string::npos);
  // The fullest stage is the last one.
  spec = plain();
  spec.pp = 4;
  spec.model.vocab = 256000;
  spec.loss = sp::losses::torch_eager_float::spec;
  CHECK(said(spec, sp::symptom::out_of_memory_on_end_stage).find(" of 80.00 GiB on stage 3") != std::string::npos);
  for (const sp::symptom seen : {sp::symptom::out_of_memory_later, sp::symptom::out_of_memory_on_resume})
    CHECK(said(plain(), seen) == "the plan needs 118.98 of 80.00 GiB on stage 0");
  // The host is another memory.
  CHECK(said(plain(), sp::symptom::host_out_of_memory).find("the plan needs") == std::string::npos);
}

TEST_CASE("doctor: a plan that cannot be computed says why") {
  sp::plan_spec spec = plain();
  spec.micro_batch = sp::unset;
  for (const sp::symptom seen : {sp::symptom::out_of_memory, sp::symptom::host_out_of_memory, sp::symptom::low_utilisation}) {
    const std::string text = sp::report::text_of(sp::diagnosis_of(spec, seen));
    INFO(text);
    CHECK(text.find("the plan cannot be computed: the plan lacks the part micro_batch\n") == 0);
  }
  CHECK(sp::report::text_of(sp::diagnosis_of(sp::plan_spec{}, sp::symptom::out_of_memory))
            .find("the plan cannot be computed: the plan lacks the part model, and 4 broken rules more\n") == 0);
  spec = plain();
  spec.tp = 3;
  CHECK(sp::report::text_of(sp::diagnosis_of(spec, sp::symptom::out_of_memory))
            .find("the plan cannot be computed: tp 3 does not divide device_count 8, and 5 broken rules more\n") == 0);
}

TEST_CASE("doctor: late gradients in words") {
  sp::plan_spec spec = plain();
  spec.model = sp::models::mixtral_8x7b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.nodes = 8;
  spec.sharding.layout = sp::shard_layout::tensors;
  spec.global_batch = 256;
  spec.communication.late_sync = true;
  const std::string text = sp::report::text_of(sp::diagnosis_of(spec, sp::symptom::out_of_memory));
  INFO(text);
  CHECK(text.find("remedy: communication<late_sync<false>>: 85.") != std::string::npos);
  CHECK(text.find("-> not in the plan; peak ") != std::string::npos);
}

// Mixtral on 64 H100 with half of each free: its five groups find room.
TEST_CASE("doctor: communicators count where they find no room") {
  sp::plan_spec spec = plain();
  spec.model = sp::models::mixtral_8x7b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.nodes = 8;
  spec.tp = 2;
  spec.pp = 2;
  spec.ep = 8;
  spec.zero = 1;
  spec.global_batch = 512;
  const sp::bytes peak = sp::figures_of(spec).peak_memory;
  const sp::evidence roomy = sp::evidence_of(spec, cause::mem_comms);
  CHECK(roomy.says == standing::excluded);
  CHECK(roomy.limit == spec.device.memory.count - peak.count + (spec.headroom_mebibytes << 20));
  // A device that holds just the plan; what makes room changes the limit, not what is needed.
  spec.device.memory = peak;
  const sp::diagnosis list = sp::diagnosis_of(spec, sp::symptom::out_of_memory);
  const std::string text = sp::report::text_of(list);
  INFO(text);
  CHECK(text.find("mem_comms (supported): 2.25 GiB, above 1.50 GiB and 2.00 GiB\n") != std::string::npos);
  CHECK(text.find("moe_act>: 2.25 GiB (limit 1.50 GiB -> ") != std::string::npos);
}

TEST_CASE("doctor: every figure has its unit") {
  sp::plan_spec spec = plain();
  spec.nodes = 8;
  spec.global_batch = 512;
  const std::string text = sp::report::text_of(sp::diagnosis_of(spec, sp::symptom::low_utilisation));
  INFO(text);
  CHECK(text.find("perf_jitter (supported): 64 ranks, above 63\n") != std::string::npos);
  CHECK(text.find("perf_fabric_cfg (not in the plan): 180.0 GB/s\n") != std::string::npos);
  CHECK(text.find("perf_slow_gpu (not in the plan): 64 devices\n") != std::string::npos);
  const auto tokens = static_cast<std::int64_t>(sp::step_timing(spec).tokens_per_second);
  CHECK(text.find("perf_data (not in the plan): " + sp::report::grouped(tokens) + " tokens/s\n") != std::string::npos);
  // A count says what it counts, of one and of several.
  for (int at = 0; at < sp::cause_count; ++at) {
    const sp::cause_entry& entry = sp::entry_of(static_cast<cause>(at));
    INFO(entry.name.c_str());
    const bool names = entry.one != sp::literal{} && entry.many != sp::literal{};
    CHECK(names == (entry.unit == sp::figure_unit::count));
  }
  spec.framework = sp::frameworks::deepspeed;
  spec.pp = 2;
  spec.zero = 2;
  CHECK(sp::report::text_of(sp::diagnosis_of(spec, sp::symptom::refused_at_start))
            .find("1. cfg_zero_pp (supported): ZeRO-2, above ZeRO-1\n") == 0);
}

TEST_CASE("doctor: what has no room is not said to be above nothing") {
  sp::plan_spec spec = plain();
  spec.model = sp::models::llama2_70b::shape;
  const std::string text = sp::report::text_of(sp::diagnosis_of(spec, sp::symptom::out_of_memory));
  INFO(text);
  CHECK(text.find("mem_activations (supported): 84.34 GiB, and nothing is free\n") != std::string::npos);
  CHECK(text.find("above 0.00") == std::string::npos);
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
