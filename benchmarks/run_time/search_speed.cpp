// SPDX-License-Identifier: BSL-1.0
// That the search keeps its speed: fails below 200,000 candidates a second of one core, and above 20 s for 3.2 million plans of a 175B
// model. Processor time, so that other jobs move it little; it is 30 times as fast as that.
#include "search_questions.hpp"

#include <cstdio>
#include <ctime>

int main() {
  const sp::plan_spec fixed = run_175b();
  bool good = true;
  const auto measure = [&](const char* name, const sp::search_space& space) {
    const std::clock_t start = std::clock();
    const sp::search_result found = sp::best_of(fixed, space);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const double rate = static_cast<double>(found.considered) / seconds;
    const bool kept = found.considered == space.count() && found.found && rate >= 200'000 && seconds <= 20;
    std::printf("%-10s %9lld candidates, %7lld fit: %7.3f s, %10.0f a second, at least 200,000 and at most 20 s: %s\n", name,
                static_cast<long long>(found.considered), static_cast<long long>(found.fitting), seconds, rate, kept ? "ok" : "FAILED");
    good = good && kept;
  };
  measure("3.2 M", large_space());
  measure("most legal", legal_space());
  if (large_space().count() < 3'200'000) good = false;
  return good ? 0 : 1;
}
