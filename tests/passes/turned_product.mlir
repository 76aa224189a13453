// pass: tensor-cores
// Weights of 8 bits are the right operand: widened in every round, they had better be the left one.
func.func @layer(%arg0: !tile.ptr<bf16>, %arg1: i32, %arg2: i32, %arg3: !tile.ptr<i8>, %arg4: i32, %arg5: !tile.ptr<bf16>) attributes {tile.divisibility = array<i64: 16, 1, 16, 16, 8, 16>} {
  %c32_i64 = arith.constant 32 : i64
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %c0_i32 = arith.constant 0 : i32
  %c0_i64 = arith.constant 0 : i64
  %0 = arith.extsi %arg2 : i32 to i64
  %1 = scf.for %arg6 = %c0_i64 to %0 step %c32_i64 iter_args(%arg7 = %cst) -> (tensor<64x64xf32>)  : i64 {
    %27 = arith.trunci %arg6 : i64 to i32
    %28 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
    %29 = "tile.splat"(%c0_i32) : (i32) -> tensor<64xi32>
    %30 = arith.addi %29, %28 : tensor<64xi32>
    %31 = "tile.splat"(%arg1) : (i32) -> tensor<64xi32>
    %32 = arith.cmpi ult, %30, %31 : tensor<64xi32>
    %33 = arith.extsi %28 : tensor<64xi32> to tensor<64xi64>
    %34 = "tile.splat"(%0) : (i64) -> tensor<64xi64>
    %35 = arith.muli %33, %34 : tensor<64xi64>
    %36 = "tile.expand"(%35) {axis = 1 : i64} : (tensor<64xi64>) -> tensor<64x1xi64>
    %37 = "tile.broadcast"(%36) : (tensor<64x1xi64>) -> tensor<64x32xi64>
    %38 = "tile.expand"(%32) {axis = 1 : i64} : (tensor<64xi1>) -> tensor<64x1xi1>
    %39 = "tile.broadcast"(%38) : (tensor<64x1xi1>) -> tensor<64x32xi1>
    %40 = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32>
    %41 = "tile.splat"(%27) : (i32) -> tensor<32xi32>
    %42 = arith.addi %41, %40 : tensor<32xi32>
    %43 = "tile.splat"(%arg2) : (i32) -> tensor<32xi32>
    %44 = arith.cmpi ult, %42, %43 : tensor<32xi32>
    %45 = arith.extsi %27 : i32 to i64
    %46 = arith.extsi %40 : tensor<32xi32> to tensor<32xi64>
    %47 = "tile.expand"(%46) {axis = 0 : i64} : (tensor<32xi64>) -> tensor<1x32xi64>
    %48 = "tile.broadcast"(%47) : (tensor<1x32xi64>) -> tensor<64x32xi64>
    %49 = arith.addi %37, %48 : tensor<64x32xi64>
    %50 = "tile.expand"(%44) {axis = 0 : i64} : (tensor<32xi1>) -> tensor<1x32xi1>
    %51 = "tile.broadcast"(%50) : (tensor<1x32xi1>) -> tensor<64x32xi1>
    %52 = arith.andi %39, %51 : tensor<64x32xi1>
    %53 = "tile.pointer_offset"(%arg0, %45) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
    %54 = "tile.splat"(%53) : (!tile.ptr<bf16>) -> tensor<64x32x!tile.ptr<bf16>>
    %55 = "tile.pointer_offset"(%54, %49) : (tensor<64x32x!tile.ptr<bf16>>, tensor<64x32xi64>) -> tensor<64x32x!tile.ptr<bf16>>
    %56 = "tile.load"(%55, %52, %c0_i32, %27) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>} : (tensor<64x32x!tile.ptr<bf16>>, tensor<64x32xi1>, i32, i32) -> tensor<64x32xbf16>
    %57 = "tile.splat"(%arg4) : (i32) -> tensor<64xi32>
    %58 = arith.cmpi ult, %30, %57 : tensor<64xi32>
    %59 = "tile.expand"(%58) {axis = 1 : i64} : (tensor<64xi1>) -> tensor<64x1xi1>
    %60 = "tile.broadcast"(%59) : (tensor<64x1xi1>) -> tensor<64x32xi1>
    %61 = arith.andi %60, %51 : tensor<64x32xi1>
    %62 = "tile.pointer_offset"(%arg3, %45) : (!tile.ptr<i8>, i64) -> !tile.ptr<i8>
    %63 = "tile.splat"(%62) : (!tile.ptr<i8>) -> tensor<64x32x!tile.ptr<i8>>
    %64 = "tile.pointer_offset"(%63, %49) : (tensor<64x32x!tile.ptr<i8>>, tensor<64x32xi64>) -> tensor<64x32x!tile.ptr<i8>>
    %65 = "tile.load"(%64, %61, %c0_i32, %27) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>} : (tensor<64x32x!tile.ptr<i8>>, tensor<64x32xi1>, i32, i32) -> tensor<64x32xi8>
    %66 = "tile.permute"(%65) {permutation = array<i64: 1, 0>} : (tensor<64x32xi8>) -> tensor<32x64xi8>
    %67 = arith.sitofp %66 : tensor<32x64xi8> to tensor<32x64xbf16>
    %68 = "tile.dot"(%56, %67, %arg7) {path = "", precision = "usual"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %68 : tensor<64x64xf32>
  }
  %2 = arith.extsi %arg4 : i32 to i64
  %3 = arith.truncf %1 : tensor<64x64xf32> to tensor<64x64xbf16>
  %4 = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
  %5 = "tile.splat"(%c0_i32) : (i32) -> tensor<64xi32>
  %6 = arith.addi %5, %4 : tensor<64xi32>
  %7 = "tile.splat"(%arg1) : (i32) -> tensor<64xi32>
  %8 = arith.cmpi ult, %6, %7 : tensor<64xi32>
  %9 = arith.extsi %4 : tensor<64xi32> to tensor<64xi64>
  %10 = "tile.splat"(%2) : (i64) -> tensor<64xi64>
  %11 = arith.muli %9, %10 : tensor<64xi64>
  %12 = "tile.expand"(%11) {axis = 1 : i64} : (tensor<64xi64>) -> tensor<64x1xi64>
  %13 = "tile.broadcast"(%12) : (tensor<64x1xi64>) -> tensor<64x64xi64>
  %14 = "tile.expand"(%8) {axis = 1 : i64} : (tensor<64xi1>) -> tensor<64x1xi1>
  %15 = "tile.broadcast"(%14) : (tensor<64x1xi1>) -> tensor<64x64xi1>
  %16 = "tile.splat"(%arg4) : (i32) -> tensor<64xi32>
  %17 = arith.cmpi ult, %6, %16 : tensor<64xi32>
  %18 = "tile.expand"(%9) {axis = 0 : i64} : (tensor<64xi64>) -> tensor<1x64xi64>
  %19 = "tile.broadcast"(%18) : (tensor<1x64xi64>) -> tensor<64x64xi64>
  %20 = arith.addi %13, %19 : tensor<64x64xi64>
  %21 = "tile.expand"(%17) {axis = 0 : i64} : (tensor<64xi1>) -> tensor<1x64xi1>
  %22 = "tile.broadcast"(%21) : (tensor<1x64xi1>) -> tensor<64x64xi1>
  %23 = arith.andi %15, %22 : tensor<64x64xi1>
  %24 = "tile.pointer_offset"(%arg5, %c0_i64) : (!tile.ptr<bf16>, i64) -> !tile.ptr<bf16>
  %25 = "tile.splat"(%24) : (!tile.ptr<bf16>) -> tensor<64x64x!tile.ptr<bf16>>
  %26 = "tile.pointer_offset"(%25, %20) : (tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xi64>) -> tensor<64x64x!tile.ptr<bf16>>
  "tile.store"(%26, %3, %23, %c0_i32, %c0_i32) {cache = "", evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>} : (tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xbf16>, tensor<64x64xi1>, i32, i32) -> ()
  return
}
