//! Conversions between floats and integers, as clang's code for x86-64 does them.
//!
//! There are instructions for signed integers of 32 and 64 bits (x87: 16, 32 and 64). Others are made of them: a conversion to
//! fewer bits drops the higher ones of a wider result, one to unsigned 64 bits is made of two signed ones. A number out of an
//! instruction's range gives its "integer indefinite", the smallest number. Integers of 128 bits are made by the compiler's library, and where a
//! number does not fit may be any. C leaves such conversions undefined;
//! [`Values::is_out_of_range`] says when one is.

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_interp::{FloatOperation, Int, Soft, Stop, ToInteger, saturated};
use labrys_symex::float_terms::{self, Folding};
use labrys_symex::int_terms::{as_bit_vector, as_int, ite, not};
use labrys_term::{Op, Sort, TermId};
use num_bigint::BigInt;

use super::concrete::{is_modelled, refuse};
use super::encoding::format;
use super::environment::{FloatEnvironment, Raising};
use super::{FloatValue, Values};

/// The width of the instruction that a conversion to an integer uses; `None` for two of 64 bits.
fn instruction(of: Format, bits: u32, signed: bool) -> Result<Option<u32>, Stop> {
    let stored = of.has_explicit_leading_bit();
    match (bits, signed) {
        (8, _) | (16, true) if stored => Ok(Some(16)),
        (8 | 16, _) | (32, true) => Ok(Some(32)),
        (32, false) | (64, true) => Ok(Some(64)),
        (64, false) => Ok(None),
        _ => Err(Stop::unsupported(format!("conversions of floats to integers of {bits} bits"))),
    }
}

/// Whether a conversion reports what it rounds. Halfway cases away from zero have no instruction: `lround` and its kin shift and add integers in
/// glibc, which raises nothing.
fn tells_inexact(mode: RoundingMode) -> bool {
    mode != RoundingMode::NearestAway
}

