// SPDX-License-Identifier: BSL-1.0
// A sweep as a table of text and of Markdown.
#include "../catch.hpp"

#include <shardplan/report/sweep.hpp>
#include <shardplan/shardplan.hpp>

#include <algorithm>
#include <string>

namespace sp = shardplan;

namespace {

using grid = sp::sweep<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<64>, sp::list<sp::tp<1>, sp::tp<3>>,
                       sp::list<sp::parts<>, sp::parts<sp::zero<3>, sp::recompute<sp::recomputes::full>>>>;

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("a sweep in plain text: a line a row, with what its lists say and its verdict") {
  const std::string text = sp::report::sweep_text<grid>();
  CHECK(std::count(text.begin(), text.end(), '\n') == grid::size + 1);
  CHECK(has(text, "row  tp  zero  recompute  dp  GiB a device  s a step  tokens/s  verdict\n"));
  CHECK(has(text, "  0   1     0       none   8"));
  CHECK(has(text, sp::report::gib(grid::row<0>.peak_memory) + "         -         -  does not fit, stage 0\n"));
  CHECK(has(text, "  1   1     3       full   8"));
  CHECK(has(text, "valid\n"));
  CHECK(has(text, "tp 3 does not divide device_count 8\n"));
}

// A row looks for no change, so it does not say that none helps.
TEST_CASE("a host that is too small is no more than named") {
  using hosts = sp::sweep<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::zero<1>, sp::offload<sp::states_to<sp::storage::host>>,
                          sp::list<sp::host_memory<64>, sp::host_memory<1024>>>;
  const std::string text = sp::report::sweep_text<hosts>();
  INFO(text);
  CHECK(has(text, "  a host needs "));
  CHECK(has(text, " GiB and has 64.00 GiB\n"));
  CHECK(has(text, "valid\n"));
}

TEST_CASE("a sweep in Markdown: every line has the same cells") {
  const std::string table = sp::report::sweep_markdown<grid>();
  std::size_t line = 0;
  for (std::size_t from = 0; from < table.size(); ++line) {
    const std::size_t to = table.find('\n', from);
    const std::string cells = table.substr(from, to - from);
    INFO(cells);
    CHECK(std::count(cells.begin(), cells.end(), '|') == 10);
    from = to + 1;
  }
  CHECK(line == grid::size + 2);
}

// Each part has words of its own: none is empty, and a spec with everything differs from the default in most.
TEST_CASE("every part can be a column") {
  using all = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::host_memory<1024>,
                       sp::framework<sp::frameworks::megatron>, sp::sequence<2048>, sp::micro_batch<2>, sp::global_batch<64>,
                       sp::accumulation<4>, sp::tp<2>, sp::pp<4>, sp::dp<4>, sp::ep<2>, sp::etp<2>, sp::zero<1>,
                       sp::offload<sp::states_to<sp::storage::host>>, sp::layer_split<7, 9, 9, 7>, sp::pipeline_slots<sp::loss_slot>,
                       sp::vocabulary_multiple<256>, sp::schedule<sp::schedules::zb_h1>, sp::optimizer<sp::optimizers::lion>,
                       sp::precision<sp::precisions::pure_bf16>, sp::recompute<sp::recomputes::mlp, sp::recomputes::layernorm>,
                       sp::kernels<sp::kernel_sets::torch_eager>, sp::attention<sp::attentions::materialised>,
                       sp::dropout<sp::dropouts::both>, sp::context_exchange<sp::context_exchanges::ring>, sp::headroom<512>>;
  for (int kind = 0; kind <= static_cast<int>(sp::part_kind::rank_order); ++kind) {
    INFO(sp::name_of(static_cast<sp::part_kind>(kind)));
    CHECK(!sp::report::words_of(all::spec, static_cast<sp::part_kind>(kind)).empty());
    CHECK(!sp::report::words_of(sp::plan_spec{}, static_cast<sp::part_kind>(kind)).empty());
  }
  CHECK(sp::report::words_of(all::spec, sp::part_kind::cluster) == "4 x 8 NVIDIA H100 SXM5 80 GB");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::model) == "32 layers x 4096");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::offload) == "states to host");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::layer_split) == "7+9+9+7");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::recompute) == "mlp+layernorm");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::attention) == "materialised");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::dropout) == "both");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::context_exchange) == "ring");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::framework) == "megatron");
  CHECK(sp::report::words_of(all::spec, sp::part_kind::rank_order) == "megatron");
}
