// SPDX-License-Identifier: BSL-1.0
// Pictures of schedules: what they show is what the simulation says, and other programs can read them.
#include "catch.hpp"

#include <shardplan/report/chrome_trace.hpp>
#include <shardplan/report/timeline.hpp>
#include <shardplan/report/timeline_svg.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/simulate_table.hpp>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>

namespace sp = shardplan;
namespace report = shardplan::report;
namespace tree = boost::property_tree;

namespace {

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

// Counts the boxes of a document, at any depth.
std::size_t count_of(const tree::ptree& node, const std::string& name) {
  std::size_t count = 0;
  for (const auto& [key, child] : node) count += (key == name ? 1 : 0) + count_of(child, name);
  return count;
}

void check_laws(const sp::op_table& table, const sp::stage_times& times) {
  const std::int64_t ranks = table.shape.ranks;
  const std::int64_t micro_batches = table.shape.micro_batches;
  const sp::simulation<0> result = sp::simulate(table, times);
  const report::timeline_picture picture = report::picture_of(table, times);
  CHECK(sp::fraction(picture.makespan, picture.ticks_in_one) == result.makespan);
  std::size_t ops = 0;
  for (std::size_t rank = 0; rank < picture.ranks.size(); ++rank) {
    std::int64_t busy = 0;
    std::int64_t before = 0;
    for (const report::timeline_entry& entry : picture.ranks[rank]) {
      REQUIRE(entry.start >= before);
      REQUIRE(entry.end >= entry.start);
      before = entry.end;
      busy += entry.end - entry.start;
      ops += entry.is_block ? 2 : 1;
    }
    CHECK(before <= picture.makespan);
    CHECK(sp::fraction(busy, picture.ticks_in_one) == result.busy[rank]);
  }
  CHECK(ops == static_cast<std::size_t>(table.total_ops));

  for (const std::int64_t width : {40, 80, 100, 200}) {
    const std::string text = report::text_of(picture, width);
    CHECK(longest_line(text) <= static_cast<std::size_t>(width));
    CHECK(std::count(text.begin(), text.end(), '\n') == ranks);
  }

  tree::ptree document;
  std::istringstream svg(report::svg_of(picture, "a < b & \"c\"", "d > e"));
  tree::read_xml(svg, document);
  CHECK(document.get<std::string>("svg.<xmlattr>.xmlns") == "http://www.w3.org/2000/svg");
  CHECK(count_of(document, "g") == count_of(document, "title"));
  CHECK(count_of(document, "rect") >= ops + static_cast<std::size_t>(ranks) + 1);

  tree::ptree trace;
  std::istringstream json(report::chrome_trace_of(picture, "a \"quoted\" name\n"));
  tree::read_json(json, trace);
  std::size_t slices = 0;
  for (const auto& [key, event] : trace.get_child("traceEvents")) {
    if (event.get<std::string>("ph") != "X") continue;
    ++slices;
    CHECK(event.get<std::int64_t>("tid") < ranks);
    CHECK(event.get<std::int64_t>("args.micro_batch") < micro_batches);
    CHECK(event.get<double>("dur") >= 0);
  }
  CHECK(slices == ops);
}

}  // namespace

TEST_CASE("a timeline says what the simulation says", "[report]") {
  const sp::stage_times all_times[] = {{}, {.forward = {1, 2}, .input_gradient = {2, 3}, .transfer = {1, 7}}, {.weight_gradient = 0}};
  for (const sp::stage_times& times : all_times) {
    for (const std::int64_t ranks : {1, 2, 4, 12}) {
      check_laws(sp::op_table::of<sp::schedules::gpipe>(ranks, 5), times);
      check_laws(sp::op_table::of<sp::schedules::one_f_one_b>(ranks, 9), times);
      if (ranks > 1) check_laws(sp::op_table::of<sp::schedules::interleaved<2>>(ranks, 2 * ranks), times);
    }
  }
}

TEST_CASE("a timeline in text", "[report]") {
  // 1F1B of two ranks and two micro-batches, B twice as long as F: counted by hand.
  CHECK(report::text_of(report::picture_of<sp::schedules::one_f_one_b>(2, 2)) ==
        "rank 0 |F0F1    B0--  B1--|\n"
        "rank 1 |  F0B0--F1B1--    |\n");
  // Too long for labels: a letter for each part of the line, as long as what it stands for.
  CHECK(report::text_of(report::picture_of<sp::schedules::gpipe>(2, 10), 42) ==
        "rank 0 |FFFFFFFFFF...BBBBBBBBBBBBBBBBBBBB|\n"
        "rank 1 |.FFFFFFFFFFBBBBBBBBBBBBBBBBBBBB..|\n");
}

TEST_CASE("each kind of op has its own letter and colour", "[report]") {
  const sp::op_kind kinds[] = {sp::op_kind::forward, sp::op_kind::backward, sp::op_kind::input_gradient, sp::op_kind::weight_gradient};
  for (const sp::op_kind one : kinds)
    for (const sp::op_kind other : kinds) {
      CHECK((report::look_of(one).letter == report::look_of(other).letter) == (one == other));
      CHECK((std::string(report::look_of(one).colour) == report::look_of(other).colour) == (one == other));
      CHECK((std::string(report::look_of(one).trace_name) == report::look_of(other).trace_name) == (one == other));
    }
}
