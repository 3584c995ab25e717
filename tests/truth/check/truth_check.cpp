// SPDX-License-Identifier: BSL-1.0
// truth_check KIND FILE, or truth_check schedules FOLDER: our figures beside those of a file in the format of the truth folder, a line a
// row, a summary and a verdict. Exits with 0 when no bound is missed, 1 when one is, 2 when the file or the words cannot be read. With
// `--open GROUPS`, a file of names of groups, exactly these must miss their bounds: what is known to be open stays in sight, and leaves the
// list once it is closed.
#include "../judgement.hpp"
#include "../memory.hpp"
#include "../models.hpp"
#include "../ranks.hpp"
#include "../reports.hpp"
#include "../row.hpp"
#include "../run_verdict.hpp"
#include "../runs.hpp"
#include "../saved_tensors.hpp"
#include "../schedules.hpp"

#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

truth::judgement judge_memory_file(std::istream& file) { return truth::judge_memory(truth::rows_of(file)); }

truth::judgement judge_models_file(std::istream& file) {
  truth::json tree;
  boost::property_tree::read_json(file, tree);
  return truth::judge_models(tree);
}

truth::judgement judge_saved_tensors_file(std::istream& file) {
  truth::judgement result;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream stream{text};
    truth::json row;
    boost::property_tree::read_json(stream, row);
    const truth::saved_tensors_line line = truth::judge_saved_tensors(row, number);
    result.add({.id = line.id,
                .group = "saved tensors, " + row.get<std::string>("case"),
                .reason = line.reason,
                .ours = static_cast<double>(line.ours),
                .theirs = static_cast<double>(line.theirs),
                .how = truth::strength::exact,
                .good = line.is_equal(),
                .note = line.same_tensors ? "tensor by tensor" : "other tensors"});
  }
  for (const truth::comparison& line : std::vector<truth::comparison>{result.lines()})
    result.set_bound(line.group, {.words = "exact, all expressible", .most_refused_percent = 0.001});
  return result;
}

truth::judgement judge_ranks_file(std::istream& file) {
  truth::json tree;
  boost::property_tree::read_json(file, tree);
  truth::judgement result;
  for (const truth::rank_line& line : truth::judge_ranks(tree))
    result.add({.id = line.id,
                .group = "rank groups",
                .ours_text = line.ours,
                .theirs_text = line.theirs,
                .how = truth::strength::exact,
                .good = line.equal(),
                .note = line.difference});
  return result;
}

truth::judgement judge_runs_file(std::istream& file) {
  truth::json tree;
  boost::property_tree::read_json(file, tree);
  truth::judgement result;
  for (const truth::run_line& line : truth::judge_runs(tree)) {
    const bool estimated = truth::is_estimate(line);
    result.add({.id = line.id,
                .group = "runs, " + line.what + (estimated ? line.judged ? " of dense models" : " of others" : ""),
                .reason = line.reason,
                .ours = line.ours,
                .theirs = line.theirs,
                .how = !line.judged ? truth::strength::print
                       : estimated  ? truth::strength::bound
                                    : truth::strength::exact,
                .good = line.good,
                .note = line.must_fail ? "must not multiply out" : ""});
  }
  for (const char* exact : {"runs, world", "runs, micro_batches", "runs, bubble"})
    result.set_bound(exact, {.words = "exact, all expressible", .most_refused_percent = 0.001});
  result.set_bound("runs, mfu of dense models", {.words = "median 10 %, 80 % of the rows 15 %, over 95 % expressible",
                                                 .median_percent = 10,
                                                 .eighty_percent = 15,
                                                 .most_refused_percent = 5});
  truth::judge_run_verdicts(tree, result);
  return result;
}

truth::judgement judge_reports_file(std::istream& file) {
  truth::json tree;
  boost::property_tree::read_json(file, tree);
  return truth::judge_reports(tree);
}

struct kind {
  const char* name;
  truth::judgement (*judge)(std::istream&);
};

// What is judged as a folder.
const std::string folder_kind = "schedules";

const kind kinds[] = {
    {"memory", &judge_memory_file}, {"models", &judge_models_file}, {"saved_tensors", &judge_saved_tensors_file},
    {"ranks", &judge_ranks_file},   {"runs", &judge_runs_file},     {"reports", &judge_reports_file},
};

std::optional<truth::judgement> judge(const std::string& name, const char* path) {
  if (name == folder_kind) return truth::judge_schedules(path);
  for (const kind& known : kinds) {
    if (name != known.name) continue;
    std::ifstream file{path};
    if (!file) throw std::runtime_error{"cannot be read"};
    return known.judge(file);
  }
  return std::nullopt;
}

// Groups of rows whose bounds are known to be missed, a line each; `#` begins a comment.
std::set<std::string> open_groups(const char* path) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error{std::string{"cannot read "} + path};
  std::set<std::string> groups;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') groups.insert(line);
  return groups;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && !(argc == 5 && std::string{argv[3]} == "--open")) {
    std::cerr << "usage: truth_check KIND FILE [--open GROUPS], KIND one of";
    for (const kind& known : kinds) std::cerr << ' ' << known.name;
    std::cerr << ", or schedules FOLDER\n";
    return 2;
  }
  const std::string name = argv[1];
  try {
    const std::optional<truth::judgement> judged = judge(name, argv[2]);
    if (!judged) {
      std::cerr << "unknown kind " << name << '\n';
      return 2;
    }
    judged->print_lines(std::cout);
    judged->print_summary(std::cout);
    if (argc == 3) return judged->passed() ? 0 : 1;
    const std::vector<std::string> unexpected = judged->unexpected(open_groups(argv[4]));
    for (const std::string& group : unexpected) std::cout << "unexpected\t" << group << '\n';
    return unexpected.empty() ? 0 : 1;
  } catch (const std::exception& why) {
    std::cerr << argv[2] << ": " << why.what() << '\n';
    return 2;
  }
}
