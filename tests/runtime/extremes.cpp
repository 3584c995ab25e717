// SPDX-License-Identifier: BSL-1.0
// Whatever stands in a spec, evaluate answers with a value: a named violation, or figures that are right. (Run also under the sanitizers:
// preset asan.)
#include "../support/each_number.hpp"
#include "catch.hpp"

#include <shardplan/core/bytes.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/legality.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sp = shardplan;

namespace {

constexpr std::int64_t most = INT64_MAX;
constexpr std::int64_t least = INT64_MIN;
constexpr std::int64_t power(int exponent) { return std::int64_t{1} << exponent; }

// Every number of a spec.
std::vector<std::int64_t*> numbers_of(sp::plan_spec& spec) {
  std::vector<std::int64_t*> numbers;
  every::number(spec, [&](std::int64_t& number) { numbers.push_back(&number); });
  return numbers;
}

const std::int64_t extremes[] = {
    least,     least + 1, -power(62), -power(32), -power(31), -4096,     -2,        -1,        0,         1,         2,
    3,         7,         16,         64,         power(10),  power(12), power(14), power(16), power(24), power(30), power(31) - 1,
    power(31), power(32), power(40),  power(50),  power(52),  power(61), power(62), most - 1,  most};

// A generator of one's own, so that every machine tries the same specs (xorshift64*, Vigna 2016).
class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 2685821657736338717ull >> 33) % bound;
  }
  template <class Value, std::size_t Count>
  const Value& one_of(const Value (&values)[Count]) {
    return values[below(Count)];
  }

private:
  std::uint64_t state_;
};

std::vector<sp::plan_spec> sound_specs() {
  sp::plan_spec dense{};
  dense.model = {.layers = 8, .hidden = 1024, .heads = 16, .kv_heads = 4, .ffn = 4096, .vocab = 32768};
  dense.device.memory.count = power(36);
  dense.devices_per_node = 8;
  dense.nodes = 2;
  dense.sequence = 1024;
  dense.micro_batch = 1;
  dense.global_batch = 64;
  sp::plan_spec experts = dense;
  experts.model.experts = {.count = 8, .top_k = 2, .ffn = 1024, .shared_ffn = 512, .leading_dense = 2};
  experts.model.positions = 4096;
  experts.model.tied_embeddings = true;
  experts.tp = experts.pp = experts.ep = experts.etp = 2;
  experts.dp = 4;
  experts.zero = 3;
  experts.layer_split.push_back(4);
  experts.layer_split.push_back(4);
  sp::plan_spec eight_bit = dense;
  eight_bit.optimizer = sp::optimizers::adamw_8bit::spec;
  eight_bit.precision = sp::precisions::torch_amp::spec;
  eight_bit.recompute = sp::recomputes::full;
  eight_bit.offload = {sp::storage::nvme, sp::storage::host};
  eight_bit.cp = 2;
  eight_bit.pp = 4;
  eight_bit.zero = 1;
  eight_bit.schedule = sp::schedules::gpipe::spec;
  sp::plan_spec factored = experts;
  factored.optimizer = sp::optimizers::adafactor::spec;
  factored.zero = 0;
  sp::plan_spec muon = dense;
  muon.optimizer = sp::optimizers::muon::spec;
  muon.zero = 2;
  muon.sequence_parallel = sp::toggle::off;
  muon.tp = 4;
  sp::plan_spec four_bit = eight_bit;
  four_bit.optimizer = sp::optimizers::ao_adamw_4bit::spec;
  four_bit.zero = 0;
  sp::plan_spec shampoo = experts;
  shampoo.optimizer = sp::optimizers::shampoo<>::spec;
  shampoo.precision = sp::precisions::mxfp8_weights::spec;
  sp::plan_spec galore = muon;
  galore.optimizer = sp::optimizers::galore<64>::spec;
  galore.precision = sp::precisions::fp8_compute::spec;
  sp::plan_spec adam_mini = factored;
  adam_mini.optimizer = sp::optimizers::adam_mini::spec;
  sp::plan_spec latent = experts;
  latent.model.kv_heads = 0;
  latent.model.latent = {.query_rank = 256, .key_value_rank = 128, .rope_dim = 16, .nope_dim = 32, .value_dim = 32};
  latent.model.experts.layer_step = 2;
  latent.model.experts.bias = true;
  latent.model.position_offset = 2;
  latent.model.next_token_layers = 1;
  latent.optimizer = sp::optimizers::muon::spec;
  latent.zero = 1;
  sp::plan_spec latent_soap = latent;
  latent_soap.optimizer = sp::optimizers::soap<>::spec;
  latent_soap.precision = sp::precisions::mxfp8_weights::spec;
  sp::plan_spec latent_mini = latent;
  latent_mini.optimizer = sp::optimizers::adam_mini::spec;
  return {dense, experts, eight_bit, factored, muon, four_bit, shampoo, galore, adam_mini, latent, latent_soap, latent_mini};
}

