// SPDX-License-Identifier: BSL-1.0
// What the five steps and the guidances print: the path, and behind the plan what it breaks or wastes.
#include "catch.hpp"

#include <shardplan/report/decision.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>
#include <shardplan/shardplan.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>

namespace sp = shardplan;

namespace {

// 70B on 64 A100 with full recomputation: the steps end at pp 8 with ZeRO-2.
template <class... More>
using asked = sp::decide<sp::models::llama2_70b, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>, sp::micro_batch<1>,
                         sp::global_batch<256>, sp::precision<sp::precisions::handbook_bf16>, sp::recompute<sp::recomputes::full>, More...>;

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("a plan of the five steps is printed with what the steps do not ask") {
  // ZeRO-2 beside a pipeline: a reduce-scatter for each micro-batch everywhere, refused by DeepSpeed (its runtime/pipe/engine.py).
  const std::string everywhere = sp::report::text_of(asked<>::path);
  CHECK(has(everywhere, "plan: tp 1, pp 8, dp 8, zero 2"));
  CHECK(has(everywhere, "4. More throughput? yes (64 devices, 8 a replica): dp 8\n"));
  CHECK(has(everywhere, "advice: gradients are sharded in a pipeline (sharding stage 2, pp 8): one reduce-scatter for each micro-batch"));
  CHECK(!has(everywhere, "refused:"));

  const auto path = asked<sp::framework<sp::frameworks::deepspeed>>::path;
  CHECK(has(sp::report::text_of(path), "refused: "));
  const std::string table = sp::report::markdown_of(path, sp::practice_of(path.plan, sp::guidance::deepspeed));
  CHECK(has(table, "The plan of the five questions:\n\n- refused: "));
  CHECK(!has(table, "The plan in practice:"));
  CHECK(has(table, "tried zero 2: "));
}

TEST_CASE("a plan in practice is printed with its advice") {
  // tp 4 on 64 devices needs 76 of 80 GiB.
  const std::string text = sp::report::text_of(sp::practice_of(asked<>::path.plan, sp::guidance::megatron));
  CHECK(has(text, "plan: tp 4, pp 1, dp 16, zero 1"));
  CHECK(has(text, "advice: little of the device's memory is left (9"));
}

// torchtitan and PyTorch's fully_shard have FSDP and no stages: neither plan nor words name ZeRO.
TEST_CASE("the path of a plan is printed in its framework's word") {
  const auto without_advice = [](std::string text) {
    for (std::size_t at = text.find("advice:"); at != std::string::npos; at = text.find("advice:"))
      text.erase(at, text.find('\n', at) - at);
    return text;
  };
  const auto names_stages = [&](const std::string& text) {
    const std::string said = without_advice(text);
    return has(said, "zero") || has(said, "ZeRO");
  };
  for (const sp::frameworks framework : {sp::frameworks::torchtitan, sp::frameworks::fsdp2}) {
    auto spec = asked<>::path.plan;
    spec.framework = framework;
    const auto path = sp::decision_of(spec);
    CHECK((path.plan.zero == 0 && path.plan.sharding.is_fsdp() && path.steps[4].kind == sp::rung_kind::fsdp));
    CHECK(has(sp::report::text_of(path), "tried fsdp: "));
    CHECK(has(sp::report::text_of(path), ", fsdp, full recomputation; "));
    CHECK(!names_stages(sp::report::text_of(path)));
    for (int whose = 0; whose < sp::guidance_count; ++whose) {
      const auto practice = sp::practice_of(spec, static_cast<sp::guidance>(whose));
      INFO(sp::report::text_of(practice));
      CHECK(has(sp::report::text_of(practice), "fsdp"));
      CHECK(practice.plan.zero == 0);
      CHECK(!names_stages(sp::report::text_of(practice)));
      CHECK(!names_stages(sp::report::markdown_of(path, practice)));
    }
    // A plan that is not sharded.
    spec.model = sp::models::llama3_2_1b::shape;
    CHECK(has(sp::report::text_of(sp::decision_of(spec)), ", not sharded"));
  }
}

TEST_CASE("the batch that a plan cannot deal out is named") {
  auto spec = asked<>::path.plan;
  spec.global_batch = 100;  // 8 replicas
  CHECK(has(sp::report::text_of(sp::decision_of(spec)), "refused: "));
}
