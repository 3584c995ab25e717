// SPDX-License-Identifier: BSL-1.0
#pragma once

/// A table over lists of parts, as an autotuner's grid: opt-in, with Boost.Hana's Cartesian product behind it.

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/plan/facts.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/sink.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/search/refusals.hpp>
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

/// In a `sweep<...>`: the values of one axis, each a part or `parts<...>`. One without values is an error line that names
/// `list_without_values<list<>>`.
template <detail::sweep_entry... Entries>
struct list {};

/// Most rows that `rows_of` computes: about 20 s and 1 GB of a compiler (docs/reference/search.md).
inline constexpr int most_sweep_rows = 1024;

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

// The entries of a list by their index, as bases.
template <int Index, class Entry>
struct indexed_entry {
  using type = Entry;
};
template <class Indices, class... Entries>
struct indexed_entries;
template <int... Indices, class... Entries>
struct indexed_entries<index_pack<int, Indices...>, Entries...> : indexed_entry<Indices, Entries>... {};
template <int Index, class Entry>
indexed_entry<Index, Entry> entry_at(const indexed_entry<Index, Entry>*);

template <class List>
struct entries_of;
template <class... Entries>
struct entries_of<list<Entries...>> {
  static constexpr std::int64_t count = sizeof...(Entries);
  using indexed = indexed_entries<make_index_pack<static_cast<int>(sizeof...(Entries))>, Entries...>;
  using hana_types = boost::hana::tuple<boost::hana::type<Entries>...>;
};
template <class List, int Index>
using listed_entry = typename decltype(entry_at<Index>(static_cast<typename entries_of<List>::indexed*>(nullptr)))::type;

// The lists of a sweep in order.
template <class... Lists>
struct sweep_lists {
  static constexpr int count = sizeof...(Lists);
  static constexpr std::int64_t lengths[sizeof...(Lists) + 1] = {entries_of<Lists>::count..., 1};
};
// Rows that the lists behind one have: for so many rows that one stays as it is.
template <class Lists>
constexpr std::int64_t rows_behind(int at) {
  std::int64_t product = 1;
  for (int behind = at + 1; behind < Lists::count; ++behind) product = saturating_multiply(product, Lists::lengths[behind]);
  return product;
}
template <class Lists>
inline constexpr std::int64_t rows_in = rows_behind<Lists>(-1);
template <class Lists>
constexpr int place_in(int row, int at) {
  return static_cast<int>(row / rows_behind<Lists>(at) % Lists::lengths[at]);
}

// What no list says, and the lists. A list without values is left out: it was refused by name.
template <class Fixed, class Lists, class... Axes>
struct sorted_axes {
  using fixed = Fixed;
  using lists = Lists;
};
template <class Fixed, class Lists, class... Axes>
struct sorted_axes<Fixed, Lists, list<>, Axes...> : sorted_axes<Fixed, Lists, Axes...> {};
template <class Fixed, class... Lists, class First, class... Entries, class... Axes>
struct sorted_axes<Fixed, sweep_lists<Lists...>, list<First, Entries...>, Axes...>
    : sorted_axes<Fixed, sweep_lists<Lists..., list<First, Entries...>>, Axes...> {};
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

// A row by its number alone: of the others nothing is instantiated.
template <int Row, class Fixed, class... Lists, int... At>
joined_parts<Fixed, listed_entry<Lists, place_in<sweep_lists<Lists...>>(Row, At)>...> row_at(sweep_lists<Lists...>*,
                                                                                             index_pack<int, At...>);
template <int Row, class Sorted>
using row_of_sorted =
    decltype(row_at<Row, typename Sorted::fixed>(static_cast<typename Sorted::lists*>(nullptr), make_index_pack<Sorted::lists::count>{}));

template <class Lists>
struct hana_product;
template <class... Lists>
struct hana_product<sweep_lists<Lists...>> {
  using type = decltype(boost::hana::cartesian_product(boost::hana::tuple<typename entries_of<Lists>::hana_types...>{}));
};

