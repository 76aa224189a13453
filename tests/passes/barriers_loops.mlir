// pass: barriers
// Where a barrier stands that a loop needs for what was stored before it.
#row = {max_phase = 1 : i64, order = [0], per_phase = 1 : i64, pitch = 32 : i64, vector = 1 : i64}
#lanes = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}

// Stored before, read in every round: one barrier, before the loop.
func.func @before(%n: i64) attributes {tile.warps = 1 : i64} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %x = arith.constant dense<1.0> : tensor<32xf32, #lanes>
  "tile.shared_store"(%x, %a) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  scf.for %i = %zero to %n step %one : i64 {
    %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
  }
  func.return
}

// Stored before and in every round: the barriers of the rounds settle what was before, too.
func.func @before_and_in(%n: i64) attributes {tile.warps = 1 : i64} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %x = arith.constant dense<1.0> : tensor<32xf32, #lanes>
  "tile.shared_store"(%x, %a) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  scf.for %i = %zero to %n step %one : i64 {
    %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
    "tile.shared_store"(%x, %a) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  }
  func.return
}

// Read in the inner of two loops: the barrier stands before the outer one. What the outer one reads besides needs its own.
func.func @nested(%n: i64) attributes {tile.warps = 1 : i64} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %b = "tile.shared_alloc"() {offset = 128 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %x = arith.constant dense<1.0> : tensor<32xf32, #lanes>
  "tile.shared_store"(%x, %a) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  scf.for %i = %zero to %n step %one : i64 {
    "tile.shared_store"(%x, %b) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
    scf.for %j = %zero to %n step %one : i64 {
      %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
      %d = "tile.shared_load"(%b) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
    }
  }
  func.return
}

// The rounds need two barriers among themselves, wherever they stand: one more before the loop would settle nothing.
func.func @none_more(%n: i64) attributes {tile.warps = 1 : i64} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %b = "tile.shared_alloc"() {offset = 128 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %x = arith.constant dense<1.0> : tensor<32xf32, #lanes>
  "tile.shared_store"(%x, %a) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  scf.for %i = %zero to %n step %one : i64 {
    %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
    "tile.shared_store"(%x, %b) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
    %d = "tile.shared_load"(%b) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
  }
  func.return
}

// Both arms of a branch have their barrier: the load behind it needs none. A branch with one arm leaves what was before it.
func.func @arms(%n: i64, %which: i1) attributes {tile.warps = 1 : i64} {
  %a = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %b = "tile.shared_alloc"() {offset = 128 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %x = arith.constant dense<1.0> : tensor<32xf32, #lanes>
  "tile.shared_store"(%x, %a) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  scf.if %which {
    %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
  } else {
    %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
  }
  %d = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
  "tile.shared_store"(%x, %b) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  scf.if %which {
    %c = "tile.shared_load"(%b) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
  }
  %e = "tile.shared_load"(%b) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
  func.return
}

// A loop is left behind its condition: what that read is pending, whatever barriers the rest of a round has.
func.func @condition(%which: i1) attributes {tile.warps = 1 : i64} {
  %a = "tile.shared_alloc"() {offset = 0 : i64} : () -> !tile.shared<tensor<32xf32, #row>>
  %x = arith.constant dense<1.0> : tensor<32xf32, #lanes>
  scf.while : () -> () {
    %c = "tile.shared_load"(%a) : (!tile.shared<tensor<32xf32, #row>>) -> tensor<32xf32, #lanes>
    scf.condition(%which)
  } do {
    "tile.barrier"() : () -> ()
    scf.yield
  }
  "tile.shared_store"(%x, %a) : (tensor<32xf32, #lanes>, !tile.shared<tensor<32xf32, #row>>) -> ()
  func.return
}
