// Written by tilec 0.1.0 (`tilec build kernels.tile --emit rust`): changes belong there.

/// The compiled kernels of `kernels.tile`, for `sm_80` and what runs its code.
pub const PTX: &str = r#"//tile: {
//tile:   "format": 4,
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
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 64 elements to reduce",
//tile:             "load in vectors of 2 x 4 bytes per thread",
//tile:             "store in vectors of 2 x 4 bytes per thread"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "scale__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "shared_bytes": 656,
//tile:           "decisions": [
//tile:             "1 warp per program, for 64 elements to reduce",
//tile:             "this row may be unaligned: it comes to shared memory in chunks of 16 bytes, and its ends element by element",
//tile:             "656 bytes of shared memory for 2 buffers"
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
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 128 bytes per access",
//tile:             "load in vectors of 1 x 4 bytes per thread",
//tile:             "store in vectors of 1 x 4 bytes per thread"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "shift_first__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 128 bytes per access"
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
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 0 bytes per access"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "numbers__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 0 bytes per access"
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
	.param .u64 .ptr .global .align 1 scale_param_5
)
.reqntid 32
{
	.reg .pred 	%p<6>;
	.reg .b32 	%r<22>;
	.reg .b64 	%rd<15>;
$L__func_begin0:
	.loc	1 4 0

	ld.param.b64 	%rd4, [scale_param_0];
	ld.param.b32 	%r6, [scale_param_1];
$L__tmp0:
	.loc	1 10 13
	mov.u32 	%r7, %ctaid.x;
	.loc	1 11 18
	cvt.u64.u32 	%rd5, %r7;
	ld.param.b32 	%r8, [scale_param_2];
	.loc	1 11 23
	cvt.s64.s32 	%rd6, %r8;
	ld.param.b32 	%r9, [scale_param_3];
	.loc	1 11 18
	mul.lo.s64 	%rd7, %rd5, %rd6;
	ld.param.b64 	%rd8, [scale_param_4];
	shl.b64 	%rd9, %rd7, 2;
	add.s64 	%rd10, %rd4, %rd9;
	ld.param.b64 	%rd11, [scale_param_5];
	mov.u32 	%r10, %tid.x;
	shl.b32 	%r11, %r10, 1;
	mul.wide.u32 	%rd12, %r11, 4;
	add.s64 	%rd1, %rd10, %rd12;
	setp.lt.u32 	%p3, %r7, %r6;
	setp.lt.u32 	%p4, %r11, %r8;
	and.pred 	%p1, %p3, %p4;
	mov.b32 	%r2, -8388608;
	mov.b32 	%r1, %r2;
	// begin inline asm
	@%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1];
	// end inline asm
	.loc	1 12 5
	add.s64 	%rd13, %rd8, %rd9;
	add.s64 	%rd2, %rd13, %rd12;
	.loc	1 11 18
	mul.rn.f32 	%r3, %r9, %r1;
	mul.rn.f32 	%r4, %r9, %r2;
	.loc	1 12 5
	// begin inline asm
	@%p1 st.global.v2.b32 [%rd2], {%r3, %r4};
	// end inline asm
	.loc	1 13 23
	max.f32 	%r12, %r3, %r4;
	shfl.sync.bfly.b32 	%r13, %r12, 1, 31, -1;
	max.f32 	%r14, %r12, %r13;
	shfl.sync.bfly.b32 	%r15, %r14, 2, 31, -1;
	max.f32 	%r16, %r14, %r15;
	shfl.sync.bfly.b32 	%r17, %r16, 4, 31, -1;
	max.f32 	%r18, %r16, %r17;
	shfl.sync.bfly.b32 	%r19, %r18, 8, 31, -1;
	max.f32 	%r20, %r18, %r19;
	shfl.sync.bfly.b32 	%r21, %r20, 16, 31, -1;
	.loc	1 13 5
	mul.wide.u32 	%rd14, %r7, 4;
	add.s64 	%rd3, %rd11, %rd14;
	.loc	1 13 23
	max.f32 	%r5, %r20, %r21;
	.loc	1 13 5
	setp.eq.b32 	%p5, %r10, 0;
	and.pred 	%p2, %p3, %p5;
	// begin inline asm
	@%p2 st.global.b32 [%rd3], %r5;
	// end inline asm
	ret;
