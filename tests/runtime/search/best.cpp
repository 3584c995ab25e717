// SPDX-License-Identifier: BSL-1.0
// The search against nested loops over `evaluate` and `step_timing` that know nothing of it, and laws.
#include "../catch.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/schedule/dual_pipe.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/seq_1f1b.hpp>
#include <shardplan/schedule/zb_v.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace sp = shardplan;

namespace {

// The space of a test, as a program would write it down.
struct lists {
  std::vector<std::int64_t> devices, cp{1}, ep{1}, etp{1}, tp{1}, pp{1};
  std::vector<sp::sharding_choice> sharding{{0, {}}};
  std::vector<std::int64_t> micro_batch{1};
  std::vector<sp::recomputes> recompute{sp::recomputes::none};
  std::vector<sp::schedule_spec> schedule{sp::schedules::one_f_one_b::spec};
};

template <class Search, class Values>
void copy_into(Search& list, const Values& values) {
  for (const auto& value : values) list.push_back(value);
}
sp::search_space space_from(const lists& said) {
  sp::search_space space{};
  copy_into(space.devices, said.devices);
  copy_into(space.cp, said.cp);
  copy_into(space.ep, said.ep);
  copy_into(space.etp, said.etp);
  copy_into(space.tp, said.tp);
  copy_into(space.pp, said.pp);
  copy_into(space.sharding, said.sharding);
  copy_into(space.micro_batch, said.micro_batch);
  copy_into(space.recompute, said.recompute);
  copy_into(space.schedule, said.schedule);
  return space;
}

struct fitting_plan {
  sp::plan_spec spec{};
  std::int64_t devices = 0;
  std::int64_t memory = 0;
  std::int64_t nanoseconds = 0;
};
struct brute {
  std::vector<fitting_plan> plans;  // in the order of the loops
  std::int64_t considered = 0;
  std::int64_t refused[sp::rule_slots]{};
};

// Every plan, one after the other. The lists of a test are ascending, so that the loops run in the order that breaks ties.
brute all_plans(const sp::plan_spec& fixed, const lists& said) {
  brute all;
  const auto judge = [&](const sp::plan_spec& spec) {
    ++all.considered;
    const sp::evaluation verdict = sp::evaluate(spec, sp::remedy_search::off);
    if (!verdict.violations.empty()) {
      ++all.refused[static_cast<int>(verdict.violations[0].broken)];
      return;
    }
    all.plans.push_back({spec, verdict.world_size, verdict.peak_memory.count, static_cast<std::int64_t>(sp::step_timing(spec).step * 1e9)});
  };
  const std::int64_t node = fixed.devices_per_node;
  const std::vector<std::int64_t> devices = said.devices.empty() ? std::vector<std::int64_t>{node * fixed.nodes} : said.devices;
  for (const std::int64_t used : devices)
    for (const std::int64_t cp : said.cp)
      for (const std::int64_t ep : said.ep)
        for (const std::int64_t etp : said.etp)
          for (const std::int64_t tp : said.tp)
            for (const std::int64_t pp : said.pp)
              for (const sp::sharding_choice& sharding : said.sharding)
                for (const std::int64_t micro : said.micro_batch)
                  for (const sp::recomputes recompute : said.recompute)
                    for (const sp::schedule_spec& schedule : said.schedule) {
                      sp::plan_spec spec = fixed;
                      if (!said.devices.empty()) {
                        spec.devices_per_node = used < node ? used : node;
                        spec.nodes = used < node ? 1 : used / node;
                      }
                      spec.cp = cp;
                      spec.ep = ep;
                      spec.etp = etp;
                      spec.tp = tp;
                      spec.pp = pp;
                      spec.zero = sharding.zero;
                      spec.sharding = sharding.sharding;
                      spec.micro_batch = micro;
                      spec.recompute = recompute;
                      spec.schedule = schedule;
                      judge(spec);
                    }
  return all;
}

std::tuple<std::int64_t, std::int64_t, std::int64_t> figures_by(sp::objective by, const fitting_plan& one) {
  if (by == sp::objective::step_time) return {one.nanoseconds, one.devices, one.memory};
  if (by == sp::objective::memory) return {one.memory, one.devices, one.nanoseconds};
  return {one.devices, one.nanoseconds, one.memory};
}

// Whether two plans without a pipeline differ in nothing but the schedule, and need the same.
bool are_one_plan(const fitting_plan& left, const fitting_plan& right) {
  if (left.spec.pp != 1 || left.memory != right.memory) return false;
  sp::plan_spec other = right.spec;
  other.schedule = left.spec.schedule;
  return other == left.spec;
}

std::vector<fitting_plan> ranked(const brute& all, sp::objective by) {
  std::vector<fitting_plan> plans;
  for (const fitting_plan& one : all.plans)
    if (std::none_of(plans.rbegin(), plans.rbegin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(plans.size(), 16)),
                     [&](const fitting_plan& known) { return are_one_plan(known, one); }))
      plans.push_back(one);
  // What is equal stays as it came. (std::stable_sort of libstdc++ 12 is deprecated code to Clang 19.)
  std::vector<std::pair<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t>> places;
  for (std::size_t at = 0; at < plans.size(); ++at) places.emplace_back(figures_by(by, plans[at]), at);
  std::sort(places.begin(), places.end());
  std::vector<fitting_plan> in_order;
  for (const auto& place : places) in_order.push_back(plans[place.second]);
  return in_order;
}

