// SPDX-License-Identifier: BSL-1.0
// Kernel sets are data; the parts about what is kept write their own fields.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace {

using namespace shardplan;

// Two specs are equal when every field is.
template <class Spec, class Member>
constexpr bool differs_in(Member Spec::*field, Member other) {
  Spec spec{};
  spec.*field = other;
  return spec == spec && !(spec == Spec{}) && spec != Spec{};
}
static_assert(differs_in(&kernel_spec::name, literal{"other"}) && differs_in(&kernel_spec::attention, attentions::materialised) &&
              differs_in(&kernel_spec::dropout, dropouts::both) && differs_in(&kernel_spec::norm, kept_by_norm::input) &&
              differs_in(&kernel_spec::qkv, kept_by_qkv::packed) && differs_in(&kernel_spec::softmax, kept_by_softmax::wide_and_compute) &&
              differs_in(&kernel_spec::activation, kept_by_activation::each_step) && differs_in(&kernel_spec::keeps_scale, true) &&
              differs_in(&kernel_spec::keeps_repeats, true) && differs_in(&kernel_spec::keeps_branch_outputs, true) &&
              differs_in(&kernel_spec::keeps_unweighted, true) && differs_in(&kernel_spec::preallocates, true) &&
              differs_in(&kernel_spec::gradients_apart, true) && differs_in(&kernel_spec::keeps_log_probabilities, true) &&
              differs_in(&kernel_spec::keeps_fp8_inputs, true));
static_assert(differs_in(&expert_load_spec::percent, std::int64_t{150}) && differs_in(&expert_load_spec::capacity, std::int64_t{125}) &&
              differs_in(&expert_load_spec::pads_to_capacity, true));
static_assert(differs_in(&recompute_layers_spec::method, recompute_methods::block) &&
              differs_in(&recompute_layers_spec::count, std::int64_t{3}));

struct no_set {
  static constexpr int spec = 1;
};
struct own_set {
  static constexpr kernel_spec spec{.name = "own", .qkv = kept_by_qkv::packed};
};
static_assert(kernel_set<kernel_sets::transformer_engine> && kernel_set<own_set> && !kernel_set<no_set> && !kernel_set<int>);

template <class... Parts>
constexpr plan_spec said = plan<Parts...>::spec;
static_assert(said<>.kernels == kernel_sets::transformer_engine::spec && said<>.recompute_layers == recompute_layers_spec{});
static_assert(said<kernels<own_set>>.kernels == own_set::spec);
static_assert(said<attention<attentions::materialised>>.attention == attentions::materialised);
static_assert(said<dropout<dropouts::hidden>>.dropout == dropouts::hidden);
static_assert(said<context_exchange<context_exchanges::ring>>.context_exchange == context_exchanges::ring);
static_assert(said<expert_load<150, 125, true>>.expert_load == expert_load_spec{150, 125, true});
static_assert(said<recompute_layers<recompute_methods::block, 4>>.recompute_layers == recompute_layers_spec{recompute_methods::block, 4});
static_assert(said<recompute<recomputes::layernorm, recomputes::moe_act>>.recompute == (recomputes::layernorm | recomputes::moe_act));
static_assert(said<offload<inputs_to_host>>.offload.inputs == storage::host);
// What the plan says comes before what the kernel set has, wherever it stands.
static_assert(attention_of(said<>) == attentions::flash &&
              attention_of(said<kernels<kernel_sets::korthikanti>>) == attentions::materialised);
static_assert(attention_of(said<attention<attentions::flash>, kernels<kernel_sets::korthikanti>>) == attentions::flash);
static_assert(drops_hidden(said<kernels<kernel_sets::korthikanti>>) && drops_attention(said<kernels<kernel_sets::korthikanti>>));
static_assert(!drops_hidden(said<kernels<kernel_sets::korthikanti>, dropout<dropouts::none>>) && !drops_hidden(said<>));
static_assert(drops_attention(said<dropout<dropouts::attention>>) && !drops_hidden(said<dropout<dropouts::attention>>));

// Each is said once.
template <part_kind Kind, class... Parts>
constexpr bool repeats = (said<Parts...>.repeated_parts >> static_cast<int>(Kind) & 1u) != 0;
static_assert(repeats<part_kind::kernels, kernels<own_set>, kernels<own_set>>);
static_assert(repeats<part_kind::attention, attention<attentions::flash>, attention<attentions::flash>>);
static_assert(repeats<part_kind::dropout, dropout<dropouts::none>, dropout<dropouts::both>>);
static_assert(repeats<part_kind::expert_load, expert_load<100>, expert_load<100>>);
static_assert(repeats<part_kind::context_exchange, context_exchange<context_exchanges::ring>, context_exchange<context_exchanges::ring>>);
static_assert(
    repeats<part_kind::recompute_layers, recompute_layers<recompute_methods::each, 1>, recompute_layers<recompute_methods::each, 1>>);
static_assert(repeats<part_kind::offload, offload<inputs_to_host, inputs_to_host>>);
static_assert(!repeats<part_kind::offload, offload<inputs_to_host, states_to<storage::host>, gradients_to<storage::host>>>);

}  // namespace
