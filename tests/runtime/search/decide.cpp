// SPDX-License-Identifier: BSL-1.0
// The five steps against a table of answers worked out by hand from the handbook's rules, and laws over a grid.
#include "../catch.hpp"
#include "../training_run.hpp"
#include "grid.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>

#include <cstdint>
#include <iterator>
#include <vector>

namespace sp = shardplan;

namespace {

// On A100 80 GB: 85.9 GB, of which 1.6 stay free: 84.3 GB.
sp::plan_spec question_of(const sp::transformer& model, std::int64_t nodes, bool recompute, const sp::precision_spec& precision) {
  sp::plan_spec spec = training_run(model, sp::devices::a100_sxm_80gb::spec, nodes, 4096, 8192);
  spec.precision = precision;
  if (recompute) spec.recompute = sp::recomputes::full;
  return spec;
}

sp::transformer of_width(std::int64_t hidden, std::int64_t layers) {
  sp::transformer model{};
  model.layers = layers;
  model.hidden = hidden;
  model.heads = hidden / 128;
  model.ffn = 4 * hidden;
  model.vocab = 32000;
  return model;
}

sp::transformer with_slots(sp::plan_spec& spec) {
  spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;
  return spec.model;
}

}  // namespace

// 12 bytes a parameter, AdamW in BF16: P is the model's exact count. Activations without recomputation are about 34 s h bytes a layer
// (arXiv 2205.05198), with it 2 s h. In a pipeline of p stages the first keeps p micro-batches of L/p layers: those of the whole model.
// "Answer" is the handbook's steps with these figures, worked out by hand.
TEST_CASE("decide: the handbook's answers") {
  const sp::transformer small = sp::models::llama2_7b::shape;
  const sp::transformer medium = sp::models::llama2_13b::shape;
  const sp::transformer large = sp::models::llama2_70b::shape;
  struct {
    const char* why;
    sp::transformer model;
    std::int64_t nodes;
    bool recompute;
    std::int64_t tp, pp, zero, dp;
    bool fits;
  } const answers[] = {
      // 12 P = 80.9 GB, activations 18.3: 99 > 84; a layer 2.4 GB; two stages 40 + 18
      {"7B on 8", small, 1, false, 1, 2, 0, 4, true},
      {"7B on 64", small, 8, false, 1, 2, 0, 32, true},
      {"7B on 1,024", small, 128, false, 1, 2, 0, 512, true},
      // 156 + 28.5 GB; two stages 78 + 28 > 84; four 39 + 28
      {"13B on 8", medium, 1, false, 1, 4, 0, 2, true},
      {"13B on 64", medium, 8, false, 1, 4, 0, 16, true},
      // recomputed: two stages 78 + 2
      {"13B on 8, recomputed", medium, 1, true, 1, 2, 0, 4, true},
      // 828 GB; eight stages 103 > 84; one replica: nothing to shard over
      {"70B on 8, recomputed", large, 1, true, 1, 8, 3, 1, false},
      // two replicas: (2 P + 10 P / 2) / 8 = 60 + 5
      {"70B on 16, recomputed", large, 2, true, 1, 8, 2, 2, true},
      // eight: 17 + 11 + 5
      {"70B on 64, recomputed", large, 8, true, 1, 8, 2, 8, true},
      {"70B on 1,024, recomputed", large, 128, true, 1, 8, 2, 128, true},
      // not recomputed the activations alone, 91 GB, are too much whatever is sharded
      {"70B on 64", large, 8, false, 1, 8, 3, 8, false},
      // P a layer is 16 h^2: 9.66e9, 116 GB; tp 2: 58. 77e9 in all and 1.6e9 in the ends, 947 GB; tp 2: 474; pp 8: 59 + 4.7 + 1.6
      {"a layer of 116 GB", of_width(24576, 8), 8, true, 2, 8, 0, 4, true},
      // 17.2e9, 206 GB: tp 2 is 103, tp 4 is 52; four layers 837 GB: pp 4 at tp 4 is 52 + 3 + small
      {"a layer of 206 GB", of_width(32768, 4), 8, true, 4, 4, 0, 4, true},
      // 68.7e9, 825 GB: tp 8 is 103, still too much, and the largest there is; two layers, 2 stages; ZeRO-2 on 4: (2 + 10/4)/12 of 103 = 39
      {"a layer of 825 GB", of_width(65536, 2), 8, true, 8, 2, 2, 4, true},
  };
  for (const auto& answer : answers) {
    INFO(answer.why);
    const sp::plan_spec asked = question_of(answer.model, answer.nodes, answer.recompute, sp::precisions::handbook_bf16::spec);
    const sp::decision path = sp::decision_of(asked);
    CHECK(path.plan.tp == answer.tp);
    CHECK(path.plan.pp == answer.pp);
    CHECK(path.plan.zero == answer.zero);
    CHECK(path.steps[3].chosen == answer.dp);
    CHECK(path.fits == answer.fits);
  }
}

