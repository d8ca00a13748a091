//! Types.

use std::marker::PhantomData;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::{
    LLVMCountStructElementTypes, LLVMGetArrayLength2, LLVMGetElementType, LLVMGetIntTypeWidth, LLVMGetReturnType,
    LLVMGetTypeKind, LLVMGetVectorSize, LLVMIntTypeInContext, LLVMIsFunctionVarArg, LLVMIsOpaqueStruct,
    LLVMPrintTypeToString, LLVMStructGetTypeAtIndex, LLVMTypeIsSized,
};
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::llvm_sys::target::{LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMOffsetOfElement};

use super::{Module, take_message};

/// A type of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TypeRef<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m Module>,
}

impl<'m> TypeRef<'m> {
    /// `raw` belongs to a module that lives for `'m`.
    pub(super) fn new(raw: LLVMTypeRef) -> TypeRef<'m> {
        TypeRef { raw, module: PhantomData }
    }

    /// LLVM's integer type of so many bits.
    pub(crate) fn int(module: &'m Module, bits: u32) -> TypeRef<'m> {
        TypeRef::new(llvm!(LLVMIntTypeInContext(module.context(), bits)))
    }

    pub(super) fn raw(self) -> LLVMTypeRef {
        self.raw
    }

    /// What kind of type it is.
    pub(crate) fn kind(self) -> LLVMTypeKind {
        llvm!(LLVMGetTypeKind(self.raw))
    }

    /// Bits of an integer type.
    pub(crate) fn int_width(self) -> u32 {
        llvm!(LLVMGetIntTypeWidth(self.raw))
    }

    /// Element type of an array or vector.
    pub(crate) fn element(self) -> TypeRef<'m> {
        TypeRef::new(llvm!(LLVMGetElementType(self.raw)))
    }

    /// Element count of a fixed vector.
    pub(crate) fn vector_length(self) -> u32 {
        llvm!(LLVMGetVectorSize(self.raw))
    }

    /// Element count of an array.
    pub(crate) fn array_length(self) -> u64 {
        llvm!(LLVMGetArrayLength2(self.raw))
    }

    /// Member types of a struct.
    pub(crate) fn fields(self) -> Vec<TypeRef<'m>> {
        let count = llvm!(LLVMCountStructElementTypes(self.raw));
        (0..count).map(|index| TypeRef::new(llvm!(LLVMStructGetTypeAtIndex(self.raw, index)))).collect()
    }

    /// Whether a struct's members are unknown.
    pub(crate) fn is_opaque_struct(self) -> bool {
        llvm!(LLVMIsOpaqueStruct(self.raw)) != 0
    }

    /// Result type of a function type.
    pub(crate) fn result(self) -> TypeRef<'m> {
        TypeRef::new(llvm!(LLVMGetReturnType(self.raw)))
    }

    /// Whether a function type takes further arguments.
    pub(crate) fn is_variadic(self) -> bool {
        llvm!(LLVMIsFunctionVarArg(self.raw)) != 0
    }

    /// Whether values of it have a size in memory.
    pub(crate) fn is_sized(self) -> bool {
        llvm!(LLVMTypeIsSized(self.raw)) != 0
    }

    /// Size of a sized, non-scalable type in bytes, padding included.
    pub(crate) fn alloc_size(self, module: &Module) -> u64 {
        llvm!(LLVMABISizeOfType(module.layout(), self.raw))
    }

    /// Alignment of a sized type in bytes.
    pub(crate) fn align(self, module: &Module) -> u64 {
        u64::from(llvm!(LLVMABIAlignmentOfType(module.layout(), self.raw)))
    }

    /// Offset of a member of a sized struct in bytes.
    pub(crate) fn field_offset(self, module: &Module, index: u32) -> u64 {
        llvm!(LLVMOffsetOfElement(module.layout(), self.raw, index))
    }

    /// As LLVM writes it.
    pub(crate) fn text(self) -> String {
        take_message(llvm!(LLVMPrintTypeToString(self.raw)))
    }
}
