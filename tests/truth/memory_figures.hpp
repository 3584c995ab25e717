// SPDX-License-Identifier: BSL-1.0
// Figures of memory: what a metric counts, ours of a run, theirs of a row.
#pragma once

#include "judged_plan.hpp"
#include "rank_run.hpp"
#include "row.hpp"

#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/whole_tensors.hpp>

#include <cmath>
#include <cstdint>
#include <exception>
#include <string>

namespace truth {

/// What a metric counts.
enum class counted {
  states,    ///< tensors alive between two steps
  peak,      ///< the most bytes of tensors alive
  reserved,  ///< what the allocator holds: peak and fragmentation
  device,    ///< all that the driver counts
  host,      ///< memory of the host
  part,      ///< one named buffer or a part of a peak
  unstated   ///< the source does not say
};

inline counted counted_by(const std::string& metric) {
  if (metric == "torch_memory_allocated_after_step" || metric == "allocated") return counted::states;
  if (metric == "torch_max_memory_allocated" || metric == "max_allocated" || metric == "peak_allocated" || metric == "peak_active")
    return counted::peak;
  if (metric == "torch_max_memory_reserved") return counted::reserved;
  if (metric == "nvidia_smi_gpu_memory" || metric == "device_memory_used") return counted::device;
  if (starts_with(metric, "host_")) return counted::host;
  if (metric == "activation_buffer" || metric == "buffer" || metric == "optimizer_step_peak" || metric == "peak_overhead" ||
      metric == "communication_buffers")
    return counted::part;
  return counted::unstated;
}

namespace detail {

/// The account of a run's rank; throws `not_expressible` with the broken rules when the plan is refused.
inline shardplan::stage_account account_of(const run& what) {
  must_be_valid(what.spec);
  shardplan::stage_account account = shardplan::stage_memory(what.spec, what.stage);
  if (what.whole_tensors) {
    const shardplan::whole_tensor_states states =
        shardplan::whole_tensor_states_of(what.spec, what.stage, what.dense_rank, what.expert_rank);
    account.device.master.count = states.master;
    account.device.optimizer.count = states.optimizer;
  }
  return account;
}

inline double ours_of(const run& what, counted metric) {
  const shardplan::stage_account account = account_of(what);
  switch (metric) {
    case counted::states: return static_cast<double>(account.device.states().count);
    case counted::peak:
    case counted::reserved:
    case counted::unstated: return static_cast<double>(account.device.allocated().count);
    case counted::device: return static_cast<double>(account.device.total().count);
    case counted::host: break;
    case counted::part: break;
  }
  throw not_expressible{"a part of a peak"};
}

/// Bytes of the value of a row; throws when it is no figure of bytes.
inline double bytes_of(const row& item) {
  const std::int64_t unit = bytes_of_unit(item.unit);
  if (unit == 0) throw not_expressible{"unit " + item.unit};
  try {
    return std::round(std::stod(item.value) * static_cast<double>(unit));
  } catch (const std::exception&) {
    throw not_expressible{"value " + item.value};
  }
}

}  // namespace detail

}  // namespace truth
