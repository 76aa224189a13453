//! `tilec explain` as a user meets it, and its numbers against those of the simulator. Registers are
//! those of `ptxas`, which may not be there: snapshots have none.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Rows of 51 elements, whose starts are no multiple of anything, read across.
const ODD: &str = "\
//! run: odd x=zeros(64,51) y=zeros(51)
kernel odd(x: tensor<f32>[64, 51], y: mut tensor<f32>[51]) grid(1) {
    let column = load(x[0 +: 64, 3]);
    let row = load(x[1, 0 +: 51]);
    let part = load(x[1 +: 32, 1 +: 32]);
    store(y[0 +: 51], row * sum(column) + max(part));
}
";

/// How a run ended.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs `tilec` in the root of the repository, where the examples have short names.
fn tilec(arguments: &[&str]) -> Ended {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO_BIN_EXE_tilec"))
        .args(arguments)
        .current_dir(root)
        .output()
        .expect("tilec runs");
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("results are text"),
        stderr: String::from_utf8(output.stderr).expect("messages are text"),
    }
}

fn succeeds(arguments: &[&str]) -> String {
    let ended = tilec(arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended.stdout
}

fn fails(arguments: &[&str], parts: &[&str]) {
    let ended = tilec(arguments);
    assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
    for part in parts {
        assert!(
            ended.stderr.contains(part),
            "no {part:?} in {}",
            ended.stderr
        );
    }
}

fn json(arguments: &[&str]) -> Value {
    let all = [&["explain"], arguments, &["--format", "json"]].concat();
    serde_json::from_str(&succeeds(&all)).expect("JSON")
}

/// The odd kernel in a file of its own.
fn odd() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("odd.tile");
    std::fs::write(&path, ODD).expect("written");
    (folder, path)
}

/// The text without what depends on `ptxas`, and with a short path.
fn stable(text: &str, path: &str, name: &str) -> String {
    let text = text.replace(path, name);
    let of_assembler = ["registers  ", "occupancy  ", "programs that would fit"];
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| {
            !of_assembler
                .iter()
                .any(|start| line.trim_start().starts_with(start))
        })
        .collect();
    kept.join("\n")
}

/// JSON with an item of a list per line, without the sources and what depends on `ptxas`.
fn listed(explanation: &Value) -> String {
    let mut text = String::new();
    for kernel in explanation["kernels"].as_array().expect("kernels") {
        for (key, value) in kernel.as_object().expect("a kernel") {
            if key != "variants" {
                text.push_str(&format!("{key}: {value}\n"));
            }
        }
        for variant in kernel["variants"].as_array().expect("variants") {
            text.push_str("\nvariant\n");
            for (key, value) in variant.as_object().expect("a variant") {
                match value.as_array() {
                    _ if ["registers", "registers_unknown", "occupancy"]
                        .contains(&key.as_str()) => {}
                    Some(items) => {
                        text.push_str(&format!("  {key}:\n"));
                        for item in items {
                            text.push_str(&format!("    {item}\n"));
                        }
                    }
                    None => text.push_str(&format!("  {key}: {value}\n")),
                }
            }
        }
    }
    text
}

#[test]
fn examples_are_explained() {
    for name in ["01_vector_add", "02_softmax", "03_matmul", "15_transpose"] {
        let file = format!("lang-examples/{name}.tile");
        let text = succeeds(&["explain", &file]);
        insta::assert_snapshot!(format!("{name}_text"), stable(&text, "", ""));
        insta::assert_snapshot!(format!("{name}_json"), listed(&json(&[&file])));
    }
}

#[test]
fn precise_forms_beside_a_product_are_told_with_what_they_cost() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("precise.tile");
    let text = "
kernel precise(a: tensor<f16>[m, 64], b: tensor<f16>[n, 64], c: mut tensor<f32>[m, 64]) grid(cdiv(m, 64)) {
    let i = program_id(0) * 64;
    let mut acc = zeros([64, 64], f32);
    for j in range(0, n, 64) {
        let right = load(b[j +: 64, :]);
        let scores = dot(load(a[i +: 64, :]), right.T) * 0.5;
        let powers = exp2(scores - 1.0) * sigmoid(scores - 1.0) * tanh(scores - 1.0);
        acc = dot(powers as f16, right, acc);
    }
    store(c[i +: 64, :], exp2(acc));
}
";
    std::fs::write(&path, text).expect("a file");
    let shown = succeeds(&["explain", path.to_str().expect("a plain path")]);
    for part in [
        "`exp2` takes 4 instructions",
        "`fast.exp2(x)`",
        "`fma(x, y, z)` takes 1",
        "`sigmoid` takes 14 instructions",
        "`fast.reciprocal(1.0 + fast.exp(-x))`",
        "`fast.tanh(x)` takes 1",
    ] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    // Behind the loop nothing waits for it.
    let times = shown.matches("`exp2` takes 4 instructions").count();
    assert_eq!(times, 1, "{shown}");
    let faster = text
        .replace("exp2(", "fast.exp2(")
        .replace(
            "sigmoid(scores - 1.0)",
            "fast.reciprocal(1.0 + fast.exp(-scores))",
        )
        .replace(" tanh(", " fast.tanh(")
        .replace("scores - 1.0", "scores");
    std::fs::write(&path, faster).expect("a file");
    let shown = succeeds(&["explain", path.to_str().expect("a plain path")]);
    assert!(!shown.contains("instructions for each element"), "{shown}");
}

#[test]
fn rows_of_odd_length_are_explained() {
    let (_folder, path) = odd();
    let path = path.to_str().expect("a plain path");
    let text = succeeds(&["explain", path]);
    insta::assert_snapshot!("odd_text", stable(&text, path, "odd.tile"));
    insta::assert_snapshot!("odd_json", listed(&json(&[path])).replace(path, "odd.tile"));
}

