// pass: layouts
// What a product gives is the left operand of another. Accumulators have two neighbours in a thread, fragments of 8-bit elements
// four: lanes exchange pairs, and nothing goes through shared memory.
func.func @chain(%k: !tile.ptr<f8E4M3FN>, %y: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 16>, tile.sizes = array<i64>, tile.warps = 4 : i64} {
  %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %places = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
  %column = "tile.expand"(%places) {axis = 1 : i64} : (tensor<64xi32>) -> tensor<64x1xi32>
  %row = "tile.expand"(%places) {axis = 0 : i64} : (tensor<64xi32>) -> tensor<1x64xi32>
  %wide = "tile.broadcast"(%column) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %high = "tile.broadcast"(%row) : (tensor<1x64xi32>) -> tensor<64x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x64xi32>
  %rows = arith.muli %wide, %pitch : tensor<64x64xi32>
  %offsets = arith.addi %rows, %high : tensor<64x64xi32>
  %from = "tile.splat"(%k) : (!tile.ptr<f8E4M3FN>) -> tensor<64x64x!tile.ptr<f8E4M3FN>>
  %all = "tile.pointer_offset"(%from, %offsets) : (tensor<64x64x!tile.ptr<f8E4M3FN>>, tensor<64x64xi32>) -> tensor<64x64x!tile.ptr<f8E4M3FN>>
  %x = "tile.load"(%all) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f8E4M3FN>>) -> tensor<64x64xf8E4M3FN>
  %t = "tile.permute"(%x) {permutation = array<i64: 1, 0>} : (tensor<64x64xf8E4M3FN>) -> tensor<64x64xf8E4M3FN>
  %first = "tile.dot"(%x, %t, %zeros) {path = "wgmma", precision = "usual"} : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %narrow = arith.truncf %first : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
  %second = "tile.dot"(%narrow, %t, %zeros) {path = "wgmma", precision = "usual"} : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %to = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<64x64x!tile.ptr<f32>>
  %there = "tile.pointer_offset"(%to, %offsets) : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tile.ptr<f32>>
  "tile.store"(%there, %second) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>) -> ()
  return
}
