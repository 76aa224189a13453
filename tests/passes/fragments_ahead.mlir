// pass: pipeline
// A product of warps whose operands threads copy: the last of its two steps along K runs while the first fragments of
// the next round are read, and the copies of a later one started.
func.func @product__words(%arg0: !tile.ptr<bf16>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<bf16>, %arg4: i32, %arg5: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 4, 1, 2, 4, 2, 4>, tile.group = 16 : i64, tile.sizes = array<i64: 1, 2, 4>, tile.warps = 4 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %c32_i64 = arith.constant 32 : i64
  %c32_i32 = arith.constant 32 : i32
  %0 = "tile.program_id"() {axis = 0 : i64} : () -> i32
  %1 = arith.muli %0, %c32_i32 : i32
  %2 = "tile.program_id"() {axis = 1 : i64} : () -> i32
  %3 = arith.muli %2, %c32_i32 : i32
  %4 = arith.extsi %arg2 : i32 to i64
  %5 = arith.extsi %arg4 : i32 to i64
  %6 = arith.extsi %1 : i32 to i64
  %7 = arith.muli %6, %4 : i64
  %8 = arith.extsi %arg1 : i32 to i64
  %9 = arith.extsi %3 : i32 to i64
  %cst = arith.constant dense<0.000000e+00> : tensor<32x32xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %10 = scf.for %arg6 = %c0_i64 to %4 step %c32_i64 iter_args(%arg7 = %cst) -> (tensor<32x32xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>)  : i64 {
    %40 = arith.trunci %arg6 : i64 to i32
    %41 = arith.extsi %40 : i32 to i64
    %42 = arith.addi %7, %41 : i64
    %43 = "tile.pointer_offset"(%arg0, %42) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
    %44 = "tile.splat"(%43) : (!tile.ptr<bf16>) -> tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %45 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %46 = arith.extsi %45 : tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}> to tensor<32xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %47 = "tile.splat"(%4) : (i64) -> tensor<32xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %48 = arith.muli %46, %47 : tensor<32xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %49 = "tile.expand"(%48) {axis = 1 : i64} : (tensor<32xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>) -> tensor<32x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %50 = "tile.broadcast"(%49) : (tensor<32x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<32x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %51 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %52 = arith.extsi %51 : tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}> to tensor<32xi64, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %53 = "tile.expand"(%52) {axis = 0 : i64} : (tensor<32xi64, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 0]], reg = [[0, 1]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
    %54 = "tile.broadcast"(%53) : (tensor<1x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 0]], reg = [[0, 1]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<32x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %55 = arith.addi %50, %54 : tensor<32x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %56 = "tile.pointer_offset"(%44, %55) : (tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, tensor<32x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %57 = "tile.splat"(%1) : (i32) -> tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %58 = arith.addi %57, %45 : tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %59 = "tile.splat"(%arg1) : (i32) -> tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %60 = arith.cmpi ult, %58, %59 : tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %61 = "tile.expand"(%60) {axis = 1 : i64} : (tensor<32xi1, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>) -> tensor<32x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %62 = "tile.broadcast"(%61) : (tensor<32x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %63 = "tile.splat"(%40) : (i32) -> tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %64 = arith.addi %63, %51 : tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %65 = "tile.splat"(%arg2) : (i32) -> tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %66 = arith.cmpi ult, %64, %65 {tile.runs = array<i64: 2>} : tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %67 = "tile.expand"(%66) {axis = 0 : i64} : (tensor<32xi1, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 0]], reg = [[0, 1]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
    %68 = "tile.broadcast"(%67) : (tensor<1x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 0]], reg = [[0, 1]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %69 = arith.andi %62, %68 {tile.runs = array<i64: 1, 2>} : tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %70 = "tile.load"(%56, %69, %1, %40, %8, %4, %4) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 3>, vector = 2 : i64} : (tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, i32, i32, i64, i64, i64) -> tensor<32x32xbf16, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %71 = arith.muli %41, %5 : i64
    %72 = arith.addi %71, %9 : i64
    %73 = "tile.pointer_offset"(%arg3, %72) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
    %74 = "tile.splat"(%73) : (!tile.ptr<bf16>) -> tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %75 = "tile.splat"(%5) : (i64) -> tensor<32xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %76 = arith.muli %46, %75 : tensor<32xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %77 = "tile.expand"(%76) {axis = 1 : i64} : (tensor<32xi64, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>) -> tensor<32x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %78 = "tile.broadcast"(%77) : (tensor<32x1xi64, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<32x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %79 = arith.addi %78, %54 : tensor<32x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %80 = "tile.pointer_offset"(%74, %79) : (tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, tensor<32x32xi64, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %81 = "tile.splat"(%40) : (i32) -> tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %82 = arith.addi %81, %45 : tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %83 = "tile.splat"(%arg2) : (i32) -> tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %84 = arith.cmpi ult, %82, %83 {tile.runs = array<i64: 2>} : tensor<32xi32, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>
    %85 = "tile.expand"(%84) {axis = 1 : i64} : (tensor<32xi1, {lane = [[0], [0], [0], [0], [1]], reg = [], repeat = [4], warp = [[2], [4]]}>) -> tensor<32x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %86 = "tile.broadcast"(%85) : (tensor<32x1xi1, {lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], reg = [], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>) -> tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %87 = "tile.splat"(%3) : (i32) -> tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %88 = arith.addi %87, %51 : tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %89 = "tile.splat"(%arg4) : (i32) -> tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %90 = arith.cmpi ult, %88, %89 {tile.runs = array<i64: 2>} : tensor<32xi32, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>
    %91 = "tile.expand"(%90) {axis = 0 : i64} : (tensor<32xi1, {lane = [[2], [4], [8], [16], [0]], reg = [[1]], repeat = [1], warp = [[0], [0]]}>) -> tensor<1x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 0]], reg = [[0, 1]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>
    %92 = "tile.broadcast"(%91) : (tensor<1x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 0]], reg = [[0, 1]], repeat = [1, 1], warp = [[0, 0], [0, 0]]}>) -> tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %93 = arith.andi %86, %92 {tile.runs = array<i64: 2, 2>} : tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %94 = "tile.load"(%80, %93, %40, %3, %4, %5, %5) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 3>, vector = 2 : i64} : (tensor<32x32x!tile.ptr<bf16>, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, tensor<32x32xi1, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, i32, i32, i64, i64, i64) -> tensor<32x32xbf16, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>
    %95 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<32x32xbf16, {max_phase = 4 : i64, order = [1, 0], per_phase = 2 : i64, pitch = 32 : i64, vector = 8 : i64}>>
    "tile.shared_store"(%70, %95) : (tensor<32x32xbf16, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, !tile.shared<tensor<32x32xbf16, {max_phase = 4 : i64, order = [1, 0], per_phase = 2 : i64, pitch = 32 : i64, vector = 8 : i64}>>) -> ()
    %96 = "tile.shared_alloc"() {offset = -1 : i64} : () -> !tile.shared<tensor<32x32xbf16, {max_phase = 4 : i64, order = [1, 0], per_phase = 2 : i64, pitch = 32 : i64, vector = 8 : i64}>>
    "tile.shared_store"(%94, %96) : (tensor<32x32xbf16, {lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], reg = [[0, 1]], repeat = [4, 1], warp = [[2, 0], [4, 0]]}>, !tile.shared<tensor<32x32xbf16, {max_phase = 4 : i64, order = [1, 0], per_phase = 2 : i64, pitch = 32 : i64, vector = 8 : i64}>>) -> ()
    %97 = "tile.dot"(%95, %96, %arg7) {depth = 32 : i64, left_layout = {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0], [0, 8]], repeat = [1, 2], warp = [[16, 0], [0, 0]]}, path = "mma", precision = "usual", right_layout = {lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], reg = [[1, 0], [8, 0]], repeat = [2, 2], warp = [[0, 0], [0, 8]]}} : (!tile.shared<tensor<32x32xbf16, {max_phase = 4 : i64, order = [1, 0], per_phase = 2 : i64, pitch = 32 : i64, vector = 8 : i64}>>, !tile.shared<tensor<32x32xbf16, {max_phase = 4 : i64, order = [1, 0], per_phase = 2 : i64, pitch = 32 : i64, vector = 8 : i64}>>, tensor<32x32xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>) -> tensor<32x32xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
    scf.yield %97 : tensor<32x32xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  }
  %11 = arith.muli %6, %5 : i64
  %12 = arith.addi %11, %9 : i64
  %13 = "tile.pointer_offset"(%arg5, %12) : (!tile.ptr<f32>, i64) -> !tile.ptr<f32>
  %14 = "tile.splat"(%13) : (!tile.ptr<f32>) -> tensor<32x32x!tile.ptr<f32>, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %15 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %16 = arith.extsi %15 : tensor<32xi32, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}> to tensor<32xi64, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %17 = "tile.splat"(%5) : (i64) -> tensor<32xi64, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %18 = arith.muli %16, %17 : tensor<32xi64, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %19 = "tile.expand"(%18) {axis = 1 : i64} : (tensor<32xi64, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>) -> tensor<32x1xi64, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [[8, 0]], repeat = [1, 1], warp = [[16, 0], [0, 0]]}>
  %20 = "tile.broadcast"(%19) : (tensor<32x1xi64, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [[8, 0]], repeat = [1, 1], warp = [[16, 0], [0, 0]]}>) -> tensor<32x32xi64, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %21 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>
  %22 = arith.extsi %21 : tensor<32xi32, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}> to tensor<32xi64, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>
  %23 = "tile.expand"(%22) {axis = 0 : i64} : (tensor<32xi64, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>) -> tensor<1x32xi64, {lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], reg = [[0, 1]], repeat = [1, 2], warp = [[0, 0], [0, 8]]}>
  %24 = "tile.broadcast"(%23) : (tensor<1x32xi64, {lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], reg = [[0, 1]], repeat = [1, 2], warp = [[0, 0], [0, 8]]}>) -> tensor<32x32xi64, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %25 = arith.addi %20, %24 : tensor<32x32xi64, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %26 = "tile.pointer_offset"(%14, %25) : (tensor<32x32x!tile.ptr<f32>, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>, tensor<32x32xi64, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>) -> tensor<32x32x!tile.ptr<f32>, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %27 = "tile.splat"(%1) : (i32) -> tensor<32xi32, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %28 = arith.addi %27, %15 : tensor<32xi32, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %29 = "tile.splat"(%arg1) : (i32) -> tensor<32xi32, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %30 = arith.cmpi ult, %28, %29 : tensor<32xi32, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>
  %31 = "tile.expand"(%30) {axis = 1 : i64} : (tensor<32xi1, {lane = [[0], [0], [1], [2], [4]], reg = [[8]], repeat = [1], warp = [[16], [0]]}>) -> tensor<32x1xi1, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [[8, 0]], repeat = [1, 1], warp = [[16, 0], [0, 0]]}>
  %32 = "tile.broadcast"(%31) : (tensor<32x1xi1, {lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], reg = [[8, 0]], repeat = [1, 1], warp = [[16, 0], [0, 0]]}>) -> tensor<32x32xi1, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %33 = "tile.splat"(%3) : (i32) -> tensor<32xi32, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>
  %34 = arith.addi %33, %21 : tensor<32xi32, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>
  %35 = "tile.splat"(%arg4) : (i32) -> tensor<32xi32, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>
  %36 = arith.cmpi ult, %34, %35 {tile.runs = array<i64: 2>} : tensor<32xi32, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>
  %37 = "tile.expand"(%36) {axis = 0 : i64} : (tensor<32xi1, {lane = [[2], [4], [0], [0], [0]], reg = [[1]], repeat = [2], warp = [[0], [8]]}>) -> tensor<1x32xi1, {lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], reg = [[0, 1]], repeat = [1, 2], warp = [[0, 0], [0, 8]]}>
  %38 = "tile.broadcast"(%37) : (tensor<1x32xi1, {lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], reg = [[0, 1]], repeat = [1, 2], warp = [[0, 0], [0, 8]]}>) -> tensor<32x32xi1, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  %39 = arith.andi %32, %38 {tile.runs = array<i64: 1, 2>} : tensor<32x32xi1, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>
  "tile.store"(%26, %10, %39, %1, %3, %8, %5, %5) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 3>, vector = 1 : i64} : (tensor<32x32x!tile.ptr<f32>, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>, tensor<32x32xf32, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>, tensor<32x32xi1, {lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], reg = [[0, 1], [8, 0]], repeat = [1, 2], warp = [[16, 0], [0, 8]]}>, i32, i32, i64, i64, i64) -> ()
  return
}
