//! Functions of math.h that are executed here, operation by operation: glibc's.

use labrys_float::Float;
use labrys_interp::{Datum, Domain, Halt, Int, Scalar, Stop};
use labrys_program::{Function, Type};
use labrys_term::TermId;
use smallvec::smallvec;

use crate::FloatValue;
use crate::answers::{Value, argument};
use crate::driver::Driver;
use crate::externals::Answer;
use crate::state::Execution;

/// A function of math.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MathCall {
    /// `nextafter`, `nexttoward`.
    Next,
    /// `ilogb`.
    IntegralLogarithm,
    /// `logb`.
    Logarithm,
    /// `nan`.
    Nan,
}

/// Linux's "argument out of domain" and "result out of range".
const EDOM: u128 = 33;
const ERANGE: u128 = 34;

impl MathCall {
    pub(crate) fn of(function: &Function) -> Option<MathCall> {
        let name = function.name.as_str();
        let base = name.strip_suffix(['f', 'l']).filter(|base| Self::named(base).is_some()).unwrap_or(name);
        let call = Self::named(base)?;
        let mut parameters = function.parameters.iter().map(|parameter| &parameter.ty);
        let is_float = |ty: Option<&Type>| matches!(ty, Some(Type::Float(_)));
        let fits = match call {
            MathCall::Next => is_float(parameters.next()) && is_float(parameters.next()),
            MathCall::IntegralLogarithm | MathCall::Logarithm => is_float(parameters.next()),
            MathCall::Nan => matches!(parameters.next(), Some(Type::Pointer)),
        };
        (fits && parameters.next().is_none()).then_some(call)
    }

    fn named(name: &str) -> Option<MathCall> {
        Some(match name {
            "nextafter" | "nexttoward" => MathCall::Next,
            "ilogb" => MathCall::IntegralLogarithm,
            "logb" => MathCall::Logarithm,
            "nan" => MathCall::Nan,
            _ => return None,
        })
    }
}

/// The payload that glibc's nan reads in a text, by `strtoull` of any base; `None` where that sets `errno`.
fn payload(text: &str) -> Option<u64> {
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Some(0);
    }
    let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Some(0);
    }
    u64::from_str_radix(digits, radix).ok()
}

/// The float in an argument.
fn float(arguments: &[Value], index: usize) -> Result<FloatValue, Stop> {
    let argument = argument(arguments, index)?;
    match &argument.datum {
        _ if argument.tainted => Err(Stop::Undefined),
        Datum::Float(float) => Ok(*float),
        _ => Err(Stop::unsupported("an argument that should be a float")),
    }
}

impl<'s> Driver<'_, 's> {
    /// Answers a function of math.h.
    pub(crate) fn math_call(
        &mut self,
        execution: &mut Execution<'s>,
        call: MathCall,
        arguments: &[Value],
    ) -> Result<Answer<Value>, Halt<TermId>> {
        if call == MathCall::Nan {
            return self.nan(execution, arguments);
        }
        let x = self.regular(execution, float(arguments, 0)?)?;
        let y = match call {
            MathCall::Next => self.regular(execution, float(arguments, 1)?)?,
            _ => x,
        };
        let environment = &mut execution.state.path.environment;
        let domain = &mut self.machine.domain;
        let scalar = match call {
            MathCall::Next => {
                let (next, fails) = domain.next_number(environment, &x, &y)?;
                self.report(execution, &fails, ERANGE);
                Scalar::float(next)
            }
            MathCall::IntegralLogarithm => {
                let (exponent, fails) = domain.integral_logarithm(environment, &x)?;
                self.report(execution, &fails, EDOM);
                Scalar::int(exponent)
            }
            _ => Scalar::float(domain.logarithm_of_base(environment, &x)?),
        };
        Ok(Answer::Value(smallvec![scalar]))
    }

    /// An operand of what takes encodings apart: paths on which it has one of x87's odd ones end.
    fn regular(&mut self, execution: &Execution<'s>, operand: FloatValue) -> Result<FloatValue, Halt<TermId>> {
        match self.machine.domain.regular(&operand) {
            Some((is_odd, regular)) if !self.machine.decide(&execution.state, &is_odd)? => Ok(regular),
            _ => Ok(operand),
        }
    }

    /// `nan`: positive and quiet, with the payload that the text has.
    fn nan(&mut self, execution: &Execution<'s>, arguments: &[Value]) -> Result<Answer<Value>, Halt<TermId>> {
        let ty = self.machine.instruction(&execution.state).map(|instruction| instruction.ty.clone());
        let Some(Type::Float(format)) = ty else { return Err(Stop::unsupported("nan with another result").into()) };
        let text = self.text(execution, argument(arguments, 0)?);
        let payload = text.and_then(|text| payload(&text));
        let payload = payload.ok_or_else(|| Stop::unsupported("nan of a text that is not known, or too great"))?;
        let bits = Float::nan(format).to_u128().unwrap_or_default();
        // All below the quiet bit, which is the first of the fraction.
        let mask = (1u128 << (format.precision() - 2)) - 1;
        let nan = FloatValue::concrete(format, bits | u128::from(payload) & mask);
        Ok(Answer::Value(smallvec![Scalar::float(nan)]))
    }

    /// Sets `errno` where a call fails, if the program looks at it.
    fn report(&mut self, execution: &mut Execution<'s>, fails: &Int<TermId>, number: u128) {
        if self.reads_errno {
            self.machine.report(&mut execution.state, fails, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against this machine's libm.
    #[test]
    fn payloads_are_glibcs() {
        unsafe extern "C" {
            fn nan(text: *const std::ffi::c_char) -> f64;
        }
        let texts =
            ["", "0", "1", "77", "077", "08", "0x", "0xfF", "0XA", "x", "7_", "-5", " 5", "18446744073709551615"];
        for text in texts.into_iter().chain(["2251799813685248", "0x8000000000001", "5x", "00", "+1", "0b1"]) {
            let own = std::ffi::CString::new(text).unwrap();
            // SAFETY: the text ends with a zero.
            let expected = unsafe { nan(own.as_ptr()) }.to_bits();
            assert_eq!((payload(text).unwrap() & ((1 << 51) - 1)) | (0x7ff8 << 48), expected, "{text}");
        }
        assert_eq!(payload("18446744073709551616"), None);
    }
}
