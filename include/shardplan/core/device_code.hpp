// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Put before the small functions that a CUDA or HIP kernel may call on a plan's constants (comparisons of `bytes`,
/// `memory_report::total()`). Without it nvcc refuses them in device code unless the user adds --expt-relaxed-constexpr, and we ask for
/// no flag but -std=c++20.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SHARDPLAN_HOST_DEVICE __host__ __device__
#else
#define SHARDPLAN_HOST_DEVICE
#endif