sp::plan_spec run_of(const sp::transformer& model, const sp::device_spec& device, std::int64_t nodes, std::int64_t sequence,
                     std::int64_t batch) {
  sp::plan_spec spec{};
  spec.model = model;
  spec.device = device;
  spec.devices_per_node = 8;
  spec.nodes = nodes;
  spec.sequence = sequence;
  spec.global_batch = batch;
  return spec;
}

constexpr sp::sharding_choice fsdp_choice{0, {sp::shard_layout::tensors}};
constexpr sp::sharding_choice buckets_choice{1, {sp::shard_layout::megatron_buckets}};
sp::sharding_choice group_choice(std::int64_t stage, std::int64_t ranks) {
  sp::sharding_choice choice{stage, {}};
  choice.sharding.ranks = ranks;
  return choice;
}

// A schedule of one's own that keeps most on a rank in the middle.
constexpr std::int64_t most_in_the_middle(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
  const std::int64_t alive = rank == ranks / 2 ? 2 * ranks : 1;
  return alive < micro_batches ? alive : micro_batches;
}
constexpr sp::schedule_spec hump{.name = "hump", .in_flight = &most_in_the_middle};

struct question {
  const char* name;
  sp::plan_spec fixed;
  lists said;
};

std::vector<question> questions() {
  using namespace sp::schedules;
  using sp::recomputes;
  const sp::device_spec a100 = sp::devices::a100_sxm_80gb::spec;
  const sp::device_spec h100 = sp::devices::h100_sxm_80gb::spec;
  std::vector<question> asked;

  lists dense;
  dense.tp = {1, 2, 3, 4, 8};
  dense.pp = {1, 2, 3, 4, 8};
  dense.sharding = {{0, {}}, {1, {}}, {2, {}}, {3, {}}};
  dense.micro_batch = {1, 2, 3, 4};
  dense.recompute = {recomputes::none, recomputes::full, recomputes::layernorm | recomputes::mlp_act};
  dense.schedule = {one_f_one_b::spec, gpipe::spec, zb_h1::spec, interleaved<2>::spec, zb_v::spec, interleaved<4>::spec};
  asked.push_back({"7B on 8", run_of(sp::models::llama2_7b::shape, a100, 1, 4096, 64), dense});
  asked.push_back({"70B on 64", run_of(sp::models::llama2_70b::shape, h100, 8, 4096, 256), dense});
  asked.push_back({"1B, tied", run_of(sp::models::llama3_2_1b::shape, a100, 1, 8192, 96), dense});

  question half = asked[1];
  half.name = "70B under Megatron-LM, cp, several sizes";
  half.fixed.framework = sp::frameworks::megatron;
  half.said.cp = {1, 2, 4};
  half.said.devices = {2, 8, 32, 64};
  half.said.sharding = {{0, {}}, group_choice(1, 4), buckets_choice, {2, {}}};
  asked.push_back(half);

  question pipe = asked[0];
  pipe.name = "7B under DeepSpeed";
  pipe.fixed.framework = sp::frameworks::deepspeed;
  pipe.said.cp = {1, 2};
  pipe.said.sharding.push_back(group_choice(3, 2));
  asked.push_back(pipe);

  question torch = asked[1];
  torch.name = "70B under torchtitan";
  torch.fixed.framework = sp::frameworks::torchtitan;
  torch.said.cp = {1, 2};
  torch.said.sharding = {{0, {}}, fsdp_choice, group_choice(0, 8)};
  torch.said.schedule = {one_f_one_b::spec, interleaved<2, sp::groups::torch>::spec, seq_1f1b<2>::spec};
  asked.push_back(torch);

  lists sparse = dense;
  sparse.ep = {1, 2, 3, 8, 16};
  sparse.etp = {1, 2};
  sparse.tp = {1, 2, 8};
  sparse.pp = {1, 2, 4};
  sparse.micro_batch = {1, 2};
  sparse.schedule = {one_f_one_b::spec, interleaved<2>::spec, dual_pipe::spec};
  asked.push_back({"8 x 7B on 64", run_of(sp::models::mixtral_8x7b::shape, h100, 8, 4096, 256), sparse});

  question latent{"DeepSeek-V3 on 2,048", run_of(sp::models::deepseek_v3::shape, h100, 256, 4096, 4096), sparse};
  latent.said.ep = {8, 64};
  latent.said.tp = {1, 8};
  latent.said.pp = {1, 4, 16, 61};
  latent.said.etp = {1};
  latent.said.sharding = {{1, {}}, {2, {}}, {3, {}}, fsdp_choice};
  asked.push_back(latent);

  question split{"70B, layers laid out by hand, groups", run_of(sp::models::llama2_70b::shape, h100, 8, 4096, 256), dense};
  for (const std::int64_t layers : {19, 21, 21, 19}) split.fixed.layer_split.push_back(layers);
  split.said.sharding = {{0, {}}, group_choice(1, 3), group_choice(1, 4), {3, {}}};
  split.said.schedule = {one_f_one_b::spec, gpipe::spec, hump, interleaved<2>::spec, zb_v::spec};
  asked.push_back(split);

  question uneven{"70B, most in the middle", run_of(sp::models::llama2_70b::shape, h100, 8, 4096, 256), dense};
  uneven.said.tp = {2, 4, 8};
  uneven.said.pp = {2, 4, 5, 8, 16};
  uneven.said.schedule = {one_f_one_b::spec, hump};
  asked.push_back(uneven);

  question slots{"405B with slots, dp said", run_of(sp::models::llama3_1_405b::shape, h100, 128, 8192, 512), dense};
  slots.fixed.layer_split.embedding_slot = slots.fixed.layer_split.loss_slot = 1;
  slots.fixed.dp = 8;
  slots.said.tp = {4, 8};
  slots.said.pp = {8, 16, 32};
  asked.push_back(slots);

  question hosts = asked[1];
  hosts.name = "70B, states on hosts of 600 GiB";
  hosts.fixed.offload.states = sp::storage::host;
  hosts.fixed.host_memory_gibibytes = 600;
  hosts.said.schedule = {one_f_one_b::spec};
  asked.push_back(hosts);

  question groups = asked[0];
  groups.name = "7B, groups of layers recomputed, batch in three numbers";
  groups.fixed.recompute_layers = {sp::recompute_methods::uniform, 4};
  groups.fixed.accumulation = 8;
  asked.push_back(groups);

  question quantised = asked[1];
  quantised.name = "70B with ZeRO++, gradients late or in two levels";
  quantised.fixed.context_exchange = sp::context_exchanges::ring;
  quantised.fixed.communication = {.context_inner = 2, .late_sync = true, .weight_bits = 8, .gradient_bits = 4, .node_ranks = 6};
  quantised.said.cp = {1, 2, 3, 4};
  quantised.said.devices = {24, 48, 64};
  quantised.said.sharding = {{0, {}}, {1, {}}, {3, {}}, fsdp_choice, group_choice(0, 4), group_choice(3, 12)};
  quantised.said.schedule = {one_f_one_b::spec, interleaved<2>::spec};
  asked.push_back(quantised);

  question dispatched = asked[6];
  dispatched.name = "8 x 7B with FP8 dispatch";
  dispatched.fixed.communication = {.dispatch_bits = 8, .dispatch_scale_block = 128, .gradient_bits = 4, .node_ranks = 3};
  asked.push_back(dispatched);

  question dealt{"8B under torchtitan, layers dealt out", run_of(sp::models::llama3_8b::shape, h100, 3, 4096, 192), dense};
  dealt.fixed.framework = sp::frameworks::torchtitan;
  dealt.said.tp = {1, 2, 8};
  dealt.said.pp = {1, 2, 3, 4, 6, 12};
  dealt.said.sharding = {{0, {}}, fsdp_choice};
  dealt.said.schedule = {one_f_one_b::spec, interleaved<2, sp::groups::torch>::spec, interleaved<3, sp::groups::torch>::spec, zb_v::spec};
  asked.push_back(dealt);

  question wrong = asked[0];
  wrong.name = "numbers out of range";
  wrong.said.tp = {0, 1, 2, 8192};
  wrong.said.pp = {-1, 1, 2, 2000};
  wrong.said.micro_batch = {0, 1, 2, std::int64_t{1} << 30};
  wrong.said.sharding = {{0, {}}, {3, {}}, {4, {}}};
  wrong.said.schedule = {one_f_one_b::spec, interleaved<2>::spec};
  asked.push_back(wrong);

  question large = asked[0];
  large.name = "products out of range";
  large.fixed.sequence = std::int64_t{1} << 30;
  large.fixed.global_batch = std::int64_t{1} << 31;
  large.said.micro_batch = {1, 1 << 10, 1 << 20};
  large.said.schedule = {one_f_one_b::spec, interleaved<4>::spec};
  asked.push_back(large);

  question missing = asked[0];
  missing.name = "no batch, no model";
  missing.fixed.global_batch = sp::unset;
  missing.fixed.model = {};
  asked.push_back(missing);
  return asked;
}

