// SPDX-License-Identifier: BSL-1.0
// Gradients are in host memory already: the remedy names the whole part that replaces the plan's own, and that plan is valid.
// EXPECT: try_<shardplan::offload<shardplan::states_to<shardplan::storage::host>, shardplan::gradients_to<shardplan::storage::host> ?> ?>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
using namespace sp::literals;

struct card {
  static constexpr sp::device_spec spec{.name = "30 GiB", .memory = 30_GiB};
};
template <class Offload>
using run = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<card, 1, 1>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<8>,
                     sp::zero<3>, sp::recompute<sp::recomputes::full>, Offload>;

#ifdef SHARDPLAN_TWIN
static_assert(sp::checked<run<sp::offload<sp::states_to<sp::storage::host>, sp::gradients_to<sp::storage::host>>>>);
#else
static_assert(sp::checked<run<sp::offload<sp::gradients_to<sp::storage::host>>>>);
#endif
