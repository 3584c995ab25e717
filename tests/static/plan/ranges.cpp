// SPDX-License-Identifier: BSL-1.0
// Tier one: every field of a plan, below, at and above its range. A value outside is named, with its range, and every figure is zero; a
// value at an end of the range is not named. No evaluation fails.
#include "../../support/each_number.hpp"

#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;
using sp::plan_spec;
using sp::quantity;

// A valid plan in which every field counts: experts, a dense layer, all degrees.
constexpr plan_spec sound() {
  plan_spec spec{};
  spec.model = {.layers = 8,
                .hidden = 1024,
                .heads = 16,
                .kv_heads = 4,
                .head_dim = 64,
                .ffn = 4096,
                .vocab = 32000,
                .positions = 8192,
                .experts = {.count = 8, .top_k = 2, .ffn = 1024, .shared_ffn = 512, .leading_dense = 2, .layer_step = 2}};
  spec.device.memory = sp::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 8;
  spec.nodes = 4;
  spec.sequence = 4096;
  spec.micro_batch = 2;
  spec.global_batch = 64;
  spec.tp = 2;
  spec.pp = 2;
  spec.dp = 4;
  spec.cp = 2;
  spec.ep = 2;
  spec.etp = 2;
  spec.zero = 1;
  spec.layer_split.push_back(4);
  spec.layer_split.push_back(4);
  return spec;
}
static_assert(sp::violations_in(sound()).empty());
// The same with latent attention, which has widths of its own.
constexpr plan_spec latent() {
  plan_spec spec = sound();
  spec.model.kv_heads = spec.model.head_dim = 0;
  spec.model.latent = {.query_rank = 64, .key_value_rank = 32, .rope_dim = 16, .nope_dim = 32, .value_dim = 32};
  return spec;
}
static_assert(sp::violations_in(latent()).empty());

