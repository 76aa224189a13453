// Written by tilec 0.1.0 (`tilec build rms_norm.tile --emit rust`): changes belong there.

/// The compiled kernels of `rms_norm.tile`, for `sm_80` and what runs its code.
pub const PTX: &str = r#"//tile: {
//tile:   "format": 4,
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
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "load in vectors of 4 x 4 bytes per thread",
//tile:             "store in vectors of 4 x 4 bytes per thread",
//tile:             "1 load of this loop runs 4 iterations ahead, in 32 registers",
//tile:             "up to 8 programs share a block, where a launch has more than run at once"
//tile:           ]
//tile:         },
//tile:         {
//tile:           "entry": "rms_norm__general",
//tile:           "assumptions": [],
//tile:           "threads": 32,
//tile:           "programs_per_block": 8,
//tile:           "shared_bytes": 0,
//tile:           "decisions": [
//tile:             "1 warp per program, for 256 elements to reduce",
//tile:             "1 load of this loop runs 4 iterations ahead, in 32 registers",
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

	// .globl	rms_norm

.visible .entry rms_norm(
	.param .u64 .ptr .global .align 1 rms_norm_param_0,
	.param .u32 rms_norm_param_1,
	.param .u32 rms_norm_param_2,
	.param .u64 .ptr .global .align 1 rms_norm_param_3,
	.param .f32 rms_norm_param_4,
	.param .u64 .ptr .global .align 1 rms_norm_param_5,
	.param .u32 rms_norm_param_6,
	.param .u32 rms_norm_param_7,
	.param .u32 rms_norm_param_8,
	.param .u32 rms_norm_param_9,
	.param .u32 rms_norm_param_10,
	.param .u32 rms_norm_param_11,
	.param .u32 rms_norm_param_12,
	.param .u32 rms_norm_param_13,
	.param .u32 rms_norm_param_14
)
.maxntid 32, 8
.minnctapersm 2
{
	.reg .pred 	%p<69>;
	.reg .b32 	%r<127>;
	.reg .b64 	%rd<58>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r6, %ctaid.x;
	mov.u32 	%r7, %ntid.y;
	mov.u32 	%r8, %tid.y;
	mad.lo.s32 	%r1, %r6, %r7, %r8;
	ld.param.b32 	%r9, [rms_norm_param_6];
	setp.ge.u32 	%p4, %r1, %r9;
	@%p4 bra 	$L__BB0_14;
	.loc	1 0 5
	ld.param.b32 	%r5, [rms_norm_param_4];
	ld.param.b32 	%r4, [rms_norm_param_2];
	ld.param.b32 	%r3, [rms_norm_param_1];
	ld.param.b64 	%rd6, [rms_norm_param_0];
	.loc	1 10 15
	and.b32 	%r10, %r1, 2147483647;
	.loc	1 14 22
	cvt.u64.u32 	%rd16, %r10;
	.loc	1 13 5
	cvt.s64.s32 	%rd1, %r4;
	.loc	1 14 22
	mul.lo.s64 	%rd2, %rd16, %rd1;
	shl.b64 	%rd17, %rd2, 2;
	add.s64 	%rd55, %rd6, %rd17;
	mov.u32 	%r2, %tid.x;
	shl.b32 	%r11, %r2, 2;
	cvt.u64.u32 	%rd3, %r11;
	mul.wide.u32 	%rd18, %r11, 4;
	add.s64 	%rd8, %rd55, %rd18;
	setp.lt.u32 	%p1, %r10, %r3;
	max.u32 	%r12, %r4, %r11;
	sub.s32 	%r13, %r12, %r11;
	setp.ne.b32 	%p13, %r13, 0;
	and.pred 	%p14, %p1, %p13;
	.loc	1 13 5
	setp.lt.s32 	%p15, %r4, 1;
	setp.gt.s32 	%p2, %r4, 0;
	.loc	1 14 22
	and.pred 	%p5, %p14, %p2;
	mov.b32 	%r86, 0;
	mov.b32 	%r114, %r86;
	mov.b32 	%r115, %r86;
	mov.b32 	%r116, %r86;
	mov.b32 	%r117, %r86;
	// begin inline asm
	@%p5 ld.global.v4.b32 {%r114, %r115, %r116, %r117}, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd8, 512;
	setp.gt.u32 	%p16, %r13, 128;
	and.pred 	%p17, %p1, %p16;
	and.pred 	%p6, %p17, %p2;
	mov.b32 	%r110, %r86;
	mov.b32 	%r111, %r86;
	mov.b32 	%r112, %r86;
	mov.b32 	%r113, %r86;
	// begin inline asm
	@%p6 ld.global.v4.b32 {%r110, %r111, %r112, %r113}, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd8, 1024;
	setp.gt.u32 	%p18, %r13, 256;
	and.pred 	%p19, %p1, %p18;
	setp.gt.s32 	%p20, %r4, 256;
	and.pred 	%p7, %p19, %p20;
	mov.b32 	%r106, %r86;
	mov.b32 	%r107, %r86;
	mov.b32 	%r108, %r86;
	mov.b32 	%r109, %r86;
	// begin inline asm
	@%p7 ld.global.v4.b32 {%r106, %r107, %r108, %r109}, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd8, 1536;
	setp.gt.u32 	%p21, %r13, 384;
	and.pred 	%p22, %p1, %p21;
	and.pred 	%p8, %p22, %p20;
	mov.b32 	%r102, %r86;
	mov.b32 	%r103, %r86;
	mov.b32 	%r104, %r86;
	mov.b32 	%r105, %r86;
	// begin inline asm
	@%p8 ld.global.v4.b32 {%r102, %r103, %r104, %r105}, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd8, 2048;
	setp.gt.u32 	%p23, %r13, 512;
	and.pred 	%p24, %p1, %p23;
	setp.gt.s32 	%p25, %r4, 512;
	and.pred 	%p9, %p24, %p25;
	mov.b32 	%r98, %r86;
	mov.b32 	%r99, %r86;
	mov.b32 	%r100, %r86;
	mov.b32 	%r101, %r86;
	// begin inline asm
	@%p9 ld.global.v4.b32 {%r98, %r99, %r100, %r101}, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd8, 2560;
	setp.gt.u32 	%p26, %r13, 640;
	and.pred 	%p27, %p1, %p26;
	and.pred 	%p10, %p27, %p25;
	mov.b32 	%r94, %r86;
	mov.b32 	%r95, %r86;
	mov.b32 	%r96, %r86;
	mov.b32 	%r97, %r86;
	// begin inline asm
	@%p10 ld.global.v4.b32 {%r94, %r95, %r96, %r97}, [%rd13];
	// end inline asm
	add.s64 	%rd14, %rd8, 3072;
	setp.gt.u32 	%p28, %r13, 768;
	and.pred 	%p29, %p1, %p28;
	setp.gt.s32 	%p30, %r4, 768;
	and.pred 	%p11, %p29, %p30;
	mov.b32 	%r90, %r86;
	mov.b32 	%r91, %r86;
	mov.b32 	%r92, %r86;
	mov.b32 	%r93, %r86;
	// begin inline asm
	@%p11 ld.global.v4.b32 {%r90, %r91, %r92, %r93}, [%rd14];
	// end inline asm
	add.s64 	%rd15, %rd8, 3584;
	setp.gt.u32 	%p31, %r13, 896;
	and.pred 	%p32, %p1, %p31;
	and.pred 	%p12, %p32, %p30;
	mov.b32 	%r87, %r86;
	mov.b32 	%r88, %r86;
	mov.b32 	%r89, %r86;
	// begin inline asm
	@%p12 ld.global.v4.b32 {%r86, %r87, %r88, %r89}, [%rd15];
	// end inline asm
	mov.b32 	%r126, 0f00000000;
	@%p15 bra 	$L__BB0_11;
	.loc	1 0 22
	mov.b32 	%r125, 0f00000000;
	mov.b64 	%rd53, 1024;
	mov.b64 	%rd52, 4398046511104;
	mov.b32 	%r124, %r125;
	mov.b32 	%r123, %r125;
	mov.b32 	%r122, %r125;
	mov.b32 	%r121, %r125;
	mov.b32 	%r120, %r125;
	mov.b32 	%r119, %r125;
	mov.b32 	%r118, %r125;
	bra.uni 	$L__BB0_3;
$L__BB0_9:
	.loc	1 14 22
	add.s64 	%rd41, %rd53, 768;
	add.s64 	%rd42, %rd52, 3298534883328;
	shr.s64 	%rd43, %rd42, 30;
	add.s64 	%rd44, %rd55, %rd43;
	add.s64 	%rd39, %rd44, %rd23;
	add.s32 	%r30, %r22, 768;
	setp.lt.u32 	%p58, %r30, %r4;
	and.pred 	%p59, %p1, %p58;
	setp.lt.s64 	%p60, %rd41, %rd1;
	and.pred 	%p56, %p59, %p60;
	mov.b32 	%r90, %r29;
	mov.b32 	%r91, %r29;
	mov.b32 	%r92, %r29;
	mov.b32 	%r93, %r29;
	// begin inline asm
	@%p56 ld.global.v4.b32 {%r90, %r91, %r92, %r93}, [%rd39];
	// end inline asm
	add.s64 	%rd40, %rd39, 512;
	add.s32 	%r31, %r22, 896;
	setp.lt.u32 	%p61, %r31, %r4;
	and.pred 	%p62, %p1, %p61;
	and.pred 	%p57, %p62, %p60;
	mov.b32 	%r87, %r29;
	mov.b32 	%r88, %r29;
	mov.b32 	%r89, %r29;
	// begin inline asm
	@%p57 ld.global.v4.b32 {%r29, %r87, %r88, %r89}, [%rd40];
	// end inline asm
	.loc	1 15 19
	add.s64 	%rd53, %rd53, 1024;
	add.s64 	%rd52, %rd52, 4398046511104;
	mov.b32 	%r86, %r29;
	mov.b32 	%r105, %r24;
	mov.b32 	%r110, %r18;
	mov.b32 	%r111, %r19;
	mov.b32 	%r112, %r20;
	mov.b32 	%r113, %r21;
	mov.b32 	%r114, %r14;
	mov.b32 	%r115, %r15;
	mov.b32 	%r116, %r16;
	mov.b32 	%r117, %r17;
	.loc	1 14 22
	@%p3 bra 	$L__BB0_3;
	bra.uni 	$L__BB0_10;
$L__BB0_3:
	.loc	1 14 22
	shr.s64 	%rd21, %rd52, 30;
	add.s64 	%rd22, %rd55, %rd21;
	shl.b64 	%rd23, %rd3, 2;
	add.s64 	%rd19, %rd22, %rd23;
	add.s64 	%rd4, %rd3, %rd53;
	cvt.u32.u64 	%r22, %rd4;
	setp.lt.u32 	%p35, %r22, %r4;
	and.pred 	%p36, %p1, %p35;
	.loc	1 15 19
	setp.lt.s64 	%p3, %rd53, %rd1;
	.loc	1 14 22
	and.pred 	%p33, %p36, %p3;
	mov.b32 	%r24, 0;
	mov.b32 	%r14, %r24;
	mov.b32 	%r15, %r24;
	mov.b32 	%r16, %r24;
	mov.b32 	%r17, %r24;
	// begin inline asm
	@%p33 ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [%rd19];
	// end inline asm
	add.s64 	%rd20, %rd19, 512;
	add.s32 	%r23, %r22, 128;
	setp.lt.u32 	%p37, %r23, %r4;
	and.pred 	%p38, %p1, %p37;
	and.pred 	%p34, %p38, %p3;
	mov.b32 	%r18, %r24;
	mov.b32 	%r19, %r24;
	mov.b32 	%r20, %r24;
	mov.b32 	%r21, %r24;
	// begin inline asm
	@%p34 ld.global.v4.b32 {%r18, %r19, %r20, %r21}, [%rd20];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r118, %r114, %r114, %r118;
	fma.rn.f32 	%r119, %r115, %r115, %r119;
	fma.rn.f32 	%r120, %r116, %r116, %r120;
	fma.rn.f32 	%r121, %r117, %r117, %r121;
	fma.rn.f32 	%r122, %r110, %r110, %r122;
	fma.rn.f32 	%r123, %r111, %r111, %r123;
	fma.rn.f32 	%r124, %r112, %r112, %r124;
	fma.rn.f32 	%r125, %r113, %r113, %r125;
	.loc	1 14 22
	add.s64 	%rd24, %rd53, -768;
	setp.ge.s64 	%p39, %rd24, %rd1;
	@%p39 bra 	$L__BB0_5;
	.loc	1 15 19
	fma.rn.f32 	%r118, %r106, %r106, %r118;
	fma.rn.f32 	%r119, %r107, %r107, %r119;
	fma.rn.f32 	%r120, %r108, %r108, %r120;
	fma.rn.f32 	%r121, %r109, %r109, %r121;
	fma.rn.f32 	%r122, %r102, %r102, %r122;
	fma.rn.f32 	%r123, %r103, %r103, %r123;
	fma.rn.f32 	%r124, %r104, %r104, %r124;
	fma.rn.f32 	%r125, %r105, %r105, %r125;
$L__BB0_5:
	.loc	1 14 22
	add.s64 	%rd27, %rd53, 256;
	add.s64 	%rd28, %rd52, 1099511627776;
	shr.s64 	%rd29, %rd28, 30;
	add.s64 	%rd30, %rd55, %rd29;
	add.s64 	%rd25, %rd30, %rd23;
	add.s32 	%r25, %r22, 256;
	setp.lt.u32 	%p42, %r25, %r4;
	and.pred 	%p43, %p1, %p42;
	setp.lt.s64 	%p44, %rd27, %rd1;
	and.pred 	%p40, %p43, %p44;
	mov.b32 	%r106, %r24;
	mov.b32 	%r107, %r24;
	mov.b32 	%r108, %r24;
	mov.b32 	%r109, %r24;
	// begin inline asm
	@%p40 ld.global.v4.b32 {%r106, %r107, %r108, %r109}, [%rd25];
	// end inline asm
	add.s64 	%rd26, %rd25, 512;
	add.s32 	%r26, %r22, 384;
	setp.lt.u32 	%p45, %r26, %r4;
	and.pred 	%p46, %p1, %p45;
	and.pred 	%p41, %p46, %p44;
	mov.b32 	%r102, %r24;
	mov.b32 	%r103, %r24;
	mov.b32 	%r104, %r24;
	// begin inline asm
	@%p41 ld.global.v4.b32 {%r102, %r103, %r104, %r24}, [%rd26];
	// end inline asm
	add.s64 	%rd31, %rd53, -512;
	setp.ge.s64 	%p47, %rd31, %rd1;
	@%p47 bra 	$L__BB0_7;
	.loc	1 15 19
	fma.rn.f32 	%r118, %r98, %r98, %r118;
	fma.rn.f32 	%r119, %r99, %r99, %r119;
	fma.rn.f32 	%r120, %r100, %r100, %r120;
	fma.rn.f32 	%r121, %r101, %r101, %r121;
	fma.rn.f32 	%r122, %r94, %r94, %r122;
	fma.rn.f32 	%r123, %r95, %r95, %r123;
	fma.rn.f32 	%r124, %r96, %r96, %r124;
	fma.rn.f32 	%r125, %r97, %r97, %r125;
$L__BB0_7:
	.loc	1 14 22
	add.s64 	%rd34, %rd53, 512;
	add.s64 	%rd35, %rd52, 2199023255552;
	shr.s64 	%rd36, %rd35, 30;
	add.s64 	%rd37, %rd55, %rd36;
	add.s64 	%rd32, %rd37, %rd23;
	add.s32 	%r27, %r22, 512;
	setp.lt.u32 	%p50, %r27, %r4;
	and.pred 	%p51, %p1, %p50;
	setp.lt.s64 	%p52, %rd34, %rd1;
	and.pred 	%p48, %p51, %p52;
	mov.b32 	%r29, 0;
	mov.b32 	%r98, %r29;
	mov.b32 	%r99, %r29;
	mov.b32 	%r100, %r29;
	mov.b32 	%r101, %r29;
	// begin inline asm
	@%p48 ld.global.v4.b32 {%r98, %r99, %r100, %r101}, [%rd32];
	// end inline asm
	add.s64 	%rd33, %rd32, 512;
	add.s32 	%r28, %r22, 640;
	setp.lt.u32 	%p53, %r28, %r4;
	and.pred 	%p54, %p1, %p53;
	and.pred 	%p49, %p54, %p52;
	mov.b32 	%r94, %r29;
	mov.b32 	%r95, %r29;
	mov.b32 	%r96, %r29;
	mov.b32 	%r97, %r29;
	// begin inline asm
	@%p49 ld.global.v4.b32 {%r94, %r95, %r96, %r97}, [%rd33];
	// end inline asm
	add.s64 	%rd38, %rd53, -256;
	setp.ge.s64 	%p55, %rd38, %rd1;
	@%p55 bra 	$L__BB0_9;
	.loc	1 15 19
	fma.rn.f32 	%r118, %r90, %r90, %r118;
	fma.rn.f32 	%r119, %r91, %r91, %r119;
	fma.rn.f32 	%r120, %r92, %r92, %r120;
	fma.rn.f32 	%r121, %r93, %r93, %r121;
	fma.rn.f32 	%r122, %r86, %r86, %r122;
	fma.rn.f32 	%r123, %r87, %r87, %r123;
	fma.rn.f32 	%r124, %r88, %r88, %r124;
	fma.rn.f32 	%r125, %r89, %r89, %r125;
	bra.uni 	$L__BB0_9;
$L__BB0_10:
	.loc	1 14 22
	add.rn.f32 	%r32, %r118, %r119;
	add.rn.f32 	%r33, %r120, %r121;
	add.rn.f32 	%r34, %r32, %r33;
	add.rn.f32 	%r35, %r122, %r123;
	add.rn.f32 	%r36, %r124, %r125;
	add.rn.f32 	%r37, %r35, %r36;
	add.rn.f32 	%r126, %r34, %r37;
$L__BB0_11:
	.loc	1 17 23
	shfl.sync.bfly.b32 	%r40, %r126, 1, 31, -1;
	add.rn.f32 	%r41, %r126, %r40;
	shfl.sync.bfly.b32 	%r42, %r41, 2, 31, -1;
	add.rn.f32 	%r43, %r41, %r42;
	shfl.sync.bfly.b32 	%r44, %r43, 4, 31, -1;
	add.rn.f32 	%r45, %r43, %r44;
	shfl.sync.bfly.b32 	%r46, %r45, 8, 31, -1;
	add.rn.f32 	%r47, %r45, %r46;
	shfl.sync.bfly.b32 	%r48, %r47, 16, 31, -1;
	add.rn.f32 	%r49, %r47, %r48;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r50, %r4;
	.loc	1 17 23
	div.rn.f32 	%r51, %r49, %r50;
	add.rn.f32 	%r39, %r51, %r5;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r38, %r39;
	// end inline asm
	.loc	1 18 5
	not.pred 	%p63, %p2;
	@%p63 bra 	$L__BB0_14;
	.loc	1 0 5
	ld.param.b64 	%rd7, [rms_norm_param_5];
	ld.param.b64 	%rd54, [rms_norm_param_3];
	.loc	1 18 5
	mul.wide.u32 	%rd5, %r2, 16;
	add.s64 	%rd56, %rd7, %rd17;
	mov.b64 	%rd57, 0;
$L__BB0_13:
	add.s64 	%rd45, %rd55, %rd5;
	.loc	1 19 37
	add.s64 	%rd51, %rd3, %rd57;
	cvt.u32.u64 	%r76, %rd51;
	setp.lt.u32 	%p66, %r76, %r4;
	and.pred 	%p64, %p1, %p66;
	mov.b32 	%r67, 0;
	mov.b32 	%r52, %r67;
	mov.b32 	%r53, %r67;
	mov.b32 	%r54, %r67;
	mov.b32 	%r55, %r67;
	// begin inline asm
	@%p64 ld.global.v4.b32 {%r52, %r53, %r54, %r55}, [%rd45];
	// end inline asm
	add.s64 	%rd46, %rd45, 512;
	add.s32 	%r77, %r76, 128;
	setp.lt.u32 	%p67, %r77, %r4;
	and.pred 	%p65, %p1, %p67;
	mov.b32 	%r56, %r67;
	mov.b32 	%r57, %r67;
	mov.b32 	%r58, %r67;
	mov.b32 	%r59, %r67;
	// begin inline asm
	@%p65 ld.global.v4.b32 {%r56, %r57, %r58, %r59}, [%rd46];
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd47, %rd54, %rd5;
	mov.b32 	%r60, %r67;
	mov.b32 	%r61, %r67;
	mov.b32 	%r62, %r67;
	mov.b32 	%r63, %r67;
	// begin inline asm
	@%p66 ld.global.v4.b32 {%r60, %r61, %r62, %r63}, [%rd47];
	// end inline asm
	add.s64 	%rd48, %rd47, 512;
	mov.b32 	%r64, %r67;
	mov.b32 	%r65, %r67;
	mov.b32 	%r66, %r67;
	// begin inline asm
	@%p67 ld.global.v4.b32 {%r64, %r65, %r66, %r67}, [%rd48];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	.loc	1 19 37
	add.s64 	%rd49, %rd56, %rd5;
	mul.rn.f32 	%r78, %r38, %r52;
	.loc	1 19 36
	mul.rn.f32 	%r68, %r78, %r60;
	.loc	1 19 37
	mul.rn.f32 	%r79, %r38, %r53;
	.loc	1 19 36
	mul.rn.f32 	%r69, %r79, %r61;
	.loc	1 19 37
	mul.rn.f32 	%r80, %r38, %r54;
	.loc	1 19 36
	mul.rn.f32 	%r70, %r80, %r62;
	.loc	1 19 37
	mul.rn.f32 	%r81, %r38, %r55;
	.loc	1 19 36
	mul.rn.f32 	%r71, %r81, %r63;
	.loc	1 19 9
	// begin inline asm
	@%p64 st.global.v4.b32 [%rd49], {%r68, %r69, %r70, %r71};
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd50, %rd49, 512;
	mul.rn.f32 	%r82, %r38, %r56;
	.loc	1 19 36
	mul.rn.f32 	%r72, %r82, %r64;
	.loc	1 19 37
	mul.rn.f32 	%r83, %r38, %r57;
	.loc	1 19 36
	mul.rn.f32 	%r73, %r83, %r65;
	.loc	1 19 37
	mul.rn.f32 	%r84, %r38, %r58;
	.loc	1 19 36
	mul.rn.f32 	%r74, %r84, %r66;
	.loc	1 19 37
	mul.rn.f32 	%r85, %r38, %r59;
	.loc	1 19 36
	mul.rn.f32 	%r75, %r85, %r67;
	.loc	1 19 9
	// begin inline asm
	@%p65 st.global.v4.b32 [%rd50], {%r72, %r73, %r74, %r75};
	// end inline asm
	.loc	1 18 5
	add.s64 	%rd57, %rd57, 256;
	add.s64 	%rd56, %rd56, 1024;
	add.s64 	%rd55, %rd55, 1024;
	add.s64 	%rd54, %rd54, 1024;
	setp.lt.s64 	%p68, %rd57, %rd1;
	@%p68 bra 	$L__BB0_13;
$L__BB0_14:
	.loc	1 18 5
	ret;
$L__tmp0:
$L__func_end0:

}
	.section	.debug_macinfo	{	}
	.file	1 "rms_norm.tile"


	// .globl	rms_norm__general

