// SPDX-License-Identifier: BSL-1.0
// What came of the rows of a file: a line each, a summary of each group of rows that share a bound, and one verdict.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace truth {

/// How strictly a row is judged.
enum class strength {
  exact,  ///< every digit, or it fails
  bound,  ///< inside a stated interval, each row or a share of a group's rows
  print   ///< both figures are shown, nothing can fail
};

inline const char* name_of(strength how) {
  switch (how) {
    case strength::exact: return "exact";
    case strength::bound: return "bound";
    case strength::print: return "print";
  }
  return "";
}

/// A figure of ours beside one of theirs, in the unit of the row (bytes where it is a unit of bytes).
struct comparison {
  std::string id = "";
  std::string group = "";   ///< rows that share a bound: source and metric
  std::string reason = "";  ///< why no plan can say the row; empty: it can
  double ours = 0;
  double theirs = 0;
  std::string ours_text = "";  ///< figures that are no numbers
  std::string theirs_text = "";
  strength how = strength::print;
  bool good = true;       ///< of an expressible row: inside its own bound
  std::string note = "";  ///< words for people

  bool expressible() const { return reason.empty(); }
  double difference() const { return ours - theirs; }
  double percent() const { return theirs == 0 ? (ours == 0 ? 0 : 100) : 100 * (ours - theirs) / theirs; }
};

/// A bound of a whole group; 0 is none.
struct group_bound {
  std::string words = "";           ///< as printed
  double each_percent = 0;          ///< largest |error| of a row
  double median_percent = 0;        ///< median |error|
  double ninety_percent = 0;        ///< |error| that 90 % of the rows keep
  double eighty_percent = 0;        ///< |error| that 80 % of all rows keep; a row that no plan can say does not
  bool never_above = false;         ///< ours is at most theirs
  double ninety_below = 0;          ///< bytes that ours may lie below theirs on 90 % of the rows
  double most_refused_percent = 0;  ///< share of rows that no plan can say
  double least_good_percent = 0;    ///< share of the expressible rows that must be good; 0: all
};

/// All lines, and what was decided about their groups.
class judgement {
public:
  void add(comparison line) {
    if (groups_.count(line.group) == 0) order_.push_back(line.group);
    groups_[line.group].push_back(lines_.size());
    lines_.push_back(std::move(line));
  }
  void set_bound(const std::string& group, group_bound bound) { bounds_[group] = std::move(bound); }
  const std::vector<comparison>& lines() const { return lines_; }

  /// Groups whose bounds are missed though they are not among `open`, and of `open` those that are missed no longer or are not there: none
  /// when all is as expected. An empty file is no success: nothing was compared.
  std::vector<std::string> unexpected(const std::set<std::string>& open = {}) const {
    std::vector<std::string> found;
    if (lines_.empty()) found.push_back("no rows");
    for (const std::string& group : order_)
      if (summary_of(group).missed.empty() == (open.count(group) != 0)) found.push_back(group);
    for (const std::string& group : open)
      if (groups_.count(group) == 0) found.push_back(group + ": no such group");
    return found;
  }
  bool passed() const { return unexpected().empty(); }

  struct summary {
    std::size_t rows = 0;
    std::size_t expressible = 0;
    std::size_t failed = 0;  ///< rows outside their own bound
    double median = 0;       ///< of |error|, percent
    double ninety = 0;
    double worst = 0;      ///< with its sign
    double least_gap = 0;  ///< theirs - ours
    double median_gap = 0;
    double ninety_gap = 0;
    std::string missed;  ///< which bounds; empty: none
  };

