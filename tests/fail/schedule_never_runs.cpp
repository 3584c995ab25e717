// SPDX-License-Identifier: BSL-1.0
// A backward is missing.
// EXPECT: schedule_rejected<mine, .*never_runs<.*rank<0>, .*b<.*mb<2>
#include <shardplan/schedule/broken.hpp>
#include <shardplan/schedule/text_table.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct mine {
#ifdef SHARDPLAN_TWIN
  static constexpr const char* table =
      "rank 0: F0 F1 B0 F2 B1 B2\n"
      "rank 1: F0 B0 F1 B1 F2 B2";
#else
  static constexpr const char* table =
      "rank 0: F0 F1 B0 F2 B1\n"
      "rank 1: F0 B0 F1 B1 F2 B2";
#endif
  template <class Out>
  static constexpr void fill(Out& out, int, int, int rank) {
    sp::fill_from_text(out, table, rank);
  }
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t rank) { return 2 - rank; }
  static constexpr sp::schedule_spec spec{.name = "mine", .in_flight = &in_flight};
};
static_assert(sp::checked_schedule<mine, 2, 3>);
