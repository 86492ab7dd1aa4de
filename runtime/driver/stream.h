// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events: move-only handles, and a plain reference that also takes a stream of somebody else's.
#pragma once

#include <memory>
#include <utility>

#include "runtime/driver/context.h"

namespace tegula {

class Event;
class Stream;

/// Names a stream without owning it: one of ours, a raw CUstream or cudaStream_t, or by default the default stream.
struct StreamRef {
  cu::CUstream raw = nullptr;

  StreamRef() = default;
  StreamRef(cu::CUstream stream) : raw(stream) {}
  StreamRef(const Stream &stream);
};

struct StreamOptions {
  /// Lower is sooner, as the driver counts: 0 is the default, -1 and below are urgent.
  int priority = 0;
  enum class WithDefaultStream { independent, synchronized } with_default_stream = WithDefaultStream::independent;
};

class Stream {
public:
  [[nodiscard]] static Result<Stream> create(const Context &context, const StreamOptions &options = {});

  Stream(Stream &&other) noexcept : context_(std::move(other.context_)), raw_(std::exchange(other.raw_, nullptr)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Stream();

  [[nodiscard]] cu::CUstream raw() const { return raw_; }
  [[nodiscard]] const std::shared_ptr<const ContextState> &context() const { return context_; }

  /// Waits until everything in the stream is done; reports a fault in it.
  [[nodiscard]] Result<void> synchronize() const;
  /// True when everything in it is done.
  [[nodiscard]] Result<bool> idle() const;
  /// What is put into the stream from now on starts after `event`.
  [[nodiscard]] Result<void> wait_for(const Event &event) const;
  [[nodiscard]] Result<bool> capturing() const;

private:
  Stream(std::shared_ptr<const ContextState> context, cu::CUstream raw) : context_(std::move(context)), raw_(raw) {}

  std::shared_ptr<const ContextState> context_;
  cu::CUstream raw_ = nullptr;
};

inline StreamRef::StreamRef(const Stream &stream) : raw(stream.raw()) {}

class Event {
public:
  enum class Timing { enabled, disabled };
  [[nodiscard]] static Result<Event> create(const Context &context, Timing timing = Timing::enabled);

  Event(Event &&other) noexcept : context_(std::move(other.context_)), raw_(std::exchange(other.raw_, nullptr)) {}
  Event &operator=(Event &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Event();

  [[nodiscard]] cu::CUevent raw() const { return raw_; }
  [[nodiscard]] Result<void> record(StreamRef stream) const;
  [[nodiscard]] Result<void> synchronize() const;
  [[nodiscard]] Result<bool> done() const;

private:
  friend Result<float> elapsed_ms(const Event &start, const Event &end);
  Event(std::shared_ptr<const ContextState> context, cu::CUevent raw) : context_(std::move(context)), raw_(raw) {}

  std::shared_ptr<const ContextState> context_;
  cu::CUevent raw_ = nullptr;
};

/// Milliseconds of the device between two recorded and completed events.
[[nodiscard]] Result<float> elapsed_ms(const Event &start, const Event &end);

} // namespace tegula
