//! Minima and maxima of which nobody sees whether a zero is −0 or +0.
//!
//! Which zero fp.min and fp.max give of −0 and +0 is left open, so that each stands for a choice. Where the zero's sign has
//! no consequence the choice needs none either, and a network of minima stays a network of minima.
//!
//! **Claim.** Call two floats alike if they are the same or both zeros, and let a float be *unseen* if every operator that
//! it is an argument of hides it: gives equal results for alike arguments, or alike ones and is unseen itself. If values of
//! unseen terms are exchanged for ones that are alike, then by induction from the arguments up unseen terms stay alike
//! and all others keep their values; the conjuncts are among these. So a conjunction in which all applications of fp.min to
//! a format are unseen holds whatever each of them gives of −0 and +0, if it holds for one choice.
//!
//! Steps that follow may make terms that see more. [`is_unseen`] asks again at the end.

use labrys_float::Format;
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashSet;

/// Operators, minima or maxima of a format, all of whose applications in the conjunction are unseen.
pub(super) type Unseen = FxHashSet<(Op, Format)>;

/// All such operators.
pub(super) fn unseen(store: &Store, conjuncts: &[TermId]) -> Unseen {
    let terms = store.reachable(conjuncts);
    let choice = |term: TermId| {
        let op = &store.node(term).op;
        matches!(op, Op::FpMin | Op::FpMax).then(|| store.float_format(term).map(|format| (op.clone(), format)))?
    };
    let mut unseen: Unseen = terms.iter().filter_map(|&term| choice(term)).collect();
    if unseen.is_empty() {
        return unseen;
    }
    // Terms before their arguments.
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    for &term in terms.iter().rev() {
        if seen.contains(&term)
            && let Some(choice) = choice(term)
        {
            unseen.remove(&choice);
        }
        let args = &store.node(term).args;
        let shown = (0..args.len()).filter(|&position| match hides(store, term, position) {
            Hiding::Always => false,
            Hiding::WithResult => seen.contains(&term),
            Hiding::Never => store.float_format(args[position]).is_some(),
        });
        let shown: Vec<TermId> = shown.map(|position| args[position]).collect();
        seen.extend(shown);
    }
    unseen
}

/// Whether all applications of these operators are unseen.
pub(super) fn is_unseen(store: &Store, conjuncts: &[TermId], operators: &Unseen) -> bool {
    if operators.is_empty() {
        return true;
    }
    let unseen = unseen(store, conjuncts);
    store.reachable(conjuncts).iter().all(|&term| {
        let node = store.node(term);
        let Some(format) = store.float_format(term).filter(|_| matches!(node.op, Op::FpMin | Op::FpMax)) else {
            return true;
        };
        let choice = (node.op.clone(), format);
        !operators.contains(&choice) || unseen.contains(&choice)
    })
}

/// What an operator does with the sign of an argument that is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hiding {
    /// The result does not depend on it.
    Always,
    /// Results are alike.
    WithResult,
    /// The result may tell.
    Never,
}

