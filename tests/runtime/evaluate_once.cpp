// SPDX-License-Identifier: BSL-1.0
// `evaluate` asks each rule once and computes the layout once: what it says is what the single questions say.
#include "catch.hpp"

#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {
sp::plan_spec spec_of(const sp::transformer& model, std::int64_t tp, std::int64_t pp, std::int64_t zero, std::int64_t host) {
  sp::plan_spec spec{};
  spec.model = model;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 4;
  spec.sequence = 4096;
  spec.micro_batch = 2;
  spec.global_batch = 512;
  spec.tp = tp;
  spec.pp = pp;
  spec.zero = zero;
  spec.host_memory_gibibytes = host;
  if (host != sp::unset) spec.offload.states = sp::storage::host;
  return spec;
}
}  // namespace

TEST_CASE("evaluate says what figures_of, violations_in and host_memory_of say") {
  int valid = 0;
  int invalid = 0;
  int misfits = 0;
  int host_misfits = 0;
  for (const sp::transformer& model : {sp::models::llama2_7b::shape, sp::models::llama3_70b::shape, sp::models::mixtral_8x7b::shape})
    for (const std::int64_t tp : {0, 1, 3, 8})
      for (const std::int64_t pp : {1, 2, 5})
        for (const std::int64_t zero : {0, 1, 3})
          for (const std::int64_t host : {sp::unset, std::int64_t{64}, std::int64_t{4096}}) {
            const sp::plan_spec spec = spec_of(model, tp, pp, zero, host);
            const sp::evaluation all = sp::evaluate(spec);
            const sp::evaluation bare = sp::evaluate(spec, sp::remedy_search::off);
            CHECK(static_cast<const sp::plan_figures&>(all) == sp::figures_of(spec));
            CHECK(static_cast<const sp::plan_figures&>(bare) == sp::figures_of(spec));
            CHECK(all.violations == sp::violations_in(spec));
            REQUIRE(all.violations.size() == bare.violations.size());
            for (std::size_t at = 0; at < all.violations.size(); ++at) {
              sp::violation without = all.violations[at];
              CHECK(without.searched == (without.broken == sp::rule::does_not_fit || without.broken == sp::rule::host_does_not_fit));
              without.searched = false;
              without.try_this = without.and_this = without.legal[0] = without.legal[1] = {};
              CHECK(without == bare.violations[at]);
              misfits += without.broken == sp::rule::does_not_fit ? 1 : 0;
              const bool of_host = without.broken == sp::rule::host_does_not_fit;
              host_misfits += of_host ? 1 : 0;
              if (of_host) CHECK(without.needs == sp::host_memory_of(spec).total());
            }
            (all.violations.empty() ? valid : invalid) += 1;
          }
  CHECK(valid > 0);
  CHECK(invalid > misfits);
  CHECK(misfits > 0);
  CHECK(host_misfits > 0);
}
