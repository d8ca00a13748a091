//! The type of a variable in the source, for showing what it holds.

use crate::{FloatType, Pointee, ScalarType, StructField, StructType};

/// What a variable holds, by debug information: a scalar, a struct, or an array of them.
///
/// It says how memory is to be read, not how it is passed: pointers are integers, unions their first member of the largest size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableType {
    /// What it, or each element, is.
    pub element: Pointee,
    /// The dimensions of an array, the outermost first; none where it is none.
    pub dimensions: Vec<u64>,
    /// Whether these are characters: C's `char`.
    pub is_character: bool,
}

impl VariableType {
    /// Bytes in memory.
    pub fn size(&self) -> u64 {
        self.dimensions.iter().fold(self.element.size(), |size, count| size.saturating_mul(*count))
    }
}

/// The scalar of a basic type's name in C, C++ or Rust, and its size in bits. LLVM-C does not tell encodings.
pub(crate) fn basic(name: &str, bits: u64) -> Option<ScalarType> {
    let is_integer = matches!(bits, 8 | 16 | 32 | 64);
    let int = |signed| is_integer.then_some(ScalarType::Int { bits: bits as u32, signed });
    match (name, bits) {
        ("_Bool" | "bool", 8) => Some(ScalarType::Bool),
        ("_Float16" | "f16", 16) => Some(ScalarType::Float(FloatType::F16)),
        ("float" | "f32", 32) => Some(ScalarType::Float(FloatType::F32)),
        ("double" | "f64", 64) => Some(ScalarType::Float(FloatType::F64)),
        ("long double", 64) => Some(ScalarType::Float(FloatType::F64)),
        ("long double", 128) => FloatType::LONG_DOUBLE.map(ScalarType::Float),
        ("char" | "signed char" | "short" | "int" | "long" | "long long" | "wchar_t", _) => int(true),
        ("i8" | "i16" | "i32" | "i64" | "isize", _) => int(true),
        ("char8_t" | "char16_t" | "char32_t" | "u8" | "u16" | "u32" | "u64" | "usize", _) => int(false),
        (name, _) if name.starts_with("unsigned ") => int(false),
        _ => None,
    }
}

/// A struct of members; `None` where there are none.
pub(crate) fn structure(name: String, size: u64, mut fields: Vec<StructField>) -> Option<Pointee> {
    fields.sort_by_key(|field| field.offset);
    let align = fields.iter().map(|field| field.ty.align()).max()?;
    let is_inside = |field: &StructField| {
        let end = field.ty.size().checked_mul(field.count).and_then(|bytes| bytes.checked_add(field.offset));
        end.is_some_and(|end| end <= size)
    };
    fields.iter().all(is_inside).then_some(Pointee::Struct(StructType { name, size, align, fields }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_basic_types_say_what_they_hold() {
        let int = |bits, signed| Some(ScalarType::Int { bits, signed });
        assert_eq!(basic("unsigned char", 8), int(8, false));
        assert_eq!(basic("char", 8), int(8, true));
        assert_eq!(basic("long", 64), int(64, true));
        assert_eq!(basic("_Bool", 8), Some(ScalarType::Bool));
        assert_eq!(basic("double", 64), Some(ScalarType::Float(FloatType::F64)));
        assert_eq!(basic("__int128", 128), None);
        assert_eq!(basic("complex", 128), None);
    }
}
