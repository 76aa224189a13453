// pass: conditions
// The condition of the first iteration moves before the loop, with the load that it reads; that of the mask joins it.
module {
  func.func @both(%x: !tile.ptr<f16>, %m: tensor<64x64xi1>, %n: i32, %i: i32, %y: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 16, 1, 1, 1, 16>} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %c64 = arith.constant 64 : i64
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %end = arith.extsi %n : i32 to i64
    %sum = scf.for %j = %c0 to %end step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i64 {
      %count = arith.trunci %j : i64 to i32
      %a = "tile.load_view"(%x, %count, %c0_i32, %n, %c64_i32, %c64, %c1) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f16>, i32, i32, i32, i32, i64, i64) -> tensor<64x64xf16>
      %is_first = arith.cmpi eq, %count, %c0_i32 : i32
      %begun = scf.if %is_first -> (tensor<64x64xf32>) {
        %first = "tile.dot"(%a, %a, %acc) {path = "", precision = "usual"} : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %first : tensor<64x64xf32>
      } else {
        scf.yield %acc : tensor<64x64xf32>
      }
      %product = "tile.dot"(%a, %a, %zero) {path = "", precision = "usual"} : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %is_near = arith.cmpi sgt, %count, %i : i32
      %masked = scf.if %is_near -> (tensor<64x64xf32>) {
        %some = arith.select %m, %product, %zero : tensor<64x64xi1>, tensor<64x64xf32>
        scf.yield %some : tensor<64x64xf32>
      } else {
        scf.yield %product : tensor<64x64xf32>
      }
      %next = arith.addf %begun, %masked : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    "tile.store_view"(%y, %sum, %c0_i32, %c0_i32, %c64_i32, %c64_i32, %c64, %c1) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<64x64xf32>, i32, i32, i32, i32, i64, i64) -> ()
    return
  }
}
