// SPDX-License-Identifier: BSL-1.0
// Arithmetic that leaves 63 bits, and sizes that no model has, are errors with a name.
#include "catch.hpp"

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/model/parameters.hpp>

#include <cstdint>
#include <string>

namespace sp = shardplan;

namespace {

constexpr std::int64_t most = INT64_MAX;
constexpr std::int64_t least = INT64_MIN;

template <class Call>
std::string thrown_by(Call call) {
  try {
    static_cast<void>(call());
  } catch (const sp::arithmetic_error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("arithmetic beyond 63 bits is thrown") {
  using namespace sp::literals;
  volatile std::int64_t one = 1;  // nothing is folded away
  CHECK(thrown_by([&] { return sp::checked_add(most, one); }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return sp::checked_subtract(least, one); }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return sp::checked_multiply(most, one + 1); }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return sp::checked_multiply(least, -one); }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return sp::checked_divide(one, one - 1); }) == "division_by_zero");
  CHECK(thrown_by([&] { return sp::checked_divide(least, -one); }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return sp::exact_divide(7, one + 1); }) == "division_leaves_a_rest");
  CHECK(thrown_by([&] { return sp::ceil_divide(7, one - 1); }) == "division_by_zero");
  CHECK(thrown_by([&] { return sp::bytes{most} + sp::bytes{one}; }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return 4_GiB * (one << 31); }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return sp::fraction{one, one - 1}; }) == "division_by_zero");
  CHECK(thrown_by([&] { return sp::fraction{most} + sp::fraction{one}; }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] {
          sp::static_vector<int, 1> list;
          list.push_back(1);
          list.push_back(static_cast<int>(one));
          return list;
        }) == "capacity_exceeded");
  CHECK(thrown_by([&] { return sp::static_vector<int, 1>{}[static_cast<std::size_t>(one)]; }) == "index_out_of_range");
  sp::transformer shape{.layers = 4, .hidden = 64, .heads = 4, .ffn = 64, .vocab = 64, .experts{.count = 8, .top_k = most}};
  CHECK(thrown_by([&] { return sp::active_parameter_count_of(shape); }) == "argument_out_of_range");
  shape.experts = {.count = 8, .top_k = 2, .leading_dense = least};
  CHECK(thrown_by([&] { return sp::parameter_count_of(shape); }) == "argument_out_of_range");
  for (std::int64_t* size : {&shape.position_offset, &shape.next_token_layers, &shape.experts.layer_step, &shape.latent.query_rank,
                             &shape.latent.key_value_rank, &shape.latent.rope_dim, &shape.latent.nope_dim, &shape.latent.value_dim}) {
    shape.experts.leading_dense = 0;
    *size = -one;
    CHECK(thrown_by([&] { return sp::parameter_count_of(shape); }) == "argument_out_of_range");
    CHECK(thrown_by([&] { return sp::active_parameter_count_of(shape); }) == "argument_out_of_range");
    CHECK(thrown_by([&] { return sp::tensors_of(shape).length; }) == "argument_out_of_range");
    *size = 0;
  }
  CHECK(thrown_by([&] { return sp::parameter_count_of(shape); }) == "nothing");
  shape = {.layers = most, .hidden = 64, .heads = 4, .ffn = 64, .vocab = 64};
  CHECK(thrown_by([&] { return sp::parameter_count_of(shape); }) == "result_leaves_63_bits");
  CHECK(thrown_by([&] { return sp::saturating_multiply(most, one + 1) == most && sp::saturating_add(most, one) == most; }) == "nothing");
}
