// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention on Hopper: one warp streams Q, K and V; each math warpgroup keeps 64 rows of queries, walks the keys from the
// last to the first, and issues the scores of a block before it multiplies the weights of the one before with V.
#include <cmath>
#include <numbers>

#include "kernels/attention/kernels.h"
#include "tegula/dsl.h"

namespace tegula {

using namespace dsl;

namespace {

constexpr int64_t kRows = kQueriesOfWarpgroup;

/// Which blocks of keys a tile of queries sees, in blocks of n: [begin, end), of which [bare_begin, bare_end) need no mask.
struct KeyBlocks {
  Index begin, bare_begin, bare_end, end;

  /// Those of the `count` blocks from `first` on; if there are none, `first` itself, which is then hidden as a whole.
  KeyBlocks part(const Index &first, const Index &count) const {
    Scalar none = max(begin, first) >= min(end, first + count);
    Index from = select(none, first, max(begin, first)), to = select(none, first + 1, min(end, first + count));
    Index bare_to = min(max(bare_end, from), to - 1);
    return {from, min(max(bare_begin, from), bare_to), bare_to, to};
  }
};

/// A row's keys are in [q - left, q + right] and in [0, seq_kv), where q counts from the end of the keys.
struct Band {
  Mask mask;
  Index seq_kv, shift; // shift: seq_kv - seq_q
  Index left, right;

  /// Of `rows` queries from the first one on.
  KeyBlocks blocks(const Index &first, const Index &rows, int64_t n) const {
    Index stop = seq_kv, bare_stop = seq_kv, start = 0, bare_start = 0;
    if (mask != Mask::none) {
      stop = min(stop, max(first + shift + right + rows, Index(0)));
      bare_stop = min(bare_stop, max(first + shift + right + 1, Index(0)));
    }
    if (mask == Mask::window) {
      start = max(first + shift - left, Index(0));
      bare_start = max(first + shift - left + (rows - 1), Index(0));
    }
    // A tile that sees no key still walks one block, all of it hidden.
    Index end = max(ceildiv(stop, n), Index(1)), begin = min(start / n, end - 1);
    Index bare_end = min(bare_stop / n, end - 1), bare_begin = min(max(ceildiv(bare_start, n), begin), end - 1);
    return {begin, bare_begin, max(bare_end, bare_begin), end};
  }

  /// What of the scores [rows, n] of `queries` [rows] and the keys from `k0` on is seen.
  Tile seen(const Shape &shape, const Tile &queries, const Index &k0) const {
    Tile key = iota(s32, shape, 1);
    if (mask == Mask::none)
      return key < seq_kv - k0;
    Tile visible = key <= per_row(min(queries + (shift + right - k0), seq_kv - k0 - 1));
    return mask == Mask::window ? visible && key >= per_row(queries + (shift - left - k0)) : visible;
  }
};

/// Softmax as it goes along a row: the largest score so far, and the sum of exp2 of what is below it.
struct RunningSoftmax {
  Tile top, sum;
  Scalar scale; // of scores, times log2(e)

  explicit RunningSoftmax(const Scalar &scale)
      : top(full(f32, {kRows}, -INFINITY)), sum(zeros(f32, {kRows})), scale(scale) {}

