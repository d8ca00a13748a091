//! What the bitcode of the C library asks of the executor (`scripts/libc/labrys.h`).

use labrys_interp::{Halt, Int, IntOperation, Scalar, Stop};
use labrys_program::IntPredicate;
use labrys_term::{Sort, TermId};
use smallvec::smallvec;

use crate::answers::{Value, argument, integer};
use crate::driver::Driver;
use crate::ending::Ending;
use crate::externals::Answer;
use crate::inputs::{Source, standard_byte, standard_length};
use crate::state::Execution;

/// A request of the library's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryCall {
    /// `labrys_errno()`: the address of `errno`. A name of its own, for what asks for `errno` by the program's name makes every call of libm set it.
    ErrorNumber,
    /// `labrys_read_input(at)`: a byte of standard input, or -1 behind its end.
    Read,
    /// `labrys_any(bits)`: any number below 2^bits.
    Any,
    /// `labrys_few_…(value)`: the value, one of few on each path.
    Few,
    /// `labrys_unmodelled(what)`.
    Unmodelled,
}

impl LibraryCall {
    pub(crate) fn of(name: &str) -> Option<LibraryCall> {
        Some(match name {
            "labrys_errno" => LibraryCall::ErrorNumber,
            "labrys_read_input" => LibraryCall::Read,
            "labrys_any" => LibraryCall::Any,
            "labrys_few_long" | "labrys_few_float" | "labrys_few_double" | "labrys_few_wide" => LibraryCall::Few,
            "labrys_unmodelled" => LibraryCall::Unmodelled,
            _ => return None,
        })
    }
}

/// How the names of numbers begin that no input decides.
pub(crate) const ANY_NUMBER: &str = "labrys_any";

impl<'s> Driver<'_, 's> {
    /// Answers a request of the library's.
    pub(crate) fn library_request(
        &mut self,
        execution: &mut Execution<'s>,
        call: LibraryCall,
        arguments: &[Value],
    ) -> Result<Answer<Value>, Halt<TermId>> {
        Ok(match call {
            LibraryCall::ErrorNumber => Answer::Value(self.machine.errno(&mut execution.state)),
            LibraryCall::Read => {
                let at = integer(argument(arguments, 0)?)?.concrete().and_then(|at| u64::try_from(at).ok());
                let at =
                    at.ok_or_else(|| Stop::unsupported("reading at a place of standard input that is not known"))?;
                let byte = self.standard_byte(execution, at)?;
                let read = match byte {
                    Some(byte) => self.operate(IntOperation::ZeroExtend(32), &[byte]),
                    None => Int::new(32, u32::MAX.into()),
                };
                Answer::Value(smallvec![Scalar::int(read)])
            }
            LibraryCall::Any => {
                let bits = integer(argument(arguments, 0)?)?.concrete().filter(|bits| (1..=64).contains(bits));
                let bits = bits.ok_or_else(|| Stop::unsupported("labrys_any of so many bits"))? as u32;
                let any = self.any_number(bits);
                let any = if bits < 64 { self.operate(IntOperation::ZeroExtend(64), &[any]) } else { any };
                Answer::Value(smallvec![Scalar::int(any)])
            }
            LibraryCall::Few => Answer::Value(self.one_of_few(execution, arguments)?),
            LibraryCall::Unmodelled => {
                let what = self.text(execution, argument(arguments, 0)?);
                let what = what.unwrap_or_else(|| "a function of the C library".to_owned());
                Answer::End(Ending::unexplored(format!("not supported: {what}")))
            }
        })
    }

    /// A number that no input decides. What hangs on it is found again, or not, where it is zero.
    pub(crate) fn any_number(&mut self, bits: u32) -> Int<TermId> {
        match self.source {
            Source::Fixed(_) | Source::Made(_) => Int::new(bits, 0),
            Source::Symbolic => {
                self.numbers += 1;
                let name = format!("{ANY_NUMBER} {}:{bits}", self.numbers);
                let sort = if bits == 1 { Sort::Bool } else { Sort::BitVec(bits) };
                Int::symbolic(bits, self.store().variable(&name, sort))
            }
        }
    }

    /// The byte of standard input at a place; `None` behind its end, where the path parts over whether it is there.
    fn standard_byte(&mut self, execution: &Execution<'s>, at: u64) -> Result<Option<Int<TermId>>, Halt<TermId>> {
        if let Source::Fixed(test) = &self.source {
            let byte = test.standard_input().and_then(|bytes| bytes.get(usize::try_from(at).ok()?));
            return Ok(byte.map(|byte| Int::new(8, u128::from(*byte))));
        }
        if at >= self.options.standard_input {
            return Ok(None);
        }
        let length = standard_length(self.store());
        let is_there = self.compared(IntPredicate::Ult, &Int::new(32, at.into()), &Int::symbolic(32, length));
        if !self.machine.decide(&execution.state, &is_there)? {
            return Ok(None);
        }
        Ok(Some(Int::symbolic(8, standard_byte(self.store(), at))))
    }
}
