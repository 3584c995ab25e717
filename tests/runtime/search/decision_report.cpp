// SPDX-License-Identifier: BSL-1.0
// What the five steps and the guidances print: the path, and behind the plan what it breaks or wastes.
#include "catch.hpp"

#include <shardplan/report/decision.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>
#include <shardplan/shardplan.hpp>

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

TEST_CASE("the batch that a plan cannot deal out is named") {
  auto spec = asked<>::path.plan;
  spec.global_batch = 100;  // 8 replicas
  CHECK(has(sp::report::text_of(sp::decision_of(spec)), "refused: "));
}