template <class List>
inline constexpr bool has_values = true;
template <class... Entries>
requires(sizeof...(Entries) == 0) inline constexpr bool has_values<list<Entries...>> = refused_list<list<Entries...>>::ok;

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
/// tp 1 with ZeRO-3. A row that is not asked for costs nothing; a combination that breaks a rule is a row that says which.
template <detail::sweep_axis... Axes>
struct sweep {
private:
  using sorted = detail::sorted_axes<parts<>, detail::sweep_lists<>, Axes...>;
  enum : bool { has_lists = (detail::has_values<Axes> && ...) };

public:
  /// Rows: the product of the lengths of the lists, at most 2^31 - 1; 1 without a list.
  static constexpr int size = detail::rows_in<typename sorted::lists> > INT32_MAX
                                  ? INT32_MAX
                                  : static_cast<int>(detail::rows_in<typename sorted::lists>);
  /// Bit `part_kind` of each part that a list says: what rows differ in.
  static constexpr std::uint64_t varied = (std::uint64_t{0} | ... | detail::kinds_of_list<Axes>);
  /// The plan type of a row, 0 to size - 1: the parts that every row has, then what was chosen of each list.
  template <int Index>
  requires(Index >= 0 && Index < size) using at = typename detail::row_of_sorted<Index, sorted>::type;
  /// The figures of a row.
  template <int Index>
  requires(Index >= 0 && Index < size) static constexpr sweep_row row = detail::row_of<detail::row_of_sorted<Index, sorted>>;
  /// The Cartesian product of the lists as Boost.Hana makes it, rows in the same order: a `hana::tuple` of
  /// `hana::tuple<hana::type<part>...>`.
  template <class Sorted = sorted>
  using product = typename detail::hana_product<typename Sorted::lists>::type;
};

namespace detail {

template <int Rows>
struct refused_rows {
  enum : unsigned long { explanation = sizeof(sweep_too_large<candidates<Rows>, at_most<most_sweep_rows>>) };
  static constexpr int count = 1;  // so that nothing fails a second time
};
template <class Sweep, bool TooMany = (Sweep::size > most_sweep_rows)>
inline constexpr int computed_rows = Sweep::size;
template <class Sweep>
inline constexpr int computed_rows<Sweep, true> = refused_rows<Sweep::size>::count;

template <class Sweep, class Rows>
struct rows_of_sweep;
template <class Sweep, int... Indices>
struct rows_of_sweep<Sweep, index_pack<int, Indices...>> {
  static constexpr sweep_row rows[sizeof...(Indices)] = {Sweep::template row<Indices>...};
};

}  // namespace detail

/// All rows of a sweep as an array of `Sweep::size`: computes them all. Error: one line that names `sweep_too_large` for more than
/// `most_sweep_rows`.
template <class Sweep>
inline constexpr auto& rows_of = detail::rows_of_sweep<Sweep, detail::make_index_pack<detail::computed_rows<Sweep>>>::rows;

/// The valid row with the shortest estimated step, the first of equals; -1 when none is valid and has an estimate.
template <class Sweep>
inline constexpr int fastest_row = [] {
  int best = -1;
  int index = -1;
  for (const sweep_row& row : rows_of<Sweep>) {
    ++index;
    if (row.valid && row.step > 0 && (best < 0 || row.step < rows_of<Sweep>[best].step)) best = index;
  }
  return best;
}();

/// The valid row that needs the least memory, the first of equals; -1 when none is valid.
template <class Sweep>
inline constexpr int leanest_row = [] {
  int best = -1;
  int index = -1;
  for (const sweep_row& row : rows_of<Sweep>) {
    ++index;
    if (row.valid && (best < 0 || row.peak_memory < rows_of<Sweep>[best].peak_memory)) best = index;
  }
  return best;
}();

}  // namespace shardplan
