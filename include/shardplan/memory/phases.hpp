// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/working_set.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What the phases of one rank are made of, bytes unless said; memory/memory.hpp fills it in.
struct phase_inputs {
  std::int64_t gradients = 0;          ///< the gradients of the rank that lie on the device
  std::int64_t activations = 0;        ///< everything that is kept at the end of forward
  std::int64_t block_activations = 0;  ///< what the largest block keeps
  std::int64_t backward = 0;           ///< working memory of the backward of the largest block
  std::int64_t live_losses = 0;        ///< micro-batches between loss and backward of the head at once
  std::int64_t head = 0;               ///< elements of the head's weight on the rank
  std::int64_t largest_linear = 0;     ///< elements of the largest weight of a matrix product in a block
  std::int64_t elements = 0;           ///< elements of all weights that the rank computes with
  std::int64_t owned = 0;              ///< elements of which the rank keeps the optimizer state
  std::int64_t copies = 0;             ///< autocast's copies of the weights
  bool is_last = false;                ///< has head and loss
  gathered_elements gathered{};        ///< of ZeRO-3 and FSDP
};

/// What a phase has beside weights, master copy, optimizer state and buffers, bytes.
struct phase_needs {
  std::int64_t gradients = 0;    ///< gradients that are there
  std::int64_t activations = 0;  ///< kept activations
  std::int64_t logits = 0;       ///< logits
  std::int64_t working = 0;      ///< what lives in the phase only

  /// The sum.
  constexpr std::int64_t total() const { return gradients + activations + logits + working; }
};

/// Whether the optimizer step needs more than the states on the device.
template <class Spec = plan_spec>
constexpr bool has_step_temporaries(const Spec& spec) {
  return spec.overheads.step_bytes != 0 || spec.overheads.flattens_gradients ||
         (spec.overheads.widens_moments && spec.precision.moment_scale != 0);
}

/// Temporaries of the optimizer step, bytes for each parameter that is stepped at a time.
template <class Spec = plan_spec>
constexpr std::int64_t step_bytes_of(const Spec& spec) {
  if (!spec.overheads.flattens_gradients) return spec.overheads.step_bytes;
  const auto& precision = spec.precision;
  const std::int64_t gradient = precision.accumulator != 0 ? precision.accumulator : precision.gradient;
  const std::int64_t master = precision.master != 0 ? precision.master : precision.weight;
  return spec.overheads.step_bytes + gradient + (master != gradient ? master : 0);
}

/// Whether a rank has that phase.
template <class Spec = plan_spec>
constexpr bool has_phase(const Spec& spec, const phase_sizes& sizes, phase which, bool is_last) {
  switch (which) {
    case phase::loss: return is_last;
    case phase::head_backward: return is_last && sizes.logit_gradients != 0;
    case phase::block_backward: return !spec.sharding.is_fsdp();
    case phase::first_block_backward:
    case phase::last_block_backward: return spec.sharding.is_fsdp();
    default: return true;
  }
}

