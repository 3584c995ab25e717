// SPDX-License-Identifier: BSL-1.0
#pragma once

#if __cplusplus < 202002L && !defined(_MSVC_LANG)
#error "shardplan is C++20: compile with -std=c++20 or later"
#endif

/// All of the compile-time part of shardplan. Printing (`report/`) and views for Boost.Hana (`hana.hpp`) are included apart.

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/handbook/handbook.hpp>
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/hardware/host_memory.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/saved_tensors.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/rank_order.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/shard_map.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/recipe/attention.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/collectives.hpp>
#include <shardplan/recipe/communication.hpp>
#include <shardplan/recipe/context_exchange.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/recipe/dropout.hpp>
#include <shardplan/recipe/expert_load.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/headroom.hpp>
#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/recipe/kernels.hpp>
#include <shardplan/recipe/link_efficiency.hpp>
#include <shardplan/recipe/node_limited_routing.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/overheads.hpp>
#include <shardplan/recipe/overlap.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/prove.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/table.hpp>
#include <shardplan/spec/mesh_of.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/traffic.hpp>
#include <shardplan/version.hpp>
