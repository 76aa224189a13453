// pass: layouts
// Sums that a loop carries live where the product computes them, and they begin as a constant and the condition
// passes them on: in the loop only operands are converted.
func.func @product(%arg0: !tile.ptr<f16>, %arg1: !tile.ptr<f32>, %arg2: i32) attributes {tile.divisibility = array<i64: 16, 16, 8>} {
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %cst_0 = arith.constant dense<16> : tensor<16x1xi32>
  %0 = "tile.arange"() {lo = 0 : i64} : () -> tensor<16xi32>
  %1 = "tile.expand"(%0) {axis = 1 : i64} : (tensor<16xi32>) -> tensor<16x1xi32>
  %2 = arith.muli %1, %cst_0 : tensor<16x1xi32>
  %3 = "tile.broadcast"(%2) : (tensor<16x1xi32>) -> tensor<16x16xi32>
  %4 = "tile.expand"(%0) {axis = 0 : i64} : (tensor<16xi32>) -> tensor<1x16xi32>
  %5 = "tile.broadcast"(%4) : (tensor<1x16xi32>) -> tensor<16x16xi32>
  %6 = arith.addi %3, %5 : tensor<16x16xi32>
  %7 = "tile.splat"(%arg0) : (!tile.ptr<f16>) -> tensor<16x16x!tile.ptr<f16>>
  %8 = "tile.pointer_offset"(%7, %6) : (tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>) -> tensor<16x16x!tile.ptr<f16>>
  %9 = "tile.load"(%8) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<16x16x!tile.ptr<f16>>) -> tensor<16x16xf16>
  %10:2 = scf.while (%arg3 = %cst, %arg4 = %c0_i32) : (tensor<16x16xf32>, i32) -> (tensor<16x16xf32>, i32) {
    %13 = arith.cmpi slt, %arg4, %arg2 : i32
    scf.condition(%13) %arg3, %arg4 : tensor<16x16xf32>, i32
  } do {
  ^bb0(%arg3: tensor<16x16xf32>, %arg4: i32):
    %13 = "tile.dot"(%9, %9, %arg3) {path = "mma", precision = "usual"} : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %14 = arith.addi %arg4, %c1_i32 : i32
    scf.yield %13, %14 : tensor<16x16xf32>, i32
  }
  %11 = "tile.splat"(%arg1) : (!tile.ptr<f32>) -> tensor<16x16x!tile.ptr<f32>>
  %12 = "tile.pointer_offset"(%11, %6) : (tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>) -> tensor<16x16x!tile.ptr<f32>>
  "tile.store"(%12, %10#2147483648) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>) -> ()
  return
}