constexpr sp::objective objectives[] = {sp::objective::step_time, sp::objective::memory, sp::objective::devices};

sp::search_options by_formula(sp::objective by) {
  sp::search_options options;
  options.by = by;
  options.simulated = 0;
  return options;
}

}  // namespace

TEST_CASE("best: the same as nested loops") {
  std::int64_t fitting = 0;
  for (const question& asked : questions()) {
    INFO(asked.name);
    const brute all = all_plans(asked.fixed, asked.said);
    const sp::search_space space = space_from(asked.said);
    fitting += static_cast<std::int64_t>(all.plans.size());
    CHECK(space.count() == all.considered);
    for (const sp::objective by : objectives) {
      INFO(sp::name_of(by));
      const sp::search_result found = sp::best_of(asked.fixed, space, by_formula(by));
      CHECK(found.considered == all.considered);
      CHECK(found.fitting == static_cast<std::int64_t>(all.plans.size()));
      for (std::size_t at = 0; at < sp::rule_slots; ++at) {
        INFO("rule " << at);
        CHECK(found.rejected_by_rule[at] == all.refused[at]);
      }
      const std::vector<fitting_plan> best = ranked(all, by);
      REQUIRE(found.top.size() == std::min(best.size(), sp::most_listed));
      CHECK(found.found == !best.empty());
      if (found.found) CHECK(found.plan == best[0].spec);
      for (std::size_t at = 0; at < found.top.size(); ++at) {
        INFO("place " << at);
        const sp::listed_plan& one = found.top[at];
        CHECK(sp::spec_of_listed(asked.fixed, one) == best[at].spec);
        CHECK(one.memory.count == best[at].memory);
        CHECK(one.devices() == best[at].devices);
        CHECK(static_cast<std::int64_t>(one.step * 1e9) == best[at].nanoseconds);
        CHECK(one.micro_batches == sp::figures_of(best[at].spec).micro_batches);
        CHECK(one.dp == sp::figures_of(best[at].spec).data_parallel);
      }
    }
  }
  CHECK(fitting > 5000);
}

