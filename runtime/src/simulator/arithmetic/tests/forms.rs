//! Which instructions are known.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::form;
use crate::simulator::arithmetic::{Class, Form, Kind, extension, find, forms, opcodes, rows};
use crate::simulator::registers::{FULL, Registers, Slot};

/// Every instruction that the tables match.
fn all() -> Vec<(String, Form)> {
    let mut all = Vec::new();
    for row in rows() {
        for modifiers in row.expansions() {
            let mut parts = vec![row.opcode()];
            parts.extend(modifiers);
            for (destinations, sources) in row.operand_counts() {
                // Not found are conversions with `.sat` that would change nothing.
                let found = find(&parts, destinations, sources);
                let name = parts.join(".");
                assert!(found.is_some() || name.starts_with("cvt.sat"), "{name}");
                all.extend(found.map(|form| (name, form)));
            }
        }
    }
    all
}

#[test]
fn every_line_of_the_tables_is_found() {
    assert!(all().len() > 4000);
}

#[test]
fn what_the_compiler_emits_is_known() {
    for line in include_str!("emitted.txt").lines() {
        let (name, operands) = line.split_once(' ').expect("name and operands");
        let (destinations, sources) = operands.split_once('=').expect("d=s");
        let count = |text: &str| text.parse().expect("a count");
        form(name, count(destinations), count(sources));
    }
}

#[test]
fn what_ptx_does_not_have_is_not_found() {
    for (name, destinations, sources) in [
        ("add.rn.s32", 1, 2),
        ("add.f32.rn", 1, 2),
        ("add.f32", 1, 3),
        ("add", 1, 2),
        ("frobnicate.s32", 1, 2),
        ("min.relu.u32", 1, 2),
        ("cvt.f16.f32", 1, 1), // a rounding mode is needed
        ("cvt.s32.f32", 1, 1),
        ("cvt.sat.s32.s16", 1, 1), // never out of range
        ("cvt.rn.sat.bf16.f32", 1, 1),
        ("setp.ltu.s32", 1, 2),
        ("setp.lo.s32", 1, 2),
        ("setp.lt.b32", 1, 2),
        ("setp.lt.f16", 2, 2), // only pairs have two results
        ("mul.s32", 1, 2),
        ("sqrt.f32", 1, 1),
        ("add.ftz.f64", 1, 2),
        ("", 1, 2),
    ] {
        let parts: Vec<_> = name.split('.').collect();
        assert!(find(&parts, destinations, sources).is_none(), "{name}");
    }
    assert!(find(&[], 1, 2).is_none());
}

#[test]
fn optional_operands_are_told_apart_by_their_number() {
    use Kind::{B32, Predicate};
    assert_eq!(form("setp.lt.s32", 1, 2).sources, [B32, B32]);
    assert_eq!(form("setp.lt.s32", 2, 2).destinations, [Predicate; 2]);
    assert_eq!(form("setp.lt.and.s32", 1, 3).sources, [B32, B32, Predicate]);
    assert_eq!(form("mov.b64", 2, 1).destinations, [B32, B32]);
    assert_eq!(form("mov.b64", 1, 2).sources, [B32, B32]);
    assert_eq!(form("mov.b64", 1, 4).sources, [Kind::B16; 4]);
    assert_eq!(form("min.f32", 1, 3).sources, [Kind::F32; 3]);
}

#[test]
fn kinds_say_how_wide_registers_are_and_how_literals_are_read() {
    assert_eq!(form("mul.wide.s32", 1, 2).destinations, [Kind::B64]);
    assert_eq!(form("shl.b64", 1, 2).sources, [Kind::B64, Kind::B32]);
    assert_eq!(form("cvt.rn.f16.f32", 1, 1).sources, [Kind::F32]);
    assert_eq!(form("cvt.rn.f16x2.f32", 1, 2).destinations, [Kind::B32]);
    assert_eq!(form("fma.rn.f16", 1, 3).sources, [Kind::B16; 3]);
    let eight = form("cvt.s8.s32", 1, 1);
    assert_eq!(
        (eight.destinations.as_slice(), eight.signed),
        ([Kind::B8].as_slice(), true)
    );
    assert!(!form("cvt.u8.s32", 1, 1).signed);
    assert!(form("addc.cc.u32", 1, 2).carry);
    assert!(!form("add.u32", 1, 2).carry);
}

