//! What every analysis is told: the function and its signature, the inputs that count, how much may be done.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_native::{TracingSupport, tracing_support};
use labrys_program::{CrateFunction, Origin};

use crate::inputs::domain::DomainRequest;
use crate::solving::second_opinion::OpinionChoice;

/// The resolved options that all analyses have in common: every default is filled in.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The exact command line, for the report.
    pub command: Vec<String>,
    /// Who wrote the command line.
    pub origin: Origin,
    /// What is compiled in the place of the source, which it includes (`target::glue`); `None`: the source.
    pub input: Option<PathBuf>,
    /// The function; `None`: the only one.
    pub function: Option<String>,
    /// The function of a crate that cargo builds, instead of one of a source.
    pub of_crate: Option<Arc<CrateFunction>>,
    /// Flags that go to every build, after its own.
    pub common_flags: Vec<String>,
    /// Objects and libraries that go to every link.
    pub link: Vec<PathBuf>,
    /// The folder of `compile_commands.json` that has the flags of a source.
    pub database: Option<PathBuf>,
    /// The prototype, where debug information is missing.
    pub signature: Option<String>,
    /// `x=8` or `x=n`, a pointer parameter's length.
    pub lengths: Vec<String>,
    /// `--assume` expressions.
    pub assumptions: Vec<String>,
    /// `--range` intervals.
    pub ranges: Vec<String>,
    /// Inputs to run instead of a search: `v=1, x[0]=0x1p3`; what is not named is zero.
    pub given: Vec<String>,
    /// Which values inputs take.
    pub inputs: InputClass,
    /// Watched exceptions.
    pub watched: Flags,
    /// How traces are made.
    pub tracing: TracingChoice,
    /// A bound on everything, builds included.
    pub time: Option<Duration>,
    /// A bound on inputs run, for each function.
    pub max_work: u64,
    /// The seed of every random choice.
    pub seed: u64,
    /// Where reports, reproducers and the store of a library run are written.
    pub output: Option<PathBuf>,
    /// Where solver queries are written.
    pub dump_queries: Option<PathBuf>,
    /// How often a loop is unrolled where its bound is symbolic.
    pub loop_bound: u32,
    /// How many paths are explored in each build.
    pub max_paths: u32,
    /// Who is asked again about proofs.
    pub second_opinion: OpinionChoice,
    /// For tests: the solver over the floats says that nothing has a model. What it then proves wrongly, others contradict.
    pub plants_wrong_proofs: bool,
    /// A bound on one call of the code under test.
    pub call_timeout: Duration,
    /// The command that runs a worker process: this program and its hidden subcommand.
    pub worker: Vec<OsString>,
}

/// A search for any inputs of the only function, without a bound on time: what the command line says where nothing is said, but for the bound on
/// inputs and the watched exceptions, which each command has for itself, and the worker, which is the caller's.
impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            command: Vec::new(),
            origin: Origin::User,
            input: None,
            function: None,
            of_crate: None,
            common_flags: Vec::new(),
            link: Vec::new(),
            database: None,
            signature: None,
            lengths: Vec::new(),
            assumptions: Vec::new(),
            ranges: Vec::new(),
            given: Vec::new(),
            inputs: InputClass::All,
            watched: Flags::NOTABLE,
            tracing: TracingChoice::Automatic,
            time: None,
            max_work: 0,
            seed: 0,
            output: None,
            dump_queries: None,
            loop_bound: 16,
            max_paths: 256,
            second_opinion: OpinionChoice::default(),
            plants_wrong_proofs: false,
            call_timeout: Duration::from_secs(1),
            worker: Vec::new(),
        }
    }
}

