// RUN: tegula-opt %s --tile-loop-over-pieces --split-input-file | FileCheck %s

// 4096 elements by 32 threads are 128 each: 8 pieces leave 16. The piece's place follows from the loop.
// CHECK-LABEL: tile.kernel @cut
tile.kernel @cut(%X: !tile.global<?xf32, unit = 0> dims ["N"], %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK: %[[HEIGHT:.*]] = arith.constant 512 : index
    // CHECK: scf.for %[[PIECE:.*]] = %{{.*}} to %{{.*}} step
    // CHECK: %[[FIRST:.*]] = arith.muli %[[PIECE]], %[[HEIGHT]]
    // CHECK: %[[FROM:.*]] = arith.addi %{{.*}}, %[[FIRST]]
    // CHECK: %[[SLICE:.*]] = tile.slice %X[%[[FROM]]]{{.*}}!tile.view<512xf32, global>
    // CHECK: tile.load %[[SLICE]]
    // CHECK: arith.addf %{{.*}} : tensor<512xf32>
    // CHECK: tile.store
    // CHECK: }
    // CHECK-NOT: tile.store
    %v = tile.slice %X[%c0] : !tile.global<?xf32, unit = 0> to !tile.view<4096xf32, global>
    %x = tile.load %v : !tile.view<4096xf32, global> to tensor<4096xf32>
    %y = arith.addf %x, %x : tensor<4096xf32>
    tile.store %y, %v : tensor<4096xf32> to !tile.view<4096xf32, global>
  }
}

// -----

// An index tile along the dim that is cut goes on from piece to piece.
// CHECK-LABEL: tile.kernel @counts_on
tile.kernel @counts_on(%X: !tile.global<?xi32, unit = 0> dims ["N"], %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK: %[[FIRST:.*]] = arith.muli
    // CHECK: %[[IOTA:.*]] = tile.iota dim 0 : tensor<512xi32>
    // CHECK: %[[START:.*]] = arith.index_cast %[[FIRST]] : index to i32
    // CHECK: %[[SPLAT:.*]] = tile.splat %[[START]] : i32 to tensor<512xi32>
    // CHECK: %[[NUMBERS:.*]] = arith.addi %[[IOTA]], %[[SPLAT]]
    // CHECK: tile.store %[[NUMBERS]]
    %v = tile.slice %X[%c0] : !tile.global<?xi32, unit = 0> to !tile.view<4096xi32, global>
    %y = tile.iota dim 0 : tensor<4096xi32>
    tile.store %y, %v : tensor<4096xi32> to !tile.view<4096xi32, global>
  }
}

// -----

// A sum needs the whole tile at once.
// CHECK-LABEL: tile.kernel @reduced
tile.kernel @reduced(%X: !tile.global<?x?xf32, unit = 1> dims ["N", "N"], %Y: !tile.global<?xf32, unit = 0> dims ["N"], %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK-NOT: scf.for
    %v = tile.slice %X[%c0, %c0] : !tile.global<?x?xf32, unit = 1> to !tile.view<64x64xf32, global>
    %w = tile.slice %Y[%c0] : !tile.global<?xf32, unit = 0> to !tile.view<64xf32, global>
    %x = tile.load %v : !tile.view<64x64xf32, global> to tensor<64x64xf32>
    %s = tile.reduce %x, add dim 1 : tensor<64x64xf32> to tensor<64xf32>
    tile.store %s, %w : tensor<64xf32> to !tile.view<64xf32, global>
    tile.store %x, %v : tensor<64x64xf32> to !tile.view<64x64xf32, global>
  }
}

// -----

// 32 elements a thread stay as they are.
// CHECK-LABEL: tile.kernel @small
tile.kernel @small(%X: !tile.global<?xf32, unit = 0> dims ["N"], %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK-NOT: scf.for
    %v = tile.slice %X[%c0] : !tile.global<?xf32, unit = 0> to !tile.view<1024xf32, global>
    %x = tile.load %v : !tile.view<1024xf32, global> to tensor<1024xf32>
    tile.store %x, %v : tensor<1024xf32> to !tile.view<1024xf32, global>
  }
}

// -----

// What touches memory between a load and a store keeps its place.
// CHECK-LABEL: tile.kernel @between
tile.kernel @between(%X: !tile.global<?xf32, unit = 0> dims ["N"], %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK-NOT: scf.for
    %v = tile.slice %X[%c0] : !tile.global<?xf32, unit = 0> to !tile.view<4096xf32, global>
    %x = tile.load %v : !tile.view<4096xf32, global> to tensor<4096xf32>
    tile.griddep.wait
    tile.store %x, %v : tensor<4096xf32> to !tile.view<4096xf32, global>
  }
}
