// SPDX-License-Identifier: BSL-1.0
// DRIVER: ok
// EXPECT: rejected<needs<104, 2> ?>
// EXPECT-GCC: 'sizeof'
// EXPECT-CLANG: undefined template
// FORBID: no such words
template <int, int>
struct needs;
template <class... Facts>
struct rejected;  // never defined

#ifdef SHARDPLAN_TWIN
enum : unsigned { size = 1 };
#else
enum : unsigned { size = sizeof(rejected<needs<104, 2>>) };
#endif
