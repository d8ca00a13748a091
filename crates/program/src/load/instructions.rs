//! Instructions, one arm an opcode.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMValueKind};

use super::bodies::Body;
use super::loader::Loader;
use crate::llvm::Value;
use crate::{
    Callee, Cast, FloatBinary, FloatPredicate, Instruction, InstructionKind, IntBinary, IntPredicate, Intrinsic, Type,
};

impl<'m> Loader<'m> {
    /// Translates an instruction; `None` for one that has no effect on a single thread.
    pub(super) fn instruction(&mut self, body: &Body<'m>, value: Value<'m>) -> Option<Instruction> {
        if value.opcode() == LLVMOpcode::LLVMFence {
            return None;
        }
        let ty = self.ty(value.ty());
        let kind = match self.kind(body, value) {
            Some(kind) => kind,
            None => InstructionKind::Unsupported(value.text().into()),
        };
        Some(Instruction {
            result: body.values.get(&value).copied(),
            ty,
            kind,
            fast_math: value.fast_math(),
            location: self.location_of(value),
        })
    }

    /// What an instruction does; `None` if [`InstructionKind`] has no word for it.
    fn kind(&mut self, body: &Body<'m>, value: Value<'m>) -> Option<InstructionKind> {
        use LLVMOpcode::*;
        let opcode = value.opcode();
        if let Some(op) = float_binary(opcode) {
            return Some(InstructionKind::FloatBinary(op, self.at(body, value, 0)?, self.at(body, value, 1)?));
        }
        if let Some((op, may_poison)) = int_binary(opcode, value) {
            let (lhs, rhs) = (self.at(body, value, 0)?, self.at(body, value, 1)?);
            return Some(InstructionKind::IntBinary { op, lhs, rhs, may_poison });
        }
        if let Some(cast) = cast(opcode) {
            return Some(InstructionKind::Cast(cast, self.at(body, value, 0)?));
        }
        match opcode {
            LLVMFNeg => Some(InstructionKind::FloatNegate(self.at(body, value, 0)?)),
            LLVMFreeze => Some(InstructionKind::Freeze(self.at(body, value, 0)?)),
            LLVMFCmp => {
                let predicate = float_predicate(value.float_predicate());
                Some(InstructionKind::FloatCompare(predicate, self.at(body, value, 0)?, self.at(body, value, 1)?))
            }
            LLVMICmp => {
                let predicate = int_predicate(value.int_predicate());
                Some(InstructionKind::IntCompare(predicate, self.at(body, value, 0)?, self.at(body, value, 1)?))
            }
            LLVMSelect => {
                let (then, other) = (self.at(body, value, 1)?, self.at(body, value, 2)?);
                Some(InstructionKind::Select(self.at(body, value, 0)?, then, other))
            }
            LLVMPHI => {
                let mut incoming = Vec::new();
                for (block, value) in value.incoming() {
                    incoming.push((*body.blocks.get(&block)?, self.operand(body, value)));
                }
                Some(InstructionKind::Phi(incoming))
            }
            LLVMCall | LLVMInvoke | LLVMCallBr => self.call(body, value),
            LLVMAlloca | LLVMLoad | LLVMStore | LLVMGetElementPtr => self.memory(body, value),
            LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector | LLVMExtractValue | LLVMInsertValue => {
                self.element_access(body, value)
            }
            _ => None,
        }
    }

    /// Translates an instruction's operand.
    fn at(&mut self, body: &Body<'m>, value: Value<'m>, index: u32) -> Option<crate::Operand> {
        Some(self.operand(body, value.operand(index)?))
    }

    fn memory(&mut self, body: &Body<'m>, value: Value<'m>) -> Option<InstructionKind> {
        match value.opcode() {
            LLVMOpcode::LLVMAlloca => {
                let (ty, count) = (self.ty(value.allocated_type()), self.at(body, value, 0)?);
                Some(InstructionKind::Alloca(ty, count, value.alignment()))
            }
            LLVMOpcode::LLVMLoad => {
                Some(InstructionKind::Load { pointer: self.at(body, value, 0)?, ordered: value.is_ordered() })
            }
            LLVMOpcode::LLVMStore => Some(InstructionKind::Store {
                value: self.at(body, value, 0)?,
                ty: self.ty(value.operand(0)?.ty()),
                pointer: self.at(body, value, 1)?,
                ordered: value.is_ordered(),
            }),
            LLVMOpcode::LLVMGetElementPtr => {
                let address = match self.displacement(value) {
                    Ok(address) => address,
                    Err(reason) => return Some(InstructionKind::Unsupported(reason.into())),
                };
                let base = self.at(body, value, 0)?;
                let mut scaled = Vec::with_capacity(address.scaled.len());
                for (index, scale) in address.scaled {
                    scaled.push((self.operand(body, index), scale));
                }
                Some(InstructionKind::PointerOffset { base, offset: address.offset, scaled })
            }
            _ => None,
        }
    }

