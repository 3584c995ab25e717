// SPDX-License-Identifier: BSL-1.0
// Catch2 v2 and v3 name their headers differently. Use only what both have: TEST_CASE, SECTION, REQUIRE, CHECK, STATIC_REQUIRE.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif
