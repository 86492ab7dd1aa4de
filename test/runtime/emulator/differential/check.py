#!/usr/bin/env python3
# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs all programs on the emulator and compares with what an H200 gave: bits by a hash for each form, approximations
# value by value within their documented error.   check.py RUN_PROGRAMS EMULATOR [--record RESULTS_OF_HARDWARE MACHINE]
import hashlib
import math
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HASHES, VALUES = os.path.join(HERE, "golden_h200.txt"), os.path.join(HERE, "golden_h200_approx.bin")
N = 1024


def programs():
    text = subprocess.run([sys.executable, os.path.join(HERE, "make_programs.py")], check=True, capture_output=True,
                          text=True).stdout
    forms = [line[3:] for line in text.splitlines() if line.startswith("// t")]
    return text, [(f.split(":")[0].endswith("approx"), f.split(": ", 1)[1]) for f in forms]


def rows(data, n):
    return [data[i * N * 8:(i + 1) * N * 8] for i in range(n)]


def value(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def ulps(a, b):
    if (a & 0x7fffffff) > 0x7f800000 or (b & 0x7fffffff) > 0x7f800000:
        return 0 if a == b else math.inf
    key = lambda x: x if x < 0x80000000 else 0x80000000 - x
    return abs(key(a) - key(b))


def close(form, got, want, source):
    """Bounds of PTX ISA 9.0: rcp 1 ulp, rsqrt 2^-22.9, sqrt as x * rsqrt, ex2 2 ulp, div 2 ulp, tanh 2^-11, lg2 and sin absolute."""
    op = form.split(".")[0]
    if got == want:
        return True
    a, b = value(got), value(want)
    if op in ("sin", "cos"):
        return abs(source) > 2 * math.pi or not math.isfinite(source) or abs(a - b) <= 2 ** -20
    if op == "lg2":
        return abs(a - b) <= max(2 ** -22, abs(b) * 2 ** -22)
    if op == "tanh":
        return abs(a - b) <= abs(b) * 2 ** -10
    if op == "div" and not (2 ** -126 <= abs(source) <= 2 ** 126):
        return True
    return ulps(got, want) <= {"rcp": 1, "rsqrt": 2, "sqrt": 3, "ex2": 3, "div": 3}[op]


def main():
    text, forms = programs()
    if "--record" in sys.argv:
        data = rows(open(sys.argv[sys.argv.index("--record") + 1], "rb").read(), len(forms))
        with open(HASHES, "w") as out:
            out.write("# " + sys.argv[-1] + "\n")
            for (approx, form), row in zip(forms, data):
                out.write(f"{'approx' if approx else hashlib.sha256(row).hexdigest()[:16]} {form}\n")
        with open(VALUES, "wb") as out:
            for (approx, _), row in zip(forms, data):
                if approx:
                    out.write(struct.pack(f"<{N}I", *(v & 0xffffffff for v in struct.unpack(f"<{N}Q", row))))
        return 0
    runner, emulator = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        ptx, results = os.path.join(folder, "programs.ptx"), os.path.join(folder, "results.bin")
        open(ptx, "w").write(text)
        subprocess.run([runner, emulator, ptx, results], check=True)
        data = open(results, "rb").read()
    operands = struct.unpack(f"<{N}Q", data[len(forms) * N * 8:])
    golden = [line.rstrip("\n").split(" ", 1) for line in open(HASHES) if not line.startswith("#")]
    values = open(VALUES, "rb").read()
    bad, at = 0, 0
    for (approx, form), row, (want, want_form) in zip(forms, rows(data, len(forms)), golden, strict=True):
        if form != want_form:
            print(f"the golden data is for other programs: '{want_form}', not '{form}'")
            return 1
        if not approx:
            ok = hashlib.sha256(row).hexdigest()[:16] == want
        else:
            hw = struct.unpack(f"<{N}I", values[at * N * 4:(at + 1) * N * 4])
            at += 1
            got = struct.unpack(f"<{N}Q", row)
            wrong = [i for i in range(N) if not close(form, got[i] & 0xffffffff, hw[i], value(operands[i] & 0xffffffff))]
            ok = not wrong
            if wrong:
                i = wrong[0]
                print(f"  {form}: {len(wrong)}, e.g. {operands[i] & 0xffffffff:08x}: {got[i]:08x}, hardware {hw[i]:08x}")
        if not ok:
            print("differs:", form)
            bad += 1
    print(f"{len(forms)} forms over {N} operands, {bad} differ from the H200")
    return bad != 0


sys.exit(main())
