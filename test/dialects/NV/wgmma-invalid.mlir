// RUN: tegula-opt %s --split-input-file --verify-diagnostics

func.func @d1(%s: !nv.shared) {
  // expected-error @+1 {{D1: bits 0 to 13 are the address's, here 0x10; leave them zero}}
  %a = nv.descriptor %s bits = 0x4000004000010010
  return
}
// -----
func.func @d2(%s: !nv.shared) {
  // expected-error @+1 {{D2: reserved bits 0x400000000000 are set}}
  %a = nv.descriptor %s bits = 0x4000404000010000
  return
}
// -----
func.func @d3(%a: !nv.descriptor) {
  // expected-error @+1 {{D3: 8 bytes; give a multiple of 16, 0 to 262128}}
  %b = nv.descriptor.advance %a, bytes = 8
  return
}
// -----
func.func @w1(%a: !nv.descriptor, %c: vector<6xf32>) {
  // expected-error @+1 {{W1: N is 12, twice the elements of c; give 8 to 256 in steps of 8}}
  %d = nv.wgmma bf16 %a, %a, %c : !nv.descriptor, vector<6xf32>
  return
}
// -----
func.func @w1_s8(%a: !nv.descriptor, %c: vector<20xi32>) {
  // expected-error @+1 {{W1: N is 40, twice the elements of c; give 8 to 256 in steps of 8 up to 32, then of 16}}
  %d = nv.wgmma s8 %a, %a, %c : !nv.descriptor, vector<20xi32>
  return
}
// -----
func.func @w2(%a: !nv.descriptor, %c: vector<8xf32>) {
  // expected-error @+1 {{W2: a is bf16 and b is f16; only e4m3 with e5m2 and s8 with u8 can be mixed}}
  %d = nv.wgmma bf16 by f16 %a, %a, %c : !nv.descriptor, vector<8xf32>
  return
}
// -----
func.func @w3(%a: !nv.descriptor, %c: vector<8xf16>) {
  // expected-error @+1 {{W3: c holds 'f16'; for bf16 give f32}}
  %d = nv.wgmma bf16 %a, %a, %c : !nv.descriptor, vector<8xf16>
  return
}
// -----
func.func @w3_s8(%a: !nv.descriptor, %c: vector<8xf32>) {
  // expected-error @+1 {{W3: c holds 'f32'; for u8 give i32}}
  %d = nv.wgmma u8 by s8 %a, %a, %c : !nv.descriptor, vector<8xf32>
  return
}
// -----
func.func @w4_registers(%a: vector<8xf16>, %b: !nv.descriptor, %c: vector<8xf32>) {
  // expected-error @+1 {{W4: trans_a with a in registers}}
  %d = nv.wgmma f16 %a, %b, %c trans_a : vector<8xf16>, vector<8xf32>
  return
}
// -----
func.func @w4_tf32(%b: !nv.descriptor, %c: vector<8xf32>) {
  // expected-error @+1 {{W4: tf32 operands are K-major only}}
  %d = nv.wgmma tf32 %b, %b, %c trans_b : !nv.descriptor, vector<8xf32>
  return
}
// -----
func.func @w5(%a: vector<4xbf16>, %b: !nv.descriptor, %c: vector<8xf32>) {
  // expected-error @+1 {{W5: a is 'vector<4xbf16>'; bf16 takes a vector of 8 elements of 16 bits of that type}}
  %d = nv.wgmma bf16 %a, %b, %c : vector<4xbf16>, vector<8xf32>
  return
}
// -----
func.func @w6(%b: !nv.descriptor, %c: vector<8xi32>) {
  // expected-error @+1 {{W6: s8 operands can't be negated}}
  %d = nv.wgmma s8 %b, %b, %c negate_b : !nv.descriptor, vector<8xi32>
  return
}
// -----
func.func @w7(%c: vector<8xf32>) {
  // expected-error @+1 {{W7: pending is 8; give 0 to 7}}
  %d = nv.wgmma.wait pending = 8 (%c) : vector<8xf32>
  return
}
// -----
func.func @w8(%c: vector<8xf32>) {
  // expected-error @+1 {{W8: each result has the type of its fragment}}
  %d = "nv.wgmma.wait"(%c) {pending = 0 : i32} : (vector<8xf32>) -> vector<4xf32>
  return
}
