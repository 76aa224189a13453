//! Every example at every stage, from tokens to PTX.

use tile_runtime::manifest::{Assumption, TensorMap, Variant};
use tile_tests::{EXAMPLES, Example, Program, root};
use tilec::backend::{llvm, manifest, nvidia};
use tilec::compile::{compile, lower};
use tilec::target::{DEFAULT, TARGETS, Target};

fn settings(folder: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tests/snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

fn target() -> &'static Target {
    Target::named(DEFAULT).expect("the default target exists")
}

/// The PTX users get, for a target.
fn ptx(example: &Example, target: &'static Target) -> String {
    let program = example.program();
    let kernel = program.kernel(example.kernel, example.usual);
    compile(&program.sources, &[kernel], target, example.file)
        .unwrap_or_else(|error| panic!("{}: {}", example.kernel, error.message))
        .ptx
}

/// The PTX of a kernel in a text.
fn ptx_of(kernel: &str, text: &str) -> String {
    let file = format!("{kernel}.tile");
    let program = Program::new(&file, text);
    let kernels = [program.kernel(kernel, &[])];
    compile(&program.sources, &kernels, target(), &file)
        .unwrap_or_else(|error| panic!("{}", error.message))
        .ptx
}

#[test]
fn text_becomes_tokens_and_trees() {
    for example in EXAMPLES {
        let program = example.program();
        let text = &program.sources.get(0).expect("the root file").text;
        let (tree, problems) = tilec::syntax::parse(0, text);
        assert!(problems.is_empty());
        let stem = example.file.trim_end_matches(".tile");
        settings("syntax").bind(|| {
            insta::assert_snapshot!(
                format!("{stem}_tokens"),
                tilec::syntax::print::tokens(&program.sources, 0)
            );
            insta::assert_snapshot!(format!("{stem}_ast"), tilec::syntax::print::ast(&tree));
        });
    }
}

/// Two products of one loop, of which the second needs what the first gives.
const ATTENTION: Example = Example {
    file: "06_attention.tile",
    kernel: "attention",
    small: &["D=16", "BM=64", "BN=16"],
    usual: &[],
    aligned: "",
};

#[test]
fn kernels_pass_every_stage() {
    for example in EXAMPLES.iter().chain([&ATTENTION]) {
        let program = example.program();
        let kernel = program.kernel(example.kernel, example.small);
        let context = tilec::dialect::context();
        // One variant is enough to read.
        let mut variants = manifest::default_variants(&kernel);
        variants.truncate(1);
        settings(&format!("stages/{}", example.kernel)).bind(|| {
            insta::assert_snapshot!("typed", kernel.to_string());
            let mut number = 0;
            let lowered = lower(
                &context,
                &program.sources,
                &kernel,
                target(),
                &variants,
                |stage, module| {
                    insta::assert_snapshot!(
                        format!("{number:02}_{stage}"),
                        tilec::dialect::print(module)
                    );
                    number += 1;
                    true
                },
            )
            .unwrap_or_else(|error| panic!("{}: {}", example.kernel, error.message));
            let code = llvm::compile(&lowered.module, target(), true)
                .unwrap_or_else(|error| panic!("{}: {}", example.kernel, error.message));
            insta::assert_snapshot!("llvm", code.llvm);
            let remarks: Vec<_> = lowered
                .remarks
                .iter()
                .map(|remark| {
                    let kind = if remark.is_missed() {
                        "missed"
                    } else {
                        "decided"
                    };
                    format!("{kind} [{}] {}", remark.pass(), remark.message())
                })
                .collect();
            insta::assert_snapshot!("remarks", remarks.join("\n"));
            // A pass that was added, renamed or taken away leaves no snapshot behind.
            let folder = root().join("tests/snapshots/stages").join(example.kernel);
            let files = std::fs::read_dir(&folder).expect("the snapshots").count();
            assert_eq!(files, number + 3, "snapshots in {}", folder.display());
        });
    }
}

#[test]
fn ptx_is_what_it_was_and_assembles() {
    for example in EXAMPLES {
        let ptx = ptx(example, target());
        let (_, resources) =
            nvidia::assemble(&ptx, DEFAULT).unwrap_or_else(|error| panic!("{error}"));
        let table: Vec<_> = resources
            .iter()
            .map(|entry| {
                format!(
                    "{}: {} registers, {} bytes spilled, {} bytes of stack, {} bytes of static shared memory",
                    entry.entry,
                    entry.registers,
                    entry.spill_bytes,
                    entry.stack_bytes,
                    entry.shared_bytes
                )
            })
            .collect();
        settings("ptx").bind(|| {
            insta::assert_snapshot!(example.kernel, ptx);
            insta::assert_snapshot!(format!("{}_resources", example.kernel), sorted(table));
        });
        for entry in &resources {
            assert_eq!(entry.spill_bytes, 0, "{} spills", entry.entry);
        }
    }
}

fn sorted(mut lines: Vec<String>) -> String {
    lines.sort();
    lines.join("\n")
}

#[test]
fn every_target_gets_ptx_that_assembles() {
    for target in TARGETS {
        for example in EXAMPLES {
            let ptx = ptx(example, target);
            assert!(ptx.contains(&format!(".target {}", target.name)));
            nvidia::assemble(&ptx, target.name)
                .unwrap_or_else(|error| panic!("{} for {}: {error}", example.kernel, target.name));
        }
    }
}

#[test]
fn fp8_assembles_for_every_target() {
    let text = "
        kernel convert(x: tensor<f8e5m2>[n], y: mut tensor<f8e4m3>[n]) grid(1) {
            store(y[0 +: 64], (load(x[0 +: 64]) as f32 * 2.0) as f8e4m3);
        }";
    let program = Program::new("convert.tile", text);
    let kernels = [program.kernel("convert", &[])];
    for target in TARGETS {
        let compiled = compile(&program.sources, &kernels, target, "convert.tile")
            .unwrap_or_else(|error| panic!("{}: {}", target.name, error.message));
        nvidia::assemble(&compiled.ptx, target.name)
            .unwrap_or_else(|error| panic!("for {}: {error}", target.name));
    }
}

/// Sums down the columns of a product are a reduce-scatter among the lanes that have its rows: 16, 8 and 4 of 32 results of a thread are exchanged, and of
/// the warps' results each thread reads those that it stores.
#[test]
fn sums_down_a_product_are_scattered() {
    let text = "
        kernel sums(a: tensor<f16>[64, 64], b: tensor<f16>[64, 128], y: mut tensor<f32>[128]) grid(1) {
            store(y[:], sum(dot(load(a[:, :]), load(b[:, :])), axis = 0));
        }";
    let ptx = ptx_of("sums", text);
    let general = ptx.find(".entry sums__general").unwrap_or(ptx.len());
    assert_eq!(ptx[..general].matches("shfl.sync.bfly").count(), 16 + 8 + 4);
}

/// Small products are those of one warp, without barriers, and of what they keep beside a loop that loads `ptxas` knows: no number of programs is asked for.
#[test]
fn small_products_are_of_one_warp() {
    let text = "
        kernel inverse(a: tensor<f32>[n, 16], y: mut tensor<f32>[n, 16]) grid(n / 16) {
            let (i, o) = (program_id(0) * 16, arange(0, 16));
            let mut x = load(a[i +: 16, :]);
            for j in range(2, 16) {
                let row = load(a[i + j, :]);
                x = where((o == j)[:, None], (row + sum(row[:, None] * x, axis = 0))[None, :], x);
            }
            store(y[i +: 16, :], dot(x, dot(x, x)));
        }";
    let ptx = ptx_of("inverse", text);
    let general = ptx.find(".entry inverse__").unwrap_or(ptx.len());
    let fast = &ptx[..general];
    assert!(fast.contains(".maxntid 32, 8\n.minnctapersm 1\n"), "{fast}");
    assert!(!fast.contains("bar.sync"), "{fast}");
}

