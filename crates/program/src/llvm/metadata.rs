//! Debug information.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::path::Path;

use inkwell::llvm_sys::core::{
    LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands, LLVMGetMDString, LLVMIsAMDNode, LLVMIsAMDString,
    LLVMMetadataAsValue, LLVMValueAsMetadata,
};
use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDIGlobalVariableExpressionGetVariable, LLVMDILocationGetColumn,
    LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile, LLVMGetDINodeTag,
    LLVMGetMetadataKind, LLVMMetadataKind,
};
use inkwell::llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};

use super::{Module, copy_text};

/// A metadata node of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Metadata<'m> {
    raw: LLVMMetadataRef,
    module: PhantomData<&'m Module>,
}

/// Operand of every DIScope that has a parent: that parent (DIScope::getScope of a DISubprogram and a DILexicalBlock).
const SCOPE: usize = 1;
/// Operand of a DISubprogram: its name in the source.
const NAME: usize = 2;
/// Operand of a DISubprogram: its symbol.
const LINKAGE_NAME: usize = 3;
/// Operands of a DILocalVariable; its type is where a DIGlobalVariable's is.
const VARIABLE_SCOPE: usize = 0;
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;
/// The operand of a DIDerivedType from which on the type stands that it is of: versions of LLVM have its size before it.
pub(super) const BASE_TYPE: usize = 3;
/// DWARF's tags of names for types and of `const`.
const TYPEDEF: u16 = 0x16;
const CONST: u16 = 0x26;

impl<'m> Metadata<'m> {
    /// `raw` is null (then `None`) or belongs to a module that lives for `'m`.
    pub(super) fn new(raw: LLVMMetadataRef) -> Option<Metadata<'m>> {
        (!raw.is_null()).then_some(Metadata { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> LLVMMetadataRef {
        self.raw
    }

    pub(super) fn kind(self) -> LLVMMetadataKind {
        llvm!(LLVMGetMetadataKind(self.raw))
    }

    /// Line of a DILocation.
    pub(crate) fn line(self) -> u32 {
        llvm!(LLVMDILocationGetLine(self.raw))
    }

    /// Column of a DILocation.
    pub(crate) fn column(self) -> u32 {
        llvm!(LLVMDILocationGetColumn(self.raw))
    }

    /// Scope of a DILocation.
    pub(crate) fn scope(self) -> Option<Metadata<'m>> {
        Metadata::new(llvm!(LLVMDILocationGetScope(self.raw)))
    }

    /// Where the scope of a DILocation was inlined.
    pub(crate) fn inlined_at(self) -> Option<Metadata<'m>> {
        Metadata::new(llvm!(LLVMDILocationGetInlinedAt(self.raw)))
    }

    /// Directory and name of the file of a DIScope.
    pub(crate) fn file(self) -> Option<(String, String)> {
        let file = Metadata::new(llvm!(LLVMDIScopeGetFile(self.raw)))?;
        let mut length = 0;
        let directory = llvm!(LLVMDIFileGetDirectory(file.raw, &mut length));
        let directory = copy_text(directory, length as usize);
        let name = llvm!(LLVMDIFileGetFilename(file.raw, &mut length));
        Some((directory, copy_text(name, length as usize)))
    }

    /// The path of the file of a DIScope, from the folder of the compilation; empty where it has none. Clang splits a path where it leaves that folder.
    pub(crate) fn path(self) -> String {
        let (directory, file) = self.file().unwrap_or_default();
        Path::new(&directory).join(file).to_string_lossy().into_owned()
    }

