// SPDX-License-Identifier: BSL-1.0
// Corrupted tables: whatever a checker written apart from the library refuses, the library refuses too, under a name that the checker
// confirms at that place; and nothing else.
#include "catch.hpp"

#include <shardplan/schedule/chimera.hpp>
#include <shardplan/schedule/dual_pipe.hpp>
#include <shardplan/schedule/eager_1f1b.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/hanayo.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/looped_bfs.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/one_f_one_b_v.hpp>
#include <shardplan/schedule/pipedream.hpp>
#include <shardplan/schedule/prove_table.hpp>
#include <shardplan/schedule/seq_1f1b.hpp>
#include <shardplan/schedule/v_half.hpp>
#include <shardplan/schedule/zb_capped.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/schedule/zb_h2.hpp>
#include <shardplan/schedule/zb_v.hpp>

#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

using rows = std::vector<std::vector<sp::op>>;
using op_key = std::tuple<int, int, int, int>;  // kind, micro-batch, slice, chunk

op_key key_of(const sp::op& item) { return {static_cast<int>(item.kind), item.micro_batch, item.slice, item.chunk}; }

// A plain reading of the invariants, slow and without any part of the library but its words.
class checker {
public:
  checker(const rows& all, const sp::table_shape& sizes, const sp::schedule_spec& schedule, const sp::closed_form& bubble,
          const sp::peak_form& peak_says)
      : ops(all), shape(sizes), spec(schedule), closed(bubble), peaks(peak_says) {}

  // Whether that invariant is broken at that place.
  bool confirms(const sp::broken_invariant& said) {
    const std::size_t rank = static_cast<std::size_t>(said.rank);
    switch (said.what) {
      case sp::invariant::no_such_op: {
        for (const sp::op& item : ops[rank])
          if (!inside(item)) return true;
        return false;
      }
      case sp::invariant::runs_twice: {
        // The place may also be where the rank has no room left, which comes of some other op that is there twice.
        std::set<op_key> seen;
        for (const sp::op& item : ops[rank])
          if (!seen.insert(key_of(item)).second) return true;
        return false;
      }
      case sp::invariant::both_whole_and_split:
        return count(rank, sp::op_kind::backward, said.item) > 0 &&
               count(rank, sp::op_kind::input_gradient, said.item) + count(rank, sp::op_kind::weight_gradient, said.item) > 0;
      case sp::invariant::backward_before_forward:
        return position(rank, said.item.kind, said.item) < position(rank, sp::op_kind::forward, said.item);
      case sp::invariant::weight_gradient_before_input_gradient:
        return position(rank, sp::op_kind::weight_gradient, said.item) < position(rank, sp::op_kind::input_gradient, said.item);
      case sp::invariant::never_runs:
        if (said.item.kind == sp::op_kind::backward)
          return count(rank, sp::op_kind::backward, said.item) + count(rank, sp::op_kind::input_gradient, said.item) == 0;
        return count(rank, said.item.kind, said.item) == 0;
      case sp::invariant::overlaps_no_backward: return !blocks_are_right();
      case sp::invariant::runs_before_its_input: return !slices_are_in_order() || !ends();
      case sp::invariant::arrives_out_of_order: return !channels_are_in_order();
      case sp::invariant::keeps_more_than_it_says:
        return peak(rank) > spec.in_flight(shape.ranks, shape.micro_batches, shape.chunks, said.rank);
      case sp::invariant::peak_differs_from_closed_form: return !peak_is_as_said(rank);
      case sp::invariant::gradients_complete_out_of_order: return !gradients_are_in_order(rank);
      case sp::invariant::bubble_differs_from_closed_form: return closed.known && closed.value != bubble();
      default: return false;
    }
  }
  bool all_right() {
    for (std::size_t rank = 0; rank < ops.size(); ++rank)
      if (!complete(rank)) return false;
    if (!blocks_are_right() || !slices_are_in_order() || !ends() || !channels_are_in_order()) return false;
    for (std::size_t rank = 0; rank < ops.size(); ++rank) {
      if (peak(rank) > spec.in_flight(shape.ranks, shape.micro_batches, shape.chunks, static_cast<int>(rank))) return false;
      if (!peak_is_as_said(rank)) return false;
      if (!gradients_are_in_order(rank)) return false;
    }
    return !closed.known || closed.value == bubble();
  }

private:
  const rows& ops;
  sp::table_shape shape;
  const sp::schedule_spec& spec;
  sp::closed_form closed;
  sp::peak_form peaks;
  std::map<std::pair<std::size_t, op_key>, int> finish;  // of a simulation in ticks of one op

