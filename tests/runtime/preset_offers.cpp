// SPDX-License-Identifier: BSL-1.0
// What is offered for a preset, as it is and made too large or too slow, helps and is legal.
#include "catch.hpp"

#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/presets/presets.hpp>

#include <cstdint>
#include <vector>

namespace sp = shardplan;
namespace presets = shardplan::presets;

namespace {

struct preset {
  const char* name;
  sp::plan_spec spec;
};
std::vector<preset> all_presets() {
  return {{"llama2_7b_zero_1", presets::llama2_7b_zero_1::spec},
          {"llama2_7b_zero_2", presets::llama2_7b_zero_2::spec},
          {"llama2_7b_fsdp", presets::llama2_7b_fsdp::spec},
          {"llama2_13b_fsdp", presets::llama2_13b_fsdp::spec},
          {"llama2_13b_fsdp_16", presets::llama2_13b_fsdp_16::spec},
          {"llama2_13b_tp_2", presets::llama2_13b_tp_2::spec},
          {"llama2_13b_tp_2_16", presets::llama2_13b_tp_2_16::spec},
          {"llama2_70b_tp_8_pp_2", presets::llama2_70b_tp_8_pp_2::spec},
          {"llama2_70b_tp_4_pp_4", presets::llama2_70b_tp_4_pp_4::spec},
          {"gpt3_175b_tp_8_pp_8", presets::gpt3_175b_tp_8_pp_8::spec},
          {"gpt3_175b_tp_8_pp_8_recompute", presets::gpt3_175b_tp_8_pp_8_recompute::spec},
          {"llama3_405b_tp_8_pp_16", presets::llama3_405b_tp_8_pp_16::spec},
          {"llama3_405b_long", presets::llama3_405b_long::spec},
          {"llama3_405b_one_replica", presets::llama3_405b_one_replica::spec},
          {"mixtral_8x7b_ep_8", presets::mixtral_8x7b_ep_8::spec},
          {"deepseek_v3_pp_16_ep_64", presets::deepseek_v3_pp_16_ep_64::spec}};
}

// The plan, and what may happen to it.
std::vector<preset> variants_of(const preset& given) {
  std::vector<preset> all{given};
  const auto vary = [&](const char* how, auto change) {
    preset changed = given;
    changed.name = how;
    change(changed.spec);
    all.push_back(changed);
  };
  vary("device of half the memory", [](sp::plan_spec& spec) { spec.device.memory = sp::bytes{spec.device.memory.count / 2}; });
  vary("device of a tenth of the memory", [](sp::plan_spec& spec) { spec.device.memory = sp::bytes{spec.device.memory.count / 10}; });
  vary("micro-batch of 4", [](sp::plan_spec& spec) { spec.micro_batch = 4; });
  vary("twice the tokens", [](sp::plan_spec& spec) { spec.sequence *= 2; });
  vary("no sharding", [](sp::plan_spec& spec) {
    spec.zero = 0;
    spec.sharding = {};
  });
  vary("fp32", [](sp::plan_spec& spec) { spec.precision = sp::precisions::fp32::spec; });
  vary("8 micro-batches", [](sp::plan_spec& spec) { spec.global_batch = 8 * spec.micro_batch * sp::figures_of(spec).data_parallel; });
  vary("hosts of 64 GiB with the states", [](sp::plan_spec& spec) {
    spec.offload.states = sp::storage::host;
    spec.host_memory_gibibytes = 64;
  });
  return all;
}

}  // namespace

