// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/search/ladder.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The five questions of the handbook's procedure (section 2 of its chapter), in its order. "Fits" means states without sharding, plus
/// activations at the given micro-batch, plus what stays free.
enum class question {
  one_device,   ///< does the model fit one device? yes: data parallelism only
  one_layer,    ///< do the matrices of a single layer fit? no: tensor parallelism first (2, 4, 8)
  all_layers,   ///< do all layers fit then? no: add pipeline parallelism (2, 4, 8)
  throughput,   ///< more throughput? add data parallelism: all devices that are left
  still_short,  ///< is memory still short? yes: add ZeRO-2 or 3; FSDP where the framework has no stages
};
/// Questions there are.
inline constexpr int question_count = 5;

/// The question in words.
constexpr const char* words_of(question asked) {
  constexpr const char* words[] = {"Does the model fit one device?", "Do the matrices of a single layer fit one device?",
                                   "Do all layers fit now?", "More throughput?", "Is memory still short?"};
  return detail::nth_of(words, static_cast<int>(asked));
}

/// One step of the procedure: the question, the figure that answered it, and the choice.
struct decision_step {
  question asked = question::one_device;  ///< the question
  bool needed = true;                     ///< false: an earlier answer settled it, and nothing was tried
  bytes needs{};                          ///< memory of the worst rank, or of one layer: the figure, but in `throughput`
  bytes has{};                            ///< the device's capacity
  bool yes = false;                       ///< the answer to the question
  rung_kind kind = rung_kind::nothing;    ///< what the choice sets; `nothing` for data parallelism, which takes what is left
  std::int64_t chosen = 0;                ///< its value; in `throughput` the replicas, 0 where they are no whole number
  rungs tried{};                          ///< what was tried to come to the choice
  std::int64_t devices = 0;               ///< the figure of `throughput`: devices of the cluster; 0: no plan was computed
  std::int64_t replica = 0;               ///< with it: those of one replica (tp x pp x cp); the rest is left for more
};

/// What the procedure leads to.
struct decision {
  plan_spec plan{};                       ///< the plan; its batch is the one that was asked about
  decision_step steps[question_count]{};  ///< by `question`
  bytes needs{};                          ///< memory of its worst rank
  bool fits = false;                      ///< whether that is within the device
};

namespace detail {

// One block in the middle of a pipeline, alone on a device with the activations of one micro-batch: of the blocks that the model has the
// kind that needs most.
template <class Spec = plan_spec>
constexpr bytes one_layer_of(Spec spec, std::int64_t tp) {
  spec.tp = tp;
  make_batch_whole(spec);
  if (!is_computable(spec)) return {};
  const memory_layout layout = memory_layout_of(spec);
  stage_extent extent{};
  extent.layers = 1;
  extent.in_flight = 1;
  bytes most{};
  const transformer& shape = spec.model;
  for (std::int64_t dense = 0; dense <= 1; ++dense) {
    if (dense == 1 ? shape.experts.count > 0 && shape.dense_layers() == 0 : shape.experts.count == 0) continue;
    extent.dense_layers = dense;
    const bytes needs = account_of_extent(spec, layout, extent).device.total();
    if (needs > most) most = needs;
  }
  return most;
}

inline constexpr std::int64_t two_four_eight[] = {2, 4, 8};

// The plan before the first step: nothing is divided or sharded.
constexpr void start_over(plan_spec& spec) {
  spec.tp = 1;
  spec.pp = 1;
  spec.dp = unset;
  spec.zero = 0;
  spec.sharding = {};
}

// Each step works on the decision so far, so that a constant can be made of each (Clang bounds what one may cost).
template <class Decision>
constexpr void ask_one_device(Decision& path) {
  decision_step& step = path.steps[0];
  const rung whole = try_rung(path.plan, rung_kind::nothing, 0);
  step.asked = question::one_device;
  step.needs = path.needs = whole.needs;
  step.has = path.plan.device.memory;
  step.yes = path.fits = whole.fits;
}
template <class Decision>
constexpr void ask_one_layer(Decision& path) {
  decision_step& step = path.steps[1];
  step.asked = question::one_layer;
  step.kind = rung_kind::tp;
  step.chosen = 1;
  step.has = path.plan.device.memory;
  step.needed = !path.fits;
  step.yes = true;
  if (!step.needed) return;
  step.needs = one_layer_of(path.plan, 1);
  step.yes = step.needs <= step.has;
  bool fits = step.yes;
  for (std::size_t at = 0; at < 3 && !fits; ++at) {
    rung one{rung_kind::tp, two_four_eight[at], false, {}, false};
    if (one.value <= path.plan.devices_per_node) one.needs = one_layer_of(path.plan, one.value);
    one.legal = one.needs.count > 0;
    fits = one.fits = one.legal && one.needs <= step.has;
    step.tried.push_back(one);
    if (one.legal) step.chosen = one.value;
  }
  path.plan.tp = step.chosen;
}
template <class Decision>
constexpr void ask_all_layers(Decision& path) {
  decision_step& step = path.steps[2];
  step.asked = question::all_layers;
  step.kind = rung_kind::pp;
  step.has = path.plan.device.memory;
  step.needed = !path.fits;
  step.chosen = 1;
  step.yes = true;
  if (!step.needed) return;
  const rung one = try_rung(path.plan, rung_kind::nothing, 0);
  step.needs = path.needs = one.needs;
  step.yes = path.fits = one.fits;
  if (step.yes) return;
  path.fits = climb(path.plan, rung_kind::pp, two_four_eight, 3, step.tried);
  step.chosen = path.plan.pp;
  for (const rung& tried : step.tried)
    if (tried.legal) path.needs = tried.needs;
}
template <class Decision>
constexpr void ask_the_rest(Decision& path) {
  decision_step& more = path.steps[3];
  more.asked = question::throughput;
  more.has = path.plan.device.memory;
  more.needs = path.needs;
  path.steps[4].asked = question::still_short;
  if (path.needs.count == 0) return;  // no plan could be computed
  const std::int64_t replica = path.plan.tp * path.plan.pp * path.plan.cp;
  const std::int64_t world = path.plan.devices_per_node * path.plan.nodes;
  more.devices = world;
  more.replica = replica;
  more.chosen = world % replica == 0 ? world / replica : 0;
  more.yes = more.chosen > 1;

  decision_step& still = path.steps[4];
  still.kind = has_zero_stages(path.plan.framework) ? rung_kind::zero : rung_kind::fsdp;
  still.needs = path.needs;
  still.has = path.plan.device.memory;
  still.needed = still.yes = !path.fits;
  if (path.fits) return;
  constexpr std::int64_t stages[] = {2, 3};
  path.fits = climb(path.plan, rung_kind::zero, stages, 2, still.tried);
  still.chosen = path.plan.zero;
  for (const rung& tried : still.tried)
    if (tried.legal) path.needs = tried.needs;
}

template <class Spec>
constexpr decision undecided(const Spec& spec) {
  decision path{};
  path.plan = spec;
  start_over(path.plan);
  return path;
}

}  // namespace detail

