//! Real algebraic numbers, as solvers report them: the i-th real root of an integer polynomial.
//!
//! **Claim.** Every comparison, enclosure and rounding below is exact.
//!
//! **Argument.** Roots are counted by Sturm's theorem: for a polynomial without multiple roots, the number of roots in
//! (a, b] is V(a) − V(b), V being the sign changes in the Sturm chain (Basu, Pollack, Roy, "Algorithms in Real Algebraic
//! Geometry", 2006, section 2.2.2). Multiple roots are removed first by dividing by the greatest common divisor with
//! the derivative, the root 0 by dividing by x, and negative roots are found as positive ones of the reflected polynomial.
//! All signs are of integers: at a point n/2^k the polynomial is multiplied by 2^(k·degree). Once an interval isolates
//! one root, which is simple, the polynomial's sign alone says on which side of a point the root lies.

mod polynomial;

use std::cmp::Ordering;

use labrys_float::{Float, Format, RoundingMode};
use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{One, Zero};

use polynomial::{Polynomial, SturmChain};

/// Why there is no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchRoot {
    /// A constant polynomial has no roots, or all numbers are.
    #[error("a constant polynomial defines no number")]
    Constant,
    /// The polynomial has fewer roots.
    #[error("root {index} of a polynomial with {count} real roots")]
    Index {
        /// The root asked for, counted from 1.
        index: usize,
        /// How many distinct real roots there are.
        count: usize,
    },
}

/// A real root of an integer polynomial.
///
/// ```
/// use labrys_term::AlgebraicNumber;
/// use labrys_float::Format;
///
/// // The second real root of x² − 2.
/// let root = AlgebraicNumber::new([-2, 0, 1].map(Into::into).to_vec(), 2).unwrap();
/// let (below, above) = root.round_both(Format::BINARY64);
/// assert_eq!((below.to_f64(), above.to_f64()), (Some(1.414213562373095), Some(2f64.sqrt())));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AlgebraicNumber {
    /// The defining polynomial's coefficients, constant term first, as given.
    coefficients: Vec<BigInt>,
    /// Which real root, counted from 1 in ascending order.
    index: usize,
    negative: bool,
    /// `None` for zero.
    magnitude: Option<Magnitude>,
}

/// A positive root, isolated.
#[derive(Clone, Debug, PartialEq)]
struct Magnitude {
    /// Has this as its only root in (low, high]; no multiple roots; not 0 at `low` unless the two are equal.
    polynomial: Polynomial,
    /// The root lies in (low, high], or is both where they are equal. high ≤ 2·low.
    interval: Interval,
}

/// From low/2^scale to high/2^scale, positive.
#[derive(Clone, Debug, PartialEq)]
struct Interval {
    low: BigInt,
    high: BigInt,
    /// May be negative.
    scale: i64,
}

impl Interval {
    fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// Whether its width is at most 2^−bits of its lower end.
    fn is_within(&self, bits: u32) -> bool {
        (&self.high - &self.low) << bits <= self.low
    }

    fn ends(&self) -> (BigRational, BigRational) {
        (dyadic(&self.low, self.scale), dyadic(&self.high, self.scale))
    }
}

/// n/2^scale.
fn dyadic(numerator: &BigInt, scale: i64) -> BigRational {
    if scale >= 0 {
        BigRational::new(numerator.clone(), BigInt::one() << scale)
    } else {
        BigRational::from_integer(numerator << -scale)
    }
}

impl Magnitude {
    /// The `rank`-th positive root, counted from 1, of a polynomial that has so many.
    fn isolate(chain: &SturmChain, rank: usize) -> Magnitude {
        let polynomial = chain.polynomial().clone();
        let at_zero = chain.changes_at(&BigInt::zero(), 0);
        // How many roots lie in (0, n/2^scale].
        let count = |n: &BigInt, scale: i64| at_zero.saturating_sub(chain.changes_at(n, scale));

        // 2^below < root ≤ 2^above.
        let (mut below, mut above) = polynomial.root_exponents();
        while above - below > 1 {
            let middle = (below + above).div_euclid(2);
            if count(&BigInt::one(), -middle) >= rank { above = middle } else { below = middle }
        }
        let (mut low, mut high, mut scale) = (BigInt::one(), BigInt::from(2), -below);
        while count(&high, scale) - count(&low, scale) != 1 || polynomial.sign_at(&low, scale) == Sign::NoSign {
            let middle = &low + &high;
            (low, high, scale) = (low << 1, high << 1, scale + 1);
            if count(&middle, scale) >= rank { high = middle } else { low = middle }
        }
        if polynomial.sign_at(&high, scale) == Sign::NoSign {
            low = high.clone();
        }
        Magnitude { polynomial, interval: Interval { low, high, scale } }
    }