TEST_CASE("decide: 405B takes its slots") {
  sp::plan_spec asked = question_of(sp::models::llama3_1_405b::shape, 128, true, sp::precisions::handbook_bf16::spec);
  // 126 layers: 2 stages divide them, 4 and 8 do not.
  CHECK(sp::decision_of(asked).plan.pp == 2);
  with_slots(asked);
  // 4.87 TB; eight stages 609 GB; ZeRO-2: 2 P / 8 = 101 GB > 84; ZeRO-3 on 128: 5 GB.
  const sp::decision path = sp::decision_of(asked);
  CHECK(path.plan.pp == 8);
  CHECK(path.plan.zero == 3);
  CHECK(path.fits);
}

namespace {
// Of one device; the models of the grid and one of which a layer is too large.
template <class Visit>
void each_question(Visit visit) {
  std::vector<sp::transformer> models(std::begin(grid::models), std::end(grid::models));
  models.push_back(of_width(24576, 8));
  for (const sp::transformer& model : models)
    for (const std::int64_t hosts : grid::hosts)
      for (const bool recompute : {false, true})
        for (const std::int64_t sequence : {1024, 8192})
          for (const bool handbook : {false, true}) {
            if (model.positions != 0 && sequence > model.positions) continue;
            sp::plan_spec spec = question_of(model, hosts, recompute,
                                             handbook ? sp::precisions::handbook_bf16::spec : sp::precisions::bf16_fp32_master::spec);
            spec.sequence = sequence;
            visit(spec);
          }
}
}  // namespace

TEST_CASE("decide: laws over a grid") {
  int asked = 0;
  int with_tp = 0;
  int with_zero = 0;
  each_question([&](const sp::plan_spec& spec) {
    ++asked;
    const sp::decision path = sp::decision_of(spec);
    INFO("hidden " << spec.model.hidden << " nodes " << spec.nodes << " sequence " << spec.sequence);
    // The figure is the plan's, and "fits" is the verdict on it.
    const sp::evaluation judged = sp::evaluate(path.plan, sp::remedy_search::off);
    CHECK(judged.peak_memory == path.needs);
    CHECK(judged.violations.empty() == path.fits);
    with_tp += path.plan.tp > 1;
    with_zero += path.plan.zero > 1;
    // One device is asked first, and nothing else when it is enough.
    sp::plan_spec alone = spec;
    CHECK(path.steps[0].needs == sp::figures_of(alone).peak_memory);
    if (path.steps[0].yes) {
      CHECK((path.plan.tp == 1 && path.plan.pp == 1 && path.plan.zero == 0));
      return;
    }
    // No degree is larger than needed: half of it was tried and did not fit.
    if (path.plan.pp > 1 && path.plan.zero == 0) {
      sp::plan_spec less = path.plan;
      less.pp /= 2;
      CHECK(sp::figures_of(less).peak_memory > spec.device.memory);
    }
    // ZeRO only when memory is still short, and only after the pipeline.
    if (path.plan.zero > 0) {
      sp::plan_spec without = path.plan;
      without.zero = 0;
      CHECK(sp::figures_of(without).peak_memory > spec.device.memory);
    }
    if (path.plan.tp > 1) CHECK(path.steps[1].needs > spec.device.memory);
  });
  CHECK(asked > 400);
  CHECK(with_tp > 0);
  CHECK(with_zero > 0);
}

namespace {

sp::bytes needs_of(const sp::plan_spec& spec) { return sp::figures_of(spec).peak_memory; }

// A layer as the difference of two models, of two layers and of one, without anything that a path knows.
sp::bytes layer_by_difference(sp::plan_spec spec) {
  spec.model.layers = 2;
  spec.model.experts.leading_dense = 0;
  const sp::bytes two = needs_of(spec);
  spec.model.layers = 1;
  return two - needs_of(spec);
}

// The handbook's five steps once more, from its words and the memory of whole plans alone.
struct by_words {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t zero = 0;
  bool fits = false;
  bool sure = true;  // false: a layer is so near to the device's memory that the difference cannot say
};
by_words steps_of(const sp::plan_spec& spec) {
  by_words answer;
  sp::plan_spec now = spec;
  const sp::bytes has = spec.device.memory;
  const auto fits = [&] {
    const sp::bytes needs = needs_of(now);
    return needs.count > 0 && needs <= has;
  };
  answer.fits = fits();
  if (answer.fits) return answer;                   // 1: only data parallelism
  for (const std::int64_t degree : {1, 2, 4, 8}) {  // 2: matrices of a layer
    now.tp = degree;
    if (needs_of(now).count == 0) continue;
    answer.tp = degree;
    const sp::bytes layer = layer_by_difference(now);
    if (10 * layer > 7 * has && 10 * layer < 11 * has) answer.sure = false;  // what is alive beside it is not in the difference
    if (layer < has) break;
  }
  now.tp = answer.tp;
  for (const std::int64_t stages : {1, 2, 4, 8}) {  // 3: all layers
    now.pp = stages;
    if (needs_of(now).count == 0) continue;
    answer.pp = stages;
    answer.fits = fits();
    if (answer.fits) return answer;
  }
  now.pp = answer.pp;
  for (const std::int64_t stage : {2, 3}) {  // 5: ZeRO-2 or 3; 4 is what the cluster leaves
    now.zero = answer.zero = stage;
    answer.fits = fits();
    if (answer.fits) return answer;
  }
  return answer;
}

}  // namespace

