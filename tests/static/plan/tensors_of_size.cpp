// SPDX-License-Identifier: BSL-1.0
// Sizes of real out-of-memory messages, decoded. The messages are of public issues.
#include <shardplan/plan/tensors_of_size.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;
using namespace sp::literals;

namespace {

// Printed sizes.
constexpr sp::printed_size experts_of_qwen =
    sp::printed_in("CUDA out of memory. Tried to allocate 26.44 GiB (GPU 5; 79.15 GiB total capacity; 52.91 GiB already allocated)");
static_assert(experts_of_qwen.least == sp::bytes{28384365118} && experts_of_qwen.most == sp::bytes{28395102535});
static_assert(experts_of_qwen.nominal == sp::bytes{28389733827});
static_assert(sp::printed_in("512.00 MiB").nominal == 512_MiB && sp::printed_in("20 bytes").least == sp::bytes{20});
static_assert(sp::printed_in("Tried to allocate 2.5 GB on cuda:0").nominal == sp::bytes{2'500'000'000});
static_assert(sp::printed_in("GPU 0 has 7.5 KiB").nominal == sp::bytes{7680});
static_assert(!sp::printed_in("out of memory").is_known() && !sp::printed_in("").is_known() && !sp::printed_in("1.5 bytes").is_known());
static_assert(!sp::printed_in("12345678901234 GiB").is_known());
static_assert(sp::printed_as(0, 100, 1_GiB).least == sp::bytes{0} && sp::printed_as(0, 100, 1_GiB).most == sp::bytes{5368709});
static_assert(sp::allocation_of({1}) == 2_MiB && sp::allocation_of(1_MiB) == 2_MiB && sp::allocation_of({1048577}) == 20_MiB);
static_assert(sp::allocation_of(10_MiB) == 10_MiB && sp::allocation_of({10485761}) == 12_MiB);

struct card {
  static constexpr sp::device_spec spec{.name = "80 GiB", .memory = 80_GiB};
};
template <class Model, int Devices, class... Parts>
using run = sp::plan<sp::model<Model>, sp::cluster<card, Devices, 1>, Parts...>;

constexpr bool has(const sp::size_matches& matches, sp::literal what, sp::size_extent extent, std::int64_t width,
                   std::int64_t shared_by = 1) {
  for (const sp::size_match& match : matches)
    if (match.what == what && match.extent == extent && match.width == width && match.shared_by == shared_by) return true;
  return false;
}

// ms-swift #9403: the routed experts of a rank of Qwen3-235B with ep<16>, two bytes each.
using qwen = run<sp::models::qwen3_235b_a22b, 16, sp::ep<16>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<16>>;
constexpr sp::size_matches of_qwen = sp::tensors_of_size(qwen::spec, experts_of_qwen);
static_assert(has(of_qwen, "routed experts", sp::size_extent::stage, 2));
static_assert(of_qwen[0].size == sp::bytes{28'387'049'472} && of_qwen[0].numbers == 94 * 8 * 3 * 4096LL * 1536);
static_assert(sp::sentence_of(of_qwen[0]) ==
              sp::text<200>{}.append("routed experts (a pipeline rank, stage 0): 14193524736 x 2 bytes = 28387049472 bytes"));

// LlamaFactory #260: Baichuan-7B in fp32, 4P.
struct baichuan_7b {
  static constexpr sp::transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 64000};
};
using baichuan = run<baichuan_7b, 1, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<1>>;
static_assert(has(sp::tensors_of_size(baichuan::spec, sp::printed_in("Tried to allocate 26.08 GiB")), "all parameters",
                  sp::size_extent::model, 4));

// lit-llama #397: a flat shard of LLaMA-7B on four ranks, in fp32; the rest of the message, 25.10 GiB, is all of it.
using llama = run<sp::models::llama_7b, 4, sp::zero<3>, sp::sequence<2048>, sp::micro_batch<1>, sp::global_batch<4>>;
constexpr sp::size_matches of_llama = sp::tensors_of_size(llama::spec, sp::printed_in("Tried to allocate 6.28 GiB"));
static_assert(has(of_llama, "all parameters", sp::size_extent::model, 4, 4));
static_assert(has(sp::tensors_of_size(llama::spec, sp::printed_in("25.10 GiB")), "all parameters", sp::size_extent::model, 4));

// dllm #9: LLaDA-8B in bf16 (shape: its config.json).
struct llada_8b {
  static constexpr sp::transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .ffn = 12288, .vocab = 126464};
};
using llada = run<llada_8b, 1, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<1>>;
static_assert(has(sp::tensors_of_size(llada::spec, sp::printed_in("14.93 GiB")), "all parameters", sp::size_extent::model, 2));

// ColossalAI #4537: fp32 scores of 16 sequences, 32 heads, 4096 x 4096.
using colossal = run<sp::models::llama_7b, 1, sp::sequence<4096>, sp::micro_batch<16>, sp::global_batch<16>>;
constexpr sp::size_matches of_colossal = sp::tensors_of_size(colossal::spec, sp::printed_in("Tried to allocate 32.00 GiB"));
static_assert(of_colossal[0].what == "attention scores" && of_colossal[0].width == 4 && of_colossal[0].difference == 0);
static_assert(of_colossal[0].size == 32_GiB);

// accelerate #3379: Llama-3.1-70B in one byte, without one of its two tables.
using big = run<sp::models::llama3_70b, 8, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<8>>;
static_assert(has(sp::tensors_of_size(big::spec, sp::printed_in("64.73 GiB")), "all but one table of the vocabulary",
                  sp::size_extent::model, 1));

// fp32 logits of Llama 3: 128,256 x 8,192 x 4 bytes are exactly 3.91 GiB (4,202,692,608 bytes); the closest come first.
using small = run<sp::models::llama3_8b, 8, sp::sequence<8192>, sp::micro_batch<1>, sp::global_batch<8>>;
constexpr sp::size_matches of_logits = sp::tensors_of_size(small::spec, sp::printed_in("Tried to allocate 3.91 GiB"));
static_assert(has(of_logits, "logits", sp::size_extent::loss, 4) &&
              has(of_logits, "logits without the last token", sp::size_extent::loss, 4));
constexpr bool is_sorted(const sp::size_matches& matches) {
  for (std::size_t at = 1; at < matches.size(); ++at)
    if (sp::detail::distance(matches[at - 1]) > sp::detail::distance(matches[at])) return false;
  return true;
}
static_assert(is_sorted(of_logits) && is_sorted(of_qwen) && is_sorted(of_llama));

// Every parameter tensor of a rank is found by its exact size, in two bytes.
template <class Plan>
constexpr bool finds_every_tensor() {
  bool all = true;
  sp::detail::walk_tensors(Plan::spec.model, [&](const char* name, std::int64_t rows, std::int64_t columns, sp::split how, sp::role purpose,
                                                 sp::place, std::int64_t copies, std::int64_t) {
    const sp::derived facts = sp::derive(Plan::spec);
    const sp::tensor_shard shard =
        sp::shard_of(rows, columns, copies, how, sp::is_routed(purpose), facts.grid, facts.vocabulary, Plan::spec.model.head_width());
    if (shard.rows * shard.columns < 100'000'000) return;  // smaller ones share their size with many
    all = all && has(sp::tensors_of_size(Plan::spec, sp::bytes{2 * shard.rows * shard.columns}), name, sp::size_extent::tensor, 2);
  });
  return all;
}
static_assert(finds_every_tensor<big>() && finds_every_tensor<small>());

// A tensor that the allocator rounds up to what is printed: 2 x 5,000,000 bytes are asked for as 20 MiB.
struct narrow {
  static constexpr sp::transformer shape{.layers = 1, .hidden = 1000, .heads = 10, .ffn = 3000, .vocab = 5000};
};
using rounded = run<narrow, 1, sp::sequence<16>, sp::micro_batch<1>, sp::global_batch<1>>;
constexpr sp::size_matches of_rounded = sp::tensors_of_size(rounded::spec, sp::printed_in("20.00 MiB"));
static_assert(has(of_rounded, "head", sp::size_extent::tensor, 4) && !has(of_rounded, "final_norm", sp::size_extent::tensor, 4));

// Nothing has one byte; a plan that cannot be computed has no sizes, and an unknown size has no matches.
static_assert(sp::tensors_of_size(small::spec, sp::bytes{1}).empty());
static_assert(sp::tensors_of_size(sp::plan<sp::tp<3>>::spec, 1_GiB).empty());
static_assert(sp::tensors_of_size(small::spec, sp::printed_size{}).empty());

}  // namespace