impl Values<'_> {
    /// Whether a conversion to an integer is out of its range, which C leaves undefined: one bit.
    ///
    /// # Errors
    ///
    /// The conversion is not modelled.
    pub fn is_out_of_range(
        &mut self,
        environment: &FloatEnvironment,
        conversion: ToInteger,
        value: &FloatValue,
    ) -> Result<Int<TermId>, Stop> {
        let mode = conversion.mode.unwrap_or(environment.rounding);
        if conversion.saturating {
            return Ok(Int::bool(false));
        }
        match *value {
            FloatValue::Concrete { format, bits } => {
                let soft = Soft::new(Environment::with_rounding(mode));
                let (_, is_poison, _) = soft.convert_to_int::<TermId>(conversion, &Float::from_bits(format, bits));
                Ok(Int::bool(is_poison))
            }
            FloatValue::Symbolic(term) => {
                let inside = self.fits(term, mode, conversion.bits, conversion.signed);
                let outside = not(self.store, inside);
                Ok(as_int(self.store, 1, outside))
            }
        }
    }

    /// Whether the rounded value is an integer of a width.
    fn fits(&mut self, term: TermId, mode: RoundingMode, bits: u32, signed: bool) -> TermId {
        let rounding = self.store.rounding_mode(mode);
        let integral = self.store.mk(Op::FpRoundToIntegral, &[rounding, term]);
        let of = format(self.store, term);
        float_terms::in_range(self.store, of, integral, bits, signed)
    }

    pub(super) fn convert_to_integer(
        &mut self,
        environment: &mut FloatEnvironment,
        conversion: ToInteger,
        value: &FloatValue,
    ) -> Result<Int<TermId>, Stop> {
        let mode = conversion.mode.unwrap_or(environment.rounding);
        // There are no instructions for binary16: it is widened first.
        let wide = match self.format_of(value) {
            Format::BINARY16 => self.operate(environment, FloatOperation::Convert(Format::BINARY32), &[*value])?,
            _ => *value,
        };
        match wide {
            FloatValue::Concrete { format, bits } => {
                let float = Float::from_bits(format, bits);
                let (int, flags) = known_to_integer(conversion, mode, environment.rounding, &float)?;
                environment.raised |= if tells_inexact(mode) { flags } else { flags - Flags::INEXACT };
                Ok(int)
            }
            FloatValue::Symbolic(term) => self.term_to_integer(environment, conversion, mode, term),
        }
    }

    fn term_to_integer(
        &mut self,
        environment: &mut FloatEnvironment,
        conversion: ToInteger,
        mode: RoundingMode,
        term: TermId,
    ) -> Result<Int<TermId>, Stop> {
        let ToInteger { bits, signed, saturating, .. } = conversion;
        let of = format(self.store, term);
        if !is_modelled(of) {
            return Err(refuse(of));
        }
        if saturating {
            if self.reads_flags {
                return Err(Stop::unsupported("exceptions of saturating conversions"));
            }
            return Ok(self.saturating(term, mode, bits, signed));
        }
        if bits == 128 {
            return self.term_to_wide(mode, term, signed);
        }
        if let Some(width) = instruction(of, bits, signed)? {
            self.note(environment, Raising::ToInteger(term, mode, width, tells_inexact(mode)));
            let result = self.instruction(term, mode, width);
            return Ok(if width > bits {
                let part = self.store.mk(Op::Extract { high: bits - 1, low: 0 }, &[result]);
                as_int(self.store, bits, part)
            } else {
                as_int(self.store, bits, result)
            });
        }
        self.note_unsigned(environment, mode, term);
        let rounding = self.store.rounding_mode(mode);
        let inside = self.store.mk(Op::FpToUnsigned(64), &[rounding, term]);
        let fits = self.fits(term, mode, 64, false);
        let signed = self.instruction(term, mode, 64);
        let outside = if of.has_explicit_leading_bit() {
            // Too great ones, and NaNs, give the indefinite integer with its only bit flipped.
            let negative = self.store.mk(Op::FpIsNegative, &[term]);
            let zero = self.store.bv_const(64, 0u8);
            ite(self.store, negative, signed, zero)
        } else {
            signed
        };
        let result = ite(self.store, fits, inside, outside);
        Ok(as_int(self.store, 64, result))
    }

    /// An integer of 128 bits, which a function of the compiler's library makes: the rounded number. What becomes of one that does
    /// not fit hangs on that library: any number.
    fn term_to_wide(&mut self, mode: RoundingMode, term: TermId, signed: bool) -> Result<Int<TermId>, Stop> {
        if self.reads_flags {
            return Err(Stop::unsupported("exceptions of conversions of floats to integers of 128 bits"));
        }
        let fits = self.fits(term, mode, 128, signed);
        let rounding = self.store.rounding_mode(mode);
        let op = if signed { Op::FpToSigned(128) } else { Op::FpToUnsigned(128) };
        let inside = self.store.mk(op, &[rounding, term]);
        let outside = self.store.variable(&format!("{term:?} to 128 bits, signed {signed}"), Sort::BitVec(128));
        let result = ite(self.store, fits, inside, outside);
        Ok(as_int(self.store, 128, result))
    }

    /// The nearest integer of a width, 0 for NaN.
    fn saturating(&mut self, term: TermId, mode: RoundingMode, bits: u32, signed: bool) -> Int<TermId> {
        let of = format(self.store, term);
        let fits = self.fits(term, mode, bits, signed);
        let rounding = self.store.rounding_mode(mode);
        let op = if signed { Op::FpToSigned(bits) } else { Op::FpToUnsigned(bits) };
        let inside = self.store.mk(op, &[rounding, term]);
        let [least, greatest] = [true, false].map(|negative| {
            let value = saturated(&Float::infinity(of, negative), bits, signed);
            self.store.bv_const(bits, value)
        });
        let zero = self.store.bv_const(bits, 0u8);
        let (nan, negative) = (self.store.mk(Op::FpIsNan, &[term]), self.store.mk(Op::FpIsNegative, &[term]));
        let beyond = ite(self.store, negative, least, greatest);
        let outside = ite(self.store, nan, zero, beyond);
        let result = ite(self.store, fits, inside, outside);
        as_int(self.store, bits, result)
    }

    /// What an instruction gives: the rounded number, or the indefinite integer.
    fn instruction(&mut self, term: TermId, mode: RoundingMode, width: u32) -> TermId {
        let fits = self.fits(term, mode, width, true);
        let rounding = self.store.rounding_mode(mode);
        let inside = self.store.mk(Op::FpToSigned(width), &[rounding, term]);
        let outside = self.store.bv_const(width, 1u128 << (width - 1));
        ite(self.store, fits, inside, outside)
    }

    /// The exceptions of a conversion to 64 unsigned bits.
    fn note_unsigned(&mut self, environment: &mut FloatEnvironment, mode: RoundingMode, term: TermId) {
        if !self.reads_flags {
            return;
        }
        let of = format(self.store, term);
        let rounding = self.store.rounding_mode(environment.rounding);
        let half = Environment::default().scale(&Float::one(of), 63).value;
        let half = self.store.float_const(half);
        let rest = self.store.mk(Op::FpSub, &[rounding, term, half]);
        if of.has_explicit_leading_bit() {
            let below = self.store.mk(Op::FpLt, &[term, half]);
            let chosen = ite(self.store, below, term, rest);
            let zero = self.store.float_const(Float::zero(of, false));
            let subtrahend = ite(self.store, below, zero, half);
            let difference = self.store.mk(Op::FpSub, &[rounding, term, subtrahend]);
            self.note(environment, Raising::Operation(difference));
            self.note(environment, Raising::ToInteger(chosen, mode, 64, true));
        } else {
            self.note(environment, Raising::Operation(rest));
            self.note(environment, Raising::ToInteger(rest, mode, 64, true));
            self.note(environment, Raising::ToInteger(term, mode, 64, true));
        }
    }

    pub(super) fn convert_from_integer(
        &mut self,
        environment: &mut FloatEnvironment,
        value: &Int<TermId>,
        signed: bool,
        to: Format,
    ) -> Result<FloatValue, Stop> {
        if !is_modelled(to) {
            return Err(refuse(to));
        }
        let (mode, bits) = (environment.rounding, value.bits());
        if bits > 64 && mode != RoundingMode::NearestEven {
            return Err(Stop::unsupported("conversions of integers of more than 64 bits that do not round to nearest"));
        }
        // clang adds two halves of an unsigned number of 64 bits, which are differences: zeros are negative toward −∞.
        let minus_zero = mode == RoundingMode::TowardNegative && !signed && bits == 64 && to == Format::BINARY64;
        if let Some(known) = value.concrete() {
            let number = if signed { BigInt::from(value.signed().unwrap_or_default()) } else { BigInt::from(known) };
            let rounded = Environment::with_rounding(mode).from_integer(&number, to);
            environment.raised |= rounded.flags;
            let result = if minus_zero && known == 0 { Float::zero(to, true) } else { rounded.value };
            return Ok(FloatValue::of(&result));
        }
        let result = float_terms::from_integer(self.store, value, signed, to, mode, Folding::All);
        if matches!(self.store.node(result).op, Op::FpFromSigned(_) | Op::FpFromUnsigned(_)) {
            self.note(environment, Raising::Operation(result));
        } else if self.reads_flags && self.rounds_choice(value, signed, to, mode) {
            return Err(Stop::unsupported("exceptions of conversions of a choice between integers"));
        }
        if !minus_zero {
            return Ok(self.float(result));
        }
        let vector = as_bit_vector(self.store, value);
        let zero = self.store.bv_const(bits, 0u8);
        let is_zero = self.store.mk(Op::Eq, &[vector, zero]);
        let negative = self.store.float_const(Float::zero(to, true));
        let result = ite(self.store, is_zero, negative, result);
        Ok(self.float(result))
    }

    /// Whether a conversion of a choice between two known integers rounds one of them.
    fn rounds_choice(&self, value: &Int<TermId>, signed: bool, to: Format, mode: RoundingMode) -> bool {
        let Some(&symbol) = value.symbol() else { return false };
        let node = self.store.node(symbol);
        node.args.iter().skip(1).any(|&branch| {
            let int = as_int(self.store, value.bits(), branch);
            let number = if signed { int.signed().map(BigInt::from) } else { int.concrete().map(BigInt::from) };
            number.is_some_and(|number| !Environment::with_rounding(mode).from_integer(&number, to).flags.is_empty())
        })
    }
}

