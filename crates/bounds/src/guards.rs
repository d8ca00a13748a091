//! What holds on a path: of what the program computes, and of the truth.
//!
//! A guard is read as a conjunction of *literals*: comparisons, or other formulas, that hold or do not. With c_j(x) the computed and F_j(x) the
//! exact value of node j, an input is *on* the path (or on the two, where program and truth part) if the guards of the program's path hold of the c_j,
//! those of the truth's of the F_j. Claims are of such inputs; nothing is said of others: derivatives that are taken on cut ranges do not
//! lead from one input to another.
//!
//! **Claim 1.** If a < b, or a ≤ b, holds of the computed values and of the exact ones, then both values of b are at least a's least value, and b − a is
//! not negative, neither exactly nor rounded. So the range of a node may be cut to that ([`Narrowing`]).
//!
//! **Claim 2.** If it holds of the ones alone, these ones of b are at least a's least value, and b − a is not negative; the others are less by |c − F| at most, which
//! the error of the node itself bounds. So the range may be cut to that less the error. Where a comparison with a constant k holds of the program and its negation of the
//! truth, both values of the node lie within its error of k: what two paths may be apart that meet at a guard is had from that.
//!
//! Where a literal holds of the computed values and its negation of the exact ones, and nothing that it compares has an error, no input
//! takes the two paths: the literal is *opposed*.
//!
//! **Roots behind guards.** `d >= 0 ? sqrt(d) : 0` takes no root of a negative number, and yet where program and truth part the range of d, which holds both of
//! its values, reaches below zero. Let g(z) = √max(z, 0), and c^g, F^g be what program and truth were if each root of [`Guards::extends`] was g. g is defined
//! everywhere, |g(y) − g(z)| ≤ √|y − z|, and has √'s derivatives above zero: all that [`crate::evaluation`] claims of c and F
//! holds of c^g and F^g, too. **Claim 3.** On the path, c^g_j = c_j for the nodes of the program's path (its result and guards), and F^g_j = F_j for those of the truth's. By
//! induction over the nodes: a root is extended only if, where it is a node of the program's path, a literal of that path says of its operand that it is not negative, and
//! the same of the truth's path; so g is of a number that is not negative, where it is √. Hence what the program computes and what the truth is are what they were, and so is which inputs are on
//! the path. **What F^g is elsewhere:** if d is negative exactly and not as it is computed, the program takes the root and the truth does not. The root's F^g is then 0, no true value of
//! anything: it is the number r in |c − t| ≤ |c − r| + |r − t| by which the error between two paths is bounded (the gap of [`crate::outcome`]), and there any number serves that
//! is the same in both terms. Where the truth takes the root and the program does not, the root is a node of the truth's path, F^g is √F, and the c^g of it enters
//! no claim. Nothing is extended where only a condition within an expression (a choice) guards a root, nor where what is under it is a product or a quotient of what is guarded.

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

/// Of which values a literal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Of the computed and of the exact ones: claim 1.
    OfBoth,
    /// Of the ones or the others: claim 2.
    OfOne,
}

/// What of an expression belongs to the program's path, and what to the truth's: the result and the guards, with all that they are made of.
pub(crate) struct Sides {
    /// For each node whether the program's path has it.
    pub computed: Vec<bool>,
    /// For each node whether the truth's has.
    pub exact: Vec<bool>,
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
    pub narrowings: Vec<Vec<(Narrowing, Holds)>>,
    /// For each node whether it is a root that is read as that of its operand or of zero, whichever is greater: claim 3.
    pub extends: Vec<bool>,
}

impl Guards {
    pub(crate) fn new(
        nodes: &[Node],
        formulas: &[Formula],
        computed: Vec<FormulaIndex>,
        exact: Vec<FormulaIndex>,
        sides: &Sides,
    ) -> Guards {
        let (of_computed, of_exact) = (literals(formulas, &computed), literals(formulas, &exact));
        let is_opposed = |(formula, holds): &&Literal| of_exact.contains(&(*formula, !*holds));
        let opposed = of_computed.iter().filter(is_opposed).map(|literal| literal.0).collect();
        let mut narrowings = vec![Vec::new(); nodes.len()];
        let is_of_both = |literal: &Literal| of_computed.contains(literal) && of_exact.contains(literal);
        let mut literals = [&of_computed[..], &of_exact].concat();
        literals.sort_unstable();
        literals.dedup();
        for literal in &literals {
            let holds = if is_of_both(literal) { Holds::OfBoth } else { Holds::OfOne };
            for order in orders(formulas, *literal) {
                narrow(nodes, order, holds, &mut narrowings);
            }
        }
        let of = |literals: &[Literal]| -> Vec<Order> {
            literals.iter().flat_map(|literal| orders(formulas, *literal)).collect()
        };
        let orders = [(&sides.computed, of(&of_computed)), (&sides.exact, of(&of_exact))];
        let extends = |(place, node): (usize, &Node)| match node.operation {
            Operation::Sqrt(operand) => orders
                .iter()
                .all(|(has, orders)| !has[place] || orders.iter().any(|order| is_not_negative(nodes, operand, *order))),
            _ => false,
        };
        let extends = nodes.iter().enumerate().map(extends).collect();
        Guards { computed, exact, literals, opposed, narrowings, extends }
    }
}

/// Whether an order says of a node that it is not negative.
fn is_not_negative(nodes: &[Node], node: NodeIndex, Order { less, greater, .. }: Order) -> bool {
    let is_lower_bound = matches!(nodes[less as usize].operation, Operation::Constant(value) if value >= 0.0);
    (greater == node && is_lower_bound) || nodes[node as usize].operation == Operation::Sub(greater, less)
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

fn narrow(
    nodes: &[Node],
    Order { less, greater, is_strict }: Order,
    holds: Holds,
    narrowings: &mut [Vec<(Narrowing, Holds)>],
) {
    // A node's range is cut when it is made, by what is known then.
    let is_known =
        |of: NodeIndex, by: NodeIndex| by < of || matches!(nodes[by as usize].operation, Operation::Constant(_));
    if is_known(greater, less) {
        narrowings[greater as usize].push((Narrowing::AtLeast(less), holds));
    }
    if is_known(less, greater) {
        narrowings[less as usize].push((Narrowing::AtMost(greater), holds));
    }
    for (node, narrowings) in nodes.iter().zip(narrowings) {
        match node.operation {
            Operation::Sub(a, b) if (a, b) == (greater, less) => {
                narrowings.push((Narrowing::NotNegative { is_strict }, holds));
            }
            Operation::Sub(a, b) if (a, b) == (less, greater) => {
                narrowings.push((Narrowing::NotPositive { is_strict }, holds));
            }
            _ => {}
        }
    }
}
