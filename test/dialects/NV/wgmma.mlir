// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// wgmma and its descriptors survive printing and parsing.

// CHECK-LABEL: nv.kernel @wgmma
nv.kernel @wgmma() threads 128 {
  %more = nv.elect
  %s = nv.shared_base
  // CHECK: %[[A:.*]] = nv.descriptor %{{.*}} bits = 0x4000004000010000
  %a = nv.descriptor %s bits = 0x4000004000010000
  // CHECK: %[[B:.*]] = nv.descriptor.advance %[[A]], bytes = 32
  %b = nv.descriptor.advance %a, bytes = 32
  %c = ub.poison : vector<128xf32>
  %p = ub.poison : vector<8xbf16>
  // CHECK: nv.wgmma.fence
  nv.wgmma.fence
  // CHECK: %[[D:.*]] = nv.wgmma bf16 %[[A]], %[[B]], %{{.*}} : !nv.descriptor, vector<128xf32>
  %d = nv.wgmma bf16 %a, %b, %c : !nv.descriptor, vector<128xf32>
  // CHECK: %[[E:.*]] = nv.wgmma bf16 %[[P:.*]], %[[B]], %[[D]] scale_d %{{.*}} trans_b : vector<8xbf16>, vector<128xf32>
  %e = nv.wgmma bf16 %p, %b, %d scale_d %more trans_b : vector<8xbf16>, vector<128xf32>
  // CHECK: nv.wgmma e4m3 by e5m2 %[[A]], %[[B]], %[[E]] negate_a : !nv.descriptor, vector<128xf32>
  %f = nv.wgmma e4m3 by e5m2 %a, %b, %e negate_a : !nv.descriptor, vector<128xf32>
  // CHECK: nv.wgmma.commit
  nv.wgmma.commit
  // CHECK: %{{.*}}:2 = nv.wgmma.wait pending = 1(%{{.*}}, %[[P]]) : vector<128xf32>, vector<8xbf16>
  %g:2 = nv.wgmma.wait pending = 1 (%f, %p) : vector<128xf32>, vector<8xbf16>
  // CHECK: nv.wgmma.wait pending = 0{{ *$}}
  nv.wgmma.wait pending = 0
  nv.return
}
