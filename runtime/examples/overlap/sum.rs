// Written by tilec 0.1.0 (`tilec build sum.tile --emit rust`): changes belong there.

/// The compiled kernels of `sum.tile`, for `sm_80` and what runs its code.
pub const PTX: &str = r#"//tile: {
//tile:   "format": 5,
//tile:   "compiler": "tilec 0.1.0",
//tile:   "target": "sm_80",
//tile:   "source": "sum.tile",
//tile:   "kernels": [
//tile:     {
//tile:       "name": "sum",
//tile:       "docs": "y = a + b + c + d.",
//tile:       "parameters": [
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "a",
//tile:           "element": "f32",
//tile:           "mutable": false,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "n"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "b",
//tile:           "element": "f32",
//tile:           "mutable": false,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "n"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "c",
//tile:           "element": "f32",
//tile:           "mutable": false,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "n"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "d",
//tile:           "element": "f32",
//tile:           "mutable": false,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "n"
//tile:             }
//tile:           ],
//tile:           "strides": [
//tile:             "dense"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "kind": "tensor",
//tile:           "name": "y",
//tile:           "element": "f32",
//tile:           "mutable": true,
//tile:           "dimensions": [
//tile:             {
//tile:               "named": "n"
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
//tile:           "of": "a"
//tile:         },
//tile:         {
//tile:           "kind": "size",
//tile:           "name": "n"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "b"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "c"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "d"
//tile:         },
//tile:         {
//tile:           "kind": "address",
//tile:           "of": "y"
//tile:         }
//tile:       ],
//tile:       "grid": [
//tile:         {
//tile:           "ceil_div": [
//tile:             {
//tile:               "name": "n"
//tile:             },
//tile:             {
//tile:               "const": 256
//tile:             }
//tile:           ]
//tile:         }
//tile:       ],
//tile:       "variants": [
//tile:         {
//tile:           "entry": "sum",
//tile:           "assumptions": [
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "a",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "divisible",
//tile:               "name": "n",
//tile:               "by": 4
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "b",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "c",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "d",
//tile:               "bytes": 16
//tile:             },
//tile:             {
//tile:               "kind": "aligned",
//tile:               "of": "y",
//tile:               "bytes": 16
//tile:             }
//tile:           ],
//tile:           "threads": 32,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 1024 bytes per access",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "store in vectors of 4 x 4 bytes per thread"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "sum__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 1024 bytes per access"
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

	// .globl	sum

.visible .entry sum(
	.param .u64 .ptr .global .align 1 sum_param_0,
	.param .u32 sum_param_1,
	.param .u64 .ptr .global .align 1 sum_param_2,
	.param .u64 .ptr .global .align 1 sum_param_3,
	.param .u64 .ptr .global .align 1 sum_param_4,
	.param .u64 .ptr .global .align 1 sum_param_5
)
.reqntid 32
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<64>;
	.reg .b64 	%rd<23>;
$L__func_begin0:
	.loc	1 2 0

	ld.param.b64 	%rd11, [sum_param_0];
	ld.param.b32 	%r41, [sum_param_1];
