//! A float expression as a flat list of operations, and formulas over them.

use labrys_elementary::Function;
use labrys_float::RoundingMode;
use labrys_term::TermId;

use crate::guards::{Guards, Sides};
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
    /// A real number between two doubles, the same at each use.
    Between(f64, f64),
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
    /// The integer next to a number in a direction; nothing is known where it is not within the two limits, those of an integer type.
    Integral(RoundingMode, NodeIndex, f64, f64),
    /// The remainder of a division whose quotient is cut to an integer towards zero (C's fmod), or to the nearest one (C's remainder).
    Remainder(RoundingMode, NodeIndex, NodeIndex),
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
    /// Something that is not looked into, about inputs alone: program and truth agree on it.
    Given,
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
    /// What holds on the path, or on the two.
    pub guards: Guards,
    /// The node whose error is bounded.
    pub result: NodeIndex,
    /// Where the truth takes another path.
    pub gap: Option<Gap>,
    /// For each input whether it is an integer.
    pub inputs: Vec<bool>,
    /// For each node whether the result, or the gap, needs its value.
    pub needed: Vec<bool>,
    /// For each node the term that it was made for.
    pub origins: Vec<Option<TermId>>,
}

/// What a path that the truth takes alone adds to the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The result less the other path's, exactly: its magnitude is added.
    pub difference: NodeIndex,
    /// The other path's result, whose exact value is the truth.
    pub truth: NodeIndex,
}

impl Operation {
    /// The same operation on operands of other numbers.
    fn renumbered(
        self,
        node: impl Fn(NodeIndex) -> NodeIndex,
        formula: impl Fn(FormulaIndex) -> FormulaIndex,
    ) -> Operation {
        match self {
            Operation::Input(_) | Operation::Constant(_) | Operation::Between(..) => self,
            Operation::Add(a, b) => Operation::Add(node(a), node(b)),
            Operation::Sub(a, b) => Operation::Sub(node(a), node(b)),
            Operation::Mul(a, b) => Operation::Mul(node(a), node(b)),
            Operation::Square(a) => Operation::Square(node(a)),
            Operation::Div(a, b) => Operation::Div(node(a), node(b)),
            Operation::Sqrt(a) => Operation::Sqrt(node(a)),
            Operation::Neg(a) => Operation::Neg(node(a)),
            Operation::Abs(a) => Operation::Abs(node(a)),
            Operation::Min(a, b) => Operation::Min(node(a), node(b)),
            Operation::Max(a, b) => Operation::Max(node(a), node(b)),
            Operation::Choose(condition, a, b) => Operation::Choose(formula(condition), node(a), node(b)),
            Operation::Round(a) => Operation::Round(node(a)),
            Operation::Integral(mode, a, low, high) => Operation::Integral(mode, node(a), low, high),
            Operation::Remainder(mode, a, b) => Operation::Remainder(mode, node(a), node(b)),
            Operation::Unary(function, a) => Operation::Unary(function, node(a)),
            Operation::Binary(function, a, b) => Operation::Binary(function, node(a), node(b)),
        }
    }

    /// Whether its result is rounded as arithmetic is: to a float next to the exact value.
    pub(crate) fn is_arithmetic(self) -> bool {
        use Operation::{Add, Div, Mul, Round, Sqrt, Square, Sub};
        matches!(self, Add(..) | Sub(..) | Mul(..) | Div(..) | Square(_) | Sqrt(_) | Round(_))
    }

    /// The operands by which there are derivatives.
    pub(crate) fn operands(self) -> (Option<NodeIndex>, Option<NodeIndex>) {
        match self {
            Operation::Input(_) | Operation::Constant(_) | Operation::Between(..) => (None, None),
            Operation::Square(a)
            | Operation::Sqrt(a)
            | Operation::Neg(a)
            | Operation::Abs(a)
            | Operation::Round(a)
            | Operation::Integral(_, a, ..)
            | Operation::Unary(_, a) => (Some(a), None),
            Operation::Add(a, b)
            | Operation::Sub(a, b)
            | Operation::Mul(a, b)
            | Operation::Div(a, b)
            | Operation::Min(a, b)
            | Operation::Max(a, b)
            | Operation::Choose(_, a, b)
            | Operation::Remainder(_, a, b)
            | Operation::Binary(_, a, b) => (Some(a), Some(b)),
        }
    }
}

/// Which nodes and formulas something is made of.
struct Cone {
    nodes: Vec<bool>,
    formulas: Vec<bool>,
}

