// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/ladder.hpp>
#include <shardplan/spec/mesh_of.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Whose guidance is followed. They contradict each other, so they are options and none is the truth.
enum class guidance {
  megatron,      ///< Megatron-LM and NeMo: shard the optimizer always, tp inside the node, then pp across; least model parallelism
  bigscience,    ///< BigScience's chronicles: prefer dp, then pp, then tp
  deepspeed,     ///< DeepSpeed: ZeRO-1, 2, 2 with offload, 3, 3 with offload, in the order of their speed; no pipeline with ZeRO-2 and 3
  ultra_scale,   ///< the Ultra-Scale Playbook: ZeRO-3 for small worlds, tp 8 and pp from 512 devices on, ZeRO-2 beside them from 1,024 on
  hugging_face,  ///< transformers' guide: plain data parallelism where it fits; ZeRO on a fast network; ZeRO-1, tp and pp on a slow one
};
/// Guidances there are.
inline constexpr int guidance_count = 5;

namespace detail {
constexpr bool is_known(guidance whose) { return static_cast<unsigned>(whose) < static_cast<unsigned>(guidance_count); }
}  // namespace detail

/// The name of a guidance.
constexpr const char* name_of(guidance whose) {
  constexpr const char* names[] = {"megatron", "bigscience", "deepspeed", "ultra_scale", "hugging_face"};
  return detail::nth_of(names, static_cast<int>(whose));
}

/// What a guidance does where the handbook asks that question. Sources: Megatron-LM's parallelism guide and NeMo's performance guide;
/// BigScience's model-sizing notes; the Ultra-Scale Playbook; DeepSpeed's ZeRO documentation and its pipeline engine;
/// huggingface/transformers docs/source/en/perf_train_gpu_many.md, "Scalability strategy" (cases 1 to 3, and several nodes), and
/// perf_train_gpu_one.md. Where a guidance has a rule of thumb for "fits" (BigScience: 18 bytes a parameter in 75 % of the memory), the
/// account is asked instead. What comes after the layout (Megatron-LM: interleave) is left to `less_idle_of`.
constexpr const char* words_of(guidance whose, question asked) {
  constexpr const char* words[guidance_count][question_count] = {
      {"Shard the optimizer state first: ZeRO-1 sends no more bytes than plain data parallelism.",
       "Tensor parallelism with sequence parallelism, inside the node only, as little as fits.",
       "Pipeline parallelism across nodes, as little as fits.", "All other devices are data parallel.",
       "Recompute activations; ZeRO-2 and 3 are not combined with the pipeline."},
      {"Shard the optimizer state first, and stay data parallel while it fits.",
       "No: pipeline parallelism is preferred to tensor parallelism.", "Pipeline parallelism first, then tensor parallelism.",
       "All other devices are data parallel.", "Recompute activations."},
      {"ZeRO-1, the fastest stage that fits.", "No tensor parallelism: ZeRO-2, then the states to the host.",
       "ZeRO-3; the pipeline engine takes ZeRO-1 at most.", "All devices are data parallel.",
       "Recompute activations, then ZeRO-3 with the states in host memory."},
      {"Below 512 devices ZeRO-3 alone will do, if it fits.",
       "Tensor parallelism inside the node: where ZeRO-3 is not enough, and from 512 devices on, where it waits for the network.",
       "From 512 devices on pipeline parallelism when tp of a node is not enough.", "All other devices are data parallel.",
       "From 1,024 devices on ZeRO-2 beside tp and pp; recompute activations."},
      {"Yes: plain data parallelism. No: ZeRO inside a node or a fast fabric, as it changes no code; across a slow network ZeRO-1 beside "
       "tp and "
       "pp.",
       "Tensor parallelism, no wider than a node; under ZeRO the techniques for one device.",
       "Across a slow network pipeline parallelism: it talks least.", "All other devices are data parallel.",
       "Recompute activations (gradient checkpointing)."}};
  return detail::nth_of(detail::nth_of(words, static_cast<int>(whose)), static_cast<int>(asked));
}

