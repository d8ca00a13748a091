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
use std::rc::Rc;

use rug::Integer;

use super::effort::Effort;
use super::point::Point;
use super::polynomial::Polynomial;
use crate::Why;

/// A real root.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// What is left when exact roots are divided out: has this as its only root in the closed interval, a simple one.
    polynomial: Rc<Polynomial>,
    low: Point,
    /// The root itself where it is equal to `low`.
    high: Point,
    /// The polynomial's sign at `low`.
    sign_at_low: Ordering,
}

impl Root {
    fn exactly(point: Point) -> Root {
        let polynomial = Rc::new(Polynomial::new(Vec::new()));
        Root { polynomial, low: point.clone(), high: point, sign_at_low: Ordering::Equal }
    }

    fn within(polynomial: &Rc<Polynomial>, low: Point, high: Point) -> Root {
        let sign_at_low = polynomial.sign_at(&low);
        Root { polynomial: polynomial.clone(), low, high, sign_at_low }
    }

    /// Bounds, equal where the root is known exactly; otherwise it lies strictly between.
    pub fn bounds(&self) -> (&Point, &Point) {
        (&self.low, &self.high)
    }

    /// The root compared with a point.
    pub fn compare(&self, point: &Point) -> Ordering {
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
    pub fn refined(&self, bits: u32) -> (Point, Point) {
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

    fn negated(&self, reflected: &Rc<Polynomial>) -> Root {
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
/// # Errors
///
/// Where the effort is spent.
pub(super) fn isolate(polynomial: &Polynomial, effort: &mut Effort) -> Result<Vec<Root>, Why> {
    if polynomial.degree() == 0 {
        return Ok(Vec::new());
    }
    let (polynomial, has_zero) = polynomial.square_free().without_zero();
    let (below, rest) = positive(polynomial.reflected(), effort)?;
    let rest = Rc::new(rest.reflected());
    let mut roots: Vec<Root> = below.iter().rev().map(|root| root.negated(&rest)).collect();
    if has_zero {
        roots.push(Root::exactly(Point::new(Integer::new(), 0)));
    }
    roots.extend(positive(polynomial, effort)?.0);
    Ok(roots)
}

/// An open interval between two points.
type Interval = (Point, Point);

/// Why a round of isolation ended early.
enum Stop {
    /// A point of division is a root.
    Exact(Point),
    Spent(Why),
}

impl From<Why> for Stop {
    fn from(why: Why) -> Stop {
        Stop::Spent(why)
    }
}

/// The positive roots of a polynomial without multiple roots and with a constant term, ascending, and the polynomial
/// that those in intervals belong to.
fn positive(mut polynomial: Polynomial, effort: &mut Effort) -> Result<(Vec<Root>, Polynomial), Why> {
    let mut roots = Vec::new();
    let intervals = loop {
        match isolate_positive(&polynomial, effort) {
            Ok(intervals) => break intervals,
            Err(Stop::Spent(why)) => return Err(why),
            Err(Stop::Exact(point)) => {
                polynomial = polynomial.deflated(&point);
                roots.push(Root::exactly(point));
            }
        }
    };
    let shared = Rc::new(polynomial.clone());
    roots.extend(intervals.into_iter().map(|(low, high)| Root::within(&shared, low, high)));
    roots.sort_by(Root::order);
    Ok((roots, polynomial))
}

/// A range of exponents (2^low, 2^high] and the variations at its ends.
struct Range {
    low: (i64, usize),
    high: (i64, usize),
}

fn isolate_positive(polynomial: &Polynomial, effort: &mut Effort) -> Result<Vec<Interval>, Stop> {
    let variations_at = |exponent: i64| polynomial.scaled(exponent).shifted_by_one().variations();
    let power = |exponent: i64| Point::new(Integer::from(1), exponent);
    let (low, high) = polynomial.root_exponents();
    let mut found = Vec::new();
    // At the lower end no root has been passed, at the upper end all have.
    let mut pending = vec![Range { low: (low, polynomial.variations()), high: (high, 0) }];
    while let Some(Range { low, high }) = pending.pop() {
        effort.spend(polynomial)?;
        match low.1.saturating_sub(high.1) {
            0 => {}
            1 => found.push((power(low.0), power(high.0))),
            _ if high.0 - low.0 == 1 => bisect(polynomial, low.0, effort, &mut found)?,
            _ => {
                let exponent = (low.0 + high.0).div_euclid(2);
                if polynomial.sign_at(&power(exponent)).is_eq() {
                    return Err(Stop::Exact(power(exponent)));
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
fn bisect(polynomial: &Polynomial, exponent: i64, effort: &mut Effort, found: &mut Vec<Interval>) -> Result<(), Stop> {
    // With index c at depth k: (2^k + c)·2^(exponent − k) to the next, the polynomial mapped to (0, 1).
    let mut pending = vec![(polynomial.scaled(exponent).shifted_by_one(), Integer::new(), 0u32)];
    while let Some((mapped, index, depth)) = pending.pop() {
        effort.spend(&mapped)?;
        let point =
            |index: &Integer, depth: u32| Point::new((Integer::from(1) << depth) + index, exponent - i64::from(depth));
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
