// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/owned_array.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/read_table.hpp>
#include <shardplan/schedule/shape.hpp>
#include <shardplan/schedule/text_table.hpp>
#include <shardplan/schedule/transfers.hpp>

#include <cstdint>

namespace shardplan {

/// What is true of a program whose batches of transfers were placed by hand.
struct transfer_program_facts {
  std::int64_t messages = 0;  ///< sent in a step
  bool ops_end = false;       ///< the ops alone are a table that runs to its end; when false nothing else is known
  bool paired = false;        ///< each message is sent once, by the rank that makes it, and received once, by the rank that uses it
  bool in_time = false;       ///< a send stands behind the op that makes its message, a receive before the op that uses it
  bool in_order = false;      ///< for each ordered pair of ranks sent and received in one order, batches from left to right
  bool ends = false;          ///< no deadlock when a rank waits at each batch until all transfers of the batch are done

  /// Whether it can run as it stands, on one untagged channel for each ordered pair of ranks.
  constexpr bool safe() const { return ops_end && paired && in_time && in_order && ends; }
};

/// A transfer program: for each rank ops, and between them batches `{>1:F0.0 <1:B2.1}` that a rank waits for: `>R:X` sends the output of
/// its op X to rank R, `<R:X` receives the output of op X of rank R. It is read from a text with the lines of `read_table`; the programs
/// of DualPipe have this form.
class transfer_program {
public:
  /// Reads a text. Errors: `text_is_no_table`, `argument_out_of_range`.
  explicit transfer_program(const char* text)
      : ops_(shape_of_text(text)), items_(ops_.rows.size()), counts_(ops_.rows.size()), sent_(keys()), received_(keys()) {
    for (int rank = 0; rank < ops_.shape.ranks; ++rank) read(text, rank);
    ops_.close();
  }

  /// The ops without the transfers.
  const op_table& table() const { return ops_; }

  /// What is true of it.
  transfer_program_facts facts() const {
    transfer_program_facts found{};
    found.ops_end = ops_.ends;
    if (!found.ops_end) return found;
    found.paired = !twice_;
    found.in_time = true;
    find_pairs(found);
    found.paired = found.paired && found.messages == ops_.shape.messages();
    if (!found.paired) return found;
    found.in_order = are_in_order();
    found.ends = runs();
    return found;
  }

private:
  // An op where `peer` is -1, else a transfer of a batch.
  struct item {
    int packed = 0;
    int peer = -1;
    bool sends = false;
    int batch = 0;  // counts from 1 on a rank; 0 for an op
  };
  // Where a message is sent or received: -1 or the rank, and the index among its items.
  struct place {
    int rank = -1;
    int index = 0;
  };

  op_table ops_;
  owned_array<owned_array<item>> items_;
  owned_array<int> counts_;
  owned_array<place> sent_;  // by message
  owned_array<place> received_;
  bool twice_ = false;

  std::size_t keys() const { return static_cast<std::size_t>(ops_.shape.ranks) * 2 * static_cast<std::size_t>(ops_.shape.forwards()); }
  // The message that op `packed` of `rank` makes.
  std::size_t key_of(int rank, int packed) const {
    using detail::packed_op;
    const table_shape& shape = ops_.shape;
    const int chunk = packed_op::chunk(packed), slice = packed_op::slice(packed), micro_batch = packed_op::micro_batch(packed);
    if (chunk >= shape.chunks || slice >= shape.slices || micro_batch >= shape.micro_batches_a_chunk()) text_is_no_table();
    const int kind = packed_op::kind(packed) == op_kind::forward ? 0 : 1;
    const int key = (chunk * shape.slices + slice) * shape.micro_batches_a_chunk() + micro_batch;
    return (static_cast<std::size_t>(rank) * 2 + static_cast<std::size_t>(kind)) * static_cast<std::size_t>(shape.forwards()) +
           static_cast<std::size_t>(key);
  }

