// SPDX-License-Identifier: BSL-1.0
// Expert ranks form a grid of their own: etp x ep x pp must divide the devices.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::etp_x_ep_x_pp<16>, shardplan::device_count<24>,
// EXPECT: shardplan::try_<shardplan::ep<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Etp>
using run_of = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 3>, sp::ep<8>, sp::etp<Etp>,
                        sp::zero<1>, sp::micro_batch<1>, sp::global_batch<72>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<1>;
#else
using run = run_of<2>;
#endif

static_assert(sp::checked<run>);
