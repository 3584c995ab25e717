// SPDX-License-Identifier: BSL-1.0
// What one block keeps for its backward, against what PyTorch's saved-tensor hooks saw (saved_tensors.jsonl, section 3 of the truth
// README).
#include "../runtime/catch.hpp"
#include "shared_files.hpp"

#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace {

std::vector<truth::json> saved_tensor_rows() { return truth::rows_with("saved_tensors.jsonl", ""); }

}  // namespace

TEST_CASE("a block keeps what autograd keeps") {
  int equal = 0;
  int related = 0;
  int models = 0;
  int others = 0;
  for (const truth::json& row : saved_tensor_rows()) {
    const auto number = [&](const char* key) { return row.get<std::int64_t>(key); };
    const std::string name = row.get<std::string>("case");
    const std::string attention = row.get<std::string>("attention");
    const bool gpt = name == "gpt";
    INFO(name << ' ' << attention << " hidden " << number("hidden") << " ffn " << number("ffn"));

    shardplan::plan_spec spec{};
    spec.model = {.layers = row.get<std::int64_t>("layers", 1),
                  .hidden = number("hidden"),
                  .heads = number("heads"),
                  .kv_heads = number("kv_heads"),
                  .head_dim = number("head_dim"),
                  .ffn = number("ffn"),
                  .vocab = row.get<std::int64_t>("vocab", 1000),
                  .mlp = gpt ? shardplan::mlp::plain : shardplan::mlp::gated,
                  .norm = gpt ? shardplan::norm::layer : shardplan::norm::rms};
    spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
    spec.devices_per_node = spec.nodes = 1;
    spec.sequence = number("sequence");
    spec.micro_batch = spec.global_batch = number("micro_batch");
    REQUIRE(shardplan::violations_in(spec).empty());

    // One micro-batch, so that `activations` is what it keeps in all blocks.
    const auto kept = [&](shardplan::recomputes what) {
      shardplan::plan_spec changed = spec;
      changed.recompute = what;
      return shardplan::stage_memory(changed, 0).device.activations.count / spec.model.layers;
    };
    const std::int64_t block = kept(shardplan::recomputes::none);
    const std::int64_t tokens = spec.sequence * spec.micro_batch;
    const std::int64_t query = spec.model.query_width();
    const std::int64_t key = spec.model.key_value_width();
    // facts/memory.md 3.4: equal. 8h is the inputs of the two norms (the block's input is one of them) and their two outputs.
    const std::int64_t bytes = number("bytes");
    if (name == "fused_copied" && attention == "flash_token_major") {
      CHECK(block == bytes);
      // The first entry, [tokens, hidden] in bf16, is the block's input: all that full recompute keeps.
      CHECK(kept(shardplan::recomputes::full) == row.get_child("detail").front().second.back().second.get_value<std::int64_t>());
      ++equal;
    } else if (name == "model_fused_copied" && attention == "flash_token_major") {
      // blocks + final norm (input and statistics) + input of the head + fp32 log-probabilities + token ids + one fp32 scalar
      const std::int64_t around =
          tokens * (2 * spec.model.hidden + 4) + tokens * 2 * spec.model.hidden + tokens * 4 * spec.model.vocab + tokens * 8 + 4;
      CHECK(block * spec.model.layers + around == bytes);
      ++models;
    } else if (name == "fused_copied" && attention == "flash") {
      CHECK(block + tokens * 2 * query == bytes);  // the output projection keeps a token-major copy of its own
      ++related;
    } else if (name == "fused" && attention == "flash_token_major") {
      CHECK(block + tokens * 2 * (query + key) == bytes);  // v is a view: it keeps q and k of the packed projection alive
      ++related;
    } else if (name == "gpt" && attention == "flash_token_major") {
      CHECK(block - tokens * 8 == bytes);  // a CPU keeps mean and deviation in bf16, a GPU in fp32
      ++related;
    } else {
      // Other kernels than those that a plan assumes: all of them keep more.
      CHECK(block * spec.model.layers < bytes);
      ++others;
    }
  }
  if (equal + related + models + others == 0) return;
  CHECK(equal == 3);
  CHECK(models == 1);
  CHECK(related == 12);
  CHECK(equal + related + models + others == 56);
  std::cout << "saved_tensors: " << equal << " blocks and " << models << " model equal, " << related << " with the difference stated, "
            << others << " of other kernels, which keep more\n";
}