#[test]
fn a_call_decides_what_is_told() {
    let softmax = "lang-examples/02_softmax.tile";
    let wide = ["x=zeros(16384,1024)", "y=zeros(16384,1024)"];
    let all = [&[softmax], &wide[..]].concat();
    let kernel = &json(&all)["kernels"][0];
    assert_eq!(kernel["chosen"], 0, "rows of 1024 are whole vectors");
    assert_eq!(kernel["call"]["programs"], 16384);
    assert_eq!(kernel["call"]["from_header"], false);
    let roofline = &kernel["variants"][0]["work"]["roofline"]["call"];
    assert_eq!(roofline["least_bytes"], 2 * 16384 * 1024 * 4);
    // Without a header's call the trips of the loop are not known; with one they are.
    let rounds = |arguments: &[&str]| {
        let variant = &json(arguments)["kernels"][0]["variants"][0];
        variant["loops"][0]["trips"].clone()
    };
    let matmul = "lang-examples/03_matmul.tile";
    assert_eq!(rounds(&[matmul]), 3, "150 in steps of 64");
    let large = ["a=zeros(256,4096)", "b=zeros(4096,256)", "c=zeros(256,256)"];
    assert_eq!(rounds(&[&[matmul], &large[..]].concat()), 64);
}

/// A variant asks for what its accesses need: of the columns that wrap around, not of how many rows there are; and that no
/// program has negative ones, which only a launch knows.
#[test]
fn numbers_that_widen_no_access_are_free() {
    let chosen = |kernel: &str, numbers: &[&str]| {
        let call = [&["tests/kernels/wrapped.tile", "-k", kernel], numbers].concat();
        json(&call)["kernels"][0]["chosen"].clone()
    };
    let product = |m, n| {
        let numbers = [
            m,
            n,
            "k=64",
            "a=zeros(9999)",
            "b=zeros(9999)",
            "c=zeros(9999)",
        ];
        chosen("product", &numbers)
    };
    assert_eq!(product("m=71", "n=72"), 0);
    assert_eq!(product("m=72", "n=70"), 1, "pairs of columns");
    assert_eq!(product("m=72", "n=71"), 2);
    let numbers = |by| ["x=zeros(1024)", "y=zeros(1024)", "n=1024", by];
    let by = |by| chosen("rolled", &numbers(by));
    assert_eq!((by("by=1024"), by("by=1028")), (0.into(), 1.into()));
}

/// Views ask no number that only says which rows they take.
#[test]
fn numbers_of_rows_are_free() {
    let chosen = |columns: u64| {
        json(&[
            "tests/kernels/atomics.tile",
            "-k",
            "shares",
            &format!("x=zeros(10,{columns})"),
            &format!("y=zeros(4,{columns})"),
            "sums=zeros(10)",
            "each=3",
        ])["kernels"][0]["chosen"]
            .clone()
    };
    assert_eq!((chosen(128), chosen(127)), (0.into(), 1.into()));
    let cut = |count: &str| {
        let call = [
            "tests/kernels/atomics.tile",
            "-k",
            "cut",
            "x=zeros(128)",
            "y=zeros(128)",
            count,
        ];
        json(&call)["kernels"][0]["chosen"].clone()
    };
    assert_eq!((cut("count=100"), cut("count=99")), (0.into(), 1.into()));
}

/// What a loop masks by where elements are stays in registers until it is multiplied, also where loads ask the same of positions.
#[test]
fn masked_operands_stay_in_registers() {
    for kernel in ["decayed", "decayed_turned"] {
        let text = succeeds(&[
            "explain",
            "tests/kernels/scaled_operands.tile",
            "-k",
            kernel,
            "w=zeros(128,128)",
            "x=zeros(128,64)",
            "cum=zeros(128)",
            "y=zeros(128,64)",
        ]);
        assert!(
            text.contains("the left operand stays in registers"),
            "{text}"
        );
    }
}

/// What `explain` says of a kernel of `tests/kernels/loops.tile` in a call.
fn explained(kernel: &str, call: &[&str]) -> String {
    let kernel = ["explain", "tests/kernels/loops.tile", "-k", kernel];
    succeeds(&[&kernel[..], call].concat())
}

/// A sum, two products and a tile from before the loop are more than four warps have registers for; and that tile is brought to the layout of
/// the products once.
#[test]
fn what_a_loop_has_beside_products_needs_threads() {
    let call = [
        "q=zeros(3,128,64)",
        "k=zeros(3,128,64)",
        "v=zeros(3,128,64)",
        "dy=zeros(3,128,64)",
        "bias=zeros(128,128)",
        "db=zeros(128,128)",
    ];
    let text = explained("shared_bias", &call);
    assert!(text.contains("8 warps per program"), "{text}");
    assert!(!text.contains("R0301"), "{text}");
}

/// A producer looks for the sequence of its program as the others do.
#[test]
fn a_producer_runs_searches() {
    let call = [
        "x=zeros(256,128)",
        "w=zeros(4,128,64)",
        "starts=zeros(5)",
        "y=zeros(256,64)",
    ];
    let text = explained("searched", &call);
    assert!(text.contains("a producer warp issues the copies"), "{text}");
}

/// Halves of what a product gives are in registers of the threads that have all of it.
#[test]
fn parts_of_sums_stay_where_they_are() {
    let text = succeeds(&[
        "explain",
        "tests/kernels/epilogues.tile",
        "-k",
        "gate_and_up",
        "x=zeros(128,128)",
        "w=zeros(128,256)",
        "y=zeros(128,128)",
    ]);
    assert!(!text.contains("goes through shared memory"), "{text}");
    assert!(text.contains("a producer warp issues the copies"), "{text}");
}

/// Words of several columns are copied ahead once, and those of rows.
#[test]
fn what_several_elements_have_in_one_place_is_copied_ahead_once() {
    let file = ["explain", "tests/kernels/one_place.tile", "-k"];
    let call = ["a=zeros(64,128)", "s=zeros(4,128)", "c=zeros(64,128)"];
    let columns = ["columns", "q=zeros(128,16)", "zeros_of=zeros(4,16)"];
    for kernel in [&columns[..], &["rows", "q=zeros(16,128)"]] {
        let text = succeeds(&[&file[..], kernel, &call].concat());
        assert!(text.contains("load of `q`: by TMA"), "{text}");
    }
    let call = ["nearest", "x=zeros(2,16,64)", "y=zeros(2,32,128)"];
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("512 bytes per program"), "{text}");
}

