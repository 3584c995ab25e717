// SPDX-License-Identifier: BSL-1.0
// The devices of the catalog, with the names that devices.json gives them.
#pragma once

#include <shardplan/hardware/catalog.hpp>

#include <string>

namespace truth {

struct device_entry {
  const char* id;
  shardplan::device_spec spec;
};

inline constexpr device_entry device_catalog[] = {
    {"V100-32GB-SXM2", shardplan::devices::v100_sxm_32gb::spec},
    {"A100-40GB-SXM4", shardplan::devices::a100_sxm_40gb::spec},
    {"A100-80GB-SXM4", shardplan::devices::a100_sxm_80gb::spec},
    {"A100-80GB-PCIe", shardplan::devices::a100_pcie_80gb::spec},
    {"A800-80GB-SXM4", shardplan::devices::a800_sxm_80gb::spec},
    {"H100-80GB-SXM5", shardplan::devices::h100_sxm_80gb::spec},
    {"H100-80GB-PCIe", shardplan::devices::h100_pcie_80gb::spec},
    {"H100-NVL-94GB", shardplan::devices::h100_nvl_94gb::spec},
    {"H100-96GB-HBM2e", shardplan::devices::h100_hbm2e_96gb::spec},
    {"GH200-96GB", shardplan::devices::gh200_96gb::spec},
    {"H200-141GB-SXM", shardplan::devices::h200_sxm_141gb::spec},
    {"H800-80GB-SXM5", shardplan::devices::h800_sxm_80gb::spec},
    {"H20-96GB", shardplan::devices::h20_96gb::spec},
    {"B200-SXM", shardplan::devices::b200_sxm_192gb::spec},
    {"GB200-NVL72", shardplan::devices::gb200_nvl72::spec},
    {"B300-SXM", shardplan::devices::b300_sxm_288gb::spec},
    {"GB300-NVL72", shardplan::devices::gb300_nvl72::spec},
    {"MI250X", shardplan::devices::mi250x::spec},
    {"MI300X", shardplan::devices::mi300x::spec},
    {"MI325X", shardplan::devices::mi325x::spec},
    {"MI355X", shardplan::devices::mi355x::spec},
    {"Gaudi2", shardplan::devices::gaudi2::spec},
    {"Gaudi3", shardplan::devices::gaudi3::spec},
    {"Ascend-910B1-64GB", shardplan::devices::ascend_910b_64gb::spec},
    {"Ascend-910B3-64GB", shardplan::devices::ascend_910b3_64gb::spec},
    {"Ascend-910B4-32GB", shardplan::devices::ascend_910b4_32gb::spec},
};

/// The device of that name, or the first whose name begins so if all such have the same memory ("A100-40GB", "B200"); nullptr when there is
/// none.
inline const shardplan::device_spec* named_device(const std::string& id) {
  const shardplan::device_spec* found = nullptr;
  bool alike = !id.empty();
  for (const device_entry& item : device_catalog) {
    if (id == item.id) return &item.spec;
    if (std::string{item.id}.rfind(id, 0) != 0) continue;
    if (found == nullptr) found = &item.spec;
    alike = alike && item.spec.memory == found->memory;
  }
  return alike ? found : nullptr;
}

}  // namespace truth
