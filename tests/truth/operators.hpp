// SPDX-License-Identifier: BSL-1.0
// Benchmarks of one operator alone: head and loss. The library's loss kernels say what stands for each logit; a benchmark counts its own
// inputs and their gradients as well (facts: section 2 of memory_peaks.md).
#pragma once

#include "row.hpp"

#include <shardplan/recipe/cross_entropy.hpp>

#include <cstdint>
#include <string>

namespace truth {

namespace detail {

/// Tokens that a benchmark runs on, under the names that rows have for them.
inline std::int64_t benchmark_tokens(const config_reader& config) {
  if (config.has("tokens")) return config.number("tokens");
  if (config.has("BT")) return config.number("BT");
  return config.number("B") * (config.has("S") ? config.number("S") : config.number("T"));
}

/// Bytes of a benchmark of head or loss. Throws `not_expressible` for operators that the library has no figure for.
inline std::int64_t loss_benchmark(const config_reader& config) {
  namespace losses = shardplan::losses;
  const std::string name = config.text("operator");
  const std::string provider = config.text("provider");
  if (config.text("phase") != "forward and backward") throw not_expressible{"phase " + config.text("phase")};
  config.without_effect({"gpu", "library_version", "mode"});
  const std::string type = config.text("dtype", name == "cross_entropy" ? "float32" : "bf16");
  const std::int64_t element = contains(type, "float32") || contains(type, "fp32") ? 4 : 2;
  if (name == "cross_entropy" || name == "megatron_cross_entropy") {
    const std::int64_t logits = benchmark_tokens(config) * (config.number("V") / config.number("TP", 1));
    if (name == "cross_entropy" && provider == "liger")
      return bytes_per_logit(losses::in_place::spec, element) * logits;  // gradient over the input
    // The input's gradient of the call before stands as well; PyTorch's kernel leaves the input alone, Megatron's counts it.
    if (name == "cross_entropy" && provider == "huggingface")
      return (bytes_per_logit(losses::torch_eager::spec, element) + 2 * element) * logits;
    if (provider == "megatron-unfused") return (bytes_per_logit(losses::megatron_unfused::spec, element) + element) * logits;
    if (provider == "megatron-fused") return (bytes_per_logit(losses::megatron_native_fused::spec, element) + element) * logits;
    throw not_expressible{"provider " + provider + " of " + name};
  }
  const bool linear = name == "fused_linear_cross_entropy" || name == "lm head + cross entropy";
  if (!linear && name != "vocabulary-parallel cross entropy") throw not_expressible{"operator " + name};
  const std::int64_t tokens = benchmark_tokens(config);
  const std::int64_t hidden = first_of(config, {"hidden", "H"}, 0);
  const std::int64_t whole = first_of(config, {"vocab", "V"}, 0) / config.number("tp", 1);
  const std::int64_t vocabulary = config.number("vocab_on_rank", whole);
  if (hidden < 1 || vocabulary < 1) throw not_expressible{"the shape of the head is not stated"};
  const std::int64_t logits = tokens * vocabulary;
  const std::int64_t weight = element * vocabulary * hidden;
  const std::int64_t input = element * tokens * hidden;
  if (!linear) {
    if (provider == "megatron eager") return bytes_per_logit(losses::megatron_unfused::spec, element) * logits + weight + input;
    if (provider == "megatron fused (native)")
      return bytes_per_logit(losses::megatron_native_fused::spec, element) * logits + weight + input;
    throw not_expressible{"provider " + provider + " of " + name + ": its chunks are not stated"};
  }
  // Weight, its gradient and that of the call before; input and gradient.
  if (provider == "huggingface") return bytes_per_logit(losses::torch_eager::spec, element) * logits + 3 * weight + 2 * input;
  std::int64_t chunks = 0;
  if (provider == "liger") {
    // As many chunks as the vocabulary is wider than the input, of a power of two of tokens (ops/fused_linear_cross_entropy.py).
    const std::int64_t wanted = (vocabulary + hidden - 1) / hidden;
    std::int64_t size = 1;
    while (size * wanted < tokens) size *= 2;
    chunks = (tokens + size - 1) / size;
  } else if (starts_with(provider, "chunk ")) {
    const std::int64_t size = scaled(provider.substr(6), 0);
    chunks = (tokens + size - 1) / size;
  } else {
    throw not_expressible{"provider " + provider + " of " + name};
  }
  const shardplan::loss_spec loss = losses::chunked<1>::spec;
  return bytes_per_logit(loss, element) * logits / chunks + 2 * weight + loss.head_gradient_bytes * vocabulary * hidden + 2 * input +
         loss.hidden_bytes * tokens * hidden;
}

}  // namespace detail

}  // namespace truth
