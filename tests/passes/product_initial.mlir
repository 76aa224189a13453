// pass: tensor-cores
// What is loaded for a sum to begin with is added to it behind the loop; what something else uses too is there before.
func.func @begun(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %at: tensor<64x64x!tile.ptr<f32>>, %n: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %end = arith.extsi %n : i32 to i64
  %begin = "tile.load"(%at) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f32>>) -> tensor<64x64xf32>
  %twice = arith.addf %begin, %begin : tensor<64x64xf32>
  %sum = scf.for %i = %zero to %end step %one iter_args(%s = %twice) -> (tensor<64x64xf32>) : i64 {
    %next = "tile.dot"(%a, %b, %s) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %other = scf.for %i = %zero to %end step %one iter_args(%s = %sum) -> (tensor<64x64xf32>) : i64 {
    %next = "tile.dot"(%a, %b, %s) {path = "", precision = "usual"} : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  "tile.store"(%at, %other) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>) -> ()
  return
}
