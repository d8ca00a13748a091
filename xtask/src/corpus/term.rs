//! Terms of the generated files: their text, and where it is known their value under the file's witness.

use super::width::Width;

/// A term of a floating-point sort. Operations round to nearest, ties to even, unless their name says otherwise.
#[derive(Clone)]
pub struct Float {
    pub text: String,
    /// The value under the witness; `None` once an operation was used that is not computed here.
    pub value: Option<f64>,
    pub width: Width,
}

/// A formula.
#[derive(Clone)]
pub struct Truth {
    pub text: String,
    pub value: Option<bool>,
}

/// A bit vector of at most 64 bits.
#[derive(Clone)]
pub struct Bits {
    pub text: String,
    pub value: Option<u64>,
    pub size: u32,
}

impl Float {
    /// A literal: the value of the format nearest to `value`.
    pub fn literal(width: Width, value: f64) -> Self {
        let value = width.round(value);
        Self { text: width.literal(value), value: Some(value), width }
    }

    /// A literal of this term's format.
    pub fn like(&self, value: f64) -> Self {
        Self::literal(self.width, value)
    }

    fn made(&self, text: String, value: Option<f64>) -> Self {
        Self { text, value: value.map(|value| self.width.round(value)), width: self.width }
    }

    fn rounded(&self, name: &str, other: &Self, value: fn(f64, f64) -> f64) -> Self {
        let value = self.value.zip(other.value).map(|(a, b)| value(a, b));
        self.made(format!("({name} RNE {} {})", self.text, other.text), value)
    }

    pub fn add(&self, other: &Self) -> Self {
        self.rounded("fp.add", other, |a, b| a + b)
    }

    pub fn sub(&self, other: &Self) -> Self {
        self.rounded("fp.sub", other, |a, b| a - b)
    }

    pub fn mul(&self, other: &Self) -> Self {
        self.rounded("fp.mul", other, |a, b| a * b)
    }

    pub fn div(&self, other: &Self) -> Self {
        self.rounded("fp.div", other, |a, b| a / b)
    }

    pub fn sqrt(&self) -> Self {
        self.made(format!("(fp.sqrt RNE {})", self.text), self.value.map(f64::sqrt))
    }

    /// self * other + addend, rounded once; the value is known in binary64 and binary32.
    pub fn fma(&self, other: &Self, addend: &Self) -> Self {
        let value = self.value.zip(other.value).zip(addend.value).and_then(|((a, b), c)| match self.width {
            Width::Double => Some(a.mul_add(b, c)),
            Width::Single => Some(f64::from((a as f32).mul_add(b as f32, c as f32))),
            Width::Half => None,
        });
        self.made(format!("(fp.fma RNE {} {} {})", self.text, other.text, addend.text), value)
    }

    /// An operation whose value is not computed here: `text` is the whole term.
    pub fn opaque(&self, text: String) -> Self {
        self.made(text, None)
    }

    pub fn neg(&self) -> Self {
        self.made(format!("(fp.neg {})", self.text), self.value.map(|value| -value))
    }

    pub fn abs(&self) -> Self {
        self.made(format!("(fp.abs {})", self.text), self.value.map(f64::abs))
    }

    /// The smaller one; of no value where both are zeros, since the standard leaves the sign open.
    pub fn min(&self, other: &Self) -> Self {
        let value = self.value.zip(other.value).filter(|&pair| pair != (0.0, 0.0)).map(|(a, b)| a.min(b));
        self.made(format!("(fp.min {} {})", self.text, other.text), value)
    }

    /// The larger one, as `min`.
    pub fn max(&self, other: &Self) -> Self {
        let value = self.value.zip(other.value).filter(|&pair| pair != (0.0, 0.0)).map(|(a, b)| a.max(b));
        self.made(format!("(fp.max {} {})", self.text, other.text), value)
    }

    /// The nearest integer, ties to even.
    pub fn round_to_integral(&self) -> Self {
        self.made(format!("(fp.roundToIntegral RNE {})", self.text), self.value.map(f64::round_ties_even))
    }

    /// The nearest value of another format.
    pub fn convert(&self, width: Width) -> Self {
        let value = self.value.map(|value| width.round(value));
        Self { text: format!("({} RNE {})", width.conversion(), self.text), value, width }
    }

    fn compared(&self, name: &str, other: &Self, value: fn(f64, f64) -> bool) -> Truth {
        let value = self.value.zip(other.value).map(|(a, b)| value(a, b));
        Truth { text: format!("({name} {} {})", self.text, other.text), value }
    }

