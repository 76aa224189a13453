//! The order of instructions inside a block, for few registers.
//!
//! A pass works on whole tiles: all elements are subtracted, then all squared, then all added, and
//! between two steps every element is in a register. Here each instruction without effect moves down
//! to where its result is first needed, so that an element is subtracted, squared and added before the
//! next one is begun, as a person would write the loop. `ptxas` keeps to the order it is given much
//! more than one would think.
//!
//! ```text
//! a0 a1 a2 a3  b0 b1 b2 b3  s01 s23 s        ⇒  a0 b0 a1 b1 s01  a2 b2 a3 b3 s23  s
//! ```
//!
//! What has effects (accesses to memory, barriers, shuffles) keeps its order. What stands before a
//! barrier or a load stays before it if its operands take more registers than its result: products of
//! fragments are not put off until all fragments are loaded. Loads from global memory take so long that
//! those next to each other are started before anything is done with the first: a sum between two of
//! them would wait for the one and only then start the other. No more are started than fit in
//! [`REGISTERS_IN_FLIGHT`]. Late loads (see `sink`) move down as what is pure does, a few of them ahead of
//! their use ([`LATE_REGISTERS`]).

use std::collections::{HashMap, HashSet};

use inkwell::AddressSpace;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, Operand};

use super::ffi::{Call, call};

/// Registers that loads from global memory may fill before something is done with them: half of what
/// a thread has where a multiprocessor is half full of threads.
const REGISTERS_IN_FLIGHT: u32 = 32;

/// Registers that late loads may fill before the first of them is used: what is in a cache needs fewer.
const LATE_REGISTERS: u32 = 16;

/// Orders the instructions of all functions of a module.
pub fn order(module: &Module<'_>) {
    let context = module.get_context();
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            let list: Vec<_> = block.get_instructions().collect();
            order_block(context, &list);
        }
    }
}

fn order_block<'c>(context: ContextRef<'c>, list: &[InstructionValue<'c>]) {
    let kinds: Vec<Kind> = list
        .iter()
        .map(|instruction| Kind::of(*instruction))
        .collect();
    let places: HashMap<_, _> = list.iter().copied().zip(0..).collect();
    let mut order = sequence(list, &kinds, &places, &HashMap::new());
    let late: Vec<usize> = order
        .iter()
        .copied()
        .filter(|place| kinds[*place].is_late())
        .collect();
    if late.len() > 1 {
        order = sequence(list, &kinds, &places, &companies(&late, &kinds));
    }
    debug_assert_eq!(order.len(), list.len(), "every instruction has a place");
    arrange(context, list, &order);
}

/// Late loads in the order of their uses: to each, those that are started with it.
fn companies(late: &[usize], kinds: &[Kind]) -> HashMap<usize, Vec<usize>> {
    let registers = |place: &usize| match kinds[*place] {
        Kind::LateLoad(registers) => registers,
        _ => 0,
    };
    let of = |(number, place): (usize, &usize)| {
        let mut free = LATE_REGISTERS.saturating_sub(registers(place));
        let next = late[number + 1..].iter().take_while(|next| {
            let fits = registers(next) <= free;
            free = free.saturating_sub(registers(next));
            fits
        });
        (*place, next.copied().collect())
    };
    late.iter().enumerate().map(of).collect()
}

/// The order of a block's instructions.
fn sequence<'c>(
    list: &[InstructionValue<'c>],
    kinds: &[Kind],
    places: &HashMap<InstructionValue<'c>, usize>,
    together: &HashMap<usize, Vec<usize>>,
) -> Vec<usize> {
    let mut block = Block {
        list,
        kinds,
        places,
        together,
        placed: vec![false; list.len()],
        order: Vec::with_capacity(list.len()),
    };
    // Before this, what saves registers is placed.
    let mut settled = 0;
    let mut in_flight = 0;
    for (index, kind) in kinds.iter().enumerate() {
        match kind {
            Kind::Pure | Kind::LateLoad(_) => continue,
            Kind::Effect => {}
            Kind::GlobalLoad(registers) if in_flight + registers <= REGISTERS_IN_FLIGHT => {
                in_flight += registers;
            }
            Kind::Load | Kind::GlobalLoad(_) => {
                in_flight = match kind {
                    Kind::GlobalLoad(registers) => *registers,
                    _ => 0,
                };
                for earlier in (settled..index).filter(|earlier| saves_registers(list[*earlier])) {
                    block.place(earlier);
                }
                settled = index;
            }
            Kind::End => {
                // What only other blocks or the next iteration use, with all that it needs.
                let used: HashSet<usize> = (0..=index)
                    .filter(|user| list[*user].get_opcode() != InstructionOpcode::Phi)
                    .flat_map(|user| block.needed(user))
                    .collect();
                for earlier in (0..index).filter(|earlier| !used.contains(earlier)) {
                    block.place(earlier);
                }
            }
        }
        block.place(index);
    }
    block.order
}

