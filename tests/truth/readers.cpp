// SPDX-License-Identifier: BSL-1.0
// The readers and the verdict of truth_check: what they refuse, and that a wrong figure fails.
#include "../runtime/catch.hpp"
#include "hugging_face.hpp"
#include "judgement.hpp"
#include "megatron.hpp"
#include "memory.hpp"
#include "models.hpp"
#include "row.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

truth::json tree_of(const std::string& text) {
  std::istringstream stream{text};
  truth::json tree;
  boost::property_tree::read_json(stream, tree);
  return tree;
}

std::vector<truth::row> rows_of(const std::string& text) {
  std::istringstream stream{text};
  return truth::rows_of(stream);
}

// A run of 12 layers on 8 devices, with further arguments.
std::string megatron_config(const std::string& more) {
  return R"({"num_layers": 12, "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 1024, "seq_length": 1024,
    "micro_batch_size": 4, "global_batch_size": 32, "bf16": true, "world_size": 8, "gpu": "H100", "transformer_impl": "transformer_engine")" +
         more + "}";
}

truth::run read_megatron(const std::string& more) {
  const truth::json tree = tree_of(megatron_config(more));
  const truth::config_reader config{tree};
  const truth::run result = truth::megatron_run(config, false);
  config.all_read();
  return result;
}

}  // namespace

TEST_CASE("list expressions as Python has them") {
  using list = std::vector<std::int64_t>;
  CHECK(truth::list_expression{"([0]*3+[1]*2)"}.values() == list{0, 0, 0, 1, 1});
  CHECK(truth::list_expression{"[0, 1] * 2 + 2*[1]"}.values() == list{0, 1, 0, 1, 1, 1});
  CHECK(truth::list_expression{"[]"}.values().empty());
  for (const char* bad : {"", "[0", "[0]*", "3", "[0]]", "([0]", "[a]", "[0]*999999999"})
    CHECK_THROWS_AS(truth::list_expression{bad}, truth::not_expressible);
}

TEST_CASE("pipeline layouts") {
  const auto chunks = truth::pipeline_layout{"Et*3|(tt|)*2tmL"}.chunks();
  REQUIRE(chunks.size() == 4);
  CHECK(chunks[0].embedding);
  CHECK(chunks[0].layers == 3);
  CHECK(chunks[1].layers == 2);
  CHECK(chunks[2].layers == 2);
  CHECK(chunks[3].layers == 1);
  CHECK(chunks[3].next_token_layers == 1);
  CHECK(chunks[3].loss);
  for (const char* bad : {"Ex|L", "E(t|L", "Et*|L", "E)"}) CHECK_THROWS_AS(truth::pipeline_layout{bad}, truth::not_expressible);
}

TEST_CASE("Megatron-LM's defaults") {
  const shardplan::plan_spec spec = read_megatron("").spec;
  CHECK(spec.model.ffn == 2048);
  CHECK(spec.model.mlp == shardplan::mlp::plain);
  CHECK(spec.model.positions == 1024);
  CHECK(spec.model.tied_embeddings);
  CHECK(spec.model.mlp_bias);
  CHECK(spec.dropout == shardplan::dropouts::both);
  CHECK(spec.loss == shardplan::losses::megatron_unfused::spec);
  CHECK(spec.dp == 8);
  // A gated network is two thirds as wide, down to a multiple of 64.
  CHECK(read_megatron(R"(, "swiglu": true)").spec.model.ffn == 1344);
  // Experts are split by the tensor parallel size unless said.
  CHECK(read_megatron(R"(, "tensor_model_parallel_size": 2, "num_experts": 8, "disable_bias_linear": true)").spec.etp == 2);
  CHECK(read_megatron(R"(, "num_experts": 8, "moe_layer_freq": 2, "disable_bias_linear": true)").spec.model.dense_layers() == 6);
}

