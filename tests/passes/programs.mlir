// pass: views
// Axis 1 goes along rows, axis 0 from row to row: programs run along axis 1 first.
func.func @along_rows(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 1, 4, 16>, tile.sizes = array<i64: 1, 2>} {
  %c1_i64 = arith.constant 1 : i64
  %c8_i32 = arith.constant 8 : i32
  %c4_i32 = arith.constant 4 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.muli %0, %c4_i32 : i32
  %2 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %3 = arith.muli %2, %c8_i32 : i32
  %4 = arith.extsi %arg2 : i32 to i64
  %5 = "tile.load_view"(%arg0, %1, %3, %arg1, %arg2, %4, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, i32, i32, i32, i32, i64, i64) -> tensor<4x8xf32>
  "tile.store_view"(%arg3, %5, %1, %3, %arg1, %arg2, %4, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<4x8xf32>, i32, i32, i32, i32, i64, i64) -> ()
  return
}

// The other way round: the order of the grid is right.
func.func @along_columns(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 1, 4, 16>, tile.sizes = array<i64: 1, 2>} {
  %c1_i64 = arith.constant 1 : i64
  %c8_i32 = arith.constant 8 : i32
  %c4_i32 = arith.constant 4 : i32
  %0 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %1 = arith.muli %0, %c4_i32 : i32
  %2 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %3 = arith.muli %2, %c8_i32 : i32
  %4 = arith.extsi %arg2 : i32 to i64
  %5 = "tile.load_view"(%arg0, %1, %3, %arg1, %arg2, %4, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, i32, i32, i32, i32, i64, i64) -> tensor<4x8xf32>
  "tile.store_view"(%arg3, %5, %1, %3, %arg1, %arg2, %4, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<4x8xf32>, i32, i32, i32, i32, i64, i64) -> ()
  return
}

// What is loaded along rows is stored along columns: neither order is better.
func.func @turned(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 4, 4, 16>, tile.sizes = array<i64: 1, 2>} {
  %c1_i64 = arith.constant 1 : i64
  %c8_i32 = arith.constant 8 : i32
  %c4_i32 = arith.constant 4 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.muli %0, %c4_i32 : i32
  %2 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %3 = arith.muli %2, %c8_i32 : i32
  %4 = arith.extsi %arg1 : i32 to i64
  %5 = arith.extsi %arg2 : i32 to i64
  %6 = "tile.load_view"(%arg0, %1, %3, %arg1, %arg2, %5, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, i32, i32, i32, i32, i64, i64) -> tensor<4x8xf32>
  %7 = "tile.permute"(%6) {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  "tile.store_view"(%arg3, %7, %3, %1, %arg2, %arg1, %4, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<8x4xf32>, i32, i32, i32, i32, i64, i64) -> ()
  return
}

// Atomics tell in which order programs run: they keep it.
func.func @counted(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>, %arg4: !tile.ptr<i32>) attributes {tile.divisibility = array<i64: 16, 1, 4, 16, 16>, tile.sizes = array<i64: 1, 2>} {
  %true = arith.constant true
  %c1_i32 = arith.constant 1 : i32
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %c8_i32 = arith.constant 8 : i32
  %c4_i32 = arith.constant 4 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.muli %0, %c4_i32 : i32
  %2 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %3 = arith.muli %2, %c8_i32 : i32
  %4 = arith.extsi %arg2 : i32 to i64
  %5 = "tile.load_view"(%arg0, %1, %3, %arg1, %arg2, %4, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, i32, i32, i32, i32, i64, i64) -> tensor<4x8xf32>
  %6 = "tile.pointer_offset"(%arg4, %c0_i64) : (!tile.ptr<i32>, i64) -> !tile.ptr<i32>
  %7 = "tile.splat"(%6) : (!tile.ptr<i32>) -> tensor<1x!tile.ptr<i32>>
  %8 = "tile.splat"(%c1_i32) : (i32) -> tensor<1xi32>
  %9 = "tile.splat"(%true) : (i1) -> tensor<1xi1>
  %10 = "tile.atomic"(%7, %8, %9) {operandSegmentSizes = array<i32: 1, 1, 0, 1>, operation = "add", order = "acq_rel", scope = "gpu", signed = 1 : i64} : (tensor<1x!tile.ptr<i32>>, tensor<1xi32>, tensor<1xi1>) -> tensor<1xi32>
  %11 = "tile.reduce"(%10) ({
  ^bb0(%arg5: i32, %arg6: i32):
    gpu.yield %arg5 : i32
  }) {axis = 0 : i64, identity = [], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<1xi32>) -> i32
  %12 = arith.sitofp %11 : i32 to f32
  %13 = "tile.splat"(%12) : (f32) -> tensor<4x8xf32>
  %14 = arith.addf %5, %13 : tensor<4x8xf32>
  "tile.store_view"(%arg3, %14, %1, %3, %arg1, %arg2, %4, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<4x8xf32>, i32, i32, i32, i32, i64, i64) -> ()
  return
}

// Rows of a tensor of three dimensions, neighbours by axis 1.
func.func @heads(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 1, 1, 16>, tile.sizes = array<i64: 1, 2>} {
  %c8_i64 = arith.constant 8 : i64
  %c1_i64 = arith.constant 1 : i64
  %c8_i32 = arith.constant 8 : i32
  %c0_i32 = arith.constant 0 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %2 = arith.extsi %arg2 : i32 to i64
  %3 = arith.muli %2, %c8_i64 : i64
  %4 = "tile.load_view"(%arg0, %0, %1, %c0_i32, %arg1, %arg2, %c8_i32, %3, %c8_i64, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 0, 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 3, 3, 0>} : (!tile.ptr<f32>, i32, i32, i32, i32, i32, i32, i64, i64, i64) -> tensor<8xf32>
  "tile.store_view"(%arg3, %4, %0, %1, %c0_i32, %arg1, %arg2, %c8_i32, %3, %c8_i64, %c1_i64) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 0, 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 3, 3, 0>} : (!tile.ptr<f32>, tensor<8xf32>, i32, i32, i32, i32, i32, i32, i64, i64, i64) -> ()
  return
}
