// SPDX-License-Identifier: BSL-1.0
#pragma once

/// DeepSpeed's own estimators of model states, as they are: what `estimate_zero2_model_states_mem_needs` and
/// `estimate_zero3_model_states_mem_needs` print, to compare a plan with. Not in the umbrella, and no account of ours reads them.
#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

/// The estimators of deepspeedai/DeepSpeed runtime/zero/stage_1_and_2.py and runtime/zero/stage3.py @ edaa7221. They count Adam in mixed
/// precision and nothing else: no activations, no buffers but one layer, no tensor or pipeline parallelism. Why a plan says something else:
/// docs/exact_and_estimates.md. Arguments below 1 and figures beyond 63 bits are errors.
namespace shardplan::deepspeed {

/// What the estimators multiply by: bytes a parameter unless said.
struct estimate_constants {
  std::int64_t weights = 2;          ///< 16-bit weights
  std::int64_t zero_2_whole = 2;     ///< ZeRO-2, of what each device holds whole
  std::int64_t zero_2_shared = 18;   ///< ZeRO-2, of what is shared: 16-bit and fp32 gradients, fp32 weights, two moments: 2 + 4 + 4 + 8
  std::int64_t zero_3_shared = 18;   ///< ZeRO-3: 16-bit weights, and fp32 gradients, weights and two moments: 2 + 4 + 4 + 8
  std::int64_t largest_layer = 4;    ///< ZeRO-3, of the largest module: its gathered weights and its gradients, 2 + 2
  std::int64_t host_optimizer = 16;  ///< on the host with an offloaded optimizer: fp32 gradients, weights and two moments
  std::int64_t host_all = 18;        ///< with offloaded weights as well
  std::int64_t loading = 4;          ///< of each process while a model is made in fp32
  fraction additional_buffer{3, 2};  ///< `additional_buffer_factor`: what the host's figures are multiplied by
};

/// As the code has it since its pull request 5099.
inline constexpr estimate_constants default_estimate_constants{};
/// As it was before, and as docs/code-docs/source/memory.rst still prints it: 4P + 16P/N for ZeRO-2, 20 bytes a parameter on one device.
inline constexpr estimate_constants documented_estimate_constants{.zero_2_whole = 4, .zero_2_shared = 16};

/// What the estimators ask.
struct estimate_question {
  std::int64_t parameters = 0;        ///< `total_params`: shared ones once
  std::int64_t largest_layer = 0;     ///< `largest_layer_params`: of the module that has most parameters of its own; ZeRO-3 only
  std::int64_t devices_per_node = 1;  ///< `num_gpus_per_node`
  std::int64_t nodes = 1;             ///< `num_nodes`
};

/// What leaves the device, and how a model is made.
struct estimate_options {
  bool offload_optimizer = true;   ///< `cpu_offload`
  bool offload_parameters = true;  ///< `cpu_offload_params`: only with the optimizer, and under ZeRO-3
  bool zero_init = true;           ///< under ZeRO-3: the model is made under `zero.Init`, so no process holds all of it
};

/// What they answer.
struct estimate {
  bytes host{};    ///< of one node
  bytes device{};  ///< of one device