$L__tmp0:
	.loc	1 9 14
	mov.u32 	%r42, %ctaid.x;
	shl.b32 	%r43, %r42, 8;
	ld.param.b64 	%rd12, [sum_param_2];
	ld.param.b64 	%rd13, [sum_param_3];
	.loc	1 10 25
	mul.wide.s32 	%rd14, %r43, 4;
	add.s64 	%rd15, %rd11, %rd14;
	ld.param.b64 	%rd16, [sum_param_4];
	ld.param.b64 	%rd17, [sum_param_5];
	mov.u32 	%r44, %tid.x;
	shl.b32 	%r45, %r44, 2;
	mul.wide.u32 	%rd18, %r45, 4;
	add.s64 	%rd1, %rd15, %rd18;
	add.s32 	%r46, %r43, %r45;
	setp.lt.u32 	%p1, %r46, %r41;
	mov.b32 	%r32, 0;
	mov.b32 	%r1, %r32;
	mov.b32 	%r2, %r32;
	mov.b32 	%r3, %r32;
	mov.b32 	%r4, %r32;
	// begin inline asm
	@%p1 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
	// end inline asm
	add.s64 	%rd2, %rd1, 512;
	add.s32 	%r47, %r46, 128;
	setp.lt.u32 	%p2, %r47, %r41;
	mov.b32 	%r5, %r32;
	mov.b32 	%r6, %r32;
	mov.b32 	%r7, %r32;
	mov.b32 	%r8, %r32;
	// begin inline asm
	@%p2 ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd2];
	// end inline asm
	.loc	1 10 46
	add.s64 	%rd19, %rd12, %rd14;
	add.s64 	%rd3, %rd19, %rd18;
	mov.b32 	%r9, %r32;
	mov.b32 	%r10, %r32;
	mov.b32 	%r11, %r32;
	mov.b32 	%r12, %r32;
	// begin inline asm
	@%p1 ld.global.v4.b32 {%r9, %r10, %r11, %r12}, [%rd3];
	// end inline asm
	add.s64 	%rd4, %rd3, 512;
	mov.b32 	%r13, %r32;
	mov.b32 	%r14, %r32;
	mov.b32 	%r15, %r32;
	mov.b32 	%r16, %r32;
	// begin inline asm
	@%p2 ld.global.v4.b32 {%r13, %r14, %r15, %r16}, [%rd4];
	// end inline asm
	.loc	1 10 67
	add.s64 	%rd20, %rd13, %rd14;
	add.s64 	%rd5, %rd20, %rd18;
	mov.b32 	%r17, %r32;
	mov.b32 	%r18, %r32;
	mov.b32 	%r19, %r32;
	mov.b32 	%r20, %r32;
	// begin inline asm
	@%p1 ld.global.v4.b32 {%r17, %r18, %r19, %r20}, [%rd5];
	// end inline asm
	add.s64 	%rd6, %rd5, 512;
	mov.b32 	%r21, %r32;
	mov.b32 	%r22, %r32;
	mov.b32 	%r23, %r32;
	mov.b32 	%r24, %r32;
	// begin inline asm
	@%p2 ld.global.v4.b32 {%r21, %r22, %r23, %r24}, [%rd6];
	// end inline asm
	.loc	1 10 88
	add.s64 	%rd21, %rd16, %rd14;
	add.s64 	%rd7, %rd21, %rd18;
	mov.b32 	%r25, %r32;
	mov.b32 	%r26, %r32;
	mov.b32 	%r27, %r32;
	mov.b32 	%r28, %r32;
	// begin inline asm
	@%p1 ld.global.v4.b32 {%r25, %r26, %r27, %r28}, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd7, 512;
	mov.b32 	%r29, %r32;
	mov.b32 	%r30, %r32;
	mov.b32 	%r31, %r32;
	// begin inline asm
	@%p2 ld.global.v4.b32 {%r29, %r30, %r31, %r32}, [%rd8];
	// end inline asm
	.loc	1 10 5
	add.s64 	%rd22, %rd17, %rd14;
	add.s64 	%rd9, %rd22, %rd18;
	.loc	1 10 25
	add.rn.f32 	%r48, %r1, %r9;
	add.rn.f32 	%r49, %r48, %r17;
	add.rn.f32 	%r33, %r49, %r25;
	add.rn.f32 	%r50, %r2, %r10;
	add.rn.f32 	%r51, %r50, %r18;
	add.rn.f32 	%r34, %r51, %r26;
	add.rn.f32 	%r52, %r3, %r11;
	add.rn.f32 	%r53, %r52, %r19;
	add.rn.f32 	%r35, %r53, %r27;
	add.rn.f32 	%r54, %r4, %r12;
	add.rn.f32 	%r55, %r54, %r20;
	add.rn.f32 	%r36, %r55, %r28;
	.loc	1 10 5
	// begin inline asm
	@%p1 st.global.v4.b32 [%rd9], {%r33, %r34, %r35, %r36};
	// end inline asm
	add.s64 	%rd10, %rd9, 512;
	.loc	1 10 25
	add.rn.f32 	%r56, %r5, %r13;
	add.rn.f32 	%r57, %r56, %r21;
	add.rn.f32 	%r37, %r57, %r29;
	add.rn.f32 	%r58, %r6, %r14;
	add.rn.f32 	%r59, %r58, %r22;
	add.rn.f32 	%r38, %r59, %r30;
	add.rn.f32 	%r60, %r7, %r15;
	add.rn.f32 	%r61, %r60, %r23;
	add.rn.f32 	%r39, %r61, %r31;
	add.rn.f32 	%r62, %r8, %r16;
	add.rn.f32 	%r63, %r62, %r24;
	add.rn.f32 	%r40, %r63, %r32;
	.loc	1 10 5
	// begin inline asm
	@%p2 st.global.v4.b32 [%rd10], {%r37, %r38, %r39, %r40};
	// end inline asm
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}
	.file	1 "sum.tile"


	// .globl	sum__general