/// One thing that a guidance did.
struct practice_move {
  question beside = question::one_device;  ///< the handbook's question that it answers
  rung_kind kind = rung_kind::nothing;     ///< what it sets
  std::int64_t chosen = 0;                 ///< the value that was kept
  rungs tried{};                           ///< the values that were tried
};

/// What a guidance leads to.
struct practice_path {
  guidance whose = guidance::megatron;      ///< the guidance
  plan_spec plan{};                         ///< the plan; its batch is the one that was asked about
  static_vector<practice_move, 8> moves{};  ///< in order
  bytes needs{};                            ///< memory of its worst rank
  bool fits = false;                        ///< whether that is within the device
};

namespace detail {

inline constexpr std::int64_t degrees_in_node[] = {2, 4, 8, 16};
inline constexpr std::int64_t degrees_across[] = {2, 4, 8, 16, 32, 64};

// The values of one move: as many as still fit into the question's list.
template <class Path>
constexpr void move_on(Path& path, question beside, rung_kind kind, const std::int64_t* values, std::size_t count) {
  if (path.fits) return;
  practice_move move{beside, kind, 0, {}};
  path.fits = climb(path.plan, kind, values, count, move.tried);
  if (move.tried.empty()) return;  // all is sharded already
  for (const rung& one : move.tried) {
    move.kind = one.kind;
    if (one.legal) {
      move.chosen = one.value;
      path.needs = one.needs;
    }
  }
  path.moves.push_back(move);
}
template <class Path>
constexpr void move_one(Path& path, question beside, rung_kind kind, std::int64_t value) {
  const std::int64_t values[] = {value};
  move_on(path, beside, kind, values, 1);
}
template <class Path>
constexpr void move_tp(Path& path, question beside) {
  move_on(path, beside, rung_kind::tp, degrees_in_node, 4);
}
template <class Path>
constexpr void move_pp(Path& path, question beside) {
  move_on(path, beside, rung_kind::pp, degrees_across, 6);
}
template <class Path>
constexpr void move_recompute(Path& path) {
  if (path.plan.recompute != recomputes::full) move_one(path, question::still_short, rung_kind::recompute, 0);
}

template <class Path>
constexpr void follow_ultra_scale(Path& path) {
  const std::int64_t world = path.plan.devices_per_node * path.plan.nodes;
  // Not `parameter_count_of`: it throws for experts that a later rule refuses.
  const parameter_totals totals = totals_of(path.plan);
  const bool large = world >= 512 && totals.dense + totals.routed >= 10'000'000'000;
  if (!large) {
    move_one(path, question::one_device, rung_kind::zero, 3);
    move_tp(path, question::one_layer);
  } else {
    move_one(path, question::one_layer, rung_kind::tp, 8);
    move_pp(path, question::all_layers);
    if (world >= 1024) move_one(path, question::still_short, rung_kind::zero, 2);
  }
  move_recompute(path);
}

// Whether all devices talk over one fabric (NVLink, NVSwitch).
constexpr bool is_one_fabric(const plan_spec& spec) {
  return spec.nodes == 1 || topology_of(spec).ranks_in(domain::fabric) >= spec.devices_per_node * spec.nodes;
}

template <class Path>
constexpr void follow_hugging_face(Path& path) {
  move_one(path, question::one_device, rung_kind::nothing, 0);
  if (is_one_fabric(path.plan)) {
    constexpr std::int64_t stages[] = {1, 2, 3};
    move_on(path, question::one_device, rung_kind::zero, stages, 3);
    move_tp(path, question::one_layer);
  } else {
    move_one(path, question::one_device, rung_kind::zero, 1);
    move_tp(path, question::one_layer);
    move_pp(path, question::all_layers);
  }
  move_recompute(path);
}

}  // namespace detail

