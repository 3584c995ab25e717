// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/report/topology.hpp>
#include <shardplan/spec/mesh_of.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace shardplan::report {

namespace detail {

inline std::string svg_text(std::int64_t left, std::int64_t top, const char* style, const std::string& words) {
  return "<text x=\"" + std::to_string(left) + "\" y=\"" + std::to_string(top) + "\" class=\"" + style + "\">" + words + "</text>\n";
}

inline std::string svg_box(std::int64_t left, std::int64_t top, std::int64_t width, std::int64_t height, const std::string& attributes) {
  return "<rect x=\"" + std::to_string(left) + "\" y=\"" + std::to_string(top) + "\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) + "\" rx=\"4\" " + attributes + "/>\n";
}

// Hues as far apart as there are stages; the same text for the same plan on every machine.
inline std::string stage_color(std::int64_t stage, std::int64_t stages) {
  return "fill=\"hsl(" + std::to_string(stage * 360 / stages) + ",60%,80%)\"";
}

}  // namespace detail

/// The picture of `topology_text` as SVG, complete in itself: a box a node, a square a device, coloured by its stage, with its rank and the
/// number of its group along each axis; devices of one tensor parallel group that are neighbours in a node stand in one frame. It is
/// empty where there is none. Error: as there.
inline std::string topology_svg(const mesh& ranks, const topology& where) {
  if (!detail::why_no_picture(ranks, where).empty()) return "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n";
  const std::vector<axis> axes = detail::drawn_axes(ranks);
  const auto lines = static_cast<std::int64_t>(axes.size());
  const std::int64_t shown = detail::shown_of(where.nodes, nodes_in_a_picture);
  const std::int64_t drawn = detail::shown_of(where.devices_per_node, devices_in_a_picture);
  constexpr std::int64_t side = 64;    // of a device, with the gap behind it
  constexpr std::int64_t line = 14;    // of text
  constexpr std::int64_t margin = 10;  // around everything
  const std::int64_t device_height = line * (lines + 1) + 10;
  const std::int64_t node_height = device_height + 34;
  const std::int64_t columns = shown > 1 && where.devices_per_node <= 8 ? 2 : 1;
  const std::int64_t node_width = drawn * side + 16;
  const std::int64_t rows = (shown + columns - 1) / columns;
  const std::int64_t head = 34;
  const std::int64_t height = head + rows * (node_height + margin) + (lines + 2) * (line + 2) + margin;
  const std::int64_t width = 2 * margin + columns * (node_width + margin);

  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" + std::to_string(height) +
                    "\" viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) + "\">\n" +
                    "<style>text{font-family:monospace;fill:#222}.title{font-size:14px;font-weight:bold}.node{font-size:12px}" +
                    ".rank{font-size:13px;font-weight:bold}.group{font-size:11px}</style>\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
                    detail::svg_text(margin, 22, "title", detail::title_of(ranks, where));
  const std::int64_t stages = size_along(ranks, axis::pp);
  const process_groups tensor = groups_of(ranks, axis::tp);
  for (std::int64_t node = 0; node < shown; ++node) {
    const std::int64_t left = margin + node % columns * (node_width + margin);
    const std::int64_t top = head + node / columns * (node_height + margin);
    const std::int64_t first = node * where.devices_per_node;
    const std::int64_t behind = first + drawn;
    out += detail::svg_box(left, top, node_width, node_height, "fill=\"#f4f4f4\" stroke=\"#888\"");
    out += detail::svg_text(left + 8, top + 16, "node",
                            "node " + std::to_string(node) + detail::span_along(ranks, axis::pp, "stage", first, where.devices_per_node) +
                                detail::span_along(ranks, axis::dp, "replica", first, where.devices_per_node) +
                                (drawn < where.devices_per_node ? ", the first " + std::to_string(drawn) + " devices" : ""));
    for (std::int64_t rank = first; rank < behind;) {  // one run of neighbours in one tensor parallel group at a time
      std::int64_t last = rank;
      while (last + 1 < behind && tensor.group_of(last + 1) == tensor.group_of(rank)) ++last;
      if (last > rank)
        out += detail::svg_box(left + 8 + (rank - first) * side, top + 22, (last - rank + 1) * side, device_height + 6,
                               "fill=\"none\" stroke=\"#333\" stroke-width=\"2\"");
      rank = last + 1;
    }
    for (std::int64_t rank = first; rank < behind; ++rank) {
      const std::int64_t at = left + 8 + (rank - first) * side;
      out += detail::svg_box(at + 4, top + 25, side - 8, device_height,
                             detail::stage_color(index_along(ranks, axis::pp, rank), stages) + " stroke=\"#666\"");
      out += detail::svg_text(at + 8, top + 25 + line, "rank", std::to_string(rank));
      for (std::size_t index = 0; index < axes.size(); ++index)
        out += detail::svg_text(at + 8, top + 25 + line * (static_cast<std::int64_t>(index) + 2), "group",
                                std::string{name_of(axes[index])} + " " + std::to_string(groups_of(ranks, axes[index]).group_of(rank)));
    }
  }
  std::int64_t top = head + rows * (node_height + margin) + line;
  if (shown < where.nodes) {
    out += detail::svg_text(margin, top, "node", std::to_string(where.nodes - shown) + " nodes more");
    top += line + 2;
  }
  for (const axis which : axes) {
    const process_groups groups = groups_of(ranks, which);
    const axis_link link = link_of(ranks, where, which);
    out +=
        detail::svg_text(margin, top, "node",
                         std::string{name_of(which)} + ": " + std::to_string(groups.count) + " groups of " + std::to_string(groups.size) +
                             ", the first " + detail::members(groups, 0) + "; " + name_of(link.kind) + ", " + detail::reach_of(link));
    top += line + 2;
  }
  return out + "</svg>\n";
}

/// The same of a plan.
inline std::string topology_svg(const plan_spec& spec) { return topology_svg(detail::drawn_mesh_of(spec), topology_of(spec)); }

}  // namespace shardplan::report
