// pass: conversions
// 262144 bytes are more than a program may have: two times half of them, the low bits and the high ones.
func.func @convert() attributes {tile.warps = 16 : i64} {
  %x = arith.constant dense<1.0> : tensor<256x256xf32, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], reg = [[0, 1], [0, 2]], repeat = [16, 2], warp = [[1, 0], [2, 0], [4, 0], [8, 0]]}>
  %y = "tile.convert"(%x) : (tensor<256x256xf32, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], reg = [[0, 1], [0, 2]], repeat = [16, 2], warp = [[1, 0], [2, 0], [4, 0], [8, 0]]}>) -> tensor<256x256xf32, {lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], reg = [[1, 0], [2, 0]], repeat = [2, 16], warp = [[0, 1], [0, 2], [0, 4], [0, 8]]}>
  %z = math.absf %y : tensor<256x256xf32, {lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], reg = [[1, 0], [2, 0]], repeat = [2, 16], warp = [[0, 1], [0, 2], [0, 4], [0, 8]]}>
  func.return
}
