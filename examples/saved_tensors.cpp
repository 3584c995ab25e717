// SPDX-License-Identifier: BSL-1.0
// What one block of Llama 3 8B keeps for its backward, tensor by tensor, with two kernel sets.
#include <shardplan/shardplan.hpp>

#include <iostream>

namespace sp = shardplan;

using block = sp::plan<sp::model<sp::models::llama3_8b>, sp::tp<2>, sp::sequence<8192>, sp::micro_batch<1>>;

static void print(const char* kernels, const sp::saved_list& tensors) {
  std::cout << kernels << '\n';
  for (const sp::saved_tensor& item : tensors)
    std::cout << "  " << item.name.c_str() << ' ' << sp::name_of(item.as) << ": " << item.rows << " x " << item.columns << " x "
              << item.element_bytes << " bytes (" << sp::name_of(item.shard) << ") = " << item.bytes().count << '\n';
  std::cout << "  together " << sp::saved_bytes(tensors).count << " bytes\n";
}

int main() {
  print("transformer_engine", sp::saved_tensors<block>);
  print("torch_eager", sp::saved_tensors<block, sp::kernel_sets::torch_eager>);
}
