// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// What an optimizer keeps for each parameter, beside weight, gradient and master copy. All rules are exact and go tensor by tensor
/// (`memory/states.hpp`); a new optimizer is one type with `static constexpr optimizer_spec spec`.
struct optimizer_spec {
  literal name{};            ///< for reports
  std::int64_t moments = 0;  ///< moments as large as the tensor, in the precision layout's moment bytes

  /// Moments of a hidden matrix (a matrix of a block) where they differ from `moments`; -1: no difference. Muon: 1.
  std::int64_t hidden_matrix_moments = -1;

  /// The moments of a matrix are replaced by one sum for each row and one for each column; these and the moments of vectors are fp32
  /// whatever the layout says. Adafactor.
  bool factored = false;

  /// Moments kept in blocks of 8-bit numbers with one fp32 scale a block. bitsandbytes.
  bool eight_bit = false;
  std::int64_t block = 256;            ///< elements that share a scale
  std::int64_t least_elements = 4096;  ///< smaller tensors keep fp32 moments
  std::int64_t table_bytes = 0;        ///< code tables, once a process

  friend constexpr bool operator==(const optimizer_spec&, const optimizer_spec&) = default;
};

/// A type that says an optimizer: it has `static constexpr shardplan::optimizer_spec spec`.
template <class Algorithm>
concept optimizer_algorithm = requires {
  requires detail::same<decltype(&Algorithm::spec), const optimizer_spec*>;
}
&&requires { typename detail::needs_constant<static_cast<bool>(Algorithm::spec.moments)>; };

/// Part of a plan (default `optimizers::adamw`).
template <optimizer_algorithm Algorithm>
struct optimizer {
  static constexpr part_kind kind = part_kind::optimizer;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::optimizer>(spec);
    spec.optimizer = Algorithm::spec;
  }
};

namespace optimizers {

/// No state. torch.optim.SGD with momentum 0.
struct sgd {
  static constexpr optimizer_spec spec{.name = "sgd", .moments = 0};
};

/// One moment. torch.optim.SGD with momentum.
struct momentum {
  static constexpr optimizer_spec spec{.name = "momentum", .moments = 1};
};

/// Two moments (arXiv 1412.6980).
struct adam {
  static constexpr optimizer_spec spec{.name = "adam", .moments = 2};
};

/// Two moments (arXiv 1711.05101): the bytes of Adam. The default.
struct adamw {
  static constexpr optimizer_spec spec{.name = "adamw", .moments = 2};
};

/// One moment (arXiv 2302.06675; google/automl lion).
struct lion {
  static constexpr optimizer_spec spec{.name = "lion", .moments = 1};
};

/// Two 8-bit moments in blocks of 256 with an fp32 scale, tensors under 4,096 elements in fp32, two code tables of 256 fp32 numbers a
/// process (arXiv 2110.02861; bitsandbytes-foundation/bitsandbytes bitsandbytes/optim/optimizer.py).
struct adamw_8bit {
  static constexpr optimizer_spec spec{.name = "adamw_8bit", .moments = 2, .eight_bit = true, .table_bytes = 2 * 256 * 4};
};

/// One 8-bit moment in blocks of 256; one code table (bitsandbytes, one-state optimizers).
struct lion_8bit {
  static constexpr optimizer_spec spec{.name = "lion_8bit", .moments = 1, .eight_bit = true, .table_bytes = 256 * 4};
};

/// Second moment of an m x n matrix as m + n fp32 sums, of a vector in full; no first moment (arXiv 1804.04235;
/// huggingface/transformers optimization.py, beta1 = None).
struct adafactor {
  static constexpr optimizer_spec spec{.name = "adafactor", .moments = 1, .factored = true};
};

/// One moment on the matrices of the blocks, Adam's two on embeddings, head, norms and biases (KellerJordan/Muon). Under ZeRO the two kinds
/// are shared out element by element. Megatron-LM's distributed Muon keeps each matrix whole at one owner instead, so its fullest rank
/// holds more.
struct muon {
  static constexpr optimizer_spec spec{.name = "muon", .moments = 2, .hidden_matrix_moments = 1};
};

}  // namespace optimizers

}  // namespace shardplan
