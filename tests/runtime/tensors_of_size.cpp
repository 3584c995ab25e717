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
  CHECK_FALSE(sp::printed_in("999999999 TiB").is_known());
  CHECK_FALSE(sp::printed_in("Tried to allocate 17179869184.00 GiB").is_known());
  for (const std::string& text : {std::string("allocate "), std::string("allocate 1"), std::string("1.2."), std::string("7 Gi")})
    CHECK_FALSE(sp::printed_in(text.c_str()).is_known());
}

TEST_CASE("sizes in messages of allocators") {
  const auto bytes_in = [](const char* message) { return sp::printed_in(message).nominal.count; };
  // PyTorch on devices and on the host, XLA, MindSpore, CUDA's own.
  CHECK(sp::printed_in("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of "
                       "which 1.02 GiB is free.")
            .nominal == 2_GiB);
  CHECK(sp::printed_in("NPU out of memory. Tried to allocate 512.00 MiB (NPU 3; 60.97 GiB total capacity)").nominal == 512_MiB);
  CHECK(bytes_in("[enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: not enough memory: you tried to allocate 68719476736 "
                 "bytes.") == 68719476736);
  CHECK(bytes_in("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17180131328 bytes.") == 17180131328);
  CHECK(bytes_in("Out of memory allocating 8589934592 bytes.") == 8589934592);
  CHECK(sp::printed_in("Attempting to allocate 1.95G. That was not possible. There are 1.20G free.").nominal ==
        sp::printed_as(195, 100, 1_GiB).nominal);
  CHECK(bytes_in("memory isn't enough and alloc failed, kernel name: MatMul, alloc size: 536870912B.") == 536870912);
  CHECK(sp::printed_in("20.50 GiB already allocated; 1.00 GiB free; Tried to allocate 3.00 GiB").nominal == 3_GiB);
  // Other locales, and digits in groups.
  CHECK(sp::printed_in("Tried to allocate 26,44 GiB").nominal == sp::printed_as(2644, 100, 1_GiB).nominal);
  CHECK(sp::printed_in("Tried to allocate 1,5 GiB").nominal == sp::printed_as(15, 10, 1_GiB).nominal);
  CHECK(sp::printed_in("Tried to allocate 1.234,56 MiB").nominal == sp::printed_as(123456, 100, 1_MiB).nominal);
  CHECK(sp::printed_in("Tried to allocate 1,234.56 MiB").nominal == sp::printed_as(123456, 100, 1_MiB).nominal);
  CHECK(sp::printed_in("Tried to allocate 1,234 MiB").nominal == 1234_MiB);
  CHECK(bytes_in("allocate 68,719,476,736 bytes") == 68719476736);
  CHECK(bytes_in("allocate 68.719.476.736 bytes") == 68719476736);
  CHECK(sp::printed_in("1.5 kB").nominal == sp::bytes{1500});
  CHECK(sp::printed_in("7.77 K").nominal == sp::printed_as(777, 100, 1_KiB).nominal);
  CHECK(sp::printed_in("11.173828125 GiB").nominal == sp::printed_as(11173828, 1000000, 1_GiB).nominal);
  CHECK(bytes_in("9223372036854775807 bytes, 5 bytes") == 5);  // 19 digits are none
  // No sizes.
  for (const char* text :
       {"1.2.3 GiB", "1,23,456 MiB", "1,234.567,8 MiB", "3 Gibbons", "5 Gib", "10 Bytes", "2.5 bytes", ". GiB", ",5 gib", "0 bytes"}) {
    INFO(text);
    CHECK_FALSE(sp::printed_in(text).is_known());
  }
}

// Whatever stands in a text: an answer, which holds what it was rounded from; and a diagnosis of it.
TEST_CASE("any text has an answer") {
  std::uint64_t state = 20261130;
  const auto below = [&](std::uint64_t most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % most;
  };
  static const char* const pieces[] = {"allocate ",
                                       "alloc",
                                       "GiB",
                                       "MiB",
                                       "TB",
                                       "E",
                                       "bytes",
                                       "byte",
                                       "B",
                                       ".",
                                       ",",
                                       " ",
                                       "1",
                                       "0",
                                       "9",
                                       "999999999",
                                       "9223372036854775807",
                                       "18446744073709551616",
                                       "-",
                                       "+",
                                       "e308",
                                       "0x",
                                       "\xff",
                                       "\xc2\xa0",
                                       "\n",
                                       "%n%s",
                                       "inf",
                                       "nan"};
  int known = 0;
  for (int count = 0; count < 200'000; ++count) {
    std::string text;
    for (std::uint64_t at = below(12); at > 0; --at) {
      if (below(4) == 0) {
        text += static_cast<char>(1 + below(255));
      } else {
        text += pieces[below(sizeof pieces / sizeof pieces[0])];
      }
    }
    const sp::printed_size size = sp::printed_in(text.c_str());
    REQUIRE(size.least.count >= 0);
    REQUIRE(size.least <= size.most);
    if (!size.is_known()) continue;
    ++known;
    REQUIRE(size.holds(size.nominal.count));
  }
  CHECK(known > 1000);
  // What was printed is read back, for every size and both ways to write it.
  for (int count = 0; count < 20'000; ++count) {
    const auto size = static_cast<std::int64_t>((below(1u << 31) << 14) >> below(44));
    const int shift = size >> 40 > 0 ? 40 : size >> 30 > 0 ? 30 : size >> 20 > 0 ? 20 : 10;
    const std::int64_t unit = std::int64_t{1} << shift;
    const std::int64_t hundredths = (size * 200 + unit) / 2 / unit;
    const std::string decimals = std::to_string(100 + hundredths % 100).substr(1);
    const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
    for (const char* const point : {".", ","}) {
      const std::string text = "Tried to allocate " + std::to_string(hundredths / 100) + point + decimals + " " + units[shift / 10 - 1];
      INFO(text);
      const sp::printed_size read = sp::printed_in(text.c_str());
      REQUIRE((hundredths == 0 || read.is_known()));
      REQUIRE(read.holds(size));
    }
  }
}
