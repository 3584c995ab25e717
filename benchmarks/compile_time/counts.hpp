// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "measure.hpp"

#include <string>

namespace benchmark {

/// Compares counts of instantiations with those in `baseline`, lines of a name and a number. More than 3 % over one is a failure, more than
/// 1 % away is a note, and 8 and 131,072 GPUs must cost the same. Says whether nothing failed.
bool check_counts(const std::string& baseline, const compiler& with, const include_folders& folders, const temporary_folder& folder);

/// Whether no constant of the search of 2,000 candidates costs more than a fixed number of steps (Clang) or ops (GCC), a quarter above what
/// it took. Prints the verdict.
bool check_steps(const compiler& with, const include_folders& folders, const temporary_folder& folder);

/// Writes the baseline anew.
void write_counts(const std::string& baseline, const compiler& with, const include_folders& folders, const temporary_folder& folder);

}  // namespace benchmark
