// SPDX-License-Identifier: BSL-1.0
// The worked numbers of section 1 of the handbook, typed in as it prints them.
#include <shardplan/handbook/memory.hpp>

#include "refused.hpp"

#include <cstdint>

namespace book = shardplan::handbook;
using book::scheme;
using shardplan::bytes;
using shardplan::fraction;
using namespace shardplan::literals;

constexpr std::int64_t seven = 7'000'000'000;

// 14 + 14 + 56 = 84 GB, 104 to 124 GB with activations: no A100 of 80 GB
static_assert(book::weights(seven) == 14_GB && book::gradients(seven) == 14_GB && book::optimizer(seven) == 56_GB);
static_assert(book::states(seven) == 84_GB);
static_assert(book::seven_billion == seven && book::activations_least == 20_GB && book::activations_most == 40_GB);
static_assert(book::total_least == 104_GB && book::total_most == 124_GB);
static_assert(book::total_least > bytes{85'899'345'920});

// bytes a parameter on 8 devices: 12, 5, 3.25, 1.5 and 2
static_assert(book::bytes_per_parameter(scheme::none, 8) == 12);
static_assert(book::bytes_per_parameter(scheme::zero_1, 8) == 5);
static_assert(book::bytes_per_parameter(scheme::zero_2, 8) == fraction{13, 4});
static_assert(book::bytes_per_parameter(scheme::zero_3, 8) == fraction{3, 2});
static_assert(book::bytes_per_parameter(scheme::offload, 8) == 2);

// GB of a 7B model on one of 8 devices: 84, 35, 22.75, 10.5 and 14
static_assert(book::per_device_states(seven, scheme::none, 8) == 84_GB);
static_assert(book::per_device_states(seven, scheme::zero_1, 8) == 35_GB);
static_assert(book::per_device_states(seven, scheme::zero_2, 8) == 22'750_MB);
static_assert(book::per_device_states(seven, scheme::zero_3, 8) == 10'500_MB);
static_assert(book::per_device_states(seven, scheme::offload, 8) == 14_GB);

// saved: 0, 58, 73, 87.5 and 83 %
constexpr bool prints(fraction share, std::int64_t percent) {
  return share * 100 >= fraction{2 * percent - 1, 2} && share * 100 < fraction{2 * percent + 1, 2};
}
static_assert(book::saved(scheme::none, 8) == 0);
static_assert(book::saved(scheme::zero_1, 8) == fraction{7, 12} && prints(book::saved(scheme::zero_1, 8), 58));
static_assert(book::saved(scheme::zero_2, 8) == fraction{35, 48} && prints(book::saved(scheme::zero_2, 8), 73));
static_assert(book::saved(scheme::zero_3, 8) == fraction{7, 8} && book::saved(scheme::zero_3, 8) * 100 == fraction{175, 2});
static_assert(book::saved(scheme::offload, 8) == fraction{5, 6} && prints(book::saved(scheme::offload, 8), 83));
static_assert(book::saved(scheme::zero_3, 1) == 0);

// what frameworks keep (facts/communication.md, table 1.2 b): 16 and 18 bytes a parameter, in MB
static_assert(book::zero_paper_counting.total() == 16 && book::megatron_counting.total() == 18 && book::accumulator_counting.total() == 20);
static_assert(book::per_device_states(seven, scheme::none, 8, book::zero_paper_counting) == 112_GB);
static_assert(book::per_device_states(seven, scheme::zero_1, 8, book::zero_paper_counting) == 38'500_MB);
static_assert(book::per_device_states(seven, scheme::zero_2, 8, book::zero_paper_counting) == 26'250_MB);
static_assert(book::per_device_states(seven, scheme::zero_3, 8, book::zero_paper_counting) == 14_GB);
static_assert(book::per_device_states(seven, scheme::none, 8, book::megatron_counting) == 126_GB);
static_assert(book::per_device_states(seven, scheme::zero_1, 8, book::megatron_counting) == 52'500_MB);
static_assert(book::per_device_states(seven, scheme::zero_2, 8, book::megatron_counting) == 28_GB);
static_assert(book::per_device_states(seven, scheme::zero_3, 8, book::megatron_counting) == 15'750_MB);
static_assert(book::per_device_states(seven, scheme::offload, 8, book::megatron_counting) == 14_GB);

// ZeRO paper, table 1 (7.5B, 64 devices): 120, 31.4, 16.6 and 1.88 GB
constexpr std::int64_t paper = 7'500'000'000;
static_assert(book::per_device_states(paper, scheme::none, 64, book::zero_paper_counting) == 120_GB);
static_assert(book::per_device_states(paper, scheme::zero_1, 64, book::zero_paper_counting) == bytes{31'406'250'000});
static_assert(book::per_device_states(paper, scheme::zero_2, 64, book::zero_paper_counting) == bytes{16'640'625'000});
static_assert(book::per_device_states(paper, scheme::zero_3, 64, book::zero_paper_counting) == 1'875_MB);

// the host: 10P, 70 GB (98 GB with an fp32 master); PCIe and NVMe
static_assert(book::offloaded(seven) == 70_GB && book::offloaded(seven, book::zero_paper_counting) == 98_GB);
static_assert(book::pcie_per_step(seven, 1) == book::transfer{14_GB, 14_GB});
static_assert(book::pcie_per_step(seven, 8) == book::transfer{1'750_MB, 1'750_MB});
static_assert(book::nvme_per_step(seven, 8) == book::transfer{7_GB, 7_GB});
static_assert(book::nvme_per_step(seven, 8, book::zero_paper_counting) == book::transfer{10'500_MB, 10'500_MB});

// one parameter on 7 devices: whole bytes, rounded up once for the sum
static_assert(book::per_device_states(1, scheme::zero_1, 7) == bytes{6} && book::per_device_states(1, scheme::zero_3, 7) == bytes{2});
static_assert(book::per_device_states(1, scheme::zero_2, 7) == bytes{4} && book::pcie_per_step(1, 7) == book::transfer{1_B, 1_B});

// refused: nothing, less than nothing, and what leaves 63 bits
static_assert(!refused([] { return book::states(1); }));
static_assert(refused([] { return book::states(0); }) && refused([] { return book::weights(-1); }));
static_assert(refused([] { return book::gradients(0); }) && refused([] { return book::optimizer(0); }));
static_assert(refused([] { return book::per_device_states(0, scheme::none, 8); }));
static_assert(refused([] { return book::per_device_states(1, scheme::none, 0); }));
static_assert(refused([] { return book::saved(scheme::zero_1, -8); }) && refused([] {
                return book::saved(scheme::zero_1, 8, {-1, 2, 8});
              }));
static_assert(refused([] { return book::offloaded(0); }) && refused([] { return book::pcie_per_step(1, 0); }));
static_assert(refused([] { return book::nvme_per_step(0, 1); }) && refused([] { return book::counting{}.total(); }));
static_assert(refused([] { return book::states(INT64_MAX / 12 + 1); }) && !refused([] { return book::states(INT64_MAX / 12); }));
static_assert(refused([] { return book::per_device_states(INT64_MAX, scheme::none, 8); }));
