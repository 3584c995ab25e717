// SPDX-License-Identifier: BSL-1.0
// DRIVER: an error line names what no user knows: detail::
// EXPECT: needs<8>
#ifndef SHARDPLAN_TWIN
namespace detail {
template <int>
struct needs;
}
detail::needs<8> value;
#endif
