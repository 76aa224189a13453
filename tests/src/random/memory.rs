//! Loads from parameters, and stores to places that no other program touches.

use tile_runtime::element::ElementType::{
    self, BF16, F16, F32, F64, I1, I8, I16, I32, I64, U8, U16, U32, U64,
};

use super::generator::Generator;
use super::tree::{Expr, Parameter, Statement, Type};

/// A tensor that may be read.
#[derive(Debug, Clone)]
pub struct Input {
    /// The parameter.
    pub name: String,
    /// What it holds.
    pub ty: Type,
    /// Whether its sizes are in its type.
    pub fixed: bool,
}

/// Numbers between which an integer type lies, as far as arguments can be.
fn limits(element: ElementType) -> (i64, i64) {
    match element {
        I1 => (0, 2),
        I8 => (-128, 128),
        I16 => (-32_768, 32_768),
        I32 => (-2_147_483_648, 2_147_483_648),
        I64 => (-9_223_372_036_854_775_807, 9_223_372_036_854_775_807),
        U8 => (0, 256),
        U16 => (0, 65_536),
        U32 => (0, 4_294_967_296),
        U64 => (0, 9_223_372_036_854_775_807),
        _ => (-8, 9),
    }
}

/// An argument that fills a tensor with what the type says.
fn contents(this: &mut Generator, ty: &Type, sizes: &[usize]) -> String {
    let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    let sizes = sizes.join(",");
    let signed = ty.element.is_float() || ty.element.is_signed();
    if let Some(bound) = ty.bound {
        let high = bound.min(100) as i64;
        let low = if signed { -high } else { 0 };
        return format!("randint({low},{};{sizes})", high + 1);
    }
    if ty.element.is_float() {
        return match this.choices.below(4) {
            0 => format!("randn({sizes})"),
            1 => format!("rand(-100,100;{sizes})"),
            2 => format!("rand(0,1;{sizes})"),
            _ => format!("randint(-3,4;{sizes})"),
        };
    }
    let (low, high) = limits(ty.element);
    match this.choices.below(3) {
        0 => format!("randint({low},{high};{sizes})"),
        1 => format!("randint({},{};{sizes})", low.max(-3), high.min(5)),
        _ => format!("randint({},{};{sizes})", low.max(-99), high.min(100)),
    }
}

/// Sizes of a tensor as they are declared, and whether all of them are numbers.
fn declared(this: &mut Generator, name: &str, sizes: &[usize]) -> (Vec<String>, bool) {
    let fixed = this.choices.chance(40);
    let texts = sizes
        .iter()
        .enumerate()
        .map(|(at, size)| match fixed {
            true => size.to_string(),
            false => format!("{name}_{at}"),
        })
        .collect();
    (texts, fixed)
}

/// A new tensor that may be read.
fn new_input(this: &mut Generator, ty: Type) -> Input {
    let name = format!("x{}", this.number());
    let (mut sizes, fixed) = declared(this, &name, &ty.shape);
    let mut argument = contents(this, &ty, &ty.shape);
    let mut strides = "";
    if let [rows, columns] = ty.shape[..]
        && this.choices.chance(20)
    {
        // A transposed tensor, whose strides only the host knows.
        strides = " strides(_, _)";
        argument = contents(this, &ty, &[columns, rows]) + ".T";
    }
    if sizes.is_empty() {
        sizes.push("1".to_owned());
    }
    this.parameters.push(Parameter {
        name: name.clone(),
        declaration: format!("tensor<{}>[{}]{strides}", ty.element, sizes.join(", ")),
        argument,
    });
    let input = Input { name, ty, fixed };
    this.inputs.push(input.clone());
    input
}

/// A scalar parameter with a value.
pub fn scalar_parameter(this: &mut Generator, element: ElementType, value: &str) -> String {
    let name = format!("s{}", this.number());
    this.parameters.push(Parameter {
        name: name.clone(),
        declaration: element.to_string(),
        argument: value.to_owned(),
    });
    name
}

