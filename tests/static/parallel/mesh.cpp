// SPDX-License-Identifier: BSL-1.0
// Ranks and their groups: the orders of five codes, laws of every mesh.
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/parallel/rank_order.hpp>

#include "../handbook/refused.hpp"

#include <cstddef>
#include <cstdint>

using namespace shardplan;

constexpr degrees grid_of(std::int64_t tp, std::int64_t cp, std::int64_t dp, std::int64_t pp, std::int64_t ep = 1, std::int64_t etp = 1) {
  return {.world = tp * cp * dp * pp, .tp = tp, .pp = pp, .dp = dp, .cp = cp, .ep = ep, .etp = etp};
}

template <std::size_t Groups, std::size_t Members>
constexpr bool begins(const process_groups& groups, std::int64_t count, const int (&wanted)[Groups][Members]) {
  if (groups.count != count || groups.size != static_cast<std::int64_t>(Members)) return false;
  for (std::size_t group = 0; group < Groups; ++group)
    for (std::size_t member = 0; member < Members; ++member)
      if (groups.rank(static_cast<std::int64_t>(group), static_cast<std::int64_t>(member)) != wanted[group][member]) return false;
  return true;
}

// The docstring of Megatron-LM's initialize_model_parallel: 16 ranks, tp 2, pp 4.
constexpr mesh docstring = mesh_of(grid_of(2, 1, 2, 4));
static_assert(begins(groups_of(docstring, axis::tp), 8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
static_assert(begins(groups_of(docstring, axis::dp), 8, {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
static_assert(begins(groups_of(docstring, axis::pp), 4, {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
static_assert(begins(groups_of(docstring, axis::model_parallel), 2, {{0, 1, 4, 5, 8, 9, 12, 13}, {2, 3, 6, 7, 10, 11, 14, 15}}));

// Its example of context parallelism: 8 ranks, tp 4, cp 2.
constexpr mesh context = mesh_of(grid_of(4, 2, 1, 1));
static_assert(begins(groups_of(context, axis::cp), 4, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
static_assert(begins(groups_of(context, axis::dp_cp), 4, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}) && groups_of(context, axis::dp).size == 1);

// The handbook's 64 devices: stage s is ranks 16 s to 16 s + 15.
constexpr mesh handbook64 = mesh_of(grid_of(4, 1, 4, 4));
static_assert(begins(groups_of(handbook64, axis::dp), 16,
                     {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}, {16, 20, 24, 28}}));
static_assert(begins(groups_of(handbook64, axis::pp), 16, {{0, 16, 32, 48}, {1, 17, 33, 49}}));

// Folding: 64 ranks, tp 2, cp 2, pp 2; experts ep 4, etp 2.
constexpr mesh folded = mesh_of(grid_of(2, 2, 8, 2, 4, 2));
static_assert(begins(groups_of(folded, axis::dp), 8, {{0, 4, 8, 12, 16, 20, 24, 28}, {1, 5, 9, 13, 17, 21, 25, 29}}));
static_assert(begins(groups_of(folded, axis::ep), 16, {{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}}));
static_assert(begins(groups_of(folded, axis::edp), 16, {{0, 8, 16, 24}, {1, 9, 17, 25}}));
static_assert(begins(groups_of(folded, axis::tensor_and_expert), 8, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}));
static_assert(grids_agree(folded) && groups_of(folded, axis::pp).rank(0, 1) == 32);

// Llama 3: [TP, CP, PP, DP]; rank 0 has 1, 2, 4 and 8 for neighbours.
constexpr mesh llama = mesh_of(grid_of(2, 2, 2, 2), rank_orders::llama3);
static_assert(begins(groups_of(llama, axis::tp), 8, {{0, 1}}) && begins(groups_of(llama, axis::cp), 8, {{0, 2}}) &&
              begins(groups_of(llama, axis::pp), 8, {{0, 4}}) && begins(groups_of(llama, axis::dp), 8, {{0, 8}}));
static_assert(begins(groups_of(llama, axis::dp_cp), 4, {{0, 2, 8, 10}, {1, 3, 9, 11}, {4, 6, 12, 14}, {5, 7, 13, 15}}));

// torchtitan: two replicas of two shards; and ep 8 that borrows dp_shard x cp x tp.
constexpr mesh hybrid = mesh_of(grid_of(2, 1, 4, 2), rank_orders::torchtitan, 2);
static_assert(begins(groups_of(hybrid, axis::fsdp), 8, {{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
static_assert(begins(groups_of(hybrid, axis::dp_replicate), 8, {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}}));
static_assert(begins(groups_of(hybrid, axis::dp), 4, {{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}}));
constexpr mesh borrowed = mesh_of(grid_of(2, 2, 4, 2, 8), rank_orders::torchtitan);
static_assert(begins(groups_of(borrowed, axis::ep), 4, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}));
static_assert(begins(groups_of(borrowed, axis::edp_shard), 16, {{0, 8}, {1, 9}, {2, 10}}));
static_assert(begins(groups_of(borrowed, axis::fsdp), 4, {{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}}));

// DeepSpeed numbers as Megatron-LM does; in nanotron ep is the slowest axis of all.
static_assert(rank_orders::deepspeed == rank_orders::megatron);
constexpr mesh apart = mesh_of(grid_of(2, 1, 8, 2, 4, 2), rank_orders::nanotron);
static_assert(begins(groups_of(apart, axis::ep), 8, {{0, 8, 16, 24}, {1, 9, 17, 25}}) && groups_of(apart, axis::dp).size == 2 &&
              begins(groups_of(apart, axis::dp | axis::ep), 4, {{0, 2, 8, 10, 16, 18, 24, 26}}) && grids_agree(apart) &&
              begins(groups_of(apart, axis::edp), 16, {{0, 2}, {1, 3}, {4, 6}}));

// The handbook's text: dp slowest. calculon numbers so too.
constexpr axis text_words[] = {axis::tp, axis::pp, axis::dp};
constexpr mesh text_order = mesh_of(grid_of(4, 1, 4, 4), rank_order_of(text_words, 3));
static_assert(begins(groups_of(text_order, axis::pp), 16, {{0, 4, 8, 12}}) &&
              begins(groups_of(text_order, axis::dp), 16, {{0, 16, 32, 48}}));

// 16 context ranks as 2 x 2 x 4, Megatron-LM's hierarchical_context_parallel_sizes; and the same behind tp 2.
constexpr process_groups sixteen = groups_of(mesh_of(grid_of(1, 16, 1, 1)), axis::cp);
static_assert(begins(level_of(sixteen, 1, 2), 8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
static_assert(begins(level_of(sixteen, 2, 2), 8, {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
static_assert(begins(level_of(sixteen, 4, 4), 4, {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
constexpr process_groups behind = groups_of(mesh_of(grid_of(2, 4, 2, 1)), axis::cp);
static_assert(begins(level_of(behind, 1, 2), 8, {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}}));
static_assert(begins(level_of(behind, 2, 2), 8, {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}}));
static_assert(refused([] { return level_of(sixteen, 3, 2); }) && refused([] { return level_of(groups_of(llama, axis::dp_cp), 1, 2); }));

// Words of an order: each axis once; etp and edp follow tp and dp.
constexpr axis default_words[] = {axis::tp, axis::cp, axis::ep, axis::dp, axis::pp};
constexpr axis llama_words[] = {axis::tp, axis::cp, axis::pp, axis::ep, axis::dp_shard, axis::dp_replicate};
constexpr axis twice[] = {axis::tp, axis::dp, axis::dp_shard};
constexpr axis of_experts[] = {axis::etp};
constexpr axis several[] = {axis::model_parallel};
static_assert(rank_order_of(default_words, 5) == rank_orders::megatron && rank_order_of(default_words, 0) == rank_orders::megatron &&
              rank_order_of(llama_words, 6) == rank_orders::llama3);
static_assert(refused([] { return rank_order_of(twice, 3); }) && refused([] { return rank_order_of(of_experts, 1); }) &&
              refused([] { return rank_order_of(several, 1); }));
template <auto... Words>
concept is_order = requires {
  typename rank_order<Words...>;
};
static_assert(is_order<rank_orders::torchtitan> && is_order<axis::pp, axis::dp, axis::ep, axis::cp, axis::tp> &&
              is_order<axis::tp, axis::cp, axis::ep, axis::dp_shard, axis::dp_replicate, axis::pp>);
static_assert(!is_order<> && !is_order<axis::tp> && !is_order<axis::tp, axis::cp, axis::ep, axis::dp> && !is_order<1> &&
              !is_order<axis::tp, axis::cp, axis::ep, axis::dp, axis::pp, axis::tp> && !is_order<axis::tp, rank_orders::llama3> &&
              !is_order<axis::tp, axis::cp, axis::etp, axis::dp, axis::pp>);

// Stages of the experts that are not those of the dense weights.
static_assert(!grids_agree(mesh_of(grid_of(2, 2, 2, 2, 4), rank_orders::llama3)));
static_assert(grids_agree(mesh_of(grid_of(2, 2, 2, 2, 4), rank_orders::megatron)));
static_assert(grids_agree(mesh_of(grid_of(2, 2, 4, 1, 4), rank_orders::llama3)));
static_assert(grids_agree(mesh_of(grid_of(2, 1, 4, 2, 4, 2), rank_orders::llama3)));

// What cannot be.
static_assert(refused([] { return mesh_of(degrees{.world = 8, .tp = 2}); }));
static_assert(refused([] { return mesh_of(grid_of(2, 1, 2, 2, 8)); }));
static_assert(refused([] { return mesh_of(grid_of(2, 1, 3, 2), rank_orders::megatron, 2); }));
static_assert(refused([] { return mesh_of(grid_of(1, 1, 8, 1), static_cast<rank_orders>(0x654320)); }));
static_assert(refused([] { return groups_of(folded, axis::tp | axis::ep); }));
static_assert(refused([] { return groups_of(folded, axis::tp).rank(32, 0); }) &&
              refused([] { return groups_of(folded, axis::tp).rank(0, 2); }) &&
              refused([] { return groups_of(folded, axis::tp).group_of(64); }) &&
              refused([] { return index_along(folded, axis::tp, -1); }) && refused([] { return rank_at(folded, {.tp = 2}); }));
static_assert(groups_of(mesh{}, axis::tp).count == 0);

// 131,072 ranks are as many numbers as 8.
constexpr mesh huge = mesh_of(grid_of(8, 4, 256, 16));
static_assert(huge.world == 131'072 && groups_of(huge, axis::dp_cp).rank(127, 1023) == 131'071 &&
              coordinates_of(huge, 131'071) == rank_coordinates{.tp = 7, .cp = 3, .dp_shard = 255, .pp = 15, .edp_shard = 8191} &&
              sizeof huge == sizeof docstring);

// Laws, over a grid of meshes: a rank has one place in each grid and each place one rank; the groups of any set of axes deal out the world
// once, and say of each rank in which it is.
constexpr axis sets[] = {axis::tp,
                         axis::cp,
                         axis::dp_shard,
                         axis::dp_replicate,
                         axis::pp,
                         axis::etp,
                         axis::ep,
                         axis::edp_shard,
                         axis::dp,
                         axis::edp,
                         axis::dp_cp,
                         axis::fsdp,
                         axis::model_parallel,
                         axis::tensor_and_expert,
                         axis::none};
constexpr bool holds(const mesh& ranks) {
  for (std::int64_t rank = 0; rank < ranks.world; ++rank) {
    const rank_coordinates where = coordinates_of(ranks, rank);
    if (rank_at(ranks, where) != rank) return false;
    if (grids_agree(ranks) && contains(detail::names_of(ranks.dense), axis::ep) == false && size_along(ranks, axis::dp_replicate) == 1 &&
        expert_rank_at(ranks, where) != rank)
      return false;
  }
  for (const axis set : sets) {
    const process_groups groups = groups_of(ranks, set);
    if (groups.count * groups.size != ranks.world || groups.size != size_along(ranks, set)) return false;
    bool seen[64]{};
    for (std::int64_t group = 0; group < groups.count; ++group) {
      std::int64_t last = -1;
      for (std::int64_t member = 0; member < groups.size; ++member) {
        const std::int64_t rank = groups.rank(group, member);
        if (rank < 0 || rank >= ranks.world || seen[rank] || rank <= last) return false;
        if (groups.group_of(rank) != group || groups.member_of(rank) != member || index_along(ranks, set, rank) != member) return false;
        seen[rank] = true;
        last = rank;
      }
    }
  }
  return true;
}
template <rank_orders Order>
constexpr bool holds_in = holds(mesh_of(grid_of(2, 2, 4, 2, 4, 2), Order)) && holds(mesh_of(grid_of(2, 1, 4, 2, 2), Order, 2)) &&
                          holds(mesh_of(grid_of(3, 1, 2, 5), Order)) && holds(mesh_of(grid_of(1, 1, 1, 1), Order));
static_assert(holds_in<rank_orders::megatron>);
static_assert(holds_in<rank_orders::torchtitan>);
static_assert(holds_in<rank_orders::nanotron>);
static_assert(holds_in<rank_orders::llama3>);

// Renaming: what two axes are called does not matter, only where they stand. Swapping the words and the sizes of tp and pp swaps their
// groups.
constexpr axis renamed_words[] = {axis::pp, axis::cp, axis::ep, axis::dp, axis::tp};
constexpr bool same(const process_groups& left, const process_groups& right) {
  if (left.count != right.count || left.size != right.size) return false;
  for (std::int64_t group = 0; group < left.count; ++group)
    for (std::int64_t member = 0; member < left.size; ++member)
      if (left.rank(group, member) != right.rank(group, member)) return false;
  return true;
}
constexpr mesh named = mesh_of(grid_of(2, 3, 2, 4));
constexpr mesh renamed = mesh_of(grid_of(4, 3, 2, 2), rank_order_of(renamed_words, 5));
static_assert(same(groups_of(named, axis::tp), groups_of(renamed, axis::pp)) &&
              same(groups_of(named, axis::pp), groups_of(renamed, axis::tp)) &&
              same(groups_of(named, axis::cp), groups_of(renamed, axis::cp)) &&
              same(groups_of(named, axis::dp_cp), groups_of(renamed, axis::dp_cp)) &&
              same(groups_of(named, axis::model_parallel), groups_of(renamed, axis::model_parallel)));