struct field {
  quantity what;
  std::int64_t least;
  std::int64_t most;
  std::int64_t& (*in)(plan_spec&);
  plan_spec (*of)() = &sound;
};
using number = std::int64_t;
constexpr number& layer_split_entry(plan_spec& spec) { return spec.layer_split.counts.values[1]; }
constexpr field fields[] = {
    {quantity::layers, 1, 1 << 14, [](plan_spec& spec) -> number& { return spec.model.layers; }},
    {quantity::hidden, 1, 1 << 24, [](plan_spec& spec) -> number& { return spec.model.hidden; }},
    {quantity::heads, 1, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.heads; }},
    {quantity::kv_heads, 0, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.kv_heads; }},
    {quantity::head_dim, 0, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.head_dim; }},
    {quantity::ffn, 1, 1 << 24, [](plan_spec& spec) -> number& { return spec.model.ffn; }},
    {quantity::vocabulary, 1, 1LL << 31, [](plan_spec& spec) -> number& { return spec.model.vocab; }},
    {quantity::positions, 0, 1LL << 31, [](plan_spec& spec) -> number& { return spec.model.positions; }},
    {quantity::expert_count, 0, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.experts.count; }},
    {quantity::top_k, 1, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.experts.top_k; }},
    {quantity::expert_ffn, 0, 1 << 24, [](plan_spec& spec) -> number& { return spec.model.experts.ffn; }},
    {quantity::shared_ffn, 0, 1 << 24, [](plan_spec& spec) -> number& { return spec.model.experts.shared_ffn; }},
    {quantity::leading_dense, 0, 8, [](plan_spec& spec) -> number& { return spec.model.experts.leading_dense; }},  // all layers
    {quantity::layer_step, 0, 1 << 14, [](plan_spec& spec) -> number& { return spec.model.experts.layer_step; }},
    {quantity::position_offset, 0, 8191, [](plan_spec& spec) -> number& { return spec.model.position_offset; }},  // one row is left
    {quantity::embedding_dim, 0, 1 << 24, [](plan_spec& spec) -> number& { return spec.model.embedding_dim; }},
    {quantity::next_token_layers, 0, 64, [](plan_spec& spec) -> number& { return spec.model.next_token_layers; }},
    {quantity::key_value_rank, 0, 1 << 24, [](plan_spec& spec) -> number& { return spec.model.latent.key_value_rank; }},
    {quantity::device_memory_bytes, 1, 1LL << 50, [](plan_spec& spec) -> number& { return spec.device.memory.count; }},
    {quantity::devices_per_node, 1, 1 << 12, [](plan_spec& spec) -> number& { return spec.devices_per_node; }},
    {quantity::nodes, 1, 1 << 20, [](plan_spec& spec) -> number& { return spec.nodes; }},
    {quantity::sequence, 1, 1LL << 31, [](plan_spec& spec) -> number& { return spec.sequence; }},
    {quantity::micro_batch, 1, 1 << 24, [](plan_spec& spec) -> number& { return spec.micro_batch; }},
    {quantity::global_batch, 1, 1LL << 32, [](plan_spec& spec) -> number& { return spec.global_batch; }},
    {quantity::tp, 1, 1 << 12, [](plan_spec& spec) -> number& { return spec.tp; }},
    {quantity::pp, 1, 1 << 10, [](plan_spec& spec) -> number& { return spec.pp; }},
    {quantity::dp, 1, 1 << 24, [](plan_spec& spec) -> number& { return spec.dp; }},
    {quantity::cp, 1, 1 << 12, [](plan_spec& spec) -> number& { return spec.cp; }},
    {quantity::ep, 1, 1 << 14, [](plan_spec& spec) -> number& { return spec.ep; }},
    {quantity::etp, 1, 1 << 12, [](plan_spec& spec) -> number& { return spec.etp; }},
    {quantity::zero, 0, 3, [](plan_spec& spec) -> number& { return spec.zero; }},
    {quantity::live_parameters, 0, 1LL << 52, [](plan_spec& spec) -> number& { return spec.sharding.limits.prefetch_bucket; }},
    {quantity::live_parameters, 0, 1LL << 52, [](plan_spec& spec) -> number& { return spec.sharding.limits.max_live; }},
    {quantity::live_parameters, 0, 1LL << 52, [](plan_spec& spec) -> number& { return spec.sharding.limits.reuse_distance; }},
    {quantity::layer_split_entry, 0, 1 << 14, &layer_split_entry},
    {quantity::first_stage_less, 0, 1 << 14, [](plan_spec& spec) -> number& { return spec.layer_split.embedding_slot; }},
    {quantity::last_stage_less, 0, 1 << 14, [](plan_spec& spec) -> number& { return spec.layer_split.loss_slot; }},
    {quantity::vocabulary_multiple, 1, 1LL << 31, [](plan_spec& spec) -> number& { return spec.vocabulary_multiple; }},
    {quantity::host_memory, 1, 1 << 20, [](plan_spec& spec) -> number& { return spec.host_memory_gibibytes; }},
    {quantity::headroom_mebibytes, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.headroom_mebibytes; }},
    {quantity::logit_copies, 0, 16, [](plan_spec& spec) -> number& { return spec.loss.kept_copies; }},
    {quantity::logit_copies, 0, 16, [](plan_spec& spec) -> number& { return spec.loss.temporary_copies; }},
    {quantity::logit_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.loss.kept_bytes; }},
    {quantity::logit_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.loss.temporary_bytes; }},
    {quantity::logit_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.loss.head_gradient_bytes; }},
    {quantity::logit_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.loss.hidden_bytes; }},
    {quantity::loss_chunks, 1, 1 << 30, [](plan_spec& spec) -> number& { return spec.loss.chunks; }},
    {quantity::workspace_kibibytes, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.overheads.workspace_kibibytes; }},
    {quantity::boundary_tensors, 0, 16, [](plan_spec& spec) -> number& { return spec.overheads.boundary_tensors; }},
    {quantity::step_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.overheads.step_bytes; }},
    {quantity::bucket_elements, 0, 1LL << 52, [](plan_spec& spec) -> number& { return spec.buckets.reduce_elements; }},
    {quantity::bucket_elements, 0, 1LL << 52, [](plan_spec& spec) -> number& { return spec.buckets.sub_group_elements; }},
    {quantity::bucket_buffers, 0, 16, [](plan_spec& spec) -> number& { return spec.buckets.reduce_buffers; }},
    {quantity::chunks, 1, 64, [](plan_spec& spec) -> number& { return spec.schedule.chunks; }},
    {quantity::weight_bytes, 1, 16, [](plan_spec& spec) -> number& { return spec.precision.weight; }},
    {quantity::gradient_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.precision.gradient; }},
    {quantity::accumulator_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.precision.accumulator; }},
    {quantity::master_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.precision.master; }},
    {quantity::moment_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.precision.moment; }},
    {quantity::compute_bytes, 1, 16, [](plan_spec& spec) -> number& { return spec.precision.compute; }},
    {quantity::moments, 0, 16, [](plan_spec& spec) -> number& { return spec.optimizer.moments; }},
    {quantity::matrix_moments, -1, 16, [](plan_spec& spec) -> number& { return spec.optimizer.matrix_moments; }},
    {quantity::block, 1, 1 << 30, [](plan_spec& spec) -> number& { return spec.optimizer.block; }},
    {quantity::least_elements, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.optimizer.least_elements; }},
    {quantity::table_bytes, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.optimizer.table_bytes; }},
    {quantity::gradient_copy_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.precision.gradient_copy; }},
    {quantity::second_moment_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.precision.second_moment; }},
    {quantity::moment_scale_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.precision.moment_scale; }},
    {quantity::linear_bits, 0, 128, [](plan_spec& spec) -> number& { return spec.precision.linear_bits; }},
    {quantity::linear_copy_bits, 0, 128, [](plan_spec& spec) -> number& { return spec.precision.linear_copy_bits; }},
    {quantity::scale_square, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.precision.scale_square; }},
    {quantity::offload_percent, 0, 100, [](plan_spec& spec) -> number& { return spec.offload.moments_percent; }},
    {quantity::scale_block, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.precision.scale_block; }},
    {quantity::matrix_size, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.optimizer.matrix_size; }},
    {quantity::own_moment_bytes, 0, 16, [](plan_spec& spec) -> number& { return spec.optimizer.moment; }},
    {quantity::moment_bits, 0, 128, [](plan_spec& spec) -> number& { return spec.optimizer.bits; }},
    {quantity::tensor_table_bytes, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.optimizer.tensor_table_bytes; }},
    {quantity::recompute_count, 1, 1 << 14, [](plan_spec& spec) -> number& { return spec.recompute_layers.count; }},
    {quantity::load_percent, 100, 1 << 20, [](plan_spec& spec) -> number& { return spec.expert_load.percent; }},
    {quantity::sent_bits, 0, 32, [](plan_spec& spec) -> number& { return spec.communication.dispatch_bits; }},
    {quantity::sent_bits, 0, 32, [](plan_spec& spec) -> number& { return spec.communication.weight_bits; }},
    {quantity::sent_bits, 0, 32, [](plan_spec& spec) -> number& { return spec.communication.gradient_bits; }},
    {quantity::sent_scale_block, 0, 1 << 30, [](plan_spec& spec) -> number& { return spec.communication.dispatch_scale_block; }},
    {quantity::inner_all_to_all, 1, 1 << 12, [](plan_spec& spec) -> number& { return spec.communication.context_inner; }},
    {quantity::node_ranks, 1, 1 << 12, [](plan_spec& spec) -> number& { return spec.communication.node_ranks; }},
    {quantity::capacity_percent, 0, 1 << 20, [](plan_spec& spec) -> number& { return spec.expert_load.capacity; }},
    {quantity::query_rank, 0, 1 << 24, [](plan_spec& spec) -> number& { return spec.model.latent.query_rank; }, &latent},
    {quantity::rope_dim, 0, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.latent.rope_dim; }, &latent},
    {quantity::nope_dim, 1, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.latent.nope_dim; }, &latent},
    {quantity::value_dim, 1, 1 << 16, [](plan_spec& spec) -> number& { return spec.model.latent.value_dim; }, &latent},
    {quantity::operations_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.bf16_flops; }},
    {quantity::operations_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.fp8_flops; }},
    {quantity::operations_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.matmul_flops; }},
    {quantity::operations_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.sustained_flops; }},
    {quantity::bytes_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.memory_bandwidth; }},
    {quantity::bytes_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.fabric.bytes_per_second; }},
    {quantity::bytes_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.fabric_pair; }},
    {quantity::bytes_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.host.bytes_per_second; }},
    {quantity::bytes_per_second, 0, 1LL << 60, [](plan_spec& spec) -> number& { return spec.device.network.bytes_per_second; }},
    {quantity::fabric_domain, 1, 1LL << 32, [](plan_spec& spec) -> number& { return spec.device.fabric_domain; }},
    {quantity::accumulation, 1, 1LL << 32, [](plan_spec& spec) -> number& { return spec.accumulation; }},
    {quantity::shard_ranks, 1, 1LL << 32, [](plan_spec& spec) -> number& { return spec.sharding.ranks; }},
    {quantity::hpz, 1, 1LL << 32, [](plan_spec& spec) -> number& { return spec.sharding.secondary; }},
    {quantity::prefetch, 0, 1 << 14, [](plan_spec& spec) -> number& { return spec.sharding.prefetch; }},
    {quantity::next_token_stage, 0, 1, [](plan_spec& spec) -> number& { return spec.layer_split.next_token_stage; }},  // of two stages
    {quantity::hidden_tp, 0, 100, [](plan_spec& spec) -> number& { return spec.overlap.tp; }},
    {quantity::hidden_cp, 0, 100, [](plan_spec& spec) -> number& { return spec.overlap.cp; }},
    {quantity::hidden_ep, 0, 100, [](plan_spec& spec) -> number& { return spec.overlap.ep; }},
    {quantity::hidden_pp, 0, 100, [](plan_spec& spec) -> number& { return spec.overlap.pp; }},
    {quantity::hidden_dp, 0, 100, [](plan_spec& spec) -> number& { return spec.overlap.dp; }},
    {quantity::of_fabric, 1, 100, [](plan_spec& spec) -> number& { return spec.link_efficiency.fabric; }},
    {quantity::of_network, 1, 100, [](plan_spec& spec) -> number& { return spec.link_efficiency.network; }},
    {quantity::of_host, 1, 100, [](plan_spec& spec) -> number& { return spec.link_efficiency.host; }},
    {quantity::routed_nodes, 0, 1 << 20, [](plan_spec& spec) -> number& { return spec.routed_nodes; }},
    {quantity::slices, 1, 1LL << 31, [](plan_spec& spec) -> number& { return spec.schedule.slices; }},
    {quantity::ranks_multiple, 1, 1 << 10, [](plan_spec& spec) -> number& { return spec.schedule.ranks_multiple; }},
    {quantity::micro_batches_multiple, 1, 1LL << 32, [](plan_spec& spec) -> number& { return spec.schedule.micro_batches_multiple; }},
    {quantity::least_micro_batches, 0, 1LL << 32, [](plan_spec& spec) -> number& { return spec.schedule.least_micro_batches_a_rank; }},
    {quantity::least_micro_batches, 0, 1LL << 32,
     [](plan_spec& spec) -> number& { return spec.schedule.torch_least_micro_batches_a_stage; }},
    {quantity::bubble_chunks, 1, 64, [](plan_spec& spec) -> number& { return spec.schedule.bubble.chunks; }},
};
constexpr int field_count = static_cast<int>(sizeof fields / sizeof fields[0]);

