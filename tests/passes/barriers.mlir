// pass: barriers
// A loop that fills a buffer and reads it: one barrier before the read, one before it is filled again.
// The second buffer shares no bytes with the first and needs none of its own.
func.func @loop(%n: i64) attributes {tile.warps = 1 : i64} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<32xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 1 : i64}>>
  %b = "tile.shared_alloc"() {offset = 128 : i64} : () -> !tile.shared<tensor<32xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 1 : i64}>>
  %x = arith.constant dense<1.0> : tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  scf.for %i = %zero to %n step %one : i64 {
    "tile.shared_store"(%x, %a) : (tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, !tile.shared<tensor<32xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 1 : i64}>>) -> ()
    "tile.shared_store"(%x, %b) : (tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, !tile.shared<tensor<32xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 1 : i64}>>) -> ()
    %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 1 : i64}>>) -> tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
    %d = "tile.shared_load"(%b) : (!tile.shared<tensor<32xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 1 : i64}>>) -> tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  }
  func.return
}
