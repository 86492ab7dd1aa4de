// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, exit, trap.
#include "runtime/emulator/ops/control.h"

#include "runtime/emulator/machine/machine.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {

After branch_control(Warp &, Group &, const Inst &) { return After::next; }

namespace {

void remove_group(Warp &w, Group &g) {
  Group *last = &w.groups.back();
  if (&g != last)
    g = *last;
  w.groups.pop_back();
}

After exit_control(Warp &w, Group &g, const Inst &) {
  uint32_t mask = g.mask;
  remove_group(w, g);
  w.exit_lanes(mask);
  return After::jumped;
}

After trap_control(Warp &w, Group &g, const Inst &) {
  w.fault(FindingKind::trap, "the kernel executed trap", std::countr_zero(g.mask));
}

/// list: none; extra: the labels' ids.
After indexed_branch(Warp &w, Group &g, const Inst &i) {
  const auto &labels = *static_cast<const std::vector<uint32_t> *>(i.extra);
  const uint32_t *index = w.reg<uint32_t>(i.s[0]);
  uint32_t first = index[std::countr_zero(g.mask)], same = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    if (g.mask >> l & 1 && index[l] == first)
      same |= 1u << l;
  if (first >= labels.size())
    w.fault(FindingKind::illegal_instruction,
            "brx.idx with index " + std::to_string(first) + " of " + std::to_string(labels.size()) + " targets",
            std::countr_zero(g.mask));
  if (same != g.mask) { // the others run it again, with their own index
    Group rest = g;
    rest.mask &= ~same;
    w.groups.push_back(rest);
    g.mask = same;
  }
  g.pc = g.frame->function->label_pc[labels[first]];
  return After::jumped;
}

} // namespace

void decode_bra(Decoder &d) {
  (void)d.take(".uni");
  d.expect_operands(1, 1);
  Inst i;
  i.control = &branch_control;
  i.target = d.label(d.operand(0).name);
  d.emit(i);
}

void decode_brx(Decoder &d) {
  (void)d.take(".idx");
  (void)d.take(".uni");
  const auto *names = d.target_list(d.operand(1).name);
  if (!names)
    d.refuse("its target list is not declared");
  std::vector<uint32_t> labels;
  for (std::string_view n : *names)
    labels.push_back(d.label(n));
  Inst i;
  i.control = &indexed_branch;
  i.s[0] = d.use(0, Type::u32);
  i.extra = d.keep_extra(std::move(labels));
  d.emit(i);
}

void decode_exit(Decoder &d) {
  Inst i;
  i.control = &exit_control;
  d.emit(i);
}

void decode_trap(Decoder &d) {
  Inst i;
  i.control = &trap_control;
  d.emit(i);
}

Control exit_of_entry() { return &exit_control; }

} // namespace tegula::emulator
