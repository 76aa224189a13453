// pass: pipeline
// One program of this row fills the registers: the row waits in shared memory, and is read for each of the reductions.
#layout0 = {lane = [[8], [16], [32], [64], [128]], reg = [[1], [2], [4]], repeat = [8], warp = [[256], [512], [1024], [2048]]}
#layout1 = {lane = [[0], [0], [0], [0], [0]], reg = [], repeat = [1], warp = [[1], [2], [4], [8]]}
#shared2 = {max_phase = 4 : i64, order = [0], per_phase = 2 : i64, pitch = 16 : i64, vector = 4 : i64}
#layout3 = {lane = [[0], [0], [0], [0], [0]], reg = [[1], [2], [4], [8]], repeat = [1], warp = [[0], [0], [0], [0]]}
func.func @long_row(%arg0: !tile.ptr<i16>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<i32>) attributes {tile.divisibility = array<i64: 16, 1, 8, 16>, tile.warps = 16 : i64} {
  %c-1_i16 = arith.constant -1 : i16
  %c0_i32 = arith.constant 0 : i32
  %c32768_i32 = arith.constant 32768 : i32
  %0 = arith.cmpi sle, %arg2, %c32768_i32 : i32
  "tile.assume"(%0) : (i1) -> ()
  %1 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %2 = arith.extsi %arg2 : i32 to i64
  %3 = arith.cmpi ult, %1, %arg1 : i32
  %4 = arith.extsi %1 : i32 to i64
  %5 = arith.muli %4, %2 : i64
  %6 = "tile.pointer_offset"(%arg0, %5) : (!tile.ptr<i16>, i64) -> !tile.ptr<i16>
  %7 = "tile.splat"(%6) : (!tile.ptr<i16>) -> tensor<32768x!tile.ptr<i16>, #layout0>
  %8 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32768xi32, #layout0>
  %9 = arith.extsi %8 : tensor<32768xi32, #layout0> to tensor<32768xi64, #layout0>
  %10 = "tile.pointer_offset"(%7, %9) : (tensor<32768x!tile.ptr<i16>, #layout0>, tensor<32768xi64, #layout0>) -> tensor<32768x!tile.ptr<i16>, #layout0>
  %11 = "tile.splat"(%3) : (i1) -> tensor<32768xi1, #layout0>
  %12 = "tile.splat"(%c0_i32) : (i32) -> tensor<32768xi32, #layout0>
  %13 = arith.addi %12, %8 : tensor<32768xi32, #layout0>
  %14 = "tile.splat"(%arg2) : (i32) -> tensor<32768xi32, #layout0>
  %15 = arith.cmpi ult, %13, %14 {tile.runs = array<i64: 8>} : tensor<32768xi32, #layout0>
  %16 = arith.andi %11, %15 {tile.runs = array<i64: 8>} : tensor<32768xi1, #layout0>
  %17 = "tile.splat"(%c-1_i16) : (i16) -> tensor<32768xi16, #layout0>
  %18 = "tile.load"(%10, %16, %17, %1, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, vector = 8 : i64} : (tensor<32768x!tile.ptr<i16>, #layout0>, tensor<32768xi1, #layout0>, tensor<32768xi16, #layout0>, i32, i32) -> tensor<32768xi16, #layout0>
  %19 = arith.extsi %18 : tensor<32768xi16, #layout0> to tensor<32768xi32, #layout0>
  %20 = "tile.reduce"(%19) ({
  ^bb0(%arg4: i32, %arg5: i32):
    %31 = arith.maxsi %arg4, %arg5 : i32
    gpu.yield %31 : i32
  }) {axis = 0 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<32768xi32, #layout0>) -> tensor<16xi32, #layout1>
  %21 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<16xi32, #shared2>>
  "tile.shared_store"(%20, %21) : (tensor<16xi32, #layout1>, !tile.shared<tensor<16xi32, #shared2>>) -> ()
  %22 = "tile.shared_load"(%21) : (!tile.shared<tensor<16xi32, #shared2>>) -> tensor<16xi32, #layout3>
  %23 = "tile.reduce"(%22) ({
  ^bb0(%arg4: i32, %arg5: i32):
    %31 = arith.maxsi %arg4, %arg5 : i32
    gpu.yield %31 : i32
  }) {axis = 0 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16xi32, #layout3>) -> i32
  %24 = "tile.splat"(%23) : (i32) -> tensor<32768xi32, #layout0>
  %25 = arith.subi %19, %24 : tensor<32768xi32, #layout0>
  %26 = "tile.reduce"(%25) ({
  ^bb0(%arg4: i32, %arg5: i32):
    %31 = arith.addi %arg4, %arg5 : i32
    gpu.yield %31 : i32
  }) {axis = 0 : i64, identity = [0 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<32768xi32, #layout0>) -> tensor<16xi32, #layout1>
  %27 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<16xi32, #shared2>>
  "tile.shared_store"(%26, %27) : (tensor<16xi32, #layout1>, !tile.shared<tensor<16xi32, #shared2>>) -> ()
  %28 = "tile.shared_load"(%27) : (!tile.shared<tensor<16xi32, #shared2>>) -> tensor<16xi32, #layout3>
  %29 = "tile.reduce"(%28) ({
  ^bb0(%arg4: i32, %arg5: i32):
    %31 = arith.addi %arg4, %arg5 : i32
    gpu.yield %31 : i32
  }) {axis = 0 : i64, identity = [0 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16xi32, #layout3>) -> i32
  %30 = "tile.pointer_offset"(%arg3, %4) : (!tile.ptr<i32>, i64) -> !tile.ptr<i32>
  "tile.store"(%30, %29, %3) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<i32>, i32, i1) -> ()
  return
}
