//! `load` and `store`, through pointers and through views.

use super::Call;
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand, ViewOperand, scalar, tile};
use crate::sema::{broadcast, build, view_pointers};
use crate::typed::{
    Bounds, CacheHints, CacheModifier, Element, Evict, Expr, ExprKind, Parameter, StmtKind,
    ValueType,
};
use tile_runtime::element::ElementType;

pub(super) fn load<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(from) = call.take("from") else {
        return Operand::Error;
    };
    let (mask, other) = (call.take("mask"), call.take("other"));
    let cache = hints(&mut call);
    let bounds = call.word("bounds");
    if this.combiner.is_some() {
        return this.error(messages::control::effect_in_combiner("`load`", call.span));
    }
    match from.operand {
        Operand::View(view) => load_view(this, *view, mask, other, cache, bounds, call.span),
        Operand::Value(ref pointers) => match pointers.ty.element {
            Element::Pointer { pointee, .. } => {
                if let Some((_, at)) = bounds {
                    return this.error(messages::memory::bounds_of_pointer(at));
                }
                let pointers = (**pointers).clone();
                load_pointers(this, pointers, pointee, mask, other, cache, call.span)
            }
            Element::Number(_) => this.error(messages::memory::not_loadable("load", &from)),
        },
        Operand::Tensor(tensor) => whole_tensor(this, "load", tensor, from.span),
        _ => this.error(messages::memory::not_loadable("load", &from)),
    }
}

fn load_pointers<'a>(
    this: &mut Elaborator<'a>,
    pointers: Expr,
    pointee: ElementType,
    mask: Option<Located<'a>>,
    other: Option<Located<'a>>,
    cache: CacheHints,
    span: Span,
) -> Operand<'a> {
    let shape = pointers.ty.shape.clone();
    if let (None, Some(other)) = (&mask, &other) {
        return this.error(messages::memory::other_without_mask(other.span));
    }
    let mask = match mask {
        Some(mask) => match access_mask(this, &mask, &pointers.ty) {
            Some(mask) => Some(Box::new(mask)),
            None => return Operand::Error,
        },
        None => None,
    };
    let other = match other {
        Some(other) => {
            let value = this.exactly(&other, pointee, "the loaded elements");
            match value.and_then(|value| stretch(this, value, &shape, "other", other.span)) {
                Some(value) => Some(Box::new(value)),
                None => return Operand::Error,
            }
        }
        None => None,
    };
    let kind = ExprKind::Load {
        pointers: Box::new(pointers),
        mask,
        other,
        cache,
    };
    Operand::value(Expr {
        kind,
        ty: tile(pointee, shape),
        span,
    })
}

fn load_view<'a>(
    this: &mut Elaborator<'a>,
    view: ViewOperand,
    mask: Option<Located<'a>>,
    other: Option<Located<'a>>,
    cache: CacheHints,
    bounds: Option<(String, Span)>,
    span: Span,
) -> Operand<'a> {
    let ty = view.ty();
    let unchecked = matches!(&bounds, Some((word, _)) if word == "unchecked");
    let other = match other {
        Some(other) => {
            let Some(value) = this.exactly(&other, view.element, "the loaded elements") else {
                return Operand::Error;
            };
            if !value.ty.shape.is_empty() {
                return this.error(messages::memory::tile_as_other(&value.ty, other.span));
            }
            Some(value)
        }
        None => None,
    };
    let Some(mask) = mask else {
        let kind = ExprKind::LoadView {
            view: view.view,
            other: other.map(Box::new),
            bounds: if unchecked {
                Bounds::Unchecked
            } else {
                Bounds::Checked
            },
            cache,
        };
        return Operand::value(Expr { kind, ty, span });
    };
    // A masked element of a view would be read all the same, which is only harmless where bounds are
    // checked; pointers leave it out.
    if unchecked {
        let Some((pointers, _)) = view_pointers(this, &view.view, span) else {
            return Operand::Error;
        };
        let Some(mask) = access_mask(this, &mask, &pointers.ty) else {
            return Operand::Error;
        };
        let kind = ExprKind::Load {
            pointers: Box::new(pointers),
            mask: Some(Box::new(mask)),
            other: other.map(|other| Box::new(build::broadcast(other, &ty.shape))),
            cache,
        };
        return Operand::value(Expr { kind, ty, span });
    }
    let Some(mask) = view_mask(this, &mask, &ty.shape) else {
        return Operand::Error;
    };
    let fill = other
        .unwrap_or_else(|| build::constant(build::zero(view.element), scalar(view.element), span));
    let fill = this.once(fill, None);
    let kind = ExprKind::LoadView {
        view: view.view,
        other: Some(Box::new(fill.clone())),
        bounds: Bounds::Checked,
        cache,
    };
    let loaded = Expr {
        kind,
        ty: ty.clone(),
        span,
    };
    Operand::value(build::select(
        mask,
        loaded,
        build::broadcast(fill, &ty.shape),
        span,
    ))
}

