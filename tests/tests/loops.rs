//! What the hot loops of kernels hold: counts of what stalls them, from the PTX of every variant, and the order of it in the
//! machine code of the fast one, since `ptxas` moves instructions. A loop that gets worse shows here, whatever made it so.

use tile_tests::parallel::in_parallel;
use tile_tests::{Program, root};
use tilec::backend::{manifest, nvidia};
use tilec::compile::{compile, lower};
use tilec::dialect;
use tilec::target::{DEFAULT, Target};

/// Files, kernels and generics.
const KERNELS: &[(&str, &str, &str)] = &[
    ("lang-examples/03_matmul.tile", "matmul", ""),
    (
        "lang-examples/06_attention.tile",
        "attention",
        "T=bf16 D=64 BM=128 BN=128",
    ),
    (
        "lang-examples/06_attention.tile",
        "attention",
        "T=bf16 D=64 BM=128 BN=128 CAUSAL=true",
    ),
    (
        "lang-examples/06_attention.tile",
        "attention",
        "T=bf16 D=128 BM=128 BN=128",
    ),
    (
        "lang-examples/06_attention.tile",
        "attention",
        "T=bf16 D=128 BM=128 BN=128 CAUSAL=true",
    ),
    // Whose masks do not fit beside what overlaps.
    (
        "lang-examples/06_attention.tile",
        "attention",
        "T=bf16 D=128 BM=128 BN=160",
    ),
    (
        "lang-examples/26_attention_varlen.tile",
        "attention_varlen",
        "T=bf16 D=128 BM=128 BN=128 CAUSAL=true",
    ),
    (
        "lang-examples/23_attention_backward.tile",
        "gradient_of_queries",
        "T=bf16 D=128 BM=128 BN=64",
    ),
    (
        "lang-examples/23_attention_backward.tile",
        "gradient_of_queries",
        "T=bf16 D=64 BM=128 BN=128 CAUSAL=true",
    ),
    (
        "lang-examples/23_attention_backward.tile",
        "gradient_of_keys",
        "T=bf16 D=128 BM=64 BN=128",
    ),
    (
        "lang-examples/23_attention_backward.tile",
        "gradient_of_keys",
        "T=bf16 D=64 BM=64 BN=64 CAUSAL=true",
    ),
    ("tests/kernels/warpgroups.tile", "nearest", ""),
    ("tests/kernels/fp8.tile", "attention", "BM=128"),
    (
        "tests/kernels/warpgroups.tile",
        "chain",
        "BM=128 BN=128 D=128",
    ),
    (
        "lang-examples/06_attention.tile",
        "attention",
        "T=bf16 D=64 BM=128 BN=64",
    ),
    ("tests/kernels/loops.tile", "experts", ""),
    ("tests/kernels/loops.tile", "paged", ""),
    // The list of an iteration is loaded before that in which its copies begin.
    ("tests/kernels/indices.tile", "listed", "H=16"),
    ("tests/kernels/loops.tile", "packed", ""),
    ("tests/kernels/loops.tile", "rows", ""),
    ("tests/kernels/masked_operands.tile", "both_ways", ""),
    (
        "lang-examples/06_attention.tile",
        "attention",
        "T=bf16 D=256 BM=128 BN=64",
    ),
    ("benches/kernels/attentions.tile", "sliding_window", ""),
    (
        "lang-examples/26_attention_varlen.tile",
        "attention_varlen",
        "T=bf16 D=128 BM=128 BN=128",
    ),
    // Whose second product goes on with the sums of the first one.
    ("benches/kernels/loops.tile", "latent_prefill", "BN=96"),
    // Whose keys and values the producer computes.
    ("benches/kernels/loops.tile", "int8_cache", "BM=128 BN=64"),
];

/// How many kernels are compiled at once.
const THREADS: usize = 2;

/// The lines of a loop that has none inside, but for waits that spin.
type Body<'a> = Vec<&'a str>;

