//! What each operation gives in arbitrary precision.

use std::cmp::Ordering;

use labrys_elementary::rug::float::Round;
use labrys_elementary::{Function, rug, to_precise};
use labrys_float::{Float, Format};
use labrys_program::{BlockId, FunctionId};
use num_bigint::BigUint;
use num_traits::{Signed, Zero};

use super::encoding::Encoding;
use super::number::PreciseFloat;
use super::state::{Precise, hash};
use super::{bounds, cost, quotients, rounding};
use crate::{ClassMask, Domain, FloatComparison, FloatOperation, Int, IntOperation, Place, Stop, ToInteger, bits};

/// Exponents from which on periodic functions are not evaluated: reducing their arguments needs as many bits.
const MAX_PERIODIC_EXPONENT: i32 = 1 << 16;

/// Whether values at some finite arguments are infinite.
fn has_pole(function: Function) -> bool {
    use Function::*;
    matches!(function, Log | Log2 | Log10 | Log1p | Logb | Atanh | Tgamma | Lgamma | Pow | Y0 | Y1)
}

/// Whether values are positive wherever they are defined (of `pow` at positive bases), however small.
fn is_never_zero(function: Function) -> bool {
    use Function::*;
    matches!(function, Exp | Exp2 | Exp10 | Pow | Erfc | Tgamma)
}

/// Whether arguments are reduced by multiples of π, at least some.
fn is_periodic(function: Function) -> bool {
    use Function::*;
    matches!(function, Sin | Cos | Tan | Tgamma | Lgamma | J0 | J1 | Y0 | Y1)
}

impl Domain for Precise {
    type Float = PreciseFloat;
    type Symbol = Encoding;
    type Path = ();

    fn float_constant(&mut self, value: &Float) -> PreciseFloat {
        PreciseFloat::exact(value)
    }

    fn float_format(&self, value: &PreciseFloat) -> Format {
        value.format()
    }

    fn float_operation(
        &mut self,
        _: &mut (),
        place: &Place,
        operation: FloatOperation,
        operands: &[PreciseFloat],
    ) -> Result<PreciseFloat, Stop> {
        let result = self.compute(operation, operands)?;
        if matches!(operation, FloatOperation::Add | FloatOperation::Sub | FloatOperation::Fma) {
            self.signs = hash(&(self.signs, result.value().is_sign_negative()));
        }
        self.note_execution(place, operation, operands, &result);
        if self.rounds_on_purpose(place, operation, operands) {
            self.marks.undecided |= !result.rounds_alike();
            return Ok(rounding::rounded(&result));
        }
        Ok(self.kept(place, result))
    }

    fn float_compare(
        &mut self,
        _: &mut (),
        _: &Place,
        comparison: FloatComparison,
        lhs: &PreciseFloat,
        rhs: &PreciseFloat,
    ) -> Result<Int<Encoding>, Stop> {
        let predicate = comparison.predicate;
        if quotients::quotients(lhs, rhs).is_none() {
            self.note_comparison(lhs, rhs);
        }
        let outcome = match quotients::order(lhs, rhs) {
            Some(Ordering::Less) => predicate.less,
            Some(Ordering::Equal) => predicate.equal,
            Some(Ordering::Greater) => predicate.greater,
            None => predicate.unordered,
        };
        self.control = hash(&(self.control, outcome));
        Ok(Int::bool(outcome))
    }

    fn float_class(&mut self, value: &PreciseFloat, mask: ClassMask) -> Int<Encoding> {
        let smallest = to_precise(&Float::min_normal(value.format()));
        let is_decided = value.has_sign() && value.is_apart_from(&smallest) && value.is_apart_from(&-smallest);
        self.marks.undecided |= !is_decided;
        Int::bool(mask.contains(value.class()))
    }

