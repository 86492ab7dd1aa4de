// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: streams, events, capture, graphs. A graph is the list of works in the order of their capture.
#include "runtime/emulator/driver/state.h"

#include <thread>

using namespace tegula::emulator;

namespace tegula::emulator {
CUstreamCaptureMode &thread_capture_mode();
}

namespace {

unsigned long this_thread() { return std::hash<std::thread::id>()(std::this_thread::get_id()); }

/// A wait of the host for a stream that captures spoils the capture.
CUresult wait_for(CUstream given) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  CUstream s = resolve(given);
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!s->capture)
    return CUDA_SUCCESS;
  s->capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult run_all(const std::vector<std::shared_ptr<CUgraphNode_st>> &nodes) {
  for (const auto &n : nodes)
    if (CUresult r = n->work ? n->work() : CUDA_SUCCESS; r != CUDA_SUCCESS)
      return r;
  return CUDA_SUCCESS;
}

} // namespace

TEGULA_EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (!stream || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  auto *s = new CUstream_st;
  s->context = current();
  s->priority = priority;
  s->flags = flags;
  std::lock_guard lock(state().mutex);
  state().streams.insert(s);
  *stream = s;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

TEGULA_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  std::lock_guard lock(state().mutex);
  if (!state().streams.erase(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  delete stream;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuStreamSynchronize(CUstream stream) { return wait_for(stream); }
TEGULA_EXPORT CUresult cuStreamQuery(CUstream stream) { return wait_for(stream); }
TEGULA_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  if (!priority)
    return CUDA_ERROR_INVALID_VALUE;
  CUstream s = resolve(stream);
  *priority = s ? s->priority : 0;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  CUstream s = resolve(stream);
  *flags = s ? s->flags : 0;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  CUstream s = resolve(stream);
  *context = s ? s->context : current();
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuStreamWaitEvent(CUstream given, CUevent event, unsigned) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  CUstream s = resolve(given);
  if (!s || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture && s->capture && s->capture != event->capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (event->capture && !event->capture->invalid)
    s->capture = event->capture; // the stream joins the capture
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (!event)
    return CUDA_ERROR_INVALID_VALUE;
  auto *e = new CUevent_st;
  e->context = current();
  e->timing = !(flags & CU_EVENT_DISABLE_TIMING);
  *event = e;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuEventRecord(CUevent event, CUstream given) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  CUstream s = resolve(given);
  if (!event || !s)
    return CUDA_ERROR_INVALID_HANDLE;
  event->capture = s->capture;
  event->recorded = true;
  event->at = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}
TEGULA_EXPORT CUresult cuEventQuery(CUevent event) {
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  return event->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : check_context();
}
TEGULA_EXPORT CUresult cuEventSynchronize(CUevent event) { return cuEventQuery(event); }
TEGULA_EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  if (!start || !end || !start->recorded || !end->recorded || !start->timing || !end->timing)
    return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

TEGULA_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, thread_capture_mode());
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuStreamBeginCapture_v2(CUstream given, CUstreamCaptureMode mode) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (reinterpret_cast<uintptr_t>(given) < 2) // the legacy stream cannot capture
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CUstream s = resolve(given);
  if (s->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  s->capture = std::make_shared<CUgraph_st>();
  s->origin = true;
  s->mode = mode;
  s->capture_thread = this_thread();
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuStreamEndCapture(CUstream given, CUgraph *graph) {
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  CUstream s = resolve(given);
  if (!s || !s->capture || !s->origin)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (s->mode != CU_STREAM_CAPTURE_MODE_RELAXED && s->capture_thread != this_thread())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  auto captured = s->capture;
  DriverState &d = state();
  std::lock_guard lock(d.mutex);
  for (CUstream other : d.streams)
    if (other->capture == captured)
      other->capture = nullptr;
  s->capture = nullptr;
  s->origin = false;
  *graph = nullptr;
  if (captured->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = new CUgraph_st(*captured);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuStreamIsCapturing(CUstream given, CUstreamCaptureStatus *status) {
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  CUstream s = resolve(given);
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = !s->capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : s->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                  : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned) {
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = new CUgraph_st;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  delete graph;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  if (!graph || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; nodes && i < *count; ++i)
    nodes[i] = i < graph->nodes.size() ? graph->nodes[i].get() : nullptr;
  *count = graph->nodes.size();
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, int *type) {
  if (!type)
    return CUDA_ERROR_INVALID_VALUE;
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  *type = node->type;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long) {
  if (!graph || !executable)
    return CUDA_ERROR_INVALID_VALUE;
  *executable = new CUgraphExec_st{graph->nodes};
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                                            CUgraphExecUpdateResultInfo *result) {
  if (!executable || !graph)
    return CUDA_ERROR_INVALID_VALUE;
  bool same = executable->nodes.size() == graph->nodes.size();
  for (size_t i = 0; same && i < graph->nodes.size(); ++i)
    same = executable->nodes[i]->type == graph->nodes[i]->type;
  if (result)
    *result = {same ? 0 : 2, nullptr, nullptr}; // success, topology changed
  if (!same)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  executable->nodes = graph->nodes;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  if (!executable)
    return CUDA_ERROR_INVALID_VALUE;
  auto nodes = executable->nodes;
  return submit(stream, 4, [nodes] { return run_all(nodes); });
}
TEGULA_EXPORT CUresult cuGraphExecDestroy(CUgraphExec executable) {
  if (!executable)
    return CUDA_ERROR_INVALID_VALUE;
  delete executable;
  return CUDA_SUCCESS;
}
