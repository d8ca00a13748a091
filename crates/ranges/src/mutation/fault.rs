//! Ways to be wrong.

use labrys_float::Flags;
use labrys_solver::domain::{FloatDomain, Range};

use crate::graph::Domain;
use crate::integer::IntDomain;

/// A way to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The member with the least magnitude, or the least integer, is dropped.
    Least,
    /// The member with the greatest magnitude, or the greatest integer, is dropped.
    Greatest,
    /// No zeros.
    Zeros,
    /// No infinities.
    Infinities,
    /// No NaN.
    Nan,
    /// An exception is forgotten.
    Exception(Flags),
}

/// What is wrong of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

impl Fault {
    pub(super) const RESULT: [Fault; 5] = [Fault::Least, Fault::Greatest, Fault::Zeros, Fault::Infinities, Fault::Nan];
    pub(super) const EXCEPTIONS: [Fault; 4] = [
        Fault::Exception(Flags::INVALID),
        Fault::Exception(Flags::DIVBYZERO),
        Fault::Exception(Flags::OVERFLOW),
        Fault::Exception(Flags::UNDERFLOW),
    ];

    fn range(self, range: Option<Range>) -> Option<Range> {
        let Range { low, high } = range?;
        let kept = match self {
            Fault::Least => Range { low: low + 1, high },
            Fault::Greatest => Range { low, high: high - 1 },
            _ => Range { low, high },
        };
        (kept.low <= kept.high).then_some(kept)
    }

    pub(super) fn float(self, set: &FloatDomain) -> FloatDomain {
        let mut set = FloatDomain { negative: self.range(set.negative), positive: self.range(set.positive), ..*set };
        match self {
            Fault::Zeros => (set.minus_zero, set.plus_zero) = (false, false),
            Fault::Infinities => (set.minus_infinity, set.plus_infinity) = (false, false),
            Fault::Nan => set.nan = false,
            _ => {}
        }
        set
    }

    /// There is no empty set of integers: the last member becomes another one.
    pub(super) fn int(self, set: &IntDomain) -> IntDomain {
        match (self, set.single()) {
            (Fault::Least, Some(value)) => IntDomain::only(set.bits, (value + 1) as u128),
            (Fault::Greatest, Some(value)) => IntDomain::only(set.bits, (value - 1) as u128),
            (Fault::Least, None) => set.clip(set.low + 1, set.high).unwrap_or(*set),
            (Fault::Greatest, None) => set.clip(set.low, set.high - 1).unwrap_or(*set),
            _ => *set,
        }
    }

    pub(super) fn domain(self, domain: &Domain) -> Domain {
        match domain {
            Domain::Float(set) => Domain::Float(self.float(set)),
            Domain::Int(set) => Domain::Int(self.int(set)),
            Domain::Pointer(_) => domain.clone(),
        }
    }
}
