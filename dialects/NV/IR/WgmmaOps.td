// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hopper's warpgroup matrix multiply, its descriptors and its order.
#ifndef TEGULA_NV_WGMMA_OPS_TD
#define TEGULA_NV_WGMMA_OPS_TD

include "NVTypes.td"
include "NVEnums.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def NV_DescriptorOp : NV_Op<"descriptor", [Pure]> {
  let summary = "makes a matrix descriptor from a shared address and the fields of its layout";
  let description = [{
    `bits` holds everything but the start address: LBO, SBO, base offset and swizzle mode.
    `%d = nv.descriptor %a bits = 0x4000004000010000`
    D1: the fourteen address bits of `bits` are zero.  D2: reserved bits (14, 15, 30, 31, 46 to 48, 52 to 61) are zero.
    (PTX "Matrix Descriptor Format")
  }];
  let arguments = (ins NV_Shared:$address, I64Attr:$bits);
  let results = (outs NV_Descriptor:$result);
  let assemblyFormat = "$address `bits` `=` custom<Hex>($bits) attr-dict";
  let hasVerifier = 1;
}

def NV_DescriptorAdvanceOp : NV_Op<"descriptor.advance", [Pure]> {
  let summary = "moves a descriptor's start address by a constant";
  let description = [{
    `%e = nv.descriptor.advance %d, bytes = 32`: adds to the low word alone, so nothing carries into the strides.
    D3: bytes are a multiple of 16, 0 to 2^18 - 16.  (PTX "Matrix Descriptor Format")
  }];
  let arguments = (ins NV_Descriptor:$descriptor, I32Attr:$bytes);
  let results = (outs NV_Descriptor:$result);
  let assemblyFormat = "$descriptor `,` `bytes` `=` $bytes attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def NV_WgmmaOp : NV_EffectOp<"wgmma", [AllTypesMatch<["c", "result"]>]> {
  let summary = "starts one wgmma instruction: result = a * b + c";
  let description = [{
    64 rows, N columns (twice the elements of `c`), 32 bytes of K. `a` is a descriptor or the fragment in registers.
    Without `scale_d` c is added; a false `scale_d` leaves it out, and c may then be `ub.poison`, which costs nothing.
    The result may be used, and a fragment `a` changed, only behind `nv.wgmma.wait`.
    ```mlir
    %d = nv.wgmma bf16 %a, %b, %c : !nv.descriptor, vector<128xf32>
    %e = nv.wgmma bf16 %p, %v, %c scale_d %more trans_b : vector<8xbf16>, vector<128xf32>
    %f = nv.wgmma e4m3 by e5m2 %a, %b, %c : !nv.descriptor, vector<64xf32>
    ```
    (PTX wgmma.mma_async)
    W1: N = 2 * elements of c is 8 to 256 in steps of 8; for s8 and u8: 8, 16, 24, 32, then steps of 16.
    W2: a's and b's types agree: the same of bf16, f16, tf32; any pair of e4m3, e5m2; any pair of s8, u8.
    W3: c is f32, or f16 where a and b are f16, e4m3, e5m2; i32 for s8 and u8.
    W4: trans_a needs a descriptor; transposing needs 16-bit types.
    W5: a in registers is a vector of 16 / bytes-of-type elements: 8 of bf16, f16; 4 f32 for tf32; 16 of 8 bits.
    W6: negate_a and negate_b need floating types.
  }];
  let arguments = (ins AnyTypeOf<[NV_Descriptor, NV_Fragment]>:$a, NV_Descriptor:$b, NV_Fragment:$c,
                       Optional<I1>:$scale_d, NV_MmaTypeAttr:$a_type, NV_MmaTypeAttr:$b_type, UnitAttr:$trans_a,
                       UnitAttr:$trans_b, UnitAttr:$negate_a, UnitAttr:$negate_b);
  let results = (outs NV_Fragment:$result);
  let assemblyFormat = [{
    custom<MmaTypes>($a_type, $b_type) $a `,` $b `,` $c (`scale_d` $scale_d^)? (`trans_a` $trans_a^)?
    (`trans_b` $trans_b^)? (`negate_a` $negate_a^)? (`negate_b` $negate_b^)? attr-dict `:` type($a) `,` type($c)
  }];
  let extraClassDeclaration = [{
    int64_t getM() { return 64; }
    int64_t getN() { return 2 * getC().getType().getNumElements(); }
    int64_t getK();
    bool hasRegisterA() { return ::llvm::isa<::mlir::VectorType>(getA().getType()); }
  }];
  let hasVerifier = 1;
}

def NV_WgmmaFenceOp : NV_EffectOp<"wgmma.fence"> {
  let summary = "orders earlier accesses of the registers of a wgmma before it";
  let description = [{ `nv.wgmma.fence`, before the first wgmma of a batch. }];
  let assemblyFormat = "attr-dict";
}
def NV_WgmmaCommitOp : NV_EffectOp<"wgmma.commit"> {
  let summary = "closes a batch of wgmmas";
  let description = [{ `nv.wgmma.commit` }];
  let assemblyFormat = "attr-dict";
}

def NV_WgmmaWaitOp : NV_EffectOp<"wgmma.wait"> {
  let summary = "waits until at most `pending` batches are unfinished, and ties the registers still in use";
  let description = [{
    Give every sum that an unfinished wgmma writes and use the results from there on; keep operands in registers behind
    it (wgmma.keep). Otherwise registers are reused too early, and ptxas serialises everything.
    `%s, %o = nv.wgmma.wait pending = 1 (%acc, %sum) : vector<128xf32>, vector<64xf32>`
    W7: pending is 0 to 7.  (PTX wgmma.wait_group; CUTLASS warpgroup_wait)  W8: results have the types of the fragments.
  }];
  let arguments = (ins I32Attr:$pending, Variadic<NV_Fragment>:$fragments);
  let results = (outs Variadic<NV_Fragment>:$outputs);
  let builders = [OpBuilder<(ins "int32_t":$pending, "::mlir::ValueRange":$fragments)>];
  let assemblyFormat = "`pending` `=` $pending (`(` $fragments^ `)` `:` type($fragments))? attr-dict custom<SameTypes>(ref(type($fragments)), type($outputs))";
  let hasVerifier = 1;
}

def NV_WgmmaKeepOp : NV_EffectOp<"wgmma.keep"> {
  let summary = "keeps a fragment in its registers up to here, and emits no instruction";
  let description = [{
    Behind a wait, for operands that the wgmma waited for read. Unlike a value that is tied through the wait it may share
    registers with equal values, and need not be copied.
    `nv.wgmma.keep %a : vector<8xbf16>`
  }];
  let arguments = (ins NV_Fragment:$fragment);
  let assemblyFormat = "$fragment attr-dict `:` type($fragment)";
}

#endif
