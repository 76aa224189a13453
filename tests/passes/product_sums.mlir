// pass: tensor-cores
// Products that a loop adds to its sum, or takes from it, add to it themselves; a negated operand is a sign of the product. A
// number that is added is not awaited before a product, and small products of `mma`, which negates nothing, are subtracted.
func.func @sums(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %bias: tensor<64x64xf32>, %p: tensor<16x16xf16>, %q: tensor<16x8xf16>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %few = arith.constant dense<0.0> : tensor<16x8xf32>
  %sums:3 = scf.for %i = %zero to %n step %one iter_args(%s = %none, %t = %none, %u = %few) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<16x8xf32>) : i32 {
    %minus = arith.negf %a : tensor<64x32xf16>
    %x = "tile.dot"(%a, %b, %none) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = "tile.dot"(%minus, %b, %none) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %both = arith.subf %x, %y : tensor<64x64xf32>
    %halved = arith.mulf %s, %bias : tensor<64x64xf32>
    %next = arith.addf %both, %halved : tensor<64x64xf32>
    %z = "tile.dot"(%a, %b, %none) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %biased = arith.addf %z, %bias : tensor<64x64xf32>
    %large = arith.maximumf %t, %biased : tensor<64x64xf32>
    %v = "tile.dot"(%p, %q, %few) {path = "", precision = "usual"} : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %less = arith.subf %u, %v : tensor<16x8xf32>
    scf.yield %next, %large, %less : tensor<64x64xf32>, tensor<64x64xf32>, tensor<16x8xf32>
  }
  return
}

// Without a loop products stay where they are: what the second one multiplies is loaded behind the first.
func.func @in_turn(%p: tensor<64x32x!tile.ptr<f16>>, %q: tensor<32x64x!tile.ptr<f16>>, %bias: tensor<64x64xf32>, %o: tensor<64x64x!tile.ptr<f32>>) {
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = "tile.load"(%p) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x32x!tile.ptr<f16>>) -> tensor<64x32xf16>
  %b = "tile.load"(%q) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<32x64x!tile.ptr<f16>>) -> tensor<32x64xf16>
  %x = "tile.dot"(%a, %b, %none) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = arith.addf %bias, %x : tensor<64x64xf32>
  %c = "tile.load"(%p) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x32x!tile.ptr<f16>>) -> tensor<64x32xf16>
  %d = "tile.load"(%q) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<32x64x!tile.ptr<f16>>) -> tensor<32x64xf16>
  %y = "tile.dot"(%c, %d, %none) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = arith.addf %s, %y : tensor<64x64xf32>
  "tile.store"(%o, %t) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>) -> ()
  return
}
