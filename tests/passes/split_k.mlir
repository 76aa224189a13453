// pass: split-k
// Two blocks of a cluster share the iterations: each takes every other one. The first one adds what the second has left in its
// shared memory, in the order of the blocks, and stores.
#row = {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}
func.func @sum(%x: !tile.ptr<f32>, %n: i64, %y: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 32, 16>, tile.split = 2 : i64, tile.warps = 1 : i64} {
  %from = arith.constant 0 : i64
  %step = arith.constant 32 : i64
  %zero = arith.constant dense<0.000000e+00> : tensor<32xf32, #row>
  %places = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, #row>
  %all = scf.for %at = %from to %n step %step iter_args(%sum = %zero) -> (tensor<32xf32, #row>) : i64 {
    %here = "tile.pointer_offset"(%x, %at) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
    %base = "tile.splat"(%here) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>, #row>
    %pointers = "tile.pointer_offset"(%base, %places) : (tensor<32x!tile.ptr<f32>, #row>, tensor<32xi32, #row>) -> tensor<32x!tile.ptr<f32>, #row>
    %v = "tile.load"(%pointers) {cache = "", evict = "", kinds = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, #row>) -> tensor<32xf32, #row>
    %next = arith.addf %sum, %v : tensor<32xf32, #row>
    scf.yield %next : tensor<32xf32, #row>
  }
  %out = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>, #row>
  %to = "tile.pointer_offset"(%out, %places) : (tensor<32x!tile.ptr<f32>, #row>, tensor<32xi32, #row>) -> tensor<32x!tile.ptr<f32>, #row>
  "tile.store"(%to, %all) {cache = "", evict = "", kinds = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, #row>, tensor<32xf32, #row>) -> ()
  return
}
