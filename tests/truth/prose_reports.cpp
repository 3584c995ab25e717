// SPDX-License-Identifier: BSL-1.0
// The reports of reports.json that report_cases.json has no spec for: what their `right_answer` says in words, asked of the library. Keyed
// by id, with the numbers of the report beside each; what no plan can say is listed at the end with the reason.
#include "../runtime/catch.hpp"
#include "report_spec.hpp"
#include "reports.hpp"
#include "shared_files.hpp"

#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/advice.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/tensors_of_size.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/recipe/overheads.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace sp = shardplan;

sp::plan_spec spec_of(const std::string& text, const char* framework = "generic") {
  std::istringstream stream{text};
  truth::json tree;
  boost::property_tree::read_json(stream, tree);
  return truth::report_spec(tree, framework);
}

sp::memory_report memory_of(const sp::plan_spec& spec, std::int64_t stage = 0) { return sp::stage_memory(spec, stage).device; }

sp::memory_report at_loss(const sp::plan_spec& spec, std::int64_t stage = 0) {
  return sp::phases_of_stage(spec, sp::memory_layout_of(spec), stage)[sp::phase::loss];
}

bool advises(const sp::plan_spec& spec, sp::advice kind) {
  for (const sp::advice_note& note : sp::advice_in(spec))
    if (note.kind == kind) return true;
  return false;
}

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
double in_gib(sp::bytes size) { return static_cast<double>(size.count) / gib; }

// What no plan can say, and why.
const std::map<std::string, const char*> beyond_plans = {
    {"R007", "a string where a file wants a number: no reader of files is part of the library"},
    {"R011", "a batch that grows with the devices: `global_batch<>` is that of a step and `micro_batch<>` must be said"},
    {"R023", "two names of one option: no reader of files is part of the library (tests/truth/megatron_layout.hpp reads both)"},
    {"R055", "a sequence that is cut twice: a plan has one `sequence<>`, which `cp<>` divides once"},
    {"R065", "weights quantised to four bits and frozen"},
    {"R082", "low-rank adapters beside frozen weights, on a device without a row"},
    {"R103", "sequence and micro-batch are not stated"},
    {"R104", "a model without a published shape"},
    {"R108", "loading, on a device without a row"},
    {"R120", "what loading a checkpoint holds beside the states"},
    {"R121", "what loading a checkpoint holds beside the states"},
    {"R122", "what loading a checkpoint holds beside the states"},
    {"R123", "what loading a checkpoint holds beside the states"},
    {"R124", "gathering on save"},
    {"R128", "weights quantised to four bits and frozen"},
    {"R129", "weights quantised to four bits and frozen"},
    {"R130", "weights quantised to four bits and frozen"},
    {"R141", "a wish about documentation"},
    {"R155", "layout, sequence and batch are not stated"},
};

// Those with a test below.
const std::set<std::string> asked = {"R024", "R074", "R075", "R079", "R081", "R087", "R088", "R089", "R093", "R094", "R096", "R098",
                                     "R099", "R100", "R101", "R105", "R109", "R110", "R119", "R133", "R139", "R140", "R148", "R150"};

}  // namespace

TEST_CASE("each report is a case, is asked here, or is beyond plans") {
  const auto reports = truth::read("reports.json");
  const auto cases = truth::read("report_cases.json");
  if (!reports || !cases) return;
  std::set<std::string> specs;
  for (const auto& element : cases->get_child("cases")) specs.insert(element.second.get<std::string>("id").substr(0, 4));
  std::size_t rows = 0;
  for (const auto& element : *reports) {
    const std::string id = element.second.get<std::string>("id");
    INFO(id);
    ++rows;
    CHECK(int{specs.count(id) != 0} + int{asked.count(id) != 0} + int{beyond_plans.count(id) != 0} == 1);
  }
  CHECK(rows == specs.size() + asked.size() + beyond_plans.size());
}

