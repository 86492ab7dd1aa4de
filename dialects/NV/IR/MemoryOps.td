// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses, plain loads and stores, cp.async, atomics.
#ifndef TEGULA_NV_MEMORY_OPS_TD
#define TEGULA_NV_MEMORY_OPS_TD

include "NVTypes.td"
include "NVEnums.td"

def NV_SharedBaseOp : NV_Op<"shared_base", [Pure]> {
  let summary = "start of the block's dynamic shared memory, aligned to 1024";
  let description = [{ `%base = nv.shared_base` }];
  let results = (outs NV_Shared:$result);
  let assemblyFormat = "attr-dict";
}

def NV_OffsetOp : NV_Op<"offset", [Pure]> {
  let summary = "moves a shared address by bytes";
  let description = [{ `%a = nv.offset %base, %bytes` }];
  let arguments = (ins NV_Shared:$base, I32:$bytes);
  let results = (outs NV_Shared:$result);
  let assemblyFormat = "$base `,` $bytes attr-dict";
  let hasFolder = 1;
}

def NV_SharedAddressOp : NV_Op<"shared.address", [Pure]> {
  let summary = "a shared address as a number";
  let description = [{ `%i = nv.shared.address %a` gives an i32. }];
  let arguments = (ins NV_Shared:$address);
  let results = (outs I32:$result);
  let assemblyFormat = "$address attr-dict";
}

def NV_SharedAtOp : NV_Op<"shared.at", [Pure]> {
  let summary = "the shared address with this number: the inverse of `nv.shared.address`";
  let description = [{ `%a = nv.shared.at %i` takes an i32, as swizzling computes it. }];
  let arguments = (ins I32:$number);
  let results = (outs NV_Shared:$result);
  let assemblyFormat = "$number attr-dict";
}

def NV_GlobalOffsetOp : NV_Op<"global.offset", [Pure]> {
  let summary = "moves a global pointer by bytes";
  let description = [{ `%q = nv.global.offset %p, %bytes`; bytes are an i64. }];
  let arguments = (ins NV_GlobalPtr:$base, I64:$bytes);
  let results = (outs NV_GlobalPtr:$result);
  let assemblyFormat = "$base `,` $bytes attr-dict";
}

def NV_LdSharedOp : NV_EffectOp<"ld.shared"> {
  let summary = "loads a vector from shared memory";
  let description = [{
    `%v = nv.ld.shared %a : vector<4xf32>`
    L1: the vector has 1, 2, 4, 8 or 16 bytes; the address is aligned to that.  (PTX ld)
  }];
  let arguments = (ins NV_Shared:$address);
  let results = (outs NV_Fragment:$result);
  let assemblyFormat = "$address attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NV_StSharedOp : NV_EffectOp<"st.shared"> {
  let summary = "stores a vector to shared memory";
  let description = [{
    `nv.st.shared %a, %v if %inside : vector<4xf32>`
    L1: the vector has 1, 2, 4, 8 or 16 bytes; the address is aligned to that.  (PTX st)
  }];
  let arguments = (ins NV_Shared:$address, NV_Fragment:$value, Optional<I1>:$predicate);
  let assemblyFormat = "$address `,` $value (`if` $predicate^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def NV_LdGlobalOp : NV_EffectOp<"ld.global", [AttrSizedOperandSegments]> {
  let summary = "loads a vector from global memory, where the predicate holds";
  let description = [{
    Where the predicate is false nothing is read and the result is `other`, or zero without it.
    ```mlir
    %v = nv.ld.global %p : vector<4xf32>
    %w = nv.ld.global %p if %inside else %fill cache nc : vector<8xbf16>
    ```
    L1: the vector has 1, 2, 4, 8 or 16 bytes; the address is aligned to that.  (PTX ld)
    L2: `cache` is a load's: not `release`; `relaxed` and `acquire` take one element of at least 4 bytes.
    L3: `other` comes with a predicate and has the result's type.
  }];
  let arguments = (ins NV_GlobalPtr:$pointer, Optional<I1>:$predicate, Optional<NV_Fragment>:$other,
                       DefaultValuedAttr<NV_AccessAttr, "Access::weak">:$cache);
  let results = (outs NV_Fragment:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$pointer,
                                 CArg<"::mlir::Value", "{}">:$predicate)>];
  let assemblyFormat = [{
    $pointer (`if` $predicate^ (`else` $other^)?)? (`cache` $cache^)? attr-dict `:` type($result)
    custom<OtherType>(ref($other), ref(type($result)), type($other))
  }];
  let hasVerifier = 1;
}

