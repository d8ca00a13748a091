//! Types as the scalars they consist of.

use labrys_interp::ScalarKind;
use labrys_program::Type;
use labrys_solver::domain::FloatDomain;

use crate::graph::Domain;
use crate::integer::IntDomain;
use crate::pointer::PointerDomain;
use crate::stop::{Stop, unsupported};

/// The scalars of a type with their byte offsets, in order.
pub(crate) fn scalars(ty: &Type) -> Result<Vec<(u64, ScalarKind)>, Stop> {
    let mut all = Vec::new();
    push(ty, 0, &mut all)?;
    Ok(all)
}

fn push(ty: &Type, offset: u64, all: &mut Vec<(u64, ScalarKind)>) -> Result<(), Stop> {
    match ty {
        Type::Void => {}
        Type::Vector(element, count) => {
            let kind = kind_of(element)?;
            if matches!(kind, ScalarKind::Int(bits) if bits % 8 != 0) {
                return Err(unsupported("vectors of integers that are no whole bytes"));
            }
            all.extend((0..u64::from(*count)).map(|i| (offset + i * kind.size(), kind)));
        }
        Type::Array(element, count) => {
            for i in 0..*count {
                push(element, offset + i * element.alloc_size(), all)?;
            }
        }
        Type::Struct(layout) => {
            for (field, at) in layout.fields.iter().zip(&layout.offsets) {
                push(field, offset + at, all)?;
            }
        }
        other => all.push((offset, kind_of(other)?)),
    }
    Ok(())
}

/// The kinds of a type's scalars; lanes of truth values, which memory packs, are fine here.
pub(crate) fn kinds(ty: &Type) -> Result<Vec<ScalarKind>, Stop> {
    match ty {
        Type::Vector(element, count) => Ok(vec![kind_of(element)?; *count as usize]),
        other => Ok(scalars(other)?.into_iter().map(|(_, kind)| kind).collect()),
    }
}

/// The kind of a scalar type.
pub(crate) fn kind_of(ty: &Type) -> Result<ScalarKind, Stop> {
    match ScalarKind::of(ty).map_err(|stop| unsupported(stop.to_string()))? {
        ScalarKind::Float(format) if !FloatDomain::supports(format) => Err(unsupported("floats of this format")),
        kind => Ok(kind),
    }
}

/// The kind of a scalar's or vector's elements.
pub(crate) fn element_kind(ty: &Type) -> Result<ScalarKind, Stop> {
    match ty {
        Type::Vector(element, _) => kind_of(element),
        other => kind_of(other),
    }
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
            _ => return Err(unsupported("a member of what has none")),
        }
    }
    Ok((first, count(ty)))
}

/// Every value of a kind.
pub(crate) fn top(kind: ScalarKind) -> Domain {
    match kind {
        ScalarKind::Int(bits) => Domain::Int(IntDomain::top(bits)),
        ScalarKind::Float(format) => Domain::Float(FloatDomain::top(format)),
        ScalarKind::Pointer => Domain::Pointer(PointerDomain::Any),
    }
}

/// The kind of a domain's members.
pub(crate) fn kind(domain: &Domain) -> ScalarKind {
    match domain {
        Domain::Int(set) => ScalarKind::Int(set.bits),
        Domain::Float(set) => ScalarKind::Float(set.format),
        Domain::Pointer(_) => ScalarKind::Pointer,
    }
}
