//! Numbers in order: neighbours and distances in units in the last place (ulps).

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::One;

use crate::{Float, Format};

impl Float {
    /// The place among the format's numbers in order: 0 for both zeros, 1 for the smallest positive number, −1 for its
    /// negative; `None` for NaNs. Adjacent numbers differ by 1, infinities included.
    pub fn ordinal(&self) -> Option<BigInt> {
        let sign = if self.is_negative() { Sign::Minus } else { Sign::Plus };
        let magnitude = match self.unpack() {
            crate::unpacked::Unpacked::Nan { .. } => return None,
            crate::unpacked::Unpacked::Infinite { .. } => self.format().infinity_magnitude(),
            crate::unpacked::Unpacked::Finite(finite) => {
                let steps = (finite.exponent - self.format().min_lsb_exponent()) as u64;
                (BigUint::from(steps) << (self.format().precision() - 1)) + finite.significand
            }
        };
        Some(BigInt::from_biguint(sign, magnitude))
    }

    /// The number at a place; places beyond the infinities give them, 0 gives +0.
    pub fn from_ordinal(format: Format, ordinal: &BigInt) -> Float {
        let magnitude = ordinal.magnitude().min(&format.infinity_magnitude()).clone();
        Float::from_magnitude(format, ordinal.sign() == Sign::Minus, &magnitude)
    }

    /// The least number greater than this one (IEEE 754's nextUp); +∞ and NaNs stay. The smallest negative number's is −0.
    pub fn next_up(&self) -> Float {
        match self.ordinal() {
            None => self.clone(),
            Some(ordinal) if ordinal == -BigInt::one() => Float::zero(self.format(), true),
            Some(ordinal) => Float::from_ordinal(self.format(), &(ordinal + 1)),
        }
    }

    /// The greatest number less than this one (IEEE 754's nextDown); −∞ and NaNs stay.
    pub fn next_down(&self) -> Float {
        self.neg().next_up().neg()
    }

    /// How many steps from neighbour to neighbour lead from one number to the other; `None` if either is a NaN or the
    /// formats differ. Both zeros are one place.
    pub fn ulp_distance(&self, other: &Float) -> Option<BigUint> {
        if self.format() != other.format() {
            return None;
        }
        Some((self.ordinal()? - other.ordinal()?).into_parts().1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_agree_with_rust() {
        for bits in [0u64, 1, 1 << 63, 0x8000000000000001, 0x3ff0000000000000, 0x7fefffffffffffff, 0xfff0000000000000] {
            let (float, native) = (Float::from_bits(Format::BINARY64, bits), f64::from_bits(bits));
            assert_eq!(float.next_up(), Float::from_f64(native.next_up()), "{bits:x}");
            assert_eq!(float.next_down(), Float::from_f64(native.next_down()), "{bits:x}");
        }
    }

    #[test]
    fn ordinals_count_every_number_of_a_small_format() {
        let format = Format::new(3, 4);
        let mut number = Float::infinity(format, true);
        let mut ordinal = number.ordinal().unwrap();
        loop {
            assert_eq!(Float::from_ordinal(format, &ordinal).ordinal(), Some(ordinal.clone()));
            if number.is_infinite() && !number.is_negative() {
                break;
            }
            number = number.next_up();
            ordinal += 1;
            assert_eq!(number.ordinal(), Some(ordinal.clone()));
        }
        assert_eq!(ordinal, BigInt::from(56));
    }

    #[test]
    fn x87_ordinals_pass_from_subnormals_to_normals() {
        let least = Float::min_normal(Format::X87);
        assert_eq!(least.to_u128(), Some(0x0001_8000_0000_0000_0000));
        assert_eq!(least.next_down().to_u128(), Some(0x0000_7fff_ffff_ffff_ffff));
        assert_eq!(Float::max_finite(Format::X87).next_up(), Float::infinity(Format::X87, false));
        assert_eq!(Float::infinity(Format::X87, true).to_u128(), Some(0xffff_8000_0000_0000_0000));
        // A pseudo-subnormal stands where the number of its value stands.
        let pseudo = Float::from_bits(Format::X87, 0x0000_8000_0000_0000_0000u128);
        assert_eq!(pseudo.ulp_distance(&least), Some(BigUint::ZERO));
    }
}
