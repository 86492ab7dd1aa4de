// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks arrays by runs of neighbouring elements. The guard is a pattern of the position, so that bytes that were copied
// from elsewhere show too.
#include "kernels/check/guarded_image.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>

#include "kernels/check/parallel.h"
#include "kernels/check/small_float.h"

namespace tegula {
namespace {

std::byte guard_at(int64_t position) { return static_cast<std::byte>(position * 167 + (position >> 8) * 13 + 91); }

void write_guard(std::byte *bytes, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    bytes[i] = guard_at(i);
}

} // namespace

int64_t StridedShape::span() const {
  int64_t last = 0;
  for (size_t i = 0; i < 3; ++i) {
    if (extents[i] == 0)
      return 0;
    last += (extents[i] - 1) * strides[i];
  }
  return last + 1;
}

GuardedImage::GuardedImage(const StridedShape &shape) : shape_(shape) {
  origin_ = kGuard + tegula::bytes(shape.dtype, shape.shift);
  bytes_.resize(static_cast<size_t>(origin_ + tegula::bytes(shape.dtype, shape.span()) + kGuard));
}

// Runs in memory order: an outer pair of axes, and along the axis of stride 1 (or 0) a run of elements.
template <typename Body> void GuardedImage::for_each_run(Body body) const {
  const bool along_rows = shape_.strides[1] <= 1 && shape_.strides[2] > 1;
  const size_t inner = along_rows ? 1 : 2, outer = along_rows ? 2 : 1;
  const int64_t batches = shape_.strides[0] == 0 ? std::min<int64_t>(shape_.extents[0], 1) : shape_.extents[0];
  const int64_t lines =
      shape_.strides[outer] == 0 ? std::min<int64_t>(shape_.extents[outer], 1) : shape_.extents[outer];
  const int64_t length =
      shape_.strides[inner] == 0 ? std::min<int64_t>(shape_.extents[inner], 1) : shape_.extents[inner];
  const int64_t size = tegula::bytes(shape_.dtype);
  parallel_for(batches * lines, std::max<int64_t>(1, 65536 / std::max<int64_t>(length, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t first = i / lines * shape_.strides[0] + i % lines * shape_.strides[outer];
                   if (shape_.strides[inner] <= 1)
                     body(origin_ + first * size, i * length, length);
                   else
                     for (int64_t j = 0; j < length; ++j)
                       body(origin_ + (first + j * shape_.strides[inner]) * size, i * length + j, int64_t{1});
                 }
               });
}

void GuardedImage::fill_values(const NormalPattern &pattern) {
  std::memset(bytes_.data(), 0xff, bytes_.size()); // NaN in every type
  fill_elements(pattern);
}

void GuardedImage::fill_elements(const NormalPattern &pattern) {
  for_each_run([&](int64_t at, int64_t position, int64_t count) { pattern.fill(bytes_.data() + at, position, count); });
}

void GuardedImage::poison() {
  parallel_for(static_cast<int64_t>(bytes_.size()), 1 << 20,
               [&](int64_t begin, int64_t end) { write_guard(bytes_.data(), begin, end); });
  for_each_run([&](int64_t at, int64_t, int64_t count) {
    std::memset(bytes_.data() + at, 0xff, static_cast<size_t>(tegula::bytes(shape_.dtype, count)));
  });
}

double GuardedImage::at(int64_t batch, int64_t row, int64_t column) const {
  return read_element(shape_.dtype, data(), shape_.index(batch, row, column));
}

std::string GuardedImage::damage() const {
  // Put the guard back over the elements in a copy; then every byte must be guard.
  std::vector<std::byte> copy = bytes_;
  for_each_run([&](int64_t at, int64_t, int64_t count) {
    write_guard(copy.data(), at, at + tegula::bytes(shape_.dtype, count));
  });
  std::atomic<int64_t> first = static_cast<int64_t>(copy.size());
  parallel_for(static_cast<int64_t>(copy.size()), 1 << 20, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (copy[i] != guard_at(i)) {
        int64_t seen = first;
        while (i < seen && !first.compare_exchange_weak(seen, i)) {
        }
        return;
      }
  });
  if (first == static_cast<int64_t>(copy.size()))
    return "";
  return fmt::format("a guard byte was overwritten, {} bytes from the first element (now {:#04x})", first - origin_,
                     static_cast<int>(bytes_[first]));
}

} // namespace tegula
