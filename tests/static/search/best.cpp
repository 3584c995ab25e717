// SPDX-License-Identifier: BSL-1.0
// The search as types: the winner is a plan type, everything else a constant.
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/schedule/zb_v.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/search/decide.hpp>

#include <cstdint>

namespace sp = shardplan;

template <class Plan, class Other>
inline constexpr bool same = false;
template <class Plan>
inline constexpr bool same<Plan, Plan> = true;

constexpr std::int64_t sum_of(const std::int64_t (&counts)[sp::rule_slots]) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

using eight = sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>;
template <class... Parts>
using small = sp::best<sp::models::llama2_7b, eight, sp::sequence<4096>, sp::global_batch<64>, Parts...>;

// The default space: 4 tp, 4 pp, 4 ZeRO stages, 4 micro-batches, 3 ways of recomputing, 4 schedules (32 layers are no multiple of 3).
static_assert(small<>::considered == 4 * 4 * 4 * 4 * 3 * 4);
static_assert(small<>::found && small<>::fitting + sum_of(small<>::rejected_by_rule) == small<>::considered);
static_assert(sp::checked<small<>::plan> && small<>::plan::spec == small<>::result.plan);
static_assert(small<>::plan::peak_memory == small<>::top[0].memory && small<>::plan::timing.step == small<>::top[0].step);
static_assert(small<>::result.rejected_by(sp::rule::does_not_fit) > 0 && small<>::simulated > 0);
// No other plan of the list is better, and each is a plan type as well.
static_assert(small<>::top[0].seconds() <= small<>::top[1].seconds() && sp::valid<small<>::plan_at<31>>);
static_assert(small<>::plan_at<31>::spec == sp::spec_of_listed(small<>::result.plan, small<>::top[31]));

// What a part says stays; what a list says is tried.
using said = small<sp::tp<2>, sp::recompute<sp::recomputes::full>, sp::among<sp::zero<0>, sp::zero<1>, sp::fsdp<>>,
                   sp::among<sp::micro_batch<1>, sp::micro_batch<2>, sp::pp<1>, sp::pp<2>>,
                   sp::among<sp::schedule<sp::schedules::zb_v>, sp::schedule<sp::schedules::one_f_one_b>>>;
static_assert(said::considered == 3 * 2 * 2 * 2);
static_assert(sp::checked<said::plan> && said::plan::spec.tp == 2 && said::plan::spec.recompute == sp::recomputes::full);
// The order of the lists does not matter.
using turned = small<sp::among<sp::schedule<sp::schedules::one_f_one_b>, sp::schedule<sp::schedules::zb_v>>, sp::tp<2>,
                     sp::among<sp::pp<2>, sp::micro_batch<2>, sp::pp<1>, sp::fsdp<>, sp::zero<1>, sp::micro_batch<1>, sp::zero<0>>,
                     sp::recompute<sp::recomputes::full>>;
static_assert(turned::considered == said::considered && turned::plan::spec == said::plan::spec);

// A space with a name.
struct own_space : sp::among<sp::pp<1>, sp::pp<2>, sp::zero<0>, sp::fsdp<>, sp::schedule<sp::schedules::zb_v>, sp::micro_batch<1>> {};
using named = small<own_space, sp::tp<1>, sp::recompute<sp::recomputes::full>>;
static_assert(named::considered == 2 * 2 && sp::checked<named::plan> && named::plan::spec.sharding.is_fsdp());

// Every way of sharding can be said, more than eight of them, and any schedule in any number of chunks.
using ways =
    small<sp::among<sp::zero<0>, sp::zero<1>, sp::zero<2>, sp::zero<3>, sp::fsdp<>, sp::fsdp<sp::flat_units>, sp::hsdp<2>, sp::hsdp<4>,
                    sp::zero<3, sp::mics<4>>, sp::zero<3, sp::hpz<4>>, sp::zero<1, sp::megatron_buckets>>,
          sp::among<sp::schedule<sp::schedules::interleaved<16>>, sp::schedule<sp::schedules::interleaved<8>>, sp::pp<2>, sp::etp<1>>,
          sp::tp<1>, sp::micro_batch<1>, sp::recompute<sp::recomputes::full>, sp::rank_by<sp::objective::memory>>;
