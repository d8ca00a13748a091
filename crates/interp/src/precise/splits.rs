//! Veltkamp's splittings: the leading half of a significand, which only rounding makes.
//!
//! c = K a, h = c − (c − a) or c + (a − c), with K = 2^s + 1 (Dekker, "A floating-point technique for extending the available
//! precision", Numerische Mathematik 1971, section 4, after Veltkamp): without rounding h is a itself, and a − h nothing. The three
//! operations are rounded in the truth as the program rounds them, so that h is the true a's leading half.
//!
//! Recognised by their form, where K is the program's own number and s lies between a quarter of the precision and all of it but two bits:
//! nobody writes c − (c − a) with such a K for another purpose, for without rounding it is a.

use labrys_elementary::{rug, to_precise};
use labrys_float::Float;
use labrys_program::{
    BlockId, Constant, FloatBinary, Function, FunctionId, InstructionKind, Operand, Program, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rounding::Instruction;

/// A float operation of two operands: which instruction, what.
type Binary<'p> = (Instruction, FloatBinary, &'p Operand, &'p Operand);

/// The operations of all splittings of a program.
pub fn splittings(program: &Program) -> FxHashSet<Instruction> {
    let mut found = FxHashSet::default();
    for (function, body) in program.functions.iter().enumerate() {
        let binaries = binaries(FunctionId(function as u32), body);
        for (instruction, operation, c, d) in binaries.values() {
            let (Operand::Value(c), Operand::Value(d)) = (c, d) else { continue };
            // h = c − d with d = c − a, or c + d with d = a − c, in either order.
            let of_pair = |c: &ValueId, d: &ValueId| {
                let (product, FloatBinary::Mul, k, a) = binaries.get(c)? else { return None };
                let (difference, FloatBinary::Sub, left, right) = binaries.get(d)? else { return None };
                let (a, k) = if factor(program, body, k).is_some() { (*a, *k) } else { (*k, *a) };
                factor(program, body, k).filter(is_splitting)?;
                let c = Operand::Value(*c);
                let is_form = match operation {
                    FloatBinary::Sub => **left == c && *right == a,
                    FloatBinary::Add => *left == a && **right == c,
                    _ => false,
                };
                is_form.then_some([*product, *difference])
            };
            let pair = of_pair(c, d).or_else(|| of_pair(d, c).filter(|_| matches!(operation, FloatBinary::Add)));
            if let Some(pair) = pair {
                found.extend(pair);
                found.insert(*instruction);
            }
        }
    }
    found
}

/// The operations of two operands by the values that they define.
fn binaries(function: FunctionId, body: &Function) -> FxHashMap<ValueId, Binary<'_>> {
    let mut found = FxHashMap::default();
    for (block, of_block) in body.blocks.iter().enumerate() {
        for (place, instruction) in of_block.instructions.iter().enumerate() {
            if let (InstructionKind::FloatBinary(operation, a, b), Some(result)) =
                (&instruction.kind, instruction.result)
            {
                found.insert(result, ((function, BlockId(block as u32), place as u32), *operation, a, b));
            }
        }
    }
    found
}

/// A number of the program's own: a literal, or what a constant global holds.
fn factor(program: &Program, body: &Function, operand: &Operand) -> Option<Float> {
    let global = match operand {
        Operand::Constant(Constant::Float(float)) => return Some(float.clone()),
        Operand::Constant(_) => return None,
        Operand::Value(value) => {
            let mut instructions = body.blocks.iter().flat_map(|block| &block.instructions);
            let made = instructions.find(|instruction| instruction.result == Some(*value))?;
            let InstructionKind::Load { pointer: Operand::Constant(Constant::Global(global, 0)), .. } = &made.kind
            else {
                return None;
            };
            program.globals.get(global.index())?
        }
    };
    match &global.initializer {
        Some(Constant::Float(float)) if global.is_constant => Some(float.clone()),
        _ => None,
    }
}

/// Whether a number is 2^s + 1, with an s that splits its format's significands.
fn is_splitting(factor: &Float) -> bool {
    let precision = factor.format().precision();
    let power = rug::Float::with_val(precision + 1, to_precise(factor) - 1u32);
    // MPFR's significands lie in [1/2, 1).
    let Some(exponent) = power.get_exp().and_then(|exponent| u32::try_from(exponent - 1).ok()) else { return false };
    let is_power = power == rug::Float::with_val(precision, 1u32) << exponent;
    is_power && exponent >= precision / 4 && exponent + 2 <= precision
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operations recognised in a function of doubles with this body.
    fn recognised(body: &str) -> usize {
        let ir = format!(
            "@k = constant double 134217729.0\ndefine double @f(double %a, double %b) {{\n{body}\nret double %h\n}}"
        );
        splittings(&Program::from_bytes(ir.as_bytes(), "f.ll").unwrap()).len()
    }

    #[test]
    fn forms_of_the_splitting_are_recognised_and_nothing_like_it() {
        let product = "%c = fmul double %a, 134217729.0\n";
        let form = |rest: &str| recognised(&format!("{product}{rest}"));
        assert_eq!(form("%d = fsub double %c, %a\n%h = fsub double %c, %d"), 3);
        assert_eq!(form("%d = fsub double %a, %c\n%h = fadd double %c, %d"), 3);
        assert_eq!(form("%d = fsub double %a, %c\n%h = fadd double %d, %c"), 3);
        let of_global =
            "%k = load double, ptr @k\n%c = fmul double %k, %a\n%d = fsub double %c, %a\n%h = fsub double %c, %d";
        assert_eq!(recognised(of_global), 3);
        // Another number, another operand, another order, another factor.
        assert_eq!(form("%d = fsub double %c, %b\n%h = fsub double %c, %d"), 0);
        assert_eq!(form("%d = fsub double %a, %c\n%h = fsub double %c, %d"), 0);
        assert_eq!(form("%d = fsub double %c, %a\n%h = fsub double %d, %c"), 0);
        assert_eq!(form("%d = fsub double %c, %a\n%h = fadd double %c, %d"), 0);
        for factor in ["134217728.0", "3.0", "%b", "0x434FFFFFFFFFFFFF", "1.0", "-134217729.0"] {
            let text = format!("%c = fmul double {factor}, %a\n%d = fsub double %c, %a\n%h = fsub double %c, %d");
            assert_eq!(recognised(&text), 0, "{factor}");
        }
    }
}
