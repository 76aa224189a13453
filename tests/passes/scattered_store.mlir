// pass: layouts
// Rows of 65 elements are not aligned, so a transposed tile is stored element by element. In the
// layout of the load each lane would touch a sector of its own: it is converted, and neighbouring
// lanes store neighbouring elements.
func.func @transpose(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 4, 4>} {
  %pitch_x = arith.constant dense<33> : tensor<64x1xi32>
  %pitch_y = arith.constant dense<65> : tensor<32x1xi32>
  %i = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
  %j = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32>
  %xs = "tile.splat"(%x) : (!tile.ptr<f32>) -> tensor<64x32x!tile.ptr<f32>>
  %row = "tile.expand"(%i) {axis = 1 : i64} : (tensor<64xi32>) -> tensor<64x1xi32>
  %start = arith.muli %row, %pitch_x : tensor<64x1xi32>
  %starts = "tile.broadcast"(%start) : (tensor<64x1xi32>) -> tensor<64x32xi32>
  %column = "tile.expand"(%j) {axis = 0 : i64} : (tensor<32xi32>) -> tensor<1x32xi32>
  %columns = "tile.broadcast"(%column) : (tensor<1x32xi32>) -> tensor<64x32xi32>
  %from = arith.addi %starts, %columns : tensor<64x32xi32>
  %xp = "tile.pointer_offset"(%xs, %from) : (tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>) -> tensor<64x32x!tile.ptr<f32>>
  %a = "tile.load"(%xp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x32x!tile.ptr<f32>>) -> tensor<64x32xf32>
  %ys = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<32x64x!tile.ptr<f32>>
  %row_y = "tile.expand"(%j) {axis = 1 : i64} : (tensor<32xi32>) -> tensor<32x1xi32>
  %start_y = arith.muli %row_y, %pitch_y : tensor<32x1xi32>
  %starts_y = "tile.broadcast"(%start_y) : (tensor<32x1xi32>) -> tensor<32x64xi32>
  %column_y = "tile.expand"(%i) {axis = 0 : i64} : (tensor<64xi32>) -> tensor<1x64xi32>
  %columns_y = "tile.broadcast"(%column_y) : (tensor<1x64xi32>) -> tensor<32x64xi32>
  %to = arith.addi %starts_y, %columns_y : tensor<32x64xi32>
  %yp = "tile.pointer_offset"(%ys, %to) : (tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>) -> tensor<32x64x!tile.ptr<f32>>
  %t = "tile.permute"(%a) {permutation = array<i64: 1, 0>} : (tensor<64x32xf32>) -> tensor<32x64xf32>
  "tile.store"(%yp, %t) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<32x64x!tile.ptr<f32>>, tensor<32x64xf32>) -> ()
  func.return
}
