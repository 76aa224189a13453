// pass: to-llvm
// One warp, two elements for each lane: tiles become the registers of a thread, the masked access a predicated
// instruction of PTX, and the sum five exchanges between lanes.
func.func @to_llvm(%arg0: !tile.ptr<f32>, %arg1: !tile.ptr<f32>, %arg2: i32) attributes {tile.divisibility = array<i64: 16, 16, 4>, tile.shared_bytes = 0 : i64, tile.warps = 1 : i64} {
  %0 = "tile.splat"(%arg0) : (!tile.ptr<f32>) -> tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %1 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %2 = "tile.pointer_offset"(%0, %1) : (tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>, tensor<64xi32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>) -> tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %3 = "tile.splat"(%arg2) : (i32) -> tensor<64xi32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %4 = arith.cmpi slt, %1, %3 {tile.runs = array<i64: 4>} : tensor<64xi32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %5 = "tile.load"(%2, %4) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 4294967295 : i64} : (tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>, tensor<64xi1, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>) -> tensor<64xf32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %cst = arith.constant dense<2.000000e+00> : tensor<64xf32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %6 = arith.mulf %5, %cst : tensor<64xf32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %7 = "tile.reduce"(%5) ({
  ^bb0(%arg3: f32, %arg4: f32):
    %12 = arith.addf %arg3, %arg4 : f32
    gpu.yield %12 : f32
  }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<64xf32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>) -> f32
  %8 = "tile.splat"(%7) : (f32) -> tensor<64xf32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %9 = arith.addf %6, %8 : tensor<64xf32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %10 = "tile.splat"(%arg1) : (!tile.ptr<f32>) -> tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  %11 = "tile.pointer_offset"(%10, %1) : (tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>, tensor<64xi32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>) -> tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>
  "tile.store"(%11, %9, %4) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, vector = 2 : i64} : (tensor<64x!tile.ptr<f32>, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>, tensor<64xf32, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>, tensor<64xi1, {lane = [[2], [4], [8], [16], [32]], reg = [[1]], repeat = [1], warp = []}>) -> ()
  return
}