    fn float_to_int(
        &mut self,
        _: &mut (),
        _: &Place,
        conversion: ToInteger,
        value: &PreciseFloat,
    ) -> Result<(Int<Encoding>, bool), Stop> {
        let ToInteger { bits, signed, mode, saturating } = conversion;
        let number = value.value();
        let in_reach = number.is_finite() && number.get_exp().is_none_or(|exponent| exponent <= bits as i32 + 2);
        let int = in_reach
            .then(|| self.decided_integral(value, number, mode.unwrap_or_default()))
            .and_then(|integral| integral.to_integer())
            .filter(|int| fits(int, bits, signed));
        Ok(match int {
            Some(int) => (low_bits(bits, &int), false),
            None if saturating => (crate::saturated(&value.nearest().value, bits, signed), false),
            None => (Int::least(bits), true),
        })
    }

    fn int_to_float(
        &mut self,
        _: &mut (),
        place: &Place,
        value: &Int<Encoding>,
        signed: bool,
        format: Format,
    ) -> Result<PreciseFloat, Stop> {
        let value = known(value);
        let integer = value.known_integer(signed).unwrap_or_default();
        let mut number = rug::Integer::from_digits(&integer.magnitude().to_u64_digits(), rug::integer::Order::Lsf);
        if integer.is_negative() {
            number = -number;
        }
        let number = rug::Float::with_val(value.bits().max(128), number);
        Ok(self.kept(place, PreciseFloat::new(number, format)))
    }

    fn float_scale(
        &mut self,
        _: &mut (),
        place: &Place,
        value: &PreciseFloat,
        exponent: &Int<Encoding>,
    ) -> Result<PreciseFloat, Stop> {
        // As far as MPFR's exponents go, from the smallest number to the largest.
        let exponent = known(exponent).signed().unwrap_or_default().clamp(-(1 << 30), 1 << 30) as i32;
        let result = value.value().clone() << exponent;
        self.note_exponents(std::slice::from_ref(value), &result, false, false);
        if let Some(quotient) = value.quotient().and_then(|_| quotients::scaled(value, exponent)) {
            return Ok(self.kept(place, PreciseFloat::of_quotient(quotient, self.precision, value.format())));
        }
        let radius = value.radius().shifted(i64::from(exponent));
        Ok(self.kept(place, PreciseFloat::within(result, radius, value.format())))
    }

    fn fraction_exponent(
        &mut self,
        _: &mut (),
        _: &Place,
        value: &PreciseFloat,
    ) -> Result<(PreciseFloat, Int<Encoding>), Stop> {
        let exponent = value.value().get_exp().unwrap_or_default();
        let binade = rug::Float::with_val(2, 1) << exponent;
        let is_decided = [binade.clone() >> 1, binade]
            .iter()
            .all(|end| value.is_apart_from(end) && value.is_apart_from(&rug::Float::with_val(2, -end)));
        self.marks.undecided |= !(is_decided && value.has_sign());
        let radius = value.radius().shifted(-i64::from(exponent));
        let fraction = PreciseFloat::within(value.value().clone() >> exponent, radius, value.format());
        Ok((fraction, Int::new(32, exponent as u128)))
    }

    fn elementary(
        &mut self,
        _: &mut (),
        place: &Place,
        function: Function,
        operands: &[PreciseFloat],
    ) -> Result<PreciseFloat, Stop> {
        let name = function.name();
        let Some(first) = operands.first().filter(|_| operands.len() == function.arity()) else {
            return Err(Stop::unsupported(format!("{name} in arbitrary precision")));
        };
        self.spent += cost::of(function, first.value(), self.precision);
        if self.spent > cost::LIMIT {
            return Err(Stop::unsupported("elementary functions that take too long in arbitrary precision"));
        }
        let exponent = first.value().get_exp().unwrap_or_default();
        if exponent > MAX_PERIODIC_EXPONENT && is_periodic(function) {
            return Err(Stop::unsupported(format!("{name} of a number beyond 2^{MAX_PERIODIC_EXPONENT}")));
        }
        let values: Vec<rug::Float> = operands.iter().map(|operand| operand.value().clone()).collect();
        let (result, order) = function.rounded(&values, self.precision, Round::Nearest);
        self.note_exponents(operands, &result, has_pole(function), !is_never_zero(function));
        // cos, exp, erf, ... near their limits.
        let is_limit = result == 1u32 || result == -1i32 || result == 2u32;
        self.marks.absorbed |= is_limit && operands.iter().all(|operand| !operand.value().is_zero());
        let radius = bounds::of_function(function, operands, &result, order == Ordering::Equal);
        if let Some(executions) = &mut self.executions {
            executions.note(place, name);
        }
        Ok(self.kept(place, PreciseFloat::within(result, radius, first.format())))
    }

