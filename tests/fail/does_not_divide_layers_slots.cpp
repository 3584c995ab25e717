// SPDX-License-Identifier: BSL-1.0
// Llama 3 405B on 16 stages: 126 layers, embedding and head in the place of a layer each (arXiv 2407.21783). The twin does that.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::pp<16>, shardplan::layers<126>,
// EXPECT: shardplan::try_<shardplan::pp<2> ?>, shardplan::try_<shardplan::pipeline_slots<shardplan::embedding_slot, shardplan::loss_slot>
// ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with =
    sp::plan<sp::model<sp::models::llama3_1_405b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 128>, sp::tp<8>, sp::pp<16>, sp::zero<1>,
             sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<1024>, sp::sequence<8192>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::pipeline_slots<sp::embedding_slot, sp::loss_slot>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
