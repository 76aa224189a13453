// pass: tensor-cores
// A program that multiplies once does it in a loop of one iteration, from zero, with what it loads for that; pointers and what
// is done with the result are outside.
func.func @once(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %places: tensor<128x128xi32>) attributes {tile.divisibility = array<i64: 16, 16, 16, 1>} {
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %as = "tile.splat"(%a) : (!tile.ptr<f16>) -> tensor<128x128x!tile.ptr<f16>>
  %bs = "tile.splat"(%b) : (!tile.ptr<f16>) -> tensor<128x128x!tile.ptr<f16>>
  %cs = "tile.splat"(%c) : (!tile.ptr<f32>) -> tensor<128x128x!tile.ptr<f32>>
  %a_at = "tile.pointer_offset"(%as, %places) : (tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>) -> tensor<128x128x!tile.ptr<f16>>
  %b_at = "tile.pointer_offset"(%bs, %places) : (tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>) -> tensor<128x128x!tile.ptr<f16>>
  %c_at = "tile.pointer_offset"(%cs, %places) : (tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>) -> tensor<128x128x!tile.ptr<f32>>
  %x = "tile.load"(%a_at) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<128x128x!tile.ptr<f16>>) -> tensor<128x128xf16>
  %y = "tile.load"(%b_at) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<128x128x!tile.ptr<f16>>) -> tensor<128x128xf16>
  %product = "tile.dot"(%x, %y, %none) {path = "", precision = "usual"} : (tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %square = arith.mulf %product, %product : tensor<128x128xf32>
  "tile.store"(%c_at, %square) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<128x128x!tile.ptr<f32>>, tensor<128x128xf32>) -> ()
  return
}
