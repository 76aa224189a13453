//! Which strides of pointers are likely to be 1.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::walk::{expressions, reads, with_nested};
use super::{
    BinaryOperation, Constant, Element, Expr, ExprKind, Kernel, Parameter, Stmt, StmtKind,
    VariableId,
};

/// Parameters that are likely to be 1 together, as strides of pointers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitStrides {
    /// The last ones, as in tensors whose rows are dense.
    Usual(BTreeSet<VariableId>),
    /// Those and the ones of rows that a loop loads for its products, whose elements are too narrow to be copied ahead one by one.
    Rows(BTreeSet<VariableId>),
    /// Of right operands of products it is the other one.
    Right(BTreeSet<VariableId>),
    /// Of left operands of products it is the other one.
    Left(BTreeSet<VariableId>),
    /// Of what is stored it is the other one.
    Stored(BTreeSet<VariableId>),
    /// Without products, of what is loaded it is the other one.
    Loaded(BTreeSet<VariableId>),
    /// Of tensors with more dimensions than a tile goes along, as images, it is one that an axis of the tile has alone: that of channels.
    Channels(BTreeSet<VariableId>),
}

/// The strides of pointers that are likely to be 1. Kernels have the strides of a tensor in the order of its dimensions: of those that the positions along the axes
/// of a tile are multiplied with it is the one that is declared last, wherever the axis is in the tile. What is 1 for one tile and another stride of another one is left
/// out. Where both operands of a product are loaded, either may be transposed as well, and so may what is stored beside products, and without products all that is loaded.
/// What is copied to shared memory has so many bytes at least.
#[must_use]
pub fn unit_strides(kernel: &Kernel, narrowest: u64) -> Vec<UnitStrides> {
    let strides = Strides::of(kernel);
    if strides.numbers.is_empty() {
        return Vec::new();
    }
    let mut list = unit(&strides, &kernel.body.statements, narrowest);
    for set in &mut list {
        strides.as_parameters(set.parameters_mut());
    }
    list
}

/// The same, of parameters and of what is one of several.
fn unit(strides: &Strides<'_>, statements: &[Stmt], narrowest: u64) -> Vec<UnitStrides> {
    let products = products(statements);
    let operands: Vec<_> = products
        .iter()
        .map(|product| [product.left, product.right].map(|side| strides.of_operand(side)))
        .collect();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (product, [of_left, of_right]) in products.iter().zip(&operands) {
        let is_loaded = of_left.is_some() && of_right.is_some();
        let moves = |stride| strides.moves(stride, product.counter);
        if let Some([before, own]) = of_left.flatten().filter(|_| is_loaded)
            && moves(own)
            && !moves(before)
        {
            left.push([before, own]);
        }
        if let Some([before, own]) = of_right.flatten().filter(|_| is_loaded)
            && (moves(own) || moves(before))
        {
            right.push([before, own]);
        }
    }
    let usual = strides.usual(&[]);
    let channels = strides.agreed(&[], |pointers| strides.of_channels(pointers));
    let channels = Some(channels).filter(|set| !set.is_empty() && *set != usual);
    if usual.is_empty() {
        return channels.map(UnitStrides::Channels).into_iter().collect();
    }
    let transposed = |pairs: Vec<[VariableId; 2]>| {
        let mut set = usual.clone();
        for [before, own] in pairs {
            if set.remove(&own) {
                set.insert(before);
            } else if set.remove(&before) {
                set.insert(own);
            }
        }
        (set != usual).then_some(set)
    };
    let (left, right) = (transposed(left), transposed(right));
    let other = |pointers: Vec<&Expr>| {
        let pairs = pointers.into_iter();
        transposed(pairs.filter_map(|at| pair(&strides.scaled(at))).collect())
    };
    let (mut list, mut stored, mut loaded) = (Vec::new(), None, None);
    if products.is_empty() {
        loaded = other(strides.loaded().collect());
    } else {
        stored = other(strides.stored.clone());
        let narrow = narrow_rows(statements, narrowest);
        let set = (!narrow.is_empty()).then(|| strides.usual(&narrow));
        list.extend(set.map(UnitStrides::Rows));
    }
    list.push(UnitStrides::Usual(usual));
    list.extend(right.map(UnitStrides::Right));
    list.extend(left.map(UnitStrides::Left));
    list.extend(stored.map(UnitStrides::Stored));
    list.extend(loaded.map(UnitStrides::Loaded));
    list.extend(channels.map(UnitStrides::Channels));
    list
}