/// A thread does few accesses of which each moves a byte.
#[test]
fn narrow_accesses_have_more_warps() {
    let text = succeeds(&["explain", "tests/kernels/memory.tile", "-k", "grey"]);
    assert!(text.contains("2 warps per program"), "{text}");
}

/// Programs run first along the axis that goes along rows.
#[test]
fn programs_run_along_rows() {
    for (kernel, axis) in [
        ("images", Some(2)),
        ("exchanged", Some(1)),
        ("rows", Some(2)),
        ("as_it_is", None),
        ("few", None),
    ] {
        let file = "tests/kernels/order.tile";
        let text = succeeds(&["build", file, "-k", kernel, "--emit", "remarks", "-o", "-"]);
        let said = axis.map(|axis| format!("programs run along axis {axis} first"));
        match said {
            Some(said) => assert!(text.contains(&said), "{kernel}: {text}"),
            None => assert!(
                !text.contains("programs run along axis"),
                "{kernel}: {text}"
            ),
        }
    }
}

/// What a thread has of a load that overlaps is not counted as loaded, nor is it a narrow access.
#[test]
fn loads_that_overlap_are_told_of() {
    let text = succeeds(&["explain", "tests/kernels/windows.tile", "-k", "blur"]);
    assert!(text.contains("overlaps loads before it"), "{text}");
    // Four rows of six elements for two of four.
    assert!(
        text.contains("12.3 kB loaded and 4096 bytes stored"),
        "{text}"
    );
    assert!(!text.contains("missed"), "{text}");
}

/// A tile that is repeated along a new axis is brought to where its copies are used, before they are made.
#[test]
fn tiles_that_are_repeated_move_before_that() {
    let call = [
        "q=zeros(128,64)",
        "k=zeros(256,64)",
        "v=zeros(256,64)",
        "bits=zeros(128,32)",
        "o=zeros(128,64)",
    ];
    let text = explained("bits_of_bytes", &call);
    assert!(!text.contains("R0301"), "{text}");
}

/// Most iterations have no mask, also where one of several is enough.
#[test]
fn masks_of_which_one_is_enough_are_split_off() {
    let call = [
        "q=zeros(320,64)",
        "k=zeros(320,64)",
        "v=zeros(320,64)",
        "o=zeros(320,64)",
        "prefix=200",
        "window=500",
        "sinks=4",
    ];
    let text = explained("either", &call);
    assert!(text.contains("2 masks of this loop hold"), "{text}");
}

/// Most iterations have no mask, also where several rows share a position.
#[test]
fn masks_of_rows_that_share_a_position_are_split_off() {
    let call = [
        "q=zeros(400,64)",
        "k=zeros(304,64)",
        "v=zeros(304,64)",
        "o=zeros(400,64)",
        "before=1",
    ];
    let text = explained("rows_of_groups", &call);
    assert!(text.contains("R0609"), "{text}");
}

/// Each thread loads what it needs of a list: nothing of it is brought elsewhere, and rows it names are copied ahead, whatever they are divided by.
#[test]
fn rows_of_a_list_are_copied_ahead() {
    let call = [
        "a=zeros(40,128)",
        "b=zeros(3,64,128)",
        "c=zeros(80,64)",
        "sorted=zeros(128)",
        "experts=zeros(2)",
        "used=zeros(1)",
        "top=2",
    ];
    let text = explained("of_experts", &call);
    assert!(text.contains("2 loads of this loop run"), "{text}");
    assert!(
        !text.contains("[R0601]") && !text.contains("[R0301]"),
        "{text}"
    );
}

/// Pointers that one branch moves on and the other one back are moved by a number, which is known ahead.
#[test]
fn blocks_of_a_ring_are_copied_ahead() {
    let file = ["explain", "tests/kernels/moving_tiles.tile", "-k", "cyclic"];
    let call = [
        "a=zeros(64,192)",
        "b=zeros(192,128)",
        "c=zeros(6,64,128)",
        "k=192",
    ];
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("2 loads of this loop run"), "{text}");
    assert!(!text.contains("[R0502]"), "{text}");
}

/// A sequence is as far from the next one as its rows take, a multiple of 16 bytes whatever their number is; and a program with two iterations leaves room for another one.
#[test]
fn sequences_of_a_batch_are_copied_in_boxes() {
    let file = [
        "explain",
        "tests/kernels/pointer_views.tile",
        "-k",
        "batches",
    ];
    let call = [
        "q=zeros(2,101,3,128)",
        "k=zeros(2,101,3,128)",
        "o=zeros(2,101,3,64)",
        "t=101",
        "b=2",
    ];
    let text = succeeds(&[&file[..], &call].concat());
    assert_eq!(text.matches("by TMA, in boxes").count(), 2, "{text}");
    assert!(text.contains("2 programs on a multiprocessor"), "{text}");
}

/// A program whose loop has no iterations asks nothing of a last one, and programs may be counted from the last one.
#[test]
fn blocks_of_rows_by_programs_are_copied_in_boxes() {
    for kernel in ["blocks_before", "last_rows", "last_programs"] {
        let file = ["explain", "tests/kernels/pointer_views.tile", "-k", kernel];
        let call = [
            "x=zeros(200,64)",
            "w=zeros(64,64)",
            "y=zeros(200,64)",
            "t=200",
        ];
        let text = succeeds(&[&file[..], &call].concat());
        assert!(text.contains("by TMA, in boxes"), "{kernel}: {text}");
    }
}

/// Programs behind the first ones begin where those end: `a - b` is not negative where `a < b` does not hold, so that a launch finds the fast variant.
#[test]
fn programs_of_a_second_matrix_are_copied_in_boxes() {
    let file = [
        "explain",
        "tests/kernels/wrapped.tile",
        "-k",
        "two_matrices",
    ];
    let call = [
        "a=zeros(100,64)",
        "b=zeros(64,128)",
        "d=zeros(64,80)",
        "c=zeros(100,128)",
        "e=zeros(100,80)",
        "m=100",
        "n=128",
        "o=80",
        "k=64",
        "sam=64",
        "sak=1",
        "sbk=128",
        "sbn=1",
        "sdk=80",
        "sdn=1",
        "scm=128",
        "scn=1",
        "sem=80",
        "sen=1",
    ];
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("`two_matrices__unit`"), "{text}");
    assert_eq!(text.matches("by TMA, in boxes").count(), 4, "{text}");
}

