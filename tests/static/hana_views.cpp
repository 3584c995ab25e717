// SPDX-License-Identifier: BSL-1.0
// Boost.Hana views: the reports are Hana structs, and a tuple of parts makes a plan.
#include <shardplan/hana.hpp>
#include <shardplan/shardplan.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/append.hpp>
#include <boost/hana/fold_left.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/unpack.hpp>

namespace sp = shardplan;
namespace hana = boost::hana;

namespace {

using common = hana::tuple<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>,
                           sp::global_batch<64>, sp::sequence<8192>>;
using run = sp::plan_of<decltype(hana::append(common{}, sp::zero<3>{}))>;
static_assert(sp::detail::same<run, sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>,
                                             sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<8192>, sp::zero<3>>>);
static_assert(sp::valid<run>);

// The fields are all there: their sum is the total.
constexpr sp::bytes sum_of(const sp::memory_report& report) {
  return hana::fold_left(hana::accessors<sp::memory_report>(), sp::bytes{},
                         [&](sp::bytes sum, auto field) { return sum + hana::second(field)(report); });
}
static_assert(sum_of(run::memory[0]) == run::memory[0].total() && sum_of(run::memory[0]) == run::peak_memory);
static_assert(decltype(hana::length(hana::accessors<sp::plan_figures>()))::value == 5);

// Each built-in schedule is found by its name.
static_assert(hana::unpack(sp::schedules::built_in{}, [](auto... known) {
  return (... && (sp::schedules::named(decltype(known)::spec.name) == &decltype(known)::spec));
}));

}  // namespace
