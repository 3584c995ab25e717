// SPDX-License-Identifier: BSL-1.0
// DRIVER: ok
// EXPECT: needs<8>
// MAX-ERRORS: 3
#ifndef SHARDPLAN_TWIN
template <int>
struct needs;
needs<8> first;
needs<9> second;
needs<10> third;
#endif