$L__tmp1:
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
	.param .u64 .ptr .global .align 1 scale__general_param_5
)
.reqntid 32
{
	.reg .pred 	%p<44>;
	.reg .b32 	%r<53>;
	.reg .b64 	%rd<22>;
$L__func_begin0:
	.loc	1 4 0

	ld.param.b64 	%rd6, [scale__general_param_0];
	ld.param.b32 	%r17, [scale__general_param_1];
$L__tmp0:
	.loc	1 11 18
	mov.u32 	%r18, %tid.x;
	shl.b32 	%r19, %r18, 4;
	ld.param.b32 	%r20, [scale__general_param_2];
	mov.b64 	%rd7, tile_shared;
	cvt.u32.u64 	%r21, %rd7;
	add.s32 	%r1, %r19, %r21;
	ld.param.b32 	%r22, [scale__general_param_3];
	ld.param.b64 	%rd8, [scale__general_param_4];
	.loc	1 10 13
	mov.u32 	%r23, %ctaid.x;
	.loc	1 11 18
	cvt.u64.u32 	%rd9, %r23;
	ld.param.b64 	%rd10, [scale__general_param_5];
	.loc	1 11 23
	cvt.s64.s32 	%rd11, %r20;
	.loc	1 11 18
	mul.lo.s64 	%rd12, %rd9, %rd11;
	shl.b64 	%rd13, %rd12, 2;
	add.s64 	%rd14, %rd6, %rd13;
	and.b64 	%rd15, %rd14, -16;
	cvt.u64.u32 	%rd16, %r19;
	add.s64 	%rd1, %rd15, %rd16;
	add.s32 	%r24, %r19, 16;
	cvt.u32.u64 	%r25, %rd14;
	and.b32 	%r5, %r25, 15;
	setp.lt.u32 	%p8, %r23, %r17;
	min.u32 	%r26, %r20, 64;
	shl.b32 	%r27, %r26, 2;
	selp.b32 	%r28, %r27, 0, %p8;
	add.s32 	%r29, %r5, %r28;
	setp.le.u32 	%p9, %r24, %r29;
	setp.ge.u32 	%p10, %r19, %r5;
	and.pred 	%p1, %p9, %p10;
	// begin inline asm
	@%p1 cp.async.cg.shared.global [%r1+0], [%rd1+0], 16;
	// end inline asm
	setp.ge.u32 	%p11, %r19, %r29;
	add.s32 	%r30, %r18, -1;
	setp.lt.u32 	%p12, %r30, 16;
	and.pred 	%p2, %p11, %p12;
	mov.b32 	%r2, -8388608;
	// begin inline asm
	@%p2 st.shared.v4.b32 [%r1+0], {%r2, %r2, %r2, %r2};
	// end inline asm
	setp.gt.u32 	%p13, %r18, 3;
	setp.lt.u32 	%p14, %r18, 4;
	shl.b32 	%r31, %r18, 2;
	and.b32 	%r32, %r29, 1008;
	add.s32 	%r33, %r31, -16;
	add.s32 	%r34, %r32, %r33;
	selp.b32 	%r35, %r31, %r34, %p14;
	cvt.u64.u32 	%rd17, %r35;
	add.s64 	%rd2, %rd15, %rd17;
	setp.ge.u32 	%p15, %r35, %r5;
	setp.lt.u32 	%p16, %r35, %r29;
	and.pred 	%p17, %p15, %p16;
	setp.ne.b32 	%p18, %r5, 0;
	setp.gt.u32 	%p19, %r29, 15;
	setp.lt.u32 	%p20, %r29, 16;
	or.pred 	%p21, %p18, %p20;
	setp.lt.u32 	%p22, %r18, 8;
	setp.ne.b32 	%p23, %r32, %r29;
	and.pred 	%p24, %p23, %p19;
	and.pred 	%p25, %p22, %p24;
	and.pred 	%p26, %p13, %p25;
	and.pred 	%p27, %p14, %p21;
	or.pred 	%p4, %p27, %p26;
	and.pred 	%p3, %p17, %p4;
	// begin inline asm
	@%p3 ld.global.b32 %r2, [%rd2];
	// end inline asm
	add.s32 	%r3, %r35, %r21;
	// begin inline asm
	@%p4 st.shared.b32 [%r3+0], %r2;
	// end inline asm
	// begin inline asm
	cp.async.commit_group;
	// end inline asm
	// begin inline asm
	cp.async.wait_group 0;
	// end inline asm
	bar.sync 	0;
	// begin inline asm
	mov.b32 %r4, %r5;
	// end inline asm
	add.s32 	%r36, %r31, %r4;
	add.s32 	%r7, %r36, %r21;
	// begin inline asm
	ld.shared.b32 %r6, [%r7+0];
	// end inline asm
	// begin inline asm
	ld.shared.b32 %r8, [%r7+128];
	// end inline asm
	.loc	1 12 5
	add.s64 	%rd18, %rd8, %rd13;
	cvt.u32.u64 	%r37, %rd18;
	and.b32 	%r10, %r37, 15;
	// begin inline asm
	mov.b32 %r9, %r10;
	// end inline asm
	add.s32 	%r38, %r31, %r9;
	add.s32 	%r11, %r38, %r21;
	.loc	1 11 18
	mul.rn.f32 	%r12, %r22, %r6;
	.loc	1 12 5
	// begin inline asm
	st.shared.b32 [%r11+384], %r12;
	// end inline asm
	.loc	1 11 18
	mul.rn.f32 	%r13, %r22, %r8;
	.loc	1 12 5
	// begin inline asm
	st.shared.b32 [%r11+512], %r13;
	// end inline asm
	bar.sync 	0;
	add.s32 	%r14, %r1, 384;
	and.b64 	%rd19, %rd18, -16;
	add.s64 	%rd3, %rd19, %rd16;
	add.s32 	%r39, %r10, %r28;
	setp.le.u32 	%p28, %r24, %r39;
	setp.ge.u32 	%p29, %r19, %r10;
	and.pred 	%p5, %p28, %p29;
	// begin inline asm
	{
.reg .b32 %a, %b, %c, %d;
@%p5 ld.shared.v4.b32 {%a, %b, %c, %d}, [%r14+0];
@%p5 st.global.v4.b32 [%rd3+0], {%a, %b, %c, %d};
}
	// end inline asm
	and.b32 	%r40, %r39, 1008;
	add.s32 	%r41, %r40, %r33;
	selp.b32 	%r42, %r31, %r41, %p14;
	add.s32 	%r15, %r42, %r21;
	cvt.u64.u32 	%rd20, %r42;
	add.s64 	%rd4, %rd19, %rd20;
	setp.ge.u32 	%p30, %r42, %r10;
	setp.lt.u32 	%p31, %r42, %r39;
	and.pred 	%p32, %p30, %p31;
	setp.ne.b32 	%p33, %r10, 0;
	setp.gt.u32 	%p34, %r39, 15;
	setp.lt.u32 	%p35, %r39, 16;
	or.pred 	%p36, %p33, %p35;
	setp.ne.b32 	%p37, %r40, %r39;
	and.pred 	%p38, %p37, %p34;
	and.pred 	%p39, %p22, %p38;
	and.pred 	%p40, %p13, %p39;
	and.pred 	%p41, %p14, %p36;
	or.pred 	%p42, %p41, %p40;
	and.pred 	%p6, %p32, %p42;
	// begin inline asm
	{
.reg .b32 %a;
@%p6 ld.shared.b32 %a, [%r15+384];
@%p6 st.global.b32 [%rd4], %a;
}
	// end inline asm
	.loc	1 13 23
	max.f32 	%r43, %r12, %r13;
	shfl.sync.bfly.b32 	%r44, %r43, 1, 31, -1;
	max.f32 	%r45, %r43, %r44;
	shfl.sync.bfly.b32 	%r46, %r45, 2, 31, -1;
	max.f32 	%r47, %r45, %r46;
	shfl.sync.bfly.b32 	%r48, %r47, 4, 31, -1;
	max.f32 	%r49, %r47, %r48;
	shfl.sync.bfly.b32 	%r50, %r49, 8, 31, -1;
	max.f32 	%r51, %r49, %r50;
	shfl.sync.bfly.b32 	%r52, %r51, 16, 31, -1;
	.loc	1 13 5
	mul.wide.u32 	%rd21, %r23, 4;
	add.s64 	%rd5, %rd10, %rd21;
	.loc	1 13 23
	max.f32 	%r16, %r51, %r52;
	.loc	1 13 5
	setp.eq.b32 	%p43, %r18, 0;
	and.pred 	%p7, %p8, %p43;
	// begin inline asm
	@%p7 st.global.b32 [%rd5], %r16;
	// end inline asm
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	shift_first

.visible .entry shift_first(
	.param .u64 .ptr .global .align 1 shift_first_param_0,
	.param .u32 shift_first_param_1,
	.param .u32 shift_first_param_2
)
.reqntid 32
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<4>;
$L__func_begin0:
	.loc	1 17 0

	ld.param.b64 	%rd2, [shift_first_param_0];
	ld.param.b32 	%r3, [shift_first_param_1];
$L__tmp0:
	.loc	1 18 14
	mov.u32 	%r4, %ctaid.x;
	shl.b32 	%r5, %r4, 5;
	ld.param.b32 	%r6, [shift_first_param_2];
	.loc	1 19 19
	mov.u32 	%r7, %tid.x;
	add.s32 	%r8, %r5, %r7;
	mul.wide.s32 	%rd3, %r8, 4;
	add.s64 	%rd1, %rd2, %rd3;
	setp.lt.s32 	%p1, %r8, %r3;
	mov.b32 	%r1, 0;
	// begin inline asm
	@%p1 ld.global.b32 %r1, [%rd1];
	// end inline asm
	add.s32 	%r2, %r1, %r6;
	.loc	1 19 5
	// begin inline asm
	@%p1 st.global.b32 [%rd1], %r2;
	// end inline asm
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}


	// .globl	shift_first__general