/// Three programs share a multiprocessor where each has three buffers: one loads while two multiply.
#[test]
fn small_products_of_gathered_rows_leave_room_for_two_others() {
    let target = Target::named("sm_90a").expect("a target");
    let text = "
        kernel gathered(x: ptr<bf16>, rows: ptr<i32>, w: ptr<bf16>, y: mut ptr<f32>, k: i32) grid(1) {
            let (i, j, l) = (arange(0, 64), arange(0, 128), arange(0, 64));
            let row = load(rows + i);
            let places = load(rows + j);
            let mut acc = zeros([64, 128], f32);
            for at in range(0, k, 64) {
                let a = load(x + row[:, None] * k + (at + l)[None, :]);
                acc += dot(a, load(w + places[:, None] * k + (at + l)[None, :]).T);
            }
            store(y + i[:, None] * 128 + j[None, :], acc);
        }";
    let program = Program::new("gathered.tile", text);
    let kernel = program.kernel("gathered", &[]);
    let compiled = compile(&program.sources, &[kernel], target, "gathered.tile")
        .unwrap_or_else(|error| panic!("{}", error.message));
    let mut remarks = compiled.remarks.iter();
    let expected = "in 3 stages of 24576 bytes";
    let is_so = remarks.any(|remark| remark.message().contains(expected));
    assert!(is_so, "{:?}", compiled.remarks);
}

/// What is masked by the smaller of two bounds is loaded in vectors, if both are multiples of these.
#[test]
fn rows_up_to_the_smaller_bound_are_loaded_in_vectors() {
    let text = "
        kernel parts(x: ptr<f16>, y: mut ptr<f16>, count: i32, hidden: i32) grid(4, cdiv(hidden, 1024)) {
            let first = program_id(1) * 1024;
            let end = minimum((program_id(1) + 1) * 1024, hidden);
            let at = first + arange(0, 1024);
            let mut sum = zeros([1024], f32);
            for i in range(0, count) {
                sum += load(x + i as i64 * hidden as i64 + at as i64, mask = at < end, other = 0) as f32;
            }
            store(y + at as i64, sum as f16, mask = at < end);
        }";
    let ptx = ptx_of("parts", text);
    let entry = first_entry(&ptx);
    assert!(entry.contains(".global.v4.b32"), "{entry}");
    assert!(!entry.contains("ld.global.b16"), "{entry}");
}

/// A loop has no more buffers than its iterations fill.
#[test]
fn two_iterations_have_two_buffers() {
    let target = Target::named("sm_90a").expect("a target");
    for (columns, expected) in [(128, " in 2 stages"), (512, " in 4 stages")] {
        let text = format!(
            "kernel scaled(x: tensor<bf16>[16, {columns}], g: tensor<f32>[16, {columns}], y: mut tensor<f32>[16, 16]) grid(1) {{
                let mut acc = zeros([16, 16], f32);
                for k in range(0, {columns}, 64) {{
                    let a = load(x[:, k +: 64]) * load(g[:, k +: 64]);
                    acc += dot(a, a.T, precision = tf32);
                }}
                store(y[:, :], acc);
            }}"
        );
        let program = Program::new("scaled.tile", &text);
        let kernel = program.kernel("scaled", &[]);
        let compiled = compile(&program.sources, &[kernel], target, "scaled.tile")
            .unwrap_or_else(|error| panic!("{}", error.message));
        let mut remarks = compiled.remarks.iter();
        let is_so = remarks.any(|remark| remark.message().contains(expected));
        assert!(is_so, "{columns}: {:?}", compiled.remarks);
    }
}

/// What a product under a condition multiplies is loaded ahead, through pointers as well.
#[test]
fn what_is_loaded_under_a_condition_is_copied_ahead() {
    copies_ahead("conditional_loads.tile", "by_pointers", &[], 1);
}

/// Products of fp8 that leave no registers for the sums that they are added to are added in parts.
#[test]
fn large_products_of_fp8_are_added_in_parts() {
    let file = "fp8.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for (constants, in_parts) in [(&[][..], true), (&["BN=128"], false)] {
        let kernel = program.kernel("added", constants);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let decisions = &compiled.manifest.kernels[0].variants[0].decisions;
        let mut all = decisions.iter();
        let is_added = all.any(|text| text.contains("on fp8, whose sums are added in f32"));
        assert_eq!(is_added, in_parts, "{decisions:#?}");
    }
}

/// Products that are scaled before they are added up are turned as others are, so that what is computed for them stays in registers.
#[test]
fn products_that_are_scaled_are_turned() {
    let file = "computed_operands.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for constants in [&[][..], &["BM=16"]] {
        let kernel = program.kernel("scaled_after", constants);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let decisions = &compiled.manifest.kernels[0].variants[0].decisions;
        let is_turned = |text: &String| text.contains("the transposed product is computed instead");
        assert!(decisions.iter().any(is_turned), "{decisions:#?}");
    }
}

/// Threads that copy what a list names have the list from the iteration before: no copy of the loop waits for it.
#[test]
fn lists_come_before_the_iteration_that_copies_by_them() {
    let file = "indices.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let kernel = program.kernel("listed", &["H=16"]);
    let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
    let entry = first_entry(&compiled.ptx);
    let product = entry.find("mma.sync").expect("a product");
    let label = entry[..product].rfind("\n$L__BB").expect("a loop");
    let before_products = &entry[label..product];
    let copy = before_products.find("cp.async.c").expect("a copy");
    let list = before_products.find("ld.global").expect("a list");
    assert!(copy < list, "{before_products}");
}

/// Positions that a loop counts down are those of boxes, as if it counted up.
#[test]
fn what_is_counted_down_is_copied_in_boxes() {
    let program = Program::read(
        &root().join("tests/kernels/descending.tile"),
        "descending.tile",
    );
    for name in ["from_behind", "last_first", "moved_back", "what_is_left"] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), name)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let mut own = compiled
            .remarks
            .iter()
            .filter(|remark| remark.function == name);
        let is_ahead = own.any(|remark| remark.message().contains("iterations ahead by TMA"));
        assert!(is_ahead, "{name}: {:?}", compiled.remarks);
    }
}

/// What loops that follow each other load is computed before the first one, if there are registers for it: no more than leave room for a second program.
#[test]
fn loops_of_products_leave_room_for_a_second_program() {
    let programs = |taps: usize| {
        let text = format!(
            "kernel taps(x: ptr<f16>, list: ptr<i32>, w: ptr<f16>, y: mut ptr<f16>, n: i32) grid(cdiv(n, 128)) {{
                let (i, j, l) = (program_id(0) * 128 + arange(0, 128), arange(0, 128), arange(0, 64));
                let mut acc = zeros([128, 128], f32);
                static for r in range(0, {taps}) {{
                    let row = load(list + r * n + i, mask = i < n, other = 0);
                    for k in range(0, 256, 64) {{
                        let a = load(x + row[:, None] * 256 + (k + l)[None, :]);
                        acc = dot(a, load(w + (r * 256 + k + l)[:, None] * 128 + j[None, :]), acc);
                    }}
                }}
                store(y + i[:, None] * 128 + j[None, :], acc as f16, mask = (i < n)[:, None]);
            }}"
        );
        let ptx = ptx_of("taps", &text);
        let words = ptx.find(".entry taps__words(").expect("it copies words");
        let body = ptx[words..].find('{').expect("it has a body");
        ptx[words..words + body].contains(".minnctapersm 2")
    };
    assert!(programs(3) && !programs(1));
}

/// What is stored and multiplied is written to shared memory once: the threads that store it read it where the product does.
#[test]
fn what_is_stored_is_read_from_an_operand() {
    let barriers = |stored: &str| {
        let text = format!(
            "kernel it(x: tensor<f16>[64, 64], w: tensor<f16>[64, 64], y: mut tensor<f16>[64, 64], z: mut tensor<f32>[64, 64]) grid(1) {{
                let v = load(x[:, :]);
                let p = dot(v, load(w[:, :])) as f16;
                store(y[:, :], {stored});
                store(z[:, :], dot(v, p));
            }}"
        );
        let ptx = ptx_of("it", &text);
        let general = ptx.find(".entry it__general").unwrap_or(ptx.len());
        ptx[..general].matches("bar.sync").count()
    };
    assert!(barriers("p") < barriers("p + 1.0"));
}

/// Pointers that are neighbours along the columns of a right operand say as much as a transposed load, and so does what is computed and transposed.
#[test]
fn fp8_with_k_along_rows_is_multiplied_as_fp8() {
    let file = "fp8.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for name in ["named", "rounded", "codes"] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let [of_fp8, of_halves] = ["f32.e4m3.e4m3", "f32.f16.f16"].map(|types| {
            let products = compiled
                .ptx
                .lines()
                .filter(|line| line.contains("wgmma.mma_async"));
            products.filter(|line| line.contains(types)).count()
        });
        let found = format!("{name}: {of_fp8} and {of_halves}");
        assert!(of_fp8 > 0 && of_halves == 0, "{found}");
    }
}

