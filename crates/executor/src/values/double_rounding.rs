//! Operations in a wide format on numbers of a narrow one, rounded to the narrow one: one operation there.
//!
//! **Claim.** Where [`narrowed`] gives a term, it has the value of the conversion, NaNs' encodings included, whatever the operands are. The exceptions
//! raised are others.
//!
//! **Argument.** To nearest even, rounding a sum, difference, product, quotient or root of numbers of p bits to at least 2p + 2 bits first
//! changes nothing (S. A. Figueroa, "When is double rounding innocuous?", ACM SIGNUM Newsletter 30, 1995), if the wide format has the
//! exponents for it: binary32 for binary16 and binary64 for binary32 hold products of subnormal numbers, and sums below the normal numbers
//! are exact. Quotients below the normal numbers are rounded to fewer bits, to which 2p + 2 are even more. The wide operation gives
//! the first NaN operand, widened and quiet, and the conversion narrows it again.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::{Op, Store, TermId};

/// The operation in the narrow format that a conversion to it is equal to.
pub(super) fn narrowed(store: &mut Store, to: Format, mode: RoundingMode, wide: TermId) -> Option<TermId> {
    let from = store.float_format(wide)?;
    let fits = matches!((to, from), (Format::BINARY16, Format::BINARY32) | (Format::BINARY32, Format::BINARY64));
    if !fits || mode != RoundingMode::NearestEven {
        return None;
    }
    let node = store.node(wide).clone();
    if !matches!(node.op, Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpSqrt) {
        return None;
    }
    let (&rounding, operands) = node.args.split_first()?;
    if store.node(rounding).op != Op::RoundingModeConst(RoundingMode::NearestEven) {
        return None;
    }
    let mut args = vec![rounding];
    for &operand in operands {
        args.push(narrow(store, to, operand)?);
    }
    Some(store.mk(node.op, &args))
}

/// The number of the narrow format that a wide one was made of, or is.
fn narrow(store: &mut Store, to: Format, operand: TermId) -> Option<TermId> {
    let node = store.node(operand).clone();
    match (&node.op, &node.args[..]) {
        (Op::FpFromFloat(_), &[_, inner]) => (store.float_format(inner) == Some(to)).then_some(inner),
        (Op::FloatConst(value), _) if !value.is_nan() => {
            let environment = Environment::default();
            let small: Float = environment.convert(value, to).value;
            let back = environment.convert(&small, value.format()).value;
            (back == *value).then(|| store.float_const(small))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use labrys_term::{Evaluator, Model, Sort, Value};

    use super::*;

    /// Sums, products, quotients and roots of random numbers, special ones and such that differ in exponent as far as matters.
    #[test]
    fn one_rounding_is_two() {
        for (narrow, wide) in [(Format::BINARY16, Format::BINARY32), (Format::BINARY32, Format::BINARY64)] {
            let mut store = Store::new();
            let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Float(narrow)));
            let mode = store.rounding_mode(RoundingMode::NearestEven);
            let [a, b] = [x, y].map(|term| store.mk(Op::FpFromFloat(wide), &[mode, term]));
            let mut pairs = Vec::new();
            for (op, operands) in [
                (Op::FpAdd, vec![mode, a, b]),
                (Op::FpSub, vec![mode, a, b]),
                (Op::FpMul, vec![mode, a, b]),
                (Op::FpDiv, vec![mode, a, b]),
                (Op::FpSqrt, vec![mode, a]),
            ] {
                let result = store.mk(op.clone(), &operands);
                let twice = store.mk(Op::FpFromFloat(narrow), &[mode, result]);
                let once = narrowed(&mut store, narrow, RoundingMode::NearestEven, result).unwrap();
                assert_eq!(store.node(once).op, op);
                assert_eq!(narrowed(&mut store, narrow, RoundingMode::TowardZero, result), None);
                pairs.push((once, twice));
            }
            let width = narrow.width();
            let mut state = 1u128;
            let mut next = || {
                state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(99);
                state >> 64
            };
            for _ in 0..30_000 {
                let mut draw = || {
                    let any = next() & ((1 << width) - 1);
                    // Few bits set make ties.
                    let few = next() & next() & next() & ((1 << width) - 1);
                    Float::from_bits(narrow, if next() & 1 == 0 { any } else { few })
                };
                let mut model = Model::new();
                model.set_term(&store, x, Value::float(draw()));
                model.set_term(&store, y, Value::float(draw()));
                let mut evaluator = Evaluator::new(&store, &model);
                for (once, twice) in &pairs {
                    assert_eq!(evaluator.value(*once), evaluator.value(*twice), "{model:?}");
                }
            }
        }
    }
}