/// What an iteration multiplies is what the one before it has computed: a number that it loads would come too late.
#[test]
fn numbers_of_recurrences_of_products_are_ahead() {
    let file = [
        "explain",
        "tests/kernels/recurrences.tile",
        "-k",
        "of_products",
    ];
    let call = [
        "w=zeros(320,64)",
        "k=zeros(320,64)",
        "u=zeros(320,64)",
        "g=zeros(5)",
        "y=zeros(5,64,64)",
        "state=zeros(64,64)",
        "chunks=5",
    ];
    let text = succeeds(&[&file[..], &call].concat());
    assert!(
        text.contains("1 load of this loop runs 1 iteration ahead, in 1 registers"),
        "{text}"
    );
}

/// Buffers of what is multiplied before a loop are those of what it computes as well, which leaves two programs of a multiprocessor a stage more.
#[test]
fn buffers_before_a_loop_take_no_stage_of_it() {
    let file = [
        "explain",
        "tests/kernels/computed_operands.tile",
        "-k",
        "before_and_inside",
    ];
    let text = succeeds(&file);
    assert!(text.contains("2 programs on a multiprocessor"), "{text}");
    assert!(text.contains("in 4 stages of 16640 bytes"), "{text}");
}

/// What is promised not to be negative is not in what is computed of it either, in 64 bits as well: columns that wrap around have neighbours.
#[test]
fn promises_go_on_in_what_is_computed() {
    let file = ["explain", "tests/kernels/wrapped.tile", "-k", "shared_out"];
    let call = [
        "a=zeros(150,64)",
        "b=zeros(3,64,128)",
        "sizes=[70,0,80]",
        "c=zeros(150,128)",
        "k=64",
        "n=128",
        "groups=3",
        "programs=2",
    ];
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("note: load of `b`: 16 bytes"), "{text}");
    // Without the promise the remark says what to promise.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let source = std::fs::read_to_string(root.join(file[1])).expect("the kernels");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("unknown.tile");
    std::fs::write(&path, source.replace("assume(own >= 0);", "")).expect("a file");
    let path = path.to_str().expect("a plain path");
    let text = succeeds(&[&["explain", path, "-k", "shared_out"], &call[..]].concat());
    assert!(text.contains("what `%` divides may be negative"), "{text}");
    assert!(text.contains("`assume(x >= 0)`"), "{text}");
}

/// Where a program's next row is follows from how many it has had: the next one is loaded ahead.
#[test]
fn rows_that_programs_share_out_are_ahead() {
    let file = [
        "explain",
        "tests/kernels/moving_tiles.tile",
        "-k",
        "shared_out",
    ];
    let call = [
        "x=zeros(37,300)",
        "y=zeros(37,300)",
        "sums=zeros(4,300)",
        "n=37",
        "d=300",
        "programs=4",
        "first=0",
        "by=1",
    ];
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("1 load of this loop runs"), "{text}");
}

/// Rows of a chunk end where it ends or where the sequence does: boxes have the sequence.
#[test]
fn rows_of_chunks_are_copied_in_boxes() {
    let file = ["explain", "tests/kernels/pointer_views.tile", "-k"];
    let numbers = ["seqlen=100", "chunk=64", "heads=2"];
    let chunks = [
        "chunks",
        "a=zeros(100,2,64)",
        "b=zeros(100,2,64)",
        "c=zeros(2,2,64,64)",
    ];
    let states = [
        "states",
        "x=zeros(100,2,64)",
        "b=zeros(100,64)",
        "w=zeros(100)",
        "c=zeros(2,2,64,64)",
    ];
    for (call, loaded) in [(&chunks[..], ["a", "b"]), (&states[..], ["x", "b"])] {
        let text = succeeds(&[&file[..], call, &numbers].concat());
        for name in loaded {
            assert!(
                text.contains(&format!("load of `{name}`: by TMA")),
                "{text}"
            );
        }
    }
}

#[test]
fn strides_that_are_chosen_from_several_are_1_where_those_are() {
    let file = ["explain", "tests/kernels/unit_strides.tile", "-k", "chosen"];
    let file = [&file[..], &["--variant", "chosen__unit"]].concat();
    let text = succeeds(&file);
    for asked in [
        "`ak1` is 1",
        "`ak2` is 1",
        "`cn1` is 1",
        "`cn2` is 1",
        "`am2` is a multiple of 8",
    ] {
        assert!(text.contains(asked), "{asked}: {text}");
    }
    let copied = text.matches("16 bytes (8 × f16) per lane, coalesced, masked, by cp.async");
    assert_eq!(copied.count(), 2, "{text}");
}

/// How many iterations a loop has whose step is a number is one of three to its lowering: of the others nothing may be asked.
#[test]
fn rows_that_programs_share_out_take_the_fast_variant() {
    let file = [
        "explain",
        "benches/kernels/untuned.tile",
        "-k",
        "tanh_gradients",
    ];
    let call = "dy=zeros(64,4096) x=zeros(64,4096) alpha=zeros(1) g=zeros(4096) dx=zeros(64,4096) da=zeros(8,2) dg=zeros(8,4096) db=zeros(8,4096) m=64 n=4096 programs=8";
    let call: Vec<_> = call.split(' ').collect();
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("variant  `tanh_gradients`,"), "{text}");
}

#[test]
fn what_threads_keep_of_a_sum_needs_nothing_loaded_ahead() {
    let of = |kernel| {
        let file = [
            "explain",
            "tests/kernels/late_reductions.tile",
            "-k",
            kernel,
        ];
        succeeds(&file)
    };
    // Nobody waits in the loop; the loads of an iteration follow those of the one before.
    let text = of("row");
    assert!(!text.contains("ahead"), "{text}");
    let told = "32 elements in each thread, then behind the loop 5 shuffles";
    assert!(text.contains(told), "{text}");
    // All wait for a sum that an iteration reads.
    let text = of("seen");
    assert!(
        text.contains("1 load of this loop runs 1 iteration ahead"),
        "{text}"
    );
}

