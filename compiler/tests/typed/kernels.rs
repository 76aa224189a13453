// Written by tilec 0.1.0 (`tilec build kernels.tile --emit rust`): changes belong there.

/// The compiled kernels of `kernels.tile`, for `sm_80` and what runs its code.
pub const PTX: &str = r#"//tile: {
//tile:   "format": 5,
//tile:   "compiler": "tilec 0.1.0",
//tile:   "target": "sm_80",
//tile:   "source": "kernels.tile",
//tile:   "kernels": [
//tile:     {
//tile:       "name": "scale",
//tile:       "docs": "y = factor * x, and the largest element of each row.\n\nA row is at most 64 wide.",
//tile:       "parameters": [
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "x",
//tile:           "element": "f32",
//tile:           "mutable": false,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "m"
//tile:             },
//tile:             {
//tile:               "named": "n"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense",
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "factor",
//tile:           "element": "f32"
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "y",
//tile:           "element": "f32",
//tile:           "mutable": true,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "m"
//tile:             },
//tile:             {
//tile:               "named": "n"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense",
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "largest",
//tile:           "element": "f32",
//tile:           "mutable": true,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "m"
//tile:             }
//tile:           ],
//tile:           "strides": [
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
//tile:           "name": "m"
//tile:         },
//tile:         {
//tile:           "kind": "size",
//tile:           "name": "n"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "factor"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "y"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "largest"
//tile:         }
//tile:       ],
//tile:       "grid": [
//tile:         {
//tile:           "name": "m"
//tile:         }
//tile:       ],
//tile:       "variants": [
//tile:         {
//tile:           "entry": "scale",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "x",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "n",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "largest",
//tile:               "bytes": 16
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 64 elements to reduce",
//tile:             "load in vectors of 2 x 4 bytes per thread",
//tile:             "store in vectors of 2 x 4 bytes per thread",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "scale__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 768,
//tile:           "decisions": [
//tile:             "1 warp per program, for 64 elements to reduce",
//tile:             "this row may be unaligned: it comes to shared memory in chunks of 16 bytes, and its ends element by element",
//tile:             "656 bytes of shared memory for 2 buffers",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         }
//tile:       ]
//tile:     },
//tile:     {
//tile:       "name": "shift_first",
//tile:       "docs": "Adds `type` to the first `count` numbers, with a grid that the caller chooses.",
//tile:       "generics": {
//tile:         "BLOCK": "32",
//tile:         "T": "i32"
//tile:       },
//tile:       "parameters": [
//tile:         {
//tile:           "kind": "pointer",
//tile:           "name": "p",
//tile:           "element": "i32",
//tile:           "mutable": true
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "count",
//tile:           "element": "i32"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "type",
//tile:           "element": "i32"
//tile:         }
//tile:       ],
//tile:       "arguments": [
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "p"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "count"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "type"
//tile:         }
//tile:       ],
//tile:       "variants": [
//tile:         {
//tile:           "entry": "shift_first",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "p",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "count",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "add": [
//tile:                   {
//tile:                     "mul": [
//tile:                       {
//tile:                         "name": "program_id(0)"
//tile:                       },
//tile:                       {
//tile:                         "const": 32
//tile:                       }
//tile:                     ]
//tile:                   },
//tile:                   {
//tile:                     "const": 31
//tile:                   }
//tile:                 ]
//tile:               },
//tile:               "least": 0,
//tile:               "most": 2147483647
//tile:             },
//tile:             {
//tile:               "kind": "within",
//tile:               "value": {
//tile:                 "name": "count"
//tile:               },
//tile:               "least": 0,
//tile:               "most": 2147483647
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 128 bytes per access",
//tile:             "load in vectors of 1 x 4 bytes per thread",
//tile:             "store in vectors of 1 x 4 bytes per thread",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "shift_first__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 128 bytes per access",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         }
//tile:       ]
//tile:     },
//tile:     {
//tile:       "name": "numbers",
//tile:       "docs": "The sum of numbers of all types, into the first of `y`.",
//tile:       "parameters": [
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "a",
//tile:           "element": "i1"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "b",
//tile:           "element": "i8"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "c",
//tile:           "element": "i16"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "d",
//tile:           "element": "i32"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "e",
//tile:           "element": "i64"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "f",
//tile:           "element": "u8"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "g",
//tile:           "element": "u16"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "h",
//tile:           "element": "u32"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "i",
//tile:           "element": "u64"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "j",
//tile:           "element": "f16"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "k",
//tile:           "element": "bf16"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "l",
//tile:           "element": "f32"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "m",
//tile:           "element": "f64"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "n",
//tile:           "element": "f8e4m3"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "o",
//tile:           "element": "f8e5m2"
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "y",
//tile:           "element": "f64",
//tile:           "mutable": true,
//tile:           "dimensions": [
//tile:             {
//tile:               "fixed": 1
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense"
//tile:           ]
//tile:         }
//tile:       ],
//tile:       "arguments": [
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "a"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "b"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "c"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "d"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "e"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "f"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "g"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "h"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "i"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "j"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "k"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "l"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "m"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "n"
//tile:         },
//tile:         {
//tile:           "kind": "scalar",
//tile:           "name": "o"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "y"
//tile:         }
//tile:       ],
//tile:       "grid": [
//tile:         {
//tile:           "const": 1
//tile:         }
//tile:       ],
//tile:       "variants": [
//tile:         {
//tile:           "entry": "numbers",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 0 bytes per access",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "numbers__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 0 bytes per access",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
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

	// .globl	scale

