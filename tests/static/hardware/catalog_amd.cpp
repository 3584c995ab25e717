// SPDX-License-Identifier: BSL-1.0
// Every figure of the catalog, typed in from where it is published (shared truth/devices.json) in the units it is published in.
#include "facts.hpp"

#include <shardplan/hardware/catalog/amd.hpp>

namespace devices = shardplan::devices;

// One of the two dies of the package: halves.
static_assert(says<devices::mi250x>(nameplate(64), {.bf16_tflops = 191.5,
                                                    .fp8_tflops = 0,
                                                    .memory_gb_per_s = 1638.5,
                                                    .fabric_gb_per_s = 175,
                                                    .fabric_domain = 8,
                                                    .host_gb_per_s = 15.75,
                                                    .network_gb_per_s = 12.5}));
static_assert(says<devices::mi300x>(framework(19198), {.bf16_tflops = 1307,
                                                       .fp8_tflops = 2615,
                                                       .memory_gb_per_s = 5300,
                                                       .fabric_gb_per_s = 448,
                                                       .fabric_domain = 8,
                                                       .host_gb_per_s = 63,
                                                       .network_gb_per_s = 50}));
static_assert(says<devices::mi325x>(nameplate(256), {.bf16_tflops = 1307,
                                                     .fp8_tflops = 2615,
                                                     .memory_gb_per_s = 6000,
                                                     .fabric_gb_per_s = 448,
                                                     .fabric_domain = 8,
                                                     .host_gb_per_s = 63,
                                                     .network_gb_per_s = 50}));
static_assert(says<devices::mi355x>(nameplate(288), {.bf16_tflops = 2500,
                                                     .fp8_tflops = 5000,
                                                     .memory_gb_per_s = 8000,
                                                     .fabric_gb_per_s = 535.5,
                                                     .fabric_domain = 8,
                                                     .host_gb_per_s = 63,
                                                     .network_gb_per_s = 50}));
