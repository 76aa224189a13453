// pass: to-llvm
// What was copied is read before the barrier behind it, where others write to the same place: the reading has effects, or LLVM
// may move it down.
#row = {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 2147483648 : i64, vector = 1 : i64}
#lanes = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = [[32], [64]]}
func.func @row_read(%arg0: !tile.ptr<i16>, %arg1: i32, %arg2: i16) attributes {tile.divisibility = array<i64: 2, 1, 1>, tile.shared_bytes = 272 : i64, tile.warps = 4 : i64} {
  %0 = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<136xi16, #row>>
  %1 = "tile.row_copy"(%arg0, %arg1, %0, %arg2) : (!tile.ptr<i16>, i32, !tile.shared<tensor<136xi16, #row>>, i16) -> i32
  "tile.row_edge"(%1, %0) : (i32, !tile.shared<tensor<136xi16, #row>>) -> ()
  "tile.async_commit"() : () -> ()
  "tile.async_wait"() {pending = 0 : i64} : () -> ()
  "tile.barrier"() : () -> ()
  %2 = "tile.row_read"(%0, %arg0) : (!tile.shared<tensor<136xi16, #row>>, !tile.ptr<i16>) -> tensor<127xi16, #lanes>
  "tile.barrier"() : () -> ()
  "tile.shared_store"(%2, %0) : (tensor<127xi16, #lanes>, !tile.shared<tensor<136xi16, #row>>) -> ()
  func.return
}
