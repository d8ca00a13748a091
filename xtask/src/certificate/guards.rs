//! What guards say: that no input of a box is meant, and of nodes on the inputs that are.
//!
//! Guards are conjunctions of literals: formulas that hold or do not. A comparison that holds of the computed and of the exact values bounds each
//! side by the other, and the sign of their difference. One that holds of the computed values and not of the exact ones is about no input, where what it
//! compares has no error.

use super::statement::Statement;

/// A formula, and whether it holds.
type Literal = (usize, bool);

/// What cuts a node's range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cut {
    /// The values of another node: at least these, at most these.
    AtLeast(usize),
    AtMost(usize),
    /// Of a difference: not negative, not positive; not zero where said.
    NotNegative(bool),
    NotPositive(bool),
}

#[derive(Debug, Default)]
pub(super) struct Guards {
    pub literals: Vec<Literal>,
    pub opposed: Vec<usize>,
    pub cuts: Vec<(usize, Cut)>,
}

impl Guards {
    pub(super) fn new(statement: &Statement) -> Guards {
        let (computed, exact) = (literals(statement, &statement.computed), literals(statement, &statement.exact));
        let mut guards = Guards::default();
        for &(formula, holds) in &computed {
            if exact.contains(&(formula, !holds)) {
                guards.opposed.push(formula);
            }
            if exact.contains(&(formula, holds)) {
                cut(statement, (formula, holds), &mut guards.cuts);
            }
        }
        guards.literals = [computed, exact].concat();
        guards
    }
}

fn literals(statement: &Statement, guards: &[usize]) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut pending: Vec<Literal> = guards.iter().map(|guard| (*guard, true)).collect();
    while let Some((place, holds)) = pending.pop() {
        let formula = &statement.formulas[place];
        match (formula.name.as_str(), holds) {
            ("not", _) => pending.push((formula.operands[0], !holds)),
            ("and", true) | ("or", false) => pending.extend(formula.operands.iter().map(|part| (*part, holds))),
            _ => found.push((place, holds)),
        }
    }
    found
}

fn cut(statement: &Statement, (formula, holds): Literal, cuts: &mut Vec<(usize, Cut)>) {
    let formula = &statement.formulas[formula];
    // less is below greater, or equal to it.
    let orders: &[(usize, usize, bool)] = match (formula.name.as_str(), holds) {
        ("less", true) => &[(0, 1, true)],
        ("less", false) => &[(1, 0, false)],
        ("atmost", true) => &[(0, 1, false)],
        ("atmost", false) => &[(1, 0, true)],
        ("equal", true) => &[(0, 1, false), (1, 0, false)],
        _ => &[],
    };
    for &(less, greater, is_strict) in orders {
        let (less, greater) = (formula.operands[less], formula.operands[greater]);
        cuts.extend([(greater, Cut::AtLeast(less)), (less, Cut::AtMost(greater))]);
        for (place, node) in statement.nodes.iter().enumerate().filter(|(_, node)| node.name == "sub") {
            if node.operands == [greater, less] {
                cuts.push((place, Cut::NotNegative(is_strict)));
            } else if node.operands == [less, greater] {
                cuts.push((place, Cut::NotPositive(is_strict)));
            }
        }
    }
}
