// SPDX-License-Identifier: BSL-1.0
// "From 7B to 70B, how does your strategy change?" The handbook's five steps, taken literally, for Llama 2 7B on 8 A100 and 70B on 64, and
// beside them what today's guidances do.
#include <shardplan/report/decision.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <iostream>

namespace sp = shardplan;

namespace {

template <class Model, std::int64_t Nodes, class... Parts>
using asked = sp::decide<Model, sp::cluster<sp::devices::a100_sxm_80gb, 8, Nodes>, sp::sequence<4096>, sp::micro_batch<1>,
                         sp::global_batch<256>, sp::precision<sp::precisions::handbook_bf16>, Parts...>;

// The handbook's counting, 12 bytes a parameter.
using small = asked<sp::models::llama2_7b, 1>;
using large = asked<sp::models::llama2_70b, 8>;
using large_recomputed = asked<sp::models::llama2_70b, 8, sp::recompute<sp::recomputes::full>>;

// The steps lead to plan types: these two can be insisted on, and the steps alone do not get 70B onto 64 devices.
static_assert(sp::checked<small::plan> && sp::checked<large_recomputed::plan> && !sp::fits<large::plan>);
static_assert(small::plan::spec.pp == 2 && large_recomputed::plan::spec.pp == 8 && large_recomputed::plan::spec.zero == 2);

template <class Question>
void show(const char* name) {
  std::cout << "== " << name << "\n" << sp::report::text_of(Question::path) << "\n";
  for (int whose = 0; whose < sp::guidance_count; ++whose)
    std::cout << sp::report::text_of(sp::practice_of(Question::path.plan, static_cast<sp::guidance>(whose)));
  std::cout << "\n";
}

}  // namespace

int main() {
  show<small>("7B on 8 A100 80 GB");
  show<large>("70B on 64 A100 80 GB");
  show<large_recomputed>("70B on 64 A100 80 GB, full recomputation");
  std::cout << sp::report::markdown_of(large::path, sp::practice_of(large::path.plan));
}