/// A known float as an integer, with the exceptions raised.
fn known_to_integer(
    conversion: ToInteger,
    mode: RoundingMode,
    current: RoundingMode,
    value: &Float,
) -> Result<(Int<TermId>, Flags), Stop> {
    let ToInteger { bits, signed, saturating, .. } = conversion;
    let environment = Environment::with_rounding(mode);
    let of = value.format();
    if !is_modelled(of) {
        return Err(refuse(of));
    }
    if saturating || bits > 64 {
        let (int, is_poison, flags) = Soft::new(environment).convert_to_int(conversion, value);
        if is_poison {
            return Err(Stop::unsupported("a conversion of a float out of the range of 128-bit integers"));
        }
        return Ok((int, flags));
    }
    let by_instruction = |value: &Float, width: u32| {
        let conversion = ToInteger { bits: width, signed: true, mode: Some(mode), saturating: false };
        let (int, _, flags) = Soft::new(environment).convert_to_int::<TermId>(conversion, value);
        (int.concrete().unwrap_or_default(), flags)
    };
    if let Some(width) = instruction(of, bits, signed)? {
        let (int, flags) = by_instruction(value, width);
        return Ok((Int::new(bits, int), flags));
    }
    let half = environment.scale(&Float::one(of), 63).value;
    let rest = Environment::with_rounding(current).sub(value, &half);
    if of.has_explicit_leading_bit() {
        let is_below = value.compare(&half) == Some(std::cmp::Ordering::Less);
        let (int, flags) = if is_below { by_instruction(value, 64) } else { by_instruction(&rest.value, 64) };
        let int = if is_below { int } else { int ^ 1 << 63 };
        let signaling = if value.is_signaling_nan() { Flags::INVALID } else { Flags::empty() };
        let difference = if is_below { signaling } else { rest.flags };
        return Ok((Int::new(64, int), flags | difference));
    }
    let (low, low_flags) = by_instruction(value, 64);
    let (high, high_flags) = by_instruction(&rest.value, 64);
    let int = if low >> 63 != 0 { low | high } else { low };
    Ok((Int::new(64, int), low_flags | high_flags | rest.flags))
}
