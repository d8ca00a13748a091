//! Rounded operations on ranks (see [`FloatDomain`](crate::domain::FloatDomain)): the arithmetic that projections are made of.

use labrys_float::{Environment, Float, Format, Packed, RoundingMode};

use crate::domain::float::{infinity_magnitude, rank, ranked};

/// A format's arithmetic on ranks; `None` in place of NaN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arithmetic {
    format: Format,
    /// +∞'s rank.
    pub infinity: i128,
    /// For formats of at most 64 bits.
    packed: Option<Packed>,
    /// The sign bit of encodings that `packed` reads.
    sign: u64,
}

impl Arithmetic {
    pub fn new(format: Format) -> Arithmetic {
        let packed = Packed::new(format);
        let sign = if packed.is_some() { 1 << (format.width() - 1) } else { 0 };
        Arithmetic { format, infinity: infinity_magnitude(format) as i128, packed, sign }
    }

    /// The magnitude of one unit in the last place of a finite number of this magnitude.
    pub fn last_place(&self, magnitude: i128) -> i128 {
        self.power((magnitude >> (self.format.precision() - 1)).max(1) - 1)
    }

    /// The magnitude of 2^`exponent` times the smallest subnormal number.
    pub fn power(&self, exponent: i128) -> i128 {
        let fraction = i128::from(self.format.precision() - 1);
        if exponent < fraction { 1 << exponent } else { (exponent - fraction + 1) << fraction }
    }

    /// About half the sum.
    pub fn mean(&self, a: i128, b: i128) -> Option<i128> {
        let half = self.power(i128::from(-1 - self.format.min_lsb_exponent()));
        self.mul(RoundingMode::NearestEven, self.add(RoundingMode::NearestEven, a, b)?, half)
    }

    fn encode(&self, rank: i128) -> u64 {
        if rank < 0 { !rank as u64 | self.sign } else { rank as u64 }
    }

    fn decode(&self, bits: u64) -> Option<i128> {
        let magnitude = (bits & !self.sign) as i128;
        if magnitude > self.infinity { None } else { Some(if bits & self.sign != 0 { !magnitude } else { magnitude }) }
    }

    fn float(&self, rank: i128) -> Float {
        ranked(self.format, rank)
    }

    pub fn add(&self, mode: RoundingMode, a: i128, b: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.add(mode, self.encode(a), self.encode(b))),
            None => rank(&Environment::with_rounding(mode).add(&self.float(a), &self.float(b)).value),
        }
    }

    pub fn mul(&self, mode: RoundingMode, a: i128, b: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.mul(mode, self.encode(a), self.encode(b))),
            None => rank(&Environment::with_rounding(mode).mul(&self.float(a), &self.float(b)).value),
        }
    }

    pub fn div(&self, mode: RoundingMode, a: i128, b: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.div(mode, self.encode(a), self.encode(b))),
            None => rank(&Environment::with_rounding(mode).div(&self.float(a), &self.float(b)).value),
        }
    }

    pub fn fma(&self, mode: RoundingMode, a: i128, b: i128, c: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.fma(mode, self.encode(a), self.encode(b), self.encode(c))),
            None => {
                let (a, b, c) = (self.float(a), self.float(b), self.float(c));
                rank(&Environment::with_rounding(mode).fma(&a, &b, &c).value)
            }
        }
    }

    pub fn sqrt(&self, mode: RoundingMode, a: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.sqrt(mode, self.encode(a))),
            None => rank(&Environment::with_rounding(mode).sqrt(&self.float(a)).value),
        }
    }

    pub fn round_to_integral(&self, mode: RoundingMode, a: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.round_to_integral(mode, self.encode(a))),
            None => rank(&Environment::default().round_to_integral(&self.float(a), mode, false).value),
        }
    }

    /// The number in another format.
    pub fn convert(&self, mode: RoundingMode, a: i128, to: &Arithmetic) -> Option<i128> {
        match (self.packed, to.packed) {
            (Some(from), Some(target)) => to.decode(from.convert(mode, self.encode(a), &target)),
            _ => rank(&Environment::with_rounding(mode).convert(&self.float(a), to.format).value),
        }
    }

    /// IEEE 754's remainder.
    pub fn remainder(&self, a: i128, b: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.remainder(self.encode(a), self.encode(b))),
            None => rank(&Environment::default().ieee_remainder(&self.float(a), &self.float(b)).value),
        }
    }

    /// C's fmod.
    pub fn fmod(&self, a: i128, b: i128) -> Option<i128> {
        match self.packed {
            Some(packed) => self.decode(packed.fmod(self.encode(a), self.encode(b))),
            None => rank(&Environment::default().fmod(&self.float(a), &self.float(b)).value),
        }
    }

    /// An integer, given by its sign and magnitude, rounded; 0 is +0.
    pub fn round_integer(&self, mode: RoundingMode, negative: bool, magnitude: u128) -> Option<i128> {
        match self.packed {
            Some(packed) => match i128::try_from(magnitude) {
                Ok(magnitude) => self.decode(packed.from_signed(mode, if negative { -magnitude } else { magnitude })),
                Err(_) if negative => self.decode(packed.from_signed(mode, i128::MIN)),
                Err(_) => self.decode(packed.from_unsigned(mode, magnitude)),
            },
            None => {
                let sign = if negative { num_bigint::Sign::Minus } else { num_bigint::Sign::Plus };
                let value = num_bigint::BigInt::from_biguint(sign, magnitude.into());
                rank(&Environment::with_rounding(mode).from_integer(&value, self.format).value)
            }
        }
    }

    /// The number rounded to an integer of `width` bits, in two's complement if `signed`; `None` if it is out of range.
    pub fn integer(&self, mode: RoundingMode, a: i128, width: u32, signed: bool) -> Option<u128> {
        match self.packed {
            Some(packed) if signed => packed.to_signed(mode, self.encode(a), width),
            Some(packed) => packed.to_unsigned(mode, self.encode(a), width),
            None => {
                let integer = Environment::default().to_integer(&self.float(a), mode, width, signed).0?;
                let magnitude = u128::try_from(integer.magnitude()).ok()?;
                let bits = if integer.sign() == num_bigint::Sign::Minus { magnitude.wrapping_neg() } else { magnitude };
                Some(bits & if width >= 128 { u128::MAX } else { (1 << width) - 1 })
            }
        }
    }
}