impl UnitStrides {
    const fn parameters_mut(&mut self) -> &mut BTreeSet<VariableId> {
        match self {
            Self::Usual(set)
            | Self::Rows(set)
            | Self::Right(set)
            | Self::Left(set)
            | Self::Stored(set)
            | Self::Loaded(set)
            | Self::Channels(set) => set,
        }
    }

    /// The parameters.
    #[must_use]
    pub const fn parameters(&self) -> &BTreeSet<VariableId> {
        match self {
            Self::Usual(set)
            | Self::Rows(set)
            | Self::Right(set)
            | Self::Left(set)
            | Self::Stored(set)
            | Self::Loaded(set)
            | Self::Channels(set) => set,
        }
    }
}

/// A number, or the positions along an axis, times a variable.
struct Scaled<'a> {
    by: VariableId,
    /// What is multiplied with it.
    positions: &'a Expr,
    /// None of a number; of positions along several the last.
    axis: Option<usize>,
    rank: usize,
}

/// What the strides of a kernel's pointers may be.
struct Strides<'a> {
    /// Parameters that are whole numbers, as they are declared, and behind the last of them what is one of several.
    numbers: Vec<VariableId>,
    /// Of a variable that is one of several parameters those.
    chosen: BTreeMap<VariableId, BTreeSet<VariableId>>,
    steps: Vec<Scaled<'a>>,
    /// All expressions, and the pointers of stores.
    all: Vec<&'a Expr>,
    stored: Vec<&'a Expr>,
    /// What positions are compared with, and they themselves.
    compared: Vec<&'a Expr>,
    /// What each variable is.
    assigned: BTreeMap<VariableId, Vec<&'a Expr>>,
    /// What loops count one by one to a number that the source says.
    counters: BTreeSet<VariableId>,
}

/// What is added in pointers.
struct Part<'a> {
    expr: &'a Expr,
    /// Per axis of it the one of the pointers.
    axes: Vec<usize>,
}

impl<'a> Strides<'a> {
    fn of(kernel: &'a Kernel) -> Self {
        let is_integer = |variable: VariableId| {
            let element = kernel.variables[variable.0 as usize].ty.element;
            matches!(element, Element::Number(number) if number.is_integer() && number.bits() >= 32)
        };
        let (mut numbers, mut has_pointers) = (Vec::new(), false);
        for parameter in &kernel.parameters {
            match parameter {
                Parameter::Scalar { variable, .. } if is_integer(*variable) => {
                    numbers.push(*variable);
                }
                Parameter::Pointer { .. } => has_pointers = true,
                _ => {}
            }
        }
        if !has_pointers {
            numbers.clear();
        }
        let statements = &kernel.body.statements;
        let all = expressions(statements);
        let compared = all
            .iter()
            .filter(|expr| matches!(expr.kind, ExprKind::Compare { .. }));
        let (mut assigned, mut stored) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        let mut counters = BTreeSet::new();
        for statement in with_nested(statements) {
            match &statement.kind {
                StmtKind::Assign { variable, value } => {
                    assigned.entry(*variable).or_default().push(value);
                }
                StmtKind::Store { pointers, .. } | StmtKind::Atomic { pointers, .. } => {
                    stored.push(pointers);
                }
                StmtKind::For {
                    variable, hi, step, ..
                } => {
                    let is_known = matches!(hi.kind, ExprKind::Constant(_));
                    let is_one = step.kind == ExprKind::Constant(Constant::Int(1));
                    counters.extend((is_known && is_one).then_some(*variable));
                }
                _ => {}
            }
        }
        let chosen = chosen(&numbers, &assigned);
        for (variable, from) in &chosen {
            let last = numbers.iter().rposition(|number| from.contains(number));
            numbers.insert(last.map_or(0, |last| last + 1), *variable);
        }
        let steps = all.iter().filter_map(|expr| expr.scaled(&numbers));
        Self {
            steps: steps.collect(),
            compared: compared.flat_map(|expr| expr.children()).collect(),
            all,
            stored,
            assigned,
            counters,
            numbers,
            chosen,
        }
    }

    /// Has the parameters that a variable may be in its place.
    fn as_parameters(&self, set: &mut BTreeSet<VariableId>) {
        for (variable, from) in &self.chosen {
            if set.remove(variable) {
                set.extend(from);
            }
        }
    }

    /// Those that are nothing else in another tile. Beside tiles those of rows say nothing: a column of a matrix is one as well. `rows` say something nevertheless.
    fn usual(&self, rows: &[&Expr]) -> BTreeSet<VariableId> {
        self.agreed(rows, |pointers| self.last(pointers))
    }

