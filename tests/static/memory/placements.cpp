// SPDX-License-Identifier: BSL-1.0
// Where the last stage lies decides whether a tied embedding is held twice; optimizers whose rules combine.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;
using namespace sp::literals;

namespace {

struct card {
  static constexpr sp::device_spec spec{.name = "1 PiB", .memory = 1024_TiB};
};
template <bool Tied>
struct small {
  static constexpr sp::transformer shape{.layers = 8, .hidden = 64, .heads = 4, .ffn = 256, .vocab = 1000, .tied_embeddings = Tied};
};
// Two chunks a rank in V shape: rank 0 has the first and the last stage.
template <sp::placement Layout>
struct two_chunks {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t micro_batches, std::int64_t chunks, std::int64_t) {
    return micro_batches * chunks;
  }
  static constexpr sp::schedule_spec spec{.name = "two chunks", .chunks = 2, .layout = Layout, .in_flight = &in_flight};
};
template <bool Tied, sp::placement Layout>
using run = sp::plan<sp::model<small<Tied>>, sp::cluster<card, 4, 1>, sp::pp<4>, sp::schedule<two_chunks<Layout>>, sp::sequence<16>,
                     sp::micro_batch<1>, sp::global_batch<8>>;

// By hand: a block has 4 x 64 x 64 + 3 x 64 x 256 + 2 x 64 elements, 2 blocks a rank; the table has 64,000; the final norm 64.
constexpr std::int64_t blocks = 2 * (4 * 64 * 64 + 3 * 64 * 256 + 2 * 64);
static_assert(run<true, sp::placement::v_shape>::memory[0].weights == sp::bytes{2 * (blocks + 64'000 + 64)});
static_assert(run<false, sp::placement::v_shape>::memory[0].weights == sp::bytes{2 * (blocks + 2 * 64'000 + 64)});
static_assert(run<true, sp::placement::v_shape>::memory[3].weights == sp::bytes{2 * blocks});
static_assert(run<true, sp::placement::loop>::memory[0].weights == sp::bytes{2 * (blocks + 64'000)});
static_assert(run<true, sp::placement::loop>::memory[3].weights == sp::bytes{2 * (blocks + 64'000 + 64)});
static_assert(run<true, sp::placement::loop>::memory[3].optimizer == sp::bytes{8 * (blocks + 64'000 + 64)});

// A rule for hidden matrices beside 8-bit blocks: with one sharer a flat buffer holds what the tensors hold, but for the block that ends it
// and the small tensors, which are no longer small.
struct eight_bit_muon {
  static constexpr sp::optimizer_spec spec{.name = "8-bit muon", .moments = 2, .hidden_matrix_moments = 1, .eight_bit = true};
};
template <std::int64_t Stage>
using alone = sp::plan<sp::model<small<false>>, sp::cluster<card, 1, 1>, sp::zero<Stage>, sp::optimizer<eight_bit_muon>, sp::sequence<16>,
                       sp::micro_batch<1>, sp::global_batch<8>>;
constexpr std::int64_t hidden = 8 * (4 * 64 * 64 + 3 * 64 * 256);
constexpr std::int64_t others = 2 * 64'000 + 64 + 8 * 2 * 64;
static_assert(alone<1>::memory[0].optimizer == sp::bytes{(hidden + 4 * (hidden / 256)) + 2 * (others + 4 * ((others + 255) / 256))});
static_assert(alone<0>::memory[0].optimizer ==
              sp::bytes{(hidden + 4 * (hidden / 256)) + 2 * (2 * 64'000 + 2 * 4 * 250) + 8 * (64 + 8 * 2 * 64)});

}  // namespace
