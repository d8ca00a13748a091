//! Native runs of what was found.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use labrys_executor::{End, Outcome, Violation, ViolationKind, Watch};
use labrys_native::{NativeError, Replay, ReplayBuild, ReplayLimits, Sanitizers, entry_main};
use labrys_report::{Finding, ObjectRecord, SourcePlace, ViolationClass};
use labrys_testcase::{InputObject, TestInput};

use super::LONGEST;
use super::agreement::agrees;
use super::building::{self, BuiltProgram};
use super::findings::place_of_stack;
use super::property::{Property, is_asked_about};
use super::request::Request;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::{AnalysisError, Progress};

/// How often is looked whether execution has found something.
const LOOK: Duration = Duration::from_millis(20);

/// How long others are looked for at least, once an error is shown.
const LEAST: Duration = Duration::from_secs(2);

/// What became of a violation that was asked about.
pub(super) struct Confirmation {
    /// Its index among the outcome's.
    pub(super) violation: usize,
    /// The run that showed it; or why it is no finding, in a sentence.
    pub(super) shown: Result<Shown, String>,
}

/// A run that showed an error.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) replay: Replay,
    /// What the program was built with.
    pub(super) sanitizers: Sanitizers,
}

/// Runs a program natively, built as each kind of error needs it, once.
pub(super) struct Replayer<'a> {
    request: &'a Request,
    built: &'a BuiltProgram,
    folder: &'a Path,
    clock: &'a Clock,
    builds: HashMap<Sanitizers, Result<ReplayBuild, String>>,
    /// What was shown while the program was executed.
    shown: Option<(Violation, Shown)>,
}

impl<'a> Replayer<'a> {
    /// One that has built nothing yet.
    pub(super) fn new(request: &'a Request, built: &'a BuiltProgram, folder: &'a Path, clock: &'a Clock) -> Self {
        Replayer { request, built, folder, clock, builds: HashMap::new(), shown: None }
    }

