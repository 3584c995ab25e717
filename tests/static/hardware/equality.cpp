// SPDX-License-Identifier: BSL-1.0
// Two devices are equal when every field is, and so are two links.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace {

using namespace shardplan;

template <class Spec, class Member>
constexpr bool differs_in(Member Spec::*field, Member other) {
  Spec spec{};
  spec.*field = other;
  return spec == spec && !(spec == Spec{}) && spec != Spec{};
}
constexpr std::int64_t other = 7;
static_assert(differs_in(&link::name, literal{"other"}) && differs_in(&link::bytes_per_second, other));
static_assert(differs_in(&device_spec::name, literal{"other"}) && differs_in(&device_spec::memory, bytes{other}) &&
              differs_in(&device_spec::capacity_source, capacity_source::driver) && differs_in(&device_spec::bf16_flops, other) &&
              differs_in(&device_spec::fp8_flops, other) && differs_in(&device_spec::memory_bandwidth, other) &&
              differs_in(&device_spec::fabric, link{"other", other}) && differs_in(&device_spec::fabric_domain, other) &&
              differs_in(&device_spec::fabric_spans_hosts, true) && differs_in(&device_spec::fabric_pair, other) &&
              differs_in(&device_spec::host, link{"other", other}) && differs_in(&device_spec::network, link{"other", other}) &&
              differs_in(&device_spec::matmul_flops, other) && differs_in(&device_spec::sustained_flops, other));

}  // namespace
