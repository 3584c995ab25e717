// SPDX-License-Identifier: BSL-1.0
// The run-time twin of plan types, and laws that memory must keep over grids of plans.
#include "catch.hpp"

#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {

struct large_device {
  static constexpr sp::device_spec spec{.name = "large", .memory = sp::bytes{std::int64_t{1} << 50}};
};

// What a plan type says, and what evaluate says of its spec at run time.
template <class Run>
void twin_says_the_same() {
  const sp::plan_spec spec = Run::spec;
  const sp::evaluation twin = sp::evaluate(spec);
  INFO("tp " << spec.tp << " pp " << spec.pp << " zero " << spec.zero << " layers " << spec.model.layers);
  CHECK(twin.world_size == Run::world_size);
  CHECK(twin.data_parallel == Run::data_parallel);
  CHECK(twin.micro_batches == Run::micro_batches);
  CHECK(twin.peak_memory == Run::peak_memory);
  CHECK(twin.peak_stage == Run::peak_stage);
  CHECK(twin.violations == Run::found);
  CHECK(twin.violations.empty() == sp::valid<Run>);
  CHECK(static_cast<int>(twin.violations.size()) == Run::violation_count);
  for (int stage = 0; stage < Run::stages; ++stage) {
    const sp::stage_account account = sp::stage_memory(spec, stage);
    CHECK(account.device == Run::memory[stage]);
    CHECK(account.offloaded == Run::offloaded[stage]);
    if (twin.world_size != 0) {
      CHECK(account.device.total() <= twin.peak_memory);
      CHECK((account.device.total() < twin.peak_memory || stage >= twin.peak_stage));
    }
  }
  if (sp::fits<Run>) {
    CHECK(twin.peak_memory <= spec.device.memory);
  } else {
    CHECK((twin.peak_memory == sp::bytes{} || twin.peak_memory > spec.device.memory));
  }
}

template <class Model, class Device, std::int64_t Tp, std::int64_t Pp, std::int64_t Zero>
void one_point() {
  using run = sp::plan<sp::model<Model>, sp::cluster<Device, 8, 4>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<128>,
                       sp::tp<Tp>, sp::pp<Pp>, sp::zero<Zero>>;
  using reordered = sp::plan<sp::zero<Zero>, sp::global_batch<128>, sp::pp<Pp>, sp::cluster<Device, 8, 4>, sp::tp<Tp>, sp::micro_batch<1>,
                             sp::model<Model>, sp::sequence<4096>>;
  twin_says_the_same<run>();
  CHECK(run::spec == reordered::spec);
  CHECK(run::peak_memory == reordered::peak_memory);
}
template <class Model, class Device, std::int64_t Tp, std::int64_t Pp>
void zero_stages() {
  one_point<Model, Device, Tp, Pp, 0>();
  one_point<Model, Device, Tp, Pp, 1>();
  one_point<Model, Device, Tp, Pp, 3>();
}
template <class Model, class Device>
void grid_of() {
  zero_stages<Model, Device, 1, 1>();
  zero_stages<Model, Device, 2, 1>();
  zero_stages<Model, Device, 3, 1>();  // divides nothing
  zero_stages<Model, Device, 8, 2>();
  zero_stages<Model, Device, 1, 4>();
  zero_stages<Model, Device, 2, 5>();
  zero_stages<Model, Device, 0, 1>();  // out of its range
  zero_stages<Model, Device, 4, 8>();
}

}  // namespace

TEST_CASE("a plan type and evaluate say the same") {
  grid_of<sp::models::llama3_8b, sp::devices::a100_sxm_80gb>();
  grid_of<sp::models::mixtral_8x7b, sp::devices::h100_sxm_80gb>();
  grid_of<sp::models::gpt2_xl, large_device>();  // 25 heads, 50,257 words, 1,024 positions
  twin_says_the_same<sp::plan<>>();
  twin_says_the_same<sp::plan<sp::tp<2>, sp::tp<2>>>();
}

