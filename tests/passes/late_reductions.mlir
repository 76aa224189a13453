// pass: late-reductions
// Lanes and warps keep what they have added up until the loop ends: a sum, what is at most 1 times a sum that begins with something, a largest number,
// and what is brought elsewhere. Not so a sum with an unknown factor, one that an iteration reads, one of 16 bits, and a product.
#tile = {lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], reg = [[0, 8], [8, 0]], repeat = [1, 4], warp = [[4, 0]]}
#rows = {lane = [[0], [0], [0], [1], [2]], reg = [[8]], repeat = [1], warp = [[4]]}
#columns = {lane = [[1], [2], [4], [0], [0]], reg = [[8]], repeat = [4], warp = [[0]]}
#elsewhere = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = [[32]]}
func.func @late(%x: f32, %by: f32, %end: i64, %half: f16, %number: i32, %to: !tile.ptr<f32>) attributes {tile.warps = 2 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %few = arith.constant 0.0 : f16
  %least = arith.constant -100 : i32
  %tile = "tile.splat"(%x) : (f32) -> tensor<16x64xf32, #tile>
  %begin = "tile.splat"(%x) : (f32) -> tensor<16xf32, #rows>
  %zeros = "tile.splat"(%zero) : (f32) -> tensor<64xf32, #columns>
  %other = "tile.splat"(%one) : (f32) -> tensor<64xf32, #elsewhere>
  %halves = "tile.splat"(%half) : (f16) -> tensor<16x64xf16, #tile>
  %sum_of_halves = "tile.splat"(%few) : (f16) -> tensor<16xf16, #rows>
  %numbers = "tile.splat"(%number) : (i32) -> tensor<16x64xi32, #tile>
  %largest = "tile.splat"(%least) : (i32) -> tensor<16xi32, #rows>
  %all:8 = scf.for %i = %c0 to %end step %c1 iter_args(%m = %begin, %l = %begin, %c = %zeros, %e = %other, %n = %largest, %u = %begin, %h = %sum_of_halves, %r = %begin)
      -> (tensor<16xf32, #rows>, tensor<16xf32, #rows>, tensor<64xf32, #columns>, tensor<64xf32, #elsewhere>, tensor<16xi32, #rows>, tensor<16xf32, #rows>, tensor<16xf16, #rows>, tensor<16xf32, #rows>) : i64 {
    %top = "tile.reduce"(%tile) ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      gpu.yield %0 : f32
    }) {axis = 1 : i64, identity = [0xFF800000 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xf32, #tile>) -> tensor<16xf32, #rows>
    %new = arith.maxnumf %m, %top : tensor<16xf32, #rows>
    %less = arith.subf %m, %new : tensor<16xf32, #rows>
    %factor = math.exp2 %less : tensor<16xf32, #rows>
    %scaled = arith.mulf %l, %factor : tensor<16xf32, #rows>
    %s = "tile.reduce"(%tile) ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      gpu.yield %0 : f32
    }) {axis = 1 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xf32, #tile>) -> tensor<16xf32, #rows>
    %l2 = arith.addf %scaled, %s : tensor<16xf32, #rows>
    %down = "tile.reduce"(%tile) ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      gpu.yield %0 : f32
    }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xf32, #tile>) -> tensor<64xf32, #columns>
    %c2 = arith.addf %down, %c : tensor<64xf32, #columns>
    %again = "tile.reduce"(%tile) ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      gpu.yield %0 : f32
    }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xf32, #tile>) -> tensor<64xf32, #columns>
    %brought = "tile.convert"(%again) : (tensor<64xf32, #columns>) -> tensor<64xf32, #elsewhere>
    %e2 = arith.addf %e, %brought : tensor<64xf32, #elsewhere>
    %most = "tile.reduce"(%numbers) ({
    ^bb0(%a: i32, %b: i32):
      %0 = arith.maxsi %a, %b : i32
      gpu.yield %0 : i32
    }) {axis = 1 : i64, identity = [-2147483648 : i32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xi32, #tile>) -> tensor<16xi32, #rows>
    %n2 = arith.maxsi %n, %most : tensor<16xi32, #rows>
    %unknown = "tile.splat"(%by) : (f32) -> tensor<16xf32, #rows>
    %grown = arith.mulf %u, %unknown : tensor<16xf32, #rows>
    %t = "tile.reduce"(%tile) ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      gpu.yield %0 : f32
    }) {axis = 1 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xf32, #tile>) -> tensor<16xf32, #rows>
    %u2 = arith.addf %grown, %t : tensor<16xf32, #rows>
    %v = "tile.reduce"(%halves) ({
    ^bb0(%a: f16, %b: f16):
      %0 = arith.addf %a, %b : f16
      gpu.yield %0 : f16
    }) {axis = 1 : i64, identity = [-0.000000e+00 : f16], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xf16, #tile>) -> tensor<16xf16, #rows>
    %h2 = arith.addf %h, %v : tensor<16xf16, #rows>
    %w = "tile.reduce"(%tile) ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.mulf %a, %b : f32
      gpu.yield %0 : f32
    }) {axis = 1 : i64, identity = [1.0 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<16x64xf32, #tile>) -> tensor<16xf32, #rows>
    %r2 = arith.mulf %r, %w : tensor<16xf32, #rows>
    scf.yield %new, %l2, %c2, %e2, %n2, %u2, %h2, %r2 : tensor<16xf32, #rows>, tensor<16xf32, #rows>, tensor<64xf32, #columns>, tensor<64xf32, #elsewhere>, tensor<16xi32, #rows>, tensor<16xf32, #rows>, tensor<16xf16, #rows>, tensor<16xf32, #rows>
  }
  %seen = scf.for %i = %c0 to %end step %c1 iter_args(%q = %zero) -> (f32) : i64 {
    %row = "tile.splat"(%q) : (f32) -> tensor<64xf32, #elsewhere>
    %s = "tile.reduce"(%row) ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      gpu.yield %0 : f32
    }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<64xf32, #elsewhere>) -> f32
    %q2 = arith.addf %q, %s : f32
    scf.yield %q2 : f32
  }
  "tile.store"(%to, %seen) {cache = "", evict = "", kinds = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 1 : i64} : (!tile.ptr<f32>, f32) -> ()
  func.return
}
