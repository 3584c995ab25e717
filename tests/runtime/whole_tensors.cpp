// SPDX-License-Identifier: BSL-1.0
// Whole tensors at one owner: Megatron-LM's assignment against a program that deals them out one by one, and a run of Muon.
#include "catch.hpp"

#include <shardplan/plan/whole_tensors.hpp>
#include <shardplan/shardplan.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sp = shardplan;

namespace {

constexpr sp::plan_spec run_of(const sp::transformer& shape, std::int64_t devices) {
  sp::plan_spec spec{};
  spec.model = shape;
  spec.device.memory = sp::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = devices;
  spec.nodes = 1;
  spec.sequence = 1024;
  spec.micro_batch = 1;
  spec.global_batch = devices;
  spec.zero = 1;
  spec.optimizer = sp::optimizers::muon::spec;
  spec.precision = sp::precisions::bf16_fp32_master_and_gradients::spec;
  return spec;
}

// Query, key and value are one parameter of 3 x 12 x 12, gate and up one of 2 x 10 x 12.
constexpr sp::transformer small{.layers = 5, .hidden = 12, .heads = 2, .ffn = 10, .vocab = 37, .tied_embeddings = true};

}  // namespace

TEST_CASE("whole tensors are dealt out to and fro, the shortest first") {
  struct parameter {
    std::int64_t length, moments;
  };
  for (const std::int64_t ranks : {1, 2, 3, 5, 8, 64}) {
    std::vector<parameter> all{{37 * 12, 2}, {12, 2}};
    for (int layer = 0; layer < 5; ++layer)
      for (const parameter item : {parameter{12, 2}, {3 * 12 * 12, 1}, {12 * 12, 1}, {12, 2}, {2 * 10 * 12, 1}, {10 * 12, 1}})
        all.push_back(item);
    std::sort(all.begin(), all.end(), [](parameter left, parameter right) { return left.length < right.length; });
    std::vector<std::int64_t> master(static_cast<std::size_t>(ranks));
    std::vector<std::int64_t> state(master.size());
    std::int64_t whole = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const std::size_t turn = at % (2 * master.size());
      const std::size_t owner = turn < master.size() ? turn : 2 * master.size() - 1 - turn;
      master[owner] += 4 * all[at].length;
      state[owner] += 4 * all[at].moments * all[at].length;
      whole += all[at].length;
    }
    const sp::plan_spec spec = run_of(small, ranks);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const sp::whole_tensor_states states = sp::whole_tensor_states_of(spec, 0, rank, 0);
      CHECK(states.weights == 2 * whole);
      CHECK(states.gradients == 4 * whole);
      CHECK(states.master == master[static_cast<std::size_t>(rank)]);
      CHECK(states.optimizer == state[static_cast<std::size_t>(rank)]);
    }
    CHECK(sp::whole_tensor_states_of(spec, 0, ranks, 0).total() == 0);
    CHECK(sp::whole_tensor_states_of(spec, 1, 0, 0).total() == 0);
  }
}

TEST_CASE("the fullest owner has at least an equal share") {
  for (const std::int64_t ranks : {2, 4, 6}) {
    sp::plan_spec spec = run_of(small, ranks);
    spec.model.experts = {.count = 4, .top_k = 1, .ffn = 6};
    spec.ep = 2;
    std::int64_t most = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const sp::whole_tensor_states states = sp::whole_tensor_states_of(spec, 0, rank, rank / 2);
      most = std::max(most, states.master + states.optimizer);
    }
    const sp::memory_report report = sp::stage_memory(spec, 0).device;
    CHECK(most >= report.master.count + report.optimizer.count);
  }
}

TEST_CASE("Muon under Megatron-LM's layer-wise optimizer") {
  // Functional test gpt3_moe_mcore_te_ep8_resume_torch_dist_dist_muon_param_layout, H100, last of 8 ranks: 742,176,768 bytes after a step.
  sp::plan_spec spec = run_of({.layers = 12,
                               .hidden = 512,
                               .heads = 8,
                               .ffn = 2048,
                               .vocab = 50304,
                               .positions = 1024,
                               .mlp = sp::mlp::plain,
                               .norm = sp::norm::layer,
                               .tied_embeddings = true,
                               .experts = {.count = 8, .top_k = 2, .ffn = 1024}},
                              8);
  spec.ep = 8;
  const std::int64_t measured = 742'176'768;
  const sp::whole_tensor_states last = sp::whole_tensor_states_of(spec, 0, 7, 0);
  // Of 88 dense parameters the longest, the embedding, is the last and goes to rank 7.
  const std::int64_t embedding = 50'304 * 512;
  CHECK(last.master + last.optimizer > 12 * embedding);
  CHECK(last.total() <= measured);
  CHECK(measured - last.total() <= 150 << 20);
  CHECK(sp::whole_tensor_states_of(spec, 0, 6, 0).total() < last.total() - 11 * embedding);
}