/// The mask of an access through a view of this shape.
fn view_mask<'a>(this: &mut Elaborator<'a>, mask: &Located<'a>, shape: &[u64]) -> Option<Expr> {
    let ty = ValueType {
        element: Element::Number(ElementType::I1),
        shape: shape.to_vec(),
    };
    access_mask(this, mask, &ty)
}

pub(super) fn store<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(to), Some(value)) = (call.take("to"), call.take("value")) else {
        return Operand::Error;
    };
    let mask = call.take("mask");
    let cache = hints(&mut call);
    let bounds = call.word("bounds");
    if this.combiner.is_some() {
        return this.error(messages::control::effect_in_combiner("`store`", call.span));
    }
    match to.operand {
        Operand::View(view) => {
            let unchecked = matches!(&bounds, Some((word, _)) if word == "unchecked");
            let bounds = if unchecked {
                Bounds::Unchecked
            } else {
                Bounds::Checked
            };
            match mask {
                // A masked element of a view would be looked up all the same, which is only harmless where bounds are checked;
                // pointers leave it out.
                Some(mask) if unchecked => {
                    store_masked_unchecked(this, *view, &value, &mask, cache, to.span, call.span)
                }
                mask => store_view(this, *view, &value, mask, bounds, cache, to.span, call.span),
            }
        }
        Operand::Value(ref pointers) => match pointers.ty.element {
            Element::Pointer { pointee, mutable } => {
                if let Some((_, at)) = bounds {
                    return this.error(messages::memory::bounds_of_pointer(at));
                }
                if !mutable {
                    let root = root_pointer(this, pointers);
                    return this.error(messages::memory::store_to_immutable_pointer(
                        pointee, to.span, root,
                    ));
                }
                let pointers = (**pointers).clone();
                store_pointers(this, pointers, pointee, &value, mask, cache, call.span)
            }
            Element::Number(_) => this.error(messages::memory::not_loadable("store", &to)),
        },
        Operand::Tensor(tensor) => whole_tensor(this, "store", tensor, to.span),
        _ => this.error(messages::memory::not_loadable("store", &to)),
    }
}

fn store_pointers<'a>(
    this: &mut Elaborator<'a>,
    pointers: Expr,
    pointee: ElementType,
    value: &Located<'a>,
    mask: Option<Located<'a>>,
    cache: CacheHints,
    span: Span,
) -> Operand<'a> {
    let shape = pointers.ty.shape.clone();
    let stored = this.exactly(value, pointee, "the elements stored to");
    let stored = stored.and_then(|stored| stretch(this, stored, &shape, "value", value.span));
    let mask = match mask {
        Some(mask) => match access_mask(this, &mask, &pointers.ty) {
            Some(mask) => Some(mask),
            None => return Operand::Error,
        },
        None => None,
    };
    if let Some(value) = stored {
        this.emit(
            StmtKind::Store {
                pointers,
                value,
                mask,
                cache,
            },
            span,
        );
    }
    Operand::UNIT
}

/// Through the pointers of the view.
fn store_masked_unchecked<'a>(
    this: &mut Elaborator<'a>,
    view: ViewOperand,
    value: &Located<'a>,
    mask: &Located<'a>,
    cache: CacheHints,
    at: Span,
    span: Span,
) -> Operand<'a> {
    if !view.mutable {
        let tensor = this.tensor_name(view.view.tensor);
        return this.error(messages::memory::store_to_immutable_tensor(
            &tensor.0, at, tensor.1,
        ));
    }
    let Some((pointers, _)) = view_pointers(this, &view.view, at) else {
        return Operand::Error;
    };
    let shape = pointers.ty.shape.clone();
    let what = format!("the elements of `{}`", this.tensor_name(view.view.tensor).0);
    let stored = this.exactly(value, view.element, &what);
    let stored = stored.and_then(|stored| stretch(this, stored, &shape, "value", value.span));
    let mask = access_mask(this, mask, &pointers.ty);
    if let (Some(value), Some(mask)) = (stored, mask) {
        let kind = StmtKind::Store {
            pointers,
            value,
            mask: Some(mask),
            cache,
        };
        this.emit(kind, span);
    }
    Operand::UNIT
}

