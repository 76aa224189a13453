// pass: barriers
// A barrier stands between the rows that threads write to shared memory and the rows that they store from there, and another
// before what was stored is loaded again; none before the store, which nothing read.
#layout = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}
#tile = {lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], reg = [], repeat = [1, 1], warp = []}
func.func @stored(%c: !tile.ptr<f32>, %at: i32, %rows: i64, %pitch: i64, %x: tensor<4x8xf32, #tile>) attributes {tile.warps = 1 : i64} {
  %buffer = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<4x12xf32, {max_phase = 1 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 12 : i64, vector = 1 : i64}>>
  "tile.rows_write"(%x, %buffer, %c, %pitch) {vector = 1 : i64} : (tensor<4x8xf32, #tile>, !tile.shared<tensor<4x12xf32, {max_phase = 1 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 12 : i64, vector = 1 : i64}>>, !tile.ptr<f32>, i64) -> ()
  "tile.rows_store"(%c, %buffer, %at, %at, %rows, %rows, %pitch) {kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 2, 3>, shape = array<i64: 4, 8>} : (!tile.ptr<f32>, !tile.shared<tensor<4x12xf32, {max_phase = 1 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 12 : i64, vector = 1 : i64}>>, i32, i32, i64, i64, i64) -> ()
  %from = "tile.splat"(%c) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>, #layout>
  %a = "tile.load"(%from) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, #layout>) -> tensor<32xf32, #layout>
  "tile.rows_write"(%x, %buffer, %c, %pitch) {vector = 1 : i64} : (tensor<4x8xf32, #tile>, !tile.shared<tensor<4x12xf32, {max_phase = 1 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 12 : i64, vector = 1 : i64}>>, !tile.ptr<f32>, i64) -> ()
  func.return
}
