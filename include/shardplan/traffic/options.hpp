// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/recipe/communication.hpp>

namespace shardplan {

/// What decides bytes beside the messages of a framework: a plan says it with `communication<>`, and functions of traffic and timing take
/// another one as their last argument.
using traffic_options = communication_spec;

/// What a plan has that says nothing.
inline constexpr traffic_options default_traffic_options{};

}  // namespace shardplan
