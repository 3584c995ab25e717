// SPDX-License-Identifier: BSL-1.0
// DRIVER: no error line matches: a sentence
// EXPECT: a sentence of the source
#ifndef SHARDPLAN_TWIN
template <int>
struct needs;
needs<8> value;  // a sentence of the source
#endif