namespace {
template <class List>
void shuffle_list(List& list, std::mt19937& random) {
  std::shuffle(list.begin(), list.end(), random);
}

bool are_equal(const sp::search_result& left, const sp::search_result& right) {
  if (left.considered != right.considered || left.fitting != right.fitting || left.timed != right.timed ||
      left.top.size() != right.top.size() || left.found != right.found || !(left.plan == right.plan))
    return false;
  for (std::size_t at = 0; at < sp::rule_slots; ++at)
    if (left.rejected_by_rule[at] != right.rejected_by_rule[at]) return false;
  for (std::size_t at = 0; at < left.top.size(); ++at)
    if (!(sp::spec_of_listed(left.plan, left.top[at]) == sp::spec_of_listed(left.plan, right.top[at])) ||
        static_cast<std::int64_t>(left.top[at].seconds() * 1e12) != static_cast<std::int64_t>(right.top[at].seconds() * 1e12))
      return false;
  return true;
}

// Whether `left` is at least as good as `right`, which was found in a part of the space.
bool is_no_worse(const sp::search_result& left, const sp::search_result& right) {
  if (!right.found) return true;
  if (!left.found) return false;
  const auto figures = [&](const sp::listed_plan& one) {
    return figures_by(left.by, {{}, one.devices(), one.memory.count, static_cast<std::int64_t>(one.seconds() * 1e9)});
  };
  return figures(left.top[0]) <= figures(right.top[0]);
}
}  // namespace

