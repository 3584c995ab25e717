// SPDX-License-Identifier: BSL-1.0
// A diagnosis of a plan type and that of its spec are the same.
#include "../catch.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

namespace {

template <class Plan, class Symptom>
void check_twin() {
  const sp::diagnosis& constant = sp::diagnose<Plan, Symptom>;
  const sp::diagnosis list = sp::diagnosis_of(Plan::spec, Symptom::value);
  REQUIRE(constant.size() == list.size());
  for (std::size_t at = 0; at < list.size(); ++at) {
    INFO(sp::name_of(Symptom::value) << ' ' << sp::name_of(list[at].which) << ' ' << sp::sentence_of(list[at].try_this).c_str());
    CHECK(constant[at].which == list[at].which);
    CHECK(constant[at].now == list[at].now);
    CHECK(constant[at].refused.count == list[at].refused.count);
    CHECK(constant[at].refused.first == list[at].refused.first);
    CHECK(constant[at].after == list[at].after);
    CHECK(constant[at].try_this == list[at].try_this);
    CHECK(constant[at].and_this == list[at].and_this);
    CHECK(constant[at].further == list[at].further);
    CHECK(constant[at].more == list[at].more);
    CHECK(constant[at].why == list[at].why);
    CHECK(constant[at].help == list[at].help);
    CHECK(constant[at].schedule == list[at].schedule);
    CHECK(constant[at].peak_after == list[at].peak_after);
    CHECK(constant[at].cost == list[at].cost);
    CHECK(constant[at].cost_after == list[at].cost_after);
  }
}
template <class Plan>
void check_twins() {
  check_twin<Plan, sp::symptoms::out_of_memory>();
  check_twin<Plan, sp::symptoms::out_of_memory_on_end_stage>();
  check_twin<Plan, sp::symptoms::out_of_memory_later>();
  check_twin<Plan, sp::symptoms::out_of_memory_on_resume>();
  check_twin<Plan, sp::symptoms::host_out_of_memory>();
  check_twin<Plan, sp::symptoms::refused_at_start>();
  check_twin<Plan, sp::symptoms::hang>();
  check_twin<Plan, sp::symptoms::diverges_in_parallel>();
  check_twin<Plan, sp::symptoms::low_utilisation>();
  check_twin<Plan, sp::symptoms::step_time_jitter>();
  check_twin<Plan, sp::symptoms::slow_after_offload>();
  check_twin<Plan, sp::symptoms::checkpoint_does_not_load>();
}

// ZeRO-Infinity has no gradients on NVMe.
using unsupported = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                             sp::micro_batch<1>, sp::global_batch<64>, sp::tp<8>, sp::zero<3>,
                             sp::offload<sp::states_to<sp::storage::nvme>, sp::gradients_to<sp::storage::nvme>>>;

}  // namespace

TEST_CASE("doctor: a constant diagnosis is the one of run time") {
  check_twins<sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<8>, sp::global_batch<64>>>();
  check_twins<sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>,
                       sp::micro_batch<2>, sp::global_batch<128>, sp::fsdp<>, sp::pp<2>>>();
  check_twins<
      sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>, sp::micro_batch<1>,
               sp::global_batch<32>, sp::tp<16>, sp::pp<4>, sp::zero<2>, sp::offload<sp::states_to<sp::storage::host>>>>();
  check_twins<sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<3>, sp::global_batch<64>>>();
  // Two changes, three, another schedule, a number that is not legal.
  check_twins<sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<4>, sp::global_batch<64>, sp::pp<4>>>();
  check_twins<sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<16>, sp::tp<4>, sp::pp<4>, sp::zero<1>>>();
  check_twins<sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<64>, sp::tp<3>>>();
  check_twins<sp::plan<sp::model<sp::models::deepseek_v3>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 32>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<256>, sp::ep<64>>>();
  // Repairs of several rounds, also of what is too large for its host; pairs in a repaired plan; nothing that is faster; fewer than a
  // hundredth of a step.
  check_twins<sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<4>, sp::global_batch<512>, sp::tp<3>, sp::pp<4>, sp::recompute<sp::recomputes::full>,
                       sp::offload<sp::states_to<sp::storage::host>>, sp::host_memory<512>>>();
  check_twins<sp::plan<sp::model<sp::models::deepseek_v3>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 32>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<2048>, sp::tp<4>, sp::ep<64>, sp::zero<1>>>();
  check_twins<sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<64>, sp::tp<8>, sp::pp<4>, sp::zero<2>>>();
  // What is not supported beside a cause.
  check_twins<unsupported>();
}

TEST_CASE("doctor: what is not supported is put right by the change that the error line names") {
  const sp::remedy named = sp::violations_in(unsupported::spec)[0].legal[0];
  REQUIRE(named.kind == sp::remedy_kind::gradients_to_host);
  int repaired = 0;
  for (const sp::finding& item : sp::diagnosis_of(unsupported::spec, sp::symptom::low_utilisation)) {
    if (item.which != sp::cause::perf_tile) continue;
    CHECK(item.try_this == named);
    CHECK(item.and_this == sp::remedy{sp::remedy_kind::tp, 2});
    ++repaired;
  }
  CHECK(repaired == 1);
}
