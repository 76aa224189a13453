// pass: sink
// The weights have the same address in all programs, and are loaded after the sum, where they are needed; the row of
// this program is not. Nothing is late that the function writes through the same parameter.
#layout0 = {lane = [[8], [16], [32], [64], [128]], reg = [[1], [2], [4]], repeat = [8], warp = []}
func.func @late(%arg0: !tile.ptr<bf16>, %arg1: i32, %arg2: !tile.ptr<bf16>, %arg3: !tile.ptr<bf16>) attributes {tile.divisibility = array<i64: 16, 1, 16, 16>, tile.shared_bytes = 0 : i64, tile.warps = 1 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %c2048_i64 = arith.constant 2048 : i64
  %c0_i32 = arith.constant 0 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = "tile.pointer_offset"(%arg2, %c0_i64) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
  %2 = "tile.splat"(%1) : (!tile.ptr<bf16>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %3 = "tile.arange"() {lo = 0 : i64} : () -> tensor<2048xi32, #layout0>
  %4 = arith.extsi %3 : tensor<2048xi32, #layout0> to tensor<2048xi64, #layout0>
  %5 = "tile.pointer_offset"(%2, %4) : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi64, #layout0>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %6 = "tile.load"(%5, %c0_i32) {cache = "", evict = "", kinds = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>, vector = 8 : i64} : (tensor<2048x!tile.ptr<bf16>, #layout0>, i32) -> tensor<2048xbf16, #layout0>
  %7 = arith.extf %6 : tensor<2048xbf16, #layout0> to tensor<2048xf32, #layout0>
  %8 = arith.cmpi ult, %0, %arg1 : i32
  %9 = arith.extsi %0 : i32 to i64
  %10 = arith.muli %9, %c2048_i64 : i64
  %11 = "tile.pointer_offset"(%arg0, %10) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
  %12 = "tile.splat"(%11) : (!tile.ptr<bf16>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %13 = "tile.pointer_offset"(%12, %4) : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi64, #layout0>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %14 = "tile.splat"(%8) : (i1) -> tensor<2048xi1, #layout0>
  %15 = "tile.load"(%13, %14, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 8 : i64} : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi1, #layout0>, i32, i32) -> tensor<2048xbf16, #layout0>
  %16 = arith.extf %15 : tensor<2048xbf16, #layout0> to tensor<2048xf32, #layout0>
  %17 = "tile.reduce"(%16) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %25 = arith.addf %arg4, %arg5 : f32
    gpu.yield %25 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<2048xf32, #layout0>) -> f32
  %18 = "tile.splat"(%17) : (f32) -> tensor<2048xf32, #layout0>
  %19 = arith.mulf %16, %18 : tensor<2048xf32, #layout0>
  %20 = arith.mulf %19, %7 : tensor<2048xf32, #layout0>
  %21 = arith.truncf %20 : tensor<2048xf32, #layout0> to tensor<2048xbf16, #layout0>
  %22 = "tile.pointer_offset"(%arg3, %10) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
  %23 = "tile.splat"(%22) : (!tile.ptr<bf16>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %24 = "tile.pointer_offset"(%23, %4) : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi64, #layout0>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  "tile.store"(%24, %21, %14) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, vector = 8 : i64} : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xbf16, #layout0>, tensor<2048xi1, #layout0>) -> ()
  return
}

func.func @written(%arg0: !tile.ptr<bf16>, %arg1: i32, %arg2: !tile.ptr<bf16>, %arg3: !tile.ptr<bf16>) attributes {tile.divisibility = array<i64: 16, 1, 16, 16>, tile.shared_bytes = 0 : i64, tile.warps = 1 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %c2048_i64 = arith.constant 2048 : i64
  %c0_i32 = arith.constant 0 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = "tile.pointer_offset"(%arg2, %c0_i64) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
  %2 = "tile.splat"(%1) : (!tile.ptr<bf16>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %3 = "tile.arange"() {lo = 0 : i64} : () -> tensor<2048xi32, #layout0>
  %4 = arith.extsi %3 : tensor<2048xi32, #layout0> to tensor<2048xi64, #layout0>
  %5 = "tile.pointer_offset"(%2, %4) : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi64, #layout0>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %6 = "tile.load"(%5, %c0_i32) {cache = "", evict = "", kinds = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>, vector = 8 : i64} : (tensor<2048x!tile.ptr<bf16>, #layout0>, i32) -> tensor<2048xbf16, #layout0>
  %7 = arith.extf %6 : tensor<2048xbf16, #layout0> to tensor<2048xf32, #layout0>
  %8 = arith.cmpi ult, %0, %arg1 : i32
  %9 = arith.extsi %0 : i32 to i64
  %10 = arith.muli %9, %c2048_i64 : i64
  %11 = "tile.pointer_offset"(%arg0, %10) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
  %12 = "tile.splat"(%11) : (!tile.ptr<bf16>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %13 = "tile.pointer_offset"(%12, %4) : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi64, #layout0>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %14 = "tile.splat"(%8) : (i1) -> tensor<2048xi1, #layout0>
  %15 = "tile.load"(%13, %14, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 8 : i64} : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi1, #layout0>, i32, i32) -> tensor<2048xbf16, #layout0>
  %16 = arith.extf %15 : tensor<2048xbf16, #layout0> to tensor<2048xf32, #layout0>
  %17 = "tile.reduce"(%16) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %25 = arith.addf %arg4, %arg5 : f32
    gpu.yield %25 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<2048xf32, #layout0>) -> f32
  %18 = "tile.splat"(%17) : (f32) -> tensor<2048xf32, #layout0>
  %19 = arith.mulf %16, %18 : tensor<2048xf32, #layout0>
  %20 = arith.mulf %19, %7 : tensor<2048xf32, #layout0>
  %21 = arith.truncf %20 : tensor<2048xf32, #layout0> to tensor<2048xbf16, #layout0>
  %22 = "tile.pointer_offset"(%arg2, %10) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
  %23 = "tile.splat"(%22) : (!tile.ptr<bf16>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  %24 = "tile.pointer_offset"(%23, %4) : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xi64, #layout0>) -> tensor<2048x!tile.ptr<bf16>, #layout0>
  "tile.store"(%24, %21, %14) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, vector = 8 : i64} : (tensor<2048x!tile.ptr<bf16>, #layout0>, tensor<2048xbf16, #layout0>, tensor<2048xi1, #layout0>) -> ()
  return
}
