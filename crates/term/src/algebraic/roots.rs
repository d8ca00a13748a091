//! Real roots, isolated exactly.
//!
//! **Claim.** [`isolate`] gives every real root of a polynomial once, in ascending order, each exactly or in an open
//! interval at whose ends the polynomial is not zero, and that holds no other root but perhaps exact ones.
//!
//! **Argument.** Multiple roots are made simple by dividing by the greatest common divisor with the derivative; zero is
//! divided out, and negative roots are the positive ones of f(−x). With v(a) the sign variations of f(a + x)'s
//! coefficients, v(a) − v(b) is the number of roots in (a, b] or exceeds it by an even number (Budan and Fourier), so that
//! 0 and 1 are exact. Intervals are split at powers of two first, halving the range of exponents: roots hundreds of
//! orders of magnitude apart are told apart in a dozen steps. Within one power of two they are bisected, with Descartes'
//! rule for an open interval (Collins, Akritas, "Polynomial real root isolation using Descartes' rule of signs", SYMSAC
//! 1976), which ends for simple roots by Vincent's theorem. A point of division that is a root is recorded, divided out,
//! and the search begins anew on the rest: no end of an interval is a root.
//!
//! The paper (Barr, Vo, Le, Su, "Automatic detection of floating-point exceptions", POPL 2013, section 3.5) uses GSL's
//! floating-point root finder here, which loses roots that are multiple or close together.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::Integer;

use super::dyadic::Dyadic;
use super::polynomial::Polynomial;

/// A real root.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// What is left when exact roots are divided out: has this as its only root in the closed interval, a simple one.
    polynomial: Arc<Polynomial>,
    low: Dyadic,
    /// The root itself where it is equal to `low`.
    high: Dyadic,
    /// The polynomial's sign at `low`.
    sign_at_low: Ordering,
}

impl Root {
    fn exactly(point: Dyadic) -> Root {
        let polynomial = Arc::new(Polynomial::new(Vec::new()));
        Root { polynomial, low: point.clone(), high: point, sign_at_low: Ordering::Equal }
    }

    fn within(polynomial: &Arc<Polynomial>, low: Dyadic, high: Dyadic) -> Root {
        let sign_at_low = polynomial.sign_at(&low);
        Root { polynomial: polynomial.clone(), low, high, sign_at_low }
    }

    /// Bounds, equal where the root is known exactly; otherwise it lies strictly between.
    pub fn bounds(&self) -> (&Dyadic, &Dyadic) {
        (&self.low, &self.high)
    }

    /// The root compared with a point.
    pub fn compare(&self, point: &Dyadic) -> Ordering {
        if self.low == self.high {
            return self.low.cmp(point);
        }
        if *point <= self.low {
            return Ordering::Greater;
        }
        if *point >= self.high {
            return Ordering::Less;
        }
        match self.polynomial.sign_at(point) {
            Ordering::Equal => Ordering::Equal,
            sign if sign == self.sign_at_low => Ordering::Greater,
            _ => Ordering::Less,
        }
    }

    /// Bounds no farther apart than 2^-bits of the root.
    pub fn refined(&self, bits: u32) -> (Dyadic, Dyadic) {
        let (mut low, mut high) = (self.low.clone(), self.high.clone());
        while low != high && !low.is_within(&high, bits) {
            let middle = low.middle(&high);
            match self.compare(&middle) {
                Ordering::Less => high = middle,
                Ordering::Greater => low = middle,
                Ordering::Equal => (low, high) = (middle.clone(), middle),
            }
        }
        (low, high)
    }

    /// The root itself where it has at most so many significant bits; otherwise the two numbers of so many significant
    /// bits that it lies between. What is returned depends on the root alone, not on how it was found.
    pub fn neighbours(&self, bits: u32) -> (Dyadic, Dyadic) {
        let (low, high) = self.refined(bits + 2);
        if low.is_zero() {
            return (low.clone(), low);
        }
        let is_negative = low.significand().is_negative();
        let nearest = if is_negative { &high } else { &low };
        let mut near = nearest.truncated(bits);
        if low == high && near == *nearest {
            return (near.clone(), near);
        }
        // The interval is narrower than the distance of two such numbers, so that this is at most a step or two.
        loop {
            let far = near.next_away(bits);
            match (self.compare(&far), is_negative) {
                (Ordering::Equal, _) => return (far.clone(), far),
                (Ordering::Less, false) => return (near, far),
                (Ordering::Greater, true) => return (far, near),
                _ => near = far,
            }
        }
    }

    fn negated(&self, reflected: &Arc<Polynomial>) -> Root {
        if self.low == self.high {
            return Root::exactly(self.low.negated());
        }
        Root::within(reflected, self.high.negated(), self.low.negated())
    }

    /// The order of two roots of one polynomial.
    fn order(&self, other: &Root) -> Ordering {
        match (self.low == self.high, other.low == other.high) {
            (_, true) => self.compare(&other.low),
            (true, false) => other.compare(&self.low).reverse(),
            // Both belong to what is left when exact roots have been divided out: their intervals are disjoint.
            (false, false) => self.low.cmp(&other.low),
        }
    }
}