/// A load of what is wanted.
pub fn load(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    if wanted.shape.is_empty() && this.choices.chance(35) {
        return scalar(this, wanted);
    }
    if this.choices.chance(20) {
        return through_pointers(this, wanted, depth);
    }
    if depth > 0 && !wanted.shape.is_empty() && this.choices.chance(8) {
        return through_table(this, wanted, depth);
    }
    let rank = wanted.shape.len();
    let reusable = |input: &&Input| {
        let ty = input.ty.with_shape(&wanted.shape);
        input.ty.shape.len() >= rank.max(1) && ty.fits(wanted)
    };
    let known: Vec<_> = this.inputs.iter().filter(reusable).cloned().collect();
    let at = this.choices.below(known.len());
    let input = match known.get(at) {
        Some(input) if this.choices.chance(50) => input.clone(),
        _ => {
            let shape = tensor_shape(this, &wanted.shape);
            new_input(this, wanted.with_shape(&shape))
        }
    };
    let mut operands = Vec::new();
    let indices = indices(this, &input, &wanted.shape, depth, &mut operands);
    let mut text = format!("load({}[{}]", input.name, indices.join(", "));
    if depth > 0 && this.choices.chance(25) {
        let narrow = this.narrowed(&wanted.shape);
        let mask = this.expr(&Type::of(I1, &narrow), depth - 1);
        text += &format!(", mask = ${}", operands.len());
        operands.push(mask);
    }
    if this.choices.chance(35) {
        let ty = wanted.with_shape(&[]);
        let other = match this.choices.chance(50) {
            true => this.constant(&ty),
            false => this.expr(&ty, depth.min(1)),
        };
        text += &format!(", other = ${}", operands.len());
        operands.push(other);
    }
    text += this.choices.pick(&[
        "",
        "",
        "",
        "",
        ", cache = cg",
        ", evict = first",
        ", cache = ca",
    ]);
    Expr::form(wanted, text + ")", operands)
}

/// A tensor to take a tile from: a little smaller or larger, or with more dimensions.
fn tensor_shape(this: &mut Generator, tile: &[usize]) -> Vec<usize> {
    let mut shape: Vec<usize> = tile
        .iter()
        .map(|&size| {
            if this.aligned {
                size.next_multiple_of(16)
            } else {
                let change = this.choices.pick(&[0, 0, 0, 0, 1, 2, 5, -1, -3]);
                (size as i64 + change).max(1) as usize
            }
        })
        .collect();
    while shape.is_empty() || (shape.len() < 4 && this.choices.chance(20)) {
        let at = this.choices.below(shape.len() + 1);
        let size = if this.aligned {
            16
        } else {
            this.choices.between(1, 6) as usize
        };
        shape.insert(at, size);
    }
    shape
}

/// Indices that take a tile out of a tensor; anything outside is masked by the language.
fn indices(
    this: &mut Generator,
    input: &Input,
    tile: &[usize],
    depth: usize,
    operands: &mut Vec<Expr>,
) -> Vec<String> {
    let sizes = &input.ty.shape;
    let mut dropped = sizes.len() - tile.len().min(sizes.len());
    let mut remaining = tile.iter();
    let mut indices = Vec::new();
    for (at, &size) in sizes.iter().enumerate() {
        let last = sizes.len() - at == dropped;
        if dropped > 0 && (last || this.choices.chance(50)) {
            dropped -= 1;
            indices.push(position(this, size, depth, operands));
            continue;
        }
        let Some(&width) = remaining.next() else {
            continue;
        };
        indices.push(if input.fixed && width == size && this.choices.chance(60) {
            ":".to_owned()
        } else if depth > 0 && this.choices.chance(20) {
            let element = this.choices.pick(&[I32, I32, I32, I64, I16, U8]);
            let index = this.expr(&Type::of(element, &[width]), depth - 1);
            operands.push(index);
            // Most of them inside.
            format!("(${} % {})", operands.len() - 1, (size + 2).min(120))
        } else if this.choices.chance(15) {
            // Other loads of it take the elements between.
            let step = this.choices.pick(&[2, 2, 4]);
            let start = this.choices.between(-1, step);
            format!("({step} * arange(0, {width}) + {start})")
        } else {
            let start = match this.choices.below(6) {
                0..=2 => "0".to_owned(),
                3 => position(this, size, depth, operands),
                // Other loads of it overlap.
                4 => {
                    let step = this.choices.pick(&[1, width]);
                    format!("pid * {step} + {}", this.choices.between(-2, 2))
                }
                _ => this.choices.between(-2, 3).to_string(),
            };
            format!("{start} +: {width}")
        });
    }
    indices
}

/// A position, most often inside.
fn position(this: &mut Generator, size: usize, depth: usize, operands: &mut Vec<Expr>) -> String {
    match this.choices.below(5) {
        0 | 1 => this.choices.below(size).to_string(),
        2 => "pid".to_owned(),
        3 if depth > 0 => {
            let index = this.scalar_i32(depth - 1);
            operands.push(index);
            format!("(${} % {})", operands.len() - 1, size + 1)
        }
        _ => format!("(pid * 3 + {}) % {size}", this.choices.below(size)),
    }
}