TEST_CASE("R024: the answer is that of the fullest stage, not of the mean") {
  const sp::plan_spec spec = spec_of(R"({"model": {"layers": 8}, "pp": 4, "layer_split": [1, 2, 2, 3]})");
  const sp::evaluation result = sp::evaluate(spec, sp::remedy_search::off);
  CHECK(result.violations.empty());
  sp::bytes most{};
  for (std::int64_t stage = 0; stage < 4; ++stage) most = memory_of(spec, stage).total() > most ? memory_of(spec, stage).total() : most;
  CHECK(result.peak_memory == most);
}

TEST_CASE("R074: 25.10 and 6.28 GiB are fp32 weights whole and their gradients by four") {
  const sp::plan_spec spec = spec_of(R"({"model": "llama-7b", "device": "A100-40GB-SXM4", "devices_per_node": 4, "nodes": 1, "zero": 2,
                                         "precision": "fp32", "offload": {"optimizer": "host"}, "sequence": 512, "micro_batch": 1})");
  CHECK(memory_of(spec).weights.count == 4 * 6'738'415'616);
  CHECK(memory_of(spec).gradients.count == 6'738'415'616);
  CHECK(in_gib(memory_of(spec).weights) == Approx(25.10).margin(0.005));
  CHECK(in_gib(memory_of(spec).gradients) == Approx(6.28).margin(0.005));
  // From the message alone, without knowing what the job did with its weights.
  CHECK(!sp::tensors_of_size(spec, sp::bytes{6'738'415'616}).empty());
}

TEST_CASE("R075: the plan fits; the failure was in setting up") {
  const sp::plan_spec spec = spec_of(R"({"model": {"layers": 32, "hidden": 4096, "heads": 32, "ffn": 12288, "vocab": 126464},
                                         "device": "A100-40GB-SXM4", "devices_per_node": 2, "nodes": 1, "zero": 2, "sequence": 512,
                                         "micro_batch": 1, "offload": {"optimizer": "host"}, "recompute": "full"})",
                                     "deepspeed");
  CHECK(memory_of(spec).weights.count == 2 * 8'015'581'184);  // the report's P
  CHECK(truth::detail::verdict_on(spec).fits);
}

TEST_CASE("R079 and R119: sixteen bytes a parameter over the devices") {
  // 88.6e9 parameters on eight cards: 165 GiB a card.
  sp::plan_spec spec = spec_of(R"({"device": "A100-80GB-SXM4", "devices_per_node": 8, "nodes": 1, "zero": 3, "sequence": 128})");
  spec.model = truth::shape_with(88'600'000'000);
  CHECK(in_gib(memory_of(spec).states()) == Approx(165).margin(0.1));
  CHECK(truth::detail::verdict_on(spec).rules.count("states_do_not_fit") == 1);
  // Qwen2-7B on four: 28.4 GiB, and it trains; the 42.6 GiB of its resume are a phase that no plan has.
  spec = spec_of(R"({"model": "Qwen2-7B", "device": "A100-40GB-SXM4", "devices_per_node": 4, "nodes": 1, "fsdp": "full_shard",
                     "precision": "bf16_fp32_master", "sequence": 1024, "micro_batch": 1, "recompute": "full"})",
                 "fsdp2");
  CHECK(in_gib(memory_of(spec).states()) == Approx(28.4).margin(0.05));
  CHECK(truth::detail::verdict_on(spec).fits);
}

TEST_CASE("R081, R139 and R140: weights that nobody shards are whole on every device") {
  // 131.4 GiB of 70B in 16 bits under plain data parallelism, 16.4 in eight shards.
  CHECK(in_gib(memory_of(spec_of(R"({"model": "Meta-Llama-3-70B", "dp": 8})")).weights) == Approx(131.4).margin(0.05));
  CHECK(in_gib(memory_of(spec_of(R"({"model": "Meta-Llama-3-70B", "dp": 8, "zero": 3})")).weights) == Approx(16.4).margin(0.05));
  // GPT-J 6B: 11.3 GiB on two and on four alike; ZeRO-3 would halve it.
  for (const char* ranks : {"2", "4"}) {
    const std::string dp = std::string{R"({"model": "gpt-j-6b", "dp": )"} + ranks;
    CHECK(memory_of(spec_of(dp + "}")).weights.count == 2 * 6'050'882'784);
    CHECK(memory_of(spec_of(dp + R"(, "zero": 3})")).weights.count < 2 * 6'050'882'784 / std::stoll(ranks) + 4096);
  }
  sp::plan_spec spec = spec_of(R"({"dp": 4})");
  spec.model = truth::shape_with(6'804'000'000);
  CHECK(in_gib(memory_of(spec).weights) == Approx(12.7).margin(0.05));
}

TEST_CASE("R087: a plan inside the allocator's noise is advised against") {
  // Llama-3-70B, FP8, TP4 PP4 VPP5 DP2 on H100; the report's sequence is 4096 of its recipe. With five chunks more is alive than with ten.
  const auto peak = [](const char* chunks) {
    const sp::plan_spec spec = spec_of(std::string{R"({"model": "Meta-Llama-3-70B", "device": "H100-80GB-SXM5", "devices_per_node": 8,
      "nodes": 4, "tp": 4, "pp": 4, "dp": 2, "zero": 1, "precision": "fp8", "sequence": 4096, "micro_batch": 1, "global_batch": 32, "v": )"} +
                                           chunks + "}",
                                       "megatron");
    return sp::evaluate(spec, sp::remedy_search::off).peak_memory;
  };
  CHECK(peak("5") > peak("10"));
  sp::plan_spec spec = spec_of(R"({"model": "Llama-2-7b-hf", "device": "A100-80GB-SXM4", "devices_per_node": 8, "nodes": 1, "zero": 1,
                                   "precision": "bf16_fp32_master_and_gradients", "sequence": 4096, "micro_batch": 1})");
  spec.device.memory = sp::bytes{sp::evaluate(spec, sp::remedy_search::off).peak_memory.count * 100 / 95};
  CHECK(advises(spec, sp::advice::little_memory_left));
  spec.device.memory = sp::bytes{sp::evaluate(spec, sp::remedy_search::off).peak_memory.count * 100 / 85};
  CHECK(!advises(spec, sp::advice::little_memory_left));
}

TEST_CASE("R088, R094 and R096: states and logits by the token") {
  const sp::plan_spec spec = spec_of(R"({"model": "Qwen2.5-14B", "device": "A100-80GB-SXM4", "devices_per_node": 8, "nodes": 1, "zero": 3,
                                         "micro_batch": 1, "sequence": 32768})");
  CHECK(memory_of(spec).states().count == 2 * 14'770'033'664);  // 27.5 GiB
  CHECK(truth::detail::has_fp32_tensor(spec, "logits", 4LL * 32768 * 152064));
  CHECK(4.0 * 32768 * 152064 / gib == Approx(18.6).margin(0.05));
  const sp::plan_spec small = spec_of(R"({"model": "Qwen3-0.6B", "micro_batch": 8, "sequence": 1024})");
  CHECK(in_gib(memory_of(small).weights) == Approx(1.1).margin(0.02));
  CHECK(truth::detail::has_fp32_tensor(small, "logits", 8LL * 1024 * 151936 * 4));  // in 16 bits 2.3 GiB
  const sp::plan_spec sample = spec_of(R"({"model": "Meta-Llama-3-8B", "micro_batch": 1, "sequence": 4096})");
  CHECK(truth::detail::has_fp32_tensor(sample, "logits", 4LL * 4096 * 128256));
  CHECK(2.0 * 4096 * 128256 / gib == Approx(0.98).margin(0.005));
}

TEST_CASE("R089: with a small model buckets weigh more than what ZeRO-2 shares") {
  // BERT-large's sizes, 335e6 parameters, on four ranks; buckets of 5e8 elements are larger than all gradients.
  sp::plan_spec spec = spec_of(R"({"dp": 4, "sequence": 128, "model": {"layers": 24, "hidden": 1024, "heads": 16, "ffn": 4096,
                                   "vocab": 30522, "positions": 512, "mlp": "plain", "norm": "layer", "tied_embeddings": true}})",
                               "deepspeed");
  spec.overheads = sp::overhead_sets::deepspeed::spec;
  spec.zero = 1;
  const std::int64_t one = memory_of(spec).total().count;
  spec.zero = 2;
  const std::int64_t two = memory_of(spec).total().count;
  CHECK(two > one);
  spec.buckets.reduce_elements = 50'000'000;
  CHECK(memory_of(spec).total().count < one);
}

TEST_CASE("R093: the loss decides how often the logits are there") {
  sp::plan_spec spec = spec_of(R"({"model": "gpt-oss-20b", "micro_batch": 1, "sequence": 4096})");
  spec.loss = sp::losses::torch_eager_float::spec;
  const std::int64_t full = at_loss(spec).total().count;
  spec.loss = sp::losses::fused_linear::spec;
  const std::int64_t fused = at_loss(spec).total().count;
  // Two to four fp32 copies of tokens x vocabulary.
  const std::int64_t copy = 4LL * 4096 * 201088;
  CHECK(full - fused >= 2 * copy);
  CHECK(full - fused <= 4 * copy);
}

TEST_CASE("R098 and R101: with flash attention there are no scores to compute again") {
  for (const char* model : {"Llama-2-7b-hf", "Qwen3-30B-A3B"}) {
    const std::string start = std::string{R"({"sequence": 4096, "micro_batch": 1, "model": ")"} + model + "\"";
    const auto kept = [](const std::string& text) { return sp::stage_memory(spec_of(text + "}", "megatron"), 0).device.activations.count; };
    const std::int64_t flash = kept(start);
    const std::int64_t selective = kept(start + R"(, "recompute": "selective")");
    CHECK(selective <= flash);
    CHECK(flash - selective < flash / 20);
    const std::int64_t unfused = kept(start + R"(, "attention": "unfused")");
    CHECK(unfused - kept(start + R"(, "attention": "unfused", "recompute": "selective")") > flash / 4);
  }
}

TEST_CASE("R099: uniform groups are least near the square root of the layers") {
  sp::plan_spec spec = spec_of(R"({"model": {"layers": 64, "hidden": 4096, "heads": 32, "ffn": 11008}, "sequence": 4096, "micro_batch": 1,
                                   "recompute": "full"})");
  const auto peak = [&](std::int64_t group) {
    spec.recompute_layers = {sp::recompute_methods::uniform, group};
    return sp::evaluate(spec, sp::remedy_search::off).peak_memory.count;
  };
  // Not monotone: a group of all layers keeps all, a group of one keeps the most inputs.
  std::int64_t least = 1;
  for (const std::int64_t group : {1, 2, 4, 8, 16, 32, 64})
    if (peak(group) < peak(least)) least = group;
  CHECK(peak(64) > peak(least));
  CHECK(least <= 8);
}

