// SPDX-License-Identifier: BSL-1.0
// Reading the shared data. Boost.PropertyTree, because Boost 1.74 has no Boost.JSON: numbers arrive as the text that the file has, so that
// decimals can be read exactly.
#pragma once

// Only to silence Boost 1.74: its own JSON parser includes a header that it calls deprecated.
#ifndef BOOST_BIND_GLOBAL_PLACEHOLDERS
#define BOOST_BIND_GLOBAL_PLACEHOLDERS
#endif
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace truth {

using json = boost::property_tree::ptree;

/// A decimal number times 10^digits as an exact integer; "null" is 0. Throws when a digit would be lost.
inline std::int64_t scaled(const std::string& text, int digits) {
  if (text == "null") return 0;
  const std::size_t point = text.find('.');
  std::string whole = text.substr(0, point);
  std::string rest = point == std::string::npos ? "" : text.substr(point + 1);
  while (static_cast<int>(rest.size()) > digits && rest.back() == '0') rest.pop_back();
  if (static_cast<int>(rest.size()) > digits) throw std::invalid_argument{text};
  rest.append(static_cast<std::size_t>(digits) - rest.size(), '0');
  std::size_t used = 0;
  const std::int64_t value = std::stoll(whole + rest, &used);
  if (used != whole.size() + rest.size()) throw std::invalid_argument{text};
  return value;
}

/// Absent is the same as null.
inline bool is_null(const json& tree, const char* key) { return tree.get<std::string>(key, "null") == "null"; }

}  // namespace truth
