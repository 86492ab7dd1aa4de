// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums as cooperative groups write them: a tile of a warp, a block, a cluster through distributed shared memory, and a
// whole grid with grid.sync().
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ float block_sum(cg::thread_block block, float v, float *scratch) {
  auto warp = cg::tiled_partition<32>(block);
  v = cg::reduce(warp, v, cg::plus<float>());
  if (warp.thread_rank() == 0) scratch[warp.meta_group_rank()] = v;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    v = warp.thread_rank() < warp.meta_group_size() ? scratch[warp.thread_rank()] : 0.f;
    v = cg::reduce(warp, v, cg::plus<float>());
  }
  block.sync();
  return v;
}

// partial: one float a block; out: the sum, written by one thread after the whole grid has met.
extern "C" __global__ void reduce_grid(const float *in, int n, float *partial, float *out) {
  __shared__ float scratch[32];
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  float v = 0;
  for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) v += in[i];
  v = block_sum(block, v, scratch);
  if (block.thread_rank() == 0) partial[blockIdx.x] = v;
  grid.sync();
  if (blockIdx.x == 0) {
    v = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) v += partial[i];
    v = block_sum(block, v, scratch);
    if (block.thread_rank() == 0) *out = v;
  }
}

// The maximum and how often it occurs, by labelled groups of equal values.
extern "C" __global__ void reduce_max_count(const int *in, int n, int *max, int *count) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : -2147483647;
  int m = cg::reduce(tile, v, cg::greater<int>());
  if (tile.thread_rank() == 0) atomicMax(max, m);
  if (v == m) {
    auto equal = cg::coalesced_threads();
    if (equal.thread_rank() == 0) atomicAdd(count, (int)equal.size());
  }
}

// Each cluster of 4 sums its blocks' values in rank 0's shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) reduce_cluster(const float *in, int n, float *out) {
  __shared__ float scratch[32];
  __shared__ float sums[4];
  cg::cluster_group cluster = cg::this_cluster();
  cg::thread_block block = cg::this_thread_block();
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  v = block_sum(block, v, scratch);
  if (block.thread_rank() == 0) *cluster.map_shared_rank(&sums[cluster.block_rank()], 0) = v;
  cluster.sync();
  if (cluster.block_rank() == 0 && block.thread_rank() == 0)
    out[blockIdx.x / 4] = sums[0] + sums[1] + sums[2] + sums[3];
}
