// SPDX-License-Identifier: BSL-1.0
// DRIVER: its twin \(SHARDPLAN_TWIN\) does not compile cleanly
// EXPECT: needs<8>
#ifdef SHARDPLAN_TWIN
int narrow(long wide) { return wide; }
#else
template <int>
struct needs;
needs<8> value;
#endif
