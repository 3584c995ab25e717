// SPDX-License-Identifier: BSL-1.0
// shard_map against a program that lays every element out by itself, and the laws that tie it to `memory`.
#include "catch.hpp"

#include <shardplan/plan/shard_map.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace sp = shardplan;

namespace {

// One element of one tensor of a rank; layer -2 is padding.
struct element {
  std::string name;
  std::int64_t layer = -2;
  std::int64_t copy = 0;
  std::int64_t at = 0;

  bool operator==(const element&) const = default;
};
using bucket = std::vector<element>;

struct block_tensor {
  std::string name;
  std::int64_t rows, columns, copies;
  bool routed;
};

// What the program below needs to know of a case.
struct layout_case {
  sp::plan_spec spec;
  std::int64_t dense_shards, routed_shards;
};

// The rank's part of each tensor at one place of the model, counted from the shape alone.
std::vector<block_tensor> tensors_at(const sp::plan_spec& spec, std::vector<sp::place> places) {
  std::vector<block_tensor> result;
  for (const sp::place where : places)
    for (const sp::tensor& item : sp::tensors_of(spec.model)) {
      if (item.where != where) continue;
      const bool routed = item.purpose == sp::role::routed_expert || item.purpose == sp::role::expert_bias;
      block_tensor mine{item.name.c_str(), item.rows, item.columns, item.copies, routed};
      const std::int64_t ranks = routed ? spec.etp : spec.tp;
      if (item.how == sp::split::column || item.how == sp::split::key_value) mine.rows /= ranks;
      if (item.how == sp::split::row) mine.columns /= ranks;
      if (item.how == sp::split::vocabulary) mine.rows = item.rows / ranks;  // not padded
      if (routed) mine.copies /= spec.ep;
      result.push_back(mine);
    }
  return result;
}

// Megatron-LM has query, key and value in one parameter, and gate and up.
void fuse(std::vector<block_tensor>& list) {
  std::vector<block_tensor> fused;
  for (const block_tensor& item : list) {
    const bool joins = item.name == "key" || item.name == "value" || item.name == "up" || item.name == "expert_up" ||
                       item.name == "shared_up" || item.name == "key_bias" || item.name == "value_bias";
    if (joins && !fused.empty() && fused.back().columns == item.columns) {
      fused.back().rows += item.rows;
    } else {
      fused.push_back(item);
    }
  }
  list = fused;
}

// The buckets of one buffer, laid out element by element.
class brute_force {
public:
  brute_force(const sp::plan_spec& spec, std::int64_t shards) : spec_(spec), shards_(shards) {}
  std::vector<bucket> buckets;
  std::int64_t size_limit = 0;