#[test]
fn a_product_runs_on_tensor_cores() {
    let example = EXAMPLES.last().expect("the matmul");
    let expected: [(&str, &[&str]); 2] = [
        // Fragments are read as matrices, and loads go straight to shared memory.
        ("sm_80", &["HMMA.16816.F32", "LDSM.16", "LDGSTS"]),
        // Warpgroups multiply what TMA copies.
        ("sm_90a", &["HGMMA.64x128x16.F32", "UTMALDG"]),
    ];
    for (name, instructions) in expected {
        let target = Target::named(name).expect("a target");
        let (cubin, _) =
            nvidia::assemble(&ptx(example, target), name).unwrap_or_else(|error| panic!("{error}"));
        let sass = nvidia::disassemble(&cubin).unwrap_or_else(|error| panic!("{error}"));
        for instruction in instructions {
            assert!(
                sass.contains(instruction),
                "no {instruction} in the SASS for {name}"
            );
        }
    }
}

#[test]
fn a_loop_has_as_many_buffers_as_are_asked_for() {
    let text = "
        kernel product<const STAGES: i32 = 2>(a: tensor<f16>[m, k], b: tensor<f16>[k, n], c: mut tensor<f16>[m, n]) grid(1) {
            let mut acc = zeros([64, 64], f32);
            #[stages(STAGES)]
            for k0 in range(0, k, 64) {
                acc = dot(load(a[0 +: 64, k0 +: 64]), load(b[k0 +: 64, 0 +: 64]), acc);
            }
            store(c[0 +: 64, 0 +: 64], acc as f16);
        }";
    let program = Program::new("staged.tile", text);
    for name in ["sm_80", "sm_90a"] {
        let target = Target::named(name).expect("a target");
        let cases = [
            ("1", "loads wait in every iteration, as asked for"),
            ("2", "in 2 stages of 16384 bytes (as asked for)"),
            ("5", "in 5 stages of 16384 bytes (as asked for)"),
            (
                "16",
                "stages of 16384 bytes (16 were asked for, but do not fit)",
            ),
        ];
        for (stages, expected) in cases {
            let kernel = program.kernel("product", &[&format!("STAGES={stages}")]);
            let compiled = compile(&program.sources, &[kernel], target, "staged.tile")
                .unwrap_or_else(|error| panic!("{name}: {}", error.message));
            let mut remarks = compiled.remarks.iter();
            assert!(
                remarks.any(|remark| remark.message().contains(expected)),
                "{name}, {stages} stages: {:?}",
                compiled.remarks
            );
        }
    }
}

#[test]
fn a_loop_that_cannot_load_ahead_says_why() {
    let product = "acc = dot(load(a[0 +: 64, k0 +: 64]), load(b[k0 +: 64, 0 +: 64]), acc);";
    for (round, expected) in [
        (product.to_owned(), None),
        (
            format!("if k0 > m {{ break; }} {product}"),
            Some("whether there is another"),
        ),
        (format!("if k0 > m {{ {product} }}"), None),
    ] {
        let text = format!(
            "kernel product(a: tensor<f16>[m, k], b: tensor<f16>[k, n], c: mut tensor<f16>[m, n]) grid(1) {{
                let mut acc = zeros([64, 64], f32);
                for k0 in range(0, k, 64) {{ {round} }}
                store(c[0 +: 64, 0 +: 64], acc as f16);
            }}"
        );
        let kernel = Program::new("waits.tile", &text);
        let (sources, kernel) = (&kernel.sources, kernel.kernel("product", &[]));
        let compiled = compile(sources, &[kernel], target(), "waits.tile")
            .unwrap_or_else(|error| panic!("{round}: {}", error.message));
        let waits = compiled.remarks.iter().find(|remark| {
            remark.is_missed()
                && remark
                    .message()
                    .contains("loads of this loop wait in every iteration")
        });
        match expected {
            Some(why) => {
                assert!(
                    waits.is_some_and(
                        |remark| remark.message().contains(why) && remark.help().is_some()
                    ),
                    "{round}: {:?}",
                    compiled.remarks
                )
            }
            None => assert_eq!(waits, None),
        }
    }
}

#[test]
fn a_product_of_registers_is_said_to_end_in_its_round() {
    let text = "
        kernel product<T = i8>(a: tensor<T>[m, k], b: tensor<f16>[k, n], c: mut tensor<f16>[m, n]) grid(1) {
            let mut acc = zeros([64, 64], f32);
            for k0 in range(0, k, 64) {
                acc = dot(load(a[0 +: 64, k0 +: 64]) as f16, load(b[k0 +: 64, 0 +: 64]), acc);
            }
            store(c[0 +: 64, 0 +: 64], acc as f16);
        }";
    let program = Program::new("computed.tile", text);
    let target = Target::named("sm_90a").expect("a target");
    for (element, expected) in [
        ("f16", "products stay in flight into the next iteration"),
        ("i8", "so each product ends in its iteration"),
    ] {
        let kernel = program.kernel("product", &[&format!("T={element}")]);
        let compiled = compile(&program.sources, &[kernel], target, "computed.tile")
            .unwrap_or_else(|error| panic!("{element}: {}", error.message));
        let mut remarks = compiled.remarks.iter();
        assert!(
            remarks.any(|remark| remark.message().contains(expected)),
            "{element}: {:?}",
            compiled.remarks
        );
    }
}

/// What is fused with a product, in tiles of the sizes that are used.
const FUSED: [(&str, &[&str]); 19] = [
    ("linear", &["BM=128", "BN=256", "T=bf16"]),
    ("gelu", &["BM=128", "BN=128"]),
    ("residual", &["BM=128", "BN=256"]),
    ("in_place", &["BM=128", "BN=128"]),
    ("scaled", &["BN=128"]),
    ("scaled", &["BN=256"]),
    ("scaled", &["BM=64", "BN=64", "BK=256"]),
    ("scaled_fully", &["BN=128"]),
    ("scaled_fully", &["BN=192"]),
    ("block_scales", &["BM=128", "BN=128"]),
    ("mixed_left", &["BM=128", "BN=128"]),
    ("mixed_left", &["BM=128", "BN=256", "W=f8e4m3"]),
    ("mixed_right", &["BM=128", "BN=128"]),
    ("mixed_right", &["BM=128", "BN=256"]),
    ("eighths", &["BM=128", "BN=256"]),
    ("gated", &["BM=128", "BN=128"]),
    ("turned", &["BM=128", "BN=128"]),
    ("turned", &["BM=128", "BN=256"]),
    ("three", &[]),
];

#[test]
fn what_is_stored_goes_through_an_operand_where_there_is_no_room() {
    let path = root().join("tests/kernels/stationary.tile");
    let program = Program::read(&path, "stationary.tile");
    let kernel = program.kernel("little_room", &[]);
    let compiled = compile(&program.sources, &[kernel], target(), "stationary.tile");
    let compiled = compiled.unwrap_or_else(|error| panic!("{}", error.message));
    let decisions = &compiled.manifest.kernels[0].variants[0].decisions;
    let mut all = decisions.iter();
    assert!(
        all.any(|text| text.contains("results are stored through its buffer")),
        "{decisions:#?}"
    );
}

/// Scales and zeros that are loaded with both axes of what they scale come ahead as rows do.
#[test]
fn rows_with_both_axes_come_ahead() {
    let file = "flat_loads.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let kernel = program.kernel("packed", &[]);
    let compiled = compile(&program.sources, &[kernel], target(), file)
        .unwrap_or_else(|error| panic!("{}", error.message));
    let mut variants = compiled.manifest.kernels[0].variants.iter();
    let decisions = &variants
        .find(|variant| variant.entry.ends_with("__unit_rows"))
        .expect("one for narrow rows")
        .decisions;
    let mut all = decisions.iter();
    assert!(
        all.any(|text| text.contains("4 loads of this loop run 8 iterations ahead")),
        "{decisions:#?}"
    );
}