  /// Makes scores weights; gives what earlier sums are to be multiplied with.
  Tile take(Tile &scores) {
    Tile above = max(top, reduce_max(scores, 1));
    Tile base = select(above == -INFINITY, 0.0, above) * scale; // a row that saw no key yet
    Tile decay = exp2(top * scale - base);
    scores = exp2(scores * scale - per_row(base));
    sum = sum * decay + reduce_sum(scores, 1);
    top = above;
    return decay;
  }
  /// What the sum of weighted values is to be multiplied with; 0 where a row saw nothing.
  Tile normalizer() const { return select(sum == 0.0, 0.0, 1.0 / sum); }
  Tile log_sum_exp() const { return (top * scale + log2(sum)) * std::numbers::ln2; }
};

} // namespace

Result<Kernel> attention_sm90(const AttentionProblem &p, const AttentionSchedule &s) {
  KernelBuilder k("attention", Target::sm_90a);
  const int64_t rows = kRows * s.math, d = padded(p.head_dim), dv = padded(p.head_dim_v);
  Index batch = k.dim("batch"), heads = k.dim("heads"), heads_kv = k.dim("heads_kv");
  Index seq_q = k.dim("seq_q"), seq_kv = k.dim("seq_kv"), queries = p.packed ? k.dim("queries") : seq_q;
  Index slices = p.partial ? k.dim("slices") : batch, splits = p.partial ? k.dim("splits") : Index(1);
  Index span = p.partial ? k.dim("span") : Index(0);
  Global Q = k.global("Q", p.dtype, {batch, heads, seq_q, p.head_dim}, {.align = 16});
  Global K = k.global("K", p.dtype, {batch, heads_kv, seq_kv, p.head_dim}, {.align = 16});
  Global V = k.global("V", p.dtype, {batch, heads_kv, seq_kv, p.head_dim_v}, {.align = 16});
  const DType out = p.partial ? f32 : p.dtype;
  Global O = k.global("O", out, {slices, heads, seq_q, p.head_dim_v}, {.align = 16});
  Global LSE = p.lse ? k.global("LSE", f32, {slices, heads, seq_q}) : Global();
  Scalar scale = k.scalar("scale", f32), of_weights = p.modifier.apply ? cast(Index(1), f32) : scale;
  Band band{p.mask, seq_kv, seq_kv - queries, 0, 0};
  if (p.mask == Mask::window) {
    band.left = to_index(k.scalar("left", s64));
    band.right = to_index(k.scalar("right", s64));
  }

  // With a mask the last rows have most work, and go first.
  Index q_tiles = ceildiv(seq_q, rows);
  Tiles tiles = s.heads_first ? k.persistent({q_tiles, heads, slices}, 1, Walk::serpentine)
                              : k.persistent({heads, q_tiles, slices}, 1, Walk::serpentine);
  const auto each_tile = [&](const std::function<void(const Index &z, const Index &h, const Index &i)> &body) {
    tiles.each(
        [&](Index x, Index y, Index z) { body(z, s.heads_first ? y : x, q_tiles - 1 - (s.heads_first ? x : y)); });
  };
  // The blocks of keys that tile i of slice z walks: all that its queries see, or its part of them.
  const auto keys_of = [&](const Index &z, const Index &i) {
    KeyBlocks keys = p.packed ? band.blocks(0, queries, s.n) : band.blocks(i * rows, rows, s.n);
    return p.partial ? keys.part(z % splits * span, span) : keys;
  };
  Pipeline<1> q_ring = k.pipeline(s.q_stages, {shared(p.dtype, {rows, d})});
  Pipeline<1> k_ring = k.pipeline(s.stages, {shared(p.dtype, {s.n, d})});
  Pipeline<1> v_ring = k.pipeline(s.stages, {shared(p.dtype, {s.n, dv})});

  k.wait_for_prior();
  k.role("load", warps(1), [&] {
    each_tile([&](const Index &z, const Index &h, const Index &i) {
      Index b = z / splits, hk = h / (heads / heads_kv);
      KeyBlocks keys = keys_of(z, i);
      copy(Q.tile(b, h, i, 0), q_ring.produce()[0]);
      k.loop(keys.end - keys.begin, [&](Index step) {
        Index j = keys.end - 1 - step;
        copy(K.tile(b, hk, j, 0), k_ring.produce()[0]);
        copy(V.tile(b, hk, j, 0), v_ring.produce()[0]);
      });
    });
    k.allow_next(); // combine_parts, or the next call's kernel
  });

  k.role("math", warpgroups(s.math).registers(s.math_registers), [&](Role &wg) {
    each_tile([&](const Index &z, const Index &h, const Index &tile) {
      Index i = tile * s.math + wg.index(), q0 = i * kRows;
      KeyBlocks keys = keys_of(z, tile);
      View q = wg.rows(q_ring.consume()[0]);
      RunningSoftmax softmax(of_weights * std::numbers::log2e);

      // What softmax takes of the products of block j.
      const auto finish = [&](Tile &scores, const Index &j, bool masked) {
        const Shape shape = scores.shape();
        if (p.modifier.apply)
          scores = p.modifier.apply(
              {scores * scale, z / splits, h, iota(s32, shape, 0) + q0, iota(s32, shape, 1) + j * s.n});
        Tile row = iota(s32, {kRows}, 0) + q0;
        if (masked)
          scores = select(band.seen(shape, p.packed ? row % queries : row, j * s.n), scores, -INFINITY);
      };
      const auto product = [&] { return mma(q, k_ring.consume()[0].T(), zeros(f32, {kRows, s.n})); };

      Tile o = zeros(f32, {kRows, dv}), scores = product();
      finish(scores, keys.end - 1, true);
      softmax.take(scores);
      Tile weights = cast(scores, p.dtype);
      const auto walk = [&](const Index &from, const Index &to, bool masked) {
        k.loop(from - to, [&](Index step) {
          const auto issue = [&] {
            scores = product();
            o = mma(weights, v_ring.consume()[0], o);
          };
          s.turns ? k.turn(wg, issue) : issue();
          finish(scores, from - 1 - step, masked);
          Tile decay = softmax.take(scores);
          o = o * per_row(decay);
          weights = cast(scores, p.dtype);
        });
      };
      walk(keys.end - 1, keys.bare_end, true);
      walk(keys.bare_end, keys.bare_begin, false);
      if (p.mask == Mask::window)
        walk(keys.bare_begin, keys.begin, true);
      o = mma(weights, v_ring.consume()[0], o);

      copy(cast(o * per_row(softmax.normalizer()), out), O.tile(z, h, i, 0));
      if (p.lse)
        store(softmax.log_sum_exp(), LSE.tile(z, h, i));
    });
  });
  return k.finish();
}

} // namespace tegula