.visible .entry scale(
	.param .u64 .ptr .global .align 1 scale_param_0,
	.param .u32 scale_param_1,
	.param .u32 scale_param_2,
	.param .f32 scale_param_3,
	.param .u64 .ptr .global .align 1 scale_param_4,
	.param .u64 .ptr .global .align 1 scale_param_5,
	.param .u32 scale_param_6,
	.param .u32 scale_param_7,
	.param .u32 scale_param_8,
	.param .u32 scale_param_9,
	.param .u32 scale_param_10,
	.param .u32 scale_param_11,
	.param .u32 scale_param_12,
	.param .u32 scale_param_13,
	.param .u32 scale_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<7>;
	.reg .b32 	%r<27>;
	.reg .b64 	%rd<15>;
$L__func_begin0:

	.loc	1 11 23
	mov.u32 	%r5, %ctaid.x;
	mov.u32 	%r6, %ntid.y;
	mov.u32 	%r7, %tid.y;
	mad.lo.s32 	%r1, %r5, %r6, %r7;
	ld.param.b32 	%r8, [scale_param_6];
	setp.ge.u32 	%p1, %r1, %r8;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 23
	ld.param.b64 	%rd3, [scale_param_5];
	ld.param.b64 	%rd2, [scale_param_4];
	ld.param.b32 	%r4, [scale_param_3];
	ld.param.b32 	%r3, [scale_param_2];
	ld.param.b32 	%r2, [scale_param_1];
	ld.param.b64 	%rd1, [scale_param_0];
	.loc	1 10 13
	and.b32 	%r14, %r1, 2147483647;
	.loc	1 11 18
	cvt.u64.u32 	%rd7, %r14;
	.loc	1 11 23
	cvt.s64.s32 	%rd8, %r3;
	.loc	1 11 18
	mul.lo.s64 	%rd9, %rd7, %rd8;
	shl.b64 	%rd10, %rd9, 2;
	add.s64 	%rd11, %rd1, %rd10;
	mov.u32 	%r15, %tid.x;
	shl.b32 	%r16, %r15, 1;
	mul.wide.u32 	%rd12, %r16, 4;
	add.s64 	%rd4, %rd11, %rd12;
	setp.lt.u32 	%p4, %r14, %r2;
	setp.lt.u32 	%p5, %r16, %r3;
	and.pred 	%p2, %p4, %p5;
	mov.b32 	%r10, -8388608;
	mov.b32 	%r9, %r10;
	// begin inline asm
	@%p2 ld.global.v2.b32 {%r9, %r10}, [%rd4];
	// end inline asm
	.loc	1 12 5
	add.s64 	%rd13, %rd2, %rd10;
	add.s64 	%rd5, %rd13, %rd12;
	.loc	1 11 18
	mul.rn.f32 	%r11, %r4, %r9;
	mul.rn.f32 	%r12, %r4, %r10;
	.loc	1 12 5
	// begin inline asm
	@%p2 st.global.v2.b32 [%rd5], {%r11, %r12};
	// end inline asm
	.loc	1 13 23
	max.f32 	%r17, %r11, %r12;
	shfl.sync.bfly.b32 	%r18, %r17, 1, 31, -1;
	max.f32 	%r19, %r17, %r18;
	shfl.sync.bfly.b32 	%r20, %r19, 2, 31, -1;
	max.f32 	%r21, %r19, %r20;
	shfl.sync.bfly.b32 	%r22, %r21, 4, 31, -1;
	max.f32 	%r23, %r21, %r22;
	shfl.sync.bfly.b32 	%r24, %r23, 8, 31, -1;
	max.f32 	%r25, %r23, %r24;
	shfl.sync.bfly.b32 	%r26, %r25, 16, 31, -1;
	.loc	1 13 5
	mul.wide.u32 	%rd14, %r14, 4;
	add.s64 	%rd6, %rd3, %rd14;
	.loc	1 13 23
	max.f32 	%r13, %r25, %r26;
	.loc	1 13 5
	setp.eq.b32 	%p6, %r15, 0;
	and.pred 	%p3, %p4, %p6;
	// begin inline asm
	@%p3 st.global.b32 [%rd6], %r13;
	// end inline asm
$L__BB0_2:
	.loc	1 13 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}
	.file	1 "kernels.tile"


	// .globl	scale__general
.extern .shared .align 128 .b8 tile_shared[];

