// SPDX-License-Identifier: BSL-1.0
// Judges a folder of schedules (section 4 of the truth README): op tables, transfer programs and summary.json. One line a file.
#pragma once

#include "json.hpp"
#include "judgement.hpp"
#include "schedule_makers.hpp"

#include <shardplan/schedule/blocking_receives.hpp>
#include <shardplan/schedule/prove_table.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/schedule/transfer_program.hpp>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace truth {

namespace detail {

/// A fraction of the file: "a/b" or an integer.
inline shardplan::fraction number(const json& value) {
  const std::string text = value.get_value<std::string>();
  const std::size_t slash = text.find('/');
  std::size_t read = 0;
  const std::int64_t above = std::stoll(text, &read);
  if (read != (slash == std::string::npos ? text.size() : slash)) throw std::invalid_argument{"no fraction: " + text};
  if (slash == std::string::npos) return above;
  return {above, std::stoll(text.substr(slash + 1))};
}
inline std::string text_of(shardplan::fraction value) {
  return std::to_string(value.numerator) + (value.denominator == 1 ? "" : "/" + std::to_string(value.denominator));
}
inline double value_of(shardplan::fraction value) { return static_cast<double>(value.numerator) / static_cast<double>(value.denominator); }

inline std::string text_of(shardplan::op item) {
  return "FBIW"[static_cast<int>(item.kind)] + std::to_string(item.micro_batch) +
         (item.slice == 0 ? "" : ":" + std::to_string(item.slice)) + "." + std::to_string(item.chunk) + (item.overlaps_next ? "&" : "");
}

/// Where two tables differ first; empty: nowhere.
inline std::string difference(const shardplan::op_table& ours, const shardplan::op_table& theirs) {
  for (int rank = 0; rank < theirs.shape.ranks; ++rank)
    for (int at = 0; at < theirs.size(rank) || at < ours.size(rank); ++at) {
      const std::string left = at < ours.size(rank) ? text_of(ours.at(rank, at)) : "nothing";
      const std::string right = at < theirs.size(rank) ? text_of(theirs.at(rank, at)) : "nothing";
      if (left != right) return "rank " + std::to_string(rank) + ", op " + std::to_string(at) + ": " + left + " against " + right;
    }
  return "";
}

/// The digits at the end of `word` when it begins with `name`.
inline std::optional<std::int64_t> number_in(const std::string& word, const std::string& name) {
  if (word.size() <= name.size() || word.compare(0, name.size(), name) != 0) return std::nullopt;
  const std::string digits = word.substr(name.size());
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoll(digits);
}

/// The times that the name of a time model says: tF, tI, tW and tB (= I + W in equal parts) of one p-th of the model, `comm_quarter`,
/// `last_stage_xN` and `overlapFBN`. One entry for all stages, or one a stage.
inline std::vector<shardplan::stage_times> times_named(const std::string& name, const shardplan::table_shape& shape) {
  static const std::map<std::string, std::int64_t> parts{{"half", 2}, {"third", 3}, {"quarter", 4}, {"eighth", 8}};
  shardplan::stage_times times{1, 1, 1, 0, 0};
  std::int64_t last = 1;
  std::vector<std::string> words(1);
  for (const char letter : name)
    if (letter == '_') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const std::string next = at + 1 < words.size() ? words[at + 1] : "";
    if (const auto forward = number_in(word, "tF")) {
      times.forward = *forward;
    } else if (const auto input = number_in(word, "tI")) {
      times.input_gradient = *input;
    } else if (const auto weight = number_in(word, "tW")) {
      times.weight_gradient = *weight;
    } else if (const auto backward = number_in(word, "tB")) {
      times.input_gradient = times.weight_gradient = shardplan::fraction{*backward, 2};
    } else if (const auto block = number_in(word, "overlapFB")) {
      times.overlapped = *block;
    } else if (word == "comm" && parts.count(next) != 0) {
      times.transfer = {1, parts.at(next)};
      ++at;
    } else if (word == "comm" && number_in(next, "")) {
      times.transfer = *number_in(next, "");
      ++at;
    } else if (word == "last" && next == "stage" && at + 2 < words.size() && number_in(words[at + 2], "x")) {
      last = *number_in(words[at + 2], "x");
      at += 2;
    } else {
      throw std::invalid_argument{"no time model " + name};
    }
  }
  if (last == 1) return {times};
  const shardplan::fraction share{1, shape.layout == shardplan::placement::bidirectional ? 1 : shape.chunks};
  times.forward = times.forward * share;
  times.input_gradient = times.input_gradient * share;
  times.weight_gradient = times.weight_gradient * share;
  times.overlapped = times.overlapped * share;
  std::vector<shardplan::stage_times> all(static_cast<std::size_t>(shape.stages()), times);
  all.back().forward = times.forward * last;
  all.back().input_gradient = times.input_gradient * last;
  all.back().weight_gradient = times.weight_gradient * last;
  all.back().overlapped = times.overlapped * last;
  return all;
}

