//! The conditions that are solved over the reals: every site's exceptions in every analysed build, once each.
//!
//! Formulas are the paper draft's, unsimplified; equal ones of several builds are one term by hash-consing and so are
//! counted once.

use indexmap::IndexMap;
use labrys_float::Flags;
use labrys_program::InputLayout;
use labrys_symex::{Exploration, Form, real_condition};
use labrys_term::{Store, TermId, reals::Abstraction};
use rustc_hash::FxBuildHasher;

use crate::assume::Assumption;

/// The exceptions that have conditions, in the order they are asked for.
const EXCEPTIONS: [Flags; 4] = [Flags::OVERFLOW, Flags::UNDERFLOW, Flags::INVALID, Flags::DIVBYZERO];

/// One condition over the reals.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// The formula with its path condition.
    pub term: TermId,
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
    /// How many conditions the reals cannot express: counted nowhere else.
    pub inexpressible: usize,
}

impl Conditions {
    /// Collects the conditions of the explorations, the baseline's first.
    pub fn collect(
        mut store: Store,
        explorations: &[Option<Exploration>],
        assumptions: &[Assumption],
        inputs: &InputLayout,
    ) -> Conditions {
        let mut abstraction = Abstraction::new();
        let mut found: IndexMap<TermId, Condition, FxBuildHasher> = IndexMap::default();
        let mut inexpressible = 0;
        for (build, exploration) in explorations.iter().enumerate() {
            for execution in exploration.iter().flat_map(|exploration| &exploration.executions) {
                // An operation on constants raises the same on every input: there is nothing to solve.
                if store.free_variables(&execution.operands).is_empty() {
                    continue;
                }
                for exception in EXCEPTIONS {
                    match real_condition(&mut store, &mut abstraction, execution, exception, Form::Draft) {
                        None => {}
                        Some(Err(_)) => inexpressible += 1,
                        Some(Ok(term)) => {
                            let new = Condition { term, in_baseline: false, in_variant: false };
                            let condition = found.entry(term).or_insert(new);
                            condition.in_baseline |= build == 0;
                            condition.in_variant |= build > 0;
                        }
                    }
                }
            }
        }
        let mut read = Vec::new();
        for assumption in assumptions {
            let term = assumption.term(inputs, &mut store);
            // What the reals cannot express is left to the filter on inputs.
            read.extend(abstraction.term(&mut store, term).ok());
        }
        Conditions { store, abstraction, sites: found.into_values().collect(), assumptions: read, inexpressible }
    }

    /// How many conditions the baseline has, and how many the variants.
    pub fn counts(&self) -> (usize, usize) {
        let baseline = self.sites.iter().filter(|condition| condition.in_baseline).count();
        let variant = self.sites.iter().filter(|condition| condition.in_variant).count();
        (baseline, variant)
    }
}
