// SPDX-License-Identifier: BSL-1.0
// Bytes of collectives against a ring that is simulated chunk by chunk, and the laws of trees, levels and switches.
#include <shardplan/traffic/algorithms.hpp>
#include <shardplan/traffic/collective.hpp>

namespace sp = shardplan;
using sp::collective;

namespace {

constexpr int most_ranks = 16;

// What each rank of a simulated ring sent and received; `right` when every rank ended with what the collective promises.
struct ring {
  std::int64_t sent[most_ranks]{};
  std::int64_t received[most_ranks]{};
  bool right = true;
};

// In each step every rank sends one chunk to its successor. A reduce-scatter begins with the chunk before its own, so that it ends with its
// own; an all-gather begins with its own.
constexpr void run_reduce_scatter(ring& result, int ranks, std::int64_t elements) {
  int summands[most_ranks][most_ranks]{};
  for (int rank = 0; rank < ranks; ++rank)
    for (int chunk = 0; chunk < ranks; ++chunk) summands[rank][chunk] = 1;
  for (int step = 0; step < ranks - 1; ++step) {
    int arriving[most_ranks]{};
    for (int rank = 0; rank < ranks; ++rank) arriving[(rank + 1) % ranks] = summands[rank][(rank - 1 - step + 2 * ranks) % ranks];
    for (int rank = 0; rank < ranks; ++rank) {
      const int chunk = (rank - 1 - step + 2 * ranks) % ranks;
      result.sent[rank] += sp::chunk_of(elements, ranks, chunk);
      result.received[(rank + 1) % ranks] += sp::chunk_of(elements, ranks, chunk);
      summands[(rank + 1) % ranks][chunk] += arriving[(rank + 1) % ranks];
    }
  }
  for (int rank = 0; rank < ranks; ++rank) result.right = result.right && summands[rank][rank] == ranks;
}
constexpr void run_all_gather(ring& result, int ranks, std::int64_t elements) {
  bool has[most_ranks][most_ranks]{};
  for (int rank = 0; rank < ranks; ++rank) has[rank][rank] = true;
  for (int step = 0; step < ranks - 1; ++step) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int chunk = (rank - step + ranks) % ranks;
      result.right = result.right && has[rank][chunk] && !has[(rank + 1) % ranks][chunk];
      result.sent[rank] += sp::chunk_of(elements, ranks, chunk);
      result.received[(rank + 1) % ranks] += sp::chunk_of(elements, ranks, chunk);
    }
    for (int rank = 0; rank < ranks; ++rank) has[(rank + 1) % ranks][(rank - step + ranks) % ranks] = true;
  }
  for (int rank = 0; rank < ranks; ++rank)
    for (int chunk = 0; chunk < ranks; ++chunk) result.right = result.right && has[rank][chunk];
}
constexpr ring run(collective how, int ranks, std::int64_t elements) {
  ring result{};
  if (how != collective::all_gather) run_reduce_scatter(result, ranks, elements);
  if (how != collective::reduce_scatter) run_all_gather(result, ranks, elements);
  return result;
}

constexpr bool formulas_hold(collective how, std::int64_t elements) {
  const std::int64_t passes = how == collective::all_reduce ? 2 : 1;
  for (int ranks = 2; ranks <= most_ranks; ++ranks) {
    const ring simulated = run(how, ranks, elements);
    if (!simulated.right) return false;
    std::int64_t sum = 0;
    std::int64_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      if (simulated.sent[rank] != sp::ring_sent(how, elements, ranks, rank)) return false;
      if (simulated.received[rank] != sp::ring_received(how, elements, ranks, rank)) return false;
      sum += simulated.sent[rank];
      if (simulated.sent[rank] > most) most = simulated.sent[rank];
    }
    if (most != sp::most_ring_sent(how, elements, ranks)) return false;
    if (sum != passes * (ranks - 1) * elements) return false;
    if (elements % ranks == 0 && sp::ring_factor(how, ranks) * sp::fraction{elements} != sp::fraction{most}) return false;
  }
  return true;
}
template <std::int64_t Elements>
constexpr bool all_hold = formulas_hold(collective::reduce_scatter, Elements) && formulas_hold(collective::all_gather, Elements) &&
                          formulas_hold(collective::all_reduce, Elements);

