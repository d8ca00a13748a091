//! Traces by the interpreter, where the machine offers none.
//!
//! Trapping exceptions and stepping through instructions are x86-64's. Elsewhere, or where a sandbox keeps signals back,
//! the build's IR is interpreted on the same input: its events have source positions and operators, and no addresses.
//!
//! **Claim.** A trace marked complete tells what the call really raised as far as flags and results can tell: its union
//! is the flags that the processor showed, and its outputs are the call's, bit for bit but for NaNs, whose sign and payload
//! IR leaves open. Where code generation did something else than the IR says (contraction, reassociation), the two disagree, and the
//! trace is marked incomplete. Then it has no events, for nothing tells which of them the call raised; or, where asked for
//! ([`Interpreted::guessing`]), those whose exceptions the call raised, wherever that was.
//!
//! **What it may miss.** Code generation that raises the same exceptions at another operation with the same result: on
//! examples/turbine1.c with -O3 -ffast-math and v = 0, w = 0, r = 1e200 the processor raises invalid at column 63 of line 3, the
//! IR at column 28.
//!
//! A call without exceptions needs no interpreter: its trace is empty and complete.

use std::sync::Arc;

use labrys_float::{Environment, Flags, Tininess};
use labrys_interp::{Limits, RecordCall, Soft, SoftEvent};
use labrys_native::{Event, Observation, Outcome, SourceFrame, StartupState, Trace};
use labrys_program::{FunctionId, Leaf, LocationId, OutputLayout, Signature};
use rustc_hash::FxHashMap;

use crate::target::analysed::Analysed;

/// When results of this processor count as tiny.
const TININESS: Tininess =
    if cfg!(target_arch = "x86_64") { Tininess::AfterRounding } else { Tininess::BeforeRounding };

/// Instructions that a call is followed for: some tenths of a second. A call that takes more has an incomplete trace.
const INSTRUCTIONS: u64 = 2_000_000;

/// Events of a call that are kept at most, as many as a tracer's.
const MOST_EVENTS: usize = 10_000;

