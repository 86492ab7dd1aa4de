// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Capture, instantiation, replay and update of graphs.
#include "runtime/driver/graph.h"

#include "runtime/driver/call.h"

namespace tegula {

using namespace cu;

namespace {

CUstreamCaptureMode driver_mode(CaptureMode mode) {
  switch (mode) {
  case CaptureMode::global: return CU_STREAM_CAPTURE_MODE_GLOBAL;
  case CaptureMode::thread_local_: return CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  case CaptureMode::relaxed: break;
  }
  return CU_STREAM_CAPTURE_MODE_RELAXED;
}

} // namespace

Result<Graph> Graph::capture(const Stream &stream, const std::function<Result<void>()> &work, CaptureMode mode) {
  const ContextState &context = *stream.context();
  TEGULA_CHECK(TEGULA_CALL(context, cuStreamBeginCapture_v2, stream.raw(), driver_mode(mode)));
  Result<void> done = work();
  CUgraph raw = nullptr;
  // Always ended, or the stream would stay unusable.
  Result<void> ended = TEGULA_CALL(context, cuStreamEndCapture, stream.raw(), &raw);
  Graph graph(stream.context(), raw);
  TEGULA_CHECK(std::move(done));
  TEGULA_CHECK(std::move(ended));
  return graph;
}

Graph::~Graph() {
  if (raw_)
    TEGULA_CALL_TO_FREE(*context_, cuGraphDestroy, raw_);
}

Result<int64_t> Graph::node_count() const {
  size_t count = 0;
  TEGULA_CHECK(TEGULA_CALL(*context_, cuGraphGetNodes, raw_, nullptr, &count));
  return static_cast<int64_t>(count);
}

Result<GraphExec> Graph::instantiate() const {
  CUgraphExec raw = nullptr;
  TEGULA_CHECK(TEGULA_CALL(*context_, cuGraphInstantiateWithFlags, &raw, raw_, 0ull));
  return GraphExec(context_, raw);
}

GraphExec::~GraphExec() {
  if (raw_)
    TEGULA_CALL_TO_FREE(*context_, cuGraphExecDestroy, raw_);
}

Result<void> GraphExec::launch(StreamRef stream) const {
  return TEGULA_CALL(*context_, cuGraphLaunch, raw_, stream.raw);
}

Result<void> GraphExec::update(const Graph &graph) {
  CUgraphExecUpdateResultInfo info{};
  return TEGULA_CALL(*context_, cuGraphExecUpdate_v2, raw_, graph.raw(), &info);
}

} // namespace tegula
