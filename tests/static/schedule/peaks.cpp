// SPDX-License-Identifier: BSL-1.0
// What a schedule says of its live activations is a bound, or exact where it says so: then a table that keeps less is named as well.
#include <shardplan/schedule/broken.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/zb_h1.hpp>

#include <cstdint>
#include <type_traits>

namespace sp = shardplan;

// Every micro-batch there and back before the next.
template <bool Exact>
struct one_by_one {
  template <class Out>
  static constexpr void fill(Out& out, int, int micro_batches, int) {
    for (int count = 0; count < micro_batches; ++count) {
      out.forward(count);
      out.backward(count);
    }
  }
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t rank) { return 2 - rank; }
  static constexpr bool in_flight_is_exact = Exact;
  static constexpr sp::schedule_spec spec{.name = "one_by_one", .in_flight = &in_flight};
};
static_assert(sp::proven<one_by_one<false>, 2, 3>);
static_assert(std::is_same_v<sp::broken_in<one_by_one<true>, 2, 3>,
                             sp::broken_list<sp::peak_differs_from_closed_form<sp::rank<0>, sp::says<2>, sp::found<1>>>>);

// ZB-H1 with another form of what is kept until I than its table has.
struct forgetful : sp::schedules::zb_h1 {
  static constexpr std::int64_t in_flight_until_input(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }
};
static_assert(std::is_same_v<sp::broken_in<forgetful, 2, 4>,
                             sp::broken_list<sp::peak_differs_from_closed_form<sp::rank<0>, sp::says<1>, sp::found<2>>>>);
static_assert(std::is_same_v<sp::broken_in<sp::schedules::zb_h1, 2, 4>, sp::broken_list<>>);
