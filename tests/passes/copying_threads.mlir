// pass: pipeline
// One operand TMA copies, the other has rows of whole pieces of 8 bytes: threads that only copy do both, and say so to
// one mbarrier.
func.func @widened__eights(%arg0: !tile.ptr<i8>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<f16>, %arg4: i32, %arg5: !tile.ptr<f16>) attributes {tile.divisibility = array<i64: 8, 1, 8, 16, 8, 16>, tile.group = 16 : i64, tile.sizes = array<i64: 1, 2, 4>, tile.warps = 4 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %c32_i64 = arith.constant 32 : i64
  %c64_i32 = arith.constant 64 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.muli %0, %c64_i32 : i32
  %2 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %3 = arith.muli %2, %c64_i32 : i32
  %4 = arith.extsi %arg2 : i32 to i64
  %5 = arith.extsi %arg4 : i32 to i64
  %6 = arith.extsi %1 : i32 to i64
  %7 = arith.muli %6, %4 : i64
  %8 = arith.extsi %arg1 : i32 to i64
  %9 = arith.extsi %3 : i32 to i64
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
  %10 = scf.for %arg6 = %c0_i64 to %4 step %c32_i64 iter_args(%arg7 = %cst) -> (tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>)  : i64 {
    %43 = arith.trunci %arg6 : i64 to i32
    %44 = arith.extsi %43 : i32 to i64
    %45 = arith.addi %7, %44 : i64
    %46 = "tile.pointer_offset"(%arg0, %45) : (!tile.ptr<i8>, i64) -> !tile.ptr<i8>
    %47 = "tile.splat"(%46) : (!tile.ptr<i8>) -> tensor<64x32x!tile.ptr<i8>, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %48 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %49 = arith.extsi %48 : tensor<64xi32, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}> to tensor<64xi64, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %50 = "tile.splat"(%4) : (i64) -> tensor<64xi64, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %51 = arith.muli %49, %50 : tensor<64xi64, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %52 = "tile.expand"(%51) {axis = 1 : i64} : (tensor<64xi64, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>) -> tensor<64x1xi64, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %53 = "tile.broadcast"(%52) : (tensor<64x1xi64, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>) -> tensor<64x32xi64, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %54 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %55 = arith.extsi %54 : tensor<32xi32, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}> to tensor<32xi64, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %56 = "tile.expand"(%55) {axis = 0 : i64} : (tensor<32xi64, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x32xi64, {lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
    %57 = "tile.broadcast"(%56) : (tensor<1x32xi64, {lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<64x32xi64, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %58 = arith.addi %53, %57 : tensor<64x32xi64, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %59 = "tile.pointer_offset"(%47, %58) : (tensor<64x32x!tile.ptr<i8>, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>, tensor<64x32xi64, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>) -> tensor<64x32x!tile.ptr<i8>, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %60 = "tile.splat"(%1) : (i32) -> tensor<64xi32, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %61 = arith.addi %60, %48 : tensor<64xi32, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %62 = "tile.splat"(%arg1) : (i32) -> tensor<64xi32, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %63 = arith.cmpi ult, %61, %62 : tensor<64xi32, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>
    %64 = "tile.expand"(%63) {axis = 1 : i64} : (tensor<64xi1, {lane = [[0], [0], [1], [2], [4]], reg = [], repeat = [2], warp = [[8], [16]]}>) -> tensor<64x1xi1, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %65 = "tile.broadcast"(%64) : (tensor<64x1xi1, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>) -> tensor<64x32xi1, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %66 = "tile.splat"(%43) : (i32) -> tensor<32xi32, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %67 = arith.addi %66, %54 : tensor<32xi32, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %68 = "tile.splat"(%arg2) : (i32) -> tensor<32xi32, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %69 = arith.cmpi ult, %67, %68 {tile.runs = array<i64: 8>} : tensor<32xi32, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %70 = "tile.expand"(%69) {axis = 0 : i64} : (tensor<32xi1, {lane = [[8], [16], [0], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x32xi1, {lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
    %71 = "tile.broadcast"(%70) : (tensor<1x32xi1, {lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<64x32xi1, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %72 = arith.andi %65, %71 {tile.runs = array<i64: 1, 8>} : tensor<64x32xi1, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %73 = "tile.load"(%59, %72, %1, %43, %8, %4, %4) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 3>, vector = 8 : i64} : (tensor<64x32x!tile.ptr<i8>, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>, tensor<64x32xi1, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>, i32, i32, i64, i64, i64) -> tensor<64x32xi8, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>
    %74 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64x32xi8, {max_phase = 2 : i64, order = [1, 0], per_phase = 4 : i64, pitch = 32 : i64, vector = 16 : i64}>>
    "tile.shared_store"(%73, %74) : (tensor<64x32xi8, {lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[8, 0], [16, 0]]}>, !tile.shared<tensor<64x32xi8, {max_phase = 2 : i64, order = [1, 0], per_phase = 4 : i64, pitch = 32 : i64, vector = 16 : i64}>>) -> ()
    %75 = "tile.shared_load"(%74) : (!tile.shared<tensor<64x32xi8, {max_phase = 2 : i64, order = [1, 0], per_phase = 4 : i64, pitch = 32 : i64, vector = 16 : i64}>>) -> tensor<64x32xi8, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0], [0, 8]], repeat = [1, 2], warp = [[16, 0], [32, 0]]}>
    %76 = arith.sitofp %75 : tensor<64x32xi8, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0], [0, 8]], repeat = [1, 2], warp = [[16, 0], [32, 0]]}> to tensor<64x32xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0], [0, 8]], repeat = [1, 2], warp = [[16, 0], [32, 0]]}>
    %77 = arith.muli %44, %5 : i64
    %78 = arith.addi %77, %9 : i64
    %79 = "tile.pointer_offset"(%arg3, %78) : (!tile.ptr<f16>, i64) -> !tile.ptr<f16>
    %80 = "tile.splat"(%79) : (!tile.ptr<f16>) -> tensor<32x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %81 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %82 = arith.extsi %81 : tensor<32xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}> to tensor<32xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %83 = "tile.splat"(%5) : (i64) -> tensor<32xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %84 = arith.muli %82, %83 : tensor<32xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %85 = "tile.expand"(%84) {axis = 1 : i64} : (tensor<32xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>) -> tensor<32x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %86 = "tile.broadcast"(%85) : (tensor<32x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<32x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %87 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %88 = arith.extsi %87 : tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}> to tensor<64xi64, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %89 = "tile.expand"(%88) {axis = 0 : i64} : (tensor<64xi64, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
    %90 = "tile.broadcast"(%89) : (tensor<1x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<32x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %91 = arith.addi %86, %90 : tensor<32x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %92 = "tile.pointer_offset"(%80, %91) : (tensor<32x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>, tensor<32x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<32x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %93 = "tile.splat"(%43) : (i32) -> tensor<32xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %94 = arith.addi %93, %81 : tensor<32xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %95 = "tile.splat"(%arg2) : (i32) -> tensor<32xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %96 = arith.cmpi ult, %94, %95 {tile.runs = array<i64: 8>} : tensor<32xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>
    %97 = "tile.expand"(%96) {axis = 1 : i64} : (tensor<32xi1, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [2], warp = [[4], [8]]}>) -> tensor<32x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %98 = "tile.broadcast"(%97) : (tensor<32x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<32x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %99 = "tile.splat"(%3) : (i32) -> tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %100 = arith.addi %99, %87 : tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %101 = "tile.splat"(%arg4) : (i32) -> tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %102 = arith.cmpi ult, %100, %101 {tile.runs = array<i64: 8>} : tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
    %103 = "tile.expand"(%102) {axis = 0 : i64} : (tensor<64xi1, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
    %104 = "tile.broadcast"(%103) : (tensor<1x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<32x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %105 = arith.andi %98, %104 {tile.runs = array<i64: 8, 8>} : tensor<32x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %106 = "tile.load"(%92, %105, %43, %3) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, vector = 8 : i64} : (tensor<32x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>, tensor<32x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>, i32, i32) -> tensor<32x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>
    %107 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<32x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>
    "tile.shared_store"(%106, %107) : (tensor<32x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [2, 1], warp = [[4, 0], [8, 0]]}>, !tile.shared<tensor<32x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> ()
    %108 = "tile.dot"(%76, %107, %arg7) {depth = 32 : i64, path = "wgmma", precision = "usual"} : (tensor<64x32xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0], [0, 8]], repeat = [1, 2], warp = [[16, 0], [32, 0]]}>, !tile.shared<tensor<32x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>, tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>) -> tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
    scf.yield %108 : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
  }
  %11 = arith.truncf %10 : tensor<64x64xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}> to tensor<64x64xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>
  %12 = arith.muli %6, %5 : i64
  %13 = arith.addi %12, %9 : i64
  %14 = "tile.pointer_offset"(%arg5, %13) : (!tile.ptr<f16>, i64) -> !tile.ptr<f16>
  %15 = "tile.splat"(%14) : (!tile.ptr<f16>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %16 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %17 = arith.extsi %16 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}> to tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %18 = "tile.splat"(%5) : (i64) -> tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %19 = arith.muli %17, %18 : tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %20 = "tile.expand"(%19) {axis = 1 : i64} : (tensor<64xi64, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>) -> tensor<64x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %21 = "tile.broadcast"(%20) : (tensor<64x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %22 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %23 = arith.extsi %22 : tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}> to tensor<64xi64, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %24 = "tile.expand"(%23) {axis = 0 : i64} : (tensor<64xi64, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
  %25 = "tile.broadcast"(%24) : (tensor<1x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %26 = arith.addi %21, %25 : tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %27 = "tile.pointer_offset"(%15, %26) : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi64, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %28 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>
  "tile.shared_store"(%11, %28) : (tensor<64x64xf16, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 8], warp = [[16, 0], [32, 0]]}>, !tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> ()
  %29 = "tile.shared_load"(%28) : (!tile.shared<tensor<64x64xf16, {max_phase = 8 : i64, order = [1, 0], per_phase = 1 : i64, pitch = 64 : i64, vector = 8 : i64}>>) -> tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %30 = "tile.splat"(%1) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %31 = arith.addi %30, %16 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %32 = "tile.splat"(%arg1) : (i32) -> tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %33 = arith.cmpi ult, %31, %32 : tensor<64xi32, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>
  %34 = "tile.expand"(%33) {axis = 1 : i64} : (tensor<64xi1, {lane = [[0], [0], [0], [1], [2]], reg = [], repeat = [4], warp = [[4], [8]]}>) -> tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %35 = "tile.broadcast"(%34) : (tensor<64x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], reg = [], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>) -> tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %36 = "tile.splat"(%3) : (i32) -> tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %37 = arith.addi %36, %22 : tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %38 = "tile.splat"(%arg4) : (i32) -> tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %39 = arith.cmpi ult, %37, %38 {tile.runs = array<i64: 8>} : tensor<64xi32, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>
  %40 = "tile.expand"(%39) {axis = 0 : i64} : (tensor<64xi1, {lane = [[8], [16], [32], [0], [0]], reg = [[1], [2], [4]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
  %41 = "tile.broadcast"(%40) : (tensor<1x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  %42 = arith.andi %35, %41 {tile.runs = array<i64: 1, 8>} : tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>
  "tile.store"(%27, %29, %42, %1, %3) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, vector = 8 : i64} : (tensor<64x64x!tile.ptr<f16>, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xf16, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, tensor<64x64xi1, {lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], reg = [[0, 1], [0, 2], [0, 4]], repeat = [4, 1], warp = [[4, 0], [8, 0]]}>, i32, i32) -> ()
  return
}
