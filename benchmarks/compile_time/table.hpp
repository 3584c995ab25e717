// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "measure.hpp"
#include "translation_units.hpp"

#include <cstdio>
#include <optional>
#include <vector>

namespace benchmark {

/// What one compiler said of one file.
struct measurement {
  std::vector<sample> samples;
  std::optional<long> instantiations;

  /// The median of a field over all samples.
  double median(double sample::*field) const;
};

/// One file, and a measurement for each compiler.
struct row {
  translation_unit unit;
  std::vector<measurement> by_compiler;
};

/// Prints the files side by side, a group of columns for each compiler.
void print_table(const std::vector<compiler>& compilers, const std::vector<row>& rows);

/// Prints what follows from the table, each figure with its limit.
void print_figures(const std::vector<compiler>& compilers, const std::vector<row>& rows);

/// Writes everything, each sample too.
void write_json(std::FILE* file, const std::vector<compiler>& compilers, const std::vector<row>& rows);

}  // namespace benchmark