/// What today's guidance makes of the same question: it goes up its own ladder until the plan fits. Of `spec` the model, cluster, batch and
/// recipe are read, as by `decision_of`. Error: `argument_out_of_range` for a guidance that is none.
template <class Spec = plan_spec>
constexpr practice_path practice_of(const Spec& spec, guidance whose = guidance::megatron) {
  if (!detail::is_known(whose)) argument_out_of_range();
  practice_path path{};
  path.whose = whose;
  path.plan = spec;
  detail::start_over(path.plan);
  if (!detail::try_rung(path.plan, rung_kind::nothing, 0).legal) return path;  // a range is broken, and nothing can be asked
  switch (whose) {
    case guidance::megatron:
      detail::move_one(path, question::one_device, rung_kind::zero, 1);
      detail::move_tp(path, question::one_layer);
      detail::move_pp(path, question::all_layers);
      detail::move_recompute(path);
      break;
    case guidance::bigscience:
      detail::move_one(path, question::one_device, rung_kind::zero, 1);
      detail::move_pp(path, question::all_layers);
      detail::move_tp(path, question::all_layers);
      detail::move_recompute(path);
      break;
    case guidance::deepspeed:
      detail::move_one(path, question::one_device, rung_kind::zero, 1);
      detail::move_one(path, question::one_layer, rung_kind::zero, 2);
      detail::move_one(path, question::one_layer, rung_kind::offload, 0);
      if (!path.fits) path.plan.offload = spec.offload;
      detail::move_one(path, question::all_layers, rung_kind::zero, 3);
      detail::move_recompute(path);
      detail::move_one(path, question::still_short, rung_kind::offload, 0);
      break;
    case guidance::ultra_scale: detail::follow_ultra_scale(path); break;
    case guidance::hugging_face: detail::follow_hugging_face(path); break;
  }
  return path;
}

namespace detail {
template <class Core, guidance Whose>
inline constexpr practice_path practised = practice_of(Core::spec, Whose);

// What is moved to the host: nothing, master weights and moments, all that is sharded (FSDP), or moments (Megatron-LM).
template <int Moves>
struct offload_part {
  using type = offload<>;
};
template <>
struct offload_part<1> {
  using type = offload<states_to<storage::host>>;
};
template <>
struct offload_part<2> {
  using type = offload<states_to<storage::host>, gradients_to<storage::host>, weights_to<storage::host>>;
};
template <>
struct offload_part<3> {
  using type = offload<moments_to_host<100>>;
};
template <class Spec>
constexpr int moves_of(const Spec& before, const Spec& after) {
  if (before.offload == after.offload) return 0;
  if (after.offload.states != storage::host) return 3;
  return after.offload.weights == storage::host ? 2 : 1;
}
template <class Sharding, bool Recomputes, int Moves, class... Parts>
struct practice_plan {
  using type = plan<Parts..., Sharding, typename offload_part<Moves>::type>;
};
template <class Sharding, int Moves, class... Parts>
struct practice_plan<Sharding, true, Moves, Parts...> {
  using type = plan<Parts..., Sharding, recompute<recomputes::full>, typename offload_part<Moves>::type>;
};
template <class Sharding, class... Parts>
struct practice_plan<Sharding, false, 0, Parts...> {
  using type = plan<Parts..., Sharding>;
};
template <class Sharding, class... Parts>
struct practice_plan<Sharding, true, 0, Parts...> {
  using type = plan<Parts..., Sharding, recompute<recomputes::full>>;
};
}  // namespace detail

/// The same for types, as `decide` takes them: `practice<guidance::megatron, models::llama2_70b, cluster<...>, ...>::plan`. A guidance may
/// add `recompute` and `offload`; where the parts say one of them in another form, the plan says it twice and names that.
template <guidance Whose, class Model, class Cluster, class... Parts>
requires(detail::is_known(Whose) && detail::leaves_degrees_open<plan_core<model<Model>, Cluster, Parts...>>) struct practice {
  /// The parts, as one plan that decides nothing.
  using core = plan_core<model<Model>, Cluster, Parts...>;
  /// The path as a value.
  static constexpr practice_path path = detail::practised<core, Whose>;
  /// The plan that it leads to.
  using plan = typename detail::practice_plan<typename detail::decided_sharding<path.plan.zero, path.plan.sharding.is_fsdp()>::type,
                                              path.plan.recompute == recomputes::full && core::spec.recompute != recomputes::full,
                                              detail::moves_of(core::spec, path.plan), model<Model>, Cluster, Parts..., tp<path.plan.tp>,
                                              pp<path.plan.pp>>::type;
};

}  // namespace shardplan
