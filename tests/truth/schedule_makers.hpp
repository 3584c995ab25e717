// SPDX-License-Identifier: BSL-1.0
// From the header of a table file (section 4 of the truth README) to the schedule of the library that makes it, at any sizes.
#pragma once

#include <shardplan/schedule/chimera.hpp>
#include <shardplan/schedule/dual_pipe.hpp>
#include <shardplan/schedule/eager_1f1b.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/looped_bfs.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/one_f_one_b_v.hpp>
#include <shardplan/schedule/read_table.hpp>
#include <shardplan/schedule/seq_1f1b.hpp>
#include <shardplan/schedule/v_half.hpp>
#include <shardplan/schedule/zb_capped.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/schedule/zb_h2.hpp>
#include <shardplan/schedule/zb_v.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace truth {

/// The words of a table's header: `# key: value`.
struct table_header {
  std::map<std::string, std::string> words;
  std::string schedule;  ///< without what follows
  bool moe = false;      ///< one more warm-up forward
  int group = 0;         ///< `_gN`; 0: none
  int cap = 0;           ///< `_capN`; 0: none
  shardplan::table_shape shape;

  std::string of(const std::string& key) const {
    const auto found = words.find(key);
    return found == words.end() ? "" : found->second;
  }
};

inline table_header header_of(const std::string& text) {
  table_header header;
  header.shape = shardplan::shape_of_text(text.c_str());
  std::size_t line = 0;
  while (line < text.size()) {
    std::size_t end = text.find('\n', line);
    if (end == std::string::npos) end = text.size();
    const std::size_t colon = text.find(": ", line);
    if (text.compare(line, 2, "# ") == 0 && colon < end)
      header.words[text.substr(line + 2, colon - line - 2)] = text.substr(colon + 2, end - colon - 2);
    line = end + 1;
  }
  header.schedule = header.of("schedule");
  if (header.schedule.empty()) header.schedule = header.of("comm program");
  // What stands behind the name, from the last to the first.
  const auto number_behind = [&](const char* mark) {
    const std::size_t at = header.schedule.rfind(mark);
    if (at == std::string::npos) return 0;
    const std::string digits = header.schedule.substr(at + std::string{mark}.size());
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return 0;
    header.schedule.resize(at);
    return std::stoi(digits);
  };
  for (bool found = true; found;) {
    found = false;
    const int group = number_behind("_g");
    const int cap = number_behind("_cap");
    if (group != 0) header.group = group;
    if (cap != 0) header.cap = cap;
    found = group != 0 || cap != 0;
    const std::size_t moe = header.schedule.rfind("_moe");
    if (moe != std::string::npos && moe + 4 == header.schedule.size()) {
      header.schedule.resize(moe);
      header.moe = found = true;
    }
  }
  return header;
}

/// A table of the library at p ranks and m micro-batches.
using table_maker = shardplan::op_table (*)(std::int64_t, std::int64_t);
template <class Schedule>
inline constexpr table_maker makes = &shardplan::op_table::of<Schedule>;

namespace detail {

// What a type has as a number, a file has as a word: one maker for each number up to a limit. nullptr beyond it.
template <template <int> class Family, int... Numbers>
table_maker numbered(int number, std::integer_sequence<int, Numbers...>) {
  static constexpr table_maker all[] = {makes<typename Family<Numbers + 1>::type>...};
  return number >= 1 && number <= static_cast<int>(sizeof...(Numbers)) ? all[number - 1] : nullptr;
}
template <template <int> class Family, int Most>
table_maker numbered(int number) {
  return numbered<Family>(number, std::make_integer_sequence<int, Most>{});
}

namespace s = shardplan::schedules;
template <class Schedule>
struct is {
  using type = Schedule;
};
template <int Number>
struct bfs : is<s::looped_bfs<Number>> {};
template <int Number>
struct slices : is<s::seq_1f1b<Number>> {};
template <int Number>
struct zero_bubble : is<s::interleaved_zb<Number>> {};
template <int Number>
struct capped : is<s::zb_capped<Number>> {};

// Two numbers in one: chunks from 1 to `most_chunks`, times a group from 1 to `most_group`, or the groups' rules in front.
inline constexpr int most_chunks = 8;
inline constexpr int most_group = 16;
template <int Number>
struct in_groups : is<s::interleaved<(Number - 1) / most_group + 1, (Number - 1) % most_group + 1>> {};
template <int Number>
struct in_groups_moe : is<s::interleaved<(Number - 1) / most_group + 1, (Number - 1) % most_group + 1, 1>> {};
template <int Number>
struct in_small_groups : is<s::grouped_interleaved<(Number - 1) / most_group + 1, (Number - 1) % most_group + 1>> {};
template <int Number>
struct by_megatron : is<s::interleaved<Number>> {};
template <int Number>
struct by_megatron_moe : is<s::interleaved<Number, shardplan::groups::megatron, 1>> {};
template <int Number>
struct by_torch : is<s::interleaved<Number, shardplan::groups::torch>> {};
template <int Number>
struct by_torch_moe : is<s::interleaved<Number, shardplan::groups::torch, 1>> {};

template <template <int> class Family>
table_maker with_group(int chunks, int group) {
  if (chunks < 1 || chunks > most_chunks || group < 1 || group > most_group) return nullptr;
  return numbered<Family, most_chunks * most_group>((chunks - 1) * most_group + group);
}

}  // namespace detail

