//! Random formulas over every operator of QF_ABVFP, for tests of whatever decides or rewrites formulas.
//!
//! [`Formula::planted`] draws an assignment first, and then constraints that are true under it: every `unsat` about such a
//! formula is wrong, whatever its size, without anybody being asked. [`Formula::free`] has constraints that may
//! contradict each other: those are for enumeration and for other solvers. [`shrink`] makes a formula on which something goes
//! wrong smaller, its planted assignment kept.
//!
//! Random terms rarely meet. So the terms share what symbolic execution of code shares: a word several times in a
//! concatenation, extensions of one word by signs and by zeros, extracts that overlap, one condition in several choices,
//! floats taken apart and put together again, and bytes of an array joined to a float.
//!
//! ```
//! use labrys_formulas::{Formula, Shape};
//! use labrys_term::Evaluator;
//!
//! let formula = Formula::planted(7, &Shape::full());
//! let model = formula.model.as_ref().expect("a planted formula has a model");
//! let mut evaluator = Evaluator::new(&formula.store, model);
//! assert!(formula.assertions.iter().all(|&assertion| evaluator.holds(assertion) == Ok(true)));
//! ```

mod arrays;
mod constraints;
mod core;
mod floats;
mod literals;
mod maker;
mod shape;
mod shrink;
#[cfg(test)]
mod tests;
mod vectors;

use labrys_term::{Model, Store, TermId};

pub use shape::Shape;
pub use shrink::shrink;

/// A conjunction.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The terms' store.
    pub store: Store,
    /// The conjuncts.
    pub assertions: Vec<TermId>,
    /// All variables that the formula may contain.
    pub variables: Vec<TermId>,
    /// An assignment under which every conjunct is true, if one was planted.
    pub model: Option<Model>,
}

impl Formula {
    /// The formula of a seed, true under its model.
    pub fn planted(seed: u64, shape: &Shape) -> Formula {
        maker::Maker::new(seed, shape).planted()
    }

    /// The formula of a seed, true under some assignment or none.
    pub fn free(seed: u64, shape: &Shape) -> Formula {
        maker::Maker::new(seed, shape).free()
    }
}
