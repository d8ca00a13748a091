//! Constants, bit by bit.
//!
//! LLVM-C reads floating-point constants only as a double, which rounds x87 and quad and quietens NaNs. They are read
//! here as the integer of their bits, which LLVM folds exactly; integers above 64 bits are read from LLVM's decimal
//! text, the one form LLVM-C gives them in.

use std::str::FromStr;

use inkwell::llvm_sys::{LLVMOpcode, LLVMValueKind};
use labrys_float::Float;
use num_bigint::{BigInt, BigUint, Sign};

use super::loader::Loader;
use crate::llvm::{TypeRef, Value};
use crate::{Constant, Type};

impl<'m> Loader<'m> {
    /// Translates a constant.
    pub(super) fn constant(&mut self, value: Value<'m>) -> Constant {
        let ty = self.ty(value.ty());
        self.translate_constant(value, &ty).unwrap_or_else(|| {
            self.note_functions(value);
            Constant::Unsupported(ty, value.text().into())
        })
    }

    /// Notes the functions whose addresses a constant has in it.
    fn note_functions(&mut self, value: Value<'m>) {
        use LLVMValueKind::*;
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match value.kind() {
                LLVMFunctionValueKind => self.program.hidden_addresses.extend(self.functions.get(&value).copied()),
                LLVMGlobalAliasValueKind => pending.extend(value.aliasee()),
                LLVMConstantExprValueKind
                | LLVMConstantArrayValueKind
                | LLVMConstantStructValueKind
                | LLVMConstantVectorValueKind => {
                    pending.extend((0..value.operand_count()).filter_map(|index| value.operand(index)));
                }
                _ => {}
            }
        }
    }

    fn translate_constant(&mut self, value: Value<'m>, ty: &Type) -> Option<Constant> {
        use LLVMValueKind::*;
        match value.kind() {
            LLVMFunctionValueKind => self.functions.get(&value).map(|&id| Constant::Function(id)),
            LLVMGlobalVariableValueKind => self.globals.get(&value).map(|&id| Constant::Global(id, 0)),
            LLVMGlobalAliasValueKind => value.aliasee().map(|aliasee| self.constant(aliasee)),
            LLVMBlockAddressValueKind => {
                value.label().and_then(|block| self.label_address(block)).map(Constant::Address)
            }
            LLVMConstantExprValueKind => self.expression(value),
            LLVMConstantPointerNullValueKind => Some(Constant::Null),
            LLVMConstantAggregateZeroValueKind => Some(Constant::Zero(ty.clone())),
            LLVMUndefValueValueKind => Some(Constant::Undef(ty.clone())),
            LLVMPoisonValueKind => Some(Constant::Poison(ty.clone())),
            LLVMConstantIntValueKind | LLVMConstantFPValueKind => match ty {
                Type::Int(bits) => Some(Constant::Int { bits: *bits, value: int_value(value, *bits)? }),
                Type::Float(format) => {
                    let bits = value.bit_cast(TypeRef::int(self.module, format.width()))?;
                    let is_folded = bits.kind() == LLVMConstantIntValueKind;
                    is_folded
                        .then(|| int_value(bits, format.width()))?
                        .map(|bits| Constant::Float(Float::from_bits(*format, bits)))
                }
                // A splat.
                _ => self.elements(value, ty),
            },
            LLVMConstantArrayValueKind
            | LLVMConstantStructValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => self.elements(value, ty),
            _ => None,
        }
    }

    fn elements(&mut self, value: Value<'m>, ty: &Type) -> Option<Constant> {
        let count = match ty {
            Type::Vector(_, count) => *count,
            Type::Array(_, count) => u32::try_from(*count).ok()?,
            Type::Struct(layout) => layout.fields.len() as u32,
            _ => return None,
        };
        let mut elements = Vec::with_capacity(count as usize);
        for index in 0..count {
            elements.push(self.constant(value.aggregate_element(index)?));
        }
        Some(Constant::Aggregate(ty.clone(), elements))
    }

    /// Constant expressions: the address of a global, displaced, and as an integer; integers as addresses.
    fn expression(&mut self, value: Value<'m>) -> Option<Constant> {
        let base = value.operand(0)?;
        match value.constant_opcode() {
            LLVMOpcode::LLVMGetElementPtr => {
                let Constant::Global(global, start) = self.constant(base) else { return None };
                let address = self.displacement(value).ok()?;
                address.scaled.is_empty().then(|| Constant::Global(global, start.wrapping_add(address.offset)))
            }
            // Memory holds the address all the same.
            LLVMOpcode::LLVMPtrToInt if self.is_initial && self.ty(value.ty()) == Type::Int(64) => {
                match self.constant(base) {
                    address @ (Constant::Global(..) | Constant::Function(_) | Constant::Null) => Some(address),
                    _ => None,
                }
            }
            LLVMOpcode::LLVMAddrSpaceCast => match self.constant(base) {
                Constant::Unsupported(..) => None,
                address => Some(address),
            },
            LLVMOpcode::LLVMIntToPtr => match self.constant(base) {
                Constant::Int { bits: 64, value } => u64::try_from(value).ok().map(Constant::Address),
                _ => None,
            },
            LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr if self.ty(value.ty()) == Type::Int(64) => {
                match self.constant(base) {
                    Constant::Global(global, offset) => Some(Constant::GlobalAddress(global, offset)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The value of a scalar integer constant, unsigned.
pub(super) fn int_value(value: Value<'_>, bits: u32) -> Option<BigUint> {
    if bits <= 64 {
        return Some(BigUint::from(value.small_int()));
    }
    let text = value.text();
    let number = BigInt::from_str(text.rsplit(' ').next()?).ok()?;
    match number.sign() {
        Sign::Minus => (number + (BigInt::from(1) << bits)).to_biguint(),
        _ => number.to_biguint(),
    }
}