#[allow(clippy::too_many_arguments)]
fn store_view<'a>(
    this: &mut Elaborator<'a>,
    view: ViewOperand,
    value: &Located<'a>,
    mask: Option<Located<'a>>,
    bounds: Bounds,
    cache: CacheHints,
    at: Span,
    span: Span,
) -> Operand<'a> {
    if !view.mutable {
        let tensor = this.tensor_name(view.view.tensor);
        return this.error(messages::memory::store_to_immutable_tensor(
            &tensor.0, at, tensor.1,
        ));
    }
    let what = format!("the elements of `{}`", this.tensor_name(view.view.tensor).0);
    let Some(stored) = this.exactly(value, view.element, &what) else {
        return Operand::Error;
    };
    let shape = view.view.shape();
    let mask = match mask {
        Some(mask) => match view_mask(this, &mask, &shape) {
            Some(mask) => Some(mask),
            None => return Operand::Error,
        },
        None => None,
    };
    if let Some(stored) = stretch(this, stored, &shape, "value", value.span) {
        this.emit(
            StmtKind::StoreView {
                view: view.view,
                value: stored,
                mask,
                bounds,
                cache,
            },
            span,
        );
    }
    Operand::UNIT
}

/// Says that an access is to a view of a tensor, not to the tensor.
pub(super) fn whole_tensor<'a>(
    this: &mut Elaborator<'a>,
    builtin: &str,
    tensor: usize,
    span: Span,
) -> Operand<'a> {
    let (rank, name) = (this.tensor_rank(tensor), this.tensor_name(tensor).0);
    this.error(messages::memory::whole_tensor(builtin, &name, rank, span))
}

/// Where an access happens: inside of what is accessed and where the mask says so; everywhere if there is neither.
/// `None` if the mask is wrong.
pub(super) fn accessed<'a>(
    this: &mut Elaborator<'a>,
    inside: Option<Expr>,
    mask: Option<&Located<'a>>,
    access: &ValueType,
    span: Span,
) -> Option<Option<Expr>> {
    let asked = match mask {
        Some(mask) => Some(access_mask(this, mask, access)?),
        None => None,
    };
    Some(match (inside, asked) {
        (Some(inside), Some(asked)) => Some(build::and(inside, asked, span)),
        (inside, asked) => inside.or(asked),
    })
}

/// A mask of the shape of what is accessed.
pub(super) fn access_mask<'a>(
    this: &mut Elaborator<'a>,
    mask: &Located<'a>,
    access: &ValueType,
) -> Option<Expr> {
    let value = this.value(mask)?;
    if value.ty.element != Element::Number(ElementType::I1) {
        this.report(messages::memory::mask_type(&value.ty, mask.span));
        return None;
    }
    stretch(this, value, &access.shape, "mask", mask.span)
}

/// Stretches to the shape of the access, never the other way round.
pub(super) fn stretch(
    this: &mut Elaborator<'_>,
    value: Expr,
    shape: &[u64],
    what: &str,
    span: Span,
) -> Option<Expr> {
    match broadcast::common(&value.ty.shape, shape) {
        Ok(common) if common == shape => Some(build::broadcast(value, shape)),
        _ => {
            this.report(messages::shapes::access_shape(what, &value.ty, shape, span));
            None
        }
    }
}

/// The parameter that a pointer expression starts from.
pub(super) fn root_pointer(this: &Elaborator<'_>, pointers: &Expr) -> Option<(String, Span)> {
    match &pointers.kind {
        ExprKind::Variable(variable) => {
            let is_parameter = |parameter: &Parameter| matches!(parameter, Parameter::Pointer { variable: pointer, .. } if pointer == variable);
            this.parameters.iter().any(is_parameter).then_some(())?;
            let variable = this.variables.get(variable.0 as usize)?;
            Some((variable.name.clone(), variable.span))
        }
        ExprKind::PointerOffset { pointer, .. } => root_pointer(this, pointer),
        ExprKind::Broadcast(operand) | ExprKind::ExpandDimension { operand, .. } => {
            root_pointer(this, operand)
        }
        _ => None,
    }
}

fn hints(call: &mut Call<'_>) -> CacheHints {
    let modifier = match call.word("cache").as_ref().map(|(word, _)| word.as_str()) {
        Some("ca") => CacheModifier::Ca,
        Some("cg") => CacheModifier::Cg,
        Some("cs") => CacheModifier::Cs,
        Some("cv") => CacheModifier::Cv,
        Some("wb") => CacheModifier::Wb,
        Some("wt") => CacheModifier::Wt,
        _ => CacheModifier::Default,
    };
    let evict = match call.word("evict").as_ref().map(|(word, _)| word.as_str()) {
        Some("first") => Evict::First,
        Some("last") => Evict::Last,
        _ => Evict::Normal,
    };
    CacheHints { modifier, evict }
}