/// Factors of `f32` that are numbers of 16 bits or fewer are multiplied as those, and no other ones are.
#[test]
fn products_of_f32_that_16_bits_hold_run_on_tensor_cores() {
    let file = "narrow_products.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let cases = [
        ("wide", &["T=bf16"][..], Some("bf16.bf16")),
        ("wide", &["T=f16"], Some("f16.f16")),
        ("wide", &["T=f8e4m3"], Some("bf16.bf16")),
        ("mixed", &[], Some("bf16.bf16")),
        ("bytes", &[], Some("bf16.bf16")),
        ("masked", &[], Some("f16.f16")),
        ("used_again", &[], Some("bf16.bf16")),
        ("computed", &[], None),
        ("of_both", &[], None),
    ];
    for (name, bindings, expected) in cases {
        let kernel = program.kernel(name, bindings);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let first = first_entry(&compiled.ptx);
        match expected {
            Some(types) => {
                assert!(
                    first.contains(&format!(".f32.{types}")),
                    "{name} {bindings:?}"
                );
                // No more than a block is added up by tensor cores.
                assert!(first.contains("add.rn.f32"), "{name} {bindings:?}");
            }
            None => assert!(!first.contains("mma"), "{name}"),
        }
    }
}

/// Threads have two neighbours of a row, and four threads eight of them: where rows begin anywhere, whole pieces of them are stored,
/// or at least whole sectors.
#[test]
fn sums_are_stored_in_whole_sectors() {
    let file = "unaligned_products.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let cases = [
        ("by_columns", &["T=bf16", "O=f32"][..], "elements"),
        ("by_columns", &["T=bf16", "O=bf16"], "pieces"),
        ("somewhere", &[], "elements"),
        ("somewhere", &["O=bf16"], "elements"),
    ];
    for (name, bindings, expected) in cases {
        let kernel = program.kernel(name, bindings);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let general = compiled.ptx.split(".visible .entry ").last();
        let general = general.unwrap_or_default();
        let stored = match general.contains("], {%word0, %word1, %word2, %word3};") {
            true => "pieces",
            false => "elements",
        };
        assert_eq!(stored, expected, "{name} {bindings:?}");
        // Through shared memory, where only operands are otherwise.
        assert!(general.contains("st.shared"), "{name} {bindings:?}");
        // What is loaded lies in whole pieces more often than what is stored: it is copied by TMA then.
        let variants = &compiled.manifest.kernels[0].variants;
        let ragged = variants.iter().find(|one| one.entry.ends_with("__ragged"));
        let ragged = ragged.unwrap_or_else(|| panic!("{name} {bindings:?}"));
        let copied: Vec<_> = ragged.maps.iter().map(|map| map.of.as_str()).collect();
        assert!(
            copied.contains(&"a") && !copied.contains(&"c"),
            "{copied:?}"
        );
        let asked = |one: &str| {
            let mut all = ragged.assumptions.iter();
            all.any(|of| matches!(of, Assumption::Divisible { name, .. } if name == one))
        };
        assert!(asked("k") && !asked("n"), "{name} {bindings:?}");
    }
}

/// What loads and stores of every second or fourth element, or of channels side by side, become: so many accesses of vectors, and of single elements.
#[test]
fn accesses_that_take_turns_are_one() {
    let file = "interleaved.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let cases = [
        ("rotate", [2, 2], [2, 0]),
        ("complex", [8, 0], [4, 0]),
        ("swapped", [1, 0], [1, 0]),
        // Two rows of each of three, and what is before each.
        ("pool", [12, 0], [2, 0]),
        ("through", [0, 16], [0, 16]),
        ("one_of_two", [1, 0], [0, 2]),
    ];
    let mut found = Vec::new();
    for (name, ..) in cases {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let text = first_entry(&compiled.ptx);
        let count = |what: &str| text.matches(what).count();
        let of = |access: &str| {
            let vectors = count(&format!("{access}.global.v"));
            [vectors, count(&format!("{access}.global.b"))]
        };
        found.push((name, of("ld"), of("st")));
        assert_eq!(count("st.shared"), 0, "{name}");
    }
    assert_eq!(found, cases);
}

/// Positions that follow each other, and that loops move, with masks that say the bounds again, are boxes.
#[test]
fn a_product_of_positions_is_one_of_boxes() {
    for (file, name) in [("bounds.tile", "halves"), ("moving_tiles.tile", "product")] {
        let program = Program::read(&root().join("tests/kernels").join(file), file);
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let text = first_entry(&compiled.ptx);
        assert!(
            text.contains("cp.async.bulk.tensor") && text.contains("wgmma"),
            "{name}"
        );
        assert!(!text.contains("cp.async.cg"), "{name}");
    }
}

/// Pointers with rows, columns and masks are views, of which boxes are copied; sizes and strides are those of the arguments.
#[test]
fn pointers_with_rows_and_columns_are_views() {
    let file = "pointer_views.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let maps = |name: &str| {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let copies = first_entry(&compiled.ptx).contains("cp.async.bulk.tensor");
        let maps = &compiled.manifest.kernels[0].variants[0].maps;
        let dimensions = |map: &TensorMap| -> Vec<_> {
            let all = map.dimensions.iter();
            all.map(|one| format!("{} by {}", one.size, one.stride))
                .collect()
        };
        let all: Vec<_> = maps
            .iter()
            .map(|map| (map.of.clone(), dimensions(map)))
            .collect();
        assert_eq!(copies, !all.is_empty(), "{name}");
        all
    };
    let is = |of: &str, all: &[&str]| {
        (
            of.to_owned(),
            all.iter().map(|one| (*one).to_owned()).collect(),
        )
    };
    let product: [(String, Vec<String>); 2] = [
        is("a", &["m by sa", "k by 1"]),
        is("b", &["k by sb", "n by 1"]),
    ];
    assert_eq!(maps("product")[..2], product);
    let turned = [
        is("a", &["m by k", "k by 1"]),
        is("b", &["n by k", "k by 1"]),
    ];
    assert_eq!(maps("turned")[..2], turned);
    // What a mask does not bound has no end.
    let guarded = maps("guarded");
    assert_eq!(
        guarded[0],
        is("x", &["2147483647 by 64", "2147483647 by 1"])
    );
    assert!(maps("corner").is_empty());
    // Rows that are quotients of ranges are places of several elements, or one place.
    let of: Vec<_> = maps("packed").into_iter().map(|(of, _)| of).collect();
    assert_eq!(of, ["scales", "a"]);
    // What the offsets begin with is what the loop begins with.
    assert!(maps("part_of_k").contains(&is("b", &["k by n", "n by 1"])));
}

/// Rows that wrap around are bounded where all stores leave them out, and wrap where one of them is seen.
#[test]
fn rows_that_wrap_around_unseen_are_boxes() {
    let file = "wrapped.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for (name, is_box) in [
        ("product", true),
        ("views", true),
        ("all_rows", false),
        ("sums", false),
        ("along_k", false),
        ("other_end", false),
        ("first_row", true),
        ("last_row", true),
        ("other_row", false),
    ] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let maps = &compiled.manifest.kernels[0].variants[0].maps;
        assert_eq!(maps.iter().any(|map| map.of == "a"), is_box, "{name}");
    }
    // A loop over tiles may count what wraps around, and atomic accesses may leave it out.
    for name in ["persistent", "split_k", "stored_far"] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let all = &compiled.manifest.kernels[0].variants;
        let unit = all
            .iter()
            .find(|variant| variant.entry.ends_with("__unit"))
            .expect("strides may be 1");
        let of: Vec<_> = unit.maps.iter().map(|map| map.of.as_str()).collect();
        assert_eq!(of, ["a", "b"], "{name}");
    }
}

/// Each iteration of a loop over programs is a program, unless it depends on others, or something else is asked of a program.
#[test]
fn independent_iterations_are_programs() {
    let file = "programs.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let grid = |name: &str| -> Vec<String> {
        let grid = program.kernel(name, &[]).grid.expect("it has one");
        grid.iter().map(ToString::to_string).collect()
    };
    let at_most = "min(max(cdiv(n, 64), 0), programs * 2147483648)";
    assert_eq!(grid("doubled"), [at_most]);
    assert_eq!(grid("rows"), ["m"]);
    assert_eq!(grid("blocks"), ["m"]);
    assert_eq!(grid("pairs"), ["m", "k"]);
    assert_eq!(grid("first_rows"), ["max(rows, 0)"]);
    for name in [
        "before",
        "by_program",
        "behind",
        "until",
        "others",
        "weighted",
        "added",
    ] {
        assert_eq!(grid(name), ["3"], "{name}");
    }
    assert_eq!(grid("carried"), ["k"]);
}

