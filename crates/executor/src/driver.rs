//! The driver: follows paths, and says what each came to.

use std::sync::Arc;
use std::time::{Duration, Instant};

use indexmap::IndexSet;
use labrys_interp::{Checks, Halt, Int, Limits, List, Machine, Pointer, Step};
use labrys_program::{CAUGHT_PANIC, FunctionId, KnownFunction, Program};
use labrys_symex::back_edges;
use labrys_term::{Op, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::characters::Table;
use crate::covering::Guide;
use crate::diamonds::Diamonds;
use crate::ending::{Ending, catches_panics, ending, stack};
use crate::externals::{Answer, External};
use crate::hunting::Novelty;
use crate::induction::Induction;
use crate::inputs::{InputRecord, Source};
use crate::limits::Limit;
use crate::oracle::{Feasible, Oracle};
use crate::reliance::assumptions;
use crate::schedule::{Goal, Schedule};
use crate::state::Execution;
use crate::stretch::follow_stretch;
use crate::values::{DIRECTED_ASSUMPTION, HOST_ASSUMPTION, LIBM_ASSUMPTIONS};
use crate::{CallSite, End, Moment, Options, Outcome, Unexplored, Values, ViolationKind};

/// Calls on one path at most. A native stack of 8 MiB holds some 100,000 small frames; deeper paths are given up.
pub(crate) const MAX_DEPTH: usize = 20_000;

/// How long the solver looks for an input of one violation before the others are followed up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Instructions that a path executes at a stretch where others may be nearer to what is looked for.
const TURN: u64 = 1 << 19;

/// The same where nothing is looked for but paths' ends: a path without an end does not keep the others waiting.
const LONG_TURN: u64 = 1 << 22;

/// Calls that are answered between two looks at the limits.
const ANSWERS: u32 = 1 << 10;

/// Follows the paths of one program.
pub(crate) struct Driver<'p, 's> {
    pub(crate) program: &'p Program,
    pub(crate) options: &'p Options,
    pub(crate) machine: Machine<'p, Values<'s>>,
    pub(crate) source: Source,
    pub(crate) externals: FxHashMap<FunctionId, External>,
    /// What is called at the program's end, the last first.
    pub(crate) endings: Vec<FunctionId>,
    /// Whether the program asks for `errno`.
    pub(crate) reads_errno: bool,
    /// Numbers that no input decides, so far.
    pub(crate) numbers: u64,
    /// glibc's tables of characters, where the program asks for them.
    pub(crate) tables: FxHashMap<Table, Pointer<TermId>>,
    pub(crate) oracle: Oracle,
    pub(crate) schedule: Schedule<Execution<'s>>,
    /// What leads paths to what no run has covered, where that is what is asked for.
    pub(crate) guide: Option<Box<Guide<'s>>>,
    /// What an induction has found out, where this is one.
    pub(crate) induction: Option<Box<Induction<'s>>>,
    /// What tells paths apart that are worth following, where only what goes wrong is looked for.
    pub(crate) novelty: Option<Novelty>,
    /// On a replay, what the program asked for.
    pub(crate) asked: List<InputRecord>,
    limit: Limit,
    /// Whether ways of branches that meet again are made one.
    pub(crate) merges: bool,
    pub(crate) diamonds: Diamonds,
    /// Symbols with too many values for paths to part over, and the paths' conditions.
    pub(crate) many: FxHashSet<(TermId, TermId)>,
    /// Violations found, by kind and innermost place.
    pub(crate) seen: FxHashSet<(ViolationKind, Option<CallSite>)>,
    unexplored: IndexSet<Unexplored>,
    /// Where paths were given up, and inputs tried.
    pub(crate) tried: FxHashSet<Vec<CallSite>>,
    /// Violations for which the solver has found no input in time, with where they are.
    pub(crate) undecided: Vec<(Execution<'s>, ViolationKind, String)>,
    pub(crate) outcome: Outcome,
}

impl<'p, 's> Driver<'p, 's> {
    pub(crate) fn new(program: &'p Program, options: &'p Options, source: Source, store: &'s mut Store) -> Self {
        let limits = Limits { instructions: u64::MAX, depth: MAX_DEPTH, ..Limits::default() };
        let reads_flags = Values::may_read_flags(program);
        let mut values = Values::new(store, reads_flags);
        if matches!(source, Source::Symbolic) {
            values.open_addresses(program);
        }
        if let Some(bound) = options.loop_bound {
            values.bound_loops(bound, program.functions.iter().map(back_edges).collect());
        }
        let checks =
            Checks { accesses: true, shifts: options.checks.shift, signed_overflow: options.checks.signed_overflow };
        let mut machine = Machine::with_checks(program, values, limits, checks);
        if options.is_direct {
            machine.set_direct();
        }
        let mut externals = FxHashMap::default();
        for (index, function) in program.functions.iter().enumerate() {
            if let Some(external) = External::of(function) {
                externals.insert(FunctionId(index as u32), external);
            }
        }
        machine.answers(|function| External::of(function).is_some());
        machine.set_facts(options.facts.clone());
        Driver {
            program,
            options,
            machine,
            source,
            externals,
            endings: Vec::new(),
            reads_errno: program.functions.iter().any(|function| function.known == Some(KnownFunction::ErrorNumber)),
            numbers: 0,
            tables: FxHashMap::default(),
            oracle: Oracle::new(options),
            schedule: Schedule::default(),
            guide: None,
            novelty: None,
            induction: None,
            asked: List::default(),
            limit: Limit::new(options),
            merges: options.merges && options.loop_bound.is_none(),
            diamonds: Diamonds::default(),
            many: FxHashSet::default(),
            seen: FxHashSet::default(),
            unexplored: IndexSet::default(),
            tried: FxHashSet::default(),
            undecided: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    /// Makes it as it was, for a run on another input that ends at `deadline`: what was decoded of the program stays.
    pub(crate) fn renew(&mut self, source: Source, deadline: Instant) {
        self.source = source;
        self.limit.end_at(deadline);
        self.numbers = 0;
        self.asked = List::default();
        self.schedule = Schedule::default();
        self.outcome = Outcome::default();
        self.tables.clear();
        self.many.clear();
        self.seen.clear();
        self.unexplored.clear();
        self.tried.clear();
        self.undecided.clear();
    }

    /// Follows everything, and says what was found.
    pub(crate) fn run(mut self) -> Outcome {
        self.follow_all();
        self.settle();
        self.conclude()
    }

    /// Follows all paths, as long as the limits allow; why there are none, if the program cannot be entered.
    pub(crate) fn follow_all(&mut self) -> Option<Arc<str>> {
        let any = self.options.any_arguments;
        for count in (any.least..=any.most).rev() {
            match self.enter(count) {
                Ok(execution) => self.wait(execution, None),
                Err(why) => {
                    self.unexplored.insert(Unexplored::at(why.clone(), Vec::new(), false));
                    return Some(why);
                }
            }
        }
        while let Some(execution) = self.next_waiting() {
            if let Some(why) = self.limit_reached() {
                self.outcome.paths.waiting = self.waiting() + 1;
                self.stop_here(execution, why);
                break;
            }
            self.follow(execution);
            if self.novelty.is_some() && !self.outcome.violations.is_empty() {
                break;
            }
        }
        None
    }

    /// The limit that has been reached, if one has.
    pub(crate) fn limit_reached(&mut self) -> Option<&'static str> {
        self.tell();
        self.limit.reached(&self.outcome.paths)
    }

    /// Tells who looks on how far the run is.
    pub(crate) fn tell(&self) {
        let Some(watch) = &self.options.watch else { return };
        let paths = &self.outcome.paths;
        watch.tell(Moment {
            paths: paths.completed + paths.violated + paths.given_up,
            waiting: self.waiting(),
            instructions: self.outcome.instructions,
            covered: self.guide.as_ref().map(|guide| guide.covered()),
            solving: self.oracle.solving,
        });
    }

    /// Whether who looks on has ended the run.
    pub(crate) fn is_stopped(&self) -> bool {
        self.options.watch.as_ref().is_some_and(|watch| watch.stopped().is_some())
    }

    /// The first reason why a path was not followed to its end.
    pub(crate) fn first_unexplored(&self) -> Option<Arc<str>> {
        self.unexplored.first().map(|of| of.why.clone())
    }

    /// What was found, and what it rests on.
    pub(crate) fn conclude(&mut self) -> Outcome {
        self.assume_aloud();
        self.outcome.unexplored = std::mem::take(&mut self.unexplored).into_iter().collect();
        std::mem::take(&mut self.outcome)
    }

    /// Has a path wait, whose next step leads to `goal` where that is known.
    pub(crate) fn wait(&mut self, execution: Execution<'s>, goal: Option<Goal>) {
        match &mut self.guide {
            Some(guide) => guide.push(execution),
            None if self.novelty.as_mut().is_some_and(|novelty| !novelty.is_new(&execution)) => {
                self.schedule.push_known(execution);
            }
            None => self.schedule.push(execution, goal),
        }
    }

    fn next_waiting(&mut self) -> Option<Execution<'s>> {
        match &mut self.guide {
            Some(guide) => guide.next(),
            None => self.schedule.next(),
        }
    }

    /// How many paths wait.
    fn waiting(&self) -> u64 {
        self.guide.as_ref().map_or(self.schedule.len(), |guide| guide.len()) as u64
    }

    /// Says that a limit ended the run while this path, and those that wait, were on their way.
    fn stop_here(&mut self, execution: Execution<'s>, why: &'static str) {
        self.asked = execution.inputs.clone();
        // Where it was shown is told with what was.
        let is_shown = self.options.watch.as_ref().and_then(|watch| watch.stopped()) == Some(End::Shown);
        let stack = if is_shown { Vec::new() } else { stack(self.program, &execution) };
        self.unexplored.insert(Unexplored::at(why.into(), stack, false));
        let Some(guide) = &mut self.guide else { return };
        let why: Arc<str> = format!("paths were not followed to their ends: {why}").into();
        guide.leave_open(&execution, why.clone());
        while let Some(execution) = guide.next() {
            guide.leave_open(&execution, why.clone());
        }
    }

    /// Says what a proof takes for granted.
    fn assume_aloud(&mut self) {
        let entry = self.program.function(&self.options.entry);
        let mut all = assumptions(self.program, entry, self.machine.has_allocated());
        if !self.machine.domain.libm.is_empty() {
            all.splice(1..1, LIBM_ASSUMPTIONS);
        }
        if self.machine.domain.libm.is_directed {
            all.push(DIRECTED_ASSUMPTION);
        }
        if self.machine.domain.libm.has_called_host {
            all.push(HOST_ASSUMPTION);
        }
        // What a caught panic says is not computed, either.
        let is_caught = CAUGHT_PANIC.to_str().is_ok_and(|name| self.program.function(name).is_some());
        if is_caught || self.externals.values().any(|external| *external == External::RustPrint) {
            all.push("what Rust's programs print is not computed: printing it neither fails nor changes anything");
        }
        if self.externals.values().any(|external| *external == External::RustHashKeys) {
            all.push(
                "hash maps of Rust's do the same under any keys of their hash function, but for their order, which nothing looks at; keys that are \
                 equal have the same hash",
            );
        }
        self.outcome.assumptions.extend(all.into_iter().map(str::to_owned));
    }

    pub(crate) fn store(&mut self) -> &mut Store {
        self.machine.domain.store
    }

    /// Whether a path that has been followed since it had executed `begun` instructions waits, for there are limits and others.
    fn is_turn_over(&mut self, execution: &Execution<'s>, begun: u64) -> bool {
        let followed = execution.state.instructions - begun;
        // Where a limit is reached whoever takes it out comes to the same conclusion.
        self.limit_reached().is_some()
            || match self.guide {
                Some(_) => followed > TURN,
                None => followed > LONG_TURN && self.waiting() > 0,
            }
    }

    /// Has a path wait whose turn is over.
    fn give_way(&mut self, execution: Execution<'s>) {
        match &mut self.guide {
            Some(guide) => guide.push(execution),
            None => self.schedule.push_long(execution),
        }
    }

    /// Executes one path until it ends or parts, or comes to where an induction looks at it.
    pub(crate) fn follow(&mut self, mut execution: Execution<'s>) {
        let begun = execution.state.instructions;
        let mut answered: u32 = 0;
        loop {
            let before = execution.state.instructions;
            self.machine.domain.has_come_to_mark = false;
            let halted = follow_stretch(&mut self.machine, &mut execution.state);
            self.outcome.instructions += execution.state.instructions - before;
            if let Some(found) = self.machine.domain.take_found()
                && !self.pursue(&mut execution, found)
            {
                return;
            }
            let halt = match halted {
                Ok(Step::Continue) if self.is_to_be_looked_at(&execution) => return self.show(execution),
                Ok(Step::Continue) if self.is_turn_over(&execution, begun) => return self.give_way(execution),
                Ok(Step::Continue) => continue,
                Ok(Step::Returned(_)) => return self.end(execution, Ending::Completed),
                Err(Halt::Call(function)) => match self.answer(&mut execution, function) {
                    Ok(Answer::Value(value)) => {
                        self.machine.answer(&mut execution.state, value);
                        answered += 1;
                        // Such a call ends a stretch, however short it was, and a loop may do nothing else.
                        if answered.is_multiple_of(ANSWERS) && self.is_turn_over(&execution, begun) {
                            return self.give_way(execution);
                        }
                        continue;
                    }
                    Ok(Answer::Moved) => {
                        execution.state.instructions += 1;
                        answered += 1;
                        if answered.is_multiple_of(ANSWERS) && self.is_turn_over(&execution, begun) {
                            return self.give_way(execution);
                        }
                        continue;
                    }
                    Ok(Answer::End(ending)) => return self.end(execution, ending),
                    Err(halt) => halt,
                },
                Err(halt) => halt,
            };
            match halt {
                Halt::Stop(stop) => {
                    let mut ending = ending(&mut self.machine, &execution, &self.options.checks, &stop);
                    if ending == Ending::Violation(ViolationKind::Panic) && catches_panics(self.program, &execution) {
                        ending = match self.unwind_panic(&mut execution) {
                            Ok(()) => {
                                execution.state.instructions += 1;
                                continue;
                            }
                            Err(why) => Ending::unexplored(why),
                        };
                    }
                    return self.end(execution, ending);
                }
                // Where one side alone can be a loop may part in every round, and never come to the end of a stretch.
                Halt::Split(split) => match self.part(execution, &split) {
                    Some(only) if self.is_to_be_looked_at(&only) => return self.show(only),
                    Some(only) if self.is_turn_over(&only, begun) => return self.give_way(only),
                    Some(only) => execution = only,
                    None => return,
                },
                Halt::Call(_) => {
                    return self.end(execution, Ending::unexplored("a call that was answered by a call"));
                }
            }
        }
    }

    /// Adds a truth to a path's condition.
    pub(crate) fn choose(&mut self, execution: &mut Execution<'s>, symbol: TermId, value: u128, condition: TermId) {
        let store = self.store();
        let choices = &mut execution.state.path.choices;
        let both = match store.node(choices.condition).op {
            Op::BoolConst(true) => condition,
            _ => store.and(&[choices.condition, condition]),
        };
        choices.choose(store, symbol, value, both);
        self.oracle.add(&self.machine.domain, &mut execution.groups, condition);
    }

    /// Restricts a path to inputs for which a one-bit integer is 1; false if there are none.
    pub(crate) fn assume(&mut self, execution: &mut Execution<'s>, bit: &Int<TermId>) -> bool {
        if let Some(value) = self.machine.known(&execution.state, bit) {
            return value != 0;
        }
        let Some(&symbol) = bit.symbol() else { return true };
        match self.ask(execution, symbol) {
            Feasible::No => return false,
            Feasible::Yes(witness) => execution.witness = witness,
            Feasible::Unknown(_) => execution.witness = None,
        }
        self.choose(execution, symbol, 1, symbol);
        true
    }

    pub(crate) fn ask(&mut self, execution: &Execution<'s>, condition: TermId) -> Feasible {
        self.oracle.ask(&mut self.machine.domain, &execution.groups, execution.witness.as_ref(), condition)
    }

    /// Records the end of a path.
    pub(crate) fn end(&mut self, execution: Execution<'s>, ending: Ending) {
        if self.guide.is_some() {
            return self.end_led(execution, ending);
        }
        if self.induction.is_some() {
            return self.end_of_round(execution, ending);
        }
        self.asked = execution.inputs.clone();
        match ending {
            Ending::Excluded => self.exclude(&execution),
            Ending::Completed => match self.leaked(&execution) {
                Some(bytes) => self.violate(execution, ViolationKind::Leak(bytes), PATIENCE),
                None if self.options.checks.cleanup && execution.state.memory.has_heap() => {
                    self.give_up(
                        &execution,
                        "memory is allocated when the program ends, which no native run tells".into(),
                        false,
                    );
                }
                None => self.complete(execution),
            },
            Ending::Violation(kind) => self.violate(execution, kind, PATIENCE),
            Ending::Unexplored { why, is_bound } => self.give_up(&execution, why, is_bound),
        }
    }

    /// An assumption ended a path.
    pub(crate) fn exclude(&mut self, execution: &Execution<'s>) {
        /// Places that are told.
        const TOLD: usize = 4;
        self.outcome.paths.excluded += 1;
        if self.outcome.exclusions.len() < TOLD {
            let site = self.site(execution);
            if !self.outcome.exclusions.contains(&site) {
                self.outcome.exclusions.push(site);
            }
        }
    }

    /// Bytes that the program has lost, where that is asked for.
    pub(crate) fn leaked(&self, execution: &Execution<'s>) -> Option<u64> {
        if !self.options.checks.leaks || execution.state.is_arbitrary {
            return None;
        }
        Some(execution.state.memory.leaked(|symbol| self.machine.domain.address_in(*symbol))).filter(|bytes| *bytes > 0)
    }

    fn complete(&mut self, execution: Execution<'s>) {
        if execution.state.is_arbitrary {
            return self.give_up(&execution, "an undefined value was frozen: anything may follow".into(), false);
        }
        self.outcome.paths.completed += 1;
        if let Some(witness) = &execution.witness {
            self.outcome.tests.push(&self.options.arguments, execution.inputs.clone(), witness.model());
        }
    }

    pub(crate) fn give_up(&mut self, execution: &Execution<'s>, why: Arc<str>, is_bound: bool) {
        let stack = stack(self.program, execution);
        self.leave(execution, Unexplored::at(why, stack, is_bound));
    }

    /// The same with all that is told of it.
    pub(crate) fn leave(&mut self, execution: &Execution<'s>, unexplored: Unexplored) {
        let why = &unexplored.why;
        if self.induction.is_some() {
            return self.fail(execution, why);
        }
        self.outcome.paths.given_up += 1;
        self.asked = execution.inputs.clone();
        if let Some(guide) = &mut self.guide {
            guide.leave_open(execution, format!("a path was not followed to its end: {why}").into());
        }
        self.try_out_near(execution, &unexplored.stack);
        self.unexplored.insert(unexplored);
    }
}
