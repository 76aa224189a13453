// pass: conversions
// K is 6, the layouts of the operands cover 8: the dot keeps to `depth`.
func.func @product(%p: !tile.ptr<f32>) attributes {tile.warps = 1 : i64} {
  %a = arith.constant dense<1.0> : tensor<32x6xf32, {lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], reg = [], repeat = [8, 1], warp = []}>
  %b = arith.constant dense<1.0> : tensor<6x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0]], repeat = [1, 1], warp = []}>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], repeat = [1, 1], warp = []}>
  %d = "tile.dot"(%a, %b, %c) {path = "fma", precision = "full"} : (tensor<32x6xf32, {lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], reg = [], repeat = [8, 1], warp = []}>, tensor<6x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0]], repeat = [1, 1], warp = []}>, tensor<32x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], repeat = [1, 1], warp = []}>) -> tensor<32x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], repeat = [1, 1], warp = []}>
  func.return
}