TEST_CASE("R100: recomputation leaves alone what lies outside of the layers") {
  const std::string start = R"({"model": "Meta-Llama-3-8B", "sequence": 4096, "micro_batch": 1, "tp": 2, "pp": 2)";
  const sp::memory_report without = at_loss(spec_of(start + "}"), 1);
  const sp::memory_report with = at_loss(spec_of(start + R"(, "recompute": "full"})"), 1);
  CHECK(with.logits == without.logits);
  CHECK(with.states() == without.states());
  CHECK(with.activations < without.activations);
}

TEST_CASE("R105: what a block keeps depends on the implementation") {
  sp::plan_spec spec = spec_of(R"({"model": "Llama-2-70b-hf", "tp": 8, "pp": 4, "sequence": 8192, "micro_batch": 1})");
  const std::int64_t fused = memory_of(spec).activations.count;
  spec.kernels = sp::kernel_sets::torch_eager::spec;
  CHECK(memory_of(spec).activations.count > fused * 5 / 4);
}

TEST_CASE("R109 and R110: a host that holds the plan need not be able to load it") {
  const auto host = [](const char* model, const char* ranks, const char* bytes) {
    return spec_of(std::string{R"({"zero": 3, "sequence": 512, "nodes": 1, "devices_per_node": )"} + ranks + R"(, "model": ")" + model +
                   R"(", "offload": {"host_bytes_per_node": )" + bytes + "}}");
  };
  // bloomz-7b1: eight ranks read 8 x 4 P = 211 GiB; four fit the same host of 200 GiB.
  CHECK(in_gib(sp::host_memory_of(host("bloomz-7b1", "8", "214748364800")).loading) == Approx(211).margin(0.5));
  CHECK(advises(host("bloomz-7b1", "8", "214748364800"), sp::advice::host_cannot_load));
  CHECK(!advises(host("bloomz-7b1", "4", "214748364800"), sp::advice::host_cannot_load));
  // falcon-40b: 1.32 TB of 1280 GB.
  CHECK(sp::host_memory_of(host("falcon-40b", "8", "1280000000000")).loading.count == 8 * 4 * 41'303'293'952);
  CHECK(advises(host("falcon-40b", "8", "1280000000000"), sp::advice::host_cannot_load));
}

