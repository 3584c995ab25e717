// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/device.hpp>

// Intel Gaudi accelerators. Fabric and network are Ethernet ports of the device itself.

namespace shardplan::devices {

/// Intel Gaudi 2. `fabric` adds all 24 ports, as the datasheet does, although 3 of them are the `network`; the 21 inside the host reach
/// each of 7 neighbours over 3: 37.5 GB/s a pair. The capacity is the nameplate.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct gaudi2 {
  static constexpr device_spec spec{
      .name = "Intel Gaudi 2",
      .memory = {96'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 432'000'000'000'000,
      .fp8_flops = 865'000'000'000'000,
      .memory_bandwidth = 2'460'000'000'000,
      .fabric = {.name = "24 x 100GbE RoCE", .bytes_per_second = 300'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 37'500'000'000,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "3 x 100GbE RoCE", .bytes_per_second = 37'500'000'000},
      .matmul_flops = 418'700'000'000'000,
  };
};

/// Intel Gaudi 3. `fabric` adds all 24 ports, 3 of which are the `network`; a pair inside the host has 3: 75 GB/s. The white paper says
/// 1835 TFLOPS, at 1750 MHz; parts run at 1600 MHz. The capacity is the nameplate.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct gaudi3 {
  static constexpr device_spec spec{
      .name = "Intel Gaudi 3",
      .memory = {128'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 1'677'000'000'000'000,
      .fp8_flops = 1'677'000'000'000'000,
      .memory_bandwidth = 3'700'000'000'000,
      .fabric = {.name = "24 x 200GbE RoCE", .bytes_per_second = 600'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 75'000'000'000,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "3 x 200GbE RoCE", .bytes_per_second = 75'000'000'000},
      .matmul_flops = 1'243'000'000'000'000,
  };
};

}  // namespace shardplan::devices
