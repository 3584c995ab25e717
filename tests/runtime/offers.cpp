// SPDX-License-Identifier: BSL-1.0
// Remedies and offers against idling in words.
#include "catch.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/report/offers.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/zb_v.hpp>

#include <string>

namespace sp = shardplan;

namespace {
sp::plan_spec deep() {
  sp::plan_spec spec{};
  spec.model = sp::models::llama3_70b::shape;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = spec.nodes = spec.tp = spec.pp = 8;
  spec.sequence = 8192;
  spec.micro_batch = 4;
  spec.global_batch = 256;
  spec.zero = 1;
  return spec;
}
}  // namespace

TEST_CASE("remedies in words") {
  const std::string text = sp::report::text_of(sp::remedies_in(deep()));
  INFO(text);
  CHECK(text.find("   recompute<recomputes::full>: peak 27.15 GiB; network 2888.05 -> 4008.05 GiB a rank, step ") != std::string::npos);
  CHECK(text.find("   128 nodes: peak ") != std::string::npos);
  CHECK(text.find("PCIe") == std::string::npos);
  sp::plan_spec tiny = deep();
  tiny.device.memory.count = 1;
  CHECK(sp::report::text_of(sp::remedies_in(tiny)) == "   no change that is tried makes it fit\n");
  // States on the host go over PCIe.
  sp::plan_spec alone = deep();
  alone.model = sp::models::llama3_8b::shape;
  alone.devices_per_node = alone.nodes = alone.tp = alone.pp = 1;
  alone.micro_batch = alone.global_batch = 1;
  alone.sequence = 1024;
  alone.recompute = sp::recomputes::full;
  alone.optimizer = sp::optimizers::adamw_8bit::spec;
  alone.device.memory = sp::figures_of(sp::changed(alone, {sp::remedy_kind::offload_states_to_host, 0})).peak_memory;
  CHECK(sp::report::text_of(sp::remedies_in(alone)).find("offload<states_to<storage::host>>: peak ") != std::string::npos);
  CHECK(sp::report::text_of(sp::remedies_in(alone)).find(", PCIe 0.00 -> ") != std::string::npos);
}

// Why there is no offer is said as it is: nothing is wrong with the memory, memory is not asked yet, or another rule comes first.
TEST_CASE("no remedies, and why") {
  const auto words = [](const sp::plan_spec& spec) { return sp::report::text_of(sp::remedies_in(spec)); };
  sp::plan_spec valid = deep();
  valid.recompute = sp::recomputes::full;
  CHECK(words(valid) == "   nothing lacks memory\n");
  sp::plan_spec refused = valid;
  refused.framework = sp::frameworks::deepspeed;
  refused.zero = 2;  // with pp 8
  CHECK((sp::evaluate(refused).violations.size() == 1 && words(refused) == "   nothing lacks memory\n"));
  sp::plan_spec odd = deep();
  odd.tp = 3;
  CHECK(words(odd) == "   memory is asked once the other rules are kept\n");
  sp::plan_spec impossible = deep();
  impossible.model = sp::models::mixtral_8x7b::shape;
  impossible.model.experts.top_k = 9;
  impossible.tp = impossible.pp = 1;
  CHECK(words(impossible) == "   what makes it fit is looked for once the other rules are kept\n");
  const std::string line = sp::sentence_of(sp::violations_in(impossible)).c_str();
  CHECK(line.find("what makes it fit is looked for once the other rules are kept") != std::string::npos);
  CHECK(line.find("no change that is tried") == std::string::npos);
  // Beside a rule that can be kept, with what keeps it.
  sp::plan_spec both = deep();
  both.framework = sp::frameworks::deepspeed;
  both.zero = 2;
  INFO(words(both));
  CHECK(words(both).find(
            "   each with zero<1>, which other rules ask for\n   recompute<recomputes::layernorm, recomputes::mlp_act>: peak ") == 0);
}

// What was not looked for is not said to be missing.
TEST_CASE("a report without a search names no change and does not say that none helps") {
  const sp::plan_spec lacks = deep();
  const sp::violation_list searched = sp::evaluate(lacks).violations;
  const sp::violation_list bare = sp::evaluate(lacks, sp::remedy_search::off).violations;
  REQUIRE((bare.size() == 1 && bare[0].broken == sp::rule::does_not_fit));
  CHECK((searched[0].searched && !bare[0].searched));
  const std::string with = sp::sentence_of(searched).c_str();
  const std::string without = sp::sentence_of(bare).c_str();
  INFO(without);
  CHECK(with.find("; try recompute<") != std::string::npos);
  CHECK(without + with.substr(with.find("; try ")) == with);
  sp::plan_spec tiny = lacks;
  tiny.device.memory.count = 1;
  CHECK(std::string{sp::sentence_of(sp::violations_in(tiny)).c_str()}.find("; no change that is tried helps") != std::string::npos);
  sp::plan_spec host = lacks;
  host.recompute = sp::recomputes::full;
  host.offload.states = sp::storage::host;
  host.host_memory_gibibytes = 1;
  const std::string of_host = sp::sentence_of(sp::evaluate(host, sp::remedy_search::off).violations).c_str();
  CHECK(of_host.find("a host needs ") == 0);
  CHECK(of_host.substr(of_host.size() - 16) == " and has 1.0 GiB");
}

