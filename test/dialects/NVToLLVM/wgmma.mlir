// RUN: tegula-opt %s --convert-nv-to-llvm --split-input-file | FileCheck %s

// The address field is address >> 4, 14 bits of it; the rest of the descriptor is a constant.
// 0x4000004000010000 = 4611686293305360384.
// CHECK-LABEL: llvm.func @descriptor
func.func @descriptor(%s: !nv.shared) -> !nv.descriptor {
  // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[FIELD:.*]] = llvm.lshr %{{.*}}, %[[FOUR]] : i32
  // CHECK: %[[MASK:.*]] = llvm.mlir.constant(16383 : i32)
  // CHECK: %[[CUT:.*]] = llvm.and %[[FIELD]], %[[MASK]] : i32
  // CHECK: %[[BITS:.*]] = llvm.mlir.constant(4611686293305360384 : i64)
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[CUT]] : i32 to i64
  // CHECK: llvm.or %[[WIDE]], %[[BITS]] : i64
  %d = nv.descriptor %s bits = 0x4000004000010000
  return %d : !nv.descriptor
}

// -----

// A step of 32 bytes adds 2 to the low word alone.
// CHECK-LABEL: llvm.func @advance
func.func @advance(%d: !nv.descriptor) -> !nv.descriptor {
  // CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK-DAG: %[[PAIR:.*]] = llvm.bitcast %{{.*}} : i64 to vector<2xi32>
  // CHECK: %[[LOW:.*]] = llvm.extractelement %[[PAIR]]
  // CHECK: %[[SUM:.*]] = llvm.add %[[LOW]], %[[TWO]] : i32
  // CHECK: llvm.insertelement %[[SUM]], %[[PAIR]]
  %e = nv.descriptor.advance %d, bytes = 32
  return %e : !nv.descriptor
}

// -----

// N = 8: four f32 a thread, tied in and out. Operands: d 0..3, a 4, b 5, scale 6.
// CHECK-LABEL: llvm.func @shared_operands
func.func @shared_operands(%a: !nv.descriptor, %b: !nv.descriptor, %c: vector<4xf32>, %more: i1) -> vector<4xf32> {
  // CHECK: llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, $6, 1, 1, 0, 1;", "=f,=f,=f,=f,l,l,b,0,1,2,3,~{memory}"
  %d = nv.wgmma bf16 %a, %b, %c scale_d %more trans_b : !nv.descriptor, vector<4xf32>
  return %d : vector<4xf32>
}

// -----

// Eight bf16 of a are four registers; a register operand has no transpose bit.
// CHECK-LABEL: llvm.func @register_operand
func.func @register_operand(%a: vector<8xbf16>, %b: !nv.descriptor, %c: vector<4xf32>) -> vector<4xf32> {
  // CHECK: llvm.bitcast %{{.*}} : vector<8xbf16> to vector<4xi32>
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, $9, 1, 1, 0;", "=f,=f,=f,=f,r,r,r,r,l,b,0,1,2,3,~{memory}"
  %d = nv.wgmma bf16 %a, %b, %c : vector<8xbf16>, vector<4xf32>
  return %d : vector<4xf32>
}

// -----

// tf32 and fp8 have no transposes, integers no negation either; f16 accumulators are packed in pairs.
// CHECK-LABEL: llvm.func @other_types
func.func @other_types(%a: !nv.descriptor, %f: vector<4xf32>, %i: vector<4xi32>, %h: vector<4xf16>) {
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $4, $5, $6, 1, -1;"
  %0 = nv.wgmma tf32 %a, %a, %f negate_b : !nv.descriptor, vector<4xf32>
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, $4, $5, $6, 1, 1;"
  %1 = nv.wgmma e4m3 by e5m2 %a, %a, %f : !nv.descriptor, vector<4xf32>
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {$0, $1, $2, $3}, $4, $5, $6;", "=r,=r,=r,=r,
  %2 = nv.wgmma u8 by s8 %a, %a, %i : !nv.descriptor, vector<4xi32>
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, $2, $3, $4, 1, 1, 0, 0;", "=r,=r,l,l,b,0,1,~{memory}"
  %3 = nv.wgmma f16 %a, %a, %h : !nv.descriptor, vector<4xf16>
  return
}

// -----

// Every register in flight passes through the wait: four f32 and four packed pairs.
// CHECK-LABEL: llvm.func @wait
func.func @wait(%c: vector<4xf32>, %a: vector<8xbf16>) -> (vector<4xf32>, vector<8xbf16>) {
  // CHECK: nvvm.wgmma.fence.aligned
  nv.wgmma.fence
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  nv.wgmma.commit
  // CHECK: "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=r,=r,=r,=r,0,1,2,3,4,5,6,7,~{memory}"
  %r:2 = nv.wgmma.wait pending = 1 (%c, %a) : vector<4xf32>, vector<8xbf16>
  return %r#0, %r#1 : vector<4xf32>, vector<8xbf16>
}

// -----

// From one wgmma to the next the accumulator is handed on register by register: nothing is extracted from a vector.
// CHECK-LABEL: llvm.func @chain
func.func @chain(%a: !nv.descriptor, %c: vector<4xf32>) -> vector<4xf32> {
  // CHECK: llvm.inline_asm {{.*}}wgmma
  %d = nv.wgmma bf16 %a, %a, %c : !nv.descriptor, vector<4xf32>
  // CHECK-NOT: llvm.extractelement
  // CHECK: llvm.inline_asm {{.*}}wgmma
  %e = nv.wgmma bf16 %a, %a, %d : !nv.descriptor, vector<4xf32>
  return %e : vector<4xf32>
}
