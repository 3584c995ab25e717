// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Models made of one's own layer types, for what a `transformer` cannot say: a vision tower before a language model, state-space layers
/// between attention layers, an encoder and a decoder.
#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/model/tensor.hpp>

#include <cstdint>

// clang-format off
#include <shardplan/core/push_user_macros.hpp>
#include <boost/hana/basic_tuple.hpp>
#include <shardplan/core/pop_user_macros.hpp>
// clang-format on

namespace shardplan {

namespace detail {

template <class Type>
inline constexpr bool is_tensor_array = false;
template <>
inline constexpr bool is_tensor_array<const tensor[]> = true;  // a member of a class template that nobody has asked for yet (Clang)
template <std::size_t Count>
inline constexpr bool is_tensor_array<const tensor[Count]> = true;

// Whether a layer can be counted: it stands in the model, each of its tensors has elements, and a token uses no more experts than there
// are.
template <class Layer>
constexpr bool is_countable_layer() {
  if (Layer::repeats < 1) return false;
  if constexpr (requires { Layer::head_width; })
    if (Layer::head_width < 1) return false;
  for (const tensor& item : Layer::tensors) {
    if (item.rows < 1 || item.columns < 1 || item.copies < 1) return false;
    if constexpr (requires { Layer::top_k; })
      if (is_routed(item.purpose) && (Layer::top_k < 1 || Layer::top_k > item.copies)) return false;
  }
  return true;
}

}  // namespace detail

/// A layer type. `static constexpr shardplan::tensor tensors[]` lists what one such layer trains, in the order of a forward pass, and
/// `static constexpr std::int64_t repeats` says how often it stands in the model. `copies` of a tensor are those in one layer;
/// `multiplicity` is not read. A layer with routed experts says in `static constexpr std::int64_t top_k` how many copies of a tensor whose
/// role `is_routed` one token uses; without it a token uses all. `static constexpr std::int64_t head_width` (1 unless said) is the width of
/// a head: tensor parallelism cuts `split::key_value` between heads. A count below 1, or a `top_k` above the copies, fails the concept.
template <class Layer>
concept layer = requires {
  requires detail::same<typename detail::plain<decltype(Layer::repeats)>::type, std::int64_t>;
  requires detail::is_tensor_array<decltype(Layer::tensors)>;
  requires detail::is_countable_layer<Layer>();
};

/// What a `network` is made of: a `layer`, or a model with a `shape`, which stands there whole with its embedding and head.
template <class Element>
concept network_element = layer<Element> || transformer_model<Element>;

/// A model of the given elements in that order. Its parameters are counted and its tensors listed by `parameter_count`,
/// `active_parameter_count` and `tensors`, as those of any model, exact; memory/network_states.hpp has the states of a rank. It has no
/// `shape`, so that it fails the concept `transformer_model` of `model<>`: no plan takes it, because what its layers keep for backward is
/// not known.
/// Name one by derivation, which keeps messages short: `struct my_model : shardplan::network<tower, projector, language> {};`
template <network_element... Elements>
struct network {
  /// The elements as a Boost.Hana tuple.
  using elements = boost::hana::basic_tuple<Elements...>;

  /// Trained parameters. Errors: a figure beyond 63 bits is an `arithmetic_error`; so below.
  static constexpr std::int64_t count_parameters() {
    std::int64_t sum = 0;
    (visit<Elements>([&](const tensor& item, std::int64_t) { add(sum, item.elements(), item.multiplicity); }), ...);
    return sum;
  }
  /// Parameters that one token uses: all but those of routed experts that it does not visit.
  static constexpr std::int64_t count_active_parameters() {
    std::int64_t sum = 0;
    (visit<Elements>([&](const tensor& item, std::int64_t used) { add(sum, item.elements(), used); }), ...);
    return sum;
  }
  /// Every distinct tensor with its multiplicity in the model: a `static_vector` that has room for exactly these.
  static constexpr auto list_tensors() {
    constexpr std::size_t distinct = [] {
      std::size_t count = 0;
      (visit<Elements>([&](const tensor&, std::int64_t) { ++count; }), ...);
      return count;
    }();
    static_vector<tensor, (distinct > 0 ? distinct : 1)> list{};
    (visit<Elements>([&](const tensor& item, std::int64_t) { list.push_back(item); }), ...);
    return list;
  }
  /// Calls `tell(tensor, head_width)` for the same tensors in the same order.
  template <class Tell>
  static constexpr void visit_tensors(Tell tell) {
    (visit<Elements>([&](const tensor& item, std::int64_t) { tell(item, head_width_of<Elements>()); }), ...);
  }

private:
  template <class Element>
  static constexpr std::int64_t head_width_of() {
    if constexpr (transformer_model<Element>) {
      return Element::shape.head_width();
    } else if constexpr (requires { Element::head_width; }) {
      return Element::head_width;
    } else {
      return 1;
    }
  }
  static constexpr void add(std::int64_t& sum, std::int64_t elements_of_one, std::int64_t times) {
    sum = checked_add(sum, checked_multiply(elements_of_one, times));
  }
  // Tells `tell(tensor, used)` each tensor of an element, its multiplicity filled in, and how many of those one token uses.
  template <class Element, class Tell>
  static constexpr void visit(Tell tell) {
    if constexpr (transformer_model<Element>) {
      for (const tensor& item : tensors_of(Element::shape))
        tell(item, is_routed(item.purpose) ? checked_multiply(exact_divide(item.multiplicity, item.copies), Element::shape.experts.top_k)
                                           : item.multiplicity);
    } else {
      for (tensor item : Element::tensors) {
        item.multiplicity = checked_multiply(item.copies, Element::repeats);
        std::int64_t used = item.multiplicity;
        if constexpr (requires { Element::top_k; })
          if (is_routed(item.purpose)) used = checked_multiply(Element::top_k, Element::repeats);
        tell(item, used);
      }
    }
  }
};

}  // namespace shardplan
