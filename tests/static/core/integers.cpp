// SPDX-License-Identifier: BSL-1.0
// Checked integers and bytes: exact inside 63 bits, an error outside, never a wrap. (At run time the error is thrown: tests/runtime.)
#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>

#include "../handbook/refused.hpp"

#include <cstdint>

using namespace shardplan;

constexpr std::int64_t most = INT64_MAX;
constexpr std::int64_t least = INT64_MIN;

// The oracle: 128 bits.
__extension__ typedef __int128 wide;
constexpr bool fits_in_64(wide value) { return value >= least && value <= most; }
constexpr std::int64_t edges[] = {least,
                                  least + 1,
                                  -(std::int64_t{1} << 32),
                                  -3'037'000'500,
                                  -0x80000000LL,
                                  -0x7fffffff,
                                  -3,
                                  -2,
                                  -1,
                                  0,
                                  1,
                                  2,
                                  3,
                                  0x7fffffff,
                                  0x80000000LL,
                                  3'037'000'499,
                                  3'037'000'500,
                                  std::int64_t{1} << 32,
                                  std::int64_t{1} << 62,
                                  most / 2,
                                  most / 2 + 1,
                                  most - 1,
                                  most};
constexpr bool products_and_sums_are_judged_right() {
  for (const std::int64_t left : edges)
    for (const std::int64_t right : edges) {
      const bool product = fits_in_64(static_cast<wide>(left) * right);
      const bool sum = fits_in_64(static_cast<wide>(left) + right);
      if (detail::multiply_overflows(left, right) == product || detail::add_overflows(left, right) == sum) return false;
      if (product && checked_multiply(left, right) != static_cast<wide>(left) * right) return false;
      if (sum && checked_add(left, right) != static_cast<wide>(left) + right) return false;
      if (fits_in_64(static_cast<wide>(left) - right) && checked_subtract(left, right) != static_cast<wide>(left) - right) return false;
      if (right != 0 && fits_in_64(static_cast<wide>(left) / right) && checked_divide(left, right) != left / right) return false;
      if (left >= 0 && right >= 0) {
        if (saturating_multiply(left, right) != (product ? static_cast<wide>(left) * right : most)) return false;
        if (saturating_add(left, right) != (sum ? static_cast<wide>(left) + right : most)) return false;
        if (right > 0 && ceil_divide(left, right) != (static_cast<wide>(left) + right - 1) / right) return false;
      }
    }
  return true;
}
static_assert(products_and_sums_are_judged_right());

// At the border, and one step beyond.
static_assert(checked_add(most - 1, 1) == most && refused([] { return checked_add(most, 1); }));
static_assert(checked_add(least + 1, -1) == least && refused([] { return checked_add(least, -1); }));
static_assert(checked_subtract(least + 1, 1) == least && refused([] { return checked_subtract(least, 1); }));
static_assert(checked_subtract(-1, least) == most && refused([] { return checked_subtract(0, least); }));
static_assert(checked_multiply(most / 7, 7) == 9'223'372'036'854'775'807 && refused([] { return checked_multiply(most / 7 + 1, 7); }));
static_assert(checked_multiply(std::int64_t{1} << 62, -2) == least && refused([] { return checked_multiply(std::int64_t{1} << 62, 2); }));
static_assert(refused([] { return checked_multiply(least, -1); }) && refused([] { return checked_multiply(-1, least); }));
static_assert(checked_divide(-7, 2) == -3 && checked_divide(7, -2) == -3);  // towards zero
static_assert(refused([] { return checked_divide(1, 0); }) && refused([] { return checked_divide(least, -1); }));
static_assert(exact_divide(84, 7) == 12 && exact_divide(-84, 7) == -12 && exact_divide(0, 7) == 0);
static_assert(refused([] { return exact_divide(85, 7); }) && refused([] { return exact_divide(84, 0); }) &&
              refused([] { return exact_divide(84, -7); }));
static_assert(ceil_divide(0, 7) == 0 && ceil_divide(1, 7) == 1 && ceil_divide(7, 7) == 1 && ceil_divide(8, 7) == 2);
static_assert(ceil_divide(most, 2) == most / 2 + 1 && ceil_divide(most, most) == 1 && ceil_divide(most, 1) == most);
static_assert(refused([] { return ceil_divide(1, 0); }) && refused([] { return ceil_divide(1, -1); }));

// bytes: 80 GiB = 85,899,345,920; decimal and binary units differ
static_assert((80_GiB).count == 85'899'345'920 && (80_GB).count == 80'000'000'000);
static_assert((1_B).count == 1 && (1_KiB).count == 1'024 && (1_KB).count == 1'000 && (1_MiB).count == 1'048'576 &&
              (1_MB).count == 1'000'000);
static_assert((1_TiB).count == 1'099'511'627'776 && (1_TB).count == 1'000'000'000'000);
static_assert(bytes{} == 0_B && bytes{-1} < 0_B);
static_assert(1_KiB > 1_KB && 1_KiB >= 1_KiB && 1_KiB <= 1_KiB && 1_KB < 1_KiB && 1_KiB != 1_KB && 1'024_B == 1_KiB);
static_assert(!(1_KiB > 1_KiB) && !(1_KiB < 1_KiB) && !(1_KB >= 1_KiB) && !(1_KiB <= 1_KB) && !(1_KiB != 1_KiB));
static_assert(1_GiB + 1_GiB == 2_GiB && 3_GiB - 1_GiB == 2_GiB && 3 * 2_GiB == 6_GiB && 2_GiB * 3 == 6_GiB && 7_B / 2 == 3_B);
static_assert(1_GiB - 2_GiB == bytes{-1'073'741'824});
constexpr bytes folded() {
  bytes sum = 1_GiB;
  sum += 3_GiB;
  sum -= 1_GiB;
  return sum;
}
static_assert(folded() == 3_GiB);
static_assert((8'388'607_TiB).count == 9'223'370'937'343'148'032 && refused([] { return 8'388'608_TiB; }));
static_assert((9'223'372_TB).count == 9'223'372'000'000'000'000 && refused([] { return 9'223'373_TB; }));
static_assert((9'223'372'036'854'775'807_B).count == most && refused([] { return 9'223'372'036'854'775'808_B; }));
static_assert(refused([] { return bytes{most} + 1_B; }) && refused([] { return bytes{least} - 1_B; }) &&
              refused([] { return bytes{most} * 2; }) && refused([] { return 2 * bytes{most}; }) && refused([] { return 1_B / 0; }));
static_assert(refused([] {
  bytes sum{most};
  return sum += 1_B;
}));
