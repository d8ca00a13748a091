//! What is known of products, linearly.
//!
//! **Claim.** Each lemma holds for all values of the factors. **Argument.** (a − p)(b − q) is at least 0 where both differences have one sign, and at most 0 where
//! they have different ones; multiplied out that is a bound of ab by a linear term. (a − p)² is at least 0, and (a − p)(a − q) at most 0 where a
//! lies between p and q. McCormick's envelopes (Mathematical Programming 10, 1976) are the case where p and q are ends of ranges; at the values of a
//! model the lemmas forbid it (Cimatti et al., "Incremental linearization", ACM TOCL 19, 2018, section 4).
//! Two products with a common factor a differ by a(p − q), which is at most |a|·d where p − q ≤ d.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::TermId;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::unknowns::{Polynomial, Product, Unknown, Unknowns};

/// Bits of the numerators and denominators at which lemmas touch products; at others they touch near by.
const MOST_BITS: u64 = 64;

/// On which side of the point a factor is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// What follows from the factors' ranges.
pub(super) fn envelopes(unknowns: &mut Unknowns, product: &Product) -> Vec<TermId> {
    let [a, b] = product.factors;
    let ends = [a, b].map(|factor| {
        let bounds = unknowns.bounds_of(factor);
        [(bounds.low.clone(), Side::Above), (bounds.high.clone(), Side::Below)]
    });
    let mut lemmas = Vec::new();
    for (p, of_a) in &ends[0] {
        for (q, of_b) in &ends[1] {
            if let (Some(p), Some(q)) = (p, q) {
                lemmas.push(side(unknowns, product, [p, q], of_a == of_b));
            }
        }
    }
    lemmas
}

/// Lemmas about two products with a common factor that a model violates: with 0 ≤ a ≤ A and p − q ≤ d, where d ≥ 0, ap − aq is at most Ad; with
/// −A ≤ a ≤ 0 it is at least −Ad.
pub(super) fn shared(unknowns: &mut Unknowns, [first, second]: [&Product; 2], values: &[BigRational]) -> Vec<TermId> {
    let mut lemmas = Vec::new();
    for (place, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let factor = first.factors[place];
        if factor != second.factors[other] {
            continue;
        }
        let Some(size) = unknowns.bounds_of(factor).size() else { continue };
        for [one, two] in [[(first, 1 - place), (second, 1 - other)], [(second, 1 - other), (first, 1 - place)]] {
            lemmas.extend(ordered(unknowns, (factor, &size), [one, two], values));
        }
    }
    lemmas
}

/// The lemma where p − q has an upper bound, p being a factor of the first product and q of the second.
fn ordered(
    unknowns: &mut Unknowns,
    (factor, size): (Unknown, &BigRational),
    [(first, p), (second, q)]: [(&Product, usize); 2],
    values: &[BigRational],
) -> Option<TermId> {
    let of = |unknown: Unknown| &values[unknown as usize];
    let (p, q) = (first.factors[p], second.factors[q]);
    let zero = BigRational::zero();
    let most = near(&(of(p) - of(q)), Side::Above).max(zero.clone());
    let change = of(first.value) - of(second.value);
    let is_positive = *of(factor) >= zero;
    let end = size * &most;
    if if is_positive { change <= end } else { -change <= end } {
        return None;
    }
    let minus = BigRational::from_integer(BigInt::from(-1));
    let side = if is_positive { Side::Above } else { Side::Below };
    let of_factor = bounded(unknowns, &Polynomial::atom(factor), &zero, side);
    let distance = Polynomial::atom(p).plus(&Polynomial::atom(q), &minus)?;
    let near_by = unknowns.at_most(&distance, &Polynomial::constant(most));
    let [one, other] = if is_positive { [first, second] } else { [second, first] };
    let change = Polynomial::atom(one.value).plus(&Polynomial::atom(other.value), &minus)?;
    let conclusion = unknowns.at_most(&change, &Polynomial::constant(end));
    let premise = unknowns.store.and(&[of_factor, near_by]);
    Some(unknowns.implied(premise, conclusion))
}

