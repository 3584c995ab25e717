// SPDX-License-Identifier: BSL-1.0
#include "counts.hpp"

#include "translation_units.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace benchmark {

namespace {

using counts = std::map<std::string, long>;

/// Counts the instantiations of every file of the baseline.
counts count_all(const compiler& with, const include_folders& folders, const temporary_folder& folder) {
  counts found;
  for (const translation_unit& unit : baseline_units()) {
    const std::filesystem::path source = folder / (unit.name + ".cpp");
    std::ofstream(source) << unit.text;
    const std::optional<long> count = count_instantiations(with, source, folders, folder);
    if (!count || *count == 0) throw std::runtime_error(with.command + " counts no instantiations");
    found[unit.name] = *count;
  }
  return found;
}

/// Reads a baseline; lines that start with # are comments.
counts read(const std::string& baseline) {
  std::ifstream file(baseline);
  if (!file) throw std::runtime_error("cannot read " + baseline);
  counts known;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    long count = 0;
    if (line.starts_with('#') || line.empty()) continue;
    if (!(words >> name >> count)) throw std::runtime_error("not a name and a number in the baseline: " + line);
    known[name] = count;
  }
  return known;
}

/// Compares one count, prints it, and says whether it is good.
bool check_one(const std::string& name, long count, const counts& known) {
  const auto at = known.find(name);
  if (at == known.end()) {
    std::printf("  %-12s %6ld  not in the baseline: FAILED\n", name.c_str(), count);
    return false;
  }
  const long before = at->second;
  const bool failed = 100 * (count - before) > 3 * before;
  const bool moved = 100 * (count - before) > before || 100 * (before - count) > before;
  const char* verdict = failed ? ": FAILED, more than 3 % over" : moved ? ": note, more than 1 % away; write the baseline anew" : ": ok";
  std::printf("  %-12s %6ld  baseline %6ld%s\n", name.c_str(), count, before, verdict);
  return !failed;
}

}  // namespace

bool check_counts(const std::string& baseline, const compiler& with, const include_folders& folders, const temporary_folder& folder) {
  const counts known = read(baseline);
  const counts found = count_all(with, folders, folder);
  std::printf("instantiations, %s (%s)\n", with.command.c_str(), with.version.c_str());
  bool good = true;
  for (const auto& [name, count] : found) good = check_one(name, count, known) && good;
  if (found.at("plans_1") != found.at("gpus_131072") || found.at("ranks_8") != found.at("ranks_131072")) {
    std::printf("  a plan costs more or less with more GPUs: FAILED\n");
    good = false;
  }
  return good;
}

bool check_steps(const compiler& with, const include_folders& folders, const temporary_folder& folder) {
  // A piece of the search took 500,000 to 600,000 steps of Clang 19, and at most 2,600,000 ops of GCC 12.
  const long most = with.is_clang ? 700'000 : 3'000'000;
  for (const translation_unit& unit : all_units()) {
    if (unit.name != "search_2000") continue;
    const std::filesystem::path source = folder / (unit.name + ".cpp");
    std::ofstream(source) << unit.text;
    const bool good = stays_within(with, source, folders, folder, most);
    std::printf("%s, %s: every constant within %ld %s: %s\n", unit.title.c_str(), with.command.c_str(), most,
                with.is_clang ? "steps" : "ops", good ? "ok" : "FAILED");
    return good;
  }
  return false;
}

void write_counts(const std::string& baseline, const compiler& with, const include_folders& folders, const temporary_folder& folder) {
  const counts found = count_all(with, folders, folder);
  std::ofstream file(baseline);
  file << "# Instantiations of classes and functions in a file; written by `compile_time --write-counts`. docs/benchmarks.md\n";
  for (const auto& [name, count] : found) file << name << ' ' << count << '\n';
  if (!file) throw std::runtime_error("cannot write " + baseline);
}

}  // namespace benchmark
