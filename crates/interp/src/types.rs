//! Types as the scalars they consist of.

use labrys_float::Format;
use labrys_program::Type;

use crate::Stop;
use crate::value::MAX_INT_BITS;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// An integer of so many bits, 1 to 128.
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
            Type::Int(bits) => Err(Stop::unsupported(format!("integers of {bits} bits"))),
            Type::Unsupported(name) => Err(Stop::unsupported(format!("type {name}"))),
            other => Err(Stop::unsupported(format!("type {other:?} as a scalar"))),
        }
    }
}

/// The kind of a scalar's or vector's elements.
pub(crate) fn element_kind(ty: &Type) -> Result<ScalarKind, Stop> {
    match ty {
        Type::Vector(element, _) => ScalarKind::of(element),
        other => ScalarKind::of(other),
    }
}

/// The scalars of a type with their byte offsets, in order.
pub(crate) fn scalars(ty: &Type) -> Result<Vec<(u64, ScalarKind)>, Stop> {
    let mut all = Vec::new();
    push_scalars(ty, 0, &mut all)?;
    Ok(all)
}

fn push_scalars(ty: &Type, offset: u64, all: &mut Vec<(u64, ScalarKind)>) -> Result<(), Stop> {
    match ty {
        Type::Void => {}
        Type::Vector(element, count) => {
            let kind = ScalarKind::of(element)?;
            all.extend((0..u64::from(*count)).map(|i| (offset + i * kind.size(), kind)));
        }
        Type::Array(element, count) => {
            for i in 0..*count {
                push_scalars(element, offset + i * element.alloc_size(), all)?;
            }
        }
        Type::Struct(layout) => {
            for (field, at) in layout.fields.iter().zip(&layout.offsets) {
                push_scalars(field, offset + at, all)?;
            }
        }
        other => all.push((offset, ScalarKind::of(other)?)),
    }
    Ok(())
}

/// How many scalars a type has.
pub(crate) fn count(ty: &Type) -> usize {
    match ty {
        Type::Void => 0,
        Type::Vector(_, count) => *count as usize,
        Type::Array(element, length) => count(element) * *length as usize,
        Type::Struct(layout) => layout.fields.iter().map(count).sum(),
        _ => 1,
    }
}

/// The scalars that member `path` of an aggregate type occupies: first and number.
pub(crate) fn member(ty: &Type, path: &[u32]) -> Result<(usize, usize), Stop> {
    let (mut ty, mut first) = (ty, 0);
    for &index in path {
        match ty {
            Type::Struct(layout) if (index as usize) < layout.fields.len() => {
                first += layout.fields[..index as usize].iter().map(count).sum::<usize>();
                ty = &layout.fields[index as usize];
            }
            Type::Array(element, _) => {
                first += count(element) * index as usize;
                ty = element;
            }
            other => return Err(Stop::unsupported(format!("member {index} of {other:?}"))),
        }
    }
    Ok((first, count(ty)))
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
