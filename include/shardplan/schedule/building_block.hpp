// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace shardplan::detail {

/// The places of one micro-batch in a repeating block of two chunks in a V: the slots in which a rank runs F of chunk 0 and of chunk 1,
/// then the backward of chunk 1 and of chunk 0. Each further micro-batch comes `period` slots later.
struct building_block {
  static constexpr int period = 6;  // F, I and W of two chunks
  int slot[4];
};

}  // namespace shardplan::detail
