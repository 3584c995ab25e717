// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Boost.Hana views, opt-in: `memory_report`, `offload_report` and `plan_figures` as Hana structs (so
/// `hana::for_each(hana::accessors<...>())`, `hana::members`, `hana::keys` work), a plan made from a Hana tuple of parts, and the list of
/// built-in schedules as a complete type.

#include <shardplan/memory/report.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/schedule/catalog.hpp>

// clang-format off
#include <shardplan/core/push_user_macros.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/tuple.hpp>
#include <shardplan/core/pop_user_macros.hpp>
// clang-format on

BOOST_HANA_ADAPT_STRUCT(shardplan::memory_report, weights, gradients, master, optimizer, activations, logits, working, buffers, reserve);
BOOST_HANA_ADAPT_STRUCT(shardplan::offload_report, host, nvme);
BOOST_HANA_ADAPT_STRUCT(shardplan::plan_figures, world_size, data_parallel, micro_batches, peak_memory, peak_stage);

namespace shardplan {

namespace detail {
template <class Parts>
struct plan_from_tuple;
template <part... Parts>
struct plan_from_tuple<boost::hana::tuple<Parts...>> {
  using type = plan<Parts...>;
};
}  // namespace detail

/// The plan whose parts are the elements of a Hana tuple: `plan_of<decltype(hana::append(common_parts, sp::zero<1>{}))>`.
template <class Tuple>
using plan_of = typename detail::plan_from_tuple<Tuple>::type;

}  // namespace shardplan