// Whether that value of that field is reported as out of its range, with all figures zero; that it is reported, but not so, is an error.
enum class answer { named, not_named, wrong };
constexpr answer ask(const field& item, std::int64_t value) {
  plan_spec spec = item.of();
  item.in(spec) = value;
  bool named = false;
  for (const sp::violation& found : sp::violations_in(spec)) {
    if (found.broken != sp::rule::out_of_range || found.first.what != item.what) continue;
    if (found.first.value != value || found.least != item.least || found.most != item.most) return answer::wrong;
    named = true;
  }
  if (named && !(sp::figures_of(spec) == sp::plan_figures{} && sp::stage_memory(spec, 0).device == sp::memory_report{}))
    return answer::wrong;
  return named ? answer::named : answer::not_named;
}
// A constant for each field: a fresh budget of evaluation steps.
template <int Index>
constexpr bool is_held() {
  constexpr field item = fields[Index];
  constexpr std::int64_t outside[] = {item.least - 1, item.most + 1, -(std::int64_t{1} << 62), INT64_MAX, INT64_MIN + 1};
  for (const std::int64_t value : outside)
    if (ask(item, value) != answer::named) return false;
  return ask(item, item.least) == answer::not_named && ask(item, item.most) == answer::not_named;
}
template <int Index>
inline constexpr bool held = is_held<Index>();
template <int... Indices>
constexpr int first_not_held(sp::detail::index_pack<int, Indices...>) {
  int first = -1;
  ((first < 0 && !held<Indices> ? void(first = Indices) : void()), ...);
  return first;
}
static_assert(first_not_held(sp::detail::make_index_pack<field_count>{}) == -1);

