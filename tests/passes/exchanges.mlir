// pass: pipeline
// Results of reductions go to the blocks of a cluster with their own arrival: one exchange for the sums, one for the maximum.
#layout0 = {lane = [[4], [8], [16], [32], [64]], reg = [[1], [2]], repeat = [8], warp = [[128], [256], [512], [1024], [2048], [4096]]}
#layout1 = {lane = [[0], [0], [0], [0], [0]], reg = [], repeat = [1], warp = [[1], [2], [4], [8], [16], [32]]}
#shared2 = {max_phase = 8 : i64, order = [0], per_phase = 1 : i64, pitch = 64 : i64, vector = 4 : i64}
#layout3 = {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = [[0], [0], [0], [0], [0], [0]]}
func.func @exchanges(%arg0: !tile.ptr<f32>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f32>) attributes {tile.cluster = 8 : i64, tile.divisibility = array<i64: 16, 1, 4, 16>, tile.warps = 64 : i64} {
  %c2_i64 = arith.constant 2 : i64
  %c1_i64 = arith.constant 1 : i64
  %c3_i64 = arith.constant 3 : i64
  %cst = arith.constant 1.000000e-03 : f32
  %c0_i32 = arith.constant 0 : i32
  %c65536_i32 = arith.constant 65536 : i32
  %0 = arith.cmpi sle, %arg2, %c65536_i32 : i32
  "tile.assume"(%0) : (i1) -> ()
  %1 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %2 = arith.extsi %arg2 : i32 to i64
  %3 = arith.cmpi ult, %1, %arg1 : i32
  %4 = arith.extsi %1 : i32 to i64
  %5 = arith.muli %4, %2 : i64
  %6 = "tile.pointer_offset"(%arg0, %5) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  %7 = "tile.splat"(%6) : (!tile.ptr<f32>) -> tensor<65536x!tile.ptr<f32>, #layout0>
  %8 = "tile.arange"() {lo = 0 : i64} : () -> tensor<65536xi32, #layout0>
  %9 = arith.extsi %8 : tensor<65536xi32, #layout0> to tensor<65536xi64, #layout0>
  %10 = "tile.pointer_offset"(%7, %9) : (tensor<65536x!tile.ptr<f32>, #layout0>, tensor<65536xi64, #layout0>) -> tensor<65536x!tile.ptr<f32>, #layout0>
  %11 = "tile.splat"(%3) : (i1) -> tensor<65536xi1, #layout0>
  %12 = "tile.splat"(%c0_i32) : (i32) -> tensor<65536xi32, #layout0>
  %13 = arith.addi %12, %8 : tensor<65536xi32, #layout0>
  %14 = "tile.splat"(%arg2) : (i32) -> tensor<65536xi32, #layout0>
  %15 = arith.cmpi ult, %13, %14 {tile.runs = array<i64: 4>} : tensor<65536xi32, #layout0>
  %16 = arith.andi %11, %15 {tile.runs = array<i64: 4>} : tensor<65536xi1, #layout0>
  %17 = "tile.load"(%10, %16, %1, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 4 : i64} : (tensor<65536x!tile.ptr<f32>, #layout0>, tensor<65536xi1, #layout0>, i32, i32) -> tensor<65536xf32, #layout0>
  %18 = "tile.reduce"(%17) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %44 = arith.addf %arg4, %arg5 : f32
    gpu.yield %44 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<65536xf32, #layout0>) -> tensor<64xf32, #layout1>
  %19 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64xf32, #shared2>>
  "tile.shared_store"(%18, %19) : (tensor<64xf32, #layout1>, !tile.shared<tensor<64xf32, #shared2>>) -> ()
  %20 = "tile.shared_load"(%19) : (!tile.shared<tensor<64xf32, #shared2>>) -> tensor<64xf32, #layout3>
  %21 = "tile.reduce"(%20) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %44 = arith.addf %arg4, %arg5 : f32
    gpu.yield %44 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<64xf32, #layout3>) -> f32
  %22 = arith.sitofp %arg2 : i32 to f32
  %23 = arith.divf %21, %22 : f32
  %24 = arith.mulf %17, %17 : tensor<65536xf32, #layout0>
  %25 = "tile.reduce"(%24) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %44 = arith.addf %arg4, %arg5 : f32
    gpu.yield %44 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<65536xf32, #layout0>) -> tensor<64xf32, #layout1>
  %26 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64xf32, #shared2>>
  "tile.shared_store"(%25, %26) : (tensor<64xf32, #layout1>, !tile.shared<tensor<64xf32, #shared2>>) -> ()
  %27 = "tile.shared_load"(%26) : (!tile.shared<tensor<64xf32, #shared2>>) -> tensor<64xf32, #layout3>
  %28 = "tile.reduce"(%27) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %44 = arith.addf %arg4, %arg5 : f32
    gpu.yield %44 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<64xf32, #layout3>) -> f32
  %29 = arith.divf %28, %22 : f32
  %30 = arith.mulf %23, %cst : f32
  %31 = "tile.splat"(%30) : (f32) -> tensor<65536xf32, #layout0>
  %32 = arith.subf %17, %31 : tensor<65536xf32, #layout0>
  %33 = math.absf %32 : tensor<65536xf32, #layout0>
  %34 = "tile.reduce"(%33) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %44 = arith.maxnumf %arg4, %arg5 : f32
    gpu.yield %44 : f32
  }) {axis = 0 : i64, identity = [0x7FC00000 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 1 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<65536xf32, #layout0>) -> tensor<64xf32, #layout1>
  %35 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64xf32, #shared2>>
  "tile.shared_store"(%34, %35) : (tensor<64xf32, #layout1>, !tile.shared<tensor<64xf32, #shared2>>) -> ()
  %36 = "tile.shared_load"(%35) : (!tile.shared<tensor<64xf32, #shared2>>) -> tensor<64xf32, #layout3>
  %37 = "tile.reduce"(%36) ({
  ^bb0(%arg4: f32, %arg5: f32):
    %44 = arith.maxnumf %arg4, %arg5 : f32
    gpu.yield %44 : f32
  }) {axis = 0 : i64, identity = [0x7FC00000 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<64xf32, #layout3>) -> f32
  %38 = arith.muli %4, %c3_i64 : i64
  %39 = "tile.pointer_offset"(%arg3, %38) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  "tile.store"(%39, %23, %3) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<f32>, f32, i1) -> ()
  %40 = arith.addi %38, %c1_i64 : i64
  %41 = "tile.pointer_offset"(%arg3, %40) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  "tile.store"(%41, %29, %3) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<f32>, f32, i1) -> ()
  %42 = arith.addi %38, %c2_i64 : i64
  %43 = "tile.pointer_offset"(%arg3, %42) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  "tile.store"(%43, %37, %3) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<f32>, f32, i1) -> ()
  return
}
