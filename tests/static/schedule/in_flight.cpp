// SPDX-License-Identifier: BSL-1.0
// The closed forms of live activations against the order of operations on each rank, played through.
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

using namespace shardplan;

// Counts what is alive while a rank plays its operations: +1 a forward, -1 a backward.
struct tape {
  std::int64_t alive = 0;
  std::int64_t most = 0;
  std::int64_t forwards = 0;
  std::int64_t backwards = 0;
  constexpr void forward() {
    ++forwards;
    if (++alive > most) most = alive;
  }
  constexpr void backward() {
    ++backwards;
    --alive;
  }
};

// torch.distributed.pipelining ScheduleGPipe: all forwards, all backwards.
constexpr tape play_gpipe(std::int64_t m) {
  tape rank;
  for (std::int64_t i = 0; i < m; ++i) rank.forward();
  for (std::int64_t i = 0; i < m; ++i) rank.backward();
  return rank;
}

// Megatron-LM forward_backward_pipelining_without_interleaving: warm-up, steady one and one, cool-down.
constexpr tape play_one_f_one_b(std::int64_t p, std::int64_t m, std::int64_t rank_index) {
  tape rank;
  std::int64_t warm_up = p - rank_index - 1;
  if (warm_up > m) warm_up = m;
  for (std::int64_t i = 0; i < warm_up; ++i) rank.forward();
  for (std::int64_t i = 0; i < m - warm_up; ++i) {
    rank.forward();
    rank.backward();
  }
  for (std::int64_t i = 0; i < warm_up; ++i) rank.backward();
  return rank;
}

constexpr bool closed_forms_are_right() {
  for (std::int64_t p = 1; p <= 9; ++p)
    for (std::int64_t m = 1; m <= 20; ++m)
      for (std::int64_t rank = 0; rank < p; ++rank) {
        const tape first = play_gpipe(m);
        const tape second = play_one_f_one_b(p, m, rank);
        if (first.forwards != m || first.backwards != m || second.forwards != m || second.backwards != m) return false;
        if (schedules::gpipe::spec.in_flight(p, m, 1, rank) != first.most) return false;
        if (schedules::one_f_one_b::spec.in_flight(p, m, 1, rank) != second.most) return false;
      }
  return true;
}
static_assert(closed_forms_are_right());

// facts/memory.md, trap 1: rank 0 holds min(m, p), not p
static_assert(schedules::one_f_one_b::spec.in_flight(8, 3, 1, 0) == 3 && schedules::one_f_one_b::spec.in_flight(8, 64, 1, 0) == 8);
static_assert(schedules::one_f_one_b::spec.in_flight(8, 64, 1, 7) == 1 && schedules::gpipe::spec.in_flight(8, 64, 1, 7) == 64);
// a schedule that does not say is refused by the plan: 1 is the least
static_assert(schedule_spec{}.in_flight(4, 8, 1, 0) == 0 && schedule_spec{}.chunks == 1 && schedule_spec{}.layout == placement::loop);

// each stage is one chunk of one rank, and neighbours are where Megatron-LM and the V-schedules put them
constexpr bool places_each_stage_once(placement layout) {
  for (std::int64_t p = 1; p <= 6; ++p)
    for (std::int64_t v = 1; v <= 5; ++v) {
      bool seen[30]{};
      for (std::int64_t rank = 0; rank < p; ++rank)
        for (std::int64_t chunk = 0; chunk < v; ++chunk) {
          const std::int64_t stage = stage_of_chunk(layout, p, chunk, rank);
          if (stage < 0 || stage >= p * v || seen[stage]) return false;
          seen[stage] = true;
        }
    }
  return true;
}
static_assert(places_each_stage_once(placement::loop) && places_each_stage_once(placement::v_shape));
static_assert(stage_of_chunk(placement::loop, 4, 1, 0) == 4 && stage_of_chunk(placement::loop, 4, 1, 3) == 7);
static_assert(stage_of_chunk(placement::v_shape, 4, 1, 3) == 4 && stage_of_chunk(placement::v_shape, 4, 1, 0) == 7 &&
              stage_of_chunk(placement::v_shape, 4, 2, 0) == 8);

// by name
static_assert(*schedules::named("gpipe") == schedules::gpipe::spec && *schedules::named("one_f_one_b") == schedules::one_f_one_b::spec);
static_assert(schedules::named("two_f_two_b") == nullptr && schedules::named("") == nullptr);
static_assert(!(schedules::gpipe::spec == schedules::one_f_one_b::spec));

struct no_schedule {
  static constexpr int spec = 1;
};
static_assert(pipeline_schedule<schedules::gpipe> && !pipeline_schedule<no_schedule> && !pipeline_schedule<int>);
