// pass: pipeline
// A loop that reduces loads the next round's row and its scale before it begins with its own; those of a round that
// will not be are masked.
#layout0 = {lane = [[8], [16], [32], [64], [128]], reg = [[1], [2], [4]], repeat = [1], warp = []}
func.func @ahead(%arg0: !tile.ptr<bf16>, %arg1: i32, %arg2: !tile.ptr<f32>, %arg3: !tile.ptr<f32>, %arg4: i32) attributes {tile.divisibility = array<i64: 16, 1, 16, 16, 8>, tile.warps = 1 : i64} {
  %c256_i64 = arith.constant 256 : i64
  %c0_i32 = arith.constant 0 : i32
  %c1_i64 = arith.constant 1 : i64
  %c0_i64 = arith.constant 0 : i64
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.extsi %0 : i32 to i64
  %2 = arith.extsi %arg1 : i32 to i64
  %3 = arith.extsi %arg4 : i32 to i64
  %4 = arith.cmpi eq, %3, %c0_i64 : i64
  %5 = arith.cmpi sgt, %3, %c0_i64 : i64
  %6 = arith.subi %2, %1 : i64
  %7 = arith.subi %1, %2 : i64
  %8 = arith.select %5, %6, %7 : i64
  %9 = arith.select %4, %c0_i64, %8 : i64
  %10 = arith.subi %c0_i64, %3 : i64
  %11 = arith.select %5, %3, %10 : i64
  %12 = arith.select %4, %c1_i64, %11 : i64
  %13 = arith.subi %12, %c1_i64 : i64
  %14 = arith.addi %9, %13 : i64
  %15 = arith.divsi %14, %12 : i64
  scf.for %arg5 = %c0_i64 to %15 step %c1_i64  : i64 {
    %16 = arith.muli %arg5, %3 : i64
    %17 = arith.addi %1, %16 : i64
    %18 = arith.trunci %17 : i64 to i32
    %19 = arith.cmpi ult, %18, %arg1 : i32
    %20 = arith.extsi %18 : i32 to i64
    %21 = arith.muli %20, %c256_i64 : i64
    %22 = "tile.pointer_offset"(%arg0, %21) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
    %23 = "tile.splat"(%22) : (!tile.ptr<bf16>) -> tensor<256x!tile.ptr<bf16>, #layout0>
    %24 = "tile.arange"() {lo = 0 : i64} : () -> tensor<256xi32, #layout0>
    %25 = arith.extsi %24 : tensor<256xi32, #layout0> to tensor<256xi64, #layout0>
    %26 = "tile.pointer_offset"(%23, %25) : (tensor<256x!tile.ptr<bf16>, #layout0>, tensor<256xi64, #layout0>) -> tensor<256x!tile.ptr<bf16>, #layout0>
    %27 = "tile.splat"(%19) : (i1) -> tensor<256xi1, #layout0>
    %28 = "tile.load"(%26, %27, %18, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 8 : i64} : (tensor<256x!tile.ptr<bf16>, #layout0>, tensor<256xi1, #layout0>, i32, i32) -> tensor<256xbf16, #layout0>
    %29 = arith.extf %28 : tensor<256xbf16, #layout0> to tensor<256xf32, #layout0>
    %30 = "tile.reduce"(%29) ({
    ^bb0(%arg6: f32, %arg7: f32):
      %35 = arith.addf %arg6, %arg7 : f32
      gpu.yield %35 : f32
    }) {axis = 0 : i64, identity = [-0.000000e+00 : f32], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, partial = 0 : i64, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<256xf32, #layout0>) -> f32
    %31 = "tile.pointer_offset"(%arg2, %20) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
    %32 = "tile.load"(%31, %19) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (!tile.ptr<f32>, i1) -> f32
    %33 = arith.mulf %30, %32 : f32
    %34 = "tile.pointer_offset"(%arg3, %20) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
    "tile.store"(%34, %33, %19) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!tile.ptr<f32>, f32, i1) -> ()
  }
  return
}
