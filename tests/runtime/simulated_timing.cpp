// SPDX-License-Identifier: BSL-1.0
// The schedule of a spec played at run time: equal to that of a plan type, and how far the closed forms of `timing` are from it.
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/simulated_timing.hpp>
#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/schedule/zb_capped.hpp>
#include <shardplan/shardplan.hpp>

#include "catch.hpp"

#include <cmath>
#include <cstdint>

namespace sp = shardplan;

namespace {

template <class... More>
using run = sp::plan<sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>, sp::micro_batch<1>, sp::zero<1>, More...>;

bool near(double left, double right, double share) { return std::abs(left - right) <= share * std::abs(right); }

template <class Plan>
void equal_to_its_spec(const char* name) {
  INFO(name << ", pp " << Plan::spec.pp << ", m " << Plan::micro_batches);
  constexpr sp::timing_report typed = sp::simulated_timing<Plan>;
  const sp::played_timing found = sp::simulated_timing_of(Plan::spec);
  REQUIRE(typed.step > 0);
  CHECK(found.played == (Plan::spec.pp > 1));
  CHECK(near(found.step, typed.step, 1e-12));
  CHECK(near(found.bubble, typed.bubble, 1e-9));
  CHECK(near(found.mfu, typed.mfu, 1e-12));
  for (int at = 0; at < sp::channel_count; ++at) CHECK(near(found.exposed[at], typed.exposed[at], 1e-9));
}

template <class Schedule, class... More>
void equal_at_sizes(const char* name) {
  using dense = sp::model<sp::models::llama3_8b>;
  using routed = sp::model<sp::models::mixtral_8x7b>;
  equal_to_its_spec<run<dense, sp::tp<4>, sp::pp<4>, sp::global_batch<16>, sp::schedule<Schedule>, More...>>(name);
  equal_to_its_spec<
      run<dense, sp::tp<2>, sp::pp<8>, sp::recompute<sp::recomputes::full>, sp::global_batch<32>, sp::schedule<Schedule>, More...>>(name);
  equal_to_its_spec<run<routed, sp::tp<2>, sp::ep<2>, sp::pp<2>, sp::global_batch<64>, sp::schedule<Schedule>, More...>>(name);
}

// Rank 0 wants the gradient of its first micro-batch back before it sends the second, which rank 1 waits for.
struct stuck {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 2; }
  template <class Out>
  static constexpr void fill(Out& out, int, int micro_batches, int rank) {
    const int ahead = rank == 1 ? 1 : 0;
    for (int count = 0; count < micro_batches + ahead; ++count) {
      if (count < micro_batches) out.forward(count);
      if (count >= ahead) out.backward(count - ahead);
    }
  }
  static constexpr sp::schedule_spec spec{.name = "stuck", .in_flight = &in_flight};
};

}  // namespace

TEST_CASE("a spec's schedule takes what its type takes") {
  namespace schedules = sp::schedules;
  equal_at_sizes<schedules::gpipe>("gpipe");
  equal_at_sizes<schedules::one_f_one_b>("one_f_one_b");
  equal_at_sizes<schedules::eager_1f1b>("eager_1f1b");
  equal_at_sizes<schedules::interleaved<2>>("interleaved<2>");
  equal_at_sizes<schedules::interleaved<4>>("interleaved<4>");
  equal_at_sizes<schedules::looped_bfs<2>>("looped_bfs<2>");
  equal_at_sizes<schedules::zb_h1>("zb_h1");
  equal_at_sizes<schedules::interleaved_zb<2>>("interleaved_zb<2>");
  equal_at_sizes<schedules::zb_h2>("zb_h2");
  equal_at_sizes<schedules::zb_v>("zb_v");
  equal_at_sizes<schedules::v_half>("v_half");
  equal_at_sizes<schedules::v_min>("v_min");
  equal_at_sizes<schedules::dual_pipe>("dual_pipe");
  equal_at_sizes<schedules::dual_pipe_v>("dual_pipe_v");
  equal_at_sizes<schedules::chimera>("chimera");
  equal_at_sizes<schedules::seq_1f1b<4>>("seq_1f1b<4>");
  equal_at_sizes<schedules::hanayo<2>>("hanayo<2>");
  equal_at_sizes<schedules::pipedream>("pipedream");
  equal_to_its_spec<run<sp::model<sp::models::llama3_8b>, sp::tp<8>, sp::global_batch<16>>>("no pipeline");
}

