// SPDX-License-Identifier: BSL-1.0
// Links only if nothing is defined twice; passes only if both translation units see the same objects.
#include "plan.hpp"

int main() {
  addresses const first = seen_by_first();
  addresses const second = seen_by_second();
  return first.spec == second.spec && first.memory == second.memory && first.peak_memory == second.peak_memory ? 0 : 1;
}
