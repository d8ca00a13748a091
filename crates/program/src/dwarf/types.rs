//! Types of debug information as drivable types.

use gimli::constants as dw;

use super::SignatureError;
use super::debug_info::{DebugInfo, Node};
use crate::{FloatType, Language, Pointee, ScalarType, StructField, StructType};

/// Why a type cannot be driven, or a damaged file.
pub(super) enum TypeError {
    Unsupported(String),
    Failed(SignatureError),
}

impl From<SignatureError> for TypeError {
    fn from(error: SignatureError) -> Self {
        TypeError::Failed(error)
    }
}

fn unsupported<T>(reason: impl Into<String>) -> Result<T, TypeError> {
    Err(TypeError::Unsupported(reason.into()))
}

/// How deep structs nest: C compilers guarantee 63 levels; damaged debug information may have cycles.
const MAX_DEPTH: usize = 64;

/// Reads types of one unit.
pub(super) struct Types<'d> {
    pub(super) debug: &'d DebugInfo,
    pub(super) language: Option<Language>,
}

/// A type without typedefs and qualifiers.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    /// `None` is void.
    pub(super) node: Option<Node>,
    pub(super) is_const: bool,
}

/// The elements behind an array type.
pub(super) struct Elements {
    pub(super) element: Pointee,
    /// How many scalars or structs; `None` where the type does not say.
    pub(super) count: Option<u64>,
    pub(super) is_const: bool,
}