// What evaluate may answer. Returns whether figures came with it.
bool is_sane(const sp::plan_spec& spec) {
  const sp::evaluation answer = sp::evaluate(spec);
  const sp::plan_figures& figures = answer;
  bool computed = true;
  bool fits = true;
  for (const sp::violation& found : answer.violations) {
    if (found.broken < sp::rule::exceeds) computed = false;
    if (found.broken == sp::rule::exceeds && !sp::detail::is_of_tier_three(found)) computed = false;
    if (found.broken == sp::rule::does_not_fit) fits = false;
    if (sp::sentence_of(found).size() == 0 || sp::sentence_of(found).truncated) FAIL("no sentence");
  }
  if (!computed) {
    if (!(figures == sp::plan_figures{})) FAIL("figures of a plan that cannot be computed");
    for (const std::int64_t stage : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, most, least})
      if (!(sp::stage_memory(spec, stage).device == sp::memory_report{})) FAIL("memory of a plan that cannot be computed");
    return false;
  }
  if (figures.world_size < 1 || figures.data_parallel < 1 || figures.micro_batches < 1) FAIL("a world of nothing");
  if (figures.peak_memory.count < 1 || figures.peak_stage < 0 || figures.peak_stage >= spec.pp) FAIL("no peak");
  if (fits != (figures.peak_memory <= spec.device.memory)) FAIL("a wrong verdict on memory");
  std::int64_t peak = 0;
  for (std::int64_t stage = 0; stage<spec.pp; stage += spec.pp> 8 ? spec.pp / 4 : 1) {
    const sp::stage_account account = sp::stage_memory(spec, stage);
    for (int i = 0; i <= static_cast<int>(sp::component::reserve); ++i)
      if (sp::component_of(account.device, static_cast<sp::component>(i)).count < 0) FAIL("a negative amount");
    if (account.offloaded.host.count < 0 || account.offloaded.nvme.count < 0) FAIL("a negative amount");
    const std::int64_t total = account.device.total().count;  // checked: a wrap would be thrown
    peak = total > peak ? total : peak;
    if (account.device.weights.count < 1) FAIL("no weight");
  }
  if (!(sp::step_timing(spec).step >= 0)) FAIL("less than no time");
  if (peak > figures.peak_memory.count || (spec.pp <= 8 && peak != figures.peak_memory.count)) FAIL("a wrong peak");
  return true;
}

std::string words_of(const sp::plan_spec& spec) {
  sp::plan_spec copy = spec;
  std::string words;
  for (const std::int64_t* number : numbers_of(copy)) words += std::to_string(*number) + " ";
  return words;
}

}  // namespace

TEST_CASE("one extreme value in each field") {
  for (const sp::plan_spec& sound : sound_specs()) {
    REQUIRE(sp::violations_in(sound).empty());
    sp::plan_spec spec = sound;
    const std::size_t fields = numbers_of(spec).size();
    for (std::size_t i = 0; i < fields; ++i)
      for (const std::int64_t value : extremes) {
        spec = sound;
        *numbers_of(spec)[i] = value;
        INFO("field " << i << " value " << value);
        static_cast<void>(is_sane(spec));
      }
  }
}

