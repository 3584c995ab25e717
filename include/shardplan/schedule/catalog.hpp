// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>

// clang-format off
#include <shardplan/core/push_user_macros.hpp>
#include <boost/hana/basic_tuple.hpp>
#include <shardplan/core/pop_user_macros.hpp>
// clang-format on

namespace shardplan::schedules {

/// The built-in schedules. A new one is its own header and a line here; a user's own needs neither.
using built_in_list = boost::hana::basic_tuple<gpipe, one_f_one_b>;
inline constexpr built_in_list built_in{};

namespace detail {
// The pack is deduced from the tuple's type: <boost/hana/unpack.hpp> would cost as much as the tuple itself.
template <class... Known>
constexpr const schedule_spec* find(const boost::hana::basic_tuple<Known...>&, literal name) {
  const schedule_spec* found = nullptr;
  ((Known::spec.name == name ? void(found = &Known::spec) : void()), ...);
  return found;
}
}  // namespace detail

/// The built-in schedule of that name, for readers of configuration files; nullptr when there is none.
constexpr const schedule_spec* named(literal name) { return detail::find(built_in, name); }

}  // namespace shardplan::schedules
