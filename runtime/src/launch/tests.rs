//! Every refusal with its exact text, and what a good launch becomes.

use super::persistent::{Given, Persistent, Reciprocal, most_per_block};
use super::*;
use crate::manifest::{
    COUNTERS_BYTES, Comparison, Dimension, MapDimension, Pair, Promise, SizeExpr, Stride,
    TensorMap, Tuned, num_programs, program_id,
};

/// `kernel matmul(a: tensor<f16>[m, k], b: tensor<f16>[k, 64] strides(_, 1), c: mut
/// tensor<f32>[m, 64], bias: ptr<f32>, alpha: f32, n: i32) grid(cdiv(m, 128), n)`
fn matmul() -> Kernel {
    let named = |name: &str| Dimension::Named(name.to_owned());
    let tensor = |name: &str, element, mutable, dimensions, strides| Parameter::Tensor {
        name: name.to_owned(),
        element,
        mutable,
        dimensions,
        strides,
    };
    let address = |of: &str| Argument::Address { of: of.to_owned() };
    let dense = || vec![Stride::Dense, Stride::Dense];
    Kernel {
        name: "matmul".to_owned(),
        docs: String::new(),
        generics: BTreeMap::new(),
        parameters: vec![
            tensor(
                "a",
                ElementType::F16,
                false,
                vec![named("m"), named("k")],
                dense(),
            ),
            tensor(
                "b",
                ElementType::F16,
                false,
                vec![named("k"), Dimension::Fixed(64)],
                vec![Stride::Free, Stride::Fixed(1)],
            ),
            tensor(
                "c",
                ElementType::F32,
                true,
                vec![named("m"), Dimension::Fixed(64)],
                dense(),
            ),
            Parameter::Pointer {
                name: "bias".to_owned(),
                element: ElementType::F32,
                mutable: false,
            },
            Parameter::Scalar {
                name: "alpha".to_owned(),
                element: ElementType::F16,
            },
            Parameter::Scalar {
                name: "n".to_owned(),
                element: ElementType::I32,
            },
        ],
        arguments: vec![
            address("a"),
            Argument::Size {
                name: "m".to_owned(),
            },
            address("b"),
            Argument::Scalar {
                name: "alpha".to_owned(),
            },
            Argument::Stride {
                of: "b".to_owned(),
                dimension: 0,
            },
            address("c"),
        ],
        grid: Some(vec![
            SizeExpr::cdiv(SizeExpr::name("m"), SizeExpr::Const(128)),
            SizeExpr::name("n"),
        ]),
        promises: Vec::new(),
        variants: vec![
            variant(
                "matmul_16",
                vec![
                    Assumption::Aligned {
                        of: "a".to_owned(),
                        bytes: 16,
                    },
                    Assumption::Divisible {
                        name: "k".to_owned(),
                        by: 8,
                    },
                ],
            ),
            variant(
                "matmul_strided",
                vec![
                    Assumption::Divisible {
                        name: "k".to_owned(),
                        by: 2,
                    },
                    Assumption::StrideEquals {
                        of: "b".to_owned(),
                        dimension: 0,
                        stride: 64,
                    },
                ],
            ),
        ],
    }
}

fn variant(entry: &str, assumptions: Vec<Assumption>) -> Variant {
    Variant {
        entry: entry.to_owned(),
        assumptions,
        threads: 128,
        cluster: 1,
        turns: false,
        programs_per_block: 1,
        group: 0,
        group_axis: 0,
        pair: None,
        part_bytes: 0,
        tickets: false,
        dependent: false,
        narrow: false,
        shared_bytes: 0,
        maps: Vec::new(),
        tuned: None,
        decisions: Vec::new(),
    }
}

fn tensor_of<'a>(element: ElementType, shape: &'a [usize], strides: &'a [i64]) -> TensorFact<'a> {
    TensorFact {
        element,
        shape,
        strides,
        address: 0x1000_0000,
        writable: false,
    }
}

/// Good arguments, in the order of the parameters, each at its own address.
fn good() -> [(&'static str, Fact<'static>); 6] {
    let at = |address, fact| TensorFact { address, ..fact };
    let a = tensor_of(ElementType::F16, &[300, 32], &[32, 1]);
    let b = tensor_of(ElementType::F16, &[32, 64], &[80, 1]);
    let c = tensor_of(ElementType::F32, &[300, 64], &[64, 1]);
    let bias = tensor_of(ElementType::F32, &[64], &[1]);
    [
        ("a", Fact::Tensor(at(0x1000_0000, a))),
        ("b", Fact::Tensor(at(0x2000_0000, b))),
        (
            "c",
            Fact::Tensor(TensorFact {
                writable: true,
                ..at(0x3000_0000, c)
            }),
        ),
        ("bias", Fact::Tensor(at(0x4000_0000, bias))),
        ("alpha", Fact::Scalar(Scalar::Float(0.5))),
        ("n", Fact::Scalar(Scalar::Int(7))),
    ]
}

