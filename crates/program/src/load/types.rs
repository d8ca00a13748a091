//! Types.

use std::sync::Arc;

use inkwell::llvm_sys::LLVMTypeKind::*;
use labrys_float::Format;

use super::loader::Loader;
use crate::llvm::TypeRef;
use crate::{StructLayout, Type};

impl<'m> Loader<'m> {
    /// Translates a type; struct members lie where the module's data layout puts them.
    pub(super) fn ty(&mut self, ty: TypeRef<'m>) -> Type {
        if let Some(known) = self.types.get(&ty) {
            return known.clone();
        }
        let translated = self.translate_type(ty);
        self.types.insert(ty, translated.clone());
        translated
    }

    fn translate_type(&mut self, ty: TypeRef<'m>) -> Type {
        match ty.kind() {
            LLVMVoidTypeKind => Type::Void,
            LLVMIntegerTypeKind => Type::Int(ty.int_width()),
            LLVMHalfTypeKind => Type::Float(Format::BINARY16),
            LLVMBFloatTypeKind => Type::Float(Format::BFLOAT16),
            LLVMFloatTypeKind => Type::Float(Format::BINARY32),
            LLVMDoubleTypeKind => Type::Float(Format::BINARY64),
            LLVMX86_FP80TypeKind => Type::Float(Format::X87),
            LLVMFP128TypeKind => Type::Float(Format::BINARY128),
            LLVMPointerTypeKind => Type::Pointer,
            LLVMVectorTypeKind => Type::Vector(Arc::new(self.ty(ty.element())), ty.vector_length()),
            LLVMArrayTypeKind => Type::Array(Arc::new(self.ty(ty.element())), ty.array_length()),
            LLVMStructTypeKind if ty.is_sized() && !ty.is_opaque_struct() => self.struct_type(ty),
            _ => Type::Unsupported(ty.text().into()),
        }
    }

    fn struct_type(&mut self, ty: TypeRef<'m>) -> Type {
        let members = ty.fields();
        let fields: Vec<Type> = members.iter().map(|&member| self.ty(member)).collect();
        // A struct of scalable vectors has no fixed layout.
        if fields.iter().any(contains_unsupported) {
            return Type::Unsupported(ty.text().into());
        }
        let offsets = (0..members.len() as u32).map(|index| ty.field_offset(self.module, index)).collect();
        Type::Struct(Arc::new(StructLayout { fields, offsets, size: ty.alloc_size(self.module) }))
    }
}

fn contains_unsupported(ty: &Type) -> bool {
    match ty {
        Type::Unsupported(_) => true,
        Type::Vector(element, _) | Type::Array(element, _) => contains_unsupported(element),
        _ => false,
    }
}
