// SPDX-License-Identifier: BSL-1.0
// A model, a device, an optimizer and a schedule of one's own: each is a type with one constant.
#include <shardplan/report/text.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <iostream>

namespace sp = shardplan;
using namespace sp::literals;

struct my_model {
  static constexpr sp::transformer shape{.layers = 30, .hidden = 2560, .heads = 20, .kv_heads = 4, .ffn = 6912, .vocab = 64000};
};
static_assert(sp::parameter_count<my_model> == 2'392'220'160);

struct my_device {
  static constexpr sp::device_spec spec{.name = "lab card 48 GiB", .memory = 48_GiB};
};

// An optimizer that keeps three moments of every parameter, as AdEMAMix.
struct my_optimizer {
  static constexpr sp::optimizer_spec spec{.name = "three moments", .moments = 3};
};

// Twice as many warm-up forwards as 1F1B, as Alpa's eager 1F1B.
struct my_schedule {
  static constexpr std::int64_t in_flight(std::int64_t p, std::int64_t m, std::int64_t, std::int64_t rank) {
    const std::int64_t alive = 2 * (p - 1 - rank) + 1;
    return alive < m ? alive : m;
  }
  static constexpr sp::schedule_spec spec{.name = "eager", .in_flight = &in_flight};
};

// 30 layers do not divide over 4 stages: say who gets how many, nothing is rounded for you.
using run =
    sp::checked_plan<sp::model<my_model>, sp::cluster<my_device, 8, 1>, sp::pp<4>, sp::layer_split<7, 8, 8, 7>, sp::schedule<my_schedule>,
                     sp::zero<1>, sp::micro_batch<1>, sp::global_batch<32>, sp::sequence<4096>, sp::optimizer<my_optimizer>>;

int main() { sp::report::print<run>(std::cout); }
