// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Every device of the catalog: `shardplan::devices::h100_sxm_80gb` and so on, types with `static constexpr device_spec spec`. A vendor
/// alone is one header of catalog/.
#include <shardplan/hardware/catalog/amd.hpp>
#include <shardplan/hardware/catalog/huawei.hpp>
#include <shardplan/hardware/catalog/intel.hpp>
#include <shardplan/hardware/catalog/nvidia.hpp>
