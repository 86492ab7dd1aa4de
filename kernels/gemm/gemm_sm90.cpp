// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GEMM on Hopper: one role streams tiles of A and B through a ring, math warpgroups multiply, finish and store. They
// share each tile by rows, or (ping-pong) take tiles in turn, one storing while the other multiplies.
#include <optional>

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/kernels.h"

namespace tegula {

using namespace dsl;

namespace {

GlobalOptions alignment(bool tma) { return {.align = tma ? 16 : 0}; }

// The slot of an operand's tile, stored as the operand is.
SlotSpec slot(DType dtype, bool transposed, int64_t rows, int64_t columns) {
  return shared(dtype, transposed ? Shape{columns, rows} : Shape{rows, columns});
}

} // namespace

Result<Kernel> gemm_sm90(const GemmProblem &p, const GemmSchedule &s) {
  KernelBuilder k("gemm", Target::sm_90a);
  k.cluster(s.cluster);
  // TMA clips what it stores in steps of 16 bytes: the extent along D's rows is promised to be a multiple.
  const int64_t step = p.d_tma && !p.partial ? 16 / bytes(p.out) : 1;
  Index M = k.dim("M", {.multiple = p.d_transposed ? step : 1}),
        N = k.dim("N", {.multiple = p.d_transposed ? 1 : step});
  Index K = k.dim("K"), batch = p.a.batched || p.b.batched || p.d_batched ? k.dim("batch") : Index(1);
  Index slices = p.partial ? k.dim("slices") : batch, splits = p.partial ? k.dim("splits") : Index(1);
  Index steps = p.partial ? k.dim("steps") : Index(0), width = p.partial ? k.dim("width", {.multiple = 32}) : Index(0);

  Global A = declare(k, "A", p.in, p.a.batched, p.a.transposed, {batch, M, K}, alignment(p.a.tma));
  Global B = declare(k, "B", p.in, p.b.batched, p.b.transposed, {batch, K, N}, alignment(p.b.tma));
  const bool d_rows_of_m = p.partial && p.d_transposed;
  Global D = declare(k, "D", p.out, p.d_batched || p.partial, p.d_transposed,
                     {slices, d_rows_of_m ? width : M, p.partial && !p.d_transposed ? width : N}, alignment(p.d_tma));
  std::optional<Epilogue> epilogue;
  if (!p.partial)
    epilogue.emplace(k, p, MatrixDims{batch, M, N});

  Tiles tiles = k.persistent({ceildiv(M, s.m), ceildiv(N, s.n), slices}, s.raster);
  Pipeline<2> ring = k.pipeline(s.stages, {slot(p.in, p.a.transposed, s.m, s.k), slot(p.in, p.b.transposed, s.k, s.n)});

  // The slots of K that slice z covers: all, or its part.
  const auto each_slot = [&](const Index &z, const auto &body) {
    if (!p.partial)
      return k.loop(ceildiv(K, s.k), body);
    Index first = z % splits * steps;
    k.loop(first, min(first + steps, ceildiv(K, s.k)), body);
  };

  // One warp issues TMA; without it, or with a budget of registers, which whole warpgroups have, it is four.
  const bool one_warp = p.a.tma && p.b.tma && s.load_registers == 0;
  k.wait_for_prior();
  k.role("load", warps(one_warp ? 1 : 4).registers(s.load_registers), [&] {
    tiles.each([&](Index i, Index j, Index z) {
      Index b = p.partial ? z / splits : z;
      each_slot(z, [&](Index kk) {
        auto [a_slot, b_slot] = ring.produce();
        copy(tile_of(A, p.a.batched, p.a.transposed, b, i, kk), a_slot);
        copy(tile_of(B, p.b.batched, p.b.transposed, b, kk, j), b_slot);
      });
    });
    k.allow_next(); // reduce_split_k, or the next call's kernel
  });
  k.role("math", warpgroups(s.math).registers(s.math_registers), [&](Role &wg) {
    const int64_t sharers = s.pingpong ? 1 : s.math;
    const auto work = [&](Index i, Index j, Index z) {
      Tile acc = zeros(f32, {s.m / sharers, s.n});
      const auto multiply = [&] {
        each_slot(z, [&](Index) {
          auto [a_slot, b_slot] = ring.consume();
          View a = p.a.transposed ? a_slot.T() : a_slot, b = p.b.transposed ? b_slot.T() : b_slot;
          acc = mma(s.pingpong ? a : wg.rows(a), b, acc);
        });
      };
      s.pingpong ? k.turn(wg, multiply) : multiply();
      Index row = s.pingpong ? i : i * sharers + wg.index();
      Tile d = cast(p.partial ? acc : epilogue->apply(acc, z, row, j), p.out);
      copy(p.d_transposed ? d.T() : d, tile_of(D, p.d_batched || p.partial, p.d_transposed, z, row, j));
    };
    s.pingpong ? tiles.alternate(work) : tiles.each(work);
  });
  return k.finish();
}

} // namespace tegula