TEST_CASE("R133: the models of an algorithm are the sum of their plans") {
  // Four of 7B: 56.7 GiB of weights; policy and value with 16 bytes a parameter: 227 GiB on one card of 80 GB.
  const sp::plan_spec spec = spec_of(R"({"model": "Qwen2.5-7B", "device": "A100-80GB-SXM4", "devices_per_node": 1, "nodes": 1})");
  CHECK(4 * in_gib(memory_of(spec).weights) == Approx(56.7).margin(0.1));
  CHECK(2 * in_gib(memory_of(spec).states()) == Approx(227).margin(0.2));
  CHECK(truth::detail::verdict_on(spec).rules.count("states_do_not_fit") == 1);
}

TEST_CASE("R148 and R150: each kind of layer has its price, and latent attention its own formula") {
  // DeepSeek-V3: three dense layers before 58 that route; a stage of the former keeps and holds less.
  const sp::plan_spec spec = spec_of(R"({"model": "DeepSeek-V3", "pp": 2, "ep": 8, "layer_split": [3, 58], "sequence": 4096,
                                         "micro_batch": 1})");
  const sp::parameter_sum dense = truth::detail::parameters_held(spec, 0);
  const sp::parameter_sum sparse = truth::detail::parameters_held(spec, 1);
  CHECK(dense.routed == 0);
  CHECK(sparse.routed == 58LL * 256 / 8 * 3 * 7168 * 2048);
  // Queries by rank 1536, keys and values by rank 512 with 64 rotary columns shared by the heads, and two norms of these widths.
  sp::transformer shape = spec.model;
  const std::int64_t latent =
      7168LL * 1536 + 1536LL * 128 * 192 + 7168LL * (512 + 64) + 512LL * 128 * (128 + 128) + 128LL * 128 * 7168 + 1536 + 512;
  std::int64_t in_layer = 0;
  for (const sp::tensor& item : sp::tensors_of(shape))
    if (item.where == sp::place::dense_block) in_layer += item.elements() * item.copies;
  std::int64_t everywhere = 0;
  for (const sp::tensor& item : sp::tensors_of(shape))
    if (item.where == sp::place::every_block) everywhere += item.elements() * item.copies;
  CHECK(everywhere == latent + 2 * 7168);
  CHECK(in_layer == 3LL * 7168 * 18432);
}
