// SPDX-License-Identifier: BSL-1.0
// The least number of devices against loops over all smaller numbers.
#include "../catch.hpp"
#include "../dice.hpp"
#include "../training_run.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/search/smallest_cluster.hpp>

#include <cstdint>
#include <vector>

namespace sp = shardplan;

namespace {

sp::plan_spec training(const sp::transformer& model, const sp::device_spec& device, std::int64_t node, std::int64_t batch) {
  sp::plan_spec spec = training_run(model, device, 1, 2048, batch);
  spec.devices_per_node = node;
  spec.micro_batch = sp::unset;
  return spec;
}

// Whether any plan at all fits so many devices: loops that do not know the search.
bool any_fits(sp::plan_spec spec, std::int64_t node, std::int64_t devices) {
  spec.devices_per_node = devices < node ? devices : node;
  spec.nodes = devices < node ? 1 : devices / node;
  for (const std::int64_t tp : {1, 2, 4, 8})
    for (std::int64_t pp = 1; pp <= spec.model.layers; ++pp)
      for (const std::int64_t ep : {1, 2, 4, 8})
        for (std::int64_t stage = 0; stage <= 3; ++stage)
          for (const sp::recomputes recompute : {sp::recomputes::none, sp::recomputes::full}) {
            if (ep > 1 && spec.model.experts.count == 0) continue;
            if (tp > spec.devices_per_node) continue;
            spec.micro_batch = 1;
            spec.tp = tp;
            spec.pp = pp;
            spec.ep = ep;
            spec.zero = stage;
            spec.recompute = recompute;
            if (sp::evaluate(spec, sp::remedy_search::off).violations.empty()) return true;
          }
  return false;
}

sp::search_space space_of_loops(const sp::plan_spec& spec) {
  sp::search_space space{};
  for (const std::int64_t degree : {1, 2, 4, 8}) {
    if (degree <= spec.devices_per_node) space.tp.push_back(degree);
    if (degree == 1 || spec.model.experts.count > 0) space.ep.push_back(degree);
  }
  for (std::int64_t degree = 1; degree <= spec.model.layers; ++degree)
    if (spec.model.layers % degree == 0) space.pp.push_back(degree);
  for (std::int64_t stage = 0; stage <= 3; ++stage) space.sharding.push_back({stage, {}});
  space.recompute.push_back(sp::recomputes::none);
  space.recompute.push_back(sp::recomputes::full);
  space.micro_batch.push_back(1);
  return space;
}

}  // namespace

TEST_CASE("smallest_cluster: no smaller number of devices has any plan") {
  const sp::transformer models[] = {sp::models::llama3_2_1b::shape, sp::models::llama2_7b::shape, sp::models::llama2_70b::shape,
                                    sp::models::mixtral_8x7b::shape};
  int with_partial_host = 0;
  for (const sp::transformer& model : models)
    for (const sp::device_spec& device : {sp::devices::a100_sxm_40gb::spec, sp::devices::h200_sxm_141gb::spec})
      for (const std::int64_t node : {4, 6, 8})
        for (const std::int64_t batch : {64, 96}) {
          const sp::plan_spec fixed = training(model, device, node, batch);
          INFO("hidden " << model.hidden << ", layers " << model.layers << ", node " << node << ", batch " << batch);
          const sp::cluster_answer answer = sp::smallest_cluster_of(fixed, space_of_loops(fixed));
          std::int64_t expected = 0;
          std::int64_t tried = 0;
          std::vector<std::int64_t> counts;
          for (std::int64_t part = 1; part < node; part *= 2) counts.push_back(part);
          for (std::int64_t host = 1; host <= sp::most_hosts; ++host) counts.push_back(host * node);
          for (const std::int64_t devices : counts) {
            ++tried;
            if (any_fits(fixed, node, devices)) {
              expected = devices;
              break;
            }
          }
          CHECK(answer.found == (expected > 0));
          CHECK(answer.devices == expected);
          CHECK(answer.searched <= tried);
          if (!answer.found) continue;
          CHECK(answer.least <= expected);
          with_partial_host += expected < node;
          const sp::evaluation verdict = sp::evaluate(answer.search.plan, sp::remedy_search::off);
          CHECK(verdict.violations.empty());
          CHECK(verdict.world_size == expected);
        }
  CHECK(with_partial_host > 3);
}