  void add(const block_tensor& item, std::int64_t layer) {
    const auto layout = spec_.sharding.layout;
    if (layout == sp::shard_layout::tensors) {
      const std::int64_t one = item.rows * item.columns;
      const bool together = item.routed && item.copies > 1 && item.copies >= shards_;  // experts are one tensor
      for (std::int64_t copy = 0; copy < item.copies; ++copy) {
        for (std::int64_t at = 0; at < one; ++at) open_.push_back({item.name, layer, copy, at});
        if (!together || copy == item.copies - 1) end(together ? one : item.columns);
      }
      return;
    }
    for (std::int64_t copy = 0; copy < item.copies; ++copy) {
      if (layout == sp::shard_layout::megatron_buckets)
        while (open_.size() % 64 != 0) open_.push_back({});
      for (std::int64_t at = 0; at < item.rows * item.columns; ++at) open_.push_back({item.name, layer, copy, at});
      if (size_limit > 0 && static_cast<std::int64_t>(open_.size()) >= size_limit) end(1);
    }
  }
  void end(std::int64_t unit = 1) {
    if (open_.empty()) return;
    std::int64_t multiple = shards_ * unit;
    if (spec_.sharding.layout == sp::shard_layout::megatron_buckets)
      for (multiple = 128; multiple % shards_ != 0;) multiple += 128;
    while (static_cast<std::int64_t>(open_.size()) % multiple != 0) open_.push_back({});
    buckets.push_back(open_);
    open_.clear();
  }

private:
  const sp::plan_spec& spec_;
  std::int64_t shards_;
  bucket open_;
};

// Both buffers of a rank.
std::pair<brute_force, brute_force> lay_out_by_hand(const layout_case& item, std::int64_t rank) {
  const sp::plan_spec& spec = item.spec;
  const sp::transformer& shape = spec.model;
  brute_force dense(spec, item.dense_shards);
  brute_force routed(spec, item.routed_shards);
  const auto layout = spec.sharding.layout;
  const bool reversed = layout == sp::shard_layout::megatron_buckets;
  const bool units = layout == sp::shard_layout::flat_units;
  const std::int64_t stages = spec.pp * spec.schedule.chunks;
  bool has_table = rank == 0;
  for (std::int64_t chunk = 0; chunk < spec.schedule.chunks; ++chunk) {
    const std::int64_t stage = chunk * spec.pp + rank;
    std::vector<std::pair<block_tensor, std::int64_t>> order;
    std::vector<std::size_t> unit_ends;  // positions in `order` behind which a unit ends
    const auto append = [&](const std::vector<block_tensor>& list, std::int64_t layer) {
      for (const block_tensor& tensor : list) order.push_back({tensor, layer});
    };
    const auto at = [&](std::vector<sp::place> places) {
      auto list = tensors_at(spec, places);
      if (reversed) fuse(list);
      return list;
    };
    const auto blocks = [&] {
      const std::int64_t first = sp::first_layer_of_stage(spec.layer_split, shape.layers, stages, stage);
      const std::int64_t count = sp::layers_of_stage(spec.layer_split, shape.layers, stages, stage);
      const std::int64_t further = stage == sp::next_token_stage_of(spec.layer_split, stages) ? shape.next_token_layers : 0;
      for (std::int64_t block = 0; block < count + further; ++block) {
        const std::int64_t layer = block < count ? first + block : shape.layers + block - count;
        const bool is_dense = shape.experts.count == 0 || layer < shape.experts.leading_dense;
        append(at({sp::place::every_block, is_dense ? sp::place::dense_block : sp::place::expert_block}), layer);
        unit_ends.push_back(order.size());
      }
    };
    const auto input = [&] {
      if (stage == 0) append(at({sp::place::input}), -1);
    };
    const auto output = [&] {
      const bool next = shape.next_token_layers > 0 && stage == sp::next_token_stage_of(spec.layer_split, stages);
      const bool last = stage == stages - 1;
      if (next) append(at({sp::place::next_token}), -1);
      if (last) append(at({sp::place::output}), -1);
      if (!has_table && (next || (last && shape.tied_embeddings))) {
        has_table = true;
        append({at({sp::place::input})[0]}, -1);
      }
    };
    input();
    if (units) {  // the rest of the model is one unit
      output();
      unit_ends.push_back(order.size());
      blocks();
    } else {
      blocks();
      output();
    }
    if (reversed) order = {order.rbegin(), order.rend()};
    dense.size_limit = reversed && stage == 0 ? 40'000'000 : 0;
    std::size_t done = 0;
    for (const auto& [tensor, layer] : order) {
      const bool alone = reversed && shape.tied_embeddings && spec.pp > 1 && tensor.name == "token_embedding";
      if (alone) dense.end();
      (tensor.routed ? routed : dense).add(tensor, layer);
      if (alone) dense.end();
      ++done;
      for (const std::size_t unit_end : unit_ends)
        if (units && unit_end == done) {
          dense.end();
          routed.end();
        }
    }
    if (layout != sp::shard_layout::flat) {
      dense.end();
      routed.end();
    }
  }
  dense.end();
  routed.end();
  return {dense, routed};
}

void compare(const layout_case& item) {
  const sp::plan_spec& spec = item.spec;
  REQUIRE(sp::violations_in(spec).empty());
  for (std::int64_t rank = 0; rank < spec.pp; ++rank) {
    std::vector<sp::shard_piece> pieces;
    const sp::rank_buffers totals = sp::shard_map_of(spec, rank, pieces);
    const auto by_hand = lay_out_by_hand(item, rank);
    for (const bool is_routed : {false, true}) {
      const std::vector<bucket>& buckets = is_routed ? by_hand.second.buckets : by_hand.first.buckets;
      const sp::shard_buffer& buffer = is_routed ? totals.routed : totals.dense;
      const std::int64_t shards = is_routed ? item.routed_shards : item.dense_shards;
      INFO("rank " << rank << " routed " << is_routed << " layout " << static_cast<int>(spec.sharding.layout) << " shards " << shards);
      REQUIRE(buffer.buckets == static_cast<std::int64_t>(buckets.size()));
      REQUIRE(buffer.shards == shards);
      // The buffer by hand, and the shard of each rank: a slice of each bucket, one behind the other.
      bucket whole;
      std::vector<bucket> shard(static_cast<std::size_t>(shards));
      for (const bucket& part : buckets) {
        whole.insert(whole.end(), part.begin(), part.end());
        const std::size_t slice = part.size() / shard.size();
        for (std::size_t at = 0; at < part.size(); ++at) shard[at / slice].push_back(part[at]);
      }
      REQUIRE(buffer.length == static_cast<std::int64_t>(whole.size()));
      REQUIRE(buffer.shard_length() == static_cast<std::int64_t>(shard.front().size()));
      std::int64_t elements = 0;
      std::int64_t padding = 0;
      std::int64_t wrong = 0;
      std::vector<std::int64_t> held(shard.size());
      for (const sp::shard_piece& piece : pieces) {
        if (piece.routed != is_routed) continue;
        elements += piece.length * piece.copies;
        padding += piece.padding;
        wrong += piece.bucket_length != static_cast<std::int64_t>(buckets[static_cast<std::size_t>(piece.bucket)].size());
        for (std::int64_t copy = 0; copy < piece.copies; ++copy) {
          for (std::int64_t at = 0; at < piece.length; ++at) {
            const element expected{piece.name, piece.layer, piece.copy + copy, at};
            wrong += !(whole[static_cast<std::size_t>(piece.offset + copy * piece.stride + at)] == expected);
            const sp::shard_place home = sp::place_of(piece, shards, copy, at);
            wrong += !(shard[static_cast<std::size_t>(home.rank)][static_cast<std::size_t>(home.offset)] == expected);
          }
          std::int64_t covered = 0;
          for (std::int64_t owner = 0; owner < shards; ++owner) {
            const sp::shard_slice slice = sp::slice_of(piece, shards, copy, owner);
            wrong += slice.length > 0 && slice.first != covered;  // ranks hold one behind the other
            covered += slice.length;
            for (std::int64_t at = 0; at < slice.length; ++at) {
              const element expected{piece.name, piece.layer, piece.copy + copy, slice.first + at};
              wrong += !(shard[static_cast<std::size_t>(owner)][static_cast<std::size_t>(slice.offset + at)] == expected);
            }
          }
          wrong += covered != piece.length;
        }
      }
      CHECK(wrong == 0);
      CHECK(elements == buffer.elements);
      CHECK(elements + padding == buffer.length);
    }
    // What `memory` accounts for, at 2 + 4 + 4 + 8 bytes.
    const sp::memory_report report = sp::stage_memory(spec, rank).device;
    const std::int64_t whole = totals.dense.length + totals.routed.length;
    const std::int64_t share = totals.dense.shard_length() + totals.routed.shard_length();
    const std::int64_t unpadded = totals.dense.elements + totals.routed.elements;
    const bool pads_whole = spec.sharding.layout == sp::shard_layout::megatron_buckets;
    CHECK(report.weights.count == 2 * (sp::shards_weights(spec) ? share : pads_whole ? whole : unpadded));
    CHECK(report.gradients.count == 4 * (sp::shards_gradients(spec) ? share : pads_whole ? whole : unpadded));
    CHECK(report.master.count == 4 * share);
    CHECK(report.optimizer.count == 8 * share);
  }
}

// Odd widths, so that nothing is aligned by chance.
constexpr sp::transformer odd{.layers = 4, .hidden = 12, .heads = 6, .kv_heads = 2, .ffn = 10, .vocab = 37};
constexpr sp::transformer tied{.layers = 4,
                               .hidden = 12,
                               .heads = 6,
                               .ffn = 22,
                               .vocab = 38,
                               .positions = 11,
                               .mlp = sp::mlp::plain,
                               .norm = sp::norm::layer,
                               .qkv_bias = true,
                               .tied_embeddings = true};
constexpr sp::transformer routed{.layers = 4,
                                 .hidden = 12,
                                 .heads = 6,
                                 .kv_heads = 2,
                                 .ffn = 10,
                                 .vocab = 38,
                                 .experts = {.count = 8, .top_k = 2, .ffn = 6, .shared_ffn = 4, .leading_dense = 1},
                                 .next_token_layers = 1};

struct two_chunks {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }
  static constexpr sp::schedule_spec spec{.name = "two_chunks", .chunks = 2, .in_flight = &in_flight};
};

