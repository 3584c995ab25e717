// SPDX-License-Identifier: BSL-1.0
// "How many devices?" as types.
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/search/smallest_cluster.hpp>

#include <cstdint>

namespace sp = shardplan;

template <class Model, class... Parts>
using needs = sp::smallest_cluster<Model, sp::devices::h100_sxm_80gb, sp::sequence<4096>, sp::global_batch<1024>, sp::micro_batch<1>,
                                   sp::simulate_best<0>, Parts...>;

// 7B: 108 GB of states in 80 GiB a device: two. 70B: 1,104 GB: 13 devices' worth, so two hosts.
using small = needs<sp::models::llama2_7b>;
static_assert(small::found && small::least == 2 && small::devices == 2 && sp::checked<small::plan> && small::plan::world_size == 2);
using large = needs<sp::models::llama2_70b>;
static_assert(large::found && large::least == 16 && large::devices == 16 && sp::checked<large::plan> && large::plan::world_size == 16);

// Hosts of another size, and a bound on them.
using four = needs<sp::models::llama2_70b, sp::hosts_of<4>>;
static_assert(four::found && four::devices == 16 && four::plan::spec.devices_per_node == 4 && four::plan::spec.nodes == 4);
using bounded = needs<sp::models::llama2_70b, sp::hosts_of<8, 1>>;
static_assert(!bounded::found && bounded::devices == 0);
// Whole hosts are tried one by one: three replicas of 16 devices are six hosts.
using three = sp::smallest_cluster<sp::models::llama2_7b, sp::devices::h100_sxm_80gb, sp::sequence<4096>, sp::global_batch<1536>,
                                   sp::micro_batch<1>, sp::tp<8>, sp::pp<2>, sp::dp<3>>;
static_assert(three::devices == 48 && sp::checked<three::plan> && three::plan::data_parallel == 3);
// No plan on any number: three replicas do not divide 1,024 sequences.
using never = needs<sp::models::llama2_7b, sp::tp<8>, sp::pp<2>, sp::dp<3>, sp::zero<1>, sp::recompute<sp::recomputes::full>,
                    sp::schedule<sp::schedules::one_f_one_b>>;
static_assert(!never::found && never::devices == 0);
// No bound on hosts is too large: the numbers that three replicas of 16 devices leave are one.
using bounded_by_nothing =
    sp::smallest_cluster<sp::models::llama2_70b, sp::devices::a100_sxm_80gb, sp::sequence<65536>, sp::global_batch<1536>,
                         sp::micro_batch<1>, sp::tp<8>, sp::pp<2>, sp::dp<3>, sp::zero<1>, sp::hosts_of<8, (1 << 20)>, sp::cp<1>,
                         sp::recompute<sp::recomputes::none>, sp::schedule<sp::schedules::one_f_one_b>>;
static_assert(!bounded_by_nothing::found && bounded_by_nothing::devices == 0);
// Degrees in a list of one's own are those that a number is made of.
using listed = needs<sp::models::llama2_7b, sp::among<sp::tp<3>, sp::tp<4>>, sp::among<sp::pp<2>, sp::pp<8>>, sp::zero<1>>;
static_assert(listed::found && listed::devices == 8 && sp::checked<listed::plan>);

// What is asked for is not said.
template <class... Parts>
concept can_be_asked = requires {
  sp::smallest_cluster<sp::models::llama2_7b, sp::devices::h100_sxm_80gb, Parts...>::least;
};
static_assert(can_be_asked<sp::tp<2>> && !can_be_asked<sp::device_counts<8>>);
