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
    ty.for_each_scalar(&mut |place| {
        let kind = kind_of(place.ty)?;
        if place.is_lane && matches!(kind, ScalarKind::Int(bits) if bits % 8 != 0) {
            return Err(unsupported("vectors of integers that are no whole bytes"));
        }
        all.push((place.offset, kind));
        Ok(())
    })?;
    Ok(all)
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
        // Sets of integers are of words: those of wider ones would leave members out.
        ScalarKind::Int(bits) if bits > 128 => Err(unsupported("integers of more than 128 bits in value ranges")),
        ScalarKind::Float(format) if !FloatDomain::supports(format) => Err(unsupported("floats of this format")),
        kind => Ok(kind),
    }
}

/// The kind of a scalar's or vector's elements.
pub(crate) fn element_kind(ty: &Type) -> Result<ScalarKind, Stop> {
    kind_of(ty.element())
}

/// The scalars that member `path` of an aggregate type occupies: first and number.
pub(crate) fn member(ty: &Type, path: &[u32]) -> Result<(usize, usize), Stop> {
    ty.member(path).ok_or_else(|| unsupported("a member of what has none"))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A set of words as one of wider integers would leave members out, and prove what is not so.
    #[test]
    fn integers_beyond_words_are_refused() {
        assert_eq!(kind_of(&Type::Int(128)).ok(), Some(ScalarKind::Int(128)));
        assert!(kind_of(&Type::Int(129)).is_err() && kind_of(&Type::Int(1024)).is_err());
    }
}
