//! Typed kernels built by hand.

use std::collections::BTreeMap;

use tile_runtime::element::ElementType;

use crate::diagnostic::Span;
use crate::typed::{
    BinaryOperation, Block, CacheHints, CompareOperation, Constant, Dimension, Element, Expr,
    ExprKind, Kernel, Overrides, Parameter, Stmt, StmtKind, Stride, TensorParameter, ValueType,
    Variable, VariableId,
};

/// A kernel being built. Spans count up, so that errors can be told apart.
pub struct Builder {
    kernel: Kernel,
}

/// The span that error tests look for.
pub const HERE: Span = Span {
    file: 0,
    start: 10,
    end: 20,
};

fn number(element: ElementType, shape: &[u64]) -> ValueType {
    ValueType {
        element: Element::Number(element),
        shape: shape.to_vec(),
    }
}

pub fn expr(kind: ExprKind, element: ElementType, shape: &[u64]) -> Expr {
    Expr {
        kind,
        ty: number(element, shape),
        span: HERE,
    }
}

pub fn constant(element: ElementType, value: i128) -> Expr {
    let constant = if element.is_float() {
        Constant::Float(value as f64)
    } else {
        Constant::Int(value)
    };
    expr(ExprKind::Constant(constant), element, &[])
}

pub fn binary(operation: BinaryOperation, left: Expr, right: Expr) -> Expr {
    Expr {
        ty: left.ty.clone(),
        kind: ExprKind::Binary {
            operation,
            left: Box::new(left),
            right: Box::new(right),
        },
        span: HERE,
    }
}

pub fn compare(operation: CompareOperation, left: Expr, right: Expr) -> Expr {
    let shape = left.ty.shape.clone();
    let kind = ExprKind::Compare {
        operation,
        left: Box::new(left),
        right: Box::new(right),
    };
    expr(kind, ElementType::I1, &shape)
}

pub fn broadcast(operand: Expr, shape: &[u64]) -> Expr {
    Expr {
        ty: ValueType {
            element: operand.ty.element,
            shape: shape.to_vec(),
        },
        kind: ExprKind::Broadcast(Box::new(operand)),
        span: HERE,
    }
}

pub fn arange(count: u64) -> Expr {
    let kind = ExprKind::Arange {
        lo: 0,
        hi: count as i64,
    };
    expr(kind, ElementType::I32, &[count])
}

pub fn program_id(axis: u8) -> Expr {
    expr(ExprKind::ProgramId(axis), ElementType::I32, &[])
}

/// `program_id(0) * block + arange(0, block)`
pub fn block_of(block: u64) -> Expr {
    let start = binary(
        BinaryOperation::Multiply,
        program_id(0),
        constant(ElementType::I32, block.into()),
    );
    binary(
        BinaryOperation::Add,
        broadcast(start, &[block]),
        arange(block),
    )
}

/// `pointer + offset`, with the pointer broadcast.
pub fn offset(pointer: Expr, offset: Expr) -> Expr {
    let pointer = broadcast(pointer, &offset.ty.shape);
    Expr {
        ty: pointer.ty.clone(),
        kind: ExprKind::PointerOffset {
            pointer: Box::new(pointer),
            offset: Box::new(offset),
        },
        span: HERE,
    }
}

pub fn load(pointers: Expr, mask: Option<Expr>, other: Option<Expr>) -> Expr {
    let Element::Pointer { pointee, .. } = pointers.ty.element else {
        panic!("a load through numbers");
    };
    let shape = pointers.ty.shape.clone();
    let kind = ExprKind::Load {
        pointers: Box::new(pointers),
        mask: mask.map(Box::new),
        other: other.map(Box::new),
        cache: CacheHints::default(),
    };
    expr(kind, pointee, &shape)
}

pub fn statement(kind: StmtKind) -> Stmt {
    Stmt { kind, span: HERE }
}

pub fn block(statements: Vec<StmtKind>) -> Block {
    Block {
        statements: statements.into_iter().map(statement).collect(),
    }
}