    /// The program that it runs.
    pub(super) fn built(&self) -> &'a BuiltProgram {
        self.built
    }

    /// The builds that can show an error, those that show most first. `None`: any error.
    fn sanitizers(&self, kind: Option<&ViolationKind>) -> Vec<Sanitizers> {
        let asks = |property| self.request.properties.contains(&property);
        let build = |types, traps| Sanitizers::Address {
            types,
            shift: asks(Property::Shift),
            signed_overflow: asks(Property::SignedOverflow),
            traps,
        };
        let address = |types| build(types, false);
        match kind {
            Some(ViolationKind::Uninitialised) => vec![Sanitizers::Memory],
            // What only a type tells can stand before what was found, and hide it.
            Some(ViolationKind::Leak(_)) => vec![address(false)],
            Some(
                ViolationKind::SignedOverflow
                | ViolationKind::Shift
                | ViolationKind::DivisionByZero
                | ViolationKind::DivisionOverflow,
            ) => vec![address(true), address(false), build(false, true)],
            _ => vec![address(true), address(false)],
        }
    }

    /// Executes the program. The first violation is shown natively meanwhile: at the end of an execution that took all its time, little is left for a compiler.
    /// Where it is, and no tests are asked for, execution goes on as long again as it has taken, for other errors, and no longer.
    pub(super) fn while_executing<T>(&mut self, watch: &Watch, execute: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            let (executing, ended) = channel::<()>();
            scope.spawn(move || {
                let begun = Instant::now();
                let goes_on = || ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout);
                while watch.violated().is_none() {
                    if !goes_on() {
                        return;
                    }
                }
                let properties = &self.request.properties;
                let Some(violation) = watch.violated().filter(|of| is_asked_about(properties, &of.kind)) else {
                    return;
                };
                let again = begun.elapsed().max(LEAST);
                let place = place_of_stack(&self.built.whole.program, &violation.stack);
                // A refusal is told when it is run again.
                let Ok(shown) = self.confirm(&violation.kind, &place, &violation.input) else { return };
                self.shown = Some((violation.clone(), shown));
                let shown = Instant::now();
                while self.request.tests.is_none() && goes_on() {
                    if shown.elapsed() > again {
                        return watch.stop(End::Shown);
                    }
                }
            });
            let result = execute();
            drop(executing);
            result
        })
    }

    /// The program as some sanitizers need it, built when it is first asked for.
    fn build(&mut self, sanitizers: Sanitizers) -> Result<&ReplayBuild, String> {
        let (request, built, folder, clock) = (self.request, self.built, self.folder, self.clock);
        let build = self.builds.entry(sanitizers).or_insert_with(|| compile(request, built, sanitizers, folder, clock));
        build.as_ref().map_err(|refusal| refusal.clone())
    }

    /// Runs the program on an input.
    pub(super) fn run(&mut self, sanitizers: Sanitizers, input: &TestInput, leaks: bool) -> Result<Replay, String> {
        let (request, clock) = (self.request, self.clock);
        let build = self.build(sanitizers)?;
        let limits = ReplayLimits {
            time: request.run_time,
            memory_mib: if request.memory_mib == 0 { 4096 } else { request.memory_mib },
            deadline: clock.limit(),
        };
        build.run(input, leaks, limits).map_err(|error| format!("the program could not be run: {error}"))
    }

    /// Runs the program on an input and tells the first run that shows an error at a place.
    pub(super) fn confirm(
        &mut self,
        kind: &ViolationKind,
        place: &SourcePlace,
        input: &TestInput,
    ) -> Result<Shown, String> {
        let mut refusal = String::new();
        if matches!(kind, ViolationKind::Uninitialised) && self.built().has_other_runtime() {
            // What the languages' runtimes write, MemorySanitizer does not see: it would report what is none.
            return Err("no sanitizer tells what is uninitialised in Fortran and Rust".to_owned());
        }
        for sanitizers in self.sanitizers(Some(kind)) {
            let replay = self.run(sanitizers, input, matches!(kind, ViolationKind::Leak(_)))?;
            match agrees(kind, place, &replay) {
                Ok(()) => return Ok(Shown { replay, sanitizers }),
                Err(shown) if refusal.is_empty() => refusal = shown,
                Err(_) => {}
            }
        }
        Err(refusal)
    }

    /// What any error of the request's properties would show.
    pub(super) fn run_wide(&mut self, input: &TestInput) -> Result<Shown, String> {
        let leaks = self.request.properties.contains(&Property::Leaks);
        match self.sanitizers(None).first() {
            Some(&sanitizers) => Ok(Shown { replay: self.run(sanitizers, input, leaks)?, sanitizers }),
            None => Err("there is no build to run".to_owned()),
        }
    }
}

fn compile(
    request: &Request,
    built: &BuiltProgram,
    sanitizers: Sanitizers,
    folder: &Path,
    clock: &Clock,
) -> Result<ReplayBuild, String> {
    let main = match built.is_entered_at_main() {
        true => None,
        false => Some(entry_main(built.entry()).map_err(|error| error.to_string())?),
    };
    let deadline = clock.deadline(LONGEST);
    let launcher = request.launcher.clone();
    ReplayBuild::compile(&built.spec, sanitizers, main.as_deref(), launcher, (folder, deadline)).map_err(|error| {
        let words = match &error {
            NativeError::Build(build) => build.first_error(),
            other => other.to_string(),
        };
        format!("the program could not be built for native runs: {words}")
    })
}

