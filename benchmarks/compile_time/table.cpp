// SPDX-License-Identifier: BSL-1.0
#include "table.hpp"

#include <algorithm>
#include <stdexcept>

namespace benchmark {

namespace {

/// The row of a file.
const row& named(const std::vector<row>& rows, const std::string& name) {
  for (const row& each : rows)
    if (each.unit.name == name) return each;
  throw std::logic_error("no row " + name);
}

/// One figure with its limit.
void print_figure(const char* what, double figure, const char* unit, double limit) {
  std::printf("  %-42s %8.2f %-3s  at most %6.2f  %s\n", what, figure, unit, limit, figure <= limit ? "ok" : "over");
}

/// A schedule's time with its limit, and what an op costs: it should be the same at every size.
void print_schedule(const measurement& cell, double umbrella_ms, const char* what, int ops, double limit) {
  const double all = cell.median(&sample::cpu_ms);
  print_figure(what, all / 1000, "s", limit);
  std::printf("  %-42s %8.2f us\n", "  an op", 1000 * (all - umbrella_ms) / ops);
}

/// The figures of one compiler, which stands at `index`.
void print_figures_of(const compiler& which, std::size_t index, const std::vector<row>& rows) {
  const auto of = [&](const char* name) -> const measurement& { return named(rows, name).by_compiler[index]; };
  const auto milliseconds = [&](const char* name) { return of(name).median(&sample::cpu_ms); };
  std::printf("\n%s\n", which.command.c_str());
  print_figure("umbrella / <boost/hana.hpp>", milliseconds("umbrella") / milliseconds("hana"), "", 0.5);
  print_figure("one plan more: (201 plans - 1 plan) / 200", (milliseconds("plans_201") - milliseconds("plans_1")) / 200, "ms",
               which.is_clang ? 3.5 : 2.5);
  print_figure("the same, traffic and timing read", (milliseconds("read_201") - milliseconds("read_1")) / 200, "ms",
               which.is_clang ? 6 : 4);
  print_figure("1000 plans, time", milliseconds("plans_1000") / 1000, "s", 3);
  print_figure("1000 plans, peak memory", of("plans_1000").median(&sample::peak_mb), "MB", 600);
  print_schedule(of("schedule_8"), milliseconds("umbrella"), "schedule, p, m, v = 8, 32, 4", 2048, which.is_clang ? 0.35 : 0.25);
  print_schedule(of("schedule_16"), milliseconds("umbrella"), "schedule, p, m, v = 16, 128, 4", 16384, which.is_clang ? 1.6 : 0.8);
  print_schedule(of("schedule_64"), milliseconds("umbrella"), "schedule, p, m, v = 64, 512, 2", 131072, which.is_clang ? 13 : 7);
  print_figure("best of 2,000 candidates", milliseconds("search_2000") / 1000, "s", 3);
  const std::optional<long> few = of("plans_1").instantiations;
  const std::optional<long> many = of("gpus_131072").instantiations;
  if (few && many)
    std::printf("  %-42s %ld and %ld  %s\n", "instantiations for 8 and 131,072 GPUs", *few, *many, *few == *many ? "ok" : "over");
}

/// `text` as a JSON string. Only version lines and our own names go through it, so quotes and backslashes are all there is to escape.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + '"';
}

}  // namespace

double measurement::median(double sample::*field) const {
  std::vector<double> values;
  for (const sample& each : samples) values.push_back(each.*field);
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void print_table(const std::vector<compiler>& compilers, const std::vector<row>& rows) {
  for (const compiler& each : compilers) std::printf("%s: %s\n", each.command.c_str(), each.version.c_str());
  std::printf("\n%-38s", "");
  for (const compiler& each : compilers) std::printf(" | %-33s", each.command.c_str());
  std::printf("\n%-38s", "-fsyntax-only, medians");
  for (std::size_t i = 0; i < compilers.size(); ++i) std::printf(" | %8s %8s %6s %8s", "CPU ms", "wall ms", "MB", "inst.");
  std::printf("\n");
  for (const row& each : rows) {
    std::printf("%-38s", each.unit.title.c_str());
    for (const measurement& cell : each.by_compiler)
      std::printf(" | %8.1f %8.1f %6.1f %8s", cell.median(&sample::cpu_ms), cell.median(&sample::wall_ms), cell.median(&sample::peak_mb),
                  cell.instantiations ? std::to_string(*cell.instantiations).c_str() : "-");
    std::printf("\n");
  }
}

void print_figures(const std::vector<compiler>& compilers, const std::vector<row>& rows) {
  for (std::size_t i = 0; i < compilers.size(); ++i) print_figures_of(compilers[i], i, rows);
}

void write_json(std::FILE* file, const std::vector<compiler>& compilers, const std::vector<row>& rows) {
  std::fprintf(file, "[");
  const char* before = "";
  for (const row& each : rows) {
    for (std::size_t i = 0; i < compilers.size(); ++i) {
      const measurement& cell = each.by_compiler[i];
      std::fprintf(file, "%s\n  {\"case\": %s, \"compiler\": %s, \"version\": %s, ", before, quoted(each.unit.name).c_str(),
                   quoted(compilers[i].command).c_str(), quoted(compilers[i].version).c_str());
      std::fprintf(file, "\"instantiations\": %s, \"samples\": [",
                   cell.instantiations ? std::to_string(*cell.instantiations).c_str() : "null");
      for (std::size_t run = 0; run < cell.samples.size(); ++run)
        std::fprintf(file, "%s{\"cpu_ms\": %.3f, \"wall_ms\": %.3f, \"peak_mb\": %.3f}", run == 0 ? "" : ", ", cell.samples[run].cpu_ms,
                     cell.samples[run].wall_ms, cell.samples[run].peak_mb);
      std::fprintf(file, "]}");
      before = ",";
    }
  }
  std::fprintf(file, "\n]\n");
}

}  // namespace benchmark