TEST_CASE("best: neither the order of a list nor a repetition matters") {
  std::mt19937 random(20);
  for (const question& asked : questions())
    for (const sp::objective by : objectives) {
      INFO(asked.name << ", " << sp::name_of(by));
      sp::search_space space = space_from(asked.said);
      const sp::search_result straight = sp::best_of(asked.fixed, space, by_formula(by));
      shuffle_list(space.devices, random);
      shuffle_list(space.cp, random);
      shuffle_list(space.ep, random);
      shuffle_list(space.etp, random);
      shuffle_list(space.tp, random);
      shuffle_list(space.pp, random);
      shuffle_list(space.sharding, random);
      shuffle_list(space.micro_batch, random);
      shuffle_list(space.recompute, random);
      shuffle_list(space.schedule, random);
      space.tp.push_back(space.tp[0]);
      space.schedule.push_back(space.schedule[0]);
      CHECK(are_equal(sp::best_of(asked.fixed, space, by_formula(by)), straight));
    }
}

TEST_CASE("best: more candidates never make it worse, and each is counted once") {
  std::mt19937 random(5);
  for (const question& asked : questions())
    for (int turn = 0; turn < 10; ++turn) {
      INFO(asked.name << ", turn " << turn);
      sp::search_space space = space_from(asked.said);
      const auto drop = [&](auto& list) {
        if (list.length > 1) {
          shuffle_list(list, random);
          list.length = 1 + random() % list.length;
        }
      };
      sp::search_space part = space;
      drop(part.devices);
      drop(part.cp);
      drop(part.ep);
      drop(part.etp);
      drop(part.tp);
      drop(part.pp);
      drop(part.sharding);
      drop(part.micro_batch);
      drop(part.recompute);
      drop(part.schedule);
      for (const sp::objective by : objectives) {
        const sp::search_result small = sp::best_of(asked.fixed, part, by_formula(by));
        CHECK(is_no_worse(sp::best_of(asked.fixed, space, by_formula(by)), small));
        std::int64_t refused = 0;
        for (const std::int64_t count : small.rejected_by_rule) refused += count;
        CHECK(small.considered == part.count());
        CHECK(small.considered == refused + small.fitting);
        CHECK(small.rejected() == refused);
        CHECK(small.timed <= small.fitting);
        CHECK((small.top.size() == 0) == !small.found);
      }
    }
}