    fn element_access(&mut self, body: &Body<'m>, value: Value<'m>) -> Option<InstructionKind> {
        let first = self.at(body, value, 0)?;
        match value.opcode() {
            LLVMOpcode::LLVMExtractElement => Some(InstructionKind::ExtractElement(first, self.at(body, value, 1)?)),
            LLVMOpcode::LLVMInsertElement => {
                let (element, index) = (self.at(body, value, 1)?, self.at(body, value, 2)?);
                Some(InstructionKind::InsertElement(first, element, index))
            }
            // A shuffle of scalable vectors is a splat without a fixed mask.
            LLVMOpcode::LLVMShuffleVector => match self.ty(value.ty()) {
                Type::Vector(..) => {
                    Some(InstructionKind::ShuffleVector(first, self.at(body, value, 1)?, value.shuffle_mask()))
                }
                _ => None,
            },
            LLVMOpcode::LLVMExtractValue => Some(InstructionKind::ExtractValue(first, value.indices())),
            LLVMOpcode::LLVMInsertValue => {
                Some(InstructionKind::InsertValue(first, self.at(body, value, 1)?, value.indices()))
            }
            _ => None,
        }
    }

    /// A call, or an invoke taken as one: what a callee throws ends the path, its landing pad is not followed.
    fn call(&mut self, body: &Body<'m>, value: Value<'m>) -> Option<InstructionKind> {
        let callee = value.callee()?;
        if callee.kind() == LLVMValueKind::LLVMInlineAsmValueKind && callee.assembly().trim().is_empty() {
            let arguments = value.arguments();
            match unchanged(&callee.assembly_constraints(), arguments.len()) {
                // What gets no instruction changes nothing, whatever it is given and said to change.
                _ if self.ty(value.ty()) == Type::Void => {
                    return Some(InstructionKind::Call(Callee::InlineAsm("".into()), Vec::new()));
                }
                Some(index) if arguments[index].ty() == value.ty() => {
                    return Some(InstructionKind::Freeze(self.operand(body, arguments[index])));
                }
                _ => {}
            }
        }
        let callee = match callee.kind() {
            LLVMValueKind::LLVMInlineAsmValueKind => Callee::InlineAsm(callee.assembly().into()),
            LLVMValueKind::LLVMFunctionValueKind => match self.functions.get(&callee) {
                Some(&id) => Callee::Function(id),
                None => {
                    let name = callee.intrinsic_name()?;
                    // Of a constrained comparison the predicate is metadata: it becomes a part of the name.
                    let predicate = name.starts_with(Intrinsic::COMPARISON).then(|| value.operand(2)?.metadata_text());
                    Callee::Intrinsic(Intrinsic::named(match predicate.flatten() {
                        Some(predicate) => format!("{name}.{predicate}"),
                        None => name,
                    }))
                }
            },
            _ => match self.operand(body, callee) {
                crate::Operand::Constant(crate::Constant::Function(id)) => Callee::Function(id),
                operand => Callee::Indirect(operand),
            },
        };
        let arguments = value.arguments();
        // Structs in memory among the further arguments of a variadic function have no word.
        let declared = value.called_parameters();
        if (declared..arguments.len() as u32).any(|index| value.has_call_attribute(index, "byval")) {
            return None;
        }
        let arguments = arguments.into_iter().map(|argument| self.operand(body, argument)).collect();
        Some(InstructionKind::Call(callee, arguments))
    }
}

/// Of assembly with an empty text, by its constraints and how many arguments it has: the argument that is in the register of the only result.
fn unchanged(constraints: &str, arguments: usize) -> Option<usize> {
    let mut parts = constraints.split(',');
    let is_result = |part: &str| part.starts_with('=') && !part.starts_with("=*");
    if !is_result(parts.next()?) {
        return None;
    }
    let inputs: Vec<&str> = parts.take_while(|part| !part.starts_with('~')).collect();
    let is_plain = inputs.len() == arguments && !inputs.iter().any(|part| part.starts_with(['=', '!']));
    inputs.iter().position(|part| *part == "0").filter(|_| is_plain)
}

