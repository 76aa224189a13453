// pass: layouts
// The powers come from a row and a column alone: their tile could be anywhere. It is computed where the product is, which they
// scale, and not in a layout of its own, from which it would go through shared memory in each iteration. What is also
// stored by itself stays where the store wants it.
func.func @decayed(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %d: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 16, 16, 16, 16>} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %i = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
  %row = "tile.expand"(%i) {axis = 1 : i64} : (tensor<64xi32>) -> tensor<64x1xi32>
  %start = arith.muli %row, %pitch : tensor<64x1xi32>
  %starts = "tile.broadcast"(%start) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %column = "tile.expand"(%i) {axis = 0 : i64} : (tensor<64xi32>) -> tensor<1x64xi32>
  %columns = "tile.broadcast"(%column) : (tensor<1x64xi32>) -> tensor<64x64xi32>
  %at = arith.addi %starts, %columns : tensor<64x64xi32>
  %qs = "tile.splat"(%q) : (!tile.ptr<f16>) -> tensor<64x64x!tile.ptr<f16>>
  %qp = "tile.pointer_offset"(%qs, %at) : (tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tile.ptr<f16>>
  %a = "tile.load"(%qp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f16>>) -> tensor<64x64xf16>
  %ks = "tile.splat"(%k) : (!tile.ptr<f16>) -> tensor<64x64x!tile.ptr<f16>>
  %kp = "tile.pointer_offset"(%ks, %at) : (tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tile.ptr<f16>>
  %b = "tile.load"(%kp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f16>>) -> tensor<64x64xf16>
  %ds = "tile.splat"(%d) : (!tile.ptr<f32>) -> tensor<64x!tile.ptr<f32>>
  %dp = "tile.pointer_offset"(%ds, %i) : (tensor<64x!tile.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tile.ptr<f32>>
  %decay = "tile.load"(%dp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x!tile.ptr<f32>>) -> tensor<64xf32>
  %own = "tile.expand"(%decay) {axis = 1 : i64} : (tensor<64xf32>) -> tensor<64x1xf32>
  %owns = "tile.broadcast"(%own) : (tensor<64x1xf32>) -> tensor<64x64xf32>
  %other = "tile.expand"(%decay) {axis = 0 : i64} : (tensor<64xf32>) -> tensor<1x64xf32>
  %others = "tile.broadcast"(%other) : (tensor<1x64xf32>) -> tensor<64x64xf32>
  %far = arith.subf %owns, %others : tensor<64x64xf32>
  %power = math.exp2 %far : tensor<64x64xf32>
  %scores = "tile.dot"(%a, %b, %zero) {depth = 64 : i64, path = "wgmma", precision = "usual"} : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %scaled = arith.mulf %scores, %power : tensor<64x64xf32>
  %near = arith.addf %owns, %others : tensor<64x64xf32>
  %shifted = arith.addf %scaled, %near : tensor<64x64xf32>
  %ys = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<64x64x!tile.ptr<f32>>
  %yp = "tile.pointer_offset"(%ys, %at) : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tile.ptr<f32>>
  "tile.store"(%yp, %shifted) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>) -> ()
  %zs = "tile.splat"(%z) : (!tile.ptr<f32>) -> tensor<64x64x!tile.ptr<f32>>
  %zp = "tile.pointer_offset"(%zs, %at) : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tile.ptr<f32>>
  "tile.store"(%zp, %near) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>) -> ()
  func.return
}