/// What a persistent kernel counts a second time is the same number, so that rows which it leaves out are rows that its loads leave out.
#[test]
fn tiles_that_are_counted_twice_are_loaded_in_boxes() {
    let file = "wrapped.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let kernel = program.kernel("counted_twice", &[]);
    let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
    let variants = &compiled.manifest.kernels[0].variants;
    let unit = variants.iter().find(|one| one.entry.ends_with("__unit"));
    let maps = &unit.expect("one for dense rows").maps;
    let copied = |of: &str| maps.iter().any(|map| map.of == of);
    assert!(copied("a") && copied("b"), "{maps:?}");
}

/// Where addresses are more than a thread has registers for, no pointer is kept for each.
#[test]
fn many_addresses_that_lie_apart_have_no_pointers() {
    let file = "memory.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let kernel = program.kernel("scaled_apart", &[]);
    let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
    // Those that a loop moves: `add.s64 %rd7, %rd7, %rd3;`.
    let is_moved = |line: &&str| {
        let parts = line.trim().strip_prefix("add.s64").unwrap_or_default();
        let mut parts = parts.trim().split(", ");
        parts
            .next()
            .is_some_and(|to| !to.is_empty() && parts.next() == Some(to))
    };
    let moved = compiled.ptx.lines().filter(is_moved).count();
    assert!(moved < 64, "{moved}");
}

/// A launch says which strides are 1: the last ones, or that of a pointer before it, of an operand or of what is stored.
#[test]
fn strides_that_are_one_have_variants() {
    let file = "unit_strides.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let variants = |name: &str| {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        compiled.manifest.kernels[0].variants.clone()
    };
    let ones = |variant: &Variant| -> Vec<String> {
        let all = variant.assumptions.iter().filter_map(|one| match one {
            Assumption::Within {
                value,
                least: 1,
                most: 1,
            } => Some(value.to_string()),
            _ => None,
        });
        all.collect()
    };
    let product = variants("matmul");
    assert_eq!(ones(&product[1]), ["ak", "bn", "cn"]);
    assert_eq!(ones(&product[2]), ["ak", "bk", "cn"]);
    assert_eq!(ones(&product[3]), ["am", "bn", "cn"]);
    assert_eq!(ones(&product[4]), ["ak", "bn", "cm"]);
    assert!(product[1].narrow && !product[0].narrow);
    let long = variants("long");
    assert_eq!(ones(&long[1]), ["ak", "bn", "cn"]);
    let is_copied = |of: &str| long[1].maps.iter().any(|map| map.of == of);
    assert!(is_copied("a") && is_copied("b"));
    let attention = variants("attention");
    assert_eq!(attention[2].entry, "attention__unit_right");
    assert_eq!(ones(&attention[1]), ["qk", "kk", "vk", "on"]);
    assert_eq!(ones(&attention[2]), ["qk", "kn", "vk", "on"]);
    let keys = attention[1]
        .maps
        .iter()
        .find(|map| map.of == "k")
        .expect("copied by TMA");
    assert_eq!(
        keys.dimensions.last().map(|last| last.stride.to_string()),
        Some("1".to_owned())
    );
    assert_eq!(ones(&variants("row")[1]), ["step"]);
    let weighted = variants("weighted");
    assert_eq!(ones(&weighted[1]), ["sxc", "sw"]);
    assert_eq!(ones(&weighted[2]), ["sxr", "sw"]);
    assert_eq!(weighted[2].entry, "weighted__unit_loaded");
    assert_eq!(ones(&variants("adapters")[1]), ["xh", "wh", "oh"]);
    // Rows of scales ask for nothing, nor does how many there are.
    let scaled = variants("scaled");
    assert_eq!(ones(&scaled[2]), ["sak", "sbk", "scn"]);
    let asks = |variant: &Variant, of: &str| {
        let mut all = variant.assumptions.iter();
        all.any(|one| matches!(one, Assumption::Divisible { name, .. } if name == of))
    };
    assert!(!asks(&scaled[2], "m") && asks(&scaled[2], "k"));
    assert_eq!(ones(&variants("gradients")[1]), ["sd"]);
}

/// Boxes of several dimensions come as matrices, by TMA.
#[test]
fn boxes_of_pixels_are_multiplied_as_matrices() {
    let file = "boxes_of_rows.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for name in ["convolution", "padded"] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
        let maps = &compiled.manifest.kernels[0].variants[0].maps;
        let of_image = maps.iter().find(|map| map.of == "x").expect("a map");
        assert_eq!(of_image.tile, [1, 4, 16, 64], "{name}");
        let text = first_entry(&compiled.ptx);
        assert!(text.contains("cp.async.bulk.tensor.4d"), "{name}");
        assert!(!text.contains("cp.async.cg"), "{name}");
    }
}

/// Products that `static for` writes out are in a loop, once in it and once before it, where all of them have no room.
#[test]
fn products_that_are_written_out_become_loops() {
    let file = "reroll.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let cases = [
        ("along_k", 8),
        ("sums", 8),
        ("window", 8),
        ("irregular", 16),
        ("written", 32),
    ];
    for (name, products) in cases {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let text = first_entry(&compiled.ptx);
        assert_eq!(text.matches("wgmma.mma_async").count(), products, "{name}");
    }
}

/// What threads copy themselves is started while the products of the iteration run.
#[test]
fn products_run_while_threads_copy() {
    let file = "pipelines.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let kernel = program.kernel("in_any_order", &[]);
    let compiled = compile(&program.sources, &[kernel], target(), file).expect("it compiles");
    assert_eq!(compiled.manifest.kernels[0].variants[0].threads, 256);
    let text = first_entry(&compiled.ptx);
    let from = text.find("wgmma.commit_group").expect("products");
    let behind = &text[from..];
    let until = behind.find("wgmma.wait_group").expect("a wait");
    assert_eq!(behind[..until].matches("cp.async.cg").count(), 8);
}

#[test]
fn fused_products_keep_warpgroups_and_boxes() {
    let path = root().join("tests/kernels/fused.tile");
    let program = Program::read(&path, "fused.tile");
    for (name, bindings) in FUSED {
        let kernel = program.kernel(name, bindings);
        let compiled = compile(&program.sources, &[kernel], target(), "fused.tile")
            .unwrap_or_else(|error| panic!("{name} {bindings:?}: {}", error.message));
        let entry = &compiled.manifest.kernels[0].variants[0].entry;
        let mut texts = compiled.ptx.split(".visible .entry ");
        let own = texts.find(|text| text.starts_with(&format!("{entry}(")));
        let text = own.unwrap_or_default();
        for instruction in ["wgmma.mma_async", "cp.async.bulk.tensor"] {
            assert!(
                text.contains(instruction),
                "{name} {bindings:?}: no {instruction}"
            );
        }
        assert!(!text.contains("mma.sync"), "{name} {bindings:?}");
        let (_, resources) = nvidia::assemble(&compiled.ptx, DEFAULT)
            .unwrap_or_else(|error| panic!("{name} {bindings:?}: {error}"));
        let own = resources.iter().find(|resources| resources.entry == *entry);
        let clean = own.is_some_and(|own| own.spill_bytes == 0 && !own.serialised);
        assert!(clean, "{name} {bindings:?}: {own:?}");
    }
}

#[test]
fn programs_that_begin_with_the_last_one_store_by_tma() {
    let stores = |begin: &str| {
        let text = format!(
            "kernel product(a: tensor<f16>[m, 256], b: tensor<f16>[256, 128], c: mut tensor<f16>[m, 128])
             grid(cdiv(m, 128), 2) {{
                 let i = ({begin}) * 128;
                 let mut acc = zeros([128, 128], f32);
                 for k in range(0, 256, 64) {{
                     acc = dot(load(a[i +: 128, k +: 64]), load(b[k +: 64, :]), acc);
                 }}
                 store(c[i +: 128, :], acc as f16);
             }}"
        );
        let program = Program::new("product.tile", &text);
        let kernel = program.kernel("product", &[]);
        let compiled = compile(&program.sources, &[kernel], target(), "product.tile")
            .unwrap_or_else(|error| panic!("{begin}: {}", error.message));
        compiled
            .ptx
            .contains("cp.async.bulk.tensor.2d.global.shared")
    };
    assert!(stores("program_id(0)"));
    assert!(stores("cdiv(m as i32, 128) - 1 - program_id(0)"));
    assert!(stores("cdiv(m as i32, 128) - program_id(0) - 1"));
    assert!(stores("num_programs(0) - 1 - program_id(0)"));
    // A store by TMA may not begin before its tensor, as these may.
    assert!(!stores("cdiv(m as i32, 128) - 2 - program_id(0)"));
    assert!(!stores("cdiv(m as i32, 256) - 1 - program_id(0)"));
    assert!(!stores("cdiv(m as i32, 128) - 1 - program_id(1)"));
    assert!(!stores("num_programs(1) - 1 - program_id(0)"));
}

