//! Conversions between floats and integers, as clang's code for x86-64 does them.
//!
//! There are instructions for signed integers of 32 and 64 bits (x87: 16, 32 and 64). Others are made of them: a conversion to
//! fewer bits drops the higher ones of a wider result, one to unsigned 64 bits is made of two signed ones. Of other widths (`_BitInt(33)`) what does not fit may be any. A number out of an
//! instruction's range gives its "integer indefinite", the smallest number. Integers of 128 bits are made by the compiler's library, and where a
//! number does not fit may be any; what that library raises is not modelled. C leaves such conversions undefined;
//! [`Values::is_out_of_range`] says when one is. Those of more than 128 bits are in `wide`.
//!
//! To and from unsigned 64 bits there are two ways: usually clang converts both the number and what is left of it above 2^63 and chooses
//! afterwards, where the environment is accessed (C's FENV_ACCESS) it chooses first. They differ in what they raise besides, in what a number that does not fit gives, and in
//! the sign of a zero toward −∞. Which one is executed is open: a bit that is false for the usual one.

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_interp::{FloatOperation, Int, Soft, Stop, ToInteger, saturated};
use labrys_symex::changed;
use labrys_symex::float_terms::{self, Folding};
use labrys_symex::int_terms::{as_bit_vector, as_int, as_term, ite, not};
use labrys_term::{Op, Sort, TermId};
use num_bigint::BigInt;

use super::concrete::{is_modelled, refuse};
use super::encoding::format;
use super::environment::{FloatEnvironment, Happened, Raising};
use super::{FloatValue, Values, raised};

/// What instructions give for numbers out of the range of 64 bits.
const INDEFINITE: u128 = 1 << 63;

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