    fn agreed(
        &self,
        rows: &[&Expr],
        of: impl Fn(&'a Expr) -> Option<VariableId>,
    ) -> BTreeSet<VariableId> {
        let (mut unit, mut others) = (BTreeSet::new(), BTreeSet::new());
        let all = self.pointers();
        let has_tiles = all.iter().any(|pointers| pointers.ty.shape.len() > 1);
        for pointers in all {
            let rank = pointers.ty.shape.len();
            let says = !has_tiles || rows.iter().any(|row| std::ptr::eq(*row, pointers));
            if rank < 2 && !says {
                continue;
            }
            let last = of(pointers);
            for one in self.scaled(pointers) {
                let is_unit = last == Some(one.by);
                if one.axis.is_some() {
                    if is_unit { &mut unit } else { &mut others }.insert(one.by);
                }
            }
        }
        unit.retain(|by| !others.contains(by) && !self.is_size(*by));
        unit
    }

    /// What positions are compared with is a size.
    fn is_size(&self, by: VariableId) -> bool {
        self.compared.iter().any(|expr| reads(expr, by))
    }

    /// Of the strides of a tile of pointers the one that is declared last, if an axis has it; none where an axis has neighbours without one. Where an axis has another
    /// distance, it is that of the last axis.
    fn last(&self, pointers: &'a Expr) -> Option<VariableId> {
        let shape = &pointers.ty.shape;
        let long = |shape: &[u64]| -> Vec<usize> {
            (0..shape.len()).filter(|axis| shape[*axis] > 1).collect()
        };
        let parts = self.parts(pointers);
        let is_plain = |part: &Part<'_>| {
            let part = part.expr;
            let is_product = matches!(
                part.kind,
                ExprKind::Binary {
                    operation: BinaryOperation::Multiply,
                    ..
                }
            );
            let is_sum = !addends(part).is_empty();
            let is_offset = matches!(part.ty.element, Element::Number(_));
            is_offset && !is_product && !is_sum && long(&part.ty.shape).len() == 1
        };
        if parts.iter().any(is_plain) {
            return None;
        }
        let (scaled, numbers): (Vec<_>, Vec<_>) = self
            .scaled(pointers)
            .into_iter()
            .partition(|one| one.axis.is_some());
        let axes: BTreeSet<_> = scaled.iter().filter_map(|one| one.axis).collect();
        let is_whole = axes.into_iter().eq(long(shape));
        let own = scaled
            .iter()
            .filter(|one| is_whole || one.axis.is_some_and(|axis| axis + 1 == one.rank));
        // A number that the source says is a position in a dimension of the tensor as well; the stride itself is that of the position 1, if there are others.
        let is_number = |one: &&Scaled<'_>| {
            let is_known = match &one.positions.unspread().kind {
                ExprKind::Constant(_) => true,
                ExprKind::Variable(variable) => self.counters.contains(variable),
                _ => false,
            };
            is_known && !self.is_size(one.by)
        };
        let known = numbers.iter().filter(is_number);
        let once = parts.iter().filter_map(|part| match part.expr.kind {
            ExprKind::Variable(variable) => Some(variable),
            _ => None,
        });
        let is_stride = |by: &VariableId| {
            let mut steps = self.steps.iter();
            steps.any(|step| step.by == *by && step.axis.is_none() && is_number(&step))
        };
        let all = own.chain(known).map(|one| one.by);
        let all = all.chain(once.filter(is_stride));
        let last = all.max_by_key(|by| self.numbers.iter().position(|own| own == by))?;
        scaled.iter().any(|one| one.by == last).then_some(last)
    }

    /// All pointers that are accessed.
    fn pointers(&self) -> Vec<&'a Expr> {
        self.stored.iter().copied().chain(self.loaded()).collect()
    }

    /// Those of loads.
    fn loaded(&self) -> impl Iterator<Item = &'a Expr> {
        self.all.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Load { pointers, .. } => Some(&**pointers),
            _ => None,
        })
    }

    /// What is multiplied with parameters in pointers.
    fn scaled(&self, pointers: &'a Expr) -> Vec<Scaled<'a>> {
        let rank = pointers.ty.shape.len();
        let parts = self.parts(pointers).into_iter();
        let scaled = parts.filter_map(|part| {
            let one = part.expr.scaled(&self.numbers)?;
            let axis = one.axis.map(|axis| part.axes[axis]);
            Some(Scaled { axis, rank, ..one })
        });
        scaled.collect()
    }

    /// What pointers are a sum of, through variables.
    fn parts(&self, pointers: &'a Expr) -> Vec<Part<'a>> {
        let (mut list, mut seen) = (Vec::new(), HashSet::new());
        let axes = (0..pointers.ty.shape.len()).collect();
        let mut open = vec![Part {
            expr: pointers,
            axes,
        }];
        while let Some(part) = open.pop() {
            let axes = || part.axes.clone();
            if let ExprKind::Variable(variable) = &part.expr.kind
                && let Some(values) = self.assigned.get(variable)
            {
                if seen.insert((*variable, axes())) {
                    open.extend(values.iter().map(|expr| Part { expr, axes: axes() }));
                }
                continue;
            }
            open.extend(addends(part.expr).into_iter().map(|expr| {
                let mut axes = axes();
                if let ExprKind::ExpandDimension { axis, .. } = part.expr.kind {
                    axes.remove(axis);
                }
                axes.truncate(expr.ty.shape.len());
                Part { expr, axes }
            }));
            list.push(part);
        }
        list
    }

    /// Of a tile that goes along fewer axes than it has strides the last of those that an axis has alone, otherwise of any tile the usual one.
    fn of_channels(&self, pointers: &'a Expr) -> Option<VariableId> {
        let scaled = self.scaled(pointers);
        let of = |axis| {
            let own = scaled.iter().filter(move |one| one.axis == Some(axis));
            own.map(|one| one.by).collect::<BTreeSet<_>>()
        };
        let axes: Vec<_> = (0..pointers.ty.shape.len()).map(of).collect();
        let is_counted = |one: &Scaled<'_>| {
            one.axis.is_none()
                && matches!(one.positions.unspread().kind, ExprKind::Variable(by) if self.counters.contains(&by))
        };
        let has_more = axes.iter().any(|own| own.len() > 1) || scaled.iter().any(is_counted);
        if !has_more {
            return self.last(pointers);
        }
        let alone = axes.iter().filter(|own| own.len() == 1).flatten();
        let number = |by: &VariableId| self.numbers.iter().position(|own| own == by);
        alone.copied().max_by_key(number)
    }

    /// What an expression is, through variables.
    fn followed(&self, expr: &'a Expr, goes_on: fn(&'a Expr) -> Vec<&'a Expr>) -> Vec<&'a Expr> {
        let (mut list, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![expr]);
        while let Some(expr) = open.pop() {
            if let ExprKind::Variable(variable) = &expr.kind
                && let Some(values) = self.assigned.get(variable)
            {
                if seen.insert(*variable) {
                    open.extend(values);
                }
                continue;
            }
            list.push(expr);
            open.extend(goes_on(expr));
        }
        list
    }

    /// Of what is loaded for one side of a product, also where more is computed of it element by element, the strides of rows and of columns if they are parameters.
    /// Bits that are taken out of words are none: packed weights lie as they were packed.
    fn of_operand(&self, side: &'a Expr) -> Option<Option<[VariableId; 2]>> {
        let values = self.followed(side, |expr| match &expr.kind {
            ExprKind::Cast { .. }
            | ExprKind::Broadcast(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary {
                operation:
                    BinaryOperation::Add
                    | BinaryOperation::Subtract
                    | BinaryOperation::Multiply
                    | BinaryOperation::Divide
                    | BinaryOperation::Minimum
                    | BinaryOperation::Maximum,
                ..
            }
            | ExprKind::Select { .. }
            | ExprKind::FusedMultiplyAdd { .. } => expr.children(),
            _ => Vec::new(),
        });
        let is_product = |value: &&Expr| matches!(value.kind, ExprKind::Dot { .. });
        if values.iter().any(is_product) {
            return None;
        }
        let pairs = values.into_iter().filter_map(|value| match &value.kind {
            ExprKind::Load { pointers, .. } => Some(pair(&self.scaled(pointers))),
            _ => None,
        });
        pairs.max_by_key(Option::is_some)
    }

    /// Whether a loop moves by a stride.
    fn moves(&self, by: VariableId, counter: Option<VariableId>) -> bool {
        let mut own = self.steps.iter().filter(|one| one.by == by);
        own.any(|one| {
            let mut parts = self.followed(one.positions, Expr::children).into_iter();
            let mut is_counted =
                |counter| reads(one.positions, counter) || parts.any(|part| reads(part, counter));
            one.axis.is_none() || counter.is_some_and(&mut is_counted)
        })
    }
}

/// Variables that are one of several of these parameters, as the strides of one of several matrices.
fn chosen(
    numbers: &[VariableId],
    assigned: &BTreeMap<VariableId, Vec<&Expr>>,
) -> BTreeMap<VariableId, BTreeSet<VariableId>> {
    let parameters = |value: &Expr| {
        let mut found = BTreeSet::new();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match &value.kind {
                ExprKind::Select {
                    then, otherwise, ..
                } => open.extend([&**then, &**otherwise]),
                ExprKind::Variable(variable) if numbers.contains(variable) => {
                    found.insert(*variable);
                }
                _ => return None,
            }
        }
        Some(found)
    };
    let is_one_of = |(variable, values): (&VariableId, &Vec<&Expr>)| match values[..] {
        [value] if matches!(value.kind, ExprKind::Select { .. }) => {
            Some((*variable, parameters(value)?))
        }
        _ => None,
    };
    assigned.iter().filter_map(is_one_of).collect()
}