    /// An interval around the root no wider than 2^−bits of it.
    fn refined(&self, bits: u32) -> Interval {
        let Interval { mut low, mut high, mut scale } = self.interval.clone();
        let sign = self.polynomial.sign_at(&low, scale);
        loop {
            let interval = Interval { low, high, scale };
            if interval.is_point() || interval.is_within(bits) {
                return interval;
            }
            let middle = &interval.low + &interval.high;
            (low, high, scale) = (interval.low << 1, interval.high << 1, scale + 1);
            match self.polynomial.sign_at(&middle, scale) {
                Sign::NoSign => (low, high) = (middle.clone(), middle),
                at_middle if at_middle == sign => low = middle,
                _ => high = middle,
            }
        }
    }

    fn compare(&self, value: &BigRational) -> Ordering {
        let (low, high) = self.interval.ends();
        if self.interval.is_point() {
            return low.cmp(value);
        }
        if *value <= low {
            return Ordering::Greater;
        }
        if *value > high {
            return Ordering::Less;
        }
        match self.polynomial.sign_at_rational(value) {
            Sign::NoSign => Ordering::Equal,
            sign if sign == self.polynomial.sign_at(&self.interval.low, self.interval.scale) => Ordering::Greater,
            _ => Ordering::Less,
        }
    }

    /// The greatest float not above the root and the least not below.
    fn round_both(&self, format: Format) -> (Float, Float) {
        // Neighbouring floats differ by more than 2^−p of the smaller: at most one lies in so narrow an interval.
        let interval = self.refined(format.precision() + 2);
        let (low, high) = interval.ends();
        let down = |value: &BigRational| Float::from_rational(format, value, RoundingMode::TowardNegative);
        let (below_low, below_high) = (down(&low), down(&high));
        let above = Float::from_rational(format, &high, RoundingMode::TowardPositive);
        if below_low == below_high {
            return (below_low, above);
        }
        // A float lies in (low, high]. It is finite, having been rounded down from a positive number.
        let float = below_high;
        match float.to_rational().map(|value| self.compare(&value)) {
            Some(Ordering::Less) => (float.next_down(), float),
            Some(Ordering::Greater) => (float, above),
            Some(Ordering::Equal) | None => (float.clone(), float),
        }
    }
}

impl AlgebraicNumber {
    /// The `index`-th distinct real root, counted from 1 in ascending order, of the polynomial with these coefficients,
    /// constant term first.
    pub fn new(coefficients: Vec<BigInt>, index: usize) -> Result<AlgebraicNumber, NoSuchRoot> {
        let polynomial = Polynomial::new(coefficients.clone());
        if polynomial.degree() == 0 {
            return Err(NoSuchRoot::Constant);
        }
        let (polynomial, has_zero) = polynomial.square_free().without_zero();
        let positive = SturmChain::new(polynomial.clone());
        let negative = SturmChain::new(polynomial.reflected());
        let (above, below) = (positive.positive_roots(), negative.positive_roots());
        let count = above + below + usize::from(has_zero);
        if index == 0 || index > count {
            return Err(NoSuchRoot::Index { index, count });
        }
        let is_negative = index <= below;
        let magnitude = if is_negative {
            Some(Magnitude::isolate(&negative, below + 1 - index))
        } else if has_zero && index == below + 1 {
            None
        } else {
            Some(Magnitude::isolate(&positive, index - below - usize::from(has_zero)))
        };
        Ok(AlgebraicNumber { coefficients, index, negative: is_negative, magnitude })
    }

    /// The defining polynomial's coefficients, constant term first.
    pub fn coefficients(&self) -> &[BigInt] {
        &self.coefficients
    }

    /// Which of its real roots, counted from 1 in ascending order.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number compared with zero.
    pub fn sign(&self) -> Ordering {
        match (&self.magnitude, self.negative) {
            (None, _) => Ordering::Equal,
            (Some(_), true) => Ordering::Less,
            (Some(_), false) => Ordering::Greater,
        }
    }

    /// Rational bounds, low ≤ number ≤ high, no farther apart than 2^−`bits` of the number's magnitude.
    pub fn interval(&self, bits: u32) -> (BigRational, BigRational) {
        let Some(magnitude) = &self.magnitude else { return (BigRational::zero(), BigRational::zero()) };
        let (low, high) = magnitude.refined(bits).ends();
        if self.negative { (-high, -low) } else { (low, high) }
    }

    /// The number compared with a rational one.
    pub fn compare(&self, value: &BigRational) -> Ordering {
        match (&self.magnitude, self.sign()) {
            (Some(magnitude), Ordering::Less) => magnitude.compare(&-value.clone()).reverse(),
            (Some(magnitude), _) => magnitude.compare(value),
            (None, _) => BigRational::zero().cmp(value),
        }
    }

    /// The greatest float not above the number and the least not below: equal where the number is a float.
    pub fn round_both(&self, format: Format) -> (Float, Float) {
        match &self.magnitude {
            None => (Float::zero(format, false), Float::zero(format, false)),
            Some(magnitude) => {
                let (below, above) = magnitude.round_both(format);
                if self.negative { (above.neg(), below.neg()) } else { (below, above) }
            }
        }
    }
}

/// The greatest float not above `value` and the least not below: equal where it is a float; ±∞ beyond the largest.
pub fn round_both(value: &BigRational, format: Format) -> (Float, Float) {
    let round = |mode| Float::from_rational(format, value, mode);
    (round(RoundingMode::TowardNegative), round(RoundingMode::TowardPositive))
}

