//! Whole files, as compilers write them.

use std::fs;
use std::path::Path;

use super::super::ast::{Body, Initializer, Operand};
use super::super::parse;
use super::super::scope::Named;
use super::super::types::{Space, Type};

/// Everything in `runtime/tests/ptx`, by name.
pub fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx");
    let mut texts: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| {
            let path = entry.expect("the folder can be read").path();
            let text = fs::read_to_string(&path).expect("the file can be read");
            (path.display().to_string(), text)
        })
        .collect();
    texts.sort();
    assert!(texts.len() >= 4, "{texts:?}");
    texts
}

fn forms() -> String {
    let is_forms = |(path, _): &(String, String)| path.ends_with("forms.ptx");
    texts()
        .into_iter()
        .find(is_forms)
        .expect("the file is there")
        .1
}

#[test]
fn all_files_parse_and_their_instructions_print_as_they_parse() {
    for (path, text) in texts() {
        let module = parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut instructions = 0;
        for body in module
            .functions
            .iter()
            .filter_map(|function| function.body.as_ref())
        {
            for instruction in &body.instructions {
                instructions += 1;
                let printed = super::kernel(&instruction.to_string());
                let again = parse(&printed).unwrap_or_else(|error| panic!("{path}: {error}"));
                let body = again.functions[0].body.as_ref().expect("a body");
                let [again] = body.instructions.as_slice() else {
                    panic!("`{instruction}` prints as several");
                };
                assert_eq!(again.opcode, instruction.opcode, "{path}: {instruction}");
                assert_eq!(
                    again.operands, instruction.operands,
                    "{path}: {instruction}"
                );
                assert_eq!(again.guard, instruction.guard, "{path}: {instruction}");
            }
        }
        assert!(instructions > 40, "{path} has {instructions} instructions");
    }
}

#[test]
fn every_register_and_label_of_a_file_is_found() {
    for (path, text) in texts() {
        let module = parse(&text).expect("parses");
        for function in &module.functions {
            let Some(body) = &function.body else { continue };
            for instruction in &body.instructions {
                let names = instruction.operands.iter().flat_map(names_in);
                for name in names.chain(instruction.guard.map(|guard| guard.register)) {
                    let is_found = body.resolve(instruction.scope, name).is_some()
                        || module.function(name).is_some()
                        || module.variable(name).is_some();
                    let is_special = name == "%ctaid" || name == "%tid" || name == "%nctaid";
                    assert!(
                        is_found || is_special,
                        "{path}: `{name}` in `{instruction}`"
                    );
                }
            }
        }
    }
}

