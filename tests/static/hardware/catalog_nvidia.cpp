// SPDX-License-Identifier: BSL-1.0
// Every figure of the catalog, typed in from where it is published (shared truth/devices.json) in the units it is published in.
#include "facts.hpp"

#include <shardplan/hardware/catalog/nvidia.hpp>

namespace devices = shardplan::devices;

static_assert(says<devices::v100_sxm_32gb>(driver(32510), {.bf16_tflops = 0,
                                                           .fp8_tflops = 0,
                                                           .memory_gb_per_s = 900,
                                                           .fabric_gb_per_s = 150,
                                                           .fabric_domain = 8,
                                                           .host_gb_per_s = 15.75,
                                                           .network_gb_per_s = 12.5}));
static_assert(says<devices::a100_sxm_40gb>(driver(40960), {.bf16_tflops = 312,
                                                           .fp8_tflops = 0,
                                                           .memory_gb_per_s = 1555,
                                                           .fabric_gb_per_s = 300,
                                                           .fabric_domain = 8,
                                                           .host_gb_per_s = 31.5,
                                                           .network_gb_per_s = 25}));
static_assert(says<devices::a100_sxm_80gb>(driver(81920), {.bf16_tflops = 312,
                                                           .fp8_tflops = 0,
                                                           .memory_gb_per_s = 2039,
                                                           .fabric_gb_per_s = 300,
                                                           .fabric_domain = 8,
                                                           .host_gb_per_s = 31.5,
                                                           .network_gb_per_s = 25}));
static_assert(says<devices::a100_pcie_80gb>(driver(81920), {.bf16_tflops = 312,
                                                            .fp8_tflops = 0,
                                                            .memory_gb_per_s = 1935,
                                                            .fabric_gb_per_s = 300,
                                                            .fabric_domain = 2,
                                                            .host_gb_per_s = 31.5,
                                                            .network_gb_per_s = 25}));
static_assert(says<devices::a800_sxm_80gb>(driver(81920), {.bf16_tflops = 312,
                                                           .fp8_tflops = 0,
                                                           .memory_gb_per_s = 2039,
                                                           .fabric_gb_per_s = 200,
                                                           .fabric_domain = 8,
                                                           .host_gb_per_s = 31.5,
                                                           .network_gb_per_s = 25}));
static_assert(says<devices::h100_sxm_80gb>(driver(81559), {.bf16_tflops = 989,
                                                           .fp8_tflops = 1979,
                                                           .memory_gb_per_s = 3350,
                                                           .fabric_gb_per_s = 450,
                                                           .fabric_domain = 8,
                                                           .host_gb_per_s = 63,
                                                           .network_gb_per_s = 50}));
static_assert(says<devices::h100_pcie_80gb>(driver(81559), {.bf16_tflops = 756,
                                                            .fp8_tflops = 1513,
                                                            .memory_gb_per_s = 2000,
                                                            .fabric_gb_per_s = 300,
                                                            .fabric_domain = 2,
                                                            .host_gb_per_s = 63,
                                                            .network_gb_per_s = 50}));
static_assert(says<devices::h100_nvl_94gb>(nameplate(94), {.bf16_tflops = 835,
                                                           .fp8_tflops = 1671,
                                                           .memory_gb_per_s = 3900,
                                                           .fabric_gb_per_s = 300,
                                                           .fabric_domain = 2,
                                                           .host_gb_per_s = 63,
                                                           .network_gb_per_s = 50}));
static_assert(says<devices::h100_hbm2e_96gb>(nameplate(96), {.bf16_tflops = 989,
                                                             .fp8_tflops = 1979,
                                                             .memory_gb_per_s = 2400,
                                                             .fabric_gb_per_s = 450,
                                                             .fabric_domain = 8,
                                                             .host_gb_per_s = 63,
                                                             .network_gb_per_s = 50}));
static_assert(says<devices::gh200_96gb>(driver(97871), {.bf16_tflops = 989,
                                                        .fp8_tflops = 1979,
                                                        .memory_gb_per_s = 4000,
                                                        .fabric_gb_per_s = 450,
                                                        .fabric_domain = 4,
                                                        .host_gb_per_s = 63,
                                                        .network_gb_per_s = 25}));
static_assert(says<devices::h200_sxm_141gb>(driver(143771), {.bf16_tflops = 989,
                                                             .fp8_tflops = 1979,
                                                             .memory_gb_per_s = 4800,
                                                             .fabric_gb_per_s = 450,
                                                             .fabric_domain = 8,
                                                             .host_gb_per_s = 63,
                                                             .network_gb_per_s = 50}));
static_assert(says<devices::h800_sxm_80gb>(driver(81559), {.bf16_tflops = 989,
                                                           .fp8_tflops = 1979,
                                                           .memory_gb_per_s = 3350,
                                                           .fabric_gb_per_s = 200,
                                                           .fabric_domain = 8,
                                                           .host_gb_per_s = 63,
                                                           .network_gb_per_s = 50}));
static_assert(says<devices::h20_96gb>(driver(97871), {.bf16_tflops = 148,
                                                      .fp8_tflops = 296,
                                                      .memory_gb_per_s = 4000,
                                                      .fabric_gb_per_s = 450,
                                                      .fabric_domain = 8,
                                                      .host_gb_per_s = 63,
                                                      .network_gb_per_s = 50}));
static_assert(says<devices::b200_sxm_192gb>(driver(183359), {.bf16_tflops = 2250,
                                                             .fp8_tflops = 4500,
                                                             .memory_gb_per_s = 8000,
                                                             .fabric_gb_per_s = 900,
                                                             .fabric_domain = 8,
                                                             .host_gb_per_s = 63,
                                                             .network_gb_per_s = 50}));
static_assert(says<devices::gb200_nvl72>(nameplate(186), {.bf16_tflops = 2500,
                                                          .fp8_tflops = 5000,
                                                          .memory_gb_per_s = 8000,
                                                          .fabric_gb_per_s = 900,
                                                          .fabric_domain = 72,
                                                          .host_gb_per_s = 63,
                                                          .network_gb_per_s = 50}));
static_assert(says<devices::b300_sxm_288gb>(nameplate(288), {.bf16_tflops = 2250,
                                                             .fp8_tflops = 4500,
                                                             .memory_gb_per_s = 8000,
                                                             .fabric_gb_per_s = 900,
                                                             .fabric_domain = 8,
                                                             .host_gb_per_s = 121,
                                                             .network_gb_per_s = 100}));
static_assert(says<devices::gb300_nvl72>(framework(27650), {.bf16_tflops = 2500,
                                                            .fp8_tflops = 5000,
                                                            .memory_gb_per_s = 8000,
                                                            .fabric_gb_per_s = 900,
                                                            .fabric_domain = 72,
                                                            .host_gb_per_s = 121,
                                                            .network_gb_per_s = 100}));

// The bytes that other parts of the library rely on.
static_assert(devices::a100_sxm_80gb::spec.memory.count == 85'899'345'920);
static_assert(devices::h100_sxm_80gb::spec.memory.count == 85'520'809'984);
static_assert(devices::h200_sxm_141gb::spec.memory.count == 150'754'820'096);
static_assert(devices::b200_sxm_192gb::spec.memory.count == 192'265'846'784);
static_assert(devices::a100_sxm_80gb::spec.fabric == shardplan::link{"NVLink3", 300'000'000'000});
static_assert(devices::h100_sxm_80gb::spec.host.name == shardplan::literal{"PCIe 5"});
