//! What the solver is given besides the conditions, and what it counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use labrys_term::{TermId, VariableId};
use num_bigint::BigInt;

use crate::Limits;

/// A variable that stands for a function's value: the paper's table T (POPL 2013, section 3.2) has one for each call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    /// The Real variable.
    pub variable: VariableId,
    /// What the function is applied to: Real terms, over inputs and other dependents.
    pub operands: Vec<TermId>,
    /// The function, for example `exp`.
    pub function: Arc<str>,
}

/// How hard to try.
#[derive(Clone, Debug, PartialEq)]
pub struct NonlinearConfig {
    /// How often variables are bound anew: the paper's N, which was 1 there. Default 60.
    pub tries: u32,
    /// How many values of a variable may be refused in one try. Default 12.
    pub values: u32,
    /// How many points a variable is sampled at where functions hang on it. Default 160.
    pub samples: u32,
    /// Seed of all choices. Default 0.
    pub seed: u64,
    /// Work and wall limit of one query; 5 units of work take about a microsecond. Default two seconds of wall clock.
    pub limits: Limits,
    /// Variables that are integers, with their least and greatest values.
    pub integers: BTreeMap<VariableId, (BigInt, BigInt)>,
}

impl Default for NonlinearConfig {
    fn default() -> NonlinearConfig {
        let limits = Limits { work: 0, wall: std::time::Duration::from_secs(2), memory_mib: 0 };
        NonlinearConfig { tries: 60, values: 12, samples: 160, seed: 0, limits, integers: BTreeMap::new() }
    }
}

/// What each step did, summed over queries: the figures of the paper's table 5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonlinearSteps {
    /// Queries.
    pub queries: u64,
    /// Queries that got a candidate made of floats.
    pub solved: u64,
    /// Of these, those in which variables were bound to make the constraints univariate.
    pub concretised: u64,
    /// Of these, those that were univariate as given.
    pub univariate: u64,
    /// Of these, those whose last constraints were all linear.
    pub linear: u64,
    /// Of these, those that were sampled, since functions hang on the last variable.
    pub sampled: u64,
    /// Queries shown to have no solution among the floats: constraints of one variable have none.
    pub refuted: u64,
    /// Queries not solved by floats, whose candidate has a number between two floats.
    pub reals: u64,
    /// How often variables were bound.
    pub tries: u64,
    /// Values refused because they make a constraint false.
    pub rejected_bindings: u64,
    /// Univariate problems that no float solves.
    pub barren: u64,
    /// Real roots isolated.
    pub roots: u64,
}

impl std::ops::AddAssign for NonlinearSteps {
    fn add_assign(&mut self, other: NonlinearSteps) {
        self.queries += other.queries;
        self.solved += other.solved;
        self.concretised += other.concretised;
        self.univariate += other.univariate;
        self.linear += other.linear;
        self.sampled += other.sampled;
        self.refuted += other.refuted;
        self.reals += other.reals;
        self.tries += other.tries;
        self.rejected_bindings += other.rejected_bindings;
        self.barren += other.barren;
        self.roots += other.roots;
    }
}
