//! Traces by the interpreter, where the machine offers none.
//!
//! Trapping exceptions and stepping through instructions are x86-64's. Elsewhere, or where a sandbox keeps signals back,
//! the build's IR is interpreted on the same input: its events have source positions and operators, and no addresses.
//!
//! **Claim.** A trace marked complete tells what the call really raised as far as flags and results can tell: its union
//! is the flags that the processor showed, and its outputs are the call's, bit for bit. Where code generation did
//! something else than the IR says (contraction, reassociation), the two disagree, and the trace is marked incomplete.

use std::sync::Arc;

use labrys_float::{Environment, Flags, Tininess};
use labrys_interp::{Limits, SoftEvent, interpret_record};
use labrys_native::{Event, Observation, Outcome, SourceFrame, StartupState, Trace};
use labrys_program::Signature;

use crate::analysed::Analysed;

/// When results of this processor count as tiny.
const TININESS: Tininess =
    if cfg!(target_arch = "x86_64") { Tininess::AfterRounding } else { Tininess::BeforeRounding };

/// The interpreter in a tracer's place, for one build.
pub struct Interpreted {
    analysed: Option<Arc<Analysed>>,
    signature: Signature,
    environment: Environment,
    /// The places of all events so far; an event's address is its place here.
    frames: Vec<SourceFrame>,
}

impl Interpreted {
    /// A stand-in for a build that starts with these control registers. Without IR it knows nothing.
    pub fn new(analysed: Option<Arc<Analysed>>, signature: Signature, startup: StartupState) -> Interpreted {
        let environment = Environment {
            flush_to_zero: startup.ftz,
            denormals_are_zero: startup.daz,
            tininess: TININESS,
            ..Environment::default()
        };
        Interpreted { analysed, signature, environment, frames: Vec::new() }
    }

    /// The trace of the call that showed `observation`.
    pub fn trace(&mut self, record: &[u8], observation: &Observation, watched: Flags) -> Trace {
        let Some(analysed) = self.analysed.clone().filter(|_| observation.outcome == Outcome::Returned) else {
            return Trace::default();
        };
        let Analysed { program, function, binding } = &*analysed;
        let run = interpret_record(
            program,
            *function,
            binding,
            &self.signature,
            record,
            &self.environment,
            &Limits::default(),
        );
        let agrees = run.output.is_ok_and(|output| output == observation.output)
            && run.flags & watched == observation.flags & watched;
        let watched_events = run.events.iter().filter(|event| event.flags.intersects(watched));
        let events = watched_events.map(|event| self.event(&analysed, event, watched)).collect();
        Trace { events, complete: agrees }
    }

    fn event(&mut self, analysed: &Analysed, event: &SoftEvent, watched: Flags) -> Event {
        let program = &analysed.program;
        let location = event.location.map(|id| &program.locations[id.index()]);
        let symbol = match location {
            Some(location) => program.symbols[location.function.index()].clone(),
            None => program.functions[event.function.index()].name.clone(),
        };
        let mut frame = SourceFrame {
            address: 0,
            file: location.and_then(|location| program.files.get(location.file as usize).cloned()),
            line: location.map_or(0, |location| location.line),
            column: location.map_or(0, |location| location.column),
            function: symbol.clone(),
            symbol,
            operator: event.operator.to_owned(),
            library: None,
        };
        let same = |known: &SourceFrame| SourceFrame { address: 0, ..known.clone() } == frame;
        let index = self.frames.iter().position(same).unwrap_or(self.frames.len());
        frame.address = index as u64;
        if index == self.frames.len() {
            self.frames.push(frame);
        }
        Event { exceptions: event.flags & watched, address: index as u64, outside: None }
    }

    /// The place of one of this stand-in's events.
    pub fn frame(&self, event: &Event) -> Option<&SourceFrame> {
        self.frames.get(event.address as usize)
    }
}