/// ab against its tangent plane at (p, q): not below it, or not above it.
fn side(unknowns: &mut Unknowns, product: &Product, [p, q]: [&BigRational; 2], is_above: bool) -> TermId {
    let [a, b] = product.factors.map(Polynomial::atom);
    let value = Polynomial::atom(product.value);
    let plane =
        b.scaled(p).plus(&a, q).and_then(|sum| sum.plus(&Polynomial::constant(p * q), &BigInt::from(-1).into()));
    let Some(plane) = plane else { return unknowns.store.bool_const(true) };
    if is_above { unknowns.at_most(&plane, &value) } else { unknowns.at_most(&value, &plane) }
}

/// Lemmas that a model of the linear terms violates, if it has another value than the product.
pub(super) fn violated(unknowns: &mut Unknowns, product: &Product, values: &[BigRational]) -> Vec<TermId> {
    let of = |unknown: Unknown| &values[unknown as usize];
    let [a, b] = product.factors;
    let (p, q, value) = (of(a), of(b), of(product.value));
    let exact = p * q;
    if *value == exact {
        return Vec::new();
    }
    let is_above = *value < exact;
    let zero = BigRational::zero();
    if a == b {
        return square(unknowns, product, &near(p, Side::Above), is_above);
    }
    let has_wrong_sign = if exact.is_zero() { true } else { (*value > zero) != (exact > zero) || value.is_zero() };
    // So that the model is in one of the quadrants.
    let of_q = if is_above { Side::Above } else { Side::Below };
    let point = if has_wrong_sign { [zero.clone(), zero] } else { [near(p, Side::Above), near(q, of_q)] };
    quadrants(unknowns, product, [&point[0], &point[1]], is_above)
}

/// The tangent plane's side in the two quadrants where it is known.
fn quadrants(unknowns: &mut Unknowns, product: &Product, point: [&BigRational; 2], is_above: bool) -> Vec<TermId> {
    let conclusion = side(unknowns, product, point, is_above);
    let other = if is_above { [Side::Below, Side::Above] } else { [Side::Above, Side::Below] };
    let mut lemmas = Vec::new();
    for (of_a, of_b) in [(Side::Below, other[0]), (Side::Above, other[1])] {
        let premises = [(0, of_a), (1, of_b)].map(|(place, side)| {
            let factor = Polynomial::atom(product.factors[place]);
            bounded(unknowns, &factor, point[place], side)
        });
        let premise = unknowns.store.and(&premises);
        lemmas.push(unknowns.implied(premise, conclusion));
    }
    lemmas
}

/// A square against its tangent at p, or between p and the ends of the range.
fn square(unknowns: &mut Unknowns, product: &Product, p: &BigRational, is_above: bool) -> Vec<TermId> {
    if is_above {
        return vec![side(unknowns, product, [p, p], true)];
    }
    let factor = product.factors[0];
    let bounds = unknowns.bounds_of(factor).clone();
    let mut lemmas = Vec::new();
    for (end, of_end, of_point) in [(bounds.low, Side::Above, Side::Below), (bounds.high, Side::Below, Side::Above)] {
        let Some(end) = end else { continue };
        let factor = Polynomial::atom(factor);
        let premises = [bounded(unknowns, &factor, &end, of_end), bounded(unknowns, &factor, p, of_point)];
        let premise = unknowns.store.and(&premises);
        let conclusion = side(unknowns, product, [&end, p], false);
        lemmas.push(unknowns.implied(premise, conclusion));
    }
    lemmas
}

fn bounded(unknowns: &mut Unknowns, factor: &Polynomial, end: &BigRational, side: Side) -> TermId {
    let end = Polynomial::constant(end.clone());
    match side {
        Side::Below => unknowns.at_most(factor, &end),
        Side::Above => unknowns.at_most(&end, factor),
    }
}

/// A number with few bits that is not below another, or not above it, and near to it.
fn near(value: &BigRational, side: Side) -> BigRational {
    if value.numer().bits() <= MOST_BITS && value.denom().bits() <= MOST_BITS {
        return value.clone();
    }
    let mode = if side == Side::Above { RoundingMode::TowardPositive } else { RoundingMode::TowardNegative };
    Float::from_rational(Format::BINARY64, value, mode).to_rational().unwrap_or_else(|| value.clone())
}
