//! Which path an input takes, as far as the reals can tell: the feedback on branch outcomes.
//!
//! The code under test is never instrumented, so branch outcomes come from the symbolic paths: their conditions, read
//! over the reals, are evaluated at each input by the same flat program that decides known conditions. Rounding may put
//! an input on another path than the reals say; as feedback for a search that is good enough.

use labrys_program::InputLayout;
use labrys_symex::Exploration;
use labrys_term::approx::{ExtendedReal, RealEvaluator, RealProgram};
use labrys_term::{TermId, Truth};

use super::conditions::Conditions;
use crate::inputs::variables::Variables;

/// The conditions of all paths of all explored builds.
#[derive(Clone, Debug)]
pub struct Branches {
    program: RealProgram,
    /// For each variable of the program the leaf that it stands for.
    leaves: Vec<Option<usize>>,
}

/// Evaluates [`Branches`] input by input.
pub struct BranchEvaluator<'a> {
    branches: &'a Branches,
    evaluator: RealEvaluator<'a>,
    values: Vec<ExtendedReal>,
}

impl Branches {
    /// The paths' conditions; `None` where no build has two paths that the reals can tell apart.
    pub fn of(
        conditions: &mut Conditions,
        explorations: &[Option<Exploration>],
        variables: &Variables,
    ) -> Option<Branches> {
        let mut roots: Vec<TermId> = Vec::new();
        for exploration in explorations.iter().flatten().filter(|exploration| exploration.paths.len() > 1) {
            for path in &exploration.paths {
                let Ok(term) = conditions.abstraction.term(&mut conditions.store, path.condition) else { continue };
                if RealProgram::compile(&conditions.store, &[term]).is_ok() {
                    roots.push(term);
                }
            }
        }
        roots.sort_unstable();
        roots.dedup();
        if roots.len() < 2 {
            return None;
        }
        let program = RealProgram::compile(&conditions.store, &roots).ok()?;
        let leaves = program.variables().iter().map(|variable| variables.leaf_of(*variable)).collect();
        Some(Branches { program, leaves })
    }

    /// An evaluator.
    pub fn evaluator(&self) -> BranchEvaluator<'_> {
        let values = Vec::with_capacity(self.leaves.len());
        BranchEvaluator { branches: self, evaluator: RealEvaluator::new(&self.program), values }
    }
}

impl BranchEvaluator<'_> {
    /// The indices of the path conditions that certainly hold.
    pub fn taken(&mut self, inputs: &InputLayout, record: &[u8]) -> Vec<usize> {
        self.values.clear();
        for leaf in &self.branches.leaves {
            let float = leaf.and_then(|leaf| inputs.leaves[leaf].float(record));
            self.values.push(float.map_or(ExtendedReal::UNKNOWN, |float| ExtendedReal::from_float(&float)));
        }
        let truths = self.evaluator.run(&self.values).iter().enumerate();
        truths.filter(|(_, truth)| **truth == Truth::True).map(|(index, _)| index).collect()
    }
}
