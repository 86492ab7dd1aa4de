// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// call and ret: a frame an activation, arguments copied as bytes of local memory; and the system's own functions.
#include "runtime/emulator/ops/calls.h"

#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/control.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/moves.h"
#include "runtime/emulator/ops/print.h"
#include "runtime/emulator/program/decoder.h"

#include <cstring>

namespace tegula::emulator {

Control exit_of_entry();

namespace {

struct CallSite {
  uint32_t callee = 0;
  bool indirect = false;
  std::vector<Parameter> arguments, results; // variables of the caller's frame
};

void copy_bytes(Warp &w, uint32_t mask, const Frame &from_frame, const Parameter &from, const Frame &to_frame,
                const Parameter &to) {
  unsigned bytes = std::min(from.bytes, to.bytes);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      std::memcpy(w.local_at(l, to_frame.local_base + to.offset, bytes),
                  w.local_at(l, from_frame.local_base + from.offset, bytes), bytes);
}

std::string_view c_string(Warp &w, uint64_t address, unsigned lane) {
  const char *begin = reinterpret_cast<const char *>(place(w, address, 1, Space::generic, Use::read, lane));
  auto a = w.launch->memory->find(address);
  size_t room = a ? a->bytes - (address - a->base) : 1;
  return {begin, strnlen(begin, room)};
}

template <class T> T argument(Warp &w, const CallSite &site, size_t n, unsigned lane) {
  T v{};
  if (n < site.arguments.size())
    std::memcpy(&v, w.local_at(lane, w.frame->local_base + site.arguments[n].offset, sizeof v), sizeof v);
  return v;
}

void set_result(Warp &w, const CallSite &site, unsigned lane, uint64_t value) {
  if (site.results.empty())
    return;
  unsigned bytes = std::min(site.results[0].bytes, 8u);
  std::memcpy(w.local_at(lane, w.frame->local_base + site.results[0].offset, bytes), &value, bytes);
}

void builtin(Warp &w, uint32_t mask, const CallSite &site, const std::string &name) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    if (name == "vprintf") {
      auto format = c_string(w, argument<uint64_t>(w, site, 0, l), l);
      set_result(w, site, l, static_cast<uint64_t>(print(w, format, argument<uint64_t>(w, site, 1, l), l)));
    } else if (name == "malloc") {
      set_result(w, site, l, w.launch->memory->allocate(argument<uint64_t>(w, site, 0, l), 16, ""));
    } else if (name == "free") {
      uint64_t at = argument<uint64_t>(w, site, 0, l);
      if (at && !w.launch->memory->release(at))
        w.fault(FindingKind::use_after_free, "free of an address that malloc did not give", static_cast<int>(l));
    } else {
      std::string text = "assertion '" + std::string(c_string(w, argument<uint64_t>(w, site, 0, l), l)) + "' failed, " +
                         std::string(c_string(w, argument<uint64_t>(w, site, 1, l), l)) + ":" +
                         std::to_string(argument<uint32_t>(w, site, 2, l));
      w.fault(FindingKind::assertion, text, static_cast<int>(l));
    }
  }
}

After call_control(Warp &w, Group &g, const Inst &i) {
  const auto &site = *static_cast<const CallSite *>(i.extra);
  const Program &p = *w.launch->loaded->program;
  uint32_t callee = site.callee;
  uint32_t mask = g.mask;
  if (site.indirect) {
    const uint64_t *target = w.reg<uint64_t>(i.s[0]);
    uint64_t first = target[std::countr_zero(mask)];
    callee = static_cast<uint32_t>(first - kFunctionWindow);
    if (first < kFunctionWindow || first - kFunctionWindow >= p.functions.size())
      w.fault(FindingKind::illegal_instruction, "indirect call of an address that is no function",
              std::countr_zero(mask));
    uint32_t same = 0;
    for (unsigned l = 0; l < kLanes; ++l)
      if (mask >> l & 1 && target[l] == first)
        same |= 1u << l;
    if (same != mask) {
      Group rest = g;
      rest.mask &= ~same;
      w.groups.push_back(rest);
      g.mask = mask = same;
    }
  }
  const Function &f = p.functions[callee];
  if (f.is_builtin) {
    builtin(w, mask, site, f.name);
    return After::next;
  }
  Frame *caller = g.frame;
  if (caller->depth > 4096)
    w.fault(FindingKind::stack_overflow, "calls nested more than 4096 deep", std::countr_zero(mask));
  Frame *frame = w.push_frame(f, mask);
  frame->parent = caller;
  frame->depth = caller->depth + 1;
  frame->local_base = caller->local_base + caller->function->local_bytes;
  if (frame->local_base + f.local_bytes > w.local_stride)
    w.fault(FindingKind::stack_overflow,
            "the thread's stack of " + std::to_string(w.local_stride) + " bytes is used up", std::countr_zero(mask));
  frame->return_pc = g.pc + 1;
  frame->call = &i;
  for (size_t n = 0; n < std::min(site.arguments.size(), f.params.size()); ++n)
    copy_bytes(w, mask, *caller, site.arguments[n], *frame, f.params[n]);
  g.frame = frame;
  g.pc = 0;
  return After::jumped;
}

After ret_control(Warp &w, Group &g, const Inst &i) {
  Frame *frame = g.frame;
  if (!frame->parent)
    return exit_of_entry()(w, g, i);
  const auto &site = *static_cast<const CallSite *>(frame->call->extra);
  for (size_t n = 0; n < std::min(site.results.size(), frame->function->results.size()); ++n)
    copy_bytes(w, g.mask, *frame, frame->function->results[n], *frame->parent, site.results[n]);
  frame->lanes &= ~g.mask;
  g.frame = frame->parent;
  g.pc = frame->return_pc;
  if (!frame->lanes)
    w.drop_frame(frame);
  return After::jumped;
}

std::vector<Parameter> variables(Decoder &d, const Operand &list) {
  std::vector<Parameter> out;
  auto add = [&](const Operand &o) {
    const Parameter *p = o.kind == OperandKind::name ? d.param_variable(o.name) : nullptr;
    if (!p)
      d.refuse("an argument that is no .param variable is not emulated");
    out.push_back(*p);
  };
  if (list.kind == OperandKind::vector)
    for (const Operand &o : list.parts)
      add(o);
  else
    add(list);
  return out;
}

} // namespace

bool is_builtin(std::string_view name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail";
}

Control return_control() { return &ret_control; }

void decode_call(Decoder &d) {
  (void)d.take(".uni");
  // call (results), function, (arguments), prototype; all but the function may be absent.
  CallSite site;
  size_t at = 0;
  if (d.operand(0).kind == OperandKind::vector) {
    site.results = variables(d, d.operand(0));
    at = 1;
  }
  Inst i;
  i.control = &call_control;
  const Operand &f = d.operand(at);
  if (d.is_register(f)) {
    site.indirect = true;
    i.s[0] = d.use(f, Type::u64);
    d.into().calls_indirectly = true;
  } else {
    site.callee = d.function_named(f.name);
  }
  if (d.operands() > at + 1 && d.operand(at + 1).kind == OperandKind::vector)
    site.arguments = variables(d, d.operand(at + 1));
  i.extra = d.keep_extra(std::move(site));
  d.emit(i);
}

void decode_ret(Decoder &d) {
  (void)d.take(".uni");
  Inst i;
  i.control = &ret_control;
  d.emit(i);
}

} // namespace tegula::emulator
