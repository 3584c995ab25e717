// SPDX-License-Identifier: BSL-1.0
// A part that no search varies is said, not listed.
// EXPECT: shardplan::not_searched<shardplan::headroom<512> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using tried = sp::headroom<512>;
#else
using tried = sp::among<sp::headroom<512>, sp::tp<2>>;
#endif
