// SPDX-License-Identifier: BSL-1.0
// Diagnoses of plan types are constants. Beside the other headers that look for changes: their names do not meet.
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/message.hpp>
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/plan/advice.hpp>
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/presets/presets.hpp>
#include <shardplan/recipe/batch.hpp>

namespace sp = shardplan;

template <class... Parts>
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                     sp::micro_batch<1>, sp::global_batch<64>, Parts...>;

// 16 bytes a parameter are 107.8 GB, and 1.5 GiB stay free.
constexpr sp::diagnosis memory = sp::diagnose<run<>, sp::symptoms::out_of_memory>;
static_assert(memory[0].which == sp::cause::mem_states && memory[0].now.says == sp::standing::supported);
static_assert(memory[0].now.figure == 16 * sp::parameter_count<sp::models::llama2_7b> + (std::int64_t{1536} << 20));
static_assert(memory[0].try_this == sp::remedy{sp::remedy_kind::zero, 1});
static_assert(memory[0].peak == run<>::peak_memory && memory[0].peak_after == run<sp::zero<1>>::peak_memory);
static_assert(memory[1].which == sp::cause::mem_first_step);  // the first backward fits, the second does not
static_assert(memory[memory.size() - 1].now.says == sp::standing::excluded);

// Four stages and four micro-batches: 3 of 7 are idle, 428 per mille of the pipeline's time, beyond a quarter: grave.
using deep = sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>,
                      sp::micro_batch<1>, sp::global_batch<16>, sp::tp<4>, sp::pp<4>, sp::zero<1>>;
constexpr sp::diagnosis speed = sp::diagnose<deep, sp::symptoms::low_utilisation>;
static_assert(speed[0].which == sp::cause::perf_bubble && speed[0].now.figure == 428 && speed[0].now.limit == 100);
static_assert(speed[0].now.grave == 250 && speed[0].now.is_grave());
static_assert(speed[0].now.weight == static_cast<std::int64_t>(1000 * deep::timing.bubble / deep::timing.step));
static_assert(speed[0].cost == sp::step_cost_of(deep::spec) && speed[0].cost_after.tokens_per_second > speed[0].cost.tokens_per_second);
// 80 layers are 4 chunks of 5 on each of 4 ranks: where 1F1B's interleaved form still idles 3 of 4 x 4 + 3, that with zero bubble does a
// third.
static_assert(speed[0].try_this == sp::remedy{sp::remedy_kind::schedule, 4} && speed[0].after.figure <= 100);
static_assert(speed[0].help == sp::help_kind::change && sp::changed_by_finding(deep::spec, speed[0]).schedule == speed[0].schedule);
static_assert(speed[0].schedule == sp::schedules::interleaved_zb<4>::spec);

// An all-to-all of 64 ranks over 8 nodes takes longer than the experts compute: a token goes to fewer nodes, and the plan must fit.
using experts = sp::plan<sp::model<sp::models::deepseek_v3>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 32>, sp::sequence<4096>,
                         sp::micro_batch<1>, sp::global_batch<256>, sp::ep<64>>;
constexpr sp::diagnosis far_experts = sp::diagnose<experts, sp::symptoms::low_utilisation>;
static_assert(far_experts[0].which == sp::cause::perf_ep_node && far_experts[0].help == sp::help_kind::change);
static_assert(far_experts[0].after.figure <= 1000 && far_experts[0].peak_after <= experts::spec.device.memory);

// Garbage is collected by no plan.
constexpr sp::diagnosis jitter = sp::diagnose<experts, sp::symptoms::step_time_jitter>;
static_assert(jitter[0].which == sp::cause::perf_jitter && jitter[0].help == sp::help_kind::action);
static_assert(jitter[0].try_this.kind == sp::remedy_kind::nothing_small_helps);

// A plan that breaks a rule is asked by field; `checked_plan` is asked and not insisted on.
using odd = sp::checked_plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                             sp::micro_batch<3>, sp::global_batch<64>>;
constexpr sp::diagnosis start = sp::diagnose<odd, sp::symptoms::refused_at_start>;
static_assert(start[0].which == sp::cause::cfg_batch && start[0].now.figure == 64 % (3 * 8));
// Its batch does not divide and its states do not fit: what makes it keep all rules ends the cause too.
static_assert(start[0].help == sp::help_kind::change && start[0].after.figure == 0);
constexpr sp::plan_spec mended = [] {
  sp::plan_spec spec = run<>::spec;
  spec.micro_batch = 3;
  return sp::changed_by_finding(spec, start[0]);
}();
static_assert(sp::violations_in(mended).empty());

// What a plan does not say can be observed: 100,003 sequences are no whole number of steps of 8 replicas.
struct seen_in_run {
  static constexpr sp::observations value{.samples = 100'003};
};
constexpr sp::diagnosis unseen = sp::diagnose<run<>, sp::symptoms::hang>;
constexpr sp::diagnosis seen = sp::diagnose<run<>, sp::symptoms::hang, seen_in_run>;
static_assert(unseen[0].now.says == sp::standing::not_in_plan && unseen[0].why == sp::no_change::not_in_plan);
static_assert(seen[0].which == sp::cause::hang_uneven && seen[0].now.says == sp::standing::supported && seen[0].now.figure == 3);
static_assert(seen[0].help == sp::help_kind::action && seen[0].why == sp::no_change::of_no_plan);

// Every symptom of a large pipeline, within what compilers evaluate.
template <class Plan, class... Symptoms>
constexpr bool all_asked = ((sp::diagnose<Plan, Symptoms>.size() > 0) && ...);
template <class Plan>
constexpr bool asked =
    all_asked<Plan, sp::symptoms::out_of_memory, sp::symptoms::out_of_memory_on_end_stage, sp::symptoms::out_of_memory_later,
              sp::symptoms::out_of_memory_on_resume, sp::symptoms::host_out_of_memory, sp::symptoms::refused_at_start, sp::symptoms::hang,
              sp::symptoms::diverges_in_parallel, sp::symptoms::low_utilisation, sp::symptoms::step_time_jitter,
              sp::symptoms::slow_after_offload, sp::symptoms::checkpoint_does_not_load>;
static_assert(asked<sp::presets::llama3_405b_tp_8_pp_16> && asked<sp::presets::deepseek_v3_pp_16_ep_64>);

// What a checkpoint has in its files.
static_assert(sp::changed_axes(run<>::spec, run<>::spec).count() == 0);
static_assert(sp::changed_axes(run<>::spec, run<sp::tp<2>>::spec).tp && sp::changed_axes(run<>::spec, run<sp::tp<2>>::spec).count() == 1);
static_assert(sp::changed_axes(run<>::spec, run<sp::pp<2>>::spec).pp && sp::changed_axes(run<>::spec, run<sp::zero<1>>::spec).sharding);
static_assert(
    sp::changed_axes(run<sp::zero<1>>::spec, run<sp::zero<1>, sp::cp<2>>::spec).sharding);  // the same shards, but of other replicas

// Messages are read in constants too, where a look beyond either end would be an error.
static_assert(sp::read_allocator_message("2.00 GiB free").free.nominal == sp::bytes{std::int64_t{2} << 30});
static_assert(!sp::read_allocator_message("2.00 Gi").requested.is_known() && !sp::read_allocator_message(nullptr).requested.is_known());
static_assert(sp::read_allocator_message("1 GiB").requested.is_known() && !sp::read_allocator_message("s has 1 GiB").others.is_known());
