//! Addresses as integers, and back.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::Scalar;

use super::sources::{Program, given, vector};
use crate::interp::{Argument, Arguments, Buffer, Options, run};

/// `y[i] = *(table[i] as ptr<f32>)`
const READ_TABLE: &str = "
kernel read(table: ptr<i64>, y: mut ptr<f32>) grid(1) {
    let at = arange(0, 4);
    store(y + at, load(load(table + at) as ptr<f32>));
}
";

fn read_table(
    addresses: impl Fn(&[crate::interp::BufferId; 2], &Arguments) -> [i64; 4],
) -> Result<Vec<f64>, String> {
    let program = Program::new(READ_TABLE, &[]);
    let mut arguments = given(&[("y", vector(&[0.0; 4]))]);
    let values = [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]];
    let buffers = values.map(|values| arguments.add_buffer(Buffer::new(ElementType::F32, values)));
    let table = addresses(&buffers, &arguments).map(Scalar::from);
    let buffer = arguments.add_buffer(Buffer::new(ElementType::I64, table));
    arguments.set("table", Argument::Pointer { buffer, offset: 0 });
    let found = program.run([1; 3], &mut arguments, "y");
    found.map(|tensor| tensor.to_f64())
}

#[test]
fn a_table_of_the_host_points_into_buffers_that_are_no_arguments() {
    let found = read_table(|[a, b], arguments| {
        [(a, 0), (b, 2), (b, 0), (a, 1)]
            .map(|(buffer, element)| arguments.address(*buffer, element))
    });
    assert_eq!(found, Ok(vec![1.0, 30.0, 10.0, 2.0]));
}

#[test]
fn an_address_behind_a_buffer_is_in_none() {
    for element in [3, -1] {
        let found = read_table(|[a, b], arguments| {
            [(a, 0), (b, 2), (b, element), (a, 1)]
                .map(|(buffer, element)| arguments.address(*buffer, element))
        });
        let error = found.expect_err("nothing is there");
        assert!(error.contains("which is in no buffer"), "{error}");
        assert!(error.contains("element [2] of the tile"), "{error}");
    }
    let error = read_table(|_, _| [0; 4]).expect_err("null");
    assert!(error.contains("`load` reads the address 0x0"), "{error}");
}

#[test]
fn an_address_between_elements_is_misaligned() {
    let found = read_table(|[a, _], arguments| [arguments.address(*a, 0) + 2; 4]);
    let error = found.expect_err("f32 needs 4 bytes");
    assert!(
        error.contains("`f32` at an address that is no multiple of its 4 bytes"),
        "{error}"
    );
    let text = "
kernel read(x: ptr<i8>, y: mut ptr<f32>) grid(1) {
    store(y, load((x + 2) as ptr<f32>));
}
";
    let program = Program::new(text, &[]);
    let mut arguments = given(&[("y", vector(&[0.0]))]);
    let buffer = arguments.add_buffer(Buffer::new(ElementType::I8, [0i32; 16]));
    arguments.set("x", Argument::Pointer { buffer, offset: 0 });
    let error = program
        .run([1; 3], &mut arguments, "y")
        .expect_err("misaligned");
    assert!(error.contains("no multiple of its 4 bytes"), "{error}");
}

#[test]
fn an_integer_does_not_make_a_parameter_mutable() {
    let text = "
kernel write(x: ptr<f32>, y: mut ptr<f32>) grid(1) {
    store(y, 1.0);
    store(x as i64 as mut ptr<f32>, 2.0);
}
";
    let program = Program::new(text, &[]);
    let mut arguments = given(&[("x", vector(&[0.0])), ("y", vector(&[0.0]))]);
    let error = program
        .run([1; 3], &mut arguments, "y")
        .expect_err("x is read only");
    assert!(
        error.contains("`store` writes to `x`, which is not `mut`"),
        "{error}"
    );
}

#[test]
fn a_buffer_given_twice_has_one_address() {
    let text = "
kernel same(x: ptr<f32>, y: mut ptr<f32>, z: mut ptr<i32>) grid(1) {
    store(z, (x == y) as i32 + 2 * (x + 1 == y) as i32 + 10 * (y - x) as i32);
    store(x as i64 as mut ptr<f32> + 1, 5.0);
}
";
    let program = Program::new(text, &[]);
    let mut arguments = Arguments::new();
    let shared = arguments.add_buffer(Buffer::new(ElementType::F32, [1.0, 2.0]));
    let result = arguments.add_buffer(Buffer::new(ElementType::I32, [0i32]));
    for (name, buffer, offset) in [("x", shared, 0), ("y", shared, 1), ("z", result, 0)] {
        arguments.set(name, Argument::Pointer { buffer, offset });
    }
    run(&program.kernel, [1; 3], &mut arguments, Options::default()).expect("runs");
    let values = |buffer| -> Vec<f64> {
        arguments
            .buffer(buffer)
            .values()
            .map(Scalar::as_f64)
            .collect()
    };
    assert_eq!(values(result), [12.0]);
    assert_eq!(
        values(shared),
        [1.0, 5.0],
        "one of the two parameters is `mut`"
    );
}
