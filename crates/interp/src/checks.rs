//! What a driver that proves programs correct has the machine check, and which calls it answers itself.
//!
//! **Claim.** With [`Checks::accesses`] an access at an offset that is not known parts the path by one decision, whether it
//! is inside its object, and where it is, reads and writes exactly the bytes that the offset selects, whatever its value.

use labrys_program::{BlockId, Function, FunctionId, Instruction, InstructionKind, IntBinary, IntPredicate, Operand};
use rustc_hash::FxHashSet;

use crate::machine::{HaltOf, IntOf, ScalarOf, ValueOf, int_of, pointer_of};
use crate::value::WORD_BITS;
use crate::{Base, Domain, Int, Machine, ObjectKind, Place, ScalarKind, State, Stop, bits, cells};

/// What is checked beyond what makes an operation impossible; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses at offsets that are not known are decided to be inside their object, then selected instead of chosen; accesses
    /// and frees behind an object's life are told apart; `memcpy` between ranges that overlap is a fault.
    pub accesses: bool,
    /// A shift by the width or more is [`Stop::Shift`] instead of poison.
    pub shifts: bool,
    /// Overflow of additions, subtractions and products that LLVM calls poison is [`Stop::SignedOverflow`]. Right for code
    /// that was not optimised, where they are the signed ones.
    pub signed_overflow: bool,
}

/// What is known of every run up to the first thing that goes wrong in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Blocks that no run enters: branches to them are not decided.
    pub unreached: FxHashSet<(FunctionId, BlockId)>,
    /// Accesses to memory and operations on integers that no run does wrongly, by their positions in their blocks: what is checked there is not
    /// decided.
    pub safe: FxHashSet<(FunctionId, BlockId, u32)>,
}

impl<'p, D: Domain> Machine<'p, D> {
    /// Has calls of some functions end steps with [`crate::Halt::Call`]; the driver then calls [`Machine::answer`].
    pub fn answers(&mut self, which: impl FnMut(&Function) -> bool) {
        self.answered = self.program.functions.iter().map(which).collect();
    }

    /// Says what is known of runs, as somebody has proved it.
    pub fn set_facts(&mut self, facts: Facts) {
        self.facts = facts;
    }

    /// Decides whether what comes next goes wrong.
    ///
    /// # Errors
    ///
    /// As [`Machine::decide`].
    pub(crate) fn goes_wrong(&mut self, state: &State<D>, bit: &IntOf<D>) -> Result<bool, HaltOf<D>> {
        if !bit.is_known() && self.is_safe(state) {
            return Ok(false);
        }
        self.decide(state, bit)
    }

    /// Whether what comes next is known to go wrong in no run.
    pub(crate) fn is_safe(&self, state: &State<D>) -> bool {
        if self.facts.safe.is_empty() {
            return false;
        }
        let frame = state.frame();
        frame.is_some_and(|frame| self.facts.safe.contains(&(frame.function, frame.block, frame.instruction as u32)))
    }