/// A launch may transpose a left operand, also of a product whose right operand is computed; and what is little beside tiles may lie in any order.
#[test]
fn strides_say_which_operand_is_transposed() {
    let file = ["explain", "tests/kernels/unit_strides.tile", "-k"];
    let states = "states x=zeros(96,2,64) b=zeros(96,64) w=zeros(192) c=zeros(2,64,64) n=96 heads=2 sxn=128 sxh=64 sxd=1 sbn=64 sbd=1 sw=2 sch=4096 scm=64 scn=1";
    let quantised = "quantised x=zeros(20,6,64) to=zeros(20,6,64) scales=zeros(6,20) sx=384 sxh=64 sxd=1 st=384 sth=64 std=1 ss=1 ssh=20 heads=6";
    let projected = "projected x=zeros(96,64) p=zeros(64,64) y=zeros(96,64) m=96 sxm=64 sxd=1 spn=64 spd=1 sym=64 syn=1";
    for (call, told) in [
        (projected, "load of `p`: 16 bytes"),
        (states, "load of `x`: by TMA"),
        (quantised, "load of `x`: 16 bytes"),
    ] {
        let call: Vec<_> = call.split(' ').collect();
        let text = succeeds(&[&file[..], &call].concat());
        assert!(text.contains(told), "{text}");
    }
}

/// Where rows of a tile go along several dimensions a launch may say that channels are the last one; where they are not, lanes go along what is nearest.
#[test]
fn channels_of_images_may_be_first_or_last() {
    let sizes = "w=zeros(72,40,3,3) batch=2 channels=40 height=5 width=7 features=72";
    let first = "x=zeros(2,40,5,7) y=zeros(2,72,5,7) xb=1400 xc=35 xh=7 xw=1 wf=360 wc=9 wh=3 ww=1 yb=2520 yf=35 yh=7 yw=1";
    let last = "x=zeros(2,5,7,40) y=zeros(2,5,7,72) xb=1400 xc=1 xh=280 xw=40 wf=360 wc=1 wh=120 ww=40 yb=2520 yf=1 yh=504 yw=72";
    let of = |call: &str| {
        let file = ["explain", "tests/kernels/unit_strides.tile", "-k", "images"];
        let call: Vec<_> = sizes.split(' ').chain(call.split(' ')).collect();
        succeeds(&[&file[..], &call].concat())
    };
    let text = of(last);
    assert!(text.contains("load of `x`: 16 bytes"), "{text}");
    assert!(text.contains("load of `w`: by TMA"), "{text}");
    let text = of(first);
    let along = |tile: &str, lanes: &str| {
        let mut lines = text.lines();
        lines.any(|line| line.contains(tile) && line.contains(lanes))
    };
    assert!(
        along("a          tile<f16>[64, 32]", "dimension 0: 32 lanes"),
        "{text}"
    );
    assert!(
        along("b          tile<f16>[32, 64]", "dimension 0: 32 lanes"),
        "{text}"
    );
}

/// Programs whose products wait for each other share a multiprocessor, though each has two buffers alone; and what stays for a loop is there while the
/// program before stores.
#[test]
fn small_chains_share_a_multiprocessor() {
    let of = |values: &[&str]| {
        let file = ["explain", "lang-examples/06_attention.tile"];
        let values = values.iter().flat_map(|value| ["-D", value]);
        let arguments: Vec<_> = file.into_iter().chain(values).collect();
        succeeds(&arguments)
    };
    for values in [["BM=64", "BN=64", "D=128"], ["BM=64", "BN=128", "D=64"]] {
        let text = of(&values);
        assert!(text.contains("2 programs on a multiprocessor"), "{text}");
    }
}

/// What a loop has added up is what a product behind it adds to.
#[test]
fn products_behind_a_loop_add_to_its_sums() {
    let file = ["explain", "tests/kernels/sums_of_products.tile", "-k"];
    let text = succeeds(&[&file[..], &["last_part", "-D", "BM=128", "-D", "BN=256"]].concat());
    assert!(text.contains("nothing is spilled"), "{text}");
}

/// Positions that move beside pointers are what their masks compare.
#[test]
fn positions_that_move_beside_pointers_are_theirs() {
    let text = succeeds(&[
        "explain",
        "tests/kernels/moving_tiles.tile",
        "-k",
        "masked_ahead",
        "a=zeros(64,128)",
        "b=zeros(128,64)",
        "c=zeros(64,64)",
        "m=64",
        "n=64",
        "k=128",
    ]);
    assert!(text.contains("load of `a`: by TMA"), "{text}");
    assert!(text.contains("load of `b`: by TMA"), "{text}");
}

/// A tile of one row goes through shared memory as a row does.
#[test]
fn tiles_of_one_row_have_no_bank_conflicts() {
    let text = succeeds(&["explain", "tests/kernels/scans.tile", "-k", "of_one_row"]);
    assert!(text.contains("is read from shared memory"), "{text}");
    assert!(!text.contains("[R1005]"), "{text}");
}

/// Rows that are whole words are copied ahead where a launch says that their elements lie side by side.
#[test]
fn rows_of_words_are_copied_ahead_by_pointers() {
    let call = "a=zeros(100,50) b=zeros(50,70) c=zeros(100,70) m=100 n=70 k=50 am=50 ak=1 bk=70 bn=1 cm=70 cn=1";
    let file = ["explain", "tests/kernels/unit_strides.tile", "-k", "matmul"];
    let call: Vec<_> = call.split(' ').collect();
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("variant  `matmul__words`"), "{text}");
    assert!(
        text.contains("load of `a`: 4 bytes (2 × f16) per lane, coalesced"),
        "{text}"
    );
}

