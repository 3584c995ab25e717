// SPDX-License-Identifier: BSL-1.0
// Plans as types: parts in any order, parts of one's own, what a plan type says is what evaluate says.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;

// One's own model, device, optimizer, precision layout and schedule: named types with one member.
struct own_model {
  static constexpr sp::transformer shape{.layers = 12, .hidden = 768, .heads = 12, .kv_heads = 4, .ffn = 2048, .vocab = 32768};
};
struct own_device {
  static constexpr sp::device_spec spec{.name = "own", .memory = sp::bytes{24'000'000'000}};
};
struct own_optimizer {
  static constexpr sp::optimizer_spec spec{.name = "own", .moments = 3};
};
struct own_precision {
  static constexpr sp::precision_spec spec{.name = "own", .weight = 2, .gradient = 4, .master = 4, .moment = 2, .compute = 2};
};
// All chunks of all micro-batches are alive.
struct own_schedule {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t m, std::int64_t v, std::int64_t) { return m * v; }
  static constexpr sp::schedule_spec spec{.name = "own", .chunks = 2, .layout = sp::placement::v_shape, .in_flight = &in_flight};
};
static_assert(sp::transformer_model<own_model> && sp::device<own_device> && sp::optimizer_algorithm<own_optimizer> &&
              sp::precision_layout<own_precision> && sp::pipeline_schedule<own_schedule>);

using forward = sp::plan<sp::model<own_model>, sp::cluster<own_device, 8, 1>, sp::sequence<1024>, sp::micro_batch<2>, sp::global_batch<32>,
                         sp::tp<2>, sp::pp<2>, sp::zero<1>, sp::optimizer<own_optimizer>, sp::precision<own_precision>,
                         sp::schedule<own_schedule>, sp::headroom<512>>;
using backward = sp::plan<sp::headroom<512>, sp::schedule<own_schedule>, sp::precision<own_precision>, sp::optimizer<own_optimizer>,
                          sp::zero<1>, sp::pp<2>, sp::tp<2>, sp::global_batch<32>, sp::micro_batch<2>, sp::sequence<1024>,
                          sp::cluster<own_device, 8, 1>, sp::model<own_model>>;
static_assert(forward::spec == backward::spec && forward::spec.said_parts == 0 && forward::spec.repeated_parts == 0);
static_assert(forward::memory[0] == backward::memory[0] && forward::memory[1] == backward::memory[1] &&
              forward::peak_memory == backward::peak_memory);
static_assert(sp::checked<forward> && sp::valid<backward> && sp::fits<backward>);
static_assert(forward::spec.model == own_model::shape && forward::spec.device == own_device::spec &&
              forward::spec.optimizer == own_optimizer::spec && forward::spec.precision == own_precision::spec &&
              forward::spec.schedule == own_schedule::spec);

// 8 devices, tp 2, pp 2: two replicas; 32 sequences in micro-batches of 2: 8 each.
static_assert(forward::world_size == 8 && forward::data_parallel == 2 && forward::micro_batches == 8 && forward::stages == 2);
static_assert(sizeof forward::memory / sizeof forward::memory[0] == 2 && sizeof forward::offloaded / sizeof forward::offloaded[0] == 2);
// V with two chunks: stages of 3 layers, rank 0 has the first and the last, and so embedding, final norm and head.
// A block on tp 2: half of query, output, key, value, gate, up and down, and two whole norms.
constexpr std::int64_t block = (2 * 768 * 768 + 2 * 256 * 768 + 3 * 2048 * 768) / 2 + 2 * 768;
constexpr std::int64_t ends = 2 * 32768 * 768 / 2 + 768;
static_assert(forward::memory[0].weights.count == 2 * (6 * block + ends) && forward::memory[1].weights.count == 2 * 6 * block);
static_assert(forward::memory[0].gradients.count == 4 * (6 * block + ends) &&
              forward::memory[0].master.count == 4 * (6 * block + ends) / 2);
static_assert(forward::memory[0].optimizer.count == 3 * 2 * (6 * block + ends) / 2);
// 16 chunks alive, 3 layers each; T = 2 x 1,024.
constexpr std::int64_t kept = 2048 * (8 * 768 + 4 * 768 + 4 * 256 + 6 * 2048) / 2 + 4 * 2048 * 6 + 8 * 2048 / 2;
static_assert(forward::memory[0].activations.count == 16 * 3 * kept && forward::memory[1].activations.count == 16 * 3 * kept);
static_assert(forward::memory[0].logits.count == 2 * 2048 * 32768 / 2 && forward::memory[1].logits.count == 0);
static_assert(forward::peak_stage == 0 && forward::peak_memory == forward::memory[0].total() &&
              forward::peak_memory > forward::memory[1].total());

// Of equal stages the first is named.
struct small_vocabulary {
  static constexpr sp::transformer shape{.layers = 12, .hidden = 768, .heads = 12, .ffn = 2048, .vocab = 64};
};
using equal_stages = sp::plan<sp::model<small_vocabulary>, sp::cluster<own_device, 8, 1>, sp::sequence<1024>, sp::micro_batch<1>,
                              sp::global_batch<32>, sp::pp<4>, sp::layer_split<1, 5, 5, 1>, sp::schedule<sp::schedules::gpipe>>;
static_assert(equal_stages::memory[1] == equal_stages::memory[2] && equal_stages::memory[1].total() == equal_stages::peak_memory &&
              equal_stages::peak_stage == 1);

// The run-time twin says the same.
constexpr sp::evaluation twin = sp::evaluate(forward::spec);
static_assert(static_cast<const sp::plan_figures&>(twin) == forward::figures && twin.violations == forward::found &&
              twin.violations.empty());
static_assert(sp::stage_memory(forward::spec, 0).device == forward::memory[0] &&
              sp::stage_memory(forward::spec, 1).device == forward::memory[1]);

// The shortest plan, and each optional part by its default: the same value.
using shortest =
    sp::plan<sp::model<own_model>, sp::cluster<own_device, 8, 1>, sp::sequence<1024>, sp::micro_batch<2>, sp::global_batch<32>>;
using longest =
    sp::plan<sp::model<own_model>, sp::cluster<own_device, 8, 1>, sp::sequence<1024>, sp::micro_batch<2>, sp::global_batch<32>, sp::tp<1>,
             sp::pp<1>, sp::cp<1>, sp::ep<1>, sp::etp<1>, sp::zero<0>, sp::offload<>, sp::framework<sp::frameworks::generic>,
             sp::schedule<sp::schedules::one_f_one_b>, sp::optimizer<sp::optimizers::adamw>,
             sp::precision<sp::precisions::bf16_fp32_master>, sp::recompute<sp::recomputes::none>, sp::headroom<1536>>;
static_assert(shortest::spec == longest::spec && sp::checked<shortest> && shortest::data_parallel == 8 && shortest::micro_batches == 2);

// A repeated part is an error, whatever it says; the order of the two does not change that.
using twice = sp::plan<sp::tp<2>, sp::model<own_model>, sp::cluster<own_device, 8, 1>, sp::sequence<1024>, sp::tp<4>, sp::micro_batch<2>,
                       sp::global_batch<32>>;
using twice_reversed = sp::plan<sp::tp<4>, sp::model<own_model>, sp::cluster<own_device, 8, 1>, sp::sequence<1024>, sp::tp<2>,
                                sp::micro_batch<2>, sp::global_batch<32>>;
static_assert(same<sp::violations_of<twice>, sp::violations<sp::repeated_part<sp::part_kind::tp>>> &&
              same<sp::violations_of<twice>, sp::violations_of<twice_reversed>>);
static_assert(!sp::valid<twice> && !sp::fits<twice> && twice::world_size == 0 && twice::peak_memory == sp::bytes{});

// Without pp the arrays have one element.
static_assert(sizeof shortest::memory == sizeof(sp::memory_report) && shortest::memory[0].states() > sp::bytes{});

// A part is a type with a kind; others are none.
struct no_part {};
struct wrong_kind {
  static constexpr int kind = 0;
};
static_assert(sp::part<sp::tp<1>> && !sp::part<no_part> && !sp::part<wrong_kind> && !sp::part<int> && !sp::part<own_model>);
