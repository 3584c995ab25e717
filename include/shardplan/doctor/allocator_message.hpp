// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/memory/printed_size.hpp>

#include <cstdint>

namespace shardplan {

/// The sizes of an out-of-memory message. What it does not say is not known (`is_known()` false).
struct allocator_message {
  printed_size requested{};    ///< what found no room
  printed_size capacity{};     ///< of the device, as the framework sees it
  printed_size allocated{};    ///< what tensors of this process hold
  printed_size reserved{};     ///< what the allocator holds: `allocated` and what it keeps for later
  printed_size unallocated{};  ///< of it, what no tensor has
  printed_size free{};         ///< what the device has left
  printed_size in_use{};       ///< what this process holds in all, its context too
  printed_size others{};       ///< what other processes hold, all together

  /// Whether the allocator held, in pieces, what was asked for: `unallocated`, or `reserved` less `allocated`, of at least `requested`.
  constexpr bool was_in_pieces() const {
    if (!requested.is_known()) return false;
    if (unallocated.is_known()) return unallocated.most >= requested.least;
    return reserved.is_known() && allocated.is_known() && reserved.most.count - allocated.least.count >= requested.least.count;
  }
};

namespace detail {

constexpr bool begins_with(const char* text, const char* words) {
  for (; *words != '\0'; ++text, ++words)
    if (*text != *words) return false;
  return !is_letter(*text);
}
// Whether the words end where `here` stands; `text` is the begin of it all.
constexpr bool ends_before(const char* text, const char* here, const char* words) {
  std::int64_t length = 0;
  while (words[length] != '\0') ++length;
  if (here - text < length) return false;
  for (std::int64_t at = 0; at < length; ++at)
    if (here[at - length] != words[at]) return false;
  return true;
}
// Behind a number and its unit.
constexpr const char* behind_size(const char* text) {
  const char* end = number_at(text).end;
  while (*end == ' ') ++end;
  while (is_letter(*end)) ++end;
  return end;
}

constexpr printed_size sum_of(const printed_size& left, const printed_size& right) {
  const auto add = [](bytes one, bytes other) { return bytes{saturating_add(one.count, other.count)}; };
  return {add(left.least, right.least), add(left.most, right.most), add(left.nominal, right.nominal)};
}
// "Process 12345 has 10.00 GiB": another one.
constexpr bool is_of_other_process(const char* text, const char* here) {
  if (!ends_before(text, here, " has ")) return false;
  here -= 5;
  while (here != text && is_digit(here[-1])) --here;
  return ends_before(text, here, "Process ");
}

// Which size it is by the words around it: of PyTorch for CUDA, HIP, XPU and NPU, old and new, and for MPS.
constexpr void note_size(allocator_message& said, const char* text, const char* here, const printed_size& size) {
  const char* const behind = behind_size(here);
  const auto first = [&](printed_size& field) {
    if (!field.is_known()) field = size;
  };
  if (is_of_other_process(text, here)) {
    said.others = sum_of(said.others, size);
  } else if (ends_before(text, here, "this process has ")) {
    first(said.in_use);
  } else if (begins_with(behind, " total capacity") || ends_before(text, here, "total capacity of ") ||
             ends_before(text, here, "total capacty of ") || ends_before(text, here, "max allowed: ")) {
    first(said.capacity);
  } else if (begins_with(behind, " already allocated") || begins_with(behind, " is allocated by PyTorch") ||
             ends_before(text, here, "MPS allocated: ")) {
    first(said.allocated);
  } else if (begins_with(behind, " is reserved by PyTorch but unallocated")) {
    first(said.unallocated);
  } else if (begins_with(behind, " reserved in total") || begins_with(behind, " cached")) {
    first(said.reserved);
  } else if (begins_with(behind, " free") || begins_with(behind, " is free")) {
    first(said.free);
  } else if (ends_before(text, here, "other allocations: ")) {
    said.others = sum_of(said.others, size);
  }
}

}  // namespace detail

/// Reads a whole out-of-memory message: what it asks for as `printed_in` does, and the sizes that PyTorch's allocators for CUDA, HIP, XPU,
/// NPU and MPS print beside it ("(GPU 0; 79.15 GiB total capacity; 52.91 GiB already allocated; ...", "GPU 0 has a total capacity of 79.15
/// GiB of which 1.02 GiB is free. ..."). No error for any text; a null pointer is an empty one.
constexpr allocator_message read_allocator_message(const char* text) {
  allocator_message said{};
  if (text == nullptr) return said;
  said.requested = printed_in(text);
  bool inside_number = false;
  for (const char* here = text; *here != '\0'; ++here) {
    if (!inside_number) {
      const printed_size size = detail::size_at(here);
      if (size.is_known()) detail::note_size(said, text, here, size);
    }
    inside_number = detail::is_digit(*here) || (inside_number && (*here == '.' || *here == ','));
  }
  return said;
}

}  // namespace shardplan
