// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up what the parts of the keys gave, always in the same order, each weighted by its share of the exponentials. It
// may start while the parts are still computed.
#include <cmath>

#include "kernels/attention/kernels.h"
#include "tegula/dsl.h"

namespace tegula {

using namespace dsl;

Result<Kernel> combine_parts(const AttentionProblem &p, const CombineSchedule &s) {
  KernelBuilder k("combine_parts", Target::sm_90a);
  Index batch = k.dim("batch"), heads = k.dim("heads"), seq_q = k.dim("seq_q");
  Index slices = k.dim("slices"), splits = k.dim("splits");
  Global part = k.global("part", f32, {slices, heads, seq_q, p.head_dim_v}, {.align = 16});
  Global part_lse = k.global("part_lse", f32, {slices, heads, seq_q});
  Global O = k.global("O", p.dtype, {batch, heads, seq_q, p.head_dim_v}, {.align = 16});
  Global LSE = p.lse ? k.global("LSE", f32, {batch, heads, seq_q}) : Global();

  k.warps(s.warps);
  k.grid({ceildiv(seq_q, s.rows), heads, batch}).each([&](Index i, Index h, Index b) {
    k.wait_for_prior();
    Tile top = full(f32, {s.rows}, -INFINITY), sum = zeros(f32, {s.rows}), o = zeros(f32, {s.rows, p.head_dim_v});
    k.loop(splits, [&](Index split) {
      Index z = b * splits + split;
      Tile lse = load(part_lse.tile(z, h, i), {s.rows}, {.fill = -INFINITY});
      Tile above = max(top, lse), base = select(above == -INFINITY, 0.0, above);
      Tile decay = exp(top - base), weight = exp(lse - base);
      o = o * per_row(decay) + load(part.tile(z, h, i, 0), {s.rows, p.head_dim_v}) * per_row(weight);
      sum = sum * decay + weight;
      top = above;
    });
    Tile normalizer = select(sum == 0.0, 0.0, 1.0 / sum);
    store(cast(o * per_row(normalizer), p.dtype), O.tile(b, h, i, 0));
    if (p.lse)
      store(top + log(sum), LSE.tile(b, h, i));
  });
  return k.finish();
}

} // namespace tegula
