//! A proof as text that another program can check (`xtask/src/certificate`).
//!
//! One statement a line, words parted by spaces, numbers in Rust's shortest form that reads back as the same double.
//!
//! - `bounds 2`: the format of the file; `measure absolute` or `relative`; `bound B`: what is proved, an upper bound.
//! - `input LOW HIGH FORMAT`, once for each, numbered from 0; FORMAT is `p e` (precision, exponent of the least normal number) or `integer`.
//! - `node OPERATION OPERANDS... [round p e near|any] [steps K]`, numbered from 0: `input I`, `const X`, `between X Y` (a real number), `add A B`, `sub`, `mul`, `square A`,
//!   `div`, `sqrt A`, `neg A`, `abs A`, `min`, `max`, `choose F A B`, `same A`, `integral MODE A LOW HIGH` (an integer type's limits), `remainder MODE A B`, and `call NAME A [B]`; MODE is where an
//!   integer lies beside the number: `near`, `away`, `up`, `down`, `zero`.
//! - `formula KIND OPERANDS...`, numbered from 0, each before the nodes that use it: `true`, `false`, `opaque`, `given` (about inputs alone), `less A B`, `atmost`, `equal`,
//!   `special A`, `negative A`, `positive A`, `not F`, `and F...`, `or F...`, `same F G`.
//! - `computed F` of what the program computes, `exact F` of the truth: all hold on the path, or on the two; `result A`; `gap A`, if there is one: it is the
//!   difference, not rounded, of the result and the other path's, whose exact value is the truth.
//! - the tree, in the order in which a box comes before its halves, the lower half first: `split I AT`, `leaf B`, `outside`. The lower half
//!   ends with AT, the upper one begins with the next double, or integer where the input is one.

use std::fmt::Write;

use labrys_float::RoundingMode;

use crate::expression::{Expression, Formula, Node, Operation};
use crate::search::{Branch, Searched, pruned};
use crate::{Interval, Measure};

/// The text of a proof; the module's documentation describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    text: String,
}

impl Certificate {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn new(
        expression: &Expression,
        measure: Measure,
        region: &[Interval],
        searched: &Searched,
    ) -> Certificate {
        let mut lines = vec!["bounds 2".to_owned()];
        lines.push(format!("measure {}", if measure == Measure::Absolute { "absolute" } else { "relative" }));
        lines.push(format!("bound {:?}", searched.upper));
        for (place, side) in region.iter().enumerate() {
            let is_this = |node: &&Node| node.operation == Operation::Input(place as u32);
            let rounding = expression.nodes.iter().find(is_this).and_then(|node| node.rounding);
            let format = match rounding {
                _ if expression.inputs[place] => "integer".to_owned(),
                Some(rounding) => format!("{} {}", rounding.precision, rounding.least_exponent),
                None => "53 -1022".to_owned(),
            };
            lines.push(format!("input {:?} {:?} {format}", side.low(), side.high()));
        }
        // Formulas stand where the first choice that needs them does, after the nodes they compare.
        let mut formulas = 0;
        for node in &expression.nodes {
            if let Operation::Choose(wanted, ..) = node.operation {
                while formulas <= wanted as usize {
                    lines.push(formula(&expression.formulas[formulas]));
                    formulas += 1;
                }
            }
            lines.push(self::node(node));
        }
        lines.extend(expression.formulas[formulas..].iter().map(formula));
        lines.extend(expression.guards.computed.iter().map(|guard| format!("computed {guard}")));
        lines.extend(expression.guards.exact.iter().map(|guard| format!("exact {guard}")));
        lines.push(format!("result {}", expression.result));
        lines.extend(expression.gap.map(|gap| format!("gap {}", gap.difference)));
        for branch in pruned(&searched.tree, searched.upper) {
            lines.push(match branch {
                Branch::Leaf(upper) => format!("leaf {upper:?}"),
                Branch::Outside => "outside".to_owned(),
                Branch::Split { input, at, .. } => format!("split {input} {at:?}"),
            });
        }
        lines.push(String::new());
        Certificate { text: lines.join("\n") }
    }
}

fn node(node: &Node) -> String {
    let mut line = match node.operation {
        Operation::Input(input) => format!("node input {input}"),
        Operation::Constant(value) => format!("node const {value:?}"),
        Operation::Between(low, high) => format!("node between {low:?} {high:?}"),
        Operation::Add(a, b) => format!("node add {a} {b}"),
        Operation::Sub(a, b) => format!("node sub {a} {b}"),
        Operation::Mul(a, b) => format!("node mul {a} {b}"),
        Operation::Square(a) => format!("node square {a}"),
        Operation::Div(a, b) => format!("node div {a} {b}"),
        Operation::Sqrt(a) => format!("node sqrt {a}"),
        Operation::Neg(a) => format!("node neg {a}"),
        Operation::Abs(a) => format!("node abs {a}"),
        Operation::Min(a, b) => format!("node min {a} {b}"),
        Operation::Max(a, b) => format!("node max {a} {b}"),
        Operation::Choose(formula, a, b) => format!("node choose {formula} {a} {b}"),
        Operation::Round(a) => format!("node same {a}"),
        Operation::Integral(mode, a, low, high) => format!("node integral {} {a} {low:?} {high:?}", direction(mode)),
        Operation::Remainder(mode, a, b) => format!("node remainder {} {a} {b}", direction(mode)),
        Operation::Unary(function, a) => format!("node call {} {a}", function.name()),
        Operation::Binary(function, a, b) => format!("node call {} {a} {b}", function.name()),
    };
    let is_given = matches!(node.operation, Operation::Input(_) | Operation::Constant(_));
    if let Some(rounding) = node.rounding.filter(|_| !is_given) {
        let mode = if rounding.to_nearest { "near" } else { "any" };
        // Writing to a string cannot fail.
        let _ = write!(line, " round {} {} {mode}", rounding.precision, rounding.least_exponent);
    }
    if node.steps > 0 {
        let _ = write!(line, " steps {}", node.steps);
    }
    line
}

fn direction(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "near",
        RoundingMode::NearestAway => "away",
        RoundingMode::TowardPositive => "up",
        RoundingMode::TowardNegative => "down",
        RoundingMode::TowardZero => "zero",
    }
}

fn formula(formula: &Formula) -> String {
    let many =
        |name: &str, parts: &[u32]| parts.iter().fold(format!("formula {name}"), |line, part| format!("{line} {part}"));
    match formula {
        Formula::Constant(truth) => format!("formula {truth}"),
        Formula::Opaque => "formula opaque".to_owned(),
        Formula::Given => "formula given".to_owned(),
        Formula::Less(a, b) => many("less", &[*a, *b]),
        Formula::AtMost(a, b) => many("atmost", &[*a, *b]),
        Formula::Equal(a, b) => many("equal", &[*a, *b]),
        Formula::Special(a) => many("special", &[*a]),
        Formula::Signed(a, true) => many("negative", &[*a]),
        Formula::Signed(a, false) => many("positive", &[*a]),
        Formula::Not(a) => many("not", &[*a]),
        Formula::And(parts) => many("and", parts),
        Formula::Or(parts) => many("or", parts),
        Formula::Same(a, b) => many("same", &[*a, *b]),
    }
}
