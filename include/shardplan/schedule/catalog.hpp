// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>

// clang-format off
#include <shardplan/core/push_user_macros.hpp>
#include <boost/hana/fwd/basic_tuple.hpp>
#include <shardplan/core/pop_user_macros.hpp>
// clang-format on

namespace shardplan::schedules {

/// The built-in schedules, a list of types. A new one is its own header and a name here; a user's own needs neither.
/// Only declared here, since Hana's definition would be a third of the umbrella's cost: <shardplan/hana.hpp> completes it, so that
/// `hana::for_each(sp::schedules::built_in{}, ...)` works.
using built_in = boost::hana::basic_tuple<gpipe, one_f_one_b>;

namespace detail {
template <class... Known>
constexpr const schedule_spec* find(const boost::hana::basic_tuple<Known...>*, literal name) {
  const schedule_spec* found = nullptr;
  ((Known::spec.name == name ? void(found = &Known::spec) : void()), ...);
  return found;
}
}  // namespace detail

/// The built-in schedule of that name, for readers of configuration files; nullptr when there is none.
constexpr const schedule_spec* named(literal name) { return detail::find(static_cast<const built_in*>(nullptr), name); }

}  // namespace shardplan::schedules
