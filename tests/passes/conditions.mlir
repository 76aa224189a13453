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
  // A loop of one iteration or none is a condition; one that may have two, or multiplies, stays.
  func.func @once(%a: tensor<16x16xf16>, %some: i1, %byte: i8, %y: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 1, 1, 1, 16>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %count = arith.extui %some : i1 to i32
    %byte_count = arith.extui %byte : i8 to i32
    %one = scf.for %j = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      %number = arith.sitofp %j : i32 to f32
      %numbers = "tile.splat"(%number) : (f32) -> tensor<16x16xf32>
      %sum = arith.addf %acc, %numbers : tensor<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    %many = scf.for %j = %c0 to %byte_count step %c1 iter_args(%acc = %one) -> (tensor<16x16xf32>) : i32 {
      %sum = arith.addf %acc, %one : tensor<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    %product = scf.for %j = %c0 to %count step %c1 iter_args(%acc = %many) -> (tensor<16x16xf32>) : i32 {
      %sum = "tile.dot"(%a, %a, %acc) {path = "", precision = "usual"} : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    %c16 = arith.constant 16 : i32
    %pitch = arith.constant 16 : i64
    %step = arith.constant 1 : i64
    "tile.store_view"(%y, %product, %c0, %c0, %c16, %c16, %pitch, %step) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<16x16xf32>, i32, i32, i32, i32, i64, i64) -> ()
    return
  }
  // A loop that ends a step behind where it begins is none; one whose end may wrap around, or is further away, stays.
  func.func @exactly_once(%a: tensor<16x16xf16>, %tile: i32, %y: !tile.ptr<f32>) attributes {tile.divisibility = array<i64: 1, 1, 16>} {
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %step = arith.constant 16 : i64
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %id = "tile.program_id"() {axis = 1 : i64} : () -> i32
    %first = arith.muli %id, %c16 : i32
    %after = arith.addi %id, %c1 : i32
    %end = arith.muli %after, %c16 : i32
    %from = arith.extsi %first : i32 to i64
    %to = arith.extsi %end : i32 to i64
    %one = scf.for %j = %from to %to step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i64 {
      %sum = "tile.dot"(%a, %a, %acc) {path = "", precision = "usual"} : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %number = arith.sitofp %j : i64 to f32
      %numbers = "tile.splat"(%number) : (f32) -> tensor<16x16xf32>
      %more = arith.addf %sum, %numbers : tensor<16x16xf32>
      scf.yield %more : tensor<16x16xf32>
    }
    %further = arith.addi %end, %c1 : i32
    %beyond = arith.extsi %further : i32 to i64
    %two = scf.for %j = %from to %beyond step %step iter_args(%acc = %one) -> (tensor<16x16xf32>) : i64 {
      %sum = arith.addf %acc, %one : tensor<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    %any_first = arith.muli %tile, %c16 : i32
    %any_after = arith.addi %tile, %c1 : i32
    %any_end = arith.muli %any_after, %c16 : i32
    %any_from = arith.extsi %any_first : i32 to i64
    %any_to = arith.extsi %any_end : i32 to i64
    %none = scf.for %j = %any_from to %any_to step %step iter_args(%acc = %two) -> (tensor<16x16xf32>) : i64 {
      %sum = arith.addf %acc, %two : tensor<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    %c0 = arith.constant 0 : i32
    %pitch = arith.constant 16 : i64
    %unit = arith.constant 1 : i64
    "tile.store_view"(%y, %none, %c0, %c0, %c16, %c16, %pitch, %unit) {cache = "", checked = 1 : i64, evict = "", kinds = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 2, 2, 0>} : (!tile.ptr<f32>, tensor<16x16xf32>, i32, i32, i32, i32, i64, i64) -> ()
    return
  }
}
