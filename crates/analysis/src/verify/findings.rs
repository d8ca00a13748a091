//! Confirmed violations as findings.

use std::collections::BTreeMap;

use labrys_executor::{CallSite, Decision, Violation, ViolationKind};
use labrys_native::{Ending, ErrorKind, Replay, SourceFrame};
use labrys_program::{Callee, InputType, InstructionKind, LocationId, Operand, Program, Terminator};
use labrys_report::{
    Details, Finding, FoundBy, ObjectRecord, PathStep, Severity, SourcePlace, StackEntry, ViolationClass,
    ViolationDetails,
};
use labrys_testcase::TestInput;

use super::building::BuiltProgram;
use crate::run::record::{place_of_frame, place_of_location, words_of_replay};
use crate::whole::inputs::values;

/// The place of a call stack: the innermost activation whose line is known.
pub(super) fn place_of_stack(program: &Program, stack: &[CallSite]) -> SourcePlace {
    let places = stack.iter().map(|site| place_of_location(program, site.location));
    places.into_iter().find(|place| place.line.is_some()).unwrap_or_default()
}

/// The call stack with an assignment of a struct to where nothing may be written at the place of what is assigned to: compilers give that of the value.
fn at_written_place(program: &Program, violation: &Violation) -> Vec<CallSite> {
    let mut stack = violation.stack.clone();
    if let (ViolationKind::OutOfBounds { is_write: true, .. }, Some(site)) = (&violation.kind, stack.first_mut()) {
        site.location = written_at(program, site).or(site.location);
    }
    stack
}

/// Where the address is computed that a copy at a place writes to, on the same line.
fn written_at(program: &Program, site: &CallSite) -> Option<LocationId> {
    let function = program.functions.get(site.function.index())?;
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    let mut copies = instructions().filter_map(|instruction| match &instruction.kind {
        InstructionKind::Call(Callee::Intrinsic(called), arguments)
            if instruction.location == site.location && called.name().starts_with("llvm.memcpy") =>
        {
            arguments.first()
        }
        _ => None,
    });
    let (Some(Operand::Value(address)), None) = (copies.next(), copies.next()) else { return None };
    let at = instructions().find(|instruction| instruction.result == Some(*address))?.location?;
    let line = |id: LocationId| program.locations.get(id.index()).map(|of| (of.file, of.line, of.inlined_at));
    (line(at)? == line(site.location?)?).then_some(at)
}

/// What reports call a kind of error.
pub(super) fn class_of(kind: &ViolationKind) -> ViolationClass {
    match kind {
        ViolationKind::Assertion(_) | ViolationKind::ErrorReached(_) | ViolationKind::Panic => {
            ViolationClass::Assertion
        }
        ViolationKind::Abort => ViolationClass::Abort,
        ViolationKind::Unreachable => ViolationClass::Unreachable,
        ViolationKind::OutOfBounds { .. } => ViolationClass::OutOfBounds,
        ViolationKind::ReadOnly => ViolationClass::ReadOnly,
        ViolationKind::Null => ViolationClass::Null,
        ViolationKind::UseAfterFree => ViolationClass::UseAfterFree,
        ViolationKind::UseAfterReturn => ViolationClass::UseAfterReturn,
        ViolationKind::DoubleFree => ViolationClass::DoubleFree,
        ViolationKind::InvalidFree => ViolationClass::InvalidFree,
        ViolationKind::Overlap => ViolationClass::Overlap,
        ViolationKind::Uninitialised => ViolationClass::Uninitialised,
        ViolationKind::DivisionByZero => ViolationClass::DivisionByZero,
        ViolationKind::DivisionOverflow | ViolationKind::SignedOverflow => ViolationClass::Overflow,
        ViolationKind::Shift => ViolationClass::Shift,
        ViolationKind::Leak(_) => ViolationClass::Leak,
    }
}

/// The finding of a violation that a run confirmed.
pub(super) fn finding(
    built: &BuiltProgram,
    types: &BTreeMap<String, InputType>,
    violation: &Violation,
    replay: &Replay,
) -> Finding {
    let program = &built.whole.program;
    let entry = |site: &CallSite| {
        let function = &program.functions[site.function.index()];
        StackEntry {
            function: function.source_name.clone().unwrap_or_else(|| function.name.clone()),
            place: place_of_location(program, site.location),
        }
    };
    let is_users = |site: &CallSite| built.is_users(&place_of_location(program, site.location));
    let stack: Vec<CallSite> = at_written_place(program, violation).into_iter().filter(is_users).collect();
    let taken: Vec<Decision> = violation.decisions.iter().filter(|of| is_users(&of.site)).cloned().collect();
    let (decisions, decisions_left_out) = path(program, &taken);
    let details = ViolationDetails {
        kind: class_of(&violation.kind),
        place: place_of_stack(program, &stack),
        stack: stack.iter().map(entry).collect(),
        decisions,
        decisions_left_out,
        replayed: true,
        observed: words_of_replay(replay),
        arguments: violation.input.arguments.iter().map(|argument| hex(argument)).collect(),
        objects: objects(&violation.input),
    };
    let summary = match &replay.ending {
        Ending::Error(shown @ ErrorKind::Panic(_)) => shown.words(),
        _ => violation.kind.to_string(),
    };
    of_details(summary, FoundBy::Solver, types, &violation.input, details)
}

