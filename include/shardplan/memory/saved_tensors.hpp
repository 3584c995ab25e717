// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/memory/saved_walk.hpp>
#include <shardplan/memory/second_matmuls.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/recipe/kernels.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Room for the tensors of one place.
inline constexpr std::size_t most_saved_tensors = 64;
/// The kept tensors of one place, in the order of forward as far as that can be said.
using saved_list = static_vector<saved_tensor, most_saved_tensors>;

/// The sum of a list. Error: overflow is refused.
template <class List = saved_list>
constexpr bytes saved_bytes(const List& list) {
  bytes sum{};
  for (const saved_tensor& item : list) sum = sum + item.bytes();
  return sum;
}

/// The place of a model's last block: `dense_block`, or `expert_block` where blocks route.
constexpr place usual_block(const transformer& shape) { return shape.experts.count > 0 ? place::expert_block : place::dense_block; }

namespace detail {

// Only what a listing needs: the rank's part of one micro-batch.
template <class Spec>
constexpr activation_shard shard_of(const Spec& spec) {
  degrees grid{};
  grid.tp = spec.tp;
  grid.cp = spec.cp;
  grid.etp = spec.etp;
  grid.sequence_shards = is_sequence_parallel(spec) ? spec.tp : 1;
  return activation_shard_of(spec.model, grid, checked_multiply(spec.micro_batch, spec.sequence / spec.cp),
                             padded_vocabulary(spec.model.vocab, vocabulary_multiple_of(spec)), spec.expert_load.computed());
}

// What surrounds the blocks of a stage that has both ends. Logits are not in it: the loss phase has them (memory/working_set.hpp).
template <class Spec>
constexpr void walk_output(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const std::int64_t rows = shard.own_tokens;
  const std::int64_t hidden = spec.model.hidden;
  if (spec.model.final_norm) {
    walk_norm(spec, "final_norm", rows, hidden, rows, saved_shard::sequence, norm_reader::linears, recomputes::none, visit);
  } else {
    visit("head", saved_as::input, rows, hidden, spec.precision.compute, saved_shard::sequence, recomputes::none);
  }
  if (spec.kernels.preallocates) visit("loss", saved_as::statistics, shard.tokens, 1, 4, saved_shard::whole, recomputes::none);
  if (spec.kernels.keeps_log_probabilities) {
    visit("loss", saved_as::output, shard.tokens, shard.vocabulary, 4, saved_shard::tensor, recomputes::none);
    visit("loss", saved_as::statistics, 1, 1, 4, saved_shard::whole, recomputes::none);
  }
}

// What surrounds the block of one next-token layer (arXiv 2412.19437 section 2.2): inputs of its norms of the embedding and of the hidden
// state, of the projection, of the norm before the head, and of the head.
template <class Spec>
constexpr void walk_next_token(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const auto add = [&](const char* name, std::int64_t columns) {
    visit(name, saved_as::input, shard.own_tokens, columns, spec.precision.compute, saved_shard::sequence, recomputes::none);
  };
  const std::int64_t hidden = spec.model.hidden;
  add("next_token_embedding_norm", hidden);
  add("next_token_hidden_norm", hidden);
  add("next_token_projection", 2 * hidden);
  add("next_token_final_norm", hidden);
  add("next_token_head", hidden);
}

}  // namespace detail

/// The tensors that `where` keeps of one micro-batch, with what is recomputed left out: their sum is `dense_kept` or `expert_kept` of
/// `saved_by_block`. `place::input`: token ids (int64, a batch's data and in no account) and what the embedding keeps; `place::output`:
/// final norm, head and loss, logits apart; `place::next_token`: what surrounds the block of one next-token layer; `place::every_block` is
/// the usual block. Only model, sequence, micro-batch, tp, cp, etp and recipe are read, so a spec need not be complete; they must keep the
/// rules of the first two tiers (else a rest is cut off).
template <class Spec = plan_spec, class List = saved_list>
constexpr List saved_tensors_of(const Spec& spec, place where) {
  const activation_shard shard = detail::shard_of(spec);
  List list{};
  // What is recomputed in a block is left out; of other places and of whole blocks nothing is.
  const bool fp8_inputs = detail::keeps_inputs_in_fp8(spec);
  detail::saved_sink all{recomputes::none, fp8_inputs};
  detail::saved_sink some{spec.recompute, fp8_inputs};
  all.next = some.next = list.values;
  all.end = some.end = list.values + most_saved_tensors;
  if (where == place::every_block) where = usual_block(spec.model);
  switch (where) {
    case place::input:
      all("embedding", saved_as::input, shard.tokens, 1, 8, saved_shard::whole, recomputes::none);
      detail::walk_embedding(spec, shard, all);
      break;
    case place::output: detail::walk_output(spec, shard, all); break;
    case place::next_token:
      if (spec.model.next_token_layers > 0) detail::walk_next_token(spec, shard, all);
      break;
    case place::every_block:
    case place::dense_block:
    case place::expert_block:
      if (includes(spec.recompute, recomputes::full)) {
        all("block", saved_as::input, shard.own_tokens, spec.model.hidden, spec.precision.compute, saved_shard::sequence, recomputes::none);
      } else if (includes(spec.recompute, recomputes::every_second_matmul)) {
        detail::walk_second_matmuls(spec, shard, where == place::expert_block, all);
      } else {
        detail::walk_every_block(spec, shard, some);
        if (where == place::expert_block) {
          detail::walk_experts(spec, shard, some);
        } else {
          detail::walk_mlp(spec, shard, some);
        }
      }
      break;
  }
  list.length = static_cast<std::size_t>((all.next != list.values ? all.next : some.next) - list.values);
  return list;
}

/// In `saved_tensors<>`: the kernel set that the block says itself.
struct own_kernels {};

namespace detail {
template <class Kernels, class Spec>
constexpr Spec with_kernels(Spec spec) {
  if constexpr (!same<Kernels, own_kernels>) spec.kernels = Kernels::spec;
  return spec;
}
}  // namespace detail

/// The tensors that a block keeps for backward, with their shapes. `Block` is a plan (`plan<model<...>, sequence<...>, micro_batch<...>>`
/// is enough of one), `Kernels` a kernel set, else the plan's own, `Where` another place than the usual block. See `saved_tensors_of`.
template <class Block, class Kernels = own_kernels, place Where = place::every_block>
inline constexpr auto saved_tensors = saved_tensors_of(detail::with_kernels<Kernels>(Block::spec), Where);

/// What a kept tensor is, in a word.
constexpr const char* name_of(saved_as what) {
  switch (what) {
    case saved_as::input: return "input";
    case saved_as::output: return "output";
    case saved_as::statistics: return "statistics";
    case saved_as::copy: return "copy";
    case saved_as::mask: return "mask";
  }
  return "";
}

/// What divides a kept tensor, in a word.
constexpr const char* name_of(saved_shard what) {
  switch (what) {
    case saved_shard::whole: return "whole";
    case saved_shard::sequence: return "sequence";
    case saved_shard::tensor: return "tensor";
    case saved_shard::routed: return "routed";
  }
  return "";
}

}  // namespace shardplan