TEST_CASE("an argument that is not understood is refused") {
  CHECK_THROWS_AS(read_megatron(R"(, "an_argument_of_tomorrow": 2)"), truth::not_expressible);
  CHECK_THROWS_AS(read_megatron(R"(, "optimizer": "shampoo9")"), truth::not_expressible);
  CHECK_THROWS_AS(read_megatron(R"=(, "num_experts": 8, "moe_layer_freq": "([0]*3+[1]*2)")="), truth::not_expressible);
  CHECK_THROWS_AS(read_megatron(R"(, "recompute_granularity": "selective", "recompute_modules": "[core_attn, dreams]")"),
                  truth::not_expressible);
  const std::string llama =
      R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100)";
  CHECK(truth::hugging_face_shape(tree_of(llama + "}")).layers == 2);
  const truth::json unknown_key = tree_of(llama + R"(, "hidden_layers_per_moon": 2})");
  CHECK_THROWS_AS(truth::hugging_face_shape(unknown_key), truth::not_expressible);
  truth::json unknown_class = tree_of(llama + "}");
  unknown_class.put("model_type", "unheard_of");
  CHECK_THROWS_AS(truth::hugging_face_shape(unknown_class), truth::not_expressible);
}

TEST_CASE("a wrong figure fails, and a row that is refused is shown") {
  const std::string zero = R"({"id": "a", "source": "ZeRO paper (arXiv 1910.02054) Table 1", "kind": "paper", "unit": "GB",)"
                           R"("metric": "model_states_per_gpu", "config": {"params_billion": 7.5, "dp": 4, "zero_stage": 1}, "value": )";
  CHECK(truth::judge_memory(rows_of(zero + "52.5}")).passed());
  CHECK(!truth::judge_memory(rows_of(zero + "53.5}")).passed());
  CHECK(!truth::judge_memory({}).passed());

  const std::string foreign =
      R"({"id": "b", "source": "somebody", "kind": "measured", "metric": "peak_memory", "unit": "GiB", "config": {}, "value": 1})";
  const truth::judgement refused = truth::judge_memory(rows_of(foreign));
  REQUIRE(refused.lines().size() == 1);
  CHECK(!refused.lines()[0].expressible());
  std::ostringstream out;
  refused.print_lines(out);
  CHECK(out.str().find("not-expressible") != std::string::npos);
}

TEST_CASE("rows that cannot be read are shown as such") {
  for (const char* text :
       {R"({"id": "c", "source": "x/tests/functional_tests/y", "metric": "torch_max_memory_allocated", "unit": "bytes"})",
        R"({"id": "c", "source": "z docs/b200", "metric": "torch_max_memory_allocated", "value": "many", "unit": "bytes"})",
        R"({"source": "ZeRO paper", "metric": "model_states_per_gpu", "value": 1, "unit": "GB", "config": {"dp": 0}})",
        R"({"id": "c", "config": null})"}) {
    const truth::judgement result = truth::judge_memory(rows_of(text));
    REQUIRE(result.lines().size() == 1);
    CHECK(!result.lines()[0].expressible());
  }
}

TEST_CASE("bounds of a group") {
  truth::judgement result;
  for (const double theirs : {100.0, 101.0, 110.0})
    result.add({.id = "x", .group = "g", .ours = 100, .theirs = theirs, .how = truth::strength::bound});
  CHECK(result.passed());
  result.set_bound("g", {.median_percent = 1});
  CHECK(result.passed());
  result.set_bound("g", {.median_percent = 0.9});
  CHECK(!result.passed());
  CHECK(result.unexpected({"g"}).empty());
  CHECK(result.unexpected({"g", "h"}).size() == 1);
  result.set_bound("g", {.ninety_percent = 9});
  CHECK(!result.passed());
  result.set_bound("g", {.never_above = true});
  CHECK(result.passed());
  result.add({.id = "y", .group = "g", .ours = 100, .theirs = 99, .how = truth::strength::bound});
  CHECK(!result.passed());
}