namespace {

struct named_shape {
  const char* name;
  sp::transformer shape;
};
const named_shape shapes[] = {
    {"llama3_8b", sp::models::llama3_8b::shape},         {"gpt2_xl", sp::models::gpt2_xl::shape},
    {"mixtral_8x7b", sp::models::mixtral_8x7b::shape},   {"deepseek_moe_16b", sp::models::deepseek_moe_16b::shape},
    {"qwen2_5_3b", sp::models::qwen2_5_3b::shape},       {"llama3_2_1b", sp::models::llama3_2_1b::shape},
    {"starcoder2_3b", sp::models::starcoder2_3b::shape}, {"gemma_7b", sp::models::gemma_7b::shape}};
const sp::optimizer_spec optimizers[] = {sp::optimizers::sgd::spec,       sp::optimizers::momentum::spec,   sp::optimizers::adamw::spec,
                                         sp::optimizers::lion::spec,      sp::optimizers::adamw_8bit::spec, sp::optimizers::lion_8bit::spec,
                                         sp::optimizers::adafactor::spec, sp::optimizers::muon::spec,       sp::optimizers::came::spec,
                                         sp::optimizers::lomo::spec,      sp::optimizers::soap<>::spec,     sp::optimizers::adam_mini::spec,
                                         sp::optimizers::shampoo<>::spec, sp::optimizers::galore<64>::spec};
const sp::precision_spec precisions[] = {sp::precisions::handbook_bf16::spec,
                                         sp::precisions::bf16_fp32_master::spec,
                                         sp::precisions::bf16_fp32_accumulator::spec,
                                         sp::precisions::pure_bf16::spec,
                                         sp::precisions::torch_amp::spec,
                                         sp::precisions::fp16_fp32_gradient_copy::spec,
                                         sp::precisions::precision_aware_fp8_moments::spec,
                                         sp::precisions::mxfp8_weights::spec};

// Calls `visit(spec)` for each valid plan of a grid: shapes, degrees, on 64 devices that hold any number of bytes.
template <class Visit>
int each_valid(Visit visit) {
  int count = 0;
  for (const named_shape& item : shapes)
    for (const std::int64_t tp : {1, 2, 4})
      for (const std::int64_t pp : {1, 2, 4})
        for (const std::int64_t cp : {1, 2})
          for (const std::int64_t ep : {1, 4}) {
            sp::plan_spec spec{};
            spec.model = item.shape;
            spec.device.memory = large_device::spec.memory;
            spec.devices_per_node = 8;
            spec.nodes = 8;
            spec.sequence = 1024;
            spec.micro_batch = 1;
            spec.global_batch = 256;
            spec.tp = tp;
            spec.pp = pp;
            spec.cp = cp;
            spec.ep = ep;
            spec.vocabulary_multiple = 128 * tp;
            if (!sp::violations_in(spec).empty()) continue;
            INFO(item.name << " tp " << tp << " pp " << pp << " cp " << cp << " ep " << ep);
            visit(spec);
            ++count;
          }
  return count;
}

sp::memory_report report_of(const sp::plan_spec& spec, std::int64_t stage) { return sp::stage_memory(spec, stage).device; }

// Every component of every stage is at most that of the other plan.
void never_more(const sp::plan_spec& left, const sp::plan_spec& right) {
  REQUIRE(sp::violations_in(left).empty());
  REQUIRE(sp::violations_in(right).empty());
  for (std::int64_t stage = 0; stage < left.pp; ++stage) {
    const sp::memory_report less = report_of(left, stage);
    const sp::memory_report more = report_of(right, stage);
    INFO("stage " << stage);
    CHECK(less.states() <= more.states());
    CHECK(less.activations <= more.activations);
    CHECK(less.logits + less.working <= more.logits + more.working);
    CHECK(less.buffers <= more.buffers);
    CHECK(less.total() <= more.total());
  }
}

}  // namespace

TEST_CASE("more tokens never need less memory") {
  const int plans = each_valid([](const sp::plan_spec& spec) {
    for (sp::recomputes recompute : {sp::recomputes::none, sp::recomputes::full})
      for (const sp::schedule_spec& schedule : {sp::schedules::one_f_one_b::spec, sp::schedules::gpipe::spec}) {
        sp::plan_spec smaller = spec;
        smaller.recompute = recompute;
        smaller.schedule = schedule;
        smaller.sequence = 256;
        sp::plan_spec larger = smaller;
        larger.sequence = 1024;
        never_more(smaller, larger);
        larger = smaller;
        larger.micro_batch = 2;
        never_more(smaller, larger);
        larger = smaller;
        larger.global_batch = 512;
        never_more(smaller, larger);
      }
  });
  CHECK(plans > 100);
}

