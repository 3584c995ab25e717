// SPDX-License-Identifier: BSL-1.0
// Lists as Python writes them, in arguments of Megatron-LM.
#pragma once

#include "row.hpp"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace truth {

/// The list that a Python expression such as "([0]*3+[1]*11)" says: terms `[a, b]`, `[a, b]*n` and `n*[a, b]`, sums and parentheses of
/// them.
class list_expression {
public:
  explicit list_expression(const std::string& text) : text_{text} {
    values_ = sum();
    if (at_ != text_.size()) fail();
  }
  const std::vector<std::int64_t>& values() const { return values_; }

private:
  [[noreturn]] void fail() const { throw not_expressible{"not a list expression: " + text_}; }
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  std::int64_t integer() {
    next();
    std::size_t used = at_;
    while (used < text_.size() && std::isdigit(static_cast<unsigned char>(text_[used])) != 0) ++used;
    if (used == at_ || used - at_ > 9) fail();
    const std::int64_t value = std::stoll(text_.substr(at_, used - at_));
    at_ = used;
    next();
    return value;
  }
  std::vector<std::int64_t> sum() {
    std::vector<std::int64_t> all = product();
    while (take('+')) {
      const std::vector<std::int64_t> more = product();
      all.insert(all.end(), more.begin(), more.end());
    }
    next();
    return all;
  }
  std::vector<std::int64_t> product() {
    std::int64_t times = 1;
    while (std::isdigit(static_cast<unsigned char>(next())) != 0) {
      times *= integer();
      if (!take('*')) fail();
    }
    std::vector<std::int64_t> list;
    if (take('(')) {
      list = sum();
      if (!take(')')) fail();
    } else if (take('[')) {
      if (!take(']')) {
        do list.push_back(integer());
        while (take(','));
        if (!take(']')) fail();
      }
    } else {
      fail();
    }
    while (take('*')) times *= integer();
    if (times * static_cast<std::int64_t>(list.size()) > 100'000) fail();
    std::vector<std::int64_t> all;
    for (std::int64_t turn = 0; turn < times; ++turn) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> values_;
};

}  // namespace truth
