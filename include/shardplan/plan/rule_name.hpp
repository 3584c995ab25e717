// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/plan/violation.hpp>

namespace shardplan {

/// The name of a rule: what the type in an error line is called, and its section in docs/troubleshooting.md. Not part of the umbrella:
/// error lines have the types.
constexpr const char* name_of(rule broken) {
  constexpr const char* names[] = {"missing_part",
                                   "repeated_part",
                                   "out_of_range",
                                   "too_large",
                                   "malformed_part",
                                   "does_not_divide",
                                   "neither_multiple_nor_divisor",
                                   "does_not_match",
                                   "empty_stage",
                                   "micro_batches_fewer_than_stages",
                                   "exceeds",
                                   "not_supported",
                                   "does_not_fit",
                                   "host_does_not_fit"};
  static_assert(sizeof names / sizeof names[0] == static_cast<unsigned>(rule::host_does_not_fit) + 1);
  return detail::nth_of(names, static_cast<int>(broken));
}

}  // namespace shardplan
