// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/device_code.hpp>
#include <shardplan/traffic/message.hpp>

namespace shardplan {

/// Estimate of one step, seconds unless said. The parts add up to `step`. Within 15 % of most published dense runs
/// (docs/traffic_and_timing.md has the list); no figure here is exact.
struct timing_report {
  double forward = 0;               ///< all micro-batches of the slowest stage
  double backward = 0;              ///< the same, without recomputation
  double recompute = 0;             ///< what recomputation adds
  double exposed[channel_count]{};  ///< by `channel`: transfers that nothing hides. What replicas of experts (`edp`) and the levels inside
                                    ///< a node (`node`) add hides with the rest of its axis and is counted there: in `dp`, and in `ep`
                                    ///< for tokens on their way to experts
  double bubble = 0;                ///< waiting in the pipeline
  double optimizer = 0;             ///< the optimizer's step
  double step = 0;                  ///< all of it
  double tokens_per_second = 0;     ///< tokens a second of the whole world
  double mfu = 0;                   ///< model operations over what all devices could do at their BF16 peak; the attention square whole
  double hfu = 0;                   ///< the same with operations that are done again

  /// Computation of the slowest stage.
  constexpr SHARDPLAN_HOST_DEVICE double compute() const { return forward + backward + recompute; }
  /// Exposed transfers over one channel.
  constexpr SHARDPLAN_HOST_DEVICE double exposed_over(channel between) const { return exposed[static_cast<int>(between)]; }
  /// Exposed transfers over all channels.
  constexpr SHARDPLAN_HOST_DEVICE double communication() const {
    double sum = 0;
    for (int at = 0; at < channel_count; ++at) sum += exposed[at];
    return sum;
  }
};

}  // namespace shardplan
