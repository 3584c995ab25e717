// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

namespace benchmark {

/// A file that is given to the compilers.
struct translation_unit {
  std::string name;   ///< of the file, in JSON and in the baseline
  std::string title;  ///< in the table
  std::string text;
};

/// `count` distinct plans, each insisted on, the first of them over `nodes` nodes of eight GPUs. All have ten parts and four pipeline
/// stages; each differs from the one before in its cluster and its batch and costs the compiler all of a new plan. `reads`: the
/// traffic of a stage and the timing of each are asked for.
std::string plans(int count, int nodes = 1, bool reads = false);

/// One plan over `nodes` nodes whose ranks are asked for: groups of three sets of axes, a link, where the last rank stands.
std::string ranks_of_a_plan(int nodes);

/// All files, the cheapest first.
std::vector<translation_unit> all_units();

/// The files whose counts of instantiations the baseline holds: ours alone, and not the largest.
std::vector<translation_unit> baseline_units();

}  // namespace benchmark