.visible .entry shift_first__general(
	.param .u64 .ptr .global .align 1 shift_first__general_param_0,
	.param .u32 shift_first__general_param_1,
	.param .u32 shift_first__general_param_2
)
.reqntid 32
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<4>;
$L__func_begin0:
	.loc	1 17 0

	ld.param.b64 	%rd2, [shift_first__general_param_0];
	ld.param.b32 	%r3, [shift_first__general_param_1];
$L__tmp0:
	.loc	1 18 14
	mov.u32 	%r4, %ctaid.x;
	shl.b32 	%r5, %r4, 5;
	ld.param.b32 	%r6, [shift_first__general_param_2];
	.loc	1 19 19
	mov.u32 	%r7, %tid.x;
	add.s32 	%r8, %r5, %r7;
	mul.wide.s32 	%rd3, %r8, 4;
	add.s64 	%rd1, %rd2, %rd3;
	setp.lt.s32 	%p1, %r8, %r3;
	mov.b32 	%r1, 0;
	// begin inline asm
	@%p1 ld.global.b32 %r1, [%rd1];
	// end inline asm
	add.s32 	%r2, %r1, %r6;
	.loc	1 19 5
	// begin inline asm
	@%p1 st.global.b32 [%rd1], %r2;
	// end inline asm
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
	.param .u64 .ptr .global .align 1 numbers_param_15
)
.reqntid 32
{
	.reg .pred 	%p<3>;
	.reg .b16 	%rs<10>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<34>;
$L__func_begin0:
	.loc	1 23 0

	ld.param.b16 	%rs1, [numbers_param_9];
$L__tmp0:
	.loc	1 28 16
	cvt.f64.f16 	%rd3, %rs1;
	ld.param.s8 	%rd4, [numbers_param_1];
	ld.param.b16 	%rs2, [numbers_param_10];
	.loc	1 28 27
	cvt.f32.bf16 	%r1, %rs2;
	cvt.f64.f32 	%rd5, %r1;
	ld.param.s16 	%rd6, [numbers_param_2];
	.loc	1 28 16
	add.rn.f64 	%rd7, %rd3, %rd5;
	ld.param.s32 	%rd8, [numbers_param_3];
	ld.param.b32 	%r2, [numbers_param_11];
	.loc	1 28 38
	cvt.f64.f32 	%rd9, %r2;
	ld.param.b64 	%rd10, [numbers_param_4];
	.loc	1 28 16
	add.rn.f64 	%rd11, %rd7, %rd9;
	ld.param.b8 	%rd12, [numbers_param_5];
	ld.param.b64 	%rd13, [numbers_param_12];
	add.rn.f64 	%rd14, %rd11, %rd13;
	ld.param.b16 	%rd15, [numbers_param_6];
	.loc	1 28 53
	ld.param.s8 	%rs3, [numbers_param_13];
	and.b16 	%rs4, %rs3, 127;
	ld.param.b32 	%rd16, [numbers_param_7];
	setp.eq.b16 	%p2, %rs4, 127;
	ld.param.b64 	%rd17, [numbers_param_8];
	shl.b16 	%rs5, %rs4, 7;
	and.b16 	%rs6, %rs3, -32768;
	or.b16 	%rs7, %rs5, %rs6;
	cvt.f32.f16 	%r3, %rs7;
	ld.param.b64 	%rd1, [numbers_param_15];
	mul.rn.f32 	%r4, %r3, 0f43800000;
	cvt.f64.f32 	%rd18, %r4;
	selp.f64 	%rd19, 0d7FF8000000000000, %rd18, %p2;
	.loc	1 28 16
	add.rn.f64 	%rd20, %rd14, %rd19;
	.loc	1 28 64
	ld.param.b8 	%rs8, [numbers_param_14];
	shl.b16 	%rs9, %rs8, 8;
	cvt.f64.f16 	%rd21, %rs9;
	.loc	1 28 16
	add.rn.f64 	%rd22, %rd20, %rd21;
	.loc	1 27 17
	ld.param.b8 	%rd23, [numbers_param_0];
	and.b64 	%rd24, %rd23, 1;
	add.s64 	%rd25, %rd24, %rd4;
	add.s64 	%rd26, %rd25, %rd6;
	add.s64 	%rd27, %rd26, %rd8;
	add.s64 	%rd28, %rd27, %rd10;
	add.s64 	%rd29, %rd28, %rd12;
	add.s64 	%rd30, %rd29, %rd15;
	add.s64 	%rd31, %rd30, %rd16;
	add.s64 	%rd32, %rd31, %rd17;
	.loc	1 29 17
	cvt.rn.f64.s64 	%rd33, %rd32;
	add.rn.f64 	%rd2, %rd22, %rd33;
	.loc	1 29 5
	mov.u32 	%r5, %tid.x;
	setp.eq.b32 	%p1, %r5, 0;
	// begin inline asm
	@%p1 st.global.b64 [%rd1], %rd2;
	// end inline asm
	ret;
$L__tmp1:
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
	.param .u64 .ptr .global .align 1 numbers__general_param_15
)
.reqntid 32
{
	.reg .pred 	%p<3>;
	.reg .b16 	%rs<10>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<34>;
$L__func_begin0:
	.loc	1 23 0

	ld.param.b16 	%rs1, [numbers__general_param_9];
$L__tmp0:
	.loc	1 28 16
	cvt.f64.f16 	%rd3, %rs1;
	ld.param.s8 	%rd4, [numbers__general_param_1];
	ld.param.b16 	%rs2, [numbers__general_param_10];
	.loc	1 28 27
	cvt.f32.bf16 	%r1, %rs2;
	cvt.f64.f32 	%rd5, %r1;
	ld.param.s16 	%rd6, [numbers__general_param_2];
	.loc	1 28 16
	add.rn.f64 	%rd7, %rd3, %rd5;
	ld.param.s32 	%rd8, [numbers__general_param_3];
	ld.param.b32 	%r2, [numbers__general_param_11];
	.loc	1 28 38
	cvt.f64.f32 	%rd9, %r2;
	ld.param.b64 	%rd10, [numbers__general_param_4];
	.loc	1 28 16
	add.rn.f64 	%rd11, %rd7, %rd9;
	ld.param.b8 	%rd12, [numbers__general_param_5];
	ld.param.b64 	%rd13, [numbers__general_param_12];
	add.rn.f64 	%rd14, %rd11, %rd13;
	ld.param.b16 	%rd15, [numbers__general_param_6];
	.loc	1 28 53
	ld.param.s8 	%rs3, [numbers__general_param_13];
	and.b16 	%rs4, %rs3, 127;
	ld.param.b32 	%rd16, [numbers__general_param_7];
	setp.eq.b16 	%p2, %rs4, 127;
	ld.param.b64 	%rd17, [numbers__general_param_8];
	shl.b16 	%rs5, %rs4, 7;
	and.b16 	%rs6, %rs3, -32768;
	or.b16 	%rs7, %rs5, %rs6;
	cvt.f32.f16 	%r3, %rs7;
	ld.param.b64 	%rd1, [numbers__general_param_15];
	mul.rn.f32 	%r4, %r3, 0f43800000;
	cvt.f64.f32 	%rd18, %r4;
	selp.f64 	%rd19, 0d7FF8000000000000, %rd18, %p2;
	.loc	1 28 16
	add.rn.f64 	%rd20, %rd14, %rd19;
	.loc	1 28 64
	ld.param.b8 	%rs8, [numbers__general_param_14];
	shl.b16 	%rs9, %rs8, 8;
	cvt.f64.f16 	%rd21, %rs9;
	.loc	1 28 16
	add.rn.f64 	%rd22, %rd20, %rd21;
	.loc	1 27 17
	ld.param.b8 	%rd23, [numbers__general_param_0];
	and.b64 	%rd24, %rd23, 1;
	add.s64 	%rd25, %rd24, %rd4;
	add.s64 	%rd26, %rd25, %rd6;
	add.s64 	%rd27, %rd26, %rd8;
	add.s64 	%rd28, %rd27, %rd10;
	add.s64 	%rd29, %rd28, %rd12;
	add.s64 	%rd30, %rd29, %rd15;
	add.s64 	%rd31, %rd30, %rd16;
	add.s64 	%rd32, %rd31, %rd17;
	.loc	1 29 17
	cvt.rn.f64.s64 	%rd33, %rd32;
	add.rn.f64 	%rd2, %rd22, %rd33;
	.loc	1 29 5
	mov.u32 	%r5, %tid.x;
	setp.eq.b32 	%p1, %r5, 0;
	// begin inline asm
	@%p1 st.global.b64 [%rd1], %rd2;
	// end inline asm
	ret;
$L__tmp1:
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
