// pass: conversions
// A transposition of who holds what goes through swizzled shared memory; a renumbering of registers
// stays a conversion.
func.func @convert(%p: !tile.ptr<f32>) attributes {tile.warps = 1 : i64} {
  %x = arith.constant dense<1.0> : tensor<32x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], repeat = [1, 1], warp = []}>
  %y = "tile.convert"(%x) : (tensor<32x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], repeat = [1, 1], warp = []}>) -> tensor<32x32xf32, {lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], repeat = [1, 1], warp = []}>
  %z = "tile.convert"(%x) : (tensor<32x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], repeat = [1, 1], warp = []}>) -> tensor<32x32xf32, {lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], reg = [[16, 0], [8, 0], [4, 0], [2, 0], [1, 0]], repeat = [1, 1], warp = []}>
  func.return
}
