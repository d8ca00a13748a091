//! `errno` behind functions of floats, where accesses are checked: as glibc 2.36 sets it.
//!
//! - EDOM where the result is a NaN and no operand is one;
//! - ERANGE where it is infinite and all operands are finite;
//! - ERANGE also for results below the normal numbers, of those functions that can have such: which, the domain says
//!   ([`Domain::tiny_is_reported`]); of ldexp those that are zero.
//!
//! Otherwise it stays as it was. Which functions report what is a table; a test calls them.

use labrys_elementary::Function;
use labrys_float::Flags;
use labrys_program::{FloatCall, FloatOperation};

use crate::machine::{ScalarOf, float_of};
use crate::{ClassMask, Domain, Int, Machine, Scalar, ScalarKind, State, Stop, bits};

/// Linux's "argument out of domain".
const EDOM: u128 = 33;

/// Linux's "result out of range".
const ERANGE: u128 = 34;

/// What a function reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reports {
    /// NaNs of numbers.
    domain: bool,
    /// Infinities of finite numbers.
    range: bool,
    /// Perhaps, results below the normal numbers.
    tiny: Option<Function>,
    /// Zeros of numbers that are not zero.
    zero: bool,
}

fn reports(call: FloatCall) -> Reports {
    let none = Reports::default();
    match call {
        FloatCall::Elementary(Function::Logb | Function::Cbrt) => none,
        FloatCall::Elementary(function) => {
            let possible = function.possible();
            Reports {
                domain: possible.contains(Flags::INVALID),
                range: possible.intersects(Flags::DIVBYZERO | Flags::OVERFLOW),
                tiny: possible.contains(Flags::UNDERFLOW).then_some(function),
                zero: false,
            }
        }
        FloatCall::Operation(FloatOperation::Sqrt | FloatOperation::Rem | FloatOperation::IeeeRemainder) => {
            Reports { domain: true, ..none }
        }
        FloatCall::PositiveDifference => Reports { range: true, ..none },
        FloatCall::Scale => Reports { range: true, zero: true, ..none },
        _ => none,
    }
}

