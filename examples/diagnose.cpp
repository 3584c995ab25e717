// SPDX-License-Identifier: BSL-1.0
// From a symptom to its causes, each with a figure of the plan and a remedy that was recomputed; from the size in an out-of-memory message
// to the tensor; and what makes a plan fit, or wait less, with what it costs.
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/message.hpp>
#include <shardplan/report/diagnosis.hpp>
#include <shardplan/report/offers.hpp>
#include <shardplan/shardplan.hpp>

#include <iostream>

namespace sp = shardplan;

namespace {

template <class... Parts>
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                     sp::micro_batch<1>, sp::global_batch<64>, Parts...>;

// Known when this file is compiled: the states are to blame, and ZeRO-1 is enough.
constexpr sp::diagnosis why = sp::diagnose<run<>, sp::symptoms::out_of_memory>;
static_assert(why[0].which == sp::cause::mem_states && why[0].try_this == sp::remedy{sp::remedy_kind::zero, 1});

// A pipeline that idles.
using deep = sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>,
                      sp::micro_batch<1>, sp::global_batch<32>, sp::tp<4>, sp::pp<4>, sp::zero<1>>;

}  // namespace

int main(int count, char**) {
  if (count > 1) {  // with any argument: the table of docs/how_to/diagnose_a_run.md
    std::cout << sp::report::symptom_table();
    return 0;
  }
  std::cout << "== 7B, data parallel only: " << words_of(sp::symptom::out_of_memory) << "\n" << sp::report::text_of(why) << "\n";
  std::cout << "== 70B, tp 4, pp 4, 32 sequences: " << words_of(sp::symptom::low_utilisation) << "\n"
            << sp::report::text_of(sp::diagnose<deep, sp::symptoms::low_utilisation>) << "\n";
  std::cout << "== 7B, \"Tried to allocate 500.00 MiB\"\n"
            << sp::report::text_of_message(
                   run<sp::cross_entropy<sp::losses::torch_eager_float>>::spec,
                   "CUDA out of memory. Tried to allocate 500.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which "
                   "300.00 MiB is free. Of the allocated memory 77.20 GiB is allocated by PyTorch, and 130.00 MiB is "
                   "reserved by PyTorch but unallocated.")
            << "\n";
  std::cout << "== 7B, data parallel only: what makes it fit\n" << sp::report::text_of(sp::remedies_of<run<>>) << "\n";
  std::cout << "== 70B, tp 4, pp 4, 32 sequences: what makes it wait less\n" << sp::report::text_of(sp::less_idle_of<deep>);
}