.visible .entry rms_norm__general(
	.param .u64 .ptr .global .align 1 rms_norm__general_param_0,
	.param .u32 rms_norm__general_param_1,
	.param .u32 rms_norm__general_param_2,
	.param .u64 .ptr .global .align 1 rms_norm__general_param_3,
	.param .f32 rms_norm__general_param_4,
	.param .u64 .ptr .global .align 1 rms_norm__general_param_5,
	.param .u32 rms_norm__general_param_6,
	.param .u32 rms_norm__general_param_7,
	.param .u32 rms_norm__general_param_8,
	.param .u32 rms_norm__general_param_9,
	.param .u32 rms_norm__general_param_10,
	.param .u32 rms_norm__general_param_11,
	.param .u32 rms_norm__general_param_12,
	.param .u32 rms_norm__general_param_13,
	.param .u32 rms_norm__general_param_14
)
.maxntid 32, 8
.minnctapersm 2
{
	.reg .pred 	%p<225>;
	.reg .b32 	%r<156>;
	.reg .b64 	%rd<123>;
$L__func_begin0:

	.loc	1 13 5
	mov.u32 	%r5, %ctaid.x;
	mov.u32 	%r6, %ntid.y;
	mov.u32 	%r7, %tid.y;
	mad.lo.s32 	%r1, %r5, %r6, %r7;
	ld.param.b32 	%r8, [rms_norm__general_param_6];
	setp.ge.u32 	%p4, %r1, %r8;
	@%p4 bra 	$L__BB0_14;
	.loc	1 0 5
	ld.param.b32 	%r4, [rms_norm__general_param_4];
	ld.param.b32 	%r3, [rms_norm__general_param_2];
	ld.param.b32 	%r2, [rms_norm__general_param_1];
	ld.param.b64 	%rd5, [rms_norm__general_param_0];
	.loc	1 10 15
	and.b32 	%r9, %r1, 2147483647;
	.loc	1 14 22
	cvt.u64.u32 	%rd39, %r9;
	.loc	1 13 5
	cvt.s64.s32 	%rd1, %r3;
	.loc	1 14 22
	mul.lo.s64 	%rd2, %rd39, %rd1;
	shl.b64 	%rd40, %rd2, 2;
	add.s64 	%rd120, %rd5, %rd40;
	mov.u32 	%r10, %tid.x;
	cvt.u64.u32 	%rd3, %r10;
	mul.wide.u32 	%rd41, %r10, 4;
	add.s64 	%rd7, %rd120, %rd41;
	setp.lt.u32 	%p1, %r9, %r2;
	max.u32 	%r11, %r3, %r10;
	sub.s32 	%r12, %r11, %r10;
	setp.ne.b32 	%p37, %r12, 0;
	and.pred 	%p38, %p1, %p37;
	.loc	1 13 5
	setp.lt.s32 	%p39, %r3, 1;
	setp.gt.s32 	%p2, %r3, 0;
	.loc	1 14 22
	and.pred 	%p5, %p38, %p2;
	mov.b32 	%r115, 0;
	mov.b32 	%r146, %r115;
	// begin inline asm
	@%p5 ld.global.b32 %r146, [%rd7];
	// end inline asm
	add.s64 	%rd8, %rd7, 128;
	setp.gt.u32 	%p40, %r12, 32;
	and.pred 	%p41, %p1, %p40;
	and.pred 	%p6, %p41, %p2;
	mov.b32 	%r145, %r115;
	// begin inline asm
	@%p6 ld.global.b32 %r145, [%rd8];
	// end inline asm
	add.s64 	%rd9, %rd7, 256;
	setp.gt.u32 	%p42, %r12, 64;
	and.pred 	%p43, %p1, %p42;
	and.pred 	%p7, %p43, %p2;
	mov.b32 	%r144, %r115;
	// begin inline asm
	@%p7 ld.global.b32 %r144, [%rd9];
	// end inline asm
	add.s64 	%rd10, %rd7, 384;
	setp.gt.u32 	%p44, %r12, 96;
	and.pred 	%p45, %p1, %p44;
	and.pred 	%p8, %p45, %p2;
	mov.b32 	%r143, %r115;
	// begin inline asm
	@%p8 ld.global.b32 %r143, [%rd10];
	// end inline asm
	add.s64 	%rd11, %rd7, 512;
	setp.gt.u32 	%p46, %r12, 128;
	and.pred 	%p47, %p1, %p46;
	and.pred 	%p9, %p47, %p2;
	mov.b32 	%r142, %r115;
	// begin inline asm
	@%p9 ld.global.b32 %r142, [%rd11];
	// end inline asm
	add.s64 	%rd12, %rd7, 640;
	setp.gt.u32 	%p48, %r12, 160;
	and.pred 	%p49, %p1, %p48;
	and.pred 	%p10, %p49, %p2;
	mov.b32 	%r141, %r115;
	// begin inline asm
	@%p10 ld.global.b32 %r141, [%rd12];
	// end inline asm
	add.s64 	%rd13, %rd7, 768;
	setp.gt.u32 	%p50, %r12, 192;
	and.pred 	%p51, %p1, %p50;
	and.pred 	%p11, %p51, %p2;
	mov.b32 	%r140, %r115;
	// begin inline asm
	@%p11 ld.global.b32 %r140, [%rd13];
	// end inline asm
	add.s64 	%rd14, %rd7, 896;
	setp.gt.u32 	%p52, %r12, 224;
	and.pred 	%p53, %p1, %p52;
	and.pred 	%p12, %p53, %p2;
	mov.b32 	%r139, %r115;
	// begin inline asm
	@%p12 ld.global.b32 %r139, [%rd14];
	// end inline asm
	add.s64 	%rd15, %rd7, 1024;
	setp.gt.u32 	%p54, %r12, 256;
	and.pred 	%p55, %p1, %p54;
	setp.gt.s32 	%p56, %r3, 256;
	and.pred 	%p13, %p55, %p56;
	mov.b32 	%r138, %r115;
	// begin inline asm
	@%p13 ld.global.b32 %r138, [%rd15];
	// end inline asm
	add.s64 	%rd16, %rd7, 1152;
	setp.gt.u32 	%p57, %r12, 288;
	and.pred 	%p58, %p1, %p57;
	and.pred 	%p14, %p58, %p56;
	mov.b32 	%r137, %r115;
	// begin inline asm
	@%p14 ld.global.b32 %r137, [%rd16];
	// end inline asm
	add.s64 	%rd17, %rd7, 1280;
	setp.gt.u32 	%p59, %r12, 320;
	and.pred 	%p60, %p1, %p59;
	and.pred 	%p15, %p60, %p56;
	mov.b32 	%r136, %r115;
	// begin inline asm
	@%p15 ld.global.b32 %r136, [%rd17];
	// end inline asm
	add.s64 	%rd18, %rd7, 1408;
	setp.gt.u32 	%p61, %r12, 352;
	and.pred 	%p62, %p1, %p61;
	and.pred 	%p16, %p62, %p56;
	mov.b32 	%r135, %r115;
	// begin inline asm
	@%p16 ld.global.b32 %r135, [%rd18];
	// end inline asm
	add.s64 	%rd19, %rd7, 1536;
	setp.gt.u32 	%p63, %r12, 384;
	and.pred 	%p64, %p1, %p63;
	and.pred 	%p17, %p64, %p56;
	mov.b32 	%r134, %r115;
	// begin inline asm
	@%p17 ld.global.b32 %r134, [%rd19];
	// end inline asm
	add.s64 	%rd20, %rd7, 1664;
	setp.gt.u32 	%p65, %r12, 416;
	and.pred 	%p66, %p1, %p65;
	and.pred 	%p18, %p66, %p56;
	mov.b32 	%r133, %r115;
	// begin inline asm
	@%p18 ld.global.b32 %r133, [%rd20];
	// end inline asm
	add.s64 	%rd21, %rd7, 1792;
	setp.gt.u32 	%p67, %r12, 448;
	and.pred 	%p68, %p1, %p67;
	and.pred 	%p19, %p68, %p56;
	mov.b32 	%r132, %r115;
	// begin inline asm
	@%p19 ld.global.b32 %r132, [%rd21];
	// end inline asm
	add.s64 	%rd22, %rd7, 1920;
	setp.gt.u32 	%p69, %r12, 480;
	and.pred 	%p70, %p1, %p69;
	and.pred 	%p20, %p70, %p56;
	mov.b32 	%r131, %r115;
	// begin inline asm
	@%p20 ld.global.b32 %r131, [%rd22];
	// end inline asm
	add.s64 	%rd23, %rd7, 2048;
	setp.gt.u32 	%p71, %r12, 512;
	and.pred 	%p72, %p1, %p71;
	setp.gt.s32 	%p73, %r3, 512;
	and.pred 	%p21, %p72, %p73;
	mov.b32 	%r130, %r115;
	// begin inline asm
	@%p21 ld.global.b32 %r130, [%rd23];
	// end inline asm
	add.s64 	%rd24, %rd7, 2176;
	setp.gt.u32 	%p74, %r12, 544;
	and.pred 	%p75, %p1, %p74;
	and.pred 	%p22, %p75, %p73;
	mov.b32 	%r129, %r115;
	// begin inline asm
	@%p22 ld.global.b32 %r129, [%rd24];
	// end inline asm
	add.s64 	%rd25, %rd7, 2304;
	setp.gt.u32 	%p76, %r12, 576;
	and.pred 	%p77, %p1, %p76;
	and.pred 	%p23, %p77, %p73;
	mov.b32 	%r128, %r115;
	// begin inline asm
	@%p23 ld.global.b32 %r128, [%rd25];
	// end inline asm
	add.s64 	%rd26, %rd7, 2432;
	setp.gt.u32 	%p78, %r12, 608;
	and.pred 	%p79, %p1, %p78;
	and.pred 	%p24, %p79, %p73;
	mov.b32 	%r127, %r115;
	// begin inline asm
	@%p24 ld.global.b32 %r127, [%rd26];
	// end inline asm
	add.s64 	%rd27, %rd7, 2560;
	setp.gt.u32 	%p80, %r12, 640;
	and.pred 	%p81, %p1, %p80;
	and.pred 	%p25, %p81, %p73;
	mov.b32 	%r126, %r115;
	// begin inline asm
	@%p25 ld.global.b32 %r126, [%rd27];
	// end inline asm
	add.s64 	%rd28, %rd7, 2688;
	setp.gt.u32 	%p82, %r12, 672;
	and.pred 	%p83, %p1, %p82;
	and.pred 	%p26, %p83, %p73;
	mov.b32 	%r125, %r115;
	// begin inline asm
	@%p26 ld.global.b32 %r125, [%rd28];
	// end inline asm
	add.s64 	%rd29, %rd7, 2816;
	setp.gt.u32 	%p84, %r12, 704;
	and.pred 	%p85, %p1, %p84;
	and.pred 	%p27, %p85, %p73;
	mov.b32 	%r124, %r115;
	// begin inline asm
	@%p27 ld.global.b32 %r124, [%rd29];
	// end inline asm
	add.s64 	%rd30, %rd7, 2944;
	setp.gt.u32 	%p86, %r12, 736;
	and.pred 	%p87, %p1, %p86;
	and.pred 	%p28, %p87, %p73;
	mov.b32 	%r123, %r115;
	// begin inline asm
	@%p28 ld.global.b32 %r123, [%rd30];
	// end inline asm
	add.s64 	%rd31, %rd7, 3072;
	setp.gt.u32 	%p88, %r12, 768;
	and.pred 	%p89, %p1, %p88;
	setp.gt.s32 	%p90, %r3, 768;
	and.pred 	%p29, %p89, %p90;
	mov.b32 	%r122, %r115;
	// begin inline asm
	@%p29 ld.global.b32 %r122, [%rd31];
	// end inline asm
	add.s64 	%rd32, %rd7, 3200;
	setp.gt.u32 	%p91, %r12, 800;
	and.pred 	%p92, %p1, %p91;
	and.pred 	%p30, %p92, %p90;
	mov.b32 	%r121, %r115;
	// begin inline asm
	@%p30 ld.global.b32 %r121, [%rd32];
	// end inline asm
	add.s64 	%rd33, %rd7, 3328;
	setp.gt.u32 	%p93, %r12, 832;
	and.pred 	%p94, %p1, %p93;
	and.pred 	%p31, %p94, %p90;
	mov.b32 	%r120, %r115;
	// begin inline asm
	@%p31 ld.global.b32 %r120, [%rd33];
	// end inline asm
	add.s64 	%rd34, %rd7, 3456;
	setp.gt.u32 	%p95, %r12, 864;
	and.pred 	%p96, %p1, %p95;
	and.pred 	%p32, %p96, %p90;
	mov.b32 	%r119, %r115;
	// begin inline asm
	@%p32 ld.global.b32 %r119, [%rd34];
	// end inline asm
	add.s64 	%rd35, %rd7, 3584;
	setp.gt.u32 	%p97, %r12, 896;
	and.pred 	%p98, %p1, %p97;
	and.pred 	%p33, %p98, %p90;
	mov.b32 	%r118, %r115;
	// begin inline asm
	@%p33 ld.global.b32 %r118, [%rd35];
	// end inline asm
	add.s64 	%rd36, %rd7, 3712;
	setp.gt.u32 	%p99, %r12, 928;
	and.pred 	%p100, %p1, %p99;
	and.pred 	%p34, %p100, %p90;
	mov.b32 	%r117, %r115;
	// begin inline asm
	@%p34 ld.global.b32 %r117, [%rd36];
	// end inline asm
	add.s64 	%rd37, %rd7, 3840;
	setp.gt.u32 	%p101, %r12, 960;
	and.pred 	%p102, %p1, %p101;
	and.pred 	%p35, %p102, %p90;
	mov.b32 	%r116, %r115;
	// begin inline asm
	@%p35 ld.global.b32 %r116, [%rd37];
	// end inline asm
	add.s64 	%rd38, %rd7, 3968;
	setp.gt.u32 	%p103, %r12, 992;
	and.pred 	%p104, %p1, %p103;
	and.pred 	%p36, %p104, %p90;
	// begin inline asm
	@%p36 ld.global.b32 %r115, [%rd38];
	// end inline asm
	mov.b32 	%r155, 0f00000000;
	shl.b64 	%rd116, %rd3, 2;
	@%p39 bra 	$L__BB0_11;
	.loc	1 0 22
	mov.b32 	%r154, 0f00000000;
	mov.b64 	%rd118, 1024;
	mov.b64 	%rd117, 4398046511104;
	mov.b32 	%r153, %r154;
	mov.b32 	%r152, %r154;
	mov.b32 	%r151, %r154;
	mov.b32 	%r150, %r154;
	mov.b32 	%r149, %r154;
	mov.b32 	%r148, %r154;
	mov.b32 	%r147, %r154;
	bra.uni 	$L__BB0_3;
$L__BB0_9:
	.loc	1 14 22
	add.s64 	%rd87, %rd118, 768;
	add.s64 	%rd88, %rd117, 3298534883328;
	shr.s64 	%rd89, %rd88, 30;
	add.s64 	%rd90, %rd120, %rd89;
	add.s64 	%rd79, %rd90, %rd116;
	add.s32 	%r47, %r21, 768;
	setp.lt.u32 	%p190, %r47, %r3;
	and.pred 	%p191, %p1, %p190;
	setp.lt.s64 	%p192, %rd87, %rd1;
	and.pred 	%p182, %p191, %p192;
	mov.b32 	%r122, %r46;
	// begin inline asm
	@%p182 ld.global.b32 %r122, [%rd79];
	// end inline asm
	add.s64 	%rd80, %rd79, 128;
	add.s32 	%r48, %r21, 800;
	setp.lt.u32 	%p193, %r48, %r3;
	and.pred 	%p194, %p1, %p193;
	and.pred 	%p183, %p194, %p192;
	mov.b32 	%r121, %r46;
	// begin inline asm
	@%p183 ld.global.b32 %r121, [%rd80];
	// end inline asm
	add.s64 	%rd81, %rd79, 256;
	add.s32 	%r49, %r21, 832;
	setp.lt.u32 	%p195, %r49, %r3;
	and.pred 	%p196, %p1, %p195;
	and.pred 	%p184, %p196, %p192;
	mov.b32 	%r120, %r46;
	// begin inline asm
	@%p184 ld.global.b32 %r120, [%rd81];
	// end inline asm
	add.s64 	%rd82, %rd79, 384;
	add.s32 	%r50, %r21, 864;
	setp.lt.u32 	%p197, %r50, %r3;
	and.pred 	%p198, %p1, %p197;
	and.pred 	%p185, %p198, %p192;
	mov.b32 	%r119, %r46;
	// begin inline asm
	@%p185 ld.global.b32 %r119, [%rd82];
	// end inline asm
	add.s64 	%rd83, %rd79, 512;
	add.s32 	%r51, %r21, 896;
	setp.lt.u32 	%p199, %r51, %r3;
	and.pred 	%p200, %p1, %p199;
	and.pred 	%p186, %p200, %p192;
	mov.b32 	%r118, %r46;
	// begin inline asm
	@%p186 ld.global.b32 %r118, [%rd83];
	// end inline asm
	add.s64 	%rd84, %rd79, 640;
	add.s32 	%r52, %r21, 928;
	setp.lt.u32 	%p201, %r52, %r3;
	and.pred 	%p202, %p1, %p201;
	and.pred 	%p187, %p202, %p192;
	mov.b32 	%r117, %r46;
	// begin inline asm
	@%p187 ld.global.b32 %r117, [%rd84];
	// end inline asm
	add.s64 	%rd85, %rd79, 768;
	add.s32 	%r53, %r21, 960;
	setp.lt.u32 	%p203, %r53, %r3;
	and.pred 	%p204, %p1, %p203;
	and.pred 	%p188, %p204, %p192;
	mov.b32 	%r116, %r46;
	// begin inline asm
	@%p188 ld.global.b32 %r116, [%rd85];
	// end inline asm
	add.s64 	%rd86, %rd79, 896;
	add.s32 	%r54, %r21, 992;
	setp.lt.u32 	%p205, %r54, %r3;
	and.pred 	%p206, %p1, %p205;
	and.pred 	%p189, %p206, %p192;
	// begin inline asm
	@%p189 ld.global.b32 %r46, [%rd86];
	// end inline asm
	.loc	1 15 19
	add.s64 	%rd118, %rd118, 1024;
	add.s64 	%rd117, %rd117, 4398046511104;
	mov.b32 	%r115, %r46;
	mov.b32 	%r131, %r29;
	mov.b32 	%r139, %r20;
	mov.b32 	%r140, %r19;
	mov.b32 	%r141, %r18;
	mov.b32 	%r142, %r17;
	mov.b32 	%r143, %r16;
	mov.b32 	%r144, %r15;
	mov.b32 	%r145, %r14;
	mov.b32 	%r146, %r13;
	.loc	1 14 22
	@%p3 bra 	$L__BB0_3;
	bra.uni 	$L__BB0_10;
$L__BB0_3:
	.loc	1 14 22
	shr.s64 	%rd50, %rd117, 30;
	add.s64 	%rd51, %rd120, %rd50;
	add.s64 	%rd42, %rd51, %rd116;
	add.s64 	%rd4, %rd3, %rd118;
	cvt.u32.u64 	%r21, %rd4;
	setp.lt.u32 	%p113, %r21, %r3;
	and.pred 	%p114, %p1, %p113;
	.loc	1 15 19
	setp.lt.s64 	%p3, %rd118, %rd1;
	.loc	1 14 22
	and.pred 	%p105, %p114, %p3;
	mov.b32 	%r29, 0;
	mov.b32 	%r13, %r29;
	// begin inline asm
	@%p105 ld.global.b32 %r13, [%rd42];
	// end inline asm
	add.s64 	%rd43, %rd42, 128;
	add.s32 	%r22, %r21, 32;
	setp.lt.u32 	%p115, %r22, %r3;
	and.pred 	%p116, %p1, %p115;
	and.pred 	%p106, %p116, %p3;
	mov.b32 	%r14, %r29;
	// begin inline asm
	@%p106 ld.global.b32 %r14, [%rd43];
	// end inline asm
	add.s64 	%rd44, %rd42, 256;
	add.s32 	%r23, %r21, 64;
	setp.lt.u32 	%p117, %r23, %r3;
	and.pred 	%p118, %p1, %p117;
	and.pred 	%p107, %p118, %p3;
	mov.b32 	%r15, %r29;
	// begin inline asm
	@%p107 ld.global.b32 %r15, [%rd44];
	// end inline asm
	add.s64 	%rd45, %rd42, 384;
	add.s32 	%r24, %r21, 96;
	setp.lt.u32 	%p119, %r24, %r3;
	and.pred 	%p120, %p1, %p119;
	and.pred 	%p108, %p120, %p3;
	mov.b32 	%r16, %r29;
	// begin inline asm
	@%p108 ld.global.b32 %r16, [%rd45];
	// end inline asm
	add.s64 	%rd46, %rd42, 512;
	add.s32 	%r25, %r21, 128;
	setp.lt.u32 	%p121, %r25, %r3;
	and.pred 	%p122, %p1, %p121;
	and.pred 	%p109, %p122, %p3;
	mov.b32 	%r17, %r29;
	// begin inline asm
	@%p109 ld.global.b32 %r17, [%rd46];
	// end inline asm
	add.s64 	%rd47, %rd42, 640;
	add.s32 	%r26, %r21, 160;
	setp.lt.u32 	%p123, %r26, %r3;
	and.pred 	%p124, %p1, %p123;
	and.pred 	%p110, %p124, %p3;
	mov.b32 	%r18, %r29;
	// begin inline asm
	@%p110 ld.global.b32 %r18, [%rd47];
	// end inline asm
	add.s64 	%rd48, %rd42, 768;
	add.s32 	%r27, %r21, 192;
	setp.lt.u32 	%p125, %r27, %r3;
	and.pred 	%p126, %p1, %p125;
	and.pred 	%p111, %p126, %p3;
	mov.b32 	%r19, %r29;
	// begin inline asm
	@%p111 ld.global.b32 %r19, [%rd48];
	// end inline asm
	add.s64 	%rd49, %rd42, 896;
	add.s32 	%r28, %r21, 224;
	setp.lt.u32 	%p127, %r28, %r3;
	and.pred 	%p128, %p1, %p127;
	and.pred 	%p112, %p128, %p3;
	mov.b32 	%r20, %r29;
	// begin inline asm
	@%p112 ld.global.b32 %r20, [%rd49];
	// end inline asm
	.loc	1 15 19
	fma.rn.f32 	%r147, %r146, %r146, %r147;
	fma.rn.f32 	%r148, %r145, %r145, %r148;
	fma.rn.f32 	%r149, %r144, %r144, %r149;
	fma.rn.f32 	%r150, %r143, %r143, %r150;
	fma.rn.f32 	%r151, %r142, %r142, %r151;
	fma.rn.f32 	%r152, %r141, %r141, %r152;
	fma.rn.f32 	%r153, %r140, %r140, %r153;
	fma.rn.f32 	%r154, %r139, %r139, %r154;
	.loc	1 14 22
	add.s64 	%rd52, %rd118, -768;
	setp.ge.s64 	%p129, %rd52, %rd1;
	@%p129 bra 	$L__BB0_5;
	.loc	1 15 19
	fma.rn.f32 	%r147, %r138, %r138, %r147;
	fma.rn.f32 	%r148, %r137, %r137, %r148;
	fma.rn.f32 	%r149, %r136, %r136, %r149;
	fma.rn.f32 	%r150, %r135, %r135, %r150;
	fma.rn.f32 	%r151, %r134, %r134, %r151;
	fma.rn.f32 	%r152, %r133, %r133, %r152;
	fma.rn.f32 	%r153, %r132, %r132, %r153;
	fma.rn.f32 	%r154, %r131, %r131, %r154;
$L__BB0_5:
	.loc	1 14 22
	add.s64 	%rd61, %rd118, 256;
	add.s64 	%rd62, %rd117, 1099511627776;
	shr.s64 	%rd63, %rd62, 30;
	add.s64 	%rd64, %rd120, %rd63;
	add.s64 	%rd53, %rd64, %rd116;
	add.s32 	%r30, %r21, 256;
	setp.lt.u32 	%p138, %r30, %r3;
	and.pred 	%p139, %p1, %p138;
	setp.lt.s64 	%p140, %rd61, %rd1;
	and.pred 	%p130, %p139, %p140;
	mov.b32 	%r138, %r29;
	// begin inline asm
	@%p130 ld.global.b32 %r138, [%rd53];
	// end inline asm
	add.s64 	%rd54, %rd53, 128;
	add.s32 	%r31, %r21, 288;
	setp.lt.u32 	%p141, %r31, %r3;
	and.pred 	%p142, %p1, %p141;
	and.pred 	%p131, %p142, %p140;
	mov.b32 	%r137, %r29;
	// begin inline asm
	@%p131 ld.global.b32 %r137, [%rd54];
	// end inline asm
	add.s64 	%rd55, %rd53, 256;
	add.s32 	%r32, %r21, 320;
	setp.lt.u32 	%p143, %r32, %r3;
	and.pred 	%p144, %p1, %p143;
	and.pred 	%p132, %p144, %p140;
	mov.b32 	%r136, %r29;
	// begin inline asm
	@%p132 ld.global.b32 %r136, [%rd55];
	// end inline asm
	add.s64 	%rd56, %rd53, 384;
	add.s32 	%r33, %r21, 352;
	setp.lt.u32 	%p145, %r33, %r3;
	and.pred 	%p146, %p1, %p145;
	and.pred 	%p133, %p146, %p140;
	mov.b32 	%r135, %r29;
	// begin inline asm
	@%p133 ld.global.b32 %r135, [%rd56];
	// end inline asm
	add.s64 	%rd57, %rd53, 512;
	add.s32 	%r34, %r21, 384;
	setp.lt.u32 	%p147, %r34, %r3;
	and.pred 	%p148, %p1, %p147;
	and.pred 	%p134, %p148, %p140;
	mov.b32 	%r134, %r29;
	// begin inline asm
	@%p134 ld.global.b32 %r134, [%rd57];
	// end inline asm
	add.s64 	%rd58, %rd53, 640;
	add.s32 	%r35, %r21, 416;
	setp.lt.u32 	%p149, %r35, %r3;
	and.pred 	%p150, %p1, %p149;
	and.pred 	%p135, %p150, %p140;
	mov.b32 	%r133, %r29;
	// begin inline asm
	@%p135 ld.global.b32 %r133, [%rd58];
	// end inline asm
	add.s64 	%rd59, %rd53, 768;
	add.s32 	%r36, %r21, 448;
	setp.lt.u32 	%p151, %r36, %r3;
	and.pred 	%p152, %p1, %p151;
	and.pred 	%p136, %p152, %p140;
	mov.b32 	%r132, %r29;
	// begin inline asm
	@%p136 ld.global.b32 %r132, [%rd59];
	// end inline asm
	add.s64 	%rd60, %rd53, 896;
	add.s32 	%r37, %r21, 480;
	setp.lt.u32 	%p153, %r37, %r3;
	and.pred 	%p154, %p1, %p153;
	and.pred 	%p137, %p154, %p140;
	// begin inline asm
	@%p137 ld.global.b32 %r29, [%rd60];
	// end inline asm
	add.s64 	%rd65, %rd118, -512;
	setp.ge.s64 	%p155, %rd65, %rd1;
	@%p155 bra 	$L__BB0_7;
	.loc	1 15 19
	fma.rn.f32 	%r147, %r130, %r130, %r147;
	fma.rn.f32 	%r148, %r129, %r129, %r148;
	fma.rn.f32 	%r149, %r128, %r128, %r149;
	fma.rn.f32 	%r150, %r127, %r127, %r150;
	fma.rn.f32 	%r151, %r126, %r126, %r151;
	fma.rn.f32 	%r152, %r125, %r125, %r152;
	fma.rn.f32 	%r153, %r124, %r124, %r153;
	fma.rn.f32 	%r154, %r123, %r123, %r154;
$L__BB0_7:
	.loc	1 14 22
	add.s64 	%rd74, %rd118, 512;
	add.s64 	%rd75, %rd117, 2199023255552;
	shr.s64 	%rd76, %rd75, 30;
	add.s64 	%rd77, %rd120, %rd76;
	add.s64 	%rd66, %rd77, %rd116;
	add.s32 	%r38, %r21, 512;
	setp.lt.u32 	%p164, %r38, %r3;
	and.pred 	%p165, %p1, %p164;
	setp.lt.s64 	%p166, %rd74, %rd1;
	and.pred 	%p156, %p165, %p166;
	mov.b32 	%r46, 0;
	mov.b32 	%r130, %r46;
	// begin inline asm
	@%p156 ld.global.b32 %r130, [%rd66];
	// end inline asm
	add.s64 	%rd67, %rd66, 128;
	add.s32 	%r39, %r21, 544;
	setp.lt.u32 	%p167, %r39, %r3;
	and.pred 	%p168, %p1, %p167;
	and.pred 	%p157, %p168, %p166;
	mov.b32 	%r129, %r46;
	// begin inline asm
	@%p157 ld.global.b32 %r129, [%rd67];
	// end inline asm
	add.s64 	%rd68, %rd66, 256;
	add.s32 	%r40, %r21, 576;
	setp.lt.u32 	%p169, %r40, %r3;
	and.pred 	%p170, %p1, %p169;
	and.pred 	%p158, %p170, %p166;
	mov.b32 	%r128, %r46;
	// begin inline asm
	@%p158 ld.global.b32 %r128, [%rd68];
	// end inline asm
	add.s64 	%rd69, %rd66, 384;
	add.s32 	%r41, %r21, 608;
	setp.lt.u32 	%p171, %r41, %r3;
	and.pred 	%p172, %p1, %p171;
	and.pred 	%p159, %p172, %p166;
	mov.b32 	%r127, %r46;
	// begin inline asm
	@%p159 ld.global.b32 %r127, [%rd69];
	// end inline asm
	add.s64 	%rd70, %rd66, 512;
	add.s32 	%r42, %r21, 640;
	setp.lt.u32 	%p173, %r42, %r3;
	and.pred 	%p174, %p1, %p173;
	and.pred 	%p160, %p174, %p166;
	mov.b32 	%r126, %r46;
	// begin inline asm
	@%p160 ld.global.b32 %r126, [%rd70];
	// end inline asm
	add.s64 	%rd71, %rd66, 640;
	add.s32 	%r43, %r21, 672;
	setp.lt.u32 	%p175, %r43, %r3;
	and.pred 	%p176, %p1, %p175;
	and.pred 	%p161, %p176, %p166;
	mov.b32 	%r125, %r46;
	// begin inline asm
	@%p161 ld.global.b32 %r125, [%rd71];
	// end inline asm
	add.s64 	%rd72, %rd66, 768;
	add.s32 	%r44, %r21, 704;
	setp.lt.u32 	%p177, %r44, %r3;
	and.pred 	%p178, %p1, %p177;
	and.pred 	%p162, %p178, %p166;
	mov.b32 	%r124, %r46;
	// begin inline asm
	@%p162 ld.global.b32 %r124, [%rd72];
	// end inline asm
	add.s64 	%rd73, %rd66, 896;
	add.s32 	%r45, %r21, 736;
	setp.lt.u32 	%p179, %r45, %r3;
	and.pred 	%p180, %p1, %p179;
	and.pred 	%p163, %p180, %p166;
	mov.b32 	%r123, %r46;
	// begin inline asm
	@%p163 ld.global.b32 %r123, [%rd73];
	// end inline asm
	add.s64 	%rd78, %rd118, -256;
	setp.ge.s64 	%p181, %rd78, %rd1;
	@%p181 bra 	$L__BB0_9;
	.loc	1 15 19
	fma.rn.f32 	%r147, %r122, %r122, %r147;
	fma.rn.f32 	%r148, %r121, %r121, %r148;
	fma.rn.f32 	%r149, %r120, %r120, %r149;
	fma.rn.f32 	%r150, %r119, %r119, %r150;
	fma.rn.f32 	%r151, %r118, %r118, %r151;
	fma.rn.f32 	%r152, %r117, %r117, %r152;
	fma.rn.f32 	%r153, %r116, %r116, %r153;
	fma.rn.f32 	%r154, %r115, %r115, %r154;
	bra.uni 	$L__BB0_9;
$L__BB0_10:
	.loc	1 14 22
	add.rn.f32 	%r55, %r147, %r148;
	add.rn.f32 	%r56, %r149, %r150;
	add.rn.f32 	%r57, %r55, %r56;
	add.rn.f32 	%r58, %r151, %r152;
	add.rn.f32 	%r59, %r153, %r154;
	add.rn.f32 	%r60, %r58, %r59;
	add.rn.f32 	%r155, %r57, %r60;
$L__BB0_11:
	.loc	1 17 23
	shfl.sync.bfly.b32 	%r63, %r155, 1, 31, -1;
	add.rn.f32 	%r64, %r155, %r63;
	shfl.sync.bfly.b32 	%r65, %r64, 2, 31, -1;
	add.rn.f32 	%r66, %r64, %r65;
	shfl.sync.bfly.b32 	%r67, %r66, 4, 31, -1;
	add.rn.f32 	%r68, %r66, %r67;
	shfl.sync.bfly.b32 	%r69, %r68, 8, 31, -1;
	add.rn.f32 	%r70, %r68, %r69;
	shfl.sync.bfly.b32 	%r71, %r70, 16, 31, -1;
	add.rn.f32 	%r72, %r70, %r71;
	.loc	1 17 38
	cvt.rn.f32.s32 	%r73, %r3;
	.loc	1 17 23
	div.rn.f32 	%r74, %r72, %r73;
	add.rn.f32 	%r62, %r74, %r4;
	.loc	1 17 17
	// begin inline asm
	rsqrt.approx.f32 %r61, %r62;
	// end inline asm
	.loc	1 18 5
	not.pred 	%p207, %p2;
	@%p207 bra 	$L__BB0_14;
	.loc	1 0 5
	ld.param.b64 	%rd6, [rms_norm__general_param_5];
	ld.param.b64 	%rd119, [rms_norm__general_param_3];
	.loc	1 18 5
	add.s64 	%rd121, %rd6, %rd40;
	mov.b64 	%rd122, 0;
$L__BB0_13:
	add.s64 	%rd91, %rd120, %rd116;
	.loc	1 19 37
	add.s64 	%rd115, %rd3, %rd122;
	cvt.u32.u64 	%r99, %rd115;
	setp.lt.u32 	%p216, %r99, %r3;
	and.pred 	%p208, %p1, %p216;
	mov.b32 	%r90, 0;
	mov.b32 	%r75, %r90;
	// begin inline asm
	@%p208 ld.global.b32 %r75, [%rd91];
	// end inline asm
	add.s64 	%rd92, %rd91, 128;
	add.s32 	%r100, %r99, 32;
	setp.lt.u32 	%p217, %r100, %r3;
	and.pred 	%p209, %p1, %p217;
	mov.b32 	%r76, %r90;
	// begin inline asm
	@%p209 ld.global.b32 %r76, [%rd92];
	// end inline asm
	add.s64 	%rd93, %rd91, 256;
	add.s32 	%r101, %r99, 64;
	setp.lt.u32 	%p218, %r101, %r3;
	and.pred 	%p210, %p1, %p218;
	mov.b32 	%r77, %r90;
	// begin inline asm
	@%p210 ld.global.b32 %r77, [%rd93];
	// end inline asm
	add.s64 	%rd94, %rd91, 384;
	add.s32 	%r102, %r99, 96;
	setp.lt.u32 	%p219, %r102, %r3;
	and.pred 	%p211, %p1, %p219;
	mov.b32 	%r78, %r90;
	// begin inline asm
	@%p211 ld.global.b32 %r78, [%rd94];
	// end inline asm
	add.s64 	%rd95, %rd91, 512;
	add.s32 	%r103, %r99, 128;
	setp.lt.u32 	%p220, %r103, %r3;
	and.pred 	%p212, %p1, %p220;
	mov.b32 	%r79, %r90;
	// begin inline asm
	@%p212 ld.global.b32 %r79, [%rd95];
	// end inline asm
	add.s64 	%rd96, %rd91, 640;
	add.s32 	%r104, %r99, 160;
	setp.lt.u32 	%p221, %r104, %r3;
	and.pred 	%p213, %p1, %p221;
	mov.b32 	%r80, %r90;
	// begin inline asm
	@%p213 ld.global.b32 %r80, [%rd96];
	// end inline asm
	add.s64 	%rd97, %rd91, 768;
	add.s32 	%r105, %r99, 192;
	setp.lt.u32 	%p222, %r105, %r3;
	and.pred 	%p214, %p1, %p222;
	mov.b32 	%r81, %r90;
	// begin inline asm
	@%p214 ld.global.b32 %r81, [%rd97];
	// end inline asm
	add.s64 	%rd98, %rd91, 896;
	add.s32 	%r106, %r99, 224;
	setp.lt.u32 	%p223, %r106, %r3;
	and.pred 	%p215, %p1, %p223;
	mov.b32 	%r82, %r90;
	// begin inline asm
	@%p215 ld.global.b32 %r82, [%rd98];
	// end inline asm
	.loc	1 19 80
	add.s64 	%rd99, %rd119, %rd116;
	mov.b32 	%r83, %r90;
	// begin inline asm
	@%p216 ld.global.b32 %r83, [%rd99];
	// end inline asm
	add.s64 	%rd100, %rd99, 128;
	mov.b32 	%r84, %r90;
	// begin inline asm
	@%p217 ld.global.b32 %r84, [%rd100];
	// end inline asm
	add.s64 	%rd101, %rd99, 256;
	mov.b32 	%r85, %r90;
	// begin inline asm
	@%p218 ld.global.b32 %r85, [%rd101];
	// end inline asm
	add.s64 	%rd102, %rd99, 384;
	mov.b32 	%r86, %r90;
	// begin inline asm
	@%p219 ld.global.b32 %r86, [%rd102];
	// end inline asm
	add.s64 	%rd103, %rd99, 512;
	mov.b32 	%r87, %r90;
	// begin inline asm
	@%p220 ld.global.b32 %r87, [%rd103];
	// end inline asm
	add.s64 	%rd104, %rd99, 640;
	mov.b32 	%r88, %r90;
	// begin inline asm
	@%p221 ld.global.b32 %r88, [%rd104];
	// end inline asm
	add.s64 	%rd105, %rd99, 768;
	mov.b32 	%r89, %r90;
	// begin inline asm
	@%p222 ld.global.b32 %r89, [%rd105];
	// end inline asm
	add.s64 	%rd106, %rd99, 896;
	// begin inline asm
	@%p223 ld.global.b32 %r90, [%rd106];
	// end inline asm
	.loc	1 19 9
	bar.warp.sync 	-1;
	.loc	1 19 37
	add.s64 	%rd107, %rd121, %rd116;
	mul.rn.f32 	%r107, %r61, %r75;
	.loc	1 19 36
	mul.rn.f32 	%r91, %r107, %r83;
	.loc	1 19 9
	// begin inline asm
	@%p208 st.global.b32 [%rd107], %r91;
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd108, %rd107, 128;
	mul.rn.f32 	%r108, %r61, %r76;
	.loc	1 19 36
	mul.rn.f32 	%r92, %r108, %r84;
	.loc	1 19 9
	// begin inline asm
	@%p209 st.global.b32 [%rd108], %r92;
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd109, %rd107, 256;
	mul.rn.f32 	%r109, %r61, %r77;
	.loc	1 19 36
	mul.rn.f32 	%r93, %r109, %r85;
	.loc	1 19 9
	// begin inline asm
	@%p210 st.global.b32 [%rd109], %r93;
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd110, %rd107, 384;
	mul.rn.f32 	%r110, %r61, %r78;
	.loc	1 19 36
	mul.rn.f32 	%r94, %r110, %r86;
	.loc	1 19 9
	// begin inline asm
	@%p211 st.global.b32 [%rd110], %r94;
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd111, %rd107, 512;
	mul.rn.f32 	%r111, %r61, %r79;
	.loc	1 19 36
	mul.rn.f32 	%r95, %r111, %r87;
	.loc	1 19 9
	// begin inline asm
	@%p212 st.global.b32 [%rd111], %r95;
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd112, %rd107, 640;
	mul.rn.f32 	%r112, %r61, %r80;
	.loc	1 19 36
	mul.rn.f32 	%r96, %r112, %r88;
	.loc	1 19 9
	// begin inline asm
	@%p213 st.global.b32 [%rd112], %r96;
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd113, %rd107, 768;
	mul.rn.f32 	%r113, %r61, %r81;
	.loc	1 19 36
	mul.rn.f32 	%r97, %r113, %r89;
	.loc	1 19 9
	// begin inline asm
	@%p214 st.global.b32 [%rd113], %r97;
	// end inline asm
	.loc	1 19 37
	add.s64 	%rd114, %rd107, 896;
	mul.rn.f32 	%r114, %r61, %r82;
	.loc	1 19 36
	mul.rn.f32 	%r98, %r114, %r90;
	.loc	1 19 9
	// begin inline asm
	@%p215 st.global.b32 [%rd114], %r98;
	// end inline asm
	.loc	1 18 5
	add.s64 	%rd122, %rd122, 256;
	add.s64 	%rd121, %rd121, 1024;
	add.s64 	%rd120, %rd120, 1024;
	add.s64 	%rd119, %rd119, 1024;
	setp.lt.s64 	%p224, %rd122, %rd1;
	@%p224 bra 	$L__BB0_13;
$L__BB0_14:
	.loc	1 18 5
	ret;
$L__tmp0:
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