/// Decisions that are told at each end of a path.
const TOLD_STEPS: usize = 200;

/// The decisions that lead to an error, and how many in their midst are left out.
fn path(program: &Program, decisions: &[Decision]) -> (Vec<PathStep>, u64) {
    let left_out = decisions.len().saturating_sub(2 * TOLD_STEPS);
    let (first, last) = match left_out {
        0 => (decisions, &[][..]),
        _ => (&decisions[..TOLD_STEPS], &decisions[decisions.len() - TOLD_STEPS..]),
    };
    let step = |decision: &Decision| {
        let function = &program.functions[decision.site.function.index()];
        let is_here = |block: &&labrys_program::Block| block.terminator_location == decision.site.location;
        // A loop's way back to its condition stands at the same place.
        let here: Vec<_> = function.blocks.iter().filter(is_here).map(|block| &block.terminator).collect();
        let is_condition = here.iter().any(|of| matches!(of, Terminator::CondBranch(..)))
            && !here.iter().any(|of| matches!(of, Terminator::Switch { .. }));
        PathStep {
            function: function.source_name.clone().unwrap_or_else(|| function.name.clone()),
            place: place_of_location(program, decision.site.location),
            outcome: match (is_condition, decision.value) {
                (true, 0) => "false".to_owned(),
                (true, 1) => "true".to_owned(),
                (_, value) => value.to_string(),
            },
        }
    };
    (first.iter().chain(last).map(step).collect(), left_out as u64)
}

/// The finding of an error that a run on a given input showed; `None` for what is none of ours.
pub(super) fn given_finding(
    built: &BuiltProgram,
    types: &BTreeMap<String, InputType>,
    input: &TestInput,
    kind: &ViolationKind,
    replay: &Replay,
) -> Finding {
    let entry = |frame: &SourceFrame| StackEntry { function: frame.function.clone(), place: place_of_frame(frame) };
    let details = ViolationDetails {
        kind: class_of(kind),
        place: replay.place.as_ref().map(place_of_frame).unwrap_or_default(),
        stack: replay.stack.iter().map(entry).filter(|of| built.is_users(&of.place)).collect(),
        decisions: Vec::new(),
        decisions_left_out: 0,
        replayed: true,
        observed: words_of_replay(replay),
        arguments: input.arguments.iter().map(|argument| hex(argument)).collect(),
        objects: objects(input),
    };
    of_details(kind.to_string(), FoundBy::Given, types, input, details)
}

fn of_details(
    summary: String,
    found_by: FoundBy,
    types: &BTreeMap<String, InputType>,
    input: &TestInput,
    details: ViolationDetails,
) -> Finding {
    Finding {
        id: String::new(),
        severity: Severity::Violated,
        found_by,
        count: 1,
        summary,
        inputs: values(input, types),
        observations: Vec::new(),
        command: None,
        called_at: Vec::new(),
        details: Details::Violation(details),
        notes: Vec::new(),
    }
}

/// The kind of execution that an error of a run is.
pub(super) fn kind_of_error(error: &ErrorKind) -> Option<ViolationKind> {
    Some(match error {
        ErrorKind::Assertion(text) => ViolationKind::Assertion(text.as_str().into()),
        ErrorKind::ErrorReached(name) => ViolationKind::ErrorReached(name.as_str().into()),
        ErrorKind::Panic(_) => ViolationKind::Panic,
        ErrorKind::Abort | ErrorKind::Trap => ViolationKind::Abort,
        ErrorKind::Unreachable => ViolationKind::Unreachable,
        ErrorKind::OutOfBounds => ViolationKind::OutOfBounds { is_write: false, size: 0 },
        ErrorKind::WildAccess { is_write } => {
            ViolationKind::OutOfBounds { is_write: is_write.unwrap_or(false), size: 0 }
        }
        ErrorKind::Null => ViolationKind::Null,
        ErrorKind::UseAfterFree => ViolationKind::UseAfterFree,
        ErrorKind::UseAfterReturn | ErrorKind::UseAfterScope => ViolationKind::UseAfterReturn,
        ErrorKind::DoubleFree => ViolationKind::DoubleFree,
        ErrorKind::InvalidFree => ViolationKind::InvalidFree,
        ErrorKind::Overlap => ViolationKind::Overlap,
        ErrorKind::Uninitialised => ViolationKind::Uninitialised,
        ErrorKind::DivisionByZero | ErrorKind::DivisionTrap => ViolationKind::DivisionByZero,
        ErrorKind::DivisionOverflow => ViolationKind::DivisionOverflow,
        ErrorKind::Shift => ViolationKind::Shift,
        ErrorKind::SignedOverflow => ViolationKind::SignedOverflow,
        ErrorKind::Leak => ViolationKind::Leak(0),
        ErrorKind::StackOverflow | ErrorKind::Other(_) => return None,
    })
}

fn objects(input: &TestInput) -> Vec<ObjectRecord> {
    let record =
        |object: &labrys_testcase::InputObject| ObjectRecord { name: object.name.clone(), bytes: hex(&object.bytes) };
    input.objects.iter().map(record).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
