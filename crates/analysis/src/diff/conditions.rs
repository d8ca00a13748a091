//! The conditions that are solved over the reals: every site's exceptions in every analysed build, once each.
//!
//! Formulas are the paper draft's, unsimplified; equal ones of several builds are one term by hash-consing and so are
//! counted once.

use indexmap::IndexMap;
use labrys_float::Flags;
use labrys_program::InputLayout;
use labrys_solver::FloatSolver;
use labrys_symex::{Exploration, Form, SiteExecution, real_condition};
use labrys_term::{Store, TermId, reals::Abstraction};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::inputs::assume::Assumption;
use crate::inputs::integers::{Integers, Split};

/// The exceptions that have conditions, in the order they are asked for.
const EXCEPTIONS: [Flags; 4] = [Flags::OVERFLOW, Flags::UNDERFLOW, Flags::INVALID, Flags::DIVBYZERO];

/// One condition over the reals.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The formula with its path condition, conjuncts over integers apart.
    pub term: TermId,
    /// Integers with which the path can be taken, in the order of [`Integers`].
    pub integers: Vec<u128>,
    /// Whether a site of the baseline has it.
    pub in_baseline: bool,
    /// Whether a site of a variant has it.
    pub in_variant: bool,
}

/// All site conditions of a comparison.
pub struct Conditions {
    /// Where all terms live.
    pub store: Store,
    /// Reads Float terms as Real ones; knows the variables.
    pub abstraction: Abstraction,
    /// The conditions.
    pub sites: Vec<Condition>,
    /// The assumptions, as far as the reals can express them.
    pub assumptions: Vec<TermId>,
    /// The integer inputs.
    pub integers: Integers,
    /// Each build's executions, conjuncts over integers apart.
    pub executions: Vec<Vec<Split>>,
    /// How many conditions the reals cannot express: counted nowhere else.
    pub inexpressible: usize,
    /// How many executions the run's end left without conditions.
    pub left_out: usize,
}

impl Conditions {
    /// Collects the conditions of the explorations, the baseline's first. Integers are taken from the inputs `known`, or
    /// from `solver`. Once the run `is_over`, further executions are left out.
    pub fn collect(
        mut store: Store,
        explorations: &[Option<Exploration>],
        assumptions: &[Assumption],
        inputs: &InputLayout,
        known: &[Vec<u8>],
        solver: &mut dyn FloatSolver,
        is_over: &dyn Fn() -> bool,
    ) -> Conditions {
        let mut integers = Integers::new(&mut store, inputs);
        let mut executions = Vec::new();
        let mut abstraction = Abstraction::new();
        let mut found: IndexMap<TermId, Condition, FxBuildHasher> = IndexMap::default();
        let (mut inexpressible, mut left_out) = (0, 0);
        for (build, exploration) in explorations.iter().enumerate() {
            let mut of_build = Vec::new();
            for execution in exploration.iter().flat_map(|exploration| &exploration.executions) {
                if is_over() {
                    left_out += 1;
                    continue;
                }
                // An operation on constants raises the same on every input: there is nothing to solve.
                if !execution.operands.iter().any(|term| store.has_variables(*term)) {
                    continue;
                }
                let split = integers.split(&mut store, execution);
                let witness = integers.witness(&store, split.integers, inputs, known, solver);
                for exception in EXCEPTIONS {
                    match real_condition(&mut store, &mut abstraction, &split.execution, exception, Form::Draft) {
                        None => {}
                        Some(Err(_)) => inexpressible += 1,
                        Some(Ok(_)) if witness.is_none() => inexpressible += 1,
                        Some(Ok(term)) => {
                            let integers = witness.clone().unwrap_or_default();
                            let new = Condition { term, integers, in_baseline: false, in_variant: false };
                            let condition = found.entry(term).or_insert(new);
                            condition.in_baseline |= build == 0;
                            condition.in_variant |= build > 0;
                        }
                    }
                }
                of_build.push(split);
            }
            executions.push(of_build);
        }
        let mut read = Vec::new();
        for assumption in assumptions {
            let term = assumption.term(inputs, &mut store);
            // What the reals cannot express is left to the filter on inputs.
            read.extend(abstraction.term(&mut store, term).ok());
        }
        Conditions {
            store,
            abstraction,
            sites: found.into_values().collect(),
            assumptions: read,
            integers,
            executions,
            inexpressible,
            left_out,
        }
    }

    /// A build's executions that are reached with these integers.
    pub fn executions_with(&self, build: usize, integers: &[u128]) -> Vec<SiteExecution> {
        let mut reached: FxHashMap<TermId, bool> = FxHashMap::default();
        let splits = self.executions[build].iter();
        let kept = splits.filter(|split| {
            *reached.entry(split.integers).or_insert_with(|| self.integers.hold(&self.store, split.integers, integers))
        });
        kept.map(|split| split.execution.clone()).collect()
    }

    /// How many conditions the baseline has, and how many the variants.
    pub fn counts(&self) -> (usize, usize) {
        let baseline = self.sites.iter().filter(|condition| condition.in_baseline).count();
        let variant = self.sites.iter().filter(|condition| condition.in_variant).count();
        (baseline, variant)
    }
}
