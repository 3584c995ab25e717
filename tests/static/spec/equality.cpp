// SPDX-License-Identifier: BSL-1.0
// Two specs are equal when every field is, and so are two violations.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace {

using namespace shardplan;

template <class Spec, class Member>
constexpr bool differs_in(Member Spec::*field, Member other) {
  Spec spec{};
  spec.*field = other;
  return spec == spec && !(spec == Spec{}) && spec != Spec{};
}
constexpr std::int64_t other = 7;

static_assert(differs_in(&plan_spec::model, transformer{.layers = other}));
static_assert(differs_in(&plan_spec::device, device_spec{.fabric_domain = other}));
static_assert(differs_in(&plan_spec::devices_per_node, other));
static_assert(differs_in(&plan_spec::nodes, other));
static_assert(differs_in(&plan_spec::host_memory_gibibytes, other));
static_assert(differs_in(&plan_spec::framework, frameworks::megatron));
static_assert(differs_in(&plan_spec::sequence, other));
static_assert(differs_in(&plan_spec::micro_batch, other));
static_assert(differs_in(&plan_spec::global_batch, other));
static_assert(differs_in(&plan_spec::accumulation, other));
static_assert(differs_in(&plan_spec::tp, other));
static_assert(differs_in(&plan_spec::pp, other));
static_assert(differs_in(&plan_spec::dp, other));
static_assert(differs_in(&plan_spec::cp, other));
static_assert(differs_in(&plan_spec::ep, other));
static_assert(differs_in(&plan_spec::etp, other));
static_assert(differs_in(&plan_spec::sequence_parallel, toggle::on));
static_assert(differs_in(&plan_spec::zero, other));
static_assert(differs_in(&plan_spec::sharding, sharding_spec{.prefetch = other}));
static_assert(differs_in(&sharding_spec::unit, gather_unit::block) && differs_in(&zero_3_limits::prefetch_bucket, other) &&
              differs_in(&zero_3_limits::max_live, other) && differs_in(&zero_3_limits::reuse_distance, other) &&
              differs_in(&sharding_spec::limits, zero_3_limits{.max_live = other}));
static_assert(!sharding_spec{.unit = gather_unit::block}.is_plain() && !sharding_spec{.limits = {.max_live = other}}.is_plain() &&
              sharding_spec{}.is_plain());
static_assert(differs_in(&plan_spec::offload, offload_spec{.moments_percent = other}));
static_assert(differs_in(&plan_spec::layer_split, layer_counts{.left_out = other}));
static_assert(differs_in(&plan_spec::vocabulary_multiple, other));
static_assert(differs_in(&plan_spec::overlap, overlap_spec{.dp = other}));
static_assert(differs_in(&plan_spec::link_efficiency, link_efficiency_spec{.host = other}));
static_assert(differs_in(&plan_spec::collectives, collective_spec{.dp = algorithm::tree}));
static_assert(differs_in(&plan_spec::routed_nodes, other));
static_assert(differs_in(&plan_spec::communication, communication_spec{.node_ranks = other}));
static_assert(differs_in(&plan_spec::rank_order, rank_orders::llama3));
static_assert(differs_in(&plan_spec::schedule, schedules::gpipe::spec));
static_assert(differs_in(&plan_spec::optimizer, optimizers::sgd::spec));
static_assert(differs_in(&plan_spec::precision, precisions::fp32::spec));
static_assert(differs_in(&plan_spec::recompute, recomputes::full));
static_assert(differs_in(&plan_spec::recompute_layers, recompute_layers_spec{.count = other}));
static_assert(differs_in(&plan_spec::kernels, kernel_sets::korthikanti::spec));
static_assert(differs_in(&plan_spec::attention, attentions::materialised));
static_assert(differs_in(&plan_spec::dropout, dropouts::both));
static_assert(differs_in(&plan_spec::context_exchange, context_exchanges::ring));
static_assert(differs_in(&plan_spec::expert_load, expert_load_spec{.percent = other}));
static_assert(differs_in(&plan_spec::loss, losses::chunked<2>::spec));
static_assert(differs_in(&plan_spec::overheads, overhead_sets::none::spec));
static_assert(differs_in(&plan_spec::buckets, bucket_spec{.reduce_buffers = other}));
static_assert(differs_in(&plan_spec::headroom_mebibytes, other));
static_assert(differs_in(&plan_spec::said_parts, std::uint64_t{1}));
static_assert(differs_in(&plan_spec::repeated_parts, std::uint64_t{1}));

// A violation's as well; its legal values are an array.
static_assert(differs_in(&violation::broken, rule::empty_stage));
static_assert(differs_in(&violation::part, part_kind::tp));
static_assert(differs_in(&violation::first, measured{quantity::tp, other}));
static_assert(differs_in(&violation::second, measured{quantity::tp, other}));
static_assert(differs_in(&violation::least, other));
static_assert(differs_in(&violation::most, other));
static_assert(differs_in(&violation::unsupported, feature::fsdp_with_zero));
static_assert(differs_in(&violation::stage, other));
static_assert(differs_in(&violation::when, phase::loss));
static_assert(differs_in(&violation::needs, bytes{other}));
static_assert(differs_in(&violation::has, bytes{other}));
static_assert(differs_in(&violation::largest, component::reserve));
static_assert(differs_in(&violation::largest_needs, bytes{other}));
static_assert(differs_in(&violation::try_this, remedy{remedy_kind::tp, 2}));
static_assert(differs_in(&violation::and_this, remedy{remedy_kind::tp, 2}));
static_assert(differs_in(&violation::further, remedy{remedy_kind::tp, 2}));
static_assert(differs_in(&violation::waits, true) && differs_in(&violation::searched, true));
static_assert([] {
  violation below{}, above{};
  below.legal[0] = above.legal[1] = {remedy_kind::tp, 2};
  return below != violation{} && above != violation{} && below != above && below == below;
}());
static_assert(measured{quantity::tp, 2} == measured{quantity::tp, 2} && measured{quantity::tp, 2} != measured{quantity::pp, 2} &&
              measured{quantity::tp, 2} != measured{quantity::tp, 3});
static_assert(remedy{remedy_kind::tp, 2} == remedy{remedy_kind::tp, 2} && remedy{remedy_kind::tp, 2} != remedy{remedy_kind::pp, 2} &&
              remedy{remedy_kind::tp, 2} != remedy{remedy_kind::tp, 3});
static_assert(differs_in(&communication_spec::context_inner, other) && differs_in(&communication_spec::keep_gathered_keys, true) &&
              differs_in(&communication_spec::dispatch_bits, other) && differs_in(&communication_spec::dispatch_scale_block, other) &&
              differs_in(&communication_spec::scatter_gather, true) && differs_in(&communication_spec::late_sync, true) &&
              differs_in(&communication_spec::replicas_each_micro_step, true) && differs_in(&communication_spec::weight_bits, other) &&
              differs_in(&communication_spec::gradient_bits, other));
static_assert(differs_in(&offload_spec::states, storage::host) && differs_in(&offload_spec::gradients, storage::host) &&
              differs_in(&offload_spec::inputs, storage::host) && differs_in(&offload_spec::moments_percent, other) &&
              differs_in(&offload_spec::weights, storage::host));

}  // namespace