/// What a sum adds; nothing of what is none.
fn addends(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Broadcast(_)
        | ExprKind::ExpandDimension { .. }
        | ExprKind::Cast { .. }
        | ExprKind::PointerOffset { .. }
        | ExprKind::Binary {
            operation: BinaryOperation::Add,
            ..
        } => expr.children(),
        _ => Vec::new(),
    }
}

/// The pointers of rows that loops load, of elements that are too narrow to be copied to shared memory one by one.
fn narrow_rows(statements: &[Stmt], narrowest: u64) -> Vec<&Expr> {
    let loops = with_nested(statements).into_iter().filter(|statement| {
        matches!(
            statement.kind,
            StmtKind::For { .. } | StmtKind::While { .. }
        )
    });
    let inside = loops.flat_map(Stmt::blocks);
    let loaded = inside.flat_map(|block| expressions(&block.statements));
    let pointers = loaded.filter_map(|expr| match &expr.kind {
        ExprKind::Load { pointers, .. } => Some(&**pointers),
        _ => None,
    });
    let is_narrow = |row: &&Expr| match row.ty.element {
        Element::Pointer { pointee, .. } => u64::from(pointee.bytes()) < narrowest,
        Element::Number(_) => false,
    };
    let is_row = |pointers: &&Expr| {
        let long = pointers.ty.shape.iter().filter(|size| **size > 1);
        long.count() == 1
    };
    pointers.filter(is_row).filter(is_narrow).collect()
}

