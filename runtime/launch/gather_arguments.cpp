// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matches arguments with the manifest.
#include "runtime/launch/gather_arguments.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace tegula {
namespace {

class Gatherer {
public:
  Gatherer(const ResolvedManifest &resolved, std::span<int64_t> numbers, std::span<unsigned char> given,
           Complaints &wrong)
      : r_(resolved), m_(resolved.manifest), numbers_(numbers), given_(given), wrong_(wrong) {
    std::fill(given_.begin(), given_.end(), 0);
  }

  void run(const KernelArgs &args) {
    for (size_t i = 0; i < args.dims.size(); ++i)
      take(args.dims[i], i);
    for (size_t i = 0; i < args.globals.size(); ++i)
      take_extents(args.globals[i], i);
    missing_dims();
    for (size_t i = 0; i < args.globals.size(); ++i)
      take(args.globals[i], i);
    for (size_t i = 0; i < args.scalars.size(); ++i)
      take(args.scalars[i], i);
    missing_globals_and_scalars();
  }

private:
  // The position of a name in a list of the manifest, trying `hint` first; -1 when it isn't there.
  template <typename T> static int find(const std::vector<T> &list, std::string_view name, size_t hint) {
    if (hint < list.size() && list[hint].name == name)
      return static_cast<int>(hint);
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name)
        return static_cast<int>(i);
    return -1;
  }

  template <typename T> void unknown(std::string_view what, std::string_view name, const std::vector<T> &list) {
    std::string known;
    for (const T &entry : list)
      known += (known.empty() ? "" : ", ") + entry.name;
    wrong_.add(fmt::format("there is no {} '{}'; the kernel has {}", what, name, known.empty() ? "none" : known));
  }

  // True the first time.
  bool first(size_t position, std::string_view what, std::string_view name) {
    if (given_[position]++ == 0)
      return true;
    wrong_.add(fmt::format("{} {} is given twice", what, name));
    return false;
  }

  void take(const DimArg &arg, size_t hint) {
    int i = find(m_.dims, arg.name, hint);
    if (i < 0)
      return unknown("dim", arg.name, m_.dims);
    if (first(static_cast<size_t>(i), "dim", arg.name))
      numbers_[static_cast<size_t>(i)] = arg.value;
  }

  void take_extents(const GlobalArg &arg, size_t hint) {
    int i = find(m_.globals, arg.name, hint);
    if (i < 0 || arg.extents.empty())
      return;
    const GlobalInfo &info = m_.globals[static_cast<size_t>(i)];
    const ResolvedGlobal &global = r_.globals[static_cast<size_t>(i)];
    if (static_cast<int>(arg.extents.size()) != global.rank) {
      wrong_.add(fmt::format("{} has rank {}; the kernel takes rank {}", arg.name, arg.extents.size(), global.rank));
      return;
    }
    for (int d = 0; d < global.rank; ++d) {
      const auto at = static_cast<size_t>(d);
      const int64_t extent = arg.extents[at];
      if (global.dim[at] >= 0 && given_[static_cast<size_t>(global.dim[at])] == 0) {
        given_[static_cast<size_t>(global.dim[at])] = 1;
        numbers_[static_cast<size_t>(global.dim[at])] = extent;
      } else if (extent != global.extent(numbers_, d)) {
        wrong_.add(global.dim[at] >= 0 ? fmt::format("{} has extent {} in {}, which is {} elsewhere", arg.name, extent,
                                                     info.dims[at], global.extent(numbers_, d))
                                       : fmt::format("{} has extent {} in dim {}; the kernel takes {} there", arg.name,
                                                     extent, d, global.constant[at]));
      }
    }
  }

