// SPDX-License-Identifier: BSL-1.0
// Bytes a logit by loss kernel (facts: tables of Megatron-LM's functional tests, Liger-Kernel, torchtitan, xtuner), and the parts of
// recipe/cross_entropy.hpp and recipe/overheads.hpp.
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/recipe/headroom.hpp>
#include <shardplan/recipe/overheads.hpp>
#include <shardplan/recipe/precision.hpp>

#include <cstdint>

using namespace shardplan;

template <class Loss>
inline constexpr std::int64_t bytes_a_logit = bytes_per_logit(Loss::spec, 2);
static_assert(bytes_a_logit<losses::in_place> == 2);
static_assert(bytes_a_logit<losses::megatron_unfused> == 6 && bytes_a_logit<losses::megatron_native_fused> == 10);
static_assert(bytes_a_logit<losses::torch_eager> == 6);
static_assert(bytes_a_logit<losses::torch_eager_float> == 14 && bytes_a_logit<losses::torch_eager_float_freed> == 12);
static_assert(bytes_a_logit<losses::torch_compiled> == 4 && bytes_a_logit<losses::xtuner_eager> == 8);
static_assert(bytes_a_logit<losses::chunked<8>> == 6 && losses::chunked<8>::spec.chunks == 8);
static_assert(bytes_a_logit<losses::fused_linear> == 0);
// fp32 logits: in place they are their own gradient, eager torch keeps three copies.
static_assert(bytes_per_logit(losses::in_place::spec, 4) == 4 && bytes_per_logit(losses::torch_eager::spec, 4) == 12);

// Workspaces: 96 MiB on Hopper and 68 MiB on Ampere.
static_assert(overhead_sets::megatron_tests::spec.workspace_kibibytes == 96 * 1024);
static_assert(overhead_sets::megatron_tests_ampere::spec.workspace_kibibytes == 68 * 1024);
static_assert(workspaces::cublas_small == 8'320);  // 8.125 MiB

// Each field is compared.
template <class Field, class Spec>
constexpr bool differs_in(Field Spec::*field, Field value) {
  Spec changed{};
  changed.*field = value;
  return !(changed == Spec{}) && changed == changed;
}
constexpr std::int64_t seven = 7;
static_assert(differs_in(&loss_spec::name, literal{"other"}) && differs_in(&loss_spec::kept_copies, seven) &&
              differs_in(&loss_spec::kept_bytes, seven) && differs_in(&loss_spec::temporary_copies, seven) &&
              differs_in(&loss_spec::temporary_bytes, seven) && differs_in(&loss_spec::chunks, seven) &&
              differs_in(&loss_spec::head_gradient_bytes, seven) && differs_in(&loss_spec::hidden_bytes, seven));
static_assert(differs_in(&overhead_spec::name, literal{"other"}) && differs_in(&overhead_spec::workspace_kibibytes, seven) &&
              differs_in(&overhead_spec::boundary_tensors, seven) && differs_in(&overhead_spec::mask, true) &&
              differs_in(&overhead_spec::gradient_scratch, false) && differs_in(&overhead_spec::widens_moments, true) &&
              differs_in(&overhead_spec::step_bytes, seven) && differs_in(&overhead_spec::flattens_gradients, true));
static_assert(differs_in(&bucket_spec::reduce_elements, seven) && differs_in(&bucket_spec::reduce_buffers, seven) &&
              differs_in(&bucket_spec::sub_group_elements, seven));

// A part writes its own fields and notes its slot.
struct sheet {
  loss_spec loss{};
  overhead_spec overheads{};
  bucket_spec buckets{};
  std::uint64_t said_parts = 0, repeated_parts = 0;
};
template <class... Parts>
constexpr sheet applied() {
  sheet written{};
  (Parts::apply(written), ...);
  return written;
}
constexpr sheet all = applied<cross_entropy<losses::torch_eager>, overheads<overhead_sets::none>, buckets<200, 2, 300>>();
static_assert(all.loss == losses::torch_eager::spec && all.overheads == overhead_sets::none::spec);
static_assert(all.buckets == bucket_spec{200, 2, 300} && all.repeated_parts == 0);
static_assert(applied<buckets<200>>().buckets == bucket_spec{200, 1, 1'000'000'000});
static_assert(applied<buckets<200>, buckets<200>>().repeated_parts != 0);

// Headroom term by term; one that is negative is not made up for.
struct reserve {
  std::int64_t headroom_mebibytes = 0;
  std::uint64_t said_parts = 0, repeated_parts = 0;
};
template <class Part>
constexpr std::int64_t left_free() {
  reserve written{};
  Part::apply(written);
  return written.headroom_mebibytes;
}
static_assert(left_free<headroom<600, 2048, 1024>>() == 3'672 && left_free<headroom<600>>() == 600);
static_assert(left_free<headroom<600, -1>>() < 0 && left_free<headroom<-1, 600>>() < 0);
static_assert(left_free<headroom<INT64_MAX, 1>>() == INT64_MAX);

struct other {
  static constexpr int spec = 1;
};
static_assert(loss_kernel<losses::in_place> && !loss_kernel<other> && !loss_kernel<precisions::fp32>);
static_assert(overhead_set<overhead_sets::none> && !overhead_set<other> && !overhead_set<losses::in_place>);
static_assert(part<cross_entropy<losses::in_place>> && part<overheads<overhead_sets::none>> && part<buckets<1>>);
