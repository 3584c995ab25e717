// SPDX-License-Identifier: BSL-1.0
// The tables of real generators, op for op, and every figure of summary.json.
#include "catch.hpp"
#include "shared_files.hpp"

#include <shardplan/schedule/blocking_receives.hpp>
#include <shardplan/schedule/chimera.hpp>
#include <shardplan/schedule/dual_pipe.hpp>
#include <shardplan/schedule/eager_1f1b.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/looped_bfs.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/read_table.hpp>
#include <shardplan/schedule/seq_1f1b.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/schedule/transfers.hpp>
#include <shardplan/schedule/v_half.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/schedule/zb_h2.hpp>
#include <shardplan/schedule/zb_v.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

using maker = sp::op_table (*)(std::int64_t, std::int64_t);

// The file's name without _pP_mM is enough to know the schedule.
const std::map<std::string, maker>& makers() {
  static const std::map<std::string, maker> all{
      {"gpipe_v1", &sp::op_table::of<s::gpipe>},
      {"1f1b_v1", &sp::op_table::of<s::one_f_one_b>},
      {"eager_1f1b_v1", &sp::op_table::of<s::eager_1f1b>},
      {"interleaved_1f1b_v2", &sp::op_table::of<s::interleaved<2>>},
      {"interleaved_1f1b_v4", &sp::op_table::of<s::interleaved<4>>},
      {"interleaved_1f1b_g3_v2", &sp::op_table::of<s::interleaved<2, 3>>},
      {"interleaved_1f1b_g5_v2", &sp::op_table::of<s::interleaved<2, sp::groups::torch>>},
      {"interleaved_1f1b_g6_v2", &sp::op_table::of<s::interleaved<2, sp::groups::torch>>},
      {"interleaved_1f1b_moe_v2", &sp::op_table::of<s::interleaved<2, sp::groups::megatron, 1>>},
      {"looped_bfs_v2", &sp::op_table::of<s::looped_bfs<2>>},
      {"looped_bfs_v4", &sp::op_table::of<s::looped_bfs<4>>},
      {"zb_h1_v1", &sp::op_table::of<s::zb_h1>},
      {"interleaved_zb_v2", &sp::op_table::of<s::interleaved_zb<2>>},
      {"interleaved_zb_v4", &sp::op_table::of<s::interleaved_zb<4>>},
      {"zb_h2_v1", &sp::op_table::of<s::zb_h2>},
      {"zbv_v2", &sp::op_table::of<s::zb_v>},
      {"dualpipe_v2", &sp::op_table::of<s::dual_pipe>},
      {"dualpipev_v2", &sp::op_table::of<s::dual_pipe_v>},
      {"chimera_v2", &sp::op_table::of<s::chimera>},
      {"seq1f1b_v1_s2", &sp::op_table::of<s::seq_1f1b<2>>},
      {"seq1f1b_v1_s4", &sp::op_table::of<s::seq_1f1b<4>>},
      {"grouped_interleaved_g2_v2", &sp::op_table::of<s::grouped_interleaved<2, 2>>},
      {"grouped_interleaved_g4_v2", &sp::op_table::of<s::grouped_interleaved<2, 4>>},
  };
  return all;
}

std::string without_sizes(const std::string& stem) {
  const std::size_t ranks = stem.rfind("_p");
  return stem.substr(0, ranks) + stem.substr(stem.find("_v", ranks));
}

struct row {
  std::string stem;
  truth::json facts;
  sp::op_table table;
};

std::vector<row> all_rows() {
  std::vector<row> rows;
  const auto summary = truth::read("schedules/summary.json");
  if (!summary) return rows;
  for (const auto& [stem, facts] : *summary) {
    std::ifstream file{std::filesystem::path{SHARDPLAN_SHARED_DIR} / "truth/schedules" / (stem + ".txt")};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    rows.push_back({stem, facts, sp::read_table(text.c_str())});
  }
  return rows;
}

sp::fraction number(const truth::json& value) {
  const std::string text = value.get_value<std::string>();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::stoll(text);
  return {std::stoll(text.substr(0, slash)), std::stoll(text.substr(slash + 1))};
}

std::string text_of(const sp::op_table& table, int rank) {
  std::string line;
  for (int at = 0; at < table.size(rank); ++at) {
    const sp::op item = table.at(rank, at);
    line += "FBIW"[static_cast<int>(item.kind)] + std::to_string(item.micro_batch) + ":" + std::to_string(item.slice) + "." +
            std::to_string(item.chunk) + (item.overlaps_next ? "&" : " ");
  }
  return line;
}

std::vector<sp::stage_times> times_of(const std::string& name, const sp::table_shape& shape) {
  sp::stage_times times{1, 1, 1, 0, 0};
  if (name == "tF1_tI2_tW1") times.input_gradient = 2;
  if (name == "tF2_tI3_tW1") times = {2, 3, 1, 0, 0};
  if (name == "tF1_tB2_comm_quarter") times.transfer = {1, 4};
  if (name == "tF1_tI1_tW1_overlapFB2") times.overlapped = 2;
  if (name != "tF1_tB2_last_stage_x2") return {times};
  const int each = shape.layout == sp::placement::bidirectional ? 1 : shape.chunks;
  const sp::fraction share{1, each};
  std::vector<sp::stage_times> all(static_cast<std::size_t>(shape.stages()), {share, share, share, 0, 0});
  all.back() = {share * 2, share * 2, share * 2, 0, 0};
  return all;
}

}  // namespace

