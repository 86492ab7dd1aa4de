// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/cache/sample.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/cache/cache_files.h"

namespace tegula::sample {
namespace fs = std::filesystem;

CacheKey key(std::string_view kernel) {
  Result<CacheKey> made = CacheKey::of({{"kernel", std::string(kernel)},
                                        {"schedule", "128x256x64"},
                                        {"target", "sm_90a"},
                                        {"compiler", "tegula 0.1.0 test"},
                                        {"assembler", "ptxas 13.0.88"}});
  return std::move(made).value();
}

CachedKernel kernel(std::string_view kernel, std::string_view writer, int64_t image_bytes) {
  std::string tag = fmt::format("<{}|{}>", kernel, writer);
  CachedKernel made;
  made.kind = CachedImageKind::cubin;
  while (static_cast<int64_t>(made.image.size()) < image_bytes)
    made.image += tag;
  made.image.resize(static_cast<size_t>(image_bytes));
  made.metadata = fmt::format("{}|{}|{}|{}", kernel, writer, image_bytes, hex(digest_of(made.image)));
  return made;
}

bool is_whole(const CachedKernel &found, std::string_view kernel) {
  std::string prefix = std::string(kernel) + "|";
  std::string suffix = fmt::format("|{}|{}", found.image.size(), hex(digest_of(found.image)));
  return found.metadata.starts_with(prefix) && found.metadata.ends_with(suffix) && found.kind == CachedImageKind::cubin;
}

Folder::Folder() : Folder(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path().string()) {}

Folder::Folder(const std::string &parent) : path_(parent + "/tegula-cache-test-XXXXXX") {
  if (!::mkdtemp(path_.data())) {
    std::perror(path_.c_str());
    std::abort();
  }
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::function<void(std::string_view)> Warnings::sink() {
  return [this](std::string_view line) {
    std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
  };
}

std::vector<std::string> Warnings::lines() const {
  std::lock_guard lock(mutex_);
  return lines_;
}

KernelCache open_cache(const std::string &folder, CacheOptions options) {
  options.directory = folder;
  return KernelCache::open(Environment(), std::move(options));
}

std::string entry_path(const std::string &folder, std::string_view kernel) {
  EntryPlace place = EntryPlace::of(key(kernel).digest());
  return fmt::format("{}/{}/{}", folder, place.shard, place.name);
}

bool ask(KernelCache &cache, std::string_view name, std::string_view writer, const std::string &log,
         int64_t image_bytes) {
  Result<CacheAnswer> answer = cache.get_or_compile(key(name), [&]() -> Result<CachedKernel> {
    if (int fd = log.empty() ? -1 : ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666); fd >= 0) {
      if (::write(fd, "c", 1) != 1)
        std::abort();
      ::close(fd);
    }
    return kernel(name, writer, image_bytes);
  });
  return answer.ok() && is_whole(answer->entry->kernel, name);
}

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string &path, std::string_view bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

int64_t file_bytes(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

int64_t count_temporaries(const std::string &folder) {
  int64_t count = 0;
  walk_cache(FileSystem({}), folder, [&](const FoundFile &found) { count += !found.key; });
  return count;
}

pid_t start_child(const std::function<int()> &job) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(120);
    ::_exit(job());
  }
  return child;
}

int wait_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int in_child(const std::function<int()> &job) { return wait_child(start_child(job)); }

Gate::Gate() {
  if (::pipe(ends_) != 0)
    std::abort();
}

Gate::~Gate() {
  ::close(ends_[0]);
  open();
}

void Gate::wait() const {
  char byte;
  ::close(ends_[1]);
  while (::read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
  }
}

void Gate::open() {
  if (ends_[1] >= 0)
    ::close(ends_[1]);
  ends_[1] = -1;
}

} // namespace tegula::sample