TEST_CASE("extreme values in several fields") {
  dice random{20240607};
  const std::vector<sp::plan_spec> sound = sound_specs();
  for (int round = 0; round < 30000; ++round) {
    sp::plan_spec spec = sound[random.below(sound.size())];
    const std::vector<std::int64_t*> numbers = numbers_of(spec);
    const std::uint64_t changes = round % 4 == 0 ? numbers.size() : 2 + random.below(4);
    for (std::uint64_t i = 0; i < changes; ++i) *numbers[random.below(numbers.size())] = random.one_of(extremes);
    INFO(words_of(spec));
    static_cast<void>(is_sane(spec));
  }
}

// Powers of two that divide each other as the rules ask: figures up to the ends of the ranges. What is too much together is refused.
TEST_CASE("values up to the ends of their ranges") {
  dice random{77};
  const auto between = [&](int first, int last) {
    return first >= last ? first : first + static_cast<int>(random.below(static_cast<std::uint64_t>(last - first) + 1));
  };
  const auto up_to = [&](int exponent) { return power(between(0, exponent)); };
  const auto now_and_then = [&] { return random.below(2) == 0; };
  const auto smaller = [](int left, int right) { return left < right ? left : right; };
  const auto larger = [](int left, int right) { return left > right ? left : right; };
  int computed = 0;
  for (int round = 0; round < 30000; ++round) {
    const int most_ranks = round % 2 == 0 ? 3 : 10;
    const int tp = between(0, most_ranks), pp = between(0, most_ranks), cp = between(0, most_ranks), ep = between(0, most_ranks);
    const int etp = between(0, most_ranks), chunks = now_and_then() ? 0 : between(0, smaller(6, 14 - pp));
    const int dp = between(larger(0, etp + ep - tp - cp), smaller(24, 32 - tp - pp - cp));
    const int micro = between(0, smaller(24, 32 - dp));
    const int hidden = between(tp, round % 3 == 0 ? 24 : 13), heads = between(tp, smaller(16, larger(hidden, tp)));
    sp::plan_spec spec{};
    spec.model = {.layers = power(between(pp + chunks, 14)),
                  .hidden = power(hidden),
                  .heads = power(heads),
                  .ffn = power(between(larger(tp, etp), 24)),
                  .vocab = power(between(tp, 31))};
    spec.model.kv_heads = now_and_then() ? 0 : power(between(0, heads));
    spec.model.head_dim = now_and_then() && heads <= hidden ? 0 : up_to(16);
    spec.model.positions = now_and_then() ? 0 : up_to(31);
    spec.model.tied_embeddings = now_and_then();
    spec.model.qkv_bias = spec.model.mlp_bias = now_and_then();
    if (now_and_then())
      spec.model.experts = {.count = power(between(ep, 16)),
                            .top_k = up_to(6),
                            .ffn = power(between(etp, 24)),
                            .shared_ffn = now_and_then() ? 0 : power(between(tp, 24))};
    spec.device.memory.count = power(50);
    const int world = tp + pp + cp + dp, inside = between(larger(0, world - 20), smaller(12, world));
    spec.devices_per_node = power(inside);
    spec.nodes = power(world - inside);
    spec.sequence = power(between(larger(tp + 3, 4) + cp, round % 5 == 0 ? 31 : 17));  // FP8 wants 16 on each cp rank, 8 on each
    spec.micro_batch = power(micro);
    spec.global_batch = power(between(micro + dp, round % 7 == 0 ? 32 : larger(10, micro + dp)));
    spec.tp = power(tp);
    spec.pp = power(pp);
    spec.cp = power(cp);
    spec.ep = power(ep);
    spec.etp = power(etp);
    spec.zero = static_cast<std::int64_t>(random.below(4));
    spec.vocabulary_multiple = up_to(31);
    spec.headroom_mebibytes = up_to(30);
    spec.recompute = now_and_then()   ? sp::recomputes::full
                     : now_and_then() ? static_cast<sp::recomputes>(random.below(512))
                                      : sp::recomputes::none;
    spec.recompute_layers = {static_cast<sp::recompute_methods>(random.below(4)), up_to(14)};
    spec.kernels = {.name = "random",
                    .norm = static_cast<sp::kept_by_norm>(random.below(4)),
                    .qkv = static_cast<sp::kept_by_qkv>(random.below(4)),
                    .softmax = static_cast<sp::kept_by_softmax>(random.below(2)),
                    .activation = static_cast<sp::kept_by_activation>(random.below(2)),
                    .keeps_scale = now_and_then(),
                    .keeps_repeats = now_and_then(),
                    .keeps_branch_outputs = now_and_then(),
                    .keeps_unweighted = now_and_then(),
                    .preallocates = now_and_then(),
                    .keeps_log_probabilities = now_and_then(),
                    .keeps_fp8_inputs = now_and_then()};
    spec.attention = static_cast<sp::attentions>(random.below(4));
    spec.dropout = static_cast<sp::dropouts>(random.below(5));
    spec.context_exchange = static_cast<sp::context_exchanges>(random.below(3));
    if (now_and_then()) spec.expert_load = {100 + static_cast<std::int64_t>(random.below(5000)), up_to(12), now_and_then()};
    if (now_and_then()) spec.offload.inputs = sp::storage::host;
    spec.schedule = now_and_then() ? sp::schedules::gpipe::spec : sp::schedules::one_f_one_b::spec;
    spec.schedule.chunks = power(chunks);
    spec.optimizer = {.name = "random",
                      .moments = up_to(4),
                      .matrix_moments = now_and_then() ? -1 : up_to(4),
                      .matrices = now_and_then() ? sp::matrix_rule::none : static_cast<sp::matrix_rule>(random.below(6)),
                      .hidden_only = now_and_then(),
                      .whole_blocks = now_and_then(),
                      .fused_step = now_and_then(),
                      .matrix_size = now_and_then() ? 0 : up_to(30),
                      .moment = now_and_then() ? 0 : up_to(4),
                      .bits = now_and_then() ? 0 : up_to(7),
                      .block = up_to(30),
                      .least_elements = up_to(30),
                      .table_bytes = up_to(30),
                      .tensor_table_bytes = now_and_then() ? 0 : up_to(30)};
    spec.precision = {.name = "random",
                      .weight = up_to(4),
                      .gradient = up_to(4),
                      .accumulator = up_to(4),
                      .gradient_copy = up_to(4),
                      .master = up_to(4),
                      .moment = up_to(4),
                      .second_moment = now_and_then() ? 0 : up_to(4),
                      .moment_scale = up_to(4),
                      .compute = up_to(4),
                      .linear_bits = now_and_then() ? 0 : up_to(7),
                      .linear_copy_bits = now_and_then() ? 0 : up_to(7),
                      .scale_block = now_and_then() ? 0 : up_to(round % 8 == 0 ? 30 : 3),
                      .scale_square = now_and_then() ? 0 : up_to(30)};
    spec.loss = {.name = "random",
                 .kept_copies = up_to(1),
                 .kept_bytes = up_to(1),
                 .temporary_copies = up_to(1),
                 .temporary_bytes = up_to(1),
                 .chunks = now_and_then() ? 1 : up_to(30),
                 .head_gradient_bytes = up_to(1),
                 .hidden_bytes = up_to(1)};
    spec.overheads = {.name = "random",
                      .workspace_kibibytes = up_to(30),
                      .boundary_tensors = up_to(4),
                      .mask = now_and_then(),
                      .gradient_scratch = now_and_then(),
                      .widens_moments = now_and_then(),
                      .step_bytes = up_to(4)};
    spec.buckets = {up_to(52), up_to(4), up_to(52)};
    INFO(words_of(spec));
    if (!is_sane(spec)) continue;
    ++computed;
    // Doubled here and there until it is refused: the last one that was not is near a limit.
    for (int step = 0; step < 24; ++step) {
      sp::plan_spec grown = spec;
      sp::transformer& shape = grown.model;
      std::int64_t* const sizes[] = {
          &shape.layers,    &shape.hidden,        &shape.heads,         &shape.ffn,         &shape.vocab,
          &shape.positions, &shape.experts.count, &shape.experts.top_k, &shape.experts.ffn, &shape.experts.shared_ffn,
          &grown.sequence,  &grown.global_batch,  &grown.micro_batch,   &shape.head_dim};
      const std::uint64_t which = random.below(sizeof sizes / sizeof sizes[0]);
      *sizes[which] *= 2;
      if (sizes[which] == &grown.micro_batch) grown.global_batch *= 2;
      INFO("grown to " << words_of(grown));
      if (is_sane(grown)) spec = grown;
    }
  }
  CHECK(computed > 1500);
}

