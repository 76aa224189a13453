// pass: pipeline
// What is stored takes twice as much as what is loaded, and more than there is: both stay as they are.
#layout0 = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [59], warp = [[32], [64], [128], [256], [512]]}
#layout1 = {lane = [[0], [0], [0], [0], [0]], reg = [], repeat = [1], warp = [[1], [2], [4], [8], [16]]}
#shared2 = {max_phase = 8 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 4 : i64}
#layout3 = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = [[0], [0], [0], [0], [0]]}
func.func @wide(%arg0: !tile.ptr<i16>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<i32>) attributes {tile.divisibility = array<i64: 2, 1, 1, 4>, tile.warps = 32 : i64} {
  %c0_i32 = arith.constant 0 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.extsi %arg2 : i32 to i64
  %2 = arith.cmpi ult, %0, %arg1 : i32
  %3 = arith.extsi %0 : i32 to i64
  %4 = arith.muli %3, %1 : i64
  %5 = "tile.pointer_offset"(%arg0, %4) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %6 = "tile.splat"(%5) : (!tile.ptr<i16>) -> tensor<60001x!tile.ptr<i16>, #layout0>
  %7 = "tile.arange"() {lo = 0 : i64} : () -> tensor<60001xi32, #layout0>
  %8 = arith.extsi %7 : tensor<60001xi32, #layout0> to tensor<60001xi64, #layout0>
  %9 = "tile.pointer_offset"(%6, %8) : (tensor<60001x!tile.ptr<i16>, #layout0>, tensor<60001xi64, #layout0>) -> tensor<60001x!tile.ptr<i16>, #layout0>
  %10 = "tile.splat"(%2) : (i1) -> tensor<60001xi1, #layout0>
  %11 = "tile.splat"(%c0_i32) : (i32) -> tensor<60001xi32, #layout0>
  %12 = arith.addi %11, %7 : tensor<60001xi32, #layout0>
  %13 = "tile.splat"(%arg2) : (i32) -> tensor<60001xi32, #layout0>
  %14 = arith.cmpi ult, %12, %13 : tensor<60001xi32, #layout0>
  %15 = arith.andi %10, %14 : tensor<60001xi1, #layout0>
  %16 = "tile.load"(%9, %15, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 1 : i64} : (tensor<60001x!tile.ptr<i16>, #layout0>, tensor<60001xi1, #layout0>, i32, i32) -> tensor<60001xi16, #layout0>
  %17 = arith.extsi %16 : tensor<60001xi16, #layout0> to tensor<60001xi32, #layout0>
  %18 = "tile.reduce"(%17) ({
  ^bb0(%arg4: i32, %arg5: i32):
    %27 = arith.maxsi %arg4, %arg5 : i32
    gpu.yield %27 : i32
  }) {axis = 0 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<60001xi32, #layout0>) -> tensor<32xi32, #layout1>
  %19 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<32xi32, #shared2>>
  "tile.shared_store"(%18, %19) : (tensor<32xi32, #layout1>, !tile.shared<tensor<32xi32, #shared2>>) -> ()
  %20 = "tile.shared_load"(%19) : (!tile.shared<tensor<32xi32, #shared2>>) -> tensor<32xi32, #layout3>
  %21 = "tile.reduce"(%20) ({
  ^bb0(%arg4: i32, %arg5: i32):
    %27 = arith.maxsi %arg4, %arg5 : i32
    gpu.yield %27 : i32
  }) {axis = 0 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<32xi32, #layout3>) -> i32
  %22 = "tile.pointer_offset"(%arg3, %4) : (!tile.ptr<i32>, i64) -> !tile.ptr<i32>
  %23 = "tile.splat"(%22) : (!tile.ptr<i32>) -> tensor<60001x!tile.ptr<i32>, #layout0>
  %24 = "tile.pointer_offset"(%23, %8) : (tensor<60001x!tile.ptr<i32>, #layout0>, tensor<60001xi64, #layout0>) -> tensor<60001x!tile.ptr<i32>, #layout0>
  %25 = "tile.splat"(%21) : (i32) -> tensor<60001xi32, #layout0>
  %26 = arith.addi %7, %25 : tensor<60001xi32, #layout0>
  "tile.store"(%24, %26, %15, %0, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, vector = 1 : i64} : (tensor<60001x!tile.ptr<i32>, #layout0>, tensor<60001xi32, #layout0>, tensor<60001xi1, #layout0>, i32, i32) -> ()
  return
}