impl RunOptions {
    /// What results depend on beside the code, by name: of the run's time and `function_time`, the bound on each function of a library,
    /// what bounds a function. Who wrote the command and where reports go changes none.
    pub fn that_results_depend_on(&self, function_time: Option<Duration>) -> BTreeMap<&'static str, String> {
        // A new option is to be added here, or does not compile.
        let RunOptions {
            command: _,
            origin: _,
            input: _,
            function: _,
            of_crate: _,
            common_flags,
            link,
            database: _,
            signature,
            lengths,
            assumptions,
            ranges,
            given,
            inputs,
            watched,
            tracing,
            time,
            max_work,
            seed,
            output: _,
            dump_queries: _,
            loop_bound,
            max_paths,
            second_opinion,
            plants_wrong_proofs,
            call_timeout,
            worker: _,
        } = self;
        BTreeMap::from([
            ("assume", format!("{assumptions:?}")),
            ("call timeout", format!("{call_timeout:?}")),
            ("common flags", format!("{common_flags:?}")),
            ("exceptions", watched.names().join(" ")),
            // Results name sources from here.
            ("folder", of_option(&std::env::current_dir().ok())),
            ("function time", of_option(&function_time)),
            ("given inputs", format!("{given:?}")),
            ("inputs", format!("{inputs:?}")),
            ("lengths", format!("{lengths:?}")),
            ("link", format!("{link:?}")),
            ("loop bound", loop_bound.to_string()),
            ("max paths", max_paths.to_string()),
            ("max work", max_work.to_string()),
            ("planted", plants_wrong_proofs.to_string()),
            ("ranges", format!("{ranges:?}")),
            ("second opinion", format!("{second_opinion:?}")),
            ("seed", seed.to_string()),
            ("signature", of_option(signature)),
            ("time", of_option(&time.filter(|_| function_time.is_none()))),
            ("tracing", format!("{tracing:?}")),
        ])
    }

    /// What a function is called in reports that debug information calls `name`: that of a crate by its path.
    pub fn name_of(&self, name: &str) -> String {
        self.of_crate.as_ref().map_or(name, |of| of.path()).to_owned()
    }

    /// What is said of the inputs that count.
    pub fn domain(&self) -> DomainRequest<'_> {
        DomainRequest { inputs: self.inputs, ranges: &self.ranges, assumptions: &self.assumptions, grid: None }
    }
}

/// An option's value as it is kept and shown: messages about runs with other options quote it.
pub(crate) fn of_option<T: fmt::Debug>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "not given".to_owned(), |value| format!("{value:?}"))
}

/// How traces of exceptions are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TracingChoice {
    /// The best that the machine offers.
    #[default]
    Automatic,
    /// By unmasked exceptions, with single steps where those do not tell everything.
    Trap,
    /// By single steps alone.
    Step,
    /// By interpreting each build's IR on the same input.
    Interpreter,
}

impl TracingChoice {
    /// What is done on this machine: the way that was chosen where there is that way, else the best that there is.
    pub fn resolved(self) -> TracingChoice {
        self.resolved_with(tracing_support())
    }

    fn resolved_with(self, support: TracingSupport) -> TracingChoice {
        match (self, support) {
            (TracingChoice::Interpreter, _) | (_, TracingSupport::None) => TracingChoice::Interpreter,
            (TracingChoice::Step, _) | (_, TracingSupport::Step) => TracingChoice::Step,
            (TracingChoice::Automatic | TracingChoice::Trap, TracingSupport::Trap) => TracingChoice::Trap,
        }
    }

    /// How traces are made on this machine, in words for the report, where that is not by trapping the processor's
    /// exceptions.
    pub fn note(self) -> Option<String> {
        self.note_with(tracing_support())
    }

    fn note_with(self, support: TracingSupport) -> Option<String> {
        let resolved = self.resolved_with(support);
        let why = match support {
            _ if resolved == self => "as asked",
            TracingSupport::None => "this machine neither traps exceptions nor single-steps",
            TracingSupport::Step | TracingSupport::Trap => "this machine does not trap exceptions",
        };
        match resolved {
            TracingChoice::Step => Some(format!("traces were made by single steps: {why}")),
            TracingChoice::Interpreter => Some(format!(
                "traces were made by interpreting each build's IR, not by the processor: {why}; one that does not agree with \
                 the flags and results observed is marked incomplete"
            )),
            TracingChoice::Automatic | TracingChoice::Trap => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TracingChoice::{Automatic, Interpreter, Step, Trap};
    use super::{TracingChoice, TracingSupport};

    /// `--tracing trap` on a machine without traps made empty traces and said nothing.
    #[test]
    fn what_a_machine_does_not_offer_is_replaced_and_the_report_says_so() {
        let ways =
            |support| [Automatic, Trap, Step, Interpreter].map(|choice: TracingChoice| choice.resolved_with(support));
        assert_eq!(ways(TracingSupport::Trap), [Trap, Trap, Step, Interpreter]);
        assert_eq!(ways(TracingSupport::Step), [Step, Step, Step, Interpreter]);
        assert_eq!(ways(TracingSupport::None), [Interpreter; 4]);
        let says = |choice: TracingChoice, support, words: &str| {
            choice.note_with(support).is_some_and(|note| note.contains(words))
        };
        assert!([Automatic, Trap].iter().all(|choice| choice.note_with(TracingSupport::Trap).is_none()));
        assert!([Automatic, Trap].iter().all(|choice| says(*choice, TracingSupport::Step, "does not trap")));
        assert!([Automatic, Trap, Step].iter().all(|choice| says(*choice, TracingSupport::None, "neither traps")));
        assert!(says(Step, TracingSupport::Trap, "single steps: as asked"));
        assert!(says(Interpreter, TracingSupport::None, "as asked"));
    }
}
