// SPDX-License-Identifier: BSL-1.0
#include "translation_units.hpp"

#include <utility>

namespace benchmark {

namespace {

/// A file that includes one header.
translation_unit including(const std::string& name, const std::string& header) {
  return {name, "<" + header + ">", "#include <" + header + ">\n"};
}

/// A file with `count` plans.
translation_unit of_plans(int count) {
  const std::string number = std::to_string(count);
  return {"plans_" + number, number + (count == 1 ? " checked plan" : " checked plans"), plans(count)};
}

/// The same with the traffic of a stage and the timing of each read.
translation_unit of_plans_read(int count) {
  const std::string number = std::to_string(count);
  return {"read_" + number, number + (count == 1 ? " plan" : " plans") + ", traffic and timing read", plans(count, 1, true)};
}

/// A file with one interleaved schedule: its table, every proof, one simulation.
translation_unit of_schedule(int ranks, int micro_batches, int chunks) {
  const std::string sizes = std::to_string(ranks) + ", " + std::to_string(micro_batches);
  const std::string schedule = "sp::schedules::interleaved<" + std::to_string(chunks) + ">, " + sizes;
  std::string text = "#include <shardplan/shardplan.hpp>\nnamespace sp = shardplan;\n";
  text.append("static_assert(sp::proven<").append(schedule).append(">);\n");
  text.append("constexpr auto result = sp::simulate<").append(schedule).append(">(sp::stage_times{2, 3, 1});\n");
  text.append("static_assert(result.makespan > 0);\n");
  return {"schedule_" + std::to_string(ranks), "interleaved, p, m, v = " + sizes + ", " + std::to_string(chunks), text};
}

/// A file with one search at compile time: 2,000 candidates, of which more than a third fit and a fifth are timed; the best are played.
translation_unit of_search() {
  const std::string text =
      "#include <shardplan/hardware/catalog.hpp>\n#include <shardplan/model/catalog.hpp>\n#include <shardplan/schedule/gpipe.hpp>\n"
      "#include <shardplan/search/best.hpp>\n#include <shardplan/shardplan.hpp>\nnamespace sp = shardplan;\n"
      "using answer = sp::best<sp::models::llama2_70b, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::sequence<4096>,\n"
      "    sp::global_batch<1024>, sp::recompute<sp::recomputes::full>, sp::among<sp::tp<1>, sp::tp<2>, sp::tp<4>, sp::tp<8>>,\n"
      "    sp::among<sp::pp<1>, sp::pp<2>, sp::pp<4>, sp::pp<5>, sp::pp<8>>,\n"
      "    sp::among<sp::micro_batch<1>, sp::micro_batch<2>, sp::micro_batch<4>, sp::micro_batch<8>, sp::micro_batch<16>>,\n"
      "    sp::among<sp::schedule<sp::schedules::one_f_one_b>, sp::schedule<sp::schedules::interleaved<2>>,\n"
      "              sp::schedule<sp::schedules::interleaved<4>>, sp::schedule<sp::schedules::zb_h1>,\n"
      "              sp::schedule<sp::schedules::gpipe>>>;\n"
      "static_assert(answer::considered == 2000 && sp::checked<answer::plan>);\n";
  return {"search_2000", "best of 2,000 candidates", text};
}

}  // namespace

std::string plans(int count, int nodes, bool reads) {
  std::string text = "#include <shardplan/shardplan.hpp>\nnamespace sp = shardplan;\n";
  for (int plan = 0; plan < count; ++plan) {
    const std::string name = "run_" + std::to_string(plan);
    const std::string hosts = std::to_string(nodes + plan);
    const std::string batch = std::to_string(8 * (nodes + plan));
    text.append("using ").append(name).append(" = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, ");
    text.append(hosts).append(">, sp::tp<2>, sp::pp<4>, sp::zero<1>, sp::micro_batch<1>, sp::global_batch<").append(batch);
    text.append(">, sp::sequence<4096>, sp::optimizer<sp::optimizers::adamw>, sp::precision<sp::precisions::bf16_fp32_master>>;\n");
    text.append("static_assert(sp::checked<").append(name).append(">);\n");
    if (!reads) continue;
    text.append("static_assert(").append(name).append("::traffic[1].sent(sp::channel::tp) > sp::bytes{0});\n");
    text.append("static_assert(").append(name).append("::timing.step > 0);\n");
  }
  return text;
}

std::string ranks_of_a_plan(int nodes) {
  return plans(1, nodes) +
         "static_assert(sp::rank_groups<run_0, sp::axis::tp>.rank(0, 1) == 1 && sp::rank_groups<run_0, sp::axis::pp>.size == 4);\n"
         "static_assert(sp::rank_groups<run_0, sp::axis::dp_cp>.size == run_0::world_size / 8);\n"
         "static_assert(sp::link_of_axis<run_0, sp::axis::tp>.kind == sp::link_kind::fabric);\n"
         "static_assert(sp::coordinates_of(sp::mesh_of_plan<run_0>, run_0::world_size - 1).pp == 3);\n";
}

std::vector<translation_unit> all_units() {
  return {
      {"empty", "empty file", ""},
      including("umbrella", "shardplan/shardplan.hpp"),
      including("algorithm", "algorithm"),
      including("hana", "boost/hana.hpp"),
      of_plans(1),
      {"gpus_131072", "1 plan, 131,072 GPUs", plans(1, 16384)},
      {"ranks_8", "its ranks, 8 GPUs", ranks_of_a_plan(1)},
      {"ranks_131072", "its ranks, 131,072 GPUs", ranks_of_a_plan(16384)},
      of_plans(10),
      of_plans(100),
      of_plans(201),
      of_plans(1000),
      of_plans_read(1),
      of_plans_read(201),
      of_schedule(8, 32, 4),
      of_schedule(16, 128, 4),
      of_schedule(64, 512, 2),
      of_search(),
  };
}

std::vector<translation_unit> baseline_units() {
  std::vector<translation_unit> units;
  for (translation_unit& unit : all_units())
    if (unit.name == "umbrella" || unit.name == "plans_1" || unit.name == "gpus_131072" || unit.name == "ranks_8" ||
        unit.name == "ranks_131072" || unit.name == "plans_10" || unit.name == "plans_100" || unit.name == "search_2000")
      units.push_back(std::move(unit));
  return units;
}

}  // namespace benchmark
