// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/device.hpp>

// Huawei Ascend accelerators, with low confidence: public sources contradict each other, and no datasheet was read.

namespace shardplan::devices {

/// Huawei Ascend 910B1 64 GB. Low confidence: sources give 256 to 400 FP16 TFLOPS by bin, of which this is the first (B1). A pair gets one
/// link of 28 GB/s, not the 196 of all seven.
/// Source: npu-smi output and collected public figures.
struct ascend_910b_64gb {
  static constexpr device_spec spec{
      .name = "Huawei Ascend 910B1 64 GB",
      .memory = {68'719'476'736},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 376'000'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 1'600'000'000'000,
      .fabric = {.name = "HCCS full mesh", .bytes_per_second = 196'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 28'000'000'000,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
  };
};

/// Huawei Ascend 910B3 64 GB. Low confidence, as `ascend_910b_64gb`: the slower third bin. A pair gets one link of 28 GB/s.
/// Source: npu-smi output and collected public figures.
struct ascend_910b3_64gb {
  static constexpr device_spec spec{
      .name = "Huawei Ascend 910B3 64 GB",
      .memory = {68'719'476'736},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 313'000'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 1'600'000'000'000,
      .fabric = {.name = "HCCS full mesh", .bytes_per_second = 196'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 28'000'000'000,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
  };
};

/// Huawei Ascend 910B4 32 GB. Low confidence, as `ascend_910b_64gb`: the fourth bin, with half of the memory and of its bandwidth. That
/// its links form a full mesh too is an assumption.
/// Source: npu-smi output and collected public figures.
struct ascend_910b4_32gb {
  static constexpr device_spec spec{
      .name = "Huawei Ascend 910B4 32 GB",
      .memory = {34'359'738'368},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 280'000'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 800'000'000'000,
      .fabric = {.name = "HCCS", .bytes_per_second = 196'000'000'000},
      .fabric_domain = 8,
      .fabric_pair = 28'000'000'000,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
  };
};

}  // namespace shardplan::devices