// There is no number of a plan beside these, but for the entries that a `layer_split` has no room for (`crowded`, below).
constexpr bool has_a_range(plan_spec& spec, const std::int64_t& asked) {
  if (&asked == &spec.layer_split.left_out || &asked == &spec.layer_split.counts.values[0]) return true;
  for (const field& item : fields)
    if (&item.in(spec) == &asked) return true;
  return false;
}
constexpr int numbers_without_a_range() {
  plan_spec spec = sound();
  int count = 0;
  every::number(spec, [&](const std::int64_t& asked) { count += has_a_range(spec, asked) ? 0 : 1; });
  return count;
}
static_assert(numbers_without_a_range() == 0);

// Not said is not zero: what is needed is missing, zero is out of its range.
constexpr bool missing(std::int64_t plan_spec::*field_of, sp::part_kind part) {
  plan_spec spec = sound();
  spec.*field_of = sp::unset;
  const sp::violation_list list = sp::violations_in(spec);
  return list.size() == 1 && list[0].broken == sp::rule::missing_part && list[0].part == part;
}
static_assert(missing(&plan_spec::sequence, sp::part_kind::sequence) && missing(&plan_spec::micro_batch, sp::part_kind::micro_batch) &&
              missing(&plan_spec::global_batch, sp::part_kind::global_batch));

