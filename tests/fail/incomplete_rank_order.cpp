// SPDX-License-Identifier: BSL-1.0
// An order names every axis once: here ep has no place.
// EXPECT-GCC: template constraint failure for '.*names_every_axis_once.*struct shardplan::rank_order'
// NOTE-GCC: names_every_axis_once
// EXPECT-CLANG: constraints not satisfied for class template 'rank_order' .with .*
// NOTE-CLANG: names_every_axis_once
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using order = sp::rank_order<sp::axis::tp, sp::axis::cp, sp::axis::ep, sp::axis::pp, sp::axis::dp>;
#else
using order = sp::rank_order<sp::axis::tp, sp::axis::cp, sp::axis::pp, sp::axis::dp>;
#endif
