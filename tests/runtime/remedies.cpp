// SPDX-License-Identifier: BSL-1.0
// What a plan that does not fit is told to try, against a search of the test's own over every single change (their list and order:
// plan/remedy.hpp).
#include "catch.hpp"

#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/remedies.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/shardplan.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace sp = shardplan;
using sp::remedy;
using sp::remedy_kind;

namespace {

struct candidate {
  remedy change;
  sp::plan_spec spec;
};

// Every change that is known, from the smallest to the largest.
std::vector<candidate> changes_of(const sp::plan_spec& spec) {
  std::vector<candidate> list;
  const auto add = [&](remedy_kind kind, std::int64_t value, auto change) {
    list.push_back({{kind, value}, spec});
    change(list.back().spec);
  };
  const auto shard = [&](std::int64_t stage) {
    if (spec.zero < stage && !spec.sharding.is_fsdp()) add(remedy_kind::zero, stage, [&](sp::plan_spec& changed) { changed.zero = stage; });
  };
  shard(1);
  if (spec.schedule.name == sp::literal{"gpipe"})
    add(remedy_kind::chunks, 1, [](sp::plan_spec& changed) { changed.schedule = sp::schedules::one_f_one_b::spec; });
  if (!spec.sharding.reshard_after_forward)
    add(remedy_kind::reshard, 1, [](sp::plan_spec& changed) { changed.sharding.reshard_after_forward = true; });
  if (spec.recompute == sp::recomputes::none) {
    if (spec.attention == sp::attentions::materialised)
      add(remedy_kind::recompute_attention, 0, [](sp::plan_spec& changed) { changed.recompute = sp::recomputes::core_attn; });
    const bool routes = spec.model.experts.count > 0;
    add(remedy_kind::recompute_pointwise, routes ? 1 : 0, [&](sp::plan_spec& changed) {
      changed.recompute = sp::recomputes::layernorm | sp::recomputes::mlp_act;
      if (routes) changed.recompute = changed.recompute | sp::recomputes::moe_act;
    });
    if (routes) add(remedy_kind::recompute_experts, 0, [](sp::plan_spec& changed) { changed.recompute = sp::recomputes::moe; });
  }
  if (spec.recompute != sp::recomputes::full)
    add(remedy_kind::recompute_full, 0, [](sp::plan_spec& changed) { changed.recompute = sp::recomputes::full; });
  for (std::int64_t micro = spec.micro_batch - 1; micro >= 1; --micro)
    add(remedy_kind::micro_batch, micro, [&](sp::plan_spec& changed) { changed.micro_batch = micro; });
  shard(2);
  shard(3);
  if (spec.sharding.ranks != sp::unset)
    for (std::int64_t ranks = 2 * spec.sharding.ranks; ranks <= spec.devices_per_node * spec.nodes; ranks *= 2)
      add(remedy_kind::shard_ranks, ranks, [&](sp::plan_spec& changed) { changed.sharding.ranks = ranks; });
  if ((spec.zero == 3 || spec.sharding.is_fsdp()) && spec.sharding.prefetch > 0)
    add(remedy_kind::prefetch, 0, [](sp::plan_spec& changed) { changed.sharding.prefetch = 0; });
  for (std::int64_t ep = 2 * spec.ep; ep <= spec.model.experts.count; ep *= 2)
    add(remedy_kind::ep, ep, [&](sp::plan_spec& changed) { changed.ep = ep; });
  for (std::int64_t tp = 2 * spec.tp; tp <= spec.devices_per_node; tp *= 2)
    add(remedy_kind::tp, tp, [&](sp::plan_spec& changed) { changed.tp = tp; });
  for (std::int64_t pp = 2 * spec.pp; pp <= spec.model.layers; pp *= 2) {
    if (spec.model.layers % pp == 0) {
      add(remedy_kind::pp, pp, [&](sp::plan_spec& changed) { changed.pp = pp; });
    } else if ((spec.model.layers + 2) % pp == 0) {
      add(remedy_kind::pp_slots, pp, [&](sp::plan_spec& changed) {
        changed.pp = pp;
        changed.layer_split.embedding_slot = changed.layer_split.loss_slot = 1;
      });
    } else {
      add(remedy_kind::pp_split, pp, [&](sp::plan_spec& changed) {
        changed.pp = pp;
        const std::int64_t larger = spec.model.layers % pp;
        for (std::int64_t stage = 0; stage < pp; ++stage)
          changed.layer_split.push_back(spec.model.layers / pp + (stage >= (pp - larger) / 2 && stage < (pp + larger) / 2 ? 1 : 0));
      });
    }
  }
  for (std::int64_t cp = 2 * spec.cp; cp <= spec.devices_per_node * spec.nodes && spec.sequence / cp >= 4096; cp *= 2)
    add(remedy_kind::cp, cp, [&](sp::plan_spec& changed) { changed.cp = cp; });
  if (spec.optimizer.bits == 0)
    add(remedy_kind::optimizer_adamw_8bit, 0, [](sp::plan_spec& changed) { changed.optimizer = sp::optimizers::adamw_8bit::spec; });
  if (spec.offload.states == sp::storage::device)
    add(remedy_kind::offload_states_to_host, 0, [](sp::plan_spec& changed) { changed.offload.states = sp::storage::host; });
  if (spec.headroom_mebibytes > 1536) add(remedy_kind::headroom, 1536, [](sp::plan_spec& changed) { changed.headroom_mebibytes = 1536; });
  return list;
}

// Whether a plan that breaks nothing but memory is valid after a change, without asking the verdict (which looks for remedies itself): it
// can be computed and its peak is in the device. No change touches what the other rules of the third tier look at.
bool is_valid(const sp::plan_spec& spec) {
  const sp::plan_figures figures = sp::figures_of(spec);
  return figures.world_size != 0 && figures.peak_memory <= spec.device.memory;
}

struct tally {
  int plans = 0;
  int misfits = 0;
  int nothing = 0;
  int pairs = 0;
  int by_kind[static_cast<int>(remedy_kind::chunks) + 1]{};
};

void check_remedy(const sp::plan_spec& spec, tally& count) {
  const sp::violation_list list = sp::violations_in(spec);
  ++count.plans;
  for (const sp::violation& found : list) {
    if (found.broken != sp::rule::does_not_fit) return;  // something else is wrong with it
    ++count.misfits;
    ++count.by_kind[static_cast<int>(found.try_this.kind)];
    INFO("layers " << spec.model.layers << " hidden " << spec.model.hidden << " experts " << spec.model.experts.count << " nodes "
                   << spec.nodes << " tp " << spec.tp << " pp " << spec.pp << " zero " << spec.zero << " micro " << spec.micro_batch
                   << " global " << spec.global_batch << " sequence " << spec.sequence << " tries " << static_cast<int>(found.try_this.kind)
                   << ' ' << found.try_this.value);
    // Its numbers are those of the plan.
    const sp::plan_figures figures = sp::figures_of(spec);
    CHECK(found.stage == figures.peak_stage);
    CHECK(found.needs == figures.peak_memory);
    CHECK(found.has == spec.device.memory);
    CHECK(found.needs > found.has);

    remedy wanted{};
    for (const candidate& item : changes_of(spec))
      if (is_valid(item.spec)) {
        wanted = item.change;
        CHECK(sp::violations_in(item.spec).empty());
        break;
      }
    if (wanted.kind != remedy_kind::nothing_small_helps) {
      CHECK(found.try_this.kind == wanted.kind);
      CHECK(found.try_this.value == wanted.value);
      CHECK(found.and_this == remedy{});
    } else if (found.try_this.kind == remedy_kind::nothing_small_helps) {
      ++count.nothing;
    } else {
      // Two or three together, another layout, or more nodes: what is named is enough.
      CHECK(is_valid(sp::changed_by_set(spec, {found.try_this, found.and_this, found.further})));
      const bool is_large = found.try_this.kind == remedy_kind::layout || found.try_this.kind == remedy_kind::nodes;
      CHECK((found.and_this.kind != remedy_kind::nothing_small_helps) != is_large);
      ++count.pairs;
    }
  }
}

template <class Visit>
void each_plan(const std::int64_t (&batches)[3], const std::int64_t (&micro_batches)[3], Visit visit) {
  const sp::transformer models[] = {sp::models::gpt2_xl::shape,      sp::models::llama3_2_1b::shape, sp::models::llama3_8b::shape,
                                    sp::models::mixtral_8x7b::shape, sp::models::llama3_70b::shape,  sp::models::qwen2_5_3b::shape};
  struct {
    sp::device_spec device;
    std::int64_t devices_per_node, nodes;
  } clusters[] = {
      {sp::devices::a100_sxm_80gb::spec, 8, 1}, {sp::devices::a100_sxm_40gb::spec, 8, 1}, {sp::devices::h100_sxm_80gb::spec, 8, 8}};
  for (const sp::transformer& model : models)
    for (const auto& cluster : clusters)
      for (const std::int64_t tp : {1, 4})
        for (const std::int64_t pp : {1, 2})
          for (const std::int64_t zero : {0, 2})
            for (const std::int64_t micro : micro_batches)
              for (const std::int64_t global : batches)
                for (const std::int64_t sequence : {1024, 16384})
                  for (const int lean : {0, 1, 2}) {
                    sp::plan_spec spec{};
                    spec.model = model;
                    spec.device = cluster.device;
                    spec.devices_per_node = cluster.devices_per_node;
                    spec.nodes = cluster.nodes;
                    spec.sequence = sequence;
                    spec.micro_batch = micro;
                    spec.global_batch = global;
                    spec.tp = tp;
                    spec.pp = pp;
                    spec.zero = zero;
                    spec.vocabulary_multiple = 128;
                    if (lean == 2) {
                      if (sequence != 1024 || zero == 0) continue;
                      spec.attention = sp::attentions::materialised;
                    }
                    if (lean == 1) {
                      spec.recompute = sp::recomputes::full;
                      spec.schedule = sp::schedules::gpipe::spec;
                      spec.offload.states = sp::storage::host;
                    }
                    visit(spec);
                  }
}

}  // namespace

