#!/usr/bin/env python3
# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes programs.ptx: one entry an instruction form, each reading three 64-bit words a thread and writing one.
# In a form, {a} {b} {c} are sources and {d} the destination, of the register class that follows the colon.

FORMS = []


def form(text, approx=False):
    FORMS.append((text, approx))


def forms():
    for t in "u16 s16 u32 s32 u64 s64".split():
        r = {"16": "h", "32": "r", "64": "l"}[t[1:]]
        for op in "add sub min max".split():
            form(f"{op}.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}};")
        for op in ("mul.lo", "mul.hi"):
            form(f"{op}.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}};")
        for op in ("mad.lo", "mad.hi"):
            form(f"{op}.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}}, {{c:{r}}};")
        form(f"or.b{t[1:]} {{t:{r}}}, {{b:{r}}}, 1; div.{t} {{d:{r}}}, {{a:{r}}}, {{t:{r}}};")
        form(f"or.b{t[1:]} {{t:{r}}}, {{b:{r}}}, 1; rem.{t} {{d:{r}}}, {{a:{r}}}, {{t:{r}}};")
        form(f"shr.{t} {{d:{r}}}, {{a:{r}}}, {{b:r}};")
        if t[1:] != "64":
            w = {"h": "r", "r": "l"}[r]
            form(f"mul.wide.{t} {{d:{w}}}, {{a:{r}}}, {{b:{r}}};")
            form(f"mad.wide.{t} {{d:{w}}}, {{a:{r}}}, {{b:{r}}}, {{c:{w}}};")
        for cmp in "eq ne lt le gt ge".split():
            form(f"setp.{cmp}.{t} %p1, {{a:{r}}}, {{b:{r}}}; selp.b32 {{d:r}}, 1, 0, %p1;")
        if t[0] == "s":
            form(f"abs.{t} {{d:{r}}}, {{a:{r}}};")
            form(f"neg.{t} {{d:{r}}}, {{a:{r}}};")
    for t in "u32 s32 u64 s64".split():
        r = {"32": "r", "64": "l"}[t[1:]]
        form(f"and.b32 {{b:r}}, {{b:r}}, 255; and.b32 {{c:r}}, {{c:r}}, 255; bfe.{t} {{d:{r}}}, {{a:{r}}}, {{b:r}}, {{c:r}};")
        form(f"bfind.{t} {{d:r}}, {{a:{r}}};")
        form(f"bfind.shiftamt.{t} {{d:r}}, {{a:{r}}};")
        form(f"sad.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}}, {{c:{r}}};")
    for w, r in (("32", "r"), ("64", "l")):
        form(f"and.b32 {{c:r}}, {{c:r}}, 255; and.b32 {{e:r}}, {{e:r}}, 255; bfi.b{w} {{d:{r}}}, {{a:{r}}}, {{b:{r}}}, {{c:r}}, {{e:r}};")
        form(f"clz.b{w} {{d:r}}, {{a:{r}}};")
        form(f"popc.b{w} {{d:r}}, {{a:{r}}};")
        form(f"brev.b{w} {{d:{r}}}, {{a:{r}}};")
        form(f"cnot.b{w} {{d:{r}}}, {{a:{r}}};")
        form(f"shl.b{w} {{d:{r}}}, {{a:{r}}}, {{b:r}};")
    form("shl.b16 {d:h}, {a:h}, {b:r};")
    for m in "l.wrap l.clamp r.wrap r.clamp".split():
        form(f"shf.{m}.b32 {{d:r}}, {{a:r}}, {{b:r}}, {{c:r}};")
    for m in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        form(f"prmt.b32{m} {{d:r}}, {{a:r}}, {{b:r}}, {{c:r}};")
    for lut in (0x96, 0xE8, 0x1B, 0x4D):
        form(f"lop3.b32 {{d:r}}, {{a:r}}, {{b:r}}, {{c:r}}, {lut};")
    form("bmsk.clamp.b32 {d:r}, {a:r}, {b:r};")
    form("bmsk.wrap.b32 {d:r}, {a:r}, {b:r};")
    form("szext.clamp.s32 {d:r}, {a:r}, {b:r};")
    form("szext.wrap.u32 {d:r}, {a:r}, {b:r};")
    form("and.b32 {b:r}, {b:r}, 31; fns.b32 {d:r}, {a:r}, {b:r}, {c:r};")
    for x in "us":
        for y in "us":
            form(f"dp4a.{x}32.{y}32 {{d:r}}, {{a:r}}, {{b:r}}, {{c:r}};")
            form(f"dp2a.lo.{x}32.{y}32 {{d:r}}, {{a:r}}, {{b:r}}, {{c:r}};")
            form(f"dp2a.hi.{x}32.{y}32 {{d:r}}, {{a:r}}, {{b:r}}, {{c:r}};")
    form("add.sat.s32 {d:r}, {a:r}, {b:r};")
    form("sub.sat.s32 {d:r}, {a:r}, {b:r};")
    for x in ("u32", "s32"):
        form(f"mul24.lo.{x} {{d:r}}, {{a:r}}, {{b:r}};")
        form(f"mul24.hi.{x} {{d:r}}, {{a:r}}, {{b:r}};")
    form("add.cc.u32 {t:r}, {a:r}, {b:r}; addc.u32 {d:r}, {b:r}, {c:r};")
    form("sub.cc.u32 {t:r}, {a:r}, {b:r}; subc.u32 {d:r}, {b:r}, {c:r};")
    form("add.cc.u64 {t:l}, {a:l}, {b:l}; addc.u64 {d:l}, {b:l}, {c:l};")
    for t in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            form(f"{op}.{t} {{d:r}}, {{a:r}}, {{b:r}};")
    # f32 and f64
    for rnd in ("rn", "rz", "rm", "rp"):
        for op in ("add", "sub", "mul"):
            for mod in ("", ".ftz", ".sat", ".ftz.sat"):
                form(f"{op}.{rnd}{mod}.f32 {{d:f}}, {{a:f}}, {{b:f}};")
            form(f"{op}.{rnd}.f64 {{d:d}}, {{a:d}}, {{b:d}};")
        for mod in ("", ".ftz", ".sat"):
            form(f"fma.{rnd}{mod}.f32 {{d:f}}, {{a:f}}, {{b:f}}, {{c:f}};")
        form(f"fma.{rnd}.f64 {{d:d}}, {{a:d}}, {{b:d}}, {{c:d}};")
        form(f"div.{rnd}.f32 {{d:f}}, {{a:f}}, {{b:f}};")
        form(f"div.{rnd}.ftz.f32 {{d:f}}, {{a:f}}, {{b:f}};")
        form(f"div.{rnd}.f64 {{d:d}}, {{a:d}}, {{b:d}};")
        for op in ("rcp", "sqrt"):
            form(f"{op}.{rnd}.f32 {{d:f}}, {{a:f}};")
            form(f"{op}.{rnd}.ftz.f32 {{d:f}}, {{a:f}};")
            form(f"{op}.{rnd}.f64 {{d:d}}, {{a:d}};")
    for op in ("min", "max"):
        for mod in ("", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
            form(f"{op}{mod}.f32 {{d:f}}, {{a:f}}, {{b:f}};")
        form(f"{op}.f64 {{d:d}}, {{a:d}}, {{b:d}};")
    for op in ("abs", "neg"):
        form(f"{op}.f32 {{d:f}}, {{a:f}};")
        form(f"{op}.ftz.f32 {{d:f}}, {{a:f}};")
        form(f"{op}.f64 {{d:d}}, {{a:d}};")
    form("copysign.f32 {d:f}, {a:f}, {b:f};")
    form("copysign.f64 {d:d}, {a:d}, {b:d};")
    for k in "finite infinite number notanumber normal subnormal".split():
        form(f"testp.{k}.f32 %p1, {{a:f}}; selp.b32 {{d:r}}, 1, 0, %p1;")
        form(f"testp.{k}.f64 %p1, {{a:d}}; selp.b32 {{d:r}}, 1, 0, %p1;")
    for cmp in "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split():
        form(f"setp.{cmp}.f32 %p1, {{a:f}}, {{b:f}}; selp.b32 {{d:r}}, 1, 0, %p1;")
        form(f"setp.{cmp}.ftz.f32 %p1, {{a:f}}, {{b:f}}; selp.b32 {{d:r}}, 1, 0, %p1;")
        form(f"setp.{cmp}.f64 %p1, {{a:d}}, {{b:d}}; selp.b32 {{d:r}}, 1, 0, %p1;")
        form(f"setp.{cmp}.f16 %p1, {{a:h}}, {{b:h}}; selp.b32 {{d:r}}, 1, 0, %p1;")
        form(f"setp.{cmp}.bf16 %p1, {{a:h}}, {{b:h}}; selp.b32 {{d:r}}, 1, 0, %p1;")
    form("set.lt.f32.f32 {d:f}, {a:f}, {b:f};")
    form("set.ge.u32.s32 {d:r}, {a:r}, {b:r};")
    form("slct.b32.s32 {d:r}, {a:r}, {b:r}, {c:r};")
    form("slct.f32.f32 {d:f}, {a:f}, {b:f}, {c:f};")
    # halves
    for t, r in (("f16", "h"), ("f16x2", "r"), ("bf16", "h"), ("bf16x2", "r")):
        for op in ("add", "sub", "mul"):
            form(f"{op}.rn.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}};")
            if t[0] == "f":
                form(f"{op}.rn.ftz.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}};")
                form(f"{op}.rn.sat.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}};")
        form(f"fma.rn.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}}, {{c:{r}}};")
        form(f"fma.rn.relu.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}}, {{c:{r}}};")
        if t[0] == "f":
            form(f"fma.rn.ftz.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}}, {{c:{r}}};")
            form(f"fma.rn.sat.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}}, {{c:{r}}};")
        for op in ("min", "max"):
            form(f"{op}.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}};")
            form(f"{op}.NaN.{t} {{d:{r}}}, {{a:{r}}}, {{b:{r}}};")
        form(f"abs.{t} {{d:{r}}}, {{a:{r}}};")
        form(f"neg.{t} {{d:{r}}}, {{a:{r}}};")
    # conversions
    ints = {"u8": "r", "s8": "r", "u16": "h", "s16": "h", "u32": "r", "s32": "r", "u64": "l", "s64": "l"}
    for to, rt in ints.items():
        for frm, rf in ints.items():
            if to != frm:
                form(f"cvt.{to}.{frm} {{d:{rt}}}, {{a:{rf}}};")
        for f, rf in (("f32", "f"), ("f64", "d"), ("f16", "h")):
            for rnd in ("rni", "rzi", "rmi", "rpi"):
                form(f"cvt.{rnd}.{to}.{f} {{d:{rt}}}, {{a:{rf}}};")
            for rnd in ("rn", "rz", "rm", "rp"):
                form(f"cvt.{rnd}.{f}.{to} {{d:{rf}}}, {{a:{rt}}};")
        form(f"cvt.rzi.ftz.{to}.f32 {{d:{rt}}}, {{a:f}};")
    for to in ("u8", "s8", "u16", "s16", "u32"):
        form(f"cvt.sat.{to}.s32 {{d:{ints[to]}}}, {{a:r}};")
    for rnd in ("rn", "rz", "rm", "rp"):
        form(f"cvt.{rnd}.f32.f64 {{d:f}}, {{a:d}};")
        form(f"cvt.{rnd}.f16.f32 {{d:h}}, {{a:f}};")
        form(f"cvt.{rnd}.f16.f64 {{d:h}}, {{a:d}};")
    for rnd in ("rn", "rz"):
        for m in ("", ".relu"):
            form(f"cvt.{rnd}{m}.bf16.f32 {{d:h}}, {{a:f}};")
            form(f"cvt.{rnd}{m}.f16x2.f32 {{d:r}}, {{a:f}}, {{b:f}};")
            form(f"cvt.{rnd}{m}.bf16x2.f32 {{d:r}}, {{a:f}}, {{b:f}};")
    form("cvt.rn.ftz.f32.f64 {d:f}, {a:d};")
    form("cvt.rn.sat.f16.f32 {d:h}, {a:f};")
    form("cvt.f64.f32 {d:d}, {a:f};")
    form("cvt.ftz.f64.f32 {d:d}, {a:f};")
    form("cvt.f32.f16 {d:f}, {a:h};")
    form("cvt.f64.f16 {d:d}, {a:h};")
    form("cvt.f32.bf16 {d:f}, {a:h};")
    form("cvt.sat.f32.f32 {d:f}, {a:f};")
    form("cvt.ftz.sat.f32.f32 {d:f}, {a:f};")
    for rnd in ("rni", "rzi", "rmi", "rpi"):
        form(f"cvt.{rnd}.f32.f32 {{d:f}}, {{a:f}};")
        form(f"cvt.{rnd}.ftz.f32.f32 {{d:f}}, {{a:f}};")
        form(f"cvt.{rnd}.f64.f64 {{d:d}}, {{a:d}};")
        form(f"cvt.{rnd}.f16.f16 {{d:h}}, {{a:h}};")
    form("cvt.rna.tf32.f32 {d:r}, {a:f};")
    form("cvt.rn.tf32.f32 {d:r}, {a:f};")
    form("cvt.rz.tf32.f32 {d:r}, {a:f};")
    for t in ("e4m3x2", "e5m2x2"):
        form(f"cvt.rn.satfinite.{t}.f32 {{d:h}}, {{a:f}}, {{b:f}};")
        form(f"cvt.rn.satfinite.relu.{t}.f32 {{d:h}}, {{a:f}}, {{b:f}};")
        form(f"cvt.rn.satfinite.{t}.f16x2 {{d:h}}, {{a:r}};")
        form(f"cvt.rn.f16x2.{t} {{d:r}}, {{a:h}};")
    # approximations: compared within their documented error
    for op in ("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos"):
        form(f"{op}.approx.f32 {{d:f}}, {{a:f}};", approx=True)
        form(f"{op}.approx.ftz.f32 {{d:f}}, {{a:f}};", approx=True)
    form("tanh.approx.f32 {d:f}, {a:f};", approx=True)
    form("div.approx.f32 {d:f}, {a:f}, {b:f};", approx=True)
    form("div.full.f32 {d:f}, {a:f}, {b:f};", approx=True)
    # warp collectives
    for m in ("up", "down", "bfly", "idx"):
        form(f"and.b32 {{t:r}}, {{b:r}}, 31; shfl.sync.{m}.b32 {{d:r}}|%p1, {{a:r}}, {{t:r}}, {0 if m == 'up' else 31}, -1; @%p1 add.u32 {{d:r}}, {{d:r}}, 7;")
        form(f"shfl.sync.{m}.b32 {{d:r}}|%p1, {{a:r}}, 3, {0x1800 if m == 'up' else 0x181f}, -1; @%p1 add.u32 {{d:r}}, {{d:r}}, 7;")
    form("setp.lt.s32 %p1, {a:r}, {b:r}; vote.sync.ballot.b32 {d:r}, %p1, -1;")
    for m in ("all", "any", "uni"):
        form(f"setp.ne.u32 %p1, {{a:r}}, 0; vote.sync.{m}.pred %p1, %p1, -1; selp.b32 {{d:r}}, 1, 0, %p1;")
    form("and.b32 {t:r}, {a:r}, 3; match.any.sync.b32 {d:r}, {t:r}, -1;")
    form("match.all.sync.b32 {d:r}|%p1, 5, -1; @!%p1 mov.u32 {d:r}, 1;")
    for op, ts in (("add", "u32 s32"), ("min", "u32 s32"), ("max", "u32 s32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")):
        for t in ts.split():
            form(f"redux.sync.{op}.{t} {{d:r}}, {{a:r}}, -1;")
    form("elect.sync {d:r}|%p1, -1; @%p1 add.u32 {d:r}, {d:r}, 100;")
    # atomics on shared memory: lanes of a warp, one place each
    for op, t, r in (("add", "u32", "r"), ("add", "u64", "l"), ("min", "s32", "r"), ("max", "u32", "r"), ("and", "b32", "r"),
                     ("inc", "u32", "r"), ("dec", "u32", "r"), ("exch", "b32", "r"), ("add", "f32", "f"), ("add", "f64", "d")):
        size = 8 if r in "ld" else 4
        form(f"mov.u32 %m, %tid.x; mov.u32 %i2, scratch; mad.lo.u32 %m, %m, 8, %i2; st.shared.b{size * 8} [%m], {{a:{r}}}; "
             f"atom.shared.{op}.{t} {{t:{r}}}, [%m], {{b:{r}}}; ld.shared.b{size * 8} {{d:{r}}}, [%m];")


BANKS = {"h": ("%h", 16), "r": ("%r", 32), "l": ("%l", 64), "f": ("%f", 32), "d": ("%d", 64)}


def entry(index, text):
    lines = [f".visible .entry t{index:03}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po)", "{",
             ".reg .pred %p1;", ".reg .b32 %m, %i, %i2;", ".reg .b64 %x, %at;"]
    for bank, (prefix, bits) in BANKS.items():
        kind = {"f": ".f32", "d": ".f64"}.get(bank, f".b{bits}")
        lines.append(f".reg {kind} " + ", ".join(prefix + v for v in "abcdet") + ";")
    lines.append(".shared .align 8 .b8 scratch[2048];")
    lines += ["mov.u32 %i, %ctaid.x;", "mov.u32 %m, %tid.x;",
              "shl.b32 %i, %i, 7;", "add.u32 %i, %i, %m;"]
    for v, p in (("a", "pa"), ("b", "pb"), ("c", "pc"), ("e", "pa")):
        lines += [f"ld.param.u64 %x, [{p}];", "mad.wide.u32 %x, %i, 8, %x;"]
        lines.append(f"ld.global.b64 %l{v}, [%x];")
        lines.append(f"cvt.u32.u64 %r{v}, %l{v};")
        lines.append(f"cvt.u16.u64 %h{v}, %l{v};")
        lines.append(f"mov.b32 %f{v}, %r{v};")
        lines.append(f"mov.b64 %d{v}, %l{v};")
    lines.append("shr.u32 %re, %re, 3;")
    for reg in ("%hd", "%rd", "%ld"):
        lines.append(f"mov.b{ {'h': 16, 'r': 32, 'l': 64}[reg[1]] } {reg}, 0;")
    out = text
    bank = "r"
    for b in BANKS:
        for v in "abcdet":
            if "{%s:%s}" % (v, b) in out:
                if v == "d":
                    bank = b
                out = out.replace("{%s:%s}" % (v, b), BANKS[b][0] + v)
    lines.append(out)
    lines.append({"h": "cvt.u64.u16 %x, %hd;", "r": "cvt.u64.u32 %x, %rd;", "l": "mov.b64 %x, %ld;",
                  "f": "mov.b32 %m, %fd; cvt.u64.u32 %x, %m;", "d": "mov.b64 %x, %dd;"}[bank])
    lines += ["ld.param.u64 %at, [po];", "mad.wide.u32 %at, %i, 8, %at;", "st.global.b64 [%at], %x;", "ret;", "}"]
    return "\n".join(lines)


if __name__ == "__main__":
    forms()
    print("// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("// Written by make_programs.py; one entry an instruction form, named in the comment before it.")
    print(".version 8.7\n.target sm_90a\n.address_size 64")
    for n, (text, approx) in enumerate(FORMS):
        print(f"// t{n:03}{' approx' if approx else ''}: {text}")
        print(entry(n, text))
