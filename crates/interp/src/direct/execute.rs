//! The loop that executes decoded instructions.

use labrys_program::{BlockId, FunctionId, InstructionKind, IntBinary, IntPredicate};
use smallvec::SmallVec;

use super::code::{Code, Edge, Op, Source};
use super::words::{arithmetic, cut, holds, overflows, signed};
use super::{Kind, Registers, Word};
use crate::addresses::{NEAR, SPAN};
use crate::machine::HaltOf;
use crate::{Domain, FloatOperation, Int, Machine, Place, State, ToInteger};

/// Where a run stands.
pub(super) struct Cursor {
    function: FunctionId,
    block: u32,
    /// The code's place.
    pub(super) at: u32,
}

impl<D: Domain> Machine<'_, D> {
    /// Executes instructions on known values, at most so many; none where the domain or what is checked does not allow for it.
    ///
    /// # Errors
    ///
    /// As [`Machine::run`], and as there the state is as before the instruction that failed.
    pub fn run_direct(&mut self, state: &mut State<D>, most: u64) -> Result<(), HaltOf<D>> {
        if !self.is_direct || !self.checks.accesses || self.touched.is_some() {
            return Ok(());
        }
        let mut left = most.min(self.limits.instructions.saturating_sub(state.instructions));
        let mut registers = std::mem::take(&mut self.registers);
        let ended = loop {
            match self.run_activation(state, &mut registers, &mut left) {
                Ok(true) if left > 0 && !self.domain.is_interrupted() => {}
                Ok(_) => break Ok(()),
                Err(halt) => break Err(halt),
            }
        };
        self.registers = registers;
        ended
    }

    /// Goes on in the innermost activation; whether another one is that now.
    fn run_activation(
        &mut self,
        state: &mut State<D>,
        registers: &mut Registers,
        left: &mut u64,
    ) -> Result<bool, HaltOf<D>> {
        let Some(frame) = state.frame() else { return Ok(false) };
        let (function, block, instruction) = (frame.function, frame.block.0, frame.instruction as u32);
        let code = match self.codes.get_mut(function.index()).map(std::mem::take) {
            Some(Some(code)) => code,
            Some(None) => Box::new(self.decode(self.function(function)?)),
            None => return Ok(false),
        };
        let start = code.starts.get(block as usize).copied().unwrap_or_default();
        let mut cursor = Cursor { function, block, at: start + instruction };
        let mut ended = Ok(false);
        if *left > 0 && !matches!(code.ops.get(cursor.at as usize), Some(Op::Step) | None) {
            registers.begin(code.kinds.len());
            ended = self.execute_direct(state, &code, registers, &mut cursor, left);
            if !matches!(ended, Ok(true)) {
                registers.write_back(&mut self.domain, state, &code);
                cursor.leave(state, &code);
            }
        }
        self.codes[function.index()] = Some(code);
        ended
    }

    /// Executes up to the first instruction that cannot be, or so many, or up to where another activation is the innermost: whether
    /// one is.
    fn execute_direct(
        &mut self,
        state: &mut State<D>,
        code: &Code,
        registers: &mut Registers,
        cursor: &mut Cursor,
        left: &mut u64,
    ) -> Result<bool, HaltOf<D>> {
        let most = *left;
        let mut run = Run { machine: self, state, code, registers };
        let result = loop {
            let Some(op) = code.ops.get(cursor.at as usize) else { break Ok(false) };
            if *left == 0 {
                break Ok(false);
            }
            match op {
                Op::Jump { .. } | Op::Branch { .. } | Op::Switch { .. } => {
                    let Some(edge) = run.target(op) else { break Ok(false) };
                    match run.take(cursor, edge) {
                        Ok(true) => {}
                        Ok(false) => break Ok(false),
                        Err(halt) => break Err(halt),
                    }
                    *left -= 1;
                    if run.machine.domain.is_interrupted() {
                        break Ok(false);
                    }
                }
                Op::Call { .. } | Op::Return { .. } => {
                    let is_done = run.change_activation(cursor, op).is_some();
                    *left -= u64::from(is_done);
                    break Ok(is_done);
                }
                _ => {
                    if run.step(cursor, op).is_none() {
                        break Ok(false);
                    }
                    cursor.at += 1;
                    *left -= 1;
                }
            }
        };
        state.instructions += most - *left;
        result
    }
}

