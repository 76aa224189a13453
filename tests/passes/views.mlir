// pass: views
// Four rows of eight columns from row 2 on: positions in 64 bits, a mask for each dimension that may end
// inside, and the fill where it is false. The store has no fill: there nothing is written.
func.func @views(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>, %arg4: i32) attributes {tile.divisibility = array<i64: 16, 1, 4, 16, 4>, tile.sizes = array<i64: 1, 2>, tile.warps = 1 : i64} {
  %cst = arith.constant 1.000000e+00 : f32
  %c2_i32 = arith.constant 2 : i32
  %c0_i32 = arith.constant 0 : i32
  %c1_i64 = arith.constant 1 : i64
  %0 = arith.extsi %arg2 : i32 to i64
  %1 = "tile.load_view"(%arg0, %c2_i32, %arg4, %arg1, %arg2, %0, %c1_i64, %cst) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 2, 2, 1>} : (!tile.ptr<f32>, i32, i32, i32, i32, i64, i64, f32) -> tensor<4x8xf32>
  "tile.store_view"(%arg3, %1, %c0_i32, %arg4, %arg1, %arg2, %0, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<4x8xf32>, i32, i32, i32, i32, i64, i64) -> ()
  return
}

// A row of a loop with products: zeros where it is out of bounds, and behind the load what was asked for.
func.func @row(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 1, 16>, tile.sizes = array<i64: 1>, tile.warps = 1 : i64} {
  %inf = arith.constant 0x7F800000 : f32
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c1_i64 = arith.constant 1 : i64
  %x = arith.constant dense<1.000000e+00> : tensor<16x16xf16>
  %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  scf.for %at = %c0 to %arg1 step %c16 : i32 {
    %row = "tile.load_view"(%arg0, %at, %arg1, %c1_i64, %inf) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1, 1, 1>} : (!tile.ptr<f32>, i32, i32, i64, f32) -> tensor<16xf32>
    %all = "tile.expand"(%row) {axis = 0 : i64} : (tensor<16xf32>) -> tensor<1x16xf32>
    %wide = "tile.broadcast"(%all) : (tensor<1x16xf32>) -> tensor<16x16xf32>
    %product = "tile.dot"(%x, %x, %zero) {left_t = 0 : i64, path = "", precision = "", right_t = 0 : i64} : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %sum = arith.addf %wide, %product : tensor<16x16xf32>
    "tile.store_view"(%arg2, %sum, %c0, %c0, %c16, %c16, %c1_i64, %c1_i64) {cache = "", checked = 0 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<16x16xf32>, i32, i32, i32, i32, i64, i64) -> ()
  }
  return
}
