// RUN: tegula-opt %s --convert-nv-to-llvm --split-input-file --verify-diagnostics
// What would become the call of a C library is refused: code generation ends the process on it.

func.func @power(%x: f32) -> f32 {
  // expected-error @+1 {{'math.powf' of 'f32' has no instruction; write it with exp2, log2, sqrt, tanh, erf, sin or cos of f32}}
  %y = math.powf %x, %x : f32
  return %y : f32
}
// -----
func.func @wide(%x: f64) -> f64 {
  // expected-error @+1 {{'math.exp' of 'f64' has no instruction}}
  %y = math.exp %x : f64
  return %y : f64
}
