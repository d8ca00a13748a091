//! Symbolic execution that is led to what no run has covered yet.
//!
//! Paths wait with their distance, in branches and calls, to the nearest feature that is still wanted, and the nearest goes on. As soon as
//! one does something wanted its inputs are followed concretely to the program's end ([`Driver::try_out`]), and all that this run does is
//! covered. A path from which nothing wanted can be reached any more is dropped.
//!
//! **Claim.** [`Standing::Never`]: no run of the program covers the feature, on any input, as far as execution models the program.
//! **Argument.** Consider a run that covers it. It is a path that execution either followed until the feature was covered, which was
//! then tried out or stays open; or ended early at some place, by giving up or by waiting when the run ended, from where the graph of
//! branches and calls leads to the feature ([`Reach`]): then it is open; or dropped, where nothing that was uncovered at that time could be
//! reached, and so not the feature either; or parted from a path by a condition that the solver refuted, and then it is no run.

use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use labrys_program::Program;
use labrys_term::Store;
use labrys_testcase::TestInput;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::{CoverOptions, CoverOutcome, CoveringTest, FeatureSet, Features, PathGoal, Reach, Recorder};
use crate::driver::Driver;
use crate::ending::Ending;
use crate::inputs::{Source, all_asked, test_input};
use crate::oracle::Feasible;
use crate::state::Execution;
use crate::waiting::{Place, Waiting};
use crate::{Options, ViolationKind};

/// How long the solver looks for an input of a path that does something new.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long one concrete run may take.
pub(crate) const RUN: Duration = Duration::from_secs(2);

/// The part of the time, in hundredths, that the given inputs may take.
const SEED_SHARE: u32 = 15;

/// Concrete runs that may fail to show what led to them before that is no longer looked for.
const FAILURES: u32 = 3;

/// Why nothing is known of what lies behind an error of the program.
const BEHIND_ERROR: &str =
    "a path ended with an error of the program (labrys verify tells which): anything may follow it";

/// Why a path that is looked for is open.
const NOT_TOLD_APART: &str = "a path goes by a condition whose outcomes no native run told apart";

/// Looks for inputs that cover what is wanted.
///
/// Deterministic as [`crate::execute`] is.
pub fn cover(program: &Program, options: &Options, wanted: CoverOptions) -> CoverOutcome {
    let features = Rc::new(Features::of(program));
    let mut store = Store::new();
    let guide = Guide::new(program, features, wanted);
    let mut driver = Driver::new(program, options, Source::Symbolic, &mut store);
    driver.lead(guide);
    driver.cover()
}

/// The edges of a set that a run on an input goes along, in their order; 2^20 of them at most. It takes two seconds at most.
pub fn trail(program: &Program, options: &Options, input: &TestInput, edges: &FeatureSet) -> Vec<usize> {
    let mut store = Store::new();
    let watch = options.watch.as_ref().map(|watch| watch.quiet());
    let options = Options { deadline: Some(Instant::now() + RUN), watch, ..options.on(&input.arguments) };
    let mut run = Driver::new(program, &options, Source::Fixed(input.clone()), &mut store);
    let mut recorder = Recorder::new(Rc::new(Features::of(program)));
    recorder.path_of = Rc::new(edges.clone());
    recorder.trail = Some(Vec::new());
    run.machine.domain.recorder = Some(recorder);
    run.follow_all();
    run.machine.domain.recorder.take().and_then(|recorder| recorder.trail).unwrap_or_default()
}

/// What leads paths.
pub(crate) struct Guide<'s> {
    features: Rc<Features>,
    reach: Reach,
    all_paths: bool,
    path: Option<PathGoal>,
    seeds: Vec<TestInput>,
    /// What was wanted from the beginning.
    asked: Rc<FeatureSet>,
    /// The paths of tests, where every path is to have one.
    taken: FxHashSet<u64>,
    /// What of it is not covered.
    wanted: FeatureSet,
    covered: FeatureSet,
    tests: Vec<CoveringTest>,
    /// How often concrete runs did not show a feature that led to them.
    failures: FxHashMap<usize, u32>,
    undecided: IndexMap<usize, Arc<str>>,
    /// By block, to the nearest wanted feature; `None` where it has to be computed again.
    distances: Option<Vec<u32>>,
    waiting: Waiting<Execution<'s>>,
    /// How often paths went on from a block.
    visits: Vec<u32>,
    open: IndexMap<Vec<usize>, Arc<str>>,
}