  friend constexpr bool operator==(const estimate& left, const estimate& right) {
    return left.host == right.host && left.device == right.device;
  }
};

namespace detail {
constexpr void check(const estimate_question& of) {
  if (1 > of.parameters || 0 > of.largest_layer || 1 > of.devices_per_node || 1 > of.nodes) argument_out_of_range();
}
// Cut down to whole bytes, as Python's int() does. Exact, where Python's doubles may miss by a byte.
constexpr bytes whole(fraction amount) { return {amount.numerator / amount.denominator}; }
constexpr fraction larger(fraction left, fraction right) { return left > right ? left : right; }
// Whether a name is that of a tensor with "_bias" behind it.
constexpr bool is_bias_of(const char* name, const char* of) {
  for (; *of != '\0'; ++name, ++of)
    if (*name != *of) return false;
  for (const char* rest = "_bias"; *rest != '\0'; ++name, ++rest)
    if (*name != *rest) return false;
  return *name == '\0';
}
}  // namespace detail

/// `estimate_zero2_model_states_mem_needs`: device 2P, or 2P + 18P/N without offload; host P max(4N, 16) 1.5, or P 4 n 1.5, for N devices
/// in all and n in a node.
constexpr estimate zero_2(const estimate_question& of, bool offload_optimizer,
                          const estimate_constants& constants = default_estimate_constants) {
  detail::check(of);
  const std::int64_t devices = checked_multiply(of.devices_per_node, of.nodes);
  const fraction each = constants.additional_buffer * fraction{of.parameters};
  if (offload_optimizer)
    return {detail::whole(each * detail::larger(checked_multiply(constants.loading, devices), constants.host_optimizer)),
            {checked_multiply(constants.weights, of.parameters)}};
  return {detail::whole(each * fraction{checked_multiply(constants.loading, of.devices_per_node)}),
          {checked_add(checked_multiply(constants.zero_2_whole, of.parameters),
                       checked_multiply(constants.zero_2_shared, of.parameters) / devices)}};
}

/// `estimate_zero3_model_states_mem_needs`: device 4 L + 18P/N, 4 L + 2P/N with an offloaded optimizer, 4 L with weights offloaded too, for
/// a largest module of L parameters; host 16 or 18 P / nodes 1.5, without `zero.Init` at least 4 P n 1.5. Error: `argument_out_of_range`
/// for weights that are offloaded without the optimizer.
constexpr estimate zero_3(const estimate_question& of, const estimate_options& options = {},
                          const estimate_constants& constants = default_estimate_constants) {
  detail::check(of);
  if (options.offload_parameters && !options.offload_optimizer) argument_out_of_range();
  const std::int64_t devices = checked_multiply(of.devices_per_node, of.nodes);
  const std::int64_t layer = checked_multiply(constants.largest_layer, of.largest_layer);
  const fraction making = checked_multiply(constants.loading, of.devices_per_node);
  const auto shared = [&](std::int64_t each) { return checked_add(layer, checked_multiply(each, of.parameters) / devices); };
  const auto on_host = [&](std::int64_t parameters, fraction each) {
    return detail::whole(constants.additional_buffer * fraction{parameters} * each);
  };
  if (!options.offload_optimizer)
    return {on_host(options.zero_init ? of.largest_layer : of.parameters, making), {shared(constants.zero_3_shared)}};
  const fraction kept{options.offload_parameters ? constants.host_all : constants.host_optimizer, of.nodes};
  return {on_host(of.parameters, options.zero_init ? kept : detail::larger(making, kept)),
          {options.offload_parameters ? layer : shared(constants.weights)}};
}

/// Parameters of the largest module that has some of its own: a linear with its bias, the embedding, an expert's matrix. Query, key and
/// value are modules of their own, as gate and up are. Errors as of `parameter_count_of`.
template <class Shape = transformer>
constexpr std::int64_t largest_layer_of(const Shape& shape) {
  const auto list = tensors_of(shape);
  std::int64_t largest = 0;
  for (const tensor& item : list) {
    std::int64_t own = item.elements();
    for (const tensor& other : list)
      if (detail::is_bias_of(other.name.c_str(), item.name.c_str())) own = checked_add(own, other.elements());
    if (own > largest) largest = own;
  }
  return largest;
}

/// The question for a model on so many devices.
template <class Shape = transformer>
constexpr estimate_question question_of(const Shape& shape, std::int64_t devices_per_node, std::int64_t nodes = 1) {
  return {parameter_count_of(shape), largest_layer_of(shape), devices_per_node, nodes};
}
/// The same as a constant: `question<models::llama2_7b, 8>`.
template <transformer_model Model, std::int64_t DevicesPerNode, std::int64_t Nodes = 1>
inline constexpr estimate_question question = question_of(Model::shape, DevicesPerNode, Nodes);

/// The estimate for the model, the cluster, the stage and the offload of `spec`; nothing else of it is read. Error:
/// `argument_out_of_range` for a stage other than ZeRO-2 and 3, which have no estimator.
template <class Spec = plan_spec>
constexpr estimate estimate_of(const Spec& spec, bool zero_init = true, const estimate_constants& constants = default_estimate_constants) {
  const estimate_question of = question_of(spec.model, spec.devices_per_node, spec.nodes);
  const bool states_leave = spec.offload.states != storage::device;
  if (spec.zero == 2) return zero_2(of, states_leave, constants);
  if (spec.zero != 3 || spec.sharding.is_fsdp()) argument_out_of_range();
  return zero_3(of, {states_leave, spec.offload.weights != storage::device, zero_init}, constants);
}

}  // namespace shardplan::deepspeed