// The bounds of tier one lie beyond what anyone trains: 128 M tokens a step, a million tokens a sequence, scores that are kept for 32 k.
TEST_CASE("nothing of today's sizes is too large") {
  for (const sp::transformer& shape : {sp::models::llama3_1_405b::shape, sp::models::kimi_k2::shape, sp::models::nemotron_4_340b::shape,
                                       sp::models::gpt3_175b::shape, sp::models::gemma_3_27b::shape})
    for (const sp::optimizer_spec& optimizer :
         {sp::optimizers::adamw::spec, sp::optimizers::soap<>::spec, sp::optimizers::shampoo<0>::spec})
      for (const sp::precision_spec& precision : {sp::precisions::fp32::spec, sp::precisions::mxfp8_weights::spec})
        for (const bool scores : {false, true})
          for (const int chunks : {1, 8}) {
            sp::plan_spec spec{};
            spec.model = shape;
            spec.model.positions = 0;
            spec.device.memory.count = power(37);
            spec.devices_per_node = 8;
            spec.nodes = 4096;
            spec.sequence = scores ? power(15) : power(20);
            spec.micro_batch = 1;
            spec.global_batch = power(scores ? 24 : 27) / spec.sequence;
            spec.optimizer = optimizer;
            spec.precision = precision;
            if (scores) spec.attention = sp::attentions::materialised;
            spec.schedule.chunks = chunks;
            for (const sp::violation& found : sp::evaluate(spec, sp::remedy_search::off).violations)
              if (found.broken == sp::rule::too_large) FAIL(sp::sentence_of(found).c_str());
          }
}