constexpr sp::plan_spec run_of(const sp::transformer& shape, std::int64_t devices) {
  sp::plan_spec spec{};
  spec.model = shape;
  spec.device.memory = sp::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = devices;
  spec.nodes = 1;
  spec.sequence = 10;
  spec.micro_batch = 1;
  spec.global_batch = 5 * 7 * 2 * 2 * 2 * 3;
  spec.precision = sp::precisions::bf16_fp32_master_and_gradients::spec;
  return spec;
}

}  // namespace

TEST_CASE("shard_map lays out what a program lays out element by element") {
  struct scheme {
    std::int64_t zero;
    sp::shard_layout layout;
  };
  const scheme schemes[] = {{0, sp::shard_layout::flat},
                            {1, sp::shard_layout::flat},
                            {2, sp::shard_layout::flat},
                            {3, sp::shard_layout::flat},
                            {1, sp::shard_layout::megatron_buckets},
                            {0, sp::shard_layout::flat_units},
                            {0, sp::shard_layout::tensors}};
  const sp::transformer shapes[] = {odd, tied, routed};
  for (const sp::transformer& shape : shapes)
    for (const scheme& how : schemes)
      for (const std::int64_t tp : {1, 2})
        for (const std::int64_t pp : {1, 2})
          for (const std::int64_t chunks : {1, 2})
            for (const std::int64_t dp : {1, 2, 5, 6}) {
              if (tp == 2 && shape.vocab % 2 != 0) continue;
              for (const std::int64_t ep : {1, 2}) {
                if (ep == 2 && (shape.experts.count == 0 || dp % 2 != 0)) continue;
                sp::plan_spec spec = run_of(shape, tp * pp * dp);
                spec.tp = tp;
                spec.pp = pp;
                spec.ep = ep;
                spec.etp = shape.experts.count == 0 ? 1 : tp;
                spec.zero = how.zero;
                spec.sharding.layout = how.layout;
                if (chunks == 2) spec.schedule = two_chunks::spec;
                const bool sharded = how.zero >= 1 || how.layout >= sp::shard_layout::flat_units;
                compare({spec, sharded ? dp : 1, sharded && shape.experts.count > 0 ? dp / ep : 1});
              }
            }
}

