//! Branch and prune: a small engine that refutes, made to check what the large ones say.
//!
//! **Claim.** [`Verdict::Unsat`] is said only where each part of the space of all values is refuted by images of boxes: a box's image
//! under an operator (`image.rs`) holds all values that the operator has on it, and a part of an argument's set with whose image the
//! operator has no allowed value is removed. Nothing else removes values: there are no inverse operators, no learnt clauses, no
//! rewriting. What has to be trusted is `image.rs` and exact arithmetic at points; `crate::interval`, whose answers it checks, does the
//! same by other means, thousands of times as many lines, and faster. It never says sat.
//!
//! Branch and prune is Van Hentenryck, McAllester, Kapur, "Solving polynomial systems using a branch and prune approach", SIAM J. Numer.
//! Anal. 34(2), 1997; finding the ends of a set by bisecting it is their box consistency, here of one operator at a time.

mod image;
mod refuter;
mod set;
#[cfg(test)]
mod tests;
mod tree;

use crate::domain::Facts;
use crate::{Budget, Engine, Query, Verdict, Why};
pub use refuter::Refuter;
use tree::{Contradiction, Tree};

/// What pruning without branching finds out.
#[derive(Clone, Debug)]
pub enum Pruned {
    /// There is no model.
    Unsat,
    /// Sets in which all models' values lie.
    Facts(Facts),
    /// The budget was used up; nothing is known.
    Unknown(Why),
}

/// Sets that all boxes of a query may have together: 200 MB.
const MOST_SETS: u64 = 1 << 22;

/// Refutes queries by branch and prune. The unit of work is one evaluation of an operator.
#[derive(Clone, Debug)]
pub struct BranchAndPrune {
    /// Boxes that one query may have.
    most: u64,
    boxes: u64,
    evaluations: u64,
}

impl Default for BranchAndPrune {
    fn default() -> BranchAndPrune {
        BranchAndPrune { most: 512, boxes: 0, evaluations: 0 }
    }
}

impl BranchAndPrune {
    /// Prunes without branching.
    pub fn prune(query: &Query<'_>, budget: &Budget) -> Pruned {
        let mut tree = Tree::new(query, budget);
        match tree.root(query.assertions) {
            Ok(Ok(sets)) => Pruned::Facts(tree.facts(&sets)),
            Ok(Err(Contradiction)) => Pruned::Unsat,
            Err(why) => Pruned::Unknown(why),
        }
    }
}

impl Engine for BranchAndPrune {
    fn name(&self) -> &'static str {
        "prune"
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict {
        let mut tree = Tree::new(query, budget);
        let refuted = match tree.root(query.assertions) {
            Ok(Ok(sets)) => {
                // Boxes that wait are whole: no more of them than memory has room for.
                let most = self.most.min(MOST_SETS / sets.len().max(1) as u64);
                tree.is_refuted(sets, most)
            }
            Ok(Err(Contradiction)) => Ok(true),
            Err(why) => Err(why),
        };
        (self.boxes, self.evaluations) = (tree.boxes, tree.evaluations());
        match refuted {
            Ok(true) => Verdict::Unsat,
            Ok(false) => Verdict::Unknown(Why::Incomplete("it only refutes".to_owned())),
            Err(why) => Verdict::Unknown(why),
        }
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![("boxes", self.boxes), ("evaluations", self.evaluations)]
    }
}