/// The maker of a schedule with a defined order; nullptr when the library cannot say it.
inline table_maker maker_of(const table_header& header) {
  namespace s = shardplan::schedules;
  static const std::map<std::string, table_maker> without_numbers{
      {"gpipe", makes<s::gpipe>},        {"1f1b", makes<s::one_f_one_b>},      {"eager_1f1b", makes<s::eager_1f1b>},
      {"zb_h1", makes<s::zb_h1>},        {"zb_h2", makes<s::zb_h2>},           {"zbv", makes<s::zb_v>},
      {"dualpipe", makes<s::dual_pipe>}, {"dualpipev", makes<s::dual_pipe_v>}, {"chimera", makes<s::chimera>}};
  const auto found = without_numbers.find(header.schedule);
  if (found != without_numbers.end()) return found->second;
  const int chunks = header.shape.chunks;
  if (header.schedule == "looped_bfs") return detail::numbered<detail::bfs, 16>(chunks);
  if (header.schedule == "seq1f1b") return detail::numbered<detail::slices, 16>(header.shape.slices);
  if (header.schedule == "interleaved_zb") return detail::numbered<detail::zero_bubble, 16>(chunks);
  if (header.schedule != "interleaved_1f1b") return nullptr;
  const std::int64_t ranks = header.shape.ranks;
  const std::int64_t micro_batches = header.shape.micro_batches;
  if (header.group == 0 || header.group == ranks)
    return header.moe ? detail::numbered<detail::by_megatron_moe, 16>(chunks) : detail::numbered<detail::by_megatron, 16>(chunks);
  if (header.group == shardplan::detail::group_size(shardplan::groups::torch, ranks, micro_batches))
    return header.moe ? detail::numbered<detail::by_torch_moe, 16>(chunks) : detail::numbered<detail::by_torch, 16>(chunks);
  return header.moe ? detail::with_group<detail::in_groups_moe>(chunks, header.group)
                    : detail::with_group<detail::in_groups>(chunks, header.group);
}

/// The schedules of the library that stand beside a table that a search found; none when the file has no searched schedule. `is_searched`
/// says whether it has one.
inline bool is_searched(const table_header& header) {
  static const std::map<std::string, int> names{{"v_half", 0},  {"v_min", 0},    {"1f1b_v", 0},
                                                {"zb_auto", 0}, {"zbv_auto", 0}, {"grouped_interleaved", 0}};
  return names.count(header.schedule) != 0;
}
inline std::vector<table_maker> makers_beside(const table_header& header) {
  namespace s = shardplan::schedules;
  std::vector<table_maker> found;
  const auto add = [&](table_maker maker) {
    if (maker != nullptr) found.push_back(maker);
  };
  if (header.schedule == "v_half") add(makes<s::v_half>);
  if (header.schedule == "v_min") add(makes<s::v_min>);
  if (header.schedule == "1f1b_v") add(makes<s::one_f_one_b_v>);
  if (header.schedule == "zbv_auto") add(makes<s::zb_v>);
  if (header.schedule == "grouped_interleaved")
    add(detail::with_group<detail::in_small_groups>(header.shape.chunks, header.group == 0 ? header.shape.ranks : header.group));
  if (header.schedule == "zb_auto") {
    const int ranks = header.shape.ranks;
    if (header.cap >= ranks) add(makes<s::zb_h1>);
    if (header.cap >= 2 * ranks - 1) add(makes<s::zb_h2>);
    add(detail::numbered<detail::capped, 64>(header.cap));
  }
  return found;
}

}  // namespace truth
