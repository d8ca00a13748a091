//! Fractional parts, told to the solver in its own words.
//!
//! That x less its integral part is below 1, and as positive as x, propagation does not see, for it takes both for any numbers in their ranges: the digits of a number,
//! x = 10·(x − ⌊x⌋) again and again, then seem to grow without bounds.
//!
//! **Claim.** Each of the [`consequences`] holds of all values of all variables.
//!
//! **Argument.** The integral part of x towards zero has x's sign and no more bits, and where x is 1 or more at least half its size; so the difference is exact, and so it is from
//! the nearest integer, which is at most a half away. ⌊x⌋ and ⌈x⌉ are at most 1 away, on their side; where the difference is
//! rounded, it is still between 0 and 1, which are floats. An integer of x comes back as a float without rounding where that has as many bits as x: below 2^p it has no more, and
//! from there on x is an integer itself.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::{Op, Store, TermId};

/// A float that is the integral part of another one.
struct Integral {
    of: TermId,
    mode: RoundingMode,
    /// Where it is.
    premises: Vec<TermId>,
}

/// What is known of differences of numbers and their integral parts among the terms.
pub(crate) fn consequences(store: &mut Store, conjuncts: &[TermId]) -> Vec<TermId> {
    let terms = store.reachable(conjuncts);
    terms.into_iter().filter_map(|term| of_difference(store, term)).flatten().collect()
}

fn of_difference(store: &mut Store, difference: TermId) -> Option<Vec<TermId>> {
    let node = store.node(difference);
    let (Op::FpSub, &[_, x, integral]) = (&node.op, &node.args[..]) else { return None };
    let Integral { of, mode, premises } = integral_part(store, integral)?;
    if !is_the_number(store, x, of) {
        return None;
    }
    let format = store.float_format(difference)?;
    let [zero, half, one] = [0, 1, 2].map(|halves| halves_of(halves, format));
    let [minus_half, minus_one] = [half.neg(), one.neg()].map(|value| store.float_const(value));
    let [zero, half, one] = [zero, half, one].map(|value| store.float_const(value));
    let less = |store: &mut Store, [a, b]: [TermId; 2]| store.mk(Op::FpLt, &[a, b]);
    let at_most = |store: &mut Store, [a, b]: [TermId; 2]| store.mk(Op::FpLe, &[a, b]);
    let [is_negative, is_positive] = [[x, zero], [zero, x]].map(|pair| less(store, pair));
    let [is_below_one, is_above_minus_one] = [[difference, one], [minus_one, difference]].map(|pair| less(store, pair));
    let between =
        |store: &mut Store, low, high| [[low, difference], [difference, high]].map(|pair| at_most(store, pair));
    let said = match mode {
        RoundingMode::TowardZero => {
            let [is_not_negative, is_not_positive] = between(store, zero, zero);
            let upward = store.or(&[is_negative, is_not_negative]);
            let downward = store.or(&[is_positive, is_not_positive]);
            vec![is_below_one, is_above_minus_one, upward, downward]
        }
        RoundingMode::TowardNegative => {
            let exact = store.or(&[is_negative, is_below_one]);
            [&between(store, zero, one)[..], &[exact]].concat()
        }
        RoundingMode::TowardPositive => {
            let exact = store.or(&[is_positive, is_above_minus_one]);
            [&between(store, minus_one, zero)[..], &[exact]].concat()
        }
        RoundingMode::NearestEven | RoundingMode::NearestAway => between(store, minus_half, half).to_vec(),
    };
    let otherwise: Vec<TermId> = premises.into_iter().map(|premise| store.not(premise)).collect();
    Some(said.into_iter().map(|said| store.or(&[&otherwise[..], &[said]].concat())).collect())
}

/// What a float is the integral part of.
fn integral_part(store: &mut Store, integral: TermId) -> Option<Integral> {
    let node = store.node(integral).clone();
    match (&node.op, &node.args[..]) {
        (Op::FpRoundToIntegral, &[mode, of]) => {
            let mode = store.as_rounding_mode(mode)?;
            let infinity = Float::infinity(store.float_format(of)?, false);
            let premises = between(store, [infinity.neg(), infinity], of).to_vec();
            Some(Integral { of, mode, premises })
        }
        (Op::FpFromSigned(to) | Op::FpFromUnsigned(to), &[_, integer]) => {
            let mut premises = Vec::new();
            let mut conversion = store.node(integer).clone();
            if conversion.op == Op::Ite {
                premises.push(conversion.args[0]);
                conversion = store.node(conversion.args[1]).clone();
            }
            let (&[mode, of], is_signed) = (&conversion.args[..], matches!(node.op, Op::FpFromSigned(_))) else {
                return None;
            };
            let (mode, format) = (store.as_rounding_mode(mode)?, store.float_format(of)?);
            let power = |bits: u32| Environment::default().scale(&Float::one(format), i64::from(bits)).value;
            // Up to half of the greatest integer, so that what is rounded is one, too.
            let bounds = match conversion.op {
                Op::FpToSigned(bits @ 2..) if is_signed => [power(bits - 2).neg(), power(bits - 2)],
                Op::FpToUnsigned(bits @ 2..) if !is_signed && mode == RoundingMode::TowardZero => {
                    [power(0).neg(), power(bits - 1)]
                }
                _ => return None,
            };
            premises.extend(between(store, bounds, of));
            to.holds_all(format).then_some(Integral { of, mode, premises })
        }
        _ => None,
    }
}

