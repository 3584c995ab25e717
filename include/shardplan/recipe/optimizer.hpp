// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// What an optimizer keeps of a matrix of m rows and n columns beside its moments. `matrix_size` is the number that the rule needs.
enum class matrix_rule : unsigned char {
  none,            ///< nothing
  factored,        ///< `matrix_size` pairs of vectors, one number a row and one a column: Adafactor (1), CAME (2)
  preconditioned,  ///< two fp32 matrices for each side of each block of at most `matrix_size` rows and columns (0: one block): Shampoo
  rotated,         ///< two fp32 matrices for each side of at most `matrix_size` (0: any), longer sides have none: SOAP
  low_rank,        ///< the shorter side is projected to `matrix_size`: moments of that by the longer side, and a projector: GaLore
  block_means,     ///< one number a row, but one a head for query and key; of a vector one in all: Adam-mini
};

/// What an optimizer keeps for each parameter, beside weight, gradient and master copy: numbers only, so a new optimizer is one type with
/// `static constexpr optimizer_spec spec`. All of it is exact and goes tensor by tensor (memory/optimizer_state.hpp says how it rounds).
struct optimizer_spec {
  literal name{};                            ///< for reports
  std::int64_t moments = 0;                  ///< moments as large as the tensor
  std::int64_t matrix_moments = -1;          ///< of matrices, where they differ; -1: they do not. Muon: 1
  matrix_rule matrices = matrix_rule::none;  ///< what is kept of matrices besides
  bool hidden_only = false;             ///< `matrices` and `matrix_moments` are for matrices of blocks only, not for embedding and head
  bool whole_blocks = false;            ///< only tensors that blocks divide are quantised. torchao
  bool fused_step = false;              ///< each tensor is updated in backward: of gradients only the largest tensor's is alive. LOMO
  std::int64_t matrix_size = 0;         ///< see `matrix_rule`
  std::int64_t moment = 0;              ///< bytes of one number of a moment where the optimizer fixes it; 0: the precision layout's
  std::int64_t bits = 0;                ///< moments are kept in blocks of numbers of so many bits with an fp32 scale; 0: they are not
  std::int64_t block = 256;             ///< elements that share a scale
  std::int64_t least_elements = 4096;   ///< smaller tensors are not quantised
  std::int64_t table_bytes = 0;         ///< code tables, once a process. bitsandbytes
  std::int64_t tensor_table_bytes = 0;  ///< code table of each quantised moment of each tensor. torchao

  // By hand: a defaulted one costs a compiler ten times as much (tests/static/recipe asks it of every field).
  template <class Same>
  requires detail::same<Same, optimizer_spec>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.name == right.name && left.moments == right.moments && left.matrix_moments == right.matrix_moments &&
           int(left.matrices) == int(right.matrices) && left.hidden_only == right.hidden_only && left.whole_blocks == right.whole_blocks &&
           left.fused_step == right.fused_step && left.matrix_size == right.matrix_size && left.moment == right.moment &&
           left.bits == right.bits && left.block == right.block && left.least_elements == right.least_elements &&
           left.table_bytes == right.table_bytes && left.tensor_table_bytes == right.tensor_table_bytes;
  }
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

/// One moment (arXiv 2302.06675; google/automl lion): 4 bytes in fp32.
struct lion {
  static constexpr optimizer_spec spec{.name = "lion", .moments = 1};
};

/// Two fast and slow averages and the second moment: 12 bytes in fp32 (arXiv 2409.03137; kozistr/pytorch_optimizer ademamix.py).
struct ademamix {
  static constexpr optimizer_spec spec{.name = "ademamix", .moments = 3};
};

/// Moment and diagonal Hessian: 8 bytes in fp32 (arXiv 2305.14342; pytorch_optimizer sophia.py). The estimate of the Hessian is transient.
struct sophia {
  static constexpr optimizer_spec spec{.name = "sophia", .moments = 2};
};

/// No state, and of gradients only the largest tensor's: each tensor is updated as soon as its gradient is there (arXiv 2306.09782). With
/// 2-byte weights about 2 bytes a parameter.
struct lomo {
  static constexpr optimizer_spec spec{.name = "lomo", .fused_step = true};
};

/// 2 (1 + 4/256) = 2.03125 bytes: two 8-bit moments in blocks of 256 with an fp32 scale, tensors under 4,096 elements in fp32, two code
/// tables of 256 fp32 numbers a process (arXiv 2110.02861; bitsandbytes-foundation/bitsandbytes bitsandbytes/optim/optimizer.py).
struct adamw_8bit {
  static constexpr optimizer_spec spec{.name = "adamw_8bit", .moments = 2, .moment = 4, .bits = 8, .table_bytes = 2 * 256 * 4};
};

/// 1 + 4/256 = 1.015625 bytes: one 8-bit moment in blocks of 256; one code table (bitsandbytes, one-state optimizers).
struct lion_8bit {
  static constexpr optimizer_spec spec{.name = "lion_8bit", .moments = 1, .moment = 4, .bits = 8, .table_bytes = 256 * 4};
};

/// 3 (1 + 4/256) = 3.046875 bytes: `ademamix` as `adamw_8bit` (bitsandbytes optim/ademamix.py, whose state1 is a double buffer).
struct ademamix_8bit {
  static constexpr optimizer_spec spec{.name = "ademamix_8bit", .moments = 3, .moment = 4, .bits = 8, .table_bytes = 2 * 256 * 4};
};

