//! What the bitcode of the C library asks of the executor (`scripts/libc/labrys.h`).

use labrys_interp::{Halt, Int, IntOperation, Scalar, Stop};
use labrys_term::{Sort, TermId};
use smallvec::smallvec;

use crate::answers::{Value, argument, integer};
use crate::driver::Driver;
use crate::ending::Ending;
use crate::externals::Answer;
use crate::inputs::Source;
use crate::state::Execution;

/// A request of the library's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryCall {
    /// `labrys_errno()`: the address of `errno`. A name of its own, for what asks for `errno` by the program's name makes every call of libm set it.
    ErrorNumber,
    /// `labrys_any(bits)`: any number below 2^bits.
    Any,
    /// `labrys_unmodelled(what)`.
    Unmodelled,
}

impl LibraryCall {
    pub(crate) fn of(name: &str) -> Option<LibraryCall> {
        Some(match name {
            "labrys_errno" => LibraryCall::ErrorNumber,
            "labrys_any" => LibraryCall::Any,
            "labrys_unmodelled" => LibraryCall::Unmodelled,
            _ => return None,
        })
    }
}

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
            LibraryCall::Any => {
                let bits = integer(argument(arguments, 0)?)?.concrete().filter(|bits| (1..=64).contains(bits));
                let bits = bits.ok_or_else(|| Stop::unsupported("labrys_any of so many bits"))? as u32;
                let any = self.any_number(bits);
                let any = if bits < 64 { self.operate(IntOperation::ZeroExtend(64), &[any]) } else { any };
                Answer::Value(smallvec![Scalar::int(any)])
            }
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
            Source::Fixed(_) => Int::new(bits, 0),
            Source::Symbolic => {
                self.numbers += 1;
                let name = format!("labrys_any {}:{bits}", self.numbers);
                Int::symbolic(bits, self.store().variable(&name, Sort::BitVec(bits)))
            }
        }
    }
}