/// Where an event stands in the IR.
type Site = (FunctionId, Option<LocationId>, &'static str);

/// The interpreter in a tracer's place, for one build.
pub struct Interpreted {
    analysed: Option<Arc<Analysed>>,
    signature: Signature,
    outputs: OutputLayout,
    /// The symbol of the function that runs first.
    init: Option<String>,
    environment: Environment,
    /// Events of a call that are kept.
    most_events: usize,
    /// Whether a trace that does not agree keeps its events.
    guesses: bool,
    /// The places of all events so far; an event's address is its place here.
    frames: Vec<SourceFrame>,
    by_site: FxHashMap<Site, usize>,
}

impl Interpreted {
    /// A stand-in for a build that starts with these control registers. Without IR it knows nothing.
    pub fn new(analysed: Option<Arc<Analysed>>, signature: Signature, startup: StartupState) -> Interpreted {
        Interpreted {
            analysed,
            outputs: signature.output_layout(),
            signature,
            init: None,
            environment: environment_of(startup),
            most_events: MOST_EVENTS,
            guesses: false,
            frames: Vec::new(),
            by_site: FxHashMap::default(),
        }
    }

    /// The same with at most so many events in a trace, by default 10,000.
    pub fn at_most(self, events: usize) -> Interpreted {
        Interpreted { most_events: events.min(MOST_EVENTS), ..self }
    }

    /// The same with the function of this symbol, if there is one, called before each call.
    pub fn after(self, init: Option<String>) -> Interpreted {
        Interpreted { init, ..self }
    }

    /// The same keeping events of a trace that does not agree, as the likely places of exceptions that were observed: for what does
    /// not claim that they are raised there.
    pub fn guessing(self) -> Interpreted {
        Interpreted { guesses: true, ..self }
    }

    /// The trace of the call that showed `observation`.
    pub fn trace(&mut self, record: &[u8], observation: &Observation, watched: Flags) -> Trace {
        let raised = observation.flags & watched;
        if observation.outcome == Outcome::Returned && raised.is_empty() {
            return Trace { events: Vec::new(), complete: true };
        }
        let Some(analysed) = self.analysed.clone().filter(|_| observation.outcome == Outcome::Returned) else {
            return Trace::default();
        };
        let Analysed { program, function, binding } = &*analysed;
        let init = match &self.init {
            None => None,
            // Without the function that runs first, another call would be interpreted.
            Some(name) => match program.function(name) {
                Some(found) => Some(found),
                None => return Trace::default(),
            },
        };
        let call = RecordCall { program, function: *function, binding, signature: &self.signature, init };
        let domain = Soft { watched, max_events: self.most_events + 1, ..Soft::new(self.environment) };
        let mut run = call.interpret_in(domain, record, &Limits { instructions: INSTRUCTIONS, ..Limits::default() });
        let is_whole = run.events.len() <= self.most_events;
        run.events.truncate(self.most_events);
        let output = run.output.as_ref().is_ok_and(|output| agree(&self.outputs, output, &observation.output));
        let agrees = output && run.flags & watched == raised;
        if !agrees && !self.guesses {
            return Trace::default();
        }
        let shown = run.events.iter().filter(|event| event.flags.intersects(raised));
        let events = shown.map(|event| self.event(&analysed, event, raised)).collect();
        Trace { events, complete: agrees && is_whole }
    }

    fn event(&mut self, analysed: &Analysed, event: &SoftEvent, raised: Flags) -> Event {
        let site = (event.function, event.location, event.operator);
        let index = match self.by_site.get(&site) {
            Some(known) => *known,
            None => {
                let index = self.enter(place(analysed, event));
                self.by_site.insert(site, index);
                index
            }
        };
        Event { exceptions: event.flags & raised, address: index as u64, outside: None }
    }

    /// The index of a place. Two sites of the IR can be one place in the source.
    fn enter(&mut self, frame: SourceFrame) -> usize {
        let index = self.frames.len() as u64;
        let frame = SourceFrame { address: index, ..frame };
        let same = |known: &SourceFrame| SourceFrame { address: index, ..known.clone() } == frame;
        self.frames.iter().position(same).unwrap_or_else(|| {
            self.frames.push(frame);
            index as usize
        })
    }

    /// The place of one of this stand-in's events.
    pub fn frame(&self, event: &Event) -> Option<&SourceFrame> {
        self.frames.get(event.address as usize)
    }
}

/// What a build that starts with these control registers computes in, as far as they say.
pub fn environment_of(startup: StartupState) -> Environment {
    Environment {
        flush_to_zero: startup.ftz,
        denormals_are_zero: startup.daz,
        tininess: TININESS,
        ..Environment::default()
    }
}

/// Whether two output records hold the same values, all NaNs being one.
pub fn agree(outputs: &OutputLayout, ours: &[u8], theirs: &[u8]) -> bool {
    let is_nan = |record: &[u8], leaf: &Leaf| leaf.float(record).is_some_and(|float| float.is_nan());
    let same = |leaf: &Leaf| leaf.read(ours) == leaf.read(theirs) || (is_nan(ours, leaf) && is_nan(theirs, leaf));
    ours.len() == theirs.len() && outputs.leaves.iter().all(same)
}

/// Where an event stands in the source; its address is left open.
fn place(analysed: &Analysed, event: &SoftEvent) -> SourceFrame {
    let program = &analysed.program;
    let location = event.location.map(|id| &program.locations[id.index()]);
    let (function, symbol) = match location.map(|location| &program.source_functions[location.function.index()]) {
        Some(function) => (function.name.clone(), function.symbol.as_ref().unwrap_or(&function.name).clone()),
        None => {
            let name = &program.functions[event.function.index()].name;
            (name.clone(), name.clone())
        }
    };
    SourceFrame {
        doubles: false,
        address: 0,
        file: location.and_then(|location| program.files.get(location.file as usize).cloned()),
        line: location.map_or(0, |location| location.line),
        column: location.map_or(0, |location| location.column),
        function,
        symbol,
        operator: event.operator.to_owned(),
        library: None,
    }
}

#[cfg(test)]
mod tests;