fn float_binary(opcode: LLVMOpcode) -> Option<FloatBinary> {
    Some(match opcode {
        LLVMOpcode::LLVMFAdd => FloatBinary::Add,
        LLVMOpcode::LLVMFSub => FloatBinary::Sub,
        LLVMOpcode::LLVMFMul => FloatBinary::Mul,
        LLVMOpcode::LLVMFDiv => FloatBinary::Div,
        LLVMOpcode::LLVMFRem => FloatBinary::Rem,
        _ => return None,
    })
}

/// The operation and whether a flag makes some results poison; each flag is read only where LLVM defines it.
fn int_binary(opcode: LLVMOpcode, value: Value<'_>) -> Option<(IntBinary, bool)> {
    Some(match opcode {
        LLVMOpcode::LLVMAdd => (IntBinary::Add, value.no_wrap()),
        LLVMOpcode::LLVMSub => (IntBinary::Sub, value.no_wrap()),
        LLVMOpcode::LLVMMul => (IntBinary::Mul, value.no_wrap()),
        LLVMOpcode::LLVMShl => (IntBinary::Shl, value.no_wrap()),
        LLVMOpcode::LLVMUDiv => (IntBinary::UDiv, value.is_exact()),
        LLVMOpcode::LLVMSDiv => (IntBinary::SDiv, value.is_exact()),
        LLVMOpcode::LLVMLShr => (IntBinary::LShr, value.is_exact()),
        LLVMOpcode::LLVMAShr => (IntBinary::AShr, value.is_exact()),
        LLVMOpcode::LLVMURem => (IntBinary::URem, false),
        LLVMOpcode::LLVMSRem => (IntBinary::SRem, false),
        LLVMOpcode::LLVMAnd => (IntBinary::And, false),
        LLVMOpcode::LLVMOr => (IntBinary::Or, value.is_disjoint()),
        LLVMOpcode::LLVMXor => (IntBinary::Xor, false),
        _ => return None,
    })
}

fn cast(opcode: LLVMOpcode) -> Option<Cast> {
    Some(match opcode {
        LLVMOpcode::LLVMTrunc => Cast::Trunc,
        LLVMOpcode::LLVMZExt => Cast::ZExt,
        LLVMOpcode::LLVMSExt => Cast::SExt,
        LLVMOpcode::LLVMFPTrunc => Cast::FpTrunc,
        LLVMOpcode::LLVMFPExt => Cast::FpExt,
        LLVMOpcode::LLVMFPToUI => Cast::FpToUi,
        LLVMOpcode::LLVMFPToSI => Cast::FpToSi,
        LLVMOpcode::LLVMUIToFP => Cast::UiToFp,
        LLVMOpcode::LLVMSIToFP => Cast::SiToFp,
        // Pointers are addresses on the supported targets.
        LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr => Cast::PtrToInt,
        LLVMOpcode::LLVMIntToPtr => Cast::IntToPtr,
        LLVMOpcode::LLVMBitCast => Cast::BitCast,
        LLVMOpcode::LLVMAddrSpaceCast => Cast::AddrSpaceCast,
        _ => return None,
    })
}

fn int_predicate(predicate: LLVMIntPredicate) -> IntPredicate {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => IntPredicate::Eq,
        LLVMIntPredicate::LLVMIntNE => IntPredicate::Ne,
        LLVMIntPredicate::LLVMIntUGT => IntPredicate::Ugt,
        LLVMIntPredicate::LLVMIntUGE => IntPredicate::Uge,
        LLVMIntPredicate::LLVMIntULT => IntPredicate::Ult,
        LLVMIntPredicate::LLVMIntULE => IntPredicate::Ule,
        LLVMIntPredicate::LLVMIntSGT => IntPredicate::Sgt,
        LLVMIntPredicate::LLVMIntSGE => IntPredicate::Sge,
        LLVMIntPredicate::LLVMIntSLT => IntPredicate::Slt,
        LLVMIntPredicate::LLVMIntSLE => IntPredicate::Sle,
    }
}

/// LLVM's predicates are numbered by what they accept: 1 equal, 2 greater, 4 less, 8 unordered.
fn float_predicate(predicate: LLVMRealPredicate) -> FloatPredicate {
    let code = predicate as u32;
    FloatPredicate { equal: code & 1 != 0, greater: code & 2 != 0, less: code & 4 != 0, unordered: code & 8 != 0 }
}
