// pass: layouts
// Two tiles from before a loop have different types, and homes. What the loop computes of the first and of a row could be anywhere: the first
// comes to the second once, before the loop, and what is computed of it does not move in each iteration, but rows and the sums do.
func.func @beside(%q: !tile.ptr<f16>, %g: !tile.ptr<f32>, %k: !tile.ptr<f16>, %r: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.divisibility = array<i64: 16, 16, 16, 16, 16, 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %c16 = arith.constant 16 : i32
  %pitch = arith.constant dense<128> : tensor<16x1xi32>
  %i = "tile.arange"() {lo = 0 : i64} : () -> tensor<16xi32>
  %row = "tile.expand"(%i) {axis = 1 : i64} : (tensor<16xi32>) -> tensor<16x1xi32>
  %start = arith.muli %row, %pitch : tensor<16x1xi32>
  %starts = "tile.broadcast"(%start) : (tensor<16x1xi32>) -> tensor<16x128xi32>
  %j = "tile.arange"() {lo = 0 : i64} : () -> tensor<128xi32>
  %column = "tile.expand"(%j) {axis = 0 : i64} : (tensor<128xi32>) -> tensor<1x128xi32>
  %columns = "tile.broadcast"(%column) : (tensor<1x128xi32>) -> tensor<16x128xi32>
  %at = arith.addi %starts, %columns : tensor<16x128xi32>
  %qs = "tile.splat"(%q) : (!tile.ptr<f16>) -> tensor<16x128x!tile.ptr<f16>>
  %qp = "tile.pointer_offset"(%qs, %at) : (tensor<16x128x!tile.ptr<f16>>, tensor<16x128xi32>) -> tensor<16x128x!tile.ptr<f16>>
  %a = "tile.load"(%qp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<16x128x!tile.ptr<f16>>) -> tensor<16x128xf16>
  %wide = arith.extf %a : tensor<16x128xf16> to tensor<16x128xf32>
  %gs = "tile.splat"(%g) : (!tile.ptr<f32>) -> tensor<16x128x!tile.ptr<f32>>
  %gp = "tile.pointer_offset"(%gs, %at) : (tensor<16x128x!tile.ptr<f32>>, tensor<16x128xi32>) -> tensor<16x128x!tile.ptr<f32>>
  %b = "tile.load"(%gp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<16x128x!tile.ptr<f32>>) -> tensor<16x128xf32>
  scf.for %s = %c0 to %n step %c1 : i32 {
    %first = arith.muli %s, %c128 : i32
    %firsts = "tile.splat"(%first) : (i32) -> tensor<128xi32>
    %place = arith.addi %firsts, %j : tensor<128xi32>
    %ks = "tile.splat"(%k) : (!tile.ptr<f16>) -> tensor<128x!tile.ptr<f16>>
    %kp = "tile.pointer_offset"(%ks, %place) : (tensor<128x!tile.ptr<f16>>, tensor<128xi32>) -> tensor<128x!tile.ptr<f16>>
    %kl = "tile.load"(%kp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<128x!tile.ptr<f16>>) -> tensor<128xf16>
    %kw = arith.extf %kl : tensor<128xf16> to tensor<128xf32>
    %ke = "tile.expand"(%kw) {axis = 0 : i64} : (tensor<128xf32>) -> tensor<1x128xf32>
    %kb = "tile.broadcast"(%ke) : (tensor<1x128xf32>) -> tensor<16x128xf32>
    %rs = "tile.splat"(%r) : (!tile.ptr<f32>) -> tensor<128x!tile.ptr<f32>>
    %rp = "tile.pointer_offset"(%rs, %place) : (tensor<128x!tile.ptr<f32>>, tensor<128xi32>) -> tensor<128x!tile.ptr<f32>>
    %rl = "tile.load"(%rp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<128x!tile.ptr<f32>>) -> tensor<128xf32>
    %re = "tile.expand"(%rl) {axis = 0 : i64} : (tensor<128xf32>) -> tensor<1x128xf32>
    %rb = "tile.broadcast"(%re) : (tensor<1x128xf32>) -> tensor<16x128xf32>
    %scaled = arith.mulf %wide, %kb : tensor<16x128xf32>
    %far = arith.subf %b, %rb : tensor<16x128xf32>
    %both = arith.mulf %scaled, %far : tensor<16x128xf32>
    %sum = "tile.reduce"(%both) ({
    ^bb0(%x: f32, %z: f32):
      %t = arith.addf %x, %z : f32
      gpu.yield %t : f32
    }) {axis = 1 : i64, identity = [0.0 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x128xf32>) -> tensor<16xf32>
    %to = arith.muli %s, %c16 : i32
    %tos = "tile.splat"(%to) : (i32) -> tensor<16xi32>
    %where = arith.addi %tos, %i : tensor<16xi32>
    %ys = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<16x!tile.ptr<f32>>
    %yp = "tile.pointer_offset"(%ys, %where) : (tensor<16x!tile.ptr<f32>>, tensor<16xi32>) -> tensor<16x!tile.ptr<f32>>
    "tile.store"(%yp, %sum) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<16x!tile.ptr<f32>>, tensor<16xf32>) -> ()
  }
  func.return
}

