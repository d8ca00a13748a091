//! What single assertions say of single variables: comparisons of a float variable with a literal.
//!
//! Propagation's facts say more where they are given; here is what makes small sets of assignments small without them.

use rustc_hash::FxHashMap;

use super::allowed::Allowed;
use super::bounds::Bounds;
use super::program::{Kind, Operation, Program, Register};
use crate::domain::FloatDomain;

/// The greatest rank of a number at an ordinal.
fn greatest(ordinal: i64) -> i128 {
    if ordinal >= 0 { ordinal.into() } else { i128::from(ordinal) - 1 }
}

/// The least rank of a number at an ordinal: −0's for 0.
fn least(ordinal: i64) -> i128 {
    if ordinal > 0 { ordinal.into() } else { i128::from(ordinal) - 1 }
}

/// Narrows the bounds of inputs by the assertions that compare them with literals.
pub(super) fn narrow(program: &Program, bounds: &mut FxHashMap<Register, Allowed>) {
    for &root in &program.assertions {
        let (mut register, mut truth) = (root, true);
        while program.instructions[register as usize].operation == Operation::Not {
            (register, truth) = (program.instructions[register as usize].arguments[0], !truth);
        }
        if let Some((input, domain)) = comparison(program, register, truth, bounds) {
            bounds.insert(input, domain);
        }
    }
}

/// An input's bounds under a comparison with a literal, if the register is one.
fn comparison(
    program: &Program,
    register: Register,
    truth: bool,
    bounds: &FxHashMap<Register, Allowed>,
) -> Option<(Register, Allowed)> {
    let instruction = &program.instructions[register as usize];
    let strict = match instruction.operation {
        Operation::FpLt => true,
        Operation::FpLe => false,
        _ => return None,
    };
    let [left, right] = [instruction.arguments[0], instruction.arguments[1]];
    let is = |register: Register, operation| program.instructions[register as usize].operation == operation;
    let (input, literal, input_first) = if is(left, Operation::Input) && is(right, Operation::Constant) {
        (left, right, true)
    } else if is(left, Operation::Constant) && is(right, Operation::Input) {
        (right, left, false)
    } else {
        return None;
    };
    let Kind::Float(packed) = program.kinds[input as usize] else { return None };
    let old: FloatDomain = match bounds.get(&input) {
        Some(Allowed::Word(Bounds::Float(_, domain))) => *domain,
        _ => FloatDomain::top(packed.format()),
    };
    let place = packed.ordinal(program.initial[literal as usize])?;
    // A false comparison is the opposite one, or NaN.
    let below = input_first == truth;
    let step = i64::from(strict == truth);
    let domain = if below { old.at_most(greatest(place - step)) } else { old.at_least(least(place + step)) };
    let domain = if truth { domain.without_nan() } else { domain };
    Some((input, Allowed::Word(Bounds::Float(packed, domain))))
}
