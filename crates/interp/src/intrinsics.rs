//! LLVM's intrinsics: which family handles which.

use labrys_float::RoundingMode;
use labrys_program::{
    Callee, Constant, Instruction, InstructionKind, IntBinary, IntPredicate, Intrinsic, IntrinsicKind, Operand, Type,
};

use crate::machine::{HaltOf, ScalarOf, ValueOf, int_of, pointer_of};
use crate::state::single;
use crate::{
    Base, Domain, FloatComparison, Int, Machine, MemoryFault, MemoryFaultKind, Place, Pointer, Scalar, State, Stop,
    bits, cells,
};

impl<D: Domain> Machine<'_, D> {
    /// Executes an intrinsic.
    pub(crate) fn intrinsic(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        called: &Intrinsic,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let name = called.name();
        // Metadata operands of hints and constrained operations have no value, so operands are read one by one.
        if let Some((predicate, signaling)) = called.comparison() {
            let (Some(a), Some(b)) = (operands.first(), operands.get(1)) else { return Err(malformed(name).into()) };
            return self.compare_values(state, place, FloatComparison { predicate, signaling }, a, b);
        }
        if name.starts_with("llvm.eh.typeid.for") {
            let ty = operands.first().ok_or_else(|| malformed(name))?;
            let ty = self.scalar(state, ty)?;
            return Ok(single(self.type_selector(&ty)?));
        }
        match called.kind() {
            IntrinsicKind::Hint => {
                if self.checks.accesses
                    && let Some(begins) = called.begins_life()
                {
                    self.mark_life(state, operands, begins)?;
                }
                self.hint_result(instruction)
            }
            IntrinsicKind::Identity => match operands.first() {
                Some(operand) => self.operand(state, operand),
                None => Err(malformed(name).into()),
            },
            IntrinsicKind::Float(call) => self.float_intrinsic(state, place, instruction, (name, call), operands),
            IntrinsicKind::Class => self.class_lanes(state, operands),
            IntrinsicKind::Integer(call) => self.int_intrinsic(state, instruction, (name, call), operands),
            IntrinsicKind::Copy | IntrinsicKind::Fill => self.bytes_intrinsic(state, place, called.kind(), operands),
            IntrinsicKind::MaskedLoad | IntrinsicKind::Gather => self.masked_load(state, place, instruction, operands),
            IntrinsicKind::MaskedStore => self.masked_store(state, place, operands),
            IntrinsicKind::Assume => {
                let condition = operands.first().ok_or_else(|| malformed(name))?;
                let condition = self.scalar(state, condition)?;
                // An assumption that is not known to fail is not followed up: forking on it would only cost paths.
                match self.known(state, int_of(&condition)?) {
                    Some(0) => Err(Stop::Unreachable.into()),
                    _ => Ok(ValueOf::<D>::new()),
                }
            }
            IntrinsicKind::Trap => Err(trap(operands, place).into()),
            IntrinsicKind::StackSave => Ok(single(Scalar::pointer(Pointer::null()))),
            // What no optimiser has made one of this IR, code generation takes for none (LLVM, `LowerConstantIntrinsics`).
            IntrinsicKind::IsConstant => {
                let is_constant = matches!(operands.first(), Some(Operand::Constant(_))) && !self.is_in_library(state);
                Ok(single(Scalar::int(Int::bool(is_constant))))
            }
            // As C's FLT_ROUNDS has it.
            IntrinsicKind::Rounding => {
                let mode = match self.domain.rounding(&state.path) {
                    RoundingMode::TowardZero => 0,
                    RoundingMode::NearestEven => 1,
                    RoundingMode::TowardPositive => 2,
                    RoundingMode::TowardNegative => 3,
                    RoundingMode::NearestAway => 4,
                };
                Ok(single(Scalar::int(Int::new(32, mode))))
            }
            IntrinsicKind::ObjectSize => self.object_size(state, instruction, name, operands),
            IntrinsicKind::Count => self.count(state, place, operands),
            IntrinsicKind::MaskAddress => {
                let [pointer, mask, ..] = operands else { return Err(malformed(name).into()) };
                let (pointer, mask) = (self.scalar(state, pointer)?, self.scalar(state, mask)?);
                Ok(single(self.masked(&pointer, &mask)?))
            }
            IntrinsicKind::BeginArguments => self.begin_arguments(state, place, operands),
            IntrinsicKind::CopyArguments => self.copy_arguments(state, place, operands),
            IntrinsicKind::Computation | IntrinsicKind::Unknown => {
                Err(Stop::unsupported(format!("intrinsic {name}")).into())
            }
        }
    }

    /// Tells the domain what is counted: whether a step is counted, which is decided; or which outcomes of a decision's conditions
    /// came together, by the number that the code has made of them in memory.
    fn count(&mut self, state: &mut State<D>, place: &Place, operands: &[Operand]) -> Result<ValueOf<D>, HaltOf<D>> {
        let value = match operands {
            [_, _, _, _, step] => {
                let step = self.scalar(state, step)?;
                let step = int_of(&step)?;
                let counts = bits::compare(&mut self.domain, IntPredicate::Ne, step, &Int::new(step.bits(), 0));
                Some(u128::from(self.decide(state, &counts)?))
            }
            [_, _, _, address] => {
                let vector = self.load(state, place, address, &Type::Int(32))?;
                vector.first().map(int_of).transpose()?.and_then(|vector| self.known(state, vector))
            }
            _ => None,
        };
        if let Some(value) = value.and_then(|value| u32::try_from(value).ok()) {
            self.domain.count(&mut state.path, place, value);
        }
        Ok(ValueOf::<D>::new())
    }

    fn object_size(
        &mut self,
        state: &State<D>,
        instruction: &Instruction,
        name: &str,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let width = match instruction.ty {
            labrys_program::Type::Int(bits) => bits,
            _ => 64,
        };
        // Functions that check sizes (`__memcpy_chk`) do the same whatever the optimiser knows, as long as nothing is wrong.
        if !self.is_in_library(state) && !self.is_for_checks(state, instruction) {
            return Err(Stop::unsupported("how much an optimiser knows of an object (__builtin_object_size)").into());
        }
        let least = operands.get(1).ok_or_else(|| malformed(name))?;
        let least = self.scalar(state, least)?;
        let unknown = if int_of(&least)?.concrete() == Some(0) { u128::MAX } else { 0 };
        Ok(single(Scalar::int(Int::new(width, unknown))))
    }

    /// Whether nothing but calls of functions that check sizes has an instruction's result.
    fn is_for_checks(&self, state: &State<D>, instruction: &Instruction) -> bool {
        let function = state.frame().and_then(|frame| self.program.functions.get(frame.function.index()));
        let (Some(function), Some(result)) = (function, instruction.result) else { return true };
        let is_it = |operand: &Operand| matches!(operand, Operand::Value(value) if *value == result);
        let is_check = |kind: &InstructionKind| match kind {
            InstructionKind::Call(Callee::Function(id), _) => {
                self.program.functions.get(id.index()).is_some_and(|callee| callee.name.ends_with("_chk"))
            }
            _ => false,
        };
        let is_used = |kind: &InstructionKind| {
            let mut is_used = false;
            kind.for_each_operand(&mut |operand: &Operand| is_used |= is_it(operand));
            is_used
        };
        let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        instructions.all(|of| !is_used(&of.kind) || is_check(&of.kind))
            && !function.blocks.iter().filter_map(|block| block.terminator.operand()).any(is_it)
    }

    /// An address with the bits cleared that a mask has not, in the same object.
    fn masked(&mut self, pointer: &ScalarOf<D>, mask: &ScalarOf<D>) -> Result<ScalarOf<D>, Stop> {
        let Pointer { base, offset } = pointer_of(pointer)?.clone();
        let start = match base {
            Base::Object { .. } => cells::address(&mut self.domain, &Pointer::new(base, 0)),
            Base::Absolute => Int::new(64, 0),
            Base::Function(_) => return Err(Stop::unsupported("the bits of a function's address")),
        };
        let whole = bits::total(&mut self.domain, IntBinary::Add, &start, &offset)?;
        let cleared = bits::total(&mut self.domain, IntBinary::And, &whole, int_of(mask)?)?;
        let offset = bits::total(&mut self.domain, IntBinary::Sub, &cleared, &start)?;
        Ok(Scalar::pointer(Pointer { base, offset }).taint(pointer.tainted | mask.tainted))
    }

    /// Hints that have a result give a null pointer (`llvm.invariant.start`).
    fn hint_result(&mut self, instruction: &Instruction) -> Result<ValueOf<D>, HaltOf<D>> {
        Ok(match instruction.result {
            Some(_) => single(Scalar::pointer(Pointer::null())),
            None => ValueOf::<D>::new(),
        })
    }

    /// The values of the first `count` operands.
    pub(crate) fn values(
        &mut self,
        state: &State<D>,
        operands: &[Operand],
        count: usize,
    ) -> Result<Vec<ValueOf<D>>, HaltOf<D>> {
        if operands.len() < count {
            return Err(Stop::unsupported("a call with too few arguments").into());
        }
        operands[..count].iter().map(|operand| self.operand(state, operand)).collect()
    }
}

/// A call whose arguments do not fit.
pub(crate) fn malformed(name: &str) -> Stop {
    Stop::unsupported(format!("{name} with these arguments"))
}

/// What a trap stops for: clang numbers the checks of UndefinedBehaviorSanitizer, and shifts and indices have errors of their own.
fn trap(operands: &[Operand], place: &Place) -> Stop {
    /// `OutOfBounds` and `ShiftOutOfBounds` of clang's `SanitizerHandler`s.
    const BOUNDS: u8 = 18;
    const SHIFT: u8 = 20;
    match operands.first() {
        Some(Operand::Constant(Constant::Int { value, .. })) if *value == BOUNDS.into() => {
            let kind = MemoryFaultKind::OutOfBounds;
            Stop::Memory(MemoryFault { kind, is_write: false, size: 0, location: place.location })
        }
        Some(Operand::Constant(Constant::Int { value, .. })) if *value == SHIFT.into() => Stop::Shift,
        _ => Stop::Exit(None),
    }
}
