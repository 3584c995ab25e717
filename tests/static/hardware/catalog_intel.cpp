// SPDX-License-Identifier: BSL-1.0
// Every figure of the catalog, typed in from where it is published (shared truth/devices.json) in the units it is published in.
#include "facts.hpp"

#include <shardplan/hardware/catalog/intel.hpp>

namespace devices = shardplan::devices;

static_assert(says<devices::gaudi2>(nameplate(96), {.bf16_tflops = 432,
                                                    .fp8_tflops = 865,
                                                    .memory_gb_per_s = 2460,
                                                    .fabric_gb_per_s = 300,
                                                    .fabric_domain = 8,
                                                    .host_gb_per_s = 31.5,
                                                    .network_gb_per_s = 37.5}));
static_assert(says<devices::gaudi3>(nameplate(128), {.bf16_tflops = 1677,
                                                     .fp8_tflops = 1677,
                                                     .memory_gb_per_s = 3700,
                                                     .fabric_gb_per_s = 600,
                                                     .fabric_domain = 8,
                                                     .host_gb_per_s = 63,
                                                     .network_gb_per_s = 75}));