/// The handbook's five steps taken literally, for the model, cluster, batch and recipe that `spec` says; its tp, pp, dp, ZeRO and FSDP are
/// not read, they are what is decided. Every rule is asked of `plan` afterwards by `evaluate`: the steps look at memory, and at whether a
/// degree divides what it must. For a spec that breaks a rule of the first two tiers on one device all figures are zero and nothing fits.
/// `decide` is the same for types. It is an explanation, not the best plan: `practice_of` (search/practice.hpp) says what is done instead.
template <class Spec = plan_spec>
constexpr decision decision_of(const Spec& spec) {
  decision path = detail::undecided(spec);
  detail::ask_one_device(path);
  detail::ask_one_layer(path);
  detail::ask_all_layers(path);
  detail::ask_the_rest(path);
  return path;
}

namespace detail {
template <class Core>
inline constexpr decision decided_device = [] {
  decision path = undecided(Core::spec);
  ask_one_device(path);
  return path;
}();
template <class Core>
inline constexpr decision decided_layer = [] {
  decision path = decided_device<Core>;
  ask_one_layer(path);
  return path;
}();
template <class Core>
inline constexpr decision decided_layers = [] {
  decision path = decided_layer<Core>;
  ask_all_layers(path);
  return path;
}();
template <class Core>
inline constexpr decision decided = [] {
  decision path = decided_layers<Core>;
  ask_the_rest(path);
  return path;
}();

// The part that says how a decided plan is sharded.
template <std::int64_t ZeroStage, bool IsFsdp>
struct decided_sharding {
  using type = zero<ZeroStage>;
};
template <std::int64_t ZeroStage>
struct decided_sharding<ZeroStage, true> {
  using type = fsdp<>;
};

template <class Core>
concept leaves_degrees_open =
    Core::spec.tp == 1 && Core::spec.pp == 1 && Core::spec.dp == unset&& Core::spec.zero == 0 && !Core::spec.sharding.is_fsdp();
}  // namespace detail

/// The handbook's five steps for a model type, a `cluster<...>` and further parts (sequence, batches, recipe; none of tp, pp, dp, zero,
/// fsdp and hsdp, which are what is decided): `decide<models::llama2_7b, cluster<devices::a100_sxm_80gb, 8, 1>, sequence<4096>,
/// micro_batch<1>, global_batch<64>>::plan`.
template <class Model, class Cluster, class... Parts>
requires(detail::leaves_degrees_open<plan_core<model<Model>, Cluster, Parts...>>) struct decide {
  /// The path as a value.
  static constexpr decision path = detail::decided<plan_core<model<Model>, Cluster, Parts...>>;
  /// The five steps, by `question`.
  static constexpr decision_step steps[question_count] = {path.steps[0], path.steps[1], path.steps[2], path.steps[3], path.steps[4]};
  /// The plan that they lead to, a plan type; it need not be valid, as the steps look at memory only.
  using plan = shardplan::plan<model<Model>, Cluster, Parts..., tp<path.plan.tp>, pp<path.plan.pp>,
                               typename detail::decided_sharding<path.plan.zero, path.plan.sharding.is_fsdp()>::type>;
};

}  // namespace shardplan
