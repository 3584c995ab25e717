// SPDX-License-Identifier: BSL-1.0
// 126 layers on four stages: embedding and loss stand in the place of a layer each, and both changes are one remedy. The twin makes it.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>,
// EXPECT: shardplan::try_<shardplan::pp<4>, shardplan::pipeline_slots<shardplan::embedding_slot, shardplan::loss_slot> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... Pipeline>
using run_of = sp::plan<sp::model<sp::models::llama3_1_405b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 128>, sp::tp<8>,
                        sp::zero<1, sp::megatron_buckets>, sp::recompute<sp::recomputes::full>, sp::framework<sp::frameworks::megatron>,
                        sp::micro_batch<1>, sp::global_batch<1024>, sp::sequence<8192>, Pipeline...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::pp<4>, sp::pipeline_slots<sp::embedding_slot, sp::loss_slot>>;
#else
using run = run_of<sp::pp<2>>;
#endif

static_assert(sp::checked<run>);
