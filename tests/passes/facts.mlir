// What is known about each value: `tile.expect` holds contiguity, divisibility and constancy.
func.func @facts(%x: !tile.ptr<f32>, %n: i32, %odd: i32, %promised: i32, %hoped: i32) attributes {tile.divisibility = array<i64: 16, 16, 1, 1, 1>} {
  %pid = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %block = arith.constant 1024 : i32
  %start = arith.muli %pid, %block {tile.expect = "[1] [1024] [1]"} : i32
  %starts = "tile.splat"(%start) {tile.expect = "[1] [1024] [1024]"} : (i32) -> tensor<1024xi32>
  %steps = "tile.arange"() {lo = 0 : i64, tile.expect = "[1024] [4294967296] [1]"} : () -> tensor<1024xi32>
  %shifted = "tile.arange"() {lo = 4 : i64, tile.expect = "[1024] [4] [1]"} : () -> tensor<1024xi32>
  %at = arith.addi %starts, %steps {tile.expect = "[1024] [1024] [1]"} : tensor<1024xi32>
  // Two counting tiles added count by two.
  %twice = arith.addi %steps, %steps {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  %back = arith.subi %steps, %starts {tile.expect = "[1024] [1024] [1]"} : tensor<1024xi32>
  %even = "tile.splat"(%n) {tile.expect = "[1] [16] [1024]"} : (i32) -> tensor<1024xi32>
  %any = "tile.splat"(%odd) {tile.expect = "[1] [1] [1024]"} : (i32) -> tensor<1024xi32>
  // A run that starts at a multiple of 16 lies on one side of a bound that is one.
  %inside = arith.cmpi slt, %at, %even {tile.expect = "[1] [1] [16]"} : tensor<1024xi32>
  %ragged = arith.cmpi slt, %at, %any {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  // `at <= bound` changes one element later than `at < bound`.
  %closed = arith.cmpi sle, %at, %even {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  %wrapped = arith.remsi %at, %even {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  %round = arith.remui %at, %even {tile.expect = "[16] [16] [1]"} : tensor<1024xi32>
  // What may be negative has breaks at any element, unless it is promised not to be.
  %eights_of = arith.constant dense<1024> : tensor<1024xi32>
  %stepped = arith.muli %odd, %block : i32
  %least = arith.constant 0 : i32
  %is_natural = arith.cmpi sge, %stepped, %least : i32
  "tile.assume"(%is_natural) : (i1) -> ()
  %stepped_on = "tile.splat"(%stepped) : (i32) -> tensor<1024xi32>
  %promised_at = arith.addi %stepped_on, %steps : tensor<1024xi32>
  %turned = arith.remsi %promised_at, %even {tile.expect = "[16] [16] [1]"} : tensor<1024xi32>
  %across = arith.addi %promised_at, %eights_of : tensor<1024xi32>
  %beyond = arith.remsi %across, %even {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  // Quotients: of whole multiples, and the same for eight elements in turn.
  %eight_of = arith.constant dense<8> : tensor<1024xi32>
  %threes = arith.constant dense<3> : tensor<1024xi32>
  %eights = arith.divsi %steps, %eight_of {tile.expect = "[1] [1] [8]"} : tensor<1024xi32>
  %shifts = arith.shrsi %at, %threes {tile.expect = "[1] [1] [8]"} : tensor<1024xi32>
  %thirds = arith.divsi %steps, %threes {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  %from4 = "tile.arange"() {lo = 4 : i64} : () -> tensor<1024xi32>
  %fours = arith.divsi %from4, %eight_of {tile.expect = "[1] [1] [4]"} : tensor<1024xi32>
  // From -8 on: seven of those below 0 are rounded up to 0.
  %below = "tile.arange"() {lo = -8 : i64} : () -> tensor<1024xi32>
  %up = arith.divsi %below, %eight_of {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  %down = arith.floordivsi %below, %eight_of {tile.expect = "[1] [1] [8]"} : tensor<1024xi32>
  %four = arith.constant 4 : i32
  %half = arith.divsi %n, %four {tile.expect = "[1] [4] [1]"} : i32
  %quarter = arith.divsi %start, %four {tile.expect = "[1] [256] [1]"} : i32
  %nothing = arith.divsi %odd, %four {tile.expect = "[1] [1] [1]"} : i32
  %scaled = arith.muli %steps, %even {tile.expect = "[1] [16] [1]"} : tensor<1024xi32>
  %bases = "tile.splat"(%x) {tile.expect = "[1] [16] [1024]"} : (!tile.ptr<f32>) -> tensor<1024x!tile.ptr<f32>>
  %pointers = "tile.pointer_offset"(%bases, %at) {tile.expect = "[1024] [16] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
  // Four elements on is sixteen bytes on; one element on is four.
  %aligned = "tile.pointer_offset"(%bases, %shifted) {tile.expect = "[1024] [16] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
  %one = arith.constant dense<1> : tensor<1024xi32>
  %next = arith.addi %at, %one {tile.expect = "[1024] [1] [1]"} : tensor<1024xi32>
  %misaligned = "tile.pointer_offset"(%bases, %next) {tile.expect = "[1024] [4] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
  // The smaller of two is divisible by what divides both; where one of them counts up, it may stop at any element.
  %smaller = arith.minsi %start, %n {tile.expect = "[1] [16] [1]"} : i32
  %larger = arith.maxui %start, %odd {tile.expect = "[1] [1] [1]"} : i32
  %smallest = arith.minui %starts, %even {tile.expect = "[1] [16] [1024]"} : tensor<1024xi32>
  %held = arith.minsi %at, %even {tile.expect = "[1] [1] [1]"} : tensor<1024xi32>
  // A column of rows: the row's number is any number, so along columns only the pitch divides.
  %rows = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
  %pitch = "tile.splat"(%n) : (i32) -> tensor<64xi32>
  %first = arith.muli %rows, %pitch {tile.expect = "[1] [16] [1]"} : tensor<64xi32>
  %column = "tile.expand"(%first) {axis = 1 : i64, tile.expect = "[1, 1] [16, 16] [1, 1]"} : (tensor<64xi32>) -> tensor<64x1xi32>
  %wide = "tile.broadcast"(%column) {tile.expect = "[1, 1] [16, 16] [1, 32]"} : (tensor<64x1xi32>) -> tensor<64x32xi32>
  %counts = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32>
  %row = "tile.expand"(%counts) {axis = 0 : i64, tile.expect = "[1, 32] [1, 4294967296] [1, 1]"} : (tensor<32xi32>) -> tensor<1x32xi32>
  %tall = "tile.broadcast"(%row) {tile.expect = "[1, 32] [1, 4294967296] [64, 1]"} : (tensor<1x32xi32>) -> tensor<64x32xi32>
  %offsets = arith.addi %wide, %tall {tile.expect = "[1, 32] [1, 16] [1, 1]"} : tensor<64x32xi32>
  %zero = arith.constant 0 : i64
  %end = arith.constant 640 : i64
  %step = arith.constant 64 : i64
  %moved = scf.for %k = %zero to %end step %step iter_args(%p = %pointers) -> (tensor<1024x!tile.ptr<f32>>) : i64 {
    %by = arith.trunci %k {tile.expect = "[1] [64] [1]"} : i64 to i32
    %far = "tile.splat"(%by) : (i32) -> tensor<1024xi32>
    %q = "tile.pointer_offset"(%p, %far) {tile.expect = "[1024] [16] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
    scf.yield %q : tensor<1024x!tile.ptr<f32>>
  }
  %slid = scf.for %k = %zero to %end step %step iter_args(%p = %pointers) -> (tensor<1024x!tile.ptr<f32>>) : i64 {
    // Three elements a round: aligned at first, not later.
    %three = arith.constant dense<3> : tensor<1024xi32>
    %q = "tile.pointer_offset"(%p, %three) {tile.expect = "[1024] [4] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
    scf.yield %q : tensor<1024x!tile.ptr<f32>>
  }
  // What another loop carries, and its condition passes on.
  %first_k = arith.constant 0 : i32
  %many = arith.constant 64 : i32
  %counted:2 = scf.while (%i = %first_k, %p = %pointers) : (i32, tensor<1024x!tile.ptr<f32>>) -> (i32, tensor<1024x!tile.ptr<f32>>) {
    %goes = arith.cmpi slt, %i, %odd : i32
    scf.condition(%goes) %i, %p : i32, tensor<1024x!tile.ptr<f32>>
  } do {
  ^bb0(%i: i32, %p: tensor<1024x!tile.ptr<f32>>):
    %far = "tile.splat"(%i) {tile.expect = "[1] [64] [1024]"} : (i32) -> tensor<1024xi32>
    %q = "tile.pointer_offset"(%p, %far) {tile.expect = "[1024] [16] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
    %j = arith.addi %i, %many {tile.expect = "[1] [64] [1]"} : i32
    scf.yield %j, %q : i32, tensor<1024x!tile.ptr<f32>>
  }
  %behind = "tile.splat"(%counted#0) {tile.expect = "[1] [64] [1024]"} : (i32) -> tensor<1024xi32>
  // One element a round: the condition passes on what is aligned no more.
  %crept = scf.while (%p = %pointers) : (tensor<1024x!tile.ptr<f32>>) -> (tensor<1024x!tile.ptr<f32>>) {
    %one_on = "tile.pointer_offset"(%p, %one) {tile.expect = "[1024] [4] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
    %goes = arith.cmpi slt, %n, %odd : i32
    scf.condition(%goes) %one_on : tensor<1024x!tile.ptr<f32>>
  } do {
  ^bb0(%p: tensor<1024x!tile.ptr<f32>>):
    %q = "tile.pointer_offset"(%p, %one) {tile.expect = "[1024] [4] [1]"} : (tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>) -> tensor<1024x!tile.ptr<f32>>
    scf.yield %q : tensor<1024x!tile.ptr<f32>>
  }
  // A promise in the block of the value counts; one that only some reach does not.
  %eight = arith.constant 8 : i32
  %none = arith.constant 0 : i32
  %rest = arith.remsi %promised, %eight : i32
  %divides = arith.cmpi eq, %rest, %none : i32
  "tile.assume"(%divides) : (i1) -> ()
  %kept = "tile.splat"(%promised) {tile.expect = "[1] [8] [1024]"} : (i32) -> tensor<1024xi32>
  scf.if %divides {
    %left = arith.remsi %hoped, %eight : i32
    %would = arith.cmpi eq, %left, %none : i32
    "tile.assume"(%would) : (i1) -> ()
  }
  %unkept = "tile.splat"(%hoped) {tile.expect = "[1] [1] [1024]"} : (i32) -> tensor<1024xi32>
  // A loop that begins where another one stopped, or at its end and then not at all.
  %stride = arith.constant 64 : i32
  %whole = arith.muli %n, %stride : i32
  %stopped = arith.minsi %whole, %odd : i32
  %later = arith.maxsi %stopped, %stride : i32
  %known = arith.cmpi slt, %n, %odd : i32
  %begin = arith.select %known, %later, %odd : i32
  scf.for %k = %begin to %odd step %stride : i32 {
    %later_rows = "tile.splat"(%k) {tile.expect = "[1] [64] [1024]"} : (i32) -> tensor<1024xi32>
  }
  // To another end: it may begin where the first one ends.
  scf.for %k = %begin to %whole step %stride : i32 {
    %any_rows = "tile.splat"(%k) {tile.expect = "[1] [1] [1024]"} : (i32) -> tensor<1024xi32>
  }
  func.return
}
