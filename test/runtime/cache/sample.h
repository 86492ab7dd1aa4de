// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that can be told apart and checked: whatever a cache returns, `is_whole` says whether it is one writer's set
// for the key that was asked for. Folders and child processes to use them in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "runtime/cache/kernel_cache.h"

namespace tegula::sample {

/// A key whose parts differ from the next one's in the kernel alone.
CacheKey key(std::string_view kernel);

/// What `writer` compiles for `kernel`: the metadata names both and the image's length and digest.
CachedKernel kernel(std::string_view kernel, std::string_view writer = "w", int64_t image_bytes = 100);

/// Whether metadata and image belong together and to this kernel.
bool is_whole(const CachedKernel &found, std::string_view kernel);

/// A folder of its own, removed at the end; in memory (/dev/shm) where there is one, since tests write much.
class Folder {
public:
  Folder();
  explicit Folder(const std::string &parent);
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder();

  const std::string &path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
  std::string path_;
};

/// Gathers warnings; several threads may write.
class Warnings {
public:
  std::function<void(std::string_view)> sink();
  std::vector<std::string> lines() const;

private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// A cache in this folder, whatever the environment.
KernelCache open_cache(const std::string &folder, CacheOptions options = {});

/// The path of this kernel's entry.
std::string entry_path(const std::string &folder, std::string_view kernel);

/// Asks for the kernel as `writer`; true if the answer is whole. Adds a byte to `log`, if given, for each compile.
bool ask(KernelCache &cache, std::string_view name, std::string_view writer = "w", const std::string &log = "",
         int64_t image_bytes = 100);

std::string read_file(const std::string &path);
void write_file(const std::string &path, std::string_view bytes);
int64_t file_bytes(const std::string &path);
/// Files left over by writers in all shards.
int64_t count_temporaries(const std::string &folder);

/// Starts a child that ends with the job's value; it is killed, and so fails, if it hangs for two minutes.
pid_t start_child(const std::function<int()> &job);
/// The child's exit status, or minus the signal that ended it.
int wait_child(pid_t child);
int in_child(const std::function<int()> &job);

/// Holds children back until all are there.
class Gate {
public:
  Gate();
  Gate(const Gate &) = delete;
  Gate &operator=(const Gate &) = delete;
  ~Gate();
  void wait() const; ///< in a child
  void open();       ///< in the parent

private:
  int ends_[2];
};

} // namespace tegula::sample