impl<D: Domain> Machine<'_, D> {
    /// Sets `errno` as a call of a function of floats leaves it.
    pub(crate) fn report_error(
        &mut self,
        state: &mut State<D>,
        call: FloatCall,
        operands: &[ScalarOf<D>],
        result: &ScalarOf<D>,
    ) -> Result<(), Stop> {
        let reports = reports(call);
        if reports == Reports::default() {
            return Ok(());
        }
        let floats = &operands[..operands.len().min(if call == FloatCall::Scale { 1 } else { call.arity() })];
        let mut errno = None;
        if reports.domain {
            let fails = self.all_of(result, ClassMask::NAN, floats, !ClassMask::NAN)?;
            errno = self.reported(state, errno, &fails, EDOM);
        }
        if reports.range {
            let fails = self.all_of(result, ClassMask::INFINITY, floats, ClassMask::FINITE)?;
            errno = self.reported(state, errno, &fails, ERANGE);
        }
        if reports.zero {
            let fails = self.all_of(result, ClassMask::ZERO, floats, ClassMask::FINITE - ClassMask::ZERO)?;
            errno = self.reported(state, errno, &fails, ERANGE);
        }
        if let Some(function) = reports.tiny {
            let tiny = self.all_of(result, ClassMask::ZERO | ClassMask::SUBNORMAL, floats, !ClassMask::NAN)?;
            if tiny.concrete() != Some(0) {
                let floats = floats.iter().map(|scalar| float_of(scalar).cloned()).collect::<Result<Vec<_>, _>>()?;
                let told = self.domain.tiny_is_reported(function, &floats)?;
                let fails = bits::select(&mut self.domain, &tiny, &told, &Int::bool(false));
                errno = self.reported(state, errno, &fails, ERANGE);
            }
        }
        if let Some(errno) = errno {
            self.set_error_number(state, errno);
        }
        Ok(())
    }

    /// Sets `errno` to `number` where a call fails.
    pub fn report(&mut self, state: &mut State<D>, fails: &Int<D::Symbol>, number: u128) {
        if let Some(errno) = self.reported(state, None, fails, number) {
            self.set_error_number(state, errno);
        }
    }

    fn set_error_number(&mut self, state: &mut State<D>, errno: Int<D::Symbol>) {
        self.errno(state);
        if let Some(id) = state.errno {
            state.memory.store(&mut self.domain, id, 0, 4, Scalar::int(errno));
        }
    }

    /// Whether the result is of one class and every operand of another.
    fn all_of(
        &mut self,
        result: &ScalarOf<D>,
        class: ClassMask,
        operands: &[ScalarOf<D>],
        of_operands: ClassMask,
    ) -> Result<Int<D::Symbol>, Stop> {
        let mut all = self.domain.float_class(float_of(result)?, class);
        for operand in operands {
            let one = self.domain.float_class(float_of(operand)?, of_operands);
            all = bits::select(&mut self.domain, &all, &one, &Int::bool(false));
        }
        Ok(all)
    }

    /// `errno` where a call has failed in some way or not; `before` is what other ways of failing have made of it.
    fn reported(
        &mut self,
        state: &mut State<D>,
        before: Option<Int<D::Symbol>>,
        fails: &Int<D::Symbol>,
        number: u128,
    ) -> Option<Int<D::Symbol>> {
        if fails.concrete() == Some(0) {
            return before;
        }
        let before = match (before, fails.concrete()) {
            (Some(before), _) => before,
            (None, Some(_)) => Int::new(32, 0),
            (None, None) => self.error_number(state),
        };
        Some(bits::select(&mut self.domain, fails, &Int::new(32, number), &before))
    }

    /// What `errno` holds.
    fn error_number(&mut self, state: &mut State<D>) -> Int<D::Symbol> {
        self.errno(state);
        let held = state.errno.map(|id| state.memory.load(&mut self.domain, id, 0, ScalarKind::Int(32)));
        match held {
            Some(Scalar { datum: crate::Datum::Int(int), .. }) => int,
            _ => Int::new(32, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::{Environment, Float, Format, RoundingMode};

    use super::*;
    use crate::{call_host, host_error};

    /// What the table says of a call on known operands; `None` where it leaves that open.
    fn expected(function: Function, operands: &[Float], result: &Float) -> Option<i32> {
        let reports = reports(FloatCall::Elementary(function));
        let number = operands.iter().all(|operand| !operand.is_nan());
        if reports.domain && result.is_nan() && number {
            return Some(EDOM as i32);
        }
        if reports.range && result.is_infinite() && operands.iter().all(|operand| !operand.is_infinite()) && number {
            return Some(ERANGE as i32);
        }
        let tiny = result.is_zero() || result.class() == labrys_float::Class::Subnormal;
        if reports.tiny.is_some() && tiny && number {
            return None;
        }
        Some(0)
    }

    #[test]
    fn errno_is_glibcs() {
        let numbers: Vec<f64> =
            [0.0, 1e-320, 1e-300, 1e-10, 0.5, 1.0, 1.5, 2.0, 3.0, 25.0, 170.5, 172.0, 720.0, 1e10, 1e300]
                .into_iter()
                .chain([f64::INFINITY])
                .flat_map(|x| [x, -x])
                .chain([f64::NAN])
                .collect();
        let mut wrong = Vec::new();
        for function in Function::all() {
            let seconds: &[f64] = if function.arity() == 2 { &numbers } else { &[0.0] };
            for (x, y) in numbers.iter().flat_map(|x| seconds.iter().map(move |y| (*x, *y))) {
                for format in [Format::BINARY32, Format::BINARY64, Format::X87] {
                    let float = |x: f64| Environment::default().convert(&Float::from_f64(x), format).value;
                    let operands: Vec<Float> = [x, y].into_iter().map(float).take(function.arity()).collect();
                    let result = call_host(function, &operands, RoundingMode::NearestEven).unwrap().value;
                    let errno = host_error(function, &operands).unwrap();
                    if expected(function, &operands, &result).is_some_and(|expected| expected != errno) {
                        wrong.push(format!("{}({x:e}, {y:e}) {format:?}: {errno}", function.name()));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