// What a loop carries from before it comes once to where each iteration computes it.
func.func @carried(%x: !tile.ptr<f32>, %m: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.divisibility = array<i64: 16, 16, 16, 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pitch = arith.constant dense<128> : tensor<64x1xi32>
  %i = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
  %row = "tile.expand"(%i) {axis = 1 : i64} : (tensor<64xi32>) -> tensor<64x1xi32>
  %start = arith.muli %row, %pitch : tensor<64x1xi32>
  %starts = "tile.broadcast"(%start) : (tensor<64x1xi32>) -> tensor<64x128xi32>
  %j = "tile.arange"() {lo = 0 : i64} : () -> tensor<128xi32>
  %column = "tile.expand"(%j) {axis = 0 : i64} : (tensor<128xi32>) -> tensor<1x128xi32>
  %columns = "tile.broadcast"(%column) : (tensor<1x128xi32>) -> tensor<64x128xi32>
  %at = arith.addi %starts, %columns : tensor<64x128xi32>
  %xs = "tile.splat"(%x) : (!tile.ptr<f32>) -> tensor<64x128x!tile.ptr<f32>>
  %xp = "tile.pointer_offset"(%xs, %at) : (tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>) -> tensor<64x128x!tile.ptr<f32>>
  %a = "tile.load"(%xp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x128x!tile.ptr<f32>>) -> tensor<64x128xf32>
  %ms = "tile.splat"(%m) : (!tile.ptr<f32>) -> tensor<64x!tile.ptr<f32>>
  %mp = "tile.pointer_offset"(%ms, %i) : (tensor<64x!tile.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tile.ptr<f32>>
  %first = "tile.load"(%mp) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x!tile.ptr<f32>>) -> tensor<64xf32>
  %r:2 = scf.for %s = %c0 to %n step %c1 iter_args(%old = %first, %b = %a) -> (tensor<64xf32>, tensor<64x128xf32>) : i32 {
    %sum = "tile.reduce"(%b) ({
    ^bb0(%u: f32, %z: f32):
      %t = arith.addf %u, %z : f32
      gpu.yield %t : f32
    }) {axis = 1 : i64, identity = [0.0 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<64x128xf32>) -> tensor<64xf32>
    %scale = arith.divf %old, %sum : tensor<64xf32>
    %e = "tile.expand"(%scale) {axis = 1 : i64} : (tensor<64xf32>) -> tensor<64x1xf32>
    %all = "tile.broadcast"(%e) : (tensor<64x1xf32>) -> tensor<64x128xf32>
    %next = arith.mulf %b, %all : tensor<64x128xf32>
    scf.yield %sum, %next : tensor<64xf32>, tensor<64x128xf32>
  }
  %ys = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<64x!tile.ptr<f32>>
  %yp = "tile.pointer_offset"(%ys, %i) : (tensor<64x!tile.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tile.ptr<f32>>
  "tile.store"(%yp, %r#0) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<64x!tile.ptr<f32>>, tensor<64xf32>) -> ()
  func.return
}