TEST_CASE("presets: every remedy that is offered makes the plan valid, with the figures that it says") {
  int offered = 0;
  int too_large = 0;
  for (const preset& given : all_presets())
    for (const preset& asked : variants_of(given)) {
      INFO(given.name << ", " << asked.name);
      const sp::evaluation before = sp::evaluate(asked.spec, sp::remedy_search::off);
      const sp::remedy_offers offers = sp::remedies_in(asked.spec);
      too_large += before.world_size != 0 && before.peak_memory > asked.spec.device.memory;
      if (before.violations.empty()) CHECK(offers.empty());
      for (const sp::remedy_offer& offer : offers) {
        ++offered;
        INFO("kind " << static_cast<int>(offer.changes.first.kind) << " value " << offer.changes.first.value << ", kind "
                     << static_cast<int>(offer.changes.second.kind));
        const sp::evaluation after = sp::evaluate(sp::changed_by_set(asked.spec, offer.changes), sp::remedy_search::off);
        CHECK(after.violations.empty());
        CHECK(after.peak_memory == offer.peak);
        CHECK(after.peak_memory <= asked.spec.device.memory);
        CHECK(after.world_size == offer.devices);
        CHECK(after.micro_batches == offer.micro_batches);
        CHECK(offer.cost.seconds > 0);
      }
    }
  CHECK(too_large > 40);
  CHECK(offered > 150);
}

TEST_CASE("presets: every offer against idling is legal, waits less and is faster") {
  int offered = 0;
  int asked_for = 0;
  for (const preset& given : all_presets())
    for (const preset& asked : variants_of(given)) {
      INFO(given.name << ", " << asked.name);
      const sp::evaluation before = sp::evaluate(asked.spec, sp::remedy_search::off);
      const sp::idle_offers offers = sp::less_idle(asked.spec);
      if (!before.violations.empty()) {
        CHECK(offers.empty());
        continue;
      }
      ++asked_for;
      const double tokens = sp::step_timing(asked.spec).tokens_per_second;
      double last = 0;
      for (std::size_t at = 0; at < offers.size(); ++at) {
        const sp::idle_offer& offer = offers[at];
        ++offered;
        INFO("kind " << static_cast<int>(offer.change.kind) << " value " << offer.change.value);
        const sp::plan_spec with = sp::changed_by_offer(asked.spec, offer);
        const sp::evaluation after = sp::evaluate(with, sp::remedy_search::off);
        CHECK(after.violations.empty());
        CHECK(after.peak_memory == offer.peak);
        const sp::timing_report timing = sp::step_timing(with);
        CHECK(timing.tokens_per_second > tokens);
        CHECK(timing.tokens_per_second == offer.cost.tokens_per_second);
        if (at > 0) CHECK(timing.tokens_per_second <= last);
        last = timing.tokens_per_second;
        if (offer.change.kind < sp::remedy_kind::hidden_tp) CHECK(offer.idle < offer.idle_before);
      }
    }
  CHECK(asked_for > 40);
  CHECK(offered > 200);
}

TEST_CASE("presets: types and values are offered the same") {
  const auto check = [](const sp::idle_offers& of_type, const sp::plan_spec& spec) {
    const sp::idle_offers of_value = sp::less_idle(spec);
    REQUIRE(of_type.size() == of_value.size());
    for (std::size_t at = 0; at < of_type.size(); ++at) {
      CHECK(of_type[at].change == of_value[at].change);
      CHECK(of_type[at].schedule == of_value[at].schedule);
      CHECK(of_type[at].peak == of_value[at].peak);
    }
  };
  check(sp::less_idle_of<presets::llama2_7b_fsdp>, presets::llama2_7b_fsdp::spec);
  check(sp::less_idle_of<presets::llama3_405b_tp_8_pp_16>, presets::llama3_405b_tp_8_pp_16::spec);
  check(sp::less_idle_of<presets::deepseek_v3_pp_16_ep_64>, presets::deepseek_v3_pp_16_ep_64::spec);
  CHECK(sp::remedies_of<presets::llama2_70b_tp_8_pp_2>.empty());
  using crowded = presets::of<sp::models::llama2_70b, sp::devices::a100_sxm_40gb, 8, 4096, 256, sp::tp<4>, sp::pp<4>, sp::zero<1>>;
  const sp::remedy_offers of_value = sp::remedies_in(crowded::spec);
  REQUIRE(sp::remedies_of<crowded>.size() == of_value.size());
  for (std::size_t at = 0; at < of_value.size(); ++at) CHECK(sp::remedies_of<crowded>[at].changes == of_value[at].changes);
}
