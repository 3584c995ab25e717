// SPDX-License-Identifier: BSL-1.0
// A sweep is the product of its lists in a fixed order, and each row is what `evaluate` says of the same spec.
#include <shardplan/search/sweep.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

namespace {

template <class... Lists>
using grid = sp::sweep<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::global_batch<64>, Lists...>;

// A combination as a number in mixed radix, the last list fastest.
using small = grid<sp::micro_batch<1>, sp::list<sp::tp<1>, sp::tp<2>, sp::tp<3>>, sp::list<sp::zero<0>, sp::zero<3>>>;
static_assert(small::size == 6);
template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;
template <std::int64_t Tp, std::int64_t Zero>
using by_hand = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                         sp::global_batch<64>, sp::micro_batch<1>, sp::tp<Tp>, sp::zero<Zero>>;
static_assert(same<small::at<0>, by_hand<1, 0>> && same<small::at<1>, by_hand<1, 3>> && same<small::at<2>, by_hand<2, 0>>);
static_assert(same<small::at<3>, by_hand<2, 3>> && same<small::at<4>, by_hand<3, 0>> && same<small::at<5>, by_hand<3, 3>>);
static_assert(small::varied == (1ull << static_cast<int>(sp::part_kind::tp) | 1ull << static_cast<int>(sp::part_kind::zero)));

// Where a list stands among the parts does not matter, nor that a part is a list of one.
using moved =
    sp::sweep<sp::list<sp::tp<1>, sp::tp<2>, sp::tp<3>>, sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>,
              sp::list<sp::zero<0>, sp::zero<3>>, sp::sequence<4096>, sp::global_batch<64>, sp::list<sp::micro_batch<1>>>;
static_assert(moved::size == 6 && moved::at<3>::spec == small::at<3>::spec && moved::at<4>::spec == small::at<4>::spec);

// Parts that belong together are one value, and none of them is one too.
using joint = grid<sp::micro_batch<1>, sp::zero<1>,
                   sp::list<sp::parts<>, sp::parts<sp::pp<4>, sp::schedule<sp::schedules::zb_h1>>, sp::parts<sp::pp<2>>>>;
static_assert(joint::size == 3 && joint::at<0>::spec.pp == 1 && joint::at<2>::spec.pp == 2);
static_assert(joint::at<1>::spec.pp == 4 && joint::at<1>::spec.schedule == sp::schedules::zb_h1::spec);
static_assert(joint::varied == (1ull << static_cast<int>(sp::part_kind::pp) | 1ull << static_cast<int>(sp::part_kind::schedule)));

// Rows against the run-time twin of the same spec.
constexpr bool agrees(const sp::sweep_row& row, const sp::plan_spec& spec) {
  const sp::evaluation wanted = sp::evaluate(spec, sp::remedy_search::off);
  const bool valid = wanted.violations.empty();
  if (row.valid != valid || row.world_size != wanted.world_size || row.replicas != wanted.data_parallel) return false;
  if (row.peak_memory != wanted.peak_memory) return false;
  if (row.fits != (wanted.world_size != 0 && wanted.peak_memory <= spec.device.memory)) return false;
  if (!valid) return row.broken == wanted.violations[0] && row.step == 0;
  const sp::timing_report timing = sp::step_timing(spec);
  return row.step == timing.step && row.tokens_per_second == timing.tokens_per_second && row.step > 0;
}
template <class Sweep, int... Indices>
constexpr bool all_agree(sp::detail::index_pack<int, Indices...>) {
  constexpr bool each[] = {agrees(Sweep::template row<Indices>, Sweep::template at<Indices>::spec)...};
  for (const bool one : each)
    if (!one) return false;
  return true;
}
template <class Sweep>
inline constexpr bool is_evaluated = all_agree<Sweep>(sp::detail::make_index_pack<Sweep::size>{});
static_assert(is_evaluated<small> && is_evaluated<joint>);
using wide = grid<sp::list<sp::tp<1>, sp::tp<8>>, sp::list<sp::zero<0>, sp::zero<1>, sp::zero<2>, sp::zero<3>>,
                  sp::list<sp::micro_batch<1>, sp::micro_batch<2>, sp::micro_batch<5>>>;
static_assert(wide::size == 24 && is_evaluated<wide>);

// What is wrong with a row is its first broken rule.
static_assert(!small::row<0>.valid && !small::row<0>.fits && small::row<0>.broken.broken == sp::rule::does_not_fit);
static_assert(small::row<1>.valid && small::row<1>.fits);
static_assert(small::row<4>.broken.broken == sp::rule::does_not_divide && small::row<4>.peak_memory.count == 0);
// A rule of the third tier can be broken by what fits.
using refused = grid<sp::micro_batch<1>, sp::framework<sp::frameworks::deepspeed>, sp::pp<2>, sp::list<sp::zero<1>, sp::zero<3>>>;
static_assert(is_evaluated<refused> && refused::row<0>.valid && !refused::row<1>.valid && refused::row<1>.fits);
// A part that is said twice is a row that says so.
using twice = grid<sp::micro_batch<1>, sp::tp<1>, sp::list<sp::tp<2>>>;
static_assert(twice::row<0>.broken.broken == sp::rule::repeated_part);

// The best rows by brute force.
template <class Sweep>
constexpr int slowest_search(bool by_time) {
  int best = -1;
  for (int at = Sweep::size - 1; at >= 0; --at) {
    const sp::sweep_row& row = sp::rows_of<Sweep>[at];
    if (!row.valid) continue;
    if (best < 0 || (by_time ? row.step <= sp::rows_of<Sweep>[best].step : row.peak_memory <= sp::rows_of<Sweep>[best].peak_memory))
      best = at;
  }
  return best;
}
static_assert(sp::fastest_row<wide> == slowest_search<wide>(true) && sp::leanest_row<wide> == slowest_search<wide>(false));
static_assert(sp::fastest_row<wide> >= 0 && sp::leanest_row<wide> != sp::fastest_row<wide>);
static_assert(sp::fastest_row<twice> == -1 && sp::leanest_row<twice> == -1);

// Boost.Hana's Cartesian product has the same rows in the same order.
template <class Row>
struct plan_of_product;
template <class... Chosen>
struct plan_of_product<boost::hana::tuple<Chosen...>> {
  using type = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                        sp::global_batch<64>, typename Chosen::type...>;
};
template <class... Rows, int... At>
constexpr bool are_rows_of_wide(boost::hana::tuple<Rows...>*, sp::detail::index_pack<int, At...>) {
  return (same<typename plan_of_product<Rows>::type, wide::at<At>> && ...);
}
static_assert(are_rows_of_wide(static_cast<wide::product<>*>(nullptr), sp::detail::make_index_pack<wide::size>{}));

// Without a list there is one row. A row is found in a product that nobody could go through.
static_assert(sp::sweep<sp::tp<1>>::size == 1 && sp::sweep<>::size == 1 && grid<sp::micro_batch<1>, sp::zero<1>>::row<0>.valid);
using ten = sp::list<sp::tp<1>, sp::tp<2>, sp::tp<4>, sp::tp<8>, sp::pp<2>, sp::pp<4>, sp::pp<8>, sp::cp<2>, sp::cp<4>, sp::cp<8>>;
using enormous = sp::sweep<ten, ten, ten, ten, ten, ten, ten, ten, ten, ten>;
static_assert(enormous::size == INT32_MAX &&
              same<enormous::at<7>,
                   sp::plan<sp::tp<1>, sp::tp<1>, sp::tp<1>, sp::tp<1>, sp::tp<1>, sp::tp<1>, sp::tp<1>, sp::tp<1>, sp::tp<1>, sp::cp<2>>>);

// No such row is refused.
template <class Sweep, int Index>
concept has_row = requires {
  typename Sweep::template at<Index>;
};
static_assert(has_row<small, 5> && !has_row<small, 6> && !has_row<small, -1>);

}  // namespace