  bool inside(const sp::op& item) const {
    return item.micro_batch < shape.micro_batches_a_chunk() && item.chunk < shape.chunks && item.slice < shape.slices;
  }
  int count(std::size_t rank, sp::op_kind kind, sp::op item) const {
    item.kind = kind;
    int found = 0;
    for (const sp::op& each : ops[rank]) found += key_of(each) == key_of(item) ? 1 : 0;
    return found;
  }
  // Behind everything when it is not there.
  int position(std::size_t rank, sp::op_kind kind, sp::op item) const {
    item.kind = kind;
    for (std::size_t at = 0; at < ops[rank].size(); ++at)
      if (key_of(ops[rank][at]) == key_of(item)) return static_cast<int>(at);
    return 1 << 20;
  }
  bool complete(std::size_t rank) const {
    std::size_t expected = 0;
    for (int chunk = 0; chunk < shape.chunks; ++chunk)
      for (int slice = 0; slice < shape.slices; ++slice)
        for (int micro_batch = 0; micro_batch < shape.micro_batches_a_chunk(); ++micro_batch) {
          const sp::op item{sp::op_kind::forward, static_cast<std::uint16_t>(micro_batch), static_cast<std::uint8_t>(chunk),
                            static_cast<std::uint8_t>(slice), false};
          const int whole = count(rank, sp::op_kind::backward, item), input = count(rank, sp::op_kind::input_gradient, item),
                    weight = count(rank, sp::op_kind::weight_gradient, item);
          if (count(rank, sp::op_kind::forward, item) != 1 || whole + input != 1 || weight != input) return false;
          expected += static_cast<std::size_t>(1 + whole + input + weight);
          const int forward = position(rank, sp::op_kind::forward, item);
          if (whole == 1 && position(rank, sp::op_kind::backward, item) < forward) return false;
          if (input == 1 && position(rank, sp::op_kind::input_gradient, item) < forward) return false;
          if (input == 1 && position(rank, sp::op_kind::weight_gradient, item) < position(rank, sp::op_kind::input_gradient, item))
            return false;
        }
    return ops[rank].size() == expected;
  }
  bool blocks_are_right() const {
    for (const auto& row : ops)
      for (std::size_t at = 0; at < row.size(); ++at) {
        if (!row[at].overlaps_next) continue;
        if (row[at].kind != sp::op_kind::forward || at + 1 == row.size()) return false;
        const sp::op& next = row[at + 1];
        if (next.kind != sp::op_kind::backward && next.kind != sp::op_kind::input_gradient) return false;
        if (next.micro_batch == row[at].micro_batch && next.chunk == row[at].chunk && next.slice == row[at].slice) return false;
      }
    return true;
  }
  static bool goes_forward(const sp::op& item) { return item.kind == sp::op_kind::forward; }
  bool slices_are_in_order() const {
    for (std::size_t rank = 0; rank < ops.size(); ++rank)
      for (std::size_t at = 0; at < ops[rank].size(); ++at) {
        const sp::op& item = ops[rank][at];
        if (item.kind == sp::op_kind::weight_gradient) continue;
        sp::op needed = item;
        if (goes_forward(item) ? item.slice == 0 : item.slice + 1 == shape.slices) continue;
        needed.slice = static_cast<std::uint8_t>(goes_forward(item) ? item.slice - 1 : item.slice + 1);
        int there = position(rank, item.kind, needed);
        if (!goes_forward(item))
          there = std::min(position(rank, sp::op_kind::backward, needed), position(rank, sp::op_kind::input_gradient, needed));
        if (there > static_cast<int>(at)) return false;
      }
    return true;
  }
  int stage(std::size_t rank, int chunk) const {
    const int own = static_cast<int>(rank);
    if (shape.layout == sp::placement::bidirectional) return chunk == 0 ? own : shape.ranks - 1 - own;
    return chunk * shape.ranks + (shape.layout == sp::placement::v_shape && chunk % 2 == 1 ? shape.ranks - 1 - own : own);
  }
  // Where the input of an op is made: rank and chunk; {-1, 0} when it needs none.
  std::pair<int, int> input(std::size_t rank, const sp::op& item) const {
    if (item.kind == sp::op_kind::weight_gradient) return {-1, 0};
    const int wanted = stage(rank, item.chunk) + (goes_forward(item) ? -1 : 1);
    for (int other = 0; other < shape.ranks; ++other)
      for (int chunk = 0; chunk < shape.chunks; ++chunk) {
        if (shape.layout == sp::placement::bidirectional && chunk != item.chunk) continue;
        if (stage(static_cast<std::size_t>(other), chunk) == wanted) return {other, chunk};
      }
    return {-1, 0};
  }
  int made_at(std::size_t rank, const sp::op& item, const std::pair<int, int>& where) const {
    (void)rank;
    sp::op wanted = item;
    wanted.chunk = static_cast<std::uint8_t>(where.second);
    const std::size_t other = static_cast<std::size_t>(where.first);
    if (goes_forward(item)) return position(other, sp::op_kind::forward, wanted);
    return std::min(position(other, sp::op_kind::backward, wanted), position(other, sp::op_kind::input_gradient, wanted));
  }
  // Plays it through op by op; F, I and W take one tick, B two, a block the sum. False when it stops.
  bool play(int& makespan) {
    std::vector<std::size_t> next(ops.size(), 0);
    std::vector<int> clock(ops.size(), 0);
    std::vector<std::vector<int>> end(ops.size());
    for (std::size_t rank = 0; rank < ops.size(); ++rank) end[rank].assign(ops[rank].size(), -1);
    const auto ticks = [](const sp::op& item) { return item.kind == sp::op_kind::backward ? 2 : 1; };
    makespan = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < ops.size(); ++rank) {
        if (next[rank] == ops[rank].size()) continue;
        const std::size_t at = next[rank];
        const std::size_t together = ops[rank][at].overlaps_next && at + 1 < ops[rank].size() ? 2 : 1;
        int start = clock[rank], cost = 0;
        bool ready = true;
        for (std::size_t half = at; half < at + together; ++half) {
          cost += ticks(ops[rank][half]);
          const auto where = input(rank, ops[rank][half]);
          if (where.first < 0) continue;
          const int made = made_at(rank, ops[rank][half], where);
          const auto& row = end[static_cast<std::size_t>(where.first)];
          if (made >= static_cast<int>(row.size()) || row[static_cast<std::size_t>(made)] < 0) {
            ready = false;
          } else {
            start = std::max(start, row[static_cast<std::size_t>(made)]);
          }
        }
        if (!ready) continue;
        clock[rank] = start + cost;
        for (std::size_t half = at; half < at + together; ++half) end[rank][half] = clock[rank];
        makespan = std::max(makespan, clock[rank]);
        next[rank] += together;
        moved = true;
      }
    }
    for (std::size_t rank = 0; rank < ops.size(); ++rank)
      if (next[rank] < ops[rank].size()) return false;
    return true;
  }
  bool ends() {
    int makespan = 0;
    return play(makespan);
  }
  sp::fraction bubble() {
    int makespan = 0;
    play(makespan);
    return sp::fraction{makespan - 3 * shape.forwards(), shape.shares()};
  }
  bool channels_are_in_order() const {
    std::map<std::tuple<int, std::size_t, bool>, int> last;
    for (std::size_t rank = 0; rank < ops.size(); ++rank)
      for (const sp::op& item : ops[rank]) {
        const auto where = input(rank, item);
        if (where.first < 0 || where.first == static_cast<int>(rank)) continue;
        const int made = made_at(rank, item, where);
        int& before = last.try_emplace({where.first, rank, goes_forward(item)}, -1).first->second;
        if (made < before) return false;
        before = made;
      }
    return true;
  }
  std::int64_t peak(std::size_t rank, sp::op_kind end = sp::op_kind::weight_gradient) const {
    std::int64_t alive = 0, most = 0;
    for (const sp::op& item : ops[rank]) {
      if (item.kind == sp::op_kind::forward) ++alive;
      if (item.kind == sp::op_kind::backward || item.kind == end) --alive;
      most = std::max(most, alive);
    }
    return most;
  }
  bool peak_is_as_said(std::size_t rank) const {
    const int own = static_cast<int>(rank);
    if (peaks.exact && peak(rank) < spec.in_flight(shape.ranks, shape.micro_batches, shape.chunks, own)) return false;
    return !peaks.until_input ||
           peak(rank, sp::op_kind::input_gradient) == peaks.value(shape.ranks, shape.micro_batches, shape.chunks, own);
  }
  bool gradients_are_in_order(std::size_t rank) const {
    if (shape.layout == sp::placement::bidirectional) return true;
    std::map<int, int> last;
    for (std::size_t at = 0; at < ops[rank].size(); ++at)
      if (ops[rank][at].kind == sp::op_kind::backward || ops[rank][at].kind == sp::op_kind::weight_gradient)
        last[ops[rank][at].chunk] = static_cast<int>(at);
    for (int chunk = 1; chunk < shape.chunks; ++chunk)
      if (last[chunk] > last[chunk - 1]) return false;
    return true;
  }
};

