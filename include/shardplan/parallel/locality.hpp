// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/divisor.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/parallel/groups.hpp>

#include <cstdint>

namespace shardplan {

/// Whether every group lies inside one domain of `domain` consecutive ranks, by the exact rule: the group has one rank, or the world is one
/// domain, or size x stride of the group's slowest axis divides the domain. (Brute-forced in the tests for worlds up to 64.)
/// Error: `argument_out_of_range` when `domain` is not positive.
template <class Groups = process_groups>
constexpr bool stay_inside(const Groups& groups, std::int64_t domain) {
  if (domain < 1) argument_out_of_range();
  if (groups.size <= 1 || groups.count * groups.size <= domain) return true;
  const axis_run& slowest = groups.own.values[groups.own.length - 1];
  return domain % (slowest.size * slowest.stride) == 0;
}

/// How the groups lie over domains of consecutive ranks.
struct domain_spread {
  std::int64_t groups = 0;          ///< groups in all
  std::int64_t size = 0;            ///< ranks in each
  std::int64_t inside = 0;          ///< groups that lie inside one domain
  std::int64_t most_domains = 0;    ///< domains that the most scattered group touches
  std::int64_t fewest_members = 0;  ///< ranks of one group in one domain that it touches, the fewest anywhere
  std::int64_t most_members = 0;    ///< the same, the most anywhere

  /// Groups that lie in more than one domain.
  constexpr std::int64_t astride() const { return groups - inside; }

  friend constexpr bool operator==(const domain_spread& left, const domain_spread& right) {
    return left.groups == right.groups && left.size == right.size && left.inside == right.inside &&
           left.most_domains == right.most_domains && left.fewest_members == right.fewest_members &&
           left.most_members == right.most_members;
  }
};

namespace detail {

// Members in ascending order, cut where the domain changes. With one piece only `first` counts; inner pieces are those between the ends.
struct cut_members {
  std::int64_t cuts = 0;          // pieces - 1
  std::int64_t first = 1;         // members in the first piece
  std::int64_t last = 1;          // members in the last piece
  std::int64_t fewest_inner = 0;  // 0: no inner piece
  std::int64_t most_inner = 0;
};

template <class Cut>
constexpr void note_inner(Cut& total, std::int64_t members) {
  if (total.fewest_inner == 0 || members < total.fewest_inner) total.fewest_inner = members;
  if (members > total.most_inner) total.most_inner = members;
}

// `next` behind `total`, with a change of domain between them or not.
template <class Cut>
constexpr void append_members(Cut& total, const Cut& next, bool change) {
  const std::int64_t joined = change ? total.last : total.last + next.first;
  if (next.fewest_inner != 0) {
    note_inner(total, next.fewest_inner);
    note_inner(total, next.most_inner);
  }
  if (!change && next.cuts == 0) {
    if (total.cuts == 0) total.first = joined;
    total.last = joined;
    return;
  }
  // The piece that was last is complete now; so is the first of `next` if it stands apart and is not the last.
  if (total.cuts == 0) {
    total.first = joined;
  } else {
    note_inner(total, joined);
  }
  if (change && next.cuts != 0) note_inner(total, next.first);
  total.last = next.last;
  total.cuts += next.cuts + (change ? 1 : 0);
}

// The members over the `level` fastest runs of a group that begins `start` ranks behind the begin of a domain. Neighbours along a run
// repeat their pattern after a period that is a multiple of the domain: after two of them nothing new is seen, so that no loop grows with
// the world.
template <class Runs>
constexpr cut_members cut_from(const Runs& own, std::size_t level, std::int64_t start, std::int64_t domain) {
  cut_members total{};
  if (level == 0) return total;
  const axis_run& run = own.values[level - 1];
  std::int64_t span = 0;  // from the first member of a block to its last
  for (std::size_t at = 0; at + 1 < level; ++at) span += (own.values[at].size - 1) * own.values[at].stride;
  const std::int64_t period = domain / greatest_divisor(domain, run.stride);
  const bool repeats = run.size > 3 * period;
  const std::int64_t walked = repeats ? 2 * period + run.size % period : run.size;
  std::int64_t cuts_after_one = 0;
  std::int64_t cuts_after_two = 0;
  std::int64_t from = start;
  for (std::int64_t block = 0; block < walked; ++block) {
    const auto next = cut_from(own, level - 1, from, domain);
    if (block == 0) {
      total = next;
    } else {
      // `from` lies in [0, domain): the block before began one stride earlier.
      const std::int64_t end_before = from - run.stride + span;
      append_members(total, next, end_before < 0);
    }
    if (block + 1 == period) cuts_after_one = total.cuts;
    if (block + 1 == 2 * period) cuts_after_two = total.cuts;
    from = (from + run.stride) % domain;
  }
  if (repeats) total.cuts += (run.size - walked) / period * (cuts_after_two - cuts_after_one);
  return total;
}

// Visits one first member for each distance from the begin of its domain that occurs along `others`, `weight` of them at once.
template <class Groups>
constexpr void spread_from(const Groups& groups, std::size_t level, std::int64_t start, std::int64_t weight, std::int64_t domain,
                           domain_spread& result) {
  if (level == 0) {
    const auto pieces = cut_from(groups.own, groups.own.length, start, domain);
    if (pieces.cuts == 0) result.inside += weight;
    if (pieces.cuts + 1 > result.most_domains) result.most_domains = pieces.cuts + 1;
    const std::int64_t found[4] = {pieces.first, pieces.cuts == 0 ? pieces.first : pieces.last,
                                   pieces.fewest_inner == 0 ? pieces.first : pieces.fewest_inner,
                                   pieces.fewest_inner == 0 ? pieces.first : pieces.most_inner};
    for (const std::int64_t members : found) {
      if (result.fewest_members == 0 || members < result.fewest_members) result.fewest_members = members;
      if (members > result.most_members) result.most_members = members;
    }
    return;
  }
  const axis_run& run = groups.others.values[level - 1];
  const std::int64_t period = domain / greatest_divisor(domain, run.stride);
  for (std::int64_t at = 0; at < run.size && at < period; ++at)
    spread_from(groups, level - 1, (start + at * run.stride) % domain, weight * ((run.size - at + period - 1) / period), domain, result);
}

}  // namespace detail

/// How the groups lie over domains of `domain` consecutive ranks. Exact; its cost depends on the domain, not on the world.
/// Error: `argument_out_of_range` when `domain` is not positive.
template <class Groups = process_groups>
constexpr domain_spread spread_over(const Groups& groups, std::int64_t domain) {
  if (domain < 1) argument_out_of_range();
  domain_spread result{};
  if (groups.count == 0) return result;
  result.groups = groups.count;
  result.size = groups.size;
  if (stay_inside(groups, domain)) {  // the common answer, without a walk
    result.inside = groups.count;
    result.most_domains = 1;
    result.fewest_members = result.most_members = groups.size;
    return result;
  }
  detail::spread_from(groups, groups.others.length, 0, 1, domain, result);
  return result;
}

}  // namespace shardplan
