// SPDX-License-Identifier: BSL-1.0
// A plan that nothing helps, with so many stages that all candidates together leave what Clang evaluates in one constant: asking it is
// still no error. And more entries and violations than lists have room for are said, not lost.
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
using namespace sp::literals;

namespace {

struct small_card {
  static constexpr sp::device_spec spec{.name = "1 MiB", .memory = 1_MiB};
};
struct deep_model {
  static constexpr sp::transformer shape{.layers = 256,
                                         .hidden = 1024,
                                         .heads = 32,
                                         .kv_heads = 8,
                                         .ffn = 1024,
                                         .vocab = 1024,
                                         .experts{.count = 64, .top_k = 8, .ffn = 2048, .shared_ffn = 2048, .leading_dense = 3}};
};
using hopeless = sp::plan<sp::model<deep_model>, sp::cluster<small_card, 16, 256>, sp::sequence<1024>, sp::micro_batch<64>,
                          sp::global_batch<4096>, sp::pp<256>>;
static_assert(!sp::valid<hopeless> && !sp::fits<hopeless> && sp::violations_of<hopeless>::count == 1);
static_assert(hopeless::found[0].try_this == sp::remedy{});

// 100 empty stages, and a sum and a number of entries that do not match: 102 violations, 64 of them listed.
template <int... Zero>
constexpr auto empty_split(sp::detail::index_pack<int, Zero...>) -> sp::layer_split<(Zero * 0)...>;
using empty = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<small_card, 8, 1>, sp::sequence<1024>, sp::micro_batch<1>,
                       sp::global_batch<64>, decltype(empty_split(sp::detail::make_index_pack<100>{}))>;
static_assert(empty::violation_count == 102 && empty::found.size() == 64 && empty::found.left_out == 38);
template <class>
inline constexpr std::int64_t hidden_count = 0;
template <class... Violations>
inline constexpr std::int64_t hidden_count<sp::violations<Violations...>> = (0 + ... + hidden_count<Violations>);
template <std::int64_t Count>
inline constexpr std::int64_t hidden_count<sp::and_more<Count>> = Count;
static_assert(hidden_count<sp::violations_of<empty>> == 38);

// 300 entries: more than a split has room for, one violation.
using crowded = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<small_card, 8, 1>, sp::sequence<1024>, sp::micro_batch<1>,
                         sp::global_batch<64>, decltype(empty_split(sp::detail::make_index_pack<300>{}))>;
static_assert(sp::detail::same<sp::violations_of<crowded>,
                               sp::violations<sp::out_of_range<sp::layer_split_entries<300>, sp::at_least<1>, sp::at_most<256>>>>);

}  // namespace
