// SPDX-License-Identifier: BSL-1.0
// What one block keeps for its backward, against what PyTorch's saved-tensor hooks saw (saved_tensors.jsonl, section 3 of the truth
// README): every row to the byte, tensor by tensor.
#include "saved_tensors.hpp"

#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <shardplan/plan/evaluate.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

TEST_CASE("a block keeps what autograd keeps, tensor by tensor") {
  int number = 0;
  int as_default = 0;
  for (const truth::json& row : truth::rows_with("saved_tensors.jsonl", "")) {
    const truth::saved_tensors_line line = truth::judge_saved_tensors(row, ++number);
    INFO(line.id << ' ' << line.reason);
    CHECK(line.reason.empty());
    CHECK(line.ours == line.theirs);
    CHECK(line.same_tensors);

    // The account of a plan is the same figure, and the default kernels keep what `fused_copied` keeps with flash attention.
    std::string reason;
    shardplan::plan_spec spec = *truth::saved_tensors_plan(row, reason);
    spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
    spec.devices_per_node = spec.nodes = 1;
    spec.global_batch = spec.micro_batch;
    REQUIRE(shardplan::violations_in(spec).empty());
    const std::int64_t blocks = shardplan::stage_memory(spec, 0).device.activations.count;
    if (spec.model.layers == 1) CHECK(blocks == line.theirs);
    if (row.get<std::string>("case") == "fused_copied" && spec.attention != shardplan::attentions::materialised) {
      spec.kernels = shardplan::plan_spec{}.kernels;
      CHECK(shardplan::stage_memory(spec, 0).device.activations.count == line.theirs);
      ++as_default;
    }
    // All that full recomputation keeps is the block's input.
    spec.recompute = shardplan::recomputes::full;
    CHECK(shardplan::stage_memory(spec, 0).device.activations.count ==
          spec.model.layers * 2 * spec.model.hidden * spec.sequence * spec.micro_batch);
  }
  if (number == 0) return;
  CHECK(number == 56);
  CHECK(as_default == 7);
  std::cout << "saved_tensors: " << number << " rows equal to the byte, tensor by tensor\n";
}

// What is not expressible is said, and never equal.
TEST_CASE("a row with an unknown key is not judged") {
  for (truth::json row : truth::rows_with("saved_tensors.jsonl", "\"gpt\"")) {
    CHECK(truth::judge_saved_tensors(row, 1).is_equal());
    row.put("offloaded", "true");
    CHECK(!truth::judge_saved_tensors(row, 1).is_equal());
    return;
  }
}
