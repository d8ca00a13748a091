//! What holds on a path: of what the program computes, and of the truth.
//!
//! A guard is read as a conjunction of *literals*: comparisons, or other formulas, that hold or do not. Where one holds of the computed
//! values and of the exact ones (both follow the same path, or two that part later), it says more than which inputs are meant:
//!
//! **Claim.** If a < b holds of the computed values and of the exact ones, then both values of b are at least a's least value, and b − a is not
//! negative, neither exactly nor rounded. So the range of a node may be cut to that ([`Narrowing`]), for the inputs on the path. Nothing is said of others:
//! derivatives that are taken on cut ranges do not lead from one input to another.
//!
//! Where a literal holds of the computed values and its negation of the exact ones, and nothing that it compares has an error, no input
//! takes the two paths: the literal is *opposed*.

use crate::expression::{Formula, FormulaIndex, Node, NodeIndex, Operation};

/// A formula, and whether it holds.
pub(crate) type Literal = (FormulaIndex, bool);

/// What cuts a node's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowing {
    /// The values of another node: at least these.
    AtLeast(NodeIndex),
    /// At most these.
    AtMost(NodeIndex),
    /// Not negative; of a difference, and not zero if said.
    NotNegative { is_strict: bool },
    /// Not positive.
    NotPositive { is_strict: bool },
}

/// A comparison a < b, or a ≤ b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub less: NodeIndex,
    pub greater: NodeIndex,
    pub is_strict: bool,
}

/// The guards of a path, or of two.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guards {
    /// Formulas of the computed values, and of the exact ones.
    pub computed: Vec<FormulaIndex>,
    pub exact: Vec<FormulaIndex>,
    /// All of them as literals, each once.
    pub literals: Vec<Literal>,
    /// Formulas that hold of the one and not of the other.
    pub opposed: Vec<FormulaIndex>,
    /// What cuts the range of each node.
    pub narrowings: Vec<Vec<Narrowing>>,
}

impl Guards {
    pub(crate) fn new(
        nodes: &[Node],
        formulas: &[Formula],
        computed: Vec<FormulaIndex>,
        exact: Vec<FormulaIndex>,
    ) -> Guards {
        let (of_computed, of_exact) = (literals(formulas, &computed), literals(formulas, &exact));
        let is_opposed = |(formula, holds): &&Literal| of_exact.contains(&(*formula, !*holds));
        let opposed = of_computed.iter().filter(is_opposed).map(|literal| literal.0).collect();
        let mut narrowings = vec![Vec::new(); nodes.len()];
        for literal in of_computed.iter().filter(|literal| of_exact.contains(literal)) {
            for order in orders(formulas, *literal) {
                narrow(nodes, order, &mut narrowings);
            }
        }
        let mut literals = of_computed;
        literals.extend(of_exact);
        literals.sort_unstable();
        literals.dedup();
        Guards { computed, exact, literals, opposed, narrowings }
    }
}

/// The literals whose conjunction formulas are.
fn literals(formulas: &[Formula], guards: &[FormulaIndex]) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut pending: Vec<Literal> = guards.iter().rev().map(|guard| (*guard, true)).collect();
    while let Some((formula, holds)) = pending.pop() {
        match (&formulas[formula as usize], holds) {
            (Formula::Not(part), _) => pending.push((*part, !holds)),
            (Formula::And(parts), true) | (Formula::Or(parts), false) => {
                pending.extend(parts.iter().rev().map(|part| (*part, holds)));
            }
            _ => found.push((formula, holds)),
        }
    }
    found
}

/// What a literal says of the order of nodes that are numbers.
pub(crate) fn orders(formulas: &[Formula], (formula, holds): Literal) -> Vec<Order> {
    let order = |less: NodeIndex, greater: NodeIndex, is_strict: bool| Order { less, greater, is_strict };
    match (&formulas[formula as usize], holds) {
        (Formula::Less(a, b), true) => vec![order(*a, *b, true)],
        (Formula::Less(a, b), false) => vec![order(*b, *a, false)],
        (Formula::AtMost(a, b), true) => vec![order(*a, *b, false)],
        (Formula::AtMost(a, b), false) => vec![order(*b, *a, true)],
        (Formula::Equal(a, b), true) => vec![order(*a, *b, false), order(*b, *a, false)],
        _ => vec![],
    }
}

fn narrow(nodes: &[Node], Order { less, greater, is_strict }: Order, narrowings: &mut [Vec<Narrowing>]) {
    // A node's range is cut when it is made, by what is known then.
    let is_known =
        |of: NodeIndex, by: NodeIndex| by < of || matches!(nodes[by as usize].operation, Operation::Constant(_));
    if is_known(greater, less) {
        narrowings[greater as usize].push(Narrowing::AtLeast(less));
    }
    if is_known(less, greater) {
        narrowings[less as usize].push(Narrowing::AtMost(greater));
    }
    for (node, narrowings) in nodes.iter().zip(narrowings) {
        match node.operation {
            Operation::Sub(a, b) if (a, b) == (greater, less) => narrowings.push(Narrowing::NotNegative { is_strict }),
            Operation::Sub(a, b) if (a, b) == (less, greater) => narrowings.push(Narrowing::NotPositive { is_strict }),
            _ => {}
        }
    }
}
