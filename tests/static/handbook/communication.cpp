// SPDX-License-Identifier: BSL-1.0
// The communication table of section 2 of the handbook (batch 4, sequence 2048, width 4096, BF16), typed in as it is printed.
#include <shardplan/handbook/communication.hpp>

#include "refused.hpp"

#include <cstdint>

namespace book = shardplan::handbook;
using shardplan::bytes;
using namespace shardplan::literals;

constexpr book::activation tensor{.batch = 4, .sequence = 2048, .hidden = 4096};
constexpr std::int64_t seven = 7'000'000'000;

// the handbook's own: 134.2 MB (128 MiB), 67.1 MB (64 MiB), 14 GB
static_assert(tensor.size() == 64_MiB && tensor.size() == bytes{67'108'864});
static_assert(book::tp_all_reduce(tensor) == 128_MiB && book::tp_all_reduce(tensor) == bytes{134'217'728});
static_assert(book::pp_boundary(tensor) == 64_MiB);
static_assert(book::dp_all_reduce(seven) == 14_GB);

// tensor parallelism, a layer: 256, 384 and 448 MiB; with sequence parallelism 320, 480 and 560 MiB
static_assert(book::true_tp_all_reduce(tensor, 2) == 64_MiB && book::true_tp_all_reduce(tensor, 4) == 96_MiB);
static_assert(book::true_tp_all_reduce(tensor, 8) == 112_MiB);
static_assert(book::true_tp_layer(tensor, 2) == 256_MiB && book::true_tp_layer(tensor, 4) == 384_MiB &&
              book::true_tp_layer(tensor, 8) == 448_MiB);
static_assert(book::true_tp_layer_sequence_parallel(tensor, 2) == 320_MiB);
static_assert(book::true_tp_layer_sequence_parallel(tensor, 4) == 480_MiB);
static_assert(book::true_tp_layer_sequence_parallel(tensor, 8) == 560_MiB);
// the same as facts/communication.md section 3.1 prints them, in bytes
static_assert(book::true_tp_layer(tensor, 4) == bytes{402'653'184} &&
              book::true_tp_layer_sequence_parallel(tensor, 4) == bytes{503'316'480});
static_assert(book::true_tp_layer(tensor, 8) == bytes{469'762'048} &&
              book::true_tp_layer_sequence_parallel(tensor, 8) == bytes{587'202'560});
// one rank sends nothing
static_assert(book::true_tp_layer(tensor, 1) == 0_B && book::true_tp_layer_sequence_parallel(tensor, 1) == 0_B);

// pipeline: 64 MiB each way, 1/t of it with sequence parallelism
static_assert(book::true_pp_each_way(tensor) == 64_MiB);
static_assert(book::true_pp_each_way_sequence_parallel(tensor, 1) == 64_MiB &&
              book::true_pp_each_way_sequence_parallel(tensor, 8) == 8_MiB);

// data parallelism, 7B: 24.5 GB for 8 ranks, 27.56 GB for 64; ZeRO-3 36.75 GB in each micro-step
static_assert(book::true_dp_all_reduce(seven, 8) == 24'500_MB && book::true_dp_all_reduce(seven, 64) == bytes{27'562'500'000});
static_assert(book::true_zero_3(seven, 8) == 36'750_MB);
static_assert(book::true_dp_all_reduce(seven, 1) == 0_B && book::true_zero_3(seven, 1) == 0_B);

// Llama 3.1 405B, sequence 8192, batch 1 (facts/communication.md section 3.6): 1,879,048,192 and 2,348,810,240 bytes a layer
constexpr book::activation wide{.batch = 1, .sequence = 8192, .hidden = 16384};
static_assert(book::true_tp_layer(wide, 8) == bytes{1'879'048'192} &&
              book::true_tp_layer_sequence_parallel(wide, 8) == bytes{2'348'810'240});

// whole bytes, rounded up
constexpr book::activation odd{.batch = 1, .sequence = 1, .hidden = 5, .bytes_per_element = 1};
static_assert(book::true_tp_all_reduce(odd, 4) == bytes{8} && book::true_pp_each_way_sequence_parallel(odd, 2) == bytes{3});

// refused: nothing, less than nothing, and what leaves 63 bits
static_assert(!refused([] { return book::tp_all_reduce({1, 1, 1}); }));
static_assert(refused([] { return book::tp_all_reduce({0, 1, 1}); }) && refused([] { return book::tp_all_reduce({1, -1, 1}); }));
static_assert(refused([] { return book::pp_boundary({1, 1, 0}); }) && refused([] { return book::true_pp_each_way({1, 1, 1, 0}); }));
static_assert(refused([] { return book::true_tp_all_reduce(tensor, 0); }) && refused([] { return book::true_tp_layer(tensor, -2); }));
static_assert(refused([] { return book::true_tp_layer_sequence_parallel(tensor, 0); }));
static_assert(refused([] { return book::true_pp_each_way_sequence_parallel(tensor, 0); }));
static_assert(refused([] { return book::dp_all_reduce(0); }) && refused([] { return book::dp_all_reduce(1, 0); }));
static_assert(refused([] { return book::true_dp_all_reduce(1, 0); }) && refused([] { return book::true_zero_3(-1, 8); }));
static_assert(refused([] { return book::tp_all_reduce({INT64_MAX, 1, 1}); }) && refused([] { return book::dp_all_reduce(INT64_MAX); }));
