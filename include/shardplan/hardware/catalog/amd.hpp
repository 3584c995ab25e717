// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/device.hpp>

// AMD accelerators. Their links form a mesh without a switch, so that a group of two has one link and not the sum that `fabric` says.

namespace shardplan::devices {

/// AMD Instinct MI250X GCD. One of the two dies (GCD) of the package, since the system sees each as a device. Compute, memory, its
/// bandwidth and all links are half of the package's figures; that the links divide evenly is an assumption. A pair of devices has one or a
/// few links of 50 GB/s, not the sum. The capacity is the nameplate.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct mi250x {
  static constexpr device_spec spec{
      .name = "AMD Instinct MI250X GCD",
      .memory = {64'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 191'500'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 1'638'500'000'000,
      .fabric = {.name = "xGMI mesh", .bytes_per_second = 175'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 50'000'000'000,
      .host = {.name = "PCIe 4", .bytes_per_second = 15'750'000'000},
      .network = {.name = "NIC 100 Gb/s", .bytes_per_second = 12'500'000'000},
  };
};

/// AMD Instinct MI300X. A full mesh without a switch: a pair gets one link of 64 GB/s, not the 448 of all seven. The capacity is what a
/// framework printed, 191.98 GiB; other logs show 191.69.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), framework output in
/// public logs.
struct mi300x {
  static constexpr device_spec spec{
      .name = "AMD Instinct MI300X",
      .memory = {206'136'955'371},
      .capacity_source = capacity_source::framework,
      .bf16_flops = 1'307'000'000'000'000,
      .fp8_flops = 2'615'000'000'000'000,
      .memory_bandwidth = 5'300'000'000'000,
      .fabric = {.name = "xGMI full mesh", .bytes_per_second = 448'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 64'000'000'000,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
      .matmul_flops = 668'400'000'000'000,
  };
};

/// AMD Instinct MI325X. A pair gets one link of 64 GB/s. The capacity is the nameplate.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct mi325x {
  static constexpr device_spec spec{
      .name = "AMD Instinct MI325X",
      .memory = {256'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 1'307'000'000'000'000,
      .fp8_flops = 2'615'000'000'000'000,
      .memory_bandwidth = 6'000'000'000'000,
      .fabric = {.name = "xGMI full mesh", .bytes_per_second = 448'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 64'000'000'000,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
      .matmul_flops = 784'900'000'000'000,
  };
};

/// AMD Instinct MI355X. A pair gets one link of 76.5 GB/s. The capacity is the nameplate.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct mi355x {
  static constexpr device_spec spec{
      .name = "AMD Instinct MI355X",
      .memory = {288'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 2'500'000'000'000'000,
      .fp8_flops = 5'000'000'000'000'000,
      .memory_bandwidth = 8'000'000'000'000,
      .fabric = {.name = "xGMI full mesh", .bytes_per_second = 535'500'000'000},
      .fabric_domain = 8,
      .fabric_pair = 76'500'000'000,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
      .matmul_flops = 1'565'000'000'000'000,
  };
};

}  // namespace shardplan::devices