/// What a recurrence loads under a condition is ahead, unless it is the same in each step.
#[test]
fn recurrences_load_ahead_under_conditions() {
    let text = succeeds(&[
        "explain",
        "tests/kernels/recurrences.tile",
        "-k",
        "gradients",
    ]);
    assert!(
        text.contains("3 loads of this loop run 8 iterations ahead"),
        "{text}"
    );
    let kernel = [
        "explain",
        "tests/kernels/recurrences.tile",
        "-k",
        "scaled_in_blocks",
    ];
    let text = succeeds(&[&kernel[..], &["--variant", "scaled_in_blocks"]].concat());
    assert!(
        text.contains("1 load of this loop runs 6 iterations ahead"),
        "{text}"
    );
}

/// A product of few rows whose right operand is computed is turned, so that what is computed stays in registers; so does what two products multiply.
#[test]
fn computed_operands_stay_in_registers() {
    let of = |kernel: &str, values: &[&str]| {
        let file = [
            "explain",
            "tests/kernels/computed_operands.tile",
            "-k",
            kernel,
        ];
        let values = values.iter().flat_map(|value| ["-D", value]);
        let arguments: Vec<_> = file.into_iter().chain(values).collect();
        succeeds(&arguments)
    };
    // Bytes are put together through shared memory.
    let text = of("right", &["BM=16", "BN=64"]);
    assert!(text.contains("mma.sync"), "{text}");
    let words = ["explain", "tests/kernels/unit_strides.tile", "-k", "packed"];
    let text = succeeds(&[&words[..], &["-D", "BM=16"]].concat());
    assert!(text.contains("[R0103]"), "{text}");
    assert!(text.contains("tensor cores: wgmma"), "{text}");
    assert!(!text.contains("mma.sync"), "{text}");
    let text = of("normed_units", &[]);
    assert!(
        text.contains("the left operand stays in registers"),
        "{text}"
    );
    // All that a loop carries at once has registers.
    let text = of("normed_units", &["BN=128"]);
    assert!(text.contains("nothing is spilled"), "{text}");
}

/// Numbers in the source are positions in a dimension, too: the weights of a convolution are neighbours along its steps. And registers for what a loop carries
/// are none for what it loads ahead.
#[test]
fn steps_of_a_convolution_are_dimensions() {
    let call = "x=zeros(2,64,512) w=zeros(512,4) b=zeros(512) y=zeros(2,64,512) batch=2 len=64 dim=512 sxb=32768 sxl=512 sxd=1 syb=32768 syl=512 syd=1 swd=4 sww=1";
    let call: Vec<_> = call.split(' ').collect();
    let file = [
        "explain",
        "tests/kernels/recurrences.tile",
        "-k",
        "causal_convolution",
    ];
    let text = succeeds(&[&file[..], &call].concat());
    assert!(text.contains("load of `x`: 16 bytes"), "{text}");
    assert!(text.contains("runs 4 iterations ahead"), "{text}");
    // The weights come to where the rows are, before the loop.
    assert!(
        !text.contains("sigmoid(acc)) as T, in another layout"),
        "{text}"
    );
}

/// Scales of two bytes are copied ahead where a launch says that they are neighbours.
#[test]
fn narrow_rows_of_loops_are_copied_ahead() {
    let file = ["explain", "tests/kernels/unit_strides.tile", "-k", "packed"];
    let waits = |numbers: &str| {
        let call = format!(
            "a=zeros(64,128) q=zeros(16,64) scales=zeros(2,64) c=zeros(64,64) m=64 n=64 k=128 am=128 ak=1 qk=64 qn=1 cm=64 cn=1 {numbers}"
        );
        let call: Vec<_> = call.split(' ').collect();
        let text = succeeds(&[&file[..], &call].concat());
        assert!(text.contains("load of `a`: by TMA"), "{text}");
        text.contains("[R0502]")
    };
    assert_eq!((waits("sg=64 sn=1"), waits("sg=1 sn=2")), (false, true));
}

/// A mask that is added is one as well.
#[test]
fn masks_that_are_added_are_split_off() {
    let call = [
        "q=zeros(320,64)",
        "k=zeros(320,64)",
        "v=zeros(320,64)",
        "o=zeros(320,64)",
        "low=-3.0",
    ];
    let text = explained("added", &call);
    assert!(text.contains("a mask of this loop holds"), "{text}");
}

/// Rows come to shared memory where a loop reduces them and carries a tile; not where it writes to what it reads.
#[test]
fn rows_of_loops_that_carry_tiles_come_ahead() {
    let of = |kernel: &str| succeeds(&["explain", "tests/kernels/rows_ahead.tile", "-k", kernel]);
    let text = of("norm_backward");
    assert!(
        text.contains("2 loads of this loop run 8 iterations ahead"),
        "{text}"
    );
    assert_eq!(of("twice").matches("[R0511]").count(), 2);
    assert!(!of("in_place").contains("R0511"));
}

/// What became one access, or a loop, is said where it was written.
#[test]
fn accesses_and_products_that_became_one_are_named() {
    let of = |file: &str, kernel: &str| {
        let path = format!("tests/kernels/{file}");
        succeeds(&["explain", &path, "-k", kernel])
    };
    let text = of("interleaved.tile", "complex");
    assert!(text.contains("2 interleaved accesses are one"), "{text}");
    let text = of("interleaved.tile", "twice");
    assert!(text.matches("R0205").count() == 1, "{text}");
    let text = of("reroll.tile", "window");
    assert!(text.contains("9 products that are written out"), "{text}");
    let text = of("reroll.tile", "irregular");
    assert!(!text.contains("R0206"), "{text}");
}

/// Where threads compute much of little, a product and a sum in one instruction are half of the two.
#[test]
fn loops_that_wait_for_arithmetic_are_told_of_cheaper_forms() {
    let text = explained("pairs", &["x=zeros(300)", "y=zeros(300)"]);
    assert!(text.contains("R1008"), "{text}");
    assert!(text.contains("`fma(x, y, z)` takes 1"), "{text}");
    let text = explained("chunks", &["x=zeros(9,5000)", "y=zeros(9,5000)"]);
    assert!(!text.contains("R1008"), "{text}");
}

