//! Functions of the program in decoded form.

use labrys_program::{
    Block, BlockId, Callee, Cast, FloatCall, Function, FunctionId, Instruction, InstructionKind, IntrinsicKind,
    Operand, Terminator, ValueId,
};
use num_traits::ToPrimitive;

use super::code::{Code, Edge, Op, Source};
use super::{Kind, Word};
use crate::bits::can_overflow;
use crate::{Datum, Domain, FloatOperation, Machine, Scalar, library};

impl<D: Domain> Machine<'_, D> {
    /// A function, decoded.
    pub(super) fn decode(&mut self, function: &Function) -> Code {
        let code = Code { kinds: function.values.iter().map(Kind::of).collect(), ..Code::default() };
        let mut decoder = Decoder { machine: self, function, code };
        let mut start = 0;
        for block in &function.blocks {
            decoder.code.starts.push(start);
            start += block.instructions.len() as u32 + 1;
        }
        for (index, block) in function.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                let op = decoder.instruction(instruction).unwrap_or(Op::Step);
                decoder.code.ops.push(op);
            }
            let op = decoder.terminator(BlockId(index as u32), &block.terminator).unwrap_or(Op::Step);
            decoder.code.ops.push(op);
        }
        decoder.code
    }
}

/// A function on its way into decoded form.
struct Decoder<'a, 'p, D: Domain> {
    machine: &'a mut Machine<'p, D>,
    function: &'a Function,
    code: Code,
}

impl<D: Domain> Decoder<'_, '_, D> {
    /// The kind of an operand's type.
    fn kind(&self, operand: &Operand) -> Option<Kind> {
        match operand {
            Operand::Value(id) => *self.code.kinds.get(id.index())?,
            Operand::Constant(constant) => Kind::of(&constant.ty()),
        }
    }

    /// An operand of a kind; `None` where it is none, or an undefined constant.
    fn source(&mut self, operand: &Operand, kind: Kind) -> Option<Source> {
        if self.kind(operand)? != kind {
            return None;
        }
        match operand {
            Operand::Value(id) => Some(Source::Register(id.0)),
            Operand::Constant(constant) => {
                let value = self.machine.constant(constant).ok()?;
                let [scalar] = value.as_slice() else { return None };
                if scalar.tainted {
                    return None;
                }
                let word = Word::of(&self.machine.domain, self.machine.initial(), &scalar.datum, kind)?;
                self.code.constants.push(word);
                Some(Source::Constant(self.code.constants.len() as u32 - 1))
            }
        }
    }

    /// An integer operand and its width.
    fn integer(&mut self, operand: &Operand) -> Option<(Source, u8)> {
        let kind @ Kind::Int(bits) = self.kind(operand)? else { return None };
        Some((self.source(operand, kind)?, bits as u8))
    }

    /// A float operand and its kind.
    fn float(&mut self, operand: &Operand) -> Option<(Source, Kind)> {
        let kind = self.kind(operand)?;
        kind.format()?;
        Some((self.source(operand, kind)?, kind))
    }

    /// The register of a result, with its kind.
    fn result(&self, instruction: &Instruction) -> Option<(u32, Kind)> {
        let id: ValueId = instruction.result?;
        Some((id.0, (*self.code.kinds.get(id.index())?)?))
    }