/// A parameter that is a number.
fn scalar(this: &mut Generator, wanted: &Type) -> Expr {
    let element = wanted.element;
    let value = match wanted.bound {
        _ if element == I1 => this.choices.pick(&["true", "false"]).to_owned(),
        Some(bound) => this.choices.between(0, bound.min(100) as i64).to_string(),
        None if element.is_float() => {
            let values: &[&str] = match element {
                F16 | F32 | F64 => &["0.5", "-1.25", "3", "0", "1000"],
                _ => &["0.5", "-1.25", "3", "0"],
            };
            this.choices.pick(values).to_owned()
        }
        None if element.is_signed() => this.choices.between(-128, 127).to_string(),
        None => this.choices.between(0, 255).to_string(),
    };
    Expr::form(wanted, scalar_parameter(this, element, &value), Vec::new())
}

/// The number of each element of a tile, row by row.
fn linear(shape: &[usize]) -> String {
    let mut terms = Vec::new();
    for (axis, _) in shape.iter().enumerate() {
        let step: usize = shape[axis + 1..].iter().product();
        let mut indices = vec!["None"; shape.len()];
        indices[axis] = ":";
        let mut term = format!("arange(0, {})", shape[axis]);
        if shape.len() > 1 {
            term = format!("{term}[{}]", indices.join(", "));
        }
        terms.push(if step == 1 {
            term
        } else {
            format!("{term} * {step}")
        });
    }
    if terms.is_empty() {
        return "0".to_owned();
    }
    terms.join(" + ")
}

/// Elements of a table by a tile of positions, some of which are outside.
fn through_table(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    let name = format!("t{}", this.number());
    let length = this.choices.between(1, 40) as usize;
    let (sizes, _) = declared(this, &name, &[length]);
    let argument = contents(this, wanted, &[length]);
    this.parameters.push(Parameter {
        name: name.clone(),
        declaration: format!("tensor<{}>[{}]", wanted.element, sizes.join(", ")),
        argument,
    });
    let element = this.choices.pick(&[I32, I64, I16, U8]);
    let mut operands = vec![this.expr(&Type::of(element, &wanted.shape), depth - 1)];
    let position = match this.choices.below(3) {
        0 => "($0 & 15)".to_owned(),
        1 => format!("($0 % {})", (length + 2).min(120)),
        _ => "$0".to_owned(),
    };
    let mut text = format!("load({name}[{position}]");
    if this.choices.chance(40) {
        text += &format!(", other = ${}", operands.len());
        let ty = wanted.with_shape(&[]);
        operands.push(this.constant(&ty));
    }
    Expr::form(wanted, text + ")", operands)
}

fn through_pointers(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    let name = format!("p{}", this.number());
    let elements = wanted.elements();
    let extra = if this.aligned {
        0
    } else {
        this.choices.between(0, 9) as usize
    };
    let length = elements + extra;
    let argument = contents(this, wanted, &[length]);
    this.parameters.push(Parameter {
        name: name.clone(),
        declaration: format!("ptr<{}>", wanted.element),
        argument,
    });
    let mut operands = Vec::new();
    let offsets = if depth > 0 && this.choices.chance(40) {
        let element = this.choices.pick(&[I32, I64, I16]);
        operands.push(this.expr(&Type::of(element, &wanted.shape), depth - 1));
        format!("clamp($0, 0, {})", length - 1)
    } else if this.choices.chance(30) {
        format!("({} - ({}))", length - 1, linear(&wanted.shape))
    } else {
        let offset = this.choices.below(extra + 1);
        format!("({} + {offset})", linear(&wanted.shape))
    };
    let mut text = format!("load({name} + {offsets}");
    if depth > 0 && this.choices.chance(40) {
        text += &format!(", mask = ${}", operands.len());
        operands.push(this.expr(&Type::of(I1, &wanted.shape), depth - 1));
        if this.choices.chance(60) {
            text += &format!(", other = ${}", operands.len());
            let ty = wanted.with_shape(&[]);
            operands.push(this.constant(&ty));
        }
    }
    Expr::form(wanted, text + ")", operands)
}

/// A place to store to, and what reads it back.
struct Place {
    text: String,
    is_view: bool,
}

