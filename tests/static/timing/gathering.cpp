// SPDX-License-Identifier: BSL-1.0
// FSDP and ZeRO-3: peaks, bytes with and without resharding, what is gathered needlessly.
#include <shardplan/model/parameters.hpp>
#include <shardplan/shardplan.hpp>
#include <shardplan/timing/gathering.hpp>

namespace sp = shardplan;
using sp::gather_unit;

namespace {

using model = sp::models::llama2_7b;
template <class... More>
using run = sp::plan<sp::model<model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::micro_batch<1>,
                     sp::global_batch<32>, More...>;
using sharded = run<sp::fsdp<>>;
using kept = run<sp::fsdp<sp::reshard_after_forward<false>>>;
using flat = run<sp::zero<3>>;

constexpr std::int64_t parameters = sp::parameter_count<model>;
constexpr std::int64_t block = 4 * 4096 * 4096 + 3 * 4096 * 11008 + 2 * 4096;
constexpr std::int64_t head = 32000 * 4096 + 4096;
constexpr sp::gathering by_block = sp::gathering_of(sharded::spec, gather_unit::block);
constexpr sp::gathering at_once = sp::gathering_of(sharded::spec, gather_unit::model);
constexpr sp::gathering unsharded = sp::gathering_of(kept::spec, gather_unit::block);
constexpr sp::gathering traced = sp::gathering_of(flat::spec, gather_unit::module);

static_assert(by_block.units == 34 && at_once.units == 1);
static_assert(by_block.largest_unit.count == 2 * block && by_block.peak.count == 2 * 2 * block);
static_assert(at_once.peak.count == 2 * parameters && unsharded.peak.count == 2 * parameters);
// By module: half the distance of reuse and a bucket; the head is the largest module.
static_assert(traced.peak.count == 2 * 550'000'000LL && traced.largest_unit.count == 2 * (head - 4096));
static_assert(sp::gathering_of(run<sp::zero<3, sp::gather_modules<10, 1'000'000'000, 0>>>::spec).peak.count == 2 * (head - 4096 + 10));
static_assert(sp::gathering_of(run<sp::zero<3>, sp::framework<sp::frameworks::deepspeed>>::spec).peak == traced.peak &&
              sp::gathering_of(flat::spec).peak == sp::gathering_of(flat::spec, gather_unit::block).peak);
// Two gathers a micro-step, four micro-steps; one without resharding; ZeRO-3 finds the last half billion in place.
static_assert(by_block.gathered.count == 4 * 2 * 2 * (parameters / 8) * 7);
static_assert(unsharded.gathered.count * 2 == by_block.gathered.count && unsharded.needless == sp::bytes{});
static_assert(traced.gathered.count == 4 * 2 * 7 * ((parameters + 7) / 8 + (parameters - 500'000'000 + 7) / 8));
static_assert(by_block.needless.count == 4 * 2 * 7 * (head / 8) && traced.needless == sp::bytes{});
static_assert(by_block.reduced.count == 4 * 2 * 7 * (parameters / 8) && at_once.reduced == by_block.reduced);
// The same bytes as the traffic of the plan, whose weights FSDP2 shards without padding here.
static_assert(sharded::traffic[0].sent(sp::channel::dp).count == by_block.gathered.count + by_block.reduced.count);
static_assert(kept::traffic[0].sent(sp::channel::dp).count == unsharded.gathered.count + unsharded.reduced.count);
// What travels is the plan's: ZeRO++ gathers 8 bits and reduces 4 by all-to-alls, late gradients go once, hpZ gathers in its node.
template <class... More>
using staged = sp::plan<sp::model<model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::sequence<4096>, sp::micro_batch<1>,
                        sp::global_batch<64>, More...>;
template <class Run>
constexpr bool sends_its_traffic() {
  const sp::gathering price = sp::gathering_of(Run::spec, gather_unit::block);
  const sp::traffic_report& all = Run::traffic[0];
  return all.sent(sp::channel::dp).count + all.sent(sp::channel::node).count == price.gathered.count + price.reduced.count;
}
using quantised = staged<sp::zero<3>, sp::communication<sp::quantized_weights<8>, sp::quantized_gradients<4, 8>>>;
using late = staged<sp::fsdp<>, sp::communication<sp::late_sync<true>>>;
static_assert(sends_its_traffic<staged<sp::zero<3>>>() && sends_its_traffic<quantised>() && sends_its_traffic<late>());
static_assert(sends_its_traffic<staged<sp::zero<3, sp::hpz<8>>>>());
constexpr sp::gathering eight_bits = sp::gathering_of(quantised::spec, gather_unit::block);
constexpr sp::gathering plain_bits = sp::gathering_of(staged<sp::zero<3>>::spec, gather_unit::block);
static_assert(2 * eight_bits.gathered.count == plain_bits.gathered.count &&
              2 * eight_bits.largest_unit.count == plain_bits.largest_unit.count && eight_bits.peak == plain_bits.peak &&
              eight_bits.gather_seconds < plain_bits.gather_seconds);
static_assert(4 * sp::gathering_of(late::spec, gather_unit::block).reduced.count ==
              sp::gathering_of(staged<sp::fsdp<>>::spec, gather_unit::block).reduced.count);
// The whole model as one unit hides nothing.
static_assert(at_once.exposed_step > by_block.exposed_step && by_block.exposed_step > 0);
static_assert(by_block.gather_seconds < by_block.forward_seconds && by_block.exposed_forward == 0);
// Shorter micro-batches hide less: 64 tokens cannot.
using starved = sp::plan<sp::model<model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::sequence<64>, sp::micro_batch<1>,
                         sp::global_batch<32>, sp::fsdp<>>;
static_assert(sp::gathering_of(starved::spec, gather_unit::block).exposed_forward > 0);

}  // namespace