TEST_CASE("decide: the steps in words lead to the same plan on a grid of models and clusters") {
  int asked = 0;
  int fit = 0;
  const sp::device_spec devices[] = {sp::devices::a100_sxm_80gb::spec, sp::devices::h100_sxm_80gb::spec,  sp::devices::mi300x::spec,
                                     sp::devices::a100_sxm_40gb::spec, sp::devices::b200_sxm_192gb::spec, sp::devices::v100_sxm_32gb::spec};
  for (const sp::device_spec& device : devices)
    each_question([&](sp::plan_spec spec) {
      spec.device = device;
      const by_words wanted = steps_of(spec);
      if (!wanted.sure) return;
      ++asked;
      fit += wanted.fits;
      INFO("hidden " << spec.model.hidden << " nodes " << spec.nodes << " sequence " << spec.sequence << " " << device.name.c_str());
      const sp::decision path = sp::decision_of(spec);
      CHECK(path.plan.tp == wanted.tp);
      CHECK(path.plan.pp == wanted.pp);
      CHECK(path.plan.zero == wanted.zero);
      CHECK(path.fits == wanted.fits);
    });
  CHECK(asked > 2000);
  CHECK(fit > 1000);
}

TEST_CASE("practice: guidances are followed, and differ") {
  int differ = 0;
  each_question([&](const sp::plan_spec& spec) {
    const sp::practice_path megatron = sp::practice_of(spec, sp::guidance::megatron);
    const sp::practice_path bigscience = sp::practice_of(spec, sp::guidance::bigscience);
    const sp::practice_path deepspeed = sp::practice_of(spec, sp::guidance::deepspeed);
    const sp::practice_path ultra = sp::practice_of(spec, sp::guidance::ultra_scale);
    const sp::practice_path hugging_face = sp::practice_of(spec, sp::guidance::hugging_face);
    for (const sp::practice_path* path : {&megatron, &bigscience, &deepspeed, &ultra, &hugging_face}) {
      INFO(sp::name_of(path->whose) << ", hidden " << spec.model.hidden << " nodes " << spec.nodes << " sequence " << spec.sequence);
      const sp::evaluation judged = sp::evaluate(path->plan, sp::remedy_search::off);
      CHECK(judged.violations.empty() == path->fits);
      CHECK(judged.peak_memory == path->needs);
    }
    CHECK(megatron.plan.zero == 1);
    CHECK(megatron.plan.tp <= spec.devices_per_node);
    // pp before tp, where any pp of its ladder divides the layers.
    CHECK((bigscience.plan.tp == 1 || bigscience.plan.pp > 1 || spec.model.layers % 2 != 0));
    CHECK((deepspeed.plan.tp == 1 && deepspeed.plan.pp == 1));
    CHECK((spec.nodes * 8 < 512 || spec.model.hidden <= 4096 || ultra.plan.zero < 3));  // no ZeRO-3 alone from 512 devices on
    // Its case 1: what fits one device needs nothing else. One node: ZeRO and no pipeline. More, over a slow network: ZeRO-1 at most.
    const bool one_device_is_enough = sp::decision_of(spec).steps[0].yes;
    CHECK((hugging_face.plan.zero == 0) == one_device_is_enough);
    CHECK((spec.nodes > 1 || hugging_face.plan.pp == 1));
    CHECK((spec.nodes == 1 || hugging_face.plan.zero <= 1));
    differ += megatron.plan.pp != bigscience.plan.pp;
  });
  CHECK(differ > 0);
}

// Whatever is in a spec, the answer is a value.
TEST_CASE("decide: no spec is an error") {
  const sp::decision nothing = sp::decision_of(sp::plan_spec{});
  CHECK_FALSE(nothing.fits);
  CHECK(nothing.needs.count == 0);
  sp::plan_spec spec = question_of(sp::models::llama2_7b::shape, 1, false, sp::precisions::handbook_bf16::spec);
  for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    sp::plan_spec broken = spec;
    broken.cp = value;
    CHECK_FALSE(sp::decision_of(broken).fits);
    broken = spec;
    broken.nodes = value;
    CHECK_FALSE(sp::decision_of(broken).fits);
    broken = spec;
    broken.micro_batch = value;
    CHECK_FALSE(sp::decision_of(broken).fits);
    CHECK_FALSE(sp::practice_of(broken).fits);
  }
  // A batch that one replica a device does not divide is no reason to say that one device is too small.
  spec.model = sp::models::llama3_2_1b::shape;
  spec.nodes = 128;
  spec.global_batch = 96;
  const sp::decision path = sp::decision_of(spec);
  CHECK(path.steps[0].yes);
  CHECK(path.plan.global_batch == 96);
  CHECK_FALSE(sp::evaluate(path.plan).violations.empty());
}
