// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace rules {

/// `heads` divide `hidden`, where nothing else says how wide a head is.
struct heads_divide_hidden {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::heads}, {quantity::hidden},
                                     "`heads` divide `hidden`, when `head_dim` is not said and attention is not latent",
                                     "definition of the head width");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto& shape = spec.model;
    if (shape.head_dim == 0 && shape.latent.key_value_rank == 0 && shape.hidden % shape.heads != 0)
      sink.add_pair(rule::does_not_divide, {quantity::heads, shape.heads}, {quantity::hidden, shape.hidden});
  }
};

/// `kv_heads` divide `heads`.
struct kv_heads_divide_heads {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::kv_heads}, {quantity::heads}, "`kv_heads` divide `heads`",
                                     "grouped-query attention, arXiv 2305.13245");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    detail::must_divide(sink, quantity::kv_heads, spec.model.key_value_heads(), quantity::heads, spec.model.heads);
  }
};

/// tp divides `heads`.
struct tp_divides_heads {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp}, {quantity::heads}, "tp divides `heads`",
                                     "Megatron-LM, torchtitan, transformers, vLLM");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.heads % spec.tp != 0) sink.add_pair(rule::does_not_divide, {quantity::tp, spec.tp}, {quantity::heads, spec.model.heads});
  }
};

/// `kv_heads` are a multiple of tp, or a divisor: then a head is replicated.
struct kv_heads_fit_tp {
  static constexpr unsigned frameworks_asked = detail::under_others;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::neither_multiple_nor_divisor, {quantity::kv_heads}, {quantity::tp},
                                     "`kv_heads` (fewer than `heads`) are a multiple or a divisor of tp",
                                     "Megatron-LM (a divisor: heads are replicated)", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t kv_heads = spec.model.key_value_heads();
    if (kv_heads != spec.model.heads && kv_heads % spec.tp != 0 && spec.tp % kv_heads != 0 &&
        detail::is_asked(frameworks_asked, spec.framework))
      sink.add_pair(rule::neither_multiple_nor_divisor, {quantity::kv_heads, kv_heads}, {quantity::tp, spec.tp});
  }
};

/// tp divides `kv_heads`: PyTorch cuts the key/value projections by heads.
struct tp_divides_kv_heads {
  static constexpr unsigned frameworks_asked = detail::under_torch;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp}, {quantity::kv_heads},
                                     "tp divides `kv_heads` (fewer than `heads`)",
                                     "pytorch/torchtitan issue 2574; transformers issue 48307", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t kv_heads = spec.model.key_value_heads();
    if (kv_heads != spec.model.heads && detail::is_asked(frameworks_asked, spec.framework))
      detail::must_divide(sink, quantity::tp, spec.tp, quantity::kv_heads, kv_heads);
  }
};

/// DeepSpeed's sequence parallelism deals heads out to the cp ranks inside attention: cp x tp divides `heads`.
struct ulysses_divides_heads {
  static constexpr unsigned frameworks_asked = detail::under_deepspeed;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::cp, quantity::cp_x_tp}, {quantity::heads},
                                     "with cp > 1: cp x tp divides `heads`", "Ulysses, arXiv 2309.14509", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.cp > 1 && detail::is_asked(frameworks_asked, spec.framework))
      detail::must_divide(sink, spec.tp == 1 ? quantity::cp : quantity::cp_x_tp, spec.cp * spec.tp, quantity::heads, spec.model.heads);
  }
};

/// Key/value heads that are fewer than the ranks of `ulysses_divides_heads` are replicated on them.
struct kv_heads_fit_ulysses {
  static constexpr unsigned frameworks_asked = detail::under_deepspeed;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::neither_multiple_nor_divisor, {quantity::kv_heads}, {quantity::cp, quantity::cp_x_tp},
                                     "with cp > 1: `kv_heads` are a multiple or a divisor of cp x tp",
                                     "the same; key/value heads are replicated", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t kv_heads = spec.model.key_value_heads();
    const std::int64_t ranks = spec.cp * spec.tp;
    if (spec.cp > 1 && kv_heads != spec.model.heads && kv_heads % ranks != 0 && ranks % kv_heads != 0 &&
        detail::is_asked(frameworks_asked, spec.framework))
      sink.add_pair(rule::neither_multiple_nor_divisor, {quantity::kv_heads, kv_heads},
                    {spec.tp == 1 ? quantity::cp : quantity::cp_x_tp, ranks});
  }
};

