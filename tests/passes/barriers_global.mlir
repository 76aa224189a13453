// pass: barriers
// What is stored through a parameter and loaded again through other pointers needs a barrier; the same
// tile of pointers does not, nor do different parameters. In the loop the next round loads what
// other threads stored.
func.func @in_place(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i64) attributes {tile.warps = 1 : i64} {
  %at = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %next = "tile.arange"() {lo = 1 : i64} : () -> tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %xs = "tile.splat"(%x) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %ys = "tile.splat"(%y) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %p = "tile.pointer_offset"(%xs, %at) : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %q = "tile.pointer_offset"(%xs, %next) : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %r = "tile.pointer_offset"(%ys, %at) : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %a = "tile.load"(%p) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  "tile.store"(%p, %a) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> ()
  "tile.store"(%r, %a) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> ()
  %b = "tile.load"(%q) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %c = "tile.load"(%r) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
    "tile.store"(%r, %c) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> ()
  }
  func.return
}

// An iteration sees what the one before stored: two barriers.
func.func @iterations(%x: !tile.ptr<f32>, %n: i64) attributes {tile.warps = 1 : i64} {
  %at = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %next = "tile.arange"() {lo = 1 : i64} : () -> tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %xs = "tile.splat"(%x) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %p = "tile.pointer_offset"(%xs, %at) : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %q = "tile.pointer_offset"(%xs, %next) : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %a = "tile.load"(%p) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
    "tile.store"(%q, %a) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> ()
  }
  func.return
}

// Programs of one block do not: one barrier, for what the program itself has loaded.
func.func @programs(%x: !tile.ptr<f32>, %n: i64) attributes {tile.warps = 1 : i64} {
  %at = "tile.arange"() {lo = 0 : i64} : () -> tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %next = "tile.arange"() {lo = 1 : i64} : () -> tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %xs = "tile.splat"(%x) : (!tile.ptr<f32>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %p = "tile.pointer_offset"(%xs, %at) : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %q = "tile.pointer_offset"(%xs, %next) : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xi32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %a = "tile.load"(%p) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>
    "tile.store"(%q, %a) {cache = "", evict = "", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, vector = 1 : i64} : (tensor<32x!tile.ptr<f32>, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>, tensor<32xf32, {lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}>) -> ()
  } {tile.each_program = 1 : i64}
  func.return
}