/// A step that visits every one of so many places once.
fn scattered(this: &mut Generator, size: usize) -> String {
    let steps: Vec<_> = [1, 3, 5, 7, 11]
        .into_iter()
        .filter(|step| !size.is_multiple_of(*step) || *step == 1)
        .collect();
    let step = this.choices.pick(&steps);
    let start = this.choices.below(size);
    format!("((arange(0, {size}) * {step} + {start}) % {size})")
}

/// A new parameter that is written to.
fn output(this: &mut Generator, name: &str, declaration: String, sizes: &[usize]) {
    let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    this.parameters.push(Parameter {
        name: name.to_owned(),
        declaration,
        argument: format!("randint(0,2;{})", sizes.join(",")),
    });
}

/// A new output of which each program has a part of its own.
fn place(this: &mut Generator, ty: &Type) -> Place {
    let name = format!("y{}", this.number());
    let programs = this.programs;
    let elements = ty.elements();
    let element = ty.element;
    let kind = this.choices.below(5);
    if kind == 0 {
        output(
            this,
            &name,
            format!("mut ptr<{element}>"),
            &[programs * elements],
        );
        let text = format!("{name} + (pid * {elements} + {})", linear(&ty.shape));
        return Place {
            text,
            is_view: false,
        };
    }
    if kind == 1 && ty.shape.len() == 1 {
        // All in a row; the last program's part may be cut off.
        let cut = if this.aligned {
            0
        } else {
            this.choices.below(elements.min(4))
        };
        let length = programs * elements - cut;
        let (sizes, _) = declared(this, &name, &[length]);
        let declaration = format!("mut tensor<{element}>[{}]", sizes[0]);
        output(this, &name, declaration, &[length]);
        let text = format!("{name}[pid * {elements} +: {elements}]");
        return Place {
            text,
            is_view: true,
        };
    }
    let mut sizes = vec![programs];
    if !this.aligned {
        sizes.extend(ty.shape.iter().map(|&size| {
            let change = this.choices.pick(&[0, 0, 0, 0, 0, 1, 3, -1]);
            (size as i64 + change).max(1) as usize
        }));
    } else {
        sizes.extend(&ty.shape);
    }
    let (declared, fixed) = declared(this, &name, &sizes);
    let declaration = format!("mut tensor<{element}>[{}]", declared.join(", "));
    output(this, &name, declaration, &sizes);
    let mut indices = vec!["pid".to_owned()];
    for (&width, &size) in ty.shape.iter().zip(&sizes[1..]) {
        indices.push(if fixed && width == size && this.choices.chance(60) {
            ":".to_owned()
        } else if this.choices.chance(15) {
            scattered(this, width)
        } else {
            let start = this.choices.pick(&[0, 0, 0, 0, 1, -1, 2]);
            format!("{start} +: {width}")
        });
    }
    Place {
        text: format!("{name}[{}]", indices.join(", ")),
        is_view: true,
    }
}

/// A store of a value, and perhaps a variable with what is read back.
pub fn store(this: &mut Generator, value: Expr, depth: usize) -> Vec<Statement> {
    let ty = value.ty.clone();
    let unit = Type::scalar(I1);
    let place = place(this, &ty);
    let mut operands = vec![value];
    let mut text = format!("store({}, $0", place.text);
    if depth > 0 && this.choices.chance(25) {
        text += ", mask = $1";
        let narrow = if place.is_view {
            this.narrowed(&ty.shape)
        } else {
            ty.shape.clone()
        };
        operands.push(this.expr(&Type::of(I1, &narrow), depth - 1));
    }
    text += this
        .choices
        .pick(&["", "", "", "", ", cache = cs", ", evict = first"]);
    let mut statements = vec![Statement::Effect(Expr::form(&unit, text + ")", operands))];
    if this.choices.chance(15) {
        // What is outside, or was not stored, is 0 or 1.
        let bound = ty.bound.map(|bound| bound.max(1));
        let ty = ty.bounded(bound);
        let variable = this.declare(&ty, false);
        statements.push(Statement::Let {
            value: Expr::form(&ty, format!("load({})", place.text), Vec::new()),
            targets: vec![variable],
        });
    }
    statements
}

