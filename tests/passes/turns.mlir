// pass: pipeline
// One program of these rows fills the registers, and they are too dear to be computed again: programs take turns, and the next one's rows are copied.
#layout0 = {lane = [[8], [16], [32], [64], [128]], reg = [[1], [2], [4]], repeat = [5], warp = [[256], [512], [1024], [2048]]}
#layout1 = {lane = [[0], [0], [0], [0], [0]], reg = [], repeat = [1], warp = [[1], [2], [4], [8]]}
#shared2 = {max_phase = 4 : i64, order = [0], per_phase = 2 : i64, pitch = 16 : i64, vector = 4 : i64}
#layout3 = {lane = [[0], [0], [0], [0], [0]], reg = [[1], [2], [4], [8]], repeat = [1], warp = [[0], [0], [0], [0]]}
func.func @turns(%arg0: !tile.ptr<i16>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<i16>, %arg4: !tile.ptr<i16>) attributes {tile.divisibility = array<i64: 16, 1, 8, 16, 16>, tile.warps = 16 : i64} {
  %c7_i16 = arith.constant 7 : i16
  %c0_i32 = arith.constant 0 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.extsi %arg2 : i32 to i64
  %2 = arith.cmpi ult, %0, %arg1 : i32
  %3 = arith.extsi %0 : i32 to i64
  %4 = arith.muli %3, %1 : i64
  %5 = "tile.pointer_offset"(%arg0, %4) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %6 = "tile.splat"(%5) : (!tile.ptr<i16>) -> tensor<20480x!tile.ptr<i16>, #layout0>
  %7 = "tile.arange"() {lo = 0 : i64} : () -> tensor<20480xi32, #layout0>
  %8 = arith.extsi %7 : tensor<20480xi32, #layout0> to tensor<20480xi64, #layout0>
  %9 = "tile.pointer_offset"(%6, %8) : (tensor<20480x!tile.ptr<i16>, #layout0>, tensor<20480xi64, #layout0>) -> tensor<20480x!tile.ptr<i16>, #layout0>
  %10 = "tile.splat"(%2) : (i1) -> tensor<20480xi1, #layout0>
  %11 = "tile.splat"(%c0_i32) : (i32) -> tensor<20480xi32, #layout0>
  %12 = arith.addi %11, %7 : tensor<20480xi32, #layout0>
  %13 = "tile.splat"(%arg2) : (i32) -> tensor<20480xi32, #layout0>
  %14 = arith.cmpi ult, %12, %13 {tile.runs = array<i64: 8>} : tensor<20480xi32, #layout0>
  %15 = arith.andi %10, %14 {tile.runs = array<i64: 8>} : tensor<20480xi1, #layout0>
  %16 = "tile.splat"(%c7_i16) : (i16) -> tensor<20480xi16, #layout0>
  %17 = "tile.load"(%9, %15, %16, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, vector = 8 : i64} : (tensor<20480x!tile.ptr<i16>, #layout0>, tensor<20480xi1, #layout0>, tensor<20480xi16, #layout0>, i32, i32) -> tensor<20480xi16, #layout0>
  %18 = arith.extsi %17 : tensor<20480xi16, #layout0> to tensor<20480xi32, #layout0>
  %19 = "tile.pointer_offset"(%arg3, %4) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %20 = "tile.splat"(%19) : (!tile.ptr<i16>) -> tensor<20480x!tile.ptr<i16>, #layout0>
  %21 = "tile.pointer_offset"(%20, %8) : (tensor<20480x!tile.ptr<i16>, #layout0>, tensor<20480xi64, #layout0>) -> tensor<20480x!tile.ptr<i16>, #layout0>
  %22 = "tile.load"(%21, %15, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 8 : i64} : (tensor<20480x!tile.ptr<i16>, #layout0>, tensor<20480xi1, #layout0>, i32, i32) -> tensor<20480xi16, #layout0>
  %23 = arith.extsi %22 : tensor<20480xi16, #layout0> to tensor<20480xi32, #layout0>
  %24 = arith.muli %18, %23 : tensor<20480xi32, #layout0>
  %25 = arith.xori %24, %18 : tensor<20480xi32, #layout0>
  %cst = arith.constant dense<3> : tensor<20480xi32, #layout0>
  %26 = arith.muli %25, %cst : tensor<20480xi32, #layout0>
  %cst_0 = arith.constant dense<5> : tensor<20480xi32, #layout0>
  %27 = arith.muli %23, %cst_0 : tensor<20480xi32, #layout0>
  %28 = arith.addi %26, %27 : tensor<20480xi32, #layout0>
  %cst_1 = arith.constant dense<77> : tensor<20480xi32, #layout0>
  %29 = arith.xori %28, %cst_1 : tensor<20480xi32, #layout0>
  %cst_2 = arith.constant dense<1> : tensor<20480xi32, #layout0>
  %30 = arith.addi %18, %cst_2 : tensor<20480xi32, #layout0>
  %31 = arith.muli %29, %30 : tensor<20480xi32, #layout0>
  %cst_3 = arith.constant dense<7> : tensor<20480xi32, #layout0>
  %32 = arith.muli %23, %cst_3 : tensor<20480xi32, #layout0>
  %33 = arith.xori %31, %32 : tensor<20480xi32, #layout0>
  %34 = "tile.reduce"(%33) ({
  ^bb0(%arg5: i32, %arg6: i32):
    %52 = arith.maxsi %arg5, %arg6 : i32
    gpu.yield %52 : i32
  }) {axis = 0 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<20480xi32, #layout0>) -> tensor<16xi32, #layout1>
  %35 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<16xi32, #shared2>>
  "tile.shared_store"(%34, %35) : (tensor<16xi32, #layout1>, !tile.shared<tensor<16xi32, #shared2>>) -> ()
  %36 = "tile.shared_load"(%35) : (!tile.shared<tensor<16xi32, #shared2>>) -> tensor<16xi32, #layout3>
  %37 = "tile.reduce"(%36) ({
  ^bb0(%arg5: i32, %arg6: i32):
    %52 = arith.maxsi %arg5, %arg6 : i32
    gpu.yield %52 : i32
  }) {axis = 0 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16xi32, #layout3>) -> i32
  %38 = "tile.splat"(%37) : (i32) -> tensor<20480xi32, #layout0>
  %39 = arith.subi %33, %38 : tensor<20480xi32, #layout0>
  %40 = "tile.reduce"(%39) ({
  ^bb0(%arg5: i32, %arg6: i32):
    %52 = arith.minsi %arg5, %arg6 : i32
    gpu.yield %52 : i32
  }) {axis = 0 : i64, identity = [2147483647 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<20480xi32, #layout0>) -> tensor<16xi32, #layout1>
  %41 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<16xi32, #shared2>>
  "tile.shared_store"(%40, %41) : (tensor<16xi32, #layout1>, !tile.shared<tensor<16xi32, #shared2>>) -> ()
  %42 = "tile.shared_load"(%41) : (!tile.shared<tensor<16xi32, #shared2>>) -> tensor<16xi32, #layout3>
  %43 = "tile.reduce"(%42) ({
  ^bb0(%arg5: i32, %arg6: i32):
    %52 = arith.minsi %arg5, %arg6 : i32
    gpu.yield %52 : i32
  }) {axis = 0 : i64, identity = [2147483647 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16xi32, #layout3>) -> i32
  %cst_4 = arith.constant dense<1000> : tensor<20480xi32, #layout0>
  %44 = arith.remsi %33, %cst_4 : tensor<20480xi32, #layout0>
  %45 = arith.addi %44, %38 : tensor<20480xi32, #layout0>
  %46 = "tile.splat"(%43) : (i32) -> tensor<20480xi32, #layout0>
  %47 = arith.addi %45, %46 : tensor<20480xi32, #layout0>
  %48 = arith.trunci %47 : tensor<20480xi32, #layout0> to tensor<20480xi16, #layout0>
  %49 = "tile.pointer_offset"(%arg4, %4) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %50 = "tile.splat"(%49) : (!tile.ptr<i16>) -> tensor<20480x!tile.ptr<i16>, #layout0>
  %51 = "tile.pointer_offset"(%50, %8) : (tensor<20480x!tile.ptr<i16>, #layout0>, tensor<20480xi64, #layout0>) -> tensor<20480x!tile.ptr<i16>, #layout0>
  "tile.store"(%51, %48, %15, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, vector = 8 : i64} : (tensor<20480x!tile.ptr<i16>, #layout0>, tensor<20480xi16, #layout0>, tensor<20480xi1, #layout0>, i32, i32) -> ()
  return
}
