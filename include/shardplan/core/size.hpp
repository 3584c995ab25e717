// SPDX-License-Identifier: BSL-1.0
#pragma once

// `std::size_t`. GCC's standard library declares it with its configuration, which <cstdint> reads; its <cstddef> defines std::byte and
// thirteen operators as well, which Clang pays for with 1 % of the umbrella.
#include <cstdint>

#ifndef __GLIBCXX__
#include <cstddef>
#endif
