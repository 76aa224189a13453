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
  "tile.store_view"(%arg3, %1, %c0_i32, %arg4, %arg1, %arg2, %0, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2>} : (!tile.ptr<f32>, tensor<4x8xf32>, i32, i32, i32, i32, i64, i64) -> ()
  return
}