TEST_CASE("a remedy is the smallest change that makes the plan valid") {
  tally count;
  each_plan({64, 512, 4096}, {1, 4, 16}, [&](const sp::plan_spec& spec) { check_remedy(spec, count); });
  CHECK(count.plans > 5000);
  CHECK(count.misfits > 1000);
  // Each kind of answer has been given, but for the 8-bit optimizer: on these clusters an earlier change helps wherever it would.
  // "Remedies at the border" has it, on one device. Another layout on the same devices helps wherever few changes do not.
  for (const remedy_kind kind :
       {remedy_kind::layout, remedy_kind::zero, remedy_kind::recompute_full, remedy_kind::micro_batch, remedy_kind::tp, remedy_kind::pp,
        remedy_kind::chunks, remedy_kind::offload_states_to_host, remedy_kind::ep, remedy_kind::recompute_attention,
        remedy_kind::recompute_pointwise, remedy_kind::recompute_experts}) {
    INFO(static_cast<int>(kind));
    CHECK(count.by_kind[static_cast<int>(kind)] > 0);
  }
  CHECK(count.by_kind[static_cast<int>(remedy_kind::optimizer_adamw_8bit)] == 0);
  std::cout << "remedies: " << count.plans << " plans, " << count.misfits << " do not fit, nothing small helps " << count.nothing
            << ", two or more nodes " << count.pairs << "; by kind";
  for (const int kind : count.by_kind) std::cout << ' ' << kind;
  std::cout << '\n';
}