#[test]
fn programs_that_differ_in_length_are_given_out_as_blocks_ask() {
    let takes = |file: &str, name: &str| {
        let path = root().join(file);
        let program = Program::read(&path, file);
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let text = |entry: &str| {
            let mut entries = compiled.ptx.split(".visible .entry ");
            entries.find(|text| text.starts_with(&format!("{entry}(")))
        };
        let variants = &compiled.manifest.kernels[0].variants;
        for variant in variants {
            let own = text(&variant.entry).unwrap_or_default();
            let counts = own.contains("atom.relaxed.gpu.global.inc");
            assert_eq!(counts, variant.tickets, "{}", variant.entry);
        }
        variants[0].tickets
    };
    assert!(takes(
        "lang-examples/26_attention_varlen.tile",
        "attention_varlen"
    ));
    // One thread copies, and all of the producer's.
    assert!(takes("tests/kernels/loops.tile", "paged"));
    assert!(takes("benches/kernels/loops.tile", "paged_prefill"));
    // Whose programs differ as their numbers say, along the first axis or another one.
    assert!(takes("tests/kernels/tile_scheduler.tile", "along_another"));
    assert!(takes("benches/kernels/loops.tile", "latent_prefill"));
    // Whose programs are alike.
    assert!(!takes("tests/kernels/loops.tile", "rows"));
}

#[test]
fn rows_beside_products_are_copied_by_tma() {
    let path = root().join("tests/kernels/warpgroups.tile");
    let program = Program::read(&path, "warpgroups.tile");
    let kernel = program.kernel("nearest", &[]);
    let compiled = compile(&program.sources, &[kernel], target(), "warpgroups.tile")
        .unwrap_or_else(|error| panic!("{}", error.message));
    let entry = &compiled.manifest.kernels[0].variants[0].entry;
    let mut texts = compiled.ptx.split(".visible .entry ");
    let own = texts.find(|text| text.starts_with(&format!("{entry}(")));
    let text = own.unwrap_or_default();
    assert!(text.contains("cp.async.bulk.tensor.1d"), "the row");
    // Nothing is left for threads to copy, so one warp issues all.
    assert!(!text.contains("cp.async.c"), "pieces");
}

#[test]
fn what_lists_name_is_copied_ahead() {
    // Of a list from before the loop two tiles, their scales, and one for all; of pages keys and values.
    copies_ahead("indices.tile", "scaled", &[], 3);
    copies_ahead("indices.tile", "paged", &[], 2);
}

#[test]
fn a_mask_in_memory_is_read_where_the_product_is() {
    copies_ahead("masks.tile", "pairs", &["BM=128"], 3);
}

/// Checks that a kernel's loop copies so many tiles and rows ahead, and brings none through shared memory in an iteration.
fn copies_ahead(file: &str, kernel: &str, constants: &[&str], loads: usize) {
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let kernel = program.kernel(kernel, constants);
    let compiled = compile(&program.sources, &[kernel], target(), file)
        .unwrap_or_else(|error| panic!("{}", error.message));
    let variant = &compiled.manifest.kernels[0].variants[0].entry;
    let own = compiled
        .remarks
        .iter()
        .filter(|remark| &remark.function == variant);
    let messages: Vec<_> = own.map(|remark| remark.message()).collect();
    let any = |text: &str| messages.iter().any(|message| message.contains(text));
    let ahead = match loads {
        1 => "1 load of this loop runs".to_owned(),
        _ => format!("{loads} loads of this loop run"),
    };
    assert!(any(&ahead), "{messages:?}");
    let trip = "goes through shared memory in each iteration";
    assert!(!any(trip), "{messages:?}");
}

#[test]
fn tiles_of_several_sizes_stay_in_one_layout() {
    let target = Target::named("sm_90a").expect("a target");
    let program = Program::read(
        &root().join("tests/kernels/elementwise.tile"),
        "elementwise.tile",
    );
    let kernel = program.kernel("several_sizes", &[]);
    let compiled = compile(&program.sources, &[kernel], target, "several_sizes")
        .unwrap_or_else(|error| panic!("{}", error.message));
    assert!(!compiled.ptx.contains(".shared"), "{}", compiled.ptx);
    assert!(!compiled.ptx.contains("shfl"), "{}", compiled.ptx);
}

#[test]
fn what_a_loop_carries_and_reduces_has_few_warps_unless_they_need_not_wait() {
    let target = Target::named("sm_90a").expect("a target");
    for (name, bindings, threads) in [
        ("delta_rule", &["BV=32"][..], ".maxntid 32, 8"),
        ("delta_rule", &["K=128"], ".reqntid 128"),
        ("selective", &[], ".reqntid 64"),
        ("selective", &["BD=128"], ".reqntid 128"),
    ] {
        let program = Program::read(&root().join("tests/kernels/loops.tile"), "loops.tile");
        let kernel = program.kernel(name, bindings);
        let compiled = compile(&program.sources, &[kernel], target, name)
            .unwrap_or_else(|error| panic!("{name} {bindings:?}: {}", error.message));
        let given = compiled.ptx.lines().find(|line| line.contains("ntid "));
        assert_eq!(given, Some(threads), "{name} {bindings:?}");
    }
}

#[test]
fn products_of_192_rows_that_wait_for_each_other_have_three_warpgroups() {
    let target = Target::named("sm_90a").expect("a target");
    let (name, bindings) = (
        "06_attention.tile",
        &["T=bf16", "D=64", "BM=192", "BN=128"][..],
    );
    let program = Program::read(&root().join("lang-examples").join(name), name);
    let kernel = program.kernel("attention", bindings);
    let compiled = compile(&program.sources, &[kernel], target, name)
        .unwrap_or_else(|error| panic!("{name} {bindings:?}: {}", error.message));
    let first = first_entry(&compiled.ptx);
    // Three that compute, with as many registers as there are, and one that copies.
    for line in [
        ".reqntid 512",
        "setmaxnreg.dec.sync.aligned.u32 32;",
        "setmaxnreg.inc.sync.aligned.u32 160;",
    ] {
        assert!(first.contains(line), "no {line} in {name} {bindings:?}");
    }
    let overlaps = |text: &str| text.contains("products of this loop overlap with its arithmetic");
    assert!(overlaps(&compiled.ptx), "nothing overlaps in {bindings:?}");
    // Their products start in turn: the one before the loop, in iterations that need no mask, and in others.
    assert_eq!(first.matches("bar.sync %r").count(), 3);
    // The queries of the next program come while those of this one are read.
    let queries = "mbarrier.init.shared::cta.b64 [%r";
    let each_warp = format!("+8], {};", 192 / 16);
    let inits = first.lines().filter(|line| line.starts_with(queries));
    assert_eq!(inits.filter(|line| line.ends_with(&each_warp)).count(), 2);
}

/// Where a mask of values holds everywhere, they are waited for behind the product before theirs, as they are without a mask.
#[test]
fn masks_that_hold_everywhere_wait_for_nothing() {
    let target = Target::named("sm_90a").expect("a target");
    let name = "lang-examples/26_attention_varlen.tile";
    let program = Program::open(&root().join(name));
    let bindings = ["T=bf16", "D=128", "BM=128", "BN=128"];
    let kernel = program.kernel("attention_varlen", &bindings);
    let compiled = compile(&program.sources, &[kernel], target, name)
        .unwrap_or_else(|error| panic!("{name}: {}", error.message));
    // Waits for copies, and the instructions of a product.
    let mut steps = Vec::new();
    for line in first_entry(&compiled.ptx).lines() {
        let waits = line.contains("mbarrier.try_wait");
        if waits || line.contains("wgmma.mma_async") {
            steps.push(waits);
        }
    }
    // The loop that needs no mask: keys, their product, values, their product.
    steps.dedup_by(|one, other| !*one && !*other);
    let own = [false, true, false, true, false];
    assert!(
        steps.windows(own.len()).any(|some| some == own),
        "{steps:?}"
    );
}