TEST_CASE("best: a walk may stop in between") {
  for (const question& asked : questions()) {
    INFO(asked.name);
    const sp::search_space space = space_from(asked.said);
    const sp::detail::search_question prepared = sp::detail::question_of(asked.fixed, space, sp::objective::step_time);
    sp::detail::search_progress progress{};
    for (std::int64_t pieces = 0; progress.next < prepared.grid.count; ++pieces) {
      const std::int64_t before = progress.next;
      sp::detail::best_walk<sp::plan_spec> walk{prepared, progress};
      walk.run(1 + pieces % 7 * 3000);
      REQUIRE(progress.next > before);
    }
    const sp::search_result whole = sp::best_of(asked.fixed, space, by_formula(sp::objective::step_time));
    CHECK(progress.fitting == whole.fitting);
    CHECK(progress.top.size() == whole.top.size());
    for (std::size_t at = 0; at < whole.top.size(); ++at) CHECK(progress.top[at].index == whole.top[at].index);
    for (std::size_t at = 0; at < sp::rule_slots; ++at) CHECK(progress.refused[at] == whole.rejected_by_rule[at]);
  }
}

TEST_CASE("best: a sample of a large space is judged as evaluate judges it") {
  sp::plan_spec fixed = run_of(sp::models::gpt3_175b::shape, sp::devices::a100_sxm_80gb::spec, 128, 2048, 1536);
  sp::search_space space = sp::default_space_of(fixed);
  space.tp = {};
  space.pp = {};
  space.micro_batch = {};
  for (const std::int64_t degree : {1, 2, 3, 4, 5, 6, 8, 12, 16}) {
    space.tp.push_back(degree);
    space.pp.push_back(2 * degree);
    space.micro_batch.push_back(degree);
  }
  std::mt19937_64 random(1);
  std::int64_t fitting = 0;
  for (int turn = 0; turn < 10000; ++turn) {
    const auto index = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(space.count()));
    const sp::plan_spec spec = sp::candidate_of(fixed, space, index);
    const sp::evaluation verdict = sp::evaluate(spec, sp::remedy_search::off);
    const sp::search_result one = sp::best_of(spec, sp::search_space{}, by_formula(sp::objective::memory));
    REQUIRE(one.considered == 1);
    REQUIRE(one.found == verdict.violations.empty());
    if (one.found) {
      ++fitting;
      CHECK(one.top[0].memory == verdict.peak_memory);
    } else {
      CHECK(one.rejected_by(verdict.violations[0].broken) == 1);
    }
  }
  CHECK(fitting > 50);
}

