//! What the end of a path is: completion, a violation, or something that was not followed up.

use std::sync::Arc;

use labrys_interp::{Datum, Int, IntOperation, Machine, MemoryFaultKind, PANIC, Stop, evaluate};
use labrys_program::{InstructionKind, IntPredicate, Program, catches_unwinding, rust_path};
use labrys_symex::int_terms;

use crate::driver::MAX_DEPTH;
use crate::state::Execution;
use crate::{CallSite, Checks, Unexplored, Values, ViolationKind};

/// What the end of a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The program ended as it may.
    Completed,
    /// The program is at fault.
    Violation(ViolationKind),
    /// No input that is asked about leads here: an assumption does not hold.
    Excluded,
    /// The path was given up.
    Unexplored {
        /// Why.
        why: Arc<str>,
        /// Whether a bound of the user's is the reason.
        is_bound: bool,
    },
}

impl Ending {
    /// A path that was given up for a reason that is no bound.
    pub(crate) fn unexplored(why: impl Into<Arc<str>>) -> Ending {
        Ending::Unexplored { why: why.into(), is_bound: false }
    }

    /// A violation, if it is among what is checked; else the path cannot go on, for nothing is known behind it.
    fn checked(is_checked: bool, kind: ViolationKind, stop: &Stop) -> Ending {
        if is_checked {
            Ending::Violation(kind)
        } else {
            Ending::unexplored(format!("undefined behaviour that is not checked: {stop}"))
        }
    }
}

/// What a stop of the machine is.
pub(crate) fn ending<'s>(
    machine: &mut Machine<'_, Values<'s>>,
    execution: &Execution<'s>,
    checks: &Checks,
    stop: &Stop,
) -> Ending {
    if execution.state.is_arbitrary {
        return Ending::unexplored("an undefined value was frozen: anything may follow");
    }
    match stop {
        Stop::Exit(Some(_)) => Ending::Completed,
        Stop::Exit(None) => Ending::Violation(ViolationKind::Abort),
        Stop::AssertionFailed(text) if &**text == PANIC => Ending::Violation(ViolationKind::Panic),
        Stop::AssertionFailed(text) => Ending::Violation(ViolationKind::Assertion(text.clone())),
        Stop::Unreachable => Ending::Violation(ViolationKind::Unreachable),
        Stop::Shift => Ending::checked(checks.shift, ViolationKind::Shift, stop),
        Stop::SignedOverflow => Ending::checked(checks.signed_overflow, ViolationKind::SignedOverflow, stop),
        Stop::Undefined => Ending::checked(checks.memory, ViolationKind::Uninitialised, stop),
        Stop::IntegerDivision => {
            let kind = match divides_by_zero(machine, execution) {
                true => ViolationKind::DivisionByZero,
                false => ViolationKind::DivisionOverflow,
            };
            Ending::checked(checks.division, kind, stop)
        }
        Stop::Memory(fault) => {
            let out_of_bounds = ViolationKind::OutOfBounds { is_write: fault.is_write, size: fault.size };
            let kind = match fault.kind {
                MemoryFaultKind::Null => ViolationKind::Null,
                MemoryFaultKind::Wild | MemoryFaultKind::OutOfBounds => out_of_bounds,
                MemoryFaultKind::ReadOnly => ViolationKind::ReadOnly,
                MemoryFaultKind::BadFree => ViolationKind::InvalidFree,
                MemoryFaultKind::Freed => ViolationKind::UseAfterFree,
                MemoryFaultKind::Returned => ViolationKind::UseAfterReturn,
                MemoryFaultKind::DoubleFree => ViolationKind::DoubleFree,
                MemoryFaultKind::Overlap => ViolationKind::Overlap,
                MemoryFaultKind::Undeclared | MemoryFaultKind::Dead => return Ending::unexplored(stop.to_string()),
            };
            Ending::checked(checks.memory, kind, stop)
        }
        Stop::LoopBound => Ending::Unexplored { why: stop.to_string().into(), is_bound: true },
        Stop::CallDepth => Ending::unexplored(format!("calls are nested more than {MAX_DEPTH} deep")),
        Stop::Unsupported(_) | Stop::UnknownFunction(_) | Stop::InstructionLimit | Stop::SymbolicValue => {
            Ending::unexplored(stop.to_string())
        }
    }
}

/// Whether the division that a path stands at divides by a zero.
fn divides_by_zero<'s>(machine: &mut Machine<'_, Values<'s>>, execution: &Execution<'s>) -> bool {
    let Some(instruction) = machine.instruction(&execution.state) else { return true };
    let InstructionKind::IntBinary { rhs, .. } = &instruction.kind else { return true };
    let Ok(divisor) = machine.operand(&execution.state, rhs) else { return true };
    divisor.iter().any(|scalar| {
        let Datum::Int(int) = &scalar.datum else { return true };
        let is_zero = IntOperation::Compare(IntPredicate::Eq);
        let operands = [int.clone(), Int::new(int.bits(), 0)];
        let is_zero = evaluate(is_zero, &operands)
            .unwrap_or_else(|| int_terms::operation(machine.domain.store, is_zero, &operands));
        // The path has decided it.
        machine.known(&execution.state, &is_zero).is_some_and(|is_zero| is_zero != 0)
    })
}

/// Whether Rust's `catch_unwind` is being executed, which takes panics where programs are compiled to unwind.
pub(crate) fn catches_panics(program: &Program, execution: &Execution<'_>) -> bool {
    execution.state.positions_back().any(|(function, ..)| {
        let symbol = program.functions.get(function.index()).map_or("", |function| function.name.as_str());
        symbol.contains("catch_unwind") && rust_path(symbol).is_some_and(|path| catches_unwinding(&path))
    })
}

/// Where a path stands, the innermost activation first.
pub(crate) fn stack(program: &Program, execution: &Execution<'_>) -> Vec<CallSite> {
    let mut stack: Vec<CallSite> = sites(program, execution).collect();
    if stack.iter().any(|site| is_own(program, site)) {
        stack.retain(|site| is_own(program, site));
    }
    stack
}

/// The first of that.
pub(crate) fn innermost(program: &Program, execution: &Execution<'_>) -> Option<CallSite> {
    let own = sites(program, execution).find(|site| is_own(program, site));
    own.or_else(|| sites(program, execution).next())
}

/// What goes wrong in the C library is where the program calls it, which is where a sanitizer's interceptors report it.
fn is_own(program: &Program, site: &CallSite) -> bool {
    program.functions.get(site.function.index()).is_none_or(|of| !of.is_library)
}

/// All activations, those of the C library too, the innermost first.
fn sites(program: &Program, execution: &Execution<'_>) -> impl Iterator<Item = CallSite> {
    execution.state.positions_back().enumerate().map(|(index, (function, block, instruction))| {
        let block = program.functions.get(function.index()).and_then(|function| function.blocks.get(block.index()));
        // A caller stands behind its call already.
        let at = if index == 0 { instruction } else { instruction.saturating_sub(1) };
        let location = block.and_then(|block| match block.instructions.get(at as usize) {
            Some(instruction) => instruction.location,
            None => block.terminator_location,
        });
        CallSite { function, location }
    })
}

impl Unexplored {
    /// A reason with its place.
    pub(crate) fn at(why: Arc<str>, stack: Vec<CallSite>, is_bound: bool) -> Unexplored {
        Unexplored { why, stack, is_bound, is_question: false }
    }
}