/// Runs every violation that was asked about.
pub(super) fn confirm_all(
    request: &Request,
    outcome: &Outcome,
    replayer: &mut Replayer<'_>,
    progress: &dyn Progress,
) -> Vec<Confirmation> {
    let asked = outcome.violations.iter().enumerate().filter(|(_, of)| is_asked_about(&request.properties, &of.kind));
    let begun = Instant::now();
    let confirm = |(index, violation): (usize, &Violation)| {
        let place = place_of_stack(&replayer.built.whole.program, &violation.stack);
        let what = &violation.kind;
        let at = place.words().map(|words| format!(" at {words}")).unwrap_or_default();
        let already = replayer.shown.take_if(|(of, _)| of == violation);
        let shown = match replayer.clock.stop_confirming(progress, begun) {
            _ if let Some((_, shown)) = already => Ok(shown),
            Some(_) => Err(format!("{what}{at} was found by execution; no time was left to run it natively")),
            None => replayer
                .confirm(&violation.kind, &place, &violation.input)
                .map_err(|shown| format!("{what}{at} was found by execution, but natively: {shown}")),
        };
        if shown.is_ok() && progress.listens() {
            progress.found("violated", &format!("{what}{at}"));
        }
        Confirmation { violation: index, shown }
    };
    asked.map(confirm).collect()
}

/// The kinds of execution that reports give one name.
fn kinds_of(class: ViolationClass) -> Vec<ViolationKind> {
    let none: Arc<str> = "".into();
    match class {
        ViolationClass::Assertion => {
            let reached = [
                "reach_error",
                "__VERIFIER_error",
                "__VERIFIER_assert",
                "klee_report_error",
                "klee_abort",
                "error stop",
            ];
            let mut kinds = vec![ViolationKind::Assertion(none), ViolationKind::Panic];
            kinds.extend(reached.map(|name| ViolationKind::ErrorReached(name.into())));
            kinds
        }
        ViolationClass::OutOfBounds => vec![ViolationKind::OutOfBounds { is_write: false, size: 0 }],
        ViolationClass::ReadOnly => vec![ViolationKind::ReadOnly],
        ViolationClass::UseAfterFree => vec![ViolationKind::UseAfterFree],
        ViolationClass::UseAfterReturn => vec![ViolationKind::UseAfterReturn],
        ViolationClass::DoubleFree => vec![ViolationKind::DoubleFree],
        ViolationClass::InvalidFree => vec![ViolationKind::InvalidFree],
        ViolationClass::Null => vec![ViolationKind::Null],
        ViolationClass::Overlap => vec![ViolationKind::Overlap],
        ViolationClass::Uninitialised => vec![ViolationKind::Uninitialised],
        ViolationClass::DivisionByZero => vec![ViolationKind::DivisionByZero],
        ViolationClass::Overflow => vec![ViolationKind::SignedOverflow, ViolationKind::DivisionOverflow],
        ViolationClass::Shift => vec![ViolationKind::Shift],
        ViolationClass::Abort => vec![ViolationKind::Abort],
        ViolationClass::Unreachable => vec![ViolationKind::Unreachable],
        ViolationClass::Leak => vec![ViolationKind::Leak(0)],
    }
}

/// Whether a finding still holds: built again, the program shows the same kind of error at the same line on its input.
///
/// # Errors
///
/// Where the program is gone or does not compile any more, or the finding's input is damaged.
pub fn holds(request: &Request, finding: &Finding) -> Result<bool, AnalysisError> {
    let details = finding.violation().ok_or_else(|| AnalysisError::other_analysis("verify"))?;
    let damaged = || AnalysisError::Usage("the finding's input is damaged".to_owned());
    let input = input_of(&details.arguments, &details.objects).ok_or_else(damaged)?;
    let clock = Clock::start(request.time);
    let folder = temporary_folder()?;
    let built = building::build(request, folder.path(), &clock)?;
    let mut replayer = Replayer::new(request, &built, folder.path(), &clock);
    Ok(kinds_of(details.kind).iter().any(|kind| replayer.confirm(kind, &details.place, &input).is_ok()))
}

/// The input in a finding.
pub(crate) fn input_of(arguments: &[String], objects: &[ObjectRecord]) -> Option<TestInput> {
    let object =
        |record: &ObjectRecord| Some(InputObject { name: record.name.clone(), bytes: bytes_of_hex(&record.bytes)? });
    Some(TestInput {
        arguments: arguments.iter().map(|hex| bytes_of_hex(hex)).collect::<Option<_>>()?,
        objects: objects.iter().map(object).collect::<Option<_>>()?,
    })
}

fn bytes_of_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = hex.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
