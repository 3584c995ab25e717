// SPDX-License-Identifier: BSL-1.0
// One row of memory.jsonl as a judge may see it: what stands beside these fields (reference figures, notes) is for people.
#pragma once

#include "json.hpp"

#include <cstdint>
#include <initializer_list>
#include <istream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace truth {

/// A row that no plan can say, and why.
struct not_expressible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A configuration that is read key by key. What was not read is found again: a key that nobody understood may change the result.
/// `null` is the same as absent.
class config_reader {
public:
  explicit config_reader(const json& config) : tree_{&config} {}

  bool has(const std::string& key) const {
    read_.insert(key);
    const auto found = tree_->find(key);
    return found != tree_->not_found() && !(found->second.empty() && found->second.data() == "null");
  }
  /// The integer under `key`; throws `not_expressible` when it is absent or no integer.
  std::int64_t number(const std::string& key) const {
    if (!has(key)) throw not_expressible{key + " is not stated"};
    const std::string text = data(key);
    try {
      return scaled(text, 0);
    } catch (const std::exception&) {
      throw not_expressible{key + " is no integer: " + text};
    }
  }
  std::int64_t number(const std::string& key, std::int64_t absent) const { return has(key) ? number(key) : absent; }
  double real(const std::string& key, double absent) const {
    if (!has(key)) return absent;
    try {
      return std::stod(data(key));
    } catch (const std::exception&) {
      throw not_expressible{key + " is no number: " + data(key)};
    }
  }
  bool flag(const std::string& key, bool absent = false) const {
    if (!has(key)) return absent;
    const std::string text = data(key);
    if (text == "true") return true;
    if (text == "false") return false;
    throw not_expressible{key + " is neither true nor false: " + text};
  }
  std::string text(const std::string& key, const std::string& absent = "") const { return has(key) ? data(key) : absent; }
  /// The entries of a list, or the words of one text such as "[layernorm mla_up_proj]".
  std::vector<std::string> list(const std::string& key) const {
    std::vector<std::string> entries;
    if (!has(key)) return entries;
    const json& value = tree_->find(key)->second;
    if (!value.empty()) {
      for (const auto& [name, entry] : value) entries.push_back(entry.data());
      return entries;
    }
    std::string words = value.data();
    for (char& letter : words)
      if (letter == '[' || letter == ']' || letter == ',' || letter == '\'' || letter == '"') letter = ' ';
    std::istringstream stream{words};
    for (std::string word; stream >> word;) entries.push_back(word);
    return entries;
  }
  /// A configuration inside this one; every key of it counts as read.
  const json& child(const std::string& key) const {
    if (!has(key)) throw not_expressible{key + " is not stated"};
    return tree_->find(key)->second;
  }
  /// Keys that change no byte of what is compared.
  void without_effect(std::initializer_list<const char*> keys) const {
    for (const char* key : keys) read_.insert(key);
  }
  /// Throws when a key was not read.
  void all_read() const {
    for (const auto& [key, value] : *tree_)
      if (read_.count(key) == 0) throw not_expressible{"key not understood: " + key};
  }

private:
  std::string data(const std::string& key) const { return tree_->find(key)->second.data(); }

  const json* tree_;
  mutable std::set<std::string> read_;
};

namespace detail {

// The first of these keys that is there, else `absent`; all of them count as read.
inline std::int64_t first_of(const config_reader& config, std::initializer_list<const char*> keys, std::int64_t absent) {
  std::int64_t found = absent;
  bool any = false;
  for (const char* key : keys) {
    if (!config.has(key) || any) continue;
    found = config.number(key);
    any = true;
  }
  return found;
}

inline std::int64_t needed_of(const config_reader& config, std::initializer_list<const char*> keys) {
  const std::int64_t found = first_of(config, keys, -1);
  if (found == -1) throw not_expressible{std::string{*keys.begin()} + " is not stated"};
  return found;
}

}  // namespace detail

/// What a judge reads of a row.
struct row {
  std::string id;
  std::string source;
  std::string kind;
  std::string metric;
  std::string value;
  std::string unit;
  json config;
};

inline row row_of(const json& tree) {
  row result;
  result.id = tree.get<std::string>("id", "(no id)");
  result.source = tree.get<std::string>("source", "");
  result.kind = tree.get<std::string>("kind", "");
  result.metric = tree.get<std::string>("metric", "");
  result.value = tree.get<std::string>("value", "");
  result.unit = tree.get<std::string>("unit", "");
  if (const auto found = tree.find("config"); found != tree.not_found()) result.config = found->second;
  return result;
}

/// The rows of a stream with one JSON object a line.
inline std::vector<row> rows_of(std::istream& stream) {
  std::vector<row> rows;
  for (std::string line; std::getline(stream, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream text{line};
    json tree;
    boost::property_tree::read_json(text, tree);
    rows.push_back(row_of(tree));
  }
  return rows;
}

/// Bytes of one unit of a row; 0 when the unit is none of bytes. (Sources that print "MB" or "GB" and are known to mean 2^20 or 2^30 have
/// the unit MiB or GiB.)
inline std::int64_t bytes_of_unit(const std::string& unit) {
  const std::string word = unit.substr(0, unit.find(' '));
  if (word == "bytes" || word == "B") return 1;
  if (word == "KiB") return std::int64_t{1} << 10;
  if (word == "MiB") return std::int64_t{1} << 20;
  if (word == "GiB") return std::int64_t{1} << 30;
  if (word == "TiB") return std::int64_t{1} << 40;
  if (word == "kB" || word == "KB") return 1'000;
  if (word == "MB") return 1'000'000;
  if (word == "GB") return 1'000'000'000;
  if (word == "TB") return 1'000'000'000'000;
  return 0;
}

/// One unit of the last digit that a decimal number is printed with, as a fraction of one: 0.01 of "41.25".
inline double last_digit(const std::string& printed) {
  const std::size_t point = printed.find('.');
  double unit = 1;
  if (point != std::string::npos)
    for (std::size_t at = point + 1; at < printed.size(); ++at) unit /= 10;
  return unit;
}

inline bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
inline bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

}  // namespace truth
