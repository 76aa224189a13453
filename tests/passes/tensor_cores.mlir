// pass: tensor-cores
// A product of 16-bit floats whose sum a loop carries goes to the tensor cores of a warpgroup; one of f32 that
// must be exact is computed by threads; one of integers that are too narrow for a tile of `wgmma` takes `mma`.
func.func @products(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %x: tensor<64x32xf32>, %y: tensor<32x64xf32>, %p: tensor<16x32xi8>, %q: tensor<32x8xi8>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %few = arith.constant dense<0> : tensor<16x8xi32>
  %sums:2 = scf.for %i = %zero to %n step %one iter_args(%s = %none, %t = %none) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %half = "tile.dot"(%a, %b, %s) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %full = "tile.dot"(%x, %y, %t) {path = "", precision = "usual"} : (tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %half, %full : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %small = "tile.dot"(%p, %q, %few) {path = "", precision = "usual"} : (tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32>) -> tensor<16x8xi32>
  return
}

// All registers of a program are sums of this one: `wgmma`, whose sums cannot be spilled, would not assemble.
func.func @crowded(%a: tensor<256x32xf16>, %b: tensor<32x256xf16>) {
  %none = arith.constant dense<0.0> : tensor<256x256xf32>
  %sums = "tile.dot"(%a, %b, %none) {path = "", precision = "usual"} : (tensor<256x32xf16>, tensor<32x256xf16>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return
}
