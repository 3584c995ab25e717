// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/device.hpp>

#include <cstdint>

/// A capacity in the unit it was read in.
struct capacity {
  std::int64_t count;
  shardplan::capacity_source source;
};
constexpr capacity driver(std::int64_t mebibytes) { return {mebibytes * 1'048'576, shardplan::capacity_source::driver}; }
constexpr capacity framework(std::int64_t hundredths_of_gibibytes) {
  return {hundredths_of_gibibytes * 1'073'741'824 / 100, shardplan::capacity_source::framework};
}
constexpr capacity nameplate(std::int64_t gigabytes) { return {gigabytes * 1'000'000'000, shardplan::capacity_source::nameplate}; }

/// The figures of a datasheet in its own units. Every one of them is an exact double.
struct figures {
  double bf16_tflops;
  double fp8_tflops;
  double memory_gb_per_s;
  double fabric_gb_per_s;
  std::int64_t fabric_domain;
  double host_gb_per_s;
  double network_gb_per_s;
};

template <shardplan::device Device>
constexpr bool says(capacity memory, figures fact) {
  const shardplan::device_spec& spec = Device::spec;
  const auto equal = [](std::int64_t exact, double published, double unit) { return static_cast<double>(exact) == published * unit; };
  return spec.memory.count == memory.count && spec.capacity_source == memory.source && equal(spec.bf16_flops, fact.bf16_tflops, 1e12) &&
         equal(spec.fp8_flops, fact.fp8_tflops, 1e12) && equal(spec.memory_bandwidth, fact.memory_gb_per_s, 1e9) &&
         equal(spec.fabric.bytes_per_second, fact.fabric_gb_per_s, 1e9) && spec.fabric_domain == fact.fabric_domain &&
         equal(spec.host.bytes_per_second, fact.host_gb_per_s, 1e9) && equal(spec.network.bytes_per_second, fact.network_gb_per_s, 1e9);
}
