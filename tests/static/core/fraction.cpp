// SPDX-License-Identifier: BSL-1.0
// Fractions: reduced, exact, ordered without overflow.
#include <shardplan/core/fraction.hpp>

#include "../handbook/refused.hpp"

#include <cstdint>

using shardplan::fraction;
using shardplan::to_double;

constexpr std::int64_t most = INT64_MAX;
constexpr std::int64_t least = INT64_MIN;
constexpr bool is(fraction value, std::int64_t above, std::int64_t below) { return value.numerator == above && value.denominator == below; }

// reduced, the sign above
static_assert(is({}, 0, 1) && is(7, 7, 1) && is({6, 8}, 3, 4) && is({-6, 8}, -3, 4) && is({6, -8}, -3, 4) && is({-6, -8}, 3, 4));
static_assert(is({0, -5}, 0, 1) && is({most, most}, 1, 1) && is({most, -most}, -1, 1) && is({least, 1}, least, 1));
static_assert(is({least, 2}, -(std::int64_t{1} << 62), 1) && is({least, -2}, std::int64_t{1} << 62, 1));
static_assert(is({2, least}, -1, std::int64_t{1} << 62) && is({least, 6}, -(std::int64_t{1} << 62), 3));
// the reduced value fits
static_assert(is({least, least}, 1, 1));
static_assert(is({0, least}, 0, 1));
static_assert(refused([] { return fraction{1, 0}; }) && refused([] { return fraction{0, 0}; }));
static_assert(refused([] { return fraction{1, least}; }) && refused([] { return fraction{least, -1}; }));

// arithmetic: the bubble of 1F1B with 4 stages and 8 micro-batches is 3/11
static_assert(fraction{3, 8} / (fraction{3, 8} + 1) == fraction{3, 11});
static_assert(fraction{1, 2} + fraction{1, 3} == fraction{5, 6} && fraction{1, 2} - fraction{1, 3} == fraction{1, 6});
static_assert(fraction{1, 2} - fraction{1, 2} == 0 && -fraction{1, 2} == fraction{-1, 2});
static_assert(fraction{2, 3} * fraction{3, 4} == fraction{1, 2} && fraction{2, 3} / fraction{-4, 3} == fraction{-1, 2} &&
              2 * fraction{3, 4} == fraction{3, 2});
static_assert(fraction{most, 3} * fraction{3, most} == 1);  // reduced crosswise first
static_assert(fraction{1, std::int64_t{1} << 62} + fraction{1, std::int64_t{1} << 62} == fraction{1, std::int64_t{1} << 61});
static_assert(refused([] {
                return fraction{1, 2} / fraction{0};
              }) &&
              refused([] { return fraction{most} + 1; }) && refused([] { return fraction{most} * 2; }) &&
              refused([] { return -fraction{least}; }) && refused([] { return fraction{least} - 1; }));

// order, against 128 bits, with numbers whose products leave 63
__extension__ typedef __int128 wide;
constexpr fraction values[] = {{0, 1},
                               {1, 1},
                               {-1, 1},
                               {1, 2},
                               {-1, 2},
                               {1, 3},
                               {2, 3},
                               {-2, 3},
                               {3, 2},
                               {7, 5},
                               {-7, 5},
                               {22, 7},
                               {355, 113},
                               {most, 1},
                               {-most, 1},
                               {1, most},
                               {-1, most},
                               {most, most - 1},
                               {most - 1, most},
                               {-most, most - 1},
                               {most, 2},
                               {least, 3},
                               {least, 1},
                               {most - 2, most - 1},
                               {6'074'001'000, 3'037'000'500},
                               {6'074'001'001, 3'037'000'500}};
constexpr bool ordered_as_in_128_bits() {
  for (const fraction left : values)
    for (const fraction right : values) {
      const wide first = static_cast<wide>(left.numerator) * right.denominator;
      const wide second = static_cast<wide>(right.numerator) * left.denominator;
      if ((left < right) != (first < second) || (left > right) != (first > second) || (left <= right) != (first <= second) ||
          (left >= right) != (first >= second) || (left == right) != (first == second) || (left != right) != (first != second))
        return false;
    }
  return true;
}
static_assert(ordered_as_in_128_bits());
static_assert(fraction{4, 2} == 2 && fraction{5, 2} > 2 && 2 < fraction{5, 2} && fraction{-5, 2} < -2);

static_assert(to_double({3, 8}) == 0.375 && to_double({-1, 4}) == -0.25 && to_double(7) == 7.0);

// structural: a template argument
template <fraction Share>
struct holds {
  static constexpr fraction share = Share;
};
static_assert(holds<fraction{2, 4}>::share == fraction{1, 2});