TEST_CASE("smallest_cluster: what cannot be asked is answered at once") {
  sp::plan_spec fixed = training(sp::models::llama2_7b::shape, sp::devices::h100_sxm_80gb::spec, 8, 64);
  fixed.sequence = sp::unset;
  const sp::cluster_answer no_sequence = sp::smallest_cluster_of(fixed);
  CHECK(!no_sequence.found);
  CHECK(no_sequence.searched == 1);
  CHECK(no_sequence.search.rejected_by(sp::rule::missing_part) == no_sequence.search.considered);
  fixed = training({}, sp::devices::h100_sxm_80gb::spec, 8, 64);
  CHECK(!sp::smallest_cluster_of(fixed).found);
  fixed = training(sp::models::llama2_7b::shape, {}, 8, 64);
  CHECK(!sp::smallest_cluster_of(fixed).found);
  fixed = training(sp::models::llama2_7b::shape, sp::devices::h100_sxm_80gb::spec, 0, 64);
  CHECK(!sp::smallest_cluster_of(fixed).found);
  CHECK(sp::smallest_cluster_of(fixed).searched == 0);
}

namespace {

// Every number of devices, one after the other, each searched.
std::int64_t plain_walk(const sp::plan_spec& fixed, std::int64_t most_nodes, const sp::search_options& options, std::uint64_t said) {
  const std::int64_t node = fixed.devices_per_node;
  std::int64_t devices = 1;
  while (devices <= node * most_nodes) {
    sp::plan_spec spec = fixed;
    spec.nodes = devices <= node ? 1 : devices / node;
    spec.devices_per_node = devices < node ? devices : node;
    if (sp::best_of(spec, sp::default_space_of(spec, said), options).found) return devices;
    devices = devices >= node ? devices + node : 2 * devices < node ? 2 * devices : node;
  }
  return 0;
}

sp::search_options by_formula() {
  sp::search_options options;
  options.simulated = 0;
  return options;
}

}  // namespace

TEST_CASE("smallest_cluster: the same as a search of every number of devices") {
  static const sp::transformer models[] = {
      sp::models::gpt2_xl::shape,    sp::models::llama3_2_1b::shape,  sp::models::llama2_7b::shape,     sp::models::llama2_13b::shape,
      sp::models::llama2_70b::shape, sp::models::mixtral_8x7b::shape, sp::models::llama3_1_405b::shape, sp::models::gpt3_175b::shape};
  static const sp::device_spec devices[] = {sp::devices::v100_sxm_32gb::spec, sp::devices::a100_sxm_80gb::spec, sp::devices::mi300x::spec,
                                            sp::devices::gb200_nvl72::spec};
  static const std::int64_t nodes[] = {1, 2, 3, 4, 6, 8, 16};
  static const std::int64_t batches[] = {1, 7, 60, 64, 96, 97, 144, 1000, 1024, 1536};
  dice roll;
  int found = 0;
  int none = 0;
  int passed_over = 0;
  for (int turn = 0; turn < 250; ++turn) {
    sp::plan_spec fixed = training(roll.of(models), roll.of(devices), roll.of(nodes), roll.of(batches));
    std::uint64_t said = 0;
    const auto say = [&](sp::part_kind kind, std::int64_t sp::plan_spec::*field, std::int64_t value) {
      if (!roll.one_in(4)) return;
      fixed.*field = value;
      said |= sp::bit_of(kind);
    };
    say(sp::part_kind::tp, &sp::plan_spec::tp, 1 + roll.below(8));
    say(sp::part_kind::pp, &sp::plan_spec::pp, 1 + roll.below(8));
    say(sp::part_kind::cp, &sp::plan_spec::cp, 1 + roll.below(3));
    say(sp::part_kind::micro_batch, &sp::plan_spec::micro_batch, 1 + roll.below(3));
    say(sp::part_kind::zero, &sp::plan_spec::zero, roll.below(4));
    if (roll.one_in(5)) fixed.dp = 1 + roll.below(6);
    if (roll.one_in(4)) fixed.sequence = 16384 * (1 + roll.below(3));
    if (roll.one_in(4)) fixed.layer_split.embedding_slot = fixed.layer_split.loss_slot = true;
    INFO("turn " << turn << ", layers " << fixed.model.layers << ", node " << fixed.devices_per_node << ", batch " << fixed.global_batch
                 << ", said " << said);
    const std::int64_t expected = plain_walk(fixed, 40, by_formula(), said);
    const sp::cluster_answer answer = sp::smallest_cluster_of(fixed, 40, by_formula(), said);
    CHECK(answer.found == (expected != 0));
    CHECK(answer.devices == expected);
    (expected != 0 ? found : none) += 1;
    passed_over += answer.found && answer.devices > answer.least && answer.searched < 3;
    // With a space of its own as well.
    sp::search_space space{};
    for (int degree = 0; degree < 3; ++degree) {
      space.tp.push_back(1 + roll.below(4));
      space.pp.push_back(1 + roll.below(8));
    }
    space.sharding.push_back({3, {}});
    fixed.micro_batch = 1;
    std::int64_t with_space = 0;
    const std::int64_t node = fixed.devices_per_node;
    for (std::int64_t count = 1; with_space == 0 && count <= node * 40; count = count >= node      ? count + node
                                                                                : 2 * count < node ? 2 * count
                                                                                                   : node) {
      sp::plan_spec spec = fixed;
      spec.nodes = count <= node ? 1 : count / node;
      spec.devices_per_node = count < node ? count : node;
      if (sp::best_of(spec, space, by_formula()).found) with_space = count;
    }
    CHECK(sp::smallest_cluster_of(fixed, space, 40, by_formula()).devices == with_space);
  }
  CHECK(found > 80);
  CHECK(none > 30);
  CHECK(passed_over > 0);
}

