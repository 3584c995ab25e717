// SPDX-License-Identifier: BSL-1.0
// What a person reads: the text report and the sentences, made at run time.
#include "catch.hpp"

#include <shardplan/report/text.hpp>
#include <shardplan/shardplan.hpp>

#include <sstream>
#include <string>

namespace sp = shardplan;

namespace {

template <class... More>
using run = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::micro_batch<1>,
                     sp::global_batch<64>, sp::sequence<4096>, More...>;

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("numbers are grouped and rounded to the safe side") {
  CHECK(sp::report::grouped(0) == "0");
  CHECK(sp::report::grouped(999) == "999");
  CHECK(sp::report::grouped(1000) == "1,000");
  CHECK(sp::report::grouped(-1234567) == "-1,234,567");
  CHECK(sp::report::grouped(INT64_MIN) == "-9,223,372,036,854,775,808");
  CHECK(sp::report::gib({0}) == "0.00");
  CHECK(sp::report::gib({1}) == "0.01");
  CHECK(sp::report::gib({1}, false) == "0.00");
  CHECK(sp::report::gib({std::int64_t{3} << 29}) == "1.50");
  CHECK(sp::report::gib({85'520'809'984}) == "79.65");  // an H100's 81,559 MiB are 79.647 GiB
  CHECK(sp::report::gib({85'520'809'984}, false) == "79.64");
}

TEST_CASE("the report says the plan, its stages and the verdict") {
  using good = run<sp::pp<4>, sp::ep<8>, sp::zero<1>>;
  std::ostringstream out;
  sp::report::print<good>(out);
  const std::string text = out.str();
  CHECK(text == sp::report::text_of(good::spec));
  CHECK(has(text, "46,702,792,704 parameters, 12,879,925,248 active"));
  CHECK(has(text, "8 experts of 14336, top 2"));
  CHECK(has(text, "4 x 8 NVIDIA H100"));
  CHECK(has(text, "pp 4, cp 1, dp 8, ep 8, etp 1, zero 1"));
  CHECK(has(text, "8 micro-batches a replica"));
  for (const char* row : {"weights", "gradients", "master", "optimizer", "activations", "logits", "working", "buffers", "reserve", "total"})
    CHECK(has(text, std::string{"\n"} + row));
  CHECK(has(text, "stage 0"));
  CHECK(has(text, "stage 3"));
  CHECK(has(text, sp::report::grouped(good::peak_memory.count)));
  CHECK(has(text, "the plan is valid: stage " + std::to_string(good::peak_stage) + " needs " + sp::report::gib(good::peak_memory) +
                      " of 79.64 GiB, in phase " + sp::name_of(good::peak_phase)));
  CHECK(has(text, "\npeak phase        stage 0 " + std::string{sp::name_of(good::phases[0].peak)}));
  CHECK(has(text, "\nallocator  the tensors fit: " + sp::report::gib(good::memory[good::peak_stage].allocated())));
}

TEST_CASE("the report says the layers of stages that differ") {
  sp::plan_spec spec = run<sp::pp<4>>::spec;  // 32 layers
  const auto says = [&](const char* words) { return has(sp::report::text_of(spec), words); };
  CHECK(!says("\nstages "));
  spec.layer_split.embedding_slot = 2;
  spec.layer_split.loss_slot = 2;
  CHECK(says("\nstages     7, 9, 9, 7 layers\n"));
  spec.framework = sp::frameworks::torchtitan;
  spec.layer_split = {};
  CHECK(says("\nstages     8, 9, 8, 7 layers, as torchtitan balances them\n"));
  spec.schedule = sp::schedules::interleaved<2>::spec;
  CHECK(says("\nstages     4, 5, 5 x 4, 3 layers, as torchtitan balances them\n"));
  spec.layer_split = {};
  for (const std::int64_t layers : {5, 5, 4, 4, 4, 4, 3, 3}) spec.layer_split.push_back(layers);
  CHECK(says("\nstages     5, 5, 4 x 4, 3, 3 layers\n"));
}

TEST_CASE("the report says the framework of a plan that has one") {
  sp::plan_spec spec = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::zero<1>,
                                sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>::spec;
  CHECK(sp::report::text_of(spec).find("one_f_one_b\n") != std::string::npos);
  spec.framework = sp::frameworks::deepspeed;
  CHECK(sp::report::text_of(spec).find("one_f_one_b, under deepspeed\n") != std::string::npos);
}

TEST_CASE("a plan that cannot be computed has a verdict alone") {
  using broken = run<sp::ep<3>>;
  const std::string text = sp::report::text_of(broken::spec);
  CHECK(text.rfind("verdict    ", 0) == 0);
  CHECK(has(text, "etp_x_ep_x_pp 3 does not divide device_count 32"));
  CHECK(has(text, "ep 3 does not divide expert_count 8"));
}

TEST_CASE("what is offloaded is listed apart") {
  using moved = run<sp::pp<4>, sp::ep<8>, sp::zero<1>, sp::offload<sp::states_to<sp::storage::nvme>, sp::gradients_to<sp::storage::host>>>;
  const std::string text = sp::report::text_of(moved::spec);
  CHECK(has(text, "in host memory, a rank of stage"));
  CHECK(has(text, "on NVMe, a rank of stage"));
}

TEST_CASE("the report says what is recomputed, and where") {
  sp::plan_spec spec = run<sp::pp<4>>::spec;
  const auto says = [&](const char* words) { return has(sp::report::text_of(spec), words); };
  CHECK(says("recompute none,"));
  spec.recompute = sp::recomputes::layernorm | sp::recomputes::moe_act;
  CHECK(says("recompute layernorm+moe_act,"));
  spec.recompute = sp::recomputes::full;
  spec.recompute_layers = {sp::recompute_methods::block, 4};
  CHECK(says("recompute full of the first 4 layers,"));
  spec.recompute_layers.method = sp::recompute_methods::uniform;
  CHECK(says("recompute full in groups of 4 layers,"));
  spec.recompute_layers.method = sp::recompute_methods::every;
  CHECK(says("recompute full of one layer in 4,"));
}

TEST_CASE("sentences are the same at compile time and at run time") {
  constexpr auto early = sp::sentence_of(run<sp::tp<16>, sp::zero<5>>::found);
  const sp::evaluation late = sp::evaluate(run<sp::tp<16>, sp::zero<5>>::spec);
  CHECK(std::string{early.c_str()} == sp::sentence_of(late.violations).c_str());
  CHECK(late.world_size == 0);
}