impl Cursor {
    /// Has the innermost activation, whose code this is, stand where the cursor does.
    pub(super) fn leave<D: Domain>(&self, state: &mut State<D>, code: &Code) {
        if let Some(frame) = state.frame_mut() {
            let start = code.starts.get(self.block as usize).copied().unwrap_or_default();
            frame.block = BlockId(self.block);
            frame.instruction = (self.at - start) as usize;
        }
    }
}

/// What instructions work on.
pub(super) struct Run<'r, 'm, D: Domain> {
    pub(super) machine: &'r mut Machine<'m, D>,
    pub(super) state: &'r mut State<D>,
    pub(super) code: &'r Code,
    pub(super) registers: &'r mut Registers,
}

impl<D: Domain> Run<'_, '_, D> {
    #[inline]
    pub(super) fn get(&mut self, source: Source) -> Option<Word> {
        match source {
            Source::Constant(index) => self.code.constants.get(index as usize).copied(),
            Source::Register(index) => match self.registers.get(index) {
                Some(word) => Some(word),
                None => {
                    let kind = *self.code.kinds.get(index as usize)?;
                    self.registers.fetch(&self.machine.domain, self.state, index, kind)
                }
            },
        }
    }

    #[inline]
    fn bits(&mut self, source: Source) -> Option<u64> {
        self.get(source).filter(|word| word.object == Word::NOWHERE).map(|word| word.bits)
    }

    #[inline]
    fn set(&mut self, to: u32, bits: u64) -> Option<()> {
        self.registers.set(to, Word::new(bits));
        Some(())
    }

    /// The way that a terminator takes; `None` where that is left to `step`.
    fn target(&mut self, op: &Op) -> Option<Edge> {
        let edge = match *op {
            Op::Jump { edge } => edge,
            Op::Branch { condition, if_true, if_false } => {
                if self.bits(condition)? != 0 {
                    if_true
                } else {
                    if_false
                }
            }
            Op::Switch { value, first, count, default } => {
                let value = self.bits(value)?;
                let cases = self.code.cases.get(first as usize..(first + count) as usize)?;
                cases.iter().find(|(case, _)| *case == value).map_or(default, |(_, edge)| *edge)
            }
            _ => return None,
        };
        self.code.edges.get(edge as usize).copied()
    }

    /// Takes a way; false, and nothing done, where that is left to `step`.
    fn take(&mut self, cursor: &mut Cursor, edge: Edge) -> Result<bool, HaltOf<D>> {
        let Some((first, count)) = edge.moves else { return Ok(false) };
        let mut words: SmallVec<[Word; 8]> = SmallVec::new();
        for index in first..first + count {
            let Some(word) = self.get(self.code.moves[index as usize].0) else { return Ok(false) };
            words.push(word);
        }
        let (from, to) = (BlockId(cursor.block), BlockId(edge.block));
        let depth = self.state.depth();
        self.machine.domain.edge(&mut self.state.path, cursor.function, depth, from, to)?;
        for (index, word) in (first..).zip(words) {
            self.registers.set(self.code.moves[index as usize].1, word);
        }
        (cursor.block, cursor.at) = (edge.block, edge.at);
        Ok(true)
    }

