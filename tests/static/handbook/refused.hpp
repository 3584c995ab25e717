// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Whether a call (a lambda without captures) stops a constant evaluation, as every error of the core does.
template <class Call, int = (static_cast<void>(Call{}()), 0)>
constexpr bool refused(Call) {
  return false;
}
constexpr bool refused(...) { return true; }