    /// An instruction; `None` for those that are left to `step`.
    fn instruction(&mut self, instruction: &Instruction) -> Option<Op> {
        if let InstructionKind::Store { value, pointer, .. } = &instruction.kind {
            let kind = self.kind(value)?;
            let (value, pointer) = (self.source(value, kind)?, self.source(pointer, Kind::Pointer)?);
            return Some(Op::Store { value, pointer, kind });
        }
        if let InstructionKind::Call(Callee::Function(id), operands) = &instruction.kind {
            return self.call(instruction, *id, operands);
        }
        let (to, kind) = self.result(instruction)?;
        match &instruction.kind {
            InstructionKind::Alloca(element, Operand::Constant(length), align) => {
                let length = self.machine.constant(length).ok()?;
                let [Scalar { datum: Datum::Int(length), tainted: false }] = length.as_slice() else { return None };
                let size = length.concrete()?.checked_mul(element.alloc_size().into())?;
                let size = u64::try_from(size).ok().filter(|size| *size <= self.machine.limits.object)?;
                Some(Op::Allocate { size, align: *align, to })
            }
            InstructionKind::IntBinary { op, lhs, rhs, may_poison } => {
                let ((a, bits), (b, _)) = (self.integer(lhs)?, self.integer(rhs)?);
                let is_checked = *may_poison && self.machine.checks.signed_overflow && can_overflow(*op);
                Some(Op::Integer { op: *op, bits, is_checked, a, b, to })
            }
            InstructionKind::IntCompare(predicate, lhs, rhs) => {
                let predicate = *predicate;
                if self.kind(lhs)? == Kind::Pointer {
                    let (a, b) = (self.source(lhs, Kind::Pointer)?, self.source(rhs, Kind::Pointer)?);
                    return Some(Op::ComparePointers { predicate, a, b, to });
                }
                let ((a, bits), (b, _)) = (self.integer(lhs)?, self.integer(rhs)?);
                Some(Op::Compare { predicate, bits, a, b, to })
            }
            InstructionKind::Cast(cast, operand) => self.cast(*cast, operand, to, kind),
            InstructionKind::FloatBinary(op, lhs, rhs) => {
                let ((a, kind), (b, _)) = (self.float(lhs)?, self.float(rhs)?);
                Some(Op::Float { operation: (*op).into(), kind, a, b, to })
            }
            InstructionKind::FloatNegate(operand) => {
                let (a, kind) = self.float(operand)?;
                Some(Op::FloatUnary { operation: FloatOperation::Neg, kind, a, to })
            }
            InstructionKind::FloatCompare(predicate, lhs, rhs) => {
                let ((a, kind), (b, _)) = (self.float(lhs)?, self.float(rhs)?);
                Some(Op::FloatCompare { predicate: *predicate, kind, a, b, to })
            }
            InstructionKind::Select(condition, if_true, if_false) => {
                let condition = self.source(condition, Kind::Int(1))?;
                let (if_true, if_false) = (self.source(if_true, kind)?, self.source(if_false, kind)?);
                Some(Op::Select { condition, if_true, if_false, to })
            }
            InstructionKind::Load { pointer, .. } => {
                Some(Op::Load { pointer: self.source(pointer, Kind::Pointer)?, kind, to })
            }
            InstructionKind::PointerOffset { base, offset, scaled } => {
                let base = self.source(base, Kind::Pointer)?;
                let first = self.code.scaled.len() as u32;
                for (index, scale) in scaled {
                    let (index, bits) = self.integer(index)?;
                    self.code.scaled.push((index, bits.into(), *scale));
                }
                let count = u16::try_from(scaled.len()).ok()?;
                Some(Op::Offset { base, offset: *offset, first, count, to })
            }
            InstructionKind::Call(Callee::Intrinsic(called), operands) if called.comparison().is_none() => {
                self.intrinsic(called.kind(), operands, to, kind)
            }
            InstructionKind::Freeze(operand) => Some(Op::Copy { a: self.source(operand, kind)?, to }),
            _ => None,
        }
    }

    /// A call of a function of the program that takes words.
    fn call(&mut self, instruction: &Instruction, id: FunctionId, operands: &[Operand]) -> Option<Op> {
        let function = self.machine.program.functions.get(id.index())?;
        let is_answered = self.machine.answered.get(id.index()) == Some(&true);
        if is_answered
            || function.blocks.is_empty()
            || function.is_variadic
            || library::failure(function).is_some()
            || function.parameters.len() != operands.len()
        {
            return None;
        }
        let mut arguments = Vec::with_capacity(operands.len());
        for (parameter, operand) in function.parameters.iter().zip(operands) {
            let kind = Kind::of(&parameter.ty).filter(|_| parameter.by_value.is_none())?;
            arguments.push((self.source(operand, kind)?, kind));
        }
        let first = self.code.arguments.len() as u32;
        self.code.arguments.extend(&arguments);
        let to = instruction.result.map(|result| result.0);
        Some(Op::Call { function: id, first, count: arguments.len() as u32, to })
    }