/// Puts the instructions of a block in an order.
fn arrange<'c>(context: ContextRef<'c>, list: &[InstructionValue<'c>], order: &[usize]) {
    let first_moved = order
        .iter()
        .zip(0..)
        .position(|(place, index)| *place != index);
    let (Some(first_moved), Some(parent)) = (first_moved, list[0].get_parent()) else {
        return;
    };
    let builder: Builder<'c> = context.create_builder();
    // Inserting takes the name away.
    let names: Vec<Option<String>> = order[first_moved..]
        .iter()
        .map(|place| Some(list[*place].get_name()?.to_str().ok()?.to_owned()))
        .collect();
    for place in &order[first_moved..] {
        list[*place].remove_from_basic_block();
    }
    builder.position_at_end(parent);
    for (place, name) in order[first_moved..].iter().zip(&names) {
        builder.insert_instruction(&list[*place], name.as_deref());
    }
}

/// Whether the result of an instruction takes fewer registers than its operands. The parts of a word
/// (elements, halves) do not: they are registers of their own.
fn saves_registers(instruction: InstructionValue<'_>) -> bool {
    use InstructionOpcode as Op;
    if matches!(instruction.get_opcode(), Op::Trunc | Op::FPTrunc) {
        return false;
    }
    let operands = (0..instruction.get_num_operands()).filter(|number| {
        matches!(instruction.get_operand(*number), Some(Operand::Value(value))
            if value.as_instruction_value().is_some())
    });
    operands.count() > 1
}

/// What may be done with an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its result is all it gives: it may move down.
    Pure,
    /// It keeps its place among those with effects.
    Effect,
    /// As an effect; what saves registers stays before it. A load, or a barrier.
    Load,
    /// A load from global memory of so many registers.
    GlobalLoad(u32),
    /// The same of memory that nothing changes: it may move down, as what is pure.
    LateLoad(u32),
    /// Nothing moves out of a block.
    End,
}

impl Kind {
    fn is_late(self) -> bool {
        matches!(self, Self::LateLoad(_))
    }

    pub(super) fn of(instruction: InstructionValue<'_>) -> Self {
        use InstructionOpcode as Op;
        if instruction.is_terminator() {
            return Self::End;
        }
        match instruction.get_opcode() {
            Op::Load if is_global(instruction) => Self::GlobalLoad(registers(instruction)),
            Op::Load => Self::Load,
            Op::Call => match call(instruction) {
                Call::Pure => Self::Pure,
                Call::GlobalLoad => Self::GlobalLoad(registers(instruction)),
                Call::PureLoad => Self::LateLoad(registers(instruction)),
                Call::Barrier | Call::Load => Self::Load,
                Call::Effect | Call::WideStore => Self::Effect,
            },
            // Divisions trap in LLVM's rules, and stay where they are.
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Shl
            | Op::LShr
            | Op::AShr
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FNeg
            | Op::Trunc
            | Op::ZExt
            | Op::SExt
            | Op::FPToUI
            | Op::FPToSI
            | Op::UIToFP
            | Op::SIToFP
            | Op::FPTrunc
            | Op::FPExt
            | Op::PtrToInt
            | Op::IntToPtr
            | Op::BitCast
            | Op::AddrSpaceCast
            | Op::ICmp
            | Op::FCmp
            | Op::Select
            | Op::GetElementPtr
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector
            | Op::ExtractValue
            | Op::InsertValue
            | Op::Freeze => Self::Pure,
            _ => Self::Effect,
        }
    }
}

