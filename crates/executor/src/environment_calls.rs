//! fenv.h: rounding mode and exception flags of a path.

use labrys_interp::{Halt, Int, Scalar, Stop};
use labrys_program::Type;
use labrys_term::TermId;
use smallvec::smallvec;

use crate::answers::{Value, argument, integer};
use crate::driver::Driver;
use crate::externals::Answer;
use crate::state::Execution;

/// A function of fenv.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnvironmentCall {
    /// `fegetround`.
    Rounding,
    /// `fesetround`.
    SetRounding,
    /// `fetestexcept`.
    Test,
    /// `feclearexcept`.
    Clear,
    /// `feraiseexcept`.
    Raise,
    /// `fegetexceptflag`.
    Save,
    /// `fesetexceptflag`.
    Restore,
}

/// The rounding modes of x86-64's fenv.h.
const MODES: [u32; 4] = [0, 0x400, 0x800, 0xc00];

/// The type of `fexcept_t` on x86-64.
const SAVED: Type = Type::Int(16);

impl EnvironmentCall {
    pub(crate) fn of(name: &str) -> Option<EnvironmentCall> {
        Some(match name {
            "fegetround" => EnvironmentCall::Rounding,
            "fesetround" => EnvironmentCall::SetRounding,
            "fetestexcept" => EnvironmentCall::Test,
            "feclearexcept" => EnvironmentCall::Clear,
            "feraiseexcept" => EnvironmentCall::Raise,
            "fegetexceptflag" => EnvironmentCall::Save,
            "fesetexceptflag" => EnvironmentCall::Restore,
            _ => return None,
        })
    }
}

impl<'s> Driver<'_, 's> {
    /// Answers a function of the floating-point environment. Those that say how it went say that it went well.
    pub(crate) fn environment_call(
        &mut self,
        execution: &mut Execution<'s>,
        call: EnvironmentCall,
        arguments: &[Value],
    ) -> Result<Answer<Value>, Halt<TermId>> {
        let first = || integer(argument(arguments, 0)?).cloned();
        let second = || integer(argument(arguments, 1)?).cloned();
        let result = match call {
            EnvironmentCall::Rounding => Int::new(32, u128::from(execution.state.path.environment.rounding())),
            EnvironmentCall::SetRounding => {
                let mode = self.mode(execution, &first()?)?;
                let is_set = mode.is_some_and(|mode| execution.state.path.environment.set_rounding(mode));
                Int::new(32, u128::from(!is_set))
            }
            EnvironmentCall::Test => {
                self.machine.domain.test_exceptions(&execution.state.path.environment, &first()?)?
            }
            EnvironmentCall::Clear => {
                self.machine.domain.clear_exceptions(&mut execution.state.path.environment, &first()?)?;
                Int::new(32, 0)
            }
            EnvironmentCall::Raise => {
                self.machine.domain.raise_exceptions(&mut execution.state.path.environment, &first()?)?;
                Int::new(32, 0)
            }
            EnvironmentCall::Save => {
                let flags = self.machine.domain.test_exceptions(&execution.state.path.environment, &second()?)?;
                let low = labrys_interp::IntOperation::Extract { high: 15, low: 0 };
                let flags: Value = smallvec![Scalar::int(self.operate(low, &[flags]))];
                let place = self.machine.place(&execution.state);
                let to = argument(arguments, 0)?.clone();
                self.machine.store_value(&mut execution.state, &place, &to, flags, &SAVED)?;
                Int::new(32, 0)
            }
            EnvironmentCall::Restore => {
                let place = self.machine.place(&execution.state);
                let from = argument(arguments, 0)?.clone();
                let flags = self.machine.load_value(&mut execution.state, &place, &from, &SAVED)?;
                let flags = integer(argument(&[flags], 0)?)?.clone();
                let flags = self.operate(labrys_interp::IntOperation::ZeroExtend(32), &[flags]);
                let environment = &mut execution.state.path.environment;
                self.machine.domain.set_exceptions(environment, &second()?, &flags)?;
                Int::new(32, 0)
            }
        };
        Ok(Answer::Value(smallvec![Scalar::int(result)]))
    }

    /// The rounding mode that an integer names: the path parts where it is not known. `None` where it names none.
    fn mode(&mut self, execution: &Execution<'s>, mode: &Int<TermId>) -> Result<Option<u32>, Halt<TermId>> {
        if let Some(known) = self.machine.known(&execution.state, mode) {
            return Ok(u32::try_from(known).ok());
        }
        if mode.bits() != 32 {
            return Err(Stop::unsupported("fesetround with these arguments").into());
        }
        for candidate in MODES {
            if self.are_equal(execution, mode, &Int::new(32, u128::from(candidate)))? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }
}