TEST_CASE("schedules are those of the real generators, op for op") {
  int compared = 0;
  for (const row& each : all_rows()) {
    const auto found = makers().find(without_sizes(each.stem));
    if (found == makers().end()) continue;
    INFO(each.stem);
    ++compared;
    const sp::op_table ours = found->second(each.table.shape.ranks, each.table.shape.micro_batches);
    for (int rank = 0; rank < ours.shape.ranks; ++rank) CHECK(text_of(ours, rank) == text_of(each.table, rank));
    CHECK(ours.ends);
  }
  if (std::filesystem::exists(std::filesystem::path{SHARDPLAN_SHARED_DIR} / "truth")) CHECK(compared == 48);
}

TEST_CASE("simulations give the figures of summary.json") {
  for (const row& each : all_rows()) {
    INFO(each.stem);
    REQUIRE(each.table.ends);
    const truth::json& peaks = each.facts.get_child("peak_activations");
    for (const auto& [name, kept] :
         std::map<std::string, sp::fraction>{{"omega1_release_at_W", 1}, {"omega0_release_at_I", 0}, {"omega_half", {1, 2}}}) {
      const auto result = sp::simulate(each.table, sp::stage_times{}, kept);
      int rank = 0;
      for (const auto& peak : peaks.get_child(name)) CHECK(result.peak_activations[rank++] == number(peak.second));
    }
    for (const auto& [name, facts] : each.facts.get_child("times")) {
      INFO(name);
      const auto times = times_of(name, each.table.shape);
      const bool uniform = times.size() == 1;
      const auto result = uniform ? sp::simulate(each.table, times[0]) : sp::simulate(each.table, times.data());
      CHECK(result.makespan == number(facts.get_child("makespan")));
      CHECK(result.span == number(facts.get_child("span")));
      int rank = 0;
      sp::fraction idle = 0, most = 0;
      for (const auto& value : facts.get_child("idle")) {
        CHECK(result.idle[rank] == number(value.second));
        idle = idle + result.idle[rank++];
      }
      rank = 0;
      for (const auto& value : facts.get_child("busy")) CHECK(result.busy[rank++] == number(value.second));
      rank = 0;
      for (const auto& value : facts.get_child("span_idle")) {
        if (result.span_idle[rank] > most) most = result.span_idle[rank];
        CHECK(result.span_idle[rank++] == number(value.second));
      }
      CHECK(most == number(facts.get_child("internal_idle_max")));
      CHECK(idle / (result.makespan * each.table.shape.ranks) == number(facts.get_child("bubble_fraction")));
      const sp::fraction period = uniform ? sp::steady_period(each.table, times[0]) : sp::steady_period(each.table, times.data());
      CHECK(period == number(facts.get_child("steady_period")));
    }
  }
}

TEST_CASE("transfers are those of summary.json") {
  for (const row& each : all_rows()) {
    INFO(each.stem);
    const sp::transfer_facts found = sp::detail::facts_of_transfers(each.table);
    const truth::json& facts = each.facts.get_child("comm");
    CHECK(found.messages == facts.get<int>("messages"));
    CHECK(found.paired == facts.get<bool>("paired"));
    CHECK(found.in_order_on_one_channel == facts.get<bool>("fifo_per_rank_pair"));
    CHECK(found.in_order_by_kind == facts.get<bool>("fifo_per_pair_and_kind"));
    CHECK(found.rendezvous == facts.get<bool>("rendezvous_ok"));
    CHECK(found.batched == facts.get<bool>("batched_rendezvous_ok"));
    CHECK(found.buffer_depth == facts.get<int>("min_send_buffer_depth"));
    CHECK(found.sender_driven == facts.get<bool>("sender_driven_rendezvous_ok"));
    CHECK(sp::simulate(each.table, sp::stage_times{}).makespan == number(facts.get_child("makespan_blocking_recv_jit")));
    CHECK(sp::sender_driven_makespan(each.table, sp::stage_times{}) == number(facts.get_child("makespan_blocking_recv_sender_driven")));
  }
}

TEST_CASE("where only a search gives an order, ours is not worse at F = I = W") {
  const std::map<std::string, maker> ours{{"v_half_v2", &sp::op_table::of<s::v_half>},
                                          {"v_min_v2", &sp::op_table::of<s::v_min>},
                                          {"grouped_interleaved_g2_v2", &sp::op_table::of<s::grouped_interleaved<2, 2>>},
                                          {"grouped_interleaved_g4_v2", &sp::op_table::of<s::grouped_interleaved<2, 4>>},
                                          {"zb_auto_cap2_v1", &sp::op_table::of<s::zb_h1>},
                                          {"zb_auto_cap3_v1", &sp::op_table::of<s::zb_h2>},
                                          {"zb_auto_cap4_v1", &sp::op_table::of<s::zb_h1>},
                                          {"zb_auto_cap7_v1", &sp::op_table::of<s::zb_h2>},
                                          {"zbv_auto_v2", &sp::op_table::of<s::zb_v>}};
  for (const row& each : all_rows()) {
    const auto found = ours.find(without_sizes(each.stem));
    if (found == ours.end()) continue;
    INFO(each.stem);
    const sp::op_table table = found->second(each.table.shape.ranks, each.table.shape.micro_batches);
    const auto theirs_result = sp::simulate(each.table, sp::stage_times{});
    const auto ours_result = sp::simulate(table, sp::stage_times{});
    CHECK(ours_result.makespan <= theirs_result.makespan);
    for (int rank = 0; rank < table.shape.ranks; ++rank) CHECK(ours_result.peak_activations[rank] <= theirs_result.peak_activations[rank]);
  }
}