/// The innermost loops with matrix instructions: from a label to the last branch back to it.
fn loops<'a>(
    code: &[&'a str],
    label: fn(&str) -> Option<&str>,
    target: fn(&str) -> Option<&str>,
    product: &str,
) -> Vec<Body<'a>> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (start, line) in code.iter().enumerate() {
        let Some(name) = label(line) else {
            continue;
        };
        let back = |line: &&str| target(line) == Some(name);
        if let Some(end) = code.iter().rposition(back).filter(|end| *end > start)
            && code[start..end].iter().any(|line| line.contains(product))
        {
            ranges.push((start, end));
        }
    }
    // A wait that spins stands behind the function, and goes back into the middle of a loop: no loop of its own.
    let crosses = |of: &(usize, usize), other: &(usize, usize)| {
        other.0 < of.0 && of.0 < other.1 && other.1 < of.1
    };
    let is_around = |of: &(usize, usize), other: &(usize, usize)| {
        other != of && of.0 <= other.0 && other.1 <= of.1
    };
    let is_innermost = |of: &&(usize, usize)| {
        !ranges
            .iter()
            .any(|other| crosses(of, other) || is_around(of, other))
    };
    let innermost = ranges.iter().filter(is_innermost);
    innermost
        .map(|(start, end)| code[*start..=*end].to_vec())
        .collect()
}

/// An instruction without its guard.
fn unguarded(line: &str) -> &str {
    let line = line.trim();
    match line.strip_prefix('@') {
        Some(rest) => rest.split_once(char::is_whitespace).map_or("", |of| of.1),
        None => line,
    }
    .trim()
}

/// How often instructions of these kinds are in a loop of PTX.
fn counts(body: &Body<'_>) -> String {
    const KINDS: &[(&str, &[&str])] = &[
        ("wgmma", &["wgmma.mma_async"]),
        ("commit", &["wgmma.commit_group"]),
        ("mma", &["mma.sync"]),
        ("barrier", &["bar.sync", "barrier.sync", "barrier.cta.sync"]),
        ("fence", &["fence.proxy"]),
        ("try_wait", &["mbarrier.try_wait"]),
        ("arrive", &["mbarrier.arrive"]),
        ("cp.async", &["cp.async.c"]),
        ("ex2", &["ex2."]),
        ("setp", &["setp."]),
        ("selp", &["selp."]),
        ("shfl", &["shfl."]),
        ("ld.global", &["ld.global", "ld.param::entry.global"]),
        ("ld.shared", &["ld.shared", "ldmatrix"]),
        ("st.shared", &["st.shared", "stmatrix"]),
    ];
    let instructions: Vec<&str> = body
        .iter()
        .map(|line| unguarded(line))
        .filter(|line| line.ends_with(';') && !line.starts_with('.'))
        .collect();
    let each = KINDS.iter().filter_map(|(name, starts)| {
        let is_one = |line: &&&str| starts.iter().any(|start| line.starts_with(start));
        let count = instructions.iter().filter(is_one).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    let waits = instructions
        .iter()
        .filter_map(|line| line.strip_prefix("wgmma.wait_group.sync.aligned "))
        .map(|rest| format!("wait {}", rest.trim_end_matches(';')));
    each.chain(waits).collect::<Vec<_>>().join(", ")
}

/// What a line of machine code is, if it says something about the order of a loop.
fn event(line: &str) -> Option<String> {
    const KINDS: &[(&str, &str)] = &[
        ("HGMMA", "mma"),
        ("QGMMA", "mma"),
        ("IGMMA", "mma"),
        ("HMMA", "mma"),
        ("MUFU.EX2", "ex2"),
        ("BAR.SYNC", "barrier"),
        ("SYNCS.PHASECHK", "try_wait"),
        ("SYNCS.ARRIVE", "arrive"),
        ("LDS", "lds"),
        ("LDSM", "lds"),
        ("STS", "sts"),
        ("STSM", "sts"),
        ("SHFL", "shfl"),
    ];
    if let Some(rest) = line.strip_prefix("WARPGROUP.DEPBAR.LE gsb0, ") {
        let count = rest.trim_end_matches([' ', ';']).trim_start_matches("0x");
        return Some(format!("wait{count}"));
    }
    let kind = KINDS.iter().find(|(start, _)| line.starts_with(start))?;
    Some(kind.1.to_owned())
}

/// The events of a loop in order, runs of one kind together.
fn order(body: &Body<'_>) -> String {
    let mut runs: Vec<(String, usize)> = Vec::new();
    let mut count = 0;
    for line in body.iter().filter_map(|line| machine_instruction(line)) {
        count += 1;
        let Some(event) = event(line) else {
            continue;
        };
        match runs.last_mut() {
            Some((last, times)) if *last == event => *times += 1,
            _ => runs.push((event, 1)),
        }
    }
    let each = runs.iter().map(|(event, times)| match times {
        1 => event.clone(),
        _ => format!("{event}×{times}"),
    });
    let text: Vec<_> = each.collect();
    format!("{count} instructions: {}", text.join(" "))
}

/// `        /*0070*/                   @P0 FADD R4, R0, R3 ;` without all around it.
fn machine_instruction(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("/*")?;
    Some(unguarded(rest.split_once("*/")?.1))
}

/// `.L_x_5:` is a label, and `BRA `(.L_x_5) ;` goes to one.
fn machine_target(line: &str) -> Option<&str> {
    let rest = machine_instruction(line)?.strip_prefix("BRA")?;
    rest.split_once("`(")?.1.split(')').next()
}

fn machine_label(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    name.starts_with(".L_x_").then_some(name)
}

fn ptx_label(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    name.starts_with("$L__BB").then_some(name)
}

fn ptx_target(line: &str) -> Option<&str> {
    let rest = unguarded(line).strip_prefix("bra")?;
    rest.split_whitespace().last()?.strip_suffix(';')
}

/// The name in the line of PTX that begins an entry point.
fn entry(line: &str) -> Option<&str> {
    Some(line.split_once(".entry ")?.1.trim_end_matches('('))
}

/// The name in the line of machine code that begins an entry point.
fn section(line: &str) -> Option<&str> {
    line.trim()
        .strip_prefix(".section\t.text.")?
        .split(',')
        .next()
}

/// The lines of each function after the one that names it.
fn functions<'a>(text: &'a str, name: fn(&str) -> Option<&str>) -> Vec<(&'a str, Body<'a>)> {
    let mut all: Vec<(&str, Body<'_>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = name(line) {
            all.push((name, Vec::new()));
        } else if let Some((_, lines)) = all.last_mut() {
            lines.push(line);
        }
    }
    all
}

