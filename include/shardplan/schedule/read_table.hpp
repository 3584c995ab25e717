// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/shape.hpp>
#include <shardplan/schedule/text_table.hpp>

namespace shardplan {

/// The sizes that a text table states in lines `# p: 4`, `# m: 8`, `# v: 2`, `# slices: 1`, `# placement: loop` (or `v`, `bidir`).
/// Errors: `text_is_no_table`, `argument_out_of_range`.
constexpr table_shape shape_of_text(const char* text) {
  schedule_spec spec{};
  int ranks = 0;
  int micro_batches = 0;
  for (detail::table_text line{text}; *line.rest != '\0'; line.skip_line()) {
    if (line.skip("# p: ")) {
      ranks = line.number();
    } else if (line.skip("# m: ")) {
      micro_batches = line.number();
    } else if (line.skip("# v: ")) {
      spec.chunks = line.number();
    } else if (line.skip("# slices: ")) {
      spec.slices = line.number();
    } else if (line.skip("# placement: bidir")) {
      spec.layout = placement::bidirectional;
    } else if (line.skip("# placement: v")) {
      spec.layout = placement::v_shape;
    }
  }
  if (ranks == 0 || micro_batches == 0) text_is_no_table();
  return detail::shape_of(spec, ranks, micro_batches);
}

/// The table that a text says (see `fill_from_text`). Errors: `text_is_no_table`, `argument_out_of_range`. A table that breaks an
/// invariant is read; `prove` says which.
inline op_table read_table(const char* text) {
  op_table table{shape_of_text(text)};
  for (int rank = 0; rank < table.shape.ranks; ++rank) fill_from_text(table.rank(rank), text, rank);
  table.close();
  return table;
}

}  // namespace shardplan
