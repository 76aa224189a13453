// Written by tilec 0.1.0 (`tilec build rms_norm.tile --emit rust`): changes belong there.

/// The compiled kernels of `rms_norm.tile`, for `sm_80` and what runs its code.
pub const PTX: &str = r#"//tile: {
//tile:   "format": 5,
//tile:   "compiler": "tilec 0.1.0",
//tile:   "target": "sm_80",
//tile:   "source": "rms_norm.tile",
//tile:   "kernels": [
//tile:     {
//tile:       "name": "rms_norm",
//tile:       "docs": "y = x / sqrt(mean(x * x) + eps) * w, row by row; rows may be of any length.",
//tile:       "generics": {
//tile:         "BLOCK": "256",
//tile:         "T": "f32"
//tile:       },
//tile:       "parameters": [
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "x",
//tile:           "element": "f32",
//tile:           "mutable": false,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "rows"
//tile:             },
//tile:             {
//tile:               "named": "columns"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense",
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "w",
//tile:           "element": "f32",
//tile:           "mutable": false,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "columns"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "eps",
//tile:           "element": "f32"
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "y",
//tile:           "element": "f32",
//tile:           "mutable": true,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "rows"
//tile:             },
//tile:             {
//tile:               "named": "columns"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense",
//tile:             "dense"
//tile:           ]
//tile:         }
//tile:       ],
//tile:       "arguments": [
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "x"
//tile:         },
//tile:         {
//tile:           "kind": "size",
//tile:           "name": "rows"
//tile:         },
//tile:         {
//tile:           "kind": "size",
//tile:           "name": "columns"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "w"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "eps"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "y"
//tile:         }
//tile:       ],
//tile:       "grid": [
//tile:         {
//tile:           "name": "rows"
//tile:         }
//tile:       ],
//tile:       "variants": [
//tile:         {
//tile:           "entry": "rms_norm",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "x",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "columns",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "w",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             }
//tile:           ],
//tile:           "threads": 64,
//tile:           "shared_bytes": 16,
//tile:           "decisions": [
//tile:             "2 warps per program, for 256 elements to reduce",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "store in vectors of 4 x 4 bytes per thread",
//tile:             "1 load of this loop runs 8 iterations ahead, in 32 registers",
//tile:             "2 loads of this loop run 6 iterations ahead, in 48 registers",
//tile:             "16 bytes of shared memory for 1 buffer"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__of1",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "x",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "columns",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "w",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 1,
//tile:               "most": 256
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "narrow": true,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "this loop has one iteration; what it loads stays in registers for other loops",
//tile:             "this loop has one iteration; what it loads stays in registers for other loops",
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "store in vectors of 4 x 4 bytes per thread",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__of2",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "x",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "columns",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "w",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 257,
//tile:               "most": 512
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "narrow": true,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "this loop has 2 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "this loop has 2 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "store in vectors of 4 x 4 bytes per thread",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__of4",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "x",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "columns",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "w",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 513,
//tile:               "most": 1024
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "narrow": true,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "this loop has 3 to 4 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "this loop has 3 to 4 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "store in vectors of 4 x 4 bytes per thread",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__of8",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "x",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "columns",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "w",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 1025,
//tile:               "most": 2048
//tile:             }
//tile:           ],
//tile:           "threads": 64,
//tile:           "narrow": true,
//tile:           "shared_bytes": 16,
//tile:           "decisions": [
//tile:             "this loop has 5 to 8 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "this loop has 5 to 8 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "2 warps per program, for 256 elements to reduce",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "store in vectors of 4 x 4 bytes per thread",
//tile:             "16 bytes of shared memory for 1 buffer"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__of16",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "x",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "columns",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "w",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 2049,
//tile:               "most": 4096
//tile:             }
//tile:           ],
//tile:           "threads": 128,
//tile:           "narrow": true,
//tile:           "shared_bytes": 16,
//tile:           "decisions": [
//tile:             "this loop has 9 to 16 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "this loop has 9 to 16 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "4 warps per program, for 256 elements to reduce",
//tile:             "load in vectors of 2 x 4 bytes per thread",
//tile:             "load in vectors of 2 x 4 bytes per thread",
//tile:             "store in vectors of 2 x 4 bytes per thread",
//tile:             "16 bytes of shared memory for 1 buffer"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__any_of1",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 1,
//tile:               "most": 256
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "narrow": true,
//tile:           "shared_bytes": 1152,
//tile:           "decisions": [
//tile:             "this loop has one iteration; what it loads stays in registers for other loops",
//tile:             "this loop has one iteration; what it loads stays in registers for other loops",
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "this row may be unaligned: it comes to shared memory in chunks of 16 bytes, and its ends element by element",
//tile:             "1040 bytes of shared memory for 3 buffers",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__any_of2",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 257,
//tile:               "most": 512
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "narrow": true,
//tile:           "shared_bytes": 1152,
//tile:           "decisions": [
//tile:             "this loop has 2 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "this loop has 2 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "this row may be unaligned: it comes to shared memory in chunks of 16 bytes, and its ends element by element",
//tile:             "1040 bytes of shared memory for 2 buffers",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__any_of4",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 513,
//tile:               "most": 1024
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "narrow": true,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "this loop has 3 to 4 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "this loop has 3 to 4 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__any_of8",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "columns"
//tile:               },
//tile:               "least": 1025,
//tile:               "most": 2048
//tile:             }
//tile:           ],
//tile:           "threads": 64,
//tile:           "narrow": true,
//tile:           "shared_bytes": 16,
//tile:           "decisions": [
//tile:             "this loop has 5 to 8 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "this loop has 5 to 8 iterations, which are written out; what it loads stays in registers for other loops",
//tile:             "2 warps per program, for 256 elements to reduce",
//tile:             "16 bytes of shared memory for 1 buffer"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__general",
//tile:           "assumptions": [],
//tile:           "threads": 64,
//tile:           "shared_bytes": 16,
//tile:           "decisions": [
//tile:             "2 warps per program, for 256 elements to reduce",
//tile:             "1 load of this loop runs 8 iterations ahead, in 32 registers",
//tile:             "2 loads of this loop run 6 iterations ahead, in 48 registers",
//tile:             "16 bytes of shared memory for 1 buffer"
//tile:           ]
//tile:         }
//tile:       ]
//tile:     }
//tile:   ]
//tile: }
//
// Generated by LLVM NVPTX Back-End
//

.version 7.5
.target sm_80
.address_size 64

	// .globl	rms_norm
.extern .shared .align 128 .b8 tile_shared[];

.visible .entry rms_norm(
	.param .u64 .ptr .global .align 1 rms_norm_param_0,
	.param .u32 rms_norm_param_1,
	.param .u32 rms_norm_param_2,
	.param .u64 .ptr .global .align 1 rms_norm_param_3,
	.param .f32 rms_norm_param_4,
	.param .u64 .ptr .global .align 1 rms_norm_param_5
)
.reqntid 64
.minnctapersm 8
{
	.reg .pred 	%p<135>;
	.reg .b32 	%r<200>;
	.reg .b64 	%rd<129>;
$L__func_begin0:
	.loc	1 4 0

	ld.param.b32 	%r7, [rms_norm_param_2];
	ld.param.b64 	%rd15, [rms_norm_param_0];
	ld.param.b32 	%r9, [rms_norm_param_1];
$L__tmp0:
	.loc	1 10 15
	mov.u32 	%r10, %ctaid.x;
	.loc	1 14 22
	cvt.u64.u32 	%rd20, %r10;
	.loc	1 13 5
	cvt.s64.s32 	%rd1, %r7;
	.loc	1 14 22
	mul.lo.s64 	%rd2, %rd20, %rd1;
	shl.b64 	%rd21, %rd2, 2;
	add.s64 	%rd22, %rd15, %rd21;
	mov.u32 	%r11, %tid.x;
	and.b32 	%r1, %r11, 31;
	shl.b32 	%r2, %r1, 2;
	shr.u32 	%r3, %r11, 5;
	shl.b32 	%r4, %r3, 7;
	or.b32 	%r12, %r2, %r4;
	cvt.u64.u32 	%rd3, %r12;
	mul.wide.u32 	%rd23, %r12, 4;
	add.s64 	%rd63, %rd22, %rd23;
	setp.lt.u32 	%p1, %r10, %r9;
	max.u32 	%r13, %r7, %r12;
	sub.s32 	%r5, %r13, %r12;
	setp.ne.b32 	%p18, %r5, 0;
	and.pred 	%p19, %p1, %p18;
	.loc	1 13 5
	setp.lt.s32 	%p20, %r7, 1;
	setp.gt.s32 	%p2, %r7, 0;
	.loc	1 14 22
	and.pred 	%p10, %p19, %p2;
	mov.b32 	%r115, 0;
	mov.b32 	%r143, %r115;
	mov.b32 	%r144, %r115;
	mov.b32 	%r145, %r115;
	mov.b32 	%r146, %r115;
	// begin inline asm
	@%p10 ld.global.v4.b32 {%r143, %r144, %r145, %r146}, [%rd63];
	// end inline asm
	add.s64 	%rd65, %rd63, 1024;
	setp.gt.u32 	%p21, %r5, 256;
	and.pred 	%p22, %p1, %p21;
	setp.gt.s32 	%p3, %r7, 256;
	and.pred 	%p11, %p22, %p3;
	mov.b32 	%r139, %r115;
	mov.b32 	%r140, %r115;
	mov.b32 	%r141, %r115;
	mov.b32 	%r142, %r115;
	// begin inline asm
	@%p11 ld.global.v4.b32 {%r139, %r140, %r141, %r142}, [%rd65];
	// end inline asm
	add.s64 	%rd67, %rd63, 2048;
	setp.gt.u32 	%p23, %r5, 512;
	and.pred 	%p24, %p1, %p23;
	setp.gt.s32 	%p4, %r7, 512;
	and.pred 	%p12, %p24, %p4;
	mov.b32 	%r135, %r115;
	mov.b32 	%r136, %r115;
	mov.b32 	%r137, %r115;
	mov.b32 	%r138, %r115;
	// begin inline asm
	@%p12 ld.global.v4.b32 {%r135, %r136, %r137, %r138}, [%rd67];
	// end inline asm
	add.s64 	%rd69, %rd63, 3072;
	setp.gt.u32 	%p25, %r5, 768;
	and.pred 	%p26, %p1, %p25;
	setp.gt.s32 	%p5, %r7, 768;
	and.pred 	%p13, %p26, %p5;
	mov.b32 	%r131, %r115;
	mov.b32 	%r132, %r115;
	mov.b32 	%r133, %r115;
	mov.b32 	%r134, %r115;
	// begin inline asm
	@%p13 ld.global.v4.b32 {%r131, %r132, %r133, %r134}, [%rd69];
	// end inline asm
	add.s64 	%rd71, %rd63, 4096;
	setp.gt.u32 	%p27, %r5, 1024;
	and.pred 	%p28, %p1, %p27;
	setp.gt.s32 	%p6, %r7, 1024;
	and.pred 	%p14, %p28, %p6;
	mov.b32 	%r127, %r115;
	mov.b32 	%r128, %r115;
	mov.b32 	%r129, %r115;
	mov.b32 	%r130, %r115;
	// begin inline asm
	@%p14 ld.global.v4.b32 {%r127, %r128, %r129, %r130}, [%rd71];
	// end inline asm
	add.s64 	%rd73, %rd63, 5120;
	setp.gt.u32 	%p29, %r5, 1280;
	and.pred 	%p30, %p1, %p29;
	setp.gt.s32 	%p7, %r7, 1280;
	and.pred 	%p15, %p30, %p7;
	mov.b32 	%r123, %r115;
	mov.b32 	%r124, %r115;
	mov.b32 	%r125, %r115;
	mov.b32 	%r126, %r115;
	// begin inline asm
	@%p15 ld.global.v4.b32 {%r123, %r124, %r125, %r126}, [%rd73];
	// end inline asm
	add.s64 	%rd18, %rd63, 6144;
	setp.gt.u32 	%p31, %r5, 1536;
	setp.gt.s32 	%p32, %r7, 1536;
	and.pred 	%p33, %p31, %p1;
	and.pred 	%p16, %p33, %p32;
	mov.b32 	%r119, %r115;
	mov.b32 	%r120, %r115;
	mov.b32 	%r121, %r115;
	mov.b32 	%r122, %r115;
	// begin inline asm
	@%p16 ld.global.v4.b32 {%r119, %r120, %r121, %r122}, [%rd18];
	// end inline asm
	add.s64 	%rd19, %rd63, 7168;
	setp.gt.u32 	%p34, %r5, 1792;
	setp.gt.s32 	%p35, %r7, 1792;
	and.pred 	%p36, %p34, %p1;
	and.pred 	%p17, %p36, %p35;
	mov.b32 	%r116, %r115;
	mov.b32 	%r117, %r115;
	mov.b32 	%r118, %r115;
	// begin inline asm
	@%p17 ld.global.v4.b32 {%r115, %r116, %r117, %r118}, [%rd19];
	// end inline asm
	mov.b32 	%r151, 0f00000000;
	shl.b64 	%rd123, %rd3, 2;
	add.s32 	%r114, %r4, %r2;
	@%p20 bra 	$L__BB0_18;
	add.s64 	%rd4, %rd15, %rd123;
	cvt.u64.u32 	%rd5, %r114;
	mov.b32 	%r150, 0f00000000;
	mov.b64 	%rd125, 2048;
	mov.b64 	%rd124, 8796093022208;
	mov.b32 	%r149, %r150;
	mov.b32 	%r148, %r150;
	mov.b32 	%r147, %r150;
	bra.uni 	$L__BB0_2;
$L__BB0_16:
	.loc	1 14 22
	add.s64 	%rd58, %rd125, 1792;
	add.s64 	%rd59, %rd124, 7696581394432;
	shr.s64 	%rd60, %rd59, 30;
	add.s64 	%rd57, %rd6, %rd60;
	add.s32 	%r29, %r18, 1792;
	setp.lt.u32 	%p72, %r29, %r7;
	setp.lt.s64 	%p73, %rd58, %rd1;
	and.pred 	%p74, %p72, %p73;
	and.pred 	%p71, %p74, %p1;
	mov.b32 	%r116, %r28;
	mov.b32 	%r117, %r28;
	mov.b32 	%r118, %r28;
	// begin inline asm
	@%p71 ld.global.v4.b32 {%r28, %r116, %r117, %r118}, [%rd57];
	// end inline asm
	.loc	1 15 19
	add.s64 	%rd125, %rd125, 2048;
	add.s64 	%rd124, %rd124, 8796093022208;
	mov.b32 	%r115, %r28;
	mov.b32 	%r123, %r25;
	mov.b32 	%r131, %r22;
	mov.b32 	%r139, %r19;
	mov.b32 	%r143, %r14;
	mov.b32 	%r144, %r15;
	mov.b32 	%r145, %r16;
	mov.b32 	%r146, %r17;
	.loc	1 14 22
	@%p8 bra 	$L__BB0_2;
	bra.uni 	$L__BB0_17;
$L__BB0_2:
	add.s64 	%rd6, %rd4, %rd21;
	shr.s64 	%rd25, %rd124, 30;
	add.s64 	%rd24, %rd6, %rd25;
	add.s64 	%rd7, %rd5, %rd125;
	cvt.u32.u64 	%r18, %rd7;
	setp.lt.u32 	%p38, %r18, %r7;
	and.pred 	%p39, %p1, %p38;
	.loc	1 15 19
	setp.lt.s64 	%p8, %rd125, %rd1;
	.loc	1 14 22
	and.pred 	%p37, %p39, %p8;
	mov.b32 	%r19, 0;
	mov.b32 	%r17, %r19;
	mov.b32 	%r14, %r19;
	mov.b32 	%r15, %r19;
	mov.b32 	%r16, %r19;
	// begin inline asm
	@%p37 ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [%rd24];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r147, %r143, %r143, %r147;
	fma.rn.f32 	%r148, %r144, %r144, %r148;
	fma.rn.f32 	%r149, %r145, %r145, %r149;
	fma.rn.f32 	%r150, %r146, %r146, %r150;
	.loc	1 14 22
	add.s64 	%rd26, %rd125, -1792;
	setp.ge.s64 	%p40, %rd26, %rd1;
	@%p40 bra 	$L__BB0_4;
	.loc	1 15 19
	fma.rn.f32 	%r147, %r139, %r139, %r147;
	fma.rn.f32 	%r148, %r140, %r140, %r148;
	fma.rn.f32 	%r149, %r141, %r141, %r149;
	fma.rn.f32 	%r150, %r142, %r142, %r150;
$L__BB0_4:
	.loc	1 14 22
	add.s64 	%rd28, %rd125, 256;
	add.s64 	%rd29, %rd124, 1099511627776;
	shr.s64 	%rd30, %rd29, 30;
	add.s64 	%rd27, %rd6, %rd30;
	add.s32 	%r20, %r18, 256;
	setp.lt.u32 	%p42, %r20, %r7;
	setp.lt.s64 	%p43, %rd28, %rd1;
	and.pred 	%p44, %p42, %p43;
	and.pred 	%p41, %p44, %p1;
	mov.b32 	%r140, %r19;
	mov.b32 	%r141, %r19;
	mov.b32 	%r142, %r19;
	// begin inline asm
	@%p41 ld.global.v4.b32 {%r19, %r140, %r141, %r142}, [%rd27];
	// end inline asm
	add.s64 	%rd31, %rd125, -1536;
	setp.ge.s64 	%p45, %rd31, %rd1;
	@%p45 bra 	$L__BB0_6;
	.loc	1 0 22
	fma.rn.f32 	%r147, %r135, %r135, %r147;
	fma.rn.f32 	%r148, %r136, %r136, %r148;
	fma.rn.f32 	%r149, %r137, %r137, %r149;
	fma.rn.f32 	%r150, %r138, %r138, %r150;
$L__BB0_6:
	.loc	1 14 22
	add.s64 	%rd33, %rd125, 512;
	add.s64 	%rd34, %rd124, 2199023255552;
	shr.s64 	%rd35, %rd34, 30;
	add.s64 	%rd32, %rd6, %rd35;
	add.s32 	%r21, %r18, 512;
	setp.lt.u32 	%p47, %r21, %r7;
	setp.lt.s64 	%p48, %rd33, %rd1;
	and.pred 	%p49, %p47, %p48;
	and.pred 	%p46, %p49, %p1;
	mov.b32 	%r22, 0;
	mov.b32 	%r135, %r22;
	mov.b32 	%r136, %r22;
	mov.b32 	%r137, %r22;
	mov.b32 	%r138, %r22;
	// begin inline asm
	@%p46 ld.global.v4.b32 {%r135, %r136, %r137, %r138}, [%rd32];
	// end inline asm
	add.s64 	%rd36, %rd125, -1280;
	setp.ge.s64 	%p50, %rd36, %rd1;
	@%p50 bra 	$L__BB0_8;
	.loc	1 0 22
	fma.rn.f32 	%r147, %r131, %r131, %r147;
	fma.rn.f32 	%r148, %r132, %r132, %r148;
	fma.rn.f32 	%r149, %r133, %r133, %r149;
	fma.rn.f32 	%r150, %r134, %r134, %r150;
$L__BB0_8:
	.loc	1 14 22
	add.s64 	%rd38, %rd125, 768;
	add.s64 	%rd39, %rd124, 3298534883328;
	shr.s64 	%rd40, %rd39, 30;
	add.s64 	%rd37, %rd6, %rd40;
	add.s32 	%r23, %r18, 768;
	setp.lt.u32 	%p52, %r23, %r7;
	setp.lt.s64 	%p53, %rd38, %rd1;
	and.pred 	%p54, %p52, %p53;
	and.pred 	%p51, %p54, %p1;
	mov.b32 	%r132, %r22;
	mov.b32 	%r133, %r22;
	mov.b32 	%r134, %r22;
	// begin inline asm
	@%p51 ld.global.v4.b32 {%r22, %r132, %r133, %r134}, [%rd37];
	// end inline asm
	add.s64 	%rd41, %rd125, -1024;
	setp.ge.s64 	%p55, %rd41, %rd1;
	@%p55 bra 	$L__BB0_10;
	.loc	1 0 22
	fma.rn.f32 	%r147, %r127, %r127, %r147;
	fma.rn.f32 	%r148, %r128, %r128, %r148;
	fma.rn.f32 	%r149, %r129, %r129, %r149;
	fma.rn.f32 	%r150, %r130, %r130, %r150;
$L__BB0_10:
	.loc	1 14 22
	add.s64 	%rd43, %rd125, 1024;
	add.s64 	%rd44, %rd124, 4398046511104;
	shr.s64 	%rd45, %rd44, 30;
	add.s64 	%rd42, %rd6, %rd45;
	add.s32 	%r24, %r18, 1024;
	setp.lt.u32 	%p57, %r24, %r7;
	setp.lt.s64 	%p58, %rd43, %rd1;
	and.pred 	%p59, %p57, %p58;
	and.pred 	%p56, %p59, %p1;
	mov.b32 	%r25, 0;
	mov.b32 	%r127, %r25;
	mov.b32 	%r128, %r25;
	mov.b32 	%r129, %r25;
	mov.b32 	%r130, %r25;
	// begin inline asm
	@%p56 ld.global.v4.b32 {%r127, %r128, %r129, %r130}, [%rd42];
	// end inline asm
	add.s64 	%rd46, %rd125, -768;
	setp.ge.s64 	%p60, %rd46, %rd1;
	@%p60 bra 	$L__BB0_12;
	.loc	1 0 22
	fma.rn.f32 	%r147, %r123, %r123, %r147;
	fma.rn.f32 	%r148, %r124, %r124, %r148;
	fma.rn.f32 	%r149, %r125, %r125, %r149;
	fma.rn.f32 	%r150, %r126, %r126, %r150;
$L__BB0_12:
	.loc	1 14 22
	add.s64 	%rd48, %rd125, 1280;
	add.s64 	%rd49, %rd124, 5497558138880;
	shr.s64 	%rd50, %rd49, 30;
	add.s64 	%rd47, %rd6, %rd50;
	add.s32 	%r26, %r18, 1280;
	setp.lt.u32 	%p62, %r26, %r7;
	setp.lt.s64 	%p63, %rd48, %rd1;
	and.pred 	%p64, %p62, %p63;
	and.pred 	%p61, %p64, %p1;
	mov.b32 	%r124, %r25;
	mov.b32 	%r125, %r25;
	mov.b32 	%r126, %r25;
	// begin inline asm
	@%p61 ld.global.v4.b32 {%r25, %r124, %r125, %r126}, [%rd47];
	// end inline asm
	add.s64 	%rd51, %rd125, -512;
	setp.ge.s64 	%p65, %rd51, %rd1;
	@%p65 bra 	$L__BB0_14;
	.loc	1 0 22
	fma.rn.f32 	%r147, %r119, %r119, %r147;
	fma.rn.f32 	%r148, %r120, %r120, %r148;
	fma.rn.f32 	%r149, %r121, %r121, %r149;
	fma.rn.f32 	%r150, %r122, %r122, %r150;
$L__BB0_14:
	.loc	1 14 22
	add.s64 	%rd53, %rd125, 1536;
	add.s64 	%rd54, %rd124, 6597069766656;
	shr.s64 	%rd55, %rd54, 30;
	add.s64 	%rd52, %rd6, %rd55;
	add.s32 	%r27, %r18, 1536;
	setp.lt.u32 	%p67, %r27, %r7;
	setp.lt.s64 	%p68, %rd53, %rd1;
	and.pred 	%p69, %p67, %p68;
	and.pred 	%p66, %p69, %p1;
	mov.b32 	%r28, 0;
	mov.b32 	%r119, %r28;
	mov.b32 	%r120, %r28;
	mov.b32 	%r121, %r28;
	mov.b32 	%r122, %r28;
	// begin inline asm
	@%p66 ld.global.v4.b32 {%r119, %r120, %r121, %r122}, [%rd52];
	// end inline asm
	add.s64 	%rd56, %rd125, -256;
	setp.ge.s64 	%p70, %rd56, %rd1;
	@%p70 bra 	$L__BB0_16;
	.loc	1 0 22
	fma.rn.f32 	%r147, %r115, %r115, %r147;
	fma.rn.f32 	%r148, %r116, %r116, %r148;
	fma.rn.f32 	%r149, %r117, %r117, %r149;
	fma.rn.f32 	%r150, %r118, %r118, %r150;
	bra.uni 	$L__BB0_16;
$L__BB0_17:
	.loc	1 14 22
	add.rn.f32 	%r30, %r147, %r148;
	add.rn.f32 	%r31, %r149, %r150;
	add.rn.f32 	%r151, %r30, %r31;
$L__BB0_18:
	.loc	1 0 22
	ld.param.b32 	%r8, [rms_norm_param_4];
	ld.param.b64 	%rd16, [rms_norm_param_3];
	.loc	1 17 23
	shfl.sync.bfly.b32 	%r32, %r151, 1, 31, -1;
	add.rn.f32 	%r33, %r151, %r32;
	shfl.sync.bfly.b32 	%r34, %r33, 2, 31, -1;
	add.rn.f32 	%r35, %r33, %r34;
	shfl.sync.bfly.b32 	%r36, %r35, 4, 31, -1;
	add.rn.f32 	%r37, %r35, %r36;
	shfl.sync.bfly.b32 	%r38, %r37, 8, 31, -1;
	add.rn.f32 	%r39, %r37, %r38;
	shfl.sync.bfly.b32 	%r40, %r39, 16, 31, -1;
	setp.ne.b32 	%p75, %r1, 0;
	@%p75 bra 	$L__BB0_20;
	.loc	1 0 23
	add.rn.f32 	%r6, %r39, %r40;
	mul.wide.u32 	%rd61, %r3, 4;
	mov.b64 	%rd62, tile_shared;
	add.s64 	%rd8, %rd62, %rd61;
	.loc	1 17 23
	st.shared.b32 	[%rd8], %r6;
$L__BB0_20:
	bar.sync 	0;
	ld.shared.v2.b32 	{%r44, %r45}, [tile_shared];
	.loc	1 19 80
	// begin inline asm
	mov.u32 %r41, %laneid;
	// end inline asm
	shr.u32 	%r46, %r41, 5;
	add.s32 	%r47, %r5, %r46;
	setp.ne.b32 	%p88, %r47, 0;
	and.pred 	%p77, %p88, %p2;
	and.pred 	%p76, %p77, %p1;
	mov.b32 	%r152, 0;
	mov.b32 	%r196, %r152;
	mov.b32 	%r197, %r152;
	mov.b32 	%r198, %r152;
	mov.b32 	%r199, %r152;
	// begin inline asm
	@%p76 ld.global.v4.b32 {%r196, %r197, %r198, %r199}, [%rd63];
	// end inline asm
	add.s64 	%rd64, %rd16, %rd123;
	mov.b32 	%r192, %r152;
	mov.b32 	%r193, %r152;
	mov.b32 	%r194, %r152;
	mov.b32 	%r195, %r152;
	// begin inline asm
	@%p77 ld.global.v4.b32 {%r192, %r193, %r194, %r195}, [%rd64];
	// end inline asm
	setp.gt.u32 	%p89, %r47, 256;
	and.pred 	%p79, %p89, %p3;
	and.pred 	%p78, %p79, %p1;
	mov.b32 	%r188, %r152;
	mov.b32 	%r189, %r152;
	mov.b32 	%r190, %r152;
	mov.b32 	%r191, %r152;
	// begin inline asm
	@%p78 ld.global.v4.b32 {%r188, %r189, %r190, %r191}, [%rd65];
	// end inline asm
	add.s64 	%rd66, %rd64, 1024;
	mov.b32 	%r184, %r152;
	mov.b32 	%r185, %r152;
	mov.b32 	%r186, %r152;
	mov.b32 	%r187, %r152;
	// begin inline asm
	@%p79 ld.global.v4.b32 {%r184, %r185, %r186, %r187}, [%rd66];
	// end inline asm
	setp.gt.u32 	%p90, %r47, 512;
	and.pred 	%p81, %p90, %p4;
	and.pred 	%p80, %p81, %p1;
	mov.b32 	%r180, %r152;
	mov.b32 	%r181, %r152;
	mov.b32 	%r182, %r152;
	mov.b32 	%r183, %r152;
	// begin inline asm
	@%p80 ld.global.v4.b32 {%r180, %r181, %r182, %r183}, [%rd67];
	// end inline asm
	add.s64 	%rd68, %rd64, 2048;
	mov.b32 	%r176, %r152;
	mov.b32 	%r177, %r152;
	mov.b32 	%r178, %r152;
	mov.b32 	%r179, %r152;
	// begin inline asm
	@%p81 ld.global.v4.b32 {%r176, %r177, %r178, %r179}, [%rd68];
	// end inline asm
	setp.gt.u32 	%p91, %r47, 768;
	and.pred 	%p83, %p91, %p5;
	and.pred 	%p82, %p83, %p1;
	mov.b32 	%r172, %r152;
	mov.b32 	%r173, %r152;
	mov.b32 	%r174, %r152;
	mov.b32 	%r175, %r152;
	// begin inline asm
	@%p82 ld.global.v4.b32 {%r172, %r173, %r174, %r175}, [%rd69];
	// end inline asm
	add.s64 	%rd70, %rd64, 3072;
	mov.b32 	%r168, %r152;
	mov.b32 	%r169, %r152;
	mov.b32 	%r170, %r152;
	mov.b32 	%r171, %r152;
	// begin inline asm
	@%p83 ld.global.v4.b32 {%r168, %r169, %r170, %r171}, [%rd70];
	// end inline asm
	.loc	1 17 23
	add.rn.f32 	%r48, %r44, %r45;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r49, %r7;
	.loc	1 17 23
	div.rn.f32 	%r50, %r48, %r49;
	.loc	1 19 80
	add.s64 	%rd72, %rd64, 4096;
	setp.gt.u32 	%p92, %r47, 1024;
	and.pred 	%p85, %p92, %p6;
	and.pred 	%p84, %p85, %p1;
	mov.b32 	%r164, %r152;
	mov.b32 	%r165, %r152;
	mov.b32 	%r166, %r152;
	mov.b32 	%r167, %r152;
	// begin inline asm
	@%p84 ld.global.v4.b32 {%r164, %r165, %r166, %r167}, [%rd71];
	// end inline asm
	mov.b32 	%r160, %r152;
	mov.b32 	%r161, %r152;
	mov.b32 	%r162, %r152;
	mov.b32 	%r163, %r152;
	// begin inline asm
	@%p85 ld.global.v4.b32 {%r160, %r161, %r162, %r163}, [%rd72];
	// end inline asm
	setp.gt.u32 	%p93, %r47, 1280;
	and.pred 	%p87, %p93, %p7;
	and.pred 	%p86, %p87, %p1;
	mov.b32 	%r156, %r152;
	mov.b32 	%r157, %r152;
	mov.b32 	%r158, %r152;
	mov.b32 	%r159, %r152;
	// begin inline asm
	@%p86 ld.global.v4.b32 {%r156, %r157, %r158, %r159}, [%rd73];
	// end inline asm
	add.s64 	%rd74, %rd64, 5120;
	mov.b32 	%r153, %r152;
	mov.b32 	%r154, %r152;
	mov.b32 	%r155, %r152;
	// begin inline asm
	@%p87 ld.global.v4.b32 {%r152, %r153, %r154, %r155}, [%rd74];
	// end inline asm
	.loc	1 17 23
	add.rn.f32 	%r43, %r50, %r8;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r42, %r43;
	// end inline asm
	.loc	1 19 80
	not.pred 	%p94, %p2;
	@%p94 bra 	$L__BB0_33;
	.loc	1 0 80
	ld.param.b64 	%rd17, [rms_norm_param_5];
	.loc	1 19 80
	add.s64 	%rd9, %rd17, %rd123;
	add.s64 	%rd10, %rd15, %rd123;
	cvt.u64.u32 	%rd11, %r114;
	mul.wide.u32 	%rd75, %r114, 4;
	add.s64 	%rd76, %rd21, %rd75;
	add.s64 	%rd128, %rd17, %rd76;
	mov.b64 	%rd127, 1536;
	mov.b64 	%rd126, 6597069766656;
	bra.uni 	$L__BB0_22;
$L__BB0_32:
	.loc	1 19 37
	add.s64 	%rd120, %rd127, 1280;
	add.s64 	%rd121, %rd126, 5497558138880;
	shr.s64 	%rd122, %rd121, 30;
	add.s64 	%rd118, %rd14, %rd122;
	add.s32 	%r113, %r55, 1280;
	setp.lt.u32 	%p133, %r113, %r7;
	.loc	1 19 80
	setp.lt.s64 	%p134, %rd120, %rd1;
	and.pred 	%p132, %p133, %p134;
	and.pred 	%p131, %p132, %p1;
	mov.b32 	%r156, %r112;
	mov.b32 	%r157, %r112;
	mov.b32 	%r158, %r112;
	mov.b32 	%r159, %r112;
	// begin inline asm
	@%p131 ld.global.v4.b32 {%r156, %r157, %r158, %r159}, [%rd118];
	// end inline asm
	add.s64 	%rd119, %rd64, %rd122;
	mov.b32 	%r153, %r112;
	mov.b32 	%r154, %r112;
	mov.b32 	%r155, %r112;
	// begin inline asm
	@%p132 ld.global.v4.b32 {%r112, %r153, %r154, %r155}, [%rd119];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd128, %rd128, 6144;
	add.s64 	%rd127, %rd127, 1536;
	add.s64 	%rd126, %rd126, 6597069766656;
	mov.b32 	%r152, %r112;
	mov.b32 	%r168, %r91;
	mov.b32 	%r184, %r70;
	.loc	1 19 80
	@%p9 bra 	$L__BB0_22;
	bra.uni 	$L__BB0_33;
$L__BB0_22:
	.loc	1 19 37
	add.s64 	%rd12, %rd11, %rd127;
	cvt.u32.u64 	%r55, %rd12;
	add.s32 	%r56, %r55, -1536;
	setp.lt.u32 	%p98, %r56, %r7;
	and.pred 	%p95, %p1, %p98;
	mul.rn.f32 	%r57, %r42, %r196;
	mul.rn.f32 	%r58, %r42, %r197;
	mul.rn.f32 	%r59, %r42, %r198;
	mul.rn.f32 	%r60, %r42, %r199;
	.loc	1 19 36
	mul.rn.f32 	%r51, %r57, %r192;
	mul.rn.f32 	%r52, %r58, %r193;
	mul.rn.f32 	%r53, %r59, %r194;
	mul.rn.f32 	%r54, %r60, %r195;
	.loc	1 19 9
	bar.sync 	0;
	// begin inline asm
	@%p95 st.global.v4.b32 [%rd128], {%r51, %r52, %r53, %r54};
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd14, %rd10, %rd21;
	shr.s64 	%rd79, %rd126, 30;
	add.s64 	%rd77, %rd14, %rd79;
	setp.lt.u32 	%p99, %r55, %r7;
	.loc	1 19 9
	setp.lt.s64 	%p9, %rd127, %rd1;
	.loc	1 19 80
	and.pred 	%p97, %p99, %p9;
	and.pred 	%p96, %p97, %p1;
	mov.b32 	%r70, 0;
	mov.b32 	%r196, %r70;
	mov.b32 	%r197, %r70;
	mov.b32 	%r198, %r70;
	mov.b32 	%r199, %r70;
	// begin inline asm
	@%p96 ld.global.v4.b32 {%r196, %r197, %r198, %r199}, [%rd77];
	// end inline asm
	add.s64 	%rd78, %rd64, %rd79;
	mov.b32 	%r195, %r70;
	mov.b32 	%r192, %r70;
	mov.b32 	%r193, %r70;
	mov.b32 	%r194, %r70;
	// begin inline asm
	@%p97 ld.global.v4.b32 {%r192, %r193, %r194, %r195}, [%rd78];
	// end inline asm
	add.s64 	%rd80, %rd127, -1280;
	setp.ge.s64 	%p100, %rd80, %rd1;
	@%p100 bra 	$L__BB0_24;
	.loc	1 0 80
	add.s32 	%r65, %r55, -1280;
	.loc	1 19 37
	setp.lt.u32 	%p102, %r65, %r7;
	and.pred 	%p101, %p1, %p102;
	mul.rn.f32 	%r66, %r42, %r188;
	mul.rn.f32 	%r67, %r42, %r189;
	mul.rn.f32 	%r68, %r42, %r190;
	mul.rn.f32 	%r69, %r42, %r191;
	.loc	1 19 36
	mul.rn.f32 	%r61, %r66, %r184;
	mul.rn.f32 	%r62, %r67, %r185;
	mul.rn.f32 	%r63, %r68, %r186;
	mul.rn.f32 	%r64, %r69, %r187;
	.loc	1 19 9
	add.s64 	%rd81, %rd128, 1024;
	bar.sync 	0;
	// begin inline asm
	@%p101 st.global.v4.b32 [%rd81], {%r61, %r62, %r63, %r64};
	// end inline asm
$L__BB0_24:
	.loc	1 19 0
	add.s64 	%rd13, %rd9, %rd21;
	.loc	1 19 37
	add.s64 	%rd84, %rd127, 256;
	add.s64 	%rd85, %rd126, 1099511627776;
	shr.s64 	%rd86, %rd85, 30;
	add.s64 	%rd82, %rd14, %rd86;
	add.s32 	%r71, %r55, 256;
	setp.lt.u32 	%p105, %r71, %r7;
	.loc	1 19 80
	setp.lt.s64 	%p106, %rd84, %rd1;
	and.pred 	%p104, %p105, %p106;
	and.pred 	%p103, %p104, %p1;
	mov.b32 	%r188, %r70;
	mov.b32 	%r189, %r70;
	mov.b32 	%r190, %r70;
	mov.b32 	%r191, %r70;
	// begin inline asm
	@%p103 ld.global.v4.b32 {%r188, %r189, %r190, %r191}, [%rd82];
	// end inline asm
	add.s64 	%rd83, %rd64, %rd86;
	mov.b32 	%r185, %r70;
	mov.b32 	%r186, %r70;
	mov.b32 	%r187, %r70;
	// begin inline asm
	@%p104 ld.global.v4.b32 {%r70, %r185, %r186, %r187}, [%rd83];
	// end inline asm
	add.s64 	%rd87, %rd127, -1024;
	setp.ge.s64 	%p107, %rd87, %rd1;
	@%p107 bra 	$L__BB0_26;
	.loc	1 0 80
	add.s32 	%r76, %r55, -1024;
	.loc	1 19 37
	setp.lt.u32 	%p109, %r76, %r7;
	and.pred 	%p108, %p1, %p109;
	mul.rn.f32 	%r77, %r42, %r180;
	mul.rn.f32 	%r78, %r42, %r181;
	mul.rn.f32 	%r79, %r42, %r182;
	mul.rn.f32 	%r80, %r42, %r183;
	.loc	1 19 36
	mul.rn.f32 	%r72, %r77, %r176;
	mul.rn.f32 	%r73, %r78, %r177;
	mul.rn.f32 	%r74, %r79, %r178;
	mul.rn.f32 	%r75, %r80, %r179;
	.loc	1 19 9
	add.s64 	%rd89, %rd126, -4398046511104;
	shr.s64 	%rd90, %rd89, 30;
	add.s64 	%rd88, %rd13, %rd90;
	bar.sync 	0;
	// begin inline asm
	@%p108 st.global.v4.b32 [%rd88], {%r72, %r73, %r74, %r75};
	// end inline asm
$L__BB0_26:
	.loc	1 19 37
	add.s64 	%rd93, %rd127, 512;
	add.s64 	%rd94, %rd126, 2199023255552;
	shr.s64 	%rd95, %rd94, 30;
	add.s64 	%rd91, %rd14, %rd95;
	add.s32 	%r81, %r55, 512;
	setp.lt.u32 	%p112, %r81, %r7;
	.loc	1 19 80
	setp.lt.s64 	%p113, %rd93, %rd1;
	and.pred 	%p111, %p112, %p113;
	and.pred 	%p110, %p111, %p1;
	mov.b32 	%r91, 0;
	mov.b32 	%r180, %r91;
	mov.b32 	%r181, %r91;
	mov.b32 	%r182, %r91;
	mov.b32 	%r183, %r91;
	// begin inline asm
	@%p110 ld.global.v4.b32 {%r180, %r181, %r182, %r183}, [%rd91];
	// end inline asm
	add.s64 	%rd92, %rd64, %rd95;
	mov.b32 	%r176, %r91;
	mov.b32 	%r177, %r91;
	mov.b32 	%r178, %r91;
	mov.b32 	%r179, %r91;
	// begin inline asm
	@%p111 ld.global.v4.b32 {%r176, %r177, %r178, %r179}, [%rd92];
	// end inline asm
	add.s64 	%rd96, %rd127, -768;
	setp.ge.s64 	%p114, %rd96, %rd1;
	@%p114 bra 	$L__BB0_28;
	.loc	1 0 80
	add.s32 	%r86, %r55, -768;
	.loc	1 19 37
	setp.lt.u32 	%p116, %r86, %r7;
	and.pred 	%p115, %p1, %p116;
	mul.rn.f32 	%r87, %r42, %r172;
	mul.rn.f32 	%r88, %r42, %r173;
	mul.rn.f32 	%r89, %r42, %r174;
	mul.rn.f32 	%r90, %r42, %r175;
	.loc	1 19 36
	mul.rn.f32 	%r82, %r87, %r168;
	mul.rn.f32 	%r83, %r88, %r169;
	mul.rn.f32 	%r84, %r89, %r170;
	mul.rn.f32 	%r85, %r90, %r171;
	.loc	1 19 9
	add.s64 	%rd98, %rd126, -3298534883328;
	shr.s64 	%rd99, %rd98, 30;
	add.s64 	%rd97, %rd13, %rd99;
	bar.sync 	0;
	// begin inline asm
	@%p115 st.global.v4.b32 [%rd97], {%r82, %r83, %r84, %r85};
	// end inline asm
$L__BB0_28:
	.loc	1 19 37
	add.s64 	%rd102, %rd127, 768;
	add.s64 	%rd103, %rd126, 3298534883328;
	shr.s64 	%rd104, %rd103, 30;
	add.s64 	%rd100, %rd14, %rd104;
	add.s32 	%r92, %r55, 768;
	setp.lt.u32 	%p119, %r92, %r7;
	.loc	1 19 80
	setp.lt.s64 	%p120, %rd102, %rd1;
	and.pred 	%p118, %p119, %p120;
	and.pred 	%p117, %p118, %p1;
	mov.b32 	%r172, %r91;
	mov.b32 	%r173, %r91;
	mov.b32 	%r174, %r91;
	mov.b32 	%r175, %r91;
	// begin inline asm
	@%p117 ld.global.v4.b32 {%r172, %r173, %r174, %r175}, [%rd100];
	// end inline asm
	add.s64 	%rd101, %rd64, %rd104;
	mov.b32 	%r169, %r91;
	mov.b32 	%r170, %r91;
	mov.b32 	%r171, %r91;
	// begin inline asm
	@%p118 ld.global.v4.b32 {%r91, %r169, %r170, %r171}, [%rd101];
	// end inline asm
	add.s64 	%rd105, %rd127, -512;
	setp.ge.s64 	%p121, %rd105, %rd1;
	@%p121 bra 	$L__BB0_30;
	.loc	1 0 80
	add.s32 	%r97, %r55, -512;
	.loc	1 19 37
	setp.lt.u32 	%p123, %r97, %r7;
	and.pred 	%p122, %p1, %p123;
	mul.rn.f32 	%r98, %r42, %r164;
	mul.rn.f32 	%r99, %r42, %r165;
	mul.rn.f32 	%r100, %r42, %r166;
	mul.rn.f32 	%r101, %r42, %r167;
	.loc	1 19 36
	mul.rn.f32 	%r93, %r98, %r160;
	mul.rn.f32 	%r94, %r99, %r161;
	mul.rn.f32 	%r95, %r100, %r162;
	mul.rn.f32 	%r96, %r101, %r163;
	.loc	1 19 9
	add.s64 	%rd107, %rd126, -2199023255552;
	shr.s64 	%rd108, %rd107, 30;
	add.s64 	%rd106, %rd13, %rd108;
	bar.sync 	0;
	// begin inline asm
	@%p122 st.global.v4.b32 [%rd106], {%r93, %r94, %r95, %r96};
	// end inline asm
$L__BB0_30:
	.loc	1 19 37
	add.s64 	%rd111, %rd127, 1024;
	add.s64 	%rd112, %rd126, 4398046511104;
	shr.s64 	%rd113, %rd112, 30;
	add.s64 	%rd109, %rd14, %rd113;
	add.s32 	%r102, %r55, 1024;
	setp.lt.u32 	%p126, %r102, %r7;
	.loc	1 19 80
	setp.lt.s64 	%p127, %rd111, %rd1;
	and.pred 	%p125, %p126, %p127;
	and.pred 	%p124, %p125, %p1;
	mov.b32 	%r112, 0;
	mov.b32 	%r164, %r112;
	mov.b32 	%r165, %r112;
	mov.b32 	%r166, %r112;
	mov.b32 	%r167, %r112;
	// begin inline asm
	@%p124 ld.global.v4.b32 {%r164, %r165, %r166, %r167}, [%rd109];
	// end inline asm
	add.s64 	%rd110, %rd64, %rd113;
	mov.b32 	%r160, %r112;
	mov.b32 	%r161, %r112;
	mov.b32 	%r162, %r112;
	mov.b32 	%r163, %r112;
	// begin inline asm
	@%p125 ld.global.v4.b32 {%r160, %r161, %r162, %r163}, [%rd110];
	// end inline asm
	add.s64 	%rd114, %rd127, -256;
	setp.ge.s64 	%p128, %rd114, %rd1;
	@%p128 bra 	$L__BB0_32;
	.loc	1 0 80
	add.s32 	%r107, %r55, -256;
	.loc	1 19 37
	setp.lt.u32 	%p130, %r107, %r7;
	and.pred 	%p129, %p1, %p130;
	mul.rn.f32 	%r108, %r42, %r156;
	mul.rn.f32 	%r109, %r42, %r157;
	mul.rn.f32 	%r110, %r42, %r158;
	mul.rn.f32 	%r111, %r42, %r159;
	.loc	1 19 36
	mul.rn.f32 	%r103, %r108, %r152;
	mul.rn.f32 	%r104, %r109, %r153;
	mul.rn.f32 	%r105, %r110, %r154;
	mul.rn.f32 	%r106, %r111, %r155;
	.loc	1 19 9
	add.s64 	%rd116, %rd126, -1099511627776;
	shr.s64 	%rd117, %rd116, 30;
	add.s64 	%rd115, %rd13, %rd117;
	bar.sync 	0;
	// begin inline asm
	@%p129 st.global.v4.b32 [%rd115], {%r103, %r104, %r105, %r106};
	// end inline asm
	bra.uni 	$L__BB0_32;
$L__BB0_33:
	.loc	1 18 5
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}
	.file	1 "rms_norm.tile"


	// .globl	rms_norm__of1

.visible .entry rms_norm__of1(
	.param .u64 .ptr .global .align 1 rms_norm__of1_param_0,
	.param .u32 rms_norm__of1_param_1,
	.param .u32 rms_norm__of1_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__of1_param_3,
	.param .f32 rms_norm__of1_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__of1_param_5,
	.param .u32 rms_norm__of1_param_6,
	.param .u32 rms_norm__of1_param_7,
	.param .u32 rms_norm__of1_param_8,
	.param .u32 rms_norm__of1_param_9,
	.param .u32 rms_norm__of1_param_10,
	.param .u32 rms_norm__of1_param_11,
	.param .u32 rms_norm__of1_param_12,
	.param .u32 rms_norm__of1_param_13,
	.param .u32 rms_norm__of1_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<7>;
	.reg .b32 	%r<74>;
	.reg .b64 	%rd<17>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r5, %ctaid.x;
	mov.u32 	%r6, %ntid.y;
	mov.u32 	%r7, %tid.y;
	mad.lo.s32 	%r1, %r5, %r6, %r7;
	ld.param.b32 	%r8, [rms_norm__of1_param_6];
	setp.ge.u32 	%p1, %r1, %r8;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 5
	ld.param.b64 	%rd3, [rms_norm__of1_param_5];
	ld.param.b32 	%r4, [rms_norm__of1_param_4];
	ld.param.b64 	%rd2, [rms_norm__of1_param_3];
	ld.param.b32 	%r3, [rms_norm__of1_param_2];
	ld.param.b32 	%r2, [rms_norm__of1_param_1];
	ld.param.b64 	%rd1, [rms_norm__of1_param_0];
	.loc	1 10 15
	and.b32 	%r35, %r1, 2147483647;
	.loc	1 13 5
	cvt.u64.u32 	%rd10, %r35;
	cvt.s64.s32 	%rd11, %r3;
	mul.lo.s64 	%rd12, %rd10, %rd11;
	shl.b64 	%rd13, %rd12, 2;
	add.s64 	%rd14, %rd1, %rd13;
	mov.u32 	%r36, %tid.x;
	shl.b32 	%r37, %r36, 2;
	mul.wide.u32 	%rd15, %r37, 4;
	add.s64 	%rd4, %rd14, %rd15;
	setp.lt.u32 	%p6, %r35, %r2;
	setp.lt.u32 	%p4, %r37, %r3;
	and.pred 	%p2, %p6, %p4;
	mov.b32 	%r24, 0;
	mov.b32 	%r9, %r24;
	mov.b32 	%r10, %r24;
	mov.b32 	%r11, %r24;
	mov.b32 	%r12, %r24;
	// begin inline asm
	@%p2 ld.global.v4.b32 {%r9, %r10, %r11, %r12}, [%rd4];
	// end inline asm
	add.s32 	%r38, %r37, 128;
	add.s64 	%rd5, %rd4, 512;
	setp.lt.u32 	%p5, %r38, %r3;
	and.pred 	%p3, %p6, %p5;
	mov.b32 	%r13, %r24;
	mov.b32 	%r14, %r24;
	mov.b32 	%r15, %r24;
	mov.b32 	%r16, %r24;
	// begin inline asm
	@%p3 ld.global.v4.b32 {%r13, %r14, %r15, %r16}, [%rd5];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r39, %r9, %r9, 0f00000000;
	fma.rn.f32 	%r40, %r10, %r10, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r41, %r39, %r40;
	.loc	1 15 19
	fma.rn.f32 	%r42, %r11, %r11, 0f00000000;
	fma.rn.f32 	%r43, %r12, %r12, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r44, %r42, %r43;
	add.rn.f32 	%r45, %r41, %r44;
	.loc	1 15 19
	fma.rn.f32 	%r46, %r13, %r13, 0f00000000;
	fma.rn.f32 	%r47, %r14, %r14, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r48, %r46, %r47;
	.loc	1 15 19
	fma.rn.f32 	%r49, %r15, %r15, 0f00000000;
	fma.rn.f32 	%r50, %r16, %r16, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r51, %r49, %r50;
	add.rn.f32 	%r52, %r48, %r51;
	add.rn.f32 	%r53, %r45, %r52;
	shfl.sync.bfly.b32 	%r54, %r53, 1, 31, -1;
	add.rn.f32 	%r55, %r53, %r54;
	shfl.sync.bfly.b32 	%r56, %r55, 2, 31, -1;
	add.rn.f32 	%r57, %r55, %r56;
	shfl.sync.bfly.b32 	%r58, %r57, 4, 31, -1;
	add.rn.f32 	%r59, %r57, %r58;
	shfl.sync.bfly.b32 	%r60, %r59, 8, 31, -1;
	add.rn.f32 	%r61, %r59, %r60;
	shfl.sync.bfly.b32 	%r62, %r61, 16, 31, -1;
	.loc	1 19 80
	add.s64 	%rd6, %rd2, %rd15;
	mov.b32 	%r17, %r24;
	mov.b32 	%r18, %r24;
	mov.b32 	%r19, %r24;
	mov.b32 	%r20, %r24;
	// begin inline asm
	@%p4 ld.global.v4.b32 {%r17, %r18, %r19, %r20}, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd6, 512;
	mov.b32 	%r21, %r24;
	mov.b32 	%r22, %r24;
	mov.b32 	%r23, %r24;
	// begin inline asm
	@%p5 ld.global.v4.b32 {%r21, %r22, %r23, %r24}, [%rd7];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd16, %rd3, %rd13;
	add.s64 	%rd8, %rd16, %rd15;
	.loc	1 17 23
	add.rn.f32 	%r63, %r61, %r62;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r64, %r3;
	.loc	1 17 23
	div.rn.f32 	%r65, %r63, %r64;
	add.rn.f32 	%r26, %r65, %r4;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r25, %r26;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r66, %r25, %r9;
	.loc	1 19 36
	mul.rn.f32 	%r27, %r66, %r17;
	.loc	1 19 37
	mul.rn.f32 	%r67, %r25, %r10;
	.loc	1 19 36
	mul.rn.f32 	%r28, %r67, %r18;
	.loc	1 19 37
	mul.rn.f32 	%r68, %r25, %r11;
	.loc	1 19 36
	mul.rn.f32 	%r29, %r68, %r19;
	.loc	1 19 37
	mul.rn.f32 	%r69, %r25, %r12;
	.loc	1 19 36
	mul.rn.f32 	%r30, %r69, %r20;
	.loc	1 19 9
	// begin inline asm
	@%p2 st.global.v4.b32 [%rd8], {%r27, %r28, %r29, %r30};
	// end inline asm
	add.s64 	%rd9, %rd8, 512;
	.loc	1 19 37
	mul.rn.f32 	%r70, %r25, %r13;
	.loc	1 19 36
	mul.rn.f32 	%r31, %r70, %r21;
	.loc	1 19 37
	mul.rn.f32 	%r71, %r25, %r14;
	.loc	1 19 36
	mul.rn.f32 	%r32, %r71, %r22;
	.loc	1 19 37
	mul.rn.f32 	%r72, %r25, %r15;
	.loc	1 19 36
	mul.rn.f32 	%r33, %r72, %r23;
	.loc	1 19 37
	mul.rn.f32 	%r73, %r25, %r16;
	.loc	1 19 36
	mul.rn.f32 	%r34, %r73, %r24;
	.loc	1 19 9
	// begin inline asm
	@%p3 st.global.v4.b32 [%rd9], {%r31, %r32, %r33, %r34};
	// end inline asm
$L__BB0_2:
	.loc	1 18 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__of2

.visible .entry rms_norm__of2(
	.param .u64 .ptr .global .align 1 rms_norm__of2_param_0,
	.param .u32 rms_norm__of2_param_1,
	.param .u32 rms_norm__of2_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__of2_param_3,
	.param .f32 rms_norm__of2_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__of2_param_5,
	.param .u32 rms_norm__of2_param_6,
	.param .u32 rms_norm__of2_param_7,
	.param .u32 rms_norm__of2_param_8,
	.param .u32 rms_norm__of2_param_9,
	.param .u32 rms_norm__of2_param_10,
	.param .u32 rms_norm__of2_param_11,
	.param .u32 rms_norm__of2_param_12,
	.param .u32 rms_norm__of2_param_13,
	.param .u32 rms_norm__of2_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<11>;
	.reg .b32 	%r<116>;
	.reg .b64 	%rd<23>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r5, %ctaid.x;
	mov.u32 	%r6, %ntid.y;
	mov.u32 	%r7, %tid.y;
	mad.lo.s32 	%r1, %r5, %r6, %r7;
	ld.param.b32 	%r8, [rms_norm__of2_param_6];
	setp.ge.u32 	%p1, %r1, %r8;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 5
	ld.param.b64 	%rd3, [rms_norm__of2_param_5];
	ld.param.b32 	%r4, [rms_norm__of2_param_4];
	ld.param.b64 	%rd2, [rms_norm__of2_param_3];
	ld.param.b32 	%r3, [rms_norm__of2_param_2];
	ld.param.b32 	%r2, [rms_norm__of2_param_1];
	ld.param.b64 	%rd1, [rms_norm__of2_param_0];
	.loc	1 10 15
	and.b32 	%r59, %r1, 2147483647;
	.loc	1 13 5
	cvt.u64.u32 	%rd16, %r59;
	cvt.s64.s32 	%rd17, %r3;
	mul.lo.s64 	%rd18, %rd16, %rd17;
	shl.b64 	%rd19, %rd18, 2;
	add.s64 	%rd20, %rd1, %rd19;
	mov.u32 	%r60, %tid.x;
	shl.b32 	%r61, %r60, 2;
	mul.wide.u32 	%rd21, %r61, 4;
	add.s64 	%rd4, %rd20, %rd21;
	setp.lt.u32 	%p10, %r59, %r2;
	setp.lt.u32 	%p6, %r61, %r3;
	and.pred 	%p2, %p10, %p6;
	mov.b32 	%r47, 0;
	mov.b32 	%r9, %r47;
	mov.b32 	%r10, %r47;
	mov.b32 	%r11, %r47;
	mov.b32 	%r12, %r47;
	// begin inline asm
	@%p2 ld.global.v4.b32 {%r9, %r10, %r11, %r12}, [%rd4];
	// end inline asm
	add.s32 	%r62, %r61, 128;
	add.s64 	%rd5, %rd4, 512;
	setp.lt.u32 	%p7, %r62, %r3;
	and.pred 	%p3, %p10, %p7;
	mov.b32 	%r13, %r47;
	mov.b32 	%r14, %r47;
	mov.b32 	%r15, %r47;
	mov.b32 	%r16, %r47;
	// begin inline asm
	@%p3 ld.global.v4.b32 {%r13, %r14, %r15, %r16}, [%rd5];
	// end inline asm
	add.s64 	%rd6, %rd4, 1024;
	add.s32 	%r63, %r61, 256;
	setp.lt.u32 	%p8, %r63, %r3;
	and.pred 	%p4, %p10, %p8;
	mov.b32 	%r17, %r47;
	mov.b32 	%r18, %r47;
	mov.b32 	%r19, %r47;
	mov.b32 	%r20, %r47;
	// begin inline asm
	@%p4 ld.global.v4.b32 {%r17, %r18, %r19, %r20}, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd4, 1536;
	add.s32 	%r64, %r61, 384;
	setp.lt.u32 	%p9, %r64, %r3;
	and.pred 	%p5, %p10, %p9;
	mov.b32 	%r21, %r47;
	mov.b32 	%r22, %r47;
	mov.b32 	%r23, %r47;
	mov.b32 	%r24, %r47;
	// begin inline asm
	@%p5 ld.global.v4.b32 {%r21, %r22, %r23, %r24}, [%rd7];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r65, %r9, %r9, 0f00000000;
	fma.rn.f32 	%r66, %r17, %r17, %r65;
	fma.rn.f32 	%r67, %r10, %r10, 0f00000000;
	fma.rn.f32 	%r68, %r18, %r18, %r67;
	.loc	1 17 23
	add.rn.f32 	%r69, %r66, %r68;
	.loc	1 15 19
	fma.rn.f32 	%r70, %r11, %r11, 0f00000000;
	fma.rn.f32 	%r71, %r19, %r19, %r70;
	fma.rn.f32 	%r72, %r12, %r12, 0f00000000;
	fma.rn.f32 	%r73, %r20, %r20, %r72;
	.loc	1 17 23
	add.rn.f32 	%r74, %r71, %r73;
	add.rn.f32 	%r75, %r69, %r74;
	.loc	1 15 19
	fma.rn.f32 	%r76, %r13, %r13, 0f00000000;
	fma.rn.f32 	%r77, %r21, %r21, %r76;
	fma.rn.f32 	%r78, %r14, %r14, 0f00000000;
	fma.rn.f32 	%r79, %r22, %r22, %r78;
	.loc	1 17 23
	add.rn.f32 	%r80, %r77, %r79;
	.loc	1 15 19
	fma.rn.f32 	%r81, %r15, %r15, 0f00000000;
	fma.rn.f32 	%r82, %r23, %r23, %r81;
	fma.rn.f32 	%r83, %r16, %r16, 0f00000000;
	fma.rn.f32 	%r84, %r24, %r24, %r83;
	.loc	1 17 23
	add.rn.f32 	%r85, %r82, %r84;
	add.rn.f32 	%r86, %r80, %r85;
	add.rn.f32 	%r87, %r75, %r86;
	shfl.sync.bfly.b32 	%r88, %r87, 1, 31, -1;
	add.rn.f32 	%r89, %r87, %r88;
	shfl.sync.bfly.b32 	%r90, %r89, 2, 31, -1;
	add.rn.f32 	%r91, %r89, %r90;
	shfl.sync.bfly.b32 	%r92, %r91, 4, 31, -1;
	add.rn.f32 	%r93, %r91, %r92;
	shfl.sync.bfly.b32 	%r94, %r93, 8, 31, -1;
	add.rn.f32 	%r95, %r93, %r94;
	shfl.sync.bfly.b32 	%r96, %r95, 16, 31, -1;
	.loc	1 19 80
	add.s64 	%rd8, %rd2, %rd21;
	mov.b32 	%r25, %r47;
	mov.b32 	%r26, %r47;
	mov.b32 	%r27, %r47;
	mov.b32 	%r28, %r47;
	// begin inline asm
	@%p6 ld.global.v4.b32 {%r25, %r26, %r27, %r28}, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd8, 512;
	mov.b32 	%r29, %r47;
	mov.b32 	%r30, %r47;
	mov.b32 	%r31, %r47;
	mov.b32 	%r32, %r47;
	// begin inline asm
	@%p7 ld.global.v4.b32 {%r29, %r30, %r31, %r32}, [%rd9];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd22, %rd3, %rd19;
	add.s64 	%rd10, %rd22, %rd21;
	.loc	1 17 23
	add.rn.f32 	%r97, %r95, %r96;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r98, %r3;
	.loc	1 17 23
	div.rn.f32 	%r99, %r97, %r98;
	add.rn.f32 	%r34, %r99, %r4;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r33, %r34;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r100, %r33, %r9;
	.loc	1 19 36
	mul.rn.f32 	%r35, %r100, %r25;
	.loc	1 19 37
	mul.rn.f32 	%r101, %r33, %r10;
	.loc	1 19 36
	mul.rn.f32 	%r36, %r101, %r26;
	.loc	1 19 37
	mul.rn.f32 	%r102, %r33, %r11;
	.loc	1 19 36
	mul.rn.f32 	%r37, %r102, %r27;
	.loc	1 19 37
	mul.rn.f32 	%r103, %r33, %r12;
	.loc	1 19 36
	mul.rn.f32 	%r38, %r103, %r28;
	.loc	1 19 9
	// begin inline asm
	@%p2 st.global.v4.b32 [%rd10], {%r35, %r36, %r37, %r38};
	// end inline asm
	add.s64 	%rd11, %rd10, 512;
	.loc	1 19 37
	mul.rn.f32 	%r104, %r33, %r13;
	.loc	1 19 36
	mul.rn.f32 	%r39, %r104, %r29;
	.loc	1 19 37
	mul.rn.f32 	%r105, %r33, %r14;
	.loc	1 19 36
	mul.rn.f32 	%r40, %r105, %r30;
	.loc	1 19 37
	mul.rn.f32 	%r106, %r33, %r15;
	.loc	1 19 36
	mul.rn.f32 	%r41, %r106, %r31;
	.loc	1 19 37
	mul.rn.f32 	%r107, %r33, %r16;
	.loc	1 19 36
	mul.rn.f32 	%r42, %r107, %r32;
	.loc	1 19 9
	// begin inline asm
	@%p3 st.global.v4.b32 [%rd11], {%r39, %r40, %r41, %r42};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd12, %rd8, 1024;
	mov.b32 	%r43, %r47;
	mov.b32 	%r44, %r47;
	mov.b32 	%r45, %r47;
	mov.b32 	%r46, %r47;
	// begin inline asm
	@%p8 ld.global.v4.b32 {%r43, %r44, %r45, %r46}, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd8, 1536;
	mov.b32 	%r50, %r47;
	mov.b32 	%r48, %r47;
	mov.b32 	%r49, %r47;
	// begin inline asm
	@%p9 ld.global.v4.b32 {%r47, %r48, %r49, %r50}, [%rd13];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd14, %rd10, 1024;
	.loc	1 19 37
	mul.rn.f32 	%r108, %r33, %r17;
	.loc	1 19 36
	mul.rn.f32 	%r51, %r108, %r43;
	.loc	1 19 37
	mul.rn.f32 	%r109, %r33, %r18;
	.loc	1 19 36
	mul.rn.f32 	%r52, %r109, %r44;
	.loc	1 19 37
	mul.rn.f32 	%r110, %r33, %r19;
	.loc	1 19 36
	mul.rn.f32 	%r53, %r110, %r45;
	.loc	1 19 37
	mul.rn.f32 	%r111, %r33, %r20;
	.loc	1 19 36
	mul.rn.f32 	%r54, %r111, %r46;
	.loc	1 19 9
	// begin inline asm
	@%p4 st.global.v4.b32 [%rd14], {%r51, %r52, %r53, %r54};
	// end inline asm
	add.s64 	%rd15, %rd10, 1536;
	.loc	1 19 37
	mul.rn.f32 	%r112, %r33, %r21;
	.loc	1 19 36
	mul.rn.f32 	%r55, %r112, %r47;
	.loc	1 19 37
	mul.rn.f32 	%r113, %r33, %r22;
	.loc	1 19 36
	mul.rn.f32 	%r56, %r113, %r48;
	.loc	1 19 37
	mul.rn.f32 	%r114, %r33, %r23;
	.loc	1 19 36
	mul.rn.f32 	%r57, %r114, %r49;
	.loc	1 19 37
	mul.rn.f32 	%r115, %r33, %r24;
	.loc	1 19 36
	mul.rn.f32 	%r58, %r115, %r50;
	.loc	1 19 9
	// begin inline asm
	@%p5 st.global.v4.b32 [%rd15], {%r55, %r56, %r57, %r58};
	// end inline asm
$L__BB0_2:
	.loc	1 18 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__of4

.visible .entry rms_norm__of4(
	.param .u64 .ptr .global .align 1 rms_norm__of4_param_0,
	.param .u32 rms_norm__of4_param_1,
	.param .u32 rms_norm__of4_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__of4_param_3,
	.param .f32 rms_norm__of4_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__of4_param_5,
	.param .u32 rms_norm__of4_param_6,
	.param .u32 rms_norm__of4_param_7,
	.param .u32 rms_norm__of4_param_8,
	.param .u32 rms_norm__of4_param_9,
	.param .u32 rms_norm__of4_param_10,
	.param .u32 rms_norm__of4_param_11,
	.param .u32 rms_norm__of4_param_12,
	.param .u32 rms_norm__of4_param_13,
	.param .u32 rms_norm__of4_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<22>;
	.reg .b32 	%r<187>;
	.reg .b64 	%rd<37>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r5, %ctaid.x;
	mov.u32 	%r6, %ntid.y;
	mov.u32 	%r7, %tid.y;
	mad.lo.s32 	%r1, %r5, %r6, %r7;
	ld.param.b32 	%r8, [rms_norm__of4_param_6];
	setp.ge.u32 	%p2, %r1, %r8;
	@%p2 bra 	$L__BB0_5;
	.loc	1 0 5
	ld.param.b64 	%rd5, [rms_norm__of4_param_5];
	ld.param.b32 	%r4, [rms_norm__of4_param_4];
	ld.param.b64 	%rd4, [rms_norm__of4_param_3];
	ld.param.b32 	%r3, [rms_norm__of4_param_2];
	ld.param.b32 	%r2, [rms_norm__of4_param_1];
	ld.param.b64 	%rd3, [rms_norm__of4_param_0];
	.loc	1 10 15
	and.b32 	%r41, %r1, 2147483647;
	.loc	1 13 5
	cvt.u64.u32 	%rd14, %r41;
	cvt.s64.s32 	%rd15, %r3;
	mul.lo.s64 	%rd1, %rd14, %rd15;
	shl.b64 	%rd16, %rd1, 2;
	add.s64 	%rd17, %rd3, %rd16;
	mov.u32 	%r42, %tid.x;
	shl.b32 	%r43, %r42, 2;
	cvt.u64.u32 	%rd2, %r43;
	mul.wide.u32 	%rd18, %r43, 4;
	add.s64 	%rd6, %rd17, %rd18;
	setp.lt.u32 	%p3, %r41, %r2;
	max.u32 	%r44, %r3, %r43;
	sub.s32 	%r45, %r44, %r43;
	setp.ne.b32 	%p5, %r45, 0;
	and.pred 	%p7, %p3, %p5;
	mov.b32 	%r103, 0;
	mov.b32 	%r9, %r103;
	mov.b32 	%r10, %r103;
	mov.b32 	%r11, %r103;
	mov.b32 	%r12, %r103;
	// begin inline asm
	@%p7 ld.global.v4.b32 {%r9, %r10, %r11, %r12}, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd6, 512;
	setp.gt.u32 	%p6, %r45, 128;
	and.pred 	%p8, %p3, %p6;
	mov.b32 	%r13, %r103;
	mov.b32 	%r14, %r103;
	mov.b32 	%r15, %r103;
	mov.b32 	%r16, %r103;
	// begin inline asm
	@%p8 ld.global.v4.b32 {%r13, %r14, %r15, %r16}, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd6, 1024;
	setp.gt.u32 	%p9, %r45, 256;
	and.pred 	%p11, %p3, %p9;
	mov.b32 	%r17, %r103;
	mov.b32 	%r18, %r103;
	mov.b32 	%r19, %r103;
	mov.b32 	%r20, %r103;
	// begin inline asm
	@%p11 ld.global.v4.b32 {%r17, %r18, %r19, %r20}, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd6, 1536;
	setp.gt.u32 	%p10, %r45, 384;
	and.pred 	%p12, %p3, %p10;
	mov.b32 	%r21, %r103;
	mov.b32 	%r22, %r103;
	mov.b32 	%r23, %r103;
	mov.b32 	%r24, %r103;
	// begin inline asm
	@%p12 ld.global.v4.b32 {%r21, %r22, %r23, %r24}, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd6, 2048;
	setp.gt.u32 	%p13, %r45, 512;
	and.pred 	%p15, %p3, %p13;
	mov.b32 	%r25, %r103;
	mov.b32 	%r26, %r103;
	mov.b32 	%r27, %r103;
	mov.b32 	%r28, %r103;
	// begin inline asm
	@%p15 ld.global.v4.b32 {%r25, %r26, %r27, %r28}, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd6, 2560;
	setp.gt.u32 	%p14, %r45, 640;
	and.pred 	%p16, %p3, %p14;
	mov.b32 	%r29, %r103;
	mov.b32 	%r30, %r103;
	mov.b32 	%r31, %r103;
	mov.b32 	%r32, %r103;
	// begin inline asm
	@%p16 ld.global.v4.b32 {%r29, %r30, %r31, %r32}, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd6, 3072;
	setp.gt.u32 	%p18, %r45, 768;
	and.pred 	%p20, %p3, %p18;
	mov.b32 	%r33, %r103;
	mov.b32 	%r34, %r103;
	mov.b32 	%r35, %r103;
	mov.b32 	%r36, %r103;
	// begin inline asm
	@%p20 ld.global.v4.b32 {%r33, %r34, %r35, %r36}, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd6, 3584;
	setp.gt.u32 	%p19, %r45, 896;
	and.pred 	%p21, %p3, %p19;
	mov.b32 	%r37, %r103;
	mov.b32 	%r38, %r103;
	mov.b32 	%r39, %r103;
	mov.b32 	%r40, %r103;
	// begin inline asm
	@%p21 ld.global.v4.b32 {%r37, %r38, %r39, %r40}, [%rd13];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r46, %r9, %r9, 0f00000000;
	fma.rn.f32 	%r47, %r17, %r17, %r46;
	fma.rn.f32 	%r179, %r25, %r25, %r47;
	fma.rn.f32 	%r48, %r10, %r10, 0f00000000;
	fma.rn.f32 	%r49, %r18, %r18, %r48;
	fma.rn.f32 	%r180, %r26, %r26, %r49;
	fma.rn.f32 	%r50, %r11, %r11, 0f00000000;
	fma.rn.f32 	%r51, %r19, %r19, %r50;
	fma.rn.f32 	%r181, %r27, %r27, %r51;
	fma.rn.f32 	%r52, %r12, %r12, 0f00000000;
	fma.rn.f32 	%r53, %r20, %r20, %r52;
	fma.rn.f32 	%r182, %r28, %r28, %r53;
	fma.rn.f32 	%r54, %r13, %r13, 0f00000000;
	fma.rn.f32 	%r55, %r21, %r21, %r54;
	fma.rn.f32 	%r183, %r29, %r29, %r55;
	fma.rn.f32 	%r56, %r14, %r14, 0f00000000;
	fma.rn.f32 	%r57, %r22, %r22, %r56;
	fma.rn.f32 	%r184, %r30, %r30, %r57;
	fma.rn.f32 	%r58, %r15, %r15, 0f00000000;
	fma.rn.f32 	%r59, %r23, %r23, %r58;
	fma.rn.f32 	%r185, %r31, %r31, %r59;
	fma.rn.f32 	%r60, %r16, %r16, 0f00000000;
	fma.rn.f32 	%r61, %r24, %r24, %r60;
	fma.rn.f32 	%r186, %r32, %r32, %r61;
	setp.gt.s32 	%p1, %r3, 768;
	setp.lt.s32 	%p4, %r3, 769;
	@%p4 bra 	$L__BB0_3;
	fma.rn.f32 	%r179, %r33, %r33, %r179;
	fma.rn.f32 	%r180, %r34, %r34, %r180;
	fma.rn.f32 	%r181, %r35, %r35, %r181;
	fma.rn.f32 	%r182, %r36, %r36, %r182;
	fma.rn.f32 	%r183, %r37, %r37, %r183;
	fma.rn.f32 	%r184, %r38, %r38, %r184;
	fma.rn.f32 	%r185, %r39, %r39, %r185;
	fma.rn.f32 	%r186, %r40, %r40, %r186;
$L__BB0_3:
	.loc	1 17 23
	add.rn.f32 	%r112, %r179, %r180;
	add.rn.f32 	%r113, %r181, %r182;
	add.rn.f32 	%r114, %r112, %r113;
	add.rn.f32 	%r115, %r183, %r184;
	add.rn.f32 	%r116, %r185, %r186;
	add.rn.f32 	%r117, %r115, %r116;
	add.rn.f32 	%r118, %r114, %r117;
	shfl.sync.bfly.b32 	%r119, %r118, 1, 31, -1;
	add.rn.f32 	%r120, %r118, %r119;
	shfl.sync.bfly.b32 	%r121, %r120, 2, 31, -1;
	add.rn.f32 	%r122, %r120, %r121;
	shfl.sync.bfly.b32 	%r123, %r122, 4, 31, -1;
	add.rn.f32 	%r124, %r122, %r123;
	shfl.sync.bfly.b32 	%r125, %r124, 8, 31, -1;
	add.rn.f32 	%r126, %r124, %r125;
	shfl.sync.bfly.b32 	%r127, %r126, 16, 31, -1;
	.loc	1 19 80
	shl.b64 	%rd31, %rd2, 2;
	add.s64 	%rd19, %rd4, %rd31;
	mov.b32 	%r62, %r103;
	mov.b32 	%r63, %r103;
	mov.b32 	%r64, %r103;
	mov.b32 	%r65, %r103;
	// begin inline asm
	@%p5 ld.global.v4.b32 {%r62, %r63, %r64, %r65}, [%rd19];
	// end inline asm
	add.s64 	%rd20, %rd19, 512;
	mov.b32 	%r66, %r103;
	mov.b32 	%r67, %r103;
	mov.b32 	%r68, %r103;
	mov.b32 	%r69, %r103;
	// begin inline asm
	@%p6 ld.global.v4.b32 {%r66, %r67, %r68, %r69}, [%rd20];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd32, %rd5, %rd16;
	add.s64 	%rd21, %rd32, %rd31;
	.loc	1 17 23
	add.rn.f32 	%r128, %r126, %r127;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r129, %r3;
	.loc	1 17 23
	div.rn.f32 	%r130, %r128, %r129;
	add.rn.f32 	%r71, %r130, %r4;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r70, %r71;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r131, %r70, %r9;
	.loc	1 19 36
	mul.rn.f32 	%r72, %r131, %r62;
	.loc	1 19 37
	mul.rn.f32 	%r132, %r70, %r10;
	.loc	1 19 36
	mul.rn.f32 	%r73, %r132, %r63;
	.loc	1 19 37
	mul.rn.f32 	%r133, %r70, %r11;
	.loc	1 19 36
	mul.rn.f32 	%r74, %r133, %r64;
	.loc	1 19 37
	mul.rn.f32 	%r134, %r70, %r12;
	.loc	1 19 36
	mul.rn.f32 	%r75, %r134, %r65;
	.loc	1 19 9
	// begin inline asm
	@%p7 st.global.v4.b32 [%rd21], {%r72, %r73, %r74, %r75};
	// end inline asm
	add.s64 	%rd22, %rd21, 512;
	.loc	1 19 37
	mul.rn.f32 	%r135, %r70, %r13;
	.loc	1 19 36
	mul.rn.f32 	%r76, %r135, %r66;
	.loc	1 19 37
	mul.rn.f32 	%r136, %r70, %r14;
	.loc	1 19 36
	mul.rn.f32 	%r77, %r136, %r67;
	.loc	1 19 37
	mul.rn.f32 	%r137, %r70, %r15;
	.loc	1 19 36
	mul.rn.f32 	%r78, %r137, %r68;
	.loc	1 19 37
	mul.rn.f32 	%r138, %r70, %r16;
	.loc	1 19 36
	mul.rn.f32 	%r79, %r138, %r69;
	.loc	1 19 9
	// begin inline asm
	@%p8 st.global.v4.b32 [%rd22], {%r76, %r77, %r78, %r79};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd23, %rd19, 1024;
	mov.b32 	%r80, %r103;
	mov.b32 	%r81, %r103;
	mov.b32 	%r82, %r103;
	mov.b32 	%r83, %r103;
	// begin inline asm
	@%p9 ld.global.v4.b32 {%r80, %r81, %r82, %r83}, [%rd23];
	// end inline asm
	add.s64 	%rd24, %rd19, 1536;
	mov.b32 	%r84, %r103;
	mov.b32 	%r85, %r103;
	mov.b32 	%r86, %r103;
	mov.b32 	%r87, %r103;
	// begin inline asm
	@%p10 ld.global.v4.b32 {%r84, %r85, %r86, %r87}, [%rd24];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd25, %rd21, 1024;
	.loc	1 19 37
	mul.rn.f32 	%r139, %r70, %r17;
	.loc	1 19 36
	mul.rn.f32 	%r88, %r139, %r80;
	.loc	1 19 37
	mul.rn.f32 	%r140, %r70, %r18;
	.loc	1 19 36
	mul.rn.f32 	%r89, %r140, %r81;
	.loc	1 19 37
	mul.rn.f32 	%r141, %r70, %r19;
	.loc	1 19 36
	mul.rn.f32 	%r90, %r141, %r82;
	.loc	1 19 37
	mul.rn.f32 	%r142, %r70, %r20;
	.loc	1 19 36
	mul.rn.f32 	%r91, %r142, %r83;
	.loc	1 19 9
	// begin inline asm
	@%p11 st.global.v4.b32 [%rd25], {%r88, %r89, %r90, %r91};
	// end inline asm
	add.s64 	%rd26, %rd21, 1536;
	.loc	1 19 37
	mul.rn.f32 	%r143, %r70, %r21;
	.loc	1 19 36
	mul.rn.f32 	%r92, %r143, %r84;
	.loc	1 19 37
	mul.rn.f32 	%r144, %r70, %r22;
	.loc	1 19 36
	mul.rn.f32 	%r93, %r144, %r85;
	.loc	1 19 37
	mul.rn.f32 	%r145, %r70, %r23;
	.loc	1 19 36
	mul.rn.f32 	%r94, %r145, %r86;
	.loc	1 19 37
	mul.rn.f32 	%r146, %r70, %r24;
	.loc	1 19 36
	mul.rn.f32 	%r95, %r146, %r87;
	.loc	1 19 9
	// begin inline asm
	@%p12 st.global.v4.b32 [%rd26], {%r92, %r93, %r94, %r95};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd27, %rd19, 2048;
	mov.b32 	%r96, %r103;
	mov.b32 	%r97, %r103;
	mov.b32 	%r98, %r103;
	mov.b32 	%r99, %r103;
	// begin inline asm
	@%p13 ld.global.v4.b32 {%r96, %r97, %r98, %r99}, [%rd27];
	// end inline asm
	add.s64 	%rd28, %rd19, 2560;
	mov.b32 	%r100, %r103;
	mov.b32 	%r101, %r103;
	mov.b32 	%r102, %r103;
	// begin inline asm
	@%p14 ld.global.v4.b32 {%r100, %r101, %r102, %r103}, [%rd28];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd29, %rd21, 2048;
	.loc	1 19 37
	mul.rn.f32 	%r147, %r70, %r25;
	.loc	1 19 36
	mul.rn.f32 	%r104, %r147, %r96;
	.loc	1 19 37
	mul.rn.f32 	%r148, %r70, %r26;
	.loc	1 19 36
	mul.rn.f32 	%r105, %r148, %r97;
	.loc	1 19 37
	mul.rn.f32 	%r149, %r70, %r27;
	.loc	1 19 36
	mul.rn.f32 	%r106, %r149, %r98;
	.loc	1 19 37
	mul.rn.f32 	%r150, %r70, %r28;
	.loc	1 19 36
	mul.rn.f32 	%r107, %r150, %r99;
	.loc	1 19 9
	// begin inline asm
	@%p15 st.global.v4.b32 [%rd29], {%r104, %r105, %r106, %r107};
	// end inline asm
	add.s64 	%rd30, %rd21, 2560;
	.loc	1 19 37
	mul.rn.f32 	%r151, %r70, %r29;
	.loc	1 19 36
	mul.rn.f32 	%r108, %r151, %r100;
	.loc	1 19 37
	mul.rn.f32 	%r152, %r70, %r30;
	.loc	1 19 36
	mul.rn.f32 	%r109, %r152, %r101;
	.loc	1 19 37
	mul.rn.f32 	%r153, %r70, %r31;
	.loc	1 19 36
	mul.rn.f32 	%r110, %r153, %r102;
	.loc	1 19 37
	mul.rn.f32 	%r154, %r70, %r32;
	.loc	1 19 36
	mul.rn.f32 	%r111, %r154, %r103;
	.loc	1 19 9
	// begin inline asm
	@%p16 st.global.v4.b32 [%rd30], {%r108, %r109, %r110, %r111};
	// end inline asm
	not.pred 	%p17, %p1;
	@%p17 bra 	$L__BB0_5;
	.loc	1 19 80
	add.s64 	%rd33, %rd19, 3072;
	mov.b32 	%r162, 0;
	mov.b32 	%r155, %r162;
	mov.b32 	%r156, %r162;
	mov.b32 	%r157, %r162;
	mov.b32 	%r158, %r162;
	// begin inline asm
	@%p18 ld.global.v4.b32 {%r155, %r156, %r157, %r158}, [%rd33];
	// end inline asm
	add.s64 	%rd34, %rd19, 3584;
	mov.b32 	%r159, %r162;
	mov.b32 	%r160, %r162;
	mov.b32 	%r161, %r162;
	// begin inline asm
	@%p19 ld.global.v4.b32 {%r159, %r160, %r161, %r162}, [%rd34];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd35, %rd21, 3072;
	.loc	1 19 37
	mul.rn.f32 	%r171, %r70, %r33;
	.loc	1 19 36
	mul.rn.f32 	%r163, %r171, %r155;
	.loc	1 19 37
	mul.rn.f32 	%r172, %r70, %r34;
	.loc	1 19 36
	mul.rn.f32 	%r164, %r172, %r156;
	.loc	1 19 37
	mul.rn.f32 	%r173, %r70, %r35;
	.loc	1 19 36
	mul.rn.f32 	%r165, %r173, %r157;
	.loc	1 19 37
	mul.rn.f32 	%r174, %r70, %r36;
	.loc	1 19 36
	mul.rn.f32 	%r166, %r174, %r158;
	.loc	1 19 9
	// begin inline asm
	@%p20 st.global.v4.b32 [%rd35], {%r163, %r164, %r165, %r166};
	// end inline asm
	add.s64 	%rd36, %rd21, 3584;
	.loc	1 19 37
	mul.rn.f32 	%r175, %r70, %r37;
	.loc	1 19 36
	mul.rn.f32 	%r167, %r175, %r159;
	.loc	1 19 37
	mul.rn.f32 	%r176, %r70, %r38;
	.loc	1 19 36
	mul.rn.f32 	%r168, %r176, %r160;
	.loc	1 19 37
	mul.rn.f32 	%r177, %r70, %r39;
	.loc	1 19 36
	mul.rn.f32 	%r169, %r177, %r161;
	.loc	1 19 37
	mul.rn.f32 	%r178, %r70, %r40;
	.loc	1 19 36
	mul.rn.f32 	%r170, %r178, %r162;
	.loc	1 19 9
	// begin inline asm
	@%p21 st.global.v4.b32 [%rd36], {%r167, %r168, %r169, %r170};
	// end inline asm
$L__BB0_5:
	.loc	1 18 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__of8

.visible .entry rms_norm__of8(
	.param .u64 .ptr .global .align 1 rms_norm__of8_param_0,
	.param .u32 rms_norm__of8_param_1,
	.param .u32 rms_norm__of8_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__of8_param_3,
	.param .f32 rms_norm__of8_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__of8_param_5
)
.reqntid 64
{
	.reg .pred 	%p<51>;
	.reg .b32 	%r<214>;
	.reg .b64 	%rd<40>;
$L__func_begin0:
	.loc	1 4 0

	ld.param.b32 	%r5, [rms_norm__of8_param_2];
	ld.param.b64 	%rd14, [rms_norm__of8_param_0];
	ld.param.b32 	%r39, [rms_norm__of8_param_1];
$L__tmp0:
	.loc	1 10 15
	mov.u32 	%r40, %ctaid.x;
	.loc	1 13 5
	cvt.u64.u32 	%rd15, %r40;
	cvt.s64.s32 	%rd16, %r5;
	mul.lo.s64 	%rd1, %rd15, %rd16;
	shl.b64 	%rd17, %rd1, 2;
	add.s64 	%rd18, %rd14, %rd17;
	mov.u32 	%r41, %tid.x;
	and.b32 	%r1, %r41, 31;
	shl.b32 	%r42, %r1, 2;
	shr.u32 	%r2, %r41, 5;
	shl.b32 	%r43, %r2, 7;
	or.b32 	%r44, %r42, %r43;
	mul.wide.u32 	%rd19, %r44, 4;
	add.s64 	%rd6, %rd18, %rd19;
	setp.lt.u32 	%p1, %r40, %r39;
	max.u32 	%r45, %r5, %r44;
	sub.s32 	%r3, %r45, %r44;
	setp.ne.b32 	%p13, %r3, 0;
	and.pred 	%p5, %p1, %p13;
	mov.b32 	%r38, 0;
	mov.b32 	%r7, %r38;
	mov.b32 	%r8, %r38;
	mov.b32 	%r9, %r38;
	mov.b32 	%r10, %r38;
	// begin inline asm
	@%p5 ld.global.v4.b32 {%r7, %r8, %r9, %r10}, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd6, 1024;
	setp.gt.u32 	%p14, %r3, 256;
	and.pred 	%p6, %p1, %p14;
	mov.b32 	%r11, %r38;
	mov.b32 	%r12, %r38;
	mov.b32 	%r13, %r38;
	mov.b32 	%r14, %r38;
	// begin inline asm
	@%p6 ld.global.v4.b32 {%r11, %r12, %r13, %r14}, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd6, 2048;
	setp.gt.u32 	%p15, %r3, 512;
	and.pred 	%p7, %p1, %p15;
	mov.b32 	%r15, %r38;
	mov.b32 	%r16, %r38;
	mov.b32 	%r17, %r38;
	mov.b32 	%r18, %r38;
	// begin inline asm
	@%p7 ld.global.v4.b32 {%r15, %r16, %r17, %r18}, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd6, 3072;
	setp.gt.u32 	%p16, %r3, 768;
	and.pred 	%p8, %p1, %p16;
	mov.b32 	%r19, %r38;
	mov.b32 	%r20, %r38;
	mov.b32 	%r21, %r38;
	mov.b32 	%r22, %r38;
	// begin inline asm
	@%p8 ld.global.v4.b32 {%r19, %r20, %r21, %r22}, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd6, 4096;
	setp.gt.u32 	%p17, %r3, 1024;
	and.pred 	%p9, %p1, %p17;
	mov.b32 	%r23, %r38;
	mov.b32 	%r24, %r38;
	mov.b32 	%r25, %r38;
	mov.b32 	%r26, %r38;
	// begin inline asm
	@%p9 ld.global.v4.b32 {%r23, %r24, %r25, %r26}, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd6, 5120;
	setp.gt.u32 	%p18, %r3, 1280;
	and.pred 	%p10, %p1, %p18;
	mov.b32 	%r27, %r38;
	mov.b32 	%r28, %r38;
	mov.b32 	%r29, %r38;
	mov.b32 	%r30, %r38;
	// begin inline asm
	@%p10 ld.global.v4.b32 {%r27, %r28, %r29, %r30}, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd6, 6144;
	setp.gt.u32 	%p19, %r3, 1536;
	and.pred 	%p11, %p1, %p19;
	mov.b32 	%r31, %r38;
	mov.b32 	%r32, %r38;
	mov.b32 	%r33, %r38;
	mov.b32 	%r34, %r38;
	// begin inline asm
	@%p11 ld.global.v4.b32 {%r31, %r32, %r33, %r34}, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd6, 7168;
	setp.gt.u32 	%p20, %r3, 1792;
	and.pred 	%p12, %p1, %p20;
	mov.b32 	%r35, %r38;
	mov.b32 	%r36, %r38;
	mov.b32 	%r37, %r38;
	// begin inline asm
	@%p12 ld.global.v4.b32 {%r35, %r36, %r37, %r38}, [%rd13];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r46, %r7, %r7, 0f00000000;
	fma.rn.f32 	%r47, %r11, %r11, %r46;
	fma.rn.f32 	%r48, %r15, %r15, %r47;
	fma.rn.f32 	%r49, %r19, %r19, %r48;
	fma.rn.f32 	%r210, %r23, %r23, %r49;
	fma.rn.f32 	%r50, %r8, %r8, 0f00000000;
	fma.rn.f32 	%r51, %r12, %r12, %r50;
	fma.rn.f32 	%r52, %r16, %r16, %r51;
	fma.rn.f32 	%r53, %r20, %r20, %r52;
	fma.rn.f32 	%r211, %r24, %r24, %r53;
	fma.rn.f32 	%r54, %r9, %r9, 0f00000000;
	fma.rn.f32 	%r55, %r13, %r13, %r54;
	fma.rn.f32 	%r56, %r17, %r17, %r55;
	fma.rn.f32 	%r57, %r21, %r21, %r56;
	fma.rn.f32 	%r212, %r25, %r25, %r57;
	fma.rn.f32 	%r58, %r10, %r10, 0f00000000;
	fma.rn.f32 	%r59, %r14, %r14, %r58;
	fma.rn.f32 	%r60, %r18, %r18, %r59;
	fma.rn.f32 	%r61, %r22, %r22, %r60;
	fma.rn.f32 	%r213, %r26, %r26, %r61;
	setp.lt.s32 	%p21, %r5, 1281;
	@%p21 bra 	$L__BB0_2;
	.loc	1 0 19
	fma.rn.f32 	%r210, %r27, %r27, %r210;
	fma.rn.f32 	%r211, %r28, %r28, %r211;
	fma.rn.f32 	%r212, %r29, %r29, %r212;
	fma.rn.f32 	%r213, %r30, %r30, %r213;
$L__BB0_2:
	.loc	1 15 19
	setp.lt.s32 	%p22, %r5, 1537;
	@%p22 bra 	$L__BB0_4;
	.loc	1 0 19
	fma.rn.f32 	%r210, %r31, %r31, %r210;
	fma.rn.f32 	%r211, %r32, %r32, %r211;
	fma.rn.f32 	%r212, %r33, %r33, %r212;
	fma.rn.f32 	%r213, %r34, %r34, %r213;
$L__BB0_4:
	.loc	1 15 19
	setp.lt.s32 	%p23, %r5, 1793;
	@%p23 bra 	$L__BB0_6;
	.loc	1 0 19
	fma.rn.f32 	%r210, %r35, %r35, %r210;
	fma.rn.f32 	%r211, %r36, %r36, %r211;
	fma.rn.f32 	%r212, %r37, %r37, %r212;
	fma.rn.f32 	%r213, %r38, %r38, %r213;
$L__BB0_6:
	ld.param.b64 	%rd5, [rms_norm__of8_param_5];
	ld.param.b32 	%r6, [rms_norm__of8_param_4];
	ld.param.b64 	%rd4, [rms_norm__of8_param_3];
	cvt.u64.u32 	%rd2, %r44;
	setp.gt.s32 	%p2, %r5, 1280;
	.loc	1 17 23
	add.rn.f32 	%r62, %r210, %r211;
	add.rn.f32 	%r63, %r212, %r213;
	add.rn.f32 	%r64, %r62, %r63;
	shfl.sync.bfly.b32 	%r65, %r64, 1, 31, -1;
	add.rn.f32 	%r66, %r64, %r65;
	shfl.sync.bfly.b32 	%r67, %r66, 2, 31, -1;
	add.rn.f32 	%r68, %r66, %r67;
	shfl.sync.bfly.b32 	%r69, %r68, 4, 31, -1;
	add.rn.f32 	%r70, %r68, %r69;
	shfl.sync.bfly.b32 	%r71, %r70, 8, 31, -1;
	add.rn.f32 	%r72, %r70, %r71;
	shfl.sync.bfly.b32 	%r73, %r72, 16, 31, -1;
	setp.ne.b32 	%p24, %r1, 0;
	@%p24 bra 	$L__BB0_8;
	.loc	1 0 23
	add.rn.f32 	%r4, %r72, %r73;
	mul.wide.u32 	%rd20, %r2, 4;
	mov.b64 	%rd21, tile_shared;
	add.s64 	%rd3, %rd21, %rd20;
	.loc	1 17 23
	st.shared.b32 	[%rd3], %r4;
$L__BB0_8:
	.loc	1 0 0
	setp.gt.s32 	%p3, %r5, 1536;
	.loc	1 17 23
	bar.sync 	0;
	ld.shared.v2.b32 	{%r121, %r122}, [tile_shared];
	.loc	1 19 80
	shl.b64 	%rd32, %rd2, 2;
	add.s64 	%rd22, %rd4, %rd32;
	// begin inline asm
	mov.u32 %r74, %laneid;
	// end inline asm
	shr.u32 	%r123, %r74, 5;
	add.s32 	%r124, %r3, %r123;
	setp.ne.b32 	%p25, %r124, 0;
	mov.b32 	%r157, 0;
	mov.b32 	%r75, %r157;
	mov.b32 	%r76, %r157;
	mov.b32 	%r77, %r157;
	mov.b32 	%r78, %r157;
	// begin inline asm
	@%p25 ld.global.v4.b32 {%r75, %r76, %r77, %r78}, [%rd22];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd33, %rd5, %rd17;
	add.s64 	%rd23, %rd33, %rd32;
	.loc	1 17 23
	add.rn.f32 	%r125, %r121, %r122;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r126, %r5;
	.loc	1 17 23
	div.rn.f32 	%r127, %r125, %r126;
	add.rn.f32 	%r80, %r127, %r6;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r79, %r80;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r128, %r79, %r7;
	.loc	1 19 36
	mul.rn.f32 	%r81, %r128, %r75;
	.loc	1 19 37
	mul.rn.f32 	%r129, %r79, %r8;
	.loc	1 19 36
	mul.rn.f32 	%r82, %r129, %r76;
	.loc	1 19 37
	mul.rn.f32 	%r130, %r79, %r9;
	.loc	1 19 36
	mul.rn.f32 	%r83, %r130, %r77;
	.loc	1 19 37
	mul.rn.f32 	%r131, %r79, %r10;
	.loc	1 19 36
	mul.rn.f32 	%r84, %r131, %r78;
	.loc	1 19 9
	and.pred 	%p26, %p1, %p25;
	// begin inline asm
	@%p26 st.global.v4.b32 [%rd23], {%r81, %r82, %r83, %r84};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd24, %rd22, 1024;
	setp.gt.u32 	%p27, %r124, 256;
	mov.b32 	%r85, %r157;
	mov.b32 	%r86, %r157;
	mov.b32 	%r87, %r157;
	mov.b32 	%r88, %r157;
	// begin inline asm
	@%p27 ld.global.v4.b32 {%r85, %r86, %r87, %r88}, [%rd24];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r132, %r79, %r11;
	mul.rn.f32 	%r133, %r79, %r12;
	mul.rn.f32 	%r134, %r79, %r13;
	mul.rn.f32 	%r135, %r79, %r14;
	.loc	1 19 36
	mul.rn.f32 	%r90, %r132, %r85;
	mul.rn.f32 	%r91, %r133, %r86;
	mul.rn.f32 	%r92, %r134, %r87;
	mul.rn.f32 	%r93, %r135, %r88;
	.loc	1 19 9
	add.s64 	%rd25, %rd23, 1024;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r89, %laneid;
	// end inline asm
	shr.u32 	%r136, %r89, 6;
	add.s32 	%r137, %r3, %r136;
	setp.gt.u32 	%p35, %r137, 256;
	and.pred 	%p28, %p1, %p35;
	// begin inline asm
	@%p28 st.global.v4.b32 [%rd25], {%r90, %r91, %r92, %r93};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd26, %rd22, 2048;
	setp.gt.u32 	%p29, %r137, 512;
	mov.b32 	%r94, %r157;
	mov.b32 	%r95, %r157;
	mov.b32 	%r96, %r157;
	mov.b32 	%r97, %r157;
	// begin inline asm
	@%p29 ld.global.v4.b32 {%r94, %r95, %r96, %r97}, [%rd26];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r138, %r79, %r15;
	mul.rn.f32 	%r139, %r79, %r16;
	mul.rn.f32 	%r140, %r79, %r17;
	mul.rn.f32 	%r141, %r79, %r18;
	.loc	1 19 36
	mul.rn.f32 	%r99, %r138, %r94;
	mul.rn.f32 	%r100, %r139, %r95;
	mul.rn.f32 	%r101, %r140, %r96;
	mul.rn.f32 	%r102, %r141, %r97;
	.loc	1 19 9
	add.s64 	%rd27, %rd23, 2048;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r98, %laneid;
	// end inline asm
	shr.u32 	%r142, %r98, 7;
	add.s32 	%r143, %r3, %r142;
	setp.gt.u32 	%p36, %r143, 512;
	and.pred 	%p30, %p1, %p36;
	// begin inline asm
	@%p30 st.global.v4.b32 [%rd27], {%r99, %r100, %r101, %r102};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd28, %rd22, 3072;
	setp.gt.u32 	%p31, %r143, 768;
	mov.b32 	%r103, %r157;
	mov.b32 	%r104, %r157;
	mov.b32 	%r105, %r157;
	mov.b32 	%r106, %r157;
	// begin inline asm
	@%p31 ld.global.v4.b32 {%r103, %r104, %r105, %r106}, [%rd28];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r144, %r79, %r19;
	mul.rn.f32 	%r145, %r79, %r20;
	mul.rn.f32 	%r146, %r79, %r21;
	mul.rn.f32 	%r147, %r79, %r22;
	.loc	1 19 36
	mul.rn.f32 	%r108, %r144, %r103;
	mul.rn.f32 	%r109, %r145, %r104;
	mul.rn.f32 	%r110, %r146, %r105;
	mul.rn.f32 	%r111, %r147, %r106;
	.loc	1 19 9
	add.s64 	%rd29, %rd23, 3072;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r107, %laneid;
	// end inline asm
	shr.u32 	%r148, %r107, 8;
	add.s32 	%r149, %r3, %r148;
	setp.gt.u32 	%p37, %r149, 768;
	and.pred 	%p32, %p1, %p37;
	// begin inline asm
	@%p32 st.global.v4.b32 [%rd29], {%r108, %r109, %r110, %r111};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd30, %rd22, 4096;
	setp.gt.u32 	%p33, %r149, 1024;
	mov.b32 	%r112, %r157;
	mov.b32 	%r113, %r157;
	mov.b32 	%r114, %r157;
	mov.b32 	%r115, %r157;
	// begin inline asm
	@%p33 ld.global.v4.b32 {%r112, %r113, %r114, %r115}, [%rd30];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r150, %r79, %r23;
	mul.rn.f32 	%r151, %r79, %r24;
	mul.rn.f32 	%r152, %r79, %r25;
	mul.rn.f32 	%r153, %r79, %r26;
	.loc	1 19 36
	mul.rn.f32 	%r117, %r150, %r112;
	mul.rn.f32 	%r118, %r151, %r113;
	mul.rn.f32 	%r119, %r152, %r114;
	mul.rn.f32 	%r120, %r153, %r115;
	.loc	1 19 9
	add.s64 	%rd31, %rd23, 4096;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r116, %laneid;
	// end inline asm
	shr.u32 	%r154, %r116, 9;
	add.s32 	%r155, %r3, %r154;
	setp.gt.u32 	%p38, %r155, 1024;
	and.pred 	%p34, %p1, %p38;
	// begin inline asm
	@%p34 st.global.v4.b32 [%rd31], {%r117, %r118, %r119, %r120};
	// end inline asm
	not.pred 	%p39, %p2;
	@%p39 bra 	$L__BB0_10;
	.loc	1 19 80
	add.s64 	%rd34, %rd22, 5120;
	// begin inline asm
	mov.u32 %r156, %laneid;
	// end inline asm
	shr.u32 	%r166, %r156, 9;
	add.s32 	%r167, %r3, %r166;
	setp.gt.u32 	%p40, %r167, 1280;
	mov.b32 	%r160, %r157;
	mov.b32 	%r158, %r157;
	mov.b32 	%r159, %r157;
	// begin inline asm
	@%p40 ld.global.v4.b32 {%r157, %r158, %r159, %r160}, [%rd34];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r168, %r79, %r27;
	mul.rn.f32 	%r169, %r79, %r28;
	mul.rn.f32 	%r170, %r79, %r29;
	mul.rn.f32 	%r171, %r79, %r30;
	.loc	1 19 36
	mul.rn.f32 	%r162, %r168, %r157;
	mul.rn.f32 	%r163, %r169, %r158;
	mul.rn.f32 	%r164, %r170, %r159;
	mul.rn.f32 	%r165, %r171, %r160;
	.loc	1 19 9
	add.s64 	%rd35, %rd23, 5120;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r161, %laneid;
	// end inline asm
	shr.u32 	%r172, %r161, 10;
	add.s32 	%r173, %r3, %r172;
	setp.gt.u32 	%p42, %r173, 1280;
	and.pred 	%p41, %p1, %p42;
	// begin inline asm
	@%p41 st.global.v4.b32 [%rd35], {%r162, %r163, %r164, %r165};
	// end inline asm
$L__BB0_10:
	.loc	1 0 0
	setp.gt.s32 	%p4, %r5, 1792;
	.loc	1 19 9
	not.pred 	%p43, %p3;
	@%p43 bra 	$L__BB0_12;
	.loc	1 19 80
	add.s64 	%rd36, %rd22, 6144;
	// begin inline asm
	mov.u32 %r174, %laneid;
	// end inline asm
	shr.u32 	%r184, %r174, 10;
	add.s32 	%r185, %r3, %r184;
	setp.gt.u32 	%p44, %r185, 1536;
	mov.b32 	%r175, 0;
	mov.b32 	%r178, %r175;
	mov.b32 	%r176, %r175;
	mov.b32 	%r177, %r175;
	// begin inline asm
	@%p44 ld.global.v4.b32 {%r175, %r176, %r177, %r178}, [%rd36];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r186, %r79, %r31;
	mul.rn.f32 	%r187, %r79, %r32;
	mul.rn.f32 	%r188, %r79, %r33;
	mul.rn.f32 	%r189, %r79, %r34;
	.loc	1 19 36
	mul.rn.f32 	%r180, %r186, %r175;
	mul.rn.f32 	%r181, %r187, %r176;
	mul.rn.f32 	%r182, %r188, %r177;
	mul.rn.f32 	%r183, %r189, %r178;
	.loc	1 19 9
	add.s64 	%rd37, %rd23, 6144;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r179, %laneid;
	// end inline asm
	shr.u32 	%r190, %r179, 11;
	add.s32 	%r191, %r3, %r190;
	setp.gt.u32 	%p46, %r191, 1536;
	and.pred 	%p45, %p1, %p46;
	// begin inline asm
	@%p45 st.global.v4.b32 [%rd37], {%r180, %r181, %r182, %r183};
	// end inline asm
$L__BB0_12:
	not.pred 	%p47, %p4;
	@%p47 bra 	$L__BB0_14;
	.loc	1 19 80
	add.s64 	%rd38, %rd22, 7168;
	// begin inline asm
	mov.u32 %r192, %laneid;
	// end inline asm
	shr.u32 	%r202, %r192, 11;
	add.s32 	%r203, %r3, %r202;
	setp.gt.u32 	%p48, %r203, 1792;
	mov.b32 	%r193, 0;
	mov.b32 	%r196, %r193;
	mov.b32 	%r194, %r193;
	mov.b32 	%r195, %r193;
	// begin inline asm
	@%p48 ld.global.v4.b32 {%r193, %r194, %r195, %r196}, [%rd38];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r204, %r79, %r35;
	mul.rn.f32 	%r205, %r79, %r36;
	mul.rn.f32 	%r206, %r79, %r37;
	mul.rn.f32 	%r207, %r79, %r38;
	.loc	1 19 36
	mul.rn.f32 	%r198, %r204, %r193;
	mul.rn.f32 	%r199, %r205, %r194;
	mul.rn.f32 	%r200, %r206, %r195;
	mul.rn.f32 	%r201, %r207, %r196;
	.loc	1 19 9
	add.s64 	%rd39, %rd23, 7168;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r197, %laneid;
	// end inline asm
	shr.u32 	%r208, %r197, 12;
	add.s32 	%r209, %r3, %r208;
	setp.gt.u32 	%p50, %r209, 1792;
	and.pred 	%p49, %p1, %p50;
	// begin inline asm
	@%p49 st.global.v4.b32 [%rd39], {%r198, %r199, %r200, %r201};
	// end inline asm
$L__BB0_14:
	.loc	1 18 5
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__of16

.visible .entry rms_norm__of16(
	.param .u64 .ptr .global .align 1 rms_norm__of16_param_0,
	.param .u32 rms_norm__of16_param_1,
	.param .u32 rms_norm__of16_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__of16_param_3,
	.param .f32 rms_norm__of16_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__of16_param_5
)
.reqntid 128
{
	.reg .pred 	%p<96>;
	.reg .b32 	%r<278>;
	.reg .b64 	%rd<64>;
$L__func_begin0:
	.loc	1 4 0

	ld.param.b64 	%rd5, [rms_norm__of16_param_5];
	ld.param.b32 	%r4, [rms_norm__of16_param_4];
	ld.param.b64 	%rd4, [rms_norm__of16_param_3];
	ld.param.b32 	%r3, [rms_norm__of16_param_2];
	ld.param.b64 	%rd22, [rms_norm__of16_param_0];
	ld.param.b32 	%r37, [rms_norm__of16_param_1];
$L__tmp0:
	.loc	1 10 15
	mov.u32 	%r38, %ctaid.x;
	.loc	1 13 5
	cvt.u64.u32 	%rd23, %r38;
	cvt.s64.s32 	%rd24, %r3;
	mul.lo.s64 	%rd1, %rd23, %rd24;
	shl.b64 	%rd25, %rd1, 2;
	add.s64 	%rd26, %rd22, %rd25;
	mov.u32 	%r39, %tid.x;
	and.b32 	%r40, %r39, 31;
	shl.b32 	%r41, %r40, 1;
	shr.u32 	%r42, %r39, 5;
	shl.b32 	%r43, %r42, 6;
	or.b32 	%r44, %r41, %r43;
	cvt.u64.u32 	%rd2, %r44;
	mul.wide.u32 	%rd27, %r44, 4;
	add.s64 	%rd6, %rd26, %rd27;
	setp.lt.u32 	%p1, %r38, %r37;
	max.u32 	%r45, %r3, %r44;
	sub.s32 	%r1, %r45, %r44;
	setp.ne.b32 	%p25, %r1, 0;
	and.pred 	%p9, %p1, %p25;
	mov.b32 	%r144, 0;
	mov.b32 	%r5, %r144;
	mov.b32 	%r6, %r144;
	// begin inline asm
	@%p9 ld.global.v2.b32 {%r5, %r6}, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd6, 1024;
	setp.gt.u32 	%p26, %r1, 256;
	and.pred 	%p10, %p1, %p26;
	mov.b32 	%r7, %r144;
	mov.b32 	%r8, %r144;
	// begin inline asm
	@%p10 ld.global.v2.b32 {%r7, %r8}, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd6, 2048;
	setp.gt.u32 	%p27, %r1, 512;
	and.pred 	%p11, %p1, %p27;
	mov.b32 	%r9, %r144;
	mov.b32 	%r10, %r144;
	// begin inline asm
	@%p11 ld.global.v2.b32 {%r9, %r10}, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd6, 3072;
	setp.gt.u32 	%p28, %r1, 768;
	and.pred 	%p12, %p1, %p28;
	mov.b32 	%r11, %r144;
	mov.b32 	%r12, %r144;
	// begin inline asm
	@%p12 ld.global.v2.b32 {%r11, %r12}, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd6, 4096;
	setp.gt.u32 	%p29, %r1, 1024;
	and.pred 	%p13, %p1, %p29;
	mov.b32 	%r13, %r144;
	mov.b32 	%r14, %r144;
	// begin inline asm
	@%p13 ld.global.v2.b32 {%r13, %r14}, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd6, 5120;
	setp.gt.u32 	%p30, %r1, 1280;
	and.pred 	%p14, %p1, %p30;
	mov.b32 	%r15, %r144;
	mov.b32 	%r16, %r144;
	// begin inline asm
	@%p14 ld.global.v2.b32 {%r15, %r16}, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd6, 6144;
	setp.gt.u32 	%p31, %r1, 1536;
	and.pred 	%p15, %p1, %p31;
	mov.b32 	%r17, %r144;
	mov.b32 	%r18, %r144;
	// begin inline asm
	@%p15 ld.global.v2.b32 {%r17, %r18}, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd6, 7168;
	setp.gt.u32 	%p32, %r1, 1792;
	and.pred 	%p16, %p1, %p32;
	mov.b32 	%r19, %r144;
	mov.b32 	%r20, %r144;
	// begin inline asm
	@%p16 ld.global.v2.b32 {%r19, %r20}, [%rd13];
	// end inline asm
	add.s64 	%rd14, %rd6, 8192;
	setp.gt.u32 	%p33, %r1, 2048;
	and.pred 	%p17, %p1, %p33;
	mov.b32 	%r21, %r144;
	mov.b32 	%r22, %r144;
	// begin inline asm
	@%p17 ld.global.v2.b32 {%r21, %r22}, [%rd14];
	// end inline asm
	add.s64 	%rd15, %rd6, 9216;
	setp.gt.u32 	%p34, %r1, 2304;
	and.pred 	%p18, %p1, %p34;
	mov.b32 	%r23, %r144;
	mov.b32 	%r24, %r144;
	// begin inline asm
	@%p18 ld.global.v2.b32 {%r23, %r24}, [%rd15];
	// end inline asm
	add.s64 	%rd16, %rd6, 10240;
	setp.gt.u32 	%p35, %r1, 2560;
	and.pred 	%p19, %p1, %p35;
	mov.b32 	%r25, %r144;
	mov.b32 	%r26, %r144;
	// begin inline asm
	@%p19 ld.global.v2.b32 {%r25, %r26}, [%rd16];
	// end inline asm
	add.s64 	%rd17, %rd6, 11264;
	setp.gt.u32 	%p36, %r1, 2816;
	and.pred 	%p20, %p1, %p36;
	mov.b32 	%r27, %r144;
	mov.b32 	%r28, %r144;
	// begin inline asm
	@%p20 ld.global.v2.b32 {%r27, %r28}, [%rd17];
	// end inline asm
	add.s64 	%rd18, %rd6, 12288;
	setp.gt.u32 	%p37, %r1, 3072;
	and.pred 	%p21, %p1, %p37;
	mov.b32 	%r29, %r144;
	mov.b32 	%r30, %r144;
	// begin inline asm
	@%p21 ld.global.v2.b32 {%r29, %r30}, [%rd18];
	// end inline asm
	add.s64 	%rd19, %rd6, 13312;
	setp.gt.u32 	%p38, %r1, 3328;
	and.pred 	%p22, %p1, %p38;
	mov.b32 	%r31, %r144;
	mov.b32 	%r32, %r144;
	// begin inline asm
	@%p22 ld.global.v2.b32 {%r31, %r32}, [%rd19];
	// end inline asm
	add.s64 	%rd20, %rd6, 14336;
	setp.gt.u32 	%p39, %r1, 3584;
	and.pred 	%p23, %p1, %p39;
	mov.b32 	%r33, %r144;
	mov.b32 	%r34, %r144;
	// begin inline asm
	@%p23 ld.global.v2.b32 {%r33, %r34}, [%rd20];
	// end inline asm
	add.s64 	%rd21, %rd6, 15360;
	setp.gt.u32 	%p40, %r1, 3840;
	and.pred 	%p24, %p1, %p40;
	mov.b32 	%r35, %r144;
	mov.b32 	%r36, %r144;
	// begin inline asm
	@%p24 ld.global.v2.b32 {%r35, %r36}, [%rd21];
	// end inline asm
	.loc	1 15 19
	setp.gt.s32 	%p2, %r3, 3840;
	setp.gt.s32 	%p3, %r3, 3584;
	setp.gt.s32 	%p4, %r3, 3328;
	setp.gt.s32 	%p5, %r3, 3072;
	setp.gt.s32 	%p6, %r3, 2816;
	setp.gt.s32 	%p7, %r3, 2560;
	setp.gt.s32 	%p8, %r3, 2304;
	fma.rn.f32 	%r46, %r5, %r5, 0f00000000;
	fma.rn.f32 	%r47, %r7, %r7, %r46;
	fma.rn.f32 	%r48, %r9, %r9, %r47;
	fma.rn.f32 	%r49, %r11, %r11, %r48;
	fma.rn.f32 	%r50, %r13, %r13, %r49;
	fma.rn.f32 	%r51, %r15, %r15, %r50;
	fma.rn.f32 	%r52, %r17, %r17, %r51;
	fma.rn.f32 	%r53, %r19, %r19, %r52;
	fma.rn.f32 	%r54, %r21, %r21, %r53;
	fma.rn.f32 	%r55, %r23, %r23, %r54;
	selp.f32 	%r56, %r55, %r54, %p8;
	fma.rn.f32 	%r57, %r25, %r25, %r56;
	selp.f32 	%r58, %r57, %r56, %p7;
	fma.rn.f32 	%r59, %r27, %r27, %r58;
	selp.f32 	%r60, %r59, %r58, %p6;
	fma.rn.f32 	%r61, %r29, %r29, %r60;
	selp.f32 	%r62, %r61, %r60, %p5;
	fma.rn.f32 	%r63, %r31, %r31, %r62;
	selp.f32 	%r64, %r63, %r62, %p4;
	fma.rn.f32 	%r65, %r33, %r33, %r64;
	selp.f32 	%r66, %r65, %r64, %p3;
	fma.rn.f32 	%r67, %r35, %r35, %r66;
	selp.f32 	%r68, %r67, %r66, %p2;
	fma.rn.f32 	%r69, %r6, %r6, 0f00000000;
	fma.rn.f32 	%r70, %r8, %r8, %r69;
	fma.rn.f32 	%r71, %r10, %r10, %r70;
	fma.rn.f32 	%r72, %r12, %r12, %r71;
	fma.rn.f32 	%r73, %r14, %r14, %r72;
	fma.rn.f32 	%r74, %r16, %r16, %r73;
	fma.rn.f32 	%r75, %r18, %r18, %r74;
	fma.rn.f32 	%r76, %r20, %r20, %r75;
	fma.rn.f32 	%r77, %r22, %r22, %r76;
	fma.rn.f32 	%r78, %r24, %r24, %r77;
	selp.f32 	%r79, %r78, %r77, %p8;
	fma.rn.f32 	%r80, %r26, %r26, %r79;
	selp.f32 	%r81, %r80, %r79, %p7;
	fma.rn.f32 	%r82, %r28, %r28, %r81;
	selp.f32 	%r83, %r82, %r81, %p6;
	fma.rn.f32 	%r84, %r30, %r30, %r83;
	selp.f32 	%r85, %r84, %r83, %p5;
	fma.rn.f32 	%r86, %r32, %r32, %r85;
	selp.f32 	%r87, %r86, %r85, %p4;
	fma.rn.f32 	%r88, %r34, %r34, %r87;
	selp.f32 	%r89, %r88, %r87, %p3;
	fma.rn.f32 	%r90, %r36, %r36, %r89;
	selp.f32 	%r91, %r90, %r89, %p2;
	.loc	1 17 23
	add.rn.f32 	%r92, %r68, %r91;
	shfl.sync.bfly.b32 	%r93, %r92, 1, 31, -1;
	add.rn.f32 	%r94, %r92, %r93;
	shfl.sync.bfly.b32 	%r95, %r94, 2, 31, -1;
	add.rn.f32 	%r96, %r94, %r95;
	shfl.sync.bfly.b32 	%r97, %r96, 4, 31, -1;
	add.rn.f32 	%r98, %r96, %r97;
	shfl.sync.bfly.b32 	%r99, %r98, 8, 31, -1;
	add.rn.f32 	%r100, %r98, %r99;
	shfl.sync.bfly.b32 	%r101, %r100, 16, 31, -1;
	setp.ne.b32 	%p41, %r40, 0;
	@%p41 bra 	$L__BB0_2;
	.loc	1 0 23
	add.rn.f32 	%r2, %r100, %r101;
	mul.wide.u32 	%rd28, %r42, 4;
	mov.b64 	%rd29, tile_shared;
	add.s64 	%rd3, %rd29, %rd28;
	.loc	1 17 23
	st.shared.b32 	[%rd3], %r2;
$L__BB0_2:
	bar.sync 	0;
	ld.shared.v4.b32 	{%r149, %r150, %r151, %r152}, [tile_shared];
	.loc	1 19 80
	shl.b64 	%rd48, %rd2, 2;
	add.s64 	%rd30, %rd4, %rd48;
	// begin inline asm
	mov.u32 %r102, %laneid;
	// end inline asm
	shr.u32 	%r153, %r102, 10;
	add.s32 	%r154, %r1, %r153;
	setp.ne.b32 	%p42, %r154, 0;
	mov.b32 	%r103, %r144;
	mov.b32 	%r104, %r144;
	// begin inline asm
	@%p42 ld.global.v2.b32 {%r103, %r104}, [%rd30];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd49, %rd5, %rd25;
	add.s64 	%rd31, %rd49, %rd48;
	.loc	1 17 23
	add.rn.f32 	%r155, %r149, %r150;
	add.rn.f32 	%r156, %r151, %r152;
	add.rn.f32 	%r157, %r155, %r156;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r158, %r3;
	.loc	1 17 23
	div.rn.f32 	%r159, %r157, %r158;
	add.rn.f32 	%r106, %r159, %r4;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r105, %r106;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r160, %r105, %r5;
	.loc	1 19 36
	mul.rn.f32 	%r107, %r160, %r103;
	.loc	1 19 37
	mul.rn.f32 	%r161, %r105, %r6;
	.loc	1 19 36
	mul.rn.f32 	%r108, %r161, %r104;
	.loc	1 19 9
	and.pred 	%p43, %p1, %p42;
	// begin inline asm
	@%p43 st.global.v2.b32 [%rd31], {%r107, %r108};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd32, %rd30, 1024;
	setp.gt.u32 	%p44, %r154, 256;
	mov.b32 	%r109, %r144;
	mov.b32 	%r110, %r144;
	// begin inline asm
	@%p44 ld.global.v2.b32 {%r109, %r110}, [%rd32];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r162, %r105, %r7;
	mul.rn.f32 	%r163, %r105, %r8;
	.loc	1 19 36
	mul.rn.f32 	%r112, %r162, %r109;
	mul.rn.f32 	%r113, %r163, %r110;
	.loc	1 19 9
	add.s64 	%rd33, %rd31, 1024;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r111, %laneid;
	// end inline asm
	shr.u32 	%r164, %r111, 11;
	add.s32 	%r165, %r1, %r164;
	setp.gt.u32 	%p60, %r165, 256;
	and.pred 	%p45, %p1, %p60;
	// begin inline asm
	@%p45 st.global.v2.b32 [%rd33], {%r112, %r113};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd34, %rd30, 2048;
	setp.gt.u32 	%p46, %r165, 512;
	mov.b32 	%r114, %r144;
	mov.b32 	%r115, %r144;
	// begin inline asm
	@%p46 ld.global.v2.b32 {%r114, %r115}, [%rd34];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r166, %r105, %r9;
	mul.rn.f32 	%r167, %r105, %r10;
	.loc	1 19 36
	mul.rn.f32 	%r117, %r166, %r114;
	mul.rn.f32 	%r118, %r167, %r115;
	.loc	1 19 9
	add.s64 	%rd35, %rd31, 2048;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r116, %laneid;
	// end inline asm
	shr.u32 	%r168, %r116, 12;
	add.s32 	%r169, %r1, %r168;
	setp.gt.u32 	%p61, %r169, 512;
	and.pred 	%p47, %p1, %p61;
	// begin inline asm
	@%p47 st.global.v2.b32 [%rd35], {%r117, %r118};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd36, %rd30, 3072;
	setp.gt.u32 	%p48, %r169, 768;
	mov.b32 	%r119, %r144;
	mov.b32 	%r120, %r144;
	// begin inline asm
	@%p48 ld.global.v2.b32 {%r119, %r120}, [%rd36];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r170, %r105, %r11;
	mul.rn.f32 	%r171, %r105, %r12;
	.loc	1 19 36
	mul.rn.f32 	%r122, %r170, %r119;
	mul.rn.f32 	%r123, %r171, %r120;
	.loc	1 19 9
	add.s64 	%rd37, %rd31, 3072;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r121, %laneid;
	// end inline asm
	shr.u32 	%r172, %r121, 13;
	add.s32 	%r173, %r1, %r172;
	setp.gt.u32 	%p62, %r173, 768;
	and.pred 	%p49, %p1, %p62;
	// begin inline asm
	@%p49 st.global.v2.b32 [%rd37], {%r122, %r123};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd38, %rd30, 4096;
	setp.gt.u32 	%p50, %r173, 1024;
	mov.b32 	%r124, %r144;
	mov.b32 	%r125, %r144;
	// begin inline asm
	@%p50 ld.global.v2.b32 {%r124, %r125}, [%rd38];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r174, %r105, %r13;
	mul.rn.f32 	%r175, %r105, %r14;
	.loc	1 19 36
	mul.rn.f32 	%r127, %r174, %r124;
	mul.rn.f32 	%r128, %r175, %r125;
	.loc	1 19 9
	add.s64 	%rd39, %rd31, 4096;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r126, %laneid;
	// end inline asm
	shr.u32 	%r176, %r126, 14;
	add.s32 	%r177, %r1, %r176;
	setp.gt.u32 	%p63, %r177, 1024;
	and.pred 	%p51, %p1, %p63;
	// begin inline asm
	@%p51 st.global.v2.b32 [%rd39], {%r127, %r128};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd40, %rd30, 5120;
	setp.gt.u32 	%p52, %r177, 1280;
	mov.b32 	%r129, %r144;
	mov.b32 	%r130, %r144;
	// begin inline asm
	@%p52 ld.global.v2.b32 {%r129, %r130}, [%rd40];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r178, %r105, %r15;
	mul.rn.f32 	%r179, %r105, %r16;
	.loc	1 19 36
	mul.rn.f32 	%r132, %r178, %r129;
	mul.rn.f32 	%r133, %r179, %r130;
	.loc	1 19 9
	add.s64 	%rd41, %rd31, 5120;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r131, %laneid;
	// end inline asm
	shr.u32 	%r180, %r131, 15;
	add.s32 	%r181, %r1, %r180;
	setp.gt.u32 	%p64, %r181, 1280;
	and.pred 	%p53, %p1, %p64;
	// begin inline asm
	@%p53 st.global.v2.b32 [%rd41], {%r132, %r133};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd42, %rd30, 6144;
	setp.gt.u32 	%p54, %r181, 1536;
	mov.b32 	%r134, %r144;
	mov.b32 	%r135, %r144;
	// begin inline asm
	@%p54 ld.global.v2.b32 {%r134, %r135}, [%rd42];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r182, %r105, %r17;
	mul.rn.f32 	%r183, %r105, %r18;
	.loc	1 19 36
	mul.rn.f32 	%r137, %r182, %r134;
	mul.rn.f32 	%r138, %r183, %r135;
	.loc	1 19 9
	add.s64 	%rd43, %rd31, 6144;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r136, %laneid;
	// end inline asm
	shr.u32 	%r184, %r136, 16;
	add.s32 	%r185, %r1, %r184;
	setp.gt.u32 	%p65, %r185, 1536;
	and.pred 	%p55, %p1, %p65;
	// begin inline asm
	@%p55 st.global.v2.b32 [%rd43], {%r137, %r138};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd44, %rd30, 7168;
	setp.gt.u32 	%p56, %r185, 1792;
	mov.b32 	%r139, %r144;
	mov.b32 	%r140, %r144;
	// begin inline asm
	@%p56 ld.global.v2.b32 {%r139, %r140}, [%rd44];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r186, %r105, %r19;
	mul.rn.f32 	%r187, %r105, %r20;
	.loc	1 19 36
	mul.rn.f32 	%r142, %r186, %r139;
	mul.rn.f32 	%r143, %r187, %r140;
	.loc	1 19 9
	add.s64 	%rd45, %rd31, 7168;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r141, %laneid;
	// end inline asm
	shr.u32 	%r188, %r141, 17;
	add.s32 	%r189, %r1, %r188;
	setp.gt.u32 	%p66, %r189, 1792;
	and.pred 	%p57, %p1, %p66;
	// begin inline asm
	@%p57 st.global.v2.b32 [%rd45], {%r142, %r143};
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd46, %rd30, 8192;
	setp.gt.u32 	%p58, %r189, 2048;
	mov.b32 	%r145, %r144;
	// begin inline asm
	@%p58 ld.global.v2.b32 {%r144, %r145}, [%rd46];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r190, %r105, %r21;
	mul.rn.f32 	%r191, %r105, %r22;
	.loc	1 19 36
	mul.rn.f32 	%r147, %r190, %r144;
	mul.rn.f32 	%r148, %r191, %r145;
	.loc	1 19 9
	add.s64 	%rd47, %rd31, 8192;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r146, %laneid;
	// end inline asm
	shr.u32 	%r192, %r146, 18;
	add.s32 	%r193, %r1, %r192;
	setp.gt.u32 	%p67, %r193, 2048;
	and.pred 	%p59, %p1, %p67;
	// begin inline asm
	@%p59 st.global.v2.b32 [%rd47], {%r147, %r148};
	// end inline asm
	not.pred 	%p68, %p8;
	@%p68 bra 	$L__BB0_4;
	.loc	1 19 80
	add.s64 	%rd50, %rd30, 9216;
	// begin inline asm
	mov.u32 %r194, %laneid;
	// end inline asm
	shr.u32 	%r200, %r194, 18;
	add.s32 	%r201, %r1, %r200;
	setp.gt.u32 	%p69, %r201, 2304;
	mov.b32 	%r196, 0;
	mov.b32 	%r195, %r196;
	// begin inline asm
	@%p69 ld.global.v2.b32 {%r195, %r196}, [%rd50];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r202, %r105, %r23;
	mul.rn.f32 	%r203, %r105, %r24;
	.loc	1 19 36
	mul.rn.f32 	%r198, %r202, %r195;
	mul.rn.f32 	%r199, %r203, %r196;
	.loc	1 19 9
	add.s64 	%rd51, %rd31, 9216;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r197, %laneid;
	// end inline asm
	shr.u32 	%r204, %r197, 19;
	add.s32 	%r205, %r1, %r204;
	setp.gt.u32 	%p71, %r205, 2304;
	and.pred 	%p70, %p1, %p71;
	// begin inline asm
	@%p70 st.global.v2.b32 [%rd51], {%r198, %r199};
	// end inline asm
$L__BB0_4:
	not.pred 	%p72, %p7;
	@%p72 bra 	$L__BB0_6;
	.loc	1 19 80
	add.s64 	%rd52, %rd30, 10240;
	// begin inline asm
	mov.u32 %r206, %laneid;
	// end inline asm
	shr.u32 	%r212, %r206, 19;
	add.s32 	%r213, %r1, %r212;
	setp.gt.u32 	%p73, %r213, 2560;
	mov.b32 	%r208, 0;
	mov.b32 	%r207, %r208;
	// begin inline asm
	@%p73 ld.global.v2.b32 {%r207, %r208}, [%rd52];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r214, %r105, %r25;
	mul.rn.f32 	%r215, %r105, %r26;
	.loc	1 19 36
	mul.rn.f32 	%r210, %r214, %r207;
	mul.rn.f32 	%r211, %r215, %r208;
	.loc	1 19 9
	add.s64 	%rd53, %rd31, 10240;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r209, %laneid;
	// end inline asm
	shr.u32 	%r216, %r209, 20;
	add.s32 	%r217, %r1, %r216;
	setp.gt.u32 	%p75, %r217, 2560;
	and.pred 	%p74, %p1, %p75;
	// begin inline asm
	@%p74 st.global.v2.b32 [%rd53], {%r210, %r211};
	// end inline asm
$L__BB0_6:
	not.pred 	%p76, %p6;
	@%p76 bra 	$L__BB0_8;
	.loc	1 19 80
	add.s64 	%rd54, %rd30, 11264;
	// begin inline asm
	mov.u32 %r218, %laneid;
	// end inline asm
	shr.u32 	%r224, %r218, 20;
	add.s32 	%r225, %r1, %r224;
	setp.gt.u32 	%p77, %r225, 2816;
	mov.b32 	%r220, 0;
	mov.b32 	%r219, %r220;
	// begin inline asm
	@%p77 ld.global.v2.b32 {%r219, %r220}, [%rd54];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r226, %r105, %r27;
	mul.rn.f32 	%r227, %r105, %r28;
	.loc	1 19 36
	mul.rn.f32 	%r222, %r226, %r219;
	mul.rn.f32 	%r223, %r227, %r220;
	.loc	1 19 9
	add.s64 	%rd55, %rd31, 11264;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r221, %laneid;
	// end inline asm
	shr.u32 	%r228, %r221, 21;
	add.s32 	%r229, %r1, %r228;
	setp.gt.u32 	%p79, %r229, 2816;
	and.pred 	%p78, %p1, %p79;
	// begin inline asm
	@%p78 st.global.v2.b32 [%rd55], {%r222, %r223};
	// end inline asm
$L__BB0_8:
	not.pred 	%p80, %p5;
	@%p80 bra 	$L__BB0_10;
	.loc	1 19 80
	add.s64 	%rd56, %rd30, 12288;
	// begin inline asm
	mov.u32 %r230, %laneid;
	// end inline asm
	shr.u32 	%r236, %r230, 21;
	add.s32 	%r237, %r1, %r236;
	setp.gt.u32 	%p81, %r237, 3072;
	mov.b32 	%r232, 0;
	mov.b32 	%r231, %r232;
	// begin inline asm
	@%p81 ld.global.v2.b32 {%r231, %r232}, [%rd56];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r238, %r105, %r29;
	mul.rn.f32 	%r239, %r105, %r30;
	.loc	1 19 36
	mul.rn.f32 	%r234, %r238, %r231;
	mul.rn.f32 	%r235, %r239, %r232;
	.loc	1 19 9
	add.s64 	%rd57, %rd31, 12288;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r233, %laneid;
	// end inline asm
	shr.u32 	%r240, %r233, 22;
	add.s32 	%r241, %r1, %r240;
	setp.gt.u32 	%p83, %r241, 3072;
	and.pred 	%p82, %p1, %p83;
	// begin inline asm
	@%p82 st.global.v2.b32 [%rd57], {%r234, %r235};
	// end inline asm
$L__BB0_10:
	not.pred 	%p84, %p4;
	@%p84 bra 	$L__BB0_12;
	.loc	1 19 80
	add.s64 	%rd58, %rd30, 13312;
	// begin inline asm
	mov.u32 %r242, %laneid;
	// end inline asm
	shr.u32 	%r248, %r242, 22;
	add.s32 	%r249, %r1, %r248;
	setp.gt.u32 	%p85, %r249, 3328;
	mov.b32 	%r244, 0;
	mov.b32 	%r243, %r244;
	// begin inline asm
	@%p85 ld.global.v2.b32 {%r243, %r244}, [%rd58];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r250, %r105, %r31;
	mul.rn.f32 	%r251, %r105, %r32;
	.loc	1 19 36
	mul.rn.f32 	%r246, %r250, %r243;
	mul.rn.f32 	%r247, %r251, %r244;
	.loc	1 19 9
	add.s64 	%rd59, %rd31, 13312;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r245, %laneid;
	// end inline asm
	shr.u32 	%r252, %r245, 23;
	add.s32 	%r253, %r1, %r252;
	setp.gt.u32 	%p87, %r253, 3328;
	and.pred 	%p86, %p1, %p87;
	// begin inline asm
	@%p86 st.global.v2.b32 [%rd59], {%r246, %r247};
	// end inline asm
$L__BB0_12:
	not.pred 	%p88, %p3;
	@%p88 bra 	$L__BB0_14;
	.loc	1 19 80
	add.s64 	%rd60, %rd30, 14336;
	// begin inline asm
	mov.u32 %r254, %laneid;
	// end inline asm
	shr.u32 	%r260, %r254, 23;
	add.s32 	%r261, %r1, %r260;
	setp.gt.u32 	%p89, %r261, 3584;
	mov.b32 	%r256, 0;
	mov.b32 	%r255, %r256;
	// begin inline asm
	@%p89 ld.global.v2.b32 {%r255, %r256}, [%rd60];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r262, %r105, %r33;
	mul.rn.f32 	%r263, %r105, %r34;
	.loc	1 19 36
	mul.rn.f32 	%r258, %r262, %r255;
	mul.rn.f32 	%r259, %r263, %r256;
	.loc	1 19 9
	add.s64 	%rd61, %rd31, 14336;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r257, %laneid;
	// end inline asm
	shr.u32 	%r264, %r257, 24;
	add.s32 	%r265, %r1, %r264;
	setp.gt.u32 	%p91, %r265, 3584;
	and.pred 	%p90, %p1, %p91;
	// begin inline asm
	@%p90 st.global.v2.b32 [%rd61], {%r258, %r259};
	// end inline asm
$L__BB0_14:
	not.pred 	%p92, %p2;
	@%p92 bra 	$L__BB0_16;
	.loc	1 19 80
	add.s64 	%rd62, %rd30, 15360;
	// begin inline asm
	mov.u32 %r266, %laneid;
	// end inline asm
	shr.u32 	%r272, %r266, 24;
	add.s32 	%r273, %r1, %r272;
	setp.gt.u32 	%p93, %r273, 3840;
	mov.b32 	%r268, 0;
	mov.b32 	%r267, %r268;
	// begin inline asm
	@%p93 ld.global.v2.b32 {%r267, %r268}, [%rd62];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r274, %r105, %r35;
	mul.rn.f32 	%r275, %r105, %r36;
	.loc	1 19 36
	mul.rn.f32 	%r270, %r274, %r267;
	mul.rn.f32 	%r271, %r275, %r268;
	.loc	1 19 9
	add.s64 	%rd63, %rd31, 15360;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r269, %laneid;
	// end inline asm
	shr.u32 	%r276, %r269, 25;
	add.s32 	%r277, %r1, %r276;
	setp.gt.u32 	%p95, %r277, 3840;
	and.pred 	%p94, %p1, %p95;
	// begin inline asm
	@%p94 st.global.v2.b32 [%rd63], {%r270, %r271};
	// end inline asm
$L__BB0_16:
	.loc	1 18 5
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__any_of1

.visible .entry rms_norm__any_of1(
	.param .u64 .ptr .global .align 1 rms_norm__any_of1_param_0,
	.param .u32 rms_norm__any_of1_param_1,
	.param .u32 rms_norm__any_of1_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__any_of1_param_3,
	.param .f32 rms_norm__any_of1_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__any_of1_param_5,
	.param .u32 rms_norm__any_of1_param_6,
	.param .u32 rms_norm__any_of1_param_7,
	.param .u32 rms_norm__any_of1_param_8,
	.param .u32 rms_norm__any_of1_param_9,
	.param .u32 rms_norm__any_of1_param_10,
	.param .u32 rms_norm__any_of1_param_11,
	.param .u32 rms_norm__any_of1_param_12,
	.param .u32 rms_norm__any_of1_param_13,
	.param .u32 rms_norm__any_of1_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<75>;
	.reg .b32 	%r<118>;
	.reg .b64 	%rd<26>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r6, %ctaid.x;
	mov.u32 	%r7, %ntid.y;
	mov.u32 	%r1, %tid.y;
	mad.lo.s32 	%r2, %r6, %r7, %r1;
	ld.param.b32 	%r8, [rms_norm__any_of1_param_6];
	setp.ge.u32 	%p1, %r2, %r8;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 5
	ld.param.b64 	%rd3, [rms_norm__any_of1_param_5];
	ld.param.b32 	%r5, [rms_norm__any_of1_param_4];
	ld.param.b64 	%rd2, [rms_norm__any_of1_param_3];
	ld.param.b32 	%r4, [rms_norm__any_of1_param_2];
	ld.param.b32 	%r3, [rms_norm__any_of1_param_1];
	ld.param.b64 	%rd1, [rms_norm__any_of1_param_0];
	.loc	1 13 5
	mov.u32 	%r50, %tid.x;
	shl.b32 	%r51, %r50, 4;
	mul.lo.s32 	%r52, %r1, 1152;
	cvt.u64.u32 	%rd10, %r52;
	mov.b64 	%rd11, tile_shared;
	add.s64 	%rd12, %rd11, %rd10;
	cvt.u32.u64 	%r53, %rd12;
	add.s32 	%r9, %r51, %r53;
	.loc	1 10 15
	and.b32 	%r54, %r2, 2147483647;
	.loc	1 13 5
	cvt.u64.u32 	%rd13, %r54;
	cvt.s64.s32 	%rd14, %r4;
	mul.lo.s64 	%rd15, %rd13, %rd14;
	shl.b64 	%rd16, %rd15, 2;
	add.s64 	%rd17, %rd1, %rd16;
	and.b64 	%rd18, %rd17, -16;
	cvt.u64.u32 	%rd19, %r51;
	add.s64 	%rd4, %rd18, %rd19;
	add.s32 	%r55, %r51, 16;
	cvt.u32.u64 	%r56, %rd17;
	and.b32 	%r13, %r56, 15;
	setp.lt.u32 	%p22, %r54, %r3;
	min.u32 	%r57, %r4, 256;
	shl.b32 	%r58, %r57, 2;
	selp.b32 	%r59, %r58, 0, %p22;
	add.s32 	%r60, %r13, %r59;
	setp.le.u32 	%p23, %r55, %r60;
	setp.ge.u32 	%p24, %r51, %r13;
	and.pred 	%p2, %p23, %p24;
	// begin inline asm
	@%p2 cp.async.cg.shared.global [%r9+0], [%rd4+0], 16;
	// end inline asm
	setp.ge.u32 	%p25, %r51, %r60;
	setp.ne.b32 	%p26, %r50, 0;
	and.pred 	%p3, %p25, %p26;
	mov.b32 	%r23, 0;
	// begin inline asm
	@%p3 st.shared.v4.b32 [%r9+0], {%r23, %r23, %r23, %r23};
	// end inline asm
	add.s32 	%r61, %r51, 528;
	setp.le.u32 	%p4, %r61, %r60;
	// begin inline asm
	@%p4 cp.async.cg.shared.global [%r9+512], [%rd4+512], 16;
	// end inline asm
	add.s32 	%r62, %r51, 512;
	setp.ge.u32 	%p5, %r62, %r60;
	// begin inline asm
	@%p5 st.shared.v4.b32 [%r9+512], {%r23, %r23, %r23, %r23};
	// end inline asm
	add.s32 	%r63, %r51, 1040;
	setp.le.u32 	%p6, %r63, %r60;
	// begin inline asm
	@%p6 cp.async.cg.shared.global [%r9+1024], [%rd4+1024], 16;
	// end inline asm
	add.s32 	%r64, %r51, 1024;
	setp.ge.u32 	%p27, %r64, %r60;
	setp.eq.b32 	%p28, %r50, 0;
	and.pred 	%p7, %p27, %p28;
	// begin inline asm
	@%p7 st.shared.v4.b32 [%r9+1024], {%r23, %r23, %r23, %r23};
	// end inline asm
	setp.gt.u32 	%p29, %r50, 3;
	setp.lt.u32 	%p30, %r50, 4;
	shl.b32 	%r65, %r50, 2;
	and.b32 	%r66, %r60, 4080;
	add.s32 	%r67, %r65, -16;
	add.s32 	%r68, %r66, %r67;
	selp.b32 	%r69, %r65, %r68, %p30;
	cvt.u64.u32 	%rd20, %r69;
	add.s64 	%rd5, %rd18, %rd20;
	setp.ge.u32 	%p31, %r69, %r13;
	setp.lt.u32 	%p32, %r69, %r60;
	and.pred 	%p33, %p31, %p32;
	setp.ne.b32 	%p34, %r13, 0;
	setp.gt.u32 	%p35, %r60, 15;
	setp.lt.u32 	%p36, %r60, 16;
	or.pred 	%p37, %p34, %p36;
	setp.lt.u32 	%p38, %r50, 8;
	setp.ne.b32 	%p39, %r66, %r60;
	and.pred 	%p40, %p39, %p35;
	and.pred 	%p41, %p38, %p40;
	and.pred 	%p42, %p29, %p41;
	and.pred 	%p43, %p30, %p37;
	or.pred 	%p9, %p43, %p42;
	and.pred 	%p8, %p33, %p9;
	mov.b32 	%r10, %r23;
	// begin inline asm
	@%p8 ld.global.b32 %r10, [%rd5];
	// end inline asm
	add.s32 	%r11, %r69, %r53;
	// begin inline asm
	@%p9 st.shared.b32 [%r11+0], %r10;
	// end inline asm
	// begin inline asm
	cp.async.commit_group;
	// end inline asm
	// begin inline asm
	cp.async.wait_group 0;
	// end inline asm
	bar.warp.sync 	-1;
	// begin inline asm
	mov.b32 %r12, %r13;
	// end inline asm
	add.s32 	%r70, %r65, %r12;
	add.s32 	%r15, %r70, %r53;
	// begin inline asm
	ld.shared.b32 %r14, [%r15+0];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r16, [%r15+128];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r17, [%r15+256];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r18, [%r15+384];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r19, [%r15+512];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r20, [%r15+640];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r21, [%r15+768];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r22, [%r15+896];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r71, %r14, %r14, 0f00000000;
	fma.rn.f32 	%r72, %r16, %r16, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r73, %r71, %r72;
	.loc	1 15 19
	fma.rn.f32 	%r74, %r17, %r17, 0f00000000;
	fma.rn.f32 	%r75, %r18, %r18, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r76, %r74, %r75;
	add.rn.f32 	%r77, %r73, %r76;
	.loc	1 15 19
	fma.rn.f32 	%r78, %r19, %r19, 0f00000000;
	fma.rn.f32 	%r79, %r20, %r20, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r80, %r78, %r79;
	.loc	1 15 19
	fma.rn.f32 	%r81, %r21, %r21, 0f00000000;
	fma.rn.f32 	%r82, %r22, %r22, 0f00000000;
	.loc	1 17 23
	add.rn.f32 	%r83, %r81, %r82;
	add.rn.f32 	%r84, %r80, %r83;
	add.rn.f32 	%r85, %r77, %r84;
	shfl.sync.bfly.b32 	%r86, %r85, 1, 31, -1;
	add.rn.f32 	%r87, %r85, %r86;
	shfl.sync.bfly.b32 	%r88, %r87, 2, 31, -1;
	add.rn.f32 	%r89, %r87, %r88;
	shfl.sync.bfly.b32 	%r90, %r89, 4, 31, -1;
	add.rn.f32 	%r91, %r89, %r90;
	shfl.sync.bfly.b32 	%r92, %r91, 8, 31, -1;
	add.rn.f32 	%r93, %r91, %r92;
	shfl.sync.bfly.b32 	%r94, %r93, 16, 31, -1;
	.loc	1 19 80
	bar.warp.sync 	-1;
	and.b64 	%rd21, %rd2, -16;
	add.s64 	%rd6, %rd21, %rd19;
	cvt.u32.u64 	%r95, %rd2;
	and.b32 	%r26, %r95, 15;
	add.s32 	%r96, %r26, %r58;
	setp.le.u32 	%p44, %r55, %r96;
	setp.ge.u32 	%p45, %r51, %r26;
	and.pred 	%p10, %p44, %p45;
	// begin inline asm
	@%p10 cp.async.ca.shared.global [%r9+0], [%rd6+0], 16;
	// end inline asm
	setp.ge.u32 	%p46, %r51, %r96;
	and.pred 	%p11, %p46, %p26;
	// begin inline asm
	@%p11 st.shared.v4.b32 [%r9+0], {%r23, %r23, %r23, %r23};
	// end inline asm
	setp.le.u32 	%p12, %r61, %r96;
	// begin inline asm
	@%p12 cp.async.ca.shared.global [%r9+512], [%rd6+512], 16;
	// end inline asm
	setp.ge.u32 	%p13, %r62, %r96;
	// begin inline asm
	@%p13 st.shared.v4.b32 [%r9+512], {%r23, %r23, %r23, %r23};
	// end inline asm
	setp.le.u32 	%p14, %r63, %r96;
	// begin inline asm
	@%p14 cp.async.ca.shared.global [%r9+1024], [%rd6+1024], 16;
	// end inline asm
	setp.ge.u32 	%p47, %r64, %r96;
	and.pred 	%p15, %p47, %p28;
	// begin inline asm
	@%p15 st.shared.v4.b32 [%r9+1024], {%r23, %r23, %r23, %r23};
	// end inline asm
	and.b32 	%r97, %r96, 4080;
	add.s32 	%r98, %r97, %r67;
	selp.b32 	%r99, %r65, %r98, %p30;
	cvt.u64.u32 	%rd22, %r99;
	add.s64 	%rd7, %rd21, %rd22;
	setp.ge.u32 	%p48, %r99, %r26;
	setp.lt.u32 	%p49, %r99, %r96;
	and.pred 	%p50, %p48, %p49;
	setp.ne.b32 	%p51, %r26, 0;
	setp.gt.u32 	%p52, %r96, 15;
	setp.lt.u32 	%p53, %r96, 16;
	or.pred 	%p54, %p51, %p53;
	setp.ne.b32 	%p55, %r97, %r96;
	and.pred 	%p56, %p55, %p52;
	and.pred 	%p57, %p38, %p56;
	and.pred 	%p58, %p29, %p57;
	and.pred 	%p59, %p30, %p54;
	or.pred 	%p17, %p59, %p58;
	and.pred 	%p16, %p50, %p17;
	// begin inline asm
	@%p16 ld.global.b32 %r23, [%rd7];
	// end inline asm
	add.s32 	%r24, %r99, %r53;
	// begin inline asm
	@%p17 st.shared.b32 [%r24+0], %r23;
	// end inline asm
	// begin inline asm
	cp.async.commit_group;
	// end inline asm
	// begin inline asm
	cp.async.wait_group 0;
	// end inline asm
	bar.warp.sync 	-1;
	// begin inline asm
	mov.b32 %r25, %r26;
	// end inline asm
	.loc	1 17 23
	add.rn.f32 	%r100, %r93, %r94;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r101, %r4;
	.loc	1 17 23
	div.rn.f32 	%r102, %r100, %r101;
	add.rn.f32 	%r28, %r102, %r5;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r27, %r28;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r103, %r27, %r14;
	mul.rn.f32 	%r104, %r27, %r16;
	mul.rn.f32 	%r105, %r27, %r17;
	mul.rn.f32 	%r106, %r27, %r18;
	mul.rn.f32 	%r107, %r27, %r19;
	mul.rn.f32 	%r108, %r27, %r20;
	mul.rn.f32 	%r109, %r27, %r21;
	mul.rn.f32 	%r110, %r27, %r22;
	.loc	1 19 80
	add.s32 	%r111, %r65, %r25;
	add.s32 	%r30, %r111, %r53;
	// begin inline asm
	ld.shared.b32 %r29, [%r30+0];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r31, [%r30+128];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r32, [%r30+256];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r33, [%r30+384];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r34, [%r30+512];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r35, [%r30+640];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r36, [%r30+768];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r37, [%r30+896];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd23, %rd3, %rd16;
	cvt.u32.u64 	%r112, %rd23;
	and.b32 	%r39, %r112, 15;
	// begin inline asm
	mov.b32 %r38, %r39;
	// end inline asm
	add.s32 	%r113, %r65, %r38;
	add.s32 	%r40, %r113, %r53;
	.loc	1 19 36
	mul.rn.f32 	%r41, %r103, %r29;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+0], %r41;
	// end inline asm
	.loc	1 19 36
	mul.rn.f32 	%r42, %r104, %r31;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+128], %r42;
	// end inline asm
	.loc	1 19 36
	mul.rn.f32 	%r43, %r105, %r32;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+256], %r43;
	// end inline asm
	.loc	1 19 36
	mul.rn.f32 	%r44, %r106, %r33;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+384], %r44;
	// end inline asm
	.loc	1 19 36
	mul.rn.f32 	%r45, %r107, %r34;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+512], %r45;
	// end inline asm
	.loc	1 19 36
	mul.rn.f32 	%r46, %r108, %r35;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+640], %r46;
	// end inline asm
	.loc	1 19 36
	mul.rn.f32 	%r47, %r109, %r36;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+768], %r47;
	// end inline asm
	.loc	1 19 36
	mul.rn.f32 	%r48, %r110, %r37;
	.loc	1 19 9
	// begin inline asm
	st.shared.b32 [%r40+896], %r48;
	// end inline asm
	bar.warp.sync 	-1;
	and.b64 	%rd24, %rd23, -16;
	add.s64 	%rd8, %rd24, %rd19;
	add.s32 	%r114, %r39, %r59;
	setp.le.u32 	%p60, %r55, %r114;
	setp.ge.u32 	%p61, %r51, %r39;
	and.pred 	%p18, %p60, %p61;
	// begin inline asm
	{
.reg .b32 %a, %b, %c, %d;
@%p18 ld.shared.v4.b32 {%a, %b, %c, %d}, [%r9+0];
@%p18 st.global.v4.b32 [%rd8+0], {%a, %b, %c, %d};
}
	// end inline asm
	setp.le.u32 	%p19, %r61, %r114;
	// begin inline asm
	{
.reg .b32 %a, %b, %c, %d;
@%p19 ld.shared.v4.b32 {%a, %b, %c, %d}, [%r9+512];
@%p19 st.global.v4.b32 [%rd8+512], {%a, %b, %c, %d};
}
	// end inline asm
	setp.le.u32 	%p20, %r63, %r114;
	// begin inline asm
	{
.reg .b32 %a, %b, %c, %d;
@%p20 ld.shared.v4.b32 {%a, %b, %c, %d}, [%r9+1024];
@%p20 st.global.v4.b32 [%rd8+1024], {%a, %b, %c, %d};
}
	// end inline asm
	and.b32 	%r115, %r114, 4080;
	add.s32 	%r116, %r115, %r67;
	selp.b32 	%r117, %r65, %r116, %p30;
	add.s32 	%r49, %r117, %r53;
	cvt.u64.u32 	%rd25, %r117;
	add.s64 	%rd9, %rd24, %rd25;
	setp.ge.u32 	%p62, %r117, %r39;
	setp.lt.u32 	%p63, %r117, %r114;
	and.pred 	%p64, %p62, %p63;
	setp.ne.b32 	%p65, %r39, 0;
	setp.gt.u32 	%p66, %r114, 15;
	setp.lt.u32 	%p67, %r114, 16;
	or.pred 	%p68, %p65, %p67;
	setp.ne.b32 	%p69, %r115, %r114;
	and.pred 	%p70, %p69, %p66;
	and.pred 	%p71, %p38, %p70;
	and.pred 	%p72, %p29, %p71;
	and.pred 	%p73, %p30, %p68;
	or.pred 	%p74, %p73, %p72;
	and.pred 	%p21, %p64, %p74;
	// begin inline asm
	{
.reg .b32 %a;
@%p21 ld.shared.b32 %a, [%r49+0];
@%p21 st.global.b32 [%rd9], %a;
}
	// end inline asm
$L__BB0_2:
	.loc	1 18 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__any_of2

.visible .entry rms_norm__any_of2(
	.param .u64 .ptr .global .align 1 rms_norm__any_of2_param_0,
	.param .u32 rms_norm__any_of2_param_1,
	.param .u32 rms_norm__any_of2_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__any_of2_param_3,
	.param .f32 rms_norm__any_of2_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__any_of2_param_5,
	.param .u32 rms_norm__any_of2_param_6,
	.param .u32 rms_norm__any_of2_param_7,
	.param .u32 rms_norm__any_of2_param_8,
	.param .u32 rms_norm__any_of2_param_9,
	.param .u32 rms_norm__any_of2_param_10,
	.param .u32 rms_norm__any_of2_param_11,
	.param .u32 rms_norm__any_of2_param_12,
	.param .u32 rms_norm__any_of2_param_13,
	.param .u32 rms_norm__any_of2_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<104>;
	.reg .b32 	%r<153>;
	.reg .b64 	%rd<57>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r6, %ctaid.x;
	mov.u32 	%r7, %ntid.y;
	mov.u32 	%r1, %tid.y;
	mad.lo.s32 	%r2, %r6, %r7, %r1;
	ld.param.b32 	%r8, [rms_norm__any_of2_param_6];
	setp.ge.u32 	%p1, %r2, %r8;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 5
	ld.param.b64 	%rd3, [rms_norm__any_of2_param_5];
	ld.param.b32 	%r5, [rms_norm__any_of2_param_4];
	ld.param.b64 	%rd2, [rms_norm__any_of2_param_3];
	ld.param.b32 	%r4, [rms_norm__any_of2_param_2];
	ld.param.b32 	%r3, [rms_norm__any_of2_param_1];
	ld.param.b64 	%rd1, [rms_norm__any_of2_param_0];
	.loc	1 13 5
	mov.u32 	%r71, %tid.x;
	shl.b32 	%r72, %r71, 4;
	mul.lo.s32 	%r73, %r1, 1152;
	cvt.u64.u32 	%rd40, %r73;
	mov.b64 	%rd41, tile_shared;
	add.s64 	%rd42, %rd41, %rd40;
	cvt.u32.u64 	%r74, %rd42;
	add.s32 	%r9, %r72, %r74;
	.loc	1 10 15
	and.b32 	%r75, %r2, 2147483647;
	.loc	1 13 5
	cvt.u64.u32 	%rd43, %r75;
	cvt.s64.s32 	%rd44, %r4;
	mul.lo.s64 	%rd45, %rd43, %rd44;
	shl.b64 	%rd46, %rd45, 2;
	add.s64 	%rd47, %rd1, %rd46;
	and.b64 	%rd48, %rd47, -16;
	cvt.u64.u32 	%rd49, %r72;
	add.s64 	%rd4, %rd48, %rd49;
	add.s32 	%r76, %r72, 16;
	cvt.u32.u64 	%r77, %rd47;
	and.b32 	%r21, %r77, 15;
	setp.lt.u32 	%p50, %r75, %r3;
	min.u32 	%r78, %r4, 256;
	shl.b32 	%r79, %r78, 2;
	selp.b32 	%r80, %r79, 0, %p50;
	add.s32 	%r81, %r21, %r80;
	setp.le.u32 	%p51, %r76, %r81;
	setp.ge.u32 	%p52, %r72, %r21;
	and.pred 	%p2, %p51, %p52;
	// begin inline asm
	@%p2 cp.async.cg.shared.global [%r9+0], [%rd4+0], 16;
	// end inline asm
	setp.ge.u32 	%p53, %r72, %r81;
	setp.ne.b32 	%p54, %r71, 0;
	and.pred 	%p3, %p53, %p54;
	mov.b32 	%r62, 0;
	// begin inline asm
	@%p3 st.shared.v4.b32 [%r9+0], {%r62, %r62, %r62, %r62};
	// end inline asm
	add.s32 	%r82, %r72, 528;
	setp.le.u32 	%p4, %r82, %r81;
	// begin inline asm
	@%p4 cp.async.cg.shared.global [%r9+512], [%rd4+512], 16;
	// end inline asm
	add.s32 	%r83, %r72, 512;
	setp.ge.u32 	%p5, %r83, %r81;
	// begin inline asm
	@%p5 st.shared.v4.b32 [%r9+512], {%r62, %r62, %r62, %r62};
	// end inline asm
	add.s32 	%r84, %r72, 1040;
	setp.le.u32 	%p6, %r84, %r81;
	// begin inline asm
	@%p6 cp.async.cg.shared.global [%r9+1024], [%rd4+1024], 16;
	// end inline asm
	add.s32 	%r85, %r72, 1024;
	setp.ge.u32 	%p55, %r85, %r81;
	setp.eq.b32 	%p56, %r71, 0;
	and.pred 	%p7, %p55, %p56;
	// begin inline asm
	@%p7 st.shared.v4.b32 [%r9+1024], {%r62, %r62, %r62, %r62};
	// end inline asm
	setp.gt.u32 	%p57, %r71, 3;
	setp.lt.u32 	%p58, %r71, 4;
	shl.b32 	%r86, %r71, 2;
	and.b32 	%r87, %r81, 4080;
	add.s32 	%r88, %r86, -16;
	add.s32 	%r89, %r87, %r88;
	selp.b32 	%r90, %r86, %r89, %p58;
	cvt.u64.u32 	%rd50, %r90;
	add.s64 	%rd5, %rd48, %rd50;
	setp.ge.u32 	%p59, %r90, %r21;
	setp.lt.u32 	%p60, %r90, %r81;
	and.pred 	%p61, %p59, %p60;
	setp.ne.b32 	%p62, %r21, 0;
	setp.gt.u32 	%p63, %r81, 15;
	setp.lt.u32 	%p64, %r81, 16;
	or.pred 	%p65, %p62, %p64;
	setp.lt.u32 	%p66, %r71, 8;
	setp.ne.b32 	%p67, %r87, %r81;
	and.pred 	%p68, %p67, %p63;
	and.pred 	%p69, %p66, %p68;
	and.pred 	%p70, %p57, %p69;
	and.pred 	%p71, %p58, %p65;
	or.pred 	%p17, %p71, %p70;
	and.pred 	%p8, %p61, %p17;
	mov.b32 	%r10, %r62;
	// begin inline asm
	@%p8 ld.global.b32 %r10, [%rd5];
	// end inline asm
	mul.wide.u32 	%rd51, %r71, 4;
	add.s64 	%rd52, %rd47, %rd51;
	add.s64 	%rd6, %rd52, 1024;
	max.u32 	%r91, %r4, %r71;
	sub.s32 	%r92, %r91, %r71;
	setp.gt.u32 	%p72, %r92, 256;
	and.pred 	%p9, %p50, %p72;
	mov.b32 	%r11, %r62;
	// begin inline asm
	@%p9 ld.global.b32 %r11, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd52, 1152;
	setp.gt.u32 	%p73, %r92, 288;
	and.pred 	%p10, %p50, %p73;
	mov.b32 	%r12, %r62;
	// begin inline asm
	@%p10 ld.global.b32 %r12, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd52, 1280;
	setp.gt.u32 	%p74, %r92, 320;
	and.pred 	%p11, %p50, %p74;
	mov.b32 	%r13, %r62;
	// begin inline asm
	@%p11 ld.global.b32 %r13, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd52, 1408;
	setp.gt.u32 	%p75, %r92, 352;
	and.pred 	%p12, %p50, %p75;
	mov.b32 	%r14, %r62;
	// begin inline asm
	@%p12 ld.global.b32 %r14, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd52, 1536;
	setp.gt.u32 	%p76, %r92, 384;
	and.pred 	%p13, %p50, %p76;
	mov.b32 	%r15, %r62;
	// begin inline asm
	@%p13 ld.global.b32 %r15, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd52, 1664;
	setp.gt.u32 	%p77, %r92, 416;
	and.pred 	%p14, %p50, %p77;
	mov.b32 	%r16, %r62;
	// begin inline asm
	@%p14 ld.global.b32 %r16, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd52, 1792;
	setp.gt.u32 	%p78, %r92, 448;
	and.pred 	%p15, %p50, %p78;
	mov.b32 	%r17, %r62;
	// begin inline asm
	@%p15 ld.global.b32 %r17, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd52, 1920;
	setp.gt.u32 	%p79, %r92, 480;
	and.pred 	%p16, %p50, %p79;
	mov.b32 	%r18, %r62;
	// begin inline asm
	@%p16 ld.global.b32 %r18, [%rd13];
	// end inline asm
	add.s32 	%r19, %r90, %r74;
	// begin inline asm
	@%p17 st.shared.b32 [%r19+0], %r10;
	// end inline asm
	// begin inline asm
	cp.async.commit_group;
	// end inline asm
	// begin inline asm
	cp.async.wait_group 0;
	// end inline asm
	bar.warp.sync 	-1;
	// begin inline asm
	mov.b32 %r20, %r21;
	// end inline asm
	add.s32 	%r93, %r86, %r20;
	add.s32 	%r23, %r93, %r74;
	// begin inline asm
	ld.shared.b32 %r22, [%r23+0];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r24, [%r23+128];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r25, [%r23+256];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r26, [%r23+384];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r27, [%r23+512];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r28, [%r23+640];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r29, [%r23+768];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r30, [%r23+896];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r94, %r22, %r22, 0f00000000;
	fma.rn.f32 	%r95, %r11, %r11, %r94;
	fma.rn.f32 	%r96, %r24, %r24, 0f00000000;
	fma.rn.f32 	%r97, %r12, %r12, %r96;
	.loc	1 17 23
	add.rn.f32 	%r98, %r95, %r97;
	.loc	1 15 19
	fma.rn.f32 	%r99, %r25, %r25, 0f00000000;
	fma.rn.f32 	%r100, %r13, %r13, %r99;
	fma.rn.f32 	%r101, %r26, %r26, 0f00000000;
	fma.rn.f32 	%r102, %r14, %r14, %r101;
	.loc	1 17 23
	add.rn.f32 	%r103, %r100, %r102;
	add.rn.f32 	%r104, %r98, %r103;
	.loc	1 15 19
	fma.rn.f32 	%r105, %r27, %r27, 0f00000000;
	fma.rn.f32 	%r106, %r15, %r15, %r105;
	fma.rn.f32 	%r107, %r28, %r28, 0f00000000;
	fma.rn.f32 	%r108, %r16, %r16, %r107;
	.loc	1 17 23
	add.rn.f32 	%r109, %r106, %r108;
	.loc	1 15 19
	fma.rn.f32 	%r110, %r29, %r29, 0f00000000;
	fma.rn.f32 	%r111, %r17, %r17, %r110;
	fma.rn.f32 	%r112, %r30, %r30, 0f00000000;
	fma.rn.f32 	%r113, %r18, %r18, %r112;
	.loc	1 17 23
	add.rn.f32 	%r114, %r111, %r113;
	add.rn.f32 	%r115, %r109, %r114;
	add.rn.f32 	%r116, %r104, %r115;
	shfl.sync.bfly.b32 	%r117, %r116, 1, 31, -1;
	add.rn.f32 	%r118, %r116, %r117;
	shfl.sync.bfly.b32 	%r119, %r118, 2, 31, -1;
	add.rn.f32 	%r120, %r118, %r119;
	shfl.sync.bfly.b32 	%r121, %r120, 4, 31, -1;
	add.rn.f32 	%r122, %r120, %r121;
	shfl.sync.bfly.b32 	%r123, %r122, 8, 31, -1;
	add.rn.f32 	%r124, %r122, %r123;
	shfl.sync.bfly.b32 	%r125, %r124, 16, 31, -1;
	.loc	1 19 80
	bar.warp.sync 	-1;
	and.b64 	%rd53, %rd2, -16;
	add.s64 	%rd14, %rd53, %rd49;
	cvt.u32.u64 	%r126, %rd2;
	and.b32 	%r34, %r126, 15;
	add.s32 	%r127, %r34, %r79;
	setp.le.u32 	%p80, %r76, %r127;
	setp.ge.u32 	%p81, %r72, %r34;
	and.pred 	%p18, %p80, %p81;
	// begin inline asm
	@%p18 cp.async.ca.shared.global [%r9+0], [%rd14+0], 16;
	// end inline asm
	setp.ge.u32 	%p82, %r72, %r127;
	and.pred 	%p19, %p82, %p54;
	// begin inline asm
	@%p19 st.shared.v4.b32 [%r9+0], {%r62, %r62, %r62, %r62};
	// end inline asm
	setp.le.u32 	%p20, %r82, %r127;
	// begin inline asm
	@%p20 cp.async.ca.shared.global [%r9+512], [%rd14+512], 16;
	// end inline asm
	setp.ge.u32 	%p21, %r83, %r127;
	// begin inline asm
	@%p21 st.shared.v4.b32 [%r9+512], {%r62, %r62, %r62, %r62};
	// end inline asm
	setp.le.u32 	%p22, %r84, %r127;
	// begin inline asm
	@%p22 cp.async.ca.shared.global [%r9+1024], [%rd14+1024], 16;
	// end inline asm
	setp.ge.u32 	%p83, %r85, %r127;
	and.pred 	%p23, %p83, %p56;
	// begin inline asm
	@%p23 st.shared.v4.b32 [%r9+1024], {%r62, %r62, %r62, %r62};
	// end inline asm
	and.b32 	%r128, %r127, 4080;
	add.s32 	%r129, %r128, %r88;
	selp.b32 	%r130, %r86, %r129, %p58;
	cvt.u64.u32 	%rd54, %r130;
	add.s64 	%rd15, %rd53, %rd54;
	setp.ge.u32 	%p84, %r130, %r34;
	setp.lt.u32 	%p85, %r130, %r127;
	and.pred 	%p86, %p84, %p85;
	setp.ne.b32 	%p87, %r34, 0;
	setp.gt.u32 	%p88, %r127, 15;
	setp.lt.u32 	%p89, %r127, 16;
	or.pred 	%p90, %p87, %p89;
	setp.ne.b32 	%p91, %r128, %r127;
	and.pred 	%p92, %p91, %p88;
	and.pred 	%p93, %p66, %p92;
	and.pred 	%p94, %p57, %p93;
	and.pred 	%p95, %p58, %p90;
	or.pred 	%p25, %p95, %p94;
	and.pred 	%p24, %p86, %p25;
	mov.b32 	%r31, %r62;
	// begin inline asm
	@%p24 ld.global.b32 %r31, [%rd15];
	// end inline asm
	add.s32 	%r32, %r130, %r74;
	// begin inline asm
	@%p25 st.shared.b32 [%r32+0], %r31;
	// end inline asm
	// begin inline asm
	cp.async.commit_group;
	// end inline asm
	// begin inline asm
	cp.async.wait_group 0;
	// end inline asm
	bar.warp.sync 	-1;
	// begin inline asm
	mov.b32 %r33, %r34;
	// end inline asm
	.loc	1 17 23
	add.rn.f32 	%r131, %r124, %r125;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r132, %r4;
	.loc	1 17 23
	div.rn.f32 	%r133, %r131, %r132;
	add.rn.f32 	%r36, %r133, %r5;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r35, %r36;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r134, %r35, %r22;
	mul.rn.f32 	%r135, %r35, %r24;
	mul.rn.f32 	%r136, %r35, %r25;
	mul.rn.f32 	%r137, %r35, %r26;
	mul.rn.f32 	%r138, %r35, %r27;
	mul.rn.f32 	%r139, %r35, %r28;
	mul.rn.f32 	%r140, %r35, %r29;
	mul.rn.f32 	%r141, %r35, %r30;
	.loc	1 19 80
	add.s32 	%r142, %r86, %r33;
	add.s32 	%r38, %r142, %r74;
	// begin inline asm
	ld.shared.b32 %r37, [%r38+0];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r39, [%r38+128];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r40, [%r38+256];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r41, [%r38+384];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r42, [%r38+512];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r43, [%r38+640];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r44, [%r38+768];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r45, [%r38+896];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd55, %rd3, %rd46;
	add.s64 	%rd16, %rd55, %rd51;
	.loc	1 19 36
	mul.rn.f32 	%r47, %r134, %r37;
	.loc	1 19 9
	// begin inline asm
	mov.u32 %r46, %laneid;
	// end inline asm
	shr.u32 	%r143, %r46, 9;
	add.s32 	%r144, %r92, %r143;
	setp.ne.b32 	%p96, %r144, 0;
	and.pred 	%p26, %p50, %p96;
	// begin inline asm
	@%p26 st.global.b32 [%rd16], %r47;
	// end inline asm
	add.s64 	%rd17, %rd16, 128;
	.loc	1 19 36
	mul.rn.f32 	%r48, %r135, %r39;
	.loc	1 19 9
	setp.gt.u32 	%p97, %r144, 32;
	and.pred 	%p27, %p50, %p97;
	// begin inline asm
	@%p27 st.global.b32 [%rd17], %r48;
	// end inline asm
	add.s64 	%rd18, %rd16, 256;
	.loc	1 19 36
	mul.rn.f32 	%r49, %r136, %r40;
	.loc	1 19 9
	setp.gt.u32 	%p98, %r144, 64;
	and.pred 	%p28, %p50, %p98;
	// begin inline asm
	@%p28 st.global.b32 [%rd18], %r49;
	// end inline asm
	add.s64 	%rd19, %rd16, 384;
	.loc	1 19 36
	mul.rn.f32 	%r50, %r137, %r41;
	.loc	1 19 9
	setp.gt.u32 	%p99, %r144, 96;
	and.pred 	%p29, %p50, %p99;
	// begin inline asm
	@%p29 st.global.b32 [%rd19], %r50;
	// end inline asm
	add.s64 	%rd20, %rd16, 512;
	.loc	1 19 36
	mul.rn.f32 	%r51, %r138, %r42;
	.loc	1 19 9
	setp.gt.u32 	%p100, %r144, 128;
	and.pred 	%p30, %p50, %p100;
	// begin inline asm
	@%p30 st.global.b32 [%rd20], %r51;
	// end inline asm
	add.s64 	%rd21, %rd16, 640;
	.loc	1 19 36
	mul.rn.f32 	%r52, %r139, %r43;
	.loc	1 19 9
	setp.gt.u32 	%p101, %r144, 160;
	and.pred 	%p31, %p50, %p101;
	// begin inline asm
	@%p31 st.global.b32 [%rd21], %r52;
	// end inline asm
	add.s64 	%rd22, %rd16, 768;
	.loc	1 19 36
	mul.rn.f32 	%r53, %r140, %r44;
	.loc	1 19 9
	setp.gt.u32 	%p102, %r144, 192;
	and.pred 	%p32, %p50, %p102;
	// begin inline asm
	@%p32 st.global.b32 [%rd22], %r53;
	// end inline asm
	add.s64 	%rd23, %rd16, 896;
	.loc	1 19 36
	mul.rn.f32 	%r54, %r141, %r45;
	.loc	1 19 9
	setp.gt.u32 	%p103, %r144, 224;
	and.pred 	%p33, %p50, %p103;
	// begin inline asm
	@%p33 st.global.b32 [%rd23], %r54;
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd56, %rd2, %rd51;
	add.s64 	%rd24, %rd56, 1024;
	setp.gt.u32 	%p34, %r144, 256;
	mov.b32 	%r55, %r62;
	// begin inline asm
	@%p34 ld.global.b32 %r55, [%rd24];
	// end inline asm
	add.s64 	%rd25, %rd56, 1152;
	setp.gt.u32 	%p35, %r144, 288;
	mov.b32 	%r56, %r62;
	// begin inline asm
	@%p35 ld.global.b32 %r56, [%rd25];
	// end inline asm
	add.s64 	%rd26, %rd56, 1280;
	setp.gt.u32 	%p36, %r144, 320;
	mov.b32 	%r57, %r62;
	// begin inline asm
	@%p36 ld.global.b32 %r57, [%rd26];
	// end inline asm
	add.s64 	%rd27, %rd56, 1408;
	setp.gt.u32 	%p37, %r144, 352;
	mov.b32 	%r58, %r62;
	// begin inline asm
	@%p37 ld.global.b32 %r58, [%rd27];
	// end inline asm
	add.s64 	%rd28, %rd56, 1536;
	setp.gt.u32 	%p38, %r144, 384;
	mov.b32 	%r59, %r62;
	// begin inline asm
	@%p38 ld.global.b32 %r59, [%rd28];
	// end inline asm
	add.s64 	%rd29, %rd56, 1664;
	setp.gt.u32 	%p39, %r144, 416;
	mov.b32 	%r60, %r62;
	// begin inline asm
	@%p39 ld.global.b32 %r60, [%rd29];
	// end inline asm
	add.s64 	%rd30, %rd56, 1792;
	setp.gt.u32 	%p40, %r144, 448;
	mov.b32 	%r61, %r62;
	// begin inline asm
	@%p40 ld.global.b32 %r61, [%rd30];
	// end inline asm
	add.s64 	%rd31, %rd56, 1920;
	setp.gt.u32 	%p41, %r144, 480;
	// begin inline asm
	@%p41 ld.global.b32 %r62, [%rd31];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd32, %rd16, 1024;
	.loc	1 19 37
	mul.rn.f32 	%r145, %r35, %r11;
	.loc	1 19 36
	mul.rn.f32 	%r63, %r145, %r55;
	.loc	1 19 9
	and.pred 	%p42, %p50, %p34;
	// begin inline asm
	@%p42 st.global.b32 [%rd32], %r63;
	// end inline asm
	add.s64 	%rd33, %rd16, 1152;
	.loc	1 19 37
	mul.rn.f32 	%r146, %r35, %r12;
	.loc	1 19 36
	mul.rn.f32 	%r64, %r146, %r56;
	.loc	1 19 9
	and.pred 	%p43, %p50, %p35;
	// begin inline asm
	@%p43 st.global.b32 [%rd33], %r64;
	// end inline asm
	add.s64 	%rd34, %rd16, 1280;
	.loc	1 19 37
	mul.rn.f32 	%r147, %r35, %r13;
	.loc	1 19 36
	mul.rn.f32 	%r65, %r147, %r57;
	.loc	1 19 9
	and.pred 	%p44, %p50, %p36;
	// begin inline asm
	@%p44 st.global.b32 [%rd34], %r65;
	// end inline asm
	add.s64 	%rd35, %rd16, 1408;
	.loc	1 19 37
	mul.rn.f32 	%r148, %r35, %r14;
	.loc	1 19 36
	mul.rn.f32 	%r66, %r148, %r58;
	.loc	1 19 9
	and.pred 	%p45, %p50, %p37;
	// begin inline asm
	@%p45 st.global.b32 [%rd35], %r66;
	// end inline asm
	add.s64 	%rd36, %rd16, 1536;
	.loc	1 19 37
	mul.rn.f32 	%r149, %r35, %r15;
	.loc	1 19 36
	mul.rn.f32 	%r67, %r149, %r59;
	.loc	1 19 9
	and.pred 	%p46, %p50, %p38;
	// begin inline asm
	@%p46 st.global.b32 [%rd36], %r67;
	// end inline asm
	add.s64 	%rd37, %rd16, 1664;
	.loc	1 19 37
	mul.rn.f32 	%r150, %r35, %r16;
	.loc	1 19 36
	mul.rn.f32 	%r68, %r150, %r60;
	.loc	1 19 9
	and.pred 	%p47, %p50, %p39;
	// begin inline asm
	@%p47 st.global.b32 [%rd37], %r68;
	// end inline asm
	add.s64 	%rd38, %rd16, 1792;
	.loc	1 19 37
	mul.rn.f32 	%r151, %r35, %r17;
	.loc	1 19 36
	mul.rn.f32 	%r69, %r151, %r61;
	.loc	1 19 9
	and.pred 	%p48, %p50, %p40;
	// begin inline asm
	@%p48 st.global.b32 [%rd38], %r69;
	// end inline asm
	add.s64 	%rd39, %rd16, 1920;
	.loc	1 19 37
	mul.rn.f32 	%r152, %r35, %r18;
	.loc	1 19 36
	mul.rn.f32 	%r70, %r152, %r62;
	.loc	1 19 9
	and.pred 	%p49, %p50, %p41;
	// begin inline asm
	@%p49 st.global.b32 [%rd39], %r70;
	// end inline asm
$L__BB0_2:
	.loc	1 18 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__any_of4

.visible .entry rms_norm__any_of4(
	.param .u64 .ptr .global .align 1 rms_norm__any_of4_param_0,
	.param .u32 rms_norm__any_of4_param_1,
	.param .u32 rms_norm__any_of4_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__any_of4_param_3,
	.param .f32 rms_norm__any_of4_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__any_of4_param_5,
	.param .u32 rms_norm__any_of4_param_6,
	.param .u32 rms_norm__any_of4_param_7,
	.param .u32 rms_norm__any_of4_param_8,
	.param .u32 rms_norm__any_of4_param_9,
	.param .u32 rms_norm__any_of4_param_10,
	.param .u32 rms_norm__any_of4_param_11,
	.param .u32 rms_norm__any_of4_param_12,
	.param .u32 rms_norm__any_of4_param_13,
	.param .u32 rms_norm__any_of4_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<134>;
	.reg .b32 	%r<192>;
	.reg .b64 	%rd<109>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r6, %ctaid.x;
	mov.u32 	%r7, %ntid.y;
	mov.u32 	%r8, %tid.y;
	mad.lo.s32 	%r1, %r6, %r7, %r8;
	ld.param.b32 	%r9, [rms_norm__any_of4_param_6];
	setp.ge.u32 	%p3, %r1, %r9;
	@%p3 bra 	$L__BB0_5;
	.loc	1 0 5
	ld.param.b64 	%rd5, [rms_norm__any_of4_param_5];
	ld.param.b32 	%r5, [rms_norm__any_of4_param_4];
	ld.param.b64 	%rd4, [rms_norm__any_of4_param_3];
	ld.param.b32 	%r4, [rms_norm__any_of4_param_2];
	ld.param.b32 	%r3, [rms_norm__any_of4_param_1];
	ld.param.b64 	%rd3, [rms_norm__any_of4_param_0];
	.loc	1 10 15
	and.b32 	%r42, %r1, 2147483647;
	.loc	1 13 5
	cvt.u64.u32 	%rd38, %r42;
	cvt.s64.s32 	%rd39, %r4;
	mul.lo.s64 	%rd1, %rd38, %rd39;
	shl.b64 	%rd40, %rd1, 2;
	add.s64 	%rd41, %rd3, %rd40;
	mov.u32 	%r43, %tid.x;
	cvt.u64.u32 	%rd2, %r43;
	mul.wide.u32 	%rd42, %r43, 4;
	add.s64 	%rd6, %rd41, %rd42;
	setp.lt.u32 	%p1, %r42, %r3;
	max.u32 	%r44, %r4, %r43;
	sub.s32 	%r2, %r44, %r43;
	setp.ne.b32 	%p36, %r2, 0;
	and.pred 	%p4, %p1, %p36;
	mov.b32 	%r103, 0;
	mov.b32 	%r10, %r103;
	// begin inline asm
	@%p4 ld.global.b32 %r10, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd6, 128;
	setp.gt.u32 	%p37, %r2, 32;
	and.pred 	%p5, %p1, %p37;
	mov.b32 	%r11, %r103;
	// begin inline asm
	@%p5 ld.global.b32 %r11, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd6, 256;
	setp.gt.u32 	%p38, %r2, 64;
	and.pred 	%p6, %p1, %p38;
	mov.b32 	%r12, %r103;
	// begin inline asm
	@%p6 ld.global.b32 %r12, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd6, 384;
	setp.gt.u32 	%p39, %r2, 96;
	and.pred 	%p7, %p1, %p39;
	mov.b32 	%r13, %r103;
	// begin inline asm
	@%p7 ld.global.b32 %r13, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd6, 512;
	setp.gt.u32 	%p40, %r2, 128;
	and.pred 	%p8, %p1, %p40;
	mov.b32 	%r14, %r103;
	// begin inline asm
	@%p8 ld.global.b32 %r14, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd6, 640;
	setp.gt.u32 	%p41, %r2, 160;
	and.pred 	%p9, %p1, %p41;
	mov.b32 	%r15, %r103;
	// begin inline asm
	@%p9 ld.global.b32 %r15, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd6, 768;
	setp.gt.u32 	%p42, %r2, 192;
	and.pred 	%p10, %p1, %p42;
	mov.b32 	%r16, %r103;
	// begin inline asm
	@%p10 ld.global.b32 %r16, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd6, 896;
	setp.gt.u32 	%p43, %r2, 224;
	and.pred 	%p11, %p1, %p43;
	mov.b32 	%r17, %r103;
	// begin inline asm
	@%p11 ld.global.b32 %r17, [%rd13];
	// end inline asm
	add.s64 	%rd14, %rd6, 1024;
	setp.gt.u32 	%p44, %r2, 256;
	and.pred 	%p12, %p1, %p44;
	mov.b32 	%r18, %r103;
	// begin inline asm
	@%p12 ld.global.b32 %r18, [%rd14];
	// end inline asm
	add.s64 	%rd15, %rd6, 1152;
	setp.gt.u32 	%p45, %r2, 288;
	and.pred 	%p13, %p1, %p45;
	mov.b32 	%r19, %r103;
	// begin inline asm
	@%p13 ld.global.b32 %r19, [%rd15];
	// end inline asm
	add.s64 	%rd16, %rd6, 1280;
	setp.gt.u32 	%p46, %r2, 320;
	and.pred 	%p14, %p1, %p46;
	mov.b32 	%r20, %r103;
	// begin inline asm
	@%p14 ld.global.b32 %r20, [%rd16];
	// end inline asm
	add.s64 	%rd17, %rd6, 1408;
	setp.gt.u32 	%p47, %r2, 352;
	and.pred 	%p15, %p1, %p47;
	mov.b32 	%r21, %r103;
	// begin inline asm
	@%p15 ld.global.b32 %r21, [%rd17];
	// end inline asm
	add.s64 	%rd18, %rd6, 1536;
	setp.gt.u32 	%p48, %r2, 384;
	and.pred 	%p16, %p1, %p48;
	mov.b32 	%r22, %r103;
	// begin inline asm
	@%p16 ld.global.b32 %r22, [%rd18];
	// end inline asm
	add.s64 	%rd19, %rd6, 1664;
	setp.gt.u32 	%p49, %r2, 416;
	and.pred 	%p17, %p1, %p49;
	mov.b32 	%r23, %r103;
	// begin inline asm
	@%p17 ld.global.b32 %r23, [%rd19];
	// end inline asm
	add.s64 	%rd20, %rd6, 1792;
	setp.gt.u32 	%p50, %r2, 448;
	and.pred 	%p18, %p1, %p50;
	mov.b32 	%r24, %r103;
	// begin inline asm
	@%p18 ld.global.b32 %r24, [%rd20];
	// end inline asm
	add.s64 	%rd21, %rd6, 1920;
	setp.gt.u32 	%p51, %r2, 480;
	and.pred 	%p19, %p1, %p51;
	mov.b32 	%r25, %r103;
	// begin inline asm
	@%p19 ld.global.b32 %r25, [%rd21];
	// end inline asm
	add.s64 	%rd22, %rd6, 2048;
	setp.gt.u32 	%p52, %r2, 512;
	and.pred 	%p20, %p1, %p52;
	mov.b32 	%r26, %r103;
	// begin inline asm
	@%p20 ld.global.b32 %r26, [%rd22];
	// end inline asm
	add.s64 	%rd23, %rd6, 2176;
	setp.gt.u32 	%p53, %r2, 544;
	and.pred 	%p21, %p1, %p53;
	mov.b32 	%r27, %r103;
	// begin inline asm
	@%p21 ld.global.b32 %r27, [%rd23];
	// end inline asm
	add.s64 	%rd24, %rd6, 2304;
	setp.gt.u32 	%p54, %r2, 576;
	and.pred 	%p22, %p1, %p54;
	mov.b32 	%r28, %r103;
	// begin inline asm
	@%p22 ld.global.b32 %r28, [%rd24];
	// end inline asm
	add.s64 	%rd25, %rd6, 2432;
	setp.gt.u32 	%p55, %r2, 608;
	and.pred 	%p23, %p1, %p55;
	mov.b32 	%r29, %r103;
	// begin inline asm
	@%p23 ld.global.b32 %r29, [%rd25];
	// end inline asm
	add.s64 	%rd26, %rd6, 2560;
	setp.gt.u32 	%p56, %r2, 640;
	and.pred 	%p24, %p1, %p56;
	mov.b32 	%r30, %r103;
	// begin inline asm
	@%p24 ld.global.b32 %r30, [%rd26];
	// end inline asm
	add.s64 	%rd27, %rd6, 2688;
	setp.gt.u32 	%p57, %r2, 672;
	and.pred 	%p25, %p1, %p57;
	mov.b32 	%r31, %r103;
	// begin inline asm
	@%p25 ld.global.b32 %r31, [%rd27];
	// end inline asm
	add.s64 	%rd28, %rd6, 2816;
	setp.gt.u32 	%p58, %r2, 704;
	and.pred 	%p26, %p1, %p58;
	mov.b32 	%r32, %r103;
	// begin inline asm
	@%p26 ld.global.b32 %r32, [%rd28];
	// end inline asm
	add.s64 	%rd29, %rd6, 2944;
	setp.gt.u32 	%p59, %r2, 736;
	and.pred 	%p27, %p1, %p59;
	mov.b32 	%r33, %r103;
	// begin inline asm
	@%p27 ld.global.b32 %r33, [%rd29];
	// end inline asm
	add.s64 	%rd30, %rd6, 3072;
	setp.gt.u32 	%p60, %r2, 768;
	and.pred 	%p28, %p1, %p60;
	mov.b32 	%r34, %r103;
	// begin inline asm
	@%p28 ld.global.b32 %r34, [%rd30];
	// end inline asm
	add.s64 	%rd31, %rd6, 3200;
	setp.gt.u32 	%p61, %r2, 800;
	and.pred 	%p29, %p1, %p61;
	mov.b32 	%r35, %r103;
	// begin inline asm
	@%p29 ld.global.b32 %r35, [%rd31];
	// end inline asm
	add.s64 	%rd32, %rd6, 3328;
	setp.gt.u32 	%p62, %r2, 832;
	and.pred 	%p30, %p1, %p62;
	mov.b32 	%r36, %r103;
	// begin inline asm
	@%p30 ld.global.b32 %r36, [%rd32];
	// end inline asm
	add.s64 	%rd33, %rd6, 3456;
	setp.gt.u32 	%p63, %r2, 864;
	and.pred 	%p31, %p1, %p63;
	mov.b32 	%r37, %r103;
	// begin inline asm
	@%p31 ld.global.b32 %r37, [%rd33];
	// end inline asm
	add.s64 	%rd34, %rd6, 3584;
	setp.gt.u32 	%p64, %r2, 896;
	and.pred 	%p32, %p1, %p64;
	mov.b32 	%r38, %r103;
	// begin inline asm
	@%p32 ld.global.b32 %r38, [%rd34];
	// end inline asm
	add.s64 	%rd35, %rd6, 3712;
	setp.gt.u32 	%p65, %r2, 928;
	and.pred 	%p33, %p1, %p65;
	mov.b32 	%r39, %r103;
	// begin inline asm
	@%p33 ld.global.b32 %r39, [%rd35];
	// end inline asm
	add.s64 	%rd36, %rd6, 3840;
	setp.gt.u32 	%p66, %r2, 960;
	and.pred 	%p34, %p1, %p66;
	mov.b32 	%r40, %r103;
	// begin inline asm
	@%p34 ld.global.b32 %r40, [%rd36];
	// end inline asm
	add.s64 	%rd37, %rd6, 3968;
	setp.gt.u32 	%p67, %r2, 992;
	and.pred 	%p35, %p1, %p67;
	mov.b32 	%r41, %r103;
	// begin inline asm
	@%p35 ld.global.b32 %r41, [%rd37];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r45, %r10, %r10, 0f00000000;
	fma.rn.f32 	%r46, %r18, %r18, %r45;
	fma.rn.f32 	%r184, %r26, %r26, %r46;
	fma.rn.f32 	%r47, %r11, %r11, 0f00000000;
	fma.rn.f32 	%r48, %r19, %r19, %r47;
	fma.rn.f32 	%r185, %r27, %r27, %r48;
	fma.rn.f32 	%r49, %r12, %r12, 0f00000000;
	fma.rn.f32 	%r50, %r20, %r20, %r49;
	fma.rn.f32 	%r186, %r28, %r28, %r50;
	fma.rn.f32 	%r51, %r13, %r13, 0f00000000;
	fma.rn.f32 	%r52, %r21, %r21, %r51;
	fma.rn.f32 	%r187, %r29, %r29, %r52;
	fma.rn.f32 	%r53, %r14, %r14, 0f00000000;
	fma.rn.f32 	%r54, %r22, %r22, %r53;
	fma.rn.f32 	%r188, %r30, %r30, %r54;
	fma.rn.f32 	%r55, %r15, %r15, 0f00000000;
	fma.rn.f32 	%r56, %r23, %r23, %r55;
	fma.rn.f32 	%r189, %r31, %r31, %r56;
	fma.rn.f32 	%r57, %r16, %r16, 0f00000000;
	fma.rn.f32 	%r58, %r24, %r24, %r57;
	fma.rn.f32 	%r190, %r32, %r32, %r58;
	fma.rn.f32 	%r59, %r17, %r17, 0f00000000;
	fma.rn.f32 	%r60, %r25, %r25, %r59;
	fma.rn.f32 	%r191, %r33, %r33, %r60;
	setp.gt.s32 	%p2, %r4, 768;
	setp.lt.s32 	%p68, %r4, 769;
	@%p68 bra 	$L__BB0_3;
	fma.rn.f32 	%r184, %r34, %r34, %r184;
	fma.rn.f32 	%r185, %r35, %r35, %r185;
	fma.rn.f32 	%r186, %r36, %r36, %r186;
	fma.rn.f32 	%r187, %r37, %r37, %r187;
	fma.rn.f32 	%r188, %r38, %r38, %r188;
	fma.rn.f32 	%r189, %r39, %r39, %r189;
	fma.rn.f32 	%r190, %r40, %r40, %r190;
	fma.rn.f32 	%r191, %r41, %r41, %r191;
$L__BB0_3:
	.loc	1 17 23
	add.rn.f32 	%r112, %r184, %r185;
	add.rn.f32 	%r113, %r186, %r187;
	add.rn.f32 	%r114, %r112, %r113;
	add.rn.f32 	%r115, %r188, %r189;
	add.rn.f32 	%r116, %r190, %r191;
	add.rn.f32 	%r117, %r115, %r116;
	add.rn.f32 	%r118, %r114, %r117;
	shfl.sync.bfly.b32 	%r119, %r118, 1, 31, -1;
	add.rn.f32 	%r120, %r118, %r119;
	shfl.sync.bfly.b32 	%r121, %r120, 2, 31, -1;
	add.rn.f32 	%r122, %r120, %r121;
	shfl.sync.bfly.b32 	%r123, %r122, 4, 31, -1;
	add.rn.f32 	%r124, %r122, %r123;
	shfl.sync.bfly.b32 	%r125, %r124, 8, 31, -1;
	add.rn.f32 	%r126, %r124, %r125;
	shfl.sync.bfly.b32 	%r127, %r126, 16, 31, -1;
	.loc	1 19 80
	shl.b64 	%rd91, %rd2, 2;
	add.s64 	%rd43, %rd4, %rd91;
	// begin inline asm
	mov.u32 %r61, %laneid;
	// end inline asm
	shr.u32 	%r128, %r61, 9;
	add.s32 	%r129, %r2, %r128;
	setp.ne.b32 	%p69, %r129, 0;
	mov.b32 	%r62, %r103;
	// begin inline asm
	@%p69 ld.global.b32 %r62, [%rd43];
	// end inline asm
	add.s64 	%rd44, %rd43, 128;
	setp.gt.u32 	%p70, %r129, 32;
	mov.b32 	%r63, %r103;
	// begin inline asm
	@%p70 ld.global.b32 %r63, [%rd44];
	// end inline asm
	add.s64 	%rd45, %rd43, 256;
	setp.gt.u32 	%p71, %r129, 64;
	mov.b32 	%r64, %r103;
	// begin inline asm
	@%p71 ld.global.b32 %r64, [%rd45];
	// end inline asm
	add.s64 	%rd46, %rd43, 384;
	setp.gt.u32 	%p72, %r129, 96;
	mov.b32 	%r65, %r103;
	// begin inline asm
	@%p72 ld.global.b32 %r65, [%rd46];
	// end inline asm
	add.s64 	%rd47, %rd43, 512;
	setp.gt.u32 	%p73, %r129, 128;
	mov.b32 	%r66, %r103;
	// begin inline asm
	@%p73 ld.global.b32 %r66, [%rd47];
	// end inline asm
	add.s64 	%rd48, %rd43, 640;
	setp.gt.u32 	%p74, %r129, 160;
	mov.b32 	%r67, %r103;
	// begin inline asm
	@%p74 ld.global.b32 %r67, [%rd48];
	// end inline asm
	add.s64 	%rd49, %rd43, 768;
	setp.gt.u32 	%p75, %r129, 192;
	mov.b32 	%r68, %r103;
	// begin inline asm
	@%p75 ld.global.b32 %r68, [%rd49];
	// end inline asm
	add.s64 	%rd50, %rd43, 896;
	setp.gt.u32 	%p76, %r129, 224;
	mov.b32 	%r69, %r103;
	// begin inline asm
	@%p76 ld.global.b32 %r69, [%rd50];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd92, %rd5, %rd40;
	add.s64 	%rd51, %rd92, %rd91;
	.loc	1 17 23
	add.rn.f32 	%r130, %r126, %r127;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r131, %r4;
	.loc	1 17 23
	div.rn.f32 	%r132, %r130, %r131;
	add.rn.f32 	%r71, %r132, %r5;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r70, %r71;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r133, %r70, %r10;
	.loc	1 19 36
	mul.rn.f32 	%r72, %r133, %r62;
	.loc	1 19 9
	and.pred 	%p77, %p1, %p69;
	// begin inline asm
	@%p77 st.global.b32 [%rd51], %r72;
	// end inline asm
	add.s64 	%rd52, %rd51, 128;
	.loc	1 19 37
	mul.rn.f32 	%r134, %r70, %r11;
	.loc	1 19 36
	mul.rn.f32 	%r73, %r134, %r63;
	.loc	1 19 9
	and.pred 	%p78, %p1, %p70;
	// begin inline asm
	@%p78 st.global.b32 [%rd52], %r73;
	// end inline asm
	add.s64 	%rd53, %rd51, 256;
	.loc	1 19 37
	mul.rn.f32 	%r135, %r70, %r12;
	.loc	1 19 36
	mul.rn.f32 	%r74, %r135, %r64;
	.loc	1 19 9
	and.pred 	%p79, %p1, %p71;
	// begin inline asm
	@%p79 st.global.b32 [%rd53], %r74;
	// end inline asm
	add.s64 	%rd54, %rd51, 384;
	.loc	1 19 37
	mul.rn.f32 	%r136, %r70, %r13;
	.loc	1 19 36
	mul.rn.f32 	%r75, %r136, %r65;
	.loc	1 19 9
	and.pred 	%p80, %p1, %p72;
	// begin inline asm
	@%p80 st.global.b32 [%rd54], %r75;
	// end inline asm
	add.s64 	%rd55, %rd51, 512;
	.loc	1 19 37
	mul.rn.f32 	%r137, %r70, %r14;
	.loc	1 19 36
	mul.rn.f32 	%r76, %r137, %r66;
	.loc	1 19 9
	and.pred 	%p81, %p1, %p73;
	// begin inline asm
	@%p81 st.global.b32 [%rd55], %r76;
	// end inline asm
	add.s64 	%rd56, %rd51, 640;
	.loc	1 19 37
	mul.rn.f32 	%r138, %r70, %r15;
	.loc	1 19 36
	mul.rn.f32 	%r77, %r138, %r67;
	.loc	1 19 9
	and.pred 	%p82, %p1, %p74;
	// begin inline asm
	@%p82 st.global.b32 [%rd56], %r77;
	// end inline asm
	add.s64 	%rd57, %rd51, 768;
	.loc	1 19 37
	mul.rn.f32 	%r139, %r70, %r16;
	.loc	1 19 36
	mul.rn.f32 	%r78, %r139, %r68;
	.loc	1 19 9
	and.pred 	%p83, %p1, %p75;
	// begin inline asm
	@%p83 st.global.b32 [%rd57], %r78;
	// end inline asm
	add.s64 	%rd58, %rd51, 896;
	.loc	1 19 37
	mul.rn.f32 	%r140, %r70, %r17;
	.loc	1 19 36
	mul.rn.f32 	%r79, %r140, %r69;
	.loc	1 19 9
	and.pred 	%p84, %p1, %p76;
	// begin inline asm
	@%p84 st.global.b32 [%rd58], %r79;
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd59, %rd43, 1024;
	setp.gt.u32 	%p85, %r129, 256;
	mov.b32 	%r80, %r103;
	// begin inline asm
	@%p85 ld.global.b32 %r80, [%rd59];
	// end inline asm
	add.s64 	%rd60, %rd43, 1152;
	setp.gt.u32 	%p86, %r129, 288;
	mov.b32 	%r81, %r103;
	// begin inline asm
	@%p86 ld.global.b32 %r81, [%rd60];
	// end inline asm
	add.s64 	%rd61, %rd43, 1280;
	setp.gt.u32 	%p87, %r129, 320;
	mov.b32 	%r82, %r103;
	// begin inline asm
	@%p87 ld.global.b32 %r82, [%rd61];
	// end inline asm
	add.s64 	%rd62, %rd43, 1408;
	setp.gt.u32 	%p88, %r129, 352;
	mov.b32 	%r83, %r103;
	// begin inline asm
	@%p88 ld.global.b32 %r83, [%rd62];
	// end inline asm
	add.s64 	%rd63, %rd43, 1536;
	setp.gt.u32 	%p89, %r129, 384;
	mov.b32 	%r84, %r103;
	// begin inline asm
	@%p89 ld.global.b32 %r84, [%rd63];
	// end inline asm
	add.s64 	%rd64, %rd43, 1664;
	setp.gt.u32 	%p90, %r129, 416;
	mov.b32 	%r85, %r103;
	// begin inline asm
	@%p90 ld.global.b32 %r85, [%rd64];
	// end inline asm
	add.s64 	%rd65, %rd43, 1792;
	setp.gt.u32 	%p91, %r129, 448;
	mov.b32 	%r86, %r103;
	// begin inline asm
	@%p91 ld.global.b32 %r86, [%rd65];
	// end inline asm
	add.s64 	%rd66, %rd43, 1920;
	setp.gt.u32 	%p92, %r129, 480;
	mov.b32 	%r87, %r103;
	// begin inline asm
	@%p92 ld.global.b32 %r87, [%rd66];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd67, %rd51, 1024;
	.loc	1 19 37
	mul.rn.f32 	%r141, %r70, %r18;
	.loc	1 19 36
	mul.rn.f32 	%r88, %r141, %r80;
	.loc	1 19 9
	and.pred 	%p93, %p1, %p85;
	// begin inline asm
	@%p93 st.global.b32 [%rd67], %r88;
	// end inline asm
	add.s64 	%rd68, %rd51, 1152;
	.loc	1 19 37
	mul.rn.f32 	%r142, %r70, %r19;
	.loc	1 19 36
	mul.rn.f32 	%r89, %r142, %r81;
	.loc	1 19 9
	and.pred 	%p94, %p1, %p86;
	// begin inline asm
	@%p94 st.global.b32 [%rd68], %r89;
	// end inline asm
	add.s64 	%rd69, %rd51, 1280;
	.loc	1 19 37
	mul.rn.f32 	%r143, %r70, %r20;
	.loc	1 19 36
	mul.rn.f32 	%r90, %r143, %r82;
	.loc	1 19 9
	and.pred 	%p95, %p1, %p87;
	// begin inline asm
	@%p95 st.global.b32 [%rd69], %r90;
	// end inline asm
	add.s64 	%rd70, %rd51, 1408;
	.loc	1 19 37
	mul.rn.f32 	%r144, %r70, %r21;
	.loc	1 19 36
	mul.rn.f32 	%r91, %r144, %r83;
	.loc	1 19 9
	and.pred 	%p96, %p1, %p88;
	// begin inline asm
	@%p96 st.global.b32 [%rd70], %r91;
	// end inline asm
	add.s64 	%rd71, %rd51, 1536;
	.loc	1 19 37
	mul.rn.f32 	%r145, %r70, %r22;
	.loc	1 19 36
	mul.rn.f32 	%r92, %r145, %r84;
	.loc	1 19 9
	and.pred 	%p97, %p1, %p89;
	// begin inline asm
	@%p97 st.global.b32 [%rd71], %r92;
	// end inline asm
	add.s64 	%rd72, %rd51, 1664;
	.loc	1 19 37
	mul.rn.f32 	%r146, %r70, %r23;
	.loc	1 19 36
	mul.rn.f32 	%r93, %r146, %r85;
	.loc	1 19 9
	and.pred 	%p98, %p1, %p90;
	// begin inline asm
	@%p98 st.global.b32 [%rd72], %r93;
	// end inline asm
	add.s64 	%rd73, %rd51, 1792;
	.loc	1 19 37
	mul.rn.f32 	%r147, %r70, %r24;
	.loc	1 19 36
	mul.rn.f32 	%r94, %r147, %r86;
	.loc	1 19 9
	and.pred 	%p99, %p1, %p91;
	// begin inline asm
	@%p99 st.global.b32 [%rd73], %r94;
	// end inline asm
	add.s64 	%rd74, %rd51, 1920;
	.loc	1 19 37
	mul.rn.f32 	%r148, %r70, %r25;
	.loc	1 19 36
	mul.rn.f32 	%r95, %r148, %r87;
	.loc	1 19 9
	and.pred 	%p100, %p1, %p92;
	// begin inline asm
	@%p100 st.global.b32 [%rd74], %r95;
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd75, %rd43, 2048;
	setp.gt.u32 	%p101, %r129, 512;
	mov.b32 	%r96, %r103;
	// begin inline asm
	@%p101 ld.global.b32 %r96, [%rd75];
	// end inline asm
	add.s64 	%rd76, %rd43, 2176;
	setp.gt.u32 	%p102, %r129, 544;
	mov.b32 	%r97, %r103;
	// begin inline asm
	@%p102 ld.global.b32 %r97, [%rd76];
	// end inline asm
	add.s64 	%rd77, %rd43, 2304;
	setp.gt.u32 	%p103, %r129, 576;
	mov.b32 	%r98, %r103;
	// begin inline asm
	@%p103 ld.global.b32 %r98, [%rd77];
	// end inline asm
	add.s64 	%rd78, %rd43, 2432;
	setp.gt.u32 	%p104, %r129, 608;
	mov.b32 	%r99, %r103;
	// begin inline asm
	@%p104 ld.global.b32 %r99, [%rd78];
	// end inline asm
	add.s64 	%rd79, %rd43, 2560;
	setp.gt.u32 	%p105, %r129, 640;
	mov.b32 	%r100, %r103;
	// begin inline asm
	@%p105 ld.global.b32 %r100, [%rd79];
	// end inline asm
	add.s64 	%rd80, %rd43, 2688;
	setp.gt.u32 	%p106, %r129, 672;
	mov.b32 	%r101, %r103;
	// begin inline asm
	@%p106 ld.global.b32 %r101, [%rd80];
	// end inline asm
	add.s64 	%rd81, %rd43, 2816;
	setp.gt.u32 	%p107, %r129, 704;
	mov.b32 	%r102, %r103;
	// begin inline asm
	@%p107 ld.global.b32 %r102, [%rd81];
	// end inline asm
	add.s64 	%rd82, %rd43, 2944;
	setp.gt.u32 	%p108, %r129, 736;
	// begin inline asm
	@%p108 ld.global.b32 %r103, [%rd82];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd83, %rd51, 2048;
	.loc	1 19 37
	mul.rn.f32 	%r149, %r70, %r26;
	.loc	1 19 36
	mul.rn.f32 	%r104, %r149, %r96;
	.loc	1 19 9
	and.pred 	%p109, %p1, %p101;
	// begin inline asm
	@%p109 st.global.b32 [%rd83], %r104;
	// end inline asm
	add.s64 	%rd84, %rd51, 2176;
	.loc	1 19 37
	mul.rn.f32 	%r150, %r70, %r27;
	.loc	1 19 36
	mul.rn.f32 	%r105, %r150, %r97;
	.loc	1 19 9
	and.pred 	%p110, %p1, %p102;
	// begin inline asm
	@%p110 st.global.b32 [%rd84], %r105;
	// end inline asm
	add.s64 	%rd85, %rd51, 2304;
	.loc	1 19 37
	mul.rn.f32 	%r151, %r70, %r28;
	.loc	1 19 36
	mul.rn.f32 	%r106, %r151, %r98;
	.loc	1 19 9
	and.pred 	%p111, %p1, %p103;
	// begin inline asm
	@%p111 st.global.b32 [%rd85], %r106;
	// end inline asm
	add.s64 	%rd86, %rd51, 2432;
	.loc	1 19 37
	mul.rn.f32 	%r152, %r70, %r29;
	.loc	1 19 36
	mul.rn.f32 	%r107, %r152, %r99;
	.loc	1 19 9
	and.pred 	%p112, %p1, %p104;
	// begin inline asm
	@%p112 st.global.b32 [%rd86], %r107;
	// end inline asm
	add.s64 	%rd87, %rd51, 2560;
	.loc	1 19 37
	mul.rn.f32 	%r153, %r70, %r30;
	.loc	1 19 36
	mul.rn.f32 	%r108, %r153, %r100;
	.loc	1 19 9
	and.pred 	%p113, %p1, %p105;
	// begin inline asm
	@%p113 st.global.b32 [%rd87], %r108;
	// end inline asm
	add.s64 	%rd88, %rd51, 2688;
	.loc	1 19 37
	mul.rn.f32 	%r154, %r70, %r31;
	.loc	1 19 36
	mul.rn.f32 	%r109, %r154, %r101;
	.loc	1 19 9
	and.pred 	%p114, %p1, %p106;
	// begin inline asm
	@%p114 st.global.b32 [%rd88], %r109;
	// end inline asm
	add.s64 	%rd89, %rd51, 2816;
	.loc	1 19 37
	mul.rn.f32 	%r155, %r70, %r32;
	.loc	1 19 36
	mul.rn.f32 	%r110, %r155, %r102;
	.loc	1 19 9
	and.pred 	%p115, %p1, %p107;
	// begin inline asm
	@%p115 st.global.b32 [%rd89], %r110;
	// end inline asm
	add.s64 	%rd90, %rd51, 2944;
	.loc	1 19 37
	mul.rn.f32 	%r156, %r70, %r33;
	.loc	1 19 36
	mul.rn.f32 	%r111, %r156, %r103;
	.loc	1 19 9
	and.pred 	%p116, %p1, %p108;
	// begin inline asm
	@%p116 st.global.b32 [%rd90], %r111;
	// end inline asm
	not.pred 	%p117, %p2;
	@%p117 bra 	$L__BB0_5;
	.loc	1 19 80
	add.s64 	%rd93, %rd43, 3072;
	// begin inline asm
	mov.u32 %r157, %laneid;
	// end inline asm
	shr.u32 	%r174, %r157, 9;
	add.s32 	%r175, %r2, %r174;
	setp.gt.u32 	%p118, %r175, 768;
	mov.b32 	%r165, 0;
	mov.b32 	%r158, %r165;
	// begin inline asm
	@%p118 ld.global.b32 %r158, [%rd93];
	// end inline asm
	add.s64 	%rd94, %rd43, 3200;
	setp.gt.u32 	%p119, %r175, 800;
	mov.b32 	%r159, %r165;
	// begin inline asm
	@%p119 ld.global.b32 %r159, [%rd94];
	// end inline asm
	add.s64 	%rd95, %rd43, 3328;
	setp.gt.u32 	%p120, %r175, 832;
	mov.b32 	%r160, %r165;
	// begin inline asm
	@%p120 ld.global.b32 %r160, [%rd95];
	// end inline asm
	add.s64 	%rd96, %rd43, 3456;
	setp.gt.u32 	%p121, %r175, 864;
	mov.b32 	%r161, %r165;
	// begin inline asm
	@%p121 ld.global.b32 %r161, [%rd96];
	// end inline asm
	add.s64 	%rd97, %rd43, 3584;
	setp.gt.u32 	%p122, %r175, 896;
	mov.b32 	%r162, %r165;
	// begin inline asm
	@%p122 ld.global.b32 %r162, [%rd97];
	// end inline asm
	add.s64 	%rd98, %rd43, 3712;
	setp.gt.u32 	%p123, %r175, 928;
	mov.b32 	%r163, %r165;
	// begin inline asm
	@%p123 ld.global.b32 %r163, [%rd98];
	// end inline asm
	add.s64 	%rd99, %rd43, 3840;
	setp.gt.u32 	%p124, %r175, 960;
	mov.b32 	%r164, %r165;
	// begin inline asm
	@%p124 ld.global.b32 %r164, [%rd99];
	// end inline asm
	add.s64 	%rd100, %rd43, 3968;
	setp.gt.u32 	%p125, %r175, 992;
	// begin inline asm
	@%p125 ld.global.b32 %r165, [%rd100];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	add.s64 	%rd101, %rd51, 3072;
	.loc	1 19 37
	mul.rn.f32 	%r176, %r70, %r34;
	.loc	1 19 36
	mul.rn.f32 	%r166, %r176, %r158;
	.loc	1 19 9
	and.pred 	%p126, %p1, %p118;
	// begin inline asm
	@%p126 st.global.b32 [%rd101], %r166;
	// end inline asm
	add.s64 	%rd102, %rd51, 3200;
	.loc	1 19 37
	mul.rn.f32 	%r177, %r70, %r35;
	.loc	1 19 36
	mul.rn.f32 	%r167, %r177, %r159;
	.loc	1 19 9
	and.pred 	%p127, %p1, %p119;
	// begin inline asm
	@%p127 st.global.b32 [%rd102], %r167;
	// end inline asm
	add.s64 	%rd103, %rd51, 3328;
	.loc	1 19 37
	mul.rn.f32 	%r178, %r70, %r36;
	.loc	1 19 36
	mul.rn.f32 	%r168, %r178, %r160;
	.loc	1 19 9
	and.pred 	%p128, %p1, %p120;
	// begin inline asm
	@%p128 st.global.b32 [%rd103], %r168;
	// end inline asm
	add.s64 	%rd104, %rd51, 3456;
	.loc	1 19 37
	mul.rn.f32 	%r179, %r70, %r37;
	.loc	1 19 36
	mul.rn.f32 	%r169, %r179, %r161;
	.loc	1 19 9
	and.pred 	%p129, %p1, %p121;
	// begin inline asm
	@%p129 st.global.b32 [%rd104], %r169;
	// end inline asm
	add.s64 	%rd105, %rd51, 3584;
	.loc	1 19 37
	mul.rn.f32 	%r180, %r70, %r38;
	.loc	1 19 36
	mul.rn.f32 	%r170, %r180, %r162;
	.loc	1 19 9
	and.pred 	%p130, %p1, %p122;
	// begin inline asm
	@%p130 st.global.b32 [%rd105], %r170;
	// end inline asm
	add.s64 	%rd106, %rd51, 3712;
	.loc	1 19 37
	mul.rn.f32 	%r181, %r70, %r39;
	.loc	1 19 36
	mul.rn.f32 	%r171, %r181, %r163;
	.loc	1 19 9
	and.pred 	%p131, %p1, %p123;
	// begin inline asm
	@%p131 st.global.b32 [%rd106], %r171;
	// end inline asm
	add.s64 	%rd107, %rd51, 3840;
	.loc	1 19 37
	mul.rn.f32 	%r182, %r70, %r40;
	.loc	1 19 36
	mul.rn.f32 	%r172, %r182, %r164;
	.loc	1 19 9
	and.pred 	%p132, %p1, %p124;
	// begin inline asm
	@%p132 st.global.b32 [%rd107], %r172;
	// end inline asm
	add.s64 	%rd108, %rd51, 3968;
	.loc	1 19 37
	mul.rn.f32 	%r183, %r70, %r41;
	.loc	1 19 36
	mul.rn.f32 	%r173, %r183, %r165;
	.loc	1 19 9
	and.pred 	%p133, %p1, %p125;
	// begin inline asm
	@%p133 st.global.b32 [%rd108], %r173;
	// end inline asm
$L__BB0_5:
	.loc	1 18 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__any_of8

.visible .entry rms_norm__any_of8(
	.param .u64 .ptr .global .align 1 rms_norm__any_of8_param_0,
	.param .u32 rms_norm__any_of8_param_1,
	.param .u32 rms_norm__any_of8_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__any_of8_param_3,
	.param .f32 rms_norm__any_of8_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__any_of8_param_5
)
.reqntid 64
{
	.reg .pred 	%p<168>;
	.reg .b32 	%r<212>;
	.reg .b64 	%rd<112>;
$L__func_begin0:
	.loc	1 4 0

	ld.param.b32 	%r6, [rms_norm__any_of8_param_2];
	ld.param.b64 	%rd38, [rms_norm__any_of8_param_0];
	ld.param.b32 	%r40, [rms_norm__any_of8_param_1];
$L__tmp0:
	.loc	1 10 15
	mov.u32 	%r41, %ctaid.x;
	.loc	1 13 5
	cvt.u64.u32 	%rd39, %r41;
	cvt.s64.s32 	%rd40, %r6;
	mul.lo.s64 	%rd1, %rd39, %rd40;
	shl.b64 	%rd41, %rd1, 2;
	add.s64 	%rd42, %rd38, %rd41;
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd43, %r1, 4;
	add.s64 	%rd6, %rd42, %rd43;
	setp.lt.u32 	%p1, %r41, %r40;
	max.u32 	%r42, %r6, %r1;
	sub.s32 	%r2, %r42, %r1;
	setp.ne.b32 	%p37, %r2, 0;
	and.pred 	%p5, %p1, %p37;
	mov.b32 	%r39, 0;
	mov.b32 	%r8, %r39;
	// begin inline asm
	@%p5 ld.global.b32 %r8, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd6, 256;
	setp.gt.u32 	%p38, %r2, 64;
	and.pred 	%p6, %p1, %p38;
	mov.b32 	%r9, %r39;
	// begin inline asm
	@%p6 ld.global.b32 %r9, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd6, 512;
	setp.gt.u32 	%p39, %r2, 128;
	and.pred 	%p7, %p1, %p39;
	mov.b32 	%r10, %r39;
	// begin inline asm
	@%p7 ld.global.b32 %r10, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd6, 768;
	setp.gt.u32 	%p40, %r2, 192;
	and.pred 	%p8, %p1, %p40;
	mov.b32 	%r11, %r39;
	// begin inline asm
	@%p8 ld.global.b32 %r11, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd6, 1024;
	setp.gt.u32 	%p41, %r2, 256;
	and.pred 	%p9, %p1, %p41;
	mov.b32 	%r12, %r39;
	// begin inline asm
	@%p9 ld.global.b32 %r12, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd6, 1280;
	setp.gt.u32 	%p42, %r2, 320;
	and.pred 	%p10, %p1, %p42;
	mov.b32 	%r13, %r39;
	// begin inline asm
	@%p10 ld.global.b32 %r13, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd6, 1536;
	setp.gt.u32 	%p43, %r2, 384;
	and.pred 	%p11, %p1, %p43;
	mov.b32 	%r14, %r39;
	// begin inline asm
	@%p11 ld.global.b32 %r14, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd6, 1792;
	setp.gt.u32 	%p44, %r2, 448;
	and.pred 	%p12, %p1, %p44;
	mov.b32 	%r15, %r39;
	// begin inline asm
	@%p12 ld.global.b32 %r15, [%rd13];
	// end inline asm
	add.s64 	%rd14, %rd6, 2048;
	setp.gt.u32 	%p45, %r2, 512;
	and.pred 	%p13, %p1, %p45;
	mov.b32 	%r16, %r39;
	// begin inline asm
	@%p13 ld.global.b32 %r16, [%rd14];
	// end inline asm
	add.s64 	%rd15, %rd6, 2304;
	setp.gt.u32 	%p46, %r2, 576;
	and.pred 	%p14, %p1, %p46;
	mov.b32 	%r17, %r39;
	// begin inline asm
	@%p14 ld.global.b32 %r17, [%rd15];
	// end inline asm
	add.s64 	%rd16, %rd6, 2560;
	setp.gt.u32 	%p47, %r2, 640;
	and.pred 	%p15, %p1, %p47;
	mov.b32 	%r18, %r39;
	// begin inline asm
	@%p15 ld.global.b32 %r18, [%rd16];
	// end inline asm
	add.s64 	%rd17, %rd6, 2816;
	setp.gt.u32 	%p48, %r2, 704;
	and.pred 	%p16, %p1, %p48;
	mov.b32 	%r19, %r39;
	// begin inline asm
	@%p16 ld.global.b32 %r19, [%rd17];
	// end inline asm
	add.s64 	%rd18, %rd6, 3072;
	setp.gt.u32 	%p49, %r2, 768;
	and.pred 	%p17, %p1, %p49;
	mov.b32 	%r20, %r39;
	// begin inline asm
	@%p17 ld.global.b32 %r20, [%rd18];
	// end inline asm
	add.s64 	%rd19, %rd6, 3328;
	setp.gt.u32 	%p50, %r2, 832;
	and.pred 	%p18, %p1, %p50;
	mov.b32 	%r21, %r39;
	// begin inline asm
	@%p18 ld.global.b32 %r21, [%rd19];
	// end inline asm
	add.s64 	%rd20, %rd6, 3584;
	setp.gt.u32 	%p51, %r2, 896;
	and.pred 	%p19, %p1, %p51;
	mov.b32 	%r22, %r39;
	// begin inline asm
	@%p19 ld.global.b32 %r22, [%rd20];
	// end inline asm
	add.s64 	%rd21, %rd6, 3840;
	setp.gt.u32 	%p52, %r2, 960;
	and.pred 	%p20, %p1, %p52;
	mov.b32 	%r23, %r39;
	// begin inline asm
	@%p20 ld.global.b32 %r23, [%rd21];
	// end inline asm
	add.s64 	%rd22, %rd6, 4096;
	setp.gt.u32 	%p53, %r2, 1024;
	and.pred 	%p21, %p1, %p53;
	mov.b32 	%r24, %r39;
	// begin inline asm
	@%p21 ld.global.b32 %r24, [%rd22];
	// end inline asm
	add.s64 	%rd23, %rd6, 4352;
	setp.gt.u32 	%p54, %r2, 1088;
	and.pred 	%p22, %p1, %p54;
	mov.b32 	%r25, %r39;
	// begin inline asm
	@%p22 ld.global.b32 %r25, [%rd23];
	// end inline asm
	add.s64 	%rd24, %rd6, 4608;
	setp.gt.u32 	%p55, %r2, 1152;
	and.pred 	%p23, %p1, %p55;
	mov.b32 	%r26, %r39;
	// begin inline asm
	@%p23 ld.global.b32 %r26, [%rd24];
	// end inline asm
	add.s64 	%rd25, %rd6, 4864;
	setp.gt.u32 	%p56, %r2, 1216;
	and.pred 	%p24, %p1, %p56;
	mov.b32 	%r27, %r39;
	// begin inline asm
	@%p24 ld.global.b32 %r27, [%rd25];
	// end inline asm
	add.s64 	%rd26, %rd6, 5120;
	setp.gt.u32 	%p57, %r2, 1280;
	and.pred 	%p25, %p1, %p57;
	mov.b32 	%r28, %r39;
	// begin inline asm
	@%p25 ld.global.b32 %r28, [%rd26];
	// end inline asm
	add.s64 	%rd27, %rd6, 5376;
	setp.gt.u32 	%p58, %r2, 1344;
	and.pred 	%p26, %p1, %p58;
	mov.b32 	%r29, %r39;
	// begin inline asm
	@%p26 ld.global.b32 %r29, [%rd27];
	// end inline asm
	add.s64 	%rd28, %rd6, 5632;
	setp.gt.u32 	%p59, %r2, 1408;
	and.pred 	%p27, %p1, %p59;
	mov.b32 	%r30, %r39;
	// begin inline asm
	@%p27 ld.global.b32 %r30, [%rd28];
	// end inline asm
	add.s64 	%rd29, %rd6, 5888;
	setp.gt.u32 	%p60, %r2, 1472;
	and.pred 	%p28, %p1, %p60;
	mov.b32 	%r31, %r39;
	// begin inline asm
	@%p28 ld.global.b32 %r31, [%rd29];
	// end inline asm
	add.s64 	%rd30, %rd6, 6144;
	setp.gt.u32 	%p61, %r2, 1536;
	and.pred 	%p29, %p1, %p61;
	mov.b32 	%r32, %r39;
	// begin inline asm
	@%p29 ld.global.b32 %r32, [%rd30];
	// end inline asm
	add.s64 	%rd31, %rd6, 6400;
	setp.gt.u32 	%p62, %r2, 1600;
	and.pred 	%p30, %p1, %p62;
	mov.b32 	%r33, %r39;
	// begin inline asm
	@%p30 ld.global.b32 %r33, [%rd31];
	// end inline asm
	add.s64 	%rd32, %rd6, 6656;
	setp.gt.u32 	%p63, %r2, 1664;
	and.pred 	%p31, %p1, %p63;
	mov.b32 	%r34, %r39;
	// begin inline asm
	@%p31 ld.global.b32 %r34, [%rd32];
	// end inline asm
	add.s64 	%rd33, %rd6, 6912;
	setp.gt.u32 	%p64, %r2, 1728;
	and.pred 	%p32, %p1, %p64;
	mov.b32 	%r35, %r39;
	// begin inline asm
	@%p32 ld.global.b32 %r35, [%rd33];
	// end inline asm
	add.s64 	%rd34, %rd6, 7168;
	setp.gt.u32 	%p65, %r2, 1792;
	and.pred 	%p33, %p1, %p65;
	mov.b32 	%r36, %r39;
	// begin inline asm
	@%p33 ld.global.b32 %r36, [%rd34];
	// end inline asm
	add.s64 	%rd35, %rd6, 7424;
	setp.gt.u32 	%p66, %r2, 1856;
	and.pred 	%p34, %p1, %p66;
	mov.b32 	%r37, %r39;
	// begin inline asm
	@%p34 ld.global.b32 %r37, [%rd35];
	// end inline asm
	add.s64 	%rd36, %rd6, 7680;
	setp.gt.u32 	%p67, %r2, 1920;
	and.pred 	%p35, %p1, %p67;
	mov.b32 	%r38, %r39;
	// begin inline asm
	@%p35 ld.global.b32 %r38, [%rd36];
	// end inline asm
	add.s64 	%rd37, %rd6, 7936;
	setp.gt.u32 	%p68, %r2, 1984;
	and.pred 	%p36, %p1, %p68;
	// begin inline asm
	@%p36 ld.global.b32 %r39, [%rd37];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r43, %r8, %r8, 0f00000000;
	fma.rn.f32 	%r44, %r12, %r12, %r43;
	fma.rn.f32 	%r45, %r16, %r16, %r44;
	fma.rn.f32 	%r46, %r20, %r20, %r45;
	fma.rn.f32 	%r208, %r24, %r24, %r46;
	fma.rn.f32 	%r47, %r9, %r9, 0f00000000;
	fma.rn.f32 	%r48, %r13, %r13, %r47;
	fma.rn.f32 	%r49, %r17, %r17, %r48;
	fma.rn.f32 	%r50, %r21, %r21, %r49;
	fma.rn.f32 	%r209, %r25, %r25, %r50;
	fma.rn.f32 	%r51, %r10, %r10, 0f00000000;
	fma.rn.f32 	%r52, %r14, %r14, %r51;
	fma.rn.f32 	%r53, %r18, %r18, %r52;
	fma.rn.f32 	%r54, %r22, %r22, %r53;
	fma.rn.f32 	%r210, %r26, %r26, %r54;
	fma.rn.f32 	%r55, %r11, %r11, 0f00000000;
	fma.rn.f32 	%r56, %r15, %r15, %r55;
	fma.rn.f32 	%r57, %r19, %r19, %r56;
	fma.rn.f32 	%r58, %r23, %r23, %r57;
	fma.rn.f32 	%r211, %r27, %r27, %r58;
	setp.lt.s32 	%p69, %r6, 1281;
	@%p69 bra 	$L__BB0_2;
	.loc	1 0 19
	fma.rn.f32 	%r208, %r28, %r28, %r208;
	fma.rn.f32 	%r209, %r29, %r29, %r209;
	fma.rn.f32 	%r210, %r30, %r30, %r210;
	fma.rn.f32 	%r211, %r31, %r31, %r211;
$L__BB0_2:
	.loc	1 15 19
	setp.lt.s32 	%p70, %r6, 1537;
	@%p70 bra 	$L__BB0_4;
	.loc	1 0 19
	fma.rn.f32 	%r208, %r32, %r32, %r208;
	fma.rn.f32 	%r209, %r33, %r33, %r209;
	fma.rn.f32 	%r210, %r34, %r34, %r210;
	fma.rn.f32 	%r211, %r35, %r35, %r211;
$L__BB0_4:
	and.b32 	%r3, %r1, 31;
	.loc	1 15 19
	setp.lt.s32 	%p71, %r6, 1793;
	@%p71 bra 	$L__BB0_6;
	.loc	1 0 19
	fma.rn.f32 	%r208, %r36, %r36, %r208;
	fma.rn.f32 	%r209, %r37, %r37, %r209;
	fma.rn.f32 	%r210, %r38, %r38, %r210;
	fma.rn.f32 	%r211, %r39, %r39, %r211;
$L__BB0_6:
	ld.param.b64 	%rd5, [rms_norm__any_of8_param_5];
	ld.param.b32 	%r7, [rms_norm__any_of8_param_4];
	ld.param.b64 	%rd4, [rms_norm__any_of8_param_3];
	cvt.u64.u32 	%rd2, %r1;
	setp.gt.s32 	%p2, %r6, 1280;
	.loc	1 17 23
	add.rn.f32 	%r59, %r208, %r209;
	add.rn.f32 	%r60, %r210, %r211;
	add.rn.f32 	%r61, %r59, %r60;
	shfl.sync.bfly.b32 	%r62, %r61, 1, 31, -1;
	add.rn.f32 	%r63, %r61, %r62;
	shfl.sync.bfly.b32 	%r64, %r63, 2, 31, -1;
	add.rn.f32 	%r65, %r63, %r64;
	shfl.sync.bfly.b32 	%r66, %r65, 4, 31, -1;
	add.rn.f32 	%r67, %r65, %r66;
	shfl.sync.bfly.b32 	%r68, %r67, 8, 31, -1;
	add.rn.f32 	%r69, %r67, %r68;
	shfl.sync.bfly.b32 	%r70, %r69, 16, 31, -1;
	setp.ne.b32 	%p72, %r3, 0;
	@%p72 bra 	$L__BB0_8;
	.loc	1 0 23
	shr.u32 	%r4, %r1, 3;
	add.rn.f32 	%r5, %r69, %r70;
	cvt.u64.u32 	%rd44, %r4;
	mov.b64 	%rd45, tile_shared;
	add.s64 	%rd3, %rd45, %rd44;
	.loc	1 17 23
	st.shared.b32 	[%rd3], %r5;
$L__BB0_8:
	.loc	1 0 0
	setp.gt.s32 	%p3, %r6, 1536;
	.loc	1 17 23
	bar.sync 	0;
	ld.shared.v2.b32 	{%r118, %r119}, [tile_shared];
	.loc	1 19 80
	shl.b64 	%rd86, %rd2, 2;
	add.s64 	%rd46, %rd4, %rd86;
	// begin inline asm
	mov.u32 %r71, %laneid;
	// end inline asm
	shr.u32 	%r120, %r71, 10;
	add.s32 	%r121, %r2, %r120;
	setp.ne.b32 	%p73, %r121, 0;
	mov.b32 	%r157, 0;
	mov.b32 	%r72, %r157;
	// begin inline asm
	@%p73 ld.global.b32 %r72, [%rd46];
	// end inline asm
	add.s64 	%rd47, %rd46, 256;
	setp.gt.u32 	%p74, %r121, 64;
	mov.b32 	%r73, %r157;
	// begin inline asm
	@%p74 ld.global.b32 %r73, [%rd47];
	// end inline asm
	add.s64 	%rd48, %rd46, 512;
	setp.gt.u32 	%p75, %r121, 128;
	mov.b32 	%r74, %r157;
	// begin inline asm
	@%p75 ld.global.b32 %r74, [%rd48];
	// end inline asm
	add.s64 	%rd49, %rd46, 768;
	setp.gt.u32 	%p76, %r121, 192;
	mov.b32 	%r75, %r157;
	// begin inline asm
	@%p76 ld.global.b32 %r75, [%rd49];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd87, %rd5, %rd41;
	add.s64 	%rd50, %rd87, %rd86;
	.loc	1 17 23
	add.rn.f32 	%r122, %r118, %r119;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r123, %r6;
	.loc	1 17 23
	div.rn.f32 	%r124, %r122, %r123;
	add.rn.f32 	%r77, %r124, %r7;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r76, %r77;
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r125, %r76, %r8;
	.loc	1 19 36
	mul.rn.f32 	%r78, %r125, %r72;
	.loc	1 19 9
	and.pred 	%p77, %p1, %p73;
	// begin inline asm
	@%p77 st.global.b32 [%rd50], %r78;
	// end inline asm
	add.s64 	%rd51, %rd50, 256;
	.loc	1 19 37
	mul.rn.f32 	%r126, %r76, %r9;
	.loc	1 19 36
	mul.rn.f32 	%r79, %r126, %r73;
	.loc	1 19 9
	and.pred 	%p78, %p1, %p74;
	// begin inline asm
	@%p78 st.global.b32 [%rd51], %r79;
	// end inline asm
	add.s64 	%rd52, %rd50, 512;
	.loc	1 19 37
	mul.rn.f32 	%r127, %r76, %r10;
	.loc	1 19 36
	mul.rn.f32 	%r80, %r127, %r74;
	.loc	1 19 9
	and.pred 	%p79, %p1, %p75;
	// begin inline asm
	@%p79 st.global.b32 [%rd52], %r80;
	// end inline asm
	add.s64 	%rd53, %rd50, 768;
	.loc	1 19 37
	mul.rn.f32 	%r128, %r76, %r11;
	.loc	1 19 36
	mul.rn.f32 	%r81, %r128, %r75;
	.loc	1 19 9
	and.pred 	%p80, %p1, %p76;
	// begin inline asm
	@%p80 st.global.b32 [%rd53], %r81;
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd54, %rd46, 1024;
	setp.gt.u32 	%p81, %r121, 256;
	mov.b32 	%r82, %r157;
	// begin inline asm
	@%p81 ld.global.b32 %r82, [%rd54];
	// end inline asm
	add.s64 	%rd55, %rd46, 1280;
	setp.gt.u32 	%p82, %r121, 320;
	mov.b32 	%r83, %r157;
	// begin inline asm
	@%p82 ld.global.b32 %r83, [%rd55];
	// end inline asm
	add.s64 	%rd56, %rd46, 1536;
	setp.gt.u32 	%p83, %r121, 384;
	mov.b32 	%r84, %r157;
	// begin inline asm
	@%p83 ld.global.b32 %r84, [%rd56];
	// end inline asm
	add.s64 	%rd57, %rd46, 1792;
	setp.gt.u32 	%p84, %r121, 448;
	mov.b32 	%r85, %r157;
	// begin inline asm
	@%p84 ld.global.b32 %r85, [%rd57];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r129, %r76, %r12;
	mul.rn.f32 	%r130, %r76, %r13;
	mul.rn.f32 	%r131, %r76, %r14;
	mul.rn.f32 	%r132, %r76, %r15;
	.loc	1 19 36
	mul.rn.f32 	%r87, %r129, %r82;
	mul.rn.f32 	%r88, %r130, %r83;
	mul.rn.f32 	%r89, %r131, %r84;
	mul.rn.f32 	%r90, %r132, %r85;
	.loc	1 19 9
	add.s64 	%rd58, %rd50, 1024;
	add.s64 	%rd59, %rd50, 1280;
	add.s64 	%rd60, %rd50, 1536;
	add.s64 	%rd61, %rd50, 1792;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r86, %laneid;
	// end inline asm
	shr.u32 	%r133, %r86, 11;
	add.s32 	%r134, %r2, %r133;
	setp.gt.u32 	%p113, %r134, 256;
	and.pred 	%p85, %p1, %p113;
	// begin inline asm
	@%p85 st.global.b32 [%rd58], %r87;
	// end inline asm
	setp.gt.u32 	%p114, %r134, 320;
	and.pred 	%p86, %p1, %p114;
	// begin inline asm
	@%p86 st.global.b32 [%rd59], %r88;
	// end inline asm
	setp.gt.u32 	%p115, %r134, 384;
	and.pred 	%p87, %p1, %p115;
	// begin inline asm
	@%p87 st.global.b32 [%rd60], %r89;
	// end inline asm
	setp.gt.u32 	%p116, %r134, 448;
	and.pred 	%p88, %p1, %p116;
	// begin inline asm
	@%p88 st.global.b32 [%rd61], %r90;
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd62, %rd46, 2048;
	setp.gt.u32 	%p89, %r134, 512;
	mov.b32 	%r91, %r157;
	// begin inline asm
	@%p89 ld.global.b32 %r91, [%rd62];
	// end inline asm
	add.s64 	%rd63, %rd46, 2304;
	setp.gt.u32 	%p90, %r134, 576;
	mov.b32 	%r92, %r157;
	// begin inline asm
	@%p90 ld.global.b32 %r92, [%rd63];
	// end inline asm
	add.s64 	%rd64, %rd46, 2560;
	setp.gt.u32 	%p91, %r134, 640;
	mov.b32 	%r93, %r157;
	// begin inline asm
	@%p91 ld.global.b32 %r93, [%rd64];
	// end inline asm
	add.s64 	%rd65, %rd46, 2816;
	setp.gt.u32 	%p92, %r134, 704;
	mov.b32 	%r94, %r157;
	// begin inline asm
	@%p92 ld.global.b32 %r94, [%rd65];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r135, %r76, %r16;
	mul.rn.f32 	%r136, %r76, %r17;
	mul.rn.f32 	%r137, %r76, %r18;
	mul.rn.f32 	%r138, %r76, %r19;
	.loc	1 19 36
	mul.rn.f32 	%r96, %r135, %r91;
	mul.rn.f32 	%r97, %r136, %r92;
	mul.rn.f32 	%r98, %r137, %r93;
	mul.rn.f32 	%r99, %r138, %r94;
	.loc	1 19 9
	add.s64 	%rd66, %rd50, 2048;
	add.s64 	%rd67, %rd50, 2304;
	add.s64 	%rd68, %rd50, 2560;
	add.s64 	%rd69, %rd50, 2816;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r95, %laneid;
	// end inline asm
	shr.u32 	%r139, %r95, 12;
	add.s32 	%r140, %r2, %r139;
	setp.gt.u32 	%p117, %r140, 512;
	and.pred 	%p93, %p1, %p117;
	// begin inline asm
	@%p93 st.global.b32 [%rd66], %r96;
	// end inline asm
	setp.gt.u32 	%p118, %r140, 576;
	and.pred 	%p94, %p1, %p118;
	// begin inline asm
	@%p94 st.global.b32 [%rd67], %r97;
	// end inline asm
	setp.gt.u32 	%p119, %r140, 640;
	and.pred 	%p95, %p1, %p119;
	// begin inline asm
	@%p95 st.global.b32 [%rd68], %r98;
	// end inline asm
	setp.gt.u32 	%p120, %r140, 704;
	and.pred 	%p96, %p1, %p120;
	// begin inline asm
	@%p96 st.global.b32 [%rd69], %r99;
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd70, %rd46, 3072;
	setp.gt.u32 	%p97, %r140, 768;
	mov.b32 	%r100, %r157;
	// begin inline asm
	@%p97 ld.global.b32 %r100, [%rd70];
	// end inline asm
	add.s64 	%rd71, %rd46, 3328;
	setp.gt.u32 	%p98, %r140, 832;
	mov.b32 	%r101, %r157;
	// begin inline asm
	@%p98 ld.global.b32 %r101, [%rd71];
	// end inline asm
	add.s64 	%rd72, %rd46, 3584;
	setp.gt.u32 	%p99, %r140, 896;
	mov.b32 	%r102, %r157;
	// begin inline asm
	@%p99 ld.global.b32 %r102, [%rd72];
	// end inline asm
	add.s64 	%rd73, %rd46, 3840;
	setp.gt.u32 	%p100, %r140, 960;
	mov.b32 	%r103, %r157;
	// begin inline asm
	@%p100 ld.global.b32 %r103, [%rd73];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r141, %r76, %r20;
	mul.rn.f32 	%r142, %r76, %r21;
	mul.rn.f32 	%r143, %r76, %r22;
	mul.rn.f32 	%r144, %r76, %r23;
	.loc	1 19 36
	mul.rn.f32 	%r105, %r141, %r100;
	mul.rn.f32 	%r106, %r142, %r101;
	mul.rn.f32 	%r107, %r143, %r102;
	mul.rn.f32 	%r108, %r144, %r103;
	.loc	1 19 9
	add.s64 	%rd74, %rd50, 3072;
	add.s64 	%rd75, %rd50, 3328;
	add.s64 	%rd76, %rd50, 3584;
	add.s64 	%rd77, %rd50, 3840;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r104, %laneid;
	// end inline asm
	shr.u32 	%r145, %r104, 13;
	add.s32 	%r146, %r2, %r145;
	setp.gt.u32 	%p121, %r146, 768;
	and.pred 	%p101, %p1, %p121;
	// begin inline asm
	@%p101 st.global.b32 [%rd74], %r105;
	// end inline asm
	setp.gt.u32 	%p122, %r146, 832;
	and.pred 	%p102, %p1, %p122;
	// begin inline asm
	@%p102 st.global.b32 [%rd75], %r106;
	// end inline asm
	setp.gt.u32 	%p123, %r146, 896;
	and.pred 	%p103, %p1, %p123;
	// begin inline asm
	@%p103 st.global.b32 [%rd76], %r107;
	// end inline asm
	setp.gt.u32 	%p124, %r146, 960;
	and.pred 	%p104, %p1, %p124;
	// begin inline asm
	@%p104 st.global.b32 [%rd77], %r108;
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd78, %rd46, 4096;
	setp.gt.u32 	%p105, %r146, 1024;
	mov.b32 	%r109, %r157;
	// begin inline asm
	@%p105 ld.global.b32 %r109, [%rd78];
	// end inline asm
	add.s64 	%rd79, %rd46, 4352;
	setp.gt.u32 	%p106, %r146, 1088;
	mov.b32 	%r110, %r157;
	// begin inline asm
	@%p106 ld.global.b32 %r110, [%rd79];
	// end inline asm
	add.s64 	%rd80, %rd46, 4608;
	setp.gt.u32 	%p107, %r146, 1152;
	mov.b32 	%r111, %r157;
	// begin inline asm
	@%p107 ld.global.b32 %r111, [%rd80];
	// end inline asm
	add.s64 	%rd81, %rd46, 4864;
	setp.gt.u32 	%p108, %r146, 1216;
	mov.b32 	%r112, %r157;
	// begin inline asm
	@%p108 ld.global.b32 %r112, [%rd81];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r147, %r76, %r24;
	mul.rn.f32 	%r148, %r76, %r25;
	mul.rn.f32 	%r149, %r76, %r26;
	mul.rn.f32 	%r150, %r76, %r27;
	.loc	1 19 36
	mul.rn.f32 	%r114, %r147, %r109;
	mul.rn.f32 	%r115, %r148, %r110;
	mul.rn.f32 	%r116, %r149, %r111;
	mul.rn.f32 	%r117, %r150, %r112;
	.loc	1 19 9
	add.s64 	%rd82, %rd50, 4096;
	add.s64 	%rd83, %rd50, 4352;
	add.s64 	%rd84, %rd50, 4608;
	add.s64 	%rd85, %rd50, 4864;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r113, %laneid;
	// end inline asm
	shr.u32 	%r151, %r113, 14;
	add.s32 	%r152, %r2, %r151;
	setp.gt.u32 	%p125, %r152, 1024;
	and.pred 	%p109, %p1, %p125;
	// begin inline asm
	@%p109 st.global.b32 [%rd82], %r114;
	// end inline asm
	setp.gt.u32 	%p126, %r152, 1088;
	and.pred 	%p110, %p1, %p126;
	// begin inline asm
	@%p110 st.global.b32 [%rd83], %r115;
	// end inline asm
	setp.gt.u32 	%p127, %r152, 1152;
	and.pred 	%p111, %p1, %p127;
	// begin inline asm
	@%p111 st.global.b32 [%rd84], %r116;
	// end inline asm
	setp.gt.u32 	%p128, %r152, 1216;
	and.pred 	%p112, %p1, %p128;
	// begin inline asm
	@%p112 st.global.b32 [%rd85], %r117;
	// end inline asm
	not.pred 	%p129, %p2;
	sub.s32 	%r207, %r6, %r1;
	@%p129 bra 	$L__BB0_10;
	.loc	1 19 80
	add.s64 	%rd88, %rd46, 5120;
	// begin inline asm
	mov.u32 %r153, %laneid;
	// end inline asm
	shr.u32 	%r163, %r153, 14;
	add.s32 	%r164, %r207, %r163;
	setp.gt.u32 	%p130, %r164, 1280;
	mov.b32 	%r154, %r157;
	// begin inline asm
	@%p130 ld.global.b32 %r154, [%rd88];
	// end inline asm
	add.s64 	%rd89, %rd46, 5376;
	setp.gt.u32 	%p131, %r164, 1344;
	mov.b32 	%r155, %r157;
	// begin inline asm
	@%p131 ld.global.b32 %r155, [%rd89];
	// end inline asm
	add.s64 	%rd90, %rd46, 5632;
	setp.gt.u32 	%p132, %r164, 1408;
	mov.b32 	%r156, %r157;
	// begin inline asm
	@%p132 ld.global.b32 %r156, [%rd90];
	// end inline asm
	add.s64 	%rd91, %rd46, 5888;
	setp.gt.u32 	%p133, %r164, 1472;
	// begin inline asm
	@%p133 ld.global.b32 %r157, [%rd91];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r165, %r76, %r28;
	mul.rn.f32 	%r166, %r76, %r29;
	mul.rn.f32 	%r167, %r76, %r30;
	mul.rn.f32 	%r168, %r76, %r31;
	.loc	1 19 36
	mul.rn.f32 	%r159, %r165, %r154;
	mul.rn.f32 	%r160, %r166, %r155;
	mul.rn.f32 	%r161, %r167, %r156;
	mul.rn.f32 	%r162, %r168, %r157;
	.loc	1 19 9
	add.s64 	%rd92, %rd50, 5120;
	add.s64 	%rd93, %rd50, 5376;
	add.s64 	%rd94, %rd50, 5632;
	add.s64 	%rd95, %rd50, 5888;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r158, %laneid;
	// end inline asm
	shr.u32 	%r169, %r158, 15;
	add.s32 	%r170, %r207, %r169;
	setp.gt.u32 	%p138, %r170, 1280;
	and.pred 	%p134, %p1, %p138;
	// begin inline asm
	@%p134 st.global.b32 [%rd92], %r159;
	// end inline asm
	setp.gt.u32 	%p139, %r170, 1344;
	and.pred 	%p135, %p1, %p139;
	// begin inline asm
	@%p135 st.global.b32 [%rd93], %r160;
	// end inline asm
	setp.gt.u32 	%p140, %r170, 1408;
	and.pred 	%p136, %p1, %p140;
	// begin inline asm
	@%p136 st.global.b32 [%rd94], %r161;
	// end inline asm
	setp.gt.u32 	%p141, %r170, 1472;
	and.pred 	%p137, %p1, %p141;
	// begin inline asm
	@%p137 st.global.b32 [%rd95], %r162;
	// end inline asm
$L__BB0_10:
	.loc	1 0 0
	setp.gt.s32 	%p4, %r6, 1792;
	.loc	1 19 9
	not.pred 	%p142, %p3;
	@%p142 bra 	$L__BB0_12;
	.loc	1 19 80
	add.s64 	%rd96, %rd46, 6144;
	// begin inline asm
	mov.u32 %r171, %laneid;
	// end inline asm
	shr.u32 	%r181, %r171, 15;
	add.s32 	%r182, %r207, %r181;
	setp.gt.u32 	%p143, %r182, 1536;
	mov.b32 	%r175, 0;
	mov.b32 	%r172, %r175;
	// begin inline asm
	@%p143 ld.global.b32 %r172, [%rd96];
	// end inline asm
	add.s64 	%rd97, %rd46, 6400;
	setp.gt.u32 	%p144, %r182, 1600;
	mov.b32 	%r173, %r175;
	// begin inline asm
	@%p144 ld.global.b32 %r173, [%rd97];
	// end inline asm
	add.s64 	%rd98, %rd46, 6656;
	setp.gt.u32 	%p145, %r182, 1664;
	mov.b32 	%r174, %r175;
	// begin inline asm
	@%p145 ld.global.b32 %r174, [%rd98];
	// end inline asm
	add.s64 	%rd99, %rd46, 6912;
	setp.gt.u32 	%p146, %r182, 1728;
	// begin inline asm
	@%p146 ld.global.b32 %r175, [%rd99];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r183, %r76, %r32;
	mul.rn.f32 	%r184, %r76, %r33;
	mul.rn.f32 	%r185, %r76, %r34;
	mul.rn.f32 	%r186, %r76, %r35;
	.loc	1 19 36
	mul.rn.f32 	%r177, %r183, %r172;
	mul.rn.f32 	%r178, %r184, %r173;
	mul.rn.f32 	%r179, %r185, %r174;
	mul.rn.f32 	%r180, %r186, %r175;
	.loc	1 19 9
	add.s64 	%rd100, %rd50, 6144;
	add.s64 	%rd101, %rd50, 6400;
	add.s64 	%rd102, %rd50, 6656;
	add.s64 	%rd103, %rd50, 6912;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r176, %laneid;
	// end inline asm
	shr.u32 	%r187, %r176, 16;
	add.s32 	%r188, %r207, %r187;
	setp.gt.u32 	%p151, %r188, 1536;
	and.pred 	%p147, %p1, %p151;
	// begin inline asm
	@%p147 st.global.b32 [%rd100], %r177;
	// end inline asm
	setp.gt.u32 	%p152, %r188, 1600;
	and.pred 	%p148, %p1, %p152;
	// begin inline asm
	@%p148 st.global.b32 [%rd101], %r178;
	// end inline asm
	setp.gt.u32 	%p153, %r188, 1664;
	and.pred 	%p149, %p1, %p153;
	// begin inline asm
	@%p149 st.global.b32 [%rd102], %r179;
	// end inline asm
	setp.gt.u32 	%p154, %r188, 1728;
	and.pred 	%p150, %p1, %p154;
	// begin inline asm
	@%p150 st.global.b32 [%rd103], %r180;
	// end inline asm
$L__BB0_12:
	not.pred 	%p155, %p4;
	@%p155 bra 	$L__BB0_14;
	.loc	1 19 80
	add.s64 	%rd104, %rd46, 7168;
	// begin inline asm
	mov.u32 %r189, %laneid;
	// end inline asm
	shr.u32 	%r199, %r189, 16;
	add.s32 	%r200, %r207, %r199;
	setp.gt.u32 	%p156, %r200, 1792;
	mov.b32 	%r193, 0;
	mov.b32 	%r190, %r193;
	// begin inline asm
	@%p156 ld.global.b32 %r190, [%rd104];
	// end inline asm
	add.s64 	%rd105, %rd46, 7424;
	setp.gt.u32 	%p157, %r200, 1856;
	mov.b32 	%r191, %r193;
	// begin inline asm
	@%p157 ld.global.b32 %r191, [%rd105];
	// end inline asm
	add.s64 	%rd106, %rd46, 7680;
	setp.gt.u32 	%p158, %r200, 1920;
	mov.b32 	%r192, %r193;
	// begin inline asm
	@%p158 ld.global.b32 %r192, [%rd106];
	// end inline asm
	add.s64 	%rd107, %rd46, 7936;
	setp.gt.u32 	%p159, %r200, 1984;
	// begin inline asm
	@%p159 ld.global.b32 %r193, [%rd107];
	// end inline asm
	.loc	1 19 37
	mul.rn.f32 	%r201, %r76, %r36;
	mul.rn.f32 	%r202, %r76, %r37;
	mul.rn.f32 	%r203, %r76, %r38;
	mul.rn.f32 	%r204, %r76, %r39;
	.loc	1 19 36
	mul.rn.f32 	%r195, %r201, %r190;
	mul.rn.f32 	%r196, %r202, %r191;
	mul.rn.f32 	%r197, %r203, %r192;
	mul.rn.f32 	%r198, %r204, %r193;
	.loc	1 19 9
	add.s64 	%rd108, %rd50, 7168;
	add.s64 	%rd109, %rd50, 7424;
	add.s64 	%rd110, %rd50, 7680;
	add.s64 	%rd111, %rd50, 7936;
	bar.sync 	0;
	// begin inline asm
	mov.u32 %r194, %laneid;
	// end inline asm
	shr.u32 	%r205, %r194, 17;
	add.s32 	%r206, %r207, %r205;
	setp.gt.u32 	%p164, %r206, 1792;
	and.pred 	%p160, %p1, %p164;
	// begin inline asm
	@%p160 st.global.b32 [%rd108], %r195;
	// end inline asm
	setp.gt.u32 	%p165, %r206, 1856;
	and.pred 	%p161, %p1, %p165;
	// begin inline asm
	@%p161 st.global.b32 [%rd109], %r196;
	// end inline asm
	setp.gt.u32 	%p166, %r206, 1920;
	and.pred 	%p162, %p1, %p166;
	// begin inline asm
	@%p162 st.global.b32 [%rd110], %r197;
	// end inline asm
	setp.gt.u32 	%p167, %r206, 1984;
	and.pred 	%p163, %p1, %p167;
	// begin inline asm
	@%p163 st.global.b32 [%rd111], %r198;
	// end inline asm
$L__BB0_14:
	.loc	1 18 5
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	rms_norm__general

.visible .entry rms_norm__general(
	.param .u64 .ptr .global .align 1 rms_norm__general_param_0,
	.param .u32 rms_norm__general_param_1,
	.param .u32 rms_norm__general_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__general_param_3,
	.param .f32 rms_norm__general_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__general_param_5
)
.reqntid 64
.minnctapersm 8
{
	.reg .pred 	%p<423>;
	.reg .b32 	%r<256>;
	.reg .b64 	%rd<266>;
$L__func_begin0:
	.loc	1 4 0

	ld.param.b32 	%r5, [rms_norm__general_param_2];
	ld.param.b64 	%rd19, [rms_norm__general_param_0];
	ld.param.b32 	%r7, [rms_norm__general_param_1];
$L__tmp0:
	.loc	1 10 15
	mov.u32 	%r8, %ctaid.x;
	.loc	1 14 22
	cvt.u64.u32 	%rd20, %r8;
	.loc	1 13 5
	cvt.s64.s32 	%rd1, %r5;
	.loc	1 14 22
	mul.lo.s64 	%rd2, %rd20, %rd1;
	shl.b64 	%rd21, %rd2, 2;
	add.s64 	%rd3, %rd19, %rd21;
	mov.u32 	%r9, %tid.x;
	cvt.u64.u32 	%rd4, %r9;
	mul.wide.u32 	%rd22, %r9, 4;
	add.s64 	%rd94, %rd3, %rd22;
	setp.lt.u32 	%p1, %r8, %r7;
	max.u32 	%r10, %r5, %r9;
	sub.s32 	%r1, %r10, %r9;
	setp.ne.b32 	%p42, %r1, 0;
	and.pred 	%p43, %p1, %p42;
	.loc	1 13 5
	setp.lt.s32 	%p44, %r5, 1;
	setp.gt.s32 	%p2, %r5, 0;
	.loc	1 14 22
	and.pred 	%p10, %p43, %p2;
	mov.b32 	%r171, 0;
	mov.b32 	%r202, %r171;
	// begin inline asm
	@%p10 ld.global.b32 %r202, [%rd94];
	// end inline asm
	add.s64 	%rd95, %rd94, 256;
	setp.gt.u32 	%p45, %r1, 64;
	and.pred 	%p46, %p1, %p45;
	and.pred 	%p11, %p46, %p2;
	mov.b32 	%r201, %r171;
	// begin inline asm
	@%p11 ld.global.b32 %r201, [%rd95];
	// end inline asm
	add.s64 	%rd96, %rd94, 512;
	setp.gt.u32 	%p47, %r1, 128;
	and.pred 	%p48, %p1, %p47;
	and.pred 	%p12, %p48, %p2;
	mov.b32 	%r200, %r171;
	// begin inline asm
	@%p12 ld.global.b32 %r200, [%rd96];
	// end inline asm
	add.s64 	%rd97, %rd94, 768;
	setp.gt.u32 	%p49, %r1, 192;
	and.pred 	%p50, %p1, %p49;
	and.pred 	%p13, %p50, %p2;
	mov.b32 	%r199, %r171;
	// begin inline asm
	@%p13 ld.global.b32 %r199, [%rd97];
	// end inline asm
	add.s64 	%rd102, %rd94, 1024;
	setp.gt.u32 	%p51, %r1, 256;
	and.pred 	%p52, %p1, %p51;
	setp.gt.s32 	%p3, %r5, 256;
	and.pred 	%p14, %p52, %p3;
	mov.b32 	%r198, %r171;
	// begin inline asm
	@%p14 ld.global.b32 %r198, [%rd102];
	// end inline asm
	add.s64 	%rd103, %rd94, 1280;
	setp.gt.u32 	%p53, %r1, 320;
	and.pred 	%p54, %p1, %p53;
	and.pred 	%p15, %p54, %p3;
	mov.b32 	%r197, %r171;
	// begin inline asm
	@%p15 ld.global.b32 %r197, [%rd103];
	// end inline asm
	add.s64 	%rd104, %rd94, 1536;
	setp.gt.u32 	%p55, %r1, 384;
	and.pred 	%p56, %p1, %p55;
	and.pred 	%p16, %p56, %p3;
	mov.b32 	%r196, %r171;
	// begin inline asm
	@%p16 ld.global.b32 %r196, [%rd104];
	// end inline asm
	add.s64 	%rd105, %rd94, 1792;
	setp.gt.u32 	%p57, %r1, 448;
	and.pred 	%p58, %p1, %p57;
	and.pred 	%p17, %p58, %p3;
	mov.b32 	%r195, %r171;
	// begin inline asm
	@%p17 ld.global.b32 %r195, [%rd105];
	// end inline asm
	add.s64 	%rd110, %rd94, 2048;
	setp.gt.u32 	%p59, %r1, 512;
	and.pred 	%p60, %p1, %p59;
	setp.gt.s32 	%p4, %r5, 512;
	and.pred 	%p18, %p60, %p4;
	mov.b32 	%r194, %r171;
	// begin inline asm
	@%p18 ld.global.b32 %r194, [%rd110];
	// end inline asm
	add.s64 	%rd111, %rd94, 2304;
	setp.gt.u32 	%p61, %r1, 576;
	and.pred 	%p62, %p1, %p61;
	and.pred 	%p19, %p62, %p4;
	mov.b32 	%r193, %r171;
	// begin inline asm
	@%p19 ld.global.b32 %r193, [%rd111];
	// end inline asm
	add.s64 	%rd112, %rd94, 2560;
	setp.gt.u32 	%p63, %r1, 640;
	and.pred 	%p64, %p1, %p63;
	and.pred 	%p20, %p64, %p4;
	mov.b32 	%r192, %r171;
	// begin inline asm
	@%p20 ld.global.b32 %r192, [%rd112];
	// end inline asm
	add.s64 	%rd113, %rd94, 2816;
	setp.gt.u32 	%p65, %r1, 704;
	and.pred 	%p66, %p1, %p65;
	and.pred 	%p21, %p66, %p4;
	mov.b32 	%r191, %r171;
	// begin inline asm
	@%p21 ld.global.b32 %r191, [%rd113];
	// end inline asm
	add.s64 	%rd118, %rd94, 3072;
	setp.gt.u32 	%p67, %r1, 768;
	and.pred 	%p68, %p1, %p67;
	setp.gt.s32 	%p5, %r5, 768;
	and.pred 	%p22, %p68, %p5;
	mov.b32 	%r190, %r171;
	// begin inline asm
	@%p22 ld.global.b32 %r190, [%rd118];
	// end inline asm
	add.s64 	%rd119, %rd94, 3328;
	setp.gt.u32 	%p69, %r1, 832;
	and.pred 	%p70, %p1, %p69;
	and.pred 	%p23, %p70, %p5;
	mov.b32 	%r189, %r171;
	// begin inline asm
	@%p23 ld.global.b32 %r189, [%rd119];
	// end inline asm
	add.s64 	%rd120, %rd94, 3584;
	setp.gt.u32 	%p71, %r1, 896;
	and.pred 	%p72, %p1, %p71;
	and.pred 	%p24, %p72, %p5;
	mov.b32 	%r188, %r171;
	// begin inline asm
	@%p24 ld.global.b32 %r188, [%rd120];
	// end inline asm
	add.s64 	%rd121, %rd94, 3840;
	setp.gt.u32 	%p73, %r1, 960;
	and.pred 	%p74, %p1, %p73;
	and.pred 	%p25, %p74, %p5;
	mov.b32 	%r187, %r171;
	// begin inline asm
	@%p25 ld.global.b32 %r187, [%rd121];
	// end inline asm
	add.s64 	%rd126, %rd94, 4096;
	setp.gt.u32 	%p75, %r1, 1024;
	and.pred 	%p76, %p1, %p75;
	setp.gt.s32 	%p6, %r5, 1024;
	and.pred 	%p26, %p76, %p6;
	mov.b32 	%r186, %r171;
	// begin inline asm
	@%p26 ld.global.b32 %r186, [%rd126];
	// end inline asm
	add.s64 	%rd127, %rd94, 4352;
	setp.gt.u32 	%p77, %r1, 1088;
	and.pred 	%p78, %p1, %p77;
	and.pred 	%p27, %p78, %p6;
	mov.b32 	%r185, %r171;
	// begin inline asm
	@%p27 ld.global.b32 %r185, [%rd127];
	// end inline asm
	add.s64 	%rd128, %rd94, 4608;
	setp.gt.u32 	%p79, %r1, 1152;
	and.pred 	%p80, %p1, %p79;
	and.pred 	%p28, %p80, %p6;
	mov.b32 	%r184, %r171;
	// begin inline asm
	@%p28 ld.global.b32 %r184, [%rd128];
	// end inline asm
	add.s64 	%rd129, %rd94, 4864;
	setp.gt.u32 	%p81, %r1, 1216;
	and.pred 	%p82, %p1, %p81;
	and.pred 	%p29, %p82, %p6;
	mov.b32 	%r183, %r171;
	// begin inline asm
	@%p29 ld.global.b32 %r183, [%rd129];
	// end inline asm
	add.s64 	%rd134, %rd94, 5120;
	setp.gt.u32 	%p83, %r1, 1280;
	and.pred 	%p84, %p1, %p83;
	setp.gt.s32 	%p7, %r5, 1280;
	and.pred 	%p30, %p84, %p7;
	mov.b32 	%r182, %r171;
	// begin inline asm
	@%p30 ld.global.b32 %r182, [%rd134];
	// end inline asm
	add.s64 	%rd135, %rd94, 5376;
	setp.gt.u32 	%p85, %r1, 1344;
	and.pred 	%p86, %p1, %p85;
	and.pred 	%p31, %p86, %p7;
	mov.b32 	%r181, %r171;
	// begin inline asm
	@%p31 ld.global.b32 %r181, [%rd135];
	// end inline asm
	add.s64 	%rd136, %rd94, 5632;
	setp.gt.u32 	%p87, %r1, 1408;
	and.pred 	%p88, %p1, %p87;
	and.pred 	%p32, %p88, %p7;
	mov.b32 	%r180, %r171;
	// begin inline asm
	@%p32 ld.global.b32 %r180, [%rd136];
	// end inline asm
	add.s64 	%rd137, %rd94, 5888;
	setp.gt.u32 	%p89, %r1, 1472;
	and.pred 	%p90, %p1, %p89;
	and.pred 	%p33, %p90, %p7;
	mov.b32 	%r179, %r171;
	// begin inline asm
	@%p33 ld.global.b32 %r179, [%rd137];
	// end inline asm
	add.s64 	%rd11, %rd94, 6144;
	setp.gt.u32 	%p91, %r1, 1536;
	and.pred 	%p92, %p1, %p91;
	setp.gt.s32 	%p93, %r5, 1536;
	and.pred 	%p34, %p92, %p93;
	mov.b32 	%r178, %r171;
	// begin inline asm
	@%p34 ld.global.b32 %r178, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd94, 6400;
	setp.gt.u32 	%p94, %r1, 1600;
	and.pred 	%p95, %p1, %p94;
	and.pred 	%p35, %p95, %p93;
	mov.b32 	%r177, %r171;
	// begin inline asm
	@%p35 ld.global.b32 %r177, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd94, 6656;
	setp.gt.u32 	%p96, %r1, 1664;
	and.pred 	%p97, %p1, %p96;
	and.pred 	%p36, %p97, %p93;
	mov.b32 	%r176, %r171;
	// begin inline asm
	@%p36 ld.global.b32 %r176, [%rd13];
	// end inline asm
	add.s64 	%rd14, %rd94, 6912;
	setp.gt.u32 	%p98, %r1, 1728;
	and.pred 	%p99, %p1, %p98;
	and.pred 	%p37, %p99, %p93;
	mov.b32 	%r175, %r171;
	// begin inline asm
	@%p37 ld.global.b32 %r175, [%rd14];
	// end inline asm
	add.s64 	%rd15, %rd94, 7168;
	setp.gt.u32 	%p100, %r1, 1792;
	and.pred 	%p101, %p1, %p100;
	setp.gt.s32 	%p102, %r5, 1792;
	and.pred 	%p38, %p101, %p102;
	mov.b32 	%r174, %r171;
	// begin inline asm
	@%p38 ld.global.b32 %r174, [%rd15];
	// end inline asm
	add.s64 	%rd16, %rd94, 7424;
	setp.gt.u32 	%p103, %r1, 1856;
	and.pred 	%p104, %p1, %p103;
	and.pred 	%p39, %p104, %p102;
	mov.b32 	%r173, %r171;
	// begin inline asm
	@%p39 ld.global.b32 %r173, [%rd16];
	// end inline asm
	add.s64 	%rd17, %rd94, 7680;
	setp.gt.u32 	%p105, %r1, 1920;
	and.pred 	%p106, %p1, %p105;
	and.pred 	%p40, %p106, %p102;
	mov.b32 	%r172, %r171;
	// begin inline asm
	@%p40 ld.global.b32 %r172, [%rd17];
	// end inline asm
	add.s64 	%rd18, %rd94, 7936;
	setp.gt.u32 	%p107, %r1, 1984;
	and.pred 	%p108, %p1, %p107;
	and.pred 	%p41, %p108, %p102;
	// begin inline asm
	@%p41 ld.global.b32 %r171, [%rd18];
	// end inline asm
	and.b32 	%r2, %r9, 31;
	mov.b32 	%r207, 0f00000000;
	shl.b64 	%rd260, %rd4, 2;
	@%p44 bra 	$L__BB0_18;
	.loc	1 0 22
	mov.b32 	%r206, 0f00000000;
	mov.b64 	%rd262, 2048;
	mov.b64 	%rd261, 8796093022208;
	mov.b32 	%r205, %r206;
	mov.b32 	%r204, %r206;
	mov.b32 	%r203, %r206;
	bra.uni 	$L__BB0_2;
$L__BB0_16:
	.loc	1 14 22
	add.s64 	%rd88, %rd262, 1792;
	add.s64 	%rd89, %rd261, 7696581394432;
	shr.s64 	%rd90, %rd89, 30;
	add.s64 	%rd91, %rd3, %rd90;
	add.s64 	%rd84, %rd91, %rd260;
	add.s32 	%r47, %r15, 1792;
	setp.lt.u32 	%p210, %r47, %r5;
	and.pred 	%p211, %p1, %p210;
	setp.lt.s64 	%p212, %rd88, %rd1;
	and.pred 	%p206, %p211, %p212;
	mov.b32 	%r174, %r46;
	// begin inline asm
	@%p206 ld.global.b32 %r174, [%rd84];
	// end inline asm
	add.s64 	%rd85, %rd84, 256;
	add.s32 	%r48, %r15, 1856;
	setp.lt.u32 	%p213, %r48, %r5;
	and.pred 	%p214, %p1, %p213;
	and.pred 	%p207, %p214, %p212;
	mov.b32 	%r173, %r46;
	// begin inline asm
	@%p207 ld.global.b32 %r173, [%rd85];
	// end inline asm
	add.s64 	%rd86, %rd84, 512;
	add.s32 	%r49, %r15, 1920;
	setp.lt.u32 	%p215, %r49, %r5;
	and.pred 	%p216, %p1, %p215;
	and.pred 	%p208, %p216, %p212;
	mov.b32 	%r172, %r46;
	// begin inline asm
	@%p208 ld.global.b32 %r172, [%rd86];
	// end inline asm
	add.s64 	%rd87, %rd84, 768;
	add.s32 	%r50, %r15, 1984;
	setp.lt.u32 	%p217, %r50, %r5;
	and.pred 	%p218, %p1, %p217;
	and.pred 	%p209, %p218, %p212;
	// begin inline asm
	@%p209 ld.global.b32 %r46, [%rd87];
	// end inline asm
	.loc	1 15 19
	add.s64 	%rd262, %rd262, 2048;
	add.s64 	%rd261, %rd261, 8796093022208;
	mov.b32 	%r171, %r46;
	mov.b32 	%r179, %r37;
	mov.b32 	%r187, %r28;
	mov.b32 	%r195, %r19;
	mov.b32 	%r199, %r14;
	mov.b32 	%r200, %r13;
	mov.b32 	%r201, %r12;
	mov.b32 	%r202, %r11;
	.loc	1 14 22
	@%p8 bra 	$L__BB0_2;
	bra.uni 	$L__BB0_17;
$L__BB0_2:
	.loc	1 14 22
	shr.s64 	%rd27, %rd261, 30;
	add.s64 	%rd28, %rd3, %rd27;
	add.s64 	%rd23, %rd28, %rd260;
	add.s64 	%rd5, %rd4, %rd262;
	cvt.u32.u64 	%r15, %rd5;
	setp.lt.u32 	%p113, %r15, %r5;
	and.pred 	%p114, %p1, %p113;
	.loc	1 15 19
	setp.lt.s64 	%p8, %rd262, %rd1;
	.loc	1 14 22
	and.pred 	%p109, %p114, %p8;
	mov.b32 	%r19, 0;
	mov.b32 	%r11, %r19;
	// begin inline asm
	@%p109 ld.global.b32 %r11, [%rd23];
	// end inline asm
	add.s64 	%rd24, %rd23, 256;
	add.s32 	%r16, %r15, 64;
	setp.lt.u32 	%p115, %r16, %r5;
	and.pred 	%p116, %p1, %p115;
	and.pred 	%p110, %p116, %p8;
	mov.b32 	%r12, %r19;
	// begin inline asm
	@%p110 ld.global.b32 %r12, [%rd24];
	// end inline asm
	add.s64 	%rd25, %rd23, 512;
	add.s32 	%r17, %r15, 128;
	setp.lt.u32 	%p117, %r17, %r5;
	and.pred 	%p118, %p1, %p117;
	and.pred 	%p111, %p118, %p8;
	mov.b32 	%r13, %r19;
	// begin inline asm
	@%p111 ld.global.b32 %r13, [%rd25];
	// end inline asm
	add.s64 	%rd26, %rd23, 768;
	add.s32 	%r18, %r15, 192;
	setp.lt.u32 	%p119, %r18, %r5;
	and.pred 	%p120, %p1, %p119;
	and.pred 	%p112, %p120, %p8;
	mov.b32 	%r14, %r19;
	// begin inline asm
	@%p112 ld.global.b32 %r14, [%rd26];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r203, %r202, %r202, %r203;
	fma.rn.f32 	%r204, %r201, %r201, %r204;
	fma.rn.f32 	%r205, %r200, %r200, %r205;
	fma.rn.f32 	%r206, %r199, %r199, %r206;
	.loc	1 14 22
	add.s64 	%rd29, %rd262, -1792;
	setp.ge.s64 	%p121, %rd29, %rd1;
	@%p121 bra 	$L__BB0_4;
	.loc	1 15 19
	fma.rn.f32 	%r203, %r198, %r198, %r203;
	fma.rn.f32 	%r204, %r197, %r197, %r204;
	fma.rn.f32 	%r205, %r196, %r196, %r205;
	fma.rn.f32 	%r206, %r195, %r195, %r206;
$L__BB0_4:
	.loc	1 14 22
	add.s64 	%rd34, %rd262, 256;
	add.s64 	%rd35, %rd261, 1099511627776;
	shr.s64 	%rd36, %rd35, 30;
	add.s64 	%rd37, %rd3, %rd36;
	add.s64 	%rd30, %rd37, %rd260;
	add.s32 	%r20, %r15, 256;
	setp.lt.u32 	%p126, %r20, %r5;
	and.pred 	%p127, %p1, %p126;
	setp.lt.s64 	%p128, %rd34, %rd1;
	and.pred 	%p122, %p127, %p128;
	mov.b32 	%r198, %r19;
	// begin inline asm
	@%p122 ld.global.b32 %r198, [%rd30];
	// end inline asm
	add.s64 	%rd31, %rd30, 256;
	add.s32 	%r21, %r15, 320;
	setp.lt.u32 	%p129, %r21, %r5;
	and.pred 	%p130, %p1, %p129;
	and.pred 	%p123, %p130, %p128;
	mov.b32 	%r197, %r19;
	// begin inline asm
	@%p123 ld.global.b32 %r197, [%rd31];
	// end inline asm
	add.s64 	%rd32, %rd30, 512;
	add.s32 	%r22, %r15, 384;
	setp.lt.u32 	%p131, %r22, %r5;
	and.pred 	%p132, %p1, %p131;
	and.pred 	%p124, %p132, %p128;
	mov.b32 	%r196, %r19;
	// begin inline asm
	@%p124 ld.global.b32 %r196, [%rd32];
	// end inline asm
	add.s64 	%rd33, %rd30, 768;
	add.s32 	%r23, %r15, 448;
	setp.lt.u32 	%p133, %r23, %r5;
	and.pred 	%p134, %p1, %p133;
	and.pred 	%p125, %p134, %p128;
	// begin inline asm
	@%p125 ld.global.b32 %r19, [%rd33];
	// end inline asm
	add.s64 	%rd38, %rd262, -1536;
	setp.ge.s64 	%p135, %rd38, %rd1;
	@%p135 bra 	$L__BB0_6;
	.loc	1 0 22
	fma.rn.f32 	%r203, %r194, %r194, %r203;
	fma.rn.f32 	%r204, %r193, %r193, %r204;
	fma.rn.f32 	%r205, %r192, %r192, %r205;
	fma.rn.f32 	%r206, %r191, %r191, %r206;
$L__BB0_6:
	.loc	1 14 22
	add.s64 	%rd43, %rd262, 512;
	add.s64 	%rd44, %rd261, 2199023255552;
	shr.s64 	%rd45, %rd44, 30;
	add.s64 	%rd46, %rd3, %rd45;
	add.s64 	%rd39, %rd46, %rd260;
	add.s32 	%r24, %r15, 512;
	setp.lt.u32 	%p140, %r24, %r5;
	and.pred 	%p141, %p1, %p140;
	setp.lt.s64 	%p142, %rd43, %rd1;
	and.pred 	%p136, %p141, %p142;
	mov.b32 	%r28, 0;
	mov.b32 	%r194, %r28;
	// begin inline asm
	@%p136 ld.global.b32 %r194, [%rd39];
	// end inline asm
	add.s64 	%rd40, %rd39, 256;
	add.s32 	%r25, %r15, 576;
	setp.lt.u32 	%p143, %r25, %r5;
	and.pred 	%p144, %p1, %p143;
	and.pred 	%p137, %p144, %p142;
	mov.b32 	%r193, %r28;
	// begin inline asm
	@%p137 ld.global.b32 %r193, [%rd40];
	// end inline asm
	add.s64 	%rd41, %rd39, 512;
	add.s32 	%r26, %r15, 640;
	setp.lt.u32 	%p145, %r26, %r5;
	and.pred 	%p146, %p1, %p145;
	and.pred 	%p138, %p146, %p142;
	mov.b32 	%r192, %r28;
	// begin inline asm
	@%p138 ld.global.b32 %r192, [%rd41];
	// end inline asm
	add.s64 	%rd42, %rd39, 768;
	add.s32 	%r27, %r15, 704;
	setp.lt.u32 	%p147, %r27, %r5;
	and.pred 	%p148, %p1, %p147;
	and.pred 	%p139, %p148, %p142;
	mov.b32 	%r191, %r28;
	// begin inline asm
	@%p139 ld.global.b32 %r191, [%rd42];
	// end inline asm
	add.s64 	%rd47, %rd262, -1280;
	setp.ge.s64 	%p149, %rd47, %rd1;
	@%p149 bra 	$L__BB0_8;
	.loc	1 0 22
	fma.rn.f32 	%r203, %r190, %r190, %r203;
	fma.rn.f32 	%r204, %r189, %r189, %r204;
	fma.rn.f32 	%r205, %r188, %r188, %r205;
	fma.rn.f32 	%r206, %r187, %r187, %r206;
$L__BB0_8:
	.loc	1 14 22
	add.s64 	%rd52, %rd262, 768;
	add.s64 	%rd53, %rd261, 3298534883328;
	shr.s64 	%rd54, %rd53, 30;
	add.s64 	%rd55, %rd3, %rd54;
	add.s64 	%rd48, %rd55, %rd260;
	add.s32 	%r29, %r15, 768;
	setp.lt.u32 	%p154, %r29, %r5;
	and.pred 	%p155, %p1, %p154;
	setp.lt.s64 	%p156, %rd52, %rd1;
	and.pred 	%p150, %p155, %p156;
	mov.b32 	%r190, %r28;
	// begin inline asm
	@%p150 ld.global.b32 %r190, [%rd48];
	// end inline asm
	add.s64 	%rd49, %rd48, 256;
	add.s32 	%r30, %r15, 832;
	setp.lt.u32 	%p157, %r30, %r5;
	and.pred 	%p158, %p1, %p157;
	and.pred 	%p151, %p158, %p156;
	mov.b32 	%r189, %r28;
	// begin inline asm
	@%p151 ld.global.b32 %r189, [%rd49];
	// end inline asm
	add.s64 	%rd50, %rd48, 512;
	add.s32 	%r31, %r15, 896;
	setp.lt.u32 	%p159, %r31, %r5;
	and.pred 	%p160, %p1, %p159;
	and.pred 	%p152, %p160, %p156;
	mov.b32 	%r188, %r28;
	// begin inline asm
	@%p152 ld.global.b32 %r188, [%rd50];
	// end inline asm
	add.s64 	%rd51, %rd48, 768;
	add.s32 	%r32, %r15, 960;
	setp.lt.u32 	%p161, %r32, %r5;
	and.pred 	%p162, %p1, %p161;
	and.pred 	%p153, %p162, %p156;
	// begin inline asm
	@%p153 ld.global.b32 %r28, [%rd51];
	// end inline asm
	add.s64 	%rd56, %rd262, -1024;
	setp.ge.s64 	%p163, %rd56, %rd1;
	@%p163 bra 	$L__BB0_10;
	.loc	1 0 22
	fma.rn.f32 	%r203, %r186, %r186, %r203;
	fma.rn.f32 	%r204, %r185, %r185, %r204;
	fma.rn.f32 	%r205, %r184, %r184, %r205;
	fma.rn.f32 	%r206, %r183, %r183, %r206;
$L__BB0_10:
	.loc	1 14 22
	add.s64 	%rd61, %rd262, 1024;
	add.s64 	%rd62, %rd261, 4398046511104;
	shr.s64 	%rd63, %rd62, 30;
	add.s64 	%rd64, %rd3, %rd63;
	add.s64 	%rd57, %rd64, %rd260;
	add.s32 	%r33, %r15, 1024;
	setp.lt.u32 	%p168, %r33, %r5;
	and.pred 	%p169, %p1, %p168;
	setp.lt.s64 	%p170, %rd61, %rd1;
	and.pred 	%p164, %p169, %p170;
	mov.b32 	%r37, 0;
	mov.b32 	%r186, %r37;
	// begin inline asm
	@%p164 ld.global.b32 %r186, [%rd57];
	// end inline asm
	add.s64 	%rd58, %rd57, 256;
	add.s32 	%r34, %r15, 1088;
	setp.lt.u32 	%p171, %r34, %r5;
	and.pred 	%p172, %p1, %p171;
	and.pred 	%p165, %p172, %p170;
	mov.b32 	%r185, %r37;
	// begin inline asm
	@%p165 ld.global.b32 %r185, [%rd58];
	// end inline asm
	add.s64 	%rd59, %rd57, 512;
	add.s32 	%r35, %r15, 1152;
	setp.lt.u32 	%p173, %r35, %r5;
	and.pred 	%p174, %p1, %p173;
	and.pred 	%p166, %p174, %p170;
	mov.b32 	%r184, %r37;
	// begin inline asm
	@%p166 ld.global.b32 %r184, [%rd59];
	// end inline asm
	add.s64 	%rd60, %rd57, 768;
	add.s32 	%r36, %r15, 1216;
	setp.lt.u32 	%p175, %r36, %r5;
	and.pred 	%p176, %p1, %p175;
	and.pred 	%p167, %p176, %p170;
	mov.b32 	%r183, %r37;
	// begin inline asm
	@%p167 ld.global.b32 %r183, [%rd60];
	// end inline asm
	add.s64 	%rd65, %rd262, -768;
	setp.ge.s64 	%p177, %rd65, %rd1;
	@%p177 bra 	$L__BB0_12;
	.loc	1 0 22
	fma.rn.f32 	%r203, %r182, %r182, %r203;
	fma.rn.f32 	%r204, %r181, %r181, %r204;
	fma.rn.f32 	%r205, %r180, %r180, %r205;
	fma.rn.f32 	%r206, %r179, %r179, %r206;
$L__BB0_12:
	.loc	1 14 22
	add.s64 	%rd70, %rd262, 1280;
	add.s64 	%rd71, %rd261, 5497558138880;
	shr.s64 	%rd72, %rd71, 30;
	add.s64 	%rd73, %rd3, %rd72;
	add.s64 	%rd66, %rd73, %rd260;
	add.s32 	%r38, %r15, 1280;
	setp.lt.u32 	%p182, %r38, %r5;
	and.pred 	%p183, %p1, %p182;
	setp.lt.s64 	%p184, %rd70, %rd1;
	and.pred 	%p178, %p183, %p184;
	mov.b32 	%r182, %r37;
	// begin inline asm
	@%p178 ld.global.b32 %r182, [%rd66];
	// end inline asm
	add.s64 	%rd67, %rd66, 256;
	add.s32 	%r39, %r15, 1344;
	setp.lt.u32 	%p185, %r39, %r5;
	and.pred 	%p186, %p1, %p185;
	and.pred 	%p179, %p186, %p184;
	mov.b32 	%r181, %r37;
	// begin inline asm
	@%p179 ld.global.b32 %r181, [%rd67];
	// end inline asm
	add.s64 	%rd68, %rd66, 512;
	add.s32 	%r40, %r15, 1408;
	setp.lt.u32 	%p187, %r40, %r5;
	and.pred 	%p188, %p1, %p187;
	and.pred 	%p180, %p188, %p184;
	mov.b32 	%r180, %r37;
	// begin inline asm
	@%p180 ld.global.b32 %r180, [%rd68];
	// end inline asm
	add.s64 	%rd69, %rd66, 768;
	add.s32 	%r41, %r15, 1472;
	setp.lt.u32 	%p189, %r41, %r5;
	and.pred 	%p190, %p1, %p189;
	and.pred 	%p181, %p190, %p184;
	// begin inline asm
	@%p181 ld.global.b32 %r37, [%rd69];
	// end inline asm
	add.s64 	%rd74, %rd262, -512;
	setp.ge.s64 	%p191, %rd74, %rd1;
	@%p191 bra 	$L__BB0_14;
	.loc	1 0 22
	fma.rn.f32 	%r203, %r178, %r178, %r203;
	fma.rn.f32 	%r204, %r177, %r177, %r204;
	fma.rn.f32 	%r205, %r176, %r176, %r205;
	fma.rn.f32 	%r206, %r175, %r175, %r206;
$L__BB0_14:
	.loc	1 14 22
	add.s64 	%rd79, %rd262, 1536;
	add.s64 	%rd80, %rd261, 6597069766656;
	shr.s64 	%rd81, %rd80, 30;
	add.s64 	%rd82, %rd3, %rd81;
	add.s64 	%rd75, %rd82, %rd260;
	add.s32 	%r42, %r15, 1536;
	setp.lt.u32 	%p196, %r42, %r5;
	and.pred 	%p197, %p1, %p196;
	setp.lt.s64 	%p198, %rd79, %rd1;
	and.pred 	%p192, %p197, %p198;
	mov.b32 	%r46, 0;
	mov.b32 	%r178, %r46;
	// begin inline asm
	@%p192 ld.global.b32 %r178, [%rd75];
	// end inline asm
	add.s64 	%rd76, %rd75, 256;
	add.s32 	%r43, %r15, 1600;
	setp.lt.u32 	%p199, %r43, %r5;
	and.pred 	%p200, %p1, %p199;
	and.pred 	%p193, %p200, %p198;
	mov.b32 	%r177, %r46;
	// begin inline asm
	@%p193 ld.global.b32 %r177, [%rd76];
	// end inline asm
	add.s64 	%rd77, %rd75, 512;
	add.s32 	%r44, %r15, 1664;
	setp.lt.u32 	%p201, %r44, %r5;
	and.pred 	%p202, %p1, %p201;
	and.pred 	%p194, %p202, %p198;
	mov.b32 	%r176, %r46;
	// begin inline asm
	@%p194 ld.global.b32 %r176, [%rd77];
	// end inline asm
	add.s64 	%rd78, %rd75, 768;
	add.s32 	%r45, %r15, 1728;
	setp.lt.u32 	%p203, %r45, %r5;
	and.pred 	%p204, %p1, %p203;
	and.pred 	%p195, %p204, %p198;
	mov.b32 	%r175, %r46;
	// begin inline asm
	@%p195 ld.global.b32 %r175, [%rd78];
	// end inline asm
	add.s64 	%rd83, %rd262, -256;
	setp.ge.s64 	%p205, %rd83, %rd1;
	@%p205 bra 	$L__BB0_16;
	.loc	1 0 22
	fma.rn.f32 	%r203, %r174, %r174, %r203;
	fma.rn.f32 	%r204, %r173, %r173, %r204;
	fma.rn.f32 	%r205, %r172, %r172, %r205;
	fma.rn.f32 	%r206, %r171, %r171, %r206;
	bra.uni 	$L__BB0_16;
$L__BB0_17:
	.loc	1 14 22
	add.rn.f32 	%r51, %r203, %r204;
	add.rn.f32 	%r52, %r205, %r206;
	add.rn.f32 	%r207, %r51, %r52;
$L__BB0_18:
	.loc	1 0 22
	ld.param.b32 	%r6, [rms_norm__general_param_4];
	ld.param.b64 	%rd9, [rms_norm__general_param_3];
	.loc	1 17 23
	shfl.sync.bfly.b32 	%r53, %r207, 1, 31, -1;
	add.rn.f32 	%r54, %r207, %r53;
	shfl.sync.bfly.b32 	%r55, %r54, 2, 31, -1;
	add.rn.f32 	%r56, %r54, %r55;
	shfl.sync.bfly.b32 	%r57, %r56, 4, 31, -1;
	add.rn.f32 	%r58, %r56, %r57;
	shfl.sync.bfly.b32 	%r59, %r58, 8, 31, -1;
	add.rn.f32 	%r60, %r58, %r59;
	shfl.sync.bfly.b32 	%r61, %r60, 16, 31, -1;
	setp.ne.b32 	%p219, %r2, 0;
	@%p219 bra 	$L__BB0_20;
	.loc	1 0 23
	shr.u32 	%r3, %r9, 3;
	add.rn.f32 	%r4, %r60, %r61;
	cvt.u64.u32 	%rd92, %r3;
	mov.b64 	%rd93, tile_shared;
	add.s64 	%rd6, %rd93, %rd92;
	.loc	1 17 23
	st.shared.b32 	[%rd6], %r4;
$L__BB0_20:
	bar.sync 	0;
	ld.shared.v2.b32 	{%r65, %r66}, [tile_shared];
	.loc	1 19 80
	// begin inline asm
	mov.u32 %r62, %laneid;
	// end inline asm
	shr.u32 	%r67, %r62, 10;
	add.s32 	%r68, %r1, %r67;
	setp.ne.b32 	%p268, %r68, 0;
	and.pred 	%p224, %p268, %p2;
	and.pred 	%p220, %p224, %p1;
	mov.b32 	%r208, 0;
	mov.b32 	%r255, %r208;
	// begin inline asm
	@%p220 ld.global.b32 %r255, [%rd94];
	// end inline asm
	setp.gt.u32 	%p269, %r68, 64;
	and.pred 	%p225, %p269, %p2;
	and.pred 	%p221, %p225, %p1;
	mov.b32 	%r254, %r208;
	// begin inline asm
	@%p221 ld.global.b32 %r254, [%rd95];
	// end inline asm
	setp.gt.u32 	%p270, %r68, 128;
	and.pred 	%p226, %p270, %p2;
	and.pred 	%p222, %p226, %p1;
	mov.b32 	%r253, %r208;
	// begin inline asm
	@%p222 ld.global.b32 %r253, [%rd96];
	// end inline asm
	setp.gt.u32 	%p271, %r68, 192;
	and.pred 	%p227, %p271, %p2;
	and.pred 	%p223, %p227, %p1;
	mov.b32 	%r252, %r208;
	// begin inline asm
	@%p223 ld.global.b32 %r252, [%rd97];
	// end inline asm
	add.s64 	%rd98, %rd9, %rd260;
	mov.b32 	%r251, %r208;
	// begin inline asm
	@%p224 ld.global.b32 %r251, [%rd98];
	// end inline asm
	add.s64 	%rd99, %rd98, 256;
	mov.b32 	%r250, %r208;
	// begin inline asm
	@%p225 ld.global.b32 %r250, [%rd99];
	// end inline asm
	add.s64 	%rd100, %rd98, 512;
	mov.b32 	%r249, %r208;
	// begin inline asm
	@%p226 ld.global.b32 %r249, [%rd100];
	// end inline asm
	add.s64 	%rd101, %rd98, 768;
	mov.b32 	%r248, %r208;
	// begin inline asm
	@%p227 ld.global.b32 %r248, [%rd101];
	// end inline asm
	setp.gt.u32 	%p272, %r68, 256;
	and.pred 	%p232, %p272, %p3;
	and.pred 	%p228, %p232, %p1;
	mov.b32 	%r247, %r208;
	// begin inline asm
	@%p228 ld.global.b32 %r247, [%rd102];
	// end inline asm
	setp.gt.u32 	%p273, %r68, 320;
	and.pred 	%p233, %p273, %p3;
	and.pred 	%p229, %p233, %p1;
	mov.b32 	%r246, %r208;
	// begin inline asm
	@%p229 ld.global.b32 %r246, [%rd103];
	// end inline asm
	setp.gt.u32 	%p274, %r68, 384;
	and.pred 	%p234, %p274, %p3;
	and.pred 	%p230, %p234, %p1;
	mov.b32 	%r245, %r208;
	// begin inline asm
	@%p230 ld.global.b32 %r245, [%rd104];
	// end inline asm
	setp.gt.u32 	%p275, %r68, 448;
	and.pred 	%p235, %p275, %p3;
	and.pred 	%p231, %p235, %p1;
	mov.b32 	%r244, %r208;
	// begin inline asm
	@%p231 ld.global.b32 %r244, [%rd105];
	// end inline asm
	add.s64 	%rd106, %rd98, 1024;
	mov.b32 	%r243, %r208;
	// begin inline asm
	@%p232 ld.global.b32 %r243, [%rd106];
	// end inline asm
	add.s64 	%rd107, %rd98, 1280;
	mov.b32 	%r242, %r208;
	// begin inline asm
	@%p233 ld.global.b32 %r242, [%rd107];
	// end inline asm
	add.s64 	%rd108, %rd98, 1536;
	mov.b32 	%r241, %r208;
	// begin inline asm
	@%p234 ld.global.b32 %r241, [%rd108];
	// end inline asm
	add.s64 	%rd109, %rd98, 1792;
	mov.b32 	%r240, %r208;
	// begin inline asm
	@%p235 ld.global.b32 %r240, [%rd109];
	// end inline asm
	setp.gt.u32 	%p276, %r68, 512;
	and.pred 	%p240, %p276, %p4;
	and.pred 	%p236, %p240, %p1;
	mov.b32 	%r239, %r208;
	// begin inline asm
	@%p236 ld.global.b32 %r239, [%rd110];
	// end inline asm
	setp.gt.u32 	%p277, %r68, 576;
	and.pred 	%p241, %p277, %p4;
	and.pred 	%p237, %p241, %p1;
	mov.b32 	%r238, %r208;
	// begin inline asm
	@%p237 ld.global.b32 %r238, [%rd111];
	// end inline asm
	setp.gt.u32 	%p278, %r68, 640;
	and.pred 	%p242, %p278, %p4;
	and.pred 	%p238, %p242, %p1;
	mov.b32 	%r237, %r208;
	// begin inline asm
	@%p238 ld.global.b32 %r237, [%rd112];
	// end inline asm
	setp.gt.u32 	%p279, %r68, 704;
	and.pred 	%p243, %p279, %p4;
	and.pred 	%p239, %p243, %p1;
	mov.b32 	%r236, %r208;
	// begin inline asm
	@%p239 ld.global.b32 %r236, [%rd113];
	// end inline asm
	add.s64 	%rd114, %rd98, 2048;
	mov.b32 	%r235, %r208;
	// begin inline asm
	@%p240 ld.global.b32 %r235, [%rd114];
	// end inline asm
	add.s64 	%rd115, %rd98, 2304;
	mov.b32 	%r234, %r208;
	// begin inline asm
	@%p241 ld.global.b32 %r234, [%rd115];
	// end inline asm
	add.s64 	%rd116, %rd98, 2560;
	mov.b32 	%r233, %r208;
	// begin inline asm
	@%p242 ld.global.b32 %r233, [%rd116];
	// end inline asm
	add.s64 	%rd117, %rd98, 2816;
	mov.b32 	%r232, %r208;
	// begin inline asm
	@%p243 ld.global.b32 %r232, [%rd117];
	// end inline asm
	setp.gt.u32 	%p280, %r68, 768;
	and.pred 	%p248, %p280, %p5;
	and.pred 	%p244, %p248, %p1;
	mov.b32 	%r231, %r208;
	// begin inline asm
	@%p244 ld.global.b32 %r231, [%rd118];
	// end inline asm
	setp.gt.u32 	%p281, %r68, 832;
	and.pred 	%p249, %p281, %p5;
	and.pred 	%p245, %p249, %p1;
	mov.b32 	%r230, %r208;
	// begin inline asm
	@%p245 ld.global.b32 %r230, [%rd119];
	// end inline asm
	setp.gt.u32 	%p282, %r68, 896;
	and.pred 	%p250, %p282, %p5;
	and.pred 	%p246, %p250, %p1;
	mov.b32 	%r229, %r208;
	// begin inline asm
	@%p246 ld.global.b32 %r229, [%rd120];
	// end inline asm
	setp.gt.u32 	%p283, %r68, 960;
	and.pred 	%p251, %p283, %p5;
	and.pred 	%p247, %p251, %p1;
	mov.b32 	%r228, %r208;
	// begin inline asm
	@%p247 ld.global.b32 %r228, [%rd121];
	// end inline asm
	add.s64 	%rd122, %rd98, 3072;
	mov.b32 	%r227, %r208;
	// begin inline asm
	@%p248 ld.global.b32 %r227, [%rd122];
	// end inline asm
	add.s64 	%rd123, %rd98, 3328;
	mov.b32 	%r226, %r208;
	// begin inline asm
	@%p249 ld.global.b32 %r226, [%rd123];
	// end inline asm
	add.s64 	%rd124, %rd98, 3584;
	mov.b32 	%r225, %r208;
	// begin inline asm
	@%p250 ld.global.b32 %r225, [%rd124];
	// end inline asm
	add.s64 	%rd125, %rd98, 3840;
	mov.b32 	%r224, %r208;
	// begin inline asm
	@%p251 ld.global.b32 %r224, [%rd125];
	// end inline asm
	.loc	1 17 23
	add.rn.f32 	%r69, %r65, %r66;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r70, %r5;
	.loc	1 17 23
	div.rn.f32 	%r71, %r69, %r70;
	.loc	1 19 80
	add.s64 	%rd130, %rd98, 4096;
	add.s64 	%rd131, %rd98, 4352;
	add.s64 	%rd132, %rd98, 4608;
	add.s64 	%rd133, %rd98, 4864;
	setp.gt.u32 	%p284, %r68, 1024;
	and.pred 	%p256, %p284, %p6;
	and.pred 	%p252, %p256, %p1;
	mov.b32 	%r223, %r208;
	// begin inline asm
	@%p252 ld.global.b32 %r223, [%rd126];
	// end inline asm
	setp.gt.u32 	%p285, %r68, 1088;
	and.pred 	%p257, %p285, %p6;
	and.pred 	%p253, %p257, %p1;
	mov.b32 	%r222, %r208;
	// begin inline asm
	@%p253 ld.global.b32 %r222, [%rd127];
	// end inline asm
	setp.gt.u32 	%p286, %r68, 1152;
	and.pred 	%p258, %p286, %p6;
	and.pred 	%p254, %p258, %p1;
	mov.b32 	%r221, %r208;
	// begin inline asm
	@%p254 ld.global.b32 %r221, [%rd128];
	// end inline asm
	setp.gt.u32 	%p287, %r68, 1216;
	and.pred 	%p259, %p287, %p6;
	and.pred 	%p255, %p259, %p1;
	mov.b32 	%r220, %r208;
	// begin inline asm
	@%p255 ld.global.b32 %r220, [%rd129];
	// end inline asm
	mov.b32 	%r219, %r208;
	// begin inline asm
	@%p256 ld.global.b32 %r219, [%rd130];
	// end inline asm
	mov.b32 	%r218, %r208;
	// begin inline asm
	@%p257 ld.global.b32 %r218, [%rd131];
	// end inline asm
	mov.b32 	%r217, %r208;
	// begin inline asm
	@%p258 ld.global.b32 %r217, [%rd132];
	// end inline asm
	mov.b32 	%r216, %r208;
	// begin inline asm
	@%p259 ld.global.b32 %r216, [%rd133];
	// end inline asm
	setp.gt.u32 	%p288, %r68, 1280;
	and.pred 	%p264, %p288, %p7;
	and.pred 	%p260, %p264, %p1;
	mov.b32 	%r215, %r208;
	// begin inline asm
	@%p260 ld.global.b32 %r215, [%rd134];
	// end inline asm
	setp.gt.u32 	%p289, %r68, 1344;
	and.pred 	%p265, %p289, %p7;
	and.pred 	%p261, %p265, %p1;
	mov.b32 	%r214, %r208;
	// begin inline asm
	@%p261 ld.global.b32 %r214, [%rd135];
	// end inline asm
	setp.gt.u32 	%p290, %r68, 1408;
	and.pred 	%p266, %p290, %p7;
	and.pred 	%p262, %p266, %p1;
	mov.b32 	%r213, %r208;
	// begin inline asm
	@%p262 ld.global.b32 %r213, [%rd136];
	// end inline asm
	setp.gt.u32 	%p291, %r68, 1472;
	and.pred 	%p267, %p291, %p7;
	and.pred 	%p263, %p267, %p1;
	mov.b32 	%r212, %r208;
	// begin inline asm
	@%p263 ld.global.b32 %r212, [%rd137];
	// end inline asm
	add.s64 	%rd138, %rd98, 5120;
	mov.b32 	%r211, %r208;
	// begin inline asm
	@%p264 ld.global.b32 %r211, [%rd138];
	// end inline asm
	add.s64 	%rd139, %rd98, 5376;
	mov.b32 	%r210, %r208;
	// begin inline asm
	@%p265 ld.global.b32 %r210, [%rd139];
	// end inline asm
	add.s64 	%rd140, %rd98, 5632;
	mov.b32 	%r209, %r208;
	// begin inline asm
	@%p266 ld.global.b32 %r209, [%rd140];
	// end inline asm
	add.s64 	%rd141, %rd98, 5888;
	// begin inline asm
	@%p267 ld.global.b32 %r208, [%rd141];
	// end inline asm
	.loc	1 17 23
	add.rn.f32 	%r64, %r71, %r6;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r63, %r64;
	// end inline asm
	.loc	1 19 80
	not.pred 	%p292, %p2;
	@%p292 bra 	$L__BB0_33;
	.loc	1 0 80
	ld.param.b64 	%rd10, [rms_norm__general_param_5];
	.loc	1 19 80
	add.s64 	%rd142, %rd21, %rd260;
	add.s64 	%rd143, %rd142, %rd10;
	add.s64 	%rd265, %rd143, 1792;
	mov.b64 	%rd264, 1536;
	mov.b64 	%rd263, 6597069766656;
	bra.uni 	$L__BB0_22;
$L__BB0_32:
	.loc	1 19 37
	add.s64 	%rd255, %rd264, 1280;
	add.s64 	%rd256, %rd263, 5497558138880;
	shr.s64 	%rd257, %rd256, 30;
	add.s64 	%rd258, %rd3, %rd257;
	add.s64 	%rd247, %rd258, %rd260;
	add.s32 	%r167, %r76, 1280;
	setp.lt.u32 	%p418, %r167, %r5;
	.loc	1 19 80
	setp.lt.s64 	%p419, %rd255, %rd1;
	and.pred 	%p414, %p418, %p419;
	and.pred 	%p410, %p414, %p1;
	mov.b32 	%r215, %r166;
	// begin inline asm
	@%p410 ld.global.b32 %r215, [%rd247];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd248, %rd247, 256;
	add.s32 	%r168, %r76, 1344;
	setp.lt.u32 	%p420, %r168, %r5;
	.loc	1 19 80
	and.pred 	%p415, %p420, %p419;
	and.pred 	%p411, %p415, %p1;
	mov.b32 	%r214, %r166;
	// begin inline asm
	@%p411 ld.global.b32 %r214, [%rd248];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd249, %rd247, 512;
	add.s32 	%r169, %r76, 1408;
	setp.lt.u32 	%p421, %r169, %r5;
	.loc	1 19 80
	and.pred 	%p416, %p421, %p419;
	and.pred 	%p412, %p416, %p1;
	mov.b32 	%r213, %r166;
	// begin inline asm
	@%p412 ld.global.b32 %r213, [%rd249];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd250, %rd247, 768;
	add.s32 	%r170, %r76, 1472;
	setp.lt.u32 	%p422, %r170, %r5;
	.loc	1 19 80
	and.pred 	%p417, %p422, %p419;
	and.pred 	%p413, %p417, %p1;
	mov.b32 	%r212, %r166;
	// begin inline asm
	@%p413 ld.global.b32 %r212, [%rd250];
	// end inline asm
	add.s64 	%rd259, %rd9, %rd257;
	add.s64 	%rd251, %rd259, %rd260;
	mov.b32 	%r211, %r166;
	// begin inline asm
	@%p414 ld.global.b32 %r211, [%rd251];
	// end inline asm
	add.s64 	%rd252, %rd251, 256;
	mov.b32 	%r210, %r166;
	// begin inline asm
	@%p415 ld.global.b32 %r210, [%rd252];
	// end inline asm
	add.s64 	%rd253, %rd251, 512;
	mov.b32 	%r209, %r166;
	// begin inline asm
	@%p416 ld.global.b32 %r209, [%rd253];
	// end inline asm
	add.s64 	%rd254, %rd251, 768;
	// begin inline asm
	@%p417 ld.global.b32 %r166, [%rd254];
	// end inline asm
	.loc	1 19 9
	add.s64 	%rd265, %rd265, 6144;
	add.s64 	%rd264, %rd264, 1536;
	add.s64 	%rd263, %rd263, 6597069766656;
	mov.b32 	%r208, %r166;
	mov.b32 	%r224, %r133;
	mov.b32 	%r240, %r100;
	.loc	1 19 80
	@%p9 bra 	$L__BB0_22;
	bra.uni 	$L__BB0_33;
$L__BB0_22:
	.loc	1 19 37
	add.s64 	%rd7, %rd4, %rd264;
	cvt.u32.u64 	%r76, %rd7;
	add.s32 	%r77, %r76, -1536;
	setp.lt.u32 	%p305, %r77, %r5;
	and.pred 	%p293, %p1, %p305;
	add.s32 	%r78, %r76, -1472;
	setp.lt.u32 	%p306, %r78, %r5;
	and.pred 	%p294, %p1, %p306;
	add.s32 	%r79, %r76, -1408;
	setp.lt.u32 	%p307, %r79, %r5;
	and.pred 	%p295, %p1, %p307;
	add.s32 	%r80, %r76, -1344;
	setp.lt.u32 	%p308, %r80, %r5;
	and.pred 	%p296, %p1, %p308;
	mul.rn.f32 	%r81, %r63, %r255;
	mul.rn.f32 	%r82, %r63, %r254;
	mul.rn.f32 	%r83, %r63, %r253;
	mul.rn.f32 	%r84, %r63, %r252;
	.loc	1 19 36
	mul.rn.f32 	%r72, %r81, %r251;
	mul.rn.f32 	%r73, %r82, %r250;
	mul.rn.f32 	%r74, %r83, %r249;
	mul.rn.f32 	%r75, %r84, %r248;
	.loc	1 19 9
	add.s64 	%rd144, %rd265, -1792;
	add.s64 	%rd145, %rd265, -1536;
	add.s64 	%rd146, %rd265, -1280;
	add.s64 	%rd147, %rd265, -1024;
	bar.sync 	0;
	// begin inline asm
	@%p293 st.global.b32 [%rd144], %r72;
	// end inline asm
	// begin inline asm
	@%p294 st.global.b32 [%rd145], %r73;
	// end inline asm
	// begin inline asm
	@%p295 st.global.b32 [%rd146], %r74;
	// end inline asm
	// begin inline asm
	@%p296 st.global.b32 [%rd147], %r75;
	// end inline asm
	.loc	1 19 37
	shr.s64 	%rd156, %rd263, 30;
	add.s64 	%rd157, %rd3, %rd156;
	add.s64 	%rd148, %rd157, %rd260;
	setp.lt.u32 	%p309, %r76, %r5;
	.loc	1 19 9
	setp.lt.s64 	%p9, %rd264, %rd1;
	.loc	1 19 80
	and.pred 	%p301, %p309, %p9;
	and.pred 	%p297, %p301, %p1;
	mov.b32 	%r100, 0;
	mov.b32 	%r255, %r100;
	// begin inline asm
	@%p297 ld.global.b32 %r255, [%rd148];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd149, %rd148, 256;
	add.s32 	%r85, %r76, 64;
	setp.lt.u32 	%p310, %r85, %r5;
	.loc	1 19 80
	and.pred 	%p302, %p310, %p9;
	and.pred 	%p298, %p302, %p1;
	mov.b32 	%r254, %r100;
	// begin inline asm
	@%p298 ld.global.b32 %r254, [%rd149];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd150, %rd148, 512;
	add.s32 	%r86, %r76, 128;
	setp.lt.u32 	%p311, %r86, %r5;
	.loc	1 19 80
	and.pred 	%p303, %p311, %p9;
	and.pred 	%p299, %p303, %p1;
	mov.b32 	%r253, %r100;
	// begin inline asm
	@%p299 ld.global.b32 %r253, [%rd150];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd151, %rd148, 768;
	add.s32 	%r87, %r76, 192;
	setp.lt.u32 	%p312, %r87, %r5;
	.loc	1 19 80
	and.pred 	%p304, %p312, %p9;
	and.pred 	%p300, %p304, %p1;
	mov.b32 	%r252, %r100;
	// begin inline asm
	@%p300 ld.global.b32 %r252, [%rd151];
	// end inline asm
	add.s64 	%rd158, %rd9, %rd156;
	add.s64 	%rd152, %rd158, %rd260;
	mov.b32 	%r251, %r100;
	// begin inline asm
	@%p301 ld.global.b32 %r251, [%rd152];
	// end inline asm
	add.s64 	%rd153, %rd152, 256;
	mov.b32 	%r250, %r100;
	// begin inline asm
	@%p302 ld.global.b32 %r250, [%rd153];
	// end inline asm
	add.s64 	%rd154, %rd152, 512;
	mov.b32 	%r249, %r100;
	// begin inline asm
	@%p303 ld.global.b32 %r249, [%rd154];
	// end inline asm
	add.s64 	%rd155, %rd152, 768;
	mov.b32 	%r248, %r100;
	// begin inline asm
	@%p304 ld.global.b32 %r248, [%rd155];
	// end inline asm
	add.s64 	%rd159, %rd264, -1280;
	setp.ge.s64 	%p313, %rd159, %rd1;
	@%p313 bra 	$L__BB0_24;
	.loc	1 0 80
	add.s32 	%r92, %r76, -1280;
	.loc	1 19 37
	setp.lt.u32 	%p318, %r92, %r5;
	and.pred 	%p314, %p1, %p318;
	add.s32 	%r93, %r76, -1216;
	setp.lt.u32 	%p319, %r93, %r5;
	and.pred 	%p315, %p1, %p319;
	add.s32 	%r94, %r76, -1152;
	setp.lt.u32 	%p320, %r94, %r5;
	and.pred 	%p316, %p1, %p320;
	add.s32 	%r95, %r76, -1088;
	setp.lt.u32 	%p321, %r95, %r5;
	and.pred 	%p317, %p1, %p321;
	mul.rn.f32 	%r96, %r63, %r247;
	mul.rn.f32 	%r97, %r63, %r246;
	mul.rn.f32 	%r98, %r63, %r245;
	mul.rn.f32 	%r99, %r63, %r244;
	.loc	1 19 36
	mul.rn.f32 	%r88, %r96, %r243;
	mul.rn.f32 	%r89, %r97, %r242;
	mul.rn.f32 	%r90, %r98, %r241;
	mul.rn.f32 	%r91, %r99, %r240;
	.loc	1 19 9
	add.s64 	%rd160, %rd265, -768;
	add.s64 	%rd161, %rd265, -512;
	add.s64 	%rd162, %rd265, -256;
	bar.sync 	0;
	// begin inline asm
	@%p314 st.global.b32 [%rd160], %r88;
	// end inline asm
	// begin inline asm
	@%p315 st.global.b32 [%rd161], %r89;
	// end inline asm
	// begin inline asm
	@%p316 st.global.b32 [%rd162], %r90;
	// end inline asm
	// begin inline asm
	@%p317 st.global.b32 [%rd265], %r91;
	// end inline asm
$L__BB0_24:
	.loc	1 19 0
	add.s64 	%rd8, %rd10, %rd21;
	.loc	1 19 37
	add.s64 	%rd171, %rd264, 256;
	add.s64 	%rd172, %rd263, 1099511627776;
	shr.s64 	%rd173, %rd172, 30;
	add.s64 	%rd174, %rd3, %rd173;
	add.s64 	%rd163, %rd174, %rd260;
	add.s32 	%r101, %r76, 256;
	setp.lt.u32 	%p330, %r101, %r5;
	.loc	1 19 80
	setp.lt.s64 	%p331, %rd171, %rd1;
	and.pred 	%p326, %p330, %p331;
	and.pred 	%p322, %p326, %p1;
	mov.b32 	%r247, %r100;
	// begin inline asm
	@%p322 ld.global.b32 %r247, [%rd163];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd164, %rd163, 256;
	add.s32 	%r102, %r76, 320;
	setp.lt.u32 	%p332, %r102, %r5;
	.loc	1 19 80
	and.pred 	%p327, %p332, %p331;
	and.pred 	%p323, %p327, %p1;
	mov.b32 	%r246, %r100;
	// begin inline asm
	@%p323 ld.global.b32 %r246, [%rd164];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd165, %rd163, 512;
	add.s32 	%r103, %r76, 384;
	setp.lt.u32 	%p333, %r103, %r5;
	.loc	1 19 80
	and.pred 	%p328, %p333, %p331;
	and.pred 	%p324, %p328, %p1;
	mov.b32 	%r245, %r100;
	// begin inline asm
	@%p324 ld.global.b32 %r245, [%rd165];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd166, %rd163, 768;
	add.s32 	%r104, %r76, 448;
	setp.lt.u32 	%p334, %r104, %r5;
	.loc	1 19 80
	and.pred 	%p329, %p334, %p331;
	and.pred 	%p325, %p329, %p1;
	mov.b32 	%r244, %r100;
	// begin inline asm
	@%p325 ld.global.b32 %r244, [%rd166];
	// end inline asm
	add.s64 	%rd175, %rd9, %rd173;
	add.s64 	%rd167, %rd175, %rd260;
	mov.b32 	%r243, %r100;
	// begin inline asm
	@%p326 ld.global.b32 %r243, [%rd167];
	// end inline asm
	add.s64 	%rd168, %rd167, 256;
	mov.b32 	%r242, %r100;
	// begin inline asm
	@%p327 ld.global.b32 %r242, [%rd168];
	// end inline asm
	add.s64 	%rd169, %rd167, 512;
	mov.b32 	%r241, %r100;
	// begin inline asm
	@%p328 ld.global.b32 %r241, [%rd169];
	// end inline asm
	add.s64 	%rd170, %rd167, 768;
	// begin inline asm
	@%p329 ld.global.b32 %r100, [%rd170];
	// end inline asm
	add.s64 	%rd176, %rd264, -1024;
	setp.ge.s64 	%p335, %rd176, %rd1;
	@%p335 bra 	$L__BB0_26;
	.loc	1 0 80
	add.s32 	%r109, %r76, -1024;
	.loc	1 19 37
	setp.lt.u32 	%p340, %r109, %r5;
	and.pred 	%p336, %p1, %p340;
	add.s32 	%r110, %r76, -960;
	setp.lt.u32 	%p341, %r110, %r5;
	and.pred 	%p337, %p1, %p341;
	add.s32 	%r111, %r76, -896;
	setp.lt.u32 	%p342, %r111, %r5;
	and.pred 	%p338, %p1, %p342;
	add.s32 	%r112, %r76, -832;
	setp.lt.u32 	%p343, %r112, %r5;
	and.pred 	%p339, %p1, %p343;
	mul.rn.f32 	%r113, %r63, %r239;
	mul.rn.f32 	%r114, %r63, %r238;
	mul.rn.f32 	%r115, %r63, %r237;
	mul.rn.f32 	%r116, %r63, %r236;
	.loc	1 19 36
	mul.rn.f32 	%r105, %r113, %r235;
	mul.rn.f32 	%r106, %r114, %r234;
	mul.rn.f32 	%r107, %r115, %r233;
	mul.rn.f32 	%r108, %r116, %r232;
	.loc	1 19 9
	add.s64 	%rd181, %rd263, -4398046511104;
	shr.s64 	%rd182, %rd181, 30;
	add.s64 	%rd183, %rd8, %rd182;
	add.s64 	%rd177, %rd183, %rd260;
	add.s64 	%rd178, %rd177, 256;
	add.s64 	%rd179, %rd177, 512;
	add.s64 	%rd180, %rd177, 768;
	bar.sync 	0;
	// begin inline asm
	@%p336 st.global.b32 [%rd177], %r105;
	// end inline asm
	// begin inline asm
	@%p337 st.global.b32 [%rd178], %r106;
	// end inline asm
	// begin inline asm
	@%p338 st.global.b32 [%rd179], %r107;
	// end inline asm
	// begin inline asm
	@%p339 st.global.b32 [%rd180], %r108;
	// end inline asm
$L__BB0_26:
	.loc	1 19 37
	add.s64 	%rd192, %rd264, 512;
	add.s64 	%rd193, %rd263, 2199023255552;
	shr.s64 	%rd194, %rd193, 30;
	add.s64 	%rd195, %rd3, %rd194;
	add.s64 	%rd184, %rd195, %rd260;
	add.s32 	%r117, %r76, 512;
	setp.lt.u32 	%p352, %r117, %r5;
	.loc	1 19 80
	setp.lt.s64 	%p353, %rd192, %rd1;
	and.pred 	%p348, %p352, %p353;
	and.pred 	%p344, %p348, %p1;
	mov.b32 	%r133, 0;
	mov.b32 	%r239, %r133;
	// begin inline asm
	@%p344 ld.global.b32 %r239, [%rd184];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd185, %rd184, 256;
	add.s32 	%r118, %r76, 576;
	setp.lt.u32 	%p354, %r118, %r5;
	.loc	1 19 80
	and.pred 	%p349, %p354, %p353;
	and.pred 	%p345, %p349, %p1;
	mov.b32 	%r238, %r133;
	// begin inline asm
	@%p345 ld.global.b32 %r238, [%rd185];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd186, %rd184, 512;
	add.s32 	%r119, %r76, 640;
	setp.lt.u32 	%p355, %r119, %r5;
	.loc	1 19 80
	and.pred 	%p350, %p355, %p353;
	and.pred 	%p346, %p350, %p1;
	mov.b32 	%r237, %r133;
	// begin inline asm
	@%p346 ld.global.b32 %r237, [%rd186];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd187, %rd184, 768;
	add.s32 	%r120, %r76, 704;
	setp.lt.u32 	%p356, %r120, %r5;
	.loc	1 19 80
	and.pred 	%p351, %p356, %p353;
	and.pred 	%p347, %p351, %p1;
	mov.b32 	%r236, %r133;
	// begin inline asm
	@%p347 ld.global.b32 %r236, [%rd187];
	// end inline asm
	add.s64 	%rd196, %rd9, %rd194;
	add.s64 	%rd188, %rd196, %rd260;
	mov.b32 	%r235, %r133;
	// begin inline asm
	@%p348 ld.global.b32 %r235, [%rd188];
	// end inline asm
	add.s64 	%rd189, %rd188, 256;
	mov.b32 	%r234, %r133;
	// begin inline asm
	@%p349 ld.global.b32 %r234, [%rd189];
	// end inline asm
	add.s64 	%rd190, %rd188, 512;
	mov.b32 	%r233, %r133;
	// begin inline asm
	@%p350 ld.global.b32 %r233, [%rd190];
	// end inline asm
	add.s64 	%rd191, %rd188, 768;
	mov.b32 	%r232, %r133;
	// begin inline asm
	@%p351 ld.global.b32 %r232, [%rd191];
	// end inline asm
	add.s64 	%rd197, %rd264, -768;
	setp.ge.s64 	%p357, %rd197, %rd1;
	@%p357 bra 	$L__BB0_28;
	.loc	1 0 80
	add.s32 	%r125, %r76, -768;
	.loc	1 19 37
	setp.lt.u32 	%p362, %r125, %r5;
	and.pred 	%p358, %p1, %p362;
	add.s32 	%r126, %r76, -704;
	setp.lt.u32 	%p363, %r126, %r5;
	and.pred 	%p359, %p1, %p363;
	add.s32 	%r127, %r76, -640;
	setp.lt.u32 	%p364, %r127, %r5;
	and.pred 	%p360, %p1, %p364;
	add.s32 	%r128, %r76, -576;
	setp.lt.u32 	%p365, %r128, %r5;
	and.pred 	%p361, %p1, %p365;
	mul.rn.f32 	%r129, %r63, %r231;
	mul.rn.f32 	%r130, %r63, %r230;
	mul.rn.f32 	%r131, %r63, %r229;
	mul.rn.f32 	%r132, %r63, %r228;
	.loc	1 19 36
	mul.rn.f32 	%r121, %r129, %r227;
	mul.rn.f32 	%r122, %r130, %r226;
	mul.rn.f32 	%r123, %r131, %r225;
	mul.rn.f32 	%r124, %r132, %r224;
	.loc	1 19 9
	add.s64 	%rd202, %rd263, -3298534883328;
	shr.s64 	%rd203, %rd202, 30;
	add.s64 	%rd204, %rd8, %rd203;
	add.s64 	%rd198, %rd204, %rd260;
	add.s64 	%rd199, %rd198, 256;
	add.s64 	%rd200, %rd198, 512;
	add.s64 	%rd201, %rd198, 768;
	bar.sync 	0;
	// begin inline asm
	@%p358 st.global.b32 [%rd198], %r121;
	// end inline asm
	// begin inline asm
	@%p359 st.global.b32 [%rd199], %r122;
	// end inline asm
	// begin inline asm
	@%p360 st.global.b32 [%rd200], %r123;
	// end inline asm
	// begin inline asm
	@%p361 st.global.b32 [%rd201], %r124;
	// end inline asm
$L__BB0_28:
	.loc	1 19 37
	add.s64 	%rd213, %rd264, 768;
	add.s64 	%rd214, %rd263, 3298534883328;
	shr.s64 	%rd215, %rd214, 30;
	add.s64 	%rd216, %rd3, %rd215;
	add.s64 	%rd205, %rd216, %rd260;
	add.s32 	%r134, %r76, 768;
	setp.lt.u32 	%p374, %r134, %r5;
	.loc	1 19 80
	setp.lt.s64 	%p375, %rd213, %rd1;
	and.pred 	%p370, %p374, %p375;
	and.pred 	%p366, %p370, %p1;
	mov.b32 	%r231, %r133;
	// begin inline asm
	@%p366 ld.global.b32 %r231, [%rd205];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd206, %rd205, 256;
	add.s32 	%r135, %r76, 832;
	setp.lt.u32 	%p376, %r135, %r5;
	.loc	1 19 80
	and.pred 	%p371, %p376, %p375;
	and.pred 	%p367, %p371, %p1;
	mov.b32 	%r230, %r133;
	// begin inline asm
	@%p367 ld.global.b32 %r230, [%rd206];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd207, %rd205, 512;
	add.s32 	%r136, %r76, 896;
	setp.lt.u32 	%p377, %r136, %r5;
	.loc	1 19 80
	and.pred 	%p372, %p377, %p375;
	and.pred 	%p368, %p372, %p1;
	mov.b32 	%r229, %r133;
	// begin inline asm
	@%p368 ld.global.b32 %r229, [%rd207];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd208, %rd205, 768;
	add.s32 	%r137, %r76, 960;
	setp.lt.u32 	%p378, %r137, %r5;
	.loc	1 19 80
	and.pred 	%p373, %p378, %p375;
	and.pred 	%p369, %p373, %p1;
	mov.b32 	%r228, %r133;
	// begin inline asm
	@%p369 ld.global.b32 %r228, [%rd208];
	// end inline asm
	add.s64 	%rd217, %rd9, %rd215;
	add.s64 	%rd209, %rd217, %rd260;
	mov.b32 	%r227, %r133;
	// begin inline asm
	@%p370 ld.global.b32 %r227, [%rd209];
	// end inline asm
	add.s64 	%rd210, %rd209, 256;
	mov.b32 	%r226, %r133;
	// begin inline asm
	@%p371 ld.global.b32 %r226, [%rd210];
	// end inline asm
	add.s64 	%rd211, %rd209, 512;
	mov.b32 	%r225, %r133;
	// begin inline asm
	@%p372 ld.global.b32 %r225, [%rd211];
	// end inline asm
	add.s64 	%rd212, %rd209, 768;
	// begin inline asm
	@%p373 ld.global.b32 %r133, [%rd212];
	// end inline asm
	add.s64 	%rd218, %rd264, -512;
	setp.ge.s64 	%p379, %rd218, %rd1;
	@%p379 bra 	$L__BB0_30;
	.loc	1 0 80
	add.s32 	%r142, %r76, -512;
	.loc	1 19 37
	setp.lt.u32 	%p384, %r142, %r5;
	and.pred 	%p380, %p1, %p384;
	add.s32 	%r143, %r76, -448;
	setp.lt.u32 	%p385, %r143, %r5;
	and.pred 	%p381, %p1, %p385;
	add.s32 	%r144, %r76, -384;
	setp.lt.u32 	%p386, %r144, %r5;
	and.pred 	%p382, %p1, %p386;
	add.s32 	%r145, %r76, -320;
	setp.lt.u32 	%p387, %r145, %r5;
	and.pred 	%p383, %p1, %p387;
	mul.rn.f32 	%r146, %r63, %r223;
	mul.rn.f32 	%r147, %r63, %r222;
	mul.rn.f32 	%r148, %r63, %r221;
	mul.rn.f32 	%r149, %r63, %r220;
	.loc	1 19 36
	mul.rn.f32 	%r138, %r146, %r219;
	mul.rn.f32 	%r139, %r147, %r218;
	mul.rn.f32 	%r140, %r148, %r217;
	mul.rn.f32 	%r141, %r149, %r216;
	.loc	1 19 9
	add.s64 	%rd223, %rd263, -2199023255552;
	shr.s64 	%rd224, %rd223, 30;
	add.s64 	%rd225, %rd8, %rd224;
	add.s64 	%rd219, %rd225, %rd260;
	add.s64 	%rd220, %rd219, 256;
	add.s64 	%rd221, %rd219, 512;
	add.s64 	%rd222, %rd219, 768;
	bar.sync 	0;
	// begin inline asm
	@%p380 st.global.b32 [%rd219], %r138;
	// end inline asm
	// begin inline asm
	@%p381 st.global.b32 [%rd220], %r139;
	// end inline asm
	// begin inline asm
	@%p382 st.global.b32 [%rd221], %r140;
	// end inline asm
	// begin inline asm
	@%p383 st.global.b32 [%rd222], %r141;
	// end inline asm
$L__BB0_30:
	.loc	1 19 37
	add.s64 	%rd234, %rd264, 1024;
	add.s64 	%rd235, %rd263, 4398046511104;
	shr.s64 	%rd236, %rd235, 30;
	add.s64 	%rd237, %rd3, %rd236;
	add.s64 	%rd226, %rd237, %rd260;
	add.s32 	%r150, %r76, 1024;
	setp.lt.u32 	%p396, %r150, %r5;
	.loc	1 19 80
	setp.lt.s64 	%p397, %rd234, %rd1;
	and.pred 	%p392, %p396, %p397;
	and.pred 	%p388, %p392, %p1;
	mov.b32 	%r166, 0;
	mov.b32 	%r223, %r166;
	// begin inline asm
	@%p388 ld.global.b32 %r223, [%rd226];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd227, %rd226, 256;
	add.s32 	%r151, %r76, 1088;
	setp.lt.u32 	%p398, %r151, %r5;
	.loc	1 19 80
	and.pred 	%p393, %p398, %p397;
	and.pred 	%p389, %p393, %p1;
	mov.b32 	%r222, %r166;
	// begin inline asm
	@%p389 ld.global.b32 %r222, [%rd227];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd228, %rd226, 512;
	add.s32 	%r152, %r76, 1152;
	setp.lt.u32 	%p399, %r152, %r5;
	.loc	1 19 80
	and.pred 	%p394, %p399, %p397;
	and.pred 	%p390, %p394, %p1;
	mov.b32 	%r221, %r166;
	// begin inline asm
	@%p390 ld.global.b32 %r221, [%rd228];
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd229, %rd226, 768;
	add.s32 	%r153, %r76, 1216;
	setp.lt.u32 	%p400, %r153, %r5;
	.loc	1 19 80
	and.pred 	%p395, %p400, %p397;
	and.pred 	%p391, %p395, %p1;
	mov.b32 	%r220, %r166;
	// begin inline asm
	@%p391 ld.global.b32 %r220, [%rd229];
	// end inline asm
	add.s64 	%rd238, %rd9, %rd236;
	add.s64 	%rd230, %rd238, %rd260;
	mov.b32 	%r219, %r166;
	// begin inline asm
	@%p392 ld.global.b32 %r219, [%rd230];
	// end inline asm
	add.s64 	%rd231, %rd230, 256;
	mov.b32 	%r218, %r166;
	// begin inline asm
	@%p393 ld.global.b32 %r218, [%rd231];
	// end inline asm
	add.s64 	%rd232, %rd230, 512;
	mov.b32 	%r217, %r166;
	// begin inline asm
	@%p394 ld.global.b32 %r217, [%rd232];
	// end inline asm
	add.s64 	%rd233, %rd230, 768;
	mov.b32 	%r216, %r166;
	// begin inline asm
	@%p395 ld.global.b32 %r216, [%rd233];
	// end inline asm
	add.s64 	%rd239, %rd264, -256;
	setp.ge.s64 	%p401, %rd239, %rd1;
	@%p401 bra 	$L__BB0_32;
	.loc	1 0 80
	add.s32 	%r158, %r76, -256;
	.loc	1 19 37
	setp.lt.u32 	%p406, %r158, %r5;
	and.pred 	%p402, %p1, %p406;
	add.s32 	%r159, %r76, -192;
	setp.lt.u32 	%p407, %r159, %r5;
	and.pred 	%p403, %p1, %p407;
	add.s32 	%r160, %r76, -128;
	setp.lt.u32 	%p408, %r160, %r5;
	and.pred 	%p404, %p1, %p408;
	add.s32 	%r161, %r76, -64;
	setp.lt.u32 	%p409, %r161, %r5;
	and.pred 	%p405, %p1, %p409;
	mul.rn.f32 	%r162, %r63, %r215;
	mul.rn.f32 	%r163, %r63, %r214;
	mul.rn.f32 	%r164, %r63, %r213;
	mul.rn.f32 	%r165, %r63, %r212;
	.loc	1 19 36
	mul.rn.f32 	%r154, %r162, %r211;
	mul.rn.f32 	%r155, %r163, %r210;
	mul.rn.f32 	%r156, %r164, %r209;
	mul.rn.f32 	%r157, %r165, %r208;
	.loc	1 19 9
	add.s64 	%rd244, %rd263, -1099511627776;
	shr.s64 	%rd245, %rd244, 30;
	add.s64 	%rd246, %rd8, %rd245;
	add.s64 	%rd240, %rd246, %rd260;
	add.s64 	%rd241, %rd240, 256;
	add.s64 	%rd242, %rd240, 512;
	add.s64 	%rd243, %rd240, 768;
	bar.sync 	0;
	// begin inline asm
	@%p402 st.global.b32 [%rd240], %r154;
	// end inline asm
	// begin inline asm
	@%p403 st.global.b32 [%rd241], %r155;
	// end inline asm
	// begin inline asm
	@%p404 st.global.b32 [%rd242], %r156;
	// end inline asm
	// begin inline asm
	@%p405 st.global.b32 [%rd243], %r157;
	// end inline asm
	bra.uni 	$L__BB0_32;
$L__BB0_33:
	.loc	1 18 5
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}
"#;

/// The kernels of `rms_norm.tile`, loaded on a device.
#[derive(Debug)]
#[allow(dead_code)]
pub struct Kernels {
    /// `rms_norm(x: tensor<f32>[rows, columns], w: tensor<f32>[columns], eps: f32, y: mut tensor<f32>[rows, columns])`
    pub rms_norm: RmsNorm,
}

impl Kernels {
    /// Loads them.
    ///
    /// # Errors
    /// If the device does not run code of this target, or refuses it.
    pub fn load(device: &::tile_runtime::device::Device) -> Result<Self, ::tile_runtime::Error> {
        let program = device.load(PTX)?;
        Ok(Self {
            rms_norm: RmsNorm(::tile_runtime::typed::Kernel::of(&program, "rms_norm")?),
        })
    }
}

/// y = x / sqrt(mean(x * x) + eps) * w, row by row; rows may be of any length.
///
/// `rms_norm(x: tensor<f32>[rows, columns], w: tensor<f32>[columns], eps: f32, y: mut tensor<f32>[rows, columns])`
///
/// Compiled with `BLOCK = 256`, `T = f32`.
#[derive(Debug)]
pub struct RmsNorm(::tile_runtime::typed::Kernel);

#[allow(dead_code)]
impl RmsNorm {
    /// Starts it on a stream. What is wrong with the sizes is found before.
    ///
    /// # Errors
    /// If sizes or strides do not suit the kernel, or the device refuses.
    pub fn launch(
        &self,
        stream: &::tile_runtime::device::Stream,
        x: &::tile_runtime::typed::Tensor<f32, 2>,
        w: &::tile_runtime::typed::Tensor<f32, 1>,
        eps: f32,
        y: &mut ::tile_runtime::typed::Tensor<f32, 2>,
    ) -> Result<(), ::tile_runtime::Error> {
        self.0.launch(stream, &[
            x.argument(),
            w.argument(),
            ::tile_runtime::typed::Argument::scalar(eps),
            y.argument_mut(),
        ])
    }

    /// The kernel without types: its manifest, occupancy, and launches that are prepared.
    #[must_use]
    pub const fn untyped(&self) -> &::tile_runtime::program::Kernel {
        self.0.untyped()
    }
}
