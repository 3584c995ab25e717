// SPDX-License-Identifier: BSL-1.0
// A long step from a short one: never another figure than the whole table's.
#include "../catch.hpp"

#include <shardplan/schedule/extended_play.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/play.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace sp = shardplan;

namespace {

struct cuts {
  std::vector<sp::detail::cut_place> of;
};

// How uneven the stages are.
enum class unevenness { ends, some, much };

std::vector<sp::stage_times> times_of(std::int64_t stages, unevenness how, std::mt19937& random) {
  std::vector<sp::stage_times> times;
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  const std::int64_t head = between(0, 400), embedding = between(0, 60), sent = between(0, 100);
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    sp::stage_times one{1000, 1000, 1000};
    one.transfer = sent;
    if (how == unevenness::ends) {
      if (stage == 0) one.forward = 1000 + embedding;
      if (stage == stages - 1) one.forward = one.input_gradient = one.weight_gradient = 1000 + head;
    } else {
      const std::int64_t most = how == unevenness::some ? 1100 : 9;
      const std::int64_t least = how == unevenness::some ? 900 : 1;
      one = {between(least, most), between(least, most), between(least, most)};
      one.transfer = between(0, most / 3);
    }
    times.push_back(one);
  }
  return times;
}

// Where the order repeats itself: the longer one is the shorter one with a period more at any place of its middle.
template <class Schedule>
void check_order(std::int64_t ranks, std::int64_t micro_batches) {
  const int period = static_cast<int>(Schedule::repeats_after(ranks));
  const sp::op_table less = sp::op_table::of<Schedule>(ranks, micro_batches);
  const sp::op_table more = sp::op_table::of<Schedule>(ranks, micro_batches + period);
  for (int rank = 0; rank < ranks; ++rank) {
    const int size = less.size(rank);
    const int each = size / static_cast<int>(micro_batches) * period;
    const auto repeats = [&](const sp::op_table& table, int at) {
      sp::op before = table.at(rank, at - each);
      before.micro_batch = static_cast<std::uint16_t>(before.micro_batch + period);
      return table.at(rank, at) == before;
    };
    REQUIRE(more.size(rank) == size + each);
    int from = each;
    while (from < size && !repeats(less, from)) ++from;
    int to = from;
    while (to < size && repeats(less, to)) ++to;
    REQUIRE(to > from);
    int wrong = 0;
    for (int at = 0; at < to; ++at) wrong += less.at(rank, at) != more.at(rank, at);
    for (int at = to; at < size + each; ++at) wrong += !(at - each < size);
    for (int at = from; at < size + each; ++at) {
      sp::op before = less.at(rank, at - each);
      before.micro_batch = static_cast<std::uint16_t>(before.micro_batch + period);
      wrong += more.at(rank, at) != before;
    }
    CHECK(wrong == 0);
  }
}

struct outcome {
  int plays = 0;
  int extended = 0;
};

template <class Schedule>
outcome check(unevenness how) {
  std::mt19937 random(7);
  outcome all;
  for (const std::int64_t ranks : {2, 3, 4, 5, 8, 12})
    for (int turn = 0; turn < 16; ++turn) {
      const std::int64_t period = Schedule::repeats_after(ranks);
      const std::int64_t step = period == 1 || ranks % period != 0 ? 1 : period;
      const std::int64_t micro_batches = 3 * ranks + step * static_cast<std::int64_t>(1 + random() % 24);
      const std::int64_t fewer = sp::detail::shortened(Schedule::spec, ranks, micro_batches);
      if (!Schedule::spec.ends(ranks, micro_batches, Schedule::spec.chunks) || fewer == micro_batches) continue;
      INFO("ranks " << ranks << ", micro-batches " << micro_batches << ", played " << fewer);
      CHECK((micro_batches - fewer) % period == 0);
      const sp::op_table whole = sp::op_table::of<Schedule>(ranks, micro_batches);
      const sp::op_table part = sp::op_table::of<Schedule>(ranks, fewer);
      if (!part.ends || !whole.ends) continue;
      if (turn == 0) check_order<Schedule>(ranks, fewer);
      const std::vector<sp::stage_times> times = times_of(Schedule::spec.stages(ranks), how, random);
      const std::int64_t expected = sp::detail::play(whole, times.data(), false).makespan;
      ++all.plays;
      // A period of the times that does not divide what is left asks for a few micro-batches more.
      std::int64_t played = fewer;
      for (int attempt = 0; attempt < 2; ++attempt) {
        const sp::op_table part_of_it = sp::op_table::of<Schedule>(ranks, played);
        auto ends = part_of_it.new_ends();
        const std::int64_t makespan = sp::detail::play(part_of_it, times.data(), false, 1, &ends).makespan;
        cuts cut{std::vector<sp::detail::cut_place>(static_cast<std::size_t>(ranks))};
        const sp::detail::found_period found = sp::detail::period_of_times(part_of_it, ends, period, cut);
        if (found.micro_batches == 0) break;  // nothing is said
        CHECK(found.micro_batches % period == 0);
        const std::int64_t rest = (micro_batches - played) % found.micro_batches;
        if (rest == 0) {
          ++all.extended;
          CHECK(makespan + (micro_batches - played) / found.micro_batches * found.ticks == expected);
          break;
        }
        played += rest;
      }
    }
  CHECK(all.plays > 0);
  return all;
}

template <class Schedule>
void check_all(bool at_once) {
  // Where stages differ at the ends alone, as most models' do, 1F1B and its interleaved form nearly always come to their pace at once.
  const outcome ends = check<Schedule>(unevenness::ends);
  if (at_once) CHECK(10 * ends.extended >= 9 * ends.plays);
  const outcome some = check<Schedule>(unevenness::some), much = check<Schedule>(unevenness::much);
  CHECK(some.extended + much.extended > 0);
}

}  // namespace

TEST_CASE("extended play: exact or nothing") {
  using namespace sp::schedules;
  SECTION("1F1B") { check_all<one_f_one_b>(true); }
  SECTION("interleaved, 2 chunks") { check_all<interleaved<2>>(true); }
  SECTION("interleaved, 4 chunks") { check_all<interleaved<4>>(true); }
  SECTION("interleaved, groups of 6") { check_all<interleaved<2, 6>>(false); }
}

TEST_CASE("extended play: who says nothing is played in full") {
  sp::schedule_spec order = sp::schedules::one_f_one_b::spec;
  CHECK(sp::detail::shortened(order, 4, 100) == 12);
  CHECK(sp::detail::shortened(order, 4, 12) == 12);
  CHECK(sp::detail::shortened(sp::schedules::interleaved<2>::spec, 4, 102) == 14);
  CHECK(sp::detail::shortened(sp::schedules::interleaved<2, sp::groups::torch>::spec, 4, 100) == 100);
  order.drains = false;
  CHECK(sp::detail::shortened(order, 4, 100) == 100);
}
