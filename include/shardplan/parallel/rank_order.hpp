// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/parallel/axis.hpp>

#include <cstdint>

namespace shardplan {

/// How ranks are numbered: the order of the axes, fastest first, packed into one number so that a spec pays for no list. The names are the
/// orders of known codes; `rank_order_of` makes any other. In the grid of routed experts etp stands in the place of tp and edp in that of
/// dp. Four bits an axis from the lowest: 1 tp, 2 cp, 3 ep, 4 dp_shard, 5 dp_replicate, 6 pp; bit 24: ep is an axis of the dense grid too.
enum class rank_orders : std::uint32_t {
  megatron = 0x654321,    ///< tp-cp-ep-dp-pp (Megatron-LM `parallel_state.py`); the default
  deepspeed = 0x654321,   ///< model, data, pipe (DeepSpeed `runtime/pipe/topology.py`): the same numbers
  torchtitan = 0x654321,  ///< tp-cp-dp_shard-dp_replicate-pp (torchtitan `parallel_dims.py`): the same numbers, its ep and efsdp included
  llama3 = 0x543621,      ///< tp-cp-pp-dp, ep before dp: the pipeline inside the replica (arXiv 2407.21783 section 3.3.2)
  nanotron = 0x1365421,   ///< tp-cp-dp-pp-ep: ep is an axis of its own, slowest (nanotron `parallel/context.py`)
};

namespace detail {
inline constexpr std::uint32_t ep_is_dense = std::uint32_t{1} << 24;
inline constexpr std::uint32_t ordered_axes = 6;  // tp to pp: the low bits of `axis`

// The bits of `words`, or all bits where one is repeated, is no word of an order, or is no single axis (but dp).
constexpr std::uint32_t named_axes(const axis* words, int count) {
  std::uint32_t named = 0;
  for (int at = 0; at < count; ++at) {
    const auto word = static_cast<std::uint32_t>(words[at]);
    const bool single = word != 0 && (word & (word - 1)) == 0;
    if ((!single && words[at] != axis::dp) || word >> ordered_axes != 0 || (named & word) != 0) return ~std::uint32_t{0};
    named |= word;
  }
  return named;
}
}  // namespace detail

/// The order that names `count` axes, fastest first; `axis::dp` is dp_shard, then dp_replicate. An axis that is left out is appended, as
/// Megatron-LM does; it should have size 1. Error: `argument_out_of_range` when an axis is named twice or is no axis of an order (etp and
/// edp follow tp and dp).
constexpr rank_orders rank_order_of(const axis* words, int count) {
  const std::uint32_t named = detail::named_axes(words, count);
  if (named >> detail::ordered_axes != 0) argument_out_of_range();
  std::uint32_t packed = 0;
  std::uint32_t place = 0;
  for (int at = 0; at <= count; ++at) {
    const std::uint32_t word = at < count ? static_cast<std::uint32_t>(words[at]) : ~named;
    for (std::uint32_t bit = 0; bit < detail::ordered_axes; ++bit) {
      if ((word >> bit & 1) == 0) continue;
      packed |= (bit + 1) << place;
      place += 4;
    }
  }
  return static_cast<rank_orders>(packed);
}

/// Whether a number is an order: each axis once, four bits each, and nothing else but the bit of a dense ep.
template <class Order = rank_orders>
constexpr bool names_all_axes(Order order) {
  const auto packed = static_cast<std::uint32_t>(order);
  std::uint32_t named = 0;
  for (std::uint32_t place = 0; place < 4 * detail::ordered_axes; place += 4) named |= std::uint32_t{1} << (packed >> place & 15);
  return named == 0x7e && (packed | detail::ep_is_dense) >> 24 == 1;
}

namespace detail {
template <auto... Words>
struct order_words {
  static constexpr bool complete = false;
};
template <axis... Words>
struct order_words<Words...> {
  static constexpr axis words[sizeof...(Words) + 1] = {Words..., axis::none};
  static constexpr bool complete = named_axes(words, sizeof...(Words)) == (std::uint32_t{1} << ordered_axes) - 1;
  static constexpr rank_orders order() { return rank_order_of(words, sizeof...(Words)); }
};
template <rank_orders Order>
struct order_words<Order> {
  static constexpr bool complete = true;
  static constexpr rank_orders order() { return Order; }
};
}  // namespace detail

/// One of `rank_orders`, or all axes of an order, each once.
template <auto... Words>
concept names_every_axis_once = detail::order_words<Words...>::complete;

/// Part of a plan (default `rank_orders::megatron`): how ranks are numbered. `rank_order<rank_orders::llama3>`, or all axes, fastest first:
/// `rank_order<axis::tp, axis::cp, axis::ep, axis::dp, axis::pp>`; each must be named once (dp_shard and dp_replicate may stand for dp), so
/// that none is without a place.
template <auto... Words>
requires(names_every_axis_once<Words...>) struct rank_order {
  static constexpr part_kind kind = part_kind::rank_order;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::rank_order>(spec);
    spec.rank_order = detail::order_words<Words...>::order();
  }
};

}  // namespace shardplan