/// Whether no instruction, and no two, convert to integers of a width.
fn is_odd(bits: u32) -> bool {
    !matches!(bits, 1 | 8 | 16 | 32 | 64)
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
            FloatValue::Concrete { format, bits } if conversion.bits > 128 => {
                self.known_to_many_bits(environment, conversion, &Float::from_bits(format, bits))
            }
            FloatValue::Concrete { format, bits } => {
                let float = Float::from_bits(format, bits);
                if conversion.bits == 64 && !conversion.signed && !conversion.saturating && is_modelled(format) {
                    return Ok(self.known_to_unsigned(environment, mode, &float));
                }
                let (int, flags) = known_to_integer(conversion, mode, &float)?;
                if conversion.saturating {
                    if self.tells(environment) {
                        environment.raised |= saturating_flags(conversion, (mode, environment.rounding), &float)?;
                    }
                    return Ok(int);
                }
                if is_odd(conversion.bits) && self.tells(environment) {
                    return Err(Stop::unsupported("exceptions of conversions that a library function makes"));
                }
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
        if bits > 128 {
            return self.term_to_many_bits(environment, conversion, term);
        }
        if saturating {
            if self.tells(environment) {
                self.note_saturating(environment, mode, term, (bits, signed))?;
            }
            return Ok(self.saturating(term, mode, bits, signed));
        }
        if is_odd(bits) {
            return self.term_to_odd(environment, mode, term, (bits, signed));
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
        let other = self.open_bit("unsigned");
        // Negative ones are what the instruction gives. All too great ones give what an infinity gives, and all NaNs the same: the indefinite integer, or that
        // with its only bit flipped, where compilers have two ways.
        let [great, nan] = [Float::infinity(of, false), Float::nan(of)].map(|value| {
            let [usual, strict] =
                [usual_to_unsigned, strict_to_unsigned].map(|way| way(mode, environment.rounding, &value).0);
            let [first, second] = [usual, strict].map(|int| self.store.bv_const(64, int));
            if usual == strict { first } else { ite(self.store, other, second, first) }
        });
        let [negative, is_nan] = [Op::FpIsNegative, Op::FpIsNan].map(|op| self.store.mk(op, &[term]));
        let number = ite(self.store, negative, signed, great);
        let outside = ite(self.store, is_nan, nan, number);
        let result = ite(self.store, fits, inside, outside);
        Ok(as_int(self.store, 64, result))
    }

    /// An integer of a width that no instruction gives: the rounded number. One of more than 64 bits is made by a function of the compiler's library,
    /// and what becomes of one that does not fit hangs on that: any number.
    fn term_to_odd(
        &mut self,
        environment: &FloatEnvironment,
        mode: RoundingMode,
        term: TermId,
        (bits, signed): (u32, bool),
    ) -> Result<Int<TermId>, Stop> {
        if self.tells(environment) {
            return Err(Stop::unsupported(format!("exceptions of conversions of floats to integers of {bits} bits")));
        }
        Ok(self.rounded_or_any(term, mode, (bits, signed)))
    }

    /// The rounded number where it fits, else any.
    pub(super) fn rounded_or_any(
        &mut self,
        term: TermId,
        mode: RoundingMode,
        (bits, signed): (u32, bool),
    ) -> Int<TermId> {
        let fits = self.fits(term, mode, bits, signed);
        let rounding = self.store.rounding_mode(mode);
        let op = if signed { Op::FpToSigned(bits) } else { Op::FpToUnsigned(bits) };
        let inside = self.store.mk(op, &[rounding, term]);
        let outside = self.store.variable(&format!("{term:?} to {bits} bits, signed {signed}"), Sort::BitVec(bits));
        let result = ite(self.store, fits, inside, outside);
        as_int(self.store, bits, result)
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
            as_term(self.store, &value)
        });
        let zero = self.store.bv_const(bits, 0u8);
        let (nan, negative) = (self.store.mk(Op::FpIsNan, &[term]), self.store.mk(Op::FpIsNegative, &[term]));
        let beyond = ite(self.store, negative, least, greatest);
        let outside = ite(self.store, nan, zero, beyond);
        let result = ite(self.store, fits, inside, outside);
        as_int(self.store, bits, result)
    }

    /// The exceptions of a conversion that saturates.
    fn note_saturating(
        &mut self,
        environment: &mut FloatEnvironment,
        mode: RoundingMode,
        term: TermId,
        (bits, signed): (u32, bool),
    ) -> Result<(), Stop> {
        let of = format(self.store, term);
        match Saturation::of(of, bits, signed)? {
            Saturation::Instruction(width) => self.note(environment, Raising::ToInteger(term, mode, width, true)),
            Saturation::Both => {
                let rounding = self.store.rounding_mode(environment.rounding);
                let half = self.store.float_const(half_range(of));
                let rest = self.store.mk(Op::FpSub, &[rounding, term, half]);
                self.note(environment, Raising::Operation(rest));
                self.note(environment, Raising::ToInteger(rest, mode, 64, true));
                self.note(environment, Raising::ToInteger(term, mode, 64, true));
            }
            Saturation::Clamp => {
                let [least, greatest] = bounds(of, bits, signed).map(|bound| self.store.float_const(bound));
                let nan = self.store.mk(Op::FpIsNan, &[term]);
                let rounding = self.store.rounding_mode(mode);
                let integral = self.store.mk(Op::FpRoundToIntegral, &[rounding, term]);
                let parts = [
                    self.store.mk(Op::FpLt, &[least, term]),
                    self.store.mk(Op::FpLt, &[term, greatest]),
                    changed(self.store, term, integral),
                ];
                let inexact = self.store.and(&parts);
                self.note(environment, Raising::Perhaps(Flags::INVALID, nan));
                self.note(environment, Raising::Perhaps(Flags::INEXACT, inexact));
            }
        }
        Ok(())
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
        let below = self.store.mk(Op::FpLt, &[term, half]);
        let chosen = ite(self.store, below, term, rest);
        let zero = self.store.float_const(Float::zero(of, false));
        let subtrahend = ite(self.store, below, zero, half);
        let difference = self.store.mk(Op::FpSub, &[rounding, term, subtrahend]);
        self.note(environment, Raising::Operation(difference));
        self.note(environment, Raising::ToInteger(chosen, mode, 64, true));
        if of.has_explicit_leading_bit() {
            return;
        }
        // The usual code raises more, as it converts both.
        let both = [
            Raising::Operation(rest),
            Raising::ToInteger(rest, mode, 64, true),
            Raising::ToInteger(term, mode, 64, true),
        ];
        for flag in [Flags::INVALID, Flags::OVERFLOW, Flags::INEXACT] {
            let mut conditions = Vec::new();
            for raising in &both {
                conditions.extend(raised::condition(self.store, &mut self.encodings, raising, flag));
            }
            let any = self.store.or(&conditions);
            self.raise_unless_strict(environment, flag, any);
        }
    }

    /// A flag that the usual code raises under a condition, and the other not.
    fn raise_unless_strict(&mut self, environment: &mut FloatEnvironment, flag: Flags, condition: TermId) {
        if !self.tells(environment) || environment.raised.contains(flag) {
            return;
        }
        let other = self.open_bit("raises");
        let usual = not(self.store, other);
        let raised = self.store.and(&[condition, usual]);
        environment.push(Happened::Raised(Raising::Perhaps(flag, raised)));
    }

    /// Whether anybody can tell what is raised.
    pub(super) fn tells(&self, environment: &FloatEnvironment) -> bool {
        self.reads_flags && environment.raised != Flags::all()
    }

    /// A known float as an integer of 64 unsigned bits.
    fn known_to_unsigned(
        &mut self,
        environment: &mut FloatEnvironment,
        mode: RoundingMode,
        value: &Float,
    ) -> Int<TermId> {
        let [usual, strict] = [usual_to_unsigned, strict_to_unsigned].map(|way| way(mode, environment.rounding, value));
        environment.raised |= usual.1 & strict.1;
        for flag in (usual.1 - strict.1).iter() {
            let always = self.store.bool_const(true);
            self.raise_unless_strict(environment, flag, always);
        }
        if usual.0 == strict.0 {
            return Int::new(64, usual.0);
        }
        let other = self.open_bit("unsigned");
        let [usual, strict] = [usual.0, strict.0].map(|int| self.store.bv_const(64, int));
        let result = ite(self.store, other, strict, usual);
        as_int(self.store, 64, result)
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
        if bits > 128 {
            return self.convert_from_many_bits(environment, value, signed, to);
        }
        // The compiler's library rounds them once, in the mode in force; what it does for binary16 was not looked into.
        if bits > 64 && to == Format::BINARY16 && mode != RoundingMode::NearestEven {
            return Err(Stop::unsupported(
                "conversions of integers of more than 64 bits to binary16 that do not round to nearest",
            ));
        }
        // clang usually adds two halves of an unsigned number of 64 bits, which are differences: zeros are negative toward −∞.
        let minus_zero = mode == RoundingMode::TowardNegative && !signed && bits == 64 && to == Format::BINARY64;
        if let Some(known) = value.concrete() {
            let number = if signed { BigInt::from(value.signed().unwrap_or_default()) } else { BigInt::from(known) };
            let rounded = Environment::with_rounding(mode).from_integer(&number, to);
            environment.raised |= rounded.flags;
            if minus_zero && known == 0 {
                let zero = self.either_zero(to);
                return Ok(self.float(zero));
            }
            return Ok(FloatValue::of(&rounded.value));
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
        let either = self.either_zero(to);
        let result = ite(self.store, is_zero, either, result);
        Ok(self.float(result))
    }

    /// −0, or +0 where the environment is accessed.
    fn either_zero(&mut self, of: Format) -> TermId {
        let other = self.open_bit("zero");
        self.unsigned_zeros.extend(self.store.as_variable(other));
        let [minus, plus] = [true, false].map(|negative| self.store.float_const(Float::zero(of, negative)));
        ite(self.store, other, plus, minus)
    }

    /// What `fabs` or `copysign` gives. clang takes a converted unsigned number for one without a sign and leaves out the operation that
    /// would clear it, so that a zero that hangs on [`Values::either_zero`] may keep any.
    pub(super) fn with_sign_of_unsigned_zero(&mut self, operand: TermId, result: TermId) -> TermId {
        if self.unsigned_zeros.is_empty() {
            return result;
        }
        let variables = self.store.free_variables(&[operand]);
        if !variables.iter().any(|variable| self.unsigned_zeros.contains(variable)) {
            return result;
        }
        let zero = self.store.mk(Op::FpIsZero, &[operand]);
        let either = self.either_zero(format(self.store, operand));
        ite(self.store, zero, either, result)
    }

    /// Whether a conversion of a choice between two known integers rounds one of them.
    fn rounds_choice(&self, value: &Int<TermId>, signed: bool, to: Format, mode: RoundingMode) -> bool {
        let Some(&symbol) = value.symbol() else { return false };
        let node = self.store.node(symbol);
        node.args.iter().skip(1).any(|&branch| {
            let int = as_int(self.store, value.bits(), branch);
            let number = int.known_integer(signed);
            number.is_some_and(|number| !Environment::with_rounding(mode).from_integer(&number, to).flags.is_empty())
        })
    }
}

