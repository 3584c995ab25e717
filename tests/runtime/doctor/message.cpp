// SPDX-License-Identifier: BSL-1.0
// From the message of an allocator to the cause.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/message.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/report/diagnosis.hpp>

#include <cstdint>
#include <string>

namespace sp = shardplan;
using doctor::plain;
using sp::cause;

// The loss kernel of transformers makes fp32 logits: 4096 x 32000 x 4 bytes are 500 MiB.
TEST_CASE("doctor: from a message to the cause") {
  sp::plan_spec spec = plain();
  spec.zero = 3;
  spec.micro_batch = 8;
  spec.loss = sp::losses::torch_eager_float::spec;
  const sp::size_diagnosis found =
      sp::diagnosis_of(spec, sp::printed_in("CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 79.15 GiB"));
  CHECK_FALSE(found.tensors.empty());
  REQUIRE(found.named >= 1);
  bool logits = false;
  for (std::size_t at = 0; at < found.named; ++at) logits = logits || found.causes[at].which == cause::mem_logits;
  CHECK(logits);
  CHECK(found.causes.size() == sp::diagnosis_of(spec, sp::symptom::out_of_memory).size());
  // A size that nothing has names nothing, and the causes are still there.
  const sp::size_diagnosis none = sp::diagnosis_of(spec, sp::printed_in("Tried to allocate 7.77 KiB"));
  CHECK(none.named == 0);
  CHECK(none.causes.size() == found.causes.size());
}

// Whatever the message is and whatever the plan is, every cause is there and nothing is thrown.
TEST_CASE("doctor: nothing is lost for a message that says nothing") {
  const std::size_t all = sp::diagnosis_of(plain(), sp::symptom::out_of_memory).size();
  sp::plan_spec broken = plain();
  broken.tp = 3;
  for (const char* message :
       {"", "Killed", "Tried to allocate", "Tried to allocate 99999999999999999999 GiB", "Tried to allocate 17179869184.00 GiB",
        "Tried to allocate nan GiB", "\xff\xfe", "Tried to allocate -2.00 GiB", "8191.99 PiB", "Tried to allocate 0 bytes"}) {
    INFO(message);
    for (const sp::plan_spec& spec : {plain(), broken, sp::plan_spec{}}) {
      const sp::size_diagnosis found = sp::diagnosis_of(spec, sp::printed_in(message));
      CHECK(found.causes.size() == all);
      CHECK(found.tensors.size() <= sp::most_size_matches);
      if (!sp::printed_in(message).is_known()) CHECK(found.tensors.empty());
    }
  }
}

namespace {

// A plan of that model on so many devices of one node.
sp::plan_spec one_node(const sp::transformer& shape, std::int64_t devices, std::int64_t micro_batch = 1) {
  sp::plan_spec spec = plain();
  spec.model = shape;
  spec.devices_per_node = devices;
  spec.micro_batch = micro_batch;
  spec.global_batch = micro_batch * devices;
  return spec;
}

}  // namespace

