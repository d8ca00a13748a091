//! Which operations of two builds compute the same, and what a counterpart's result is to its own.

use labrys_interp::{Origin, TracedOperand, TracedOperation};
use rustc_hash::FxHashMap;

use super::flow::Computed;

/// Numbers of operations by how they are computed: equal ones compute the same from the same inputs, products and what is added up to signs, which are changed wherever it
/// suits the compiler.
#[derive(Default)]
pub struct Numbers(FxHashMap<(&'static str, u128, Vec<Term>), usize>);

/// An operand, by how it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Term {
    Input(usize),
    Operation(usize),
    Value(u128),
}

impl Numbers {
    /// Those of a build's operations.
    pub fn of(&mut self, all: &[Computed<'_>]) -> Vec<usize> {
        let mut numbers: Vec<usize> = Vec::with_capacity(all.len());
        let mut terms: Vec<Term> = Vec::with_capacity(all.len());
        for Computed { operation, .. } in all {
            let term = |of: &TracedOperand| match of.origin {
                Origin::Input(offset) => Term::Input(offset),
                Origin::Operation(index) => terms[index],
                Origin::Value => Term::Value(magnitude(of.bits, operation.width)),
            };
            let mut operands: Vec<Term> = operation.operands.iter().map(term).collect();
            let interchangeable = match operation.operator {
                "fadd" | "fsub" | "fmul" | "fma" | "fcmp" => 2.min(operands.len()),
                _ => 0,
            };
            operands[..interchangeable].sort_unstable();
            // Of what has operands that are no floats the result tells.
            let (operator, result) = match operation.operator {
                "fcmp" => ("fcmp", 0),
                "fsub" => ("fadd", operation.bits),
                "fmul" | "fdiv" => (operation.operator, magnitude(operation.bits, operation.width)),
                operator => (operator, operation.bits),
            };
            let negated = operands.first().copied().filter(|_| operator == "fneg");
            let next = self.0.len();
            let number = *self.0.entry((operator, result, operands)).or_insert(next);
            terms.push(negated.unwrap_or(Term::Operation(number)));
            numbers.push(number);
        }
        numbers
    }
}

/// An encoding of so many bits without its sign.
fn magnitude(bits: u128, width: u32) -> u128 {
    if width == 0 || bits == u128::MAX { bits } else { bits & !(1 << (width - 1)) }
}

/// Whether two counterparts have the same result: comparisons the same order, in whichever direction they are written; products and quotients of the same numbers up to
/// signs, which are changed wherever it suits the compiler.
pub fn is_same(ours: &TracedOperation, theirs: &TracedOperation) -> bool {
    let is_product = |of: &TracedOperation| matches!(of.operator, "fmul" | "fdiv");
    if is_product(ours) && is_product(theirs) && ours.width == theirs.width && ours.width > 0 {
        let magnitude = |bits: u128| magnitude(bits, ours.width);
        let operands = |of: &TracedOperation| {
            let mut all: Vec<u128> = of.operands.iter().map(|operand| magnitude(operand.bits)).collect();
            all.sort_unstable();
            all
        };
        return ours.bits == theirs.bits
            || magnitude(ours.bits) == magnitude(theirs.bits) && operands(ours) == operands(theirs);
    }
    if [ours.operator, theirs.operator] != ["fcmp"; 2] {
        return ours.bits == theirs.bits;
    }
    ours.bits == order_for(ours, theirs)
}

/// The order that a comparison's counterpart has of operands in the direction of ours.
fn order_for(ours: &TracedOperation, theirs: &TracedOperation) -> u128 {
    let ([a, b], [c, d]) = (&ours.operands[..], &theirs.operands[..]) else { return theirs.bits };
    let is_literal = |of: &TracedOperand| of.origin == Origin::Value;
    let is_mirrored = if (a.bits, b.bits) == (d.bits, c.bits) {
        (a.bits, b.bits) != (c.bits, d.bits)
    } else {
        is_literal(a) != is_literal(b) && (is_literal(a), is_literal(b)) == (is_literal(d), is_literal(c))
    };
    let mirrored = |order: u128| if order < 3 { 2 - order } else { order };
    if is_mirrored { mirrored(theirs.bits) } else { theirs.bits }
}

/// The result of an operation's counterpart, as the operation would have it: whose signs were moved keeps its own.
pub fn result_for(ours: &TracedOperation, theirs: &TracedOperation) -> u128 {
    match ours.operator {
        "fcmp" if theirs.operator == "fcmp" => order_for(ours, theirs),
        "fmul" | "fdiv" if ours.width == theirs.width && ours.width > 0 && theirs.bits != u128::MAX => {
            let sign = ours.bits ^ magnitude(ours.bits, ours.width);
            if ours.bits == u128::MAX { theirs.bits } else { sign | magnitude(theirs.bits, theirs.width) }
        }
        _ => theirs.bits,
    }
}