    /// Executes an instruction that is no terminator; `None`, and nothing done, where that is left to `step`.
    #[inline]
    fn step(&mut self, cursor: &Cursor, op: &Op) -> Option<()> {
        match *op {
            Op::Integer { op: IntBinary::Sub, bits: 64, a, b, to, .. } if self.machine.domain.opens_addresses() => {
                let (x, y) = (self.get(a)?, self.get(b)?);
                // Addresses in one object are apart by as much in every layout.
                let is_distance = x.object == y.object;
                let (is_checked, overflows) =
                    (self.machine.checks.signed_overflow, overflows(IntBinary::Sub, 64, x.bits, y.bits));
                if !is_distance || (is_checked && overflows) {
                    return None;
                }
                self.set(to, x.bits.wrapping_sub(y.bits))
            }
            Op::Integer { op, bits, is_checked, a, b, to } => {
                let (x, y) = (self.bits(a)?, self.bits(b)?);
                if is_checked && overflows(op, bits.into(), x, y) {
                    return None;
                }
                self.set(to, arithmetic(op, bits.into(), x, y)?)
            }
            Op::Compare { predicate, bits, a, b, to } => {
                let (x, y) = (self.bits(a)?, self.bits(b)?);
                self.set(to, holds(predicate, bits.into(), x, y).into())
            }
            Op::ComparePointers { predicate, a, b, to } => self.compare_pointers(predicate, a, b, to),
            Op::Resize { bits, a, to } => {
                let value = self.bits(a)?;
                self.set(to, cut(bits.into(), value))
            }
            Op::SignExtend { from, bits, a, to } => {
                let value = self.bits(a)?;
                self.set(to, cut(bits.into(), signed(from.into(), value) as u64))
            }
            Op::Address { bits, a, to } => {
                let word = self.get(a)?;
                if word.object == Word::NOWHERE || !self.machine.domain.opens_addresses() {
                    let address = word.address(&self.state.memory);
                    return self.set(to, cut(bits.into(), address));
                }
                if bits < 64 {
                    return None;
                }
                self.registers.set(to, word);
                Some(())
            }
            Op::Copy { a, to } => {
                let word = self.get(a)?;
                self.registers.set(to, word);
                Some(())
            }
            Op::Select { condition, if_true, if_false, to } => {
                let chosen = if self.bits(condition)? != 0 { if_true } else { if_false };
                let word = self.get(chosen)?;
                self.registers.set(to, word);
                Some(())
            }
            Op::Load { pointer, kind, to } => {
                let pointer = self.get(pointer)?;
                if pointer.object == Word::NOWHERE {
                    return None;
                }
                let word = self.state.memory.word(&self.machine.domain, pointer.object, pointer.bits, kind)?;
                self.registers.set(to, word);
                Some(())
            }
            Op::Store { value, pointer, kind } => {
                let (word, pointer) = (self.get(value)?, self.get(pointer)?);
                if pointer.object == Word::NOWHERE {
                    return None;
                }
                let domain = &mut self.machine.domain;
                self.state.memory.set_word(domain, pointer.object, pointer.bits, kind, word).then_some(())
            }
            Op::Offset { base, offset, first, count, to } => self.offset(base, offset, (first, count), to),
            Op::Float { operation, kind, a, b, to } => {
                let operands = [self.bits(a)?, self.bits(b)?];
                self.operate(operation, kind, &operands, to)
            }
            Op::FloatUnary { operation, kind, a, to } => {
                let operand = self.bits(a)?;
                self.operate(operation, kind, &[operand], to)
            }
            Op::MultiplyAdd { kind, a, b, c, to } => {
                let (factors, summand) = ([self.bits(a)?, self.bits(b)?], self.bits(c)?);
                let (domain, path, format) = (&self.machine.domain, &self.state.path, kind.format()?);
                let product = domain.known_operation(path, FloatOperation::Mul, format, &factors)?;
                let sum = domain.known_operation(path, FloatOperation::Add, format, &[product, summand])?;
                self.set(to, sum)
            }
            Op::FloatCompare { predicate, kind, a, b, to } => {
                let (x, y) = (self.bits(a)?, self.bits(b)?);
                let bit = self.machine.domain.known_comparison(predicate, kind.format()?, x, y)?;
                self.set(to, bit.into())
            }
            Op::FromInteger { bits, is_signed, kind, a, to } => {
                self.float_of_integer(cursor, (bits, is_signed), kind, a, to)
            }
            Op::ToInteger { bits, is_signed, kind, a, to } => {
                self.integer_of_float(cursor, (bits, is_signed), kind, a, to)
            }
            Op::Allocate { size, align, to } => self.allocate(size, align, to),
            Op::Step
            | Op::Call { .. }
            | Op::Return { .. }
            | Op::Jump { .. }
            | Op::Branch { .. }
            | Op::Switch { .. } => None,
        }
    }

