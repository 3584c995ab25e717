// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/report/timeline.hpp>
#include <shardplan/schedule/op.hpp>

#include <cstdint>
#include <string>

namespace shardplan::report {

namespace detail {

// Text between tags: what XML reads as markup is written as an entity.
inline std::string xml_text(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += letter;
    }
  }
  return out;
}

// Hundredths of a pixel as "12.34": no locale can change the point.
inline std::string pixels(std::int64_t hundredths) {
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (rest.size() == 1 ? ".0" : ".") + rest;
}

inline std::string svg_box(std::int64_t left, std::int64_t top, std::int64_t width, std::int64_t height, op item) {
  // A later chunk is paler, so that the ways of a micro-batch through the chunks of a rank can be told apart.
  const int opacity = item.chunk == 0 ? 100 : item.chunk == 1 ? 65 : 45;
  return "<rect x=\"" + pixels(left) + "\" y=\"" + pixels(top) + "\" width=\"" + pixels(width) + "\" height=\"" + pixels(height) +
         "\" fill=\"" + look_of(item.kind).colour + "\" fill-opacity=\"" + pixels(opacity) + "\"/>";
}

}  // namespace detail

/// A timeline as an SVG document, `width` pixels wide (at least 200), a row a rank: forward blue, backward green, gradient of the input
/// teal, of the weights orange, later chunks paler; the two halves of an overlapped block above each other. Every box says in its tooltip
/// what it is and when. `title` stands above, `caption` below.
inline std::string svg_of(const timeline_picture& picture, const std::string& title = {}, const std::string& caption = {},
                          std::int64_t width = 1000) {
  constexpr std::int64_t row_height = 2200;
  constexpr std::int64_t margin = 6000;
  if (width < 200) width = 200;
  const std::int64_t room = 100 * width - margin - 1000;
  const std::int64_t makespan = picture.makespan > 0 ? picture.makespan : 1;
  // Ticks are counted in parts of the room: exact while makespan x room stays in 63 bits, else an error and no wrong picture.
  const auto place = [&](std::int64_t tick) { return checked_multiply(tick, room) / makespan; };
  const std::int64_t top = title.empty() ? 1000 : 3200;
  const std::int64_t ranks = static_cast<std::int64_t>(picture.ranks.size());
  const std::int64_t height = top + checked_multiply(ranks, row_height) + 3000 + (caption.empty() ? 0 : 2200);

  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" + detail::pixels(height) +
                    "\" viewBox=\"0 0 " + std::to_string(width) + " " + detail::pixels(height) +
                    "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  if (!title.empty()) out += "<text x=\"8\" y=\"21\" font-size=\"15\" font-weight=\"bold\">" + detail::xml_text(title) + "</text>\n";

  bool shown[4]{};
  std::int64_t row_top = top;
  for (std::size_t rank = 0; rank < picture.ranks.size(); ++rank, row_top += row_height) {
    out += "<text x=\"8\" y=\"" + detail::pixels(row_top + 1400) + "\">rank " + std::to_string(rank) + "</text>\n";
    out += "<rect x=\"" + detail::pixels(margin) + "\" y=\"" + detail::pixels(row_top) + "\" width=\"" + detail::pixels(room) +
           "\" height=\"" + detail::pixels(row_height - 200) + "\" fill=\"#eeeeee\"/>\n";
    for (const timeline_entry& entry : picture.ranks[rank]) {
      const std::int64_t left = margin + place(entry.start);
      const std::int64_t wide = margin + place(entry.end) - left;
      const std::int64_t tall = row_height - 200;
      const std::string label = detail::label_of(entry, picture.shape);
      out += "<g><title>" + detail::xml_text(label) + ": " + std::to_string(entry.start) + " to " + std::to_string(entry.end) + " of " +
             std::to_string(picture.makespan) + "</title>";
      out += detail::svg_box(left, row_top, wide, entry.is_block ? tall / 2 : tall, entry.what);
      shown[static_cast<int>(entry.what.kind)] = true;
      if (entry.is_block) {
        out += detail::svg_box(left, row_top + tall / 2, wide, tall / 2, entry.with);
        shown[static_cast<int>(entry.with.kind)] = true;
      }
      // The edge is a line of its own: a narrow box would be all stroke.
      out += "<line x1=\"" + detail::pixels(left) + "\" y1=\"" + detail::pixels(row_top) + "\" x2=\"" + detail::pixels(left) + "\" y2=\"" +
             detail::pixels(row_top + tall) + "\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>";
      const std::string number = std::to_string(entry.what.micro_batch);
      if (!entry.is_block && wide >= 700 * static_cast<std::int64_t>(number.size()))
        out += "<text x=\"" + detail::pixels(left + wide / 2) + "\" y=\"" + detail::pixels(row_top + 1400) +
               "\" text-anchor=\"middle\" fill=\"#102030\">" + number + "</text>";
      out += "</g>\n";
    }
  }

  std::int64_t across = margin;
  for (const op_kind kind : {op_kind::forward, op_kind::backward, op_kind::input_gradient, op_kind::weight_gradient}) {
    if (!shown[static_cast<int>(kind)]) continue;
    const op_look look = look_of(kind);
    out += detail::svg_box(across, row_top + 700, 1200, 1200, {kind, 0, 0, 0, false}) + "<text x=\"" + detail::pixels(across + 1700) +
           "\" y=\"" + detail::pixels(row_top + 1700) + "\">" + look.letter + ", " + look.meaning + "</text>\n";
    across += 18000;
  }
  if (!caption.empty())
    out += "<text x=\"" + detail::pixels(margin) + "\" y=\"" + detail::pixels(row_top + 4000) + "\">" + detail::xml_text(caption) +
           "</text>\n";
  return out + "</svg>\n";
}

}  // namespace shardplan::report
