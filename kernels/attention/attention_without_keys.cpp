// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over no keys. A kernel of its own, since a tensor without elements has no tensor map.
#include <cmath>

#include "kernels/attention/kernels.h"
#include "tegula/dsl.h"

namespace tegula {

using namespace dsl;

Result<Kernel> attention_without_keys(const AttentionProblem &p) {
  KernelBuilder k("attention_without_keys", Target::sm_90a);
  const int64_t rows = 16;
  Index batch = k.dim("batch"), heads = k.dim("heads"), seq_q = k.dim("seq_q");
  Global O = k.global("O", p.dtype, {batch, heads, seq_q, p.head_dim_v}, {.align = 16});
  Global LSE = p.lse ? k.global("LSE", f32, {batch, heads, seq_q}) : Global();
  k.grid({ceildiv(seq_q, rows), heads, batch}).each([&](Index i, Index h, Index b) {
    store(zeros(p.dtype, {rows, p.head_dim_v}), O.tile(b, h, i, 0));
    if (p.lse)
      store(full(f32, {rows}, -INFINITY), LSE.tile(b, h, i));
  });
  return k.finish();
}

} // namespace tegula
