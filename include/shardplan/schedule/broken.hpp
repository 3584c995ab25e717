// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/index_pack.hpp>
#include <shardplan/schedule/invariant.hpp>
#include <shardplan/schedule/prove.hpp>

#include <cstdint>

/// Broken invariants as types, for error messages: `runs_before_its_input<rank<2>, f<mb<3>>>`. All of them are only declared.

namespace shardplan {

template <int Index>
struct rank;  ///< a pipeline rank
template <int Index>
struct from;  ///< the rank that sends
template <int Index>
struct mb;  ///< a micro-batch
template <int Index>
struct chunk;  ///< a chunk on its rank, where a rank has more than one
template <int Index>
struct slice;  ///< a slice of the sequence, where it is cut
template <class... Place>
struct f;  ///< a forward
template <class... Place>
struct b;  ///< a full backward
template <class... Place>
struct i;  ///< a gradient of the input
template <class... Place>
struct w;  ///< a gradient of the weights
template <std::int64_t Number>
struct says;  ///< what it should be
template <std::int64_t Number>
struct found;  ///< what it is

template <class Rank, class Op>
struct no_such_op;  ///< micro-batch, chunk or slice outside the table's sizes
template <class Rank, class Op>
struct runs_twice;  ///< the same op again
template <class Rank, class Op>
struct backward_before_forward;  ///< B or I before its F
template <class Rank, class Op>
struct weight_gradient_before_input_gradient;  ///< W before its I
template <class Rank, class Op>
struct both_whole_and_split;  ///< B together with I or W
template <class Rank, class Op>
struct overlaps_no_backward;  ///< an overlapped op without its other half
template <class Rank, class Op>
struct never_runs;  ///< a missing op
template <class Rank, class Op>
struct runs_before_its_input;  ///< stands before what it waits for, on its rank or in a circle of ranks
template <class From, class Rank, class Op>
struct arrives_out_of_order;  ///< received in another order than sent
template <class Says, class Found>
struct sends_more_or_less;  ///< another number of messages than the placement needs
template <class Rank, class Says, class Found>
struct keeps_more_than_it_says;  ///< more live activations than `in_flight`
template <class Rank, class Says, class Found>
struct peak_differs_from_closed_form;  ///< live activations, until W or until I, other than by an exact closed form
template <class Rank, class Op>
struct gradients_complete_out_of_order;  ///< a lower chunk complete before a higher one
template <class Says, class Found>
struct bubble_differs_from_closed_form;  ///< makespan bubble at F = I = W = 1, in ticks of one op
template <class Says, class Found>
struct faster_than_possible;  ///< makespan below a lower bound at F = I = W = 1, in ticks of one op

/// What is broken in a schedule's table, as a list of types; empty when it is proven.
template <class... Broken>
struct broken_list {
  static constexpr int size = sizeof...(Broken);
};

/// Declared and never defined: its name in an error message lists what is broken.
template <class Schedule, class... Broken>
struct schedule_rejected;

namespace detail {

template <template <class...> class Kind, int MicroBatch, int Chunk, int Slice, bool Chunks, bool Slices>
struct spelled_op {
  using type = Kind<mb<MicroBatch>>;
};
template <template <class...> class Kind, int MicroBatch, int Chunk, int Slice>
struct spelled_op<Kind, MicroBatch, Chunk, Slice, true, false> {
  using type = Kind<mb<MicroBatch>, chunk<Chunk>>;
};
template <template <class...> class Kind, int MicroBatch, int Chunk, int Slice>
struct spelled_op<Kind, MicroBatch, Chunk, Slice, false, true> {
  using type = Kind<mb<MicroBatch>, slice<Slice>>;
};
template <template <class...> class Kind, int MicroBatch, int Chunk, int Slice>
struct spelled_op<Kind, MicroBatch, Chunk, Slice, true, true> {
  using type = Kind<mb<MicroBatch>, chunk<Chunk>, slice<Slice>>;
};
template <op_kind Kind, int... Place>
struct spelled_kind;
template <int MicroBatch, int Chunk, int Slice, int Chunks, int Slices>
struct spelled_kind<op_kind::forward, MicroBatch, Chunk, Slice, Chunks, Slices>
    : spelled_op<f, MicroBatch, Chunk, Slice, (Chunks > 1), (Slices > 1)> {};
template <int MicroBatch, int Chunk, int Slice, int Chunks, int Slices>
struct spelled_kind<op_kind::backward, MicroBatch, Chunk, Slice, Chunks, Slices>
    : spelled_op<b, MicroBatch, Chunk, Slice, (Chunks > 1), (Slices > 1)> {};
template <int MicroBatch, int Chunk, int Slice, int Chunks, int Slices>
struct spelled_kind<op_kind::input_gradient, MicroBatch, Chunk, Slice, Chunks, Slices>
    : spelled_op<i, MicroBatch, Chunk, Slice, (Chunks > 1), (Slices > 1)> {};
template <int MicroBatch, int Chunk, int Slice, int Chunks, int Slices>
struct spelled_kind<op_kind::weight_gradient, MicroBatch, Chunk, Slice, Chunks, Slices>
    : spelled_op<w, MicroBatch, Chunk, Slice, (Chunks > 1), (Slices > 1)> {};

template <class Table, int At>
struct broken_place {
  static constexpr broken_invariant item = Table::items.values[At];
  using where = rank<item.rank>;
  using sender = from<item.other_rank>;
  using what = typename spelled_kind<item.item.kind, item.item.micro_batch, item.item.chunk, item.item.slice, Table::shape.chunks,
                                     Table::shape.slices>::type;
  using expected = says<item.says>;
  using actual = found<item.found>;
};
template <invariant What, class Place>
struct spelled_broken;
#define SHARDPLAN_SPELL_OP(name)                                    \
  template <class Place>                                            \
  struct spelled_broken<invariant::name, Place> {                   \
    using type = name<typename Place::where, typename Place::what>; \
  };
SHARDPLAN_SPELL_OP(no_such_op)
SHARDPLAN_SPELL_OP(runs_twice)
SHARDPLAN_SPELL_OP(backward_before_forward)
SHARDPLAN_SPELL_OP(weight_gradient_before_input_gradient)
SHARDPLAN_SPELL_OP(both_whole_and_split)
SHARDPLAN_SPELL_OP(overlaps_no_backward)
SHARDPLAN_SPELL_OP(never_runs)
SHARDPLAN_SPELL_OP(runs_before_its_input)
SHARDPLAN_SPELL_OP(gradients_complete_out_of_order)
#undef SHARDPLAN_SPELL_OP
template <class Place>
struct spelled_broken<invariant::arrives_out_of_order, Place> {
  using type = arrives_out_of_order<typename Place::sender, typename Place::where, typename Place::what>;
};
template <class Place>
struct spelled_broken<invariant::keeps_more_than_it_says, Place> {
  using type = keeps_more_than_it_says<typename Place::where, typename Place::expected, typename Place::actual>;
};
template <class Place>
struct spelled_broken<invariant::peak_differs_from_closed_form, Place> {
  using type = peak_differs_from_closed_form<typename Place::where, typename Place::expected, typename Place::actual>;
};
template <class Place>
struct spelled_broken<invariant::sends_more_or_less, Place> {
  using type = sends_more_or_less<typename Place::expected, typename Place::actual>;
};
template <class Place>
struct spelled_broken<invariant::bubble_differs_from_closed_form, Place> {
  using type = bubble_differs_from_closed_form<typename Place::expected, typename Place::actual>;
};
template <class Place>
struct spelled_broken<invariant::faster_than_possible, Place> {
  using type = faster_than_possible<typename Place::expected, typename Place::actual>;
};

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
struct proof_items {
  static constexpr broken_invariants items = proof<Schedule, Ranks, MicroBatches>;
  static constexpr table_shape shape = shape_for<Schedule, Ranks, MicroBatches>;
};
template <class Items, class Indices>
struct spelled_proof;
template <class Items, int... At>
struct spelled_proof<Items, index_pack<int, At...>> {
  using type = broken_list<typename spelled_broken<Items::items.values[At].what, broken_place<Items, At>>::type...>;
};

template <class Schedule, class List>
struct judged_schedule;
template <class Schedule>
struct judged_schedule<Schedule, broken_list<>> {
  static constexpr bool ok = true;
};
template <class Schedule, class First, class... More>
struct judged_schedule<Schedule, broken_list<First, More...>> {
  enum : unsigned long { explanation = sizeof(schedule_rejected<Schedule, First, More...>) };  // the one error
  static constexpr bool ok = true;                                                             // nothing fails twice
};

}  // namespace detail

/// What is broken in the table of `Schedule` at p ranks and m micro-batches: `broken_list<>`, or up to eight of the types above.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
using broken_in =
    typename detail::spelled_proof<detail::proof_items<Schedule, Ranks, MicroBatches>,
                                   detail::make_index_pack<static_cast<int>(proof<Schedule, Ranks, MicroBatches>.size())>>::type;

/// Insists: `static_assert(sp::checked_schedule<mine, 4, 8>)` is one error that names everything broken, with its place.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr bool checked_schedule = detail::judged_schedule<Schedule, broken_in<Schedule, Ranks, MicroBatches>>::ok;

}  // namespace shardplan
