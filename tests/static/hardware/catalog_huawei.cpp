// SPDX-License-Identifier: BSL-1.0
// Every figure of the catalog, typed in from where it is published (shared truth/devices.json) in the units it is published in.
#include "facts.hpp"

#include <shardplan/hardware/catalog/huawei.hpp>

namespace devices = shardplan::devices;

static_assert(says<devices::ascend_910b_64gb>(driver(65536), {.bf16_tflops = 376,
                                                              .fp8_tflops = 0,
                                                              .memory_gb_per_s = 1600,
                                                              .fabric_gb_per_s = 196,
                                                              .fabric_domain = 8,
                                                              .host_gb_per_s = 31.5,
                                                              .network_gb_per_s = 25}));
static_assert(says<devices::ascend_910b3_64gb>(driver(65536), {.bf16_tflops = 313,
                                                               .fp8_tflops = 0,
                                                               .memory_gb_per_s = 1600,
                                                               .fabric_gb_per_s = 196,
                                                               .fabric_domain = 8,
                                                               .host_gb_per_s = 31.5,
                                                               .network_gb_per_s = 25}));
static_assert(says<devices::ascend_910b4_32gb>(driver(32768), {.bf16_tflops = 280,
                                                               .fp8_tflops = 0,
                                                               .memory_gb_per_s = 800,
                                                               .fabric_gb_per_s = 196,
                                                               .fabric_domain = 8,
                                                               .host_gb_per_s = 31.5,
                                                               .network_gb_per_s = 25}));
