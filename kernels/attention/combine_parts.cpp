// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up what the parts of the keys gave, all parts of a row in one tile and so always in the same order, each weighted
// by its share of the exponentials. It may start while the parts are still computed.
#include <cmath>

#include "kernels/attention/kernels.h"
#include "tegula/dsl.h"

namespace tegula {

using namespace dsl;

Result<Kernel> combine_parts(const AttentionProblem &p, const CombineSchedule &s) {
  KernelBuilder k("combine_parts", Target::sm_90a);
  Index batch = k.dim("batch"), heads = k.dim("heads"), seq_q = k.dim("seq_q"), splits = k.dim("splits");
  Global part = k.global("part", f32, {batch, heads, seq_q, splits, p.head_dim_v}, {.align = 16});
  Global part_lse = k.global("part_lse", f32, {batch, heads, seq_q, splits}, {.unit = GlobalOptions::kNone});
  Global O = k.global("O", p.dtype, {batch, heads, seq_q, p.head_dim_v}, {.align = 16});
  Global LSE = p.lse ? k.global("LSE", f32, {batch, heads, seq_q}) : Global();

  k.warps(s.warps);
  k.grid({seq_q, heads, batch}).each([&](Index row, Index h, Index b) {
    k.wait_for_prior();
    k.allow_next();
    Tile lse = load(part_lse.slice({1, s.parts}, {b, h, row, 0}), {}, {.fill = -INFINITY});
    Tile values = load(part.slice({s.parts, p.head_dim_v}, {b, h, row, 0, 0}));
    Tile top = reduce_max(lse, 1), base = select(top == -INFINITY, 0.0, top);
    Tile weights = exp(lse - per_row(base)), sum = reduce_sum(weights, 1);
    Tile normalizer = select(sum == 0.0, 0.0, 1.0 / sum);
    Tile o = reduce_sum(values * per_row(reduce_sum(weights, 0)), 0);
    store(cast(broadcast(o, 0, 1) * per_row(normalizer), p.dtype), O.slice({1, p.head_dim_v}, {b, h, row, 0}));
    if (p.lse)
      store(top + log(sum), LSE.slice({1}, {b, h, row}));
  });
  return k.finish();
}

} // namespace tegula
