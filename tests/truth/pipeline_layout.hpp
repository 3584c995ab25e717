// SPDX-License-Identifier: BSL-1.0
// The text in which Megatron-LM lays layers out over stages.
#pragma once

#include "row.hpp"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace truth {

/// `pipeline_model_parallel_layout`: E embedding, t layer, m next-token layer, L loss, `|` ends a chunk, `*n` repeats what stands before
/// it, a letter or (..). One entry a chunk, in stage order.
class pipeline_layout {
public:
  struct chunk {
    std::int64_t layers = 0;
    std::int64_t next_token_layers = 0;
    bool embedding = false;
    bool loss = false;
  };
  explicit pipeline_layout(const std::string& text) : text_{text} {
    const std::string flat = expanded(0);
    if (at_ != text_.size()) fail();
    chunks_.push_back({});
    for (const char letter : flat) {
      chunk& last = chunks_.back();
      if (letter == '|') {
        chunks_.push_back({});
      } else if (letter == 'E') {
        last.embedding = true;
      } else if (letter == 't') {
        ++last.layers;
      } else if (letter == 'm') {
        ++last.next_token_layers;
      } else if (letter == 'L') {
        last.loss = true;
      } else {
        fail();
      }
    }
  }
  const std::vector<chunk>& chunks() const { return chunks_; }

private:
  [[noreturn]] void fail() const { throw not_expressible{"not a pipeline layout: " + text_}; }
  std::string expanded(int depth) {
    if (depth > 8) fail();
    std::string all;
    while (at_ < text_.size() && text_[at_] != ')') {
      std::string unit;
      if (text_[at_] == '(') {
        ++at_;
        unit = expanded(depth + 1);
        if (at_ == text_.size()) fail();
        ++at_;
      } else if (text_[at_] == ',' || text_[at_] == ' ') {
        ++at_;
        continue;
      } else {
        unit = text_[at_++];
      }
      if (at_ < text_.size() && text_[at_] == '*') {
        ++at_;
        std::size_t used = at_;
        while (used < text_.size() && std::isdigit(static_cast<unsigned char>(text_[used])) != 0) ++used;
        if (used == at_ || used - at_ > 4) fail();
        const int times = std::stoi(text_.substr(at_, used - at_));
        at_ = used;
        std::string repeated;
        for (int turn = 0; turn < times; ++turn) repeated += unit;
        unit = repeated;
      }
      all += unit;
      if (all.size() > 100'000) fail();
    }
    return all;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<chunk> chunks_;
};

}  // namespace truth