fn hides(store: &Store, term: TermId, position: usize) -> Hiding {
    let node = store.node(term);
    match node.op {
        Op::FpEq | Op::FpLt | Op::FpLe | Op::FpAbs | Op::FpToReal => Hiding::Always,
        Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsZero | Op::FpIsInfinite | Op::FpIsNan => Hiding::Always,
        // Neither zero equals another number.
        Op::Eq => {
            let tells_zeros = |other: &TermId| match &store.node(*other).op {
                Op::FloatConst(value) => value.is_zero(),
                _ => true,
            };
            let mut others = node.args.iter().enumerate().filter(|(other, _)| *other != position);
            if others.any(|(_, other)| tells_zeros(other)) { Hiding::Never } else { Hiding::Always }
        }
        // Zeros convert to zero in every mode: never one of the open values.
        Op::FpToUnsigned(_) | Op::FpToSigned(_) => Hiding::Always,
        Op::FpNeg | Op::FpMin | Op::FpMax | Op::Ite | Op::FpSqrt | Op::FpRoundToIntegral => Hiding::WithResult,
        // Zero operands make other results only where these are zeros: ±0 + ±0, ±0·y, ±0·y ± 0.
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpFma | Op::FpFromFloat(_) => Hiding::WithResult,
        // By ±0 remainders are NaN, of ±0 they are zeros.
        Op::FpRem | Op::FpFmod => Hiding::WithResult,
        // ±0/y is a zero or NaN; but 1/±0 is ±∞.
        Op::FpDiv if position == 1 => Hiding::WithResult,
        _ => Hiding::Never,
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::{Float, Format, RoundingMode};
    use labrys_term::{Model, Sort, Value, eval};

    use super::*;

    const TINY: Format = Format::new(3, 3);

    fn floats() -> impl Iterator<Item = Float> {
        (0u32..1 << TINY.width()).map(|bits| Float::from_bits(TINY, bits))
    }

    fn is_alike(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Float(a), Value::Float(b)) => a.same_value(b) || a.is_zero() && b.is_zero(),
            _ => a == b,
        }
    }

    /// Every operator, every position of −0 and +0, every value of the other argument, every mode.
    #[test]
    fn operators_hide_what_the_table_says() {
        let rounded = [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv];
        let unary = [Op::FpSqrt, Op::FpRoundToIntegral, Op::FpFromFloat(Format::new(2, 3)), Op::FpToSigned(3)];
        let plain = [Op::FpRem, Op::FpFmod, Op::FpEq, Op::FpLt, Op::FpLe, Op::FpMin, Op::FpMax, Op::Eq];
        let classes = [Op::FpIsNormal, Op::FpIsSubnormal, Op::FpIsZero, Op::FpIsInfinite, Op::FpIsNan];
        let others = [Op::FpAbs, Op::FpNeg, Op::FpToReal, Op::FpToUnsigned(2)];
        let mut checked = 0;
        for mode in RoundingMode::ALL {
            for other in floats() {
                let mut check = |op: &Op, arity: usize, with_mode: bool| {
                    for position in 0..arity {
                        let place = position + usize::from(with_mode);
                        let values = [true, false].map(|negative| {
                            let mut store = Store::new();
                            let mut args = Vec::new();
                            if with_mode {
                                args.push(store.rounding_mode(mode));
                            }
                            for i in 0..arity {
                                let value = if i == position { Float::zero(TINY, negative) } else { other.clone() };
                                args.push(store.float_const(value));
                            }
                            let term = store.mk(op.clone(), &args);
                            Some((hides(&store, term, place), eval(&store, term, &Model::new()).ok()?))
                        });
                        // fp.min of −0 and +0 is what this is all about.
                        let [Some((hiding, a)), Some((_, b))] = values else { continue };
                        match hiding {
                            Hiding::Always => assert_eq!(a, b, "{op:?} at {place} beside {other:?}"),
                            Hiding::WithResult => assert!(is_alike(&a, &b), "{op:?} at {place} beside {other:?}"),
                            Hiding::Never => continue,
                        }
                        checked += 1;
                    }
                };
                rounded.iter().for_each(|op| check(op, 2, true));
                unary.iter().for_each(|op| check(op, 1, true));
                plain.iter().for_each(|op| check(op, 2, false));
                classes.iter().chain(&others).for_each(|op| check(op, 1, matches!(op, Op::FpToUnsigned(_))));
                check(&Op::FpFma, 3, true);
            }
        }
        assert!(checked > 10_000, "{checked}");
    }

    #[test]
    fn what_divides_or_is_compared_bit_by_bit_is_seen() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Float(TINY)));
        let [least, most] = [Op::FpMin, Op::FpMax].map(|op| store.mk(op, &[x, y]));
        let below = store.mk(Op::FpLt, &[least, most]);
        let (min, max) = ((Op::FpMin, TINY), (Op::FpMax, TINY));
        let both = Unseen::from_iter([min.clone(), max.clone()]);
        assert_eq!(unseen(&store, &[below]), both);
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let quotient = store.mk(Op::FpDiv, &[mode, most, least]);
        let small = store.mk(Op::FpLt, &[quotient, x]);
        assert_eq!(unseen(&store, &[below, small]), Unseen::from_iter([max.clone()]));
        assert!(!is_unseen(&store, &[small], &both) && is_unseen(&store, &[small], &Unseen::from_iter([max])));
        let same = store.mk(Op::Eq, &[most, x]);
        assert_eq!(unseen(&store, &[below, same]), Unseen::from_iter([min]));
    }
}
