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

/// One tensor that one micro-batch leaves on one rank for backward, flattened to a matrix.
struct saved_tensor {
  literal name{};                          ///< the operation that keeps it
  saved_as as = saved_as::input;           ///< what it is to that operation
  std::int64_t rows = 0;                   ///< tokens, or heads x tokens
  std::int64_t columns = 0;                ///< its width, elements
  std::int64_t element_bytes = 0;          ///< bytes of one element
  saved_shard shard = saved_shard::whole;  ///< how it is divided among ranks; `rows` and `columns` are the rank's part

  /// Its size. Error: overflow is refused.
  constexpr shardplan::bytes bytes() const { return shardplan::bytes{checked_multiply(checked_multiply(rows, columns), element_bytes)}; }
  friend constexpr bool operator==(const saved_tensor& left, const saved_tensor& right) {
    return left.name == right.name && left.as == right.as && left.rows == right.rows && left.columns == right.columns &&
           left.element_bytes == right.element_bytes && left.shard == right.shard;
  }
};

/// Room for the tensors of one place.
inline constexpr std::size_t most_saved_tensors = 64;
/// The kept tensors of one place, in the order of forward as far as that can be said.
using saved_list = static_vector<saved_tensor, most_saved_tensors>;

/// The sum of a list.
constexpr bytes saved_bytes(const saved_list& list) {
  bytes sum{};
  for (const saved_tensor& item : list) sum = sum + item.bytes();
  return sum;
}

/// The place of a model's last block: `dense_block`, or `expert_block` where blocks route.
constexpr place usual_block(const transformer& shape) { return shape.experts.count > 0 ? place::expert_block : place::dense_block; }

namespace detail {

// What surrounds the blocks of a stage that has both ends. Logits are not in it: the loss phase has them (memory/working_set.hpp).
template <class Visit>
constexpr void walk_output(const plan_spec& spec, const activation_shard& shard, const Visit& visit) {
  const std::int64_t rows = shard.own_tokens;
  const std::int64_t hidden = spec.model.hidden;
  if (spec.model.final_norm) {
    walk_norm(spec, "final_norm", rows, hidden, rows, saved_shard::sequence, true, recomputes::none, visit);
  } else {
    visit("head", saved_as::input, rows, hidden, spec.precision.compute, saved_shard::sequence, recomputes::none);
  }
  if (spec.kernels.keeps_log_probabilities) {
    visit("loss", saved_as::output, shard.tokens, shard.vocabulary, 4, saved_shard::tensor, recomputes::none);
    visit("loss", saved_as::statistics, 1, 1, 4, saved_shard::whole, recomputes::none);
  }
}

}  // namespace detail

/// The tensors that `where` keeps of one micro-batch, with what is recomputed left out: their sum is `dense_kept` or `expert_kept` of
/// `saved_by_block`. `place::input`: token ids (int64, a batch's data and in no account) and what the embedding keeps; `place::output`:
/// final norm, head and loss, logits apart; `place::every_block` is the usual block. Only model, sequence, micro-batch, tp, cp, etp and
/// recipe are read, so a spec need not be complete; they must keep the rules of the first two tiers (else a rest is cut off).
template <class Spec = plan_spec>
constexpr saved_list saved_tensors_of(const Spec& spec, place where) {
  degrees grid{};
  grid.tp = spec.tp;
  grid.cp = spec.cp;
  grid.etp = spec.etp;
  grid.sequence_shards = is_sequence_parallel(spec) ? spec.tp : 1;
  const activation_shard shard =
      activation_shard_of(spec.model, grid, checked_multiply(spec.micro_batch, spec.sequence / spec.cp),
                          padded_vocabulary(spec.model.vocab, vocabulary_multiple_of(spec)), spec.expert_load.computed());
  saved_list list{};
  const auto add = [&](const char* name, saved_as as, std::int64_t rows, std::int64_t columns, std::int64_t element, saved_shard how,
                       recomputes freed) {
    if (!includes(spec.recompute, freed)) list.push_back({name, as, rows, columns, element, how});
  };
  const auto add_all = [&](const char* name, saved_as as, std::int64_t rows, std::int64_t columns, std::int64_t element, saved_shard how,
                           recomputes) {
    list.push_back({name, as, rows, columns, element, how});
  };
  if (where == place::every_block) where = usual_block(spec.model);
  switch (where) {
    case place::input:
      add_all("embedding", saved_as::input, shard.tokens, 1, 8, saved_shard::whole, recomputes::none);
      detail::walk_embedding(spec, shard, add_all);
      break;
    case place::output: detail::walk_output(spec, shard, add_all); break;
    case place::next_token: break;
    case place::every_block:
    case place::dense_block:
    case place::expert_block:
      if (includes(spec.recompute, recomputes::full)) {
        add_all("block", saved_as::input, shard.own_tokens, spec.model.hidden, spec.precision.compute, saved_shard::sequence,
                recomputes::none);
      } else if (includes(spec.recompute, recomputes::every_second_matmul)) {
        detail::walk_second_matmuls(spec, shard, where == place::expert_block, add_all);
      } else {
        detail::walk_every_block(spec, shard, add);
        if (where == place::expert_block) {
          detail::walk_experts(spec, shard, add);
        } else {
          detail::walk_mlp(spec, shard, add);
        }
      }
      break;
  }
  return list;
}

/// In `saved_tensors<>`: the kernel set that the block says itself.
struct own_kernels {};

namespace detail {
template <class Kernels>
constexpr plan_spec with_kernels(plan_spec spec) {
  if constexpr (!same<Kernels, own_kernels>) spec.kernels = Kernels::spec;
  return spec;
}
}  // namespace detail

/// The tensors that a block keeps for backward, with their shapes. `Block` is a plan (`plan<model<...>, sequence<...>, micro_batch<...>>`
/// is enough of one), `Kernels` a kernel set, else the plan's own, `Where` another place than the usual block. See `saved_tensors_of`.
template <class Block, class Kernels = own_kernels, place Where = place::every_block>
inline constexpr saved_list saved_tensors = saved_tensors_of(detail::with_kernels<Kernels>(Block::spec), Where);

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