TEST_CASE("shard groups are smaller than the replicas") {
  for (const std::int64_t group : {1, 2, 3, 6, 12}) {
    sp::plan_spec spec = run_of(routed, 12);
    spec.sharding.layout = sp::shard_layout::tensors;
    spec.sharding.ranks = group;
    compare({spec, group, group});
    spec.sharding.layout = sp::shard_layout::flat;
    spec.zero = 3;
    compare({spec, group, group});
  }
}

TEST_CASE("next-token layers and slots take their stage") {
  sp::plan_spec spec = run_of(routed, 8);
  spec.pp = 2;
  spec.schedule = two_chunks::spec;
  for (const std::int64_t stage : {0, 1, 2, 3})
    for (const sp::shard_layout layout : {sp::shard_layout::flat, sp::shard_layout::flat_units, sp::shard_layout::tensors}) {
      spec.layer_split = {};
      spec.layer_split.next_token_stage = stage;
      spec.sharding.layout = layout;
      const std::int64_t shards = layout == sp::shard_layout::flat ? 1 : 4;
      compare({spec, shards, shards});
      spec.layer_split.embedding_slot = true;
      spec.layer_split.loss_slot = true;
      spec.layer_split.counts = {};
      for (const std::int64_t count : {0, 2, 2, 0}) spec.layer_split.push_back(count);
      compare({spec, shards, shards});
    }
}