TEST_CASE("best: never worse than the five steps or a guidance") {
  const sp::transformer models[] = {sp::models::llama3_2_1b::shape, sp::models::llama2_7b::shape,    sp::models::llama2_13b::shape,
                                    sp::models::llama2_70b::shape,  sp::models::mixtral_8x7b::shape, sp::models::gpt3_175b::shape};
  int compared = 0;
  for (const sp::transformer& model : models)
    for (const std::int64_t nodes : {1, 2, 8, 64})
      for (const std::int64_t batch : {256, 1536})
        for (const bool recompute : {false, true}) {
          sp::plan_spec asked = run_of(model, sp::devices::a100_sxm_80gb::spec, nodes, 2048, batch);
          asked.micro_batch = 1;
          if (recompute) asked.recompute = sp::recomputes::full;
          const sp::search_result best[] = {sp::best_of(asked, by_formula(sp::objective::step_time)),
                                            sp::best_of(asked, by_formula(sp::objective::memory))};
          const auto compare = [&](const sp::plan_spec& plan) {
            const sp::evaluation verdict = sp::evaluate(plan, sp::remedy_search::off);
            if (!verdict.violations.empty() || plan.offload.states != sp::storage::device || plan.tp > plan.devices_per_node) return;
            ++compared;
            INFO("hidden " << model.hidden << ", nodes " << nodes << ", batch " << batch << ", recompute " << recompute);
            REQUIRE(best[0].found);
            CHECK(sp::step_timing(best[0].plan).step <= sp::step_timing(plan).step);
            CHECK(sp::figures_of(best[1].plan).peak_memory <= verdict.peak_memory);
          };
          compare(sp::decision_of(asked).plan);
          for (int whose = 0; whose < sp::guidance_count; ++whose) compare(sp::practice_of(asked, static_cast<sp::guidance>(whose)).plan);
        }
  CHECK(compared > 200);
}

TEST_CASE("best: what is played is never worse than the five steps or a guidance, played") {
  int compared = 0;
  for (const sp::transformer& model : {sp::models::llama2_7b::shape, sp::models::llama2_70b::shape, sp::models::mixtral_8x7b::shape})
    for (const std::int64_t nodes : {1, 8, 64}) {
      sp::plan_spec asked = run_of(model, sp::devices::a100_sxm_80gb::spec, nodes, 4096, 1024);
      asked.micro_batch = 1;
      const sp::search_result best = sp::best_of(asked);
      const double step = best.found ? sp::simulated_timing_of(best.plan).step : 0;
      const auto compare = [&](const sp::plan_spec& plan) {
        const bool valid = sp::evaluate(plan, sp::remedy_search::off).violations.empty();
        if (!valid || plan.offload.states != sp::storage::device || plan.tp > plan.devices_per_node) return;
        ++compared;
        INFO("hidden " << model.hidden << ", nodes " << nodes);
        REQUIRE(best.found);
        CHECK(step <= sp::simulated_timing_of(plan).step * (1 + 1e-12));
      };
      compare(sp::decision_of(asked).plan);
      for (int whose = 0; whose < sp::guidance_count; ++whose) compare(sp::practice_of(asked, static_cast<sp::guidance>(whose)).plan);
    }
  CHECK(compared > 20);
}

TEST_CASE("best: the first plans are ranked again by what their schedules take") {
  const sp::plan_spec fixed = run_of(sp::models::llama2_70b::shape, sp::devices::h100_sxm_80gb::spec, 8, 4096, 256);
  const sp::search_result formula = sp::best_of(fixed, by_formula(sp::objective::step_time));
  const sp::search_result played = sp::best_of(fixed);
  CHECK(formula.simulated == 0);
  CHECK(played.simulated == static_cast<std::int64_t>(sp::most_listed));
  int moved = 0;
  for (std::size_t at = 0; at < played.top.size(); ++at) {
    const sp::listed_plan& one = played.top[at];
    const sp::plan_spec spec = sp::spec_of_listed(fixed, one);
    const sp::played_timing timing = sp::simulated_timing_of(spec);
    CHECK(static_cast<std::int64_t>(one.seconds() * 1e12) == static_cast<std::int64_t>(timing.step * 1e12));
    CHECK(static_cast<std::int64_t>(one.step * 1e12) == static_cast<std::int64_t>(sp::step_timing(spec).step * 1e12));
    CHECK((one.simulated_step > 0) == (one.pp > 1));
    if (at > 0) CHECK(played.top[at - 1].seconds() < one.seconds() + 1e-9);
    moved += !(spec == sp::spec_of_listed(fixed, formula.top[at]));
  }
  CHECK(moved > 0);
  CHECK(played.plan == sp::spec_of_listed(fixed, played.top[0]));
  // A bound on what is played ends the list at the first plan that would leave it.
  sp::search_options few;
  few.simulated_passes = 3000;
  const sp::search_result some = sp::best_of(fixed, few);
  CHECK(some.simulated > 0);
  CHECK(some.simulated < played.simulated);
  std::int64_t passes = 0;
  for (std::int64_t at = 0; at < some.simulated; ++at) {
    const sp::listed_plan& one = formula.top[static_cast<std::size_t>(at)];
    if (one.pp > 1) passes += one.pp * one.micro_batches * one.schedule.chunks;
  }
  CHECK(passes <= 3000);
  for (auto at = static_cast<std::size_t>(some.simulated); at < some.top.size(); ++at)
    CHECK(sp::spec_of_listed(fixed, some.top[at]) == sp::spec_of_listed(fixed, formula.top[at]));
}

