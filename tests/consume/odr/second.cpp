// SPDX-License-Identifier: BSL-1.0
#include "plan.hpp"

addresses seen_by_second() { return {&shared_run::spec, &shared_run::memory, &shared_run::peak_memory}; }
