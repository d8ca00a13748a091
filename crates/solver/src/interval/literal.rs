//! Literals: that a variable's value lies in a set of places.

use super::places::{self, Set};
use crate::domain::Domain;

/// Index of a variable of the constraint graph.
pub(crate) type Var = u32;

/// That a variable's value lies in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Literal {
    /// The variable.
    pub var: Var,
    /// The set.
    pub set: Set,
}

impl Literal {
    /// That a Bool variable has a value.
    pub fn truth(var: Var, value: bool) -> Literal {
        let place = u128::from(value);
        Literal { var, set: Set::Within { low: place, high: place } }
    }

    /// Whether no value of the variable's domain makes it true.
    pub fn is_false(&self, domains: &[Domain]) -> bool {
        !places::meets(&domains[self.var as usize], self.set)
    }

    /// Whether every value of the variable's domain makes it true.
    pub fn is_true(&self, domains: &[Domain]) -> bool {
        places::inside(&domains[self.var as usize], self.set)
    }
}
