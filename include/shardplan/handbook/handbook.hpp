// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/handbook/communication.hpp>
#include <shardplan/handbook/memory.hpp>
#include <shardplan/handbook/parallelism.hpp>
#include <shardplan/handbook/pipeline.hpp>