pub fn store(pointers: Expr, value: Expr, mask: Option<Expr>) -> StmtKind {
    StmtKind::Store {
        pointers,
        value,
        mask,
        cache: CacheHints::default(),
    }
}

impl Builder {
    pub fn new() -> Self {
        Self {
            kernel: Kernel {
                name: "test".to_owned(),
                docs: String::new(),
                span: Span::default(),
                generics: BTreeMap::new(),
                parameters: Vec::new(),
                sizes: Vec::new(),
                grid: None,
                spread: None,
                promises: Vec::new(),
                overrides: Overrides::default(),
                variables: Vec::new(),
                body: Block::default(),
            },
        }
    }

    fn declare(&mut self, name: &str, ty: ValueType) -> VariableId {
        self.kernel.variables.push(Variable {
            name: name.to_owned(),
            ty,
            span: Span::default(),
        });
        VariableId(self.kernel.variables.len() as u32 - 1)
    }

    /// A variable of the body.
    pub fn variable(&mut self, name: &str, element: ElementType, shape: &[u64]) -> VariableId {
        self.declare(name, number(element, shape))
    }

    /// The value of a variable.
    pub fn read(&self, variable: VariableId) -> Expr {
        Expr {
            kind: ExprKind::Variable(variable),
            ty: self.kernel.variables[variable.0 as usize].ty.clone(),
            span: HERE,
        }
    }

    /// A scalar parameter, and its value.
    pub fn scalar(&mut self, name: &str, element: ElementType) -> Expr {
        let variable = self.variable(name, element, &[]);
        let name = name.to_owned();
        self.kernel
            .parameters
            .push(Parameter::Scalar { name, variable });
        self.read(variable)
    }

    fn pointer_variable(&mut self, name: &str, pointee: ElementType, mutable: bool) -> VariableId {
        let ty = ValueType {
            element: Element::Pointer { pointee, mutable },
            shape: vec![],
        };
        self.declare(name, ty)
    }

    /// A pointer parameter, and its value.
    pub fn pointer(&mut self, name: &str, pointee: ElementType, mutable: bool) -> Expr {
        let variable = self.pointer_variable(name, pointee, mutable);
        let name = name.to_owned();
        self.kernel
            .parameters
            .push(Parameter::Pointer { name, variable });
        self.read(variable)
    }

    /// A mutable tensor parameter with these sizes (by name) and strides; its index.
    pub fn tensor(
        &mut self,
        name: &str,
        element: ElementType,
        sizes: &[&str],
        strides: Vec<Stride>,
    ) -> usize {
        let pointer = self.pointer_variable(name, element, true);
        let dimensions = sizes.iter().map(|size| {
            let known = self.kernel.sizes.iter().position(|(name, _)| name == size);
            Dimension::Size(known.unwrap_or_else(|| {
                let variable = self.variable(size, ElementType::I32, &[]);
                self.kernel.sizes.push(((*size).to_owned(), variable));
                self.kernel.sizes.len() - 1
            }))
        });
        let dimensions = dimensions.collect();
        self.kernel
            .parameters
            .push(Parameter::Tensor(TensorParameter {
                name: name.to_owned(),
                span: Span::default(),
                pointer,
                dimensions,
                strides,
            }));
        self.kernel.parameters.len() - 1
    }

    /// The variable of a named size.
    pub fn size(&self, name: &str) -> VariableId {
        let mut sizes = self.kernel.sizes.iter();
        sizes
            .find(|(known, _)| known == name)
            .expect("a size of a tensor")
            .1
    }

    /// A body that reads variables.
    pub fn finish_with(self, body: impl FnOnce(&Self) -> Vec<StmtKind>) -> Kernel {
        let body = body(&self);
        self.finish(body)
    }

    pub fn finish(mut self, body: Vec<StmtKind>) -> Kernel {
        self.kernel.body = block(body);
        self.kernel
    }
}
