// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread of a process does a job for a digest; those that want the same meanwhile wait and share its answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "runtime/cache/digest.h"
#include "runtime/cache/process_local.h"
#include "runtime/result/result.h"

namespace tegula {

/// Answer is copied to each that waited. After a fork, a child knows no flights.
template <typename Answer> class SingleFlight {
public:
  /// Runs `job`, or waits for the thread that runs one for the same key.
  /// \param longest_wait  after which this thread runs its own job: whom it waits for may be stuck, or wait for it.
  /// \errors  the job's; internal, if the job asks for its own key.
  Result<Answer> run(const Digest &key, std::chrono::milliseconds longest_wait,
                     const std::function<Result<Answer>()> &job) {
    Flights &flights = flights_.get();
    std::unique_lock lock(flights.mutex);
    std::shared_ptr<Flight> &place = flights.by_key[key];
    if (!place) {
      place = std::make_shared<Flight>();
      Landing landing{flights, key, place};
      lock.unlock();
      return landing.land(job());
    }
    std::shared_ptr<Flight> flight = place;
    if (flight->leader == std::this_thread::get_id())
      return Error(ErrorCode::internal, "the compile of a kernel asks the cache for the same kernel");
    if (flight->landed.wait_for(lock, longest_wait, [&] { return flight->answer || flight->crashed; }) &&
        flight->answer)
      return *flight->answer;
    lock.unlock();
    return job();
  }

private:
  struct Flight {
    std::thread::id leader = std::this_thread::get_id();
    std::condition_variable landed;
    std::optional<Result<Answer>> answer;
    bool crashed = false;
  };
  struct Flights {
    std::mutex mutex;
    std::unordered_map<Digest, std::shared_ptr<Flight>, DigestHash> by_key;
  };
  /// Ends the flight however the job ends, by a thread that is cancelled too.
  struct Landing {
    Flights &flights;
    Digest key;
    std::shared_ptr<Flight> flight;

    Result<Answer> land(Result<Answer> answer) {
      std::lock_guard lock(flights.mutex);
      flight->answer = answer;
      return answer;
    }
    ~Landing() {
      std::lock_guard lock(flights.mutex);
      flight->crashed = !flight->answer;
      flights.by_key.erase(key);
      flight->landed.notify_all();
    }
  };

  ProcessLocal<Flights> flights_;
};

} // namespace tegula
