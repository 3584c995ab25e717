// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The one place of the version: CMakeLists.txt reads these three lines.
#define SHARDPLAN_VERSION_MAJOR 0
#define SHARDPLAN_VERSION_MINOR 1
#define SHARDPLAN_VERSION_PATCH 0
