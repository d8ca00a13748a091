//! Intervals of doubles with outward rounding.
//!
//! **Claim.** For members a and b of the operands, the exact real a∘b is a member of the result.
//!
//! **Argument.** Each end is the operation on two ends, rounded to nearest by the processor, then moved one float outward unless the
//! rounded value is known to be exact. Exactness of sums is told by TwoSum (Knuth, "Seminumerical Algorithms", section 4.2.2, theorem B), whose error term is exact where nothing
//! overflows; that of products, quotients and roots by the count of significant bits: a product of two significands of 26 bits has at most
//! 52. It matters: the error of a rounding doubles at powers of two, and x·x on \[0, 1\] shall not reach beyond 1.
//! An end that is infinite or NaN makes the result [`Interval::ENTIRE`], whose members are all real numbers; so an interval has two
//! finite ends, or none.

use std::ops::{Add, Mul, Neg, Sub};

/// The real numbers between two doubles, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

/// Bits of a double below its upper 26.
const LOWER_BITS: u64 = (1 << 27) - 1;

/// Whether the doubles' product, if it is neither too large nor too small, is one: both have at most 26 significant bits.
fn are_short(x: f64, y: f64) -> bool {
    (x.to_bits() | y.to_bits()) & LOWER_BITS == 0
}

/// Whether a rounded result is in the range where short significands alone make it exact, for products of it with divisors too.
fn is_ordinary(x: f64) -> bool {
    let magnitude = x.abs();
    (1e-140..1e140).contains(&magnitude)
}

/// The sum rounded to nearest, and the rounding error: sum + error is exact. The error is NaN where an intermediate
/// result might overflow.
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let part = sum - x;
    if sum.abs() < 1e300 && part.abs() < 1e300 { (sum, (x - (sum - part)) + (y - part)) } else { (sum, f64::NAN) }
}

/// x + y rounded upward.
pub(crate) fn sum_up(x: f64, y: f64) -> f64 {
    let (sum, error) = two_sum(x, y);
    // The comparison sends NaN upward too.
    if error <= 0.0 { sum } else { sum.next_up() }
}

/// x + y rounded downward.
pub(crate) fn sum_down(x: f64, y: f64) -> f64 {
    let (sum, error) = two_sum(x, y);
    if error >= 0.0 { sum } else { sum.next_down() }
}

fn is_exact_product(x: f64, y: f64, product: f64) -> bool {
    x == 0.0 || y == 0.0 || (are_short(x, y) && is_ordinary(product))
}

/// x·y rounded upward.
pub(crate) fn product_up(x: f64, y: f64) -> f64 {
    let product = x * y;
    if is_exact_product(x, y, product) { product } else { product.next_up() }
}

/// x·y rounded downward.
pub(crate) fn product_down(x: f64, y: f64) -> f64 {
    let product = x * y;
    if is_exact_product(x, y, product) { product } else { product.next_down() }
}

/// Whether a quotient is exact: it and the divisor are short, and their product is the dividend.
fn is_exact_quotient(x: f64, y: f64, quotient: f64) -> bool {
    x == 0.0 || (are_short(quotient, y) && is_ordinary(quotient) && is_ordinary(x) && quotient * y == x)
}

/// x/y rounded upward; y is not zero.
pub(crate) fn quotient_up(x: f64, y: f64) -> f64 {
    let quotient = x / y;
    if is_exact_quotient(x, y, quotient) { quotient } else { quotient.next_up() }
}

fn quotient_down(x: f64, y: f64) -> f64 {
    let quotient = x / y;
    if is_exact_quotient(x, y, quotient) { quotient } else { quotient.next_down() }
}

impl Interval {
    /// Every real number.
    pub const ENTIRE: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// Zero alone.
    pub const ZERO: Interval = Interval { low: 0.0, high: 0.0 };
    /// One alone.
    pub const ONE: Interval = Interval { low: 1.0, high: 1.0 };
    /// From 0 to 1.
    pub const UNIT: Interval = Interval { low: 0.0, high: 1.0 };

    /// From `low` to `high`; everything where an end is not finite or they are out of order.
    pub fn new(low: f64, high: f64) -> Interval {
        if low <= high && low > f64::NEG_INFINITY && high < f64::INFINITY {
            Interval { low, high }
        } else {
            Interval::ENTIRE
        }
    }

    /// One number.
    pub fn point(value: f64) -> Interval {
        Interval::new(value, value)
    }

    /// From −`radius` to `radius`.
    pub fn symmetric(radius: f64) -> Interval {
        Interval::new(-radius, radius)
    }

    /// The lower end; −∞ of [`Interval::ENTIRE`].
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end; +∞ of [`Interval::ENTIRE`].
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether both ends are finite.
    pub fn is_bounded(self) -> bool {
        self.high < f64::INFINITY
    }

