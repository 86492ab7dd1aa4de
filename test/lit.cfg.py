# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How lit runs the tests of IR and of the command line. What it needs to know of the build comes from lit.site.cfg.py.
import os
import shutil

import lit.formats

config.name = "Tegula"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tegula_build, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.tegula_build, "bin"), config.llvm_tools, os.environ.get("PATH", "")]
)
# Tests leave the user's kernel cache alone.
config.environment["TEGULA_CACHE_DIR"] = os.path.join(config.tegula_build, "test", "kernel-cache")

# `REQUIRES: ptxas` keeps a test to machines where PTX can be assembled.
ptxas = os.environ.get("TEGULA_PTXAS") or shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
if os.path.exists(ptxas):
    config.available_features.add("ptxas")
    config.environment["TEGULA_PTXAS"] = ptxas
for option in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if option in os.environ:
        config.environment[option] = os.environ[option]
