// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// The largest numbers that a plan may say. They lie far above anything that is trained and are chosen, with `too_large`, so that no figure
/// of the library can leave 63 bits.
namespace limits {
inline constexpr std::int64_t layers = std::int64_t{1} << 14;            ///< transformer blocks; entries of a `layer_split`
inline constexpr std::int64_t width = std::int64_t{1} << 24;             ///< hidden, ffn; elements
inline constexpr std::int64_t heads = std::int64_t{1} << 16;             ///< query heads, key/value heads, width of a head
inline constexpr std::int64_t rows = std::int64_t{1} << 31;              ///< vocabulary, positions, tokens of a sequence
inline constexpr std::int64_t next_token_layers = 64;                    ///< layers that predict further tokens
inline constexpr std::int64_t expert_count = std::int64_t{1} << 16;      ///< routed experts a layer, and those a token visits
inline constexpr std::int64_t degree = std::int64_t{1} << 12;            ///< tp, cp, etp
inline constexpr std::int64_t expert_degree = std::int64_t{1} << 14;     ///< ep
inline constexpr std::int64_t stages = 1024;                             ///< pp
inline constexpr std::int64_t replicas = std::int64_t{1} << 24;          ///< dp
inline constexpr std::int64_t batch = std::int64_t{1} << 32;             ///< sequences of one step
inline constexpr std::int64_t micro_batch = std::int64_t{1} << 24;       ///< sequences of a micro-batch
inline constexpr std::int64_t devices_per_node = std::int64_t{1} << 12;  ///< devices of one host
inline constexpr std::int64_t nodes = std::int64_t{1} << 20;    ///< hosts; with devices_per_node: replicas x micro-batch stay below 2^57
inline constexpr std::int64_t devices = std::int64_t{1} << 32;  ///< ranks of a shard group, devices that a fabric joins
inline constexpr std::int64_t device_memory = std::int64_t{1} << 50;  ///< bytes of one device
inline constexpr std::int64_t element_bytes = 16;                     ///< bytes of one number in any form
inline constexpr std::int64_t moments = 16;                           ///< optimizer moments of a parameter
inline constexpr std::int64_t bits = 128;                             ///< bits of one number
inline constexpr std::int64_t sent_bits = 32;                         ///< bits of one number on its way
inline constexpr std::int64_t chunks = 64;                            ///< model chunks of one rank
inline constexpr std::int64_t rate = std::int64_t{1} << 60;           ///< operations, or bytes over one way, a second of one device
inline constexpr std::int64_t load = std::int64_t{1} << 20;           ///< load and capacity of routed experts, percent
inline constexpr std::int64_t block = std::int64_t{1} << 30;  ///< elements of a quantisation block, sides, bytes of tables, MiB of headroom
inline constexpr std::int64_t parameters = std::int64_t{1} << 52;        ///< bound on parameters
inline constexpr std::int64_t activation_bytes = std::int64_t{1} << 61;  ///< bound on activations, bytes
inline constexpr std::int64_t state_bytes = std::int64_t{1} << 60;       ///< bound on what rules for matrices and for scales add, bytes
}  // namespace limits

}  // namespace shardplan
