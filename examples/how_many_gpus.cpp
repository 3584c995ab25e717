// SPDX-License-Identifier: BSL-1.0
// "How many GPUs does it take to train this model?" The least number of H100 on which any plan is legal and fits, with the best plan there.
#include <shardplan/report/search.hpp>
#include <shardplan/search/smallest_cluster.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <iostream>

namespace sp = shardplan;

namespace {

// As a type: a program that is built for a cluster can insist that it is large enough.
using smallest = sp::smallest_cluster<sp::models::llama2_7b, sp::devices::h100_sxm_80gb, sp::sequence<4096>, sp::global_batch<1024>>;
static_assert(smallest::devices == 2 && sp::checked<smallest::plan>);

void ask(const char* name, sp::plan_spec asked) {
  asked.device = sp::devices::h100_sxm_80gb::spec;
  asked.devices_per_node = 8;
  asked.global_batch = 1536;
  const sp::cluster_answer answer = sp::smallest_cluster_of(asked);
  std::cout << "== " << name << ": " << answer.devices << " H100; " << answer.least << " could hold the states, " << answer.searched
            << (answer.searched == 1 ? " number of devices was" : " numbers of devices were") << " searched\n"
            << sp::report::text_of(answer.search, 3) << "\n";
}

}  // namespace

int main() {
  sp::plan_spec asked{};
  asked.sequence = 4096;
  asked.model = sp::models::llama2_7b::shape;
  ask("7B", asked);
  asked.model = sp::models::llama2_13b::shape;
  ask("13B", asked);
  asked.model = sp::models::llama2_70b::shape;
  ask("70B", asked);
  // 126 layers: embedding and loss count as layers, so that 128 can be divided.
  asked.model = sp::models::llama3_1_405b::shape;
  asked.layer_split.embedding_slot = asked.layer_split.loss_slot = 1;
  ask("405B", asked);
  asked.layer_split = {};
  // 50,257 rows are padded to a number that tp divides; 2,048 learned positions.
  asked.model = sp::models::gpt3_175b::shape;
  asked.vocabulary_multiple = 1024;
  asked.sequence = 2048;
  ask("175B", asked);
}
