// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/degrees.hpp>

#include <cstdint>

namespace shardplan {

/// Minutes after which a collective is given up, where no other number is observed: 30, the default of torch.distributed before NCCL had
/// one of its own (10 since PyTorch 2.2).
inline constexpr std::int64_t default_timeout_minutes = 30;

/// What was measured or looked up in a run and no plan says: with it a cause that is `not_in_plan` becomes supported or excluded. What was
/// not observed stays `unset` or `toggle::by_default`; a negative number is none.
struct observations {
  std::int64_t preparation_minutes = unset;           ///< minutes that rank 0 prepares data before the others go on
  std::int64_t timeout_minutes = unset;               ///< minutes after which a collective is given up; unset: `default_timeout_minutes`
  std::int64_t samples = unset;                       ///< sequences of an epoch
  toggle drops_last = toggle::by_default;             ///< whether an incomplete last batch is dropped; by default it is not
  std::int64_t tested_nodes = unset;                  ///< the most nodes that a collective benchmark ran on without a fault
  toggle experts_are_units = toggle::by_default;      ///< whether all experts of a block are gathered as one unit (DeepSpeed: leaf modules)
  std::int64_t least_unmasked_tokens = unset;         ///< the fewest tokens with a loss that a context parallel rank has in a micro-batch
  toggle sums_norm_gradients = toggle::by_default;    ///< whether gradients of norms and biases are summed over tensor parallel ranks
  toggle clips_by_global_norm = toggle::by_default;   ///< whether the norm that clips covers tensor, pipeline and expert parallel ranks
  toggle sums_tied_embedding = toggle::by_default;    ///< whether copies of a tied embedding sum their gradients
  toggle averages_by_token = toggle::by_default;      ///< whether a loss is divided by the tokens of the whole batch, not by micro-batches
  toggle agrees_in_parity_test = toggle::by_default;  ///< whether a small run with all features has the loss of one without
  std::int64_t bus_bytes_per_second = unset;          ///< what a rank sends a second in an all-reduce of the replicas (busbw), measured
  std::int64_t slowest_per_mille = unset;             ///< rate of the slowest device, thousandths of the mean
  std::int64_t loader_tokens_per_second = unset;      ///< what all data loaders together deliver
  std::int64_t device_connections = unset;            ///< CUDA_DEVICE_MAX_CONNECTIONS of a device before Blackwell
};

/// A type with observations: a `static constexpr observations value`.
template <class Type>
concept observations_type = requires {
  requires detail::same<decltype(&Type::value), const observations*>;
};

/// Nothing was observed: the default of `diagnose<Plan, Symptom, Observed>`. Observations of your own are a type with such a constant.
struct nothing_observed {
  static constexpr observations value{};  ///< what was observed
};

namespace detail {

// What an observation says of a cause.
enum class seen { unknown, fine, wrong };

constexpr seen seen_as(toggle is_fine) {
  return is_fine == toggle::by_default ? seen::unknown : is_fine == toggle::on ? seen::fine : seen::wrong;
}
// A number that must not be below another.
constexpr seen seen_at_least(std::int64_t measured, std::int64_t least) {
  return measured < 0 ? seen::unknown : measured >= least ? seen::fine : seen::wrong;
}

}  // namespace detail

}  // namespace shardplan
