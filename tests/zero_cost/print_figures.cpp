// SPDX-License-Identifier: BSL-1.0
// Prints the figures as compiler arguments, for from_literals.cpp.
#include "run.hpp"

#include <cstdio>

int main() {
  std::printf("-DPEAK=%lld;-DOPTIMIZER=%lld;-DVALID=%s", static_cast<long long>(run::peak_memory.count),
              static_cast<long long>(run::memory[1].optimizer.count), sp::valid<run> ? "true" : "false");
}