/// Whether an access is to global memory (address space 1).
pub(super) fn is_global(access: InstructionValue<'_>) -> bool {
    let pointer = u32::from(access.get_opcode() == InstructionOpcode::Store);
    matches!(access.get_operand(pointer), Some(Operand::Value(BasicValueEnum::PointerValue(pointer)))
        if pointer.get_type().get_address_space() == AddressSpace::from(1))
}

/// Registers that the result of an instruction takes, about.
fn registers(instruction: InstructionValue<'_>) -> u32 {
    let bits = |ty: BasicTypeEnum<'_>| match ty {
        BasicTypeEnum::IntType(ty) => ty.get_bit_width(),
        BasicTypeEnum::FloatType(ty) => ty.get_bit_width(),
        _ => 64,
    };
    match instruction.get_type() {
        AnyTypeEnum::StructType(ty) => {
            let fields = ty.get_field_types_iter();
            fields.map(|field| bits(field).div_ceil(32)).sum()
        }
        AnyTypeEnum::VectorType(ty) => (ty.get_size() * bits(ty.get_element_type())).div_ceil(32),
        AnyTypeEnum::IntType(ty) => ty.get_bit_width().div_ceil(32),
        AnyTypeEnum::FloatType(ty) => ty.get_bit_width().div_ceil(32),
        _ => 2,
    }
}

struct Block<'a, 'c> {
    list: &'a [InstructionValue<'c>],
    kinds: &'a [Kind],
    places: &'a HashMap<InstructionValue<'c>, usize>,
    /// Late loads that are started with another.
    together: &'a HashMap<usize, Vec<usize>>,
    placed: Vec<bool>,
    order: Vec<usize>,
}

impl Block<'_, '_> {
    /// Places an instruction after what it needs, depth first; a late load takes its company along.
    fn place(&mut self, index: usize) {
        self.place_alone(index, true);
    }

    fn place_alone(&mut self, index: usize, brings_company: bool) {
        // Whether the operands of the instruction are pushed already.
        let mut stack = vec![(index, false)];
        while let Some((index, ready)) = stack.pop() {
            if self.placed[index] {
                continue;
            }
            if ready {
                self.placed[index] = true;
                self.order.push(index);
                let together = self.together;
                if let Some(company) = together.get(&index).filter(|_| brings_company) {
                    for next in company {
                        if self.can_start(*next) {
                            self.place_alone(*next, false);
                        }
                    }
                }
                continue;
            }
            stack.push((index, true));
            if self.list[index].get_opcode() == InstructionOpcode::Phi {
                continue;
            }
            let needed: Vec<usize> = self.needed(index).collect();
            stack.extend(needed.into_iter().rev().map(|needed| (needed, false)));
        }
    }

    /// Whether all that a late load needs from this block is placed, or may be.
    fn can_start(&self, index: usize) -> bool {
        let (mut seen, mut left) = (HashSet::new(), vec![index]);
        while let Some(index) = left.pop() {
            let instruction = self.list[index];
            for number in 0..instruction.get_num_operands() {
                let Some(Operand::Value(value)) = instruction.get_operand(number) else {
                    continue;
                };
                let place = value
                    .as_instruction_value()
                    .and_then(|operand| self.places.get(&operand));
                let Some(place) = place.copied().filter(|place| !self.placed[*place]) else {
                    continue;
                };
                if self.kinds[place] != Kind::Pure {
                    return false;
                }
                if seen.insert(place) {
                    left.push(place);
                }
            }
        }
        true
    }

    /// The operands that are instructions of this block and may still have to be placed.
    fn needed(&self, index: usize) -> impl Iterator<Item = usize> {
        let instruction = self.list[index];
        (0..instruction.get_num_operands())
            .filter_map(move |number| match instruction.get_operand(number) {
                Some(Operand::Value(value)) => value.as_instruction_value(),
                _ => None,
            })
            .filter_map(|operand| self.places.get(&operand).copied())
            .filter(|place| matches!(self.kinds[*place], Kind::Pure | Kind::LateLoad(_)))
    }
}

#[cfg(test)]
mod tests {
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;

    use super::order;