    /// The only one of two blocks of the function that comes next which runs enter, where that is known.
    pub(crate) fn only_way(&self, state: &State<D>, if_true: BlockId, if_false: BlockId) -> Option<bool> {
        if self.facts.unreached.is_empty() {
            return None;
        }
        let function = state.frame()?.function;
        let is_unreached = |block| self.facts.unreached.contains(&(function, block));
        match (is_unreached(if_true), is_unreached(if_false)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    /// The instruction that comes next; `None` at a terminator, and once the path has returned.
    pub fn instruction(&self, state: &State<D>) -> Option<&'p Instruction> {
        let frame = state.frame()?;
        let function = self.program.functions.get(frame.function.index())?;
        function.blocks.get(frame.block.index())?.instructions.get(frame.instruction)
    }

    /// The arguments of the call that comes next.
    ///
    /// # Errors
    ///
    /// As [`Machine::operand`].
    pub fn call_arguments(&mut self, state: &State<D>) -> Result<Vec<ValueOf<D>>, HaltOf<D>> {
        let Some(Instruction { kind: InstructionKind::Call(_, operands), .. }) = self.instruction(state) else {
            return Err(Stop::unsupported("a call was expected").into());
        };
        operands.iter().map(|operand| self.operand(state, operand)).collect()
    }

    /// Completes the call that comes next with its result.
    pub fn answer(&mut self, state: &mut State<D>, value: ValueOf<D>) {
        if let Some(instruction) = self.instruction(state) {
            self.complete(state, instruction, value);
            state.instructions += 1;
        }
    }

    /// Where a state stands, for what a driver does in the place of the next instruction.
    pub fn place(&self, state: &State<D>) -> Place {
        let frame = state.frame();
        Place {
            function: frame.map_or(FunctionId(0), |frame| frame.function),
            block: frame.map_or(BlockId(0), |frame| frame.block),
            instruction: frame.map_or(0, |frame| frame.instruction as u32),
            lane: 0,
            part: 0,
            location: self.instruction(state).and_then(|instruction| instruction.location),
            fast_math: Default::default(),
            tainted: state.is_arbitrary,
            in_library: true,
            is_power: false,
            is_vector: false,
        }
    }

    /// A scalar's encoding read as another kind of the same size.
    pub fn reinterpreted(&mut self, scalar: &ScalarOf<D>, kind: ScalarKind) -> ScalarOf<D> {
        cells::reinterpret(&mut self.domain, scalar, kind)
    }

    /// The life of a local variable begins anew, uninitialised, or ends.
    pub(crate) fn mark_life(
        &mut self,
        state: &mut State<D>,
        operands: &[Operand],
        begins: bool,
    ) -> Result<(), HaltOf<D>> {
        // LLVM 22 has the pointer alone, earlier versions a size before it.
        let Some(pointer) = operands.last() else { return Ok(()) };
        let pointer = self.scalar(state, pointer)?;
        match pointer_of(&pointer)?.base {
            Base::Object { id, .. } if state.memory.kind(id) == ObjectKind::Stack && begins => state.memory.revive(id),
            Base::Object { id, .. } if state.memory.kind(id) == ObjectKind::Stack => state.memory.release(id),
            _ => {}
        }
        Ok(())
    }

    /// Splits off shifts by the width or more.
    pub(crate) fn refuse_shift(&mut self, state: &State<D>, x: &IntOf<D>, by: &IntOf<D>) -> Result<(), HaltOf<D>> {
        // A width fits into any operand whose values reach it.
        let width = u128::from(x.bits());
        if x.bits() < 8 && width >> x.bits() != 0 {
            return Ok(());
        }
        let is_far = bits::compare(&mut self.domain, IntPredicate::Uge, by, &Int::new(x.bits(), width));
        if self.goes_wrong(state, &is_far)? { Err(Stop::Shift.into()) } else { Ok(()) }
    }

    /// Splits off operands of which a sum, difference or product does not fit.
    pub(crate) fn refuse_overflow(
        &mut self,
        state: &State<D>,
        op: IntBinary,
        lhs: &Operand,
        rhs: &Operand,
    ) -> Result<(), HaltOf<D>> {
        if !bits::can_overflow(op) {
            return Ok(());
        }
        let (a, b) = (self.operand(state, lhs)?, self.operand(state, rhs)?);
        for (a, b) in a.iter().zip(&b) {
            self.refuse_overflow_of(state, op, a, b)?;
        }
        Ok(())
    }

    fn refuse_overflow_of(
        &mut self,
        state: &State<D>,
        op: IntBinary,
        a: &ScalarOf<D>,
        b: &ScalarOf<D>,
    ) -> Result<(), HaltOf<D>> {
        if a.tainted || b.tainted {
            return Err(Stop::Undefined.into());
        }
        let (x, y) = (int_of(a)?, int_of(b)?);
        let width = x.bits();
        // Wide enough for the exact result.
        let wide = if op == IntBinary::Mul { 2 * width } else { width + 1 };
        if wide > WORD_BITS && width <= WORD_BITS {
            let (_, overflows) = self.with_wide_overflow(op, true, x, y)?;
            return if self.goes_wrong(state, &overflows)? { Err(Stop::SignedOverflow.into()) } else { Ok(()) };
        }
        let domain = &mut self.domain;
        let (long_x, long_y) = (bits::sign_extend(domain, x, wide), bits::sign_extend(domain, y, wide));
        let exact = bits::total(domain, op, &long_x, &long_y)?;
        // Two comparisons with literals, which ranges can decide.
        let least = bits::sign_extend(domain, &Int::least(width), wide);
        let most = bits::zero_extend(domain, &Int::greatest(width), wide);
        let is_below = bits::compare(domain, IntPredicate::Slt, &exact, &least);
        let is_above = bits::compare(domain, IntPredicate::Slt, &most, &exact);
        if self.goes_wrong(state, &is_below)? || self.goes_wrong(state, &is_above)? {
            return Err(Stop::SignedOverflow.into());
        }
        Ok(())
    }
}
