// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a process has loaded, by digest: the launch path's one lookup.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "runtime/cache/digest_table.h"

namespace tegula {

/// A table of shared values for many readers. `find` takes no lock and allocates nothing, whatever other threads do;
/// values are shared, so that a kernel in use outlives a `clear`. A forked child may go on using it.
///     MemoryTable<Module> modules;
///     if (std::shared_ptr<Module> module = modules.find(key)) return launch(*module, ...);
///     std::shared_ptr<Module> module = modules.insert(key, std::make_shared<Module>(...)); // the first one wins
template <typename T> class MemoryTable {
public:
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<T> find(const Digest &key) const noexcept {
    return std::static_pointer_cast<T>(table_.find(key));
  }
  /// \returns the value that the table holds afterwards: the one that was there first, else this one.
  std::shared_ptr<T> insert(const Digest &key, std::shared_ptr<T> value) {
    return std::static_pointer_cast<T>(
        table_.insert(key, std::const_pointer_cast<std::remove_const_t<T>>(std::move(value))));
  }
  void clear() { table_.clear(); }
  [[nodiscard]] int64_t size() const { return table_.size(); }

private:
  DigestTable table_;
};

} // namespace tegula