inline shardplan::simulation<0> simulated(const shardplan::op_table& table, const std::vector<shardplan::stage_times>& times,
                                          shardplan::fraction kept = 1) {
  return times.size() == 1 ? shardplan::simulate(table, times[0], kept) : shardplan::simulate(table, times.data(), kept);
}

/// Compares figures and counts them.
class figures {
public:
  void compare(const std::string& what, shardplan::fraction ours, const json& theirs) {
    note(what, ours == number(theirs), text_of(ours), theirs.get_value<std::string>());
  }
  void compare(const std::string& what, bool ours, const json& theirs) {
    note(what, ours == theirs.get_value<bool>(), ours ? "true" : "false", theirs.get_value<std::string>());
  }
  void compare(const std::string& what, const std::string& ours, const json& theirs) {
    note(what, ours == theirs.get_value<std::string>(), ours, theirs.get_value<std::string>());
  }
  /// A list of one figure a rank.
  template <class OfRank>
  void compare_ranks(const std::string& what, int ranks, const OfRank& ours, const json& theirs) {
    int rank = 0;
    for (const auto& value : theirs) {
      if (rank < ranks) compare(what + "[" + std::to_string(rank) + "]", shardplan::fraction{ours(rank)}, value.second);
      ++rank;
    }
    if (rank != ranks) note(what, false, std::to_string(ranks) + " ranks", std::to_string(rank));
  }
  /// What the file states and nobody compares would be taken for right.
  void unknown(const std::string& what) { note(what, false, "nothing", "a figure that is not known"); }

  int compared() const { return compared_; }
  int different() const { return different_; }
  const std::string& first() const { return first_; }

private:
  void note(const std::string& what, bool equal, const std::string& ours, const std::string& theirs) {
    ++compared_;
    if (equal) return;
    if (different_++ == 0) first_ = what + ": " + ours + " against " + theirs;
  }

  int compared_ = 0;
  int different_ = 0;
  std::string first_;
};

inline void compare_times(figures& found, const shardplan::op_table& table, const std::string& name, const json& facts) {
  const auto times = times_named(name, table.shape);
  const auto result = simulated(table, times);
  const int ranks = table.shape.ranks;
  shardplan::fraction idle = 0, most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    idle = idle + result.idle[rank];
    if (result.span_idle[rank] > most) most = result.span_idle[rank];
  }
  for (const auto& [key, value] : facts) {
    const std::string what = name + "." + key;
    if (key == "makespan") {
      found.compare(what, result.makespan, value);
    } else if (key == "span") {
      found.compare(what, result.span, value);
    } else if (key == "busy") {
      found.compare_ranks(
          what, ranks, [&](int rank) { return result.busy[rank]; }, value);
    } else if (key == "idle") {
      found.compare_ranks(
          what, ranks, [&](int rank) { return result.idle[rank]; }, value);
    } else if (key == "span_idle") {
      found.compare_ranks(
          what, ranks, [&](int rank) { return result.span_idle[rank]; }, value);
    } else if (key == "internal_idle_max") {
      found.compare(what, most, value);
    } else if (key == "bubble_fraction") {
      found.compare(what, idle / (result.makespan * ranks), value);
    } else if (key == "steady_period") {
      found.compare(what, times.size() == 1 ? shardplan::steady_period(table, times[0]) : shardplan::steady_period(table, times.data()),
                    value);
    } else if (key == "deadlock") {
      found.compare(what, !table.ends, value);
    } else {
      found.unknown(what);
    }
  }
}