namespace detail {
// Weights that ZeRO-3 has gathered, and the largest unit's gradient before it is reduced (deepspeedai/DeepSpeed
// runtime/zero/partitioned_param_coordinator.py and its estimator, 2 + 2 bytes for the largest module): in all forward and backward phases.
template <class Spec>
constexpr std::int64_t gathered_by_zero(const Spec& spec, const gathered_elements& gathered, std::int64_t elements) {
  const auto& precision = spec.precision;
  const auto unit = gather_unit_of(spec);
  if (unit == gather_unit::module) {
    const std::int64_t alive =
        spec.sharding.reshard_after_forward ? gathered_at_once(spec.sharding.limits, gathered.largest_module, elements) : elements;
    return precision.compute * alive + precision.gradient * gathered.largest_module;
  }
  if (!spec.sharding.reshard_after_forward || unit == gather_unit::model)
    return precision.compute * elements + precision.gradient * gathered.largest;
  return precision.compute * (gathered.largest + spec.sharding.prefetch * gathered.block) + precision.gradient * gathered.largest;
}

template <class Spec>
constexpr phase_needs fsdp_phase(const Spec& spec, phase which, const phase_inputs& rank, bool accumulates) {
  const std::int64_t element = spec.precision.compute;
  const gathered_elements& gathered = rank.gathered;
  const std::int64_t held = accumulates ? rank.gradients : 0;
  const bool reshards = spec.sharding.reshard_after_forward;
  // The gradient of a block as backward writes it, and in the precision of the reduction.
  const std::int64_t reduced = (element + spec.precision.gradient) * gathered.block;
  const std::int64_t ahead = (1 + spec.sharding.prefetch) * gathered.block;
  switch (which) {
    case phase::parameter_gather: return {held, 0, 0, element * (reshards ? gathered.root + ahead : rank.elements)};
    case phase::loss:
    case phase::head_backward: return {held, rank.activations, 0, element * (reshards ? gathered.root + gathered.block : rank.elements)};
    case phase::first_block_backward:
      return {held, rank.activations, 0,
              rank.backward + reduced + element * gathered.root + element * (reshards ? ahead + gathered.root : rank.elements)};
    case phase::last_block_backward:
      return {rank.gradients, rank.block_activations, 0, rank.backward + reduced + element * (ahead + gathered.root)};
    default: return {rank.gradients, 0, 0, 0};
  }
}
}  // namespace detail

/// What a phase needs on a rank; not `first_step`, which is one of the others. FSDP's phases are those of torch `fully_shard`
/// (pytorch/torchtitan docs/fsdp.md; within 12 % of reserved memory): gradients are freed between steps, so before the last block's
/// backward they are there only with more than one micro-batch.
template <class Spec = plan_spec>
constexpr phase_needs needs_of_phase(const Spec& spec, const phase_sizes& sizes, phase which, const phase_inputs& rank,
                                     std::int64_t micro_batches) {
  phase_needs needs{};
  if (spec.sharding.is_fsdp()) {
    needs = detail::fsdp_phase(spec, which, rank, micro_batches > 1);
  } else {
    needs.gradients = rank.gradients;
    const bool computes = which != phase::optimizer_step;
    if (computes) needs.working = rank.copies;
    if (computes && which != phase::parameter_gather) needs.activations = rank.activations;
    if (spec.zero >= 3 && computes) needs.working += detail::gathered_by_zero(spec, rank.gathered, rank.elements);
    if (which == phase::block_backward) {
      needs.working += rank.backward;
      // Without scratch that stays: the weight gradient of the largest matrix on its way to its sum.
      if (!spec.overheads.gradient_scratch) needs.working += spec.precision.compute * rank.largest_linear;
    }
  }
  if (which == phase::loss) {
    needs.logits = sizes.logits + (rank.live_losses > 1 ? (rank.live_losses - 1) * sizes.kept_logits : 0);
    needs.working += sizes.around_loss + sizes.in_loss + spec.loss.head_gradient_bytes * rank.head;
  } else if (which == phase::head_backward) {
    needs.logits = sizes.logit_gradients + (rank.live_losses > 1 ? (rank.live_losses - 1) * sizes.kept_logits : 0);
    needs.working += sizes.around_loss;
    if (!spec.overheads.gradient_scratch) needs.working += spec.precision.compute * rank.head;
  } else if (which == phase::optimizer_step && spec.offload.states == storage::device) {
    const std::int64_t stepped =
        spec.zero >= 3 && spec.buckets.sub_group_elements < rank.owned ? spec.buckets.sub_group_elements : rank.owned;
    needs.working += step_bytes_of(spec) * stepped;
    if (spec.overheads.widens_moments && spec.precision.moment_scale != 0) needs.working += 4 * spec.optimizer.moments * rank.owned;
  }
  return needs;
}

}  // namespace shardplan
