// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace shardplan::detail {

// Between start and end the steady state repeats, so the orders of all ranks are found (a "plan") for as many micro-batches as it takes to
// see it, and with more of them a rank repeats the ops of one micro-batch there. A test compares with orders that are found in full.

/// Where a rank's part of a plan, `size` long from `first` on, repeats itself the longest with a period of `ops`.
template <class Plan>
constexpr int steady_place(const Plan& plan, int first, int size, int ops) {
  int best = 0, longest = 0, run = 0;
  for (int at = 0; at + ops < size; ++at) {
    if (plan.of[first + at] != plan.of[first + at + ops]) {
      run = 0;
    } else if (++run > longest) {
      longest = run;
      best = at + 1 - run;
    }
  }
  return best;
}

/// Writes the ops of a rank by its part of a plan for `planned` micro-batches. `whole`: a backward is B, else I.
template <class Out, class Plan>
constexpr void fill_by_plan(Out& out, const Plan& plan, int micro_batches, int planned, int rank, bool whole) {
  const int ops = whole ? 4 : 6;  // of a micro-batch
  const int size = ops * planned;
  const int first = rank * size;
  const int repeated = ops * (micro_batches - planned);
  const int from = repeated == 0 ? size : steady_place(plan, first, size, ops);
  int counts[6]{};
  for (int at = 0; at < size + repeated; ++at) {
    const int kind = plan.of[first + (at < from ? at : at < from + repeated ? from + (at - from) % ops : at - repeated)];
    const int count = counts[kind]++;
    if (kind < 2) {
      out.forward(count, kind);
    } else if (kind >= 4) {
      out.weight_gradient(count, 5 - kind);
    } else if (whole) {
      out.backward(count, 3 - kind);
    } else {
      out.input_gradient(count, 3 - kind);
    }
  }
}

}  // namespace shardplan::detail