/// The strides of the rows and of the columns of a tile, if each is one parameter.
fn pair(scaled: &[Scaled<'_>]) -> Option<[VariableId; 2]> {
    let of_axis = |axis: usize| {
        let mut own = scaled
            .iter()
            .filter(|one| one.rank == 2 && one.axis == Some(axis));
        let by = own.next()?.by;
        own.all(|one| one.by == by).then_some(by)
    };
    Some([of_axis(0)?, of_axis(1)?])
}

/// A matrix product.
struct Product<'a> {
    left: &'a Expr,
    right: &'a Expr,
    /// What the loop around it counts.
    counter: Option<VariableId>,
}

/// The products of statements, in blocks inside them as well.
fn products(statements: &[Stmt]) -> Vec<Product<'_>> {
    let (mut list, mut open) = (Vec::new(), vec![(statements, None)]);
    while let Some((statements, counter)) = open.pop() {
        for statement in statements {
            let mut parts = statement.expressions();
            while let Some(expr) = parts.pop() {
                if let ExprKind::Dot { left, right, .. } = &expr.kind {
                    list.push(Product {
                        left,
                        right,
                        counter,
                    });
                }
                parts.extend(expr.children());
            }
            let counter = match &statement.kind {
                StmtKind::For { variable, .. } => Some(*variable),
                _ => counter,
            };
            let blocks = statement.blocks().into_iter();
            open.extend(blocks.map(|block| (&block.statements[..], counter)));
        }
    }
    list
}

impl Expr {
    /// What multiplies one of these.
    fn scaled(&self, numbers: &[VariableId]) -> Option<Scaled<'_>> {
        let ExprKind::Binary {
            operation: BinaryOperation::Multiply,
            left,
            right,
        } = &self.kind
        else {
            return None;
        };
        let variable = |side: &Self| match &side.unspread().kind {
            ExprKind::Variable(variable) => Some(*variable).filter(|by| numbers.contains(by)),
            _ => None,
        };
        let (by, positions) = match (variable(right), variable(left)) {
            (Some(by), _) => (by, &**left),
            (None, Some(by)) => (by, &**right),
            (None, None) => return None,
        };
        let shape = &self.ty.shape;
        let axis = (0..shape.len()).rfind(|axis| shape[*axis] > 1);
        Some(Scaled {
            by,
            positions,
            axis,
            rank: shape.len(),
        })
    }

    /// What is repeated in it.
    fn unspread(&self) -> &Self {
        match &self.kind {
            ExprKind::Broadcast(operand) | ExprKind::Cast { operand, .. } => operand.unspread(),
            _ => self,
        }
    }
}
