// SPDX-License-Identifier: BSL-1.0
// Sizes decoded at run time: the same answers, and none for a spec or a text that is nonsense.
#include "catch.hpp"

#include <shardplan/plan/tensors_of_size.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace sp = shardplan;
using namespace sp::literals;

namespace {
sp::plan_spec mixtral() {
  sp::plan_spec spec{};
  spec.model = sp::models::mixtral_8x7b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 4;
  spec.sequence = 4096;
  spec.micro_batch = 2;
  spec.global_batch = 64;
  spec.zero = 1;
  return spec;
}
}  // namespace

TEST_CASE("every match has the size that was asked for, the closest first") {
  for (const std::int64_t tp : {1, 2, 4})
    for (const std::int64_t pp : {1, 2, 4})
      for (const std::int64_t ep : {1, 2, 8})
        for (const char* message : {"1.00 GiB", "112.00 MiB", "Tried to allocate 2.62 GiB", "20.00 MiB", "86.99 GiB"}) {
          sp::plan_spec spec = mixtral();
          spec.tp = tp;
          spec.pp = pp;
          spec.ep = ep;
          const sp::printed_size wanted = sp::printed_in(message);
          const sp::size_matches matches = sp::tensors_of_size(spec, wanted);
          std::int64_t before = 0;
          for (const sp::size_match& match : matches) {
            CHECK(match.numbers * match.width == match.size.count);
            CHECK(match.size.count - wanted.nominal.count == match.difference);
            CHECK(match.by_allocator != wanted.holds(match.size.count));
            CHECK((!match.by_allocator || wanted.holds(sp::allocation_of(match.size).count)));
            CHECK(sp::detail::distance(match) >= before);
            CHECK_FALSE(sp::sentence_of(match).truncated);
            before = sp::detail::distance(match);
          }
          CHECK((matches.left_out == 0 || matches.size() == sp::most_size_matches));
        }
}

TEST_CASE("a plan of the largest numbers has sizes too, and one that cannot be computed has none") {
  sp::plan_spec spec = mixtral();
  spec.sequence = std::int64_t{1} << 24;
  CHECK(sp::detail::is_computable(spec));
  CHECK_FALSE(sp::tensors_of_size(spec, sp::printed_in("8192.00 TiB")).size() > sp::most_size_matches);
  spec.tp = 0;
  CHECK(sp::tensors_of_size(spec, 1_GiB).empty());
  spec = mixtral();
  spec.pp = std::numeric_limits<std::int64_t>::max();
  CHECK(sp::tensors_of_size(spec, 1_GiB).empty());
}

TEST_CASE("sizes in texts") {
  CHECK(sp::printed_in("1.GiB 3.00 MiB").nominal == 3_MiB);
  CHECK(sp::printed_in("12.345678 GiB").nominal == sp::printed_as(12345678, 1000000, 1_GiB).nominal);
  CHECK(sp::printed_in("version 2.1.0, 40 GB").nominal == sp::bytes{40'000'000'000});
  CHECK_THROWS_AS(sp::printed_in("999999999 TiB"), sp::arithmetic_error);
  for (const std::string& text : {std::string("allocate "), std::string("allocate 1"), std::string("1.2."), std::string("7 Gi")})
    CHECK_FALSE(sp::printed_in(text.c_str()).is_known());
}
