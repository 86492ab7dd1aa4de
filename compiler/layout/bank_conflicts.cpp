// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model of the 32 banks of shared memory, good for comparing layouts.
#include "compiler/layout/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <set>

namespace tegula::layout {
namespace {

constexpr int64_t kBanks = 32, kBankBytes = 4;

/// The 32-bit words that one trip asks for; equal words are read once.
class Trip {
public:
  void touch(int64_t address, int64_t bytes) {
    for (int64_t word = address / kBankBytes; word <= (address + bytes - 1) / kBankBytes; ++word)
      words_.insert(word);
  }

  void add_to(BankUse &use) const {
    std::array<int64_t, kBanks> load{};
    for (int64_t word : words_)
      ++load[word % kBanks];
    use.wavefronts += *std::max_element(load.begin(), load.end());
    use.ideal += (static_cast<int64_t>(words_.size()) + kBanks - 1) / kBanks;
  }

private:
  std::set<int64_t> words_;
};

void keep_worse(BankUse &worst, const BankUse &use) {
  if (use.wavefronts - use.ideal > worst.wavefronts - worst.ideal || worst.wavefronts == 0)
    worst = use;
}

} // namespace

BankUse bank_conflicts(const Fragment &fragment, const SharedLayout &layout, int64_t vector_bytes) {
  const int64_t vector = std::max<int64_t>(1, vector_bytes / layout.element_bytes);
  const int64_t lanes_a_trip = vector_bytes <= 4 ? kLanes : kLanes * 4 / vector_bytes;
  BankUse worst;
  for (int64_t warp = 0; warp < fragment.warps(); ++warp)
    for (int64_t reg = 0; reg < fragment.registers(); reg += vector) {
      BankUse use;
      for (int64_t first = 0; first < kLanes; first += lanes_a_trip) {
        Trip trip;
        for (int64_t lane = first; lane < first + lanes_a_trip; ++lane)
          trip.touch(layout.offset(fragment.coordinate(reg, lane, warp)), vector_bytes);
        trip.add_to(use);
      }
      keep_worse(worst, use);
    }
  return worst;
}

BankUse bank_conflicts(const MatrixMovePlan &plan, const SharedLayout &layout, int64_t warps) {
  BankUse worst;
  for (int64_t warp = 0; warp < warps; ++warp)
    for (const MatrixMove &move : plan.moves) {
      BankUse use;
      for (int64_t matrix = 0; matrix < plan.count; ++matrix) {
        Trip trip;
        for (int64_t row = 0; row < 8; ++row)
          trip.touch(layout.offset(plan.row(move, 8 * matrix + row, warp)), 16);
        trip.add_to(use);
      }
      keep_worse(worst, use);
    }
  return worst;
}

int64_t access_bytes(const Fragment &fragment, const SharedLayout &layout) {
  const int64_t run = vector_run(fragment, layout.unit_dim) * layout.element_bytes;
  int64_t bytes = 16;
  auto fits = [&](int64_t stride) { return stride % bytes == 0; };
  while (bytes > layout.element_bytes && !(fits(run) && fits(layout.panel_bytes) && fits(layout.pitch_bytes())))
    bytes /= 2;
  return bytes;
}

} // namespace tegula::layout
