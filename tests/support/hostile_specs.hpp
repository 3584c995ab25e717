// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <initializer_list>

namespace hostile {

/// Calls `ask` with copies of a spec in which one number each is one that no plan may have, or that is enormous.
template <class Ask>
void each_spec(const shardplan::plan_spec& spec, Ask ask) {
  using shardplan::plan_spec;
  std::int64_t plan_spec::*const fields[] = {&plan_spec::devices_per_node,
                                             &plan_spec::nodes,
                                             &plan_spec::sequence,
                                             &plan_spec::micro_batch,
                                             &plan_spec::global_batch,
                                             &plan_spec::tp,
                                             &plan_spec::pp,
                                             &plan_spec::dp,
                                             &plan_spec::cp,
                                             &plan_spec::ep,
                                             &plan_spec::etp,
                                             &plan_spec::zero,
                                             &plan_spec::vocabulary_multiple,
                                             &plan_spec::headroom_mebibytes,
                                             &plan_spec::host_memory_gibibytes};
  for (const auto field : fields)
    for (const std::int64_t value :
         {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 20, std::int64_t{1} << 31, INT64_MAX}) {
      plan_spec other = spec;
      other.*field = value;
      ask(other);
    }
}

}  // namespace hostile