TEST_CASE("what of a spec is played") {
  const sp::plan_spec base = run<sp::model<sp::models::llama3_8b>, sp::tp<4>, sp::pp<4>, sp::global_batch<16>>::spec;
  const auto with = [&](const sp::schedule_spec& schedule) {
    sp::plan_spec spec = base;
    spec.schedule = schedule;
    return spec;
  };
  const auto closed = [](const sp::plan_spec& spec) {
    const sp::played_timing found = sp::simulated_timing_of(spec);
    return !found.played && found.step == sp::step_timing(spec).step;
  };

  SECTION("a built-in one with other chunks, as a reader of files makes it") {
    sp::plan_spec read = with(*sp::schedules::named("interleaved"));
    read.schedule.chunks = 8;
    const sp::played_timing found = sp::simulated_timing_of(read);
    CHECK(found.played);
    CHECK(found.step == sp::simulated_timing_of(with(sp::schedules::interleaved<8>::spec)).step);
  }
  SECTION("one that is not built in, when it is named") {
    using torch = sp::schedules::interleaved<2, sp::groups::torch>;
    for (const sp::schedule_spec& own : {sp::schedules::zb_capped<3>::spec, torch::spec}) CHECK(closed(with(own)));
    CHECK(sp::simulated_timing_of<sp::schedules::zb_capped<3>>(with(sp::schedules::zb_capped<3>::spec)).played);
    CHECK(sp::simulated_timing_of<torch>(with(torch::spec)).played);
    // Another limit is another schedule of that name.
    CHECK_FALSE(sp::simulated_timing_of<sp::schedules::zb_capped<4>>(with(sp::schedules::zb_capped<17>::spec)).played);
  }
  SECTION("none that cannot be") {
    sp::plan_spec many = with(sp::schedules::interleaved<2>::spec);
    many.schedule.chunks = 32;
    many.model.layers = 128;
    REQUIRE(sp::step_timing(many).step > 0);
    CHECK(closed(many));
    CHECK(closed(with(stuck::spec)));
    const sp::played_timing waits = sp::simulated_timing_of<stuck>(with(stuck::spec));
    CHECK_FALSE(waits.played);
    CHECK(waits.step == sp::step_timing(with(stuck::spec)).step);
    sp::plan_spec long_one = base;
    long_one.global_batch = 1 << 20;
    CHECK(closed(long_one));
    sp::plan_spec broken = base;
    broken.pp = 3;
    CHECK(sp::simulated_timing_of(broken).step == 0);
    CHECK_FALSE(sp::simulated_timing_of(broken).played);
    CHECK_FALSE(sp::simulated_timing_of(sp::plan_spec{}).played);
  }
  SECTION("equal neighbours are one answer, uneven ones are not") {
    sp::plan_spec uneven = base;
    for (const std::int64_t layers : {9, 9, 9, 5}) uneven.layer_split.counts.push_back(layers);
    CHECK(sp::simulated_timing_of(uneven).step < sp::simulated_timing_of(base).step);
    const sp::traffic_layout layout = sp::traffic_layout_of(uneven);
    sp::stage_times times[4]{};
    sp::detail::fill_nanoseconds(times, uneven, layout, sp::default_timing_constants, sp::default_traffic_options);
    for (int stage = 0; stage < 4; ++stage) {
      const sp::stage_times alone = sp::nanoseconds_of_stage(uneven, layout, stage);
      CHECK(times[stage].forward == alone.forward);
      CHECK(times[stage].input_gradient == alone.input_gradient);
      CHECK(times[stage].weight_gradient == alone.weight_gradient);
      CHECK(times[stage].transfer == alone.transfer);
    }
  }
}
