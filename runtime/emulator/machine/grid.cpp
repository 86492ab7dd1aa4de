// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a grid: clusters over threads of the host. As many clusters are resident as the emulated chip could hold, and
// one that only polls gives way to the others, so that CTAs may wait for each other through global memory.
#include "runtime/emulator/async/map_fences.h"
#include "runtime/emulator/machine/machine.h"

#include <algorithm>
#include <cfenv>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <thread>

namespace tegula::emulator {
namespace {

constexpr uint64_t kPassesAtOnce = 256;

class Scheduler {
public:
  explicit Scheduler(Launch &launch) : launch_(launch) {
    const Dim3 &g = launch.grid, &c = launch.cluster;
    clusters_ = {g.x / c.x, g.y / c.y, g.z / c.z};
    total_ = clusters_.count();
    uint64_t threads = std::max<uint64_t>(launch.block.count(), 1);
    uint64_t shared = launch.layout.dynamic_offset + launch.dynamic_shared;
    uint64_t per_sm = std::clamp<uint64_t>(std::min(2048 / threads, (228u << 10) / shared), 1, 32);
    max_resident_ = std::max<uint64_t>(1, launch.sm_count * per_sm / c.count());
    launch.claim_cluster = [this](Dim3 &first) {
      std::lock_guard lock(mutex_);
      if (next_ == total_)
        return false;
      first = first_cta(next_++);
      return true;
    };
  }
  ~Scheduler() { launch_.claim_cluster = nullptr; }
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  void run() {
    unsigned n = launch_.options.threads ? launch_.options.threads : std::max(1u, std::thread::hardware_concurrency());
    n = static_cast<unsigned>(std::min<uint64_t>(n, total_));
    std::vector<std::thread> helpers;
    for (unsigned i = 1; i < n; ++i)
      helpers.emplace_back([this] { work(); });
    work();
    for (std::thread &t : helpers)
      t.join();
  }

private:
  void work() {
    std::fenv_t before;
    std::fegetenv(&before);
    std::fesetenv(FE_DFL_ENV);
    for (;;) {
      std::unique_ptr<Cluster> cluster;
      bool done = true;
      try {
        cluster = take();
        if (!cluster)
          break;
        if (!launch_.stop)
          done = cluster->run(kPassesAtOnce);
      } catch (const Fault &f) {
        launch_.stop = true;
        launch_.report(f.kind, f.message, 0);
      }
      give_back(std::move(cluster), done);
    }
    std::fesetenv(&before);
  }

  std::unique_ptr<Cluster> take() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (launch_.stop)
        return nullptr;
      if (!polling_.empty() && ++turn_ % 8 == 0) // even a busy cluster may be waiting for one that polls
        return pop(polling_);
      if (!eager_.empty())
        return pop(eager_);
      if (next_ < total_ && resident_ < max_resident_)
        return start(lock);
      if (!polling_.empty())
        return pop(polling_);
      if (next_ == total_ && resident_ == 0)
        return nullptr;
      wake_.wait(lock);
    }
  }

  static std::unique_ptr<Cluster> pop(std::deque<std::unique_ptr<Cluster>> &from) {
    auto c = std::move(from.front());
    from.pop_front();
    return c;
  }

  std::unique_ptr<Cluster> start(std::unique_lock<std::mutex> &lock) {
    uint64_t n = next_++;
    ++resident_;
    lock.unlock();
    return std::make_unique<Cluster>(launch_, first_cta(n));
  }

  [[nodiscard]] Dim3 first_cta(uint64_t n) const {
    const Dim3 &c = launch_.cluster;
    return {static_cast<uint32_t>(n % clusters_.x) * c.x, static_cast<uint32_t>(n / clusters_.x % clusters_.y) * c.y,
            static_cast<uint32_t>(n / clusters_.x / clusters_.y) * c.z};
  }

  void give_back(std::unique_ptr<Cluster> c, bool done) {
    std::unique_lock lock(mutex_);
    if (done)
      --resident_;
    else
      (c->idle ? polling_ : eager_).push_back(std::move(c));
    wake_.notify_all();
  }

  Launch &launch_;
  Dim3 clusters_;
  unsigned turn_ = 0;
  uint64_t total_ = 0, next_ = 0, resident_ = 0, max_resident_ = 1;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::unique_ptr<Cluster>> eager_, polling_;
};

} // namespace

void Launch::report(FindingKind kind, const std::string &message, uint32_t line) {
  std::lock_guard lock(mutex_);
  if (error_ == ErrorCode::none)
    error_ = code_of(kind);
  if (!seen_.emplace(static_cast<int>(kind), line).second || findings_.size() >= options.max_findings)
    return;
  findings_.push_back({kind, message});
  std::fprintf(stderr, "tegula emulator: %s: %s\n", name_of(kind), message.c_str());
}

void run_grid(Launch &launch) {
  launch.map_fences = std::make_shared<MapFences>();
  launch.layout = launch.loaded->program->layout(*launch.function);
  if (launch.grid.count() == 0 || launch.block.count() == 0)
    return;
  Scheduler(launch).run();
}

} // namespace tegula::emulator