    /// Whether it has one member.
    pub fn is_point(self) -> bool {
        self.low == self.high
    }

    /// Whether a number is a member.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The greatest magnitude of a member.
    pub fn magnitude(self) -> f64 {
        self.high.max(-self.low)
    }

    /// The least magnitude of a member.
    pub fn mignitude(self) -> f64 {
        self.low.max(-self.high).max(0.0)
    }

    /// high − low, rounded upward.
    pub fn width(self) -> f64 {
        sum_up(self.high, -self.low)
    }

    /// A member near the middle.
    pub fn middle(self) -> f64 {
        if !self.is_bounded() {
            return 0.0;
        }
        let middle = 0.5 * self.low + 0.5 * self.high;
        middle.clamp(self.low, self.high)
    }

    /// All members of both and what is between.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Every number at most `radius` from a member.
    pub fn widened(self, radius: f64) -> Interval {
        if radius == 0.0 {
            return self;
        }
        Interval::new(sum_down(self.low, -radius), sum_up(self.high, radius))
    }

    /// The squares.
    pub fn square(self) -> Interval {
        let (least, greatest) = (self.mignitude(), self.magnitude());
        Interval::new(product_down(least, least).max(0.0), product_up(greatest, greatest))
    }

    /// The square roots of the members that have one; everything where none has.
    pub fn sqrt(self) -> Interval {
        if self.high < 0.0 || !self.is_bounded() {
            return Interval::ENTIRE;
        }
        let root = |x: f64, outward: fn(f64) -> f64| {
            let root = x.sqrt();
            let is_exact = x == 0.0 || (are_short(root, root) && is_ordinary(x) && root * root == x);
            if is_exact { root } else { outward(root) }
        };
        let low = root(self.low.max(0.0), f64::next_down).max(0.0);
        Interval::new(low, root(self.high, f64::next_up))
    }

    /// The magnitudes.
    pub fn abs(self) -> Interval {
        Interval::new(self.mignitude(), self.magnitude())
    }

    /// The lesser of a member of each.
    pub fn min(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.min(other.high) }.valid()
    }

    /// The greater of a member of each.
    pub fn max(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.max(other.high) }.valid()
    }

    /// The quotients; everything where the divisor may be zero.
    pub fn quotient(self, divisor: Interval) -> Interval {
        if divisor.contains(0.0) {
            return Interval::ENTIRE;
        }
        if divisor.high < 0.0 {
            return (-self).quotient(-divisor);
        }
        let low = quotient_down(self.low, if self.low >= 0.0 { divisor.high } else { divisor.low });
        let high = quotient_up(self.high, if self.high >= 0.0 { divisor.low } else { divisor.high });
        Interval::new(low, high)
    }

    /// The members times a power of two, or any other number.
    pub fn scaled(self, factor: f64) -> Interval {
        self * Interval::point(factor)
    }

    /// Everything if an end is infinite.
    fn valid(self) -> Interval {
        Interval::new(self.low, self.high)
    }
}

impl Add for Interval {
    type Output = Interval;

    fn add(self, other: Interval) -> Interval {
        Interval::new(sum_down(self.low, other.low), sum_up(self.high, other.high))
    }
}

impl Sub for Interval {
    type Output = Interval;

    fn sub(self, other: Interval) -> Interval {
        Interval::new(sum_down(self.low, -other.high), sum_up(self.high, -other.low))
    }
}

impl Neg for Interval {
    type Output = Interval;

    fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}

impl Mul for Interval {
    type Output = Interval;

    fn mul(self, other: Interval) -> Interval {
        let (a, b) = (self, other);
        if a == Interval::ZERO || b == Interval::ZERO {
            return Interval::ZERO;
        }
        // By signs, so that the ends that make each end of the product are known, and whether it is exact.
        let (low, high) = if a.low >= 0.0 {
            let low = product_down(if b.low >= 0.0 { a.low } else { a.high }, b.low);
            (low, product_up(if b.high >= 0.0 { a.high } else { a.low }, b.high))
        } else if a.high <= 0.0 {
            let low = product_down(if b.high >= 0.0 { a.low } else { a.high }, b.high);
            (low, product_up(if b.low >= 0.0 { a.high } else { a.low }, b.low))
        } else if b.low >= 0.0 {
            (product_down(a.low, b.high), product_up(a.high, b.high))
        } else if b.high <= 0.0 {
            (product_down(a.high, b.low), product_up(a.low, b.low))
        } else {
            let low = product_down(a.low, b.high).min(product_down(a.high, b.low));
            (low, product_up(a.low, b.low).max(product_up(a.high, b.high)))
        };
        // An infinite end times a zero one is NaN, which `new` makes everything; `min` and `max` above drop a NaN only
        // where no end is zero, and then there is none.
        Interval::new(low, high)
    }
}
