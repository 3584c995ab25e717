// SPDX-License-Identifier: BSL-1.0
// Gradients that 24 ranks share are reduced first among 16, which is no whole number of nodes.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::node_ranks<16>, shardplan::dp_x_cp<24>, shardplan::try_<shardplan::node_ranks<12> ?>, shardplan::try_<shardplan::node_ranks<24> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Ranks>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 3>, sp::zero<3>,
                        sp::communication<sp::quantized_weights<8>, sp::quantized_gradients<4, Ranks>>, sp::micro_batch<1>,
                        sp::global_batch<48>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<8>;
#else
using run = run_of<16>;
#endif

static_assert(sp::checked<run>);
