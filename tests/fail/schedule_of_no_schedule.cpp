// SPDX-License-Identifier: BSL-1.0
// A schedule is a type with `static constexpr sp::schedule_spec spec`.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::schedule'
// NOTE-GCC: pipeline_schedule.*by_name
// EXPECT-CLANG: constraints not satisfied for class template 'schedule' .with .*by_name
// NOTE-CLANG: 'by_name' does not satisfy 'pipeline_schedule'
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct by_name {
  static constexpr const char* name = "gpipe";
};

#ifdef SHARDPLAN_TWIN
using chosen = sp::schedule<sp::schedules::gpipe>;
#else
using chosen = sp::schedule<by_name>;
#endif
