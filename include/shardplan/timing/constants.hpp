// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/unset.hpp>
#include <shardplan/recipe/link_efficiency.hpp>

#include <cstdint>

namespace shardplan {

/// Estimate: what `timing` takes for granted, one value for every plan; each can be changed. Rates are shares of the nominal ones of
/// `device_spec`, latencies seconds. `sustained`, `attention`, `kernels` and `kernel_gap` were chosen while looking at the published runs
/// that the estimate is judged by (docs/traffic_and_timing.md#constants), as were `device_spec::sustained_flops` and `overlap_spec::tp`.
struct timing_constants {
  double fabric = 0.80;        ///< of the fabric's rate in a large ring: 235 of 300 GB/s (A100), 366 of 450 (H200), 682 of 900 (B200);
                               ///< ml-engineering network/README.md at 744d01e
  double network = 0.90;       ///< of the network's rate: calculon systems/h100_80g_nvl8.json at caa4b11
  double host = 0.80;          ///< of PCIe's rate (assumption)
  double in_switch = 0.70;     ///< of a ring's rate, when the switch adds: 473 and 838 GB/s of bus bandwidth on 8 H200 and B200 are 270 and
                               ///< 479 of the tensor, where rings have 360 and 720 (the same README)
  double memory = 0.90;        ///< of the device memory's rate: calculon, as above
  double matmul = 0.80;        ///< of the peak, for a device without `matmul_flops`: what H100 and H200 reach
  double sustained = 0.70;     ///< of `matmul_flops`, for a device without `sustained_flops`: what H100 holds
  double attention = 0.50;     ///< of that rate in flash attention: 0.35 of the peak of H100 where products reach 0.75 (arXiv 2407.08608,
                               ///< introduction), its first version 0.25 to 0.40 of that of A100 (arXiv 2307.08691)
  double fp8 = 0.88;           ///< of the ratio of the FP8 to the BF16 peak: best products of H100, 1,402.6 and 794.5e12 of 1,979 and 989e12
                               ///< (mamf-finder, ml-engineering at 744d01e); other devices have 0.91 (H200) to 0.99 (GB200)
  double kernels = 20;         ///< of one block in forward; backward has twice as many (assumption)
  double kernel_gap = 3.0e-6;  ///< between two kernels (assumption)
  double ring_base = 8.4e-6;   ///< start of a collective: NCCL tuning.cc, Simple protocol (5067397)
  double fabric_step = 3.4e-6;    ///< each ring step over the fabric: the same
  double network_step = 14.0e-6;  ///< each ring step over the network: the same
  double nvme = 3.0e9;            ///< bytes a second of NVMe for each device (assumption: 24 GB/s a node of 8)
  double host_memory = 25.0e9;    ///< bytes a second of host memory for each device (assumption: 200 GB/s a node of 8)
};

/// The defaults, so that no call makes them anew.
inline constexpr timing_constants default_timing_constants{};

namespace detail {
constexpr double link_share(std::int64_t percent, double otherwise) {
  return percent == unset ? otherwise : static_cast<double>(percent) / 100;
}
}  // namespace detail

/// The constants with what `link_efficiency<>` says of the links, 1 to 100 percent (a rule of tier one).
constexpr timing_constants constants_with(const link_efficiency_spec& links, const timing_constants& constants) {
  timing_constants own = constants;
  own.fabric = detail::link_share(links.fabric, constants.fabric);
  own.network = detail::link_share(links.network, constants.network);
  own.host = detail::link_share(links.host, constants.host);
  return own;
}

}  // namespace shardplan