std::size_t below(std::mt19937& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

rows corrupted(const rows& good, std::mt19937& random) {
  rows bad = good;
  auto& row = bad[below(random, bad.size())];
  const std::size_t one = below(random, row.size()), other = below(random, row.size());
  const auto offset = [](std::size_t at) { return static_cast<std::ptrdiff_t>(at); };
  switch (below(random, 7)) {
    case 0: std::swap(row[one], row[other]); break;
    case 1: std::swap(row[one], row[one + 1 < row.size() ? one + 1 : 0]); break;
    case 2: row.erase(row.begin() + offset(one)); break;
    case 3: row.insert(row.begin() + offset(other), row[one]); break;
    case 4: {  // moved
      const sp::op item = row[one];
      row.erase(row.begin() + offset(one));
      row.insert(row.begin() + offset(other < row.size() ? other : row.size()), item);
      break;
    }
    case 5: {  // to another rank
      const sp::op item = row[one];
      row.erase(row.begin() + offset(one));
      auto& there = bad[below(random, bad.size())];
      there.insert(there.begin() + offset(below(random, there.size() + 1)), item);
      break;
    }
    default: {  // another op in its place
      sp::op& item = row[one];
      if (random() % 2 == 0) {
        item.kind = static_cast<sp::op_kind>(random() % 4);
      } else {
        item.micro_batch = static_cast<std::uint16_t>(random() % 12);
        item.chunk = static_cast<std::uint8_t>(random() % 3);
      }
    }
  }
  return bad;
}

// Ticks that a rank works: as many as every other on equal stages, when each op is there once.
int busy(const std::vector<sp::op>& row) {
  int ticks = 0;
  for (const sp::op& item : row) ticks += item.kind == sp::op_kind::backward ? 2 : 1;
  return ticks;
}

template <class Schedule>
void corrupt(int ranks, int micro_batches, std::set<sp::invariant>& named) {
  INFO(Schedule::spec.name.c_str());
  const sp::op_table good = sp::op_table::of<Schedule>(ranks, micro_batches);
  const sp::closed_form bubble = sp::closed_bubble<Schedule>(ranks, micro_batches, sp::stage_times{});
  const sp::peak_form peaks = sp::peak_form_of<Schedule>();
  REQUIRE(sp::prove<Schedule>(good).empty());
  rows ops;
  for (int rank = 0; rank < ranks; ++rank) {
    ops.emplace_back();
    for (int at = 0; at < good.size(rank); ++at) ops.back().push_back(good.at(rank, at));
  }
  REQUIRE(checker(ops, good.shape, Schedule::spec, bubble, peaks).all_right());
  std::mt19937 random{17};
  int refused = 0, wrong = 0, unnamed = 0, unequal = 0;
  const int tries = 1500;
  for (int turn = 0; turn < tries; ++turn) {
    const rows bad = corrupted(ops, random);
    sp::op_table table{good.shape};
    for (int rank = 0; rank < ranks; ++rank)
      for (const sp::op& item : bad[static_cast<std::size_t>(rank)]) table.rank(rank).add(item);
    table.close();
    const sp::broken_invariants found = sp::prove<Schedule>(table);
    checker check{bad, good.shape, Schedule::spec, bubble, peaks};
    if (found.empty() != check.all_right()) ++wrong;
    for (const sp::broken_invariant& item : found) {
      if (!check.confirms(item)) ++unnamed;
      named.insert(item.what);
    }
    if (!found.empty()) ++refused;
    // No name of its own: whoever works longer than others has an op too many, or too few.
    for (const auto& row : bad)
      if (busy(row) != 3 * good.shape.forwards() && found.empty()) ++unequal;
  }
  CHECK(wrong == 0);
  CHECK(unnamed == 0);
  CHECK(unequal == 0);
  CHECK(refused > tries / 2);
}

}  // namespace