TEST_CASE("smallest_cluster: no bound on hosts is too large") {
  // Tokens that no number of devices holds: the products of degrees and divisors of the batch end the search.
  sp::plan_spec fixed = training(sp::models::llama2_70b::shape, sp::devices::a100_sxm_80gb::spec, 8, 5040);
  fixed.sequence = 1048576;
  fixed.recompute = sp::recomputes::none;
  const std::uint64_t said = sp::bit_of(sp::part_kind::recompute) | sp::bit_of(sp::part_kind::cp);
  const sp::cluster_answer none = sp::smallest_cluster_of(fixed, INT64_MAX, by_formula(), said);
  CHECK(!none.found);
  CHECK(none.searched > 1);
  CHECK(none.searched < 4 * 10 * 60);  // tp, pp, divisors of the batch
  // A batch of one sequence: one replica, however many hosts.
  fixed = training(sp::models::llama2_7b::shape, sp::devices::v100_sxm_32gb::spec, 8, 1);
  fixed.sequence = std::int64_t{1} << 24;
  CHECK(sp::smallest_cluster_of(fixed, INT64_MAX, by_formula()).searched < 40);
  // States that no number of devices holds are not walked to.
  fixed.headroom_mebibytes = 1 << 20;
  CHECK(sp::smallest_cluster_of(fixed, INT64_MAX, by_formula()).searched == 0);
}

TEST_CASE("smallest_cluster: no host, no device and fewer") {
  const sp::plan_spec fixed = training(sp::models::llama2_7b::shape, sp::devices::h100_sxm_80gb::spec, 8, 64);
  for (const std::int64_t bound : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-4096}, INT64_MIN}) {
    INFO(bound);
    sp::plan_spec none = fixed;
    none.devices_per_node = bound;
    for (const sp::cluster_answer& answer :
         {sp::smallest_cluster_of(fixed, bound), sp::smallest_cluster_of(none), sp::smallest_cluster_of(none, bound),
          sp::smallest_cluster_of(fixed, space_of_loops(fixed), bound), sp::smallest_cluster_of(none, space_of_loops(fixed))}) {
      CHECK(!answer.found);
      CHECK(answer.devices == 0);
      CHECK(answer.searched == 0);
      CHECK(answer.least == 1);
    }
    // A model without sizes has none either.
    none.model = {};
    CHECK(sp::smallest_cluster_of(none, bound).least == 1);
  }
}
