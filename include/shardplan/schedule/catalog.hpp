// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

namespace shardplan::schedules {

/// The built-in schedules. A new one is its own header and a line here; a user's own needs neither.
using built_in_list = boost::hana::basic_tuple<gpipe, one_f_one_b>;
inline constexpr built_in_list built_in{};

/// The built-in schedule of that name, for readers of configuration files; nullptr when there is none.
constexpr const schedule_spec* named(literal name) {
  return boost::hana::unpack(built_in, [name](auto... known) {
    const schedule_spec* found = nullptr;
    ((decltype(known)::spec.name == name ? void(found = &decltype(known)::spec) : void()), ...);
    return found;
  });
}

}  // namespace shardplan::schedules