/// 2 (1 + 4/256) = 2.03125 bytes, and a table of 1,024 bytes for each moment of a tensor. Tensors under 4,096 elements and those that
/// blocks do not divide keep the layout's moments (pytorch/ao torchao/optim/adam.py, subclass_8bit.py).
struct ao_adamw_8bit {
  static constexpr optimizer_spec spec{
      .name = "ao_adamw_8bit", .moments = 2, .whole_blocks = true, .bits = 8, .tensor_table_bytes = 256 * 4};
};

/// 2 (1/2 + 4/128) = 1.0625 bytes: 4 bits, blocks of 128, tables of 64 bytes; else as `ao_adamw_8bit` (torchao/optim/subclass_4bit.py).
struct ao_adamw_4bit {
  static constexpr optimizer_spec spec{
      .name = "ao_adamw_4bit", .moments = 2, .whole_blocks = true, .bits = 4, .block = 128, .tensor_table_bytes = 16 * 4};
};

/// 2 (1 + 4/256) = 2.03125 bytes: FP8 numbers, no table; else as `ao_adamw_8bit` (torchao/optim/subclass_fp8.py).
struct ao_adamw_fp8 {
  static constexpr optimizer_spec spec{.name = "ao_adamw_fp8", .moments = 2, .whole_blocks = true, .bits = 8};
};

/// Second moment of an m x n matrix as m + n fp32 sums, 4 (m + n) bytes, of a vector in full; no first moment (arXiv 1804.04235;
/// huggingface/transformers optimization.py, beta1 = None). Experts are matrices of their own: leading dimensions are not factored.
struct adafactor {
  static constexpr optimizer_spec spec{
      .name = "adafactor", .moments = 1, .matrix_moments = 0, .matrices = matrix_rule::factored, .matrix_size = 1, .moment = 4};
};

/// `adafactor` with a first moment (beta1): 4mn + 4 (m + n) bytes, 8 for each number of a vector.
struct adafactor_momentum {
  static constexpr optimizer_spec spec{
      .name = "adafactor_momentum", .moments = 2, .matrix_moments = 1, .matrices = matrix_rule::factored, .matrix_size = 1, .moment = 4};
};

/// First moment and two factored pairs, 4mn + 8 (m + n) bytes in fp32; two moments of a vector (arXiv 2307.02047; pytorch_optimizer
/// came.py).
struct came {
  static constexpr optimizer_spec spec{
      .name = "came", .moments = 2, .matrix_moments = 1, .matrices = matrix_rule::factored, .matrix_size = 2};
};

/// One moment on the matrices of the blocks (4 bytes in fp32), Adam's two on embeddings, head, norms and biases (8; KellerJordan/Muon).
/// Under ZeRO the two kinds are shared out element by element. Megatron-LM's distributed Muon keeps each matrix whole at one owner instead,
/// so its fullest rank holds more.
struct muon {
  static constexpr optimizer_spec spec{.name = "muon", .moments = 2, .matrix_moments = 1, .hidden_only = true};
};

/// `muon` with a second moment of the orthogonalised matrix: 8 bytes everywhere in fp32 (arXiv 2507.11005; pytorch_optimizer muon.py).
struct adamuon {
  static constexpr optimizer_spec spec{.name = "adamuon", .moments = 2, .matrix_moments = 2, .hidden_only = true};
};

/// Statistics and inverse roots of both sides, 8 (m^2 + n^2) bytes a block of at most `Block` rows and columns (0: one block), and
/// `Moments` moments of every tensor: momentum and the momentum of SGD grafting (arXiv 1802.09568; google-research scalable_shampoo and
/// pytorch_optimizer shampoo.py, block_size 128).
template <std::int64_t Block = 128, std::int64_t Moments = 2>
struct shampoo {
  static constexpr optimizer_spec spec{
      .name = "shampoo", .moments = Moments, .matrices = matrix_rule::preconditioned, .matrix_size = Block};
};

/// Adam in the eigenbasis of Shampoo: 8mn + 8 (m^2 + n^2) bytes, all fp32; sides over `MostSide` and vectors are not rotated (arXiv
/// 2409.11321; nikhilvyas/SOAP soap.py, max_precond_dim 10000).
template <std::int64_t MostSide = 10000>
struct soap {
  static constexpr optimizer_spec spec{
      .name = "soap", .moments = 2, .matrices = matrix_rule::rotated, .matrix_size = MostSide, .moment = 4};
};

/// Adam on the matrices of blocks with the shorter side m projected to `Rank`: 8 Rank n + 4 Rank m bytes in fp32, half in bf16; the
/// others as Adam (arXiv 2403.03507; jiaweizzhao/GaLore galore_projector.py).
template <std::int64_t Rank>
struct galore {
  static constexpr optimizer_spec spec{
      .name = "galore", .moments = 2, .matrices = matrix_rule::low_rank, .hidden_only = true, .matrix_size = Rank};
};

/// Adam with one second moment a block: 4mn + 4 blocks bytes, all fp32; a block is a head of query or key, a row of other matrices, a whole
/// vector, each GPU for itself (arXiv 2406.16793; zyushun/Adam-mini adam_mini.py).
struct adam_mini {
  static constexpr optimizer_spec spec{.name = "adam_mini", .moments = 1, .matrices = matrix_rule::block_means, .moment = 4};
};

}  // namespace optimizers

}  // namespace shardplan
