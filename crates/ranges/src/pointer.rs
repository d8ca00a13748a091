//! Sets of pointers: what they may point into, with intervals of offsets.

use std::sync::Arc;

use labrys_program::{FunctionId, GlobalId};

use crate::integer::IntDomain;

/// A memory object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ObjectId {
    Global(GlobalId),
    /// Made during the analysis, in this order.
    Dynamic(u32),
}

/// What a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Base {
    /// Nothing: the offset is an address, 0 for null.
    Absolute,
    Object(ObjectId),
    Function(FunctionId),
}

/// A base with the offsets from it, 64 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub base: Base,
    pub offset: IntDomain,
}

/// A set of pointers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PointerDomain {
    /// Any address.
    Any,
    /// One entry for each base, sorted by base.
    Targets(Arc<[Target]>),
}

/// More bases than that are any address.
const MAX_TARGETS: usize = 16;

impl PointerDomain {
    fn one(base: Base, offset: i64) -> PointerDomain {
        let offset = IntDomain::only(64, offset as u128);
        PointerDomain::Targets([Target { base, offset }].into())
    }

    /// The null pointer.
    pub fn null() -> PointerDomain {
        PointerDomain::one(Base::Absolute, 0)
    }

    /// A place in a global.
    pub fn global(id: GlobalId, offset: i64) -> PointerDomain {
        PointerDomain::one(Base::Object(ObjectId::Global(id)), offset)
    }

    /// A function.
    pub fn function(id: FunctionId) -> PointerDomain {
        PointerDomain::one(Base::Function(id), 0)
    }

    /// The start of an object.
    pub fn object(id: ObjectId) -> PointerDomain {
        PointerDomain::one(Base::Object(id), 0)
    }

    /// The targets; `None` if it may be any address.
    pub fn targets(&self) -> Option<&[Target]> {
        match self {
            PointerDomain::Any => None,
            PointerDomain::Targets(targets) => Some(targets),
        }
    }

    /// A set that holds both.
    pub fn hull(&self, other: &PointerDomain) -> PointerDomain {
        let (Some(a), Some(b)) = (self.targets(), other.targets()) else { return PointerDomain::Any };
        let mut all: Vec<Target> = a.to_vec();
        for target in b {
            match all.iter_mut().find(|known| known.base == target.base) {
                Some(known) => known.offset = known.offset.hull(&target.offset),
                None => all.push(*target),
            }
        }
        all.sort_by_key(|target| target.base);
        if all.len() > MAX_TARGETS { PointerDomain::Any } else { PointerDomain::Targets(all.into()) }
    }

    /// The common members; `None` if there are none.
    pub fn intersect(&self, other: &PointerDomain) -> Option<PointerDomain> {
        let (a, b) = match (self.targets(), other.targets()) {
            (None, _) => return Some(other.clone()),
            (_, None) => return Some(self.clone()),
            (Some(a), Some(b)) => (a, b),
        };
        let mut all = Vec::new();
        for target in a {
            for other in b.iter().filter(|other| other.base == target.base) {
                if let Some(offset) = target.offset.intersect(&other.offset) {
                    all.push(Target { base: target.base, offset });
                }
            }
        }
        (!all.is_empty()).then(|| PointerDomain::Targets(all.into()))
    }

    /// The pointers for which a property of targets holds; `None` if there are none.
    pub fn filter(&self, keep: impl Fn(&Target) -> bool) -> Option<PointerDomain> {
        let Some(targets) = self.targets() else { return Some(PointerDomain::Any) };
        let kept: Vec<Target> = targets.iter().filter(|target| keep(target)).copied().collect();
        (!kept.is_empty()).then(|| PointerDomain::Targets(kept.into()))
    }

    /// All pointers moved by some bytes.
    pub fn moved(&self, by: &IntDomain) -> PointerDomain {
        let Some(targets) = self.targets() else { return PointerDomain::Any };
        let moved = targets.iter().map(|target| {
            let offset = IntDomain::binary(labrys_program::IntBinary::Add, &target.offset, by);
            Target { base: target.base, offset: offset.unwrap_or(IntDomain::top(64)) }
        });
        PointerDomain::Targets(moved.collect())
    }
}