/// How conversions that saturate are made, as Rust's `as` is of them: what they raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saturation {
    /// The number is brought between the ends, by a minimum and a maximum that signal on NaNs, and then converted: what does not fit raises nothing.
    Clamp,
    /// An instruction of that width converts the number, and another result is chosen where it does not fit; comparisons are quiet.
    Instruction(u32),
    /// To 64 unsigned bits the number and what is left of it above 2^63 are converted.
    Both,
}

impl Saturation {
    /// What LLVM makes for x86-64: it clamps where the type has both ends.
    fn of(of: Format, bits: u32, signed: bool) -> Result<Saturation, Stop> {
        match (bits, signed) {
            _ if of != Format::BINARY32 && of != Format::BINARY64 => {}
            (8 | 16, _) => return Ok(Saturation::Clamp),
            (32, _) if of == Format::BINARY64 => return Ok(Saturation::Clamp),
            (32, true) => return Ok(Saturation::Instruction(32)),
            (32, false) | (64, true) => return Ok(Saturation::Instruction(64)),
            (64, false) => return Ok(Saturation::Both),
            _ => {}
        }
        Err(Stop::unsupported(format!("exceptions of conversions to {bits} bits that saturate")))
    }
}

/// The ends of a type of integers that a format has.
fn bounds(of: Format, bits: u32, signed: bool) -> [Float; 2] {
    [true, false].map(|negative| {
        let end: Int<TermId> = saturated(&Float::infinity(of, negative), bits, signed);
        Environment::default().from_integer(&end.known_integer(signed).unwrap_or_default(), of).value
    })
}