static_assert(all_hold<0> && all_hold<1> && all_hold<2> && all_hold<15> && all_hold<16> && all_hold<17>);
static_assert(all_hold<720'720> && all_hold<720'721> && all_hold<720'719> && all_hold<1'000'003>);

// An all-to-all: what all send is what all receive, the formula where the ranks divide.
constexpr bool all_to_all_balances(std::int64_t elements, std::int64_t ranks) {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    sent += sp::ring_sent(collective::all_to_all, elements, ranks, rank);
    received += sp::ring_received(collective::all_to_all, elements, ranks, rank);
  }
  return sent == received && sent == (ranks - 1) * elements;
}
static_assert(all_to_all_balances(64, 8) && all_to_all_balances(67, 8) && all_to_all_balances(3, 8) && all_to_all_balances(1000, 7));
static_assert(sp::ring_sent(collective::all_to_all, 64, 8, 0) == 56);

// One rank sends nothing to itself, and a send is the whole tensor.
static_assert(sp::ring_sent(collective::all_reduce, 100, 1, 0) == 0 && sp::most_ring_sent(collective::all_gather, 100, 1) == 0);
static_assert(sp::ring_sent(collective::send, 100, 2, 0) == 100 && sp::ring_factor(collective::send, 2) == 1);
static_assert(sp::ring_steps(collective::all_reduce, 8) == 14 && sp::ring_steps(collective::all_gather, 8) == 7);

// Trees: n - 1 edges in each, half of the tensor up and down each edge.
constexpr bool trees_balance(std::int64_t elements) {
  for (std::int64_t ranks = 2; ranks <= 64; ++ranks) {
    std::int64_t children = 0;
    std::int64_t sent = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      children += sp::tree_children(ranks, rank);
      sent += sp::tree_sent(elements, ranks, rank);
      if (sp::tree_children(ranks, rank) > 2 || sp::tree_sent(elements, ranks, rank) > 5 * (elements - elements / 2)) return false;
    }
    if (children != ranks - 1 || sent != 2 * (ranks - 1) * elements) return false;
  }
  return true;
}
static_assert(trees_balance(1000) && trees_balance(1001));

// The fullest rank by its closed form, rank by rank.
constexpr bool fullest_of_trees(std::int64_t elements, std::int64_t least, std::int64_t last) {
  for (std::int64_t ranks = least; ranks <= last; ++ranks) {
    std::int64_t most = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      if (sp::tree_sent(elements, ranks, rank) > most) most = sp::tree_sent(elements, ranks, rank);
    if (most != sp::most_tree_sent(elements, ranks)) return false;
  }
  return true;
}
static_assert(fullest_of_trees(1000, 1, 100) && fullest_of_trees(1001, 1, 100));
static_assert(fullest_of_trees(7, 255, 258) && fullest_of_trees(1, 1, 40));

// A switch: the whole tensor up and its sum down; of a reduce-scatter a chunk down, of an all-gather a chunk up and the others down. Over
// all ranks every chunk comes down where it is needed, once.
constexpr bool switch_delivers(std::int64_t elements) {
  for (std::int64_t ranks = 2; ranks <= 20; ++ranks) {
    std::int64_t scattered = 0;
    std::int64_t up = 0;
    std::int64_t gathered = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      scattered += sp::in_switch_received(collective::reduce_scatter, elements, ranks, rank);
      up += sp::in_switch_sent(collective::all_gather, elements, ranks, rank);
      gathered += sp::in_switch_received(collective::all_gather, elements, ranks, rank);
      if (sp::in_switch_sent(collective::reduce_scatter, elements, ranks, rank) != elements) return false;
      if (sp::in_switch_sent(collective::all_reduce, elements, ranks, rank) != sp::in_switch_sent(elements, ranks)) return false;
      if (sp::in_switch_received(collective::all_reduce, elements, ranks, rank) != elements) return false;
    }
    if (scattered != elements || up != elements || gathered != (ranks - 1) * elements) return false;
  }
  return true;
}
static_assert(switch_delivers(1000) && switch_delivers(1001) && switch_delivers(3));

// By levels: what leaves the node is a g-th of the tensor's ring.
static_assert(sp::hierarchical_all_reduce(1024, 8, 4).inside == 2 * 7 * 1024 / 8);
static_assert(sp::hierarchical_all_reduce(1024, 8, 4).between == 2 * 3 * 128 / 4);
static_assert(sp::in_switch_sent(1024, 8) == 1024 && sp::in_switch_gain(8) == sp::fraction(7, 4));

}  // namespace
