//! Types of the IR and their sizes in memory, which are those of x86-64 and AArch64.

use std::sync::Arc;

use labrys_float::Format;

/// A first-class type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of so many bits.
    Int(u32),
    /// A floating-point number.
    Float(Format),
    /// A pointer (64 bits).
    Pointer,
    /// A fixed vector.
    Vector(Arc<Type>, u32),
    /// An array.
    Array(Arc<Type>, u64),
    /// A struct with its layout.
    Struct(Arc<StructLayout>),
    /// Anything else (scalable vectors, tokens, metadata), with its LLVM spelling.
    Unsupported(Arc<str>),
}

/// A struct type's members and where they lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructLayout {
    /// Member types.
    pub fields: Vec<Type>,
    /// Member offsets in bytes.
    pub offsets: Vec<u64>,
    /// Size in bytes, padding included.
    pub size: u64,
}

impl Type {
    /// Bytes that a load or store of this type touches; x87's type stores 10 and is allocated 16.
    pub fn store_size(&self) -> u64 {
        match self {
            Type::Void | Type::Unsupported(_) => 0,
            Type::Int(bits) => u64::from(bits.div_ceil(8)),
            Type::Float(format) => u64::from(format.width().div_ceil(8)),
            Type::Pointer => 8,
            Type::Vector(element, count) => match **element {
                // Vectors are packed to the bit: <8 x i1> is one byte.
                Type::Int(bits) => (u64::from(bits) * u64::from(*count)).div_ceil(8),
                _ => element.store_size() * u64::from(*count),
            },
            Type::Array(element, count) => element.alloc_size() * count,
            Type::Struct(layout) => layout.size,
        }
    }

    /// The distance in bytes between two elements of this type in an array.
    pub fn alloc_size(&self) -> u64 {
        match self {
            Type::Int(bits) => match u64::from(bits.div_ceil(8)) {
                bytes @ ..=16 => bytes.next_power_of_two(),
                // The largest alignment of an integer is i128's.
                bytes => bytes.next_multiple_of(16),
            },
            Type::Float(format) if *format == Format::X87 => 16,
            Type::Vector(..) => self.store_size().next_power_of_two(),
            other => other.store_size(),
        }
    }
}
