// K5: 256 tensor maps of 128 bytes fill 32768 bytes.
// RUN: seq -s ', ' -f '%%%%m%g: !nv.tensor_map' 256 | sed 's/^/nv.kernel @k5(/; s/$/) threads 32 { nv.return }/' \
// RUN:   | not tegula-opt 2>&1 | FileCheck %s

// CHECK: K5: parameters fill 32768 bytes; at most 32764 can be passed
