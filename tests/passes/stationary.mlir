// pass: pipeline
// The left operand of the first product stays for the whole loop: the producer copies it to one buffer, once for each program,
// and the consumers release it behind the loop.
func.func @left(%arg0: !tile.ptr<f16>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f16>, %arg4: i32, %arg5: !tile.ptr<f16>, %arg6: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 1, 1, 16, 1, 16, 16>, tile.sizes = array<i64: 1, 2, 4>, tile.warps = 4 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %c64_i64 = arith.constant 64 : i64
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.muli %0, %c64_i32 : i32
  %2 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %3 = arith.extsi %arg2 : i32 to i64
  %4 = arith.muli %3, %c64_i64 : i64
  %5 = arith.cmpi ult, %2, %arg1 : i32
  %6 = arith.extsi %2 : i32 to i64
  %7 = arith.muli %6, %4 : i64
  %8 = arith.extsi %1 : i32 to i64
  %9 = arith.muli %8, %c64_i64 : i64
  %10 = arith.addi %7, %9 : i64
  %11 = "tile.pointer_offset"(%arg0, %10) : (!tile.ptr<f16>, i64) -> !tile.ptr<f16>
  %12 = "tile.splat"(%11) : (!tile.ptr<f16>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %13 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %14 = arith.extsi %13 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}> to tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %15 = "tile.splat"(%c64_i64) : (i64) -> tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %16 = arith.muli %14, %15 : tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %17 = "tile.expand"(%16) {axis = 1 : i64} : (tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>) -> tensor<64x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %18 = "tile.broadcast"(%17) : (tensor<64x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %19 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %20 = arith.extsi %19 : tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}> to tensor<64xi64, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %21 = "tile.expand"(%20) {axis = 0 : i64} : (tensor<64xi64, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
  %22 = "tile.broadcast"(%21) : (tensor<1x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %23 = arith.addi %18, %22 : tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %24 = "tile.pointer_offset"(%12, %23) : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %25 = "tile.splat"(%5) : (i1) -> tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %26 = "tile.splat"(%1) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %27 = arith.addi %26, %13 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %28 = "tile.splat"(%arg2) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %29 = arith.cmpi ult, %27, %28 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %30 = "tile.expand"(%29) {axis = 1 : i64} : (tensor<64xi1, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>) -> tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %31 = "tile.broadcast"(%30) : (tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %32 = arith.andi %25, %31 {tile.runs = array<i64: 1, 64>} : tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %33 = "tile.load"(%24, %32, %2, %1, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 3, 0>, pitch = 64 : i64, vector = 8 : i64} : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, i32, i32, i32) -> tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %34 = arith.extsi %arg4 : i32 to i64
  %35 = arith.muli %34, %c64_i64 : i64
  %36 = arith.muli %6, %35 : i64
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
  %37 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>
  "tile.shared_store"(%33, %37) : (tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> ()
  %38 = scf.for %arg7 = %c0_i64 to %34 step %c64_i64 iter_args(%arg8 = %cst) -> (tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>)  : i64 {
    %63 = arith.trunci %arg7 : i64 to i32
    %64 = arith.extsi %63 : i32 to i64
    %65 = arith.muli %64, %c64_i64 : i64
    %66 = arith.addi %36, %65 : i64
    %67 = "tile.pointer_offset"(%arg3, %66) : (!tile.ptr<f16>, i64) -> !tile.ptr<f16>
    %68 = "tile.splat"(%67) : (!tile.ptr<f16>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %69 = "tile.pointer_offset"(%68, %23) : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %70 = "tile.splat"(%63) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
    %71 = arith.addi %70, %13 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
    %72 = "tile.splat"(%arg4) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
    %73 = arith.cmpi ult, %71, %72 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
    %74 = "tile.expand"(%73) {axis = 1 : i64} : (tensor<64xi1, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>) -> tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %75 = "tile.broadcast"(%74) : (tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %76 = arith.andi %25, %75 {tile.runs = array<i64: 1, 64>} : tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %77 = "tile.load"(%69, %76, %2, %63, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 3, 0>, pitch = 64 : i64, vector = 8 : i64} : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, i32, i32, i32) -> tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %78 = "tile.permute"(%77) {permutation = array<i64: 1, 0>} : (tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64xf16, {lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], reg = [[1, 0], [2, 0], [4, 0]], repeat = [1, 4], warp = [[0, 4], [0, 8]]}>
    %79 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [0, 1], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>
    "tile.shared_store"(%78, %79) : (tensor<64x64xf16, {lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], reg = [[1, 0], [2, 0], [4, 0]], repeat = [1, 4], warp = [[0, 4], [0, 8]]}>, !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [0, 1], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> ()
    %80 = "tile.dot"(%37, %79, %cst) {depth = 64 : i64, path = "wgmma", precision = "usual"} : (!tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>, !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [0, 1], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>, tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>) -> tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
    %cst_0 = arith.constant dense<1.250000e-01> : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
    %81 = arith.mulf %80, %cst_0 : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
    %82 = arith.truncf %81 : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}> to tensor<64x64xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
    %83 = "tile.pointer_offset"(%arg5, %66) : (!tile.ptr<f16>, i64) -> !tile.ptr<f16>
    %84 = "tile.splat"(%83) : (!tile.ptr<f16>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %85 = "tile.pointer_offset"(%84, %23) : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %86 = "tile.load"(%85, %76, %2, %63, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 3, 0>, pitch = 64 : i64, vector = 8 : i64} : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, i32, i32, i32) -> tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
    %87 = "tile.convert"(%82) : (tensor<64x64xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>) -> tensor<64x64xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0], [0, 8]], repeat = [1, 4], warp = [[16, 0], [32, 0]]}>
    %88 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>
    "tile.shared_store"(%86, %88) : (tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> ()
    %89 = "tile.dot"(%87, %88, %arg8) {depth = 64 : i64, path = "wgmma", precision = "usual"} : (tensor<64x64xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0], [0, 8]], repeat = [1, 4], warp = [[16, 0], [32, 0]]}>, !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>, tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>) -> tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
    scf.yield %89 : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
  }
  %39 = "tile.pointer_offset"(%arg6, %10) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  %40 = "tile.splat"(%39) : (!tile.ptr<f32>) -> tensor<64x64x!tile.ptr<f32>, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %41 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %42 = arith.extsi %41 : tensor<64xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}> to tensor<64xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %43 = "tile.splat"(%c64_i64) : (i64) -> tensor<64xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %44 = arith.muli %42, %43 : tensor<64xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %45 = "tile.expand"(%44) {axis = 1 : i64} : (tensor<64xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>) -> tensor<64x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %46 = "tile.broadcast"(%45) : (tensor<64x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<64x64xi64, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %47 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[4], [8], [16], [32], [0]], reg = [[1], [2]], repeat = [1], warp = [[0], [0]]}>
  %48 = arith.extsi %47 : tensor<64xi32, {lane = [[4], [8], [16], [32], [0]], reg = [[1], [2]], repeat = [1], warp = [[0], [0]]}> to tensor<64xi64, {lane = [[4], [8], [16], [32], [0]], reg = [[1], [2]], repeat = [1], warp = [[0], [0]]}>
  %49 = "tile.expand"(%48) {axis = 0 : i64} : (tensor<64xi64, {lane = [[4], [8], [16], [32], [0]], reg = [[1], [2]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x64xi64, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], reg = [[0, 1], [0, 2]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
  %50 = "tile.broadcast"(%49) : (tensor<1x64xi64, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], reg = [[0, 1], [0, 2]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<64x64xi64, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %51 = arith.addi %46, %50 : tensor<64x64xi64, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %52 = "tile.pointer_offset"(%40, %51) : (tensor<64x64x!tile.ptr<f32>, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>, tensor<64x64xi64, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<64x64x!tile.ptr<f32>, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %53 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64x64xf32, {max_phase = 4 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>
  "tile.shared_store"(%38, %53) : (tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>, !tile.shared<tensor<64x64xf32, {max_phase = 4 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> ()
  %54 = "tile.shared_load"(%53) : (!tile.shared<tensor<64x64xf32, {max_phase = 4 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> tensor<64x64xf32, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %55 = "tile.splat"(%5) : (i1) -> tensor<64x64xi1, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %56 = "tile.splat"(%1) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %57 = arith.addi %56, %41 : tensor<64xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %58 = "tile.splat"(%arg2) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %59 = arith.cmpi ult, %57, %58 : tensor<64xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>
  %60 = "tile.expand"(%59) {axis = 1 : i64} : (tensor<64xi1, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [8], warp = [[2], [4]]}>) -> tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %61 = "tile.broadcast"(%60) : (tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<64x64xi1, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  %62 = arith.andi %55, %61 {tile.runs = array<i64: 1, 64>} : tensor<64x64xi1, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>
  "tile.store"(%52, %54, %62, %2, %1, %c0_i32) {cache = "", evict = "", kinds = array<i64: 0, 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 3, 0>, vector = 4 : i64} : (tensor<64x64x!tile.ptr<f32>, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>, tensor<64x64xf32, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>, tensor<64x64xi1, {lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], reg = [[0, 1], [0, 2]], repeat = [8, 1], warp = [[2, 0], [4, 0]]}>, i32, i32, i32) -> ()
  return
}
