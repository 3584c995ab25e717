// SPDX-License-Identifier: BSL-1.0
// Judging memory.jsonl: which rule reads a row (by its source), and the bounds.
#pragma once

#include "framework_rows.hpp"
#include "judgement.hpp"
#include "megatron_rows.hpp"
#include "memory_figures.hpp"
#include "papers.hpp"
#include "row.hpp"
#include "row_differences.hpp"

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace truth {

namespace detail {

/// Paper tables; false when the row is none that is known.
inline bool judge_paper(const row& item, judgement& result) {
  comparison line{.id = item.id, .group = item.source.substr(0, item.source.find(" (numeric")) + ", " + item.metric};
  const config_reader config{item.config};
  try {
    if (item.metric == "activation_in_flight") {
      judge_schedule(item, config, line);
      result.add(line);
      return true;
    }
    line.theirs = bytes_of_unit(item.unit) != 0 && item.metric != "bytes_per_param" ? bytes_of(item) : std::stod(item.value);
    if (item.metric == "bytes_per_param") {
      line.group = "bytes a parameter";
      judge_bytes_per_parameter(item, config, line);
    } else if (item.metric == "optimizer_states") {
      judge_optimizer_states(item, config, line);
    } else if (item.metric == "activation_relative_to_1F1B") {
      judge_schedule(item, config, line);
    } else if (starts_with(item.source, "ZeRO paper")) {
      judge_zero_paper(item, config, line);
    } else if (starts_with(item.source, "Korthikanti")) {
      judge_korthikanti(item, config, line);
    } else if (item.metric == "model_states_total") {
      judge_total_states(item, config, line);
    } else {
      return false;
    }
  } catch (const not_expressible& why) {
    line.reason = why.what();
  } catch (const std::invalid_argument&) {
    return false;
  }
  result.add(line);
  return true;
}

/// Rows without a rule of their own are shown, never hidden.
inline void refuse(const row& item, judgement& result, const char* why) {
  comparison line{.id = item.id, .group = item.source + ", " + item.metric, .reason = why};
  try {
    line.theirs = bytes_of(item);
  } catch (const std::exception&) {
    line.theirs = 0;
  }
  result.add(line);
}

/// The rule of a row, by its source.
inline void judge_row(const row& item, judgement& result) {
  const config_reader config{item.config};
  if (contains(item.source, "tests/functional_tests")) {
    judge_functional_test(item, result);
  } else if (contains(item.source, "docs/b200")) {
    judge_b200(item, result);
  } else if (judge_paper(item, result)) {
    return;
  } else if (config.has("operator")) {
    judge_operator(item, result);
  } else if (framework_of(config, item.source) == framework::llm_c) {
    judge_llm_c(item, result);
  } else {
    judge_framework(item, result);
  }
}

}  // namespace detail

/// Judges all rows of a file like memory.jsonl.
inline judgement judge_memory(const std::vector<row>& rows) {
  judgement result;
  for (const row& item : rows) {
    // A row that cannot be read at all is shown too.
    try {
      detail::judge_row(item, result);
    } catch (const std::exception& why) {
      detail::refuse(item, result, why.what());
    }
  }
  detail::judge_bucket_differences(rows, result);
  detail::judge_cast_differences(rows, result);
  result.set_bound("FP8 weight copies, differences of rows",
                   {.words = "each 1 %, all expressible", .each_percent = 1, .most_refused_percent = 0.001});
  constexpr double mebibyte = 1048576;
  result.set_bound("DeepSpeed, gradient buckets, differences of rows",
                   {.words = "each 1 %, all expressible", .each_percent = 1, .most_refused_percent = 0.001});
  result.set_bound("torchtitan benchmarks, reserved, plain FSDP",
                   {.words = "each 8 %, all expressible", .each_percent = 8, .most_refused_percent = 0.001});
  result.set_bound("FSDP and ZeRO-3, peak allocated",
                   {.words = "each 12 %, all expressible", .each_percent = 12, .most_refused_percent = 0.001});
  result.set_bound("FSDP and ZeRO-3, reserved, plain",
                   {.words = "never above, all expressible", .never_above = true, .most_refused_percent = 0.001});
  result.set_bound("operator benchmarks, head and loss",
                   {.words = "allocated figures within 3 %, all expressible", .most_refused_percent = 0.001});
  result.set_bound("Megatron-LM functional tests, allocated", {.words = "never above; 90 % within 150 MiB; under 10 % not expressible",
                                                               .never_above = true,
                                                               .ninety_below = 150 * mebibyte,
                                                               .most_refused_percent = 10});
  result.set_bound("Megatron-LM functional tests, peak, dense", {.words = "median 1 %, 90 % within 5 %; under 5 % not expressible",
                                                                 .median_percent = 1,
                                                                 .ninety_percent = 5,
                                                                 .most_refused_percent = 5});
  result.set_bound("Megatron-LM functional tests, peak, full recompute",
                   {.words = "each 2 %, all expressible", .each_percent = 2, .most_refused_percent = 0.001});
  result.set_bound("Megatron-LM functional tests, peak, routed experts",
                   {.words = "median 3 %, 90 % within 10 %; under 12 % not expressible",
                    .median_percent = 3,
                    .ninety_percent = 10,
                    .most_refused_percent = 12});
  result.set_bound("Megatron-LM on B200 (SimuMax), peak, dense",
                   {.words = "each 0.5 %, all expressible", .each_percent = 0.5, .most_refused_percent = 0.001});
  result.set_bound("Megatron-LM on B200 (SimuMax), peak, routed experts",
                   {.words = "each 5 %, all expressible", .each_percent = 5, .most_refused_percent = 0.001});
  return result;
}

}  // namespace truth
