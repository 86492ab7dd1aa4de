// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between the lanes of a warp, and the special function unit.
#ifndef TEGULA_NV_LANE_OPS_TD
#define TEGULA_NV_LANE_OPS_TD

include "NVTypes.td"
include "NVEnums.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def NV_Shuffled : AnyTypeOf<[I32, F32]>;

def NV_ShuffleXorOp : NV_Op<"shuffle.xor", [NoMemoryEffect, SameOperandsAndResultType]> {
  let summary = "gives the value of the lane whose index differs in the bits of `mask`";
  let description = [{
    `%y = nv.shuffle.xor %x, mask = 1 : f32`
    S1: the mask is 1 to 31.  (PTX shfl.sync)
  }];
  let arguments = (ins NV_Shuffled:$value, I32Attr:$mask);
  let results = (outs NV_Shuffled:$result);
  let assemblyFormat = "$value `,` `mask` `=` $mask attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def NV_ShuffleIdxOp : NV_Op<"shuffle.idx", [NoMemoryEffect, AllTypesMatch<["value", "result"]>]> {
  let summary = "gives the value of lane `lane`";
  let description = [{ `%y = nv.shuffle.idx %x, %lane : f32` }];
  let arguments = (ins NV_Shuffled:$value, I32:$lane);
  let results = (outs NV_Shuffled:$result);
  let assemblyFormat = "$value `,` $lane attr-dict `:` type($value)";
}

def NV_ApproxOp : NV_Op<"approx", [Pure, SameOperandsAndResultType]> {
  let summary = "a function of the special function unit, subnormals flushed";
  let description = [{
    `%y = nv.approx ex2 %x : f32` or `: vector<32xf32>`. Errors: ex2, lg2, rcp, sqrt, rsqrt 1 to 2 ulp, tanh 2^-11
    relative, sin and cos 2^-21 absolute in [-pi, pi].  (PTX, "Floating Point Instructions")
  }];
  let arguments = (ins NV_ApproxKindAttr:$kind, AnyTypeOf<[F32, VectorOfRankAndType<[1], [F32]>]>:$value);
  let results = (outs AnyTypeOf<[F32, VectorOfRankAndType<[1], [F32]>]>:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value)";
}

#endif
