// SPDX-License-Identifier: BSL-1.0
// Plans that say their collectives, the limit of their routing, and what their links reach: traffic and timing follow.
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
using sp::algorithm;
using sp::cargo;
using sp::channel;
using sp::collective;

namespace {

template <class... More>
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>,
                     sp::micro_batch<1>, sp::global_batch<64>, More...>;
template <class Plan>
constexpr sp::message_list messages = sp::stage_messages(Plan::spec, 0);
template <class Plan>
constexpr sp::message one(channel between, cargo what) {
  for (const sp::message& item : messages<Plan>.items)
    if (item.between == between && item.what == what) return item;
  return {};
}
template <class Plan>
constexpr std::int64_t sent(channel between) {
  return Plan::traffic[0].sent(between).count;
}

// What a report sums is what its messages say, of the fullest member; every member sends no more.
template <class Plan>
constexpr bool members_agree() {
  for (const sp::message& item : messages<Plan>.items) {
    std::int64_t most_sent = 0;
    std::int64_t most_received = 0;
    std::int64_t all_sent = 0;
    std::int64_t all_received = 0;
    for (std::int64_t member = 0; member < item.ranks; ++member) {
      const std::int64_t out = sp::pieces_sent(item, member);
      const std::int64_t in = sp::pieces_received(item, member);
      all_sent += out;
      all_received += in;
      most_sent = out > most_sent ? out : most_sent;
      most_received = in > most_received ? in : most_received;
    }
    if (item.how == collective::send || item.how == collective::copy) continue;
    if (most_sent != sp::most_pieces_sent(item) || most_received != sp::most_pieces_received(item)) return false;
    if (item.by != algorithm::in_switch && item.how != collective::all_to_all && all_sent != all_received) return false;
  }
  for (int at = 0; at < sp::channel_count; ++at) {
    const auto between = static_cast<channel>(at);
    if (messages<Plan>.sent(between) != Plan::traffic[0].sent(between)) return false;
    if (messages<Plan>.received(between) != Plan::traffic[0].received(between)) return false;
  }
  return true;
}

// Rings unless said.
using rings = run<sp::tp<2>, sp::zero<1>>;
static_assert(run<sp::tp<2>, sp::zero<1>, sp::collectives<>>::traffic[0] == rings::traffic[0]);
static_assert(run<sp::tp<2>, sp::zero<1>, sp::collectives<sp::dp_by<algorithm::ring>>>::timing.step == rings::timing.step);

// By levels. 32 replicas, 8 in a node: seven eighths inside, of an eighth three quarters between; together a ring's bytes.
using levels = run<sp::zero<1>, sp::collectives<sp::dp_by<algorithm::hierarchical>>>;
constexpr sp::message between_nodes = one<levels>(channel::dp, cargo::gradients);
constexpr sp::message inside_node = one<levels>(channel::node, cargo::gradients);
static_assert(inside_node.ranks == 8 && between_nodes.ranks == 4 && between_nodes.by == algorithm::hierarchical);
static_assert(between_nodes.pieces * 8 == inside_node.pieces &&
              inside_node.pieces == one<run<sp::zero<1>>>(channel::dp, cargo::gradients).pieces);
static_assert(sent<levels>(channel::dp) + sent<levels>(channel::node) == sent<run<sp::zero<1>>>(channel::dp));
static_assert(sent<levels>(channel::node) == 7 * inside_node.pieces / 8 * (2 + 2));
// Half as many in a node under tp = 2, an all-reduce too, and experts by themselves.
static_assert(one<run<sp::tp<2>, sp::collectives<sp::dp_by<algorithm::hierarchical>>>>(channel::node, cargo::gradients).ranks == 4);
static_assert(one<run<sp::tp<2>, sp::collectives<sp::dp_by<algorithm::hierarchical>>>>(channel::dp, cargo::gradients).how ==
              collective::all_reduce);
// Inside one node, and one replica a node: a ring.
static_assert(one<run<sp::pp<4>, sp::collectives<sp::dp_by<algorithm::hierarchical>>>>(channel::dp, cargo::gradients).by ==
              algorithm::ring);
static_assert(one<run<sp::tp<8>, sp::collectives<sp::dp_by<algorithm::hierarchical>>>>(channel::dp, cargo::gradients).by ==
              algorithm::ring);
static_assert(sent<run<sp::tp<8>, sp::collectives<sp::dp_by<algorithm::hierarchical>>>>(channel::node) == 0);

// Trees all-reduce; a reduce-scatter stays a ring.
using trees = run<sp::tp<2>, sp::sequence_parallel<false>, sp::collectives<sp::dp_by<algorithm::tree>, sp::tp_by<algorithm::tree>>>;
static_assert(one<trees>(channel::dp, cargo::gradients).by == algorithm::tree);
static_assert(sent<trees>(channel::dp) == 2 * 2 * one<trees>(channel::dp, cargo::gradients).pieces);  // 3 edges of a half, 1 of the other
static_assert(one<run<sp::zero<1>, sp::collectives<sp::dp_by<algorithm::tree>>>>(channel::dp, cargo::gradients).by == algorithm::ring);
static_assert(sent<trees>(channel::tp) == sent<run<sp::tp<2>, sp::sequence_parallel<false>>>(channel::tp));  // of two ranks both are a swap

// In the switch: without sequence parallelism each all-reduce is X up and X down; with it 3 gathers of X / t up and 2 reductions of X.
template <bool Sequence>
using switched = run<sp::tp<8>, sp::sequence_parallel<Sequence>, sp::collectives<sp::tp_by<algorithm::in_switch>>>;
constexpr std::int64_t tensor = 4096LL * 4096 * 2 * 16 * 32;  // X, of 16 micro-batches and 32 layers
static_assert(messages<switched<false>>.sent(channel::tp, cargo::block_activations).count == 4 * tensor);
static_assert(messages<switched<true>>.sent(channel::tp, cargo::block_activations).count == 2 * (3 * tensor / 8 + 2 * tensor));
static_assert(messages<switched<true>>.ideal(channel::tp) == sp::fraction{switched<true>::traffic[0].sent(channel::tp).count});
static_assert(messages<switched<false>>.received(channel::tp) == messages<switched<false>>.sent(channel::tp));

static_assert(members_agree<rings>() && members_agree<levels>() && members_agree<trees>() && members_agree<switched<true>>() &&
              members_agree<switched<false>>());

// Seconds. A switch does with 1 what a ring does with 2 (n - 1) / n, at 0.7 of its rate; levels and trees wait for fewer steps.
constexpr double tp_seconds(const sp::timing_report& report) { return report.exposed_over(channel::tp); }
static_assert(tp_seconds(switched<false>::timing) < tp_seconds(run<sp::tp<8>, sp::sequence_parallel<false>>::timing));
constexpr double dp_step(algorithm how, std::int64_t nodes) {
  sp::plan_spec spec = run<>::spec;
  spec.nodes = nodes;
  spec.global_batch = 8 * nodes;
  spec.overlap.dp = 0;
  spec.collectives.dp = how;
  return sp::step_timing(spec).exposed_over(channel::dp);
}
static_assert(dp_step(algorithm::tree, 512) < dp_step(algorithm::ring, 512) &&
              dp_step(algorithm::hierarchical, 4096) < dp_step(algorithm::ring, 4096));
static_assert(dp_step(algorithm::tree, 4) > dp_step(algorithm::ring, 4));  // the fullest rank sends more, and bandwidth is all
static_assert(dp_step(algorithm::ring, 4) > 0 && dp_step(algorithm::hierarchical, 1) == dp_step(algorithm::ring, 1));

// Limited routing: 64 expert parallel ranks over 8 nodes.
template <class... More>
using routed =
    sp::plan<sp::model<sp::models::deepseek_v3>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 64>, sp::pp<8>, sp::ep<64>,
             sp::layer_split<8, 8, 8, 8, 8, 7, 7, 7>, sp::zero<1>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<512>, More...>;
using any_node = routed<>;
using four_nodes = routed<sp::node_limited_routing<4>>;
constexpr sp::message_list crossing = sp::stage_messages(four_nodes::spec, 1);
constexpr std::int64_t times = 8 * 8 * 2;  // micro-batches, layers, ways
static_assert(crossing.sent(channel::ep, cargo::dispatched_tokens).count ==
              sp::node_limited_bytes(4096, 7168 * 16, 8, 4).numerator * times);
static_assert(2 * four_nodes::traffic[1].sent(channel::ep) < any_node::traffic[1].sent(channel::ep));
static_assert(any_node::traffic[1].sent(channel::node).count == 0 && four_nodes::traffic[1].sent(channel::node).count > 0);
static_assert(four_nodes::timing.exposed_over(channel::ep) < any_node::timing.exposed_over(channel::ep) &&
              four_nodes::timing.exposed_over(channel::ep) > 0);
static_assert(four_nodes::timing.exposed_over(channel::dp) == any_node::timing.exposed_over(channel::dp));
static_assert(routed<sp::node_limited_routing<0>>::traffic[1] == any_node::traffic[1]);
// Experts inside the node: nothing to limit.
static_assert(run<sp::node_limited_routing<4>>::traffic[0] == run<>::traffic[0]);

// What links reach: the constants' word unless said, and the same at run time.
using slow = run<sp::tp<2>, sp::zero<1>, sp::link_efficiency<sp::of_fabric<40>, sp::of_network<30>>>;
constexpr sp::timing_constants slow_links = [] {
  sp::timing_constants constants{};
  constants.fabric = 0.40;
  constants.network = 0.30;
  return constants;
}();
static_assert(slow::timing.step == sp::step_timing(rings::spec, slow_links).step && slow::timing.step > rings::timing.step);
static_assert(slow::traffic[0] == rings::traffic[0]);
static_assert(run<sp::tp<2>, sp::zero<1>, sp::link_efficiency<>>::timing.step == rings::timing.step);
static_assert(run<sp::tp<2>, sp::zero<1>, sp::link_efficiency<sp::of_fabric<80>, sp::of_network<90>, sp::of_host<80>>>::timing.step ==
              rings::timing.step);
static_assert(run<sp::tp<2>, sp::zero<1>, sp::link_efficiency<sp::of_fabric<100>>>::timing.step < rings::timing.step);
constexpr sp::plan_spec said_at_run_time = [] {
  sp::plan_spec spec = rings::spec;
  spec.link_efficiency.fabric = 40;
  spec.link_efficiency.network = 30;
  return spec;
}();
static_assert(said_at_run_time == slow::spec && sp::step_timing(said_at_run_time).step == slow::timing.step);

}  // namespace