inline void compare_transfers(figures& found, const shardplan::op_table& table, const json& facts) {
  const shardplan::transfer_facts ours = shardplan::transfers_of(table);
  for (const auto& [key, value] : facts) {
    if (key == "messages") {
      found.compare(key, shardplan::fraction{ours.messages}, value);
    } else if (key == "paired") {
      found.compare(key, ours.paired, value);
    } else if (key == "fifo_per_rank_pair") {
      found.compare(key, ours.in_order_on_one_channel, value);
    } else if (key == "fifo_per_pair_and_kind") {
      found.compare(key, ours.in_order_by_kind, value);
    } else if (key == "rendezvous_ok") {
      found.compare(key, ours.rendezvous, value);
    } else if (key == "batched_rendezvous_ok") {
      found.compare(key, ours.batched, value);
    } else if (key == "min_send_buffer_depth") {
      found.compare(key, shardplan::fraction{ours.buffer_depth}, value);
    } else if (key == "sender_driven_rendezvous_ok") {
      found.compare(key, ours.sender_driven, value);
    } else if (key == "makespan_blocking_recv_jit") {
      found.compare(key, shardplan::simulate(table, shardplan::stage_times{}).makespan, value);
    } else if (key == "makespan_blocking_recv_sender_driven") {
      found.compare(key, shardplan::sender_driven_makespan(table, shardplan::stage_times{}), value);
    } else {
      found.unknown(key);
    }
  }
}

/// Ops, or blocks, that a rank runs before its first backward.
inline int forwards_before_backward(const shardplan::op_table& table, int rank) {
  int slots = 0;
  for (int at = 0; at < table.size(rank) && table.at(rank, at).kind == shardplan::op_kind::forward; ++at) {
    if (table.at(rank, at).overlaps_next) break;
    ++slots;
  }
  return slots;
}

/// Every figure of an entry of summary.json against the table.
inline figures compare_entry(const table_header& header, const shardplan::op_table& table, const json& facts) {
  figures found;
  const int ranks = table.shape.ranks;
  for (const auto& [key, value] : facts) {
    if (key == "p" || key == "m" || key == "v" || key == "slices" || key == "schedule" || key == "placement" || key == "source") {
      found.compare(key, header.of(key), value);
    } else if (key == "ops_per_rank") {
      found.compare_ranks(
          key, ranks, [&](int rank) { return table.size(rank); }, value);
    } else if (key == "warmup_forwards") {
      found.compare_ranks(
          key, ranks, [&](int rank) { return forwards_before_backward(table, rank); }, value);
    } else if (key == "peak_activations") {
      static const std::map<std::string, shardplan::fraction> shares{
          {"omega1_release_at_W", 1}, {"omega0_release_at_I", 0}, {"omega_half", {1, 2}}};
      for (const auto& [name, peaks] : value) {
        if (shares.count(name) == 0) {
          found.unknown(name);
          continue;
        }
        const auto result = shardplan::simulate(table, shardplan::stage_times{}, shares.at(name));
        found.compare_ranks(
            name, ranks, [&](int rank) { return result.peak_activations[rank]; }, peaks);
      }
    } else if (key == "comm") {
      compare_transfers(found, table, value);
    } else if (key == "times") {
      for (const auto& [name, model] : value) compare_times(found, table, name, model);
    } else {
      found.unknown(key);
    }
  }
  return found;
}

