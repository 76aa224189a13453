// pass: sink
// The weights wait for the sum as bf16 and become f32 where they are multiplied; what the sum itself
// needs becomes f32 before it, once, and what a loop needs before the loop.
func.func @sink(%x: tensor<64xbf16>, %w: tensor<64xbf16>, %v: tensor<64xi8>, %n: i32) {
  %wide_w = arith.extf %w : tensor<64xbf16> to tensor<64xf32>
  %wide_x = arith.extf %x : tensor<64xbf16> to tensor<64xf32>
  %wide_v = arith.extsi %v : tensor<64xi8> to tensor<64xi32>
  %squares = arith.mulf %wide_x, %wide_x : tensor<64xf32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %initial = arith.constant dense<0> : tensor<64xi32>
  %sums = scf.for %i = %zero to %n step %one iter_args(%sum = %initial) -> (tensor<64xi32>) : i32 {
    %next = arith.addi %sum, %wide_v : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  %scaled = arith.mulf %wide_x, %wide_w : tensor<64xf32>
  %more = arith.addf %scaled, %squares : tensor<64xf32>
  func.return
}
