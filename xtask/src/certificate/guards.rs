//! What guards say: that no input of a box is meant, and of nodes on the inputs that are.
//!
//! Guards are conjunctions of literals: formulas that hold or do not. A comparison that holds of the computed and of the exact values bounds each
//! side by the other, and the sign of their difference. One that holds of the computed values and not of the exact ones is about no input, where what it
//! compares has no error. One that holds of the computed or of the exact values alone says the same of these, and of the others but for the node's error.
//!
//! A root may be read as √max(z, 0), which is defined everywhere, if it is never taken of a negative number where it counts: in what the program
//! computes if a literal of the computed values says so of its operand, in what the truth is made of if one of the exact values does. Then the program's numbers and the
//! truth are what they were; any other number that has such a root in it is one in between, by which two paths are compared.

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
    /// Of which node, what, and whether that holds of the computed and of the exact values.
    pub cuts: Vec<(usize, Cut, bool)>,
    /// Roots that are zero of negative numbers.
    pub roots: Vec<usize>,
}

impl Guards {
    pub(super) fn new(statement: &Statement) -> Guards {
        let (computed, exact) = (literals(statement, &statement.computed), literals(statement, &statement.exact));
        let mut guards = Guards::default();
        for &(formula, holds) in &computed {
            if exact.contains(&(formula, !holds)) {
                guards.opposed.push(formula);
            }
            cut(statement, (formula, holds), exact.contains(&(formula, holds)), &mut guards.cuts);
        }
        for literal in exact.iter().filter(|literal| !computed.contains(literal)) {
            cut(statement, *literal, false, &mut guards.cuts);
        }
        let program = Part::new(statement, statement.result, &statement.computed);
        let truth = Part::new(statement, statement.truth(), &statement.exact);
        for (place, node) in statement.nodes.iter().enumerate().filter(|(_, node)| node.name == "sqrt") {
            let is_safe = |part: &Part, literals: &[Literal]| {
                !part.nodes[place]
                    || literals.iter().any(|literal| excludes_negative(statement, *literal, node.operands[0]))
            };
            if is_safe(&program, &computed) && is_safe(&truth, &exact) {
                guards.roots.push(place);
            }
        }
        guards.literals = [computed, exact].concat();
        guards
    }
}

/// What a result and the guards of its path are made of. Operands stand before what uses them, formulas before formulas.
struct Part {
    nodes: Vec<bool>,
    formulas: Vec<bool>,
}

impl Part {
    fn new(statement: &Statement, result: usize, guards: &[usize]) -> Part {
        let mut part =
            Part { nodes: vec![false; statement.nodes.len()], formulas: vec![false; statement.formulas.len()] };
        part.nodes[result] = true;
        guards.iter().for_each(|guard| part.formulas[*guard] = true);
        // A choice has a formula that stands before it, and a formula nodes: often enough in turn, nothing is new.
        loop {
            let before = part.count();
            for (place, formula) in statement.formulas.iter().enumerate().rev() {
                if part.formulas[place] {
                    let is_connective = matches!(formula.name.as_str(), "not" | "and" | "or" | "same");
                    let into = if is_connective { &mut part.formulas } else { &mut part.nodes };
                    formula.operands.iter().for_each(|operand| into[*operand] = true);
                }
            }
            for (place, node) in statement.nodes.iter().enumerate().rev() {
                if part.nodes[place] {
                    node.operands.iter().for_each(|operand| part.nodes[*operand] = true);
                    if node.name == "choose" {
                        part.formulas[node.formula] = true;
                    }
                }
            }
            if part.count() == before {
                return part;
            }
        }
    }

    fn count(&self) -> usize {
        self.nodes.iter().chain(&self.formulas).filter(|is_in| **is_in).count()
    }
}

/// Whether a literal says that a node is at least a constant that is not negative, or a difference of what it orders.
fn excludes_negative(statement: &Statement, literal: Literal, node: usize) -> bool {
    ordered(statement, literal).into_iter().any(|(less, greater, _)| {
        let (bound, of) = (&statement.nodes[less], &statement.nodes[node]);
        (greater == node && bound.name == "const" && bound.value >= 0.0)
            || (of.name == "sub" && of.operands == [greater, less])
    })
}

/// The nodes that a literal orders: which is below which, or else equal, and whether it cannot be equal.
fn ordered(statement: &Statement, (formula, holds): Literal) -> Vec<(usize, usize, bool)> {
    let formula = &statement.formulas[formula];
    let orders: &[(usize, usize, bool)] = match (formula.name.as_str(), holds) {
        ("less", true) => &[(0, 1, true)],
        ("less", false) => &[(1, 0, false)],
        ("atmost", true) => &[(0, 1, false)],
        ("atmost", false) => &[(1, 0, true)],
        ("equal", true) => &[(0, 1, false), (1, 0, false)],
        _ => &[],
    };
    orders
        .iter()
        .map(|(less, greater, strict)| (formula.operands[*less], formula.operands[*greater], *strict))
        .collect()
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

fn cut(statement: &Statement, literal: Literal, is_of_both: bool, cuts: &mut Vec<(usize, Cut, bool)>) {
    for (less, greater, is_strict) in ordered(statement, literal) {
        cuts.extend([(greater, Cut::AtLeast(less), is_of_both), (less, Cut::AtMost(greater), is_of_both)]);
        for (place, node) in statement.nodes.iter().enumerate().filter(|(_, node)| node.name == "sub") {
            if node.operands == [greater, less] {
                cuts.push((place, Cut::NotNegative(is_strict), is_of_both));
            } else if node.operands == [less, greater] {
                cuts.push((place, Cut::NotPositive(is_strict), is_of_both));
            }
        }
    }
}
