// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at devices from a child process, because a process that has initialised CUDA can't be forked usefully.
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/driver/devices.h"

namespace tegula {

using namespace cu;

namespace {

constexpr int kPatience_ms = 30'000;
constexpr size_t kLongestAnswer = 64 * 1024;

Result<std::vector<DeviceInfo>> ask(const Driver &driver, int count) {
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    TEGULA_TRY(DeviceInfo info, read_device_info(driver, ordinal));
    devices.push_back(std::move(info));
  }
  return devices;
}

// The child's answer: "ok", then a line of fields a device with its name at the end; or "no", a code and a message.
std::string answer(const Driver &driver) {
  auto count = driver.device_count();
  Result<std::vector<DeviceInfo>> devices =
      count ? ask(driver, *count) : Result<std::vector<DeviceInfo>>(count.error());
  if (!devices)
    return fmt::format("no {} {}", static_cast<int>(devices.error().code()), devices.error().message());
  std::string text = "ok\n";
  for (const DeviceInfo &d : *devices)
    text += fmt::format("{} {} {} {} {} {} {} {}\n", d.arch.major, d.arch.minor, d.multiprocessors, d.memory_bytes,
                        d.shared_bytes_per_block, d.shared_bytes_per_multiprocessor, d.l2_bytes,
                        (d.clusters ? "1 " : "0 ") + d.name);
  return text;
}

int64_t next_number(std::string_view &line) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  line.remove_prefix(std::min<size_t>(line.size(), static_cast<size_t>(end - line.data()) + 1));
  return error == std::errc() ? number : 0;
}

DeviceInfo read_line(std::string_view line, int ordinal, bool emulated) {
  DeviceInfo info;
  info.ordinal = ordinal;
  info.emulated = emulated;
  info.arch.major = static_cast<int>(next_number(line));
  info.arch.minor = static_cast<int>(next_number(line));
  info.multiprocessors = static_cast<int>(next_number(line));
  info.memory_bytes = next_number(line);
  info.shared_bytes_per_block = next_number(line);
  info.shared_bytes_per_multiprocessor = next_number(line);
  info.l2_bytes = next_number(line);
  info.clusters = next_number(line) != 0;
  info.name = line;
  return info;
}

Result<std::vector<DeviceInfo>> understand(std::string_view text, bool emulated) {
  if (text.starts_with("no ")) {
    text.remove_prefix(3);
    auto code = static_cast<ErrorCode>(next_number(text));
    return Error(code, std::string(text));
  }
  if (!text.starts_with("ok\n"))
    return Error(ErrorCode::driver_error, "the process that looked at the devices died in the driver");
  text.remove_prefix(3);
  std::vector<DeviceInfo> devices;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    devices.push_back(read_line(text.substr(0, end), static_cast<int>(devices.size()), emulated));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return devices;
}

// Reads until the child closes its end. False when it doesn't within the patience.
bool read_all(int from, std::string &text) {
  char buffer[4096];
  while (text.size() < kLongestAnswer) {
    pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
    int ready = poll(&waiting, 1, kPatience_ms);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return false;
    ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return true;
    text.append(buffer, static_cast<size_t>(got));
  }
  return true;
}

[[noreturn]] void look_and_leave(const Driver &driver, int to) {
  std::string text = answer(driver);
  std::string_view rest = text;
  while (!rest.empty()) {
    ssize_t put = write(to, rest.data(), rest.size());
    if (put < 0 && errno != EINTR)
      break;
    rest.remove_prefix(put > 0 ? static_cast<size_t>(put) : 0);
  }
  // Not exit: the parent's atexit handlers and buffers are not the child's to run and flush.
  _exit(0);
}

} // namespace

Result<std::vector<DeviceInfo>> look_at_devices(const Driver &driver) {
  // Before cuInit this is refused and does nothing else. If it works, somebody has initialised the driver already.
  int count = 0;
  if (driver.api().cuDeviceGetCount(&count) == CUDA_SUCCESS)
    return ask(driver, count);

  int ends[2];
  if (pipe(ends) != 0)
    return Error(ErrorCode::io_error, fmt::format("cannot look at the devices: pipe: {}", std::strerror(errno)));
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    look_and_leave(driver, ends[1]);
  }
  close(ends[1]);
  std::string text;
  bool answered = child > 0 && read_all(ends[0], text);
  close(ends[0]);
  if (child < 0)
    return Error(ErrorCode::io_error, fmt::format("cannot look at the devices: fork: {}", std::strerror(errno)));
  if (!answered)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answered)
    return Error(ErrorCode::driver_error,
                 fmt::format("the driver {} did not answer within {} s", driver.library(), kPatience_ms / 1000));
  return understand(text, driver.emulated());
}

} // namespace tegula