// "The largest smaller micro-batch that still divides the batch": halving 12 finds 6 and 3, and 8, 4 and 2 divide 192 as well.
TEST_CASE("the micro-batch of a remedy is the largest that divides the batch") {
  tally count;
  each_plan({192, 1536, 960}, {6, 12, 24}, [&](const sp::plan_spec& spec) { check_remedy(spec, count); });
  CHECK(count.by_kind[static_cast<int>(remedy_kind::micro_batch)] > 0);
}

TEST_CASE("remedies at the border") {
  const auto tried = [](const sp::plan_spec& spec) {
    tally count;
    check_remedy(spec, count);
    const sp::violation_list list = sp::violations_in(spec);
    return list.empty() ? remedy{} : list[0].try_this;
  };
  sp::plan_spec spec{};
  spec.model = sp::models::llama3_8b::shape;
  spec.device.memory = sp::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = spec.nodes = 1;
  spec.sequence = 1024;
  spec.micro_batch = spec.global_batch = 4;
  // The device holds one change to the byte, and the change is found; a byte less, and another is.
  sp::plan_spec smaller = spec;
  smaller.micro_batch = 2;
  spec.device.memory = sp::figures_of(smaller).peak_memory;
  CHECK(tried(spec) == remedy{remedy_kind::recompute_full, 0});
  spec.recompute = smaller.recompute = sp::recomputes::full;
  spec.device.memory = sp::figures_of(smaller).peak_memory;
  smaller.device = spec.device;
  CHECK(sp::violations_in(smaller).empty());
  CHECK(tried(spec) == remedy{remedy_kind::micro_batch, 2});
  spec.device.memory.count -= 1;
  CHECK(tried(spec) == remedy{remedy_kind::micro_batch, 1});
  // On one device nothing can be sharded: smaller states, and where that is not enough, states to the host.
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.micro_batch = 1;
  CHECK(tried(spec) == remedy{remedy_kind::optimizer_adamw_8bit, 0});
  spec.device = sp::devices::a100_sxm_40gb::spec;
  CHECK(tried(spec) == remedy{remedy_kind::offload_states_to_host, 0});
  spec.offload.states = sp::storage::host;
  CHECK(sp::violations_in(spec).empty());
  spec.device.memory.count = 1;
  CHECK(tried(spec) == remedy{});

  // Said replicas: tp and pp cannot double, because the product is held to the cluster. Sharded weights are left.
  spec = {};
  spec.model = sp::models::llama3_70b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = spec.nodes = 8;
  spec.sequence = 4096;
  spec.micro_batch = 1;
  spec.global_batch = 256;
  spec.recompute = sp::recomputes::full;
  CHECK(tried(spec) == remedy{remedy_kind::zero, 3});
  spec.zero = 3;
  spec.device.memory.count /= 3;
  CHECK(tried(spec).kind == remedy_kind::tp);
  spec.dp = 64;
  CHECK(tried(spec).kind != remedy_kind::tp);
  CHECK(tried(spec).kind != remedy_kind::pp);
}