// DeepSpeed's pipeline takes ZeRO-1 in the place of FSDP as well.
TEST_CASE("FSDP in DeepSpeed's pipeline has a change") {
  sp::plan_spec spec = deep();
  spec.recompute = sp::recomputes::full;
  spec.framework = sp::frameworks::deepspeed;
  spec.zero = 0;
  spec.sharding.layout = sp::shard_layout::tensors;
  const sp::violation_list list = sp::violations_in(spec);
  INFO(sp::sentence_of(list).c_str());
  REQUIRE((list.size() == 1 && list[0].unsupported == sp::feature::sharded_gradients_in_pipeline));
  CHECK(list[0].legal[0] == sp::remedy{sp::remedy_kind::zero, 1});
  CHECK(sp::violations_in(sp::changed(spec, list[0].legal[0])).empty());
}

TEST_CASE("offers against idling in words") {
  sp::plan_spec spec = deep();
  spec.micro_batch = 1;
  const std::string text = sp::report::text_of(sp::less_idle(spec));
  INFO(text);
  CHECK(text.find("   schedule zb_v, 2 chunks a rank: idle 2.6 % -> 0.4 %; peak ") != std::string::npos);
  CHECK(text.find("   overlap<hidden_tp<100>>: idle 2.6 %; peak ") != std::string::npos);
  CHECK(text.find("   global_batch<512>: idle 2.6 % -> 1.3 %; peak ") != std::string::npos);
  CHECK(text.find("   more micro-batches: memory does not end them (1,048,576 were looked at)\n") != std::string::npos);
  spec.schedule = sp::schedules::gpipe::spec;
  spec.recompute = sp::recomputes::full;
  spec.global_batch = 64;
  const std::string ends = sp::report::text_of(sp::less_idle(spec));
  INFO(ends);
  const std::string most = std::to_string(sp::room_for_micro_batches(spec).most);
  CHECK((most.size() == 3 && ends.find("   more micro-batches: memory ends them at " + most + "\n") != std::string::npos));
  CHECK(ends.find("   global_batch<" + most + ">: idle ") != std::string::npos);
}

TEST_CASE("no offers against idling, and why") {
  const auto words = [](const sp::plan_spec& spec) { return sp::report::text_of(sp::less_idle(spec)); };
  const std::string rules = "   nothing was looked for: rules are broken, and what the error line and `remedies_of` name comes first\n";
  CHECK(words(deep()) == rules);  // lacks memory
  sp::plan_spec odd = deep();
  odd.tp = 3;
  CHECK(words(odd) == rules);
  sp::plan_spec alone = deep();
  alone.model = sp::models::gpt2::shape;
  alone.tp = alone.pp = 1;
  alone.sequence = 1024;
  REQUIRE(sp::violations_in(alone).empty());
  alone.overlap.dp = 100;
  CHECK(words(alone) == "   nothing to offer: without a pipeline nothing idles, and no communication is left to hide\n");
  alone.overlap.dp = 0;
  alone.nodes = alone.devices_per_node = 1;  // nothing is sent that could be hidden
  alone.global_batch = 4;
  CHECK(sp::less_idle(alone).why == sp::no_idle_offer::nothing_helps);
  CHECK(words(alone) == "   nothing to offer: no change that is tried makes it wait less and keep all rules\n");
  sp::plan_spec idling = deep();
  idling.micro_batch = 1;
  CHECK(sp::less_idle(idling).why == sp::no_idle_offer::none);
}

TEST_CASE("three remedies in words") {
  sp::plan_spec spec = deep();
  spec.model = sp::models::llama3_1_405b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.nodes = 16;
  spec.tp = spec.pp = spec.micro_batch = 1;
  spec.global_batch = 1024;
  spec.zero = 0;
  const std::string text = sp::report::text_of(sp::remedies_in(spec));
  INFO(text);
  CHECK(text.find("   recompute<recomputes::full> and zero<3> and tp<4>: peak ") == 0);
  const std::string sentence = sp::sentence_of(sp::violations_in(spec)[0]).c_str();
  CHECK(sentence.find("; try recompute<recomputes::full> and zero<3> and tp<4>") != std::string::npos);
  // A split and slots.
  CHECK(std::string{sp::sentence_of(sp::remedy{sp::remedy_kind::pp_split, 8}).c_str()} ==
        "pp<8> with a layer_split<> of counts that differ by one at most");
  CHECK(std::string{sp::sentence_of(sp::remedy{sp::remedy_kind::pp_slots, 4}).c_str()} ==
        "pp<4> with pipeline_slots<embedding_slot, loss_slot>");
}
