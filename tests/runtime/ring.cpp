// SPDX-License-Identifier: BSL-1.0
// Ring collectives moved element by element: the result must be right, and what each rank sent and received must be what `ring_share` says.
#include "catch.hpp"

#include <shardplan/traffic/collective.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using shardplan::collective;

// Every rank has a tensor of its own; neighbours pass parts on, rank r to rank r + 1 and no other.
class ring {
public:
  ring(std::int64_t ranks, std::int64_t elements) : ranks_(ranks), elements_(elements), shares_(static_cast<std::size_t>(ranks)) {
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      tensors_.emplace_back();
      for (std::int64_t at = 0; at < elements; ++at) tensors_.back().push_back(1000 * rank + at);
    }
  }

  // Part r starts at rank r + 1 and goes up, around the end, to rank r: n - 1 hops, each adding.
  void reduce_scatter() {
    for (std::int64_t hop = 0; hop + 1 < ranks_; ++hop)
      for (std::int64_t part = 0; part < ranks_; ++part) pass(part, (part + 1 + hop) % ranks_, true);
  }
  // Part r starts, whole, at rank r.
  void all_gather() {
    for (std::int64_t hop = 0; hop + 1 < ranks_; ++hop)
      for (std::int64_t part = 0; part < ranks_; ++part) pass(part, (part + hop) % ranks_, false);
  }
  std::int64_t at(std::int64_t rank, std::int64_t element) const {
    return tensors_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(element)];
  }
  shardplan::sent_received share(std::int64_t rank) const { return shares_[static_cast<std::size_t>(rank)]; }
  std::int64_t first(std::int64_t part) const {
    std::int64_t begin = 0;
    for (std::int64_t earlier = 0; earlier < part; ++earlier) begin += shardplan::even_part(elements_, ranks_, earlier);
    return begin;
  }

private:
  void pass(std::int64_t part, std::int64_t from, bool add) {
    const std::int64_t to = (from + 1) % ranks_;
    for (std::int64_t at = first(part); at < first(part + 1); ++at) {
      std::int64_t& target = tensors_[static_cast<std::size_t>(to)][static_cast<std::size_t>(at)];
      const std::int64_t source = tensors_[static_cast<std::size_t>(from)][static_cast<std::size_t>(at)];
      target = add ? target + source : source;
      ++shares_[static_cast<std::size_t>(from)].sent;
      ++shares_[static_cast<std::size_t>(to)].received;
    }
  }

  std::int64_t ranks_;
  std::int64_t elements_;
  std::vector<std::vector<std::int64_t>> tensors_{};
  std::vector<shardplan::sent_received> shares_;
};

std::int64_t sum_of(std::int64_t ranks, std::int64_t element) { return 1000 * ranks * (ranks - 1) / 2 + ranks * element; }

}  // namespace

TEST_CASE("a ring of 2 to 16 ranks sends what the closed form says, also where sizes do not divide") {
  for (std::int64_t ranks = 2; ranks <= 16; ++ranks)
    for (std::int64_t elements = 0; elements <= 3 * ranks + 1; ++elements) {
      INFO(ranks << " ranks, " << elements << " elements");
      ring moved{ranks, elements};
      moved.reduce_scatter();
      std::int64_t total = 0;
      std::vector<shardplan::sent_received> scattered;
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        for (std::int64_t at = moved.first(rank); at < moved.first(rank + 1); ++at) REQUIRE(moved.at(rank, at) == sum_of(ranks, at));
        REQUIRE(moved.share(rank) == shardplan::ring_share(collective::reduce_scatter, elements, ranks, rank));
        total += moved.share(rank).sent;
        scattered.push_back(moved.share(rank));
      }
      REQUIRE(total == (ranks - 1) * elements);
      moved.all_gather();
      total = 0;
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        for (std::int64_t at = 0; at < elements; ++at) REQUIRE(moved.at(rank, at) == sum_of(ranks, at));
        REQUIRE(moved.share(rank) == shardplan::ring_share(collective::all_reduce, elements, ranks, rank));
        const shardplan::sent_received before = scattered[static_cast<std::size_t>(rank)];
        const shardplan::sent_received gathered{moved.share(rank).sent - before.sent, moved.share(rank).received - before.received};
        REQUIRE(gathered == shardplan::ring_share(collective::all_gather, elements, ranks, rank));
        total += moved.share(rank).sent;
        // The ideal is met where n divides, and missed by less than an element a pass where it does not.
        const shardplan::fraction ideal = shardplan::ring_sent(collective::all_reduce, shardplan::bytes{elements}, ranks);
        const shardplan::fraction off = shardplan::fraction{moved.share(rank).sent} - ideal;
        REQUIRE((elements % ranks == 0 ? off == 0 : off < 2 && off > -2));
      }
      REQUIRE(total == 2 * (ranks - 1) * elements);
    }
}

TEST_CASE("an all-to-all sends every part to its rank") {
  for (std::int64_t ranks = 1; ranks <= 16; ++ranks)
    for (std::int64_t elements = 0; elements <= 3 * ranks + 1; ++elements) {
      std::vector<shardplan::sent_received> moved(static_cast<std::size_t>(ranks));
      for (std::int64_t from = 0; from < ranks; ++from)
        for (std::int64_t to = 0; to < ranks; ++to)
          if (from != to) {
            moved[static_cast<std::size_t>(from)].sent += shardplan::even_part(elements, ranks, to);
            moved[static_cast<std::size_t>(to)].received += shardplan::even_part(elements, ranks, to);
          }
      for (std::int64_t rank = 0; rank < ranks; ++rank)
        REQUIRE(moved[static_cast<std::size_t>(rank)] == shardplan::ring_share(collective::all_to_all, elements, ranks, rank));
    }
}
