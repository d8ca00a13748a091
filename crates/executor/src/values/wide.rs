//! Conversions between floats and integers of more than 128 bits, which clang's code generation computes on the integers' bits.
//!
//! Found by natively compiled code, in all rounding modes: to binary32 and binary64 it rounds to nearest even whatever the mode is, and raises nothing;
//! to binary16 that result of binary32 is converted, to x87's format one of binary128, by instructions or functions that go by the mode and raise.
//! Numbers out of the range of binary32 or binary64 have bits of no meaning, and unsigned integers come to x87's format with the sign of their highest
//! bit: such a result may be any number, or ends the path. An integer is a float's integral part, and nothing is raised; what does not fit may be any.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_interp::{Domain, FloatOperation, Int, Soft, Stop, ToInteger};
use labrys_symex::float_terms::{self, Folding};
use labrys_symex::int_terms::{as_bit_vector, ite};
use labrys_term::{Op, TermId};

use super::concrete::{is_modelled, refuse};
use super::environment::{FloatEnvironment, Raising};
use super::{FloatValue, Values};

/// How these conversions round.
const MODE: RoundingMode = RoundingMode::NearestEven;

impl Values<'_> {
    /// A known float as an integer of more than 128 bits.
    pub(super) fn known_to_many_bits(
        &mut self,
        environment: &FloatEnvironment,
        conversion: ToInteger,
        value: &Float,
    ) -> Result<Int<TermId>, Stop> {
        self.refuse_to_many_bits(environment, conversion, value.format())?;
        let soft = Soft::new(Environment::with_rounding(RoundingMode::TowardZero));
        let (int, is_poison, _) = soft.convert_to_int(conversion, value);
        match is_poison {
            true => {
                Err(Stop::unsupported("a conversion of a float out of the range of an integer of more than 128 bits"))
            }
            false => Ok(int),
        }
    }

    /// The same of a float that is not known.
    pub(super) fn term_to_many_bits(
        &mut self,
        environment: &FloatEnvironment,
        conversion: ToInteger,
        term: TermId,
    ) -> Result<Int<TermId>, Stop> {
        let ToInteger { bits, signed, .. } = conversion;
        let of = super::encoding::format(self.store, term);
        self.refuse_to_many_bits(environment, conversion, of)?;
        Ok(self.rounded_or_any(term, RoundingMode::TowardZero, (bits, signed)))
    }

    fn refuse_to_many_bits(
        &self,
        environment: &FloatEnvironment,
        conversion: ToInteger,
        of: Format,
    ) -> Result<(), Stop> {
        let truncates = conversion.mode.unwrap_or(environment.rounding) == RoundingMode::TowardZero;
        if conversion.saturating || !truncates {
            return Err(Stop::unsupported(
                "conversions to integers of more than 128 bits that saturate or do not truncate",
            ));
        }
        if !is_modelled(of) {
            return Err(refuse(of));
        }
        // x87's is widened first, by a function that looks at odd encodings and NaNs.
        match of.has_explicit_leading_bit() && self.tells(environment) {
            true => {
                Err(Stop::unsupported("exceptions of conversions of long double to integers of more than 128 bits"))
            }
            false => Ok(()),
        }
    }

    /// An integer of more than 128 bits as a float.
    pub(super) fn convert_from_many_bits(
        &mut self,
        environment: &mut FloatEnvironment,
        value: &Int<TermId>,
        signed: bool,
        to: Format,
    ) -> Result<FloatValue, Stop> {
        match to {
            Format::BINARY16 => {
                let single = self.nearest_float(value, signed, Format::BINARY32)?;
                self.operate(environment, FloatOperation::Convert(to), &[single])
            }
            Format::X87 => self.by_binary128(environment, value, signed),
            _ => self.nearest_float(value, signed, to),
        }
    }

    /// The nearest float; where the integer is out of its range, any.
    fn nearest_float(&mut self, value: &Int<TermId>, signed: bool, to: Format) -> Result<FloatValue, Stop> {
        if let Some(number) = value.known_integer(signed) {
            let nearest = Environment::with_rounding(MODE).from_integer(&number, to).value;
            return match nearest.is_finite() {
                true => Ok(FloatValue::of(&nearest)),
                false => Err(Stop::unsupported("a conversion of an integer out of the range of a float")),
            };
        }
        let nearest = float_terms::from_integer(self.store, value, signed, to, MODE, Folding::All);
        // What is below a power of two that the format has is rounded to that at most.
        if i64::from(value.bits() - u32::from(signed)) <= to.max_exponent() {
            return Ok(self.float(nearest));
        }
        let infinite = self.store.mk(Op::FpIsInfinite, &[nearest]);
        let any = self.open_integer("float", to.width());
        let any = self.float_from_bits(&any, to);
        let any = self.term(&any);
        let result = ite(self.store, infinite, any, nearest);
        Ok(self.float(result))
    }

    /// A number of x87's format, rounded to binary128 first.
    fn by_binary128(
        &mut self,
        environment: &mut FloatEnvironment,
        value: &Int<TermId>,
        signed: bool,
    ) -> Result<FloatValue, Stop> {
        if !signed {
            return Err(Stop::unsupported("conversions of unsigned integers of more than 128 bits to long double"));
        }
        let mode = environment.rounding;
        if let Some(number) = value.known_integer(signed) {
            let wide = Environment::with_rounding(MODE).from_integer(&number, Format::BINARY128).value;
            let rounded = Environment::with_rounding(mode).convert(&wide, Format::X87);
            environment.raised |= rounded.flags;
            return Ok(FloatValue::of(&rounded.value));
        }
        let nearest = self.store.rounding_mode(MODE);
        let rounding = self.store.rounding_mode(mode);
        let vector = as_bit_vector(self.store, value);
        let wide = self.store.mk(Op::FpFromSigned(Format::BINARY128), &[nearest, vector]);
        let result = self.store.mk(Op::FpFromFloat(Format::X87), &[rounding, wide]);
        self.note(environment, Raising::Operation(result));
        Ok(self.float(result))
    }
}
