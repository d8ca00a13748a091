//! Functions of math.h that are executed here, operation by operation: glibc's.

use labrys_interp::{Datum, Halt, Int, Scalar, Stop};
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
        };
        (fits && parameters.next().is_none()).then_some(call)
    }

    fn named(name: &str) -> Option<MathCall> {
        Some(match name {
            "nextafter" | "nexttoward" => MathCall::Next,
            "ilogb" => MathCall::IntegralLogarithm,
            "logb" => MathCall::Logarithm,
            _ => return None,
        })
    }
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
        let environment = &mut execution.state.path.environment;
        let domain = &mut self.machine.domain;
        let x = float(arguments, 0)?;
        let scalar = match call {
            MathCall::Next => {
                let (next, fails) = domain.next_number(environment, &x, &float(arguments, 1)?)?;
                self.report(execution, &fails, ERANGE);
                Scalar::float(next)
            }
            MathCall::IntegralLogarithm => {
                let (exponent, fails) = domain.integral_logarithm(environment, &x)?;
                self.report(execution, &fails, EDOM);
                Scalar::int(exponent)
            }
            MathCall::Logarithm => Scalar::float(domain.logarithm_of_base(environment, &x)?),
        };
        Ok(Answer::Value(smallvec![scalar]))
    }

    /// Sets `errno` where a call fails, if the program looks at it.
    fn report(&mut self, execution: &mut Execution<'s>, fails: &Int<TermId>, number: u128) {
        if self.reads_errno {
            self.machine.report(&mut execution.state, fails, number);
        }
    }
}
