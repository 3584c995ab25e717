// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/hardware/link.hpp>

#include <cstdint>

namespace shardplan {

/// Where a device's capacity figure comes from, the best kind first.
enum class capacity_source {
  driver,     ///< total memory as the vendor's tool reports it (nvidia-smi, npu-smi), in MiB
  framework,  ///< total memory as a framework saw it, printed in GiB with two decimals and rounded down to bytes
  nameplate,  ///< the product's name, in GB (10^9): the real capacity may differ by some percent
};

/// One accelerator as the run-time system sees it (an MI250X is two).
struct device_spec {
  literal name{};  ///< the vendor's name
  bytes memory{};  ///< capacity that a plan is held against
  /// Where `memory` comes from.
  shardplan::capacity_source capacity_source = shardplan::capacity_source::nameplate;
  std::int64_t bf16_flops = 0;        ///< peak dense BF16 matrix operations a second, without sparsity; 0: none
  std::int64_t fp8_flops = 0;         ///< the same for FP8; 0: none
  std::int64_t memory_bandwidth = 0;  ///< bytes a second
  link fabric{};                      ///< between devices of one fabric domain (NVLink, xGMI, HCCS)
  std::int64_t fabric_domain = 1;     ///< devices in the usual fabric domain
  bool fabric_spans_hosts = false;    ///< whether the fabric joins hosts (NVL72)
  std::int64_t fabric_pair = 0;       ///< switchless mesh: bytes a second of the link between two devices; 0: a switch, or a bridge
  link host{};                        ///< to the host (PCIe)
  link network{};                     ///< to other nodes, this device's usual share of the NICs
  std::int64_t matmul_flops = 0;      ///< BF16 matrix operations a second that the best large product reaches; 0: not measured
  std::int64_t sustained_flops = 0;   ///< the same inside published training runs, where clocks drop and shapes vary (estimate, calibrated:
                                      ///< tests/truth/runs.cpp); 0: not calibrated. Only `timing` reads these two

  // By hand: a defaulted one costs Clang 2 % of the umbrella (tests/static/hardware asks it of every field).
  friend constexpr bool operator==(const device_spec& left, const device_spec& right) {
    return left.name == right.name && left.memory.count == right.memory.count && left.capacity_source == right.capacity_source &&
           left.bf16_flops == right.bf16_flops && left.fp8_flops == right.fp8_flops && left.memory_bandwidth == right.memory_bandwidth &&
           left.fabric == right.fabric && left.fabric_domain == right.fabric_domain && left.fabric_spans_hosts == right.fabric_spans_hosts &&
           left.fabric_pair == right.fabric_pair && left.host == right.host && left.network == right.network &&
           left.matmul_flops == right.matmul_flops && left.sustained_flops == right.sustained_flops;
  }
};

/// A type that says a device: it has `static constexpr shardplan::device_spec spec`.
template <class Device>
concept device = requires {
  requires detail::same<decltype(&Device::spec), const device_spec*>;
}
&&requires { typename detail::needs_constant<static_cast<bool>(Device::spec.fabric_domain)>; };

}  // namespace shardplan
