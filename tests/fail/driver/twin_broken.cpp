// SPDX-License-Identifier: BSL-1.0
// DRIVER: its twin \(SHARDPLAN_TWIN\) does not compile cleanly
// EXPECT: needs<8>
template <int>
struct needs;
needs<8> value;
