// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/handbook/arithmetic.hpp>

#include <cstdint>

/// The handbook's own formulas ("ZeRO and 3D parallelism in depth", 18.5), under a name that says whose they are. They are right as they
/// stand, or else the true figure stands beside them as `true_...`. For a plan use `shardplan::plan`, which counts exactly.
/// In all of them an argument that is zero or negative, and a figure beyond 63 bits, is an `arithmetic_error`.
namespace shardplan::handbook {

/// Bytes that one parameter costs in each of the three kinds of state that ZeRO divides. None may be negative, and not all zero.
struct counting {
  std::int64_t weights = 0;    ///< the copy that layers read
  std::int64_t gradients = 0;  ///< with every copy of them
  std::int64_t optimizer = 0;  ///< moments, and the fp32 master weights where there are some

  friend constexpr bool operator==(const counting&, const counting&) = default;

  /// Bytes a parameter in all.
  constexpr std::int64_t total() const {
    if (weights < 0 || gradients < 0 || optimizer < 0) argument_out_of_range();
    return detail::positive(checked_add(checked_add(weights, gradients), optimizer));
  }
};

/// The handbook's 2 + 2 + 8 = 12 bytes: AdamW and BF16 with two fp32 moments and no fp32 master weights (section 1).
inline constexpr counting handbook_counting{.weights = 2, .gradients = 2, .optimizer = 8};
/// 2 + 2 + 12 = 16: with an fp32 master (Rajbhandari et al. 2019, arXiv 1910.02054, section 3.1: K = 12). What frameworks keep at least.
inline constexpr counting zero_paper_counting{.weights = 2, .gradients = 2, .optimizer = 12};
/// 2 + 4 + 12 = 18: fp32 gradients too (Megatron-LM's default, its issue 654).
inline constexpr counting megatron_counting{.weights = 2, .gradients = 4, .optimizer = 12};
/// 2 + (2 + 4) + 12 = 20: BF16 gradients and an fp32 accumulator beside them (nanotron; DeepSpeed's estimator for ZeRO-2).
inline constexpr counting accumulator_counting{.weights = 2, .gradients = 6, .optimizer = 12};

/// What a scheme keeps away from one device of N.
enum class scheme {
  none,     ///< every device holds everything (DDP)
  zero_1,   ///< the optimizer state is divided by N
  zero_2,   ///< gradients too
  zero_3,   ///< weights too
  offload,  ///< ZeRO-Offload and ZeRO-Infinity: gradients and optimizer state on the host or on NVMe, only the weights stay
};

/// 2P: weights in BF16 (section 1).
constexpr bytes weights(std::int64_t parameters) { return {checked_multiply(handbook_counting.weights, detail::positive(parameters))}; }
/// 2P: gradients in BF16 (section 1).
constexpr bytes gradients(std::int64_t parameters) { return {checked_multiply(handbook_counting.gradients, detail::positive(parameters))}; }
/// 8P: both fp32 moments of Adam (section 1).
constexpr bytes optimizer(std::int64_t parameters) { return {checked_multiply(handbook_counting.optimizer, detail::positive(parameters))}; }
/// 12P: weights, gradients and optimizer state together (section 1).
constexpr bytes states(std::int64_t parameters) { return weights(parameters) + gradients(parameters) + optimizer(parameters); }

/// Bytes of state that one of `devices` devices holds for each parameter, exact. In the handbook's counting 12, 4 + 8/N, 2 + 10/N, 12/N
/// and 2.
constexpr fraction bytes_per_parameter(scheme which, std::int64_t devices, counting bytes_of = handbook_counting) {
  const fraction total = bytes_of.total();
  const std::int64_t shards = detail::positive(devices);
  switch (which) {
    case scheme::none: return total;
    case scheme::zero_1: return fraction{checked_add(bytes_of.weights, bytes_of.gradients)} + fraction{bytes_of.optimizer, shards};
    case scheme::zero_2: return fraction{bytes_of.weights} + fraction{checked_add(bytes_of.gradients, bytes_of.optimizer), shards};
    case scheme::zero_3: return total / fraction{shards};
    case scheme::offload: return bytes_of.weights;
  }
  argument_out_of_range();
}

/// States of one device without activations (the handbook's table of section 1). Where `devices` does not divide, the one sum is rounded up
/// to whole bytes: this is the fullest device.
constexpr bytes per_device_states(std::int64_t parameters, scheme which, std::int64_t devices, counting bytes_of = handbook_counting) {
  return detail::rounded_up(bytes_per_parameter(which, devices, bytes_of) * fraction{detail::positive(parameters)});
}

/// The share of the states that the scheme takes off a device: 7/12, 35/48, 7/8 and 5/6 on 8 devices, which the handbook prints as 58, 73,
/// 87.5 and 83 %.
constexpr fraction saved(scheme which, std::int64_t devices, counting bytes_of = handbook_counting) {
  return fraction{1} - bytes_per_parameter(which, devices, bytes_of) / fraction{bytes_of.total()};
}

/// The "7B" of the handbook's examples, a round number. (Llama 2 7B has 6,738,415,616.)
inline constexpr std::int64_t seven_billion = 7'000'000'000;
/// The least that the handbook gives for the activations of a 7B model with a sequence of 4K and batch 1 (section 1). With flash attention
/// and without recomputation it is 17.3 GB today.
inline constexpr bytes activations_least{20'000'000'000};
/// The most that it gives for the same.
inline constexpr bytes activations_most{40'000'000'000};
/// States of the 7B model and the least of its activations: 104 GB.
inline constexpr bytes total_least = states(seven_billion) + activations_least;
/// States of the 7B model and the most of its activations: 124 GB. Neither fits an A100 of 80 GB.
inline constexpr bytes total_most = states(seven_billion) + activations_most;

/// What offload puts on the host (or on NVMe), all devices together: gradients and optimizer state, 10P in the handbook's counting.
constexpr bytes offloaded(std::int64_t parameters, counting bytes_of = handbook_counting) {
  return {checked_multiply(detail::positive(parameters), checked_subtract(bytes_of.total(), bytes_of.weights))};
}

/// Bytes that cross a link of one device in one optimizer step, in each direction.
struct transfer {
  bytes away;  ///< from the device to the host, or from the host to NVMe
  bytes back;  ///< the other way

  friend constexpr bool operator==(const transfer&, const transfer&) = default;
};

/// Offload's price over PCIe: in each step every device sends its shard of the BF16 gradients to the host and fetches its shard of the new
/// BF16 weights, 2P/N each way (ZeRO-Offload, Ren et al. 2021, arXiv 2101.06840, section 4). Rounded up. With more than one
/// micro-step whose gradients are not summed on the device, `away` is paid for each.
constexpr transfer pcie_per_step(std::int64_t parameters, std::int64_t devices) {
  const fraction shard{detail::positive(parameters), detail::positive(devices)};
  return {detail::rounded_up(shard * fraction{handbook_counting.gradients}),
          detail::rounded_up(shard * fraction{handbook_counting.weights})};
}

/// Offload's price over NVMe, when the optimizer state lives there: a device's shard of it is read and written once a step, 8P/N each way
/// in the handbook's counting, 12P/N with an fp32 master. Rounded up.
constexpr transfer nvme_per_step(std::int64_t parameters, std::int64_t devices, counting bytes_of = handbook_counting) {
  bytes_of.total();  // refuses a counting with a negative part
  const fraction shard{detail::positive(parameters), detail::positive(devices)};
  const bytes amount = detail::rounded_up(shard * fraction{bytes_of.optimizer});
  return {amount, amount};
}

}  // namespace shardplan::handbook