TEST_CASE("best: devices must be whole hosts") {
  const sp::plan_spec fixed = run_of(sp::models::llama2_7b::shape, sp::devices::a100_sxm_80gb::spec, 2, 4096, 64);
  sp::search_space space{};
  space.devices.push_back(12);
  CHECK_THROWS_AS(sp::best_of(fixed, space), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::candidate_of(fixed, space, 0), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::candidate_of(fixed, sp::search_space{}, 1), sp::arithmetic_error);
}

TEST_CASE("best: no legal pp or ep is left out of the default space") {
  const sp::transformer models[] = {sp::models::llama2_7b::shape, sp::models::llama2_70b::shape, sp::models::mixtral_8x7b::shape,
                                    sp::models::llama3_1_405b::shape};
  int left_out = 0;
  for (const sp::transformer& model : models)
    for (const std::int64_t nodes : {1, 3, 8})
      for (const int slots : {0, 1, 2}) {
        sp::plan_spec spec = run_of(model, sp::devices::h100_sxm_80gb::spec, nodes, 4096, 24 * 64);
        spec.micro_batch = 1;
        spec.layer_split.embedding_slot = spec.layer_split.loss_slot = slots;
        if (slots == 2) {  // which counts them as layers unless other numbers are said
          spec.framework = sp::frameworks::torchtitan;
          spec.layer_split = {};
        }
        const sp::search_space space = sp::default_space_of(spec);
        const auto is_legal = [](const sp::plan_spec& plan) {
          for (const sp::violation& one : sp::evaluate(plan, sp::remedy_search::off).violations)
            if (one.broken != sp::rule::does_not_fit) return false;
          return true;
        };
        const auto has = [](const sp::number_list& list, std::int64_t number) {
          return std::find(list.begin(), list.end(), number) != list.end();
        };
        for (std::int64_t degree = 1; degree <= 130; ++degree) {
          INFO("layers " << model.layers << ", nodes " << nodes << ", degree " << degree);
          sp::plan_spec piped = spec;
          piped.pp = degree;
          if (!has(space.pp, degree)) {
            ++left_out;
            CHECK(!is_legal(piped));
          }
          sp::plan_spec spread = spec;
          spread.ep = degree;
          if (!has(space.ep, degree)) CHECK(!is_legal(spread));
        }
      }
  CHECK(left_out > 1000);
}

TEST_CASE("best: a step with FP8 dispatch is a shorter one, over other plans") {
  for (const question& asked : questions()) {
    if (asked.fixed.communication.dispatch_bits == 0) continue;
    sp::plan_spec plain = asked.fixed;
    plain.communication.dispatch_bits = plain.communication.dispatch_scale_block = 0;
    const sp::search_space space = space_from(asked.said);
    const sp::search_result said = sp::best_of(asked.fixed, space);
    const sp::search_result silent = sp::best_of(plain, space);
    REQUIRE((said.found && silent.found));
    CHECK(said.plan.communication == asked.fixed.communication);
    CHECK(said.top[0].seconds() < silent.top[0].seconds());
    CHECK(said.fitting == silent.fitting);
    CHECK(said.top[0].seconds() == sp::simulated_timing_of(said.plan).step);
  }
}
