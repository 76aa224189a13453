// pass: reductions
// 64 elements on two warps: one sum per warp, exchanged, added.
func.func @sum(%p: !tile.ptr<f32>) attributes {tile.warps = 2 : i64} {
  %x = arith.constant dense<1.0> : tensor<64xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = [[32]]}>
  %s = "tile.reduce"(%x) ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    "gpu.yield"(%c) : (f32) -> ()
  }) {axis = 0 : i64, identity = [-0.0 : f32], partial = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<64xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = [[32]]}>) -> f32
  "tile.store"(%p, %s) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<f32>, f32) -> ()
  func.return
}