    fn cast(&mut self, cast: Cast, operand: &Operand, to: u32, kind: Kind) -> Option<Op> {
        match (cast, kind) {
            (Cast::Trunc | Cast::ZExt, Kind::Int(bits)) => {
                Some(Op::Resize { bits: bits as u8, a: self.integer(operand)?.0, to })
            }
            (Cast::SExt, Kind::Int(bits)) => {
                let (a, from) = self.integer(operand)?;
                Some(Op::SignExtend { from, bits: bits as u8, a, to })
            }
            (Cast::PtrToInt, Kind::Int(bits)) => {
                Some(Op::Address { bits: bits as u8, a: self.source(operand, Kind::Pointer)?, to })
            }
            (Cast::FpTrunc | Cast::FpExt, _) => {
                let (a, from) = self.float(operand)?;
                Some(Op::FloatUnary { operation: FloatOperation::Convert(kind.format()?), kind: from, a, to })
            }
            (Cast::UiToFp | Cast::SiToFp, _) => {
                let (a, bits) = self.integer(operand)?;
                kind.format()?;
                Some(Op::FromInteger { bits, is_signed: cast == Cast::SiToFp, kind, a, to })
            }
            (Cast::FpToUi | Cast::FpToSi, Kind::Int(bits)) => {
                let (a, kind) = self.float(operand)?;
                Some(Op::ToInteger { bits: bits as u8, is_signed: cast == Cast::FpToSi, kind, a, to })
            }
            _ => None,
        }
    }

    /// Operations on one float, and products with a sum.
    fn intrinsic(&mut self, called: IntrinsicKind, operands: &[Operand], to: u32, kind: Kind) -> Option<Op> {
        match (called, operands) {
            (IntrinsicKind::Float(FloatCall::Operation(operation)), [operand]) => {
                let a = self.source(operand, kind)?;
                kind.format()?;
                Some(Op::FloatUnary { operation, kind, a, to })
            }
            (IntrinsicKind::Float(FloatCall::MultiplyAdd), [a, b, c]) if !self.function.features.fma => {
                kind.format()?;
                let (a, b, c) = (self.source(a, kind)?, self.source(b, kind)?, self.source(c, kind)?);
                Some(Op::MultiplyAdd { kind, a, b, c, to })
            }
            _ => None,
        }
    }

    fn terminator(&mut self, from: BlockId, terminator: &Terminator) -> Option<Op> {
        match terminator {
            Terminator::Branch(target) => Some(Op::Jump { edge: self.edge(from, *target)? }),
            Terminator::CondBranch(condition, if_true, if_false) => {
                let condition = self.source(condition, Kind::Int(1))?;
                let (if_true, if_false) = (self.edge(from, *if_true)?, self.edge(from, *if_false)?);
                Some(Op::Branch { condition, if_true, if_false })
            }
            Terminator::Switch { value, cases, default } => {
                let (value, bits) = self.integer(value)?;
                let mut found = Vec::with_capacity(cases.len());
                for (case, target) in cases {
                    let case = super::words::cut(bits.into(), case.to_u64()?);
                    found.push((case, self.edge(from, *target)?));
                }
                let default = self.edge(from, *default)?;
                let first = self.code.cases.len() as u32;
                self.code.cases.extend(&found);
                Some(Op::Switch { value, first, count: found.len() as u32, default })
            }
            Terminator::Return(None) => Some(Op::Return { value: None }),
            Terminator::Return(Some(operand)) => {
                let kind = self.kind(operand)?;
                Some(Op::Return { value: Some((self.source(operand, kind)?, kind)) })
            }
            Terminator::Unreachable | Terminator::Unsupported(_) => None,
        }
    }

    /// The way from a block to another; `None` where there is no such block.
    fn edge(&mut self, from: BlockId, target: BlockId) -> Option<u32> {
        let block: &Block = self.function.blocks.get(target.index())?;
        let is_phi = |instruction: &&Instruction| matches!(instruction.kind, InstructionKind::Phi(_));
        let phis = block.instructions.iter().take_while(is_phi).count() as u32;
        let at = self.code.starts.get(target.index())? + phis;
        let first = self.code.moves.len() as u32;
        let moves = self.moves(from, block).map(|moves| {
            self.code.moves.extend(&moves);
            (first, moves.len() as u32)
        });
        self.code.edges.push(Edge { block: target.0, at, moves });
        Some(self.code.edges.len() as u32 - 1)
    }

    /// What the phis of a block get from another; `None` where one of them gets no word.
    fn moves(&mut self, from: BlockId, block: &Block) -> Option<Vec<(Source, u32)>> {
        let mut moves = Vec::new();
        for instruction in &block.instructions {
            let InstructionKind::Phi(incoming) = &instruction.kind else { break };
            let (to, kind) = self.result(instruction)?;
            let (_, operand) = incoming.iter().find(|(block, _)| *block == from)?;
            moves.push((self.source(operand, kind)?, to));
        }
        Some(moves)
    }
}