static_assert(ways::considered == 11 * 2 && sp::checked<ways::plan> && ways::plan::spec == ways::result.plan);
using within = small<sp::among<sp::hsdp<4>>, sp::tp<1>, sp::pp<1>, sp::micro_batch<1>, sp::recompute<sp::recomputes::full>>;
static_assert(within::plan::spec.sharding.ranks == 4 && within::plan::spec.sharding.is_fsdp() && sp::checked<within::plan>);

// A single candidate: the plan itself.
using single = small<sp::tp<2>, sp::pp<1>, sp::micro_batch<1>, sp::zero<1>, sp::recompute<sp::recomputes::full>,
                     sp::schedule<sp::schedules::one_f_one_b>>;
static_assert(single::considered == 1 && single::fitting == 1);
static_assert(
    same<single::plan,
         sp::plan<sp::model<sp::models::llama2_7b>, eight, sp::sequence<4096>, sp::global_batch<64>, sp::tp<2>, sp::pp<1>,
                  sp::micro_batch<1>, sp::zero<1>, sp::recompute<sp::recomputes::full>, sp::schedule<sp::schedules::one_f_one_b>>>);

// By memory no plan needs less; by devices none uses fewer.
using least_memory = small<sp::rank_by<sp::objective::memory>, sp::among<sp::micro_batch<1>, sp::micro_batch<2>>>;
static_assert(least_memory::plan::peak_memory <= small<>::plan::peak_memory && least_memory::simulated == 0);
using fewest = small<sp::rank_by<sp::objective::devices>, sp::device_counts<1, 2, 4, 8>, sp::pp<1>, sp::micro_batch<1>>;
static_assert(sp::checked<fewest::plan> && fewest::plan::world_size < 8 && fewest::plan::world_size == fewest::top[0].devices());
static_assert(fewest::plan::spec.nodes == 1 && fewest::plan::spec.devices_per_node == fewest::plan::world_size);

// Never worse than the five steps.
using steps = sp::decide<sp::models::llama2_7b, eight, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<64>>;
static_assert(sp::valid<steps::plan> && small<>::plan::timing.step <= steps::plan::timing.step);

// Experts: ep is searched, and no expert grid is said for a dense model.
using experts = sp::best<sp::models::mixtral_8x7b, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>, sp::global_batch<64>,
                         sp::micro_batch<1>, sp::zero<1>, sp::recompute<sp::recomputes::full>>;
static_assert(sp::checked<experts::plan> && experts::considered == 4 * 4 * 6 * 4);

// Nothing fits: asking is no error, and the plan names what stands in the way.
using none = sp::best<sp::models::llama2_70b, eight, sp::sequence<4096>, sp::global_batch<64>, sp::tp<8>, sp::pp<1>>;
static_assert(!none::found && none::fitting == 0 && none::top.empty());
static_assert(!sp::valid<none::plan> && !sp::fits<none::plan> && sp::violations_of<none::plan>::count == 1);
static_assert(same<none::plan, sp::no_plan_fits<sp::candidates<none::considered>, sp::because<sp::rule::does_not_fit>>>);

// Memory stands in the way wherever a candidate keeps all other rules; else what refused most, with its numbers or its part.
template <class... More>
using no_plan = typename sp::best<sp::models::llama2_70b, eight, More...>::plan;
static_assert(same<no_plan<sp::sequence<4096>, sp::global_batch<64>, sp::tp<3>>,
                   sp::no_plan_fits<sp::candidates<768>,
                                    sp::because<sp::rule::does_not_divide, sp::quantity::tp_x_pp_x_cp, sp::quantity::device_count>>>);
static_assert(same<no_plan<sp::sequence<4096>>,
                   sp::no_plan_fits<sp::candidates<1>, sp::because<sp::rule::missing_part, sp::part_kind::global_batch>>>);
static_assert(
    same<no_plan<sp::global_batch<64>>, sp::no_plan_fits<sp::candidates<1>, sp::because<sp::rule::missing_part, sp::part_kind::sequence>>>);

// The model, or the part that says it.
static_assert(sp::best<sp::model<sp::models::llama2_7b>, eight, sp::sequence<4096>, sp::global_batch<64>, sp::tp<2>, sp::pp<1>,
                       sp::micro_batch<1>, sp::recompute<sp::recomputes::none>>::found);

// A part that is said and searched is refused.
template <class... Parts>
concept searchable = requires {
  typename small<Parts...>::plan;
};
static_assert(searchable<sp::tp<2>> && searchable<sp::among<sp::tp<2>>> && !searchable<sp::tp<2>, sp::among<sp::tp<2>>>);
