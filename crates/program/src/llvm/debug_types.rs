//! Types of debug information.

use inkwell::llvm_sys::core::{LLVMConstIntGetZExtValue, LLVMIsAConstantInt};
use inkwell::llvm_sys::debuginfo::{
    LLVMDIFlagBitField, LLVMDITypeGetFlags, LLVMDITypeGetName, LLVMDITypeGetOffsetInBits, LLVMDITypeGetSizeInBits,
    LLVMGetDINodeTag, LLVMMetadataKind,
};

use super::metadata::BASE_TYPE;
use super::{Metadata, Module, copy_text};

/// What a type is, by its tag; those that only name or qualify another one are that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeKind {
    /// A number type of the language.
    Basic,
    Pointer,
    Array,
    Struct,
    Union,
    Enumeration,
    Other,
}

/// DWARF's tags: of types, of what names or qualifies one (typedef, const, volatile, restrict, atomic), of members.
const ARRAY: u16 = 0x01;
const CLASS: u16 = 0x02;
const ENUMERATION: u16 = 0x04;
const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
const STRUCTURE: u16 = 0x13;
const UNION: u16 = 0x17;
const INHERITANCE: u16 = 0x1c;
const NAMES: [u16; 5] = [0x16, 0x26, 0x35, 0x37, 0x47];

/// Names and qualifiers around one type, at most.
const MAX_NAMES: usize = 64;

impl<'m> Metadata<'m> {
    fn is_type(self) -> bool {
        use LLVMMetadataKind::{
            LLVMDIBasicTypeMetadataKind, LLVMDICompositeTypeMetadataKind, LLVMDIDerivedTypeMetadataKind,
        };
        matches!(
            self.kind(),
            LLVMDIBasicTypeMetadataKind | LLVMDICompositeTypeMetadataKind | LLVMDIDerivedTypeMetadataKind
        )
    }

    fn tag(self) -> u16 {
        llvm!(LLVMGetDINodeTag(self.raw()))
    }

    /// The type that a derived one or an array's is of.
    pub(crate) fn base_type(self, module: &'m Module) -> Option<Metadata<'m>> {
        let count = self.operands(module).len();
        (BASE_TYPE..count).filter_map(|index| self.operand(module, index)).find(|operand| operand.is_type())
    }

    /// The type that is named or qualified, else itself.
    pub(crate) fn plain_type(self, module: &'m Module) -> Option<Metadata<'m>> {
        let mut ty = self;
        for _ in 0..MAX_NAMES {
            if !ty.is_type() {
                return None;
            }
            match NAMES.contains(&ty.tag()) {
                true => ty = ty.base_type(module)?,
                false => return Some(ty),
            }
        }
        None
    }

    /// What a type is that [`Metadata::plain_type`] gave.
    pub(crate) fn type_kind(self) -> TypeKind {
        match (self.kind(), self.tag()) {
            (LLVMMetadataKind::LLVMDIBasicTypeMetadataKind, _) => TypeKind::Basic,
            (_, POINTER) => TypeKind::Pointer,
            (_, ARRAY) => TypeKind::Array,
            (_, STRUCTURE | CLASS) => TypeKind::Struct,
            (_, UNION) => TypeKind::Union,
            (_, ENUMERATION) => TypeKind::Enumeration,
            _ => TypeKind::Other,
        }
    }

    /// Name of a type or a member.
    pub(crate) fn type_name(self) -> String {
        let mut length = 0;
        let name = llvm!(LLVMDITypeGetName(self.raw(), &mut length));
        copy_text(name, length)
    }

    /// Size of a type in bits.
    pub(crate) fn type_bits(self) -> u64 {
        llvm!(LLVMDITypeGetSizeInBits(self.raw()))
    }

    /// Where a member begins, in bits.
    pub(crate) fn offset_bits(self) -> u64 {
        llvm!(LLVMDITypeGetOffsetInBits(self.raw()))
    }

    pub(crate) fn is_member(self) -> bool {
        self.is_type() && self.tag() == MEMBER
    }

    pub(crate) fn is_base_class(self) -> bool {
        self.is_type() && self.tag() == INHERITANCE
    }

    pub(crate) fn is_bit_field(self) -> bool {
        llvm!(LLVMDITypeGetFlags(self.raw())) & LLVMDIFlagBitField != 0
    }

    /// The members of a struct and what else belongs to it, or an array's dimensions.
    pub(crate) fn type_elements(self, module: &'m Module) -> Vec<Metadata<'m>> {
        let is_list = |of: &Metadata<'m>| matches!(of.kind(), LLVMMetadataKind::LLVMMDTupleMetadataKind);
        let count = self.operands(module).len();
        let list = (BASE_TYPE..count).filter_map(|index| self.operand(module, index)).find(is_list);
        let Some(list) = list else { return Vec::new() };
        (0..list.operands(module).len()).filter_map(|index| list.operand(module, index)).collect()
    }

    /// How many elements a dimension has, where that is a constant and is counted from 0.
    pub(crate) fn dimension(self, module: &'m Module) -> Option<u64> {
        if !matches!(self.kind(), LLVMMetadataKind::LLVMDISubrangeMetadataKind) {
            return None;
        }
        let count = self.operands(module).first().copied().filter(|value| !value.is_null())?;
        let is_constant = !llvm!(LLVMIsAConstantInt(count)).is_null();
        is_constant.then(|| llvm!(LLVMConstIntGetZExtValue(count)))
    }
}