impl<'s> Guide<'s> {
    fn new(program: &Program, features: Rc<Features>, options: CoverOptions) -> Guide<'s> {
        Guide {
            reach: Reach::of(program),
            features,
            all_paths: options.all_paths,
            path: options.path,
            seeds: options.seeds,
            asked: Rc::new(options.wanted.clone()),
            taken: FxHashSet::default(),
            wanted: options.wanted,
            covered: FeatureSet::default(),
            tests: Vec::new(),
            failures: FxHashMap::default(),
            undecided: IndexMap::new(),
            distances: None,
            waiting: Waiting::default(),
            visits: Vec::new(),
            open: IndexMap::new(),
        }
    }

    /// The blocks of a path's call stack, the innermost last.
    fn blocks(&self, execution: &Execution<'s>) -> Vec<usize> {
        execution.state.call_stack().map(|(function, block)| self.reach.block(function, block)).collect()
    }

    /// How far it is from a call stack to something wanted; `None` where there is nothing.
    fn distance(&mut self, blocks: &[usize]) -> Option<u32> {
        /// What the way back to a caller costs.
        const RETURN: u32 = 8;
        let (reach, features, wanted) = (&self.reach, &self.features, &self.wanted);
        let distances = self.distances.get_or_insert_with(|| {
            reach.distances(wanted.iter().filter_map(|number| Some(reach.place(features.get(number)?))))
        });
        let of = |(returns, block): (usize, &usize)| {
            let own = distances.get(*block).copied().filter(|distance| *distance != u32::MAX)?;
            Some(own.saturating_add(RETURN * returns as u32))
        };
        blocks.iter().rev().enumerate().filter_map(of).min()
    }

    /// Whether a path that goes on in this block can still do something that is wanted.
    pub(crate) fn is_block_of_use(
        &mut self,
        execution: &Execution<'s>,
        (function, block): (labrys_program::FunctionId, labrys_program::BlockId),
    ) -> bool {
        let from = execution.state.frame().and_then(|frame| self.features.edge(function, frame.block, block));
        if let Some(path) = &self.path
            && let Some(symbol) = from.and_then(|edge| path.symbols.get(&edge))
        {
            return symbol.is_none() || *symbol == path.steps.get(execution.steps).copied();
        }
        if self.all_paths || from.is_some_and(|edge| self.wanted.contains(edge)) {
            return true;
        }
        let mut blocks = self.blocks(execution);
        blocks.pop();
        blocks.push(self.reach.block(function, block));
        self.distance(&blocks).is_some()
    }

    /// Has a path wait.
    pub(crate) fn push(&mut self, execution: Execution<'s>) {
        let blocks = self.blocks(&execution).into();
        let place = Place { blocks, steps: execution.steps, has_witness: execution.witness.is_some() };
        self.waiting.push(place, execution);
    }

    /// The path that goes on: the nearest to something wanted, those without known inputs and those from blocks that had many turns later.
    /// The youngest of equals, whose terms are the solver's last ones; those that have taken more steps of a path that is looked for come first.
    pub(crate) fn next(&mut self) -> Option<Execution<'s>> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let taken = waiting.take(|place| {
            let distance = self.distance(&place.blocks).or(self.all_paths.then_some(0))?;
            let visits = place.blocks.last().and_then(|block| self.visits.get(*block)).copied().unwrap_or(0);
            let doubt = u64::from(!place.has_witness) * 64;
            Some((Reverse(place.steps), u64::from(distance) + 2 * u64::from(visits) + doubt))
        });
        self.waiting = waiting;
        let (place, execution) = taken?;
        if let Some(&block) = place.blocks.last() {
            if block >= self.visits.len() {
                self.visits.resize(block + 1, 0);
            }
            self.visits[block] += 1;
        }
        Some(execution)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// How much of what was asked for is covered, and how much was.
    pub(crate) fn covered(&self) -> (u64, u64) {
        let all = self.asked.len() as u64;
        (all - self.wanted.len() as u64, all)
    }

    /// Notes that a path was not followed on from where it stands.
    pub(crate) fn leave_open(&mut self, execution: &Execution<'s>, why: Arc<str>) {
        let blocks = self.blocks(execution);
        self.open.entry(blocks).or_insert(why);
    }
}

