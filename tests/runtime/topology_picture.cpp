// SPDX-License-Identifier: BSL-1.0
// The picture of ranks as text and as SVG: the handbook's 64 devices drawn right.
#include "catch.hpp"

#include <shardplan/report/topology.hpp>
#include <shardplan/report/topology_svg.hpp>
#include <shardplan/shardplan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sp = shardplan;

namespace {

template <std::int64_t Nodes, class... More>
using run = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, Nodes>, sp::micro_batch<1>,
                     sp::global_batch<1024>, sp::sequence<4096>, More...>;
using handbook = run<8, sp::tp<4>, sp::pp<4>>;

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

std::size_t times(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the handbook's 64 devices: stage s is on nodes 2s and 2s + 1, two tensor parallel groups a node") {
  const std::string text = sp::report::topology_text(handbook::spec);
  CHECK(has(text, "64 ranks on 8 nodes of 8: tp 4 dp 4 pp 4\n"));
  for (int node = 0; node < 8; ++node)
    CHECK(has(text, "\nnode " + std::to_string(node) + ", stage " + std::to_string(node / 2) + ", replicas " +
                        (node % 2 == 0 ? "0 to 1" : "2 to 3") + "\n"));
  CHECK(has(text,
            "  rank       56 57 58 59 60 61 62 63\n  tp group   14 14 14 14 15 15 15 15\n  dp group   12 13 14 15 12 13 14 15\n"
            "  pp group    8  9 10 11 12 13 14 15\n"));
  CHECK(has(text, "tp  16 groups of 4, the first {0, 1, 2, 3}; fabric, every group inside one node\n"));
  CHECK(has(text, "dp  16 groups of 4, the first {0, 4, 8, 12}; network, no group inside one node, up to 2 nodes a group\n"));
  CHECK(has(text, "pp  16 groups of 4, the first {0, 16, 32, 48}; network, no group inside one node, up to 4 nodes a group\n"));
}

TEST_CASE("axes of one rank are left out, experts and large clusters are not") {
  const std::string plain = sp::report::topology_text(run<1>::spec);
  CHECK(has(plain, "8 ranks on 1 node of 8: dp 8\n"));
  CHECK(!has(plain, "pp"));
  CHECK(!has(plain, "edp"));
  const std::string routed = sp::report::topology_text(run<64, sp::tp<2>, sp::ep<8>, sp::rank_order<sp::rank_orders::llama3>>::spec);
  CHECK(has(routed, "ep  64 groups of 8, the first {0, 1, 2, 3, .., 7}; fabric"));
  CHECK(has(routed, "\nnode 15, "));
  CHECK(!has(routed, "\nnode 16, "));
  CHECK(has(routed, ".. 48 nodes more\n"));
  CHECK(has(sp::report::topology_text(run<3, sp::tp<3>>::spec), "6 groups inside one node, up to 2 nodes a group"));
  CHECK(sp::report::topology_text(run<1, sp::tp<3>>::spec) == "no mesh\n");
}

TEST_CASE("the SVG has a box a node, a square a device, a frame a tensor parallel group") {
  const std::string svg = sp::report::topology_svg(handbook::spec);
  CHECK(svg.rfind("<svg xmlns=", 0) == 0);
  CHECK(svg.substr(svg.size() - 7) == "</svg>\n");
  CHECK(times(svg, "fill=\"#f4f4f4\"") == 8);
  CHECK(times(svg, "fill=\"hsl(") == 64);
  CHECK(times(svg, "hsl(270,60%,80%)") == 16);
  CHECK(times(svg, "stroke-width=\"2\"") == 16);
  CHECK(times(svg, "class=\"rank\"") == 64);
  CHECK(has(svg, ">node 3, stage 1, replicas 2 to 3<"));
  CHECK(has(svg, "dp: 16 groups of 4, the first {0, 4, 8, 12}; network"));
  CHECK(times(svg, "<") == times(svg, ">"));
  CHECK(sp::report::topology_svg(run<1, sp::tp<3>>::spec) == "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
  CHECK(has(sp::report::topology_svg(run<20>::spec), ">4 nodes more<"));
}

TEST_CASE("a picture has a bound, whatever a spec says") {
  sp::plan_spec spec = run<1>::spec;
  spec.devices_per_node = 129;
  const std::string wide = sp::report::topology_text(spec);
  CHECK(has(wide, " 127\n  dp group "));
  CHECK(has(wide, "  .. 1 devices more\n"));
  CHECK(has(wide, ", replicas 0 to 128\n"));
  const std::string svg = sp::report::topology_svg(spec);
  CHECK(times(svg, "class=\"rank\"") == 128);
  CHECK(has(svg, ">node 0, replicas 0 to 128, the first 128 devices<"));
  spec.devices_per_node = 128;
  CHECK(!has(sp::report::topology_text(spec), "more"));
  CHECK(!has(sp::report::topology_svg(spec), "the first 128 devices<"));
  // Drawn, these took minutes and gigabytes.
  const std::string empty = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n";
  spec.devices_per_node = std::int64_t{1} << 30;
  CHECK(sp::report::topology_text(spec) == "no picture of more than 4096 devices a node\n");
  CHECK(sp::report::topology_svg(spec) == empty);
  spec.devices_per_node = 4095;
  spec.nodes = std::int64_t{1} << 20;
  spec.device.fabric_spans_hosts = true;
  spec.device.fabric_domain = (std::int64_t{1} << 30) - 1;
  CHECK(sp::report::topology_text(spec) == "no picture of more than 4194304 ranks\n");
  CHECK(sp::report::topology_svg(spec) == empty);
  for (const std::int64_t devices : {std::int64_t{0}, std::int64_t{-8}, INT64_MIN, INT64_MAX}) {
    spec.devices_per_node = devices;
    CHECK(sp::report::topology_text(spec) == "no mesh\n");
    CHECK(sp::report::topology_svg(spec) == empty);
  }
}

TEST_CASE("an order that is none has no picture") {
  sp::plan_spec spec = handbook::spec;
  for (const std::uint32_t code : {0x0u, 0x9u, 0x111111u, 0xffffffffu}) {
    spec.rank_order = static_cast<sp::rank_orders>(code);
    CHECK(sp::report::topology_text(spec) == "no mesh\n");
  }
}