.visible .entry sum__general(
	.param .u64 .ptr .global .align 1 sum__general_param_0,
	.param .u32 sum__general_param_1,
	.param .u64 .ptr .global .align 1 sum__general_param_2,
	.param .u64 .ptr .global .align 1 sum__general_param_3,
	.param .u64 .ptr .global .align 1 sum__general_param_4,
	.param .u64 .ptr .global .align 1 sum__general_param_5
)
.reqntid 32
{
	.reg .pred 	%p<9>;
	.reg .b32 	%r<69>;
	.reg .b64 	%rd<53>;
$L__func_begin0:
	.loc	1 2 0

	ld.param.b64 	%rd41, [sum__general_param_0];
	ld.param.b32 	%r41, [sum__general_param_1];
$L__tmp0:
	.loc	1 9 14
	mov.u32 	%r42, %ctaid.x;
	shl.b32 	%r43, %r42, 8;
	ld.param.b64 	%rd42, [sum__general_param_2];
	ld.param.b64 	%rd43, [sum__general_param_3];
	.loc	1 10 25
	mul.wide.s32 	%rd44, %r43, 4;
	add.s64 	%rd45, %rd41, %rd44;
	ld.param.b64 	%rd46, [sum__general_param_4];
	ld.param.b64 	%rd47, [sum__general_param_5];
	mov.u32 	%r44, %tid.x;
	mul.wide.u32 	%rd48, %r44, 4;
	add.s64 	%rd1, %rd45, %rd48;
	add.s32 	%r45, %r43, %r44;
	setp.lt.u32 	%p1, %r45, %r41;
	mov.b32 	%r32, 0;
	mov.b32 	%r1, %r32;
	// begin inline asm
	@%p1 ld.global.b32 %r1, [%rd1];
	// end inline asm
	add.s64 	%rd2, %rd1, 128;
	add.s32 	%r46, %r45, 32;
	setp.lt.u32 	%p2, %r46, %r41;
	mov.b32 	%r2, %r32;
	// begin inline asm
	@%p2 ld.global.b32 %r2, [%rd2];
	// end inline asm
	add.s64 	%rd3, %rd1, 256;
	add.s32 	%r47, %r45, 64;
	setp.lt.u32 	%p3, %r47, %r41;
	mov.b32 	%r3, %r32;
	// begin inline asm
	@%p3 ld.global.b32 %r3, [%rd3];
	// end inline asm
	add.s64 	%rd4, %rd1, 384;
	add.s32 	%r48, %r45, 96;
	setp.lt.u32 	%p4, %r48, %r41;
	mov.b32 	%r4, %r32;
	// begin inline asm
	@%p4 ld.global.b32 %r4, [%rd4];
	// end inline asm
	add.s64 	%rd5, %rd1, 512;
	add.s32 	%r49, %r45, 128;
	setp.lt.u32 	%p5, %r49, %r41;
	mov.b32 	%r5, %r32;
	// begin inline asm
	@%p5 ld.global.b32 %r5, [%rd5];
	// end inline asm
	add.s64 	%rd6, %rd1, 640;
	add.s32 	%r50, %r45, 160;
	setp.lt.u32 	%p6, %r50, %r41;
	mov.b32 	%r6, %r32;
	// begin inline asm
	@%p6 ld.global.b32 %r6, [%rd6];
	// end inline asm
	add.s64 	%rd7, %rd1, 768;
	add.s32 	%r51, %r45, 192;
	setp.lt.u32 	%p7, %r51, %r41;
	mov.b32 	%r7, %r32;
	// begin inline asm
	@%p7 ld.global.b32 %r7, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd1, 896;
	add.s32 	%r52, %r45, 224;
	setp.lt.u32 	%p8, %r52, %r41;
	mov.b32 	%r8, %r32;
	// begin inline asm
	@%p8 ld.global.b32 %r8, [%rd8];
	// end inline asm
	.loc	1 10 46
	add.s64 	%rd49, %rd42, %rd44;
	add.s64 	%rd9, %rd49, %rd48;
	mov.b32 	%r9, %r32;
	// begin inline asm
	@%p1 ld.global.b32 %r9, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd9, 128;
	mov.b32 	%r10, %r32;
	// begin inline asm
	@%p2 ld.global.b32 %r10, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd9, 256;
	mov.b32 	%r11, %r32;
	// begin inline asm
	@%p3 ld.global.b32 %r11, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd9, 384;
	mov.b32 	%r12, %r32;
	// begin inline asm
	@%p4 ld.global.b32 %r12, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd9, 512;
	mov.b32 	%r13, %r32;
	// begin inline asm
	@%p5 ld.global.b32 %r13, [%rd13];
	// end inline asm
	add.s64 	%rd14, %rd9, 640;
	mov.b32 	%r14, %r32;
	// begin inline asm
	@%p6 ld.global.b32 %r14, [%rd14];
	// end inline asm
	add.s64 	%rd15, %rd9, 768;
	mov.b32 	%r15, %r32;
	// begin inline asm
	@%p7 ld.global.b32 %r15, [%rd15];
	// end inline asm
	add.s64 	%rd16, %rd9, 896;
	mov.b32 	%r16, %r32;
	// begin inline asm
	@%p8 ld.global.b32 %r16, [%rd16];
	// end inline asm
	.loc	1 10 67
	add.s64 	%rd50, %rd43, %rd44;
	add.s64 	%rd17, %rd50, %rd48;
	mov.b32 	%r17, %r32;
	// begin inline asm
	@%p1 ld.global.b32 %r17, [%rd17];
	// end inline asm
	add.s64 	%rd18, %rd17, 128;
	mov.b32 	%r18, %r32;
	// begin inline asm
	@%p2 ld.global.b32 %r18, [%rd18];
	// end inline asm
	add.s64 	%rd19, %rd17, 256;
	mov.b32 	%r19, %r32;
	// begin inline asm
	@%p3 ld.global.b32 %r19, [%rd19];
	// end inline asm
	add.s64 	%rd20, %rd17, 384;
	mov.b32 	%r20, %r32;
	// begin inline asm
	@%p4 ld.global.b32 %r20, [%rd20];
	// end inline asm
	add.s64 	%rd21, %rd17, 512;
	mov.b32 	%r21, %r32;
	// begin inline asm
	@%p5 ld.global.b32 %r21, [%rd21];
	// end inline asm
	add.s64 	%rd22, %rd17, 640;
	mov.b32 	%r22, %r32;
	// begin inline asm
	@%p6 ld.global.b32 %r22, [%rd22];
	// end inline asm
	add.s64 	%rd23, %rd17, 768;
	mov.b32 	%r23, %r32;
	// begin inline asm
	@%p7 ld.global.b32 %r23, [%rd23];
	// end inline asm
	add.s64 	%rd24, %rd17, 896;
	mov.b32 	%r24, %r32;
	// begin inline asm
	@%p8 ld.global.b32 %r24, [%rd24];
	// end inline asm
	.loc	1 10 88
	add.s64 	%rd51, %rd46, %rd44;
	add.s64 	%rd25, %rd51, %rd48;
	mov.b32 	%r25, %r32;
	// begin inline asm
	@%p1 ld.global.b32 %r25, [%rd25];
	// end inline asm
	add.s64 	%rd26, %rd25, 128;
	mov.b32 	%r26, %r32;
	// begin inline asm
	@%p2 ld.global.b32 %r26, [%rd26];
	// end inline asm
	add.s64 	%rd27, %rd25, 256;
	mov.b32 	%r27, %r32;
	// begin inline asm
	@%p3 ld.global.b32 %r27, [%rd27];
	// end inline asm
	add.s64 	%rd28, %rd25, 384;
	mov.b32 	%r28, %r32;
	// begin inline asm
	@%p4 ld.global.b32 %r28, [%rd28];
	// end inline asm
	add.s64 	%rd29, %rd25, 512;
	mov.b32 	%r29, %r32;
	// begin inline asm
	@%p5 ld.global.b32 %r29, [%rd29];
	// end inline asm
	add.s64 	%rd30, %rd25, 640;
	mov.b32 	%r30, %r32;
	// begin inline asm
	@%p6 ld.global.b32 %r30, [%rd30];
	// end inline asm
	add.s64 	%rd31, %rd25, 768;
	mov.b32 	%r31, %r32;
	// begin inline asm
	@%p7 ld.global.b32 %r31, [%rd31];
	// end inline asm
	add.s64 	%rd32, %rd25, 896;
	// begin inline asm
	@%p8 ld.global.b32 %r32, [%rd32];
	// end inline asm
	.loc	1 10 5
	add.s64 	%rd52, %rd47, %rd44;
	add.s64 	%rd33, %rd52, %rd48;
	.loc	1 10 25
	add.rn.f32 	%r53, %r1, %r9;
	add.rn.f32 	%r54, %r53, %r17;
	add.rn.f32 	%r33, %r54, %r25;
	.loc	1 10 5
	// begin inline asm
	@%p1 st.global.b32 [%rd33], %r33;
	// end inline asm
	add.s64 	%rd34, %rd33, 128;
	.loc	1 10 25
	add.rn.f32 	%r55, %r2, %r10;
	add.rn.f32 	%r56, %r55, %r18;
	add.rn.f32 	%r34, %r56, %r26;
	.loc	1 10 5
	// begin inline asm
	@%p2 st.global.b32 [%rd34], %r34;
	// end inline asm
	add.s64 	%rd35, %rd33, 256;
	.loc	1 10 25
	add.rn.f32 	%r57, %r3, %r11;
	add.rn.f32 	%r58, %r57, %r19;
	add.rn.f32 	%r35, %r58, %r27;
	.loc	1 10 5
	// begin inline asm
	@%p3 st.global.b32 [%rd35], %r35;
	// end inline asm
	add.s64 	%rd36, %rd33, 384;
	.loc	1 10 25
	add.rn.f32 	%r59, %r4, %r12;
	add.rn.f32 	%r60, %r59, %r20;
	add.rn.f32 	%r36, %r60, %r28;
	.loc	1 10 5
	// begin inline asm
	@%p4 st.global.b32 [%rd36], %r36;
	// end inline asm
	add.s64 	%rd37, %rd33, 512;
	.loc	1 10 25
	add.rn.f32 	%r61, %r5, %r13;
	add.rn.f32 	%r62, %r61, %r21;
	add.rn.f32 	%r37, %r62, %r29;
	.loc	1 10 5
	// begin inline asm
	@%p5 st.global.b32 [%rd37], %r37;
	// end inline asm
	add.s64 	%rd38, %rd33, 640;
	.loc	1 10 25
	add.rn.f32 	%r63, %r6, %r14;
	add.rn.f32 	%r64, %r63, %r22;
	add.rn.f32 	%r38, %r64, %r30;
	.loc	1 10 5
	// begin inline asm
	@%p6 st.global.b32 [%rd38], %r38;
	// end inline asm
	add.s64 	%rd39, %rd33, 768;
	.loc	1 10 25
	add.rn.f32 	%r65, %r7, %r15;
	add.rn.f32 	%r66, %r65, %r23;
	add.rn.f32 	%r39, %r66, %r31;
	.loc	1 10 5
	// begin inline asm
	@%p7 st.global.b32 [%rd39], %r39;
	// end inline asm
	add.s64 	%rd40, %rd33, 896;
	.loc	1 10 25
	add.rn.f32 	%r67, %r8, %r16;
	add.rn.f32 	%r68, %r67, %r24;
	add.rn.f32 	%r40, %r68, %r32;
	.loc	1 10 5
	// begin inline asm
	@%p8 st.global.b32 [%rd40], %r40;
	// end inline asm
	ret;
$L__tmp1:
$L__func_end0:

}
	.section	.debug_macinfo	{	}
