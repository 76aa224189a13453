// pass: reductions
// Sums that are there at the same time are one reduction; the maximum needs one of them.
#layout0 = {lane = [[4], [8], [16], [32], [64]], reg = [[1], [2]], repeat = [8], warp = []}
func.func @joined(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 1, 4, 16>, tile.warps = 1 : i64} {
  %c2_i64 = arith.constant 2 : i64
  %c1_i64 = arith.constant 1 : i64
  %c3_i64 = arith.constant 3 : i64
  %cst = arith.constant 1.000000e-03 : f32
  %c0_i32 = arith.constant 0 : i32
  %c1024_i32 = arith.constant 1024 : i32
  %0 = arith.cmpi sle, %arg2, %c1024_i32 : i32
  "tile.assume"(%0) : (i1) -> ()
  %1 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %2 = arith.extsi %arg2 : i32 to i64
  %3 = arith.cmpi ult, %1, %arg1 : i32
  %4 = arith.extsi %1 : i32 to i64
  %5 = arith.muli %4, %2 : i64
  %6 = "tile.pointer_offset"(%arg0, %5) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  %7 = "tile.splat"(%6) : (!tile.ptr<f32>) -> tensor<1024x!tile.ptr<f32>, #layout0>
  %8 = "tile.arange"() {lo = 0 : i64} : () -> tensor<1024xi32, #layout0>
  %9 = arith.extsi %8 : tensor<1024xi32, #layout0> to tensor<1024xi64, #layout0>
  %10 = "tile.pointer_offset"(%7, %9) : (tensor<1024x!tile.ptr<f32>, #layout0>, tensor<1024xi64, #layout0>) -> tensor<1024x!tile.ptr<f32>, #layout0>
  %11 = "tile.splat"(%3) : (i1) -> tensor<1024xi1, #layout0>
  %12 = "tile.splat"(%c0_i32) : (i32) -> tensor<1024xi32, #layout0>
  %13 = arith.addi %12, %8 : tensor<1024xi32, #layout0>
  %14 = "tile.splat"(%arg2) : (i32) -> tensor<1024xi32, #layout0>
  %15 = arith.cmpi ult, %13, %14 {tile.runs = array<i64: 4>} : tensor<1024xi32, #layout0>
  %16 = arith.andi %11, %15 {tile.runs = array<i64: 4>} : tensor<1024xi1, #layout0>
  %17 = "tile.load"(%10, %16, %1, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 4 : i64} : (tensor<1024x!tile.ptr<f32>, #layout0>, tensor<1024xi1, #layout0>, i32, i32) -> tensor<1024xf32, #layout0>
  %18 = "tile.reduce"(%17) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %35 = arith.addf %arg4, %arg5 : f32
    gpu.yield %35 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<1024xf32, #layout0>) -> f32
  %19 = arith.sitofp %arg2 : i32 to f32
  %20 = arith.divf %18, %19 : f32
  %21 = arith.mulf %17, %17 : tensor<1024xf32, #layout0>
  %22 = "tile.reduce"(%21) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %35 = arith.addf %arg4, %arg5 : f32
    gpu.yield %35 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<1024xf32, #layout0>) -> f32
  %23 = arith.divf %22, %19 : f32
  %24 = arith.mulf %20, %cst : f32
  %25 = "tile.splat"(%24) : (f32) -> tensor<1024xf32, #layout0>
  %26 = arith.subf %17, %25 : tensor<1024xf32, #layout0>
  %27 = math.absf %26 : tensor<1024xf32, #layout0>
  %28 = "tile.reduce"(%27) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %35 = arith.maxnumf %arg4, %arg5 : f32
    gpu.yield %35 : f32
  }) {axis = 0 : i64, identity = [0x7FC00000 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<1024xf32, #layout0>) -> f32
  %29 = arith.muli %4, %c3_i64 : i64
  %30 = "tile.pointer_offset"(%arg3, %29) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  "tile.store"(%30, %20, %3) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<f32>, f32, i1) -> ()
  %31 = arith.addi %29, %c1_i64 : i64
  %32 = "tile.pointer_offset"(%arg3, %31) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  "tile.store"(%32, %23, %3) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<f32>, f32, i1) -> ()
  %33 = arith.addi %29, %c2_i64 : i64
  %34 = "tile.pointer_offset"(%arg3, %33) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  "tile.store"(%34, %28, %3) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<f32>, f32, i1) -> ()
  return
}
