// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/device.hpp>

// NVIDIA GPUs. Capacities are the driver's where a log showed them: the "80 GB" of an H100 are 81559 MiB. Floating-point peaks are dense.

namespace shardplan::devices {

/// NVIDIA V100 SXM2 32 GB. No BF16 (`bf16_flops` is 0): the FP16 peak is 125 TFLOPS. The 32510 MiB of the driver are recalled, newer
/// drivers show 32768.
/// Source: NVIDIA V100 datasheet, BigScience's 104B experiments.
struct v100_sxm_32gb {
  static constexpr device_spec spec{
      .name = "NVIDIA V100 SXM2 32 GB",
      .memory = {34'089'205'760},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 0,
      .fp8_flops = 0,
      .memory_bandwidth = 900'000'000'000,
      .fabric = {.name = "NVLink2", .bytes_per_second = 150'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 3", .bytes_per_second = 15'750'000'000},
      .network = {.name = "NIC 100 Gb/s", .bytes_per_second = 12'500'000'000},
  };
};

/// NVIDIA A100 SXM4 40 GB. The 40960 MiB of the driver are recalled; older drivers show 40536 or 40537 MiB, frameworks 39.56 to 39.59 GiB.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct a100_sxm_40gb {
  static constexpr device_spec spec{
      .name = "NVIDIA A100 SXM4 40 GB",
      .memory = {42'949'672'960},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 312'000'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 1'555'000'000'000,
      .fabric = {.name = "NVLink3", .bytes_per_second = 300'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
      .matmul_flops = 271'200'000'000'000,
      .sustained_flops = 225'000'000'000'000,
  };
};

/// NVIDIA A100 SXM4 80 GB. 81920 MiB as newer drivers count them, reserved memory included; older drivers show 81251 MiB, frameworks 79.15
/// to 79.32 GiB.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), nvidia-smi output in
/// public issues.
struct a100_sxm_80gb {
  static constexpr device_spec spec{
      .name = "NVIDIA A100 SXM4 80 GB",
      .memory = {85'899'345'920},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 312'000'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 2'039'000'000'000,
      .fabric = {.name = "NVLink3", .bytes_per_second = 300'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
      .matmul_flops = 271'200'000'000'000,
      .sustained_flops = 225'000'000'000'000,
  };
};

/// NVIDIA A100 PCIe 80 GB. The 300 GB/s hold inside a bridged pair only; between pairs it is PCIe. Without bridges there is no NVLink at
/// all.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct a100_pcie_80gb {
  static constexpr device_spec spec{
      .name = "NVIDIA A100 PCIe 80 GB",
      .memory = {85'899'345'920},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 312'000'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 1'935'000'000'000,
      .fabric = {.name = "NVLink3 bridge", .bytes_per_second = 300'000'000'000},
      .fabric_domain = 2,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
      .matmul_flops = 252'900'000'000'000,
  };
};

/// NVIDIA A800 SXM4 80 GB. The export variant of the A100: 8 of the 12 NVLinks. From public issue logs, no datasheet read.
/// Source: public issue threads.
struct a800_sxm_80gb {
  static constexpr device_spec spec{
      .name = "NVIDIA A800 SXM4 80 GB",
      .memory = {85'899'345'920},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 312'000'000'000'000,
      .fp8_flops = 0,
      .memory_bandwidth = 2'039'000'000'000,
      .fabric = {.name = "NVLink3", .bytes_per_second = 200'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 4", .bytes_per_second = 31'500'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
  };
};

/// NVIDIA H100 SXM5 80 GB. Frameworks see 79.10 to 79.19 GiB of the 81559 MiB.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), nvidia-smi output in many
/// public logs.
struct h100_sxm_80gb {
  static constexpr device_spec spec{
      .name = "NVIDIA H100 SXM5 80 GB",
      .memory = {85'520'809'984},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 989'000'000'000'000,
      .fp8_flops = 1'979'000'000'000'000,
      .memory_bandwidth = 3'350'000'000'000,
      .fabric = {.name = "NVLink4", .bytes_per_second = 450'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
      .matmul_flops = 794'500'000'000'000,
      .sustained_flops = 540'000'000'000'000,
  };
};

/// NVIDIA H100 PCIe 80 GB. The fabric holds inside a bridged pair only.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct h100_pcie_80gb {
  static constexpr device_spec spec{
      .name = "NVIDIA H100 PCIe 80 GB",
      .memory = {85'520'809'984},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 756'000'000'000'000,
      .fp8_flops = 1'513'000'000'000'000,
      .memory_bandwidth = 2'000'000'000'000,
      .fabric = {.name = "NVLink4 bridge", .bytes_per_second = 300'000'000'000},
      .fabric_domain = 2,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
  };
};

/// NVIDIA H100 NVL 94 GB. All figures are recalled from the datasheet, the capacity is the nameplate. The fabric holds inside a bridged
/// pair only.
/// Source: NVIDIA H100 datasheet (recalled).
struct h100_nvl_94gb {
  static constexpr device_spec spec{
      .name = "NVIDIA H100 NVL 94 GB",
      .memory = {94'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 835'000'000'000'000,
      .fp8_flops = 1'671'000'000'000'000,
      .memory_bandwidth = 3'900'000'000'000,
      .fabric = {.name = "NVLink4 bridge", .bytes_per_second = 300'000'000'000},
      .fabric_domain = 2,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
  };
};

/// NVIDIA H100 HBM2e 96 GB. The 500 W Grand Teton variant on which torchtitan's tables were measured: their peaks of 82 to 85 GiB do not
/// fit an 80 GB part.
/// Source: torchtitan benchmarks/ and docs/ at b5bcd76.
struct h100_hbm2e_96gb {
  static constexpr device_spec spec{
      .name = "NVIDIA H100 HBM2e 96 GB",
      .memory = {96'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 989'000'000'000'000,
      .fp8_flops = 1'979'000'000'000'000,
      .memory_bandwidth = 2'400'000'000'000,
      .fabric = {.name = "NVLink4", .bytes_per_second = 450'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
  };
};

/// NVIDIA GH200 96 GB. Grace is reached over NVLink-C2C at 450 GB/s one way; `host` is the PCIe link beside it.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), public logs.
struct gh200_96gb {
  static constexpr device_spec spec{
      .name = "NVIDIA GH200 96 GB",
      .memory = {102'625'181'696},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 989'000'000'000'000,
      .fp8_flops = 1'979'000'000'000'000,
      .memory_bandwidth = 4'000'000'000'000,
      .fabric = {.name = "NVLink4", .bytes_per_second = 450'000'000'000},
      .fabric_domain = 4,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 200 Gb/s", .bytes_per_second = 25'000'000'000},
      .matmul_flops = 828'600'000'000'000,
  };
};

/// NVIDIA H200 SXM 141 GB. Frameworks see 139.8 GiB of the 143771 MiB.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), nvidia-smi output in
/// public logs.
struct h200_sxm_141gb {
  static constexpr device_spec spec{
      .name = "NVIDIA H200 SXM 141 GB",
      .memory = {150'754'820'096},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 989'000'000'000'000,
      .fp8_flops = 1'979'000'000'000'000,
      .memory_bandwidth = 4'800'000'000'000,
      .fabric = {.name = "NVLink4", .bytes_per_second = 450'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
      .matmul_flops = 794'500'000'000'000,
  };
};

/// NVIDIA H800 SXM5 80 GB. The export variant of the H100: fewer NVLinks, of which DeepEP measures about 160 GB/s as usable. From public
/// logs.
/// Source: DeepEP README at dd758ca, public issue threads.
struct h800_sxm_80gb {
  static constexpr device_spec spec{
      .name = "NVIDIA H800 SXM5 80 GB",
      .memory = {85'520'809'984},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 989'000'000'000'000,
      .fp8_flops = 1'979'000'000'000'000,
      .memory_bandwidth = 3'350'000'000'000,
      .fabric = {.name = "NVLink4", .bytes_per_second = 200'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
  };
};

/// NVIDIA H20 96 GB. Poor in compute and rich in bandwidth (37 operations a byte where an H100 has 295): plans tuned for an H100 mislead
/// here. From public issue logs.
/// Source: public issue threads.
struct h20_96gb {
  static constexpr device_spec spec{
      .name = "NVIDIA H20 96 GB",
      .memory = {102'625'181'696},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 148'000'000'000'000,
      .fp8_flops = 296'000'000'000'000,
      .memory_bandwidth = 4'000'000'000'000,
      .fabric = {.name = "NVLink4", .bytes_per_second = 450'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
  };
};

/// NVIDIA B200 SXM. 192 GB of memory stacks, of which the datasheet exposes 180 GB and the driver 183359 MiB; frameworks see 178.35 GiB.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), nvidia-smi output in
/// public logs.
struct b200_sxm_192gb {
  static constexpr device_spec spec{
      .name = "NVIDIA B200 SXM",
      .memory = {192'265'846'784},
      .capacity_source = capacity_source::driver,
      .bf16_flops = 2'250'000'000'000'000,
      .fp8_flops = 4'500'000'000'000'000,
      .memory_bandwidth = 8'000'000'000'000,
      .fabric = {.name = "NVLink5", .bytes_per_second = 900'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
      .matmul_flops = 1'745'000'000'000'000,
  };
};

/// NVIDIA GB200 NVL72. One GPU of the rack. A host (tray) has 4 GPUs, the NVLink domain 72, of which 64 are often used. Grace is reached
/// over NVLink-C2C at 450 GB/s one way; `host` is the PCIe link beside it. The capacity is the nameplate.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), Megatron-Bridge
/// `docs/performance-guide.md` at 067f987.
struct gb200_nvl72 {
  static constexpr device_spec spec{
      .name = "NVIDIA GB200 NVL72",
      .memory = {186'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 2'500'000'000'000'000,
      .fp8_flops = 5'000'000'000'000'000,
      .memory_bandwidth = 8'000'000'000'000,
      .fabric = {.name = "NVLink5", .bytes_per_second = 900'000'000'000},
      .fabric_domain = 72,
      .fabric_spans_hosts = true,
      .host = {.name = "PCIe 5", .bytes_per_second = 63'000'000'000},
      .network = {.name = "NIC 400 Gb/s", .bytes_per_second = 50'000'000'000},
      .matmul_flops = 1'822'000'000'000'000,
  };
};

/// NVIDIA B300 SXM 288 GB. The capacity is the nameplate, 268.2 GiB; about 270 to 276 GiB are exposed.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets).
struct b300_sxm_288gb {
  static constexpr device_spec spec{
      .name = "NVIDIA B300 SXM 288 GB",
      .memory = {288'000'000'000},
      .capacity_source = capacity_source::nameplate,
      .bf16_flops = 2'250'000'000'000'000,
      .fp8_flops = 4'500'000'000'000'000,
      .memory_bandwidth = 8'000'000'000'000,
      .fabric = {.name = "NVLink5", .bytes_per_second = 900'000'000'000},
      .fabric_domain = 8,
      .host = {.name = "PCIe 6", .bytes_per_second = 121'000'000'000},
      .network = {.name = "NIC 800 Gb/s", .bytes_per_second = 100'000'000'000},
      .matmul_flops = 1'769'000'000'000'000,
  };
};

/// NVIDIA GB300 NVL72. One GPU of the rack, as `gb200_nvl72`. The capacity is what a framework printed, 276.5 GiB: more than the nameplate
/// of 288 GB.
/// Source: ml-engineering `compute/accelerator/README.md` and `network/README.md` at 744d01e (vendor datasheets), public logs.
struct gb300_nvl72 {
  static constexpr device_spec spec{
      .name = "NVIDIA GB300 NVL72",
      .memory = {296'889'614'336},
      .capacity_source = capacity_source::framework,
      .bf16_flops = 2'500'000'000'000'000,
      .fp8_flops = 5'000'000'000'000'000,
      .memory_bandwidth = 8'000'000'000'000,
      .fabric = {.name = "NVLink5", .bytes_per_second = 900'000'000'000},
      .fabric_domain = 72,
      .fabric_spans_hosts = true,
      .host = {.name = "PCIe 6", .bytes_per_second = 121'000'000'000},
      .network = {.name = "NIC 800 Gb/s", .bytes_per_second = 100'000'000'000},
  };
};

}  // namespace shardplan::devices