/// A schedule of the library beside a table that a search found: nowhere longer and nowhere more alive, whatever time model or share of an
/// activation the file has; shorter somewhere.
struct own_search {
  std::optional<shardplan::fraction> makespan;  ///< at F = I = W = 1
  bool equal = false;                           ///< op for op
  int compared = 0;                             ///< makespans and peaks
  int better = 0;                               ///< of them
  std::string worse;                            ///< the first that is worse
};
inline own_search beside(const shardplan::op_table& ours, const shardplan::op_table& theirs, const json* facts) {
  own_search found;
  found.makespan = shardplan::simulate(ours, shardplan::stage_times{}).makespan;
  found.equal = difference(ours, theirs).empty();
  const auto compare = [&](const std::string& what, shardplan::fraction left, shardplan::fraction right) {
    ++found.compared;
    if (left < right) ++found.better;
    if (left > right && found.worse.empty()) found.worse = what + ": " + text_of(left) + " against " + text_of(right);
  };
  for (const shardplan::fraction kept : {shardplan::fraction{1}, shardplan::fraction{0}, shardplan::fraction{1, 2}}) {
    const auto left = shardplan::simulate(ours, shardplan::stage_times{}, kept),
               right = shardplan::simulate(theirs, shardplan::stage_times{}, kept);
    for (int rank = 0; rank < theirs.shape.ranks; ++rank)
      compare("peak of rank " + std::to_string(rank) + " that keeps " + text_of(kept), left.peak_activations[rank],
              right.peak_activations[rank]);
  }
  compare("makespan", *found.makespan, shardplan::simulate(theirs, shardplan::stage_times{}).makespan);
  if (facts == nullptr || facts->find("times") == facts->not_found()) return found;
  for (const auto& [name, model] : facts->get_child("times")) {
    const auto times = times_named(name, theirs.shape);
    compare(name, simulated(ours, times).makespan, simulated(theirs, times).makespan);
  }
  return found;
}
inline own_search best_beside(const table_header& header, const shardplan::op_table& theirs, const json* facts) {
  own_search best;
  for (const table_maker maker : makers_beside(header)) {
    const shardplan::op_table ours = maker(theirs.shape.ranks, theirs.shape.micro_batches);
    if (!ours.ends) continue;
    const own_search found = beside(ours, theirs, facts);
    if (!best.makespan || (found.worse.empty() && (!best.worse.empty() || found.better > best.better))) best = found;
  }
  return best;
}

inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{"cannot read " + path.filename().string()};
  return {std::istreambuf_iterator<char>{file}, {}};
}

inline comparison judge_table(const std::string& stem, const std::string& text, const json* facts) {
  comparison line{.id = stem, .how = strength::exact};
  const table_header header = header_of(text);
  const shardplan::op_table theirs = shardplan::read_table(text.c_str());
  line.group = is_searched(header) ? "tables of a search" : "tables of a defined order";
  const auto fail = [&](const std::string& why) {
    if (line.good) line.note = why;
    line.good = false;
  };
  if (!theirs.ends) {
    fail("the table does not run to its end");
    return line;
  }
  const shardplan::fraction makespan = shardplan::simulate(theirs, shardplan::stage_times{}).makespan;
  line.theirs = value_of(makespan);
  line.theirs_text = text_of(makespan);
  if (is_searched(header)) {
    const own_search best = best_beside(header, theirs, facts);
    if (!best.makespan) {
      line.reason = "no schedule of this name";
      return line;
    }
    line.ours = value_of(*best.makespan);
    line.ours_text = text_of(*best.makespan);
    line.note = best.equal ? "equal, op for op (" + std::to_string(theirs.total_ops) + ")"
                           : "nowhere worse, better in " + std::to_string(best.better) + " of " + std::to_string(best.compared) +
                                 " makespans and peaks";
    if (!best.worse.empty()) fail(best.worse);
  } else {
    const table_maker maker = maker_of(header);
    if (maker == nullptr) {
      line.reason = "no schedule of this name and these numbers";
      return line;
    }
    const shardplan::op_table ours = maker(theirs.shape.ranks, theirs.shape.micro_batches);
    if (ours.ends) {
      const shardplan::fraction own = shardplan::simulate(ours, shardplan::stage_times{}).makespan;
      line.ours = value_of(own);
      line.ours_text = text_of(own);
    }
    line.note = "equal, op for op (" + std::to_string(theirs.total_ops) + ")";
    const std::string where = difference(ours, theirs);
    if (!where.empty()) fail(where);
  }
  if (facts == nullptr) {
    line.note += ", not in summary.json";
    return line;
  }
  const figures found = compare_entry(header, theirs, *facts);
  if (found.different() > 0)
    fail(std::to_string(found.different()) + " of " + std::to_string(found.compared()) + " figures differ, " + found.first());
  if (line.good) line.note += ", " + std::to_string(found.compared()) + " figures equal";
  return line;
}