/// A reduction after a loop is no reason for few threads in it; one of numbers that take many instructions neither.
#[test]
fn warps_follow_from_what_loops_compute() {
    let text = explained("chunks", &["x=zeros(9,50000)", "y=zeros(9,50000)"]);
    assert!(text.contains("4 warps per program"), "{text}");
    let text = explained("noisy", &["x=zeros(9,5000)", "best=zeros(9)", "seed=1"]);
    assert!(text.contains("8 warps per program"), "{text}");
}

/// Few elements that lie apart are copied ahead, however many threads need each of them.
#[test]
fn few_elements_that_lie_apart_come_ahead() {
    let call = [
        "a=zeros(100,128)",
        "w=zeros(128,256)",
        "s=zeros(128,3)",
        "c=zeros(100,256)",
        "m=100",
        "n=256",
        "k=128",
        "apart=3",
    ];
    let kernel = ["explain", "tests/kernels/scaled_operands.tile", "-k"];
    let text = succeeds(&[&kernel[..], &["scales_apart"], &call].concat());
    assert!(text.contains("3 loads of this loop run"), "{text}");
    assert!(!text.contains("[R0502]"), "{text}");
}

/// Blocks of a cluster exchange what they have of each column, so one block adds them up; what it needs twice has no room in it.
#[test]
fn columns_that_are_added_up_are_no_cluster() {
    let call = ["x=zeros(1000,200)", "w=zeros(1000)", "y=zeros(200)"];
    let kernel = ["explain", "tests/kernels/reductions.tile", "-k"];
    let text = succeeds(&[&kernel[..], &["long_columns"], &call].concat());
    assert!(text.contains("16 warps per program, for"), "{text}");
    let softmax = ["softmax_of_columns", "-D", "BT=2048"];
    let call = ["x=zeros(2,2000,64)", "y=zeros(2,2000,64)"];
    let text = succeeds(&[&kernel[..], &softmax, &call].concat());
    assert!(text.contains("on a cluster of"), "{text}");
}

/// What loops over a row of few blocks load again stays in registers; a launch takes the variant for as many as it has.
#[test]
fn rows_of_few_blocks_are_loaded_once() {
    let of = |columns: u32| {
        let kernel = "explain tests/kernels/few_blocks.tile -k layer_norm -D B=1024".split(' ');
        let call = ["x", "y"].map(|name| format!("{name}=zeros(9,{columns})"));
        let row = ["w", "b"].map(|name| format!("{name}=zeros({columns})"));
        let call: Vec<_> = call
            .into_iter()
            .chain(row)
            .chain(["mean=zeros(9)".to_owned()])
            .collect();
        let all: Vec<&str> = kernel.chain(call.iter().map(String::as_str)).collect();
        succeeds(&all)
    };
    let text = of(3000);
    assert!(text.contains("`layer_norm__of4`"), "{text}");
    assert!(text.contains("4 warps per program"), "{text}");
    let kept = "this loop has 3 to 4 iterations, which are written out; what it loads stays in registers for other loops [R0208]";
    assert!(text.contains(kept), "{text}");
    assert!(of(1001).contains("`layer_norm__any_of1`"));
    // Many are loaded ahead, as before.
    let text = of(100_000);
    assert!(text.contains("`layer_norm`, which relies on"), "{text}");
    assert!(!text.contains("[R0208]"), "{text}");
}

/// So do blocks that the last loop writes where it read them; not those that another iteration, or an earlier store, has written.
#[test]
fn blocks_that_are_written_in_place_are_loaded_once() {
    let kept = |kernel: &str| {
        let text = succeeds(&["explain", "tests/kernels/few_blocks.tile", "-k", kernel]);
        text.matches("stays in registers for other loops").count()
    };
    let all = ["gradient", "seen_again", "next_block", "overwritten"];
    assert_eq!(all.map(kept), [2, 2, 0, 0]);
}

/// Several iterations of a loop that carries a tile are on their way, of which each thread has an access of 16 bytes.
#[test]
fn loops_that_carry_a_tile_have_more_threads() {
    let call = [
        "x=zeros(9,1024)",
        "g=zeros(9,1024)",
        "y=zeros(9,1024)",
        "steps=9",
    ];
    let kernel = [
        "explain",
        "tests/kernels/recurrences.tile",
        "-k",
        "decayed",
        "-D",
        "B=1024",
    ];
    let text = succeeds(&[&kernel[..], &call[..]].concat());
    assert!(text.contains("4 warps per program"), "{text}");
    assert!(text.contains("run 6 iterations ahead"), "{text}");
}

/// A tile of rows and columns is reduced where the product that it weights is, and not where it would have to come from in each iteration.
#[test]
fn what_is_reduced_is_where_it_is_used() {
    let call = [
        "q=zeros(1,128,64)",
        "k=zeros(1,128,64)",
        "v=zeros(1,128,64)",
        "forget=zeros(1,128)",
        "input=zeros(1,128)",
        "o=zeros(1,128,64)",
    ];
    let text = explained("gates", &call);
    assert!(!text.contains("R0301"), "{text}");
}

/// Loops whose stages have the same buffers have all of the memory for each: a stage is nobody's while another loop runs.
#[test]
fn loops_that_are_alike_share_their_stages() {
    let text = succeeds(&[
        "explain",
        "tests/kernels/rings.tile",
        "-k",
        "in_a_branch",
        "a=zeros(300,192)",
        "b=zeros(192,64)",
        "d=zeros(192,64)",
        "y=zeros(300,64)",
    ]);
    let loops = text.matches("13 stages of 16384 bytes").count();
    assert_eq!(loops, 3, "{text}");
}