fn names_in<'text>(operand: &Operand<'text>) -> Vec<&'text str> {
    match operand {
        Operand::Name(name)
        | Operand::Component(name, _)
        | Operand::Not(name)
        | Operand::Offset(name, _)
        | Operand::Address {
            base: Some(name), ..
        } => vec![name],
        Operand::Vector(operands) | Operand::Tensor(operands) | Operand::List(operands) => {
            operands.iter().flat_map(names_in).collect()
        }
        Operand::Pair(operands) => operands.iter().flat_map(names_in).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_head_of_a_module() {
    let text = forms();
    let module = parse(&text).expect("parses");
    assert_eq!(module.version, (8, 3));
    assert_eq!(module.architecture(), "sm_90a");
    assert_eq!(module.address_size, 64);
    assert_eq!(module.file(1), Some("/src/forms.cu"));
    assert_eq!(module.file(2), Some(r"C:\src\forms.h"));
    assert_eq!(module.file(3), None);
    let entries: Vec<_> = module.entries().map(|entry| entry.name).collect();
    assert_eq!(entries, ["forms", "empty"]);
}

#[test]
fn a_definition_is_found_before_its_declaration() {
    let text = forms();
    let module = parse(&text).expect("parses");
    assert!(
        module
            .function("thrice")
            .is_some_and(|thrice| thrice.body.is_some())
    );
    assert!(
        module
            .function("vprintf")
            .is_some_and(|vprintf| vprintf.body.is_none())
    );
    assert!(module.entry("thrice").is_none());
}

#[test]
fn parameters_and_directives_of_an_entry() {
    let text = forms();
    let module = parse(&text).expect("parses");
    let entry = module.entry("forms").expect("an entry");
    assert_eq!(entry.directive("maxntid"), Some([128, 1, 1].as_slice()));
    assert_eq!(entry.directive("maxnreg"), Some([128].as_slice()));
    assert_eq!(entry.directive("reqntid"), None);
    let [first, second, third, fourth] = entry.parameters.as_slice() else {
        panic!("{:?}", entry.parameters);
    };
    let pointer = first.pointer.expect("a pointer");
    assert_eq!(first.ty, Type::U64);
    assert_eq!(
        (pointer.space, pointer.alignment),
        (Some(Space::Global), Some(16))
    );
    assert_eq!(first.alignment, None);
    assert_eq!(second.pointer, Some(Default::default()));
    assert_eq!(
        (third.alignment, third.dimensions.as_slice()),
        (Some(64), [Some(128)].as_slice())
    );
    assert_eq!((fourth.name, fourth.ty), ("forms_param_3", Type::U32));
}

#[test]
fn variables_with_what_they_hold() {
    let text = forms();
    let module = parse(&text).expect("parses");
    let held = |name: &str| {
        let variable = module.variable(name).unwrap_or_else(|| panic!("no {name}"));
        variable
            .initializer
            .clone()
            .unwrap_or_else(|| panic!("{name} holds nothing"))
    };
    let integers = |values: &[i64]| {
        Initializer::List(
            values
                .iter()
                .map(|&value| Initializer::Integer(value))
                .collect(),
        )
    };
    let address = |symbol, offset, generic, mask| Initializer::Address {
        symbol,
        offset,
        generic,
        mask,
    };
    assert_eq!(held("$str"), integers(&[116, 105, 108, 101, 58, 32, 0]));
    assert_eq!(
        held("quad"),
        Initializer::List(vec![
            Initializer::Single(0x3F80_0000),
            Initializer::Double(1.5_f64.to_bits()),
            Initializer::Double((-2.0_f64).to_bits()),
            Initializer::Double(1.0_f64.to_bits()),
        ])
    );
    assert_eq!(
        held("table"),
        Initializer::List(vec![
            integers(&[1]),
            integers(&[2, 3]),
            integers(&[15, 4_294_967_295])
        ])
    );
    assert_eq!(
        held("pointers"),
        Initializer::List(vec![
            address("$str", 0, false, None),
            address("table", 8, true, None),
            address("nothing", 0, false, None),
        ])
    );
    assert_eq!(
        held("split"),
        Initializer::List(vec![
            address("$str", 0, true, Some(0xFF)),
            address("$str", 4, true, Some(0xFF00)),
        ])
    );
    let table = module.variable("table").expect("a variable");
    assert_eq!(table.dimensions, [None, Some(2)]);
    let shared = module.variable("global_smem").expect("a variable");
    assert_eq!(
        (shared.space, shared.alignment),
        (Space::Shared, Some(1024))
    );
    assert_eq!(
        module.variable("b").map(|b| b.dimensions.clone()),
        Some(vec![Some(2)])
    );
}

#[test]
fn names_are_those_of_the_innermost_scope() {
    let text = forms();
    let module = parse(&text).expect("parses");
    let body = module
        .entry("forms")
        .and_then(|entry| entry.body.as_ref())
        .expect("a body");
    let branches: Vec<_> = body
        .instructions
        .iter()
        .filter(|instruction| instruction.operands == [Operand::Name("LAB_WAIT")])
        .collect();
    let [first, second] = branches.as_slice() else {
        panic!("{branches:?}");
    };
    let wait = |body: &Body<'_>, scope| match body.resolve(scope, "LAB_WAIT") {
        Some(Named::Label(position)) => body.instructions[position].to_string(),
        other => panic!("{other:?}"),
    };
    assert!(wait(body, first.scope).starts_with("mbarrier.try_wait"));
    assert_eq!(wait(body, second.scope), "@P1 bra LAB_WAIT;");
    let predicate = |scope| body.resolve(scope, "P1");
    assert_ne!(predicate(first.scope), predicate(second.scope));
    assert!(matches!(
        predicate(first.scope),
        Some(Named::Register { .. })
    ));
    assert_eq!(body.resolve(Default::default(), "P1"), None);
    assert_eq!(
        body.resolve(first.scope, "%r7"),
        body.resolve(second.scope, "%r7")
    );
}

#[test]
fn loc_holds_until_the_next() {
    let text = forms();
    let module = parse(&text).expect("parses");
    let body = module
        .entry("forms")
        .and_then(|entry| entry.body.as_ref())
        .expect("a body");
    let place = |opcode: &str| {
        let found = body
            .instructions
            .iter()
            .find(|instruction| instruction.opcode[0] == opcode);
        let location = found
            .and_then(|instruction| instruction.location)
            .expect("a location");
        (location.file, location.line, location.column)
    };
    assert_eq!(place("cvta"), (1, 5, 3));
    assert_eq!(place("setp"), (1, 6, 9));
    assert_eq!(place("wgmma"), (1, 6, 9));
    let nothing = module
        .function("nothing")
        .and_then(|of| of.body.as_ref())
        .expect("a body");
    assert_eq!(nothing.instructions[0].location, None);
}

#[test]
fn lines_are_those_of_the_text() {
    let text = forms();
    let module = parse(&text).expect("parses");
    for entry in module.entries() {
        for instruction in &entry.body.as_ref().expect("a body").instructions {
            let line = text
                .lines()
                .nth(instruction.line as usize - 1)
                .unwrap_or_default();
            // One opcode has spaces between its parts.
            let opcode = instruction.opcode[0];
            assert!(
                line.contains(opcode),
                "line {}: `{line}`: {opcode}",
                instruction.line
            );
        }
    }
}
