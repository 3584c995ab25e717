// SPDX-License-Identifier: BSL-1.0
// Judges rank_groups.json: the process groups of five codes (section 5 of the truth README). One line a list; numbering counts.
#pragma once

#include "json.hpp"

#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/parallel/rank_order.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace truth {

/// One list of the file: ours and theirs as text, and the first difference (empty: equal in every digit).
struct rank_line {
  std::string id;
  std::string ours;
  std::string theirs;
  std::string difference;

  bool equal() const { return difference.empty(); }
};

namespace detail {

using shardplan::axis;
using rank_lists = std::vector<std::vector<std::int64_t>>;

/// The names of an axis, or of a group, in the codes that the file has.
inline std::optional<axis> axis_named(const std::string& name) {
  static const std::map<std::string, axis> names{{"tp", axis::tp},
                                                 {"model", axis::tp},
                                                 {"cp", axis::cp},
                                                 {"ep", axis::ep},
                                                 {"dp", axis::dp},
                                                 {"data", axis::dp},
                                                 {"dp_shard", axis::dp_shard},
                                                 {"dp_replicate", axis::dp_replicate},
                                                 {"pp", axis::pp},
                                                 {"pipe", axis::pp},
                                                 {"dp_cp", axis::dp_cp},
                                                 {"tp_cp", axis::tp | axis::cp},
                                                 {"model_parallel_tp_pp", axis::model_parallel},
                                                 {"expert_tp", axis::etp},
                                                 {"expert_ep", axis::ep},
                                                 {"expert_dp", axis::edp},
                                                 {"expert_tp_ep", axis::tensor_and_expert},
                                                 {"expert_tp_ep_pp", axis::tensor_and_expert | axis::pp},
                                                 {"fsdp", axis::fsdp},
                                                 {"batch", axis::dp},
                                                 {"loss", axis::dp_cp},
                                                 {"efsdp", axis::edp_shard}};
  const auto found = names.find(name);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

inline std::vector<std::string> words(const truth::json& list) {
  std::vector<std::string> result;
  for (const auto& word : list) result.push_back(word.second.get_value<std::string>());
  return result;
}

/// "tp-cp-ep-dp-pp" as words.
inline std::vector<std::string> split(const std::string& order) {
  std::vector<std::string> result(1);
  for (const char character : order) {
    if (character == '-') {
      result.emplace_back();
    } else {
      result.back() += character;
    }
  }
  return result;
}

inline shardplan::rank_orders order_of(const std::vector<std::string>& fastest_first) {
  std::vector<axis> axes;
  for (const std::string& word : fastest_first) {
    const std::optional<axis> which = axis_named(word);
    if (!which) throw std::invalid_argument{"no axis " + word};
    axes.push_back(*which);
  }
  return shardplan::rank_order_of(axes.data(), static_cast<int>(axes.size()));
}

inline shardplan::rank_orders reversed_order(std::vector<std::string> slowest_first) {
  return order_of({slowest_first.rbegin(), slowest_first.rend()});
}

inline rank_lists lists(const truth::json& tree) {
  rank_lists result;
  for (const auto& group : tree) {
    result.emplace_back();
    for (const auto& rank : group.second) result.back().push_back(rank.second.get_value<std::int64_t>());
  }
  return result;
}

inline rank_lists lists(const shardplan::process_groups& groups) {
  rank_lists result;
  for (std::int64_t group = 0; group < groups.count; ++group) {
    result.emplace_back();
    for (std::int64_t member = 0; member < groups.size; ++member) result.back().push_back(groups.rank(group, member));
  }
  return result;
}

/// Lists of any length in a few words: how many, how long, the first and the last.
inline std::string shown(const rank_lists& groups) {
  const auto one = [](const std::vector<std::int64_t>& group) {
    std::string text = "{";
    for (std::size_t at = 0; at < group.size(); ++at) {
      if (at == 4 && group.size() > 5) {
        text.append(",...,").append(std::to_string(group.back()));
        break;
      }
      text.append(at == 0 ? "" : ",").append(std::to_string(group[at]));
    }
    return text + "}";
  };
  std::string text = std::to_string(groups.size()) + " groups";
  if (!groups.empty()) text.append(": ").append(one(groups.front()));
  if (groups.size() > 1) text.append(" .. ").append(one(groups.back()));
  return text;
}

inline rank_line compared(const std::string& id, const rank_lists& ours, const rank_lists& theirs) {
  rank_line line{id, shown(ours), shown(theirs), ""};
  if (ours.size() != theirs.size()) {
    line.difference = std::to_string(ours.size()) + " groups against " + std::to_string(theirs.size());
    return line;
  }
  for (std::size_t group = 0; group < ours.size() && line.equal(); ++group) {
    if (ours[group].size() != theirs[group].size()) line.difference = "group " + std::to_string(group) + " has another size";
    for (std::size_t member = 0; member < ours[group].size() && line.equal(); ++member)
      if (ours[group][member] != theirs[group][member])
        line.difference = "group " + std::to_string(group) + ", member " + std::to_string(member) + ": " +
                          std::to_string(ours[group][member]) + " against " + std::to_string(theirs[group][member]);
  }
  return line;
}

/// A list that the library has no group for: never "equal".
inline rank_line unknown(const std::string& id) { return {id, "not expressible", "", "no such group"}; }

inline void compare_groups(std::vector<rank_line>& lines, const std::string& name, const shardplan::mesh& ranks,
                           const truth::json& groups) {
  for (const auto& [kind, theirs] : groups) {
    const std::optional<axis> set = axis_named(kind);
    const std::string id = name + " " + kind;
    lines.push_back(set ? compared(id, lists(shardplan::groups_of(ranks, *set)), lists(theirs)) : unknown(id));
  }
}

/// The locality of a layout: our closed form; the set of all counts of members is taken from our groups, and must have our least and most.
inline void compare_locality(std::vector<rank_line>& lines, const std::string& name, const shardplan::mesh& ranks, std::int64_t domain,
                             const truth::json& locality) {
  for (const auto& [kind, theirs] : locality) {
    const std::optional<axis> set = axis_named(kind);
    const std::string id = name + " locality " + kind;
    if (!set) {
      lines.push_back(unknown(id));
      continue;
    }
    const shardplan::process_groups groups = shardplan::groups_of(ranks, *set);
    const shardplan::domain_spread spread = shardplan::spread_over(groups, domain);
    std::set<std::int64_t> counts;
    for (std::int64_t group = 0; group < groups.count; ++group) {
      std::map<std::int64_t, std::int64_t> members;
      for (std::int64_t member = 0; member < groups.size; ++member) ++members[groups.rank(group, member) / domain];
      for (const auto& [where, count] : members) counts.insert(count);
    }
    rank_lists ours{{spread.groups, spread.size, spread.inside, spread.most_domains}, {counts.begin(), counts.end()}};
    rank_lists wanted{{theirs.get<std::int64_t>("groups"), theirs.get<std::int64_t>("size"),
                       theirs.get<std::int64_t>("groups_inside_one_domain"), theirs.get<std::int64_t>("max_domains_touched")},
                      {}};
    for (const auto& count : theirs.get_child("members_per_domain")) wanted.back().push_back(count.second.get_value<std::int64_t>());
    rank_line line = compared(id, ours, wanted);
    if (line.equal() && (spread.fewest_members != *counts.begin() || spread.most_members != *counts.rbegin()))
      line.difference = "closed form: members from " + std::to_string(spread.fewest_members) + " to " + std::to_string(spread.most_members);
    if (line.equal() && shardplan::stay_inside(groups, domain) != (spread.inside == spread.groups))
      line.difference = "the locality rule says otherwise";
    lines.push_back(line);
  }
}

/// Sizes by their names in the file; an axis that it does not name has size 1, dp is dp_shard x dp_replicate where it names those.
inline shardplan::degrees degrees_of(std::map<std::string, std::int64_t> sizes) {
  const auto size = [&](const char* name) { return sizes.count(name) != 0 ? sizes[name] : 1; };
  shardplan::degrees grid{};
  grid.tp = size("tp") * size("model");
  grid.cp = size("cp");
  grid.pp = size("pp") * size("pipe");
  grid.dp = size("dp") * size("data") * size("dp_shard") * size("dp_replicate");
  grid.ep = size("ep");
  grid.world = grid.tp * grid.cp * grid.pp * grid.dp;
  return grid;
}

inline std::map<std::string, std::int64_t> sizes_of(const truth::json& tree) {
  std::map<std::string, std::int64_t> sizes;
  for (const auto& [name, size] : tree) sizes[name] = size.get_value<std::int64_t>();
  return sizes;
}

inline void judge_megatron(std::vector<rank_line>& lines, const truth::json& row, std::string name, std::int64_t domain) {
  shardplan::degrees grid = degrees_of(sizes_of(row.get_child("dense")));
  if (grid.world != row.get<std::int64_t>("world")) {
    lines.push_back({name, std::to_string(grid.world), row.get<std::string>("world"), "another world"});
    return;
  }
  const auto expert = row.find("expert");
  const bool has_experts = expert != row.not_found() && expert->second.find("ep") != expert->second.not_found();
  if (has_experts) {
    grid.ep = expert->second.get<std::int64_t>("ep");
    grid.etp = expert->second.get<std::int64_t>("etp");
  }
  const shardplan::mesh ranks = shardplan::mesh_of(grid, order_of(split(row.get("order", std::string{"tp-cp-ep-dp-pp"}))));
  if (has_experts && !shardplan::grids_agree(ranks)) lines.push_back({name, "two kinds of stages", "one", "the grids do not agree"});
  if (const auto groups = row.find("groups"); groups != row.not_found()) compare_groups(lines, name, ranks, groups->second);
  if (const auto first = row.find("first_group"); first != row.not_found())
    for (const auto& [kind, theirs] : first->second) {
      rank_lists wanted(1);
      for (const auto& rank : theirs) wanted[0].push_back(rank.second.get_value<std::int64_t>());
      const std::string id = name + " first " + kind;
      const std::optional<axis> set = axis_named(kind);
      if (!set) {
        lines.push_back(unknown(id));
        continue;
      }
      rank_lists ours = lists(shardplan::groups_of(ranks, *set));
      ours.resize(1);
      lines.push_back(compared(id, ours, wanted));
    }
  compare_locality(lines, name, ranks, domain, row.get_child("locality"));
}

}  // namespace detail

/// All lists of a file in the format of rank_groups.json, in its order; a part that the file does not have is none. Throws what Boost
/// throws when a key that the format promises is missing.
inline std::vector<rank_line> judge_ranks(const json& file) {
  using namespace detail;
  const json none;
  const auto rows = [&](const char* key) -> const json& {
    const auto found = file.find(key);
    return found == file.not_found() ? none : found->second;
  };
  std::vector<rank_line> lines;
  for (const auto& item : rows("megatron"))
    judge_megatron(lines, item.second, item.second.get<std::string>("name"), item.second.get<std::int64_t>("domain_size"));
  for (const auto& item : rows("megatron_test_grid")) {
    const json& row = item.second;
    const auto part = [&](const char* key) { return std::string{" "} + key + row.get<std::string>(key); };
    judge_megatron(lines, row, "test grid" + part("world") + part("tp") + part("pp") + part("cp") + part("ep"), 8);
  }
  for (const auto& item : rows("docstring_tiny")) {
    const std::string order = item.second.get<std::string>("order");
    const std::string token = item.second.get<std::string>("token");
    const shardplan::mesh ranks = shardplan::mesh_of(degrees_of(sizes_of(item.second.get_child("sizes"))), order_of(split(order)));
    const std::string id = "docstring " + order + " " + token;
    const std::optional<axis> set = axis_named(token);
    lines.push_back(set ? compared(id, lists(shardplan::groups_of(ranks, *set)), lists(item.second.get_child("groups"))) : unknown(id));
  }
  for (const auto& item : rows("torchtitan")) {
    const json& row = item.second;
    const std::string name = row.get<std::string>("name");
    const auto sizes = sizes_of(row.get_child("sizes"));
    shardplan::degrees grid = degrees_of(sizes);
    if (const auto sparse = row.find("sparse_sizes"); sparse != row.not_found()) grid.ep = sparse->second.get<std::int64_t>("ep");
    const shardplan::mesh ranks = shardplan::mesh_of(grid, shardplan::rank_orders::torchtitan, sizes.at("dp_replicate"));
    // The preset must be the order that the file states.
    const std::vector<std::string> stated = words(row.get_child("dense_mesh_order_slowest_first"));
    rank_lists places(2);
    for (std::size_t at = 0; at < stated.size(); ++at) {
      places[0].push_back(static_cast<std::int64_t>(ranks.dense.values[at].name));
      places[1].push_back(static_cast<std::int64_t>(axis_named(stated[stated.size() - 1 - at]).value_or(axis::none)));
    }
    if (places[0] != places[1]) lines.push_back({name + " order", "", "", "another order"});
    compare_groups(lines, name, ranks, row.get_child("groups"));
  }
  for (const auto& item : rows("deepspeed")) {
    const json& row = item.second;
    const std::vector<std::string> axes = words(row.get_child("axes_slowest_first"));
    const std::vector<std::string> dims = words(row.get_child("dims"));
    std::map<std::string, std::int64_t> sizes;
    for (std::size_t at = 0; at < axes.size(); ++at) sizes[axes[at]] = std::stoll(dims.at(at));
    const shardplan::degrees grid = degrees_of(sizes);
    // The preset and the stated order give the same numbers.
    compare_groups(lines, row.get<std::string>("name"), shardplan::mesh_of(grid, shardplan::rank_orders::deepspeed),
                   row.get_child("lists"));
    compare_groups(lines, row.get<std::string>("name") + " as stated", shardplan::mesh_of(grid, reversed_order(axes)),
                   row.get_child("lists"));
  }
  for (const auto& item : rows("nanotron")) {
    const json& row = item.second;
    const shardplan::degrees grid = degrees_of(sizes_of(row.get_child("sizes")));
    const std::string name = row.get<std::string>("name");
    compare_groups(lines, name, shardplan::mesh_of(grid, shardplan::rank_orders::nanotron), row.get_child("groups"));
    compare_groups(lines, name + " as stated", shardplan::mesh_of(grid, reversed_order(words(row.get_child("axes_slowest_first")))),
                   row.get_child("groups"));
  }
  for (const auto& item : rows("calculon")) {
    const json& row = item.second;
    compare_groups(lines, row.get<std::string>("name"),
                   shardplan::mesh_of(degrees_of(sizes_of(row.get_child("sizes"))), order_of(words(row.get_child("axes_fastest_first")))),
                   row.get_child("groups"));
  }
  if (const auto found = file.find("hierarchical_cp"); found != file.not_found()) {
    const json& row = found->second;
    const auto world = static_cast<std::int64_t>(row.get_child("ranks").size());
    const shardplan::process_groups whole =
        shardplan::groups_of(shardplan::mesh_of(shardplan::degrees{.world = world, .cp = world}), axis::cp);
    std::int64_t inner = 1;
    auto level = row.get_child("levels").begin();
    for (const std::string& size : words(row.get_child("sizes_inner_first"))) {
      lines.push_back(compared(row.get<std::string>("name") + " level " + size + " over " + std::to_string(inner),
                               lists(shardplan::level_of(whole, inner, std::stoll(size))), lists(level->second)));
      inner *= std::stoll(size);
      ++level;
    }
  }
  return lines;
}

}  // namespace truth
