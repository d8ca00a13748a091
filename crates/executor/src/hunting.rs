//! Looking for what goes wrong without proving anything: beside paths that are followed in order, and merged, which proofs want.
//!
//! Merged ways leave terms to the solver that are numbers on each of the ways, and loops without an end keep more paths waiting than are ever followed. So the
//! program is executed on inputs that repeat themselves ([`Made`]), which lead through many rounds at no cost, and then its paths are followed apart,
//! first those in states like which there was none before ([`Novelty`]). What is found is a violation like any other, on an input that shows it.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

use labrys_interp::Datum;
use labrys_program::{FunctionId, InstructionKind, Program, ValueId};
use labrys_term::{Store, TermId};
use labrys_testcase::TestInput;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::driver::Driver;
use crate::execute::replay;
use crate::input_ranges::KnownRanges;
use crate::inputs::{Source, all_asked};
use crate::made::{Made, Numbers};
use crate::state::Execution;
use crate::{FloatValue, Options, Outcome, Violation};

/// Made inputs that the program is executed on: a few at once, and many until so many instructions are executed; the others before paths are followed; and
/// how long each execution may take, and the many.
const AT_ONCE: u64 = 64;
const MANY: u64 = 8192;
const MOST_INSTRUCTIONS: u64 = 2_000_000;
const GLANCE: Duration = Duration::from_secs(2);
const RUNS: u64 = 240;
const SHORT_RUN: Duration = Duration::from_millis(2);
const RUN: Duration = Duration::from_millis(8);
const LONG_RUN: Duration = Duration::from_millis(30);

/// Runs after which it is looked what has become known of ranges of inputs, and a driver forgets what others have left.
const BATCH: u64 = 512;

/// Turns in which a program is executed on made inputs beside its paths, the first and the longest; how long is waited before the first, by when most programs
/// are decided, and how many times as long as it took after each; and which of them take longer runs.
const FIRST_TURN: Duration = Duration::from_millis(50);
const LONGEST_TURN: Duration = Duration::from_secs(1);
const FIRST_REST: Duration = Duration::from_secs(3);
const REST: u32 = 7;
const LONG_TURNS: u32 = 4;
const LOOK: Duration = Duration::from_millis(20);

/// Scalars of a state that are looked at, and bytes of an object of which any are.
const MOST_SCALARS: usize = 4096;
const MOST_IN_OBJECT: u64 = 2048;

/// Executes a program on a few made inputs: what goes wrong, if something does.
pub(crate) fn glance(program: &Program, options: &Options) -> Option<Outcome> {
    let begun = Instant::now();
    let mut making = Making::of(program, options);
    let outcome = making.run(0..AT_ONCE, RUN, |_| true);
    outcome.or_else(|| {
        let goes_on = |instructions| instructions < MOST_INSTRUCTIONS && begun.elapsed() < GLANCE;
        // Of these every other one lies in ranges that are known.
        making.is_sampling = true;
        making.run(AT_ONCE..MANY, SHORT_RUN, goes_on)
    })
}

/// Executes a program on made inputs, turn by turn, until something goes wrong: in ever longer turns, and seldom enough that what else is done with it hardly
/// takes longer.
pub(crate) fn sample(program: &Program, options: &Options) -> Option<Outcome> {
    let mut making = Making { is_sampling: true, next: MANY, ..Making::of(program, options) };
    let (mut turn, mut rest) = (FIRST_TURN, FIRST_REST);
    for number in 1.. {
        let rested = Instant::now();
        while rested.elapsed() < rest && !making.is_over() {
            std::thread::sleep(LOOK);
        }
        let begun = Instant::now();
        let limit = if number % LONG_TURNS == 0 { LONG_RUN } else { SHORT_RUN };
        let outcome = making.run(making.next..u64::MAX, limit, |_| begun.elapsed() < turn);
        if outcome.is_some() || making.is_over() {
            return outcome;
        }
        rest = REST * turn;
        turn = (2 * turn).min(LONGEST_TURN);
    }
    None
}

/// Follows the paths of a program until something goes wrong on one.
pub(crate) fn hunt(program: &Program, options: &Options) -> Outcome {
    let options = &Options { merges: false, ..options.clone() };
    if let Some(outcome) = Making::of(program, options).run(AT_ONCE..RUNS, LONG_RUN, |_| true) {
        return outcome;
    }
    let mut store = Store::new();
    let mut driver = Driver::new(program, options, Source::Symbolic, &mut store);
    driver.oracle.hurry();
    driver.novelty = Some(Novelty::of(program));
    driver.run()
}

/// Executions on made inputs.
struct Making<'a> {
    program: &'a Program,
    options: &'a Options,
    numbers: Rc<Numbers>,
    /// Whether every other input is taken from ranges that are known.
    is_sampling: bool,
    /// The first input that was not run.
    next: u64,
}