/// tp divides `hidden`.
struct tp_divides_hidden {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp}, {quantity::hidden}, "tp divides `hidden`",
                                     "column and row parallel matrices, arXiv 1909.08053");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.hidden % spec.tp != 0)
      sink.add_pair(rule::does_not_divide, {quantity::tp, spec.tp}, {quantity::hidden, spec.model.hidden});
  }
};

/// tp divides `ffn`, where a block is dense.
struct tp_divides_ffn {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp}, {quantity::ffn}, "tp divides `ffn` of dense blocks",
                                     "the same");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.ffn % spec.tp != 0 && (spec.model.experts.count == 0 || spec.model.dense_layers() > 0))
      sink.add_pair(rule::does_not_divide, {quantity::tp, spec.tp}, {quantity::ffn, spec.model.ffn});
  }
};

/// tp divides the padded vocabulary.
struct tp_divides_vocabulary {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp}, {quantity::vocabulary}, "tp divides the padded vocabulary",
                                     "vocabulary parallel embedding, Megatron-LM");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    detail::must_divide(sink, quantity::tp, spec.tp, quantity::vocabulary,
                        padded_vocabulary(spec.model.vocab, vocabulary_multiple_of(spec)));
  }
};

/// ep divides the routed experts.
struct ep_divides_experts {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::ep}, {quantity::expert_count}, "ep divides `expert_count`",
                                     "Megatron-LM, expert layers");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.experts.count > 0) detail::must_divide(sink, quantity::ep, spec.ep, quantity::expert_count, spec.model.experts.count);
  }
};

/// etp divides the width of a routed expert.
struct etp_divides_expert_ffn {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::etp}, {quantity::expert_ffn}, "etp divides `expert_ffn`",
                                     "the same");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.experts.count > 0) detail::must_divide(sink, quantity::etp, spec.etp, quantity::expert_ffn, spec.model.expert_width());
  }
};

/// tp divides the width of the shared experts.
struct tp_divides_shared_ffn {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::tp}, {quantity::shared_ffn}, "tp divides `shared_ffn`",
                                     "column and row parallel matrices, arXiv 1909.08053");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.experts.count > 0) detail::must_divide(sink, quantity::tp, spec.tp, quantity::shared_ffn, spec.model.experts.shared_ffn);
  }
};

}  // namespace rules

namespace detail {

// The rules about widths and heads.
template <class Sink, class Spec>
constexpr void check_widths(const Spec& spec, Sink& sink) {
  if (spec.model.head_dim == 0) rules::heads_divide_hidden::check(spec, sink);
  // Without heads of their own keys and values have those of the queries.
  if (spec.model.kv_heads != 0) rules::kv_heads_divide_heads::check(spec, sink);
  rules::tp_divides_heads::check(spec, sink);
  if (spec.model.kv_heads != 0) rules::kv_heads_fit_tp::check(spec, sink);
  if (spec.framework != frameworks::generic) {
    rules::tp_divides_kv_heads::check(spec, sink);
    rules::ulysses_divides_heads::check(spec, sink);
    rules::kv_heads_fit_ulysses::check(spec, sink);
  }
  rules::tp_divides_hidden::check(spec, sink);
  rules::tp_divides_ffn::check(spec, sink);
  rules::tp_divides_vocabulary::check(spec, sink);
  if (spec.model.experts.count == 0) return;
  rules::ep_divides_experts::check(spec, sink);
  rules::etp_divides_expert_ffn::check(spec, sink);
  rules::tp_divides_shared_ffn::check(spec, sink);
}

}  // namespace detail

}  // namespace shardplan