TEST_CASE("a higher ZeRO stage never holds more states") {
  each_valid([](const sp::plan_spec& spec) {
    for (const sp::optimizer_spec& optimizer : optimizers)
      for (const sp::precision_spec& precision : precisions) {
        // A flat buffer has no rows and columns to factor: from zero<0> to zero<1> the state of Adafactor and CAME grows.
        const int first = optimizer.matrices == sp::matrix_rule::factored ? 1 : 0;
        for (int zero = first; zero < 3; ++zero) {
          sp::plan_spec lower = spec;
          lower.optimizer = optimizer;
          lower.precision = precision;
          lower.zero = zero;
          sp::plan_spec higher = lower;
          higher.zero = zero + 1;
          for (std::int64_t stage = 0; stage < spec.pp; ++stage) {
            INFO(optimizer.name.c_str() << ' ' << precision.name.c_str() << " zero " << zero << " stage " << stage);
            CHECK(report_of(higher, stage).states() <= report_of(lower, stage).states());
            CHECK(report_of(higher, stage).activations == report_of(lower, stage).activations);
          }
        }
      }
  });
}

TEST_CASE("weights add up to the parameters") {
  each_valid([](const sp::plan_spec& spec) {
    const sp::transformer& shape = spec.model;
    if (shape.key_value_heads() < spec.tp) return;  // replicated heads
    // Elements that every tp rank holds whole, routed ones, and all others, from the list of tensors.
    std::int64_t whole = 0;
    std::int64_t routed = 0;
    std::int64_t divided = 0;
    const std::int64_t padding =
        (shape.vocab + spec.vocabulary_multiple - 1) / spec.vocabulary_multiple * spec.vocabulary_multiple - shape.vocab;
    for (const sp::tensor& item : sp::tensors_of(shape)) {
      const std::int64_t elements = item.rows * item.columns * item.multiplicity;
      if (item.purpose == sp::role::routed_expert) {
        routed += elements;
      } else if (item.how == sp::split::replicated) {
        whole += elements;
      } else {
        divided += elements;
      }
      if (item.how == sp::split::vocabulary) divided += padding * shape.hidden;
    }
    if (shape.tied_embeddings && spec.pp > 1) divided += (shape.vocab + padding) * shape.hidden;
    std::int64_t sum = 0;
    for (std::int64_t stage = 0; stage < spec.pp; ++stage) sum += report_of(spec, stage).weights.count;
    CHECK(sum % 2 == 0);
    CHECK(sum / 2 == whole + divided / spec.tp + routed / (spec.ep * spec.etp));
    if (spec.tp == 1 && spec.ep == 1 && !(shape.tied_embeddings && spec.pp > 1))
      CHECK(sum / 2 == sp::parameter_count_of(shape) + padding * shape.hidden * (shape.tied_embeddings ? 1 : 2));
  });
}

TEST_CASE("other laws of memory") {
  each_valid([](const sp::plan_spec& spec) {
    const sp::evaluation plain = sp::evaluate(spec);
    std::int64_t worst = 0;
    for (std::int64_t stage = 0; stage < spec.pp; ++stage) {
      const sp::memory_report report = report_of(spec, stage);
      worst = report.total().count > worst ? report.total().count : worst;
      CHECK((report.logits.count == 0 || stage == spec.pp - 1));
      // Only what is said to be offloaded leaves, all of it, and it is somewhere.
      sp::plan_spec offloaded = spec;
      offloaded.offload.states = sp::storage::host;
      const sp::stage_account account = sp::stage_memory(offloaded, stage);
      CHECK(account.device.states() + account.offloaded.host == report.states());
      CHECK(account.device.master + account.device.optimizer == sp::bytes{});
      CHECK(account.offloaded.nvme == sp::bytes{});
    }
    CHECK(plain.peak_memory.count == worst);

    // Full recompute keeps less; the reserve is added and changes nothing else.
    sp::plan_spec changed = spec;
    changed.recompute = sp::recomputes::full;
    for (std::int64_t stage = 0; stage < spec.pp; ++stage)
      CHECK(report_of(changed, stage).activations < report_of(spec, stage).activations);
    changed = spec;
    changed.headroom_mebibytes += 100;
    CHECK(sp::evaluate(changed).peak_memory.count == plain.peak_memory.count + 100 * 1048576);

    // More replicas hold the same without ZeRO, and never more with it.
    changed = spec;
    changed.nodes *= 2;
    changed.global_batch *= 2;
    CHECK(sp::evaluate(changed).peak_memory == plain.peak_memory);
    changed.zero = 1;
    sp::plan_spec fewer = spec;
    fewer.zero = 1;
    for (std::int64_t stage = 0; stage < spec.pp; ++stage) CHECK(report_of(changed, stage).states() <= report_of(fewer, stage).states());

    // A saying that equals the default changes nothing.
    changed = spec;
    changed.dp = plain.data_parallel;
    CHECK(sp::evaluate(changed).peak_memory == plain.peak_memory);
    changed = spec;
    for (std::int64_t stage = 0; stage < spec.pp; ++stage) changed.layer_split.push_back(spec.model.layers / spec.pp);
    for (std::int64_t stage = 0; stage < spec.pp; ++stage) CHECK(report_of(changed, stage) == report_of(spec, stage));
    changed = spec;
    changed.sequence_parallel = spec.tp > 1 ? sp::toggle::on : sp::toggle::off;
    CHECK(sp::evaluate(changed).peak_memory == plain.peak_memory);
  });
}

