// pass: shared-memory
// Two buffers that are never alive together share their bytes; the third overlaps the second.
func.func @reuse() attributes {tile.warps = 1 : i64} {
  %x = arith.constant dense<1.0> : tensor<512xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [16], warp = []}>
  %a = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>
  "tile.shared_store"(%x, %a) : (tensor<512xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [16], warp = []}>, !tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>) -> ()
  %y = "tile.shared_load"(%a) : (!tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>) -> tensor<512xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [16], warp = []}>
  %b = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>
  %c = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>
  "tile.shared_store"(%y, %b) : (tensor<512xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [16], warp = []}>, !tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>) -> ()
  "tile.shared_store"(%y, %c) : (tensor<512xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [16], warp = []}>, !tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>) -> ()
  %z = "tile.shared_load"(%b) : (!tile.shared<tensor<512xf32, {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 512 : i64, vector = 1 : i64}>>) -> tensor<512xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [16], warp = []}>
  func.return
}
