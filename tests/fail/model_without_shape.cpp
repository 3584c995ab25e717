// SPDX-License-Identifier: BSL-1.0
// A model is a type with `static constexpr sp::transformer shape`.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::model'
// NOTE-GCC: transformer_model.*no_shape
// EXPECT-CLANG: constraints not satisfied for class template 'model' .with .*no_shape
// NOTE-CLANG: 'no_shape' does not satisfy 'transformer_model'
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct no_shape {
  static constexpr int layers = 32;
};
struct has_shape {
  static constexpr sp::transformer shape{.layers = 24, .hidden = 2048, .heads = 16, .ffn = 5632, .vocab = 32000};
};

#ifdef SHARDPLAN_TWIN
using chosen = sp::model<has_shape>;
#else
using chosen = sp::model<no_shape>;
#endif
