// RUN: tegula-opt %s --convert-nv-to-llvm --split-input-file | FileCheck %s

// e^x = 2^(x log2 e), log2 e = 1.44269502.
// CHECK-LABEL: llvm.func @exp
func.func @exp(%x: f32) -> f32 {
  // CHECK: %[[LOG2E:.*]] = llvm.mlir.constant(1.44269502 : f32)
  // CHECK: %[[SCALED:.*]] = llvm.fmul %{{.*}}, %[[LOG2E]] : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[SCALED]])
  %y = math.exp %x : f32
  return %y : f32
}

// -----

// A vector is computed on element by element.
// CHECK-LABEL: llvm.func @exp2
func.func @exp2(%x: vector<2xf32>) -> vector<2xf32> {
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
  %y = math.exp2 %x : vector<2xf32>
  return %y : vector<2xf32>
}

// -----

// Division is div.full, which calls nothing; 16-bit operands go through f32.
// CHECK-LABEL: llvm.func @division
func.func @division(%a: bf16, %b: bf16) -> bf16 {
  // CHECK-COUNT-2: llvm.fpext %{{.*}} : bf16 to f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
  %y = arith.divf %a, %b : bf16
  return %y : bf16
}

// -----

// Two elements an instruction, the upper half first: (x[1], x[0]), then (x[3], x[2]).
// CHECK-LABEL: llvm.func @narrow
func.func @narrow(%x: vector<4xf32>) -> (vector<4xbf16>, vector<4xf16>) {
  // CHECK: %[[X0:.*]] = llvm.extractelement %{{.*}}[%{{.*}} : i32] : vector<4xf32>
  // CHECK: %[[X1:.*]] = llvm.extractelement
  // CHECK: %[[X2:.*]] = llvm.extractelement
  // CHECK: %[[X3:.*]] = llvm.extractelement
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[X1]], %[[X0]])
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[X3]], %[[X2]])
  %b = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"
  %h = arith.truncf %x : vector<4xf32> to vector<4xf16>
  return %b, %h : vector<4xbf16>, vector<4xf16>
}

// -----

// A bf16 is the upper half of its f32: the even one is shifted up, the odd one masked.
// CHECK-LABEL: llvm.func @widen
func.func @widen(%x: vector<2xbf16>) -> vector<2xf32> {
  // CHECK: %[[EVEN:.*]] = llvm.shl %{{.*}}, %{{.*}} : i32
  // CHECK: %[[ODD:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.bitcast %[[EVEN]] : i32 to f32
  // CHECK: llvm.bitcast %[[ODD]] : i32 to f32
  %y = arith.extf %x : vector<2xbf16> to vector<2xf32>
  return %y : vector<2xf32>
}

// -----

// fp8 converts in pairs.
// CHECK-LABEL: llvm.func @fp8
func.func @fp8(%x: vector<4xf32>) -> (vector<4xf8E4M3FN>, vector<4xf32>) {
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
  %y = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"
  // CHECK: llvm.fpext
  %z = arith.extf %y : vector<4xf8E4M3FN> to vector<4xf32>
  return %y, %z : vector<4xf8E4M3FN>, vector<4xf32>
}

// -----

// A sum over four is ((x0 + x2) + (x1 + x3)).
// CHECK-LABEL: llvm.func @sum
func.func @sum(%x: vector<4xf32>) -> f32 {
  // CHECK: %[[X0:.*]] = llvm.extractelement
  // CHECK: %[[X1:.*]] = llvm.extractelement
  // CHECK: %[[X2:.*]] = llvm.extractelement
  // CHECK: %[[X3:.*]] = llvm.extractelement
  // CHECK: %[[A:.*]] = llvm.fadd %[[X0]], %[[X2]]
  // CHECK: %[[B:.*]] = llvm.fadd %[[X1]], %[[X3]]
  // CHECK: llvm.fadd %[[A]], %[[B]]
  %y = vector.reduction <add>, %x : vector<4xf32> into f32
  return %y : f32
}

// -----

// CHECK-LABEL: llvm.func @lanes
func.func @lanes(%x: f32, %lane: i32) -> f32 {
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32 -> f32
  %y = nv.shuffle.xor %x, mask = 2 : f32
  // CHECK: nvvm.shfl.sync idx
  %z = nv.shuffle.idx %y, %lane : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  %r = nv.approx rcp %z : f32
  // CHECK: llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
  %t = nv.approx tanh %r : f32
  return %t : f32
}

// -----

// One instruction, in which NaN wins; not a comparison and selects.
// CHECK-LABEL: llvm.func @maximum
func.func @maximum(%a: f32, %b: f32) -> f32 {
  // CHECK: llvm.intr.maximum(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  %y = arith.maximumf %a, %b : f32
  return %y : f32
}

// -----

// Rounding up is made of what LLVM has.
// CHECK-LABEL: llvm.func @ceildiv
func.func @ceildiv(%a: i64, %b: i64) -> i64 {
  // CHECK: llvm.sdiv
  %y = arith.ceildivsi %a, %b : i64
  return %y : i64
}
