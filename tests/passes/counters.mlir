// pass: counters
// A number that begins a step before the loop does and is read behind the loop, too; one that begins where the loop does.
func.func @second(%start: i32, %end: i64, %p: !tile.ptr<i32>) {
  %c132 = arith.constant 132 : i32
  %step = arith.constant 132 : i64
  %begin = arith.subi %start, %c132 : i32
  %from = arith.extsi %start : i32 to i64
  %last:2 = scf.for %i = %from to %end step %step iter_args(%before = %begin, %own = %start) -> (i32, i32) : i64 {
    %next = arith.addi %before, %c132 : i32
    %to = "tile.pointer_offset"(%p, %next) : (!tile.ptr<i32>, i32) -> !tile.ptr<i32>
    "tile.store"(%to, %own) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<i32>, i32) -> ()
    %more = arith.addi %own, %c132 : i32
    scf.yield %next, %more : i32, i32
  }
  "tile.store"(%p, %last#0) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<i32>, i32) -> ()
  func.return
}

// A step that is a number, behind the first one by another number.
func.func @by_numbers(%start: i32, %by: i32, %ahead: i32, %end: i64, %p: !tile.ptr<i32>) {
  %begin = arith.addi %ahead, %start : i32
  %from = arith.extsi %start : i32 to i64
  %step = arith.extsi %by : i32 to i64
  %last = scf.for %i = %from to %end step %step iter_args(%second = %begin) -> (i32) : i64 {
    %to = "tile.pointer_offset"(%p, %second) : (!tile.ptr<i32>, i32) -> !tile.ptr<i32>
    "tile.store"(%to, %second) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<i32>, i32) -> ()
    %next = arith.addi %second, %by : i32
    scf.yield %next : i32
  }
  func.return
}

// Neither counts as the loop does: one goes by other steps, one goes back, one begins at what the loop's first number is taken from.
func.func @others(%start: i32, %by: i32, %end: i64, %p: !tile.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %step = arith.constant 1 : i64
  %from = arith.extsi %start : i32 to i64
  %begin = arith.subi %by, %start : i32
  %last:3 = scf.for %i = %from to %end step %step iter_args(%a = %start, %b = %start, %c = %begin) -> (i32, i32, i32) : i64 {
    %far = arith.addi %a, %by : i32
    %back = arith.subi %b, %c1 : i32
    %next = arith.addi %c, %c1 : i32
    %sum = arith.addi %a, %b : i32
    %all = arith.addi %sum, %c : i32
    %to = "tile.pointer_offset"(%p, %all) : (!tile.ptr<i32>, i32) -> !tile.ptr<i32>
    "tile.store"(%to, %all) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<i32>, i32) -> ()
    scf.yield %far, %back, %next : i32, i32, i32
  }
  func.return
}

// A tile is no counter, though each of its elements counts as the loop does.
func.func @tile(%end: i64, %p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i64
  %step = arith.constant 4 : i64
  %begin = arith.constant dense<0> : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %to = "tile.splat"(%p) : (!tile.ptr<i32>) -> tensor<64x!tile.ptr<i32>>
  %last = scf.for %i = %c0 to %end step %step iter_args(%at = %begin) -> (tensor<64xi32>) : i64 {
    %place = "tile.pointer_offset"(%to, %at) : (tensor<64x!tile.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tile.ptr<i32>>
    "tile.store"(%place, %at) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<64x!tile.ptr<i32>>, tensor<64xi32>) -> ()
    %next = arith.addi %at, %four : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  func.return
}
