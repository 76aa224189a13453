//! Passes alone, on small MLIR inputs: `tests/passes/*.mlir`, each with what the pass in its first line
//! makes of it; and the facts that an input claims.

use melior::ir::operation::OperationLike;
use tile_tests::root;
use tilec::dialect;
use tilec::facts::FactAnalysis;
use tilec::ir::{self, Operation};
use tilec::passes::{Pass, PassContext};
use tilec::source::SourceMap;
use tilec::target::{DEFAULT, Target};

#[test]
fn a_pass_does_what_its_snapshot_says() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tests/passes/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::glob!("../passes", "*.mlir", |path| {
            let text = std::fs::read_to_string(path).expect("text");
            let Some(name) = text
                .lines()
                .next()
                .and_then(|line| line.strip_prefix("// pass: "))
            else {
                return;
            };
            let context = dialect::context();
            let sources = SourceMap::new();
            let cx = PassContext::new(
                &context,
                Target::named(DEFAULT).expect("the default target"),
                &sources,
                &[],
            );
            let module = dialect::parse(&context, "in.mlir", &text).expect("the input parses");
            dialect::verify::module(&context, &module).expect("the input verifies");
            let pass = Pass::named(name).expect("a pass of this name");
            let module = pass
                .run(&cx, module)
                .unwrap_or_else(|error| panic!("{}", error.message));
            insta::assert_snapshot!(dialect::print(&module));
        });
    });
}

fn each<'c>(of: Operation<'c>, visit: &mut impl FnMut(Operation<'c>)) {
    for index in 0..of.region_count() {
        for operation in ir::region_block(of, index)
            .map(ir::operations)
            .unwrap_or_default()
        {
            visit(operation);
            each(operation, visit);
        }
    }
}

#[test]
fn facts_are_what_the_input_claims() {
    let text = std::fs::read_to_string(root().join("tests/passes/facts.mlir")).expect("text");
    let context = dialect::context();
    let module = dialect::parse(&context, "in.mlir", &text).expect("the input parses");
    let function = tilec::passes::functions(&module)[0];
    let facts = FactAnalysis::new(function);
    let mut checked = 0;
    let mut wrong = Vec::new();
    each(function, &mut |operation| {
        let Some(expected) = ir::text_attribute(operation, "tile.expect") else {
            return;
        };
        let found = facts.of(ir::result(operation, 0));
        let found = format!(
            "{:?} {:?} {:?}",
            found.contiguity, found.divisibility, found.constancy
        );
        checked += 1;
        if found != expected {
            wrong.push(format!("{operation}\n  found {found}"));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 25);
}

#[test]
fn sums_fit_below_the_bits_of_a_multiple() {
    let text = r#"func.func @sums(%n: i32) attributes {tile.divisibility = array<i64: 64>} {
        %narrow = "tile.arange"() {lo = 0 : i64} : () -> tensor<64xi32>
        %wide = "tile.arange"() {lo = 1 : i64} : () -> tensor<64xi32>
        %first = "tile.splat"(%n) : (i32) -> tensor<64xi32>
        %fits = arith.addi %narrow, %first : tensor<64xi32>
        %wraps = arith.addi %first, %wide : tensor<64xi32>
        func.return
    }"#;
    let context = dialect::context();
    let module = dialect::parse(&context, "in.mlir", text).expect("the input parses");
    let function = tilec::passes::functions(&module)[0];
    let facts = FactAnalysis::new(function);
    let mut found = Vec::new();
    each(function, &mut |operation| {
        if ir::name(operation) == "arith.addi" {
            let [one, other] = [0, 1].map(|index| ir::operand(operation, index));
            found.push(facts.sum_fits(one, other));
        }
    });
    assert_eq!(found, [true, false]);
}

#[test]
fn the_verifier_names_what_is_wrong() {
    let wrong = [
        (
            r#"%t = "tile.arange"() {lo = 0 : i64} : () -> tensor<4xi32>
               %u = "tile.expand"(%t) {axis = 0 : i64} : (tensor<4xi32>) -> tensor<4x1xi32>"#,
            "expanded shape: [1, 4] and [4, 1]",
        ),
        (
            r#"%t = "tile.arange"() {lo = 0 : i64} : () -> tensor<4xi32>
               %u = "tile.broadcast"(%t) : (tensor<4xi32>) -> tensor<8xi32>"#,
            "[4] does not broadcast to [8]",
        ),
        (
            r#"%t = "tile.arange"() {lo = 0 : i64} : () -> tensor<4xi32>
               %u = "tile.reshape"(%t) : (tensor<4xi32>) -> tensor<3xi32>"#,
            "elements: [4] and [3]",
        ),
        (
            r#"%n = arith.constant 4 : i32
               %s = arith.constant 1 : i64
               %p = "tile.pointer_cast"(%s) : (i64) -> !tile.ptr<f32>
               %i = arith.constant dense<1> : tensor<4x4xi32>
               %t = "tile.load_view"(%p, %i, %n, %s) {kinds = array<i64: 2>, checked = 1 : i64, cache = "", evict = "",
                   operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1, 1, 0>}
                   : (!tile.ptr<f32>, tensor<4x4xi32>, i32, i64) -> tensor<4xf32>"#,
            "a view of rank 1 is too small for its starts",
        ),
        (r#"%t = "tile.program_id"() : () -> i32"#, "axis"),
    ];
    let context = dialect::context();
    for (body, expected) in wrong {
        let text = format!("func.func @f() {{ {body}\n func.return }}");
        // IRDL's own checks run while parsing.
        let found = match dialect::parse(&context, "in.mlir", &text) {
            Ok(module) => dialect::verify::module(&context, &module).expect_err("wrong"),
            Err(message) => message,
        };
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn every_operation_is_documented_and_known_to_mlir() {
    let context = dialect::context();
    for operation in dialect::ops::OPERATIONS {
        assert!(context.is_registered_operation(&format!("tile.{}", operation.name)));
        assert!(operation.docs.trim().len() > 10, "{}", operation.name);
    }
}