  void take(const GlobalArg &arg, size_t hint) {
    int i = find(m_.globals, arg.name, hint);
    if (i < 0)
      return unknown("global", arg.name, m_.globals);
    const GlobalInfo &info = m_.globals[static_cast<size_t>(i)];
    const ResolvedGlobal &global = r_.globals[static_cast<size_t>(i)];
    if (!first(global.base, "global", arg.name))
      return;
    numbers_[global.base] = static_cast<int64_t>(arg.base);
    if (arg.dtype != info.dtype)
      wrong_.add(fmt::format("{} is {}; the kernel takes {}", arg.name, name(arg.dtype), name(info.dtype)));
    if (arg.strides.empty())
      return dense_strides(info, global);
    if (static_cast<int>(arg.strides.size()) != global.rank) {
      wrong_.add(fmt::format("{} has {} strides; the kernel takes rank {}", arg.name, arg.strides.size(), global.rank));
      return dense_strides(info, global);
    }
    for (int d = 0; d < global.rank; ++d)
      numbers_[global.stride(d)] = global.extent(numbers_, d) > 1 ? arg.strides[static_cast<size_t>(d)] : 0;
    ignored_strides(info, global);
  }

  // The unit dim innermost, the others outwards from the last.
  void dense_strides(const GlobalInfo &info, const ResolvedGlobal &global) {
    int64_t stride = 1;
    auto place = [&](int d) {
      numbers_[global.stride(d)] = stride;
      const int64_t extent = std::max<int64_t>(global.extent(numbers_, d), 1);
      if (__builtin_mul_overflow(stride, extent, &stride))
        stride = INT64_MAX;
    };
    if (info.unit_dim >= 0)
      place(info.unit_dim);
    for (int d = global.rank - 1; d >= 0; --d)
      if (d != info.unit_dim)
        place(d);
    ignored_strides(info, global);
  }

  // Strides of extents 0 and 1 are ignored: whatever the caller's are, the kernel and its maps get lawful ones (1 where
  // it counts on a unit stride, else the promised divisor).
  void ignored_strides(const GlobalInfo &info, const ResolvedGlobal &global) {
    for (int d = 0; d < global.rank; ++d)
      if (global.extent(numbers_, d) <= 1) {
        const int64_t element = std::max(bytes(info.dtype), int64_t{1});
        const int64_t promised = (info.stride_divisors[static_cast<size_t>(d)] + element - 1) / element;
        const int64_t lawful = global.mapped[static_cast<size_t>(d)] ? std::max<int64_t>(promised, 16) : promised;
        numbers_[global.stride(d)] = d == info.unit_dim ? 1 : lawful;
      }
  }

  void take(const ScalarArg &arg, size_t hint) {
    int i = find(r_.scalars, arg.name, hint);
    if (i < 0)
      return unknown("scalar", arg.name, r_.scalars);
    const ResolvedScalar &scalar = r_.scalars[static_cast<size_t>(i)];
    if (!first(scalar.position, "scalar", arg.name))
      return;
    auto bits = convert(arg.value, scalar.dtype);
    if (!bits)
      wrong_.add(fmt::format("scalar {} is a {}; its value can't be a {}", arg.name, name(arg.value.dtype),
                             name(scalar.dtype)));
    numbers_[scalar.position] = static_cast<int64_t>(bits.value_or(0));
  }

  void missing_dims() {
    for (size_t i = 0; i < m_.dims.size(); ++i)
      if (given_[i] == 0) {
        wrong_.add(fmt::format("dim {} is not given", m_.dims[i].name));
        numbers_[i] = 0;
      }
  }

  void missing_globals_and_scalars() {
    for (size_t i = 0; i < m_.globals.size(); ++i)
      if (given_[r_.globals[i].base] == 0)
        wrong_.add(fmt::format("global {} is not given", m_.globals[i].name));
    for (const ResolvedScalar &scalar : r_.scalars)
      if (given_[scalar.position] == 0)
        wrong_.add(fmt::format("scalar {} is not given", scalar.name));
  }

  const ResolvedManifest &r_;
  const KernelManifest &m_;
  std::span<int64_t> numbers_;
  std::span<unsigned char> given_;
  Complaints &wrong_;
};

} // namespace

void gather(const ResolvedManifest &resolved, const KernelArgs &args, std::span<int64_t> numbers,
            std::span<unsigned char> given, Complaints &wrong) {
  Gatherer(resolved, numbers, given, wrong).run(args);
}

} // namespace tegula
