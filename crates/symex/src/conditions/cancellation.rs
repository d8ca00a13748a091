//! Sums that vanish inside a large product.
//!
//! Where A + B = 0 over the reals, floats give zero or a rounding error of about 2^-p·|A| at precision p, depending on the
//! order of operations. Multiplied by d, the error overflows if |A·d| > 2^p·Ω.

use labrys_float::Format;
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::number::{constant, is_zero, largest};

/// How many products and quotients may stand between a sum and the site.
const AMPLIFIER_DEPTH: usize = 3;

/// Bits by which the amplified error is to exceed the range: rounding errors are often a few bits smaller than their
/// bound.
const MARGIN_BITS: u32 = 3;

/// A multiplication or division on the way from a sum up to the root.
#[derive(Clone)]
struct Factor {
    op: Op,
    other: TermId,
    /// Whether `other` is the left operand.
    is_left: bool,
}

/// For each sum A + B that is a factor of the Real term `root`, a product or quotient in `format`: it vanishes, A does
/// not, and its rounding error would carry the product beyond the range.
pub(super) fn amplified_cancellations(store: &mut Store, root: TermId, format: Format) -> Vec<TermId> {
    let bound = largest(format) * BigRational::from_integer(BigInt::one() << (format.precision() + MARGIN_BITS));
    let mut found = Vec::new();
    // A term to look into, and the factors from it up to the root, innermost first.
    let mut pending: Vec<(TermId, Vec<Factor>)> = vec![(root, Vec::new())];
    while let Some((term, factors)) = pending.pop() {
        let node = store.node(term).clone();
        let mut descend = |part: TermId, op: Op, other: TermId, is_left: bool| {
            let mut path = vec![Factor { op, other, is_left }];
            path.extend(factors.iter().cloned());
            pending.push((part, path));
        };
        match (&node.op, node.args.as_slice()) {
            (Op::RealAdd | Op::RealSub, &[operand, _]) if !factors.is_empty() => {
                found.push(vanishes_amplified(store, term, operand, &factors, &bound));
            }
            (Op::RealMul, &[left, right]) if factors.len() < AMPLIFIER_DEPTH => {
                descend(left, Op::RealMul, right, false);
                descend(right, Op::RealMul, left, true);
            }
            (Op::RealDiv, &[dividend, divisor]) if factors.len() < AMPLIFIER_DEPTH => {
                descend(dividend, Op::RealDiv, divisor, false);
            }
            (Op::RealNeg, &[inner]) => pending.push((inner, factors)),
            _ => {}
        }
    }
    found
}

fn vanishes_amplified(
    store: &mut Store,
    sum: TermId,
    operand: TermId,
    factors: &[Factor],
    bound: &BigRational,
) -> TermId {
    let mut product = operand;
    for Factor { op, other, is_left } in factors {
        let args = if *is_left { [*other, product] } else { [product, *other] };
        product = store.mk(op.clone(), &args);
    }
    let (low, high) = (constant(store, -bound.clone()), constant(store, bound.clone()));
    let sides = [store.mk(Op::RealLt, &[product, low]), store.mk(Op::RealLt, &[high, product])];
    let vanishes = is_zero(store, sum);
    let operand_vanishes = is_zero(store, operand);
    let parts = [vanishes, store.not(operand_vanishes), store.or(&sides)];
    store.and(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_term::Sort;

    #[test]
    fn sums_are_found_through_products_dividends_and_negations_but_not_in_divisors() {
        let mut store = Store::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| store.variable(name, Sort::Real));
        let sum = store.mk(Op::RealSub, &[a, b]);
        let negated = store.mk(Op::RealNeg, &[sum]);
        let product = store.mk(Op::RealMul, &[c, negated]);
        let quotient = store.mk(Op::RealDiv, &[product, d]);
        let found = amplified_cancellations(&mut store, quotient, Format::BINARY64);
        let [condition] = found.as_slice() else { panic!("one sum: {found:?}") };
        // The sum is replaced by its first operand, factors in their places.
        let amplified = store.mk(Op::RealMul, &[c, a]);
        let amplified = store.mk(Op::RealDiv, &[amplified, d]);
        let terms = store.reachable(&[*condition]);
        assert!(terms.contains(&amplified) && terms.contains(&sum) && !terms.contains(&quotient));

        let inverse = store.mk(Op::RealDiv, &[c, sum]);
        assert_eq!(amplified_cancellations(&mut store, inverse, Format::BINARY64), []);
        assert_eq!(amplified_cancellations(&mut store, sum, Format::BINARY64), []);
    }
}
