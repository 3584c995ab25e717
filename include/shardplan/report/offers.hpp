// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/report/seconds.hpp>
#include <shardplan/report/text.hpp>

#include <cstdint>
#include <string>

namespace shardplan::report {

namespace detail {

inline std::string words_of_cost(const step_cost& before, const step_cost& after) {
  std::string out = "network " + from_to(gib(before.network), gib(after.network)) + " GiB a rank";
  if (before.host.count != 0 || after.host.count != 0) out += ", PCIe " + from_to(gib(before.host), gib(after.host)) + " GiB";
  if (before.nvme.count != 0 || after.nvme.count != 0) out += ", NVMe " + from_to(gib(before.nvme), gib(after.nvme)) + " GiB";
  if (after.seconds > 0)
    out +=
        ", step " + from_to(seconds_in_words(before.seconds), seconds_in_words(after.seconds)) + " s, " +
        from_to(grouped(static_cast<std::int64_t>(before.tokens_per_second)), grouped(static_cast<std::int64_t>(after.tokens_per_second))) +
        " tokens/s";
  return out;
}

inline std::string percent(fraction share) {
  const std::int64_t per_mille = share.numerator * 1000 / share.denominator;
  return std::to_string(per_mille / 10) + "." + std::to_string(per_mille % 10) + " %";
}

}  // namespace detail

/// What makes a plan fit, a line each: the change, the peak with it, what it costs. Times are estimates. Where there is none, why.
inline std::string text_of(const remedy_offers& offers) {
  std::string out;
  for (const remedy& change : offers.beside) out += (out.empty() ? "   each with " : " and ") + std::string{sentence_of(change).c_str()};
  if (!out.empty()) out += ", which other rules ask for\n";
  for (const remedy_offer& offer : offers) {
    out += std::string{"   "} + sentence_of(offer.changes.first).c_str();
    const remedy others[] = {offer.changes.second, offer.changes.third};
    for (const remedy& other : others)
      if (other.kind != remedy_kind::nothing_small_helps) out += std::string{" and "} + sentence_of(other).c_str();
    out += ": peak " + gib(offer.peak) + " GiB; " + detail::words_of_cost(offer.cost_before, offer.cost) + "\n";
  }
  if (!offers.empty()) return out;
  switch (offers.why) {
    case no_offer::fits: return "   nothing lacks memory\n";
    case no_offer::not_asked: return "   memory is asked once the other rules are kept\n";
    case no_offer::other_rules: return "   what makes it fit is looked for once the other rules are kept\n";
    default: return "   no change that is tried makes it fit\n";
  }
}

/// What makes a plan wait less, a line each: the change, the idle share by formula, the peak, what it costs. Times are estimates. Of a
/// pipeline a last line says where memory ends more micro-batches.
inline std::string text_of(const idle_offers& offers) {
  std::string out;
  for (const idle_offer& offer : offers) {
    out += "   ";
    if (offer.change.kind == remedy_kind::schedule) {
      out += std::string{"schedule "} + offer.schedule.name.c_str();
      if (offer.schedule.chunks > 1) out += ", " + std::to_string(offer.schedule.chunks) + " chunks a rank";
    } else {
      out += sentence_of(offer.change).c_str();
    }
    out += ": idle " + detail::from_to(detail::percent(offer.idle_before), detail::percent(offer.idle)) + "; peak " + gib(offer.peak) +
           " GiB; " + detail::words_of_cost(offer.cost_before, offer.cost) + "\n";
  }
  switch (offers.why) {
    case no_idle_offer::none: break;
    case no_idle_offer::rules_broken:
      return "   nothing was looked for: rules are broken, and what the error line and `remedies_of` name comes first\n";
    case no_idle_offer::nothing_to_hide:
      return "   nothing to offer: without a pipeline nothing idles, and no communication is left to hide\n";
    case no_idle_offer::nothing_helps: out = "   nothing to offer: no change that is tried makes it wait less and keep all rules\n"; break;
  }
  if (offers.room.most > 0) {
    const std::string most = grouped(offers.room.most);
    out += offers.room.ends ? "   more micro-batches: memory ends them at " + most + "\n"
                            : "   more micro-batches: memory does not end them (" + most + " were looked at)\n";
  }
  return out;
}

}  // namespace shardplan::report