// What sharded weights, experts and a margin leave to change, each found where it helps to the byte.
TEST_CASE("remedies of FSDP, of experts and of a margin") {
  sp::plan_spec spec{};
  spec.model = sp::models::llama3_8b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 2;
  spec.sequence = 2048;
  spec.micro_batch = 1;
  spec.global_batch = 16;
  spec.recompute = sp::recomputes::full;
  spec.sharding.layout = sp::shard_layout::tensors;
  const auto at_border = [](sp::plan_spec plan, remedy change) {
    plan.device.memory = sp::figures_of(sp::changed(plan, change)).peak_memory;
    tally count;
    check_remedy(plan, count);
    const sp::violation_list list = sp::violations_in(plan);
    REQUIRE(list.size() == 1);
    CHECK(list[0].try_this.kind != remedy_kind::zero);  // FSDP has no stages
    return list[0].try_this;
  };
  spec.sharding.reshard_after_forward = false;
  CHECK(at_border(spec, {remedy_kind::reshard, 1}) == remedy{remedy_kind::reshard, 1});
  spec.sharding.reshard_after_forward = true;
  spec.sharding.ranks = 8;
  CHECK(at_border(spec, {remedy_kind::shard_ranks, 16}) == remedy{remedy_kind::shard_ranks, 16});
  spec.sharding.ranks = sp::unset;
  CHECK(at_border(spec, {remedy_kind::prefetch, 0}) == remedy{remedy_kind::prefetch, 0});
  spec.sharding.prefetch = 0;
  spec.nodes = spec.devices_per_node = 1;
  spec.headroom_mebibytes = 4096;
  spec.optimizer = sp::optimizers::adamw_8bit::spec;
  spec.offload.states = sp::storage::host;
  CHECK(at_border(spec, {remedy_kind::headroom, 1536}) == remedy{remedy_kind::headroom, 1536});

  spec = {};
  spec.model = sp::models::mixtral_8x7b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = spec.nodes = 8;
  spec.sequence = 4096;
  spec.micro_batch = 1;
  spec.global_batch = 64;
  spec.zero = 3;
  spec.sharding.prefetch = 0;
  spec.recompute = sp::recomputes::full;
  CHECK(at_border(spec, {remedy_kind::ep, 8}).kind == remedy_kind::ep);
}

