// SPDX-License-Identifier: BSL-1.0
#include "run.hpp"

std::int64_t peak() { return run::peak_memory.count; }
std::int64_t optimizer_of_last_stage() { return run::memory[1].optimizer.count; }
bool is_valid() { return sp::valid<run>; }
