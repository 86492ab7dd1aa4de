// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake driver's memory, streams, events and graphs. All work is done at once.
#include <cstdlib>
#include <cstring>

#include "test/runtime/fake_driver/fake_machine.h"

using namespace fake;

FAKE_ENTRY CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  FAKE_ENTER("cuMemGetInfo_v2", context);
  *total_bytes = static_cast<size_t>(machine().device(current().back()->device).memory_bytes);
  *free_bytes =
      static_cast<size_t>(std::min<int64_t>(machine().state.memory_limit, static_cast<int64_t>(*total_bytes)));
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  FAKE_ENTER("cuMemAlloc_v2", context);
  if (CUresult spoiled = spoil_captures())
    return spoiled;
  if (static_cast<int64_t>(bytes) > std::min(machine().state.memory_limit, int64_t{1} << 30))
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  machine().allocations[reinterpret_cast<uintptr_t>(memory)] = {bytes, current().back()->device, CU_MEMORYTYPE_DEVICE};
  ++machine().state.live_buffers;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemFree_v2(CUdeviceptr address) {
  FAKE_ENTER("cuMemFree_v2", context);
  if (CUresult spoiled = spoil_captures())
    return spoiled;
  machine().allocations.erase(address);
  std::free(reinterpret_cast<void *>(address));
  --machine().state.live_buffers;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  FAKE_ENTER("cuMemHostAlloc", context);
  *address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  machine().allocations[reinterpret_cast<uintptr_t>(*address)] = {bytes, current().back()->device, CU_MEMORYTYPE_HOST};
  ++machine().state.live_buffers;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemFreeHost(void *address) {
  FAKE_ENTER("cuMemFreeHost", context);
  machine().allocations.erase(reinterpret_cast<uintptr_t>(address));
  std::free(address);
  --machine().state.live_buffers;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream) {
  FAKE_ENTER("cuMemcpyHtoDAsync_v2", context);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream) {
  FAKE_ENTER("cuMemcpyDtoHAsync_v2", context);
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  FAKE_ENTER("cuMemcpyDtoDAsync_v2", context);
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream) {
  FAKE_ENTER("cuMemsetD8Async", context);
  std::memset(reinterpret_cast<void *>(to), value, count);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream) {
  FAKE_ENTER("cuMemsetD32Async", context);
  std::fill_n(reinterpret_cast<unsigned *>(to), count, value);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  FAKE_ENTER("cuPointerGetAttribute", initialized);
  auto &all = machine().allocations;
  auto found = all.upper_bound(address);
  if (found == all.begin() || address >= std::prev(found)->first + std::max<size_t>(std::prev(found)->second.bytes, 1))
    return CUDA_ERROR_INVALID_VALUE;
  const Allocation &allocation = std::prev(found)->second;
  const int answer = attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE      ? allocation.type
                     : attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? allocation.device
                                                                        : 0;
  std::memcpy(value, &answer, sizeof answer);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned, int) {
  FAKE_ENTER("cuStreamCreateWithPriority", context);
  *stream = machine().streams.emplace_back(std::make_unique<CUstream_st>()).get();
  ++machine().state.live_streams;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuStreamDestroy_v2(CUstream stream) {
  FAKE_ENTER("cuStreamDestroy_v2", context);
  --machine().state.live_streams;
  return machine().drop(machine().streams, stream);
}

FAKE_ENTRY CUresult cuStreamSynchronize(CUstream) {
  FAKE_ENTER("cuStreamSynchronize", context);
  return spoil_captures();
}

FAKE_ENTRY CUresult cuStreamQuery(CUstream) {
  FAKE_ENTER("cuStreamQuery", context);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  FAKE_ENTER("cuStreamWaitEvent", context);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuEventCreate(CUevent *event, unsigned) {
  FAKE_ENTER("cuEventCreate", context);
  *event = machine().events.emplace_back(std::make_unique<CUevent_st>()).get();
  ++machine().state.live_events;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuEventDestroy_v2(CUevent event) {
  FAKE_ENTER("cuEventDestroy_v2", context);
  --machine().state.live_events;
  return machine().drop(machine().events, event);
}

FAKE_ENTRY CUresult cuEventRecord(CUevent event, CUstream) {
  FAKE_ENTER("cuEventRecord", context);
  event->recorded = true;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuEventQuery(CUevent event) {
  FAKE_ENTER("cuEventQuery", context);
  return event->recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

FAKE_ENTRY CUresult cuEventSynchronize(CUevent) {
  FAKE_ENTER("cuEventSynchronize", context);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
  FAKE_ENTER("cuEventElapsedTime", context);
  *milliseconds = 1.5f;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  FAKE_ENTER("cuStreamBeginCapture_v2", context);
  stream->capturing = true;
  stream->invalidated = false;
  stream->mode = mode;
  stream->thread = std::this_thread::get_id();
  stream->graph = new CUgraph_st;
  ++machine().state.live_graphs;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  FAKE_ENTER("cuStreamEndCapture", context);
  stream->capturing = false;
  *graph = stream->graph;
  stream->graph = nullptr;
  if (!stream->invalidated)
    return CUDA_SUCCESS;
  delete *graph;
  --machine().state.live_graphs;
  *graph = nullptr;
  return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

FAKE_ENTRY CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  FAKE_ENTER("cuStreamIsCapturing", context);
  *status = stream && stream->capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  FAKE_ENTER("cuThreadExchangeStreamCaptureMode", nothing);
  std::swap(*mode, thread_capture_mode());
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long) {
  FAKE_ENTER("cuGraphInstantiateWithFlags", context);
  *executable = new CUgraphExec_st{graph->entries};
  ++machine().state.live_graphs;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *) {
  FAKE_ENTER("cuGraphExecUpdate_v2", context);
  if (executable->entries.size() != graph->entries.size())
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  executable->entries = graph->entries;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *, size_t *count) {
  FAKE_ENTER("cuGraphGetNodes", context);
  *count = graph->entries.size();
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  FAKE_ENTER("cuGraphLaunch", context);
  auto &replayed = machine().state.replayed;
  replayed.insert(replayed.end(), executable->entries.begin(), executable->entries.end());
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGraphDestroy(CUgraph graph) {
  FAKE_ENTER("cuGraphDestroy", context);
  --machine().state.live_graphs;
  delete graph;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGraphExecDestroy(CUgraphExec executable) {
  FAKE_ENTER("cuGraphExecDestroy", context);
  --machine().state.live_graphs;
  delete executable;
  return CUDA_SUCCESS;
}
