// SPDX-License-Identifier: BSL-1.0
// Everything of a tier is listed, not the first mistake only.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::tp<3>, shardplan::device_count<8>,
// EXPECT: shardplan::try_<shardplan::tp<2> ?>, shardplan::try_<shardplan::tp<4> ?> ?>, shardplan::does_not_divide<shardplan::tp<3>,
// EXPECT: shardplan::heads<32> ?>, shardplan::neither_multiple_nor_divisor<shardplan::kv_heads<8>, shardplan::tp<3> ?>,
// EXPECT: shardplan::does_not_divide<shardplan::tp<3>, shardplan::hidden<4096> ?>, shardplan::does_not_divide<shardplan::tp<3>,
// EXPECT: shardplan::ffn<14336> ?>, shardplan::does_not_divide<shardplan::tp<3>, shardplan::sequence<8192> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Tp>
using run_of = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<Tp>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<8192>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<3>;
#endif

static_assert(sp::checked<run>);