#[test]
fn operations_are_counted() {
    let counted = |name, sources| {
        let form = form(name, 1, sources);
        (form.class, form.flops)
    };
    assert_eq!(counted("fma.rn.f32", 3), (Class::F32, 2));
    assert_eq!(counted("fma.rn.f16x2", 3), (Class::F16, 4));
    assert_eq!(counted("fma.rn.bf16", 3), (Class::F16, 2));
    assert_eq!(counted("add.f64", 2), (Class::F64, 1));
    assert_eq!(counted("add.s32", 2), (Class::Integer, 0));
    assert_eq!(counted("ex2.approx.f32", 1), (Class::Special, 1));
    assert_eq!(counted("cvt.rn.f16.f32", 1), (Class::Conversion, 0));
}

#[test]
fn forms_are_listed_as_the_manual_writes_them() {
    assert_eq!(
        forms("copysign"),
        ["copysign.f32 d, a, b", "copysign.f64 d, a, b"]
    );
    assert_eq!(
        forms("fma")[..2],
        [
            "fma.rn{.ftz}{.sat}.f32 d, a, b, c",
            "fma.<rz|rm|rp>{.ftz}{.sat}.f32 d, a, b, c"
        ]
    );
    let moves = forms("mov");
    assert!(
        moves.contains(&"mov.b64 {d0,d1}, a".to_owned()),
        "{moves:?}"
    );
    assert!(moves.contains(&"mov.b32 d, {a0,a1,a2,a3}".to_owned()));
    assert!(moves.contains(&"mov.pred p, a".to_owned()));
    assert!(
        forms("setp").contains(
            &"setp.<eq|ne|lt|le|gt|ge>.<and|or|xor>.<s16|s32|s64> p|q, a, b, c".to_owned()
        )
    );
    assert!(forms("frobnicate").is_empty());
    assert!(opcodes().is_sorted());
    assert!(opcodes().contains(&"prmt") && opcodes().len() > 50);
}

#[test]
fn a_wider_register_gets_the_sign_or_zeros() {
    let mut registers = Registers::new(2, 0);
    let extended = |registers: &mut Registers, to, signed| {
        registers.set64(Slot(0), FULL, [0xdead_beef_0000_0080; 32]);
        let run = extension(Kind::B8, to, signed).expect("wider");
        run(registers, &[Slot(0), Slot(0)], FULL);
        registers.get64(Slot(0))[31]
    };
    assert_eq!(extended(&mut registers, Kind::B64, true), !0x7f);
    assert_eq!(extended(&mut registers, Kind::B64, false), 0x80);
    assert_eq!(extended(&mut registers, Kind::B16, true) as u32, 0xff80);
    assert!(extension(Kind::B32, Kind::B32, true).is_none());
    assert!(extension(Kind::B32, Kind::B16, true).is_none());
}