    fn float_to_bits(&mut self, value: &PreciseFloat) -> Int<Encoding> {
        let nearest = value.nearest().value;
        let width = value.format().width();
        let bits = nearest.to_u128().unwrap_or_default();
        // The integer is that of the value as it was computed; whoever makes a float of it has an exact one.
        let is_exact = value.radius().is_zero();
        self.marks.undecided |= !value.rounds_alike() || (!is_exact && value.equals(&nearest));
        if nearest.is_nan() || value.equals(&nearest) {
            Int::new(width, bits)
        } else {
            Int::symbolic(width, Encoding::of(value, bits))
        }
    }

    fn float_from_bits(&mut self, bits: &Int<Encoding>, format: Format) -> PreciseFloat {
        let encoding = bits.symbol();
        if let Some(copied) = encoding.and_then(|encoding| encoding.copied(format)) {
            return copied.clone();
        }
        self.marks.rounded_encoding |= encoding.is_some();
        PreciseFloat::exact(&Float::from_bits(format, known(bits).concrete().unwrap_or_default()))
    }

    fn float_select(&mut self, condition: &Encoding, if_true: &PreciseFloat, if_false: &PreciseFloat) -> PreciseFloat {
        if !condition.value().is_zero() { if_true.clone() } else { if_false.clone() }
    }

    fn int_operation(&mut self, _: &Encoding, operation: IntOperation, operands: &[Int<Encoding>]) -> Int<Encoding> {
        if let (IntOperation::Select, [condition, if_true, if_false]) = (operation, operands) {
            return if known(condition).concrete() == Some(0) { if_false.clone() } else { if_true.clone() };
        }
        let operands: Vec<Int<Encoding>> = operands.iter().map(known).collect();
        // Divisions come here only after the machine has asked whether they trap.
        let result = bits::evaluate(operation, &operands).unwrap_or_else(|| operands[0].clone());
        match operation {
            // A truth value decides; no float is made of it.
            IntOperation::Compare(_) => result,
            _ => {
                Int::symbolic(result.bits(), Encoding::derived(result.known_number().unwrap_or_default().into_owned()))
            }
        }
    }

    fn known_value(&self, (): &(), symbol: &Encoding) -> Option<u128> {
        symbol.word()
    }

    fn stride(&self, _: &Encoding) -> (u64, u64) {
        (1, 0)
    }

    fn edge(&mut self, (): &mut (), function: FunctionId, _: usize, from: BlockId, to: BlockId) -> Result<(), Stop> {
        self.control = hash(&(self.control, function, from, to));
        Ok(())
    }
}

/// The same integer, its value known.
fn known(int: &Int<Encoding>) -> Int<Encoding> {
    match int.symbol() {
        Some(symbol) => Int::number(int.bits(), symbol.value().clone()),
        None => int.clone(),
    }
}

/// The lowest bits of an integer in two's complement.
fn low_bits(bits: u32, int: &rug::Integer) -> Int<Encoding> {
    Int::number(bits, BigUint::from_slice(&int.clone().keep_bits(bits).to_digits(rug::integer::Order::Lsf)))
}

/// Whether an integer is in the range of a type.
fn fits(int: &rug::Integer, bits: u32, signed: bool) -> bool {
    match (signed, int.cmp0()) {
        (false, Ordering::Less) => false,
        (false, _) => int.significant_bits() <= bits,
        // In two's complement, a sign bit included.
        (true, _) => int.signed_bits() <= bits,
    }
}
