// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves of 8x8 matrices of 16-bit elements between shared memory and fragments.
#ifndef TEGULA_NV_MATRIX_OPS_TD
#define TEGULA_NV_MATRIX_OPS_TD

include "NVTypes.td"

def NV_LdMatrixOp : NV_EffectOp<"ldmatrix"> {
  let summary = "a warp loads one, two or four 8x8 matrices of 16-bit elements";
  let description = [{
    Lane l gives the address of row l % 8 of matrix l / 8; a thread gets two elements of each matrix.
    `%v = nv.ldmatrix %address trans : vector<8xbf16>`
    M1: the vector has 2, 4 or 8 elements of 16 bits: two a matrix.  (PTX ldmatrix)
  }];
  let arguments = (ins NV_Shared:$address, UnitAttr:$trans);
  let results = (outs NV_Fragment:$result);
  let assemblyFormat = "$address (`trans` $trans^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NV_StMatrixOp : NV_EffectOp<"stmatrix"> {
  let summary = "a warp stores one, two or four 8x8 matrices of 16-bit elements";
  let description = [{
    `nv.stmatrix %address, %v trans : vector<8xbf16>`, addresses and elements as for `nv.ldmatrix`.
    M1: the vector has 2, 4 or 8 elements of 16 bits: two a matrix.  (PTX stmatrix)
  }];
  let arguments = (ins NV_Shared:$address, NV_Fragment:$value, UnitAttr:$trans);
  let assemblyFormat = "$address `,` $value (`trans` $trans^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif
