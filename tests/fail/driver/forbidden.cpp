// SPDX-License-Identifier: BSL-1.0
// DRIVER: forbidden words: needs<8>
// EXPECT: needs<8>
// FORBID: needs<[0-9]+>
#ifndef SHARDPLAN_TWIN
template <int>
struct needs;
needs<8> value;
#endif