TEST_CASE("corrupted tables are refused by their right names, and only they") {
  std::set<sp::invariant> named;
  corrupt<s::gpipe>(3, 4, named);
  corrupt<s::one_f_one_b>(4, 6, named);
  corrupt<s::eager_1f1b>(4, 6, named);
  corrupt<s::interleaved<2>>(3, 6, named);
  corrupt<s::looped_bfs<2>>(3, 4, named);
  corrupt<s::zb_h1>(4, 6, named);
  corrupt<s::interleaved_zb<2>>(3, 6, named);
  corrupt<s::grouped_interleaved<2, 2>>(3, 4, named);
  corrupt<s::zb_h2>(3, 6, named);
  corrupt<s::zb_v>(3, 6, named);
  corrupt<s::dual_pipe>(4, 8, named);
  corrupt<s::dual_pipe_v>(2, 5, named);
  corrupt<s::chimera>(4, 8, named);
  corrupt<s::seq_1f1b<2>>(3, 4, named);
  corrupt<s::hanayo<1>>(3, 3, named);
  corrupt<s::v_half>(3, 6, named);
  corrupt<s::v_min>(3, 6, named);
  corrupt<s::one_f_one_b_v>(3, 6, named);
  corrupt<s::zb_capped<3>>(4, 6, named);
  corrupt<s::pipedream>(4, 6, named);
  corrupt<s::pipedream_2bw>(3, 6, named);
  // Every name was needed. Two never are: what they say follows from the others for any table that can be written.
  for (int what = 1; what <= static_cast<int>(sp::invariant::faster_than_possible); ++what) {
    const sp::invariant each = static_cast<sp::invariant>(what);
    if (each == sp::invariant::sends_more_or_less || each == sp::invariant::faster_than_possible) continue;
    INFO("invariant " << what);
    CHECK(named.count(each) == 1);
  }
}

TEST_CASE("peaks that differ from an exact form, and bounds that are none, are named") {
  // A rank that runs one forward later keeps less than 1F1B says.
  sp::op_table table{{2, 3, 1, 1, sp::placement::loop}};
  table.rank(0).forward(0);
  table.rank(0).backward(0);
  for (int count = 1; count < 3; ++count) {
    table.rank(0).forward(count);
    table.rank(0).backward(count);
  }
  for (int count = 0; count < 3; ++count) {
    table.rank(1).forward(count);
    table.rank(1).backward(count);
  }
  table.close();
  const sp::broken_invariants found = sp::prove<s::one_f_one_b>(table);
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == sp::invariant::peak_differs_from_closed_form);
  CHECK((found[0].rank == 0 && found[0].says == 2 && found[0].found == 1));
  // Without a form of its own there is nothing to differ from.
  CHECK(sp::prove(table, s::one_f_one_b::spec).empty());
}