/// Sectors and requests of full tiles are what the simulator counts.
#[test]
fn accesses_are_those_that_the_simulator_counts() {
    let cases: &[&[&str]] = &[
        &[
            "lang-examples/01_vector_add.tile",
            "x=ones(8192)",
            "y=ones(8192)",
            "z=zeros(8192)",
            "--kernel",
            "add",
        ],
        &[
            "lang-examples/02_softmax.tile",
            "x=ones(4,1024)",
            "y=zeros(4,1024)",
        ],
        &[
            "lang-examples/03_matmul.tile",
            "a=ones(256,128)",
            "b=ones(128,256)",
            "c=zeros(256,256)",
        ],
        &[
            "lang-examples/15_transpose.tile",
            "x=ones(128,64)",
            "y=zeros(64,128)",
        ],
        &[
            "lang-examples/15_transpose.tile",
            "x=ones(128,64)",
            "y=zeros(64,128)",
            "-D",
            "T=f16",
            "-D",
            "BM=32",
        ],
    ];
    for case in cases {
        let run = [&["run"], *case, &["--device", "sim", "--profile=json"]].concat();
        let profile: Value = serde_json::from_str(&succeeds(&run)).expect("a profile");
        let explanation = json(case);
        let kernel = &explanation["kernels"][0];
        let variant = &kernel["variants"][kernel["chosen"].as_u64().expect("a number") as usize];
        assert_eq!(variant["entry"], profile["entry"], "{case:?}");
        let programs = kernel["call"]["programs"].as_u64().expect("a number");
        let mut requests = 0;
        let mut sectors = 0;
        let mut boxes = false;
        for access in variant["accesses"].as_array().expect("accesses") {
            let number = |key: &str| access[key].as_u64().expect("a number");
            let times = access["repeat"]["times"].as_u64().expect("known trips") * programs;
            boxes |= access["by"] == "TMA";
            requests += number("requests") * times;
            sectors += number("requests") * times * number("sectors");
        }
        let total = &profile["total"];
        let counted = |key: &str| -> u64 {
            let lines = profile["lines"].as_array().expect("lines").iter();
            lines.map(|line| line[key].as_u64().unwrap_or(0)).sum()
        };
        // Of a box every row is a request there.
        if !boxes {
            assert_eq!(requests, counted("requests"), "{case:?}: requests; {total}");
        }
        assert_eq!(sectors, counted("sectors"), "{case:?}: sectors; {total}");
    }
}

#[test]
fn what_is_asked_for_must_be_there() {
    let softmax = "lang-examples/02_softmax.tile";
    fails(&["explain", softmax, "--kernel", "sofmax"], &["softmax"]);
    fails(
        &["explain", softmax, "--variant", "softmax_general"],
        &[
            "no variant is called `softmax_general`",
            "did you mean `softmax__general`?",
        ],
    );
    fails(&["explain", softmax, "x=zeros(4)", "y=zeros(4)"], &["x"]);
    fails(
        &["explain", "lang-examples/01_vector_add.tile", "n=1"],
        &["has several: `add` and `add_pointers`", "--kernel add"],
    );
    fails(
        &["explain", softmax, "--format", "pdf"],
        &["text, json, html"],
    );
    fails(
        &["explain", "nothing.tile"],
        &["`nothing.tile` does not exist"],
    );
    fails(
        &["explain", softmax, "-o", softmax],
        &["is an input of this command"],
    );
    let general = succeeds(&["explain", softmax, "--variant", "general"]);
    assert!(
        general.contains("`softmax__general`, which relies on nothing"),
        "{general}"
    );
}

#[test]
fn every_target_is_explained() {
    for target in tilec::target::TARGETS.iter().map(|target| target.name) {
        let all = ["lang-examples/03_matmul.tile", "--target", target];
        let explanation = json(&all);
        assert_eq!(explanation["target"]["name"], target);
        let variant = &explanation["kernels"][0]["variants"][0];
        let has_card = !explanation["target"]["card"].is_null();
        assert_eq!(variant["work"]["roofline"].is_null(), !has_card, "{target}");
    }
}

#[test]
fn a_page_is_whole_and_loads_nothing() {
    let page = succeeds(&[
        "explain",
        "lang-examples/03_matmul.tile",
        "--format",
        "html",
    ]);
    for loads in ["src=", "href=", "url(", "@import", "import("] {
        assert!(!page.contains(loads), "the page has {loads:?}");
    }
    balanced(&page);
    let start = "<script type=\"application/json\" id=\"explanation\">";
    let after = page.split_once(start).expect("the data").1;
    let data = after.split_once("</script>").expect("its end").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data, json(&["lang-examples/03_matmul.tile"]));
    // Every tile has its row, every line its number, every variant its button.
    for (number, variant) in data["kernels"][0]["variants"]
        .as_array()
        .expect("variants")
        .iter()
        .enumerate()
    {
        let values = variant["values"].as_array().expect("values").len();
        let rows = format!("<tr data-v=\"{number}\"");
        assert_eq!(page.matches(&rows).count(), values);
        assert!(values >= 3, "sums, their maximum, the result");
        assert!(page.contains(&format!("id=\"v-{number}\"")));
    }
    let lines = data["files"][0]["text"]
        .as_str()
        .expect("a text")
        .lines()
        .count();
    assert!(page.contains(&format!("id=\"f0l{lines}\"")));
}

/// Elements are closed in the order in which they were opened.
fn balanced(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, next) = after.split_once('>').expect("a tag ends");
        rest = next;
        let name = tag
            .split([' ', '\n', '/'])
            .find(|word| !word.is_empty())
            .unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "closed before {:.60}", next);
        } else if !tag.starts_with('!') && !tag.ends_with('/') && !["meta", "input"].contains(&name)
        {
            open.push(name);
        }
        // What is in these is no markup.
        if ["script", "style"].contains(&name) && !tag.starts_with('/') {
            let end = format!("</{name}>");
            let at = rest.find(&end).expect("an end");
            rest = &rest[at..];
        }
    }
    assert!(open.is_empty(), "open at the end: {open:?}");
}

/// What looks like the end of a script in a source does not end the data, and markup is none.
#[test]
fn a_source_cannot_leave_its_place_in_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a&b.tile");
    let source = "// </script><script>alert(1)</script> <!-- <b>\nkernel k(x: mut ptr<f32>) grid(1) { store(x, 1.0); }\n";
    std::fs::write(&path, source).expect("written");
    let page = succeeds(&["explain", path.to_str().expect("plain"), "--format", "html"]);
    balanced(&page);
    assert_eq!(page.matches("<script").count(), 2, "data and code");
    assert!(page.contains("&lt;/script&gt;"));
    assert!(!page.contains("<script>alert"), "{page}");
}
