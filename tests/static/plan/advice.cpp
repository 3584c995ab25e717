// SPDX-License-Identifier: BSL-1.0
// Warnings: what they say of a plan, as types and as values; a plan that has nothing wrong gets none.
#include <shardplan/plan/advice.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
using sp::advice;
using sp::advised;

namespace {

template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;
template <class Plan, class... Notes>
inline constexpr bool advises = same<sp::advice_of<Plan>, sp::advice_list<Notes...>>&& sp::valid<Plan>;

template <class Model, int Nodes, class... More>
using run_of =
    sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, Nodes>, sp::micro_batch<1>, sp::sequence<4096>, More...>;
template <class... More>
using small = run_of<sp::models::llama3_8b, 2, sp::global_batch<64>, More...>;

static_assert(advises<small<sp::zero<1>, sp::tp<2>>>);
// tp inside the host and across it: 16 ranks lie in two hosts. Eight key/value heads on 16 ranks; 4096 / 16 and 14336 / 16 are wide.
static_assert(advises<small<sp::tp<8>, sp::zero<1>>>);
static_assert(advises<small<sp::tp<16>>, advised<advice::tp_across_nodes, sp::tp<16>, sp::devices_per_node<8>>,
                      advised<advice::replicated_kv_heads, sp::kv_heads<8>, sp::tp<16>>>);
// The rank order decides: dp inside, tp across.
static_assert(sp::advice_of<small<sp::tp<2>, sp::zero<1>,
                                  sp::rank_order<sp::axis::dp, sp::axis::tp, sp::axis::cp, sp::axis::ep, sp::axis::pp>>>::count == 1);
// Fabrics that join less than a host, more than one, and none.
template <class Device, int DevicesPerNode, int Nodes, int Degree>
inline constexpr sp::advice_note tensor_parallel =
    sp::detail::note_of(sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<Device, DevicesPerNode, Nodes>, sp::micro_batch<1>,
                                 sp::sequence<4096>, sp::global_batch<64>, sp::tp<Degree>>::spec,
                        advice::tp_across_nodes);
static_assert(!tensor_parallel<sp::devices::h100_pcie_80gb, 8, 1, 2>.given);  // a bridged pair
static_assert(tensor_parallel<sp::devices::h100_pcie_80gb, 8, 1, 4> ==
              sp::advice_note{advice::tp_across_nodes, true, {sp::quantity::tp, 4}, {sp::quantity::fabric_domain, 2}});
static_assert(!tensor_parallel<sp::devices::gb200_nvl72, 4, 18, 8>.given);  // 72 devices over hosts of 4
static_assert(tensor_parallel<sp::devices::gb200_nvl72, 4, 36, 16> ==
              sp::advice_note{advice::tp_across_nodes, true, {sp::quantity::tp, 16}, {sp::quantity::fabric_domain, 72}});
static_assert(!tensor_parallel<sp::devices::mi300x, 8, 2, 8>.given);
// A mesh without a switch: tp 2 and 4 use one and three of an MI300X's seven links, tp 8 all; behind a switch, and over the network, links
// are no matter.
template <class Device, int Nodes, int Degree>
inline constexpr sp::advice_note few_links =
    sp::detail::note_of(sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<Device, 8, Nodes>, sp::micro_batch<1>, sp::sequence<4096>,
                                 sp::global_batch<64>, sp::tp<Degree>>::spec,
                        advice::tp_on_few_links);
static_assert(few_links<sp::devices::mi300x, 1, 2> ==
              sp::advice_note{advice::tp_on_few_links, true, {sp::quantity::tp, 2}, {sp::quantity::fabric_domain, 8}});
static_assert(few_links<sp::devices::mi300x, 2, 4>.given && !few_links<sp::devices::mi300x, 2, 8>.given);
static_assert(!few_links<sp::devices::mi300x, 2, 1>.given && !few_links<sp::devices::mi300x, 2, 16>.given);
static_assert(!few_links<sp::devices::h100_sxm_80gb, 1, 2>.given && !few_links<sp::devices::h100_pcie_80gb, 1, 2>.given);
static_assert(sp::name_of(advice::tp_on_few_links) == sp::literal{"tp_on_few_links"} &&
              sp::name_of(advice::tp_across_nodes) == sp::literal{"tp_across_nodes"});
// Nobody to share with.
static_assert(advises<small<sp::tp<16>, sp::zero<2>>, advised<advice::tp_across_nodes, sp::tp<16>, sp::devices_per_node<8>>,
                      advised<advice::zero_with_one_replica, sp::zero<2>, sp::dp_x_cp<1>>,
                      advised<advice::replicated_kv_heads, sp::kv_heads<8>, sp::tp<16>>>);
static_assert(advises<small<sp::zero<1>, sp::recompute<sp::recomputes::core_attn>, sp::sequence_parallel<true>>,
                      advised<advice::sequence_parallel_at_tp_1, sp::tp<1>, sp::sequence<4096>>>);
// What one framework refuses is advice elsewhere: 4 stages, 8 micro-batches, 3 of 11 idle.
static_assert(advises<small<sp::pp<2>, sp::zero<2>, sp::tp<2>>, advised<advice::sharded_gradients_in_pipeline, sp::zero<2>, sp::pp<2>>>);
using routed = run_of<sp::models::mixtral_8x7b, 8, sp::global_batch<256>, sp::tp<2>, sp::ep<8>, sp::zero<1>, sp::sequence_parallel<false>>;
static_assert(
    same<sp::advice_of<routed>, sp::advice_list<advised<advice::experts_in_tp_without_sequence_parallel, sp::tp<2>, sp::expert_count<8>>>>);
// (p - 1) / (m + p - 1) = 3 / 11.
using idling = run_of<sp::models::llama2_7b, 1, sp::global_batch<16>, sp::pp<4>, sp::zero<1>>;
constexpr std::int64_t fullest = idling::peak_memory.count;
constexpr std::int64_t all_stages =
    idling::memory[0].total().count + idling::memory[1].total().count + idling::memory[2].total().count + idling::memory[3].total().count;
static_assert(
    same<sp::advice_of<idling>, sp::advice_list<advised<advice::uneven_stages, sp::percent<400 * fullest / all_stages>, sp::pp<4>>,
                                                advised<advice::pipeline_idles, sp::percent<27>, sp::micro_batches<8>>>>);
// m < p: two micro-batches on four ranks, of which no more than two ever work. Four are enough.
template <int Batch>
using short_batch = run_of<sp::models::llama2_7b, 1, sp::global_batch<Batch>, sp::pp<4>, sp::zero<1>>;
template <class Plan>
inline constexpr sp::advice_note last_note = sp::advice_in(Plan::spec)[sp::advice_in(Plan::spec).size() - 1];
static_assert(last_note<short_batch<4>>.kind == advice::fewer_micro_batches_than_stages && last_note<short_batch<4>>.first.value == 2 &&
              last_note<short_batch<4>>.second.value == 4 && sp::valid<short_batch<4>>);
static_assert(last_note<short_batch<8>>.kind == advice::pipeline_idles && last_note<short_batch<6>>.first.value == 3);
// Loading, 8 ranks x 4 bytes x 8,030,261,248 parameters (transformers issue 25107): 239.3 GiB.
static_assert(8 * 4 * 8'030'261'248 > 239ll << 30 && 8 * 4 * 8'030'261'248 < 240ll << 30);
static_assert(advises<small<sp::zero<1>, sp::tp<2>, sp::host_memory<239>>,
                      advised<advice::host_cannot_load, sp::percent<101>, sp::host_memory<239>>>);
static_assert(advises<small<sp::zero<1>, sp::tp<2>, sp::host_memory<240>>>);
// What a framework does not have: torch's have no stages of ZeRO, DeepSpeed no FSDP and no schedule but 1F1B, Megatron-LM no zero bubble.
template <sp::frameworks Framework, class... More>
using under = small<sp::framework<Framework>, sp::tp<2>, More...>;
using sp::frameworks;
static_assert(advises<under<frameworks::torchtitan, sp::zero<2>>, advised<advice::not_in_framework, sp::zero<2>, sp::dp_x_cp<8>>>);
static_assert(advises<under<frameworks::torchtitan, sp::fsdp<>>> && advises<under<frameworks::fsdp2, sp::hsdp<8>>> &&
              advises<under<frameworks::megatron, sp::fsdp<>>> && advises<under<frameworks::megatron, sp::zero<3>>> &&
              advises<under<frameworks::deepspeed, sp::zero<3>>>);
static_assert(advises<under<frameworks::deepspeed, sp::fsdp<>>, advised<advice::not_in_framework, sp::zero<3>, sp::dp_x_cp<8>>>);
template <frameworks Framework, class Schedule>
inline constexpr bool lacks =
    sp::detail::note_of(under<Framework, sp::pp<4>, sp::zero<0>, sp::schedule<Schedule>>::spec, advice::not_in_framework).given;
static_assert(!lacks<frameworks::generic, sp::schedules::zb_v> && lacks<frameworks::deepspeed, sp::schedules::zb_v> &&
              lacks<frameworks::megatron, sp::schedules::zb_v> && !lacks<frameworks::torchtitan, sp::schedules::zb_v>);
static_assert(!lacks<frameworks::megatron, sp::schedules::interleaved<2>> && lacks<frameworks::deepspeed, sp::schedules::interleaved<2>> &&
              !lacks<frameworks::deepspeed, sp::schedules::one_f_one_b> && lacks<frameworks::torchtitan, sp::schedules::zb_h1> &&
              !lacks<frameworks::fsdp2, sp::schedules::gpipe> && lacks<frameworks::megatron, sp::schedules::gpipe>);
struct own_schedule {
  static constexpr sp::schedule_spec spec{.name = "mine", .in_flight = sp::schedules::one_f_one_b::spec.in_flight};
};
static_assert(!lacks<frameworks::deepspeed, own_schedule>);
// Every schedule of the catalog is known by its name, so that none passes for a user's own.
constexpr bool is_known(const sp::schedule_spec& order) {
  sp::schedule_spec other = order;
  other.name = "mine";
  return !sp::has_schedule(frameworks::deepspeed, order) && sp::has_schedule(frameworks::deepspeed, other);
}
template <class... Known>
constexpr int unknown_schedules(const boost::hana::basic_tuple<Known...>*) {
  return (0 + ... + static_cast<int>(!is_known(Known::spec)));
}
static_assert(unknown_schedules(static_cast<const sp::schedules::built_in*>(nullptr)) == 1);  // 1F1B, which DeepSpeed has
// Recomputation that is not needed.
using careful = small<sp::zero<3>, sp::tp<4>, sp::recompute<sp::recomputes::full>>;
static_assert(advises<careful, advised<advice::needless_recompute, sp::micro_batch<1>, sp::sequence<4096>>>);
// A plan that cannot be computed gets none; the values say the same as the types.
static_assert(sp::advice_of<small<sp::tp<3>>>::count == 0 && sp::advice_in(small<sp::tp<3>>::spec).empty());
static_assert(sp::advice_in(idling::spec).size() == 2 && sp::advice_in(idling::spec)[1].kind == advice::pipeline_idles);
constexpr bool says(const sp::advice_note& note, sp::literal words) { return sp::literal{sp::sentence_of(note).c_str()} == words; }
static_assert(says(sp::advice_in(small<sp::tp<16>>::spec)[0],
                   "tensor parallel groups leave the fabric that joins their devices (tp 16, 8 devices a node): each layer sends four "
                   "all-reduces, or as many gathers and scatters, over the network or through the host"));
static_assert(says(sp::advice_in(idling::spec)[1],
                   "the pipeline idles (27 % of a step, by formula, with 8 micro-batches): `less_idle_of<Plan>` lists what helps"));
static_assert(
    says(sp::advice_in(small<sp::zero<1>, sp::tp<2>, sp::host_memory<239>>::spec)[0],
         "the host cannot hold a copy of the whole model in fp32 for each of its devices (101 % of 239 GiB would be needed): load "
         "on one rank and broadcast, or on a meta device (transformers issue 25107)"));
static_assert(says(sp::advice_in(under<frameworks::torchtitan, sp::zero<2>>::spec)[0],
                   "the framework has other words for how states are sharded (sharding stage 2, dp x cp 8): say `fsdp<>` or `hsdp<>` under "
                   "torchtitan and fsdp2, a `zero<>` under DeepSpeed"));
static_assert(says(sp::detail::note_of(under<frameworks::megatron, sp::pp<4>, sp::zero<0>, sp::schedule<sp::schedules::gpipe>>::spec,
                                       advice::not_in_framework),
                   "the framework does not have the plan's schedule (1 chunk a rank, pp 4): a fork may have it; else take one that the "
                   "framework has"));
// One thing is singular, memory has its unit, and no sentence is cut off, however large its numbers.
static_assert(
    says({advice::fewer_micro_batches_than_stages, true, {sp::quantity::micro_batches, 1}, {sp::quantity::pp, 4}},
         "there are fewer micro-batches than pipeline ranks (1 micro-batch, pp 4): some ranks wait at any time; torchtitan's 1F1B "
         "and Megatron-LM's interleaving refuse it"));
static_assert(says({advice::little_memory_left, true, {sp::quantity::percent, 93}, {sp::quantity::device_memory_bytes, 80ll << 30}},
                   "little of the device's memory is left (93 % of 80.0 GiB are needed): fragmentation may end the run"));
constexpr bool are_whole() {
  for (int kind = 0; kind < sp::advice_kinds; ++kind) {
    const sp::measured large{sp::quantity::fabric_domain, INT64_MAX};
    if (sp::sentence_of({static_cast<advice>(kind), true, large, large}).truncated) return false;
  }
  return true;
}
static_assert(are_whole());
// Logits as the plan's loss holds them: 16,384 tokens x 128,256 rows are 3.9 GiB in bf16, written over by their gradient; with an fp32
// softmax beside them 11.7 GiB of 79.6; in chunks an eighth of three copies.
template <class Loss>
inline constexpr bool has_large_logits =
    sp::detail::note_of(sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::micro_batch<4>,
                                 sp::sequence<4096>, sp::global_batch<64>, sp::zero<3>, sp::cross_entropy<Loss>>::spec,
                        advice::large_logits)
        .given;
static_assert(!has_large_logits<sp::losses::in_place> && has_large_logits<sp::losses::megatron_unfused> &&
              !has_large_logits<sp::losses::chunked<8>>);

}  // namespace