fn describe((file, kernel, generics): (&str, &str, &str)) -> String {
    let program = Program::open(&root().join(file));
    let bindings: Vec<_> = generics.split_whitespace().collect();
    let elaborated = program.kernel(kernel, &bindings);
    let target = Target::named(DEFAULT).expect("the default target exists");
    let compiled = compile(&program.sources, &[elaborated], target, file)
        .unwrap_or_else(|error| panic!("{file}: {}", error.message));
    let mut text = format!("{file} {kernel} {generics}\n");
    for (name, lines) in functions(&compiled.ptx, entry) {
        for body in loops(&lines, ptx_label, ptx_target, "mma") {
            text += &format!("  ptx of {name}: {}\n", counts(&body));
        }
    }
    let (cubin, _) = nvidia::assemble(&compiled.ptx, target.name).expect("it assembles");
    let code = nvidia::disassemble(&cubin).expect("it disassembles");
    for (name, lines) in functions(&code, section) {
        if name == kernel {
            for body in loops(&lines, machine_label, machine_target, "MMA") {
                text += &format!("  sass of {name}: {}\n", order(&body));
            }
        }
    }
    text
}

/// Those whose orders are shown, step by step.
const ORDERED: &[usize] = &[0, 1, 8, 9];

/// What runs when in the loops of a kernel.
fn schedules((file, kernel, generics): (&str, &str, &str)) -> String {
    let program = Program::open(&root().join(file));
    let bindings: Vec<_> = generics.split_whitespace().collect();
    let elaborated = program.kernel(kernel, &bindings);
    let target = Target::named(DEFAULT).expect("the default target exists");
    let context = dialect::context();
    let variants = manifest::default_variants(&elaborated);
    let lowered = lower(
        &context,
        &program.sources,
        &elaborated,
        target,
        &variants,
        |_, _| true,
    )
    .unwrap_or_else(|error| panic!("{file}: {}", error.message));
    let texts = lowered.loops.iter();
    let texts: Vec<String> = texts.map(|order| order.text(&program.sources)).collect();
    let folder = format!("{}/", root().display());
    let text = texts.join("\n").replace(&folder, "");
    format!("{file} {kernel} {generics}\n{text}")
}

#[test]
fn loops_run_in_the_order_of_their_snapshot() {
    let all: Vec<String> = ORDERED
        .iter()
        .map(|number| schedules(KERNELS[*number]))
        .collect();
    snapshot("schedules", &all.join("\n"));
}

#[test]
fn loops_hold_what_their_snapshot_says() {
    let rows = KERNELS.iter().enumerate();
    let mut all = in_parallel(THREADS, rows, |(number, row)| (number, describe(*row)));
    all.sort_unstable();
    let all: Vec<String> = all.into_iter().map(|(_, text)| text).collect();
    snapshot("loops", &all.join("\n"));
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
