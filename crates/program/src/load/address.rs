//! Address arithmetic: getelementptr as a byte offset and scaled indices.
//!
//! On vectors of pointers it is the same lane by lane; scalar operands stand for every lane. Constant vectors of indices
//! stay scaled indices, so that the number of lanes is seen.

use inkwell::llvm_sys::{LLVMTypeKind, LLVMValueKind};

use super::loader::Loader;
use crate::llvm::{TypeRef, Value};

/// The displacement of a getelementptr: `offset` + Σ index·scale in bytes.
pub(super) struct Displacement<'m> {
    /// Constant part.
    pub(super) offset: i64,
    /// Indices that are not constant, with their scales.
    pub(super) scaled: Vec<(Value<'m>, i64)>,
}

impl<'m> Loader<'m> {
    /// Decomposes a getelementptr, instruction or constant expression. Errors say what is not supported.
    pub(super) fn displacement(&self, gep: Value<'m>) -> Result<Displacement<'m>, &'static str> {
        let mut found = Displacement { offset: 0, scaled: Vec::new() };
        let mut ty = gep.gep_element_type();
        for position in 1..gep.operand_count() {
            let index = gep.operand(position).ok_or("address arithmetic without an operand")?;
            // The first index steps over whole elements, the others go into them.
            if position > 1 && ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let field = constant_index(index).and_then(|field| u32::try_from(field).ok());
                let field = field.ok_or("a struct member chosen at run time")?;
                found.offset = found.offset.wrapping_add(ty.field_offset(self.module, field) as i64);
                ty = *ty.fields().get(field as usize).ok_or("a struct member that does not exist")?;
                continue;
            }
            if position > 1 {
                ty = self.element(ty)?;
            }
            let scale = self.stride(ty)?;
            match constant_index(index) {
                Some(index) => found.offset = found.offset.wrapping_add(index.wrapping_mul(scale)),
                None => found.scaled.push((index, scale)),
            }
        }
        Ok(found)
    }

    fn element(&self, ty: TypeRef<'m>) -> Result<TypeRef<'m>, &'static str> {
        match ty.kind() {
            LLVMTypeKind::LLVMArrayTypeKind => Ok(ty.element()),
            // Vectors pack their elements to the bit, which only agrees with an array's stride for these.
            LLVMTypeKind::LLVMVectorTypeKind => match ty.element().kind() {
                LLVMTypeKind::LLVMFloatTypeKind
                | LLVMTypeKind::LLVMDoubleTypeKind
                | LLVMTypeKind::LLVMPointerTypeKind => Ok(ty.element()),
                LLVMTypeKind::LLVMIntegerTypeKind if matches!(ty.element().int_width(), 8 | 16 | 32 | 64) => {
                    Ok(ty.element())
                }
                _ => Err("the address of an element of a packed vector"),
            },
            _ => Err("an index into a type without elements"),
        }
    }

    fn stride(&self, ty: TypeRef<'m>) -> Result<i64, &'static str> {
        if !ty.is_sized() || ty.kind() == LLVMTypeKind::LLVMScalableVectorTypeKind {
            return Err("address arithmetic over a type of unknown size");
        }
        i64::try_from(ty.alloc_size(self.module)).map_err(|_| "address arithmetic over a huge type")
    }
}

/// A constant index of at most 64 bits, sign-extended as getelementptr does.
fn constant_index(index: Value<'_>) -> Option<i64> {
    let is_small_int = index.kind() == LLVMValueKind::LLVMConstantIntValueKind
        && index.ty().kind() == LLVMTypeKind::LLVMIntegerTypeKind
        && index.ty().int_width() <= 64;
    is_small_int.then(|| index.small_signed_int())
}
