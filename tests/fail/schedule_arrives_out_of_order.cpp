// SPDX-License-Identifier: BSL-1.0
// Gradients are received in another order than they are sent: an untagged channel would deliver the wrong tensor.
// EXPECT: schedule_rejected<mine, .*arrives_out_of_order<.*from<1>, .*rank<0>, .*b<.*mb<0>
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
      "rank 0: F0 F1 B1 F2 B0 B2\n"
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
