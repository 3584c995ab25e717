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
static_assert(sp::remedies_of<sharded>[0].changes == sp::remedy_pair{{remedy_kind::recompute_full, 0}, {}} &&
              sp::remedies_of<sharded>[0].forward_passes == 2 && sp::remedies_of<sharded>[0].devices == 16);
using repaired = run<sp::zero<1>, sp::recompute<sp::recomputes::full>>;
static_assert(sp::valid<repaired> && sp::remedies_of<sharded>[0].peak == repaired::peak_memory);
// A plan that fits, or breaks another rule, has none.
static_assert(sp::remedies_of<repaired>.empty() && sp::remedies_of<run<sp::tp<3>>>.empty());

// A pipeline of 8 with 8 micro-batches idles 7 of 15; (p - 1) / (m + p - 1).
template <int Batch, class... More>
using pipeline = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<8>,
                          sp::global_batch<Batch>, sp::sequence<2048>, More...>;
using idling = pipeline<16, sp::micro_batch<2>>;
static_assert(sp::idle_share_of(idling::spec).value == sp::fraction(7, 15));
static_assert(!sp::less_idle_of<idling>.empty() && sp::less_idle_of<idling>[0].idle < sp::fraction(7, 15));
template <sp::idle_change Kind>
constexpr sp::fraction best_of() {
  sp::fraction best = 1;
  for (const sp::idle_offer& offer : sp::less_idle_of<idling>)
    if (offer.change == Kind && offer.idle < best) best = offer.idle;
  return best;
}
// Half the micro-batch: 7 of 23. Four times the batch: 7 of 39. Four chunks: 7/4 of 8 + 7/4.
static_assert(best_of<sp::idle_change::smaller_micro_batch>() == sp::fraction(7, 23));
static_assert(best_of<sp::idle_change::larger_batch>() == sp::fraction(7, 39));
static_assert(best_of<sp::idle_change::schedule>() <= sp::fraction(7, 39));
// Without a pipeline nothing idles.
static_assert(sp::less_idle_of<run<sp::zero<3>, sp::recompute<sp::recomputes::full>>>.empty());

}  // namespace
