// SPDX-License-Identifier: BSL-1.0
#pragma once

/// `detail::make_index_pack<4>` is `index_pack<int, 0, 1, 2, 3>`. Compiler built-ins instead of <utility>, which would cost as much as half
/// of the core.

namespace shardplan::detail {

template <class Index, Index... Indices>
struct index_pack {};
#if defined(__clang__)
template <int Count>
using make_index_pack = __make_integer_seq<index_pack, int, Count>;
#else
template <int Count>
using make_index_pack = index_pack<int, __integer_pack(Count)...>;
#endif

}  // namespace shardplan::detail
