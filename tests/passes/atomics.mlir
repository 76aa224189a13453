// pass: atomics
// Nobody sees what the first accesses change; what is returned, read elsewhere, or seen by other devices keeps its order.
func.func @orders(%a: !tile.ptr<f32>, %b: !tile.ptr<i32>, %c: !tile.ptr<i32>, %d: !tile.ptr<i32>, %e: !tile.ptr<f32>) {
  %x = arith.constant dense<1.0> : tensor<32xf32>
  %n = arith.constant 1 : i32
  %pa = "tile.splat"(%a) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>>
  %sums = "tile.atomic"(%pa, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, operation = "add", order = "acq_rel", scope = "gpu", signed = 0 : i64} : (tensor<32x!tile.ptr<f32>>, tensor<32xf32>) -> tensor<32xf32>
  %more = "tile.atomic"(%pa, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, operation = "max", order = "release", scope = "gpu", signed = 0 : i64} : (tensor<32x!tile.ptr<f32>>, tensor<32xf32>) -> tensor<32xf32>
  %ticket = "tile.atomic"(%b, %n) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, operation = "add", order = "acq_rel", scope = "gpu", signed = 1 : i64} : (!tile.ptr<i32>, i32) -> i32
  "tile.store"(%c, %ticket) {cache = "", evict = "", kinds = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<i32>, i32) -> ()
  %flag = "tile.atomic"(%d, %n) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, operation = "xchg", order = "release", scope = "gpu", signed = 1 : i64} : (!tile.ptr<i32>, i32) -> i32
  %seen = "tile.load"(%d) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (!tile.ptr<i32>) -> i32
  "tile.store"(%c, %seen) {cache = "", evict = "", kinds = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<i32>, i32) -> ()
  %pe = "tile.splat"(%e) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>>
  %far = "tile.atomic"(%pe, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, operation = "add", order = "acq_rel", scope = "sys", signed = 0 : i64} : (tensor<32x!tile.ptr<f32>>, tensor<32xf32>) -> tensor<32xf32>
  func.return
}
