//! Pointers: what lies some elements further, and pointers as numbers.

use melior::ir::Type;
use melior::ir::ValueLike;

use super::{ToLlvm, storage};
use crate::build::Rebuilder;
use crate::dialect::ops::{PointerCast, PointerOffset};
use crate::dialect::pointee;
use crate::ir::{TileType, Value, operand};

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn pointer_offset(&mut self, to: &mut Rebuilder<'c>, offset: PointerOffset<'c>) {
        let value = offset.result();
        let pointee =
            pointee(self.cx.context, crate::ir::element_type(value.r#type())).expect("a pointer");
        let pointee = if pointee.to_string() == "i1" {
            to.builder.int_type(8)
        } else {
            storage(&to.builder, pointee)
        };
        let pointers = to.many(operand(offset.0, 0)).to_vec();
        let offsets = to.many(operand(offset.0, 1)).to_vec();
        let ty = to.builder.parse_type("!llvm.ptr<1>");
        let attributes = [
            ("elem_type", to.builder.type_attribute(pointee)),
            ("rawConstantIndices", to.builder.ints32(&[i32::MIN])),
        ];
        let compute = |register: usize| {
            let pick = |list: &[Value<'c>]| {
                if list.len() == 1 {
                    list[0]
                } else {
                    list[register]
                }
            };
            to.builder.value(
                "llvm.getelementptr",
                &[pick(&pointers), pick(&offsets)],
                &attributes,
                ty,
            )
        };
        let registers = if TileType::of(value).is_some() {
            let layout = self.encodings.layout(value);
            self.per_register(&layout, compute)
        } else {
            let mut compute = compute;
            vec![compute(0)]
        };
        to.bind(value, registers);
    }

    pub(super) fn pointer_cast(&mut self, to: &mut Rebuilder<'c>, cast: PointerCast<'c>) {
        let value = cast.result();
        let operands = to.many(cast.operand()).to_vec();
        let target = self.register_type(value.r#type());
        let is_pointer = |ty: Type<'c>| ty.to_string().starts_with("!llvm.ptr");
        let mut compute = |register: usize| {
            let operand = operands[register];
            let name = match (is_pointer(operand.r#type()), is_pointer(target)) {
                (true, false) => "llvm.ptrtoint",
                (false, true) => "llvm.inttoptr",
                _ => return operand,
            };
            to.builder.value(name, &[operand], &[], target)
        };
        let registers = if TileType::of(value).is_some() {
            let layout = self.encodings.layout(value);
            self.per_register(&layout, compute)
        } else {
            vec![compute(0)]
        };
        to.bind(value, registers);
    }
}
