// pass: layouts
// A row is loaded, reduced and divided by its sum: everything lives where the load is, the sum's
// broadcast is computed there, and there is no conversion.
func.func @normalise(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 16>} {
  %at = "tile.arange"() {lo = 0 : i64} : () -> tensor<512xi32>
  %xs = "tile.splat"(%x) : (!tile.ptr<f32>) -> tensor<512x!tile.ptr<f32>>
  %ys = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<512x!tile.ptr<f32>>
  %xp = "tile.pointer_offset"(%xs, %at) : (tensor<512x!tile.ptr<f32>>, tensor<512xi32>) -> tensor<512x!tile.ptr<f32>>
  %yp = "tile.pointer_offset"(%ys, %at) : (tensor<512x!tile.ptr<f32>>, tensor<512xi32>) -> tensor<512x!tile.ptr<f32>>
  %a = "tile.load"(%xp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<512x!tile.ptr<f32>>) -> tensor<512xf32>
  %s = "tile.reduce"(%a) ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.addf %l, %r : f32
    "gpu.yield"(%c) : (f32) -> ()
  }) {axis = 0 : i64, identity = [-0.0 : f32], partial = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<512xf32>) -> f32
  %b = "tile.splat"(%s) : (f32) -> tensor<512xf32>
  %d = arith.divf %a, %b : tensor<512xf32>
  "tile.store"(%yp, %d) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<512x!tile.ptr<f32>>, tensor<512xf32>) -> ()
  func.return
}