impl Types<'_> {
    /// The type of an entry without typedefs and qualifiers.
    pub(super) fn plain(&self, of: Node) -> Result<Plain, SignatureError> {
        let mut node = self.debug.reference(of, dw::DW_AT_type)?;
        let mut is_const = false;
        for _ in 0..MAX_DEPTH {
            let Some(at) = node else { break };
            match self.debug.tag(at)? {
                dw::DW_TAG_const_type => is_const = true,
                dw::DW_TAG_typedef | dw::DW_TAG_volatile_type | dw::DW_TAG_restrict_type => {}
                _ => break,
            }
            node = self.debug.reference(at, dw::DW_AT_type)?;
        }
        Ok(Plain { node, is_const })
    }

    /// What a value of type `node` is in memory.
    pub(super) fn value(&self, node: Option<Node>, depth: usize) -> Result<Pointee, TypeError> {
        let Some(node) = node else { return unsupported("void has no value") };
        if depth > MAX_DEPTH {
            return unsupported("it is nested too deeply");
        }
        match self.debug.tag(node)? {
            dw::DW_TAG_base_type => self.base(node),
            dw::DW_TAG_enumeration_type if self.language == Some(Language::Rust) => {
                unsupported("enums have invalid values")
            }
            dw::DW_TAG_enumeration_type => self.enumeration(node),
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type => self.structure(node, depth),
            dw::DW_TAG_union_type => unsupported("unions are not supported"),
            dw::DW_TAG_pointer_type => unsupported("pointers inside memory or behind pointers are not supported"),
            dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type => {
                unsupported("references inside memory are not supported")
            }
            dw::DW_TAG_subroutine_type => unsupported("function pointers are not supported"),
            dw::DW_TAG_array_type if self.debug.is_set(node, dw::DW_AT_GNU_vector)? => {
                unsupported("vector types are not supported")
            }
            dw::DW_TAG_array_type => unsupported("arrays by value are not supported"),
            dw::DW_TAG_string_type => unsupported("character strings are not supported"),
            dw::DW_TAG_atomic_type => unsupported("atomic types are not supported"),
            dw::DW_TAG_unspecified_type => unsupported("it has no values"),
            tag => unsupported(format!("{tag} is not supported")),
        }
    }

    fn base(&self, node: Node) -> Result<Pointee, TypeError> {
        let size = self.debug.unsigned(node, dw::DW_AT_byte_size)?.unwrap_or(0);
        let encoding = self.debug.unsigned(node, dw::DW_AT_encoding)?.unwrap_or(0);
        let encoding = dw::DwAte(u8::try_from(encoding).unwrap_or(0));
        let name = self.debug.name(node)?.unwrap_or_default();
        let is_integer = matches!(encoding, dw::DW_ATE_signed | dw::DW_ATE_unsigned);
        if is_integer && size > 8 {
            return unsupported("integers of more than 64 bits are not supported");
        }
        if is_integer && self.debug.unsigned(node, dw::DW_AT_bit_size)?.is_some_and(|bits| bits != 8 * size) {
            // Callers owe what lies above the width.
            return unsupported("of _BitInt only those of 8, 16, 32 and 64 bits are supported");
        }
        let int = |signed| Pointee::Scalar(ScalarType::Int { bits: size as u32 * 8, signed });
        match (encoding, size) {
            (dw::DW_ATE_float, _) => Ok(Pointee::Scalar(ScalarType::Float(float(size, &name)?))),
            (dw::DW_ATE_complex_float, 8 | 16) => Ok(complex(float(size / 2, &name)?)),
            (dw::DW_ATE_complex_float, _) => unsupported("only complex numbers of float and double are supported"),
            (dw::DW_ATE_boolean, 1) => Ok(Pointee::Scalar(ScalarType::Bool)),
            // Fortran's logical: any bit pattern is a value.
            (dw::DW_ATE_boolean, 2 | 4 | 8) => Ok(int(true)),
            (dw::DW_ATE_signed | dw::DW_ATE_signed_char, 1 | 2 | 4 | 8) => Ok(int(true)),
            (dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char, 1 | 2 | 4 | 8) => Ok(int(false)),
            (dw::DW_ATE_UTF, _) => unsupported("character types are not supported"),
            (dw::DW_ATE_decimal_float, _) => unsupported("decimal floating point is not supported"),
            _ => unsupported("it is not a number type of 1 to 8 bytes, or a floating-point type that is known"),
        }
    }

    fn enumeration(&self, node: Node) -> Result<Pointee, TypeError> {
        if let Some(underlying) = self.plain(node)?.node {
            return self.base(underlying);
        }
        match self.debug.unsigned(node, dw::DW_AT_byte_size)?.unwrap_or(4) {
            size @ (1 | 2 | 4 | 8) => Ok(Pointee::Scalar(ScalarType::Int { bits: size as u32 * 8, signed: false })),
            _ => unsupported("an enumeration of that size is not supported"),
        }
    }

    fn structure(&self, node: Node, depth: usize) -> Result<Pointee, TypeError> {
        let name = self.debug.name(node)?.unwrap_or_default();
        let size = self.debug.unsigned(node, dw::DW_AT_byte_size)?.unwrap_or(0);
        if self.debug.is_set(node, dw::DW_AT_declaration)? {
            return unsupported("the struct is only declared here");
        }
        if self.language == Some(Language::Rust) && (name.starts_with('&') || name.starts_with('*')) {
            return unsupported(if name.contains("dyn ") {
                "trait objects are not supported"
            } else {
                "slices are not supported; take an array by reference (&[f64; 8]) or a pointer"
            });
        }
        let mut fields = Vec::new();
        for child in self.debug.children(node)? {
            match self.debug.tag(child)? {
                dw::DW_TAG_member if self.debug.is_set(child, dw::DW_AT_external)? => {}
                dw::DW_TAG_member => fields.push(self.field(child, fields.len(), depth)?),
                dw::DW_TAG_inheritance => return unsupported("classes with a base are not supported"),
                dw::DW_TAG_variant_part => return unsupported("enums have invalid values"),
                _ => {}
            }
        }
        fields.sort_by_key(|field| field.offset);
        if fields.is_empty() {
            return unsupported("a struct without members is not supported");
        }
        let align = fields.iter().map(|field| field.ty.align()).max().unwrap_or(1);
        let mut end = 0u64;
        for field in &fields {
            if field.offset != end.next_multiple_of(field.ty.align()) {
                return unsupported(format!(
                    "its member {} is not where C puts it (packed or over-aligned)",
                    field.name
                ));
            }
            end = field.offset.saturating_add(field.ty.size().saturating_mul(field.count));
        }
        if size != end.next_multiple_of(align) {
            return unsupported("it is over-aligned");
        }
        Ok(Pointee::Struct(StructType { name, size, align, fields }))
    }

    fn field(&self, member: Node, index: usize, depth: usize) -> Result<StructField, TypeError> {
        let name = self.debug.name(member)?.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("_{index}"));
        let inside = |error| match error {
            TypeError::Unsupported(reason) => TypeError::Unsupported(format!("member {name}: {reason}")),
            failed => failed,
        };
        if self.debug.own(member, dw::DW_AT_bit_size)?.is_some() {
            return unsupported(format!("member {name}: bit-fields are not supported"));
        }
        let offset = self.debug.unsigned(member, dw::DW_AT_data_member_location)?.unwrap_or(0);
        let plain = self.plain(member)?;
        if let Some(array) = self.as_array(plain)? {
            // Rust's slices are structs of a pointer and a length, so no array without a count gets here but C's
            // flexible members.
            let elements = self.elements(array, depth + 1).map_err(inside)?;
            let Some(count) = elements.count.filter(|count| *count > 0) else {
                return unsupported(format!("member {name}: arrays without a length are not supported"));
            };
            return Ok(StructField { name, offset, ty: elements.element, count, is_array: true });
        }
        let ty = self.value(plain.node, depth + 1).map_err(inside)?;
        Ok(StructField { name, offset, ty, count: 1, is_array: false })
    }

    /// The node of an array type that is not a vector.
    pub(super) fn as_array(&self, plain: Plain) -> Result<Option<Node>, SignatureError> {
        let Some(node) = plain.node else { return Ok(None) };
        let is_array = self.debug.tag(node)? == dw::DW_TAG_array_type;
        Ok((is_array && !self.debug.is_set(node, dw::DW_AT_GNU_vector)?).then_some(node))
    }

    /// The elements of an array, all its dimensions flattened.
    pub(super) fn elements(&self, array: Node, depth: usize) -> Result<Elements, TypeError> {
        if depth > MAX_DEPTH {
            return unsupported("it is nested too deeply");
        }
        let own = self.extent(array)?;
        let plain = self.plain(array)?;
        let (element, inner, is_const) = match self.as_array(plain)? {
            Some(inner) => {
                let inner = self.elements(inner, depth + 1)?;
                (inner.element, inner.count, inner.is_const)
            }
            None => (self.value(plain.node, depth + 1)?, Some(1), false),
        };
        let count = match (own, inner) {
            (Some(own), Some(inner)) => own.checked_mul(inner),
            _ => None,
        };
        Ok(Elements { element, count, is_const: is_const || plain.is_const })
    }

    /// How many elements an array type has, over its dimensions.
    fn extent(&self, array: Node) -> Result<Option<u64>, SignatureError> {
        // Only Fortran counts from 1 where nothing is said.
        let default_lower = i64::from(self.language == Some(Language::Fortran));
        let mut product = Some(1u64);
        for dimension in self.debug.children(array)? {
            if self.debug.tag(dimension)? != dw::DW_TAG_subrange_type {
                continue;
            }
            let lower = self.debug.signed(dimension, dw::DW_AT_lower_bound)?.unwrap_or(default_lower);
            let upper = self.debug.signed(dimension, dw::DW_AT_upper_bound)?;
            let count = match self.debug.unsigned(dimension, dw::DW_AT_count)? {
                Some(count) => Some(count),
                None => upper
                    .and_then(|upper| upper.checked_sub(lower)?.checked_add(1))
                    .and_then(|count| u64::try_from(count).ok()),
            };
            product = match (product, count) {
                (Some(product), Some(count)) => product.checked_mul(count),
                _ => None,
            };
        }
        Ok(product)
    }

    /// A type as C writes it, for messages.
    pub(super) fn spell(&self, of: Node) -> Result<String, SignatureError> {
        let mut stars = String::new();
        let mut node = self.debug.reference(of, dw::DW_AT_type)?;
        let mut is_const = false;
        for _ in 0..MAX_DEPTH {
            let Some(at) = node else { break };
            let tag = self.debug.tag(at)?;
            let name = self.debug.name(at)?;
            let qualifier = if is_const { "const " } else { "" };
            match (tag, name) {
                (dw::DW_TAG_subroutine_type, _) => return Ok("a function pointer".to_owned()),
                (dw::DW_TAG_union_type, Some(name)) => return Ok(format!("{qualifier}union {name}{stars}")),
                (_, Some(name)) => return Ok(format!("{qualifier}{name}{stars}")),
                (dw::DW_TAG_const_type, _) => is_const = true,
                (dw::DW_TAG_pointer_type, _) => stars = format!(" *{}", stars.trim_start()),
                (dw::DW_TAG_reference_type, _) => stars = format!(" &{}", stars.trim_start()),
                (dw::DW_TAG_rvalue_reference_type, _) => stars = format!(" &&{}", stars.trim_start()),
                (dw::DW_TAG_array_type, _) => stars.push_str("[]"),
                (dw::DW_TAG_structure_type, _) => return Ok(format!("{qualifier}struct{stars}")),
                (dw::DW_TAG_class_type, _) => return Ok(format!("{qualifier}class{stars}")),
                (dw::DW_TAG_union_type, _) => return Ok(format!("{qualifier}union{stars}")),
                (dw::DW_TAG_enumeration_type, _) => return Ok(format!("{qualifier}enum{stars}")),
                _ => {}
            }
            node = self.debug.reference(at, dw::DW_AT_type)?;
        }
        Ok(format!("{}void{stars}", if is_const { "const " } else { "" }))
    }
}

fn float(size: u64, name: &str) -> Result<FloatType, TypeError> {
    match (size, FloatType::LONG_DOUBLE) {
        // Other types of 2 bytes are bfloat16.
        (2, _) if matches!(name, "_Float16" | "f16") => Ok(FloatType::F16),
        (4, _) => Ok(FloatType::F32),
        (8, _) => Ok(FloatType::F64),
        // C's long double and Fortran's real(10); the other type of 16 bytes is binary128.
        (16, Some(long_double)) if name == "long double" || name.contains("10") => Ok(long_double),
        _ => unsupported("only binary16, binary32, binary64 and x87's extended format are supported"),
    }
}

/// A complex number: in memory, and in C's calling convention on x86-64, a struct of its parts.
fn complex(part: FloatType) -> Pointee {
    let ty = || Pointee::Scalar(ScalarType::Float(part));
    let size = ty().size();
    let field = |name: &str, offset| StructField { name: name.to_owned(), offset, ty: ty(), count: 1, is_array: false };
    let fields = vec![field("re", 0), field("im", size)];
    // Compilers name it differently; signatures of one function should be equal in all builds.
    Pointee::Struct(StructType { name: "complex".to_owned(), size: 2 * size, align: size, fields })
}
