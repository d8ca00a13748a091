//! Calls that control does not come back from as it does from others: what C++'s runtime asks of the executor (`scripts/libc/cxx_exceptions.c`), C's
//! `setjmp` and `longjmp`, and the end of a program that has asked for something to be done then (`scripts/libc/exits.c`).

use labrys_interp::{Halt, Int, JumpTarget, LandingClause, Scalar, Stop};
use labrys_program::{BlockId, CAUGHT_PANIC, Callee, FunctionId, InstructionKind, SET_HOOK, Type, rust_path};
use labrys_term::TermId;
use smallvec::smallvec;

use crate::answers::{Value, argument, integer};
use crate::driver::Driver;
use crate::ending::Ending;
use crate::externals::Answer;
use crate::state::Execution;

/// A call that leaves its activation, or asks where that would lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlCall {
    /// `labrys_clause(activation, number, &type)`.
    Clause,
    /// `labrys_land(activation, exception, selector)`.
    Land,
    /// `setjmp(buffer)`.
    SetJump,
    /// `longjmp(buffer, value)`.
    LongJump,
    /// `exit(status)`.
    Exit,
}

impl ControlCall {
    pub(crate) fn of(name: &str) -> Option<ControlCall> {
        Some(match name {
            "labrys_clause" => ControlCall::Clause,
            "labrys_land" => ControlCall::Land,
            "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => ControlCall::SetJump,
            "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => ControlCall::LongJump,
            "exit" => ControlCall::Exit,
            _ => return None,
        })
    }
}

/// Numbers of clauses, as the library has them.
const ABSENT: u128 = 0;
const CATCH: u128 = 1;
const FILTER: u128 = 2;
const CLEANUP: u128 = 3;
const NO_ACTIVATION: u128 = 4;

/// What a buffer of `setjmp` holds: five numbers of eight bytes, the first of them the address of an object that lives as long as the activation.
const NUMBERS: u64 = 5;

