// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State with locks in it, which a forked child must not inherit: another thread of the parent may hold one for ever.
#pragma once

#include <atomic>
#include <memory>

#include <unistd.h>

namespace tegula {

/// Gives each process a State of its own, made on first use. A child leaves its parent's alone, undestroyed: its locks
/// may be taken, its lists half changed. State is default-constructible and safe to use from several threads.
template <typename State> class ProcessLocal {
public:
  ProcessLocal() = default;
  ProcessLocal(const ProcessLocal &) = delete;
  ProcessLocal &operator=(const ProcessLocal &) = delete;
  ~ProcessLocal() {
    Box *box = box_.load();
    if (box && box->process == ::getpid())
      std::unique_ptr<Box>(box).reset();
  }

  State &get() {
    Box *box = box_.load(std::memory_order_acquire);
    if (box && box->process == ::getpid())
      return box->state;
    auto fresh = std::make_unique<Box>();
    if (box_.compare_exchange_strong(box, fresh.get(), std::memory_order_acq_rel))
      return fresh.release()->state;
    return box->state; // Another thread of this process was quicker.
  }

private:
  struct Box {
    const pid_t process = ::getpid();
    State state;
  };

  std::atomic<Box *> box_ = nullptr;
};

} // namespace tegula
