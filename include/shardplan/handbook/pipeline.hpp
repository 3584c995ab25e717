// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/handbook/arithmetic.hpp>

#include <cstdint>

/// Section 4 of the handbook: the pipeline bubble. Its bubble is right; its efficiency multiplies the useful time by p and leaves the
/// bubble as it is, which is no GPipe and no 1F1B, but exactly the interleaved schedule with p/2 chunks a rank.
namespace shardplan::handbook {

/// Idle time of one rank in GPipe (and in 1F1B) with p stages: (p-1)(t_f+t_b), in the unit of the two times, which are those of one
/// micro-batch in one stage.
constexpr fraction pipeline_bubble(std::int64_t stages, fraction forward, fraction backward) {
  return fraction{detail::positive(stages) - 1} * (detail::positive(forward) + detail::positive(backward));
}

/// The handbook's efficiency for t_f = t_b: m*p*t / (m*p*t + 2(p-1)t) = mp/(mp+2p-2). 16/19, 32/39 and 128/135 for (p, m) = (4, 8), (8, 8)
/// and (8, 32): it prints 84, 82 and 95 %. See `true_pipeline_efficiency`.
constexpr fraction pipeline_efficiency(std::int64_t stages, std::int64_t micro_batches) {
  const std::int64_t useful = checked_multiply(detail::positive(stages), detail::positive(micro_batches));
  return {useful, checked_add(useful, checked_multiply(2, stages - 1))};
}

/// What GPipe and 1F1B reach: m/(m+p-1), whatever t_f and t_b are. 8/11, 8/15 and 32/39 (72.7, 53.3 and 82.1 %) for the same three
/// (Huang et al. 2018, arXiv 1811.06965, section 2.3; Narayanan et al. 2021, arXiv 2104.04473, section 2.2).
constexpr fraction true_pipeline_efficiency(std::int64_t stages, std::int64_t micro_batches) {
  return {detail::positive(micro_batches), checked_add(micro_batches, detail::positive(stages) - 1)};
}

/// What interleaved 1F1B reaches with `chunks` chunks a rank, where p divides m: vm/(vm+p-1) (Narayanan et al. 2021, arXiv 2104.04473,
/// section 2.2).
constexpr fraction interleaved_pipeline_efficiency(std::int64_t stages, std::int64_t micro_batches, std::int64_t chunks) {
  return true_pipeline_efficiency(stages, checked_multiply(detail::positive(micro_batches), detail::positive(chunks)));
}

/// The number of chunks a rank with which the handbook's efficiency is true: p/2. There is such a schedule only where this is a whole
/// number.
constexpr fraction chunks_of_pipeline_efficiency(std::int64_t stages) { return {detail::positive(stages), 2}; }

}  // namespace shardplan::handbook