impl<'s> Driver<'_, 's> {
    /// Answers such a call.
    pub(crate) fn control_call(
        &mut self,
        execution: &mut Execution<'s>,
        call: ControlCall,
        arguments: &[Value],
    ) -> Result<Answer<Value>, Halt<TermId>> {
        match call {
            ControlCall::Clause => {
                let (activation, number) = (known(arguments, 0)?, known(arguments, 1)?);
                let clause = self.machine.clause(&execution.state, activation as usize, number as usize)?;
                let kind = match clause {
                    LandingClause::NoActivation => NO_ACTIVATION,
                    LandingClause::Absent => ABSENT,
                    LandingClause::Filter => FILTER,
                    LandingClause::Cleanup => CLEANUP,
                    LandingClause::Catch(ty) => {
                        let place = self.machine.place(&execution.state);
                        let to = argument(arguments, 2)?.clone();
                        self.machine.store_value(&mut execution.state, &place, &to, smallvec![ty], &Type::Pointer)?;
                        CATCH
                    }
                };
                Ok(Answer::Value(smallvec![Scalar::int(Int::new(32, kind))]))
            }
            ControlCall::Land => {
                let activation = known(arguments, 0)? as usize;
                let (exception, selector) = (argument(arguments, 1)?.clone(), argument(arguments, 2)?.clone());
                self.machine.land(&mut execution.state, activation, exception, selector)?;
                Ok(Answer::Moved)
            }
            ControlCall::SetJump => {
                let (target, token) = self.machine.jump_target(&mut execution.state)?;
                let buffer = argument(arguments, 0)?.clone();
                let numbers = [
                    target.depth as u128,
                    u128::from(target.function.0),
                    u128::from(target.block.0),
                    target.instruction as u128,
                ];
                let mut scalars = vec![Scalar::pointer(token)];
                scalars.extend(numbers.map(|number| Scalar::int(Int::new(64, number))));
                for (index, scalar) in scalars.into_iter().enumerate() {
                    let ty = if index == 0 { Type::Pointer } else { Type::Int(64) };
                    let place = self.machine.place(&execution.state);
                    let to = displaced(&buffer, 8 * index as u128)?;
                    self.machine.store_value(&mut execution.state, &place, &to, smallvec![scalar], &ty)?;
                }
                Ok(Answer::Value(smallvec![Scalar::int(Int::new(32, 0))]))
            }
            ControlCall::LongJump => self.long_jump(execution, arguments),
            ControlCall::Exit => self.exit(execution),
        }
    }

    /// Back to `setjmp`, which returns the value, or 1 for 0.
    fn long_jump(&mut self, execution: &mut Execution<'s>, arguments: &[Value]) -> Result<Answer<Value>, Halt<TermId>> {
        let buffer = argument(arguments, 0)?.clone();
        let value = integer(argument(arguments, 1)?)?.clone();
        let is_zero = self.compared(labrys_program::IntPredicate::Eq, &value, &Int::new(32, 0));
        let value = if self.machine.decide(&execution.state, &is_zero)? { Int::new(32, 1) } else { value };
        let place = self.machine.place(&execution.state);
        let mut numbers = [0u128; NUMBERS as usize];
        let mut token = None;
        for (index, number) in numbers.iter_mut().enumerate() {
            let from = displaced(&buffer, 8 * index as u128)?;
            let ty = if index == 0 { Type::Pointer } else { Type::Int(64) };
            let loaded = self.machine.load_value(&mut execution.state, &place, &from, &ty)?;
            let loaded = [loaded];
            let loaded = argument(&loaded, 0)?;
            if index == 0 {
                // The activation that called setjmp must still be there.
                token = Some(self.machine.locate(&execution.state, &place, loaded, 1, false)?.0);
            } else {
                let loaded = integer(loaded)?.concrete();
                *number = loaded.ok_or_else(|| Stop::unsupported("longjmp to where setjmp was not called"))?;
            }
        }
        let target = JumpTarget {
            depth: numbers[1] as usize,
            function: FunctionId(numbers[2] as u32),
            block: BlockId(numbers[3] as u32),
            instruction: numbers[4] as usize,
        };
        let token = token.ok_or_else(|| Stop::unsupported("longjmp to where setjmp was not called"))?;
        self.machine.jump(&mut execution.state, target, token)?;
        Ok(Answer::Value(smallvec![Scalar::int(value)]))
    }

    /// A panic inside Rust's `catch_unwind`, in the place of the call that comes next: control goes on where the library unwinds.
    ///
    /// # Errors
    ///
    /// Why it does not.
    pub(crate) fn unwind_panic(&mut self, execution: &mut Execution<'s>) -> Result<(), String> {
        let refused = |what: &str| Err(format!("not supported: {what} inside catch_unwind"));
        let called = match self.machine.instruction(&execution.state).map(|of| &of.kind) {
            Some(InstructionKind::Call(Callee::Function(called), _)) => self.program.functions.get(called.index()),
            _ => None,
        };
        let Some(path) = called.and_then(|called| rust_path(&called.name)) else { return refused("a panic") };
        if !unwinds(&path) {
            return refused(&path);
        }
        // A hook is called before, and may do anything.
        let is_change = |of: &labrys_program::Function| rust_path(&of.name).is_some_and(|path| changes_panics(&path));
        if self.program.functions.iter().any(is_change) {
            return refused("a panic that does what the program says");
        }
        let function = CAUGHT_PANIC.to_str().ok().and_then(|name| self.program.function(name));
        let Some(function) = function.filter(|id| !self.program.functions[id.index()].blocks.is_empty()) else {
            return refused("a panic");
        };
        self.machine.call_instead(&mut execution.state, function).map_err(|stop| stop.to_string())
    }

    /// The end of the program: what it has asked for is done first.
    fn exit(&mut self, execution: &mut Execution<'s>) -> Result<Answer<Value>, Halt<TermId>> {
        let last = self.at_end();
        let is_waiting = last > 0 && execution.state.depth() > last;
        if !is_waiting {
            return Ok(Answer::End(Ending::Completed));
        }
        // What is called in them is outside of what this knows.
        let has_begun = execution.state.positions().take(last).any(|(_, block, at)| block != BlockId(0) || at != 0);
        if has_begun {
            return Err(Stop::unsupported("exit while the program ends").into());
        }
        self.machine.unwind(&mut execution.state, last);
        Ok(Answer::Moved)
    }

    /// How many activations wait below `main` for the end of the program.
    fn at_end(&self) -> usize {
        self.endings.len()
    }
}

