// SPDX-License-Identifier: BSL-1.0
// Every built-in pipeline schedule on 4 ranks with 8 micro-batches: its timeline, what it idles and what it keeps. With a folder as
// argument it also writes NAME.svg and NAME.json there; https://ui.perfetto.dev opens the second.
#include <shardplan/hana.hpp>
#include <shardplan/report/chrome_trace.hpp>
#include <shardplan/report/timeline.hpp>
#include <shardplan/report/timeline_svg.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/shardplan.hpp>

#include <boost/hana/for_each.hpp>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>

namespace sp = shardplan;

constexpr std::int64_t ranks = 4;
constexpr std::int64_t micro_batches = 8;

std::string written(sp::fraction value) {
  std::string text = std::to_string(value.numerator);
  if (value.denominator != 1) text += "/" + std::to_string(value.denominator);
  return text;
}

// F, I and W take the same time, and nothing is spent on transfers.
template <class Schedule>
bool show(const std::string& folder) {
  const sp::op_table table = sp::op_table::of<Schedule>(ranks, micro_batches);
  const sp::simulation<0> result = sp::simulate(table, sp::stage_times{});
  sp::fraction peak = 0;
  for (const sp::fraction each : result.peak_activations)
    if (each > peak) peak = each;
  const std::string name = Schedule::spec.name.c_str();
  const std::string facts = "makespan " + written(result.makespan) + ", bubble " + written(result.makespan - result.work) + " (" +
                            written((result.makespan - result.work) / result.makespan) + " of it), peak activations " + written(peak) +
                            " micro-batches";
  const sp::report::timeline_picture picture = sp::report::picture_of(table);
  std::cout << name << "\n" << sp::report::text_of(picture) << facts << "\n\n";
  if (folder.empty()) return true;
  std::ofstream svg(folder + "/" + name + ".svg");
  svg << sp::report::svg_of(picture, name, facts);
  std::ofstream trace(folder + "/" + name + ".json");
  trace << sp::report::chrome_trace_of(picture, name);
  return svg.flush().good() && trace.flush().good();
}

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : "";
  bool good = true;
  boost::hana::for_each(sp::schedules::built_in{}, [&](auto schedule) { good = show<decltype(schedule)>(folder) && good; });
  if (!good) std::cerr << "could not write to " << folder << "\n";
  return good ? 0 : 1;
}
