//! How blocks end.

use inkwell::llvm_sys::LLVMOpcode;

use super::bodies::Body;
use super::constants::int_value;
use super::loader::Loader;
use crate::llvm::{Block as LlvmBlock, Value};
use crate::{BlockId, Cast, Instruction, InstructionKind, Operand, Terminator, Type};

const NO_BLOCK: &str = "a branch to a block of another function";
const NO_OPERAND: &str = "a terminator without its operand";

impl<'m> Loader<'m> {
    /// Translates a terminator; an invoke is a call, which goes at the block's end, and a branch to where it returns. Assembly that
    /// jumps to labels is a call, too, behind which nothing is understood.
    pub(super) fn terminator(
        &mut self,
        body: &Body<'m>,
        value: Value<'m>,
    ) -> Result<(Option<Instruction>, Terminator), &'static str> {
        let target = |block: Option<&LlvmBlock<'m>>| -> Result<BlockId, &'static str> {
            block.and_then(|block| body.blocks.get(block)).copied().ok_or(NO_BLOCK)
        };
        let terminator = match value.opcode() {
            LLVMOpcode::LLVMRet => Terminator::Return(value.operand(0).map(|result| self.operand(body, result))),
            LLVMOpcode::LLVMUnreachable => Terminator::Unreachable,
            LLVMOpcode::LLVMBr => {
                let successors = value.successors();
                match value.condition() {
                    None => Terminator::Branch(target(successors.first())?),
                    Some(condition) => {
                        let condition = self.operand(body, condition);
                        Terminator::CondBranch(condition, target(successors.first())?, target(successors.get(1))?)
                    }
                }
            }
            LLVMOpcode::LLVMSwitch => {
                let scrutinee = value.operand(0).ok_or(NO_OPERAND)?;
                let Type::Int(bits) = self.ty(scrutinee.ty()) else { return Err("a switch over no integer") };
                let successors = value.successors();
                let mut cases = Vec::new();
                for (index, block) in successors.iter().enumerate().skip(1) {
                    let case = value.case(index as u32).and_then(|case| int_value(case, bits)).ok_or(NO_OPERAND)?;
                    cases.push((case, target(Some(block))?));
                }
                let default = target(successors.first())?;
                Terminator::Switch { value: self.operand(body, scrutinee), cases, default }
            }
            LLVMOpcode::LLVMResume => match value.operand(0) {
                Some(exception) => Terminator::Resume(self.operand(body, exception)),
                None => return Err(NO_OPERAND),
            },
            LLVMOpcode::LLVMIndirectBr => return self.computed_goto(body, value),
            LLVMOpcode::LLVMInvoke => {
                let call = self.instruction(body, value);
                return Ok((call, Terminator::Branch(target(value.normal_destination().as_ref())?)));
            }
            LLVMOpcode::LLVMCallBr => {
                let call = self.instruction(body, value);
                return Ok((call, Terminator::Unsupported("assembly that jumps to labels".into())));
            }
            _ => Terminator::Unsupported(value.text().into()),
        };
        Ok((None, terminator))
    }

    /// A computed goto: the address as a number, and a switch over those of the labels.
    fn computed_goto(
        &mut self,
        body: &Body<'m>,
        value: Value<'m>,
    ) -> Result<(Option<Instruction>, Terminator), &'static str> {
        let address = value.operand(0).ok_or(NO_OPERAND)?;
        let (Some(&number), Some(wild)) = (body.values.get(&value), body.wild) else { return Err(NO_OPERAND) };
        let mut cases = Vec::new();
        for block in value.successors() {
            let target = *body.blocks.get(&block).ok_or(NO_BLOCK)?;
            let label = self.label_address(block).ok_or(NO_BLOCK)?;
            if !cases.iter().any(|(known, _)| *known == label.into()) {
                cases.push((label.into(), target));
            }
        }
        let cast = Instruction {
            result: Some(number),
            ty: Type::Int(64),
            kind: InstructionKind::Cast(Cast::PtrToInt, self.operand(body, address)),
            fast_math: Default::default(),
            location: self.location_of(value),
        };
        Ok((Some(cast), Terminator::Switch { value: Operand::Value(number), cases, default: wild }))
    }

    /// What stands for a label's address: no object lies there.
    pub(super) fn label_address(&self, block: LlvmBlock<'m>) -> Option<u64> {
        const LABELS: u64 = 0x7f00_0000_0000;
        let function = block.function()?;
        let id = self.functions.get(&function)?;
        let position = function.blocks().position(|other| other == block)? as u64;
        Some(LABELS + (((id.0 as u64) << 20) | position) * 16)
    }
}