impl<'s> Driver<'_, 's> {
    /// Puts a guide in charge.
    fn lead(&mut self, guide: Guide<'s>) {
        let mut recorder = Recorder::new(guide.features.clone());
        recorder.wanted = guide.wanted.clone();
        self.machine.domain.recorder = Some(recorder);
        self.oracle.hurry();
        self.guide = Some(Box::new(guide));
    }

    /// Follows paths where the guide leads, and concludes.
    fn cover(mut self) -> CoverOutcome {
        self.run_seeds();
        let failed = self.follow_all();
        let outcome = self.conclude();
        let guide = self
            .guide
            .take()
            .unwrap_or_else(|| Box::new(Guide::new(self.program, Rc::default(), CoverOptions::default())));
        let Guide { features, reach, asked, covered, tests, open, undecided, .. } = *guide;
        let mut open: Vec<(FeatureSet, Arc<str>)> =
            open.into_iter().map(|(blocks, why)| (reach.from(blocks), why)).collect();
        if let Some(why) = failed {
            let everything = features.iter().map(|(_, feature)| reach.place(feature)).collect();
            open.push((everything, why));
        }
        CoverOutcome { tests, covered, outcome, features, reach, asked, open, undecided }
    }

    /// Tries the inputs out that were given.
    fn run_seeds(&mut self) {
        let Some(guide) = &mut self.guide else { return };
        let seeds = std::mem::take(&mut guide.seeds);
        let now = Instant::now();
        let end =
            self.options.deadline.map(|deadline| now + deadline.saturating_duration_since(now) * SEED_SHARE / 100);
        for seed in seeds {
            self.tell();
            if end.is_some_and(|end| Instant::now() >= end)
                || self.is_stopped()
                || self.guide.as_ref().is_some_and(|of| of.wanted.is_empty())
            {
                return;
            }
            self.try_out(seed);
        }
    }

    /// A path has done something wanted: its inputs are run to the end. Whether the path goes on: not where no input takes it.
    pub(crate) fn pursue(&mut self, execution: &mut Execution<'s>, found: usize) -> bool {
        match self.guide.as_ref().and_then(|guide| guide.path.as_ref()) {
            None => {}
            Some(path) => match path.symbols.get(&found).copied() {
                None => return true,
                Some(None) => {
                    if let Some(guide) = &mut self.guide {
                        guide.leave_open(execution, NOT_TOLD_APART.into());
                    }
                    return false;
                }
                Some(symbol) if symbol != path.steps.get(execution.steps).copied() => return false,
                Some(_) => {
                    execution.steps += 1;
                    if execution.steps < path.steps.len() {
                        return true;
                    }
                }
            },
        }
        let goes_on = self.try_path(execution, found);
        match &mut self.guide {
            // One input is enough.
            Some(guide) if guide.path.is_some() => {
                if !guide.tests.is_empty() {
                    guide.waiting = Waiting::default();
                }
                false
            }
            _ => goes_on,
        }
    }

    /// Runs inputs of a path to the end. Whether the path goes on.
    fn try_path(&mut self, execution: &mut Execution<'s>, found: usize) -> bool {
        if execution.witness.is_none() {
            let path = execution.state.path.choices.condition;
            match self.oracle.model(&mut self.machine.domain, path, PATIENCE) {
                Feasible::Yes(witness) => execution.witness = witness,
                Feasible::No => return false,
                Feasible::Unknown(why) => {
                    let why = format!("whether any input leads there: {}", self.words_of(&why));
                    self.leave_undecided(found, why.into());
                    return true;
                }
            }
        }
        let Some(witness) = execution.witness.clone() else { return true };
        let input = test_input(&self.options.arguments, &execution.inputs, &witness.model());
        let ended = self.try_out(input);
        if self.guide.as_ref().is_some_and(|guide| guide.wanted.contains(found)) {
            let why = match ended {
                Some(why) => format!("a run on the input that was found did not come so far: {why}"),
                None => "a run on the input that was found takes another way".to_owned(),
            };
            self.leave_undecided(found, why.into());
        }
        true
    }

    /// Notes that a feature was come to, but not shown; after some times it is no longer looked for.
    fn leave_undecided(&mut self, found: usize, why: Arc<str>) {
        let Some(guide) = &mut self.guide else { return };
        guide.undecided.entry(found).or_insert(why);
        let failures = guide.failures.entry(found).or_default();
        *failures += 1;
        if *failures >= FAILURES
            && let Some(recorder) = &mut self.machine.domain.recorder
        {
            recorder.wanted.remove(found);
        }
    }

    /// Runs the program in the executor on an input, and keeps it as a test if it covers something wanted, or where every path is to have a
    /// test, takes a new one. Why it did not come to its end, if it did not.
    fn try_out(&mut self, input: TestInput) -> Option<Arc<str>> {
        let guide = self.guide.as_mut()?;
        let brief = self.options.briefly_on(&input.arguments, RUN);
        let options = Options { max_paths: usize::MAX, loop_bound: None, ..brief };
        let mut store = Store::new();
        let source = Source::Fixed(input.clone());
        let mut run = Driver::new(self.program, &options, source.clone(), &mut store);
        let mut recorder = Recorder::new(guide.features.clone());
        recorder.path_of = if guide.all_paths { guide.asked.clone() } else { Rc::default() };
        run.machine.domain.recorder = Some(recorder);
        let refused = run.follow_all();
        let ended = refused.or_else(|| run.first_unexplored());
        let instructions = run.outcome.instructions;
        let input = all_asked(&input.arguments, &source, &run.asked);
        let (covers, path) =
            run.machine.domain.recorder.take().map(|recorder| (recorder.seen, recorder.path)).unwrap_or_default();
        self.outcome.instructions += instructions;
        let is_new_path = guide.all_paths && guide.taken.insert(path);
        if !is_new_path && !covers.meets(&guide.wanted) {
            return ended;
        }
        guide.wanted.subtract(&covers);
        guide.covered.extend(&covers);
        guide.distances = None;
        if let Some(recorder) = &mut self.machine.domain.recorder {
            recorder.wanted.subtract(&covers);
        }
        guide.tests.push(CoveringTest { input, covers });
        ended
    }

    /// The end of a path that a guide leads. Tests were made on the way.
    pub(crate) fn end_led(&mut self, mut execution: Execution<'s>, ending: Ending) {
        match ending {
            Ending::Excluded => self.exclude(&execution),
            Ending::Completed => self.end_well(&mut execution),
            Ending::Violation(kind) => {
                self.outcome.paths.violated += 1;
                match kind {
                    // The program says so itself, and ends.
                    ViolationKind::Assertion(_)
                    | ViolationKind::ErrorReached(_)
                    | ViolationKind::Abort
                    | ViolationKind::Panic
                    | ViolationKind::Leak(_) => {}
                    _ => {
                        if let Some(guide) = &mut self.guide {
                            guide.leave_open(&execution, BEHIND_ERROR.into());
                        }
                    }
                }
            }
            Ending::Unexplored { why, is_bound } => self.give_up(&execution, why, is_bound),
        }
    }

    fn end_well(&mut self, execution: &mut Execution<'s>) {
        if execution.state.is_arbitrary {
            return self.give_up(execution, "an undefined value was frozen: anything may follow".into(), false);
        }
        let all_paths = self.guide.as_ref().is_some_and(|guide| guide.all_paths);
        if all_paths && execution.witness.is_none() {
            let path = execution.state.path.choices.condition;
            match self.oracle.model(&mut self.machine.domain, path, PATIENCE) {
                Feasible::Yes(witness) => execution.witness = witness,
                Feasible::No => return,
                Feasible::Unknown(why) => {
                    let why = format!("whether any input takes this path: {}", self.words_of(&why));
                    return self.give_up(execution, why.into(), false);
                }
            }
        }
        self.outcome.paths.completed += 1;
        if all_paths && let Some(witness) = execution.witness.clone() {
            let input = test_input(&self.options.arguments, &execution.inputs, &witness.model());
            self.try_out(input);
        }
    }
}
