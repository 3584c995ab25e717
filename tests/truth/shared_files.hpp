// SPDX-License-Identifier: BSL-1.0
// The files of the truth folder, where there is one.
#pragma once

#include "json.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace truth {

/// A file of the truth folder, or nothing (and a word about it) where there is no such folder.
inline std::optional<json> read(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path{SHARDPLAN_SHARED_DIR} / "truth";
  if (!std::filesystem::exists(folder)) {
    std::cout << "skipped: no truth folder\n";
    return std::nullopt;
  }
  json tree;
  boost::property_tree::read_json((folder / name).string(), tree);
  return tree;
}

/// The rows of a file with one JSON object a line whose text has `part` in it; none (and a word about it) where there is no truth folder.
inline std::vector<json> rows_with(const std::string& name, const std::string& part) {
  const std::filesystem::path folder = std::filesystem::path{SHARDPLAN_SHARED_DIR} / "truth";
  if (!std::filesystem::exists(folder)) std::cout << "skipped: no truth folder\n";
  std::vector<json> rows;
  std::ifstream file{folder / name};
  for (std::string line; std::getline(file, line);) {
    if (line.find(part) == std::string::npos) continue;
    std::istringstream text{line};
    boost::property_tree::read_json(text, rows.emplace_back());
  }
  return rows;
}

}  // namespace truth
