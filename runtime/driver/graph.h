// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: launches recorded once from a stream and replayed at a fraction of their cost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "runtime/driver/context.h"
#include "runtime/driver/stream.h"

namespace tegula {

/// Whose forbidden calls (allocation, synchronisation) spoil the capture meanwhile.
enum class CaptureMode { global, thread_local_, relaxed };

class GraphExec;

class Graph {
public:
  /// Records what `work` puts into `stream`. Nothing runs. When `work` fails, the capture is ended and dropped, the
  /// stream is usable again, and its error is returned.
  ///     TEGULA_TRY(Graph graph, Graph::capture(stream, [&] { return gemm.launch({.stream = stream}); }));
  [[nodiscard]] static Result<Graph> capture(const Stream &stream, const std::function<Result<void>()> &work,
                                             CaptureMode mode = CaptureMode::thread_local_);

  Graph(Graph &&other) noexcept : context_(std::move(other.context_)), raw_(std::exchange(other.raw_, nullptr)) {}
  Graph &operator=(Graph &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Graph();

  [[nodiscard]] cu::CUgraph raw() const { return raw_; }
  [[nodiscard]] Result<int64_t> node_count() const;
  [[nodiscard]] Result<GraphExec> instantiate() const;

private:
  Graph(std::shared_ptr<const ContextState> context, cu::CUgraph raw) : context_(std::move(context)), raw_(raw) {}

  std::shared_ptr<const ContextState> context_;
  cu::CUgraph raw_ = nullptr;
};

class GraphExec {
public:
  GraphExec(GraphExec &&other) noexcept
      : context_(std::move(other.context_)), raw_(std::exchange(other.raw_, nullptr)) {}
  GraphExec &operator=(GraphExec &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~GraphExec();

  [[nodiscard]] Result<void> launch(StreamRef stream) const;
  /// Takes the parameters of another graph of the same shape. Failing, it stays as it was.
  [[nodiscard]] Result<void> update(const Graph &graph);

private:
  friend class Graph;
  GraphExec(std::shared_ptr<const ContextState> context, cu::CUgraphExec raw)
      : context_(std::move(context)), raw_(raw) {}

  std::shared_ptr<const ContextState> context_;
  cu::CUgraphExec raw_ = nullptr;
};

} // namespace tegula
