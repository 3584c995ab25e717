// SPDX-License-Identifier: BSL-1.0
// What the embedding counts as was said twice: as a layer, and as two.
// EXPECT: 'shardplan::plan_rejected<shardplan::repeated_part<shardplan::part_kind::pipeline_slots> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... Slots>
using run_with = sp::plan<sp::model<sp::models::llama3_1_405b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 128>, sp::tp<8>, sp::pp<16>,
                          sp::zero<1>, sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<1024>, sp::sequence<8192>,
                          sp::pipeline_slots<Slots...>>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::embedding_slot, sp::loss_slot>;
#else
using run = run_with<sp::embedding_slot, sp::loss_slot, sp::first_stage_less<2>>;
#endif

static_assert(sp::checked<run>);
