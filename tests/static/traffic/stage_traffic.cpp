// SPDX-License-Identifier: BSL-1.0
// All that a rank sends in a step, against worked plans.
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/traffic/stage_traffic.hpp>

#include <cstdint>

using namespace shardplan;

// Llama 3.1 405B on 16,384 devices: t 8, p 16, d 128, 16 sequences of 8,192 a replica, one at a time. An inner stage has eight layers; on a
// rank each has (2 h^2 + 2 h kv + 3 h f) / 8 + 2 h parameters.
constexpr plan_spec llama_405b(toggle sequence_parallel) {
  plan_spec spec{};
  spec.model = models::llama3_1_405b::shape;
  spec.device = devices::h100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 2048;
  spec.sequence = 8'192;
  spec.micro_batch = 1;
  spec.global_batch = 2'048;
  spec.tp = 8;
  spec.pp = 16;
  spec.zero = 1;
  spec.sequence_parallel = sequence_parallel;
  return spec;
}
constexpr std::int64_t psi = 8 * ((2 * 16'384LL * 16'384 + 2 * 16'384LL * 1'024 + 3 * 16'384LL * 53'248) / 8 + 2 * 16'384);
constexpr stage_content inner{.dense_layers = 8, .dense_parameters = psi};
constexpr traffic_report with_sp = traffic_of_stage(llama_405b(toggle::on), inner, 7);
constexpr traffic_report without_sp = traffic_of_stage(llama_405b(toggle::off), inner, 7);
static_assert(with_sp.tensor == 300'647'710'720 && without_sp.tensor == 240'518'168'576);
static_assert(with_sp.forward == 536'870'912 && with_sp.backward == with_sp.forward && without_sp.forward == 4'294'967'296);
static_assert(psi == 3'187'933'184 && with_sp.data == fraction{127, 128} * fraction{psi} * fraction{2 + 2});
static_assert(with_sp.vocabulary == 0 && with_sp.context == 0 && with_sp.expert == 0 && with_sp.expert_data == 0 &&
              with_sp.tied_embedding == 0);
static_assert(with_sp.total() == with_sp.tensor + with_sp.forward + with_sp.backward + with_sp.data);

// Its ends: the first stage sends nothing back and reduces its embedding, the last gathers for its head and sums the loss.
constexpr traffic_report first = traffic_of_stage(llama_405b(toggle::on), {.dense_layers = 7, .has_embedding = true}, 0);
constexpr traffic_report last = traffic_of_stage(llama_405b(toggle::on), {.dense_layers = 7, .has_head = true}, 15);
constexpr fraction one_pass = fraction{16 * 7, 8} * fraction{std::int64_t{256} << 20};
static_assert(first.backward == 0 && last.forward == 0 && first.vocabulary == fraction{2} * one_pass);
static_assert(last.vocabulary == fraction{3} * one_pass + fraction{16 * 7 * 6, 8} * fraction{8'192 * 4});

// Gradient accumulation multiplies what is sent for each micro-batch, and of dp only what ZeRO-2 and 3 send for each.
constexpr traffic_report accumulated(std::int64_t zero, std::int64_t times) {
  plan_spec spec = llama_405b(toggle::on);
  spec.pp = 1;
  spec.zero = zero;
  spec.global_batch *= times;
  return traffic_of_stage(spec, inner, 0);
}
static_assert(accumulated(1, 4).tensor == fraction{4} * accumulated(1, 1).tensor && accumulated(1, 4).data == accumulated(1, 1).data &&
              accumulated(0, 4).data == accumulated(1, 1).data && accumulated(3, 4).data == fraction{4} * accumulated(3, 1).data);

// Context: 131,072 tokens over cp 16, 4 MiB of keys and values a layer: 60 MiB forward, 120 backward, 60 more with full recompute.
constexpr traffic_report long_context(recomputes recompute) {
  plan_spec spec = llama_405b(toggle::on);
  spec.sequence = 131'072;
  spec.cp = 16;
  spec.recompute = recompute;
  spec.global_batch = 8 * 16;
  return traffic_of_stage(spec, inner, 7);
}
static_assert(long_context(recomputes::none).context == 8 * 16 * (std::int64_t{180} << 20) &&
              long_context(recomputes::full).context == 8 * 16 * (std::int64_t{240} << 20));

// DeepSeek-V3, ep 64, 4,096 tokens: 462,422,016 bytes a dispatch in bf16; two of them and two combines a layer.
constexpr traffic_report routed(traffic_choices choices) {
  plan_spec spec{};
  spec.model = models::deepseek_v3::shape;
  spec.devices_per_node = 8;
  spec.nodes = 256;
  spec.sequence = 4'096;
  spec.micro_batch = 1;
  spec.global_batch = 1'024;
  spec.pp = 16;
  spec.ep = 64;
  spec.zero = 1;
  return traffic_of_stage(spec, {.expert_layers = 4, .expert_parameters = 1'000}, 3, choices);
}
static_assert(routed({}).expert == 8 * 4 * 4 * 462'422'016LL && routed({}).tensor == 0);
static_assert(routed({.dispatch = {.hidden = 7'168, .bytes_per_element = 1, .block = 128}}).expert ==
              8 * 4 * 2 * (462'422'016LL + 238'436'352LL));
static_assert(routed({}).expert_data == fraction{1, 2} * fraction{1'000 * (2 + 2)} && routed({}).data == 0);

// A tied table on both ends: its gradient is summed between the two.
constexpr traffic_report tied(std::int64_t rank) {
  plan_spec spec = llama_405b(toggle::on);
  spec.model.tied_embeddings = true;
  return traffic_of_stage(spec, inner, rank);
}
static_assert(tied(0).tied_embedding == 128'256 / 8 * 16'384LL * 2 && tied(15).tied_embedding == tied(0).tied_embedding &&
              tied(7).tied_embedding == 0);
