//! The values that facts leave to a wide vector.

use num_bigint::BigUint;
use num_traits::One;

use super::number::{below, mask, scaled};
use crate::domain::BitVecDomain;
use crate::local::random::Random;

/// A wide vector's values: a superset of those in any model. See [`BitVecDomain`], which ends at 128 bits.
#[derive(Clone, Debug)]
pub(in crate::local) struct WideBounds {
    pub width: u32,
    low: BigUint,
    high: BigUint,
    ones: BigUint,
    zeros: BigUint,
}

impl WideBounds {
    /// Everything.
    pub fn top(width: u32) -> WideBounds {
        WideBounds { width, low: BigUint::ZERO, high: mask(width), ones: BigUint::ZERO, zeros: BigUint::ZERO }
    }

    /// What a fact says; everything if it allows nothing, since there is no model to find then.
    pub fn of(domain: &BitVecDomain) -> WideBounds {
        if domain.low > domain.high {
            return WideBounds::top(domain.width);
        }
        let [low, high, ones, zeros] = [domain.low, domain.high, domain.ones, domain.zeros].map(BigUint::from);
        WideBounds { width: domain.width, low, high, ones, zeros }
    }

    /// Whether a vector is allowed.
    pub fn contains(&self, bits: &BigUint) -> bool {
        self.low <= *bits && *bits <= self.high && self.fixed(bits.clone()) == *bits
    }

    /// The vector with the known bits as they must be.
    fn fixed(&self, bits: BigUint) -> BigUint {
        let ones = bits | &self.ones;
        let wrong = &ones & &self.zeros;
        ones ^ wrong
    }

    /// The vector if it is allowed, else one nearby that mostly is.
    pub fn clip(&self, bits: &BigUint) -> BigUint {
        self.fixed(bits.clamp(&self.low, &self.high).clone())
    }

    /// The allowed vectors at the ends of what is allowed.
    pub fn landmarks(&self) -> Vec<BigUint> {
        let top = BigUint::one() << (self.width - 1);
        let mut all = vec![BigUint::ZERO, BigUint::one(), &top - 1u8, top, mask(self.width)];
        all.extend([self.low.clone(), &self.low + 1u8, self.high.clone()]);
        if self.high > self.low {
            all.push(&self.high - 1u8);
        }
        all.retain(|bits| self.contains(bits));
        all
    }

    /// A vector that mostly is allowed, each order of magnitude about as likely.
    pub fn sample(&self, random: &mut Random) -> BigUint {
        let span = &self.high - &self.low;
        let bits = span.bits() as u32;
        let offset = match random.below(3) {
            0 => scaled(bits, random).min(span),
            1 => &span - scaled(bits, random).min(span.clone()),
            _ => below(&(span + 1u8), random),
        };
        self.fixed(&self.low + offset)
    }
}