    pub fn less(&self, other: &Self) -> Truth {
        self.compared("fp.lt", other, |a, b| a < b)
    }

    pub fn at_most(&self, other: &Self) -> Truth {
        self.compared("fp.leq", other, |a, b| a <= b)
    }

    pub fn more(&self, other: &Self) -> Truth {
        self.compared("fp.gt", other, |a, b| a > b)
    }

    pub fn at_least(&self, other: &Self) -> Truth {
        self.compared("fp.geq", other, |a, b| a >= b)
    }

    /// IEEE 754's equality.
    pub fn equals(&self, other: &Self) -> Truth {
        self.compared("fp.eq", other, |a, b| a == b)
    }

    /// Identity: one NaN, two zeros.
    pub fn same(&self, other: &Self) -> Truth {
        self.compared("=", other, |a, b| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
    }

    pub fn is_infinite(&self) -> Truth {
        Truth { text: format!("(fp.isInfinite {})", self.text), value: self.value.map(f64::is_infinite) }
    }

    /// Between two bounds, ends included.
    pub fn within(&self, low: f64, high: f64) -> Truth {
        self.at_least(&self.like(low)).and(&self.at_most(&self.like(high)))
    }

    /// One of two terms.
    pub fn choose(condition: &Truth, then: &Self, other: &Self) -> Self {
        let value = condition.value.and_then(|holds| if holds { then.value } else { other.value });
        then.made(format!("(ite {} {} {})", condition.text, then.text, other.text), value)
    }

    /// A bit vector read as an encoding.
    pub fn from_encoding(width: Width, bits: &Bits) -> Self {
        let value = bits.value.map(|encoding| width.decode(encoding));
        Self { text: format!("({} {})", width.conversion(), bits.text), value, width }
    }
}

impl Truth {
    fn joined(&self, name: &str, other: &Self, value: fn(bool, bool) -> bool) -> Self {
        let value = self.value.zip(other.value).map(|(a, b)| value(a, b));
        Self { text: format!("({name} {} {})", self.text, other.text), value }
    }

    pub fn and(&self, other: &Self) -> Self {
        self.joined("and", other, |a, b| a && b)
    }

    pub fn or(&self, other: &Self) -> Self {
        self.joined("or", other, |a, b| a || b)
    }

    pub fn not(&self) -> Self {
        Self { text: format!("(not {})", self.text), value: self.value.map(|value| !value) }
    }
}

impl Bits {
    pub fn literal(size: u32, value: u64) -> Self {
        Self { text: format!("(_ bv{value} {size})"), value: Some(value), size }
    }

    /// A literal of this term's size.
    pub fn like(&self, value: u64) -> Self {
        Self::literal(self.size, value)
    }

    fn joined(&self, name: &str, other: &Self, value: fn(u64, u64) -> u64) -> Self {
        let mask = u64::MAX >> (64 - self.size);
        let value = self.value.zip(other.value).map(|(a, b)| value(a, b) & mask);
        Self { text: format!("({name} {} {})", self.text, other.text), value, size: self.size }
    }

    pub fn add(&self, other: &Self) -> Self {
        self.joined("bvadd", other, u64::wrapping_add)
    }

    pub fn sub(&self, other: &Self) -> Self {
        self.joined("bvsub", other, u64::wrapping_sub)
    }

    pub fn and(&self, other: &Self) -> Self {
        self.joined("bvand", other, |a, b| a & b)
    }

    pub fn xor(&self, other: &Self) -> Self {
        self.joined("bvxor", other, |a, b| a ^ b)
    }

    /// Shifted to the right, zeros coming in.
    pub fn shift_right(&self, places: u64) -> Self {
        self.joined("bvlshr", &self.like(places), |a, places| a >> places)
    }

    /// Unsigned comparison.
    pub fn less(&self, other: &Self) -> Truth {
        let value = self.value.zip(other.value).map(|(a, b)| a < b);
        Truth { text: format!("(bvult {} {})", self.text, other.text), value }
    }

    /// Two's complement comparison.
    pub fn signed_less(&self, other: &Self) -> Truth {
        let sign = 1 << (self.size - 1);
        let value = self.value.zip(other.value).map(|(a, b)| a ^ sign < b ^ sign);
        Truth { text: format!("(bvslt {} {})", self.text, other.text), value }
    }

    pub fn same(&self, other: &Self) -> Truth {
        let value = self.value.zip(other.value).map(|(a, b)| a == b);
        Truth { text: format!("(= {} {})", self.text, other.text), value }
    }
}
