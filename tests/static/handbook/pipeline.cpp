// SPDX-License-Identifier: BSL-1.0
// The worked numbers of section 4 of the handbook, both kinds of efficiency.
#include <shardplan/handbook/pipeline.hpp>

#include "refused.hpp"

#include <cstdint>

namespace book = shardplan::handbook;
using shardplan::fraction;

// the bubble: (p-1)(t_f+t_b), 2(p-1)t for t_f = t_b = t
static_assert(book::pipeline_bubble(4, 1, 1) == 6 && book::pipeline_bubble(8, 1, 1) == 14 && book::pipeline_bubble(1, 1, 1) == 0);
static_assert(book::pipeline_bubble(4, 1, 2) == 9 && book::pipeline_bubble(4, {1, 2}, {1, 3}) == fraction{5, 2});

// the handbook's efficiencies: 32/38 = 84 %, 64/78 = 82 %, 256/270 = 95 %
constexpr bool prints(fraction share, std::int64_t percent) {
  return share * 100 >= fraction{2 * percent - 1, 2} && share * 100 < fraction{2 * percent + 1, 2};
}
static_assert(book::pipeline_efficiency(4, 8) == fraction{32, 38} && prints(book::pipeline_efficiency(4, 8), 84));
static_assert(book::pipeline_efficiency(8, 8) == fraction{64, 78} && prints(book::pipeline_efficiency(8, 8), 82));
static_assert(book::pipeline_efficiency(8, 32) == fraction{256, 270} && prints(book::pipeline_efficiency(8, 32), 95));

// the true ones of GPipe and 1F1B: 72.7, 53.3 and 82.1 %
constexpr bool prints_tenths(fraction share, std::int64_t tenths) { return prints(share * 10, tenths); }
static_assert(book::true_pipeline_efficiency(4, 8) == fraction{8, 11} && prints_tenths(book::true_pipeline_efficiency(4, 8), 727));
static_assert(book::true_pipeline_efficiency(8, 8) == fraction{8, 15} && prints_tenths(book::true_pipeline_efficiency(8, 8), 533));
static_assert(book::true_pipeline_efficiency(8, 32) == fraction{32, 39} && prints_tenths(book::true_pipeline_efficiency(8, 32), 821));
static_assert(book::pipeline_efficiency(1, 8) == 1 && book::true_pipeline_efficiency(1, 8) == 1);

// the handbook's is that of the interleaved schedule with p/2 chunks a rank: 16/19, 32/39, 128/135
static_assert(book::chunks_of_pipeline_efficiency(4) == 2 && book::chunks_of_pipeline_efficiency(8) == 4);
static_assert(book::chunks_of_pipeline_efficiency(3) == fraction{3, 2});
static_assert(book::interleaved_pipeline_efficiency(4, 8, 2) == fraction{16, 19});
static_assert(book::interleaved_pipeline_efficiency(8, 8, 4) == fraction{32, 39});
static_assert(book::interleaved_pipeline_efficiency(8, 32, 4) == fraction{128, 135});
static_assert([] {
  for (std::int64_t stages = 2; stages <= 64; stages += 2)
    for (std::int64_t micro_batches = 1; micro_batches <= 64; ++micro_batches) {
      const std::int64_t chunks = book::chunks_of_pipeline_efficiency(stages).numerator;
      if (book::pipeline_efficiency(stages, micro_batches) != book::interleaved_pipeline_efficiency(stages, micro_batches, chunks))
        return false;
      // For two stages there is one chunk: only there is the handbook's figure that of 1F1B.
      if ((book::pipeline_efficiency(stages, micro_batches) == book::true_pipeline_efficiency(stages, micro_batches)) != (stages == 2))
        return false;
    }
  return true;
}());

// refused: nothing, less than nothing, and what leaves 63 bits
static_assert(!refused([] { return book::pipeline_efficiency(1, 1); }));
static_assert(refused([] { return book::pipeline_efficiency(0, 8); }) && refused([] { return book::pipeline_efficiency(4, 0); }));
static_assert(refused([] { return book::true_pipeline_efficiency(-4, 8); }) &&
              refused([] { return book::true_pipeline_efficiency(4, -8); }));
static_assert(refused([] { return book::interleaved_pipeline_efficiency(4, 8, 0); }));
static_assert(refused([] { return book::chunks_of_pipeline_efficiency(0); }));
static_assert(refused([] { return book::pipeline_bubble(0, 1, 1); }) && refused([] { return book::pipeline_bubble(4, 0, 1); }));
static_assert(refused([] { return book::pipeline_bubble(4, 1, -1); }));
static_assert(refused([] { return book::pipeline_efficiency(INT64_MAX, 2); }));
static_assert(refused([] { return book::true_pipeline_efficiency(2, INT64_MAX); }));