// Sizes of public messages that equal a product of the shape, each found from the text in the form that a user pastes.
TEST_CASE("doctor: sizes of public messages are named") {
  const sp::transformer baichuan_7b{.layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 64000};
  const sp::transformer llada_8b{.layers = 32, .hidden = 4096, .heads = 32, .ffn = 12288, .vocab = 126464};
  sp::plan_spec qwen = one_node(sp::models::qwen3_235b_a22b::shape, 16);
  qwen.ep = 16;
  sp::plan_spec llama = one_node(sp::models::llama_7b::shape, 4);
  llama.zero = 3;
  llama.sequence = 2048;
  struct {
    const char* message;
    sp::plan_spec spec;
    const char* what;
    sp::size_extent extent;
    std::int64_t width;
    std::int64_t shared_by;
    cause points_at;
  } const cases[] = {
      // LlamaFactory 260: 4 P
      {"CUDA out of memory. Tried to allocate 26.08 GiB (GPU 0; 79.15 GiB total capacity; 13.04 GiB already allocated; 52.11 GiB free; "
       "13.05 "
       "GiB reserved in total by PyTorch)",
       one_node(baichuan_7b, 1), "all parameters", sp::size_extent::model, 4, 1, cause::mem_states},
      // ms-swift 9403: the routed experts of one of 16 expert parallel ranks, 2 bytes each
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 26.44 GiB. GPU 5 has a total capacity of 79.15 GiB of which 25.20 "
       "GiB is "
       "free. Including non-PyTorch memory, this process has 53.94 GiB memory in use. Of the allocated memory 52.91 GiB is allocated by "
       "PyTorch, and 45.00 MiB is reserved by PyTorch but unallocated.",
       qwen, "routed experts", sp::size_extent::stage, 2, 1, cause::mem_states},
      // ColossalAI 4537: fp32 scores, 16 x 32 x 4096 x 4096
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 GiB (GPU 3; 79.35 GiB total capacity; 41.11 GiB already "
       "allocated; 29.91 GiB free; 48.07 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
       "max_split_size_mb to avoid fragmentation.",
       one_node(sp::models::llama_7b::shape, 1, 16), "attention scores", sp::size_extent::activation, 4, 1, cause::mem_activations},
      // lit-llama 397: 4 P over 4 ranks
      {"OutOfMemoryError: CUDA out of memory. Tried to allocate 6.28 GiB", llama, "all parameters", sp::size_extent::model, 4, 4,
       cause::mem_states},
      // dllm 9: 2 P
      {"HIP out of memory. Tried to allocate 14.93 GiB. GPU 0 has a total capacity of 63.98 GiB of which 7.10 GiB is free.",
       one_node(llada_8b, 1), "all parameters", sp::size_extent::model, 2, 1, cause::mem_states},
      // accelerate 3379: all but one table of the vocabulary, in one byte
      {"NPU out of memory. Tried to allocate 64.73 GiB (NPU 3; 60.97 GiB total capacity; 0 bytes already allocated; 60.10 GiB free)",
       one_node(sp::models::llama3_70b::shape, 8), "all but one table of the vocabulary", sp::size_extent::model, 1, 1, cause::mem_states},
  };
  for (const auto& item : cases) {
    INFO(item.message);
    const sp::size_diagnosis found = sp::diagnosis_of(item.spec, item.message);
    bool named = false;
    for (const sp::size_match& match : found.tensors) {
      if (match.what != sp::literal{item.what} || match.extent != item.extent || match.width != item.width ||
          match.shared_by != item.shared_by)
        continue;
      named = true;
      CHECK(found.said.requested.holds(match.size.count));
      CHECK(sp::cause_of(item.spec, match) == item.points_at);
    }
    CHECK(named);
    bool in_front = false;
    for (std::size_t at = 0; at < found.named; ++at) in_front = in_front || found.causes[at].which == item.points_at;
    CHECK(in_front);
    // The same by the size alone, and in words.
    CHECK(sp::diagnosis_of(item.spec, found.said.requested).tensors.size() == found.tensors.size());
    CHECK(sp::report::text_of_message(item.spec, item.message).find(std::string{item.what} + " (") != std::string::npos);
  }
}

