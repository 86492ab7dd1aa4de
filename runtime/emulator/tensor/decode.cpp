// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts the forms of tcgen05.
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/tensor/decoders.h"

namespace tegula::emulator {

unsigned take_cta_group(Decoder &d) {
  int g = d.take_any({".cta_group::1", ".cta_group::2"});
  if (g < 0)
    d.refuse("it has no .cta_group");
  auto group = static_cast<uint8_t>(g + 1);
  uint8_t &seen = d.into().cta_group;
  if (seen != 0 && seen != group)
    d.refuse("the function uses .cta_group::" + std::to_string(seen) + " before; one function has one value");
  seen = group;
  return group;
}

namespace {
template <class F> uint32_t uniform(const Warp &w, uint32_t mask, const char *what, F value) {
  uint32_t first = value(static_cast<unsigned>(std::countr_zero(mask)));
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1 && value(l) != first)
      w.fault(FindingKind::tensor_memory,
              std::string(what) + " differs within the warp: " + std::to_string(first) + " and " +
                  std::to_string(value(l)),
              static_cast<int>(l));
  return first;
}
} // namespace

uint32_t uniform_operand(Warp &w, Slot s, uint32_t mask, const char *what) {
  return uniform(w, mask, what, [&](unsigned l) { return w.reg<uint32_t>(s)[l]; });
}

uint32_t uniform_address(Warp &w, const Address &a, uint32_t mask, const char *what) {
  return uniform(w, mask, what, [&](unsigned l) { return static_cast<uint32_t>(address_of(w, a, l)); });
}

void decode_tcgen05(Decoder &d) {
  const std::string &target = d.program().target;
  if (target.rfind("sm_10", 0) != 0 || (target.back() != 'a' && target.back() != 'f'))
    d.refuse("it needs the target sm_100a, the module's is " + target);
  static constexpr struct {
    std::string_view form;
    DecodeFn decode;
  } kForms[] = {{".alloc", decode_tensor_allocation},
                {".dealloc", decode_tensor_allocation},
                {".relinquish_alloc_permit", decode_tensor_allocation},
                {".ld", decode_tensor_transfer},
                {".st", decode_tensor_transfer},
                {".cp", decode_tensor_copy},
                {".shift", decode_tensor_copy},
                {".mma", decode_tensor_mma},
                {".commit", decode_tensor_sync},
                {".wait::ld", decode_tensor_sync},
                {".wait::st", decode_tensor_sync},
                {".fence::before_thread_sync", decode_tensor_sync},
                {".fence::after_thread_sync", decode_tensor_sync}};
  for (const auto &f : kForms)
    if (!d.ast().modifiers.empty() && d.ast().modifiers[0] == f.form)
      return f.decode(d);
  d.refuse("this form is not emulated");
}

} // namespace tegula::emulator
