// SPDX-License-Identifier: BSL-1.0
// The buffers of karpathy/llm.c as the program prints them, in MiB cut down to whole ones: pull requests 201, 309 and 676.
#include "llm_c.hpp"
#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <shardplan/memory/preallocated.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/kernel_sets.hpp>

#include <cstdint>
#include <iostream>
#include <string>

TEST_CASE("llm.c: buffers of activations") {
  int rows = 0;
  for (const truth::json& row : truth::rows_with("memory.jsonl", "m2_llmc_")) {
    const std::string metric = row.get<std::string>("metric");
    const std::string buffer = row.get<std::string>("config.buffer", metric == "activation_buffer" ? "acts" : "");
    if (buffer != "acts" && buffer != "act_grads") continue;
    INFO(row.get<std::string>("id"));
    const shardplan::preallocated_buffers ours = shardplan::preallocated_of(
        truth::detail::llm_c_run(truth::config_reader{row.get_child("config")}, row.get<std::string>("source")).spec);
    const std::int64_t bytes = buffer == "acts" ? ours.activations.count : ours.gradients.count;
    CHECK(bytes >> 20 == row.get<std::int64_t>("value"));
    ++rows;
  }
  if (rows != 0) CHECK(rows == 6);
}

// The tensor list of train_gpt2.cu, counted by hand for levels of recomputation: C = 64, 2 layers, 4 heads, n = 64 tokens.
TEST_CASE("llm.c: levels of recomputation") {
  shardplan::plan_spec spec{};
  spec.model = {
      .layers = 2, .hidden = 64, .heads = 4, .ffn = 256, .vocab = 1024, .mlp = shardplan::mlp::plain, .norm = shardplan::norm::layer};
  spec.sequence = 32;
  spec.micro_batch = 2;
  spec.kernels = shardplan::kernel_sets::llm_c::spec;
  const std::int64_t stream = 64 * 64;  // nC
  const auto expected = [&](int level) {
    const std::int64_t elements = stream + 2 * stream * (level < 2 ? 2 : 0) + 2 * stream * 3 + 2 * 4 * stream +
                                  (level < 1 ? 2 : 1) * 4 * stream + stream + 2 * 3 * stream + 64 * 1024 + 5 * stream;
    return 2 * elements + 4 * (4 * 2 * 64 + 3 * 64) + 4 * 2 * 64 * 4;
  };
  CHECK(shardplan::preallocated_of(spec).activations.count == expected(0));
  spec.recompute = shardplan::recomputes::mlp_act;
  CHECK(shardplan::preallocated_of(spec).activations.count == expected(1));
  spec.recompute = shardplan::recomputes::mlp_act | shardplan::recomputes::layernorm;
  CHECK(shardplan::preallocated_of(spec).activations.count == expected(2));
  spec.kernels = shardplan::kernel_sets::transformer_engine::spec;
  CHECK(shardplan::preallocated_of(spec).activations.count == 0);
}