/// Whether a float is a number, or the same in a wider format.
fn is_the_number(store: &Store, float: TermId, number: TermId) -> bool {
    let node = store.node(float);
    let is_wider = || {
        let formats = [float, number].map(|of| store.float_format(of));
        matches!(formats, [Some(wide), Some(narrow)] if wide.holds_all(narrow))
    };
    float == number || matches!(node.op, Op::FpFromFloat(_)) && node.args[1] == number && is_wider()
}

/// That a float lies between two others, and is neither.
fn between(store: &mut Store, bounds: [Float; 2], of: TermId) -> [TermId; 2] {
    let [low, high] = bounds.map(|bound| store.float_const(bound));
    [[low, of], [of, high]].map(|pair| store.mk(Op::FpLt, &pair))
}

/// So many halves.
fn halves_of(halves: i64, format: Format) -> Float {
    let environment = Environment::default();
    environment.scale(&environment.from_integer(&halves.into(), format).value, -1).value
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use labrys_solver::{Limits, Portfolio, PortfolioConfig};
    use labrys_term::{Evaluator, Model, Sort, Value};

    use super::*;

    /// All numbers of a small format, in each rounding mode, by way of integers of several widths and of a wider format.
    #[test]
    fn consequences_hold_of_all_numbers() {
        let (format, wide) = (Format::new(4, 4), Format::new(5, 8));
        let mut said = 0;
        for (mode, rounding) in
            RoundingMode::ALL.into_iter().flat_map(|mode| RoundingMode::ALL.map(|rounding| (mode, rounding)))
        {
            let mut store = Store::new();
            let x = store.variable("x", Sort::Float(format));
            let (mode, rounding) = (store.rounding_mode(mode), store.rounding_mode(rounding));
            let wider = store.mk(Op::FpFromFloat(wide), &[rounding, x]);
            let inside = store.variable("inside", Sort::Bool);
            let mut parts = vec![(x, store.mk(Op::FpRoundToIntegral, &[mode, x]))];
            for bits in [3, 5, 9] {
                for (to, from, of) in [
                    (Op::FpToSigned(bits), Op::FpFromSigned(format), x),
                    (Op::FpToUnsigned(bits), Op::FpFromUnsigned(format), x),
                    (Op::FpToSigned(bits), Op::FpFromSigned(wide), wider),
                ] {
                    let integer = store.mk(to, &[mode, x]);
                    let other = store.bv_const(bits, 1u8);
                    let chosen = store.mk(Op::Ite, &[inside, integer, other]);
                    parts.push((of, store.mk(from, &[rounding, chosen])));
                }
            }
            let differences: Vec<TermId> =
                parts.into_iter().map(|(of, part)| store.mk(Op::FpSub, &[rounding, of, part])).collect();
            let found = consequences(&mut store, &differences);
            said += found.len();
            for (bits, is_inside) in (0..256u32).flat_map(|bits| [(bits, true), (bits, false)]) {
                let mut model = Model::new();
                model.set_term(&store, x, Value::Float(Float::from_bits(format, bits)));
                model.set_term(&store, inside, Value::Bool(is_inside));
                let mut evaluator = Evaluator::new(&store, &model);
                for term in &found {
                    // What is out of range is open.
                    assert_ne!(evaluator.holds(*term), Ok(false), "{bits:x} {:?}", store.node(*term));
                }
            }
        }
        assert!(said > 500, "{said}");
    }

    /// The digits of a fraction.
    #[test]
    fn what_is_left_of_a_number_stays_below_one() {
        let mut store = Store::new();
        let format = Format::BINARY64;
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let truncating = store.rounding_mode(RoundingMode::TowardZero);
        let mut x = store.variable("x", Sort::Float(format));
        let [zero, one] = [0, 2].map(|halves| store.float_const(halves_of(halves, format)));
        let ten = store.float_const(halves_of(20, format));
        let mut conjuncts = vec![store.mk(Op::FpLe, &[zero, x]), store.mk(Op::FpLt, &[x, one])];
        for _ in 0..8 {
            let times_ten = store.mk(Op::FpMul, &[mode, x, ten]);
            let digit = store.mk(Op::FpToSigned(32), &[truncating, times_ten]);
            let back = store.mk(Op::FpFromSigned(format), &[mode, digit]);
            x = store.mk(Op::FpSub, &[mode, times_ten, back]);
        }
        let below = store.mk(Op::FpLt, &[x, one]);
        conjuncts.push(store.not(below));
        let said = consequences(&mut store, &conjuncts);
        let limits = Limits { wall: Duration::from_secs(10), memory_mib: 0, work: 0 };
        let solver = Portfolio::new(PortfolioConfig::default());
        assert!(solver.domains(&store, &conjuncts, &limits).unwrap().is_some());
        // Propagation alone sees it.
        let query = [&conjuncts[..], &said].concat();
        assert!(solver.domains(&store, &query, &limits).unwrap().is_none());
    }
}
