// SPDX-License-Identifier: BSL-1.0
// DRIVER: has no EXPECT directive
#ifndef SHARDPLAN_TWIN
template <int>
struct needs;
needs<8> value;
#endif