// The constants of a plan type, cut into one a candidate, are what the function finds.
namespace {
template <class Model, class Device, int Nodes, int Micro, class... More>
using on =
    sp::plan<sp::model<Model>, sp::cluster<Device, 8, Nodes>, sp::micro_batch<Micro>, sp::global_batch<1024>, sp::sequence<8192>, More...>;
template <class Plan>
void is_found(int changes) {
  const sp::remedy_offers list = sp::remedies_in(Plan::spec);
  REQUIRE(!list.empty());
  CHECK(sp::remedies_of<Plan> == list);
  CHECK(sp::best_remedy(Plan::spec) == list[0].changes);
  const sp::violation named = Plan::found[Plan::found.size() - 1];
  CHECK(sp::remedy_set{named.try_this, named.and_this, named.further} == list[0].changes);
  CHECK(sp::detail::count_of(list[0].changes) == changes);
}
}  // namespace
TEST_CASE("remedies of plan types are those of their specs") {
  using sp::frameworks;
  is_found<on<sp::models::llama3_8b, sp::devices::a100_sxm_80gb, 1, 1, sp::framework<frameworks::torchtitan>>>(1);
  is_found<on<sp::models::llama3_70b, sp::devices::a100_sxm_80gb, 8, 1>>(2);
  is_found<on<sp::models::llama3_70b, sp::devices::h100_sxm_80gb, 2, 4, sp::framework<frameworks::deepspeed>, sp::pp<4>>>(3);
  is_found<on<sp::models::llama3_70b, sp::devices::a100_sxm_40gb, 2, 1>>(3);
  is_found<on<sp::models::llama3_1_405b, sp::devices::h100_sxm_80gb, 16, 1>>(3);
  is_found<on<sp::models::llama3_8b, sp::devices::h100_sxm_80gb, 1, 1, sp::zero<3>, sp::pp<2>, sp::schedule<sp::schedules::gpipe>,
              sp::recompute<sp::recomputes::full>>>(1);
  is_found<on<sp::models::llama3_70b, sp::devices::h100_sxm_80gb, 1, 1, sp::zero<3>, sp::host_memory<512>,
              sp::offload<sp::states_to<sp::storage::host>>, sp::recompute<sp::recomputes::full>>>(1);
}

// What is not supported: the change that is named puts that right and breaks nothing else but memory.
TEST_CASE("a change against what is not supported") {
  int named = 0;
  int silent = 0;
  for (const sp::frameworks framework :
       {sp::frameworks::generic, sp::frameworks::megatron, sp::frameworks::deepspeed, sp::frameworks::torchtitan, sp::frameworks::fsdp2})
    for (const bool routes : {false, true})
      for (std::int64_t bits = 0; bits < 4 * 512; ++bits) {
        sp::plan_spec spec{};
        spec.model = routes ? sp::models::mixtral_8x7b::shape : sp::models::llama3_8b::shape;
        spec.device = sp::devices::h100_sxm_80gb::spec;
        spec.devices_per_node = spec.nodes = 8;
        spec.sequence = 4096;
        spec.micro_batch = 1;
        spec.global_batch = 256;
        spec.framework = framework;
        const auto is_on = [&](int bit) { return (bits >> bit & 1) != 0; };
        spec.zero = bits >> 9;
        spec.tp = is_on(0) ? 2 : 1;
        spec.pp = is_on(1) ? 2 : 1;
        spec.ep = is_on(2) && routes ? 4 : 1;
        if (is_on(3)) spec.sequence_parallel = sp::toggle::off;
        if (is_on(4)) spec.sharding.layout = is_on(2) ? sp::shard_layout::tensors : sp::shard_layout::megatron_buckets;
        if (is_on(5)) spec.sharding.secondary = 8;
        if (is_on(6)) spec.schedule = sp::schedules::interleaved<2>::spec;
        if (is_on(7)) spec.offload.gradients = sp::storage::nvme;
        if (is_on(8)) spec.sharding.ranks = 8;
        for (const sp::violation& item : sp::violations_in(spec)) {
          if (item.broken != sp::rule::not_supported) continue;
          if (item.legal[0].kind == remedy_kind::nothing_small_helps) {
            ++silent;
            continue;
          }
          ++named;
          const auto known = sp::evaluate(spec, sp::remedy_search::off).violations;
          const auto is_known = [&](sp::feature what) {
            for (const sp::violation& other : known)
              if (other.broken == sp::rule::not_supported && other.unsupported == what) return true;
            return false;
          };
          for (const sp::violation& left : sp::evaluate(sp::changed(spec, item.legal[0]), sp::remedy_search::off).violations) {
            // Of numbers only torchtitan's rule of tp and ep can be broken beside, and was before.
            const bool about_memory =
                left.broken == sp::rule::does_not_fit || (left.broken == sp::rule::exceeds && left.second.what == sp::quantity::ep &&
                                                          framework == sp::frameworks::torchtitan && spec.tp > spec.ep);
            REQUIRE((about_memory || (left.broken == sp::rule::not_supported && left.unsupported != item.unsupported)));
            if (!about_memory) REQUIRE(is_known(left.unsupported));
          }
        }
      }
  CHECK(named > 5000);
  CHECK(silent > 100);
}