/// The exceptions of a conversion of a known float that saturates; modes of the conversion and of other operations.
fn saturating_flags(
    conversion: ToInteger,
    (mode, current): (RoundingMode, RoundingMode),
    value: &Float,
) -> Result<Flags, Stop> {
    let ToInteger { bits, signed, .. } = conversion;
    Ok(match Saturation::of(value.format(), bits, signed)? {
        Saturation::Instruction(width) => by_instruction(mode, value, width).1,
        Saturation::Both => usual_to_unsigned(mode, current, value).1,
        Saturation::Clamp if value.is_nan() => Flags::INVALID,
        Saturation::Clamp => {
            let [least, greatest] = bounds(value.format(), bits, signed);
            let is_inside = least.compare(value) == Some(std::cmp::Ordering::Less)
                && value.compare(&greatest) == Some(std::cmp::Ordering::Less);
            if is_inside { by_instruction(mode, value, 64).1 } else { Flags::empty() }
        }
    })
}

/// A known float as an integer, with the exceptions raised.
fn known_to_integer(conversion: ToInteger, mode: RoundingMode, value: &Float) -> Result<(Int<TermId>, Flags), Stop> {
    let ToInteger { bits, signed, saturating, .. } = conversion;
    let environment = Environment::with_rounding(mode);
    let of = value.format();
    if !is_modelled(of) {
        return Err(refuse(of));
    }
    if saturating || is_odd(bits) {
        let (int, is_poison, flags) = Soft::new(environment).convert_to_int(conversion, value);
        if is_poison {
            return Err(Stop::unsupported(format!("a conversion of a float out of the range of {bits}-bit integers")));
        }
        return Ok((int, flags));
    }
    match instruction(of, bits, signed)? {
        Some(width) => {
            let (int, flags) = by_instruction(mode, value, width);
            Ok((Int::new(bits, int), flags))
        }
        None => Err(Stop::unsupported("a conversion to an integer of this width")),
    }
}

/// What an instruction makes of a known float.
fn by_instruction(mode: RoundingMode, value: &Float, width: u32) -> (u128, Flags) {
    let conversion = ToInteger { bits: width, signed: true, mode: Some(mode), saturating: false };
    let (int, _, flags) = Soft::new(Environment::with_rounding(mode)).convert_to_int::<TermId>(conversion, value);
    (int.concrete().unwrap_or_default(), flags)
}

/// 2^63.
fn half_range(of: Format) -> Float {
    Environment::default().scale(&Float::one(of), 63).value
}

/// The usual way to 64 unsigned bits.
fn usual_to_unsigned(mode: RoundingMode, current: RoundingMode, value: &Float) -> (u128, Flags) {
    let half = half_range(value.format());
    if value.format().has_explicit_leading_bit() {
        return choosing_first(mode, current, value, value.compare(&half) == Some(std::cmp::Ordering::Less));
    }
    let rest = Environment::with_rounding(current).sub(value, &half);
    let (low, low_flags) = by_instruction(mode, value, 64);
    let (high, high_flags) = by_instruction(mode, &rest.value, 64);
    let int = if low >> 63 != 0 { low | high } else { low };
    (int, low_flags | high_flags | rest.flags)
}

/// The way where the environment is accessed; NaNs are taken for small.
fn strict_to_unsigned(mode: RoundingMode, current: RoundingMode, value: &Float) -> (u128, Flags) {
    let order = value.compare(&half_range(value.format()));
    choosing_first(mode, current, value, matches!(order, None | Some(std::cmp::Ordering::Less)))
}

/// A number below 2^63, or what is left of it, as an integer.
fn choosing_first(mode: RoundingMode, current: RoundingMode, value: &Float, is_below: bool) -> (u128, Flags) {
    if is_below {
        let signaling = if value.is_signaling_nan() { Flags::INVALID } else { Flags::empty() };
        let (int, flags) = by_instruction(mode, value, 64);
        return (int, flags | signaling);
    }
    let rest = Environment::with_rounding(current).sub(value, &half_range(value.format()));
    let (int, flags) = by_instruction(mode, &rest.value, 64);
    (int ^ INDEFINITE, flags | rest.flags)
}
