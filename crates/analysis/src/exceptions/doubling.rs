//! Which operations of the IR the sum of a register with itself (`addsd x, x`) may have been made of.
//!
//! It is x + x of the source as well as 2·x, of which code generators make a sum. Both are often at one place: those of a macro, of a complex
//! product, of all expressions of a compiler that writes no columns.
//!
//! **Claim.** What is [`Doubling::No`] gives no such sum: one of its operands is a number with which it is no doubling, or its operator is none of
//! which sums are made. What is [`Doubling::Certain`] doubles by what stands in the IR.
//!
//! **What it may miss.** Of two operands that are values it is not known whether a compiler knew them to be equal, or one of them to be 2: those are
//! [`Doubling::Possible`]. Code generation that reassociates (`-ffast-math`) may double what the IR does not.

use labrys_program::{Constant, FloatBinary, Function, InstructionKind, Operand, Program};
use labrys_symex::{Site, SiteOperator};
use num_traits::ToPrimitive;

/// Whether an operation is the double of a number. In the order in which a sum of a register with itself is likely to be it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubling {
    /// It is not.
    No,
    /// It may be, on what its operands are not known to be.
    #[default]
    Possible,
    /// It is.
    Certain,
}

/// Whether a site of the IR is the double of a number.
pub fn doubling(program: &Program, site: &Site) -> Doubling {
    let function = program.function(&site.function).and_then(|id| program.functions.get(id.index()));
    let block = function.and_then(|function| function.blocks.get(site.block as usize));
    let Some(instruction) = block.and_then(|block| block.instructions.get(site.instruction as usize)) else {
        return Doubling::default();
    };
    let (first, second) = match (&instruction.kind, &site.operator) {
        (InstructionKind::FloatBinary(_, first, second), _) => (first, second),
        // a · b + c in two operations, the second of which has a product as an operand; code generation makes one product of equal ones.
        (InstructionKind::Call(_, operands), SiteOperator::Mul) if operands.len() >= 2 => (&operands[0], &operands[1]),
        (InstructionKind::Call(_, operands), SiteOperator::Add) if operands.len() == 3 => {
            let is_same = function.is_some_and(|function| is_product(function, &operands[2], &operands[..2]));
            let is_number = number(&operands[2], site.lane).is_some();
            return if is_same { Doubling::Certain } else { known(is_number, Doubling::No) };
        }
        (_, operator) => return of_unknown(&operator.to_string()),
    };
    let numbers = [first, second].map(|operand| number(operand, site.lane));
    let is = |value: f64| numbers.iter().any(|number| number.flatten().is_some_and(|number| number.abs() == value));
    match site.operator {
        SiteOperator::Add if first == second => Doubling::Certain,
        SiteOperator::Mul if is(2.0) => Doubling::Certain,
        SiteOperator::Add | SiteOperator::Sub | SiteOperator::Mul => {
            known(numbers.iter().any(Option::is_some), Doubling::No)
        }
        SiteOperator::Div if numbers[1].flatten().is_some_and(|number| number.abs() == 0.5) => Doubling::Certain,
        _ => Doubling::No,
    }
}

/// Whether an operand is the product of two others.
fn is_product(function: &Function, operand: &Operand, of: &[Operand]) -> bool {
    let Operand::Value(value) = operand else { return false };
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let made = instructions.find(|instruction| instruction.result == Some(*value));
    matches!(
        made.map(|made| &made.kind),
        Some(InstructionKind::FloatBinary(FloatBinary::Mul, a, b)) if (a == &of[0] && b == &of[1]) || (a == &of[1] && b == &of[0])
    )
}

/// Of a site of whose operands nothing is known.
pub fn of_unknown(operator: &str) -> Doubling {
    known(!["fadd", "fsub", "fmul"].contains(&operator), Doubling::No)
}

fn known(is_known: bool, what: Doubling) -> Doubling {
    if is_known { what } else { Doubling::Possible }
}

/// The number that an operand is in a lane, if it is a constant; none inside where that is not a finite double.
fn number(operand: &Operand, lane: u32) -> Option<Option<f64>> {
    let Operand::Constant(constant) = operand else { return None };
    let element = match constant {
        Constant::Aggregate(_, members) => members.get(lane as usize).unwrap_or(constant),
        scalar => scalar,
    };
    Some(match element {
        Constant::Float(float) => float.to_rational().and_then(|value| value.to_f64()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use labrys_symex::static_sites;

    use super::*;

    #[test]
    fn operands_tell_what_doubles() {
        let text = r"
            define <2 x double> @f(double %x, double %y, <2 x double> %v) {
              %a = fadd double %x, %x
              %b = fadd double %x, %y
              %c = fadd double %x, 1.0
              %d = fmul double %x, -2.0
              %e = fmul double %x, %y
              %f = fmul double 3.0, %x
              %g = fdiv double %x, 0.5
              %h = fdiv double 0.5, %x
              %i = fsub double %x, %y
              %j = call double @llvm.fmuladd.f64(double 2.0, double %x, double 1.0)
              %k = call double @llvm.sqrt.f64(double %x)
              %l = fmul <2 x double> %v, <double 2.0, double 3.0>
              %m = call double @llvm.fmuladd.f64(double %y, double %x, double %e)
              ret <2 x double> %l
            }
            declare double @llvm.fmuladd.f64(double, double, double)
            declare double @llvm.sqrt.f64(double)";
        let program = Program::from_bytes(text.as_bytes(), "f.ll").expect("IR");
        let sites = static_sites(&program, program.function("f").expect("f"));
        let found: Vec<(String, Doubling)> =
            sites.iter().map(|site| (site.operator.to_string(), doubling(&program, site))).collect();
        let found: Vec<(&str, Doubling)> = found.iter().map(|(operator, of)| (operator.as_str(), *of)).collect();
        let expected = [
            ("fadd", Doubling::Certain),
            ("fadd", Doubling::Possible),
            ("fadd", Doubling::No),
            ("fmul", Doubling::Certain),
            ("fmul", Doubling::Possible),
            ("fmul", Doubling::No),
            ("fdiv", Doubling::Certain),
            ("fdiv", Doubling::No),
            ("fsub", Doubling::Possible),
            ("fmul", Doubling::Certain),
            ("fadd", Doubling::No),
            ("fsqrt", Doubling::No),
            ("fmul", Doubling::Certain),
            ("fmul", Doubling::No),
            ("fmul", Doubling::Possible),
            ("fadd", Doubling::Certain),
        ];
        assert_eq!(found, expected);
    }
}
