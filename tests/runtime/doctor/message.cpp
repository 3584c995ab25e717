// SPDX-License-Identifier: BSL-1.0
// From the message of an allocator to the cause.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/message.hpp>
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