TEST_CASE("layers that torchtitan deals out lie as they do when they are said") {
  for (const std::int64_t stages : {2, 3, 4, 5})
    for (const sp::shard_layout layout : {sp::shard_layout::flat, sp::shard_layout::flat_units, sp::shard_layout::tensors}) {
      sp::plan_spec dealt = run_of(routed, 4 * stages);
      dealt.model.next_token_layers = 0;  // torchtitan has no pipeline for them
      dealt.framework = sp::frameworks::torchtitan;
      dealt.pp = stages;
      dealt.sharding.layout = layout;
      sp::plan_spec said = dealt;
      for (std::int64_t stage = 0; stage < stages; ++stage)
        said.layer_split.push_back(sp::dealt_layers(routed.layers, 1, 1, stages, stage));
      REQUIRE(sp::violations_in(dealt).empty());
      std::int64_t blocks = 0;
      for (std::int64_t rank = 0; rank < stages; ++rank) {
        std::vector<sp::shard_piece> ours;
        std::vector<sp::shard_piece> theirs;
        CHECK(sp::shard_map_of(dealt, rank, ours).dense.length == sp::shard_map_of(said, rank, theirs).dense.length);
        REQUIRE(ours.size() == theirs.size());
        for (std::size_t at = 0; at < ours.size(); ++at) {
          CHECK((ours[at].name == theirs[at].name && ours[at].layer == theirs[at].layer && ours[at].offset == theirs[at].offset));
          blocks += std::string{ours[at].name} == "attention_norm";
        }
      }
      CHECK(blocks == routed.layers);
    }
}

TEST_CASE("a bucket of Megatron-LM ends when it is full") {
  // 13 blocks of 12 h^2 = 12,582,912 elements and more: on the first rank a bucket closes at 40 million.
  sp::transformer shape{.layers = 26, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 1000, .mlp = sp::mlp::plain};
  sp::plan_spec spec = run_of(shape, 6);
  spec.pp = 2;
  spec.zero = 1;
  spec.sharding.layout = sp::shard_layout::megatron_buckets;
  spec.global_batch = 3;
  std::vector<sp::shard_piece> pieces;
  const sp::rank_buffers first = sp::shard_map_of(spec, 0, pieces);
  // Four blocks are 50 million: from the end of the model 3 blocks and the linear after them that fills the bucket.
  std::int64_t since = 0;
  std::int64_t buckets = 1;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    since += pieces[at].length;
    if (at + 1 < pieces.size() && pieces[at + 1].bucket != pieces[at].bucket) {
      CHECK(since >= 40'000'000);
      CHECK(since - pieces[at].length < 40'000'000);
      since = 0;
      ++buckets;
    }
  }
  CHECK(first.dense.buckets == buckets);
  CHECK(buckets == 4);
  CHECK(first.dense.length % (3 * 128) == 0);
  pieces.clear();
  CHECK(sp::shard_map_of(spec, 1, pieces).dense.buckets == 1);
}

TEST_CASE("shard_map of a spec that cannot be computed is empty") {
  sp::plan_spec spec = run_of(odd, 4);
  spec.tp = 3;
  std::vector<sp::shard_piece> pieces;
  CHECK(sp::shard_map_of(spec, 0, pieces).dense.length == 0);
  CHECK(pieces.empty());
  spec.tp = 1;
  CHECK(sp::shard_map_of(spec, 1, pieces).dense.length == 0);
  CHECK(sp::shard_map_of(spec, -1, pieces).dense.length == 0);
}