// As parts of a type: the value and its range are in the line.
template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;
template <class Run, class... Broken>
inline constexpr bool refuses = same<sp::violations_of<Run>, sp::violations<Broken...>> && !sp::valid<Run> && !sp::fits<Run> &&
                                Run::world_size == 0 && Run::data_parallel == 0 && Run::micro_batches == 0 && Run::peak_memory.count == 0 &&
                                Run::memory[0] == sp::memory_report{} && Run::offloaded[0] == sp::offload_report{};
struct large_device {
  static constexpr sp::device_spec spec{.name = "large", .memory = sp::bytes{std::int64_t{1} << 50}};
};
template <class... More>
using run = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<large_device, 8, 2>, sp::sequence<4096>, sp::micro_batch<1>,
                     sp::global_batch<64>, More...>;
template <class Number, std::int64_t Least, std::int64_t Most>
using outside = sp::out_of_range<Number, sp::at_least<Least>, sp::at_most<Most>>;
static_assert(refuses<run<sp::tp<0>>, outside<sp::tp<0>, 1, 4096>> && refuses<run<sp::tp<-1>>, outside<sp::tp<-1>, 1, 4096>> &&
              refuses<run<sp::tp<INT64_MIN>>, outside<sp::tp<INT64_MIN>, 1, 4096>> &&
              refuses<run<sp::tp<INT64_MAX>>, outside<sp::tp<INT64_MAX>, 1, 4096>>);
