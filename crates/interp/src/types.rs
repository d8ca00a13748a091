//! Types as the scalars they consist of.

use labrys_float::Format;
use labrys_program::Type;

use crate::Stop;
use crate::value::MAX_INT_BITS;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// An integer of so many bits, 1 to [`MAX_INT_BITS`].
    Int(u32),
    /// A float.
    Float(Format),
    /// A pointer.
    Pointer,
}

impl ScalarKind {
    /// Bytes in memory: 10 for x87's type.
    pub fn size(self) -> u64 {
        match self {
            ScalarKind::Int(bits) => u64::from(bits.div_ceil(8)),
            ScalarKind::Float(format) => u64::from(format.width().div_ceil(8)),
            ScalarKind::Pointer => 8,
        }
    }

    /// The kind of a scalar type.
    pub fn of(ty: &Type) -> Result<ScalarKind, Stop> {
        match ty {
            Type::Int(bits) if (1..=MAX_INT_BITS).contains(bits) => Ok(ScalarKind::Int(*bits)),
            Type::Float(format) => Ok(ScalarKind::Float(*format)),
            Type::Pointer => Ok(ScalarKind::Pointer),
            Type::Int(bits) => {
                Err(Stop::unsupported(format!("integers of more than {MAX_INT_BITS} bits: one has {bits}")))
            }
            Type::Unsupported(name) => Err(Stop::unsupported(format!("type {name}"))),
            other => Err(Stop::unsupported(format!("type {other:?} as a scalar"))),
        }
    }
}

/// The kind of a scalar's or vector's elements.
pub(crate) fn element_kind(ty: &Type) -> Result<ScalarKind, Stop> {
    ScalarKind::of(ty.element())
}

/// The scalars of a type with their byte offsets, in order.
pub(crate) fn scalars(ty: &Type) -> Result<Vec<(u64, ScalarKind)>, Stop> {
    let mut all = Vec::new();
    ty.for_each_scalar(&mut |place| {
        all.push((place.offset, ScalarKind::of(place.ty)?));
        Ok(())
    })?;
    Ok(all)
}

/// The scalars that member `path` of an aggregate type occupies: first and number.
pub(crate) fn member(ty: &Type, path: &[u32]) -> Result<(usize, usize), Stop> {
    ty.member(path).ok_or_else(|| Stop::unsupported(format!("member {path:?} of {ty:?}")))
}

/// Whether a vector's lanes share bytes: its elements are integers of no whole number of bytes.
pub(crate) fn is_bit_packed(ty: &Type) -> Option<(u32, u32)> {
    match ty {
        Type::Vector(element, count) => match **element {
            Type::Int(bits) if bits % 8 != 0 => Some((bits, *count)),
            _ => None,
        },
        _ => None,
    }
}