    /// The names of the results of a function's instructions, in their order after `order`.
    fn ordered(body: &str) -> String {
        let text = format!(
            "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n\
             define float @f(ptr %p, float %a, float %b, float %c, float %d) {{\n{body}}}\n"
        );
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test");
        let module = context
            .create_module_from_ir(buffer)
            .expect("the text parses");
        order(&module);
        module.verify().expect("the order is a valid one");
        let function = module.get_function("f").expect("the function");
        let names = function.get_basic_block_iter().flat_map(|block| {
            block.get_instructions().filter_map(|instruction| {
                let name = instruction.get_name()?.to_string_lossy().into_owned();
                (!name.is_empty()).then_some(name)
            })
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_tree_of_sums_is_built_depth_first() {
        let order = ordered(
            "%a2 = fmul float %a, %a\n%b2 = fmul float %b, %b\n\
             %c2 = fmul float %c, %c\n%d2 = fmul float %d, %d\n\
             %ab = fadd float %a2, %b2\n%cd = fadd float %c2, %d2\n\
             %abcd = fadd float %ab, %cd\nret float %abcd\n",
        );
        assert_eq!(order, "a2 b2 ab c2 d2 cd abcd");
    }

    #[test]
    fn what_is_stored_is_computed_just_before() {
        let order = ordered(
            "%x = fadd float %a, %b\n%y = fadd float %c, %d\n%z = fmul float %x, %y\n\
             %q = getelementptr float, ptr %p, i32 1\n\
             store float %y, ptr %q\nstore float %z, ptr %p\nret float %x\n",
        );
        assert_eq!(order, "y q x z");
    }

    #[test]
    fn what_the_next_round_needs_is_computed_in_this_one() {
        let order = ordered(
            "entry:\nbr label %l\nl:\n%i = phi float [ %a, %entry ], [ %j, %l ]\n\
             %s = phi float [ %b, %entry ], [ %t, %l ]\n%x = fmul float %i, %c\n\
             %j = fadd float %i, %d\n%t = fadd float %s, %x\n%q = fcmp olt float %j, %d\n\
             br i1 %q, label %l, label %e\ne:\nret float %s\n",
        );
        assert_eq!(order, "i s x t j q");
    }

    #[test]
    fn products_are_not_put_off_until_all_is_loaded() {
        let order = ordered(
            "%l = load float, ptr %p\n%k = fmul float %l, %a\n%s = fadd float %k, %l\n\
             %m = load float, ptr %p\n%t = fadd float %m, %s\nret float %t\n",
        );
        assert_eq!(order, "l k s m t");
    }

    #[test]
    fn loads_from_global_memory_are_started_together() {
        let order = ordered(
            "%g = addrspacecast ptr %p to ptr addrspace(1)\n\
             %l = load float, ptr addrspace(1) %g\n%k = fadd float %l, %a\n%s = fadd float %k, %l\n\
             %m = load float, ptr addrspace(1) %g\n%t = fadd float %m, %s\nret float %t\n",
        );
        assert_eq!(order, "g l m k s t");
    }

    #[test]
    fn loads_from_global_memory_leave_registers() {
        let load = |n: u32| {
            format!(
                "%l{n} = load <4 x i32>, ptr addrspace(1) %g\n%e{n} = extractelement <4 x i32> %l{n}, i32 0\n%s{n} = add i32 %e{n}, %s{}\n",
                n - 1
            )
        };
        let loads: String = (1..=9).map(load).collect();
        let order = ordered(&format!(
            "%g = addrspacecast ptr %p to ptr addrspace(1)\n%s0 = fptosi float %a to i32\n{loads}\
             %r = sitofp i32 %s9 to float\nret float %r\n"
        ));
        let place = |name| order.split(' ').position(|word| word == name);
        assert!(place("l8") < place("s1"), "{order}");
        assert!(place("s8") < place("l9"), "{order}");
    }

    #[test]
    fn words_are_cut_after_a_barrier_and_sums_made_before_it() {
        let order = ordered(
            "%w = load i32, ptr %p\n%h = lshr i32 %w, 16\n%u = load float, ptr %p\n\
             %v = load float, ptr %p\n%s = fadd float %u, %v\n\
             call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n\
             %x = load float, ptr %p\n%i = uitofp i32 %h to float\n\
             %y = fadd float %i, %s\n%z = fadd float %x, %y\nret float %z\n",
        );
        assert_eq!(order, "w u v s x h i y z");
    }
}
