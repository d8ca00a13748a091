//! Inverse values: what one argument must be for an instruction to give a wanted value, the others unchanged.
//!
//! Nothing here needs to be right for answers to be: proposals are evaluated. The better they are the sooner the search
//! ends. `None` says that no value was found.

mod bit_vector;
mod float;
mod order;
mod site;
mod wide;

use super::program::{Kind, Operation, Program, Register};
use super::random::Random;
use super::wide::Table;
use site::Site;

/// A value for the argument at `index` of an instruction that makes, or nearly makes, its value `target`.
pub(super) fn argument(
    program: &Program,
    values: &[u64],
    register: Register,
    index: usize,
    target: u64,
    table: &mut Table,
    random: &mut Random,
) -> Option<u64> {
    let instruction = &program.instructions[register as usize];
    let arguments = program.arguments(register);
    let kind = &program.kinds[arguments[index] as usize];
    let mut operands = [0; 4];
    for (operand, argument) in operands.iter_mut().zip(arguments) {
        *operand = values[*argument as usize];
    }
    if *kind == Kind::Mode {
        return Some(random.below(5));
    }
    let site = Site { program, values, register, index };
    match instruction.operation {
        Operation::Exact => wide::argument(&site, target, table, random),
        Operation::Equal if matches!(kind, Kind::Wide(_)) => wide::argument(&site, target, table, random),
        Operation::Equal => Some(order::equal(kind, operands[1 - index], target != 0, random)),
        Operation::BvUlt | Operation::BvUle | Operation::BvSlt | Operation::BvSle => {
            order::bit_vector(instruction.operation, kind.width(), index, operands[1 - index], target != 0, random)
        }
        Operation::FpLt | Operation::FpLe | Operation::FpEq => match kind {
            Kind::Float(packed) => {
                order::float(instruction.operation, packed, index, operands[1 - index], target != 0, random)
            }
            _ => None,
        },
        Operation::FpIsNormal
        | Operation::FpIsSubnormal
        | Operation::FpIsZero
        | Operation::FpIsInfinite
        | Operation::FpIsNan
        | Operation::FpIsNegative
        | Operation::FpIsPositive => match kind {
            Kind::Float(packed) => Some(order::class(instruction.operation, packed, operands[0], target != 0, random)),
            _ => None,
        },
        _ => match kind {
            Kind::Float(packed) => float::argument(&site, packed, &operands, target, random),
            Kind::Bits(width) => bit_vector::argument(&site, *width, &operands, target, random),
            Kind::Wide(_) | Kind::Bool | Kind::Mode => None,
        },
    }
}