static_assert(refuses<run<sp::pp<0>>, outside<sp::pp<0>, 1, 1024>> && refuses<run<sp::pp<1025>>, outside<sp::pp<1025>, 1, 1024>>);
static_assert(refuses<run<sp::dp<0>>, outside<sp::dp<0>, 1, 16'777'216>> && refuses<run<sp::cp<0>>, outside<sp::cp<0>, 1, 4096>>);
static_assert(refuses<run<sp::ep<0>>, outside<sp::ep<0>, 1, 16384>> && refuses<run<sp::etp<0>>, outside<sp::etp<0>, 1, 4096>>);
static_assert(refuses<run<sp::zero<-1>>, outside<sp::zero<-1>, 0, 3>> && refuses<run<sp::zero<4>>, outside<sp::zero<4>, 0, 3>>);
static_assert(refuses<run<sp::vocabulary_multiple<0>>, outside<sp::vocabulary_multiple<0>, 1, 2'147'483'648>>);
static_assert(refuses<run<sp::headroom<-1>>, outside<sp::headroom_mebibytes<-1>, 0, 1'073'741'824>>);
static_assert(refuses<run<sp::layer_split<32, -1>>, outside<sp::layer_split_entry<-1>, 0, 16384>>);
static_assert(
    refuses<sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<large_device, 0, -2>, sp::sequence<0>, sp::micro_batch<-1>,
                     sp::global_batch<0>>,
            outside<sp::devices_per_node<0>, 1, 4096>, outside<sp::nodes<-2>, 1, 1'048'576>, outside<sp::sequence<0>, 1, 2'147'483'648>,
            outside<sp::micro_batch<-1>, 1, 16'777'216>, outside<sp::global_batch<0>, 1, 4'294'967'296>>);
struct no_memory {
  static constexpr sp::device_spec spec{.name = "none"};
};
static_assert(refuses<sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<no_memory, 8, 1>, sp::sequence<8>, sp::micro_batch<1>,
                               sp::global_batch<8>>,
                      outside<sp::device_memory_bytes<0>, 1, std::int64_t{1} << 50>>);
struct empty_but_for_layers {
  static constexpr sp::transformer shape{.layers = 1};
};
static_assert(refuses<sp::plan<sp::model<empty_but_for_layers>, sp::cluster<large_device, 8, 1>, sp::sequence<8>, sp::micro_batch<1>,
                               sp::global_batch<8>>,
                      outside<sp::hidden<0>, 1, 16'777'216>, outside<sp::heads<0>, 1, 65536>, outside<sp::vocabulary<0>, 1, 2'147'483'648>,
                      outside<sp::ffn<0>, 1, 16'777'216>>);

// A model without experts that says something of them contradicts itself: refused, not ignored.
struct no_experts_but_widths {
  static constexpr sp::transformer shape{.layers = 8,
                                         .hidden = 1024,
                                         .heads = 8,
                                         .ffn = 4096,
                                         .vocab = 32000,
                                         .experts{.top_k = 2, .ffn = 1024, .shared_ffn = 512, .leading_dense = 1}};
};
static_assert(refuses<sp::plan<sp::model<no_experts_but_widths>, sp::cluster<large_device, 8, 1>, sp::sequence<8>, sp::micro_batch<1>,
                               sp::global_batch<8>>,
                      outside<sp::top_k<2>, 0, 0>, outside<sp::expert_ffn<1024>, 0, 0>, outside<sp::shared_ffn<512>, 0, 0>,
                      outside<sp::leading_dense<1>, 0, 0>>);

// Nor does one without latent attention speak of its widths, nor one with it of those of plain heads.
constexpr int ranges_broken(const sp::latent_attention& latent, std::int64_t kv_heads = 0, std::int64_t head_dim = 0) {
  plan_spec spec = sound();
  spec.model.kv_heads = kv_heads;
  spec.model.head_dim = head_dim;
  spec.model.latent = latent;
  int count = 0;
  for (const sp::violation& found : sp::violations_in(spec)) count += found.broken == sp::rule::out_of_range ? 1 : 100;
  return count;
}
static_assert(ranges_broken({.query_rank = 64, .key_value_rank = 32, .rope_dim = 16, .nope_dim = 32, .value_dim = 32}) == 0);
static_assert(ranges_broken({.key_value_rank = 32, .nope_dim = 32, .value_dim = 32}) == 0);
static_assert(ranges_broken({.query_rank = 64, .rope_dim = 16, .nope_dim = 32, .value_dim = 32}) == 4);
static_assert(ranges_broken({.key_value_rank = 32, .nope_dim = 32, .value_dim = 32}, 4, 64) == 2);
static_assert(ranges_broken({.key_value_rank = 32}) == 2);  // a head has no query and no value
static_assert(ranges_broken({.query_rank = -1, .key_value_rank = 32, .rope_dim = 65537, .nope_dim = 32, .value_dim = 32}) == 2);
constexpr bool refuses_a_step_without_experts() {
  plan_spec spec = sound();
  spec.model.experts = {.layer_step = 2};
  for (const sp::violation& found : sp::violations_in(spec))
    if (found.broken == sp::rule::out_of_range && found.first == sp::measured{quantity::layer_step, 2}) return found.most == 0;
  return false;
}
static_assert(refuses_a_step_without_experts());

// Rows of positions that no token has bound the sequence.
constexpr bool sequence_fits(std::int64_t offset) {
  plan_spec spec = sound();
  spec.model.positions = 4098;
  spec.model.position_offset = offset;
  return sp::violations_in(spec).empty();
}
static_assert(sequence_fits(0) && sequence_fits(2) && !sequence_fits(3));

// Many entries of a split are counted, and the same values are reported as often as they are there.
constexpr bool crowded(int entries, bool named) {
  plan_spec spec = sound();
  spec.layer_split = {};
  for (int i = 0; i < entries; ++i) spec.layer_split.push_back(1);
  for (const sp::violation& found : sp::violations_in(spec))
    if (found.broken == sp::rule::out_of_range && found.first == sp::measured{quantity::layer_split_entries, entries})
      return named && found.most == 256;
  return !named;
}
static_assert(crowded(256, false) && crowded(257, true) && crowded(300, true));

// too_large: in its range each, too much together. 2^52 parameters, 2^61 bytes of activations are the most.
constexpr const sp::violation* found_large(const sp::violation_list& list, quantity what) {
  for (const sp::violation& found : list)
    if (found.broken == sp::rule::too_large && found.first.what == what) return &found;
  return nullptr;
}
constexpr bool is_too_large(plan_spec spec, quantity what, std::int64_t most) {
  const sp::violation_list list = sp::violations_in(spec);
  const sp::violation* found = found_large(list, what);
  return found != nullptr && found->first.value > most && found->most == most && sp::figures_of(spec) == sp::plan_figures{};
}
constexpr plan_spec wide() {
  plan_spec spec = sound();
  spec.layer_split = {};
  spec.model.layers = 1 << 14;
  spec.model.hidden = spec.model.ffn = 1 << 24;
  return spec;
}
static_assert(is_too_large(wide(), quantity::parameters_bound, std::int64_t{1} << 52));
constexpr plan_spec long_sequences() {
  plan_spec spec = sound();
  spec.model.positions = 0;
  spec.sequence = std::int64_t{1} << 31;
  spec.global_batch = std::int64_t{1} << 32;
  return spec;
}
static_assert(is_too_large(long_sequences(), quantity::activation_bytes_bound, std::int64_t{1} << 61));
// GPT-3 and a model of a hundred times its size are not.
constexpr plan_spec gigantic() {
  plan_spec spec = sound();
  spec.layer_split = {};
  spec.model = {.layers = 960, .hidden = 131072, .heads = 1024, .ffn = 524288, .vocab = 256000, .mlp = shardplan::mlp::plain};
  spec.tp = 8;
  spec.pp = 4;
  spec.cp = 1;
  spec.dp = 1;
  spec.ep = spec.etp = 1;
  spec.sequence = 131072;
  return spec;
}
static_assert(sp::stage_memory(gigantic(), 0).device.weights.count > 0);
