// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one warp: groups of lanes, the lowest program counter first so that diverged lanes meet again; a group that
// spins gives way, so that a lane that waits for another lane of its own warp does not wait for ever.
#include "runtime/emulator/machine/machine.h"
#include "runtime/emulator/ops/control.h"
#include "runtime/emulator/tensor/leak.h"

#include <algorithm>
#include <cstring>

namespace tegula::emulator {
namespace {
constexpr uint32_t kPatience = 4096; // back edges of one group while another group of the warp could run
}

void Warp::start(uint32_t mask) {
  start_mask = live = mask;
  groups.reserve(2 * kLanes);
  Group g;
  g.mask = mask;
  g.frame = push_frame(*launch->function, mask);
  groups.push_back(g);
}

Frame *Warp::push_frame(const Function &f, uint32_t lanes) {
  auto fresh = std::make_unique<Frame>();
  fresh->function = &f;
  fresh->lanes = lanes;
  size_t bytes = f.register_bytes + 64;
  frame_storage.push_back(std::make_unique<std::byte[]>(bytes)); // zeroed: a register nobody set reads as 0
  auto at = reinterpret_cast<uintptr_t>(frame_storage.back().get());
  fresh->registers = reinterpret_cast<std::byte *>((at + 63) / 64 * 64);
  fresh->constants = cta->constants_of(f);
  frames.push_back(std::move(fresh));
  return frames.back().get();
}

void Warp::drop_frame(Frame *f) {
  for (size_t i = 0; i < frames.size(); ++i)
    if (frames[i].get() == f) {
      frames.erase(frames.begin() + static_cast<ptrdiff_t>(i));
      frame_storage.erase(frame_storage.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
}

std::byte *Warp::local_at(unsigned lane, uint64_t offset, unsigned bytes) {
  if (offset > local_stride || bytes > local_stride - offset)
    fault(FindingKind::out_of_bounds,
          "local address " + std::to_string(offset) + " is outside the thread's " + std::to_string(local_stride) +
              " bytes",
          static_cast<int>(lane));
  return local + static_cast<size_t>(lane) * local_stride + offset;
}

void Warp::exit_lanes(uint32_t mask) {
  live &= ~mask;
  auto count = static_cast<uint32_t>(std::popcount(mask));
  cta->live_threads -= count;
  cluster->live_threads -= count;
  if (!live) {
    if (--cta->live_warps == 0)
      report_tensor_leak(*this);
    cta->free_registers += registers * kLanes;
  }
  cta->check_barriers();
  cluster->arrive_cluster_barrier(0);
  ++cluster->events;
}

Group *Warp::pick() {
  for (int round = 0; round < 2; ++round) {
    Group *best = nullptr;
    for (Group &g : groups) {
      if (g.blocked || (g.deferred && round == 0))
        continue;
      if (!best || g.frame->depth > best->frame->depth || (g.frame->depth == best->frame->depth && g.pc < best->pc))
        best = &g;
    }
    if (best)
      return best;
    for (Group &g : groups)
      g.deferred = false;
  }
  return nullptr;
}

bool Warp::run(unsigned quantum) {
  for (Group &g : groups)
    g.blocked = false;
  polling = false;
  bool progressed = false;
  unsigned left = quantum;
  while (left > 0) {
    Group *g = pick();
    if (!g)
      break;
    progressed |= step_group(g, left);
    if (polling || launch->stop.load(std::memory_order_relaxed))
      break;
  }
  instructions += quantum - left;
  if (instructions > launch->options.budget)
    fault(FindingKind::non_termination, "the warp has run " + std::to_string(instructions) + " instructions");
  return progressed;
}

void Warp::enter(const Group &g) {
  frame = g.frame;
  base[0] = frame->registers;
  base[1] = frame->constants;
}

bool Warp::converged(const Group &, const Inst &i, uint32_t mask) const {
  if (i.converge == Converge::aligned)
    return mask == live;
  const uint32_t *member = reg<uint32_t>(i.member);
  uint32_t needed = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      needed |= member[l];
  return (needed & live & ~mask) == 0;
}

void Warp::split(Group &g, uint32_t stay) {
  Group rest = g;
  rest.mask = g.mask & ~stay;
  ++rest.pc;
  g.mask = stay;
  groups.push_back(rest);
}

bool Warp::merge(Group *&g) {
  bool merged = false;
  for (size_t k = 0; k < groups.size();) {
    Group &h = groups[k];
    if (&h == g || h.frame != g->frame || h.pc != g->pc || h.attempted || g->attempted) {
      ++k;
      continue;
    }
    g->mask |= h.mask;
    Group *last = &groups.back();
    if (&h != last)
      h = *last;
    if (g == last)
      g = &h;
    groups.pop_back();
    merged = true;
    k = 0;
  }
  if (merged)
    g->back_edges = 0;
  return merged;
}

/// True if the group goes on alone in this frame.
bool Warp::branch(Group &g, const Inst &i, uint32_t taken) {
  bool back = i.target <= g.pc;
  if (taken == g.mask) {
    g.pc = i.target;
    g.back_edges += back;
    return true;
  }
  split(g, taken);
  g.pc = i.target;
  g.back_edges += back;
  return false;
}

bool Warp::step_group(Group *g, unsigned &quantum) {
  enter(*g);
  const Inst *code = frame->function->code.data();
  bool progressed = false;
  const bool watch = launch->options.checks && !frame->function->wgmma_registers.empty();
  uint32_t other = UINT32_MAX; // the nearest place where another group of this frame stands
  for (const Group &h : groups)
    if (&h != g && h.frame == frame && h.pc > g->pc)
      other = std::min(other, h.pc);
  while (quantum > 0) {
    const Inst &i = code[g->pc];
    now = &i;
    uint32_t mask = g->mask;
    if (i.guard != Guard::none)
      mask &= i.guard == Guard::if_true ? pred(i.guard_pred) : ~pred(i.guard_pred);
    --quantum;
    if (watch && mask != 0)
      wgmma_watch(*this, i);
    if (mask == 0) {
      ++g->pc;
    } else if (i.run) {
      if (i.converge != Converge::none && !converged(*g, i, mask)) {
        if (merge(g)) // with those that came here before
          continue;
        g->blocked = true;
        g->waits_for = i.converge == Converge::aligned ? "the other lanes of the warp, at an aligned instruction"
                                                       : "the other lanes of the member mask";
        return progressed;
      }
      i.run(*this, i, mask);
      ++g->pc;
    } else if (is_branch(i)) {
      if (!branch(*g, i, mask))
        return true;
      if (g->back_edges > kPatience && groups.size() > 1) {
        g->back_edges = 0;
        g->deferred = true;
        return true;
      }
      if (polling)
        return true;
    } else {
      if (mask != g->mask)
        split(*g, mask);
      if (i.converge != Converge::none && !converged(*g, i, mask)) {
        if (merge(g))
          continue;
        g->blocked = true;
        g->waits_for = "the other lanes of the warp, at an aligned instruction";
        return progressed;
      }
      After after = i.control(*this, *g, i);
      if (after == After::blocked) {
        g->blocked = true;
        return progressed;
      }
      if (after == After::jumped)
        return true;
      g->attempted = false;
      ++g->pc;
      if (polling)
        return true;
    }
    progressed = true;
    if (groups.size() > 1 && (g->pc >= other || i.control)) {
      if (merge(g) || g->pc >= other)
        return true;
    }
  }
  return progressed;
}

std::string Warp::where(const Inst *i, int lane) const {
  const Function &f = *frame->function;
  std::string text = "kernel '" + launch->function->name + "'";
  if (f.name != launch->function->name)
    text += " in function '" + f.name + "'";
  const Program &p = *launch->loaded->program;
  if (i) {
    const SourceLocation &at = f.locations[i->location];
    if (at.line)
      text += ", " + std::string(p.file(at.file)) + ":" + std::to_string(at.line);
    text += ", PTX line " + std::to_string(i->line);
  }
  text += ", CTA (" + std::to_string(cta->id.x) + "," + std::to_string(cta->id.y) + "," + std::to_string(cta->id.z) +
          "), warp " + std::to_string(index);
  if (lane >= 0)
    text += ", thread (" + std::to_string(tid[0][lane]) + "," + std::to_string(tid[1][lane]) + "," +
            std::to_string(tid[2][lane]) + ")";
  return text;
}

void Warp::fault(FindingKind kind, const std::string &message, int lane) const {
  throw Fault{kind, message + "\n  at " + where(now, lane)};
}

void Warp::report(FindingKind kind, const std::string &message, int lane) const {
  launch->report(kind, message + "\n  at " + where(now, lane), now ? now->line : 0);
}

} // namespace tegula::emulator