/// Whether a panic of the library's unwinds with a text; others end the program at once, or may, or are given something whose destruction could be seen.
fn unwinds(path: &str) -> bool {
    let path = path.split("::<").next().unwrap_or_default();
    let (Some(name), of) = (path.rsplit("::").next(), path.rsplit_once("::").map_or("", |(of, _)| of)) else {
        return false;
    };
    match of {
        "core::panicking" => [
            "panic",
            "panic_fmt",
            "panic_bounds_check",
            "panic_display",
            "panic_str_2015",
            "panic_explicit",
            "unreachable_display",
            "assert_failed",
            "assert_failed_inner",
        ]
        .contains(&name),
        "core::panicking::panic_const" => true,
        "core::option" | "core::result" => ["unwrap_failed", "expect_failed"].contains(&name),
        "core::cell" => name.starts_with("panic_already"),
        "core::str" => name == "slice_error_fail",
        "core::slice::index" => name.starts_with("slice_") && name.contains("_fail"),
        "alloc::raw_vec" => name == "capacity_overflow",
        _ => false,
    }
}

/// Whether a function of the library's changes what panics do.
fn changes_panics(path: &str) -> bool {
    [SET_HOOK, "std::panicking::update_hook", "std::panicking::panic_count::set_always_abort"]
        .iter()
        .any(|name| path.starts_with(name))
}

/// A number that is known.
fn known(arguments: &[Value], index: usize) -> Result<u128, Stop> {
    let number = integer(argument(arguments, index)?)?.concrete();
    number.ok_or_else(|| Stop::unsupported("a request of the library's with a number that is not known"))
}

/// A pointer a few bytes on.
fn displaced(
    pointer: &labrys_interp::Scalar<crate::FloatValue, TermId>,
    bytes: u128,
) -> Result<labrys_interp::Scalar<crate::FloatValue, TermId>, Stop> {
    let labrys_interp::Datum::Pointer(at) = &pointer.datum else {
        return Err(Stop::unsupported("a buffer that is no pointer"));
    };
    let offset = at.offset.concrete().ok_or_else(|| Stop::unsupported("a buffer at an unknown place"))?;
    let mut moved = pointer.clone();
    moved.datum = labrys_interp::Datum::Pointer(labrys_interp::Pointer {
        base: at.base,
        offset: Int::new(at.offset.bits(), offset + bytes),
    });
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::unwinds;

    #[test]
    fn what_ends_a_program_at_once_does_not_unwind() {
        for path in [
            "core::panicking::panic_in_cleanup",
            "core::panicking::panic_cannot_unwind",
            "core::panicking::panic_nounwind_fmt",
            "core::panicking::panic_null_pointer_dereference",
            "alloc::alloc::handle_alloc_error",
            "alloc::raw_vec::handle_error",
            "__rustc::__rust_alloc_error_handler",
            "mine::core::panicking::panic",
            "std::panicking::begin_panic::<mine::Payload>",
        ] {
            assert!(!unwinds(path), "{path}");
        }
        for path in [
            "core::panicking::panic_bounds_check",
            "core::panicking::panic_const::panic_const_div_by_zero",
            "core::panicking::assert_failed::<i32, i32>",
            "core::slice::index::slice_end_index_len_fail",
            "core::result::unwrap_failed",
        ] {
            assert!(unwinds(path), "{path}");
        }
    }
}