"#;

/// The kernels of `sum.tile`, loaded on a device.
#[derive(Debug)]
#[allow(dead_code)]
pub struct Kernels {
    /// `sum(a: tensor<f32>[n], b: tensor<f32>[n], c: tensor<f32>[n], d: tensor<f32>[n], y: mut tensor<f32>[n])`
    pub sum: Sum,
}

impl Kernels {
    /// Loads them.
    ///
    /// # Errors
    /// If the device does not run code of this target, or refuses it.
    pub fn load(device: &::tile_runtime::device::Device) -> Result<Self, ::tile_runtime::Error> {
        let program = device.load(PTX)?;
        Ok(Self {
            sum: Sum(::tile_runtime::typed::Kernel::of(&program, "sum")?),
        })
    }
}

/// y = a + b + c + d.
///
/// `sum(a: tensor<f32>[n], b: tensor<f32>[n], c: tensor<f32>[n], d: tensor<f32>[n], y: mut tensor<f32>[n])`
#[derive(Debug)]
pub struct Sum(::tile_runtime::typed::Kernel);

#[allow(dead_code)]
impl Sum {
    /// Starts it on a stream. What is wrong with the sizes is found before.
    ///
    /// # Errors
    /// If sizes or strides do not suit the kernel, or the device refuses.
    pub fn launch(
        &self,
        stream: &::tile_runtime::device::Stream,
        a: &::tile_runtime::typed::Tensor<f32, 1>,
        b: &::tile_runtime::typed::Tensor<f32, 1>,
        c: &::tile_runtime::typed::Tensor<f32, 1>,
        d: &::tile_runtime::typed::Tensor<f32, 1>,
        y: &mut ::tile_runtime::typed::Tensor<f32, 1>,
    ) -> Result<(), ::tile_runtime::Error> {
        self.0.launch(stream, &[
            a.argument(),
            b.argument(),
            c.argument(),
            d.argument(),
            y.argument_mut(),
        ])
    }

    /// The kernel without types: its manifest, occupancy, and launches that are prepared.
    #[must_use]
    pub const fn untyped(&self) -> &::tile_runtime::program::Kernel {
        self.0.untyped()
    }
}