  summary summary_of(const std::string& group) const {
    summary result;
    std::vector<double> errors;
    std::vector<double> gaps;
    bool checked = false;
    for (const std::size_t at : groups_.at(group)) {
      const comparison& line = lines_[at];
      ++result.rows;
      checked = checked || line.how != strength::print;
      if (!line.expressible()) continue;
      ++result.expressible;
      if (!line.good) ++result.failed;
      errors.push_back(std::abs(line.percent()));
      gaps.push_back(-line.difference());
      if (std::abs(line.percent()) > std::abs(result.worst)) result.worst = line.percent();
    }
    result.median = share(errors, 0.5);
    result.ninety = share(errors, 0.9);
    result.least_gap = gaps.empty() ? 0 : *std::min_element(gaps.begin(), gaps.end());
    result.median_gap = share(gaps, 0.5);
    result.ninety_gap = share(gaps, 0.9);
    const auto miss = [&](bool missed, const char* words) {
      if (missed) result.missed += result.missed.empty() ? words : std::string{", "} + words;
    };
    const auto found = bounds_.find(group);
    const double least_good = found != bounds_.end() && found->second.least_good_percent > 0 ? found->second.least_good_percent : 100;
    miss(100.0 * static_cast<double>(result.expressible - result.failed) < least_good * static_cast<double>(result.expressible), "rows");
    if (found != bounds_.end()) {
      const group_bound& bound = found->second;
      miss(bound.each_percent > 0 && std::abs(result.worst) > bound.each_percent, "each");
      miss(bound.median_percent > 0 && result.median > bound.median_percent, "median");
      miss(bound.ninety_percent > 0 && result.ninety > bound.ninety_percent, "90 %");
      std::vector<double> all = errors;
      all.resize(result.rows, std::numeric_limits<double>::infinity());
      miss(bound.eighty_percent > 0 && share(all, 0.8) > bound.eighty_percent, "80 %");
      miss(bound.never_above && result.least_gap < 0, "above");
      miss(bound.ninety_below > 0 && result.ninety_gap > bound.ninety_below, "gap");
      miss(bound.most_refused_percent > 0 && 100.0 * static_cast<double>(result.rows - result.expressible) >=
                                                 bound.most_refused_percent * static_cast<double>(result.rows),
           "not expressible");
    }
    return result;
  }

  /// `row` lines: verdict, id, ours, theirs, difference, percent; `refused` lines: id, reason; separated by tabs.
  void print_lines(std::ostream& out) const {
    out << "# row\tverdict\tstrength\tid\tours\ttheirs\tdifference\tpercent\tnote\n";
    for (const comparison& line : lines_) {
      if (!line.expressible()) {
        out << "row\tnot-expressible\t" << name_of(line.how) << '\t' << line.id << "\t-\t" << figure(line.theirs) << "\t-\t-\t"
            << line.reason << '\n';
        continue;
      }
      out << "row\t"
          << (line.how == strength::print ? "shown"
              : line.good                 ? "ok"
                                          : "FAILED")
          << '\t' << name_of(line.how) << '\t' << line.id << '\t' << (line.ours_text.empty() ? figure(line.ours) : line.ours_text) << '\t'
          << (line.theirs_text.empty() ? figure(line.theirs) : line.theirs_text) << '\t' << figure(line.difference()) << '\t'
          << fixed(line.percent(), 4) << '\t' << line.note << '\n';
    }
  }

  void print_summary(std::ostream& out) const {
    std::map<std::string, std::map<std::string, int>> reasons;
    for (const comparison& line : lines_)
      if (!line.expressible()) ++reasons[line.group][line.reason];
    for (const auto& [group, counts] : reasons)
      for (const auto& [reason, count] : counts) out << "refused\t" << group << '\t' << count << '\t' << reason << '\n';
    out << "# summary\tverdict\tgroup\trows\texpressible\tmedian |%|\t90th |%|\tworst %\tgap MiB least\tmedian\t90th\tbound\tmissed\n";
    for (const std::string& group : order_) {
      const summary result = summary_of(group);
      const auto found = bounds_.find(group);
      bool judged = found != bounds_.end();
      for (const std::size_t at : groups_.at(group)) judged = judged || lines_[at].how != strength::print;
      out << "summary\t"
          << (!judged                 ? "shown"
              : result.missed.empty() ? "pass"
                                      : "FAIL")
          << '\t' << group << '\t' << result.rows << '\t' << result.expressible << '\t' << fixed(result.median, 3) << '\t'
          << fixed(result.ninety, 3) << '\t' << fixed(result.worst, 3) << '\t' << fixed(result.least_gap / 1048576, 1) << '\t'
          << fixed(result.median_gap / 1048576, 1) << '\t' << fixed(result.ninety_gap / 1048576, 1) << '\t'
          << (found != bounds_.end() ? found->second.words
              : judged               ? "rows"
                                     : "none")
          << '\t' << (result.missed.empty() ? "-" : result.missed) << '\n';
    }
    out << "verdict\t" << (passed() ? "pass" : "FAIL") << '\t' << lines_.size() << " rows\n";
  }

private:
  // The least figure that a share of all keep (nearest rank).
  static double share(std::vector<double> figures, double part) {
    if (figures.empty()) return 0;
    std::sort(figures.begin(), figures.end());
    const double rank = std::ceil(part * static_cast<double>(figures.size()));
    return figures[static_cast<std::size_t>(rank) - 1];
  }
  static std::string fixed(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
  }
  // Whole numbers in full, others with six decimals.
  static std::string figure(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? fixed(value, 0) : fixed(value, 6);
  }

  std::vector<comparison> lines_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::size_t>> groups_;
  std::map<std::string, group_bound> bounds_;
};

}  // namespace truth