/// Stores that take turns along the last dimension, perhaps not all of them, or one twice.
pub fn interleaved(this: &mut Generator, depth: usize) -> Vec<Statement> {
    let unit = Type::scalar(I1);
    let element = this.choices.pick(&[F32, F32, BF16, F16, I32, U8, F64]);
    let size = this.choices.pick(&[32, 64, 64, 128, 20]);
    let factor = this.choices.pick(&[2, 2, 4]);
    let ty = Type::of(element, &[size]);
    let name = format!("y{}", this.number());
    let programs = this.programs;
    let is_dimension = this.choices.chance(40);
    let mut sizes = match is_dimension {
        true => vec![programs, size, factor],
        false => vec![programs, size * factor],
    };
    if !this.aligned {
        sizes[1] = (sizes[1] as i64 + this.choices.pick(&[0, 0, 1, 2, -3])) as usize;
    }
    let (mut declared, _) = declared(this, &name, &sizes);
    if is_dimension {
        declared[2] = factor.to_string();
    }
    let declaration = format!("mut tensor<{element}>[{}]", declared.join(", "));
    output(this, &name, declaration, &sizes);
    let mut parts: Vec<usize> = (0..factor).collect();
    if this.choices.chance(30) {
        parts.reverse();
    }
    if this.choices.chance(15) {
        let part = this.choices.below(factor);
        parts.push(part);
    }
    if this.choices.chance(15) {
        parts.remove(0);
    }
    let mask = this
        .choices
        .pick(&["", "", "", ", mask = arange(0, SIZE) < 23"]);
    let mask = mask.replace("SIZE", &size.to_string());
    let mut statements = Vec::new();
    for part in parts {
        let at = match is_dimension {
            true => format!("0 +: {size}, {part}"),
            false => format!("{factor} * arange(0, {size}) + {part}"),
        };
        let value = this.expr(&ty, depth);
        let text = format!("store({name}[pid, {at}], $0{mask})");
        statements.push(Statement::Effect(Expr::form(&unit, text, vec![value])));
    }
    statements
}

/// Atomic accesses of all programs to the same places, in any order.
pub fn atomic(this: &mut Generator, depth: usize) -> Statement {
    let element = this
        .choices
        .pick(&[I32, I32, U32, I64, U64, F32, F64, F16, BF16, I16, U16]);
    let shape = this.shape();
    let mut ty = Type::of(element, &shape);
    let mut names = vec!["atomic_add"];
    if element.is_float() {
        // Eight rounds of a loop, eight programs, and the bound below.
        // They are exact in any order then.
        ty.bound = Some(match element {
            BF16 => 1,
            F16 => 8,
            _ => 100,
        });
    } else {
        names.extend([
            "atomic_and",
            "atomic_or",
            "atomic_xor",
            "atomic_max",
            "atomic_min",
        ]);
    }
    let name = this.choices.pick(&names);
    let parameter = format!("y{}", this.number());
    let elements = ty.elements();
    this.parameters.push(Parameter {
        name: parameter.clone(),
        declaration: format!("mut ptr<{element}>"),
        argument: format!("randint(0,2;{})", this.programs * elements),
    });
    // Within a program each has places of its own; else all have the same.
    let own = this.choices.chance(20);
    let offset = if own {
        format!("pid * {elements} + ")
    } else {
        String::new()
    };
    let mut operands = vec![this.expr(&ty, depth)];
    let mut text = format!("{name}({parameter} + ({offset}{}), $0", linear(&shape));
    if this.choices.chance(40) {
        operands.push(this.expr(&Type::of(I1, &shape), depth.saturating_sub(1)));
        text += ", mask = $1";
    }
    text += match own {
        true => this
            .choices
            .pick(&[", scope = cta", ", order = relaxed, scope = cta"]),
        false => this.choices.pick(&[
            "",
            ", order = relaxed",
            ", scope = sys",
            ", order = release",
        ]),
    };
    Statement::Effect(Expr::form(&Type::scalar(I1), text + ")", operands))
}

/// Stores of which several elements go to one place: what stays there is not said, but all that may leave the same rest.
pub fn scatter(this: &mut Generator) -> Vec<Statement> {
    let unit = Type::scalar(I1);
    let size = this.choices.pick(&[32, 64, 100, 128, 300]);
    let places = this.choices.pick(&[1, 3, 8, 20]);
    let step = this.choices.pick(&[1, 3, 7]);
    let name = format!("y{}", this.number());
    let programs = this.programs;
    output(
        this,
        &name,
        format!("mut tensor<i32>[{programs}, {places}]"),
        &[programs, places],
    );
    let to = format!("(arange(0, {size}) * {step} % {places})");
    let effects = [
        format!("store({name}[pid, {to}], arange(0, {size}) * {places} + {to})"),
        format!("store({name}[pid, :], load({name}[pid, :]) % {places})"),
    ];
    effects
        .map(|text| Statement::Effect(Expr::form(&unit, text, Vec::new())))
        .into()
}
