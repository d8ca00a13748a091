//! What is executed, what is checked, and what a run may use up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_interp::Facts;

use crate::{Answers, InputRanges, Watch};

/// What is checked beside assertions, reached errors and aborts, which always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Accesses to memory, frees, reads of uninitialised memory that decide something.
    pub memory: bool,
    /// Integer division by zero, and that of the smallest number by −1.
    pub division: bool,
    /// Shifts by as many bits as the number has, or more.
    pub shift: bool,
    /// Overflow of signed integers.
    pub signed_overflow: bool,
    /// Memory that nothing points to when the program ends.
    pub leaks: bool,
    /// Memory that is allocated when the program ends, whatever points to it.
    pub cleanup: bool,
}

impl Default for Checks {
    /// Everything but signed overflow and leaks, which are asked for.
    fn default() -> Self {
        Checks { memory: true, division: true, shift: true, signed_overflow: false, leaks: false, cleanup: false }
    }
}

/// What a run executes and may use up.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that is entered; `main` gets `arguments`, any other one symbolic arguments.
    pub entry: String,
    /// `argv[1]` and on.
    pub arguments: Vec<Vec<u8>>,
    /// Behind these, texts that may be any.
    pub any_arguments: AnyArguments,
    /// Bytes that standard input has at most, any of them, any number of them up to that; then it is at its end.
    pub standard_input: u64,
    /// What is checked.
    pub checks: Checks,
    /// How often a loop is run on one path; `None` for as often as it runs.
    pub loop_bound: Option<u32>,
    /// When to end.
    pub deadline: Option<Instant>,
    /// How long on the wall takes what takes a second where nobody else uses the processors: limits of single questions are so many times as long. At least 1.
    pub slowdown: f64,
    /// Memory of the process in mebibytes; 0 is no limit.
    pub memory_mib: u64,
    /// Paths to follow at most.
    pub max_paths: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether paths that part over what is only chosen are made one again; a test then stands for both.
    pub merges: bool,
    /// Whether instructions on known values are executed directly. What is found does not depend on it.
    pub is_direct: bool,
    /// What is known of all runs: it is not decided again.
    pub facts: Facts,
    /// Who looks on, and may end the run.
    pub watch: Option<Arc<Watch>>,
    /// What paths note of ranges of inputs, and made inputs are taken from.
    pub ranges: Arc<InputRanges>,
    /// Where the solver's answers are kept, and looked up.
    pub answers: Option<Arc<dyn Answers>>,
}

/// Texts of the command line that may be any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyArguments {
    /// How many there are at least.
    pub least: usize,
    /// How many there are at most.
    pub most: usize,
    /// How long each is at most, in bytes without the zero at its end.
    pub length: u64,
}

impl Options {
    /// The same on one command line, for a run on an input that has it.
    pub(crate) fn on(&self, arguments: &[Vec<u8>]) -> Options {
        Options { arguments: arguments.to_vec(), any_arguments: AnyArguments::default(), ..self.clone() }
    }

    /// The same for a run on one command line that ends after a time, and that nobody looks on at.
    pub(crate) fn briefly_on(&self, arguments: &[Vec<u8>], limit: Duration) -> Options {
        let end = Instant::now() + limit;
        Options {
            deadline: Some(self.deadline.map_or(end, |at| at.min(end))),
            watch: self.watch.as_ref().map(|watch| watch.quiet()),
            ..self.on(arguments)
        }
    }
}

impl Default for Options {
    /// `main` without arguments and standard input, the default checks, no bound, no deadline, processors of its own, no limit on memory, as many paths as there are, seed 0; paths are merged, known values computed directly, nobody looks on, no answer is kept.
    fn default() -> Self {
        Options {
            entry: "main".to_owned(),
            arguments: Vec::new(),
            any_arguments: AnyArguments::default(),
            standard_input: 0,
            checks: Checks::default(),
            loop_bound: None,
            deadline: None,
            slowdown: 1.0,
            memory_mib: 0,
            max_paths: usize::MAX,
            seed: 0,
            merges: true,
            is_direct: true,
            facts: Facts::default(),
            watch: None,
            ranges: Arc::default(),
            answers: None,
        }
    }
}
