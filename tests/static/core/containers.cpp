// SPDX-License-Identifier: BSL-1.0
// static_vector, text and literal.
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>

#include "../handbook/refused.hpp"

#include <cstdint>

using shardplan::literal;
using shardplan::static_vector;
using shardplan::text;

constexpr static_vector<int, 3> of(int count) {
  static_vector<int, 3> list;
  for (int i = 0; i < count; ++i) list.push_back(10 * i);
  return list;
}
static_assert(of(0).empty() && of(0).size() == 0 && static_vector<int, 3>::capacity() == 3);
static_assert(of(3).size() == 3 && of(3)[0] == 0 && of(3)[2] == 20 && !of(3).empty());
static_assert(refused([] { return of(4); }) && refused([] { return of(2)[2]; }) && refused([] { return of(0)[0]; }));
constexpr static_vector<int, 3> two = of(2);
static_assert(two[1] == 10 && refused([] { return two[2]; }));
constexpr int sum_of(static_vector<int, 3> list) {
  int sum = 0;
  for (int& value : list) value += 1;
  for (const int value : list) sum += value;
  return sum + static_cast<int>(list.end() - list.begin()) + *list.data();
}
static_assert(sum_of(of(3)) == 1 + 11 + 21 + 3 + 1);
constexpr bool changes_by_index() {
  static_vector<int, 3> list = of(2);
  list[1] = 7;
  return list[1] == 7 && list != of(2);
}
static_assert(changes_by_index());
// what lies beyond the length is not compared
constexpr bool compares_the_length_only() {
  static_vector<int, 3> longer = of(3);
  longer.length = 2;
  return longer == of(2) && longer != of(3) && of(1) != of(2) && of(2) == of(2);
}
static_assert(compares_the_length_only());
static_assert(refused([] {
  static_vector<int, 1> list;
  list.push_back(1);
  list.push_back(2);
  return list;
}));

// names compare by their characters
constexpr char zero_in_an_array[] = {'z', 'e', 'r', 'o', '\0', 'x', '\0'};
static_assert(literal{"zero"} == literal{zero_in_an_array} && literal{"zero"} != literal{"zer"} && literal{"zer"} != literal{"zero"} &&
              literal{} == literal{""});
static_assert(literal{"zero"}.c_str()[3] == 'o');

static_assert(text<20>{}.size() == 0 && text<20>{}.c_str()[0] == '\0');
constexpr text<20> counted() {
  text<20> out;
  out.append("tp ").append(std::int64_t{8}).append(literal{", "}).append('x');
  return out;
}
static_assert(literal{counted().c_str()} == "tp 8, x" && counted().size() == 7 && !counted().truncated && counted().data()[7] == '\0');
constexpr bool prints(std::int64_t number, const char* wanted) {
  text<20> out;
  out.append(number);
  return literal{out.c_str()} == wanted && !out.truncated;
}
static_assert(prints(0, "0") && prints(-1, "-1") && prints(10, "10") && prints(1'000'000, "1000000"));
static_assert(prints(INT64_MAX, "9223372036854775807") && prints(INT64_MIN, "-9223372036854775808"));
// what does not fit is said to be missing
constexpr text<4> short_of(const char* words) {
  text<4> out;
  out.append(words);
  return out;
}
static_assert(literal{short_of("abcd").c_str()} == "abcd" && !short_of("abcd").truncated);
static_assert(literal{short_of("abcde").c_str()} == "abcd" && short_of("abcde").truncated && short_of("abcde").size() == 4);
static_assert(short_of("ab") == short_of("ab") && !(short_of("ab") == short_of("abc")));