impl<'a> Making<'a> {
    fn of(program: &'a Program, options: &'a Options) -> Making<'a> {
        Making { program, options, numbers: Rc::new(Numbers::of(program)), is_sampling: false, next: 0 }
    }

    fn is_over(&self) -> bool {
        let Options { deadline, watch, .. } = self.options;
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || watch.as_ref().is_some_and(|watch| watch.stopped().is_some())
    }

    /// What goes wrong on a made input, if something does; as long as `goes_on`, of the instructions that were executed.
    fn run(&mut self, runs: Range<u64>, limit: Duration, goes_on: impl Fn(u64) -> bool) -> Option<Outcome> {
        let mut instructions = 0;
        self.next = runs.start;
        while self.next < runs.end && !self.is_over() && goes_on(instructions) {
            let end = runs.end.min(self.next + BATCH);
            let Some(input) = self.batch(end, limit, &mut instructions, &goes_on) else { continue };
            // On the input itself, not what made it.
            let options = self.options.briefly_on(&self.options.arguments, limit.max(RUN));
            let mut outcome = replay(self.program, &Options { answers: None, ..options }, &input);
            if !outcome.violations.is_empty() {
                let with_input = |violation| Violation { input: input.clone(), ..violation };
                outcome.violations = outcome.violations.into_iter().map(with_input).collect();
                return Some(outcome);
            }
        }
        None
    }

    /// The next input on which something goes wrong, of those before `end`; counts the instructions that are executed.
    fn batch(
        &mut self,
        end: u64,
        limit: Duration,
        instructions: &mut u64,
        goes_on: &impl Fn(u64) -> bool,
    ) -> Option<TestInput> {
        let known = if self.is_sampling { self.options.ranges.known() } else { KnownRanges::default() };
        let known = (!known.is_empty()).then(|| Rc::new(known));
        let options = self.options.briefly_on(&self.options.arguments, limit);
        let options = Options { answers: None, ..options };
        let mut store = Store::new();
        let mut driver = Driver::new(self.program, &options, self.source(known.as_ref()), &mut store);
        while self.next < end && !self.is_over() && goes_on(*instructions) {
            let source = self.source(known.as_ref());
            self.next += 1;
            driver.renew(source.clone(), Instant::now() + limit);
            driver.follow_all();
            *instructions += driver.outcome.instructions;
            if !driver.outcome.violations.is_empty() {
                return Some(all_asked(&options.arguments, &source, &driver.asked));
            }
        }
        None
    }

    /// What the next input is made of.
    fn source(&self, known: Option<&Rc<KnownRanges>>) -> Source {
        let is_of_ranges = if self.next < MANY { self.next % 2 == 1 } else { !self.next.is_multiple_of(8) };
        let run = match known {
            Some(_) if (AT_ONCE..MANY).contains(&self.next) => (AT_ONCE + self.next) / 2,
            _ => self.next,
        };
        let ranges = known.filter(|_| is_of_ranges).cloned();
        Source::Made(Made { run, seed: self.options.seed, numbers: self.numbers.clone(), ranges })
    }
}

/// In which states paths have waited.
#[derive(Debug)]
pub(crate) struct Novelty {
    seen: FxHashSet<u64>,
    /// The values by which blocks of a function hand on what they have, by function.
    phis: FxHashMap<FunctionId, Vec<ValueId>>,
}

impl Novelty {
    fn of(program: &Program) -> Novelty {
        let mut phis: FxHashMap<FunctionId, Vec<ValueId>> = FxHashMap::default();
        for (id, function) in (0..).map(FunctionId).zip(&program.functions) {
            let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            let is_phi = instructions.filter(|of| matches!(of.kind, InstructionKind::Phi(_)));
            phis.insert(id, is_phi.filter_map(|of| of.result).collect());
        }
        Novelty { seen: FxHashSet::default(), phis }
    }

    /// Whether no path has waited in a state like this one: at the same place, with the same numbers where they are known.
    pub(crate) fn is_new(&mut self, execution: &Execution<'_>) -> bool {
        let state = &execution.state;
        let mut hasher = FxHasher::default();
        state.positions().for_each(|position| position.hash(&mut hasher));
        if let Some(frame) = state.frame() {
            let phis = self.phis.get(&frame.function).map_or(&[][..], Vec::as_slice);
            for scalar in phis.iter().filter_map(|phi| frame.value(*phi)).flatten() {
                known(&scalar.datum).hash(&mut hasher);
            }
        }
        for (object, scalar) in state.memory.scalars(MOST_IN_OBJECT).take(MOST_SCALARS) {
            (object, known(&scalar.datum)).hash(&mut hasher);
        }
        self.seen.insert(hasher.finish())
    }
}

/// What is known of a scalar.
fn known(datum: &Datum<FloatValue, TermId>) -> Option<(u8, u128)> {
    match datum {
        Datum::Int(int) => Some((0, int.concrete()?)),
        Datum::Float(FloatValue::Concrete { bits, .. }) => Some((1, *bits)),
        Datum::Float(FloatValue::Symbolic(_)) => None,
        Datum::Pointer(pointer) => {
            let mut hasher = FxHasher::default();
            pointer.base.hash(&mut hasher);
            Some((2, u128::from(hasher.finish()) << 64 | pointer.offset.concrete()?))
        }
    }
}