#[test]
fn two_warpgroups_do_not_wait_for_each_other_to_store_rows() {
    let target = Target::named("sm_90a").expect("a target");
    let name = "06_attention.tile";
    let program = Program::read(&root().join("lang-examples").join(name), name);
    let kernel = program.kernel("attention", &["T=bf16", "D=64", "BM=128", "BN=128"]);
    let compiled = compile(&program.sources, &[kernel], target, name)
        .unwrap_or_else(|error| panic!("{name}: {}", error.message));
    let first = first_entry(&compiled.ptx);
    // Where all threads have begun, and in turn.
    assert_eq!(first.matches("bar.sync \t0;").count(), 1);
    assert!(!first.contains("bar.sync \t1,"), "warpgroups wait to store");
    assert!(
        !first.contains("st.shared"),
        "rows go through shared memory"
    );
}

#[test]
fn products_of_warps_begin_with_fragments_that_were_read_before() {
    let sm_80 = Target::named("sm_80").expect("a target");
    for (file, name, bindings) in [
        ("dots.tile", "product", &["BM=128", "BN=128", "BK=64"][..]),
        ("dots.tile", "product", &["T=bf16", "BM=256", "BN=128"]),
        ("words.tile", "by_columns", &["T=i8", "O=i32", "S=i32"]),
    ] {
        let program = Program::read(&root().join("tests/kernels").join(file), file);
        let kernel = program.kernel(name, bindings);
        let compiled = compile(&program.sources, &[kernel], sm_80, file)
            .unwrap_or_else(|error| panic!("{name} {bindings:?}: {}", error.message));
        let variant = &compiled.manifest.kernels[0].variants[0];
        let mut texts = compiled.ptx.split(".visible .entry ");
        let own = texts.find(|text| text.starts_with(&format!("{}(", variant.entry)));
        let text = own.unwrap_or_default();
        // The loop's barrier stands between its products, the last of which start copies.
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        let last = |what: &str| lines.iter().rposition(|line| line.contains(what));
        let first = lines.iter().position(|line| line.starts_with("mma.sync"));
        let barrier = lines[first.unwrap_or(0)..]
            .iter()
            .position(|line| line.starts_with("bar.sync"))
            .map(|at| at + first.unwrap_or(0));
        let reads = barrier.is_some_and(|barrier| {
            let after = &lines[barrier..last("mma.sync").unwrap_or(barrier)];
            ["ldmatrix", "cp.async.cg"]
                .iter()
                .all(|what| after.iter().any(|line| line.contains(what)))
        });
        assert!(reads, "{name} {bindings:?}:\n{text}");
        let (_, resources) = nvidia::assemble(&compiled.ptx, "sm_80")
            .unwrap_or_else(|error| panic!("{name} {bindings:?}: {error}"));
        let own = resources
            .iter()
            .find(|resources| resources.entry == variant.entry);
        assert!(
            own.is_some_and(|own| own.spill_bytes == 0),
            "{name} {bindings:?}: {own:?}"
        );
    }
}

/// A product with something done to its operand and to its sums.
fn product(operand: &str, rows: u32, result: &str) -> String {
    let text = format!(
        "kernel product(a: tensor<i8>[m, k], b: tensor<f16>[k, n], c: mut tensor<f32>[m, n]) grid(cdiv(m, {rows}), cdiv(n, 128)) {{
            let (i, j) = (program_id(0) * {rows}, program_id(1) * 128);
            let mut x = zeros([{rows}, 128], f32);
            for at in range(0, k, 64) {{
                x = dot(load(a[i +: {rows}, at +: 64]) as {operand}, load(b[at +: 64, j +: 128]) as {operand}, x);
            }}
            store(c[i +: {rows}, j +: 128], {result});
        }}"
    );
    let program = Program::new("product.tile", &text);
    let kernel = program.kernel("product", &[]);
    compile(&program.sources, &[kernel], target(), "product.tile")
        .unwrap_or_else(|error| panic!("{}", error.message))
        .ptx
}

/// The first entry point of a file.
fn first_entry(ptx: &str) -> &str {
    ptx.split(".visible .entry ").nth(1).unwrap_or_default()
}

/// Eight elements have a byte in common, of which each thread has those of two: at a mask that differs within a byte all are asked for.
#[test]
fn what_several_elements_have_in_one_place_is_loaded_once() {
    let file = "one_place.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for (name, loads) in [("bits", 2), ("in_loop", 1), ("masked", 8)] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let found = first_entry(&compiled.ptx).matches("ld.global.b8").count();
        assert_eq!(found, loads, "{name}");
    }
}

/// What no launch could fulfil is not asked, nor more than accesses have a use for.
#[test]
fn launches_are_asked_what_they_may_fulfil_and_accesses_use() {
    let variant = |file: &str, name: &str| {
        let program = Program::read(&root().join("tests/kernels").join(file), file);
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        compiled.manifest.kernels[0].variants[0].clone()
    };
    let is_range = |one: &&Assumption| matches!(one, Assumption::Within { .. });
    let constant = variant("quotients.tile", "of_a_constant");
    assert!(!constant.assumptions.iter().any(|one| is_range(&one)));
    // No name is a size of more than 32 bits here, so each range can be looked at.
    let few = variant("pointer_views.tile", "few_of_a_block");
    for one in few.assumptions.iter().filter(is_range) {
        let Assumption::Within { value, least, most } = one else {
            continue;
        };
        let any = |_: &str| Some((0, 1 << 16));
        let (from, to) = value.range(&any).expect("it has a range");
        assert!(from <= *most && *least <= to, "{one:?}");
    }
    let packed = variant("pointer_views.tile", "packed_rows");
    let divisors = packed.assumptions.iter().filter_map(|one| match one {
        Assumption::Divisible { name, by } => Some((name.as_str(), *by)),
        _ => None,
    });
    assert_eq!(divisors.collect::<Vec<_>>(), [("row", 4)]);
}

/// A float is rounded by the instruction that makes an integer of it, and two of 16 bits are added by one.
#[test]
fn one_instruction_rounds_and_converts_or_adds_two() {
    let texts = |file: &str, name: &str| {
        let program = Program::read(&root().join("tests/kernels").join(file), file);
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file);
        compiled
            .unwrap_or_else(|error| panic!("{}", error.message))
            .ptx
    };
    let rounded = texts("casts.tile", "rounded");
    for (what, is_there) in [
        ("cvt.rni.s8.f32", true),
        ("cvt.rmi.u16.f32", true),
        ("cvt.rpi.s32.f32", true),
        ("cvt.rni.f32.f32", false),
    ] {
        assert_eq!(rounded.contains(what), is_there, "{what}");
    }
    let halves = texts("elementwise.tile", "halves");
    for what in ["add.rn", "sub.rn", "mul.rn", "max", "min"] {
        assert!(
            halves.contains(&format!("{what}.bf16x2")),
            "{what}: {halves}"
        );
    }
}

/// A scan stays where its rows were loaded, if no other warp has a part of them.
#[test]
fn scans_of_rows_stay_where_they_were_loaded() {
    let file = "scans.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for name in ["running_columns", "in_segments"] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        assert_eq!(compiled.ptx.matches("st.shared").count(), 0, "{name}");
    }
}

/// Of nine loads of 16 x 64 on four warps, whose threads have four columns of two rows: four rows, each with a vector and the elements beside it.
#[test]
fn what_a_thread_has_of_loads_that_overlap_is_not_loaded_again() {
    let file = "windows.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for (name, vectors, singles) in [("blur", 4, 8), ("causal", 6, 0), ("in_place", 0, 16)] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let text = first_entry(&compiled.ptx);
        let count = |what| text.matches(what).count();
        assert_eq!(
            (count("ld.global.v"), count("ld.global.b")),
            (vectors, singles),
            "{name}"
        );
    }
}