    /// The function around a local scope, itself included.
    pub(crate) fn subprogram(self, module: &'m Module) -> Option<Metadata<'m>> {
        let mut scope = self;
        loop {
            match scope.kind() {
                LLVMMetadataKind::LLVMDISubprogramMetadataKind => return Some(scope),
                LLVMMetadataKind::LLVMDILexicalBlockMetadataKind
                | LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind => scope = scope.operand(module, SCOPE)?,
                _ => return None,
            }
        }
    }

    /// Source name of a DISubprogram; its symbol where it has none.
    pub(crate) fn subprogram_name(self, module: &'m Module) -> Option<String> {
        if !matches!(self.kind(), LLVMMetadataKind::LLVMDISubprogramMetadataKind) {
            return None;
        }
        let name = self.string_operand(module, NAME).filter(|name| !name.is_empty());
        name.or_else(|| self.string_operand(module, LINKAGE_NAME)).filter(|name| !name.is_empty())
    }

    /// Symbol of a DISubprogram that has one beside its name.
    pub(crate) fn subprogram_symbol(self, module: &'m Module) -> Option<String> {
        if !matches!(self.kind(), LLVMMetadataKind::LLVMDISubprogramMetadataKind) {
            return None;
        }
        self.string_operand(module, LINKAGE_NAME).filter(|symbol| !symbol.is_empty())
    }

    /// The scopes around one, itself first, up to the function.
    pub(crate) fn scopes(self, module: &'m Module) -> Vec<Metadata<'m>> {
        let is_block = |scope: &Metadata<'m>| {
            use LLVMMetadataKind::{LLVMDILexicalBlockFileMetadataKind, LLVMDILexicalBlockMetadataKind};
            matches!(scope.kind(), LLVMDILexicalBlockMetadataKind | LLVMDILexicalBlockFileMetadataKind)
        };
        let outer = |scope: &Metadata<'m>| is_block(scope).then(|| scope.operand(module, SCOPE)).flatten();
        std::iter::successors(Some(self), outer).collect()
    }

    /// Scope of a DILocalVariable.
    pub(crate) fn variable_scope(self, module: &'m Module) -> Option<Metadata<'m>> {
        self.operand(module, VARIABLE_SCOPE)
    }

    /// The DIGlobalVariable of a DIGlobalVariableExpression.
    pub(crate) fn variable_of_expression(self) -> Option<Metadata<'m>> {
        match self.kind() {
            LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind => {
                Metadata::new(llvm!(LLVMDIGlobalVariableExpressionGetVariable(self.raw)))
            }
            _ => None,
        }
    }

    /// Name of a DILocalVariable.
    pub(crate) fn variable_name(self, module: &'m Module) -> Option<String> {
        self.string_operand(module, VARIABLE_NAME)
    }

    /// Type of a DILocalVariable or a DIGlobalVariable.
    pub(crate) fn variable_type(self, module: &'m Module) -> Option<Metadata<'m>> {
        self.operand(module, VARIABLE_TYPE)
    }

    /// Name of a DILocalVariable's type, where that is a basic one, or a name for it, or a constant one.
    pub(crate) fn basic_type_name(self, module: &'m Module) -> Option<String> {
        let mut ty = self.operand(module, VARIABLE_TYPE)?;
        loop {
            match ty.kind() {
                LLVMMetadataKind::LLVMDIBasicTypeMetadataKind => return ty.string_operand(module, NAME),
                LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind
                    if matches!(llvm!(LLVMGetDINodeTag(ty.raw)), TYPEDEF | CONST) =>
                {
                    let is_type = |of: &Metadata<'m>| {
                        use LLVMMetadataKind::{LLVMDIBasicTypeMetadataKind, LLVMDIDerivedTypeMetadataKind};
                        matches!(of.kind(), LLVMDIBasicTypeMetadataKind | LLVMDIDerivedTypeMetadataKind)
                    };
                    let count = ty.operands(module).len();
                    ty = (BASE_TYPE..count).filter_map(|index| ty.operand(module, index)).find(is_type)?;
                }
                _ => return None,
            }
        }
    }

    /// The first DILocation among a node's operands: where a loop begins that `llvm.loop` describes.
    pub(crate) fn first_location(self, module: &'m Module) -> Option<Metadata<'m>> {
        (0..self.operands(module).len())
            .filter_map(|index| self.operand(module, index))
            .find(|operand| matches!(operand.kind(), LLVMMetadataKind::LLVMDILocationMetadataKind))
    }

    /// LLVM-C reads a node's operands through a value that wraps it.
    pub(super) fn operands(self, module: &'m Module) -> Vec<LLVMValueRef> {
        let value = llvm!(LLVMMetadataAsValue(module.context(), self.raw));
        if llvm!(LLVMIsAMDNode(value)).is_null() {
            return Vec::new();
        }
        let mut operands = vec![std::ptr::null_mut(); llvm!(LLVMGetMDNodeNumOperands(value)) as usize];
        llvm!(LLVMGetMDNodeOperands(value, operands.as_mut_ptr()));
        operands
    }

    pub(super) fn operand(self, module: &'m Module, index: usize) -> Option<Metadata<'m>> {
        let value = self.operands(module).get(index).copied().filter(|value| !value.is_null())?;
        Metadata::new(llvm!(LLVMValueAsMetadata(value)))
    }

    fn string_operand(self, module: &'m Module, index: usize) -> Option<String> {
        let value = self.operands(module).get(index).copied().filter(|value| !value.is_null())?;
        if llvm!(LLVMIsAMDString(value)).is_null() {
            return None;
        }
        let mut length = 0;
        let start: *const c_char = llvm!(LLVMGetMDString(value, &mut length));
        Some(copy_text(start, length as usize))
    }
}
