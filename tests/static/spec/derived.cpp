// SPDX-License-Identifier: BSL-1.0
// The defaults of a spec and what follows from its fields.
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

using namespace shardplan;

// architecture, section 6: zero 0, AdamW, bf16 with an fp32 master copy, no recompute, 1F1B, all degrees 1, dp what the cluster leaves
constexpr plan_spec fresh{};
static_assert(fresh.devices_per_node == unset && fresh.nodes == unset && fresh.sequence == unset && fresh.micro_batch == unset &&
              fresh.global_batch == unset && fresh.dp == unset && unset == INT64_MIN);
static_assert(fresh.tp == 1 && fresh.pp == 1 && fresh.cp == 1 && fresh.ep == 1 && fresh.etp == 1 && fresh.zero == 0);
static_assert(fresh.sequence_parallel == toggle::by_default && fresh.vocabulary_multiple == unset && fresh.layer_split.entries() == 0);
static_assert(fresh.schedule == schedules::one_f_one_b::spec && fresh.optimizer == optimizers::adamw::spec &&
              fresh.precision == precisions::bf16_fp32_master::spec && fresh.recompute == recomputes::none &&
              fresh.offload == offload_spec{});
static_assert(fresh.headroom_mebibytes == 1536 && fresh.said_parts == 0 && fresh.repeated_parts == 0);
static_assert(fresh.model == transformer{} && fresh.device == device_spec{} && fresh == plan_spec{});

// 16 nodes of 8: tp 8, pp 4, cp 2 leave 2 replicas; 1,024 sequences in micro-batches of 4 are 128 each
constexpr plan_spec large() {
  plan_spec spec{};
  spec.model.vocab = 50'257;
  spec.devices_per_node = 8;
  spec.nodes = 16;
  spec.sequence = 8'192;
  spec.micro_batch = 4;
  spec.global_batch = 1'024;
  spec.tp = 8;
  spec.pp = 4;
  spec.cp = 2;
  spec.ep = 4;
  spec.etp = 2;
  spec.vocabulary_multiple = 128 * 8;
  return spec;
}
constexpr derived facts = derive(large());
static_assert(facts.grid == degrees{.world = 128, .tp = 8, .pp = 4, .dp = 2, .cp = 2, .ep = 4, .etp = 2, .sequence_shards = 8});
static_assert(facts.grid.dense_shards() == 4 && facts.grid.expert_shards() == 4);
static_assert(facts.micro_batches == 128 && facts.tokens == 4 * 4'096 && facts.vocabulary == 51'200);

constexpr std::int64_t sequence_shards(toggle said, std::int64_t tp) {
  plan_spec spec = large();
  spec.sequence_parallel = said;
  spec.tp = tp;
  return derive(spec).grid.sequence_shards;
}
static_assert(sequence_shards(toggle::by_default, 1) == 1 && sequence_shards(toggle::by_default, 4) == 4);
static_assert(sequence_shards(toggle::off, 4) == 1 && sequence_shards(toggle::on, 4) == 4 && sequence_shards(toggle::on, 1) == 1);

constexpr derived with_said_replicas() {
  plan_spec spec = large();
  spec.dp = 4;
  return derive(spec);
}
static_assert(with_said_replicas().grid.dp == 4 && with_said_replicas().micro_batches == 64);