#[cfg(test)]
mod tests {
    use num_traits::Signed;
    use proptest::prelude::*;

    use super::*;

    fn number(coefficients: &[i64], index: usize) -> Result<AlgebraicNumber, NoSuchRoot> {
        AlgebraicNumber::new(coefficients.iter().map(|&c| c.into()).collect(), index)
    }

    /// The product of (d·x − n) over the roots n/d.
    fn with_roots(roots: &[(i64, i64)]) -> Vec<BigInt> {
        let mut product = vec![BigInt::one()];
        for (n, d) in roots {
            let mut next = vec![BigInt::zero(); product.len() + 1];
            for (i, coefficient) in product.iter().enumerate() {
                next[i] -= coefficient * n;
                next[i + 1] += coefficient * d;
            }
            product = next;
        }
        product
    }

    #[test]
    fn roots_are_numbered_in_ascending_order() {
        // x(x² − 2)(x − 3): −√2, 0, √2, 3.
        let coefficients = [0, 6, -2, -3, 1];
        let rounded = |index| number(&coefficients, index).unwrap().round_both(Format::BINARY64);
        let root = 2f64.sqrt();
        assert_eq!(rounded(1).0.to_f64(), Some(-root));
        assert_eq!(rounded(2).0.to_f64(), Some(0.0));
        assert_eq!(rounded(3).1.to_f64(), Some(root));
        assert_eq!(rounded(4), (Float::from_f64(3.0), Float::from_f64(3.0)));
        assert_eq!(number(&coefficients, 5), Err(NoSuchRoot::Index { index: 5, count: 4 }));
        assert_eq!(number(&coefficients, 0), Err(NoSuchRoot::Index { index: 0, count: 4 }));
        assert_eq!(number(&[7], 1), Err(NoSuchRoot::Constant));
        assert_eq!(number(&[0, 0], 1), Err(NoSuchRoot::Constant));
        assert_eq!(number(&[1, 0, 1], 1), Err(NoSuchRoot::Index { index: 1, count: 0 }));
    }

    #[test]
    fn tiny_and_huge_roots_keep_their_relative_precision() {
        // x³ = 2^±3001: far outside binary64, and inside binary128.
        for (shift_constant, shift_leading) in [(3001u32, 0u32), (0, 3001)] {
            let coefficients =
                vec![-(BigInt::one() << shift_constant), 0.into(), 0.into(), BigInt::one() << shift_leading];
            let root = AlgebraicNumber::new(coefficients, 1).unwrap();
            let (low, high) = root.interval(200);
            assert!((&high - &low) * BigRational::from_integer(BigInt::one() << 200) <= low.abs());
            let (below, above) = root.round_both(Format::BINARY128);
            assert_eq!(below.next_up(), above);
        }
    }

    #[test]
    fn overflowing_and_underflowing_roots_round_to_the_range_s_ends() {
        let huge = AlgebraicNumber::new(vec![-(BigInt::one() << 5001u32), 0.into(), 1.into()], 2).unwrap();
        let expected = (Float::max_finite(Format::BINARY64), Float::infinity(Format::BINARY64, false));
        assert_eq!(huge.round_both(Format::BINARY64), expected);
        let tiny = AlgebraicNumber::new(vec![(-1).into(), 0.into(), BigInt::one() << 5001u32], 1).unwrap();
        let (below, above) = tiny.round_both(Format::BINARY64);
        assert_eq!(below, Float::min_subnormal(Format::BINARY64).neg());
        assert!(above.is_zero());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn rational_roots_are_found_exactly(mut roots in prop::collection::vec((-50i64..50, 1i64..20), 1..5)) {
            let coefficients = with_roots(&roots);
            roots.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
            roots.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
            for (i, (n, d)) in roots.iter().enumerate() {
                let root = AlgebraicNumber::new(coefficients.clone(), i + 1).unwrap();
                let value = BigRational::new((*n).into(), (*d).into());
                prop_assert_eq!(root.compare(&value), Ordering::Equal);
                let nearby = &value + BigRational::new(1.into(), BigInt::one() << 300);
                prop_assert_eq!(root.compare(&nearby), Ordering::Less);
                prop_assert_eq!(root.round_both(Format::BINARY32), round_both(&value, Format::BINARY32));
                let (low, high) = root.interval(100);
                prop_assert!(low <= value && value <= high);
            }
            let count = roots.len();
            let beyond = AlgebraicNumber::new(coefficients, count + 1);
            prop_assert_eq!(beyond, Err(NoSuchRoot::Index { index: count + 1, count }));
        }

        #[test]
        fn square_roots_agree_with_the_hardware(a in 1u32..) {
            let root = AlgebraicNumber::new(vec![-BigInt::from(a), 0.into(), 1.into()], 2).unwrap();
            let (below, above) = root.round_both(Format::BINARY64);
            let hardware = Float::from_f64(f64::from(a).sqrt());
            prop_assert!(below == hardware || above == hardware);
            prop_assert_eq!(below == above, f64::from(a).sqrt().fract() == 0.0);
        }
    }
}