inline comparison judge_program(const std::string& stem, const std::string& text) {
  comparison line{.id = stem + ".comm", .group = "transfer programs", .how = strength::exact};
  const shardplan::transfer_program program{text.c_str()};
  const shardplan::transfer_program_facts facts = program.facts();
  std::string broken;
  const auto insist = [&](bool holds, const char* words) {
    if (!holds) broken += (broken.empty() ? "" : ", ") + std::string{words};
  };
  insist(facts.ops_end, "the ops do not run to their end");
  if (facts.ops_end) insist(facts.paired, "messages are not paired");
  if (facts.ops_end && facts.paired) {
    insist(facts.in_time, "a message is used before it is received");
    insist(facts.in_order, "out of order on a pair of ranks");
    insist(facts.ends, "deadlock");
  }
  const table_maker maker = maker_of(header_of(text));
  if (maker == nullptr) {
    line.reason = "no schedule of this name and these numbers";
    return line;
  }
  if (broken.empty()) broken = difference(maker(program.table().shape.ranks, program.table().shape.micro_batches), program.table());
  line.ours = static_cast<double>(program.table().shape.messages());
  line.theirs = static_cast<double>(facts.messages);
  line.good = broken.empty();
  line.note = broken.empty() ? "no deadlock under blocking batches, in order for each pair of ranks, ops equal" : broken;
  return line;
}

}  // namespace detail

/// Every table and transfer program of a folder, and every entry of its summary.json.
inline judgement judge_schedules(const std::filesystem::path& folder) {
  json summary;
  {
    std::ifstream file{folder / "summary.json"};
    if (!file) throw std::runtime_error{"no summary.json"};
    boost::property_tree::read_json(file, summary);
  }
  std::map<std::string, std::filesystem::path> files;  // by name, so that the lines have an order
  for (const auto& entry : std::filesystem::directory_iterator{folder}) files[entry.path().filename().string()] = entry.path();
  judgement result;
  const auto add = [&](const std::string& id, const auto& judge) {
    try {
      result.add(judge());
    } catch (const std::exception& why) {
      result.add({.id = id, .group = "unreadable files", .how = strength::exact, .good = false, .note = why.what()});
    }
  };
  for (const auto& [name, place] : files) {
    const std::filesystem::path& path = place;  // Clang 14 captures no structured binding
    const std::string stem = path.stem().string();
    if (path.extension() == ".comm") add(name, [&] { return detail::judge_program(stem, detail::contents_of(path)); });
    if (path.extension() != ".txt") continue;
    const auto facts = summary.find(stem);
    add(stem,
        [&] { return detail::judge_table(stem, detail::contents_of(path), facts == summary.not_found() ? nullptr : &facts->second); });
  }
  for (const auto& [stem, facts] : summary)
    if (files.count(stem + ".txt") == 0)
      result.add({.id = stem, .group = "unreadable files", .how = strength::exact, .good = false, .note = "no table " + stem + ".txt"});
  for (const comparison& line : std::vector<comparison>{result.lines()})
    result.set_bound(line.group, {.words = "exact, all expressible", .most_refused_percent = 0.001});
  return result;
}

}  // namespace truth