/// All distinct real roots of a polynomial, ascending; none for constants.
///
/// Each step, which is a Taylor shift of a polynomial of the same degree, is announced to `spend` first.
///
/// # Errors
///
/// What `spend` answers, when it ends the search.
///
/// ```
/// use labrys_term::algebraic::{Dyadic, Polynomial, isolate};
///
/// // x² − 2.
/// let polynomial = Polynomial::new([-2, 0, 1].map(Into::into).to_vec());
/// let roots = isolate::<std::convert::Infallible>(&polynomial, &mut |_| Ok(())).unwrap();
/// assert!(roots.len() == 2 && roots[1].compare(&Dyadic::power_of_two(0)).is_gt());
/// ```
pub fn isolate<E>(
    polynomial: &Polynomial,
    spend: &mut impl FnMut(&Polynomial) -> Result<(), E>,
) -> Result<Vec<Root>, E> {
    if polynomial.degree() == 0 {
        return Ok(Vec::new());
    }
    let (polynomial, has_zero) = polynomial.square_free().without_zero();
    let (below, rest) = positive(polynomial.reflected(), spend)?;
    let rest = Arc::new(rest.reflected());
    let mut roots: Vec<Root> = below.iter().rev().map(|root| root.negated(&rest)).collect();
    if has_zero {
        roots.push(Root::exactly(Dyadic::zero()));
    }
    roots.extend(positive(polynomial, spend)?.0);
    Ok(roots)
}

/// An open interval between two points.
type Interval = (Dyadic, Dyadic);

/// Why a round of isolation ended early.
enum Stop<E> {
    /// A point of division is a root.
    Exact(Dyadic),
    Spent(E),
}

impl<E> From<E> for Stop<E> {
    fn from(error: E) -> Stop<E> {
        Stop::Spent(error)
    }
}

/// The positive roots of a polynomial without multiple roots and with a constant term, ascending, and the polynomial
/// that those in intervals belong to.
fn positive<E>(
    mut polynomial: Polynomial,
    spend: &mut impl FnMut(&Polynomial) -> Result<(), E>,
) -> Result<(Vec<Root>, Polynomial), E> {
    let mut roots = Vec::new();
    let intervals = loop {
        match isolate_positive(&polynomial, spend) {
            Ok(intervals) => break intervals,
            Err(Stop::Spent(error)) => return Err(error),
            Err(Stop::Exact(point)) => {
                polynomial = polynomial.deflated(&point);
                roots.push(Root::exactly(point));
            }
        }
    };
    let shared = Arc::new(polynomial.clone());
    roots.extend(intervals.into_iter().map(|(low, high)| Root::within(&shared, low, high)));
    roots.sort_by(Root::order);
    Ok((roots, polynomial))
}

/// A range of exponents (2^low, 2^high] and the variations at its ends.
struct Range {
    low: (i64, usize),
    high: (i64, usize),
}

fn isolate_positive<E>(
    polynomial: &Polynomial,
    spend: &mut impl FnMut(&Polynomial) -> Result<(), E>,
) -> Result<Vec<Interval>, Stop<E>> {
    let variations_at = |exponent: i64| polynomial.scaled(exponent).shifted_by_one().variations();
    let (low, high) = polynomial.root_exponents();
    let mut found = Vec::new();
    // At the lower end no root has been passed, at the upper end all have.
    let mut pending = vec![Range { low: (low, polynomial.variations()), high: (high, 0) }];
    while let Some(Range { low, high }) = pending.pop() {
        spend(polynomial)?;
        match low.1.saturating_sub(high.1) {
            0 => {}
            1 => found.push((Dyadic::power_of_two(low.0), Dyadic::power_of_two(high.0))),
            _ if high.0 - low.0 == 1 => bisect(polynomial, low.0, spend, &mut found)?,
            _ => {
                let exponent = (low.0 + high.0).div_euclid(2);
                if polynomial.sign_at(&Dyadic::power_of_two(exponent)).is_eq() {
                    return Err(Stop::Exact(Dyadic::power_of_two(exponent)));
                }
                let middle = (exponent, variations_at(exponent));
                pending.push(Range { low, high: middle });
                pending.push(Range { low: middle, high });
            }
        }
    }
    Ok(found)
}

/// Isolates the roots between 2^exponent and twice that.
fn bisect<E>(
    polynomial: &Polynomial,
    exponent: i64,
    spend: &mut impl FnMut(&Polynomial) -> Result<(), E>,
    found: &mut Vec<Interval>,
) -> Result<(), Stop<E>> {
    // With index c at depth k: (2^k + c)·2^(exponent − k) to the next, the polynomial mapped to (0, 1).
    let mut pending = vec![(polynomial.scaled(exponent).shifted_by_one(), Integer::new(), 0u32)];
    while let Some((mapped, index, depth)) = pending.pop() {
        spend(&mapped)?;
        let point =
            |index: &Integer, depth: u32| Dyadic::new((Integer::from(1) << depth) + index, exponent - i64::from(depth));
        match mapped.clone().reversed().shifted_by_one().variations() {
            0 => {}
            1 => found.push((point(&index, depth), point(&Integer::from(&index + 1), depth))),
            _ => {
                let (left, depth) = (mapped.scaled(-1), depth + 1);
                let index = index << 1;
                let right = left.clone().shifted_by_one();
                let next = Integer::from(&index + 1);
                if right.coefficients().first().is_some_and(Integer::is_zero) {
                    return Err(Stop::Exact(point(&next, depth)));
                }
                pending.push((left, index, depth));
                pending.push((right, next, depth));
            }
        }
    }
    Ok(())
}
