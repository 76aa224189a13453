// pass: simplify
// A sum with zero and a selection by a mask that is always true are gone; what the loop computes from what does not
// change in it stands before it. A float plus zero stays: -0 would become 0.
func.func @simplify(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: !tile.ptr<f32>, %arg3: i32) attributes {tile.divisibility = array<i64: 16, 4, 16, 1>, tile.sizes = array<i64: 1>, tile.warps = 1 : i64} {
  %cst = arith.constant dense<0.000000e+00> : tensor<32xf32>
  %c0_i32 = arith.constant 0 : i32
  %0 = arith.extsi %c0_i32 : i32 to i64
  %1 = arith.extsi %arg3 : i32 to i64
  %c1_i64 = arith.constant 1 : i64
  %2 = scf.for %arg4 = %0 to %1 step %c1_i64 iter_args(%arg5 = %cst) -> (tensor<32xf32>)  : i64 {
    %3 = arith.trunci %arg4 : i64 to i32
    %c2_i32 = arith.constant 2 : i32
    %4 = arith.muli %arg3, %c2_i32 : i32
    %5 = arith.addi %4, %c0_i32 : i32
    %6 = arith.sitofp %5 : i32 to f32
    %cst_0 = arith.constant dense<true> : tensor<32xi1>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %7 = "tile.load_view"(%arg0, %c0_i32, %arg1, %c1_i64, %cst_1) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1, 1, 1>} : (!tile.ptr<f32>, i32, i32, i64, f32) -> tensor<32xf32>
    %8 = arith.select %cst_0, %7, %cst : tensor<32xi1>, tensor<32xf32>
    %9 = "tile.splat"(%6) : (f32) -> tensor<32xf32>
    %10 = arith.mulf %8, %9 : tensor<32xf32>
    %11 = arith.addf %10, %cst : tensor<32xf32>
    %12 = arith.addf %arg5, %11 : tensor<32xf32>
    scf.yield %12 : tensor<32xf32>
  }
  "tile.store_view"(%arg2, %2, %c0_i32, %arg1, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 0>} : (!tile.ptr<f32>, tensor<32xf32>, i32, i32, i64) -> ()
  return
}
