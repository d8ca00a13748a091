//! Atomic instructions: on one thread they are a read, a computation and a write. Those that have no such words stay unsupported.

use inkwell::llvm_sys::{LLVMAtomicRMWBinOp, LLVMOpcode};

use super::bodies::Body;
use super::loader::Loader;
use crate::llvm::Value;
use crate::{Instruction, InstructionKind, IntBinary, IntPredicate, Operand, Type, ValueId};

/// The types of the values that an instruction needs beside its result, by those of what it reads and of the result.
pub(super) fn further_values(value: Value<'_>, read: &Type, result: &Type) -> Vec<Type> {
    match value.opcode() {
        LLVMOpcode::LLVMAtomicRMW => vec![read.clone()],
        // What was read, whether it is as expected, what is written, the first half of the result.
        LLVMOpcode::LLVMAtomicCmpXchg => vec![read.clone(), Type::Int(1), read.clone(), result.clone()],
        _ => Vec::new(),
    }
}

/// Whether an instruction is one of these.
pub(super) fn is_atomic(value: Value<'_>) -> bool {
    matches!(value.opcode(), LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg)
}

impl<'m> Loader<'m> {
    /// The instructions that an atomic one is; `None` for one that has no such words.
    pub(super) fn atomic(&mut self, body: &Body<'m>, value: Value<'m>) -> Option<Vec<Instruction>> {
        let pointer = self.operand(body, value.operand(0)?);
        let (result, first) = (*body.values.get(&value)?, *body.further.get(&value)?);
        let operand = self.operand(body, value.operand(1)?);
        let read = self.ty(value.operand(1)?.ty());
        let location = self.location_of(value);
        let make = |result: Option<ValueId>, ty: Type, kind: InstructionKind| Instruction {
            result,
            ty,
            kind,
            fast_math: Default::default(),
            location,
        };
        let load = |to| make(Some(to), read.clone(), InstructionKind::Load { pointer: pointer.clone(), ordered: true });
        let store = |value: Operand| {
            let kind = InstructionKind::Store { value, ty: read.clone(), pointer: pointer.clone(), ordered: true };
            make(None, Type::Void, kind)
        };
        if value.opcode() == LLVMOpcode::LLVMAtomicRMW {
            use LLVMAtomicRMWBinOp::*;
            let op = match value.atomic_operation() {
                LLVMAtomicRMWBinOpXchg => None,
                LLVMAtomicRMWBinOpAdd => Some(IntBinary::Add),
                LLVMAtomicRMWBinOpSub => Some(IntBinary::Sub),
                LLVMAtomicRMWBinOpAnd => Some(IntBinary::And),
                LLVMAtomicRMWBinOpOr => Some(IntBinary::Or),
                LLVMAtomicRMWBinOpXor => Some(IntBinary::Xor),
                _ => return None,
            };
            let Some(op) = op else { return Some(vec![load(result), store(operand)]) };
            let kind = InstructionKind::IntBinary { op, lhs: Operand::Value(result), rhs: operand, may_poison: false };
            return Some(vec![load(result), make(Some(first), read.clone(), kind), store(Operand::Value(first))]);
        }
        if !matches!(read, Type::Int(_)) {
            return None;
        }
        let new = self.operand(body, value.operand(2)?);
        let [is_expected, written, halved] = [1, 2, 3].map(|number| ValueId(first.0 + number));
        let ty = self.ty(value.ty());
        let was = Operand::Value(first);
        let select = InstructionKind::Select(Operand::Value(is_expected), new, was.clone());
        let half =
            InstructionKind::InsertValue(Operand::Constant(crate::Constant::Undef(ty.clone())), was.clone(), vec![0]);
        let whole = InstructionKind::InsertValue(Operand::Value(halved), Operand::Value(is_expected), vec![1]);
        let compare = InstructionKind::IntCompare(IntPredicate::Eq, was, operand);
        Some(vec![
            load(first),
            make(Some(is_expected), Type::Int(1), compare),
            make(Some(written), read.clone(), select),
            store(Operand::Value(written)),
            make(Some(halved), ty.clone(), half),
            make(Some(result), ty, whole),
        ])
    }
}
