// SPDX-License-Identifier: BSL-1.0
// DRIVER: 3 error lines, at most
// EXPECT: needs<8>
#ifndef SHARDPLAN_TWIN
template <int>
struct needs;
needs<8> first;
needs<9> second;
needs<10> third;
#endif
