//! Observations as reports hold them.

use std::path::Path;

use labrys_float::Flags;
use labrys_native::{Observation, Outcome, Replay, SourceFrame};
use labrys_program::{LocationId, Program, Signature};
use labrys_report::{ObservationRecord, OutcomeKind, SourcePlace, TraceEvent, output_values};

use crate::observation::observer::Observer;
use crate::target::runtimes::name_of;

/// What a build did, with its events' places in the source.
pub fn observation_record(
    role: &str,
    signature: &Signature,
    watched: Flags,
    observation: &Observation,
    observer: &mut Observer,
) -> ObservationRecord {
    let mut record = ObservationRecord {
        role: role.to_owned(),
        flags: observation.flags & watched,
        trace_complete: observation.trace.as_ref().is_some_and(|trace| trace.complete),
        ..ObservationRecord::default()
    };
    match observation.outcome {
        Outcome::Returned => {
            (record.result, record.outputs) = output_values(signature, &observation.output);
        }
        Outcome::Signal(number) => (record.outcome, record.signal) = (OutcomeKind::Signal, Some(number)),
        Outcome::Timeout => record.outcome = OutcomeKind::Timeout,
        Outcome::Exit(code) => (record.outcome, record.exit_code) = (OutcomeKind::Exit, Some(code)),
        Outcome::Panic => record.outcome = OutcomeKind::Panic,
    }
    let events = observation.trace.iter().flat_map(|trace| &trace.events);
    for event in events.filter(|event| event.exceptions.intersects(watched)) {
        let frame = observer.frame(event);
        record.trace.push(TraceEvent {
            exceptions: event.exceptions & watched,
            address: frame.file.is_none().then(|| format!("{:#x}", frame.address)),
            // Lines of no file tell nothing.
            place: frame.file.as_ref().map(|_| place_of_frame(&frame)).unwrap_or_default(),
            function: Some(name_of(&frame.function)).filter(|function| !function.is_empty()),
            operator: frame.operator,
            library: frame.library,
        });
    }
    record
}

/// The place of a frame.
pub fn place_of_frame(frame: &SourceFrame) -> SourcePlace {
    SourcePlace::new(frame.file.clone().map(from_here), frame.line, frame.column)
}

/// What a run showed in one line, with the path as [`from_here`] has it.
pub fn words_of_replay(replay: &Replay) -> String {
    let mut replay = replay.clone();
    if let Some(place) = &mut replay.place {
        place.file = place.file.take().map(from_here);
    }
    replay.words()
}

/// The place of an instruction.
pub fn place_of_location(program: &Program, location: Option<LocationId>) -> SourcePlace {
    let Some(location) = location.and_then(|id| program.locations.get(id.index())) else {
        return SourcePlace::default();
    };
    let file = program.files.get(location.file as usize).cloned().map(from_here);
    SourcePlace::new(file, location.line, location.column)
}

/// A path as debug information has it.
pub fn absolute(file: &str) -> String {
    std::path::absolute(file).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}

/// A path as a user of the current folder would write it: debug information has absolute ones, which would make reports
/// depend on where they were made.
pub fn from_here(path: String) -> String {
    let relative =
        std::env::current_dir().ok().and_then(|here| Path::new(&path).strip_prefix(here).ok().map(Path::to_owned));
    relative.and_then(|relative| relative.to_str().map(str::to_owned)).filter(|path| !path.is_empty()).unwrap_or(path)
}
