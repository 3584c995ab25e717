// SPDX-License-Identifier: BSL-1.0
// Remedies as constants: for a plan that does not fit, and for one that idles.
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
using sp::remedy;
using sp::remedy_kind;

namespace {

template <class... More>
using run = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 2>, sp::micro_batch<4>,
                     sp::global_batch<256>, sp::sequence<8192>, More...>;

// The type's constant is the function's value, for one and for two changes.
using bare = run<>;
static_assert(!sp::valid<bare> && sp::remedies_of<bare> == sp::remedies_in(bare::spec));
static_assert(!sp::remedies_of<bare>.empty() && bare::found[0].try_this == sp::remedies_of<bare>[0].changes.first &&
              bare::found[0].and_this == sp::remedies_of<bare>[0].changes.second);
using sharded = run<sp::zero<1>>;
static_assert(!sp::valid<sharded> && sp::remedies_of<sharded> == sp::remedies_in(sharded::spec));
// Each kind once, recomputation at once, more nodes last where they help at all.
static_assert(sp::remedies_of<sharded>[0].changes == sp::remedy_set{{remedy_kind::recompute_full, 0}, {}} &&
              sp::remedies_of<sharded>[0].forward_passes == 2 && sp::remedies_of<sharded>[0].devices == 16);
using repaired = run<sp::zero<1>, sp::recompute<sp::recomputes::full>>;
static_assert(sp::valid<repaired> && sp::remedies_of<sharded>[0].peak == repaired::peak_memory);
// A plan that fits, or breaks another rule, has none.
static_assert(sp::remedies_of<repaired>.empty() && sp::remedies_of<run<sp::tp<3>>>.empty());

// A host that is too small is asked about as well.
template <sp::storage Where>
using heavy = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<3>, sp::host_memory<512>,
                       sp::offload<sp::states_to<Where>>, sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<64>,
                       sp::sequence<4096>>;
using full_host = heavy<sp::storage::host>;
static_assert(sp::fits<full_host> && !sp::valid<full_host> && sp::remedies_of<full_host> == sp::remedies_in(full_host::spec));
constexpr bool names(const sp::remedy_offers& list, remedy_kind kind) {
  for (const sp::remedy_offer& offer : list)
    if (offer.changes.first.kind == kind) return true;
  return false;
}
static_assert(names(sp::remedies_of<full_host>, remedy_kind::states_to_nvme) && sp::valid<heavy<sp::storage::nvme>>);

// A pipeline of 8 with 8 micro-batches idles 7 of 15; (p - 1) / (m + p - 1).
template <int Batch, class... More>
using pipeline = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<8>,
                          sp::global_batch<Batch>, sp::sequence<2048>, More...>;
using idling = pipeline<16, sp::micro_batch<2>>;
static_assert(sp::idle_share_of(idling::spec).value == sp::fraction(7, 15));
static_assert(!sp::less_idle_of<idling>.empty() && sp::less_idle_of<idling>[0].idle < sp::fraction(7, 15));
template <sp::remedy_kind Kind>
constexpr sp::fraction best_of() {
  sp::fraction best = 1;
  for (const sp::idle_offer& offer : sp::less_idle_of<idling>)
    if (offer.change.kind == Kind && offer.idle < best) best = offer.idle;
  return best;
}
// Half the micro-batch: 7 of 23. Four times the batch: 7 of 39. Four chunks: 7/4 of 8 + 7/4.
static_assert(best_of<remedy_kind::micro_batch>() == sp::fraction(7, 23));
static_assert(best_of<remedy_kind::global_batch>() == sp::fraction(7, 39));
static_assert(best_of<remedy_kind::schedule>() <= sp::fraction(7, 39));
// The fastest first, each faster than the plan as it is; the bubble is part of the step.
static_assert(sp::less_idle_of<idling>[0].cost.tokens_per_second >= sp::less_idle_of<idling>[1].cost.tokens_per_second &&
              sp::less_idle_of<idling>[0].cost.tokens_per_second > sp::less_idle_of<idling>[0].cost_before.tokens_per_second &&
              sp::less_idle_of<idling>[0].cost_before == sp::step_cost_of(idling::spec) &&
              sp::less_idle_of<idling>[0].cost.bubble < idling::timing.bubble);
// Without a pipeline nothing idles, and gradients hide already.
static_assert(sp::less_idle_of<run<sp::zero<3>, sp::recompute<sp::recomputes::full>>>.empty());
static_assert(sp::less_idle_of<run<sp::zero<3>, sp::recompute<sp::recomputes::full>>>.why == sp::no_idle_offer::nothing_to_hide &&
              sp::less_idle_of<idling>.why == sp::no_idle_offer::none &&
              sp::less_idle_of<full_host>.why == sp::no_idle_offer::rules_broken);
// Tensor parallel transfers that are seen can hide.
using seen = run<sp::tp<8>, sp::zero<1>, sp::recompute<sp::recomputes::full>>;
static_assert(sp::less_idle_of<seen>.size() == 1 && sp::less_idle_of<seen>[0].change == remedy{remedy_kind::hidden_tp, 100} &&
              sp::less_idle_of<seen>[0].cost.seconds < seen::timing.step && sp::less_idle_of<seen>[0].peak == seen::peak_memory);

// A schedule of one's own with a formula is asked like ours; without one nothing is known of it.
constexpr sp::closed_form third_idle(std::int64_t, std::int64_t micro_batches, const sp::stage_times& times) {
  return sp::detail::whole_pass(times) * sp::fraction{micro_batches, 2};
}
constexpr std::int64_t all_alive(std::int64_t, std::int64_t micro_batches, std::int64_t, std::int64_t) { return micro_batches; }
struct own {
  static constexpr sp::schedule_spec spec{.name = "own", .in_flight = &all_alive, .bubble = {&third_idle}};
};
struct silent {
  static constexpr sp::schedule_spec spec{.name = "silent", .in_flight = &all_alive};
};
static_assert(sp::idle_share_of(pipeline<16, sp::micro_batch<2>, sp::schedule<own>>::spec).value == sp::fraction(1, 3));
static_assert(!sp::idle_share_of(pipeline<16, sp::micro_batch<2>, sp::schedule<silent>>::spec).known);

// More micro-batches: GPipe's memory grows with each and ends them, 1F1B's does not.
template <class Schedule>
constexpr sp::micro_batch_room room = sp::room_for_micro_batches_of<pipeline<16, sp::micro_batch<2>, sp::schedule<Schedule>>>;
static_assert(!room<sp::schedules::one_f_one_b>.ends && room<sp::schedules::one_f_one_b>.most == 1 << 20);
static_assert(room<sp::schedules::gpipe>.ends && room<sp::schedules::gpipe>.most >= 8 && room<sp::schedules::gpipe>.most < 1000);
using last = pipeline<static_cast<int>(2 * room<sp::schedules::gpipe>.most), sp::micro_batch<2>, sp::schedule<sp::schedules::gpipe>>;
using beyond = pipeline<static_cast<int>(2 * room<sp::schedules::gpipe>.most) + 2, sp::micro_batch<2>, sp::schedule<sp::schedules::gpipe>>;
static_assert(sp::fits<last> && !sp::fits<beyond>);

// What a remedy costs: ZeRO-3 gathers more than ZeRO-1, and offload goes over PCIe.
static_assert(sp::remedies_of<sharded>[0].cost_before == sp::step_cost_of(sharded::spec) &&
              sp::remedies_of<sharded>[0].cost == sp::step_cost_of(repaired::spec) &&
              sp::remedies_of<sharded>[0].cost.seconds > sp::remedies_of<sharded>[0].cost_before.seconds &&
              sp::remedies_of<sharded>[0].cost.network == sp::remedies_of<sharded>[0].cost_before.network);
static_assert(sp::step_cost_of(repaired::spec).network == repaired::traffic[0].sent() &&
              !(sp::step_cost_of(repaired::spec).seconds < repaired::timing.step));
static_assert(sp::step_cost_of(run<sp::zero<3>>::spec).network > sp::step_cost_of(run<sp::zero<1>>::spec).network);
static_assert(sp::step_cost_of(run<sp::zero<1>, sp::offload<sp::states_to<sp::storage::host>>>::spec).host.count > 0 &&
              sp::step_cost_of(run<sp::zero<1>>::spec).host.count == 0);

}  // namespace