#[test]
fn warpgroups_that_compute_what_they_multiply_do_so_in_turn() {
    let waits = |operand, rows| {
        let ptx = product(operand, rows, "x");
        let text = first_entry(&ptx);
        let count = |what| text.matches(what).count();
        assert!(count("wgmma.mma_async") > 0);
        (
            count("bar.arrive"),
            count("bar.sync \t%") + count("bar.sync %"),
        )
    };
    // The last one begins, and each passes its turn on.
    assert_eq!(waits("f16", 128), (2, 1));
    // One alone waits for nobody.
    assert_eq!(waits("f16", 64), (0, 0));
}

#[test]
fn blocks_of_a_pair_meet_without_a_fence_of_the_whole_gpu() {
    let file = "fused.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    let kernel = program.kernel("linear", &["BM=128", "BN=128"]);
    let ptx = compile(&program.sources, &[kernel], target(), file)
        .unwrap_or_else(|error| panic!("{}", error.message))
        .ptx;
    let text = first_entry(&ptx);
    assert!(text.contains("multicast::cluster"));
    let arrivals = text.matches("barrier.cluster.arrive").count();
    let relaxed = text.matches("barrier.cluster.arrive.relaxed").count();
    assert_eq!((arrivals, relaxed), (1, 1));
}

#[test]
fn a_reciprocal_of_what_is_near_one_has_no_branch() {
    let divides = |result| {
        let ptx = product("f16", 64, result);
        let text = first_entry(&ptx);
        text.contains("rcp.rn") || text.contains("div.rn")
    };
    assert!(!divides("x * sigmoid(x)"));
    assert!(!divides("1.0 / (1.5 - exp(-abs(x)))"));
    assert!(!divides("1.0 / (2.0 + sigmoid(x) * sigmoid(x))"));
    // It may be as large, or as small, as can be.
    assert!(divides("1.0 / (1.0 + exp(x))"));
    assert!(divides("1.0 / (1.0 - exp(-abs(x)))"));
    assert!(divides("1.0 / (x * 0.0 + 1.0)"));
    // It may, since `exp` and products are rounded.
    assert!(divides("1.0 / (1.0000001 - exp(-abs(x)))"));
    assert!(divides(
        "1.0 / ((sigmoid(x) + 1e30) * 1e30 * 1e-30 * 1e-30)"
    ));
    assert!(divides(
        "1.0 / ((sigmoid(x) * 1e-30 + 1e-30) * 1e-30 * 1e30 * 1e30)"
    ));
    assert!(divides("2.0 / (1.5 - exp(-abs(x)))"));
}

#[test]
fn the_same_source_gives_the_same_bytes() {
    for example in EXAMPLES {
        assert_eq!(ptx(example, target()), ptx(example, target()));
    }
    // Two pipelined loops, whose copies have numbers; sums of products of several numbers.
    let kernels = [
        ("pipelines.tile", "twice"),
        ("moving_tiles.tile", "backwards"),
        ("pointer_views.tile", "chunks"),
    ];
    for (file, kernel) in kernels {
        let program = Program::read(&root().join("tests/kernels").join(file), file);
        let ptx = || {
            let kernel = program.kernel(kernel, &[]);
            let compiled = compile(&program.sources, &[kernel], target(), file);
            compiled
                .unwrap_or_else(|error| panic!("{}", error.message))
                .ptx
        };
        let first = ptx();
        let again = |number| {
            let _kept = holes(number);
            ptx() == first
        };
        assert!((1..6).all(again), "{kernel} in {file}");
    }
}

/// Memory with holes of all small sizes, of which the allocator has a list that begins elsewhere each time: what is made after something else
/// need not be behind it.
fn holes(number: usize) -> Vec<Vec<u8>> {
    const HOLES: usize = 1 << 14;
    let all = (0..2 * HOLES).map(|at| Vec::with_capacity(16 * (1 + at / 2 % 32)));
    // One of two stays, so that holes do not become one.
    let (kept, freed): (Vec<_>, Vec<_>) = all.enumerate().partition(|(at, _)| at % 2 == 0);
    let mut freed: Vec<_> = freed.into_iter().map(Some).collect();
    // An odd step meets each of a power of two.
    for at in (0..HOLES).map(|turn| turn * (12_345 + 2 * number) % HOLES) {
        freed[at] = None;
    }
    kept.into_iter().map(|(_, one)| one).collect()
}

#[test]
fn rows_of_whole_words_are_copied_asynchronously() {
    let file = "words.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for name in ["by_rows", "by_columns", "widened", "scaled"] {
        let kernel = program.kernel(name, &[]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let variants = &compiled.manifest.kernels[0].variants;
        let entries: Vec<_> = variants.iter().map(|variant| &variant.entry).collect();
        // Elements of one byte and of two: rows of eight of either are whole vectors of the wider.
        let eights = (name == "widened").then_some("__eights");
        // Which rows are stored says nothing about those of weights that lie by columns.
        let ragged = ["by_columns", "scaled"]
            .contains(&name)
            .then_some("__ragged");
        let suffixes = [""].into_iter().chain(ragged).chain(eights);
        let suffixes = suffixes.chain(["__words", "__general"]);
        let names: Vec<_> = suffixes.map(|suffix| format!("{name}{suffix}")).collect();
        assert_eq!(entries, names.iter().collect::<Vec<_>>());
        if eights.is_some() {
            let (_, eights) = compiled
                .ptx
                .split_once(&format!("entry {name}__eights("))
                .expect("eights");
            let (eights, _) = eights.split_once(".visible .entry").expect("another");
            for copy in ["cp.async.bulk.tensor", "cp.async.ca.shared"] {
                assert!(eights.contains(copy), "{copy}");
            }
        }
        let (_, words) = compiled
            .ptx
            .split_once(&format!("entry {name}__words("))
            .expect("words");
        let (words, general) = words.split_once(".visible .entry").expect("another");
        assert!(words.contains("cp.async.ca.shared"), "{name}");
        assert!(!general.contains("cp.async.bulk"), "{name}");
    }
}

#[test]
fn three_programs_of_a_long_row_alone_fit() {
    let file = "long_rows.tile";
    let program = Program::read(&root().join("tests/kernels").join(file), file);
    for (ty, width, expected) in [
        ("bf16", "16384", Some((256, 3))),
        ("f16", "12000", Some((256, 3))),
        ("bf16", "8192", Some((256, 4))),
        ("bf16", "4096", None),
        ("f32", "8192", None),
        // Two, not three: one without being told.
        ("f32", "16384", Some((512, 2))),
    ] {
        let kernel = program.kernel("softmax", &[&format!("T={ty}"), &format!("WIDTH={width}")]);
        let compiled = compile(&program.sources, &[kernel], target(), file)
            .unwrap_or_else(|error| panic!("{width}: {}", error.message));
        let (_, entry) = compiled.ptx.split_once("entry softmax(").expect("softmax");
        let (head, _) = entry.split_once('{').expect("a body");
        let number = |name: &str| {
            let (_, rest) = head.split_once(name)?;
            rest.split_whitespace().next()?.parse::<u32>().ok()
        };
        let found =
            number(".minnctapersm").and_then(|programs| Some((number(".reqntid")?, programs)));
        assert_eq!(found, expected, "{ty} {width}");
    }
}

#[test]
fn a_manifest_travels_in_the_ptx() {
    for example in EXAMPLES {
        let program = example.program();
        let kernel = program.kernel(example.kernel, example.usual);
        let compiled = compile(&program.sources, &[kernel], target(), example.file)
            .unwrap_or_else(|error| panic!("{}", error.message));
        let read = tile_runtime::manifest::Manifest::from_ptx(&compiled.ptx).expect("a manifest");
        assert_eq!(read, compiled.manifest);
        for variant in &read.kernels[0].variants {
            assert!(
                compiled
                    .ptx
                    .contains(&format!(".visible .entry {}(", variant.entry))
            );
        }
    }
}

#[test]
fn all_kernels_of_a_file_share_one_ptx() {
    let example = &EXAMPLES[0];
    let program = example.program();
    let kernels = [
        program.kernel("add", &[]),
        program.kernel("add_pointers", &[]),
    ];
    let compiled = compile(&program.sources, &kernels, target(), example.file)
        .unwrap_or_else(|error| panic!("{}", error.message));
    let (_, resources) =
        nvidia::assemble(&compiled.ptx, DEFAULT).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(resources.len(), 4);
}