impl Expression {
    /// What nodes and formulas consist of, conditions of choices included.
    fn cone(&self, nodes: &[NodeIndex], formulas: &[FormulaIndex]) -> Cone {
        let mut cone = Cone { nodes: vec![false; self.nodes.len()], formulas: vec![false; self.formulas.len()] };
        let (mut nodes, mut formulas) = (nodes.to_vec(), formulas.to_vec());
        loop {
            if let Some(node) = nodes.pop() {
                if !std::mem::replace(&mut cone.nodes[node as usize], true) {
                    let operation = self.nodes[node as usize].operation;
                    let (a, b) = operation.operands();
                    nodes.extend(a.into_iter().chain(b));
                    if let Operation::Choose(formula, ..) = operation {
                        formulas.push(formula);
                    }
                }
            } else if let Some(formula) = formulas.pop() {
                if !std::mem::replace(&mut cone.formulas[formula as usize], true) {
                    let (used_nodes, used_formulas) = self.formulas[formula as usize].operands();
                    nodes.extend(used_nodes);
                    formulas.extend(used_formulas);
                }
            } else {
                return cone;
            }
        }
    }

    /// The node whose exact value the result is compared with.
    pub(crate) fn truth(&self) -> NodeIndex {
        self.gap.map_or(self.result, |gap| gap.truth)
    }

    /// The part that a result, the formulas of `computed` and `exact` values and a gap consist of, in the same order.
    pub(crate) fn part(
        &self,
        computed: &[FormulaIndex],
        exact: &[FormulaIndex],
        result: NodeIndex,
        gap: Option<Gap>,
    ) -> Expression {
        let roots: Vec<NodeIndex> = [result].into_iter().chain(gap.map(|gap| gap.difference)).collect();
        let (all, needed) = (self.cone(&roots, &[computed, exact].concat()), self.cone(&roots, &[]));
        let places = |kept: &[bool]| {
            let mut count = 0;
            kept.iter().map(|kept| (count, count += u32::from(*kept)).0).collect::<Vec<u32>>()
        };
        let (nodes, formulas) = (places(&all.nodes), places(&all.formulas));
        let node = |old: NodeIndex| nodes[old as usize];
        let formula = |old: FormulaIndex| formulas[old as usize];
        let [computed, exact] =
            [computed, exact].map(|guards| guards.iter().map(|guard| formula(*guard)).collect::<Vec<_>>());
        let mut part = Expression {
            nodes: (self.nodes.iter().zip(&all.nodes).filter(|(_, kept)| **kept))
                .map(|(old, _)| Node { operation: old.operation.renumbered(node, formula), ..*old })
                .collect(),
            formulas: (self.formulas.iter().zip(&all.formulas).filter(|(_, kept)| **kept))
                .map(|(old, _)| old.renumbered(node, formula))
                .collect(),
            guards: Guards::default(),
            result: node(result),
            gap: gap.map(|gap| Gap { difference: node(gap.difference), truth: node(gap.truth) }),
            inputs: self.inputs.clone(),
            needed: needed.nodes.iter().zip(&all.nodes).filter(|(_, kept)| **kept).map(|(needed, _)| *needed).collect(),
            origins: self.origins.iter().zip(&all.nodes).filter(|(_, kept)| **kept).map(|(term, _)| *term).collect(),
        };
        let sides = Sides {
            computed: part.cone(&[part.result], &computed).nodes,
            exact: part.cone(&[part.truth()], &exact).nodes,
        };
        part.guards = Guards::new(&part.nodes, &part.formulas, computed, exact, &sides);
        part
    }
}

impl Formula {
    /// The same formula over nodes and formulas of other numbers.
    fn renumbered(
        &self,
        node: impl Fn(NodeIndex) -> NodeIndex,
        formula: impl Fn(FormulaIndex) -> FormulaIndex,
    ) -> Formula {
        let many = |parts: &[FormulaIndex]| parts.iter().map(|part| formula(*part)).collect();
        match self {
            Formula::Constant(_) | Formula::Opaque | Formula::Given => self.clone(),
            Formula::Less(a, b) => Formula::Less(node(*a), node(*b)),
            Formula::AtMost(a, b) => Formula::AtMost(node(*a), node(*b)),
            Formula::Equal(a, b) => Formula::Equal(node(*a), node(*b)),
            Formula::Special(a) => Formula::Special(node(*a)),
            Formula::Signed(a, negative) => Formula::Signed(node(*a), *negative),
            Formula::Not(a) => Formula::Not(formula(*a)),
            Formula::And(parts) => Formula::And(many(parts)),
            Formula::Or(parts) => Formula::Or(many(parts)),
            Formula::Same(a, b) => Formula::Same(formula(*a), formula(*b)),
        }
    }

    /// The nodes and formulas that it is made of.
    pub(crate) fn operands(&self) -> (Vec<NodeIndex>, Vec<FormulaIndex>) {
        match self {
            Formula::Constant(_) | Formula::Opaque | Formula::Given => (vec![], vec![]),
            Formula::Less(a, b) | Formula::AtMost(a, b) | Formula::Equal(a, b) => (vec![*a, *b], vec![]),
            Formula::Special(a) | Formula::Signed(a, _) => (vec![*a], vec![]),
            Formula::Not(a) => (vec![], vec![*a]),
            Formula::And(parts) | Formula::Or(parts) => (vec![], parts.clone()),
            Formula::Same(a, b) => (vec![], vec![*a, *b]),
        }
    }
}