  // Twice over the line: to count, then to write.
  void read(const char* text, int rank) {
    detail::table_text line{text};
    while (*line.rest != '\0' && !(line.skip("rank ") && line.number() == rank)) line.skip_line();
    if (!line.skip(":")) text_is_no_table();
    counts_[rank] = parse(line, rank, false);
    items_[rank] = owned_array<item>(static_cast<std::size_t>(counts_[rank]));
    parse(line, rank, true);
  }
  int parse(detail::table_text line, int rank, bool write) {
    int count = 0;
    int batch = 0;
    bool inside = false;
    for (line.skip_blanks(); !line.at_end_of_line(); line.skip_blanks()) {
      if (line.skip("{")) {
        if (inside) text_is_no_table();
        inside = true;
        ++batch;
      } else if (line.skip("}")) {
        if (!inside) text_is_no_table();
        inside = false;
      } else if (inside) {
        item transfer{};
        transfer.sends = line.skip(">");
        if (!transfer.sends && !line.skip("<")) text_is_no_table();
        transfer.peer = line.number();
        if (transfer.peer >= ops_.shape.ranks || !line.skip(":")) text_is_no_table();
        transfer.packed = detail::packed_op::of(line.item());
        transfer.batch = batch;
        if (write) {
          items_[rank][count] = transfer;
          place& where = transfer.sends ? sent_[key_of(rank, transfer.packed)] : received_[key_of(transfer.peer, transfer.packed)];
          if (where.rank >= 0) twice_ = true;
          where = {rank, count};
        }
        ++count;
      } else {
        const op read_op = line.item();
        if (write) {
          items_[rank][count].packed = detail::packed_op::of(read_op);
          ops_.rank(rank).add(read_op);
        }
        ++count;
      }
    }
    if (inside) text_is_no_table();
    return count;
  }

  // Goes through the ops: the message that each makes, where another rank uses it.
  void find_pairs(transfer_program_facts& found) const {
    for (int rank = 0; rank < ops_.shape.ranks; ++rank) {
      int at = 0;
      for (int index = 0; index < counts_[rank]; ++index) {
        const item& each = items_[rank][index];
        if (each.peer >= 0) {
          if (each.sends) ++found.messages;
          continue;
        }
        const int user = detail::user_of(ops_, rank, at);
        ++at;
        if (user < 0) continue;
        const std::size_t key = key_of(rank, each.packed);
        const int to = user >> detail::wait_code::index_bits;
        if (sent_[key].rank != rank || received_[key].rank != to || items_[rank][sent_[key].index].peer != to ||
            items_[to][received_[key].index].peer != rank) {
          found.paired = false;
          continue;
        }
        if (sent_[key].index < index || received_[key].index > place_of(to, user & detail::wait_code::index_mask)) found.in_time = false;
      }
    }
  }
  // Among all items of a rank its op `at`, or the first half of its block.
  int place_of(int rank, int at) const {
    if (at > 0 && detail::packed_op::overlaps_next(ops_.rows[rank].ops[at - 1])) --at;
    int index = 0;
    for (int seen = -1; index < counts_[rank]; ++index)
      if (items_[rank][index].peer < 0 && ++seen == at) break;
    return index;
  }
  bool are_in_order() const {
    for (int rank = 0; rank < ops_.shape.ranks; ++rank) {
      owned_array<int> last(ops_.rows.size());
      for (int index = 0; index < counts_[rank]; ++index) {
        const item& each = items_[rank][index];
        if (each.peer < 0 || each.sends) continue;
        const int sent = sent_[key_of(each.peer, each.packed)].index + 1;
        if (sent < last[each.peer]) return false;
        last[each.peer] = sent;
      }
    }
    return true;
  }
  bool runs() const {
    owned_array<int> next(ops_.rows.size());    // the first item not done
    owned_array<int> posted(ops_.rows.size());  // the batch that was reached
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < ops_.shape.ranks; ++rank) {
        while (next[rank] < counts_[rank]) {
          const item& first = items_[rank][next[rank]];
          if (first.peer < 0) {
            ++next[rank];
            moved = true;
            continue;
          }
          if (posted[rank] < first.batch) {
            posted[rank] = first.batch;
            moved = true;
          }
          int index = next[rank];
          bool done = true;
          for (; index < counts_[rank] && items_[rank][index].peer >= 0 && items_[rank][index].batch == first.batch; ++index) {
            const item& each = items_[rank][index];
            const place other = each.sends ? received_[key_of(rank, each.packed)] : sent_[key_of(each.peer, each.packed)];
            if (posted[other.rank] < items_[other.rank][other.index].batch) done = false;
          }
          if (!done) break;
          next[rank] = index;
          moved = true;
        }
      }
    }
    for (int rank = 0; rank < ops_.shape.ranks; ++rank)
      if (next[rank] < counts_[rank]) return false;
    return true;
  }
};

}  // namespace shardplan
