// SPDX-License-Identifier: BSL-1.0
// Plans that say what their implementation decides about bytes: traffic and timing of the plan are those of the functions with that
// argument, at compile time and of a spec.
#include <shardplan/doctor/timed_step.hpp>
#include <shardplan/plan/simulated_timing.hpp>
#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
using sp::cargo;
using sp::channel;
using sp::communication;

namespace {

template <class... More>
using dense = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<128>, More...>;
template <class... More>
using routed = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 16>, sp::sequence<4096>, sp::pp<4>,
                        sp::ep<8>, sp::zero<1>, sp::micro_batch<1>, sp::global_batch<256>, More...>;
template <class Plan>
constexpr std::int64_t sent(channel between) {
  return Plan::traffic[0].sent(between).count;
}

constexpr sp::plan_spec with(sp::plan_spec spec, const sp::communication_spec& chosen) {
  spec.communication = chosen;
  return spec;
}

// What a plan says is what the functions take; an argument goes before it; a spec that is filled in says the same.
template <class Plain, class Said>
constexpr bool says(const sp::traffic_options& chosen, bool moves_time = true) {
  const sp::plan_spec filled = with(Plain::spec, chosen);
  const sp::traffic_options silent{};
  return sp::valid<Plain> && sp::valid<Said> && filled == Said::spec && !(Said::spec == Plain::spec) &&
         Said::traffic[0] == sp::stage_traffic(Plain::spec, 0, chosen) && !(Said::traffic[0] == Plain::traffic[0]) &&
         Said::traffic[0] == sp::stage_traffic(filled, 0) && sp::stage_traffic(filled, 0, silent) == Plain::traffic[0] &&
         sp::stage_messages(filled, 0).items == sp::stage_messages(Plain::spec, 0, chosen).items &&
         Said::timing.step == sp::step_timing(Plain::spec, sp::default_timing_constants, chosen).step &&
         Said::timing.step == sp::step_timing(filled).step &&
         sp::step_timing(filled, sp::default_timing_constants, silent).step == Plain::timing.step &&
         (Said::timing.step != Plain::timing.step) == moves_time;
}

// DeepSeek-V3's dispatch: 8 bits and 4 bytes for 128 numbers in the place of 16 bits; what comes back stays.
using fp8_dispatch = routed<communication<sp::dispatch_bits<8, 128>>>;
static_assert(says<routed<>, fp8_dispatch>({.dispatch_bits = 8, .dispatch_scale_block = 128}));
static_assert(sent<fp8_dispatch>(channel::ep) * 2 * 128 == sent<routed<>>(channel::ep) * (128 + 64 + 2));
static_assert(fp8_dispatch::timing.step < routed<>::timing.step);
static_assert(sp::simulated_timing<fp8_dispatch>.step < sp::simulated_timing<routed<>>.step);
constexpr double played = sp::simulated_timing_of(routed<>::spec, sp::default_timing_constants, fp8_dispatch::spec.communication).step;
static_assert(sp::simulated_timing<fp8_dispatch>.step == played && sp::simulated_timing_of(fp8_dispatch::spec).step == played);

// The doctor times the plan's own transfers, and a remedy leaves them as they are.
template <class Plan>
constexpr double expert_seconds = sp::detail::timed_step_of(Plan::spec).transfers[static_cast<int>(channel::ep)];
static_assert(expert_seconds<fp8_dispatch> > 0 && expert_seconds<fp8_dispatch> < expert_seconds<routed<>>);
static_assert(sp::step_cost_of(fp8_dispatch::spec).network < sp::step_cost_of(routed<>::spec).network);
static_assert(sp::changed(fp8_dispatch::spec, {sp::remedy_kind::zero, 2}).communication == fp8_dispatch::spec.communication);

// ZeRO++: weights in 8 bits, gradients in 4 by two all-to-alls.
using zero_3 = dense<sp::zero<3, sp::hpz<8>>>;
using zero_plus_plus = dense<sp::zero<3, sp::hpz<8>>, communication<sp::quantized_weights<8>, sp::quantized_gradients<4, 8>>>;
static_assert(says<zero_3, zero_plus_plus>({.weight_bits = 8, .gradient_bits = 4, .node_ranks = 8}));
static_assert(2 * sent<dense<sp::zero<3, sp::hpz<8>>, communication<sp::quantized_weights<8>>>>(channel::node) ==
              sent<zero_3>(channel::node));

// The others.
using fsdp = dense<sp::fsdp<>>;
static_assert(says<fsdp, dense<sp::fsdp<>, communication<sp::late_sync<true>>>>({.late_sync = true}, false));
static_assert(
    says<dense<sp::hsdp<8>>, dense<sp::hsdp<8>, communication<sp::replicas_each_micro_step<true>>>>({.replicas_each_micro_step = true}));
template <class... More>
using staged = dense<sp::tp<4>, sp::pp<2>, sp::zero<1>, sp::sequence_parallel<false>, More...>;
static_assert(says<staged<>, staged<communication<sp::scatter_gather<true>>>>({.scatter_gather = true}));
template <sp::context_exchanges How, class... More>
using contexts = dense<sp::cp<8>, sp::zero<3>, sp::context_exchange<How>, More...>;
constexpr auto ring = sp::context_exchanges::ring;
constexpr auto gather = sp::context_exchanges::all_gather;
static_assert(says<contexts<ring>, contexts<ring, communication<sp::inner_all_to_all<4>>>>({.context_inner = 4}));
static_assert(says<contexts<gather>, contexts<gather, communication<sp::keep_gathered_keys<true>>>>({.keep_gathered_keys = true}));

// What says nothing changes nothing; so does what is said of what the plan does not have.
static_assert(dense<sp::fsdp<>, communication<>>::spec == fsdp::spec);
static_assert(dense<sp::fsdp<>, communication<sp::dispatch_bits<8>>>::traffic[0] == fsdp::traffic[0]);

// Gradients that are reduced late are whole until then: as many bytes as 32 shards, the first of which are padded. With one micro-step
// nothing is late, and without sharded weights nothing is (DeepSpeed refuses it under ZeRO-2).
template <class Plan>
constexpr std::int64_t gradients = Plan::memory[0].gradients.count;
using two_late = dense<sp::fsdp<>, communication<sp::late_sync<true>>>;
template <class... More>
using at_once = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>,
                         sp::micro_batch<1>, sp::global_batch<32>, sp::fsdp<>, More...>;
template <class Left, class Right>
constexpr bool needs_as_much() {
  for (int when = 0; when < sp::phase_count; ++when)
    if (!(Left::phases[0].at[when] == Right::phases[0].at[when])) return false;
  return true;
}
static_assert(needs_as_much<at_once<communication<sp::late_sync<true>>>, at_once<>>() && !needs_as_much<two_late, fsdp>());
static_assert(gradients<two_late> == 6738415616 * (fsdp::spec.precision.gradient + fsdp::spec.precision.accumulator));
static_assert(gradients<two_late> == 32 * gradients<fsdp>);
static_assert(gradients<dense<sp::zero<2>, communication<sp::late_sync<true>>>> == gradients<dense<sp::zero<2>>>);
static_assert(two_late::memory[0].weights == fsdp::memory[0].weights && two_late::memory[0].optimizer == fsdp::memory[0].optimizer);

}  // namespace