// One account with everything that any stage has is a bound: where it fits, so does the worst stage, to the byte.
TEST_CASE("a plan that is judged by one account fits") {
  int judged = 0;
  for (const sp::transformer& shape : {sp::models::gpt2_xl::shape, sp::models::llama3_8b::shape, sp::models::mixtral_8x7b::shape})
    for (const std::int64_t pp : {2, 4, 8})
      for (const std::int64_t zero : {0, 1, 2, 3})
        for (const bool gpipe : {false, true})
          for (const bool full : {false, true}) {
            sp::plan_spec spec{};
            spec.model = shape;
            spec.devices_per_node = 16;
            spec.nodes = 1;
            spec.sequence = 1024;
            spec.micro_batch = 1;
            spec.global_batch = 64;
            spec.pp = pp;
            spec.zero = zero;
            if (gpipe) spec.schedule = sp::schedules::gpipe::spec;
            if (full) spec.recompute = sp::recomputes::full;
            spec.device.memory = sp::bytes{std::int64_t{1} << 50};
            const sp::bytes peak = sp::figures_of(spec).peak_memory;
            // From below the peak to far above: as soon as the bound holds, the peak does.
            for (int tenths = 8; tenths <= 30; ++tenths) {
              spec.device.memory = peak * tenths / 10;
              if (!sp::detail::surely_fits(spec, sp::memory_layout_of(spec))) continue;
              ++judged;
              CHECK(peak <= spec.device.memory);
              CHECK(sp::violations_in(spec).empty());
            }
          }
  CHECK(judged > 500);
}

// The same where states go by tensor. Parts of a flat buffer may be too small to be quantised, so quantised states have no such bound.
TEST_CASE("the bound of one account holds for every kind of state") {
  using namespace sp::optimizers;
  using namespace sp::precisions;
  constexpr sp::transformer tiny{.layers = 8, .hidden = 16, .heads = 2, .ffn = 32, .vocab = 300, .tied_embeddings = true};
  constexpr sp::transformer tied{.layers = 8, .hidden = 64, .heads = 4, .ffn = 256, .vocab = 1000, .tied_embeddings = true};
  int judged = 0;
  for (const sp::transformer& shape : {tiny, tied, sp::models::mixtral_8x7b::shape})
    for (const sp::optimizer_spec& optimizer :
         {adamw_8bit::spec, ademamix_8bit::spec, ao_adamw_8bit::spec, ao_adamw_4bit::spec, lomo::spec, adafactor_momentum::spec, came::spec,
          muon::spec, shampoo<>::spec, soap<>::spec, galore<128>::spec, adam_mini::spec})
      for (const sp::precision_spec& precision :
           {bf16_fp32_master::spec, fp16_fp32_gradient_copy::spec, precision_aware_fp8_moments::spec, mxfp8_weights::spec})
        for (const std::int64_t pp : {2, 4, 8})
          for (const std::int64_t zero : {0, 1, 2, 3}) {
            sp::plan_spec spec{};
            spec.model = shape;
            spec.optimizer = optimizer;
            spec.precision = precision;
            spec.devices_per_node = 16;
            spec.nodes = 1;
            spec.sequence = 1;
            spec.micro_batch = 1;
            spec.global_batch = 64;
            spec.headroom_mebibytes = 0;
            spec.pp = pp;
            spec.zero = zero;
            spec.device.memory = sp::bytes{std::int64_t{1} << 50};
            const sp::memory_layout layout = sp::memory_layout_of(spec);
            const sp::bytes peak = sp::figures_of(spec).peak_memory;
            REQUIRE(sp::detail::surely_fits(spec, layout) == (optimizer.bits == 0));
            // To the byte: one less than the worst stage needs is never said to fit.
            spec.device.memory = peak - sp::bytes{1};
            CHECK_FALSE(sp::detail::surely_fits(spec, layout));
            ++judged;
          }
  CHECK(judged == 3 * 12 * 4 * 3 * 4);
}
