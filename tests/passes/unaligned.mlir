// pass: pipeline
// A row that begins anywhere is copied in pieces, and so is what all programs read; what is stored goes through shared memory as well.
#layout0 = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [3], warp = []}
func.func @unaligned(%arg0: !tile.ptr<i16>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<i16>, %arg4: !tile.ptr<i16>) attributes {tile.divisibility = array<i64: 2, 1, 1, 2, 2>, tile.warps = 1 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %c7_i16 = arith.constant 7 : i16
  %c0_i32 = arith.constant 0 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = "tile.pointer_offset"(%arg3, %c0_i64) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %2 = "tile.splat"(%1) : (!tile.ptr<i16>) -> tensor<67x!tile.ptr<i16>, #layout0>
  %3 = "tile.arange"() {lo = 0 : i64} : () -> tensor<67xi32, #layout0>
  %4 = arith.extsi %3 : tensor<67xi32, #layout0> to tensor<67xi64, #layout0>
  %5 = "tile.pointer_offset"(%2, %4) : (tensor<67x!tile.ptr<i16>, #layout0>, tensor<67xi64, #layout0>) -> tensor<67x!tile.ptr<i16>, #layout0>
  %6 = "tile.splat"(%c0_i32) : (i32) -> tensor<67xi32, #layout0>
  %7 = arith.addi %6, %3 : tensor<67xi32, #layout0>
  %8 = "tile.splat"(%arg2) : (i32) -> tensor<67xi32, #layout0>
  %9 = arith.cmpi ult, %7, %8 : tensor<67xi32, #layout0>
  %10 = "tile.load"(%5, %9, %c0_i32) {cache = "", evict = "", kinds = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>, vector = 1 : i64} : (tensor<67x!tile.ptr<i16>, #layout0>, tensor<67xi1, #layout0>, i32) -> tensor<67xi16, #layout0>
  %11 = arith.extsi %10 : tensor<67xi16, #layout0> to tensor<67xi32, #layout0>
  %12 = arith.extsi %arg2 : i32 to i64
  %13 = arith.cmpi ult, %0, %arg1 : i32
  %14 = arith.extsi %0 : i32 to i64
  %15 = arith.muli %14, %12 : i64
  %16 = "tile.pointer_offset"(%arg0, %15) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %17 = "tile.splat"(%16) : (!tile.ptr<i16>) -> tensor<67x!tile.ptr<i16>, #layout0>
  %18 = "tile.pointer_offset"(%17, %4) : (tensor<67x!tile.ptr<i16>, #layout0>, tensor<67xi64, #layout0>) -> tensor<67x!tile.ptr<i16>, #layout0>
  %19 = "tile.splat"(%13) : (i1) -> tensor<67xi1, #layout0>
  %20 = arith.andi %19, %9 : tensor<67xi1, #layout0>
  %21 = "tile.splat"(%c7_i16) : (i16) -> tensor<67xi16, #layout0>
  %22 = "tile.load"(%18, %20, %21, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, vector = 1 : i64} : (tensor<67x!tile.ptr<i16>, #layout0>, tensor<67xi1, #layout0>, tensor<67xi16, #layout0>, i32, i32) -> tensor<67xi16, #layout0>
  %23 = arith.extsi %22 : tensor<67xi16, #layout0> to tensor<67xi32, #layout0>
  %24 = arith.muli %23, %11 : tensor<67xi32, #layout0>
  %25 = "tile.reduce"(%23) ({
  ^bb0(%arg5: i32, %arg6: i32):
    %32 = arith.maxsi %arg5, %arg6 : i32
    gpu.yield %32 : i32
  }) {axis = 0 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<67xi32, #layout0>) -> i32
  %26 = "tile.splat"(%25) : (i32) -> tensor<67xi32, #layout0>
  %27 = arith.addi %24, %26 : tensor<67xi32, #layout0>
  %28 = arith.trunci %27 : tensor<67xi32, #layout0> to tensor<67xi16, #layout0>
  %29 = "tile.pointer_offset"(%arg4, %15) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %30 = "tile.splat"(%29) : (!tile.ptr<i16>) -> tensor<67x!tile.ptr<i16>, #layout0>
  %31 = "tile.pointer_offset"(%30, %4) : (tensor<67x!tile.ptr<i16>, #layout0>, tensor<67xi64, #layout0>) -> tensor<67x!tile.ptr<i16>, #layout0>
  "tile.store"(%31, %28, %20, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, vector = 1 : i64} : (tensor<67x!tile.ptr<i16>, #layout0>, tensor<67xi16, #layout0>, tensor<67xi1, #layout0>, i32, i32) -> ()
  return
}