.visible .entry scale__general(
	.param .u64 .ptr .global .align 1 scale__general_param_0,
	.param .u32 scale__general_param_1,
	.param .u32 scale__general_param_2,
	.param .f32 scale__general_param_3,
	.param .u64 .ptr .global .align 1 scale__general_param_4,
	.param .u64 .ptr .global .align 1 scale__general_param_5,
	.param .u32 scale__general_param_6,
	.param .u32 scale__general_param_7,
	.param .u32 scale__general_param_8,
	.param .u32 scale__general_param_9,
	.param .u32 scale__general_param_10,
	.param .u32 scale__general_param_11,
	.param .u32 scale__general_param_12,
	.param .u32 scale__general_param_13,
	.param .u32 scale__general_param_14
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<45>;
	.reg .b32 	%r<59>;
	.reg .b64 	%rd<24>;
$L__func_begin0:

	.loc	1 11 23
	mov.u32 	%r6, %ctaid.x;
	mov.u32 	%r7, %ntid.y;
	mov.u32 	%r1, %tid.y;
	mad.lo.s32 	%r2, %r6, %r7, %r1;
	ld.param.b32 	%r8, [scale__general_param_6];
	setp.ge.u32 	%p1, %r2, %r8;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 23
	ld.param.b64 	%rd3, [scale__general_param_5];
	ld.param.b64 	%rd2, [scale__general_param_4];
	ld.param.b32 	%r5, [scale__general_param_3];
	ld.param.b32 	%r4, [scale__general_param_2];
	ld.param.b32 	%r3, [scale__general_param_1];
	ld.param.b64 	%rd1, [scale__general_param_0];
	.loc	1 11 18
	mov.u32 	%r25, %tid.x;
	shl.b32 	%r26, %r25, 4;
	mul.lo.s32 	%r27, %r1, 768;
	cvt.u64.u32 	%rd9, %r27;
	mov.b64 	%rd10, tile_shared;
	add.s64 	%rd11, %rd10, %rd9;
	cvt.u32.u64 	%r28, %rd11;
	add.s32 	%r9, %r26, %r28;
	.loc	1 10 13
	and.b32 	%r29, %r2, 2147483647;
	.loc	1 11 18
	cvt.u64.u32 	%rd12, %r29;
	.loc	1 11 23
	cvt.s64.s32 	%rd13, %r4;
	.loc	1 11 18
	mul.lo.s64 	%rd14, %rd12, %rd13;
	shl.b64 	%rd15, %rd14, 2;
	add.s64 	%rd16, %rd1, %rd15;
	and.b64 	%rd17, %rd16, -16;
	cvt.u64.u32 	%rd18, %r26;
	add.s64 	%rd4, %rd17, %rd18;
	add.s32 	%r30, %r26, 16;
	cvt.u32.u64 	%r31, %rd16;
	and.b32 	%r13, %r31, 15;
	setp.lt.u32 	%p9, %r29, %r3;
	min.u32 	%r32, %r4, 64;
	shl.b32 	%r33, %r32, 2;
	selp.b32 	%r34, %r33, 0, %p9;
	add.s32 	%r35, %r13, %r34;
	setp.le.u32 	%p10, %r30, %r35;
	setp.ge.u32 	%p11, %r26, %r13;
	and.pred 	%p2, %p10, %p11;
	// begin inline asm
	@%p2 cp.async.cg.shared.global [%r9+0], [%rd4+0], 16;
	// end inline asm
	setp.ge.u32 	%p12, %r26, %r35;
	add.s32 	%r36, %r25, -1;
	setp.lt.u32 	%p13, %r36, 16;
	and.pred 	%p3, %p12, %p13;
	mov.b32 	%r10, -8388608;
	// begin inline asm
	@%p3 st.shared.v4.b32 [%r9+0], {%r10, %r10, %r10, %r10};
	// end inline asm
	setp.gt.u32 	%p14, %r25, 3;
	setp.lt.u32 	%p15, %r25, 4;
	shl.b32 	%r37, %r25, 2;
	and.b32 	%r38, %r35, 1008;
	add.s32 	%r39, %r37, -16;
	add.s32 	%r40, %r38, %r39;
	selp.b32 	%r41, %r37, %r40, %p15;
	cvt.u64.u32 	%rd19, %r41;
	add.s64 	%rd5, %rd17, %rd19;
	setp.ge.u32 	%p16, %r41, %r13;
	setp.lt.u32 	%p17, %r41, %r35;
	and.pred 	%p18, %p16, %p17;
	setp.ne.b32 	%p19, %r13, 0;
	setp.gt.u32 	%p20, %r35, 15;
	setp.lt.u32 	%p21, %r35, 16;
	or.pred 	%p22, %p19, %p21;
	setp.lt.u32 	%p23, %r25, 8;
	setp.ne.b32 	%p24, %r38, %r35;
	and.pred 	%p25, %p24, %p20;
	and.pred 	%p26, %p23, %p25;
	and.pred 	%p27, %p14, %p26;
	and.pred 	%p28, %p15, %p22;
	or.pred 	%p5, %p28, %p27;
	and.pred 	%p4, %p18, %p5;
	// begin inline asm
	@%p4 ld.global.b32 %r10, [%rd5];
	// end inline asm
	add.s32 	%r11, %r41, %r28;
	// begin inline asm
	@%p5 st.shared.b32 [%r11+0], %r10;
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
	add.s32 	%r42, %r37, %r12;
	add.s32 	%r15, %r42, %r28;
	// begin inline asm
	ld.shared.b32 %r14, [%r15+0];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r16, [%r15+128];
	// end inline asm
	.loc	1 12 5
	add.s64 	%rd20, %rd2, %rd15;
	cvt.u32.u64 	%r43, %rd20;
	and.b32 	%r18, %r43, 15;
	// begin inline asm
	mov.b32 %r17, %r18;
	// end inline asm
	add.s32 	%r44, %r37, %r17;
	add.s32 	%r19, %r44, %r28;
	.loc	1 11 18
	mul.rn.f32 	%r20, %r5, %r14;
	.loc	1 12 5
	// begin inline asm
	st.shared.b32 [%r19+384], %r20;
	// end inline asm
	.loc	1 11 18
	mul.rn.f32 	%r21, %r5, %r16;
	.loc	1 12 5
	// begin inline asm
	st.shared.b32 [%r19+512], %r21;
	// end inline asm
	bar.warp.sync 	-1;
	add.s32 	%r22, %r9, 384;
	and.b64 	%rd21, %rd20, -16;
	add.s64 	%rd6, %rd21, %rd18;
	add.s32 	%r45, %r18, %r34;
	setp.le.u32 	%p29, %r30, %r45;
	setp.ge.u32 	%p30, %r26, %r18;
	and.pred 	%p6, %p29, %p30;
	// begin inline asm
	{
.reg .b32 %a, %b, %c, %d;
@%p6 ld.shared.v4.b32 {%a, %b, %c, %d}, [%r22+0];
@%p6 st.global.v4.b32 [%rd6+0], {%a, %b, %c, %d};
}
	// end inline asm
	and.b32 	%r46, %r45, 1008;
	add.s32 	%r47, %r46, %r39;
	selp.b32 	%r48, %r37, %r47, %p15;
	add.s32 	%r23, %r48, %r28;
	cvt.u64.u32 	%rd22, %r48;
	add.s64 	%rd7, %rd21, %rd22;
	setp.ge.u32 	%p31, %r48, %r18;
	setp.lt.u32 	%p32, %r48, %r45;
	and.pred 	%p33, %p31, %p32;
	setp.ne.b32 	%p34, %r18, 0;
	setp.gt.u32 	%p35, %r45, 15;
	setp.lt.u32 	%p36, %r45, 16;
	or.pred 	%p37, %p34, %p36;
	setp.ne.b32 	%p38, %r46, %r45;
	and.pred 	%p39, %p38, %p35;
	and.pred 	%p40, %p23, %p39;
	and.pred 	%p41, %p14, %p40;
	and.pred 	%p42, %p15, %p37;
	or.pred 	%p43, %p42, %p41;
	and.pred 	%p7, %p33, %p43;
	// begin inline asm
	{
.reg .b32 %a;
@%p7 ld.shared.b32 %a, [%r23+384];
@%p7 st.global.b32 [%rd7], %a;
}
	// end inline asm
	.loc	1 13 23
	max.f32 	%r49, %r20, %r21;
	shfl.sync.bfly.b32 	%r50, %r49, 1, 31, -1;
	max.f32 	%r51, %r49, %r50;
	shfl.sync.bfly.b32 	%r52, %r51, 2, 31, -1;
	max.f32 	%r53, %r51, %r52;
	shfl.sync.bfly.b32 	%r54, %r53, 4, 31, -1;
	max.f32 	%r55, %r53, %r54;
	shfl.sync.bfly.b32 	%r56, %r55, 8, 31, -1;
	max.f32 	%r57, %r55, %r56;
	shfl.sync.bfly.b32 	%r58, %r57, 16, 31, -1;
	.loc	1 13 5
	mul.wide.u32 	%rd23, %r29, 4;
	add.s64 	%rd8, %rd3, %rd23;
	.loc	1 13 23
	max.f32 	%r24, %r57, %r58;
	.loc	1 13 5
	setp.eq.b32 	%p44, %r25, 0;
	and.pred 	%p8, %p9, %p44;
	// begin inline asm
	@%p8 st.global.b32 [%rd8], %r24;
	// end inline asm
$L__BB0_2:
	.loc	1 13 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	shift_first

.visible .entry shift_first(
	.param .u64 .ptr .global .align 1 shift_first_param_0,
	.param .u32 shift_first_param_1,
	.param .u32 shift_first_param_2,
	.param .u32 shift_first_param_3,
	.param .u32 shift_first_param_4,
	.param .u32 shift_first_param_5,
	.param .u32 shift_first_param_6,
	.param .u32 shift_first_param_7,
	.param .u32 shift_first_param_8,
	.param .u32 shift_first_param_9,
	.param .u32 shift_first_param_10,
	.param .u32 shift_first_param_11
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<27>;
	.reg .b64 	%rd<10>;
$L__func_begin0:
	.loc	1 17 0

	ld.param.b32 	%r5, [shift_first_param_3];
$L__tmp0:
	.loc	1 18 14
	mov.u32 	%r10, %ctaid.x;
	mov.u32 	%r11, %ntid.y;
	ld.param.b32 	%r12, [shift_first_param_4];
	mov.u32 	%r13, %tid.y;
	mad.lo.s32 	%r1, %r10, %r11, %r13;
	ld.param.b32 	%r14, [shift_first_param_5];
	mul.lo.s32 	%r2, %r5, %r12;
	mul.lo.s32 	%r15, %r2, %r14;
	setp.ge.u32 	%p1, %r1, %r15;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 14
	ld.param.b32 	%r9, [shift_first_param_11];
	ld.param.b32 	%r8, [shift_first_param_10];
	ld.param.b32 	%r7, [shift_first_param_7];
	ld.param.b32 	%r6, [shift_first_param_6];
	ld.param.b32 	%r4, [shift_first_param_2];
	ld.param.b32 	%r3, [shift_first_param_1];
	ld.param.b64 	%rd1, [shift_first_param_0];
	.loc	1 18 14
	mul.wide.u32 	%rd3, %r1, %r6;
	shr.u64 	%rd4, %rd3, %r7;
	cvt.u32.u64 	%r18, %rd4;
	mul.lo.s32 	%r19, %r2, %r18;
	sub.s32 	%r20, %r1, %r19;
	mul.wide.u32 	%rd5, %r20, %r8;
	shr.u64 	%rd6, %rd5, %r9;
	cvt.u32.u64 	%r21, %rd6;
	mul.lo.s32 	%r22, %r5, %r21;
	sub.s32 	%r23, %r20, %r22;
	shl.b32 	%r24, %r23, 5;
	.loc	1 19 19
	mul.wide.s32 	%rd7, %r24, 4;
	add.s64 	%rd8, %rd1, %rd7;
	mov.u32 	%r25, %tid.x;
	mul.wide.u32 	%rd9, %r25, 4;
	add.s64 	%rd2, %rd8, %rd9;
	add.s32 	%r26, %r24, %r25;
	setp.lt.u32 	%p2, %r26, %r3;
	mov.b32 	%r16, 0;
	// begin inline asm
	@%p2 ld.global.b32 %r16, [%rd2];
	// end inline asm
	add.s32 	%r17, %r16, %r4;
	.loc	1 19 5
	// begin inline asm
	@%p2 st.global.b32 [%rd2], %r17;
	// end inline asm
$L__BB0_2:
	.loc	1 19 5
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	shift_first__general

.visible .entry shift_first__general(
	.param .u64 .ptr .global .align 1 shift_first__general_param_0,
	.param .u32 shift_first__general_param_1,
	.param .u32 shift_first__general_param_2,
	.param .u32 shift_first__general_param_3,
	.param .u32 shift_first__general_param_4,
	.param .u32 shift_first__general_param_5,
	.param .u32 shift_first__general_param_6,
	.param .u32 shift_first__general_param_7,
	.param .u32 shift_first__general_param_8,
	.param .u32 shift_first__general_param_9,
	.param .u32 shift_first__general_param_10,
	.param .u32 shift_first__general_param_11
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<27>;
	.reg .b64 	%rd<8>;
$L__func_begin0:
	.loc	1 17 0

	ld.param.b32 	%r5, [shift_first__general_param_3];
$L__tmp0:
	.loc	1 18 14
	mov.u32 	%r10, %ctaid.x;
	mov.u32 	%r11, %ntid.y;
	ld.param.b32 	%r12, [shift_first__general_param_4];
	mov.u32 	%r13, %tid.y;
	mad.lo.s32 	%r1, %r10, %r11, %r13;
	ld.param.b32 	%r14, [shift_first__general_param_5];
	mul.lo.s32 	%r2, %r5, %r12;
	mul.lo.s32 	%r15, %r2, %r14;
	setp.ge.u32 	%p1, %r1, %r15;
	@%p1 bra 	$L__BB0_2;
	.loc	1 0 14
	ld.param.b32 	%r9, [shift_first__general_param_11];
	ld.param.b32 	%r8, [shift_first__general_param_10];
	ld.param.b32 	%r7, [shift_first__general_param_7];
	ld.param.b32 	%r6, [shift_first__general_param_6];
	ld.param.b32 	%r4, [shift_first__general_param_2];
	ld.param.b32 	%r3, [shift_first__general_param_1];
	ld.param.b64 	%rd1, [shift_first__general_param_0];
	.loc	1 18 14
	mul.wide.u32 	%rd3, %r1, %r6;
	shr.u64 	%rd4, %rd3, %r7;
	cvt.u32.u64 	%r18, %rd4;
	mul.lo.s32 	%r19, %r2, %r18;
	sub.s32 	%r20, %r1, %r19;
	mul.wide.u32 	%rd5, %r20, %r8;
	shr.u64 	%rd6, %rd5, %r9;
	cvt.u32.u64 	%r21, %rd6;
	mul.lo.s32 	%r22, %r5, %r21;
	sub.s32 	%r23, %r20, %r22;
	shl.b32 	%r24, %r23, 5;
	.loc	1 19 19
	mov.u32 	%r25, %tid.x;
	add.s32 	%r26, %r24, %r25;
	mul.wide.s32 	%rd7, %r26, 4;
	add.s64 	%rd2, %rd1, %rd7;
	setp.lt.s32 	%p2, %r26, %r3;
	mov.b32 	%r16, 0;
	// begin inline asm
	@%p2 ld.global.b32 %r16, [%rd2];
	// end inline asm
	add.s32 	%r17, %r16, %r4;
	.loc	1 19 5
	// begin inline asm
	@%p2 st.global.b32 [%rd2], %r17;
	// end inline asm
$L__BB0_2:
	.loc	1 19 5
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	numbers

.visible .entry numbers(
	.param .u8 numbers_param_0,
	.param .u8 numbers_param_1,
	.param .u16 numbers_param_2,
	.param .u32 numbers_param_3,
	.param .u64 numbers_param_4,
	.param .u8 numbers_param_5,
	.param .u16 numbers_param_6,
	.param .u32 numbers_param_7,
	.param .u64 numbers_param_8,
	.param .align 2 .b8 numbers_param_9[2],
	.param .align 2 .b8 numbers_param_10[2],
	.param .f32 numbers_param_11,
	.param .f64 numbers_param_12,
	.param .u8 numbers_param_13,
	.param .u8 numbers_param_14,
	.param .u64 .ptr .global .align 1 numbers_param_15,
	.param .u32 numbers_param_16,
	.param .u32 numbers_param_17,
	.param .u32 numbers_param_18,
	.param .u32 numbers_param_19,
	.param .u32 numbers_param_20,
	.param .u32 numbers_param_21,
	.param .u32 numbers_param_22,
	.param .u32 numbers_param_23,
	.param .u32 numbers_param_24
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<5>;
	.reg .b16 	%rs<17>;
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<34>;
$L__func_begin0:

	.loc	1 29 5
	mov.u32 	%r4, %ctaid.x;
	mov.u32 	%r5, %ntid.y;
	mov.u32 	%r6, %tid.y;
	mad.lo.s32 	%r7, %r4, %r5, %r6;
	ld.param.b32 	%r8, [numbers_param_16];
	setp.ge.u32 	%p2, %r7, %r8;
	@%p2 bra 	$L__BB0_2;
	.loc	1 0 5
	ld.param.b8 	%rs9, [numbers_param_0];
	and.b16 	%rs10, %rs9, 1;
	setp.ne.b16 	%p1, %rs10, 0;
	ld.param.b64 	%rd4, [numbers_param_15];
	ld.param.b8 	%rs8, [numbers_param_14];
	ld.param.b8 	%rs7, [numbers_param_13];
	ld.param.b64 	%rd3, [numbers_param_12];
	ld.param.b32 	%r3, [numbers_param_11];
	ld.param.b16 	%rs6, [numbers_param_10];
	ld.param.b16 	%rs5, [numbers_param_9];
	ld.param.b64 	%rd2, [numbers_param_8];
	ld.param.b32 	%r2, [numbers_param_7];
	ld.param.b16 	%rs4, [numbers_param_6];
	ld.param.b8 	%rs3, [numbers_param_5];
	ld.param.b64 	%rd1, [numbers_param_4];
	ld.param.b32 	%r1, [numbers_param_3];
	ld.param.b16 	%rs2, [numbers_param_2];
	ld.param.b8 	%rs1, [numbers_param_1];
	.loc	1 28 16
	cvt.f64.f16 	%rd6, %rs5;
	.loc	1 28 27
	cvt.f32.bf16 	%r9, %rs6;
	cvt.f64.f32 	%rd7, %r9;
	.loc	1 28 16
	add.rn.f64 	%rd8, %rd6, %rd7;
	.loc	1 28 38
	cvt.f64.f32 	%rd9, %r3;
	.loc	1 28 16
	add.rn.f64 	%rd10, %rd8, %rd9;
	add.rn.f64 	%rd11, %rd10, %rd3;
	.loc	1 28 53
	and.b16 	%rs11, %rs7, 127;
	setp.eq.b16 	%p4, %rs11, 127;
	shl.b16 	%rs12, %rs11, 7;
	shl.b16 	%rs13, %rs7, 8;
	and.b16 	%rs14, %rs13, -32768;
	or.b16 	%rs15, %rs12, %rs14;
	cvt.f32.f16 	%r10, %rs15;
	mul.rn.f32 	%r11, %r10, 0f43800000;
	cvt.f64.f32 	%rd12, %r11;
	selp.f64 	%rd13, 0d7FF8000000000000, %rd12, %p4;
	.loc	1 28 16
	add.rn.f64 	%rd14, %rd11, %rd13;
	.loc	1 28 64
	shl.b16 	%rs16, %rs8, 8;
	cvt.f64.f16 	%rd15, %rs16;
	.loc	1 28 16
	add.rn.f64 	%rd16, %rd14, %rd15;
	.loc	1 27 17
	selp.b64 	%rd17, 1, 0, %p1;
	.loc	1 27 28
	cvt.u64.u16 	%rd18, %rs1;
	cvt.s64.s8 	%rd19, %rd18;
	.loc	1 27 17
	add.s64 	%rd20, %rd17, %rd19;
	.loc	1 27 39
	cvt.s64.s16 	%rd21, %rs2;
	.loc	1 27 17
	add.s64 	%rd22, %rd20, %rd21;
	.loc	1 27 50
	cvt.s64.s32 	%rd23, %r1;
	.loc	1 27 17
	add.s64 	%rd24, %rd22, %rd23;
	add.s64 	%rd25, %rd24, %rd1;
	.loc	1 27 65
	cvt.u64.u16 	%rd26, %rs3;
	.loc	1 27 17
	add.s64 	%rd27, %rd25, %rd26;
	.loc	1 27 76
	cvt.u64.u16 	%rd28, %rs4;
	.loc	1 27 17
	add.s64 	%rd29, %rd27, %rd28;
	.loc	1 27 87
	cvt.u64.u32 	%rd30, %r2;
	.loc	1 27 17
	add.s64 	%rd31, %rd29, %rd30;
	add.s64 	%rd32, %rd31, %rd2;
	.loc	1 29 17
	cvt.rn.f64.s64 	%rd33, %rd32;
	add.rn.f64 	%rd5, %rd16, %rd33;
	.loc	1 29 5
	mov.u32 	%r12, %tid.x;
	setp.eq.b32 	%p3, %r12, 0;
	// begin inline asm
	@%p3 st.global.b64 [%rd4], %rd5;
	// end inline asm
$L__BB0_2:
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	numbers__general

.visible .entry numbers__general(
	.param .u8 numbers__general_param_0,
	.param .u8 numbers__general_param_1,
	.param .u16 numbers__general_param_2,
	.param .u32 numbers__general_param_3,
	.param .u64 numbers__general_param_4,
	.param .u8 numbers__general_param_5,
	.param .u16 numbers__general_param_6,
	.param .u32 numbers__general_param_7,
	.param .u64 numbers__general_param_8,
	.param .align 2 .b8 numbers__general_param_9[2],
	.param .align 2 .b8 numbers__general_param_10[2],
	.param .f32 numbers__general_param_11,
	.param .f64 numbers__general_param_12,
	.param .u8 numbers__general_param_13,
	.param .u8 numbers__general_param_14,
	.param .u64 .ptr .global .align 1 numbers__general_param_15,
	.param .u32 numbers__general_param_16,
	.param .u32 numbers__general_param_17,
	.param .u32 numbers__general_param_18,
	.param .u32 numbers__general_param_19,
	.param .u32 numbers__general_param_20,
	.param .u32 numbers__general_param_21,
	.param .u32 numbers__general_param_22,
	.param .u32 numbers__general_param_23,
	.param .u32 numbers__general_param_24
)
.maxntid 32, 8
.minnctapersm 1
{
	.reg .pred 	%p<5>;
	.reg .b16 	%rs<17>;
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<34>;
$L__func_begin0:

	.loc	1 29 5
	mov.u32 	%r4, %ctaid.x;
	mov.u32 	%r5, %ntid.y;
	mov.u32 	%r6, %tid.y;
	mad.lo.s32 	%r7, %r4, %r5, %r6;
	ld.param.b32 	%r8, [numbers__general_param_16];
	setp.ge.u32 	%p2, %r7, %r8;
	@%p2 bra 	$L__BB0_2;
	.loc	1 0 5
	ld.param.b8 	%rs9, [numbers__general_param_0];
	and.b16 	%rs10, %rs9, 1;
	setp.ne.b16 	%p1, %rs10, 0;
	ld.param.b64 	%rd4, [numbers__general_param_15];
	ld.param.b8 	%rs8, [numbers__general_param_14];
	ld.param.b8 	%rs7, [numbers__general_param_13];
	ld.param.b64 	%rd3, [numbers__general_param_12];
	ld.param.b32 	%r3, [numbers__general_param_11];
	ld.param.b16 	%rs6, [numbers__general_param_10];
	ld.param.b16 	%rs5, [numbers__general_param_9];
	ld.param.b64 	%rd2, [numbers__general_param_8];
	ld.param.b32 	%r2, [numbers__general_param_7];
	ld.param.b16 	%rs4, [numbers__general_param_6];
	ld.param.b8 	%rs3, [numbers__general_param_5];
	ld.param.b64 	%rd1, [numbers__general_param_4];
	ld.param.b32 	%r1, [numbers__general_param_3];
	ld.param.b16 	%rs2, [numbers__general_param_2];
	ld.param.b8 	%rs1, [numbers__general_param_1];
	.loc	1 28 16
	cvt.f64.f16 	%rd6, %rs5;
	.loc	1 28 27
	cvt.f32.bf16 	%r9, %rs6;
	cvt.f64.f32 	%rd7, %r9;
	.loc	1 28 16
	add.rn.f64 	%rd8, %rd6, %rd7;
	.loc	1 28 38
	cvt.f64.f32 	%rd9, %r3;
	.loc	1 28 16
	add.rn.f64 	%rd10, %rd8, %rd9;
	add.rn.f64 	%rd11, %rd10, %rd3;
	.loc	1 28 53
	and.b16 	%rs11, %rs7, 127;
	setp.eq.b16 	%p4, %rs11, 127;
	shl.b16 	%rs12, %rs11, 7;
	shl.b16 	%rs13, %rs7, 8;
	and.b16 	%rs14, %rs13, -32768;
	or.b16 	%rs15, %rs12, %rs14;
	cvt.f32.f16 	%r10, %rs15;
	mul.rn.f32 	%r11, %r10, 0f43800000;
	cvt.f64.f32 	%rd12, %r11;
	selp.f64 	%rd13, 0d7FF8000000000000, %rd12, %p4;
	.loc	1 28 16
	add.rn.f64 	%rd14, %rd11, %rd13;
	.loc	1 28 64
	shl.b16 	%rs16, %rs8, 8;
	cvt.f64.f16 	%rd15, %rs16;
	.loc	1 28 16
	add.rn.f64 	%rd16, %rd14, %rd15;
	.loc	1 27 17
	selp.b64 	%rd17, 1, 0, %p1;
	.loc	1 27 28
	cvt.u64.u16 	%rd18, %rs1;
	cvt.s64.s8 	%rd19, %rd18;
	.loc	1 27 17
	add.s64 	%rd20, %rd17, %rd19;
	.loc	1 27 39
	cvt.s64.s16 	%rd21, %rs2;
	.loc	1 27 17
	add.s64 	%rd22, %rd20, %rd21;
	.loc	1 27 50
	cvt.s64.s32 	%rd23, %r1;
	.loc	1 27 17
	add.s64 	%rd24, %rd22, %rd23;
	add.s64 	%rd25, %rd24, %rd1;
	.loc	1 27 65
	cvt.u64.u16 	%rd26, %rs3;
	.loc	1 27 17
	add.s64 	%rd27, %rd25, %rd26;
	.loc	1 27 76
	cvt.u64.u16 	%rd28, %rs4;
	.loc	1 27 17
	add.s64 	%rd29, %rd27, %rd28;
	.loc	1 27 87
	cvt.u64.u32 	%rd30, %r2;
	.loc	1 27 17
	add.s64 	%rd31, %rd29, %rd30;
	add.s64 	%rd32, %rd31, %rd2;
	.loc	1 29 17
	cvt.rn.f64.s64 	%rd33, %rd32;
	add.rn.f64 	%rd5, %rd16, %rd33;
	.loc	1 29 5
	mov.u32 	%r12, %tid.x;
	setp.eq.b32 	%p3, %r12, 0;
	// begin inline asm
	@%p3 st.global.b64 [%rd4], %rd5;
	// end inline asm
$L__BB0_2:
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}
"#;

/// The kernels of `kernels.tile`, loaded on a device.
#[derive(Debug)]
#[allow(dead_code)]
pub struct Kernels {
    /// `scale(x: tensor<f32>[m, n], factor: f32, y: mut tensor<f32>[m, n], largest: mut tensor<f32>[m])`
    pub scale: Scale,
    /// `shift_first(p: mut ptr<i32>, count: i32, type: i32)`
    pub shift_first: ShiftFirst,
    /// `numbers(a: i1, b: i8, c: i16, d: i32, e: i64, f: u8, g: u16, h: u32, i: u64, j: f16, k: bf16, l: f32, m: f64, n: f8e4m3, o: f8e5m2, y: mut tensor<f64>[1])`
    pub numbers: Numbers,
}

impl Kernels {
    /// Loads them.
    ///
    /// # Errors
    /// If the device does not run code of this target, or refuses it.
    pub fn load(device: &::tile_runtime::device::Device) -> Result<Self, ::tile_runtime::Error> {
        let program = device.load(PTX)?;
        Ok(Self {
            scale: Scale(::tile_runtime::typed::Kernel::of(&program, "scale")?),
            shift_first: ShiftFirst(::tile_runtime::typed::Kernel::of(&program, "shift_first")?),
            numbers: Numbers(::tile_runtime::typed::Kernel::of(&program, "numbers")?),
        })
    }
}

/// y = factor * x, and the largest element of each row.
///
/// A row is at most 64 wide.
///
/// `scale(x: tensor<f32>[m, n], factor: f32, y: mut tensor<f32>[m, n], largest: mut tensor<f32>[m])`
#[derive(Debug)]
pub struct Scale(::tile_runtime::typed::Kernel);

#[allow(dead_code)]
impl Scale {
    /// Starts it on a stream. What is wrong with the sizes is found before.
    ///
    /// # Errors
    /// If sizes or strides do not suit the kernel, or the device refuses.
    pub fn launch(
        &self,
        stream: &::tile_runtime::device::Stream,
        x: &::tile_runtime::typed::Tensor<f32, 2>,
        factor: f32,
        y: &mut ::tile_runtime::typed::Tensor<f32, 2>,
        largest: &mut ::tile_runtime::typed::Tensor<f32, 1>,
    ) -> Result<(), ::tile_runtime::Error> {
        self.0.launch(stream, &[
            x.argument(),
            ::tile_runtime::typed::Argument::scalar(factor),
            y.argument_mut(),
            largest.argument_mut(),
        ])
    }

    /// The kernel without types: its manifest, occupancy, and launches that are prepared.
    #[must_use]
    pub const fn untyped(&self) -> &::tile_runtime::program::Kernel {
        self.0.untyped()
    }
}

/// Adds `type` to the first `count` numbers, with a grid that the caller chooses.
///
/// `shift_first(p: mut ptr<i32>, count: i32, type: i32)`
///
/// Compiled with `BLOCK = 32`, `T = i32`.
#[derive(Debug)]
pub struct ShiftFirst(::tile_runtime::typed::Kernel);

#[allow(dead_code)]
impl ShiftFirst {
    /// Starts it on a stream. What is wrong with the sizes is found before.
    ///
    /// # Errors
    /// If sizes or strides do not suit the kernel, or the device refuses.
    pub fn launch(
        &self,
        stream: &::tile_runtime::device::Stream,
        grid: &[i64],
        p: &mut ::tile_runtime::typed::Tensor<i32, 1>,
        count: i32,
        type_: i32,
    ) -> Result<(), ::tile_runtime::Error> {
        self.0.launch_on_grid(stream, grid, &[
            p.argument_mut(),
            ::tile_runtime::typed::Argument::scalar(count),
            ::tile_runtime::typed::Argument::scalar(type_),
        ])
    }

    /// The kernel without types: its manifest, occupancy, and launches that are prepared.
    #[must_use]
    pub const fn untyped(&self) -> &::tile_runtime::program::Kernel {
        self.0.untyped()
    }
}

/// The sum of numbers of all types, into the first of `y`.
///
/// `numbers(a: i1, b: i8, c: i16, d: i32, e: i64, f: u8, g: u16, h: u32, i: u64, j: f16, k: bf16, l: f32, m: f64, n: f8e4m3, o: f8e5m2, y: mut tensor<f64>[1])`
#[derive(Debug)]
pub struct Numbers(::tile_runtime::typed::Kernel);

#[allow(dead_code)]
impl Numbers {
    /// Starts it on a stream. What is wrong with the sizes is found before.
    ///
    /// # Errors
    /// If sizes or strides do not suit the kernel, or the device refuses.
    #[allow(clippy::too_many_arguments)]
    pub fn launch(
        &self,
        stream: &::tile_runtime::device::Stream,
        a: bool,
        b: i8,
        c: i16,
        d: i32,
        e: i64,
        f: u8,
        g: u16,
        h: u32,
        i: u64,
        j: ::tile_runtime::element::f16,
        k: ::tile_runtime::element::bf16,
        l: f32,
        m: f64,
        n: ::tile_runtime::tensor::F8E4M3,
        o: ::tile_runtime::tensor::F8E5M2,
        y: &mut ::tile_runtime::typed::Tensor<f64, 1>,
    ) -> Result<(), ::tile_runtime::Error> {
        self.0.launch(stream, &[
            ::tile_runtime::typed::Argument::scalar(a),
            ::tile_runtime::typed::Argument::scalar(b),
            ::tile_runtime::typed::Argument::scalar(c),
            ::tile_runtime::typed::Argument::scalar(d),
            ::tile_runtime::typed::Argument::scalar(e),
            ::tile_runtime::typed::Argument::scalar(f),
            ::tile_runtime::typed::Argument::scalar(g),
            ::tile_runtime::typed::Argument::scalar(h),
            ::tile_runtime::typed::Argument::scalar(i),
            ::tile_runtime::typed::Argument::scalar(j),
            ::tile_runtime::typed::Argument::scalar(k),
            ::tile_runtime::typed::Argument::scalar(l),
            ::tile_runtime::typed::Argument::scalar(m),
            ::tile_runtime::typed::Argument::scalar(n),
            ::tile_runtime::typed::Argument::scalar(o),
            y.argument_mut(),
        ])
    }

    /// The kernel without types: its manifest, occupancy, and launches that are prepared.
    #[must_use]
    pub const fn untyped(&self) -> &::tile_runtime::program::Kernel {
        self.0.untyped()
    }
}
