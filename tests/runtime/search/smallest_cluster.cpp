// SPDX-License-Identifier: BSL-1.0
// The least number of devices against loops over all smaller numbers.
#include "../catch.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/search/smallest_cluster.hpp>

#include <cstdint>
#include <vector>

namespace sp = shardplan;

namespace {

sp::plan_spec training(const sp::transformer& model, const sp::device_spec& device, std::int64_t node, std::int64_t batch) {
  sp::plan_spec spec{};
  spec.model = model;
  spec.device = device;
  spec.devices_per_node = node;
  spec.sequence = 2048;
  spec.global_batch = batch;
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
