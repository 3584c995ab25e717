// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>
#include <shardplan/schedule/chimera.hpp>
#include <shardplan/schedule/dual_pipe.hpp>
#include <shardplan/schedule/eager_1f1b.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/hanayo.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/looped_bfs.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/one_f_one_b_v.hpp>
#include <shardplan/schedule/pipedream.hpp>
#include <shardplan/schedule/seq_1f1b.hpp>
#include <shardplan/schedule/v_half.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/schedule/zb_h2.hpp>
#include <shardplan/schedule/zb_v.hpp>

// clang-format off
#include <shardplan/core/push_user_macros.hpp>
#include <boost/hana/fwd/basic_tuple.hpp>
#include <shardplan/core/pop_user_macros.hpp>
// clang-format on

namespace shardplan::schedules {

/// The built-in schedules, a list of types. A new one is its own header and a name here; a user's own needs neither.
/// Only declared here, since Hana's definition would be a third of the umbrella's cost: <shardplan/hana.hpp> completes it, so that
/// `hana::for_each(sp::schedules::built_in{}, ...)` works. Those with parameters stand with usual ones; a reader who finds another number
/// of chunks writes it into his copy of the spec, whose functions take it.
using built_in = boost::hana::basic_tuple<gpipe, one_f_one_b, eager_1f1b, interleaved<2>, looped_bfs<2>, zb_h1, interleaved_zb<2>, zb_h2,
                                          zb_v, v_half, v_min, one_f_one_b_v, dual_pipe, dual_pipe_v, chimera, seq_1f1b<2>, hanayo<1>,
                                          grouped_interleaved<2, 2>, pipedream, pipedream_2bw>;

namespace detail {
template <class... Known>
constexpr const schedule_spec* find(const boost::hana::basic_tuple<Known...>*, literal name) {
  const schedule_spec* found = nullptr;
  ((Known::spec.name == name ? void(found = &Known::spec) : void()), ...);
  return found;
}
}  // namespace detail

/// The built-in schedule of that name, for readers of configuration files; nullptr when there is none. A template, so that the schedules
/// are instantiated only when somebody asks.
template <class Known = built_in>
constexpr const schedule_spec* named(literal name) {
  return detail::find(static_cast<const Known*>(nullptr), name);
}

}  // namespace shardplan::schedules