#[test]
fn lanes_outside_the_mask_keep_their_value() {
    for (name, form) in all() {
        let operands = form.destinations.len() + form.sources.len() + usize::from(form.carry);
        let mut registers = Registers::new(2 * operands, operands);
        let mut slots = Vec::new();
        let kinds = form.destinations.iter().chain(&form.sources);
        for (index, kind) in (0..operands as u32).zip(kinds.chain([&Kind::Predicate])) {
            let predicate = *kind == Kind::Predicate;
            slots.push(Slot(if predicate { index } else { 2 * index }));
            let value = 0x1234_5678_9abc_def0 & (u64::MAX >> (64 - kind.bits()));
            registers.set64(Slot(2 * index), FULL, [value; 32]);
            registers.set_predicate(Slot(index), FULL, 0x5555_5555);
        }
        let before = registers.clone();
        (form.run)(&mut registers, &slots, 0x0f00_000f);
        for (slot, kind) in slots.iter().zip(&form.destinations) {
            if *kind == Kind::Predicate {
                let changed = registers.predicate(*slot) ^ before.predicate(*slot);
                assert_eq!(changed & !0x0f00_000f, 0, "{name}");
            } else {
                let [old, new] = [&before, &registers].map(|registers| registers.get64(*slot));
                assert_eq!(
                    (&old[4..24], &old[28..]),
                    (&new[4..24], &new[28..]),
                    "{name}"
                );
                // Of the lanes that are written, bits above the type are zero.
                let kept = if kind.bits() <= 32 { 32 } else { 64 };
                let above = new[0] & (u64::MAX >> (64 - kept));
                assert_eq!(
                    above.checked_shr(kind.bits()).unwrap_or(0),
                    0,
                    "{name} {above:x}"
                );
            }
        }
    }
}

#[test]
fn a_destination_may_be_a_source() {
    let mut registers = Registers::new(4, 0);
    registers.set64(Slot(0), FULL, [0x0000_0002_0000_0001; 32]);
    let unpack = form("mov.b64", 2, 1);
    (unpack.run)(&mut registers, &[Slot(1), Slot(0), Slot(0)], FULL);
    assert_eq!(
        [registers.get32(Slot(0))[5], registers.get32(Slot(1))[5]],
        [2, 1]
    );
    let add = form("add.s64", 1, 2);
    (add.run)(&mut registers, &[Slot(0), Slot(0), Slot(0)], FULL);
    assert_eq!(registers.get64(Slot(0))[5], 0x0000_0002_0000_0004);
}

/// NVIDIA's assembler takes every form, with operands of the kinds that it says; where there is no
/// assembler, nothing is checked.
#[test]
fn every_form_assembles() {
    let ptxas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.toolchain/bin/ptxas");
    if !ptxas.exists() {
        return;
    }
    let mut text = ".version 9.3\n.target sm_100a\n.address_size 64\n.visible .entry k() {\n\
        .reg .pred %p<9>; .reg .b8 %c<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n\
        .reg .f32 %f<9>; .reg .f64 %g<9>;\n"
        .to_owned();
    for (name, form) in all() {
        let mut number = 0;
        let mut register = |kind: &Kind| {
            number += 1;
            let letter = match kind {
                Kind::Predicate => 'p',
                Kind::B8 => 'c',
                Kind::B16 => 'h',
                Kind::B32 => 'r',
                Kind::B64 => 'd',
                Kind::F32 => 'f',
                Kind::F64 => 'g',
            };
            format!("%{letter}{number}")
        };
        let left: Vec<_> = form.destinations.iter().map(&mut register).collect();
        let mut right: Vec<_> = form.sources.iter().map(&mut register).collect();
        let vectors = name.starts_with("mov.");
        let left = match left.len() {
            1 => left[0].clone(),
            _ if vectors => format!("{{{}}}", left.join(",")),
            _ => left.join("|"),
        };
        if vectors && right.len() > 1 {
            right = vec![format!("{{{}}}", right.join(","))];
        }
        if name.starts_with("lop3") {
            right[3] = "0x1e".to_owned(); // the table is a constant
        }
        writeln!(text, "{name} {left}, {};", right.join(", ")).expect("a string");
    }
    text.push_str("ret; }\n");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("forms.ptx");
    std::fs::write(&file, text).expect("written");
    let output = Command::new(ptxas)
        .args(["-arch=sm_100a", "-o", "/dev/null"])
        .arg(file)
        .output()
        .expect("ptxas runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}",
        &errors[..errors.len().min(2000)]
    );
}