def NV_StGlobalOp : NV_EffectOp<"st.global"> {
  let summary = "stores a vector to global memory, where the predicate holds";
  let description = [{
    `nv.st.global %p, %v if %inside cache evict_first : vector<4xf32>`
    L1: the vector has 1, 2, 4, 8 or 16 bytes; the address is aligned to that.  (PTX st)
    L4: `cache` is a store's: not `nc` or `acquire`; `relaxed` and `release` take one element of at least 4 bytes.
  }];
  let arguments = (ins NV_GlobalPtr:$pointer, NV_Fragment:$value, Optional<I1>:$predicate,
                       DefaultValuedAttr<NV_AccessAttr, "Access::weak">:$cache);
  let builders = [OpBuilder<(ins "::mlir::Value":$pointer, "::mlir::Value":$value)>];
  let assemblyFormat = "$pointer `,` $value (`if` $predicate^)? (`cache` $cache^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def NV_CpAsyncOp : NV_EffectOp<"cp_async"> {
  let summary = "starts a copy of 4, 8 or 16 bytes from global to shared memory, padded with zeros";
  let description = [{
    `nv.cp_async %dst, %ptr, bytes = 16, %valid`: the first `valid` bytes are copied, the rest are zero; nothing is read
    where valid is 0. Without it all are copied.
    A1: bytes are 4, 8 or 16; both addresses are aligned to that.  (PTX cp.async)
    A2: a constant `valid` is 0 to bytes.
  }];
  let arguments = (ins NV_Shared:$destination, NV_GlobalPtr:$source, I32Attr:$bytes, Optional<I32>:$valid);
  let assemblyFormat = "$destination `,` $source `,` `bytes` `=` $bytes (`,` $valid^)? attr-dict";
  let hasVerifier = 1;
}
def NV_CpAsyncCommitOp : NV_EffectOp<"cp_async.commit"> {
  let summary = "closes the thread's group of cp.async";
  let description = [{ `nv.cp_async.commit` }];
  let assemblyFormat = "attr-dict";
}
def NV_CpAsyncWaitOp : NV_EffectOp<"cp_async.wait"> {
  let summary = "waits until at most `pending` groups of the thread are unfinished";
  let description = [{
    `nv.cp_async.wait pending = 0`
    A3: pending is 0 or more.
  }];
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "`pending` `=` $pending attr-dict";
  let hasVerifier = 1;
}
def NV_CpAsyncArriveOp : NV_EffectOp<"cp_async.arrive_noinc"> {
  let summary = "makes the barrier get this thread's arrival when its earlier cp.async are complete";
  let description = [{ `nv.cp_async.arrive_noinc %b`; each such thread counts in the barrier's arrivals. }];
  let arguments = (ins NV_MBarrier:$barrier);
  let assemblyFormat = "$barrier attr-dict";
}

def NV_AtomicAddOp : NV_EffectOp<"atomic.add", [AllTypesMatch<["value", "result"]>]> {
  let summary = "adds to a number in global memory and gives what was there before";
  let description = [{
    `%old = nv.atomic.add %p, %v order acq_rel : i32`; scope is the GPU, order relaxed if not said.
    O1: the type is i32, i64 or f32.  (PTX atom)
  }];
  let arguments = (ins NV_GlobalPtr:$pointer, AnyTypeOf<[I32, I64, F32]>:$value,
                       DefaultValuedAttr<NV_OrderAttr, "Order::relaxed">:$order, Optional<I1>:$predicate);
  let results = (outs AnyTypeOf<[I32, I64, F32]>:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$pointer, "::mlir::Value":$value,
                                 CArg<"Order", "Order::relaxed">:$order)>];
  let assemblyFormat = "$pointer `,` $value (`order` $order^)? (`if` $predicate^)? attr-dict `:` type($value)";
}

#endif
