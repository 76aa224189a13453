// pass: descending
// A range with a negative step: what was divided is a multiple of the step, so its end is 0, and the sum of all numbers is `left * 64`.
func.func @quotient(%n: i64, %p: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 64, 16>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %c127 = arith.constant 127 : i64
  %down = arith.constant -64 : i64
  %divided = arith.addi %n, %c127 : i64
  %count = arith.divsi %divided, %c64 : i64
  scf.for %i = %c0 to %count step %c1 : i64 {
    %by = arith.muli %i, %down : i64
    %at = arith.addi %n, %by : i64
    %to = "tile.pointer_offset"(%p, %at) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
    %x = "tile.load"(%to) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (!tile.ptr<f32>) -> f32
    "tile.store"(%to, %x) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<f32>, f32) -> ()
  }
  func.return
}

// Something may be left over: the quotient stays as it is.
func.func @with_a_rest(%n: i64, %p: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 1, 16>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %c127 = arith.constant 127 : i64
  %down = arith.constant -64 : i64
  %divided = arith.addi %n, %c127 : i64
  %count = arith.divsi %divided, %c64 : i64
  scf.for %i = %c0 to %count step %c1 : i64 {
    %by = arith.muli %i, %down : i64
    %at = arith.addi %n, %by : i64
    %to = "tile.pointer_offset"(%p, %at) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
    %x = "tile.load"(%to) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (!tile.ptr<f32>) -> f32
    "tile.store"(%to, %x) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<f32>, f32) -> ()
  }
  func.return
}
