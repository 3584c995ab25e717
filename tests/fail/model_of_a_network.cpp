// SPDX-License-Identifier: BSL-1.0
// A network of one's own layers can be counted, but no plan takes it: it has no `shape`.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::model'
// NOTE-GCC: transformer_model.*my_network
// EXPECT-CLANG: constraints not satisfied for class template 'model' .with .*my_network
// NOTE-CLANG: 'my_network' does not satisfy 'transformer_model'
// MAX-ERRORS-GCC: 2
#include <shardplan/model/network.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

struct linear {
  static constexpr std::int64_t repeats = 4;
  static constexpr sp::tensor tensors[] = {{.name = "weight", .rows = 64, .columns = 64}};
};
struct my_network : sp::network<linear> {};

#ifdef SHARDPLAN_TWIN
using chosen = sp::model<sp::models::llama2_7b>;
#else
using chosen = sp::model<my_network>;
#endif

static_assert(sp::parameter_count<my_network> == 4 * 64 * 64);
