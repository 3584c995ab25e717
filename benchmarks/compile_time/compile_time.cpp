// SPDX-License-Identifier: BSL-1.0
// What shardplan costs a compiler: time, peak memory and instantiations of generated files, compilers side by side. docs/benchmarks.md
#include "counts.hpp"
#include "measure.hpp"
#include "table.hpp"
#include "translation_units.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace benchmark;

constexpr const char* usage =
    "compile_time [--repeat N] [--compilers A,B] [--include FOLDER] [--json FILE]   measures and prints; 5 runs, g++ and the newest "
    "clang++\n"
    "compile_time --check-counts FILE [--compilers A] [--include FOLDER]            compares counts of instantiations with a baseline\n"
    "compile_time --write-counts FILE [--compilers A] [--include FOLDER]            writes the baseline anew\n"
    "compile_time --check-steps COMPILER [--include FOLDER]                         a search stays within fewer steps than compilers "
    "allow\n";

struct options {
  int repeat = 5;
  std::vector<std::string> compilers;
  include_folders folders;
  std::string json;
  std::string check_counts;
  std::string write_counts;
  std::string check_steps;
};

/// The parts of `text` between separators, without empty ones.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// Reads the command line. Throws `std::invalid_argument` when it cannot be meant so.
options read(int count, char** words) {
  options result;
  result.folders = {SHARDPLAN_INCLUDE_FOLDER, split(SHARDPLAN_BOOST_FOLDERS, ':')};
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    if (i + 1 == count) throw std::invalid_argument(name);
    const std::string value = words[i + 1];
    if (name == "--repeat") {
      result.repeat = std::atoi(value.c_str());
      if (result.repeat < 1) throw std::invalid_argument("--repeat " + value);
    } else if (name == "--compilers") {
      result.compilers = split(value, ',');
    } else if (name == "--include") {
      result.folders.shardplan = value;
    } else if (name == "--json") {
      result.json = value;
    } else if (name == "--check-counts") {
      result.check_counts = value;
    } else if (name == "--write-counts") {
      result.write_counts = value;
    } else if (name == "--check-steps") {
      result.check_steps = value;
    } else {
      throw std::invalid_argument(name);
    }
  }
  return result;
}

/// The compilers that were asked for, else g++ and the newest Clang as far as they are there.
std::vector<compiler> find_compilers(const options& asked, const temporary_folder& folder) {
  std::vector<compiler> found;
  for (const std::string& command : asked.compilers) {
    const auto known = find_compiler(command, folder);
    if (!known) throw std::runtime_error("cannot run " + command);
    found.push_back(*known);
  }
  if (!asked.compilers.empty()) return found;
  if (const auto gcc = find_compiler("g++", folder)) found.push_back(*gcc);
  if (const auto clang = newest_clang(folder)) found.push_back(*clang);
  if (found.empty()) throw std::runtime_error("no compiler found");
  return found;
}

/// Compares or writes counts with one Clang: the first that was asked for, else the newest. Without one it says SKIPPED.
bool count_only(const options& asked, const temporary_folder& folder) {
  const auto clang = asked.compilers.empty() ? newest_clang(folder) : find_compiler(asked.compilers.front(), folder);
  if (!clang || !clang->is_clang) {
    std::printf("SKIPPED: no Clang, and the baseline holds counts of Clang\n");
    return true;
  }
  if (!asked.write_counts.empty()) {
    write_counts(asked.write_counts, *clang, asked.folders, folder);
    return true;
  }
  return check_counts(asked.check_counts, *clang, asked.folders, folder);
}

/// Writes the files, counts once, then measures in turns, so that a drift of the machine meets all alike.
std::vector<row> measure_all(const options& asked, const std::vector<compiler>& compilers, const temporary_folder& folder) {
  std::vector<row> rows;
  for (const translation_unit& unit : all_units()) {
    const std::filesystem::path source = folder / (unit.name + ".cpp");
    std::ofstream(source) << unit.text;
    rows.push_back({unit, {}});
    for (const compiler& each : compilers)
      rows.back().by_compiler.push_back({{}, count_instantiations(each, source, asked.folders, folder)});
  }
  for (int turn = 0; turn < asked.repeat; ++turn) {
    std::fprintf(stderr, "turn %d of %d\n", turn + 1, asked.repeat);
    for (row& each : rows)
      for (std::size_t i = 0; i < compilers.size(); ++i)
        each.by_compiler[i].samples.push_back(measure(compilers[i], folder / (each.unit.name + ".cpp"), asked.folders, folder));
  }
  return rows;
}

/// Measures, prints, and writes JSON when asked.
void measure_and_print(const options& asked, const temporary_folder& folder) {
  const std::vector<compiler> compilers = find_compilers(asked, folder);
  const std::vector<row> rows = measure_all(asked, compilers, folder);
  print_table(compilers, rows);
  print_figures(compilers, rows);
  if (asked.json.empty()) return;
  std::FILE* file = std::fopen(asked.json.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + asked.json);
  write_json(file, compilers, rows);
  std::fclose(file);
}

}  // namespace

int main(int count, char** words) {
  try {
    const options asked = read(count, words);
    const temporary_folder folder;
    if (!asked.check_steps.empty()) {
      const auto with = find_compiler(asked.check_steps, folder);
      if (!with) throw std::runtime_error("cannot run " + asked.check_steps);
      return check_steps(*with, asked.folders, folder) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (asked.check_counts.empty() && asked.write_counts.empty()) {
      measure_and_print(asked, folder);
      return EXIT_SUCCESS;
    }
    return count_only(asked, folder) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "not understood: %s\n%s", error.what(), usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return EXIT_FAILURE;
}
