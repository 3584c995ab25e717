// SPDX-License-Identifier: BSL-1.0
#pragma once

/// A table over lists of parts, as an autotuner's grid: opt-in, with Boost.Hana's Cartesian product behind it.

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/sink.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/timing/timing.hpp>

// clang-format off
#include <shardplan/core/push_user_macros.hpp>
#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <shardplan/core/pop_user_macros.hpp>
// clang-format on

#include <cstdint>

namespace shardplan {

/// In a `list<...>`: parts that are said together, or none: `list<parts<>, parts<pp<4>, schedule<schedules::zb_h1>>>`.
template <detail::needed_part... Parts>
struct parts {};

namespace detail {

template <class Type>
inline constexpr bool is_parts = false;
template <class... Parts>
inline constexpr bool is_parts<parts<Parts...>> = true;

template <class Entry>
concept sweep_entry = is_parts<Entry> || needed_part<Entry>;

}  // namespace detail

/// In a `sweep<...>`: the values of one axis, each a part or `parts<...>`. At least one.
template <detail::sweep_entry First, detail::sweep_entry... Further>
struct list {};

/// One row of a sweep, its figures as in `evaluate`.
struct sweep_row {
  bool valid = false;            ///< whether the plan keeps all rules
  bool fits = false;             ///< whether it can be computed and its worst stage fits the device
  std::int64_t world_size = 0;   ///< devices; 0 when a rule of the first two tiers is broken
  std::int64_t replicas = 0;     ///< replicas of the batch, without cp; 0 as above
  bytes peak_memory{};           ///< of the worst stage; 0 as above
  violation broken{};            ///< the first broken rule of an invalid plan, without legal values and remedy
  double step = 0;               ///< estimate: seconds of a step of a valid plan; 0 where there is none, or no rate of the device
  double tokens_per_second = 0;  ///< estimate, of all devices: the same
};

namespace detail {

template <class Type>
inline constexpr bool is_list = false;
template <class... Entries>
inline constexpr bool is_list<list<Entries...>> = true;

// Bit `part_kind` of each part that an axis may say: 0 where it is no list.
template <class Entry>
inline constexpr std::uint64_t kinds_of_entry = std::uint64_t{1} << static_cast<int>(Entry::kind);
template <class... Together>
inline constexpr std::uint64_t kinds_of_entry<parts<Together...>> = (std::uint64_t{0} | ... | kinds_of_entry<Together>);
template <class Axis>
inline constexpr std::uint64_t kinds_of_list = 0;
template <class... Entries>
inline constexpr std::uint64_t kinds_of_list<list<Entries...>> = (std::uint64_t{0} | ... | kinds_of_entry<Entries>);

template <class Axis>
concept sweep_axis = is_list<Axis> || sweep_entry<Axis>;

// The lists of a sweep as a Hana tuple of tuples of types, and the parts that every row has.
template <class Fixed, class Lists, class... Axes>
struct sorted_axes;
template <class Fixed, class... Lists>
struct sorted_axes<Fixed, boost::hana::tuple<Lists...>> {
  using fixed = Fixed;
  using product = decltype(boost::hana::cartesian_product(boost::hana::tuple<Lists...>{}));
};
template <class Fixed, class... Lists, class... Entries, class... Axes>
struct sorted_axes<Fixed, boost::hana::tuple<Lists...>, list<Entries...>, Axes...>
    : sorted_axes<Fixed, boost::hana::tuple<Lists..., boost::hana::tuple<boost::hana::type<Entries>...>>, Axes...> {};
template <class... Fixed, class Lists, class... Together, class... Axes>
struct sorted_axes<parts<Fixed...>, Lists, parts<Together...>, Axes...> : sorted_axes<parts<Fixed..., Together...>, Lists, Axes...> {};
template <class... Fixed, class Lists, class Part, class... Axes>
requires(!is_list<Part> && !is_parts<Part>) struct sorted_axes<parts<Fixed...>, Lists, Part, Axes...>
    : sorted_axes<parts<Fixed..., Part>, Lists, Axes...> {
};

// What was chosen in a row behind what every row has, as a plan.
template <class Said, class... Entries>
struct joined_parts;
template <class... Said>
struct joined_parts<parts<Said...>> {
  using type = plan<Said...>;
  using core = plan_core<Said...>;
};
template <class... Said, class... Together, class... Entries>
struct joined_parts<parts<Said...>, parts<Together...>, Entries...> : joined_parts<parts<Said..., Together...>, Entries...> {};
template <class... Said, class Entry, class... Entries>
struct joined_parts<parts<Said...>, Entry, Entries...> : joined_parts<parts<Said..., Entry>, Entries...> {};

template <class Fixed, class Row>
struct plan_of_row;
template <class Fixed, class... Chosen>
struct plan_of_row<Fixed, boost::hana::tuple<Chosen...>> : joined_parts<Fixed, typename Chosen::type...> {};

// Rows by their index, as bases: Hana's `at_c` would carry the whole product in the name of each function.
template <int Index, class Row>
struct indexed_row {};
template <class Indices, class Product>
struct indexed_rows;
template <int... Indices, class... Rows>
struct indexed_rows<index_pack<int, Indices...>, boost::hana::tuple<Rows...>> : indexed_row<Indices, Rows>... {};
template <class Fixed, int Index, class Row>
plan_of_row<Fixed, Row> plan_at(const indexed_row<Index, Row>*);

template <class Product>
inline constexpr int rows_in = 0;
template <class... Rows>
inline constexpr int rows_in<boost::hana::tuple<Rows...>> = static_cast<int>(sizeof...(Rows));

// As much of a `violation_list` as a row has room for.
struct first_violation {
  static_vector<violation, 1> items{};
  std::int64_t left_out = 0;
};
template <class Core>
constexpr violation first_broken() {
  recording_sink<first_violation> sink{};
  check_all<Core::judges_host>(Core::spec, sink);
  return sink.list.items.values[0];
}

template <class Row>
constexpr sweep_row row_of_plan() {
  using run = typename Row::type;
  sweep_row row{};
  if constexpr (run::violation_count == 0) {
    row.valid = row.fits = true;
    row.step = run::timing.step;
    row.tokens_per_second = run::timing.tokens_per_second;
  } else {
    row.fits = memory_fits(run::spec);
    row.broken = first_broken<typename Row::core>();
  }
  row.world_size = run::world_size;
  row.replicas = run::data_parallel;
  row.peak_memory = run::peak_memory;
  return row;
}
// A constant for each row, so that each has a budget of its own.
template <class Row>
inline constexpr sweep_row row_of = row_of_plan<Row>();

}  // namespace detail

/// All combinations of the lists, with what every row has said once beside them: `sweep<model<M>, cluster<D, 8, 2>, sequence<4096>,
/// micro_batch<1>, global_batch<64>, list<tp<1>, tp<2>>, list<zero<0>, zero<3>>>` has four rows. The last list changes fastest: row 1 is
/// tp 1 with ZeRO-3. A row is not computed before it is asked for; a combination that breaks a rule is a row that says which.
template <detail::sweep_axis... Axes>
requires(detail::is_list<Axes> || ...) struct sweep {
private:
  using axes = detail::sorted_axes<parts<>, boost::hana::tuple<>, Axes...>;

public:
  /// Rows: the product of the lengths of the lists.
  static constexpr int size = detail::rows_in<typename axes::product>;
  /// Bit `part_kind` of each part that a list says: what rows differ in.
  static constexpr std::uint64_t varied = (std::uint64_t{0} | ... | detail::kinds_of_list<Axes>);

private:
  using rows = detail::indexed_rows<detail::make_index_pack<size>, typename axes::product>;
  template <int Index>
  using entry = decltype(detail::plan_at<typename axes::fixed, Index>(static_cast<rows*>(nullptr)));

public:
  /// The plan type of a row, 0 to size - 1: the parts that every row has, then what was chosen of each list.
  template <int Index>
  requires(Index >= 0 && Index < size) using at = typename entry<Index>::type;
  /// The figures of a row.
  template <int Index>
  requires(Index >= 0 && Index < size) static constexpr sweep_row row = detail::row_of<entry<Index>>;
};

namespace detail {

template <class Sweep, class Rows>
struct rows_of_sweep;
template <class Sweep, int... Indices>
struct rows_of_sweep<Sweep, index_pack<int, Indices...>> {
  static constexpr sweep_row rows[sizeof...(Indices)] = {Sweep::template row<Indices>...};
};

}  // namespace detail

/// All rows of a sweep as an array of `Sweep::size`: computes them all.
template <class Sweep>
inline constexpr auto& rows_of = detail::rows_of_sweep<Sweep, detail::make_index_pack<Sweep::size>>::rows;

/// The valid row with the shortest estimated step, the first of equals; -1 when none is valid and has an estimate.
template <class Sweep>
inline constexpr int fastest_row = [] {
  int best = -1;
  for (int index = 0; index < Sweep::size; ++index) {
    const sweep_row& row = rows_of<Sweep>[index];
    if (row.valid && row.step > 0 && (best < 0 || row.step < rows_of<Sweep>[best].step)) best = index;
  }
  return best;
}();

/// The valid row that needs the least memory, the first of equals; -1 when none is valid.
template <class Sweep>
inline constexpr int leanest_row = [] {
  int best = -1;
  for (int index = 0; index < Sweep::size; ++index) {
    const sweep_row& row = rows_of<Sweep>[index];
    if (row.valid && (best < 0 || row.peak_memory < rows_of<Sweep>[best].peak_memory)) best = index;
  }
  return best;
}();

}  // namespace shardplan