/// The good arguments with one tensor changed.
fn with(
    name: &str,
    change: impl Fn(&mut TensorFact<'static>),
) -> [(&'static str, Fact<'static>); 6] {
    let mut arguments = good();
    for (argument, fact) in &mut arguments {
        if let Fact::Tensor(fact) = fact
            && *argument == name
        {
            change(fact);
        }
    }
    arguments
}

/// The good arguments with one replaced.
fn replaced(name: &str, fact: Fact<'static>) -> [(&'static str, Fact<'static>); 6] {
    good().map(|(argument, old)| (argument, if argument == name { fact } else { old }))
}

fn refusal(arguments: &[(&str, Fact<'_>)]) -> String {
    plan(&matmul(), arguments, None)
        .expect_err("refused")
        .to_string()
}

#[test]
fn a_good_launch() {
    let plan = plan(&matmul(), &good(), None).expect("all is well");
    assert_eq!(plan.variant, 0);
    assert_eq!(plan.grid, [3, 7, 1]);
    let sizes: Vec<_> = plan.sizes.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    assert_eq!(sizes, [("k", 32), ("m", 300), ("n", 7)]);
    let mut buffer = Vec::new();
    buffer.extend(0x1000_0000u64.to_le_bytes());
    buffer.extend(300i32.to_le_bytes());
    buffer.extend([0; 4]); // the next address is aligned to 8
    buffer.extend(0x2000_0000u64.to_le_bytes());
    buffer.extend(0x3800u16.to_le_bytes()); // 0.5 as f16
    buffer.extend([0; 6]);
    buffer.extend(80i64.to_le_bytes());
    buffer.extend(0x3000_0000u64.to_le_bytes());
    assert_eq!(plan.parameters(&[], &[]).0, buffer);
}

#[test]
fn names() {
    let mut arguments = good().to_vec();
    arguments[3].0 = "bais";
    assert_eq!(
        refusal(&arguments),
        "kernel `matmul` has no parameter `bais` (did you mean `bias`?): it takes `a`, `b`, `c`, \
         `bias`, `alpha` and `n`"
    );
    arguments[3].0 = "a";
    assert_eq!(refusal(&arguments), "argument `a` is given twice");
    assert_eq!(
        refusal(&good()[..3]),
        "kernel `matmul` also needs `bias: ptr<f32>`, `alpha: f16` and `n: i32`"
    );
}

#[test]
fn kinds_and_element_types() {
    assert_eq!(
        refusal(&replaced("a", Fact::Scalar(Scalar::Int(3)))),
        "`a: tensor<f16>[m, k]` takes a tensor, but the number 3 is given"
    );
    assert_eq!(
        refusal(&replaced("n", good()[0].1)),
        "`n: i32` takes a number, but a tensor is given"
    );
    assert_eq!(
        refusal(&with("b", |b| b.element = ElementType::BF16)),
        "`b` has elements of type bf16, but the kernel takes `b: tensor<f16>[k, 64] strides(_, 1)`"
    );
    assert_eq!(
        refusal(&with("c", |c| c.writable = false)),
        "`c` is read-only here, but the kernel writes to it (`c: mut tensor<f32>[m, 64]`): pass it \
         for writing"
    );
}

#[test]
fn scalars_must_fit() {
    assert_eq!(
        refusal(&replaced("n", Fact::Scalar(Scalar::Int(5_000_000_000)))),
        "5000000000 does not fit `n: i32` (-2147483648 to 2147483647)"
    );
    assert_eq!(
        refusal(&replaced("n", Fact::Scalar(Scalar::Float(1.0)))),
        "`n: i32` takes an integer, but 1.0 is given"
    );
    assert_eq!(
        refusal(&replaced("alpha", Fact::Scalar(Scalar::Float(1e5)))),
        "100000.0 does not fit `alpha: f16` (-65504 to 65504)"
    );
    let infinite = replaced("alpha", Fact::Scalar(Scalar::Float(f64::INFINITY)));
    assert!(plan(&matmul(), &infinite, None).is_ok());
    let integer = replaced("alpha", Fact::Scalar(Scalar::Int(2)));
    assert!(plan(&matmul(), &integer, None).is_ok());
}

#[test]
fn ranks_and_sizes() {
    assert_eq!(
        refusal(&with("a", |a| (a.shape, a.strides) = (&[9600], &[1]))),
        "`a` has rank 1 (shape [9600]), but the kernel takes `a: tensor<f16>[m, k]`"
    );
    assert_eq!(
        refusal(&with("b", |b| b.shape = &[32, 60])),
        "`b` has size 60 in dimension 1 (shape [32, 60]), but the kernel takes \
         `b: tensor<f16>[k, 64] strides(_, 1)`"
    );
    assert_eq!(
        refusal(&with("b", |b| b.shape = &[48, 64])),
        "`k` is 32 as size 1 of `a` (shape [300, 32]), but 48 as size 0 of `b` (shape [48, 64])"
    );
    assert_eq!(
        refusal(&with("a", |a| (a.shape, a.strides) = (&[1 << 31, 32], &[32, 1]))),
        "`a` has size 2147483648 in dimension 0, but sizes must be below 2^31 = 2147483648"
    );
}

#[test]
fn an_argument_and_a_size_of_one_name_must_agree() {
    let mut kernel = matmul();
    if let Parameter::Tensor { dimensions, .. } = &mut kernel.parameters[2] {
        dimensions[0] = Dimension::Named("n".to_owned());
    }
    assert_eq!(
        plan(&kernel, &good(), None)
            .expect_err("differ")
            .to_string(),
        "`n` is 300 as size 0 of `c` (shape [300, 64]), but 7 as an argument"
    );
}

#[test]
fn strides() {
    assert_eq!(
        refusal(&with("a", |a| a.strides = &[1, 300])),
        "`a` is not dense: strides [1, 300] for shape [300, 32], but `a: tensor<f16>[m, k]` needs \
         [32, 1]: pass a dense copy, or declare `strides(_, _)` in the kernel"
    );
    assert_eq!(
        refusal(&with("b", |b| b.strides = &[1, 32])),
        "`b` has stride 32 in dimension 1 (strides [1, 32]), but the kernel takes \
         `b: tensor<f16>[k, 64] strides(_, 1)`"
    );
    let mut kernel = matmul();
    for parameter in &mut kernel.parameters {
        if let Parameter::Tensor { strides, .. } = parameter {
            strides[0] = Stride::Named("row".to_owned());
        }
    }
    assert_eq!(
        plan(&kernel, &good(), None)
            .expect_err("differ")
            .to_string(),
        "`row` is 32 as stride 0 of `a` (strides [32, 1]), but 80 as stride 0 of `b` (strides \
         [80, 1])"
    );
}

#[test]
fn a_stride_that_is_never_taken_may_be_anything() {
    let mut arguments = with("a", |a| (a.shape, a.strides) = (&[1, 32], &[5, 1]));
    arguments[2].1 = Fact::Tensor(TensorFact {
        address: 0x3000_0000,
        writable: true,
        ..tensor_of(ElementType::F32, &[1, 64], &[7, 1])
    });
    assert!(plan(&matmul(), &arguments, None).is_ok());
}

#[test]
fn empty_tensors_launch_nothing() {
    let mut arguments = with("a", |a| (a.shape, a.strides) = (&[0, 32], &[32, 1]));
    arguments[2].1 = Fact::Tensor(TensorFact {
        writable: true,
        ..tensor_of(ElementType::F32, &[0, 64], &[64, 1])
    });
    let plan = plan(&matmul(), &arguments, None).expect("no work is fine");
    assert_eq!(plan.grid, [0, 7, 1]);
    assert!(plan.is_empty());
}

#[test]
fn aliasing() {
    assert_eq!(
        refusal(&with("c", |c| c.address = 0x1000_0040)),
        "`a` and `c` overlap in part, and the kernel writes to `c`: pass separate tensors, or the \
         very same one"
    );
    // Two that are only read may overlap as they like.
    assert!(
        plan(
            &matmul(),
            &with("bias", |bias| bias.address = 0x1000_0040),
            None
        )
        .is_ok()
    );
}

#[test]
fn grids() {
    assert_eq!(
        refusal(&replaced("n", Fact::Scalar(Scalar::Int(70_000)))),
        "the grid has 70000 programs along y, but the limit is 65535; along x there may be 2147483647: make the longest axis of the grid the first one"
    );
    assert_eq!(
        refusal(&replaced("n", Fact::Scalar(Scalar::Int(-1)))),
        "the grid has -1 programs along y"
    );
    let given = |kernel: &Kernel, grid| plan(kernel, &good(), grid);
    assert_eq!(
        given(&matmul(), Some(&[1]))
            .expect_err("has one")
            .to_string(),
        "kernel `matmul` computes its own grid (cdiv(m, 128), n): do not give another"
    );
    let mut kernel = matmul();
    kernel.grid = None;
    assert_eq!(
        given(&kernel, None).expect_err("has none").to_string(),
        "kernel `matmul` has no `grid` of its own, so the launch must give one"
    );
    assert_eq!(
        given(&kernel, Some(&[4, 5])).expect("given").grid,
        [4, 5, 1]
    );
    assert_eq!(
        given(&kernel, Some(&[1, 1, 1, 1]))
            .expect_err("four")
            .to_string(),
        "a grid has 1 to 3 axes, not 4"
    );
    kernel.grid = Some(vec![SizeExpr::div(SizeExpr::name("m"), SizeExpr::Const(0))]);
    assert_eq!(
        given(&kernel, None).expect_err("by zero").to_string(),
        "the grid cannot be computed: `m / 0` divides by zero in `m / 0`"
    );
}

#[test]
fn what_programs_compute_is_asked_of_the_grid() {
    let given = |value: &SizeExpr, least, most| {
        let mut kernel = matmul();
        kernel.variants[1].assumptions.clear();
        kernel.variants[0].assumptions = vec![Assumption::Within {
            value: value.clone(),
            least,
            most,
        }];
        plan(&kernel, &good(), None).expect("one fits").variant
    };
    // Seven programs, and k is 32.
    let from_k = SizeExpr::sub(SizeExpr::name(program_id(1)), SizeExpr::name("k"));
    let given_from_k = |least, most| given(&from_k, least, most);
    assert_eq!(
        (
            given_from_k(-32, -26),
            given_from_k(-31, 0),
            given_from_k(-32, -27)
        ),
        (0, 1, 1)
    );
    let [all, own] = [num_programs(1), program_id(1)].map(SizeExpr::name);
    let from_last = SizeExpr::sub(all, own);
    assert_eq!((given(&from_last, 1, 7), given(&from_last, 1, 6)), (0, 1));
}

#[test]
fn long_expressions_are_one_in_words() {
    let long = |name: &str| {
        let name = || SizeExpr::name(name);
        let square = || SizeExpr::mul(name(), name());
        Assumption::Within {
            value: SizeExpr::add(square(), square()),
            least: 0,
            most: 7,
        }
    };
    let names = ["columns_of_the_left", "rows_of_the_right"];
    let [one, other] = names.map(long);
    let short = Assumption::Divisible {
        name: "n".to_owned(),
        by: 8,
    };
    let alone = Assumption::in_words(std::slice::from_ref(&one));
    assert_eq!(
        alone,
        ["what programs compute of `columns_of_the_left` lies between 0 and 7"]
    );
    assert_eq!(
        Assumption::in_words(&[one, short, other]),
        [
            "`n` is a multiple of 8",
            "2 numbers that programs compute of `columns_of_the_left`, `rows_of_the_right` lie in their ranges"
        ]
    );
}

#[test]
fn the_first_variant_that_fits_is_taken() {
    let odd_address = with("a", |a| a.address += 8);
    assert_eq!(
        refusal(&odd_address),
        "no compiled variant of `matmul` fits these arguments\
         \n  matmul_16 relies on this: `a` is aligned to 16 bytes; it is aligned to 8\
         \n  matmul_strided relies on this: the stride of dimension 0 of `b` is 64; it is 80"
    );
    let mut arguments = odd_address;
    if let Fact::Tensor(b) = &mut arguments[1].1 {
        b.strides = &[64, 1];
    }
    assert_eq!(
        plan(&matmul(), &arguments, None).expect("second").variant,
        1
    );
}

/// `matmul` whose first variant copies boxes of `b`.
fn with_maps() -> Kernel {
    let mut kernel = matmul();
    let map = TensorMap {
        of: "b".to_owned(),
        tile: vec![32, 64],
        swizzle: 128,
        dimensions: Vec::new(),
    };
    kernel.variants = vec![
        Variant {
            maps: vec![map],
            ..variant("boxes", Vec::new())
        },
        variant("pieces", Vec::new()),
    ];
    kernel
}

#[test]
fn tensor_maps_follow_the_arguments() {
    let plan = plan(&with_maps(), &good(), None).expect("all is well");
    assert_eq!(plan.variant, 0);
    let map = MapValue {
        element: ElementType::F16,
        address: 0x2000_0000,
        sizes: vec![64, 32],
        strides: vec![160],
        tile: vec![64, 32],
        swizzle: 128,
    };
    assert_eq!(plan.maps, [map]);
    let buffer = plan.parameters(&[[7; MAP_BYTES]], &[]).0;
    assert_eq!(buffer.len(), 64 + 128);
    assert_eq!(buffer[..48], plan.parameters(&[], &[]).0[..]);
    assert_eq!(buffer[48..64], [0; 16]);
    assert_eq!(buffer[64..], [7; MAP_BYTES]);
}

#[test]
fn a_tensor_without_a_map_takes_another_variant() {
    let chosen = |arguments: &[(&str, Fact<'_>)]| {
        let plan = plan(&with_maps(), arguments, None).expect("a variant fits");
        (plan.variant, plan.maps.len())
    };
    assert_eq!(chosen(&with("b", |b| b.address += 8)), (1, 0));
    assert_eq!(chosen(&with("b", |b| b.strides = &[68, 1])), (1, 0));
    assert_eq!(chosen(&with("b", |b| b.strides = &[-80, 1])), (1, 0));
    assert_eq!(chosen(&with("b", |b| b.strides = &[1 << 40, 1])), (1, 0));
    assert_eq!(chosen(&with("b", |b| b.strides = &[0, 1])), (0, 1));
    let mut empty = with("b", |b| b.shape = &[0, 64]);
    for (name, fact) in &mut empty {
        if let Fact::Tensor(fact) = fact
            && *name == "a"
        {
            (fact.shape, fact.strides) = (&[300, 0], &[0, 1]);
        }
    }
    assert_eq!(chosen(&empty), (1, 0));
    let mut kernel = with_maps();
    kernel.variants.truncate(1);
    let refused = plan(&kernel, &with("b", |b| b.address += 8), None).expect_err("refused");
    assert_eq!(
        refused.to_string(),
        "no compiled variant of `matmul` fits these arguments\n  boxes relies on this: `b` can be \
         copied in boxes by TMA; its address is 0x20000008"
    );
}

#[test]
fn the_map_of_a_pointer_is_computed() {
    let mut kernel = with_maps();
    let dimension = |size, stride| MapDimension { size, stride };
    kernel.variants[0].maps[0].dimensions = vec![
        dimension(
            SizeExpr::sub(SizeExpr::name("n"), SizeExpr::Const(3)),
            SizeExpr::mul(SizeExpr::name("n"), SizeExpr::Const(8)),
        ),
        dimension(SizeExpr::Const(24), SizeExpr::Const(1)),
    ];
    let chosen = |n, address| {
        let mut arguments = with("b", |b| b.address = address);
        for (name, fact) in &mut arguments {
            if *name == "n" {
                *fact = Fact::Scalar(Scalar::Int(n));
            }
        }
        let plan = plan(&kernel, &arguments, None).expect("a variant fits");
        (
            plan.variant,
            plan.maps
                .first()
                .map(|map| (map.sizes.clone(), map.strides.clone())),
        )
    };
    assert_eq!(chosen(7, 0x2000_0000), (0, Some((vec![24, 4], vec![112]))));
    // Nothing, less than nothing, and what is nowhere have no map.
    assert_eq!(chosen(3, 0x2000_0000), (1, None));
    assert_eq!(chosen(1, 0x2000_0000), (1, None));
    assert_eq!(chosen(7, 0), (1, None));
}

/// A variant that is persistent.
fn persistent() -> Variant {
    Variant {
        turns: true,
        ..variant("turns", Vec::new())
    }
}

/// Blocks, the first program that is left over, and blocks for each.
fn launched(grid: [u32; 3], pair: Option<u32>, part_bytes: u32, on: (u32, u32)) -> (u32, u32, u32) {
    let variant = Variant {
        part_bytes,
        ..persistent()
    };
    let (resident, multiprocessors) = on;
    let persistent = Persistent::of(&variant, grid, pair, (resident, multiprocessors), 1);
    (persistent.blocks, persistent.first, persistent.spare)
}

#[test]
fn a_persistent_kernel_has_the_blocks_that_run_at_once() {
    let blocks = |grid, pair, on| launched(grid, pair, 0, on).0;
    assert_eq!(blocks([3, 2, 1], None, (1, 132)), 6);
    assert_eq!(blocks([32, 16, 1], None, (1, 132)), 132);
    assert_eq!(blocks([1 << 20, 1 << 10, 1], None, (2, 132)), 264);
    // Pairs have two blocks, the last of which may be without a program.
    assert_eq!(blocks([3, 2, 1], Some(0), (1, 132)), 8);
    assert_eq!(blocks([32, 16, 1], Some(1), (1, 133)), 132);
    assert_eq!(blocks([32, 16, 1], Some(0), (1, 1)), 2);
}

#[test]
fn programs_that_are_left_over_have_the_multiprocessors_that_are() {
    let shared = |grid, pair, on| launched(grid, pair, 1024, on);
    assert_eq!(shared([40, 20, 1], None, (1, 132)), (132, 792, 16));
    // Half as many pairs of programs on half as many pairs of blocks.
    assert_eq!(shared([40, 20, 1], Some(0), (1, 132)), (132, 396, 16));
    // Fewer programs than blocks are all left over, and have no more blocks than are worth it.
    assert_eq!(shared([3, 2, 1], None, (1, 132)), (96, 0, 22));
    assert_eq!(shared([3, 3, 1], Some(1), (1, 132)), (132, 0, 11));
    // Two blocks of a multiprocessor are no faster than one.
    assert_eq!(shared([8, 8, 1], None, (2, 132)), (264, 0, 2));
    assert_eq!(shared([10, 10, 1], None, (2, 132)), (100, 100, 0));
    // Nothing is left, or too much.
    assert_eq!(shared([132, 2, 1], None, (1, 132)), (132, 264, 0));
    assert_eq!(shared([100, 2, 1], None, (1, 132)), (132, 200, 0));
    // Programs in a row read from memory, which half of the multiprocessors keep busy.
    assert_eq!(shared([1, 64, 1], None, (2, 132)), (64, 64, 0));
    assert_eq!(shared([1, 16, 1], None, (2, 132)), (256, 0, 4));
    // Blocks that have counters.
    assert_eq!(shared([2, 1 << 11, 1], None, (1, 1 << 20)).0, 1 << 14);
}

#[test]
fn blocks_of_one_program_each_share_those_that_are_left_over() {
    let variant = Variant {
        part_bytes: 1024,
        ..variant("one", Vec::new())
    };
    assert!(variant.is_numbered());
    let shared = |grid, on: (u32, u32)| {
        let persistent = Persistent::of(&variant, grid, None, on, 1);
        let bytes = persistent.workspace_bytes(&variant);
        assert!(bytes == 0 || bytes > COUNTERS_BYTES);
        let parts = bytes.saturating_sub(COUNTERS_BYTES) / 1024;
        (persistent.blocks, persistent.first, persistent.spare, parts)
    };
    // 792 programs have a block each, and 8 may have 16.
    assert_eq!(
        shared([40, 20, 1], (1, 132)),
        (792 + 8 * 16, 792, 16, 8 * 16)
    );
    // Also where several blocks run on a multiprocessor, but no more than are worth it.
    assert_eq!(
        shared([40, 27, 1], (2, 132)),
        (1056 + 24 * 5, 1056, 5, 24 * 5)
    );
    assert_eq!(shared([3, 2, 1], (1, 132)), (6 * 16, 0, 22, 6 * 16));
    // Nothing is left, or too much: as many blocks as programs.
    assert_eq!(shared([132, 2, 1], (1, 132)), (264, 264, 0, 0));
    assert_eq!(shared([100, 2, 1], (1, 132)), (200, 200, 0, 0));
}

#[test]
fn programs_share_blocks_where_more_are_launched_than_run_at_once() {
    let variant = Variant {
        programs_per_block: 8,
        ..variant("one", Vec::new())
    };
    assert!(variant.is_numbered());
    let shared = |grid| {
        let persistent = Persistent::of(&variant, grid, None, (32, 132), 8);
        (persistent.blocks, persistent.programs_per_block)
    };
    // 4224 run at once.
    assert_eq!(shared([1, 1, 1]), (1, 1));
    assert_eq!(shared([4224, 1, 1]), (4224, 1));
    assert_eq!(shared([132, 64, 1]), (4224, 2));
    // The last block has one.
    assert_eq!(shared([8449, 1, 1]), (4225, 2));
    assert_eq!(shared([1 << 10, 1 << 10, 1 << 5]), (1 << 22, 8));
}

#[test]
fn blocks_have_as_many_programs_as_run_at_once() {
    // Registers for 504 threads of 64 each: 4 programs in one block, 6 in three, 7 alone.
    let most = |threads: u32, most: u32| {
        let resident = |count: u32| Ok::<_, ()>(Some((504 / (threads * count)).min(32)));
        most_per_block(most, resident)
    };
    assert_eq!(most(64, 4), Ok(1));
    // A multiprocessor holds 32 blocks.
    assert_eq!(most(8, 8), Ok(2));
    assert_eq!(most(7, 8), Ok(8));
    assert_eq!(most(1, 8), Ok(8));
    assert_eq!(most(64, 1), Ok(1));
    // Where nobody knows, as many as may.
    assert_eq!(most_per_block(8, |_| Ok::<_, ()>(None)), Ok(8));
}

/// What an entry point takes of a persistent kernel on 132 blocks: words, and an address.
fn given(grid: [u32; 3], pair: Option<u32>, variant: &Variant) -> Vec<u64> {
    let persistent = Persistent::of(variant, grid, pair, (1, 132), 1);
    let given = persistent.given(variant, 0x1234_5678_9abc);
    given.into_iter().map(|given| given.bits().0).collect()
}

/// The words that divide by these.
fn divide_by(divisors: &[u64]) -> Vec<u64> {
    let words = |divisor: &u64| {
        let Reciprocal { multiplier, shift } = Reciprocal::of(*divisor);
        [multiplier.into(), shift.into()]
    };
    divisors.iter().flat_map(words).collect()
}

#[test]
fn a_persistent_kernel_is_given_the_numbers_of_programs_and_what_divides_them() {
    let of = |group| Variant {
        group,
        ..persistent()
    };
    let expected =
        |grid: [u64; 3], divisors: [u64; 3]| [&grid[..], &divide_by(&divisors)[..]].concat();
    let found = given([40, 20, 2], None, &of(0));
    assert_eq!(found, expected([40, 20, 2], [800, 20 * 40, 40]));
    // The last group has 8 rows.
    let found = given([40, 20, 1], None, &of(16));
    assert_eq!(found, expected([40, 20, 1], [800, 320, 8]));
    let found = given([32, 20, 1], None, &of(16));
    assert_eq!(found, expected([32, 20, 1], [640, 320, 16]));
    // Of 21 pairs 8 are a group, and 5 are left.
    let found = given([41, 20, 1], Some(0), &of(16));
    assert_eq!(found, expected([41, 20, 1], [420, 160, 5]));
    let found = given([40, 21, 1], Some(1), &of(16));
    assert_eq!(found, expected([40, 21, 1], [440, 176, 8]));
    // Groups along axis 1.
    let along_y = Variant {
        group_axis: 1,
        ..of(16)
    };
    let found = given([20, 40, 1], None, &along_y);
    assert_eq!(found, expected([20, 40, 1], [800, 320, 8]));
    let found = given([20, 41, 1], Some(1), &along_y);
    assert_eq!(found, expected([20, 41, 1], [420, 160, 5]));
    let found = given([21, 40, 1], Some(0), &along_y);
    assert_eq!(found, expected([21, 40, 1], [440, 176, 8]));
}

#[test]
fn what_is_said_of_the_last_wave_follows_the_numbers_of_programs() {
    let mut of = Variant {
        part_bytes: 1024,
        ..persistent()
    };
    let found = given([40, 20, 1], None, &of);
    let expected = [&[792, 16], &divide_by(&[8])[..], &[0x1234_5678_9abc]].concat();
    assert_eq!(found[9..], expected);
    // Where blocks only count.
    (of.part_bytes, of.tickets) = (0, true);
    assert_eq!(given([40, 20, 1], None, &of)[9..], [0x1234_5678_9abc]);
}

#[test]
fn what_is_given_lies_between_arguments_and_maps() {
    let plan = plan(&with_maps(), &good(), None).expect("all is well");
    let list = [Given::Word(5), Given::Address(0x1234_5678_9abc)];
    let (buffer, offsets) = plan.parameters(&[[7; MAP_BYTES]], &list);
    assert_eq!(offsets[offsets.len() - 3..], [48, 56, 64]);
    assert_eq!(buffer[48..52], 5_u32.to_le_bytes());
    // At the next multiple of its size.
    assert_eq!(buffer[56..64], 0x1234_5678_9abc_u64.to_le_bytes());
    assert_eq!(buffer[64..], [7; MAP_BYTES]);
}

#[test]
fn reciprocals_give_every_quotient() {
    let quotient = |number: u64, divisor: u64| {
        let Reciprocal { multiplier, shift } = Reciprocal::of(divisor);
        (number * u64::from(multiplier)) >> shift
    };
    let most: u64 = 1 << 30;
    let divisors = (1..300).chain((0..31).flat_map(|bits| {
        let power: u64 = 1 << bits;
        [
            power.saturating_sub(1).max(1),
            power,
            power + 1,
            3 * power / 2 + 1,
        ]
    }));
    for divisor in divisors {
        // Around multiples a quotient is wrong first.
        let multiples = [1, 2, 3, 1000, most / divisor / 2, most / divisor];
        let near = multiples.map(|times| times * divisor);
        let numbers = near
            .into_iter()
            .flat_map(|at| [at.saturating_sub(1), at, at + 1]);
        for number in numbers
            .chain([0, 1, most - 1])
            .filter(|number| *number < most)
        {
            assert_eq!(
                quotient(number, divisor),
                number / divisor,
                "{number} / {divisor}"
            );
        }
    }
}

#[test]
fn programs_are_pairs_where_there_are_many_or_rows_do_not_begin_with_lines_of_the_cache() {
    let variant = Variant {
        pair: Some(Pair {
            axis: 1,
            maps: vec![1],
        }),
        ..variant("pairs", Vec::new())
    };
    let map = |address, pitch| MapValue {
        element: ElementType::F16,
        address,
        sizes: vec![5000, 5000],
        strides: vec![pitch],
        tile: vec![64, 128],
        swizzle: 128,
    };
    let pair = |grid, address, pitch| {
        persistent::pair(&variant, grid, &[map(16, 10_000), map(address, pitch)])
    };
    assert_eq!(pair([40, 20, 1], 0x1000, 10_000), Some(1));
    assert_eq!(pair([40, 20, 1], 0x1010, 8192), Some(1));
    assert_eq!(pair([40, 20, 1], 0x1000, 8192), None);
    // Where one would often be without a neighbour it stays alone.
    assert_eq!(pair([40, 1, 1], 0x1000, 10_000), None);
    assert_eq!(pair([40, 19, 1], 0x1000, 10_000), Some(1));
    // Many programs are pairs however their rows lie.
    assert_eq!(pair([64, 32, 1], 0x1000, 8192), Some(1));
    assert_eq!(pair([2048, 1, 1], 0x1000, 8192), None);
}

/// `matmul` with variants for tiles of 64 rows, which are the fastest for `m` = 100, and of 256 rows for
/// `m` = 10000; its own are for 1000.
fn tuned() -> Kernel {
    let mut kernel = matmul();
    let measured = |rows: i64, m: i64| Tuned {
        generics: BTreeMap::from([("BM".to_owned(), rows.to_string())]),
        grid: vec![
            SizeExpr::cdiv(SizeExpr::name("m"), SizeExpr::Const(rows)),
            SizeExpr::name("n"),
        ],
        promises: Vec::new(),
        sizes: vec![BTreeMap::from([("m".to_owned(), m), ("k".to_owned(), 80)])],
        exact: false,
    };
    kernel.variants[1].assumptions.clear();
    for variant in &mut kernel.variants {
        variant.tuned = Some(Tuned {
            generics: BTreeMap::new(),
            grid: Vec::new(),
            ..measured(128, 1000)
        });
    }
    for (rows, m) in [(64, 100), (256, 10_000)] {
        kernel.variants.push(Variant {
            tuned: Some(measured(rows, m)),
            ..variant(&format!("matmul__BM{rows}"), Vec::new())
        });
    }
    kernel
}

#[test]
fn the_variant_of_the_nearest_measured_sizes_runs() {
    let chosen = |kernel: &Kernel, m: usize| {
        let shape = [m, 80];
        let result = [m, 64];
        let mut arguments: [(&str, Fact<'_>); 6] =
            with("b", |b| (b.shape, b.strides) = (&[80, 64], &[64, 1]));
        for (name, fact) in &mut arguments {
            match (*name, fact) {
                ("a", Fact::Tensor(fact)) => (fact.shape, fact.strides) = (&shape, &[80, 1]),
                ("c", Fact::Tensor(fact)) => (fact.shape, fact.strides) = (&result, &[64, 1]),
                _ => {}
            }
        }
        let plan = plan(kernel, &arguments, None).expect("a variant fits");
        (kernel.variants[plan.variant].entry.clone(), plan.grid[0])
    };
    let kernel = tuned();
    let named = |entry: &str, programs| (entry.to_owned(), programs);
    assert_eq!(chosen(&kernel, 128), named("matmul__BM64", 2));
    assert_eq!(chosen(&kernel, 1024), named("matmul_16", 8));
    assert_eq!(chosen(&kernel, 8192), named("matmul__BM256", 32));
    // What is for some sizes alone is not for others.
    let mut exact = tuned();
    for variant in &mut exact.variants[2..] {
        variant.tuned.as_mut().expect("tuned").exact = true;
    }
    assert_eq!(chosen(&exact, 128), named("matmul_16", 1));
    assert_eq!(chosen(&exact, 100), named("matmul__BM64", 2));
    // A grid that is none leaves the launch to the next.
    let mut wrong = tuned();
    wrong.variants[2].tuned.as_mut().expect("tuned").grid = vec![SizeExpr::Const(-1)];
    assert_eq!(chosen(&wrong, 128), named("matmul_16", 1));
    // So does a measurement of other sizes.
    let mut other = tuned();
    let known = &mut other.variants[2].tuned.as_mut().expect("tuned").sizes[0];
    known.insert("q".to_owned(), 1);
    assert_eq!(chosen(&other, 128), named("matmul_16", 1));
}

#[test]
fn a_promise_that_does_not_hold_is_refused() {
    let at_most = |limit: i64| Promise {
        left: SizeExpr::name("m"),
        comparison: Comparison::LessEqual,
        right: SizeExpr::Const(limit),
    };
    let planned = |kernel: &Kernel| {
        let plan = plan(kernel, &good(), None);
        plan.map_or_else(
            |error| error.to_string(),
            |plan| kernel.variants[plan.variant].entry.clone(),
        )
    };
    let mut kernel = matmul();
    kernel.promises = vec![at_most(300)];
    assert_eq!(planned(&kernel), "matmul_16");
    kernel.promises.push(at_most(299));
    assert_eq!(
        planned(&kernel),
        "kernel `matmul` promises `m <= 299` (an `assume`), but `m` is 300"
    );
    kernel.generics = BTreeMap::from([("BM".to_owned(), "128".to_owned())]);
    assert_eq!(
        planned(&kernel),
        "kernel `matmul` promises `m <= 299` (an `assume`), but `m` is 300: compile it for other generics (`BM`), if \
         it depends on them"
    );
    // Without a program nothing gets to it.
    let usual = kernel.grid.replace(vec![SizeExpr::Const(0)]);
    assert_eq!(planned(&kernel), "matmul_16");
    // With other generics it promises something else.
    let mut kernel = tuned();
    kernel.grid = usual;
    kernel.promises = vec![at_most(299)];
    assert_eq!(planned(&kernel), "matmul__BM64");
    for variant in &mut kernel.variants[2..] {
        variant.tuned.as_mut().expect("tuned").promises = vec![at_most(100)];
    }
    let refused = planned(&kernel);
    assert!(refused.starts_with("no compiled variant"), "{refused}");
    assert!(
        refused.contains("matmul__BM64 relies on this: `m <= 100`; `m` is 300"),
        "{refused}"
    );
}
