// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of both instruction sets, declared for the registry.
#pragma once

#include "runtime/emulator/lanes/lanes.h"

#define TEGULA_DECLARE_LANES(ns)                                                                                       \
  namespace tegula::emulator::ns {                                                                                     \
  HandlerTable integer_table();                                                                                        \
  HandlerTable bits_table();                                                                                           \
  HandlerTable real_table();                                                                                           \
  HandlerTable directed_table();                                                                                       \
  HandlerTable half_table();                                                                                           \
  HandlerTable convert_table();                                                                                        \
  HandlerTable compare_table();                                                                                        \
  ProductF32 product_f32();                                                                                            \
  inline LaneTables tables() {                                                                                         \
    return {integer_table(), bits_table(),    real_table(),    directed_table(),                                       \
            half_table(),    convert_table(), compare_table(), product_f32()};                                         \
  }                                                                                                                    \
  }

TEGULA_DECLARE_LANES(lanes_base)
#ifdef TEGULA_EMULATOR_X86
TEGULA_DECLARE_LANES(lanes_avx2)
#endif
