// SPDX-License-Identifier: BSL-1.0
// DRIVER: no error line matches: needs<7>
// EXPECT: needs<7>
#ifndef SHARDPLAN_TWIN
template <int>
struct needs;
needs<8> value;
#endif
