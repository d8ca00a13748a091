//! Functions of libm that take a number's encoding apart: nextafter and nexttoward, ilogb and logb.
//!
//! **Claim.** Results, NaNs' payloads and exceptions are glibc 2.36's on x86-64, in every rounding mode.
//!
//! **Argument.** Encodings without their sign, and without x87's leading bit, are in the order of the magnitudes, infinity behind
//! the largest number; so the next number is one more or less. What glibc does beside that is in the comments. Tests call it.

use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_interp::{ClassMask, FloatOperation, Int, Stop};
use labrys_symex::int_terms::{as_int, as_term, ite, not};
use labrys_term::{Evaluator, Model, Op, TermId, Value};

use super::concrete::{is_modelled, refuse};
use super::encoding;
use super::environment::{FloatEnvironment, Raising};
use super::nan::{Encoding, refuse_odd};
use super::{FloatValue, Values};

/// glibc's `FP_ILOGB0` and `FP_ILOGBNAN` on x86-64.
const ILOGB_OF_NONE: u128 = 0x8000_0000;

/// What ilogb gives for infinities.
const ILOGB_OF_INFINITY: u128 = 0x7fff_ffff;

impl Values<'_> {
    /// `nextafter`, or where `towards` is of another format `nexttoward`: the result, and whether the call reports a range error.
    ///
    /// # Errors
    ///
    /// Formats that x86-64 does not compute in, and x87's odd encodings.
    pub fn next_number(
        &mut self,
        environment: &mut FloatEnvironment,
        from: &FloatValue,
        towards: &FloatValue,
    ) -> Result<(FloatValue, Int<TermId>), Stop> {
        let (of, wide) = (self.format_of(from), self.format_of(towards));
        if !is_modelled(of) || of == Format::BINARY16 || !is_modelled(wide) {
            return Err(refuse(of));
        }
        let (x, y) = (self.term(from), self.term(towards));
        if self.encodings.may_be_odd(self.store, x) || self.encodings.may_be_odd(self.store, y) {
            return Err(refuse_odd());
        }
        // NaNs: x + y in y's format, which glibc's code computes as y + x. Nothing else is raised where there is none.
        let widened = self.operate(environment, FloatOperation::Convert(wide), &[*from])?;
        let nan = {
            let (a, b) = (self.is_of_class(from, ClassMask::NAN), self.is_of_class(towards, ClassMask::NAN));
            let [a, b] = [a, b].map(|int| as_term(self.store, &int));
            let either = self.store.or(&[a, b]);
            self.truth(either)
        };
        let zero = FloatValue::of(&Float::zero(wide, false));
        let [a, b] = [&widened, towards].map(|value| self.chosen(nan, value, &zero));
        let sum = self.operate(environment, FloatOperation::Add, &[b, a])?;
        let sum = self.operate(environment, FloatOperation::Convert(of), &[sum])?;

        let wide_x = self.term(&widened);
        let equal = self.store.mk(Op::FpEq, &[wide_x, y]);
        let equal = self.truth(equal);
        // y in x's format, which is exact where they are equal.
        let one_y = self.chosen(equal, towards, &zero);
        let same = self.operate(environment, FloatOperation::Convert(of), &[one_y])?;
        let (less, is_zero) = (self.store.mk(Op::FpLt, &[wide_x, y]), self.store.mk(Op::FpIsZero, &[x]));
        let stepped = self.stepped(of, x, y, less, is_zero);

        let steps = not(self.store, nan);
        let apart = not(self.store, equal);
        let steps = self.store.and(&[steps, apart]);
        let infinite = self.store.mk(Op::FpIsInfinite, &[stepped]);
        let tiny = [Op::FpIsZero, Op::FpIsSubnormal].map(|class| self.store.mk(class, &[stepped]));
        let tiny = self.store.or(&tiny);
        // x + x overflows; x · x is smaller than every number.
        let overflows = self.store.and(&[steps, infinite]);
        let underflows = self.store.and(&[steps, tiny]);
        let inexact = self.store.or(&[overflows, underflows]);
        for (flag, condition) in
            [(Flags::OVERFLOW, overflows), (Flags::UNDERFLOW, underflows), (Flags::INEXACT, inexact)]
        {
            self.raise_where(environment, flag, condition);
        }
        // Not from zero.
        let from_number = not(self.store, is_zero);
        let reported = self.store.and(&[inexact, from_number]);

        let (sum, same) = (self.term(&sum), self.term(&same));
        let result = ite(self.store, equal, same, stepped);
        let result = ite(self.store, nan, sum, result);
        Ok((self.settled(result), self.settled_int(1, reported)))
    }

    /// A value that may be known, though its term is no literal.
    fn settled(&mut self, term: TermId) -> FloatValue {
        if self.store.has_variables(term) {
            return self.float(term);
        }
        let format = encoding::format(self.store, term);
        let bits = self.encodings.bits(self.store, term);
        match self.settled_int(format.width(), bits).concrete() {
            Some(bits) => FloatValue::concrete(format, bits),
            None => self.float(term),
        }
    }

    /// The same of a Bool or BitVec term.
    fn settled_int(&mut self, bits: u32, term: TermId) -> Int<TermId> {
        if !self.store.has_variables(term) {
            let model = Model::new();
            match Evaluator::new(self.store, &model).value(term) {
                Ok(Value::Bool(value)) => return Int::bool(value),
                Ok(Value::BitVec { bits: value, .. }) => return Int::number(bits, value),
                _ => {}
            }
        }
        as_int(self.store, bits, term)
    }

    /// A Bool term, as a literal if it is known.
    fn truth(&mut self, term: TermId) -> TermId {
        let known = self.settled_int(1, term);
        as_term(self.store, &known)
    }

    /// A flag is raised where a condition holds.
    fn raise_where(&mut self, environment: &mut FloatEnvironment, flag: Flags, condition: TermId) {
        match self.settled_int(1, condition).concrete() {
            Some(0) => {}
            Some(_) => environment.raised |= flag,
            None => self.note(environment, Raising::Perhaps(flag, condition)),
        }
    }

    /// A value where a condition holds, else another one.
    fn chosen(&mut self, condition: TermId, a: &FloatValue, b: &FloatValue) -> FloatValue {
        let (a, b) = (self.term(a), self.term(b));
        let chosen = ite(self.store, condition, a, b);
        self.float(chosen)
    }

    /// The number after `x` in the direction of `y`, neither being a NaN, and both different.
    fn stepped(&mut self, of: Format, x: TermId, y: TermId, less: TermId, is_zero: TermId) -> TermId {
        let encoding = Encoding::of(of);
        let bits = self.encodings.bits(self.store, x);
        let top = of.width() - 1;
        let sign = self.store.mk(Op::Extract { high: top, low: top }, &[bits]);
        // The magnitude's place: exponent field and fraction.
        let fraction_bits = of.precision() - 1;
        let low = of.stored_significand_bits();
        let exponent = self.store.mk(Op::Extract { high: top - 1, low }, &[bits]);
        let fraction = self.store.mk(Op::Extract { high: fraction_bits - 1, low: 0 }, &[bits]);
        let place = self.store.mk(Op::Concat, &[exponent, fraction]);
        let width = of.exponent_bits() + fraction_bits;
        let one = self.store.bv_const(width, 1u8);
        let (more, fewer) = (self.store.mk(Op::BvAdd, &[place, one]), self.store.mk(Op::BvSub, &[place, one]));
        let set = self.store.bv_const(1, 1u8);
        let negative = self.store.mk(Op::Eq, &[sign, set]);
        let positive = not(self.store, negative);
        // Away from zero: upwards from what is positive, downwards from what is negative.
        let greater = not(self.store, less);
        let up = self.store.and(&[less, positive]);
        let down = self.store.and(&[greater, negative]);
        let away = self.store.or(&[up, down]);
        let next = ite(self.store, away, more, fewer);
        // From zero to the least number of y's sign.
        let y_negative = self.encodings.sign(self.store, y);
        let clear = self.store.bv_const(1, 0u8);
        let y_sign = ite(self.store, y_negative, set, clear);
        let next = ite(self.store, is_zero, one, next);
        let sign = ite(self.store, is_zero, y_sign, sign);

        let exponent = self.store.mk(Op::Extract { high: width - 1, low: fraction_bits }, &[next]);
        let fraction = self.store.mk(Op::Extract { high: fraction_bits - 1, low: 0 }, &[next]);
        let significand = if encoding.leading == 0 {
            fraction
        } else {
            let none = self.store.bv_const(of.exponent_bits(), 0u8);
            let is_subnormal = self.store.mk(Op::Eq, &[exponent, none]);
            let leading = ite(self.store, is_subnormal, clear, set);
            self.store.mk(Op::Concat, &[leading, fraction])
        };
        let high = self.store.mk(Op::Concat, &[sign, exponent]);
        let whole = self.store.mk(Op::Concat, &[high, significand]);
        self.store.mk(Op::FpFromBits(of), &[whole])
    }

    /// `ilogb`: the exponent of a number, of 32 bits; and whether the call reports a domain error.
    ///
    /// # Errors
    ///
    /// As for [`Values::next_number`].
    pub fn integral_logarithm(
        &mut self,
        environment: &mut FloatEnvironment,
        value: &FloatValue,
    ) -> Result<(Int<TermId>, Int<TermId>), Stop> {
        let exponent = self.exponent(environment, value)?;
        let special = self.is_of_class(value, ClassMask::NAN | ClassMask::INFINITY | ClassMask::ZERO);
        let infinite = self.is_of_class(value, ClassMask::INFINITY);
        let [special_term, infinite, exponent] = [&special, &infinite, &exponent].map(|int| as_term(self.store, int));
        self.raise_where(environment, Flags::INVALID, special_term);
        let (none, most) = (self.store.bv_const(32, ILOGB_OF_NONE), self.store.bv_const(32, ILOGB_OF_INFINITY));
        let result = ite(self.store, special_term, none, exponent);
        let result = ite(self.store, infinite, most, result);
        Ok((self.settled_int(32, result), special))
    }

    /// `logb`.
    ///
    /// # Errors
    ///
    /// As for [`Values::next_number`].
    pub fn logarithm_of_base(
        &mut self,
        environment: &mut FloatEnvironment,
        value: &FloatValue,
    ) -> Result<FloatValue, Stop> {
        let of = self.format_of(value);
        let exponent = self.exponent(environment, value)?;
        let exponent = as_term(self.store, &exponent);
        let nearest = self.store.rounding_mode(RoundingMode::NearestEven);
        let number = self.store.mk(Op::FpFromSigned(of), &[nearest, exponent]);
        let [zero, odd] = [ClassMask::ZERO, ClassMask::NAN | ClassMask::INFINITY].map(|class| {
            let bit = self.is_of_class(value, class);
            as_term(self.store, &bit)
        });
        self.raise_where(environment, Flags::DIVBYZERO, zero);
        // x · x; of other numbers it is not taken.
        let one = FloatValue::of(&Float::one(of));
        let factor = self.chosen(odd, value, &one);
        let square = self.operate(environment, FloatOperation::Mul, &[factor, factor])?;
        let square = self.term(&square);
        let pole = self.store.float_const(Float::infinity(of, true));
        let result = ite(self.store, odd, square, number);
        let result = ite(self.store, zero, pole, result);
        Ok(self.settled(result))
    }

    /// The exponent of a finite number that is not zero: n with 2^n ≤ |x| < 2^(n + 1).
    fn exponent(&mut self, environment: &mut FloatEnvironment, value: &FloatValue) -> Result<Int<TermId>, Stop> {
        let term = self.term(value);
        if self.encodings.may_be_odd(self.store, term) {
            return Err(refuse_odd());
        }
        let (_, exponent) = self.fraction_and_exponent(environment, value)?;
        let exponent = as_term(self.store, &exponent);
        let one = self.store.bv_const(32, 1u8);
        let exponent = self.store.mk(Op::BvSub, &[exponent, one]);
        Ok(self.settled_int(32, exponent))
    }
}
