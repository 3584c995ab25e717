// SPDX-License-Identifier: BSL-1.0
// The five steps as types: the path is a constant, the plan a type.
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/hardware/cluster.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>

namespace sp = shardplan;

template <class Model, std::int64_t Nodes, class... Parts>
using decided = sp::decide<Model, sp::cluster<sp::devices::a100_sxm_80gb, 8, Nodes>, sp::sequence<4096>, sp::micro_batch<1>,
                           sp::global_batch<1024>, sp::precision<sp::precisions::handbook_bf16>, Parts...>;

// The handbook's 84 GB of a 7B model do not fit an A100 of 80 GB, a layer does, two stages do.
using small = decided<sp::models::llama2_7b, 1>;
static_assert(small::path.fits && sp::checked<small::plan>);
static_assert(small::plan::spec.tp == 1 && small::plan::spec.pp == 2 && small::plan::spec.zero == 0 && small::plan::data_parallel == 4);
static_assert(!small::steps[0].yes && small::steps[0].needs > small::steps[0].has);
static_assert(small::steps[1].yes && small::steps[1].chosen == 1 && small::steps[1].tried.empty());
static_assert(!small::steps[2].yes && small::steps[2].chosen == 2 && small::steps[2].tried.size() == 1);
static_assert(small::steps[3].yes && small::steps[3].chosen == 4);
// What decides: 8 devices, 2 of them a replica.
static_assert(small::steps[3].devices == 8 && small::steps[3].replica == 2 && small::steps[2].devices == 0);
static_assert(!small::steps[4].needed && small::steps[4].tried.empty());
// What the path says it needs is what the plan needs.
static_assert(small::path.needs == small::plan::peak_memory);

// 70B on 64: eight stages are not enough, ZeRO-2 is, once activations are recomputed.
using large = decided<sp::models::llama2_70b, 8, sp::recompute<sp::recomputes::full>>;
static_assert(large::path.fits && sp::checked<large::plan>);
static_assert(large::plan::spec.tp == 1 && large::plan::spec.pp == 8 && large::plan::spec.zero == 2);
static_assert(large::steps[2].tried.size() == 3 && !large::steps[2].tried[2].fits);
static_assert(large::steps[4].yes && large::steps[4].tried.size() == 1 && large::path.needs == large::plan::peak_memory);

// The type and the value agree.
static_assert(sp::decision_of(small::plan::spec).plan == small::path.plan);

// What is done instead: the optimizer is sharded first.
template <sp::guidance Whose, class Model, std::int64_t Nodes, class... Parts>
using practised = sp::practice<Whose, Model, sp::cluster<sp::devices::a100_sxm_80gb, 8, Nodes>, sp::sequence<4096>, sp::micro_batch<1>,
                               sp::global_batch<1024>, Parts...>;
using small_practice = practised<sp::guidance::megatron, sp::models::llama2_7b, 1>;
static_assert(small_practice::path.fits && sp::checked<small_practice::plan>);
static_assert(small_practice::plan::spec.zero == 1 && small_practice::plan::spec.tp == 1 && small_practice::plan::spec.pp == 1);
using large_practice = practised<sp::guidance::megatron, sp::models::llama2_70b, 8>;
static_assert(large_practice::path.fits && sp::checked<large_practice::plan>);
static_assert(large_practice::plan::spec.zero == 1 && large_practice::plan::spec.tp == 8 && large_practice::plan::spec.pp == 1);
using large_deepspeed = practised<sp::guidance::deepspeed, sp::models::llama2_70b, 8>;
static_assert(large_deepspeed::path.fits && sp::checked<large_deepspeed::plan>);
static_assert(large_deepspeed::plan::spec.zero == 3 && large_deepspeed::plan::spec.pp == 1 &&
              large_deepspeed::plan::spec.recompute == sp::recomputes::full);

using large_hugging_face = practised<sp::guidance::hugging_face, sp::models::llama2_70b, 8>;
static_assert(large_hugging_face::path.fits && sp::checked<large_hugging_face::plan>);
static_assert(large_hugging_face::plan::spec.zero == 1 && large_hugging_face::plan::spec.tp == 8);
// What fits one device stays as it is, and one that does not goes up the ladder as far as it needs.
using tiny_hugging_face = practised<sp::guidance::hugging_face, sp::models::llama3_2_1b, 1>;
static_assert(tiny_hugging_face::plan::spec.zero == 0 && tiny_hugging_face::path.moves.size() == 1);
static_assert(practised<sp::guidance::hugging_face, sp::models::llama2_7b, 1>::plan::spec.zero == 1);

// Where the framework has no stages of ZeRO the last step is FSDP, in the plan type too; what moves to the host is what the framework
// moves.
using large_titan = decided<sp::models::llama2_70b, 8, sp::recompute<sp::recomputes::full>, sp::framework<sp::frameworks::torchtitan>>;
static_assert(large_titan::plan::spec.zero == 0 && large_titan::plan::spec.sharding.is_fsdp() && large_titan::steps[4].tried.size() == 1 &&
              large_titan::steps[4].kind == sp::rung_kind::fsdp && large_titan::path.needs == large_titan::plan::peak_memory);
using titan_practice = practised<sp::guidance::megatron, sp::models::llama2_70b, 8, sp::framework<sp::frameworks::torchtitan>>;
static_assert(titan_practice::path.fits && sp::checked<titan_practice::plan> && titan_practice::plan::spec.sharding.is_fsdp());
using titan_offload = practised<sp::guidance::deepspeed, sp::models::llama2_70b, 1, sp::framework<sp::frameworks::torchtitan>>;
static_assert(titan_offload::plan::spec.offload ==
                  sp::offload_spec{sp::storage::host, sp::storage::host, sp::storage::device, 0, sp::storage::host} &&
              titan_offload::path.needs == titan_offload::plan::peak_memory);
static_assert(practised<sp::guidance::deepspeed, sp::models::llama2_70b, 1>::plan::spec.offload.weights == sp::storage::device);

// Degrees are what is decided: a part that says one is refused.
template <class... Parts>
concept decidable = requires {
  typename sp::decide<sp::models::llama2_7b, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::micro_batch<1>,
                      sp::global_batch<64>, Parts...>::plan;
};
static_assert(decidable<> && decidable<sp::cp<2>>);
static_assert(!decidable<sp::tp<2>> && !decidable<sp::pp<2>> && !decidable<sp::dp<2>> && !decidable<sp::zero<1>> && !decidable<sp::fsdp<>>);