    #[inline]
    fn operate(&mut self, operation: FloatOperation, kind: Kind, operands: &[u64], to: u32) -> Option<()> {
        let result = self.machine.domain.known_operation(&self.state.path, operation, kind.format()?, operands)?;
        self.set(to, result)
    }

    /// Pointers compare as addresses; within one object, as offsets. What other layouts of memory may decide otherwise is left to `step`.
    fn compare_pointers(&mut self, predicate: IntPredicate, a: Source, b: Source, to: u32) -> Option<()> {
        let (a, b) = (self.get(a)?, self.get(b)?);
        let is_equality = matches!(predicate, IntPredicate::Eq | IntPredicate::Ne);
        let is_near = |word: Word| word.bits.wrapping_add(NEAR) < SPAN;
        let is_null = |word: Word| word.object == Word::NOWHERE && word.bits == 0;
        let (x, y) = match (a.object == b.object, a.object) {
            (true, Word::NOWHERE) => (a.bits, b.bits),
            (true, _) if is_equality || (is_near(a) && is_near(b)) => {
                (a.bits.wrapping_add(NEAR), b.bits.wrapping_add(NEAR))
            }
            (false, _) if is_null(a) && is_near(b) => (0, SPAN),
            (false, _) if is_null(b) && is_near(a) => (SPAN, 0),
            _ => return None,
        };
        self.set(to, holds(predicate, 64, x, y).into())
    }

    fn offset(&mut self, base: Source, offset: i64, (first, count): (u32, u16), to: u32) -> Option<()> {
        let Word { bits, object } = self.get(base)?;
        let mut bits = bits.wrapping_add(offset as u64);
        for index in first..first + u32::from(count) {
            let (index, width, scale) = *self.code.scaled.get(index as usize)?;
            let index = signed(width, self.bits(index)?);
            bits = bits.wrapping_add(index.wrapping_mul(scale) as u64);
        }
        self.registers.set(to, Word { bits, object });
        Some(())
    }

    /// Where an instruction stands, for the domain.
    fn place(&self, cursor: &Cursor) -> Option<Place> {
        let function = self.machine.program.functions.get(cursor.function.index())?;
        let instruction = cursor.at - self.code.starts.get(cursor.block as usize)?;
        let block = function.blocks.get(cursor.block as usize)?;
        let instruction_at = block.instructions.get(instruction as usize)?;
        debug_assert!(matches!(instruction_at.kind, InstructionKind::Cast(..)));
        Some(Place {
            function: cursor.function,
            block: BlockId(cursor.block),
            instruction,
            lane: 0,
            part: 0,
            location: instruction_at.location,
            fast_math: instruction_at.fast_math,
            tainted: self.state.is_arbitrary,
            in_library: false,
            is_power: false,
            is_vector: false,
        })
    }

    fn float_of_integer(
        &mut self,
        cursor: &Cursor,
        (bits, is_signed): (u8, bool),
        kind: Kind,
        a: Source,
        to: u32,
    ) -> Option<()> {
        let int = Int::new(bits.into(), self.bits(a)?.into());
        let place = self.place(cursor)?;
        let domain = &mut self.machine.domain;
        let float = domain.int_to_float(&mut self.state.path, &place, &int, is_signed, kind.format()?).ok()?;
        let result = domain.known_float(&float)?;
        self.set(to, result)
    }

    fn integer_of_float(
        &mut self,
        cursor: &Cursor,
        (bits, signed): (u8, bool),
        kind: Kind,
        a: Source,
        to: u32,
    ) -> Option<()> {
        let format = kind.format()?;
        let value = self.bits(a)?;
        let place = self.place(cursor)?;
        let mode = Some(labrys_float::RoundingMode::TowardZero);
        let conversion = ToInteger { bits: bits.into(), signed, mode, saturating: false };
        let domain = &mut self.machine.domain;
        let float = domain.float_from_bits(&Int::new(format.width(), value.into()), format);
        let (int, is_poison) = domain.float_to_int(&mut self.state.path, &place, conversion, &float).ok()?;
        match int.concrete() {
            Some(result) if !is_poison => self.set(to, result as u64),
            _ => None,
        }
    }
}
