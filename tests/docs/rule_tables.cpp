// SPDX-License-Identifier: BSL-1.0
// Prints the tables of docs/reference/rules.md from the code: rule_tables tier1 | tier2 | tier3 | ranges | advice.
#include "../support/each_number.hpp"

#include <shardplan/plan/advice.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rule_name.hpp>
#include <shardplan/plan/rules/catalog.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/report/part_words.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sp = shardplan;

namespace {

std::string words_of_frameworks(unsigned asked) {
  if (asked == 0) return "all";
  std::string words;
  for (unsigned at = 0; at < 5; ++at)
    if ((asked >> at & 1u) != 0) words.append(words.empty() ? "" : ", ").append(sp::report::name_of(static_cast<sp::frameworks>(at)));
  return words;
}

void print_rules(int tier) {
  std::cout << "| rule | violation | frameworks | source |\n|---|---|---|---|\n";
  for (const sp::listed_rule& item : sp::rule_catalog) {
    if (item.tier != tier) continue;
    const std::string name = sp::name_of(item.broken);
    std::cout << "| " << item.words << " | [" << name << "](../troubleshooting.md#" << name << ") | "
              << words_of_frameworks(item.frameworks_asked) << " | " << item.source << " |\n";
  }
}

// Ranges as `check_ranges` has them, by asking it about numbers that are in none.
using range = std::pair<std::int64_t, std::int64_t>;
struct range_sink {
  int count = 0;
  std::map<sp::quantity, std::vector<range>> found{};

  void add_part(sp::rule, sp::part_kind) { ++count; }
  void add_range(sp::measured number, std::int64_t least, std::int64_t most) {
    ++count;
    std::vector<range>& known = found[number.what];
    for (const range& item : known)
      if (item == range{least, most}) return;
    known.push_back({least, most});
  }
  void add_large(sp::measured, std::int64_t) { ++count; }
};

constexpr std::int64_t nowhere = -1000;

sp::transformer model_of(std::int64_t experts, std::int64_t latent_rank, std::int64_t number) {
  sp::transformer shape{};
  shape.layers = shape.hidden = shape.heads = shape.kv_heads = shape.head_dim = shape.ffn = shape.vocab = shape.positions = number;
  shape.position_offset = shape.next_token_layers = shape.embedding_dim = number;
  shape.experts = {.count = experts, .top_k = number, .ffn = number, .shared_ffn = number, .leading_dense = number, .layer_step = number};
  shape.latent = {.query_rank = number, .key_value_rank = latent_rank, .rope_dim = number, .nope_dim = number, .value_dim = number};
  return shape;
}

sp::plan_spec spec_of(const sp::transformer& model) {
  sp::plan_spec spec{};
  spec.layer_split.push_back(0);
  every::number(spec, [](std::int64_t& number) { number = nowhere; });
  spec.layer_split.left_out = 0;
  spec.model = model;
  return spec;
}

// 2^14 for 16384.
std::string figure(std::int64_t number) {
  for (int power = 5; power < 63; ++power)
    if (number == std::int64_t{1} << power) return "2^" + std::to_string(power);
  return std::to_string(number);
}

void print_ranges() {
  range_sink sink;
  for (const std::int64_t experts : {std::int64_t{0}, std::int64_t{4}, nowhere})
    for (const std::int64_t latent : {std::int64_t{0}, std::int64_t{512}, nowhere}) {
      sp::plan_spec spec = spec_of(model_of(experts, latent, nowhere));
      sp::detail::check_ranges(spec, sink);
      // Numbers that may be 0 with others, and not alone.
      spec.model.experts.ffn = 128;
      spec.model.experts.leading_dense = spec.model.experts.layer_step = 0;
      sp::detail::check_ranges(spec, sink);
      // The largest number of layers and of positions, so that what ends with them is named by these.
      spec.model.layers = sp::limits::layers;
      spec.model.experts.leading_dense = nowhere;
      sp::detail::check_ranges(spec, sink);
      spec.model.kv_heads = spec.model.head_dim = 1;
      sp::detail::check_ranges(spec, sink);
    }
  sink.found[sp::quantity::layer_split_entries] = {{1, static_cast<std::int64_t>(sp::most_layer_split_entries)}};
  sink.found[sp::quantity::leading_dense] = {};
  sink.found[sp::quantity::position_offset] = {};
  std::cout << "| number | range |\n|---|---|\n";
  for (auto& [number, ranges] : sink.found) {
    std::string words;
    if (number == sp::quantity::leading_dense) words = "0 to `layers`; 0 without experts";
    if (number == sp::quantity::position_offset) words = "0 to `positions` - 1; 0 without positions";
    std::sort(ranges.begin(), ranges.end(), [](const range& left, const range& right) {
      return left.second != right.second ? left.second > right.second : left.first > right.first;
    });
    for (const range& item : ranges) {
      words.append(words.empty() ? "" : ", or ").append(figure(item.first));
      if (item.first != item.second) words.append(" to ").append(figure(item.second));
    }
    std::cout << "| `" << sp::name_of(number) << "` | " << words << " |\n";
  }
}

void print_advice() {
  std::cout << "| advice | when | why |\n|---|---|---|\n";
  for (int kind = 0; kind < sp::advice_kinds; ++kind) {
    const auto item = static_cast<sp::advice>(kind);
    std::cout << "| `" << sp::name_of(item) << "` | " << sp::condition_of(item) << " | " << sp::consequence_of(item) << " |\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  if (what == "tier1" || what == "tier2" || what == "tier3") {
    print_rules(what.back() - '0');
  } else if (what == "ranges") {
    print_ranges();
  } else if (what == "advice") {
    print_advice();
  } else {
    return 2;
  }
}
