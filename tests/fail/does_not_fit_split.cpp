// SPDX-License-Identifier: BSL-1.0
// 60 layers on eight stages: a split says the layers of each, and both changes are one remedy. The larger are the first, as DeepSpeed's
// partition_uniform deals them out. The twin makes it.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>,
// EXPECT: shardplan::try_<shardplan::pp<8>, shardplan::layer_split<8, 8, 8, 8, 7, 7, 7, 7> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

struct small_device {
  static constexpr sp::device_spec spec{.name = "small", .memory = sp::bytes{std::int64_t{12} << 30}};
};

template <class... Pipeline>
using run_of =
    sp::plan<sp::model<sp::models::yi_34b>, sp::cluster<small_device, 8, 8>, sp::tp<8>, sp::zero<1>, sp::recompute<sp::recomputes::full>,
             sp::framework<sp::frameworks::deepspeed>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<2048>, Pipeline...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::pp<8>, sp::layer_split<8, 8, 8, 8, 7, 7, 7, 7>>;
#else
using run = run_of<sp::pp<4>>;
#endif

static_assert(sp::checked<run>);