TEST_CASE("doctor: what else a message says") {
  const auto gib = [](std::int64_t hundredths) { return sp::printed_as(hundredths, 100, {std::int64_t{1} << 30}).nominal; };
  const sp::allocator_message old = sp::read_allocator_message(
      "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.15 GiB total capacity; 70.25 GiB already allocated; "
      "1.50 GiB free; 76.00 GiB reserved in total by PyTorch)");
  CHECK(old.requested.nominal == gib(200));
  CHECK(old.capacity.nominal == gib(7915));
  CHECK(old.allocated.nominal == gib(7025));
  CHECK(old.free.nominal == gib(150));
  CHECK(old.reserved.nominal == gib(7600));
  CHECK(old.was_in_pieces());
  const sp::allocator_message now = sp::read_allocator_message(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.02 GiB "
      "is "
      "free. Process 4211 has 2.50 GiB memory in use. Process 4212 has 1.00 GiB memory in use. Including non-PyTorch memory, this process "
      "has "
      "74.60 GiB memory in use. Of the allocated memory 72.00 GiB is allocated by PyTorch, and 1.25 GiB is reserved by PyTorch but "
      "unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
  CHECK(now.requested.nominal == gib(200));
  CHECK(now.capacity.nominal == gib(7915));
  CHECK(now.free.nominal == gib(102));
  CHECK(now.others.nominal == gib(350));
  CHECK(now.in_use.nominal == gib(7460));
  CHECK(now.allocated.nominal == gib(7200));
  CHECK(now.unallocated.nominal == gib(125));
  CHECK_FALSE(now.was_in_pieces());
  // PyTorch 2.1's spelling, 1.x's word, MPS, XPU.
  CHECK(sp::read_allocator_message("GPU 0 has a total capacty of 23.65 GiB of which 10.00 MiB is free.").capacity.nominal == gib(2365));
  CHECK(
      sp::read_allocator_message("Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.80 GiB already allocated; 6.88 MiB free; "
                                 "9.90 GiB cached)")
          .reserved.nominal == gib(990));
  const sp::allocator_message mps = sp::read_allocator_message(
      "MPS backend out of memory (MPS allocated: 17.00 GB, other allocations: 1.00 GB, max allowed: 18.13 GB). Tried to allocate 2.00 GB "
      "on "
      "private pool.");
  CHECK(mps.requested.nominal == sp::bytes{2'000'000'000});
  CHECK(mps.allocated.nominal == sp::bytes{17'000'000'000});
  CHECK(mps.others.nominal == sp::bytes{1'000'000'000});
  CHECK(mps.capacity.nominal == sp::bytes{18'130'000'000});
  const sp::allocator_message xpu = sp::read_allocator_message(
      "XPU out of memory. Tried to allocate 4.00 GiB. GPU 1 has a total capacity of "
      "64.00 GiB. Of the allocated memory 60.00 GiB is allocated by PyTorch");
  CHECK((xpu.capacity.nominal == gib(6400) && xpu.allocated.nominal == gib(6000)));
  // What was held in pieces points at fragmentation first.
  const sp::size_diagnosis found = sp::diagnosis_of(plain(), old);
  REQUIRE(found.named >= 1);
  CHECK(found.causes[0].which == cause::mem_fragment);
  CHECK(found.planned == sp::figures_of(plain()).peak_memory - sp::bytes{plain().headroom_mebibytes << 20});
  const std::string words = sp::report::text_of(found);
  CHECK(words.find("tensors held 70.25 GiB when that was asked for; the plan's peak is 117.48 GiB\n") != std::string::npos);
  CHECK(words.find("in pieces: fragmentation\n") != std::string::npos);
  // Where the plan contradicts the message, the contradiction is said, and not how far the plan is beyond a limit of nine tenths.
  CHECK(words.find("1. mem_fragment (supported): 148.8 % of the device: the plan does not fit at all, fragments or not; a run that took "
                   "steps was not of this plan\n") != std::string::npos);
  sp::plan_spec sharded = plain();
  sharded.zero = 3;
  const std::string smaller = sp::report::text_of(sp::diagnosis_of(sharded, old));
  CHECK(smaller.find("tensors held 70.25 GiB when that was asked for; the plan's peak is 31.69 GiB: more was held than the plan has\n") !=
        std::string::npos);
  CHECK(smaller.find("   not mem_fragment: 41.5 %, not above 90.0 %\n") != std::string::npos);
}

// Messages cut anywhere, of any bytes, of any plan.
TEST_CASE("doctor: any text is a message") {
  const std::string whole =
      "CUDA out of memory. Tried to allocate 26.08 GiB (GPU 0; 79.15 GiB total capacity; 52.91 GiB already allocated; 1.00 GiB free; "
      "Process 7 "
      "has 9223372036854775807 bytes Process 8 has 8191.00 PiB this process has 1.00 EiB memory in use";
  const sp::plan_spec plans[] = {plain(), {}};
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    const std::string rest = whole.substr(length);
    for (const std::string& text : {part, rest, part + "\xff\xfe%n" + rest, std::string(length, '9') + " GiB", std::string(length, ' ')}) {
      const sp::allocator_message said = sp::read_allocator_message(text.c_str());
      REQUIRE(said.others.least <= said.others.most);
      if (length % 16 == 0)
        for (const sp::plan_spec& spec : plans) REQUIRE(sp::diagnosis_of(spec, text.c_str()).causes.size() >= 8);
    }
  }
  CHECK(sp::diagnosis_of(plain(), static_cast<const char*>(nullptr)).named == 0);
  CHECK_FALSE(sp::read_allocator_message(nullptr).requested.is_known());
  CHECK(sp::report::text_of_message(plain(), std::string("Tried to allocate 5\0 GiB", 23)).find("no size in this message") == 0);
}
