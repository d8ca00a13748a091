//! Sets of truth values.

/// A set of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoolDomain {
    /// Neither: a contradiction.
    Empty,
    /// Only true.
    True,
    /// Only false.
    False,
    /// Both.
    Any,
}

impl BoolDomain {
    /// The set with true and false in it or not.
    pub fn of(with_true: bool, with_false: bool) -> BoolDomain {
        match (with_true, with_false) {
            (false, false) => BoolDomain::Empty,
            (true, false) => BoolDomain::True,
            (false, true) => BoolDomain::False,
            (true, true) => BoolDomain::Any,
        }
    }

    /// Whether a truth value is a member.
    pub fn contains(self, value: bool) -> bool {
        self == BoolDomain::Any || self == if value { BoolDomain::True } else { BoolDomain::False }
    }

    /// The members of both sets.
    pub fn intersect(self, other: BoolDomain) -> BoolDomain {
        let both = |value| self.contains(value) && other.contains(value);
        BoolDomain::of(both(true), both(false))
    }

    /// The members of either set.
    pub fn hull(self, other: BoolDomain) -> BoolDomain {
        let either = |value| self.contains(value) || other.contains(value);
        BoolDomain::of(either(true), either(false))
    }
}