// The largest micro-batch on the largest cluster: micro_batch x replicas is 2^56 and does not divide the largest batch.
TEST_CASE("the largest cluster with the largest micro-batch") {
  sp::plan_spec spec = sound_specs()[0];
  spec.devices_per_node = power(12);
  spec.nodes = power(20);
  spec.micro_batch = power(24);
  spec.global_batch = power(32);
  spec.sequence = 1;
  CHECK(!is_sane(spec));
  REQUIRE(sp::violations_in(spec).size() == 1);
}

// What a model without experts says of experts must not weaken the bounds on what it does have. Here it makes both bounds nothing: the
// widths of a block are bounded by 2 hidden + ffn, the activations of a token (2 widths + 4 hidden + 2 heads) + 2 top_k (ffn + hidden).
TEST_CASE("a model without experts is bounded as well") {
  sp::plan_spec spec = sound_specs()[0];
  spec.model.layers = power(14);
  spec.model.hidden = spec.model.ffn = power(24);
  CHECK(!is_sane(spec));
  spec.model.experts.shared_ffn = -3 * power(24);
  CHECK(!is_sane(spec));
  spec = sound_specs()[0];
  spec.model.layers = power(14);
  spec.model.ffn = 2064;
  spec.sequence = power(31);
  spec.micro_batch = power(12);
  spec.nodes = spec.devices_per_node = 1;
  spec.global_batch = power(12);
  CHECK(!is_sane(spec));
  spec.model.experts.top_k = -2;
  CHECK(!is_sane(spec));
}

// A list of layers that says it left entries out is refused, however many.
TEST_CASE("entries that a layer_split left out") {
  for (const std::int64_t left_out : {least, -power(40), std::int64_t{-1}, std::int64_t{1}, power(40), most}) {
    sp::plan_spec spec = sound_specs()[0];
    spec.layer_split.push_back(3);
    spec.layer_split.push_back(5);
    spec.layer_split.left_out = left_out;
    INFO(left_out);
    CHECK(!is_sane(spec));
  }
}
