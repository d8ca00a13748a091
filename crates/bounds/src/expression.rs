//! A float expression as a flat list of operations, and formulas over them.

use labrys_elementary::Function;

use crate::rounding::Rounding;

/// Index of a node in [`Expression::nodes`].
pub(crate) type NodeIndex = u32;

/// Index of a formula in [`Expression::formulas`].
pub(crate) type FormulaIndex = u32;

/// What a node is, exactly; the rounding that follows is the node's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    /// An input, by its place in the box.
    Input(u32),
    /// A double.
    Constant(f64),
    Add(NodeIndex, NodeIndex),
    Sub(NodeIndex, NodeIndex),
    Mul(NodeIndex, NodeIndex),
    /// A product of a node with itself, which is not negative.
    Square(NodeIndex),
    Div(NodeIndex, NodeIndex),
    Sqrt(NodeIndex),
    Neg(NodeIndex),
    Abs(NodeIndex),
    Min(NodeIndex, NodeIndex),
    Max(NodeIndex, NodeIndex),
    /// The first node where the formula holds, else the second.
    Choose(FormulaIndex, NodeIndex, NodeIndex),
    /// The same number: a conversion, which rounds.
    Round(NodeIndex),
    /// A call of libm.
    Unary(Function, NodeIndex),
    Binary(Function, NodeIndex, NodeIndex),
}

/// An operation and how its result is rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    pub operation: Operation,
    /// None where the result is not rounded.
    pub rounding: Option<Rounding>,
    /// For calls: how many floats the result may lie from the correctly rounded one.
    pub steps: u32,
}

/// A comparison of nodes or a connective of older formulas.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Formula {
    Constant(bool),
    /// Something that is not looked into.
    Opaque,
    Less(NodeIndex, NodeIndex),
    AtMost(NodeIndex, NodeIndex),
    Equal(NodeIndex, NodeIndex),
    /// An infinity or a NaN.
    Special(NodeIndex),
    /// The sign bit: set, or not set.
    Signed(NodeIndex, bool),
    Not(FormulaIndex),
    And(Vec<FormulaIndex>),
    Or(Vec<FormulaIndex>),
    Same(FormulaIndex, FormulaIndex),
}

/// Nodes in an order in which operands precede what uses them, and what is asked of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expression {
    pub nodes: Vec<Node>,
    pub formulas: Vec<Formula>,
    /// The formulas that all hold on the path.
    pub guards: Vec<FormulaIndex>,
    /// The node whose error is bounded.
    pub result: NodeIndex,
    /// The node whose magnitude is added to the error: what two paths' exact values differ by.
    pub gap: Option<NodeIndex>,
    /// How many inputs there are.
    pub inputs: usize,
    /// For each node whether the result, or the gap, needs its value.
    pub needed: Vec<bool>,
}

impl Operation {
    /// Whether its result is rounded as arithmetic is: to a float next to the exact value.
    pub(crate) fn is_arithmetic(self) -> bool {
        use Operation::{Add, Div, Mul, Round, Sqrt, Square, Sub};
        matches!(self, Add(..) | Sub(..) | Mul(..) | Div(..) | Square(_) | Sqrt(_) | Round(_))
    }

    /// The operands by which there are derivatives.
    pub(crate) fn operands(self) -> (Option<NodeIndex>, Option<NodeIndex>) {
        match self {
            Operation::Input(_) | Operation::Constant(_) => (None, None),
            Operation::Square(a)
            | Operation::Sqrt(a)
            | Operation::Neg(a)
            | Operation::Abs(a)
            | Operation::Round(a)
            | Operation::Unary(_, a) => (Some(a), None),
            Operation::Add(a, b)
            | Operation::Sub(a, b)
            | Operation::Mul(a, b)
            | Operation::Div(a, b)
            | Operation::Min(a, b)
            | Operation::Max(a, b)
            | Operation::Choose(_, a, b)
            | Operation::Binary(_, a, b) => (Some(a), Some(b)),
        }
    }
}

impl Expression {
    /// Fills `needed`, operands of conditions of choices included.
    pub(crate) fn mark_needed(&mut self) {
        let mut nodes = vec![false; self.nodes.len()];
        let mut formulas = vec![false; self.formulas.len()];
        for root in [Some(self.result), self.gap].into_iter().flatten() {
            nodes[root as usize] = true;
        }
        // A choice's formula may stand on nodes that are no operands: until nothing is added. Formulas and nodes are older than
        // what uses them, so that a second round is needed only where a formula brings nodes.
        loop {
            let before = nodes.iter().filter(|needed| **needed).count();
            for place in (0..self.nodes.len()).rev() {
                if nodes[place] {
                    mark(&mut nodes, &mut formulas, self.nodes[place].operation);
                }
            }
            for place in (0..self.formulas.len()).rev() {
                if formulas[place] {
                    let (used_nodes, used_formulas) = self.formulas[place].operands();
                    used_nodes.iter().for_each(|node| nodes[*node as usize] = true);
                    used_formulas.iter().for_each(|formula| formulas[*formula as usize] = true);
                }
            }
            if nodes.iter().filter(|needed| **needed).count() == before {
                break;
            }
        }
        self.needed = nodes;
    }
}

fn mark(nodes: &mut [bool], formulas: &mut [bool], operation: Operation) {
    let (a, b) = operation.operands();
    for operand in [a, b].into_iter().flatten() {
        nodes[operand as usize] = true;
    }
    if let Operation::Choose(formula, ..) = operation {
        formulas[formula as usize] = true;
    }
}

impl Formula {
    /// The nodes and formulas that it is made of.
    pub(crate) fn operands(&self) -> (Vec<NodeIndex>, Vec<FormulaIndex>) {
        match self {
            Formula::Constant(_) | Formula::Opaque => (vec![], vec![]),
            Formula::Less(a, b) | Formula::AtMost(a, b) | Formula::Equal(a, b) => (vec![*a, *b], vec![]),
            Formula::Special(a) | Formula::Signed(a, _) => (vec![*a], vec![]),
            Formula::Not(a) => (vec![], vec![*a]),
            Formula::And(parts) | Formula::Or(parts) => (vec![], parts.clone()),
            Formula::Same(a, b) => (vec![], vec![*a, *b]),
        }
    }
}
